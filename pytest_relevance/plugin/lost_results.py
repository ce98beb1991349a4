"""Results that did not reach the end of the run: pytest was to run a case, and nothing says what came of it.

A plugin that runs tests in another process, and builds reports of its own there or here, may leave out what the reports
of cases carry. Nobody must take the rest for the whole.
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
"""The options that need every result: the value that does (None: any that is given), and how it is written."""


def lost_results(store: RunStore, is_case_file: Callable[[str], bool], option: Any) -> tuple[str, bool]:
    """What to say of cases that were to run, did not fail, and have no result, and whether the run fails for it.

    Of a case whose process crashed there is a report that failed: that is told already. A case that passed without
    being scored, as a plugin ran something else in its place, counts only where an option needs every result.
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
