"""What reports say of a replay: a run that judged recorded rankings.

The sentence of every report begins with it, so that nobody takes a replay for a run
that has searched.
"""

from __future__ import annotations

from pytest_relevance._text import counted
from pytest_relevance.results.records.fingerprint import value_text
from pytest_relevance.results.records.run_info import Replayed

NO_SEARCH = "No search was called"

_MOST_SHOWN = 3
"""How many entries of a fingerprint the sentence names."""


def no_search_text(replayed: Replayed, run: str = "") -> str:
    """Return what a replay has judged in the place of searches.

    Example: `No search was called: rankings of main.jsonl, of 2026-11-22 08:03 UTC,
    index products-11`.

    `run`: the name of the replay, if it is one of two runs.
    """
    parts = [f"rankings of {replayed.name}"]
    if replayed.started:
        # 2026-11-22 08:03, of a time in ISO 8601
        parts.append(f"of {replayed.started[:16].replace('T', ' ')} UTC")
    entries = []
    for name, value in replayed.fingerprint.items():
        entries.append(f"{name} {value_text(value)}")
    parts += entries[:_MOST_SHOWN]
    more = len(entries) - _MOST_SHOWN
    if more > 0:
        parts.append(counted(more, "more entry", "more entries"))
    head = f"{NO_SEARCH} for {run}" if run else NO_SEARCH
    return f"{head}: {', '.join(parts)}"
