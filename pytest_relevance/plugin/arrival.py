"""Results that did not reach the end of the run: pytest was to run a case, and nothing says what came of it.

A plugin that runs tests in another process, and builds reports of its own there or here, may leave out what the reports
of cases carry. Nobody must take the rest for the whole.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pytest_relevance.plugin.ledger import Ledger
from pytest_relevance.reports.text import harmless
from pytest_relevance.wording import counted, listed

_MOST_NAMED = 3

_NEEDED_BY = {
    "relevance_gates": ("require", "--relevance-gates=require"),
    "relevance_record": (None, "--relevance-record"),
    "relevance_update": (None, "--relevance-update"),
    "relevance_ratchet": (None, "--relevance-ratchet"),
    "relevance_unjudged": (None, "--relevance-unjudged"),
}
"""The options that need every result: the value that does (None: any that is given), and how it is written."""


def lost(ledger: Ledger, is_case_file: Callable[[str], bool]) -> str:
    """What to say of cases that were to run, did not fail, and have no result; nothing where there are none.

    Of a case whose process crashed there is a report that failed: that is told already.
    """
    nodes = {facts.node for facts in ledger.files.values()}

    def is_case(name: str) -> bool:
        file = name.partition("::")[0]
        return file in nodes or is_case_file(file.rpartition("/")[2])

    names = [name for name in ledger.without_entry() if name not in ledger.failed and is_case(name)]
    if not names:
        return ""
    total = sum(map(is_case, ledger.to_run))
    shown = [harmless(name) for name in names[:_MOST_NAMED]]
    more = [f"{len(names) - len(shown):,} more"] if len(names) > len(shown) else []
    return (
        f"{len(names):,} of {counted(total, 'case')} that were to run {'has' if len(names) == 1 else 'have'} no result "
        f"({listed([*shown, *more], 'and')}): a plugin that runs tests elsewhere, or makes reports of its own, may "
        "have dropped them"
    )


def asked_for(option: Any) -> str:
    """The options that were given and need every result."""
    given = [
        name
        for attribute, (value, name) in _NEEDED_BY.items()
        if (found := getattr(option, attribute, None)) and (value is None or found == value)
    ]
    return listed(given, "and") if given else ""
