"""Differences between rankings of one query: what left the top, entered it or moved, and whether repeats are the same.

No judgments are needed; where grades are known, each change has the grade of its document.

A search may be called again, by `--relevance-repeat=N`: the first call is the one that is scored, and the others are
compared with it, as far down as the case looks. Of the items that another plugin makes of one case in one variant
(pytest-repeat, say) the worst counts. A ranking that changes does not fail the case: it is reported, so that a tie or
another replica is not taken for a regression. It is never accepted into a baseline.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import zip_longest
from types import MappingProxyType

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.similarity import jaccard, rbo
from pytest_relevance.results.case_parts import WITHOUT_COMPARISON, Repeats
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import first_ranks
from pytest_relevance.results.responses.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Move:
    """A document whose rank changed: its ranks (from 1) in both rankings, None for one that is not known to have it.

    `grade` is None for an unjudged document.
    """

    document: str
    first: int | None
    second: int | None
    grade: float | None = None

    @property
    def distance(self) -> int:
        """How many ranks it rose (above 0) or fell (below 0); 0 where only one ranking has it."""
        return (
            0 if self.first is None or self.second is None else self.first - self.second
        )


@dataclass(frozen=True, slots=True)
class RankChanges:
    """The changes within the top `k`.

    `left` are the documents that only the first ranking has there, best first; `entered` are those that only the second
    has, best first; `moved` are in the top of both, the farthest first. Jaccard and RBO are computed over the top k.
    """

    k: int
    left: tuple[Move, ...]
    entered: tuple[Move, ...]
    moved: tuple[Move, ...]
    jaccard: float
    rbo: float

    def __bool__(self) -> bool:
        """Whether anything changed."""
        return bool(self.left or self.entered or self.moved)


def rank_changes(
    first: Sequence[str],
    second: Sequence[str],
    k: int,
    grades: Mapping[str, float] = MappingProxyType({}),
    deeper: Mapping[str, int] = MappingProxyType({}),
) -> RankChanges:
    """Compare the top k of two rankings.

    What left the top may be ranked below it, as far as the second ranking goes or `deeper` has its rank. A document
    that occurs twice counts at its first rank.
    """
    before, after = first_ranks(first), {**deeper, **first_ranks(second)}
    left, entered, moved = [], [], []
    for document in {**before, **after}:
        move = Move(
            document, before.get(document), after.get(document), grades.get(document)
        )
        was_in_top, is_in_top = (
            rank is not None and rank <= k for rank in (move.first, move.second)
        )
        if was_in_top and not is_in_top:
            left.append(move)
        elif is_in_top and not was_in_top:
            entered.append(move)
        elif is_in_top and move.distance:
            moved.append(move)
    left.sort(key=lambda move: move.first or 0)
    entered.sort(key=lambda move: move.second or 0)
    moved.sort(key=lambda move: (-abs(move.distance), move.first))
    one, two = first[:k], second[:k]
    return RankChanges(
        k, tuple(left), tuple(entered), tuple(moved), jaccard(one, two), rbo(one, two)
    )


def accepted_ranking(result: CaseResult) -> Sequence[str]:
    """The ranking that a case is compared with; empty where there is none."""
    baseline = result.baseline
    return (
        ()
        if baseline is None or baseline.standing in WITHOUT_COMPARISON
        else baseline.documents
    )


def baseline_changes(result: CaseResult) -> RankChanges | None:
    """The changes since the accepted ranking, None where there is none to compare with.

    `left` has the documents with the highest gains first: they explain the lost score.
    """
    baseline, gains = result.baseline, result.conditions.settings.gains
    if baseline is None or baseline.standing in WITHOUT_COMPARISON:
        return None
    accepted, ranking = baseline.documents, result.ranking
    now = zip(ranking.documents, ranking.grades, strict=False)
    grades = {
        name: grade
        for name, grade in (*zip(accepted, baseline.grades, strict=False), *now)
        if grade is not None
    }
    found = rank_changes(
        accepted, ranking.documents, result.conditions.k, grades, ranking.deeper
    )
    return replace(
        found, left=tuple(sorted(found.left, key=lambda move: -gains[move.grade]))
    )


_WORST_FIRST = (
    *(
        "error",
        "not searched",
        "failed",
        "inconclusive",
        "xpassed",
        "xfailed",
        "passed",
        "measured",
        "skipped",
    ),
)


def compare_calls(case: Case, rankings: Sequence[Ranking]) -> Repeats:
    """Compare the rankings of several calls of a search, as far down as the case looks."""
    depth = None if case.looks_at_all else case.depth
    return _differences([tuple(ranking.ids[:depth]) for ranking in rankings])


def worst_of_repeats(results: Sequence[CaseResult]) -> list[CaseResult]:
    """One result for each case and variant: of repeats the one of the worst status, and of these the lowest score.

    Its `repeats` describe how the ranking changed from repeat to repeat.
    """
    groups: dict[tuple[object, ...], list[CaseResult]] = {}
    for number, result in enumerate(results):
        is_repeat = len(result.origin.items) > 1 and not result.is_check
        groups.setdefault(
            (result.key, result.search) if is_repeat else (number,), []
        ).append(result)
    return [group[0] if len(group) == 1 else _worst(group) for group in groups.values()]


def _worst(repeats: Sequence[CaseResult]) -> CaseResult:
    """The worst of several repeats of a case, with how the ranking changed between them, or else within one."""
    worst = min(
        repeats,
        key=lambda result: (_WORST_FIRST.index(result.status), result.score or 0.0),
    )
    scored = [result for result in repeats if result.evaluation.scores]
    if len(scored) < 2:
        return worst
    found = _differences([tuple(result.ranking.documents) for result in scored])
    within = [
        result.call.repeats for result in scored if result.call.repeats is not None
    ]
    if found.rankings == 1:
        found = next((each for each in within if each.rankings > 1), found)
    calls = len(scored) - len(within) + sum(each.calls for each in within)
    return replace(worst, call=replace(worst.call, repeats=replace(found, calls=calls)))


def _differences(tops: Sequence[tuple[str, ...]]) -> Repeats:
    """How rankings differ, and the two documents at the first rank at which any differs from the first ranking."""
    found = Repeats(len(tops), len(set(tops)))
    for rank, (first, *others) in enumerate(zip_longest(*tops), 1):
        if other := [each for each in others if each != first]:
            return replace(found, rank=rank, documents=(first, other[0]))
    return found
