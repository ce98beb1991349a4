"""How the sentence of every report on a replay begins.

A replay is a run that judged recorded rankings, and called no search.
"""

from __future__ import annotations

from pytest_relevance.reports.labels import first_names, start_text
from pytest_relevance.results.records.fingerprint import value_text
from pytest_relevance.results.records.run_info import Replayed

NO_SEARCH = "No search was called"

_MOST_SHOWN = 3
"""How many entries of a fingerprint the sentence names."""


def no_search_text(replayed: Replayed, run: str = "") -> str:
    """Return which rankings a replay judged.

    Example: `No search was called: rankings of main.jsonl, of 2026-11-22 08:03 UTC,
    index products-11`.

    `run`: the name of the replay, if it is one of two runs.
    """
    parts = [f"rankings of {replayed.name}"]
    if replayed.started:
        parts.append(f"of {start_text(replayed.started)} UTC")
    entries = []
    for name, value in replayed.fingerprint.items():
        entries.append(f"{name} {value_text(value)}")
    parts += first_names(entries, _MOST_SHOWN, "more entry", "more entries")
    head = f"{NO_SEARCH} for {run}" if run else NO_SEARCH
    return f"{head}: {', '.join(parts)}"
