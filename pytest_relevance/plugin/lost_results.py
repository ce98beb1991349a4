"""Detect cases that were to run but have no result at the end of the run.

A plugin that runs tests in another process and builds reports of its own may drop the results attached to the reports
of cases. The user must know that the remaining results are incomplete.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_relevance._text import counted, listed
from pytest_relevance.plugin.run_store import RunStore
from pytest_relevance.reports.text import harmless

_MOST_NAMED = 3

_NEEDED_BY = {
    "relevance_gates": ("require", "--relevance-gates=require"),
    "relevance_record": (None, "--relevance-record"),
    "relevance_update": (None, "--relevance-update"),
    "relevance_ratchet": (None, "--relevance-ratchet"),
    "relevance_unjudged": (None, "--relevance-unjudged"),
}
"""The options that need every result: the value that does (None: any value), and the text for messages."""


def lost_results(store: RunStore, is_case_file: Callable[[str], bool], option: Any) -> tuple[str, bool]:
    """Return a message about cases without a result ("" if there are none), and whether the run fails because of them.

    Cases with a failed report, such as those whose process crashed, are not counted: that failure is shown already. A
    case that passed without being scored, because a plugin ran something else instead, is counted only where an option
    needs every result.
    """
    needed_by = [
        name
        for attribute, (value, name) in _NEEDED_BY.items()
        if (found := getattr(option, attribute, None)) and (value is None or found == value)
    ]
    known = store.failed if needed_by else store.failed | store.unscored
    nodes = {info.node for info in store.files.values()}

    def is_case(name: str) -> bool:
        file = name.partition("::")[0]
        return file in nodes or is_case_file(file.rpartition("/")[2])

    names = [name for name in store.without_result() if name not in known and is_case(name)]
    if not names:
        return "", False
    total = sum(map(is_case, store.to_run))
    shown = [harmless(name) for name in names[:_MOST_NAMED]]
    if more := len(names) - len(shown):
        shown.append(f"{more:,} more")
    text = (
        f"{len(names):,} of {counted(total, 'case')} that were to run {'has' if len(names) == 1 else 'have'} no result "
        f"({listed(shown, 'and')}): a plugin that runs tests elsewhere, makes reports of its own, or runs something "
        "else in the place of cases may be the cause"
    )
    if not needed_by:
        return text, False
    needs = "needs" if len(needed_by) == 1 else "need"
    return f"{text}; {listed(needed_by, 'and')} {needs} every result, so the run fails", True
