"""What a worker of pytest-xdist leaves on the controller, also if it crashes.

The results that a worker has sent are in the `RunStore`. So a worker that crashes loses
only the case that it was running: pytest-xdist makes a failed report of it, without a
result, and gives the other cases to a new worker. The cases that were to run and have
no result are `RunStore.unfinished`: the gates of their files are not evaluated, and the
record of the run names them.
"""

from collections.abc import Sequence
from typing import Any

import pytest

from pytest_relevance.plugin.attached import ATTRIBUTE, News, from_text
from pytest_relevance.plugin.run_store import RunStore


class Workers:
    """The hooks of pytest-xdist about its workers, on the controller."""

    def __init__(self, store: RunStore) -> None:
        self._store = store

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Store the node ids of the tests that the workers are to run; every worker
        collects the same.
        """
        self._store.collection.set_to_run(ids)

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        """Store the data that a worker of pytest-xdist sends after its last report; a
        crashed worker sends none.
        """
        sent = getattr(node, "workeroutput", {}).get(ATTRIBUTE)
        if sent is not None:
            self._store.receive(from_text(News, sent))
