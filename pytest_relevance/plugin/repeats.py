"""Whether a search gives the same ranking when it is called again: by `--relevance-repeat=N`, or in repeats of an item.

With the option the first call is the one that is scored; the others are compared with it, as far down as the case
looks. Of the items that another plugin makes of one case in one variant (pytest-repeat, say) the worst counts. A
ranking that changes fails nothing by itself: it is named, so that nobody takes for a regression what is a tie, or
another replica. It is never accepted into a baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.ledger import Kept
from pytest_relevance.runs.ranking import Ranking
from pytest_relevance.runs.values import kept_depth


def compared(case: Case, rankings: Sequence[Ranking]) -> dict[str, Any]:
    """What became of a ranking from call to call, in types that travel.

    `calls` is how many there were, `rankings` how many different ones. Where there are several, `rank` (from 1) is the
    highest at which any of them differs from the first, `documents` the two that stand there (None below the end of a
    ranking), and `is_tie` whether a call gave these the same score.
    """
    depth = kept_depth(case)
    found, number = _differences([tuple(ranking.ids[:depth]) for ranking in rankings])
    if number:
        ends = found["documents"]
        found["is_tie"] = None not in ends and _are_tied((rankings[0], rankings[number]), ends)
    return found


def _differences(tops: Sequence[tuple[str, ...]]) -> tuple[dict[str, Any], int]:
    """The same of rankings without scores, and the index of the one that differs first; 0 where none does."""
    found: dict[str, Any] = {"calls": len(tops), "rankings": len(set(tops))}
    first = tops[0]
    at = [(_differ_at(first, top), number) for number, top in enumerate(tops) if top != first]
    if not at:
        return found, 0
    index, number = min(at)
    ends = [top[index] if index < len(top) else None for top in (first, tops[number])]
    documents = [None if end is None else str.__str__(end) for end in ends]
    return {**found, "rank": index + 1, "documents": documents, "is_tie": False}, number


_WORST_FIRST = ("error", "failed", "inconclusive", "xpassed", "xfailed", "passed", "measured", "skipped")


def worst_of(repeats: Mapping[str, Kept]) -> tuple[str, Kept]:
    """The repeat of a case, with its node id, that counts: the worst outcome, the lowest score.

    It gets what became of the ranking from repeat to repeat, as `compared` has it.
    """

    def badness(nodeid: str) -> tuple[int, float]:
        entry = repeats[nodeid].as_entry()
        return _WORST_FIRST.index(entry.status), 0.0 if entry.score is None else entry.score

    worst = min(repeats, key=badness)
    entries = [kept.entry for kept in repeats.values() if "ranking" in kept.entry]
    if len(entries) < 2:
        return worst, repeats[worst]
    found, _ = _differences([tuple(entry["ranking"]) for entry in entries])
    within = [entry["repeated"] for entry in entries if "repeated" in entry]
    if found["rankings"] == 1:
        found = next((each for each in within if each["rankings"] > 1), found)
    calls = len(entries) - len(within) + sum(each["calls"] for each in within)
    return worst, replace(repeats[worst], entry={**repeats[worst].entry, "repeated": {**found, "calls": calls}})


def _differ_at(one: Sequence[str], two: Sequence[str]) -> int:
    """The first index at which two rankings differ."""
    pairs = enumerate(zip(one, two, strict=False))
    return next((index for index, (first, second) in pairs if first != second), min(len(one), len(two)))


def _are_tied(rankings: Sequence[Ranking], documents: Sequence[str | None]) -> bool:
    """Whether a search gave the same score to two documents: in one call, where any has both, or else each in its own.

    Two replicas may give the first place the same score, whatever stands there.
    """
    found = [[_score_of(ranking, document) for document in documents] for ranking in rankings]
    both = [scores for scores in found if None not in scores]
    if not both:
        both = [[found[0][0], found[1][1]]]
    return any(first is not None and first == second for first, second in both)


def _score_of(ranking: Ranking, document: str | None) -> float | None:
    """The score of a document, where it was returned and has one that can be seen."""
    return ranking.score(ranking.ids.index(document)) if document in ranking.ids else None
