"""Workers of pytest-xdist: what they send, and what happens if one crashes.

Workers collect and run the cases. The controller makes all texts and writes all files.
A worker sends:

- with its first report, the case files that it has collected (`send_collected`);
- with the report of each case, its result (`attached`);
- at its end, everything that no report has carried (`send_rest`).

If a worker crashes, the `RunStore` keeps the results that it has sent. The result of
the case that it was running is lost, and so are warnings and titles that it had not
sent. pytest-xdist makes a failed report of the lost case, without a result, and gives
the remaining cases to a new worker. `RunStore.unfinished` names the lost case. So

- the gates of its file have no verdict (`gates/judging.py`);
- the record of the run names the case as missing (`outputs.present_run`);
- no finding says that its result was lost, because its failure is shown (`findings`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance.plugin.attached import (
    ATTRIBUTE,
    as_text,
    attach_news,
    attached_to,
    from_text,
)
from pytest_relevance.plugin.news import News
from pytest_relevance.plugin.run_store import RunStore


def send_collected(report: pytest.TestReport, store: RunStore) -> None:
    """Attach all case files that a worker has collected to its first report.

    A file is sent even if none of its cases is to run.
    """
    collection = store.collection
    if collection.files:
        news = replace(
            attached_to(report).news,
            files={**collection.files},
            collected=collection.in_file_order,
        )
        attach_news(report, news)
        collection.files.clear()


def send_rest(config: pytest.Config, store: RunStore) -> None:
    """Send what no report of a worker has carried, when the worker ends."""
    output: Any = getattr(config, "workeroutput")  # noqa: B009 - of pytest-xdist
    output[ATTRIBUTE] = as_text(store.unsent.take())


class Controller:
    """The hooks of pytest-xdist on its controller."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Keep the node ids of the tests that are to run, which a worker sends."""
        self._store.collection.to_run = ids

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Keep what a worker has sent at its end. A crashed worker sends nothing."""
        sent = getattr(node, "workeroutput", {}).get(ATTRIBUTE)
        if sent is not None:
            self._store.receive(from_text(News, sent))
