"""The score of one case: its ranking seen through its judgments, what its floor and expectations say, the verdict.

`score_case` is the whole of it, for an item of a test run and for `relevance.check` alike. The figures that a report
needs beyond these (the breakdown) are computed from a `Scored` when somebody reads them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import GradedRanking, grade_ranking, interval, score
from pytest_relevance.runs.ranking import Ranking

if TYPE_CHECKING:
    from pytest_relevance.runs.expectations import Outcome  # imported where it is needed: a passing floor needs none

PASSED, FAILED, INCONCLUSIVE, MEASURED, ERROR = "passed", "failed", "inconclusive", "measured", "error"
"""The verdicts: section 6 of the design. An error (the search raised, or returned nonsense) has no `Scored`."""

VERDICTS = (PASSED, FAILED, INCONCLUSIVE, MEASURED, ERROR)

SKIPPED = "skipped"
"""What stands in the place of a verdict where a case was not to run."""

_NDCG: dict[int, Metric] = {}


def ndcg_at(k: int) -> Metric:
    """The metric nDCG@k."""
    metric = _NDCG.get(k)
    if metric is None:
        metric = _NDCG[k] = Metric(f"nDCG@{k}", "nDCG", k)
    return metric


@dataclass(frozen=True, slots=True)
class Scored:
    """A case with the ranking it got.

    `score` is nDCG@k, NaN where it is not defined; `lower` and `upper` are what the unjudged results of the top k
    leave open. `judged` of the `top` different documents within the top k have a judgment. `latency` is in seconds,
    None when the search was not called here. `reasons` say what is not met, or why nothing can be said. `asked` is how
    many results the search was asked for, None where it takes no such number, or was not called here.
    """

    case: Case
    ranking: Ranking
    graded: GradedRanking
    score: float
    lower: float
    upper: float
    judged: int
    top: int
    outcomes: tuple[Outcome, ...]
    verdict: str
    reasons: tuple[str, ...]
    latency: float | None
    asked: int | None = None

    @property
    def reaches_depth(self) -> bool:
        """Whether the search returned as many results as it was asked for, so that there may be more."""
        return self.asked is not None and len(self.ranking.ids) >= self.asked

    @property
    def is_cut(self) -> bool:
        """Whether metrics of the whole ranking have no value: it may go on, and no depth was set."""
        return self.case.terms.depth is None and self.reaches_depth

    @property
    def returned(self) -> int:
        """How many different documents were returned."""
        return len(self.graded.grades) - len(self.graded.repeated)

    @property
    def unjudged_indexes(self) -> list[int]:
        """Where in the ranking (from 0) the results in the top k without a judgment stand, best first."""
        repeated = self.graded.repeated
        return [
            index
            for index, grade in enumerate(self.graded.grades[: self.case.k])
            if grade is None and index not in repeated
        ]

    @property
    def unjudged(self) -> list[str]:
        """The documents in the top k without a judgment, best first."""
        return [self.ranking.ids[index] for index in self.unjudged_indexes]

    @property
    def strange_ids(self) -> bool:
        """Whether nothing that was returned is judged at all: usually the wrong id field."""
        return (
            bool(self.case.judgments)
            and bool(self.graded.grades)
            and not any(grade is not None for grade in self.graded.grades)
        )


def score_case(case: Case, ranking: Ranking, latency: float | None = None, asked: int | None = None) -> Scored:
    """Score the ranking that a case got, and decide.

    `asked` is how many results the search was asked for. Where it returned as many, and a metric of the case looks at
    the whole ranking, there is nothing to score: ask `cut.why_cut` first.
    """
    graded = grade_ranking(ranking.ids, case.judgments)
    k, settings = case.k, case.settings
    value = score(ndcg_at(k), graded, settings)
    grades = graded.grades
    repeated = sum(1 for index in graded.repeated if index < k)
    top = (len(grades) if len(grades) < k else k) - repeated
    unjudged = grades[:k].count(None) - repeated
    lower = upper = value
    if unjudged and value == value:
        lower, upper = interval(graded, k, case.terms.lowest, case.terms.highest, settings, present=value)
    is_cut = asked is not None and len(grades) >= asked and case.terms.depth is None
    outcomes = _outcomes(case, graded, ranking.ids, latency, is_cut=is_cut) if case.expect else ()
    verdict, reasons = _decide(case, value, lower, upper, top - unjudged, top, outcomes)
    judged = top - unjudged
    return Scored(case, ranking, graded, value, lower, upper, judged, top, outcomes, verdict, reasons, latency, asked)


def _outcomes(
    case: Case, graded: GradedRanking, ids: Sequence[str], latency: float | None, *, is_cut: bool
) -> tuple[Outcome, ...]:
    from pytest_relevance.runs.expectations import Found, check

    ranks: dict[str, int] = {}
    for rank, document in enumerate(ids, 1):
        ranks.setdefault(document, rank)
    found = Found(case, graded, ids, ranks, latency, is_cut=is_cut)
    return tuple(check(expected, found) for expected in case.expect)


def _decide(
    case: Case, value: float, lower: float, upper: float, judged: int, top: int, outcomes: tuple[Outcome, ...]
) -> tuple[str, tuple[str, ...]]:
    """The verdict and its reasons, those about scores first.

    In this order: an unmet expectation other than a score fails; an interval wholly below the floor fails and wholly
    above it passes; too few judged results are inconclusive; the floor decides. Floors of other metrics are scores
    too, without an interval.
    """
    floor = case.min_ndcg
    if floor is None and not outcomes:
        return MEASURED, ()
    plain = [outcome.message for outcome in outcomes if not outcome.met and not outcome.is_score]
    scores = [outcome.message for outcome in outcomes if not outcome.met and outcome.is_score]
    in_doubt = any(outcome.is_score for outcome in outcomes)
    if floor is not None:
        bounded = is_bounded(case)
        if not (bounded and lower >= floor):
            in_doubt = True
            if not value >= floor:  # also where the score is NaN, which no comparison holds for
                from pytest_relevance.runs.expectations import below

                scores.insert(0, below(ndcg_at(case.k).text, value, ">=", floor))
            if bounded and not upper >= floor:
                return FAILED, (*scores, *plain)
    if plain:
        return FAILED, (*scores, *plain)
    if in_doubt and (too_few := too_few_judged(case, judged, top)):
        return INCONCLUSIVE, (too_few, *scores)
    return (FAILED, tuple(scores)) if scores else (PASSED, ())


def too_few_judged(case: Case, judged: int, top: int) -> str:
    """Why a score may decide nothing: too little of the top is judged. Empty where it may."""
    # divided as the share is written: 11 of 20 are 0.55, and 0.55 * 20 is more than 11
    if top and judged / top < case.min_judged:
        return f"inconclusive: {judged} of the top {top} judged, less than min_judged {case.min_judged:g}"
    return ""


def is_bounded(case: Case) -> bool:
    """Whether `lower` and `upper` hold all that unjudged results leave open."""
    return case.settings.ideal == "judged" and case.settings.unjudged == "zero"
