"""Find out whether a search returns the same ranking when it is called again.

With `--relevance-repeat=N` a search is called N times. The first call is scored, and
the other calls are compared with it, as deep as the case looks. Another plugin, for
example pytest-repeat, may make several items of one case in one variant. Then the worst
item counts.

A ranking that changes does not fail the case. The change is reported, so that the
reader does not take it for a regression. Such a ranking is never accepted into a
baseline.

`compare_calls` is called when the last call of a case has returned, and
`worst_of_repeats` when the results of a run are listed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import zip_longest

from pytest_relevance.cases.model import Case
from pytest_relevance.results.case_parts import Repeats
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.responses.ranking import Ranking

_WORST_FIRST = (
    "error",
    "not searched",
    "failed",
    "inconclusive",
    "xpassed",
    "xfailed",
    "passed",
    "measured",
    "skipped",
)


def compare_calls(case: Case, rankings: Sequence[Ranking]) -> Repeats:
    """Return how the rankings of several calls differ, as deep as the case looks."""
    depth = None if case.looks_at_all else case.depth
    return _differences([tuple(ranking.ids[:depth]) for ranking in rankings])


def worst_of_repeats(results: Sequence[CaseResult]) -> list[CaseResult]:
    """Return one result for each case and variant.

    Of several repeats the one with the worst status is returned. Of repeats with one
    status it is the one with the lowest score. Its `call.repeats` says how the ranking
    changed from repeat to repeat.
    """
    groups: dict[tuple[object, ...], list[CaseResult]] = {}
    for number, result in enumerate(results):
        key: tuple[object, ...] = (number,)  # a result alone
        if len(result.origin.items) > 1 and not result.is_check:
            key = (result.key, result.search)
        groups.setdefault(key, []).append(result)
    chosen = []
    for group in groups.values():
        chosen.append(group[0] if len(group) == 1 else _worst_repeat(group))
    return chosen


def _worst_repeat(repeats: Sequence[CaseResult]) -> CaseResult:
    """Return the worst of several repeats, with how the ranking changed.

    The change is the one between repeats. If there is none, it is the one between the
    calls of one repeat.
    """
    worst = min(repeats, key=_badness)
    scored = [result for result in repeats if result.evaluation.scores]
    if len(scored) < 2:
        return worst
    found = _differences([tuple(result.ranking.documents) for result in scored])
    calls = 0
    within = []
    for result in scored:
        if result.call.repeats is None:
            calls += 1
        else:
            calls += result.call.repeats.calls
            within.append(result.call.repeats)
    if found.rankings == 1:
        found = next((each for each in within if each.rankings > 1), found)
    return replace(worst, call=replace(worst.call, repeats=replace(found, calls=calls)))


def _badness(result: CaseResult) -> tuple[int, float]:
    return _WORST_FIRST.index(result.status), result.score or 0.0


def _differences(tops: Sequence[tuple[str, ...]]) -> Repeats:
    """Return how rankings differ.

    `tops`: the rankings, that of the first call first.
    """
    found = Repeats(calls=len(tops), rankings=len(set(tops)))
    for rank, (first, *others) in enumerate(zip_longest(*tops), 1):
        for other in others:
            if other != first:
                return replace(found, rank=rank, documents=(first, other))
    return found
