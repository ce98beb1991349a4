"""Say in the report of a case which searches were running when a timeout ended the wait for its window."""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter

from pytest_relevance._text import first_few, printable
from pytest_relevance.plugin.searching.calls import Call

_MOST_NAMED = 5


def add_section(calls: Sequence[Call]) -> None:
    """Add the calls of a window that run now to the report of its first case, those that began first first."""
    now = perf_counter()
    running = sorted((call for call in calls if call.is_in_flight), key=lambda call: call.began)
    if running:
        text = first_few([f"{_name(call)} ({now - call.began:.1f} s)" for call in running], _MOST_NAMED)
        calls[0].outcomes[0].run.item.add_report_section("call", "searches in flight", f"searches in flight: {text}")


def _name(call: Call) -> str:
    query = printable(call.outcomes[0].run.case.query)
    others = len(call.outcomes) - 1
    return f"a batch of {query} and {others} more" if others else query
