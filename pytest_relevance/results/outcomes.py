"""What a search returned, judged by the expectations of its case: an `Outcome` for
each.

The kinds of expectations do it (`pytest_relevance.expectations`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_relevance._text import shown
from pytest_relevance.cases.bounds import meets
from pytest_relevance.cases.model import (
    METRIC,
    UNKNOWN,
    Expectation,
    FieldCondition,
    most_results,
)
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import is_similarity, metric_named
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.case_result import CaseResult

JUDGED = "judged"
"""How kinds of expectations are compared with a reference: its ranking is judged by the
demand of today.
"""

KEPT = "kept"
"""Another way: the reference has kept the outcome."""

ITSELF = "itself"
"""Another way: the expectation itself compares the present ranking with the accepted
one.
"""

NOTHING = "nothing"
"""The kind is not compared with a reference."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search returned.

    `k`: the cutoff of the case.
    `ranking`: the documents. `ranks`: the first rank (from 1) of each.
    `latency`: in seconds; None if it was not measured.
    `is_cut`: the ranking may go on below what was returned.
    `fields`: the values of the fields that expectations look at, {field: values}. None
    is absent.
    `finds_nothing`: nothing was returned, and nothing was expected.
    `others`: the rankings of other queries, {query: documents}.
    `left_out`: how many results of documents in the ranking were left out.
    """

    k: int
    settings: Settings
    graded: GradedRanking
    ranking: Sequence[str]
    ranks: Mapping[str, int]
    latency: float | None
    is_cut: bool = False
    fields: Mapping[str, Sequence[Any]] = field(default_factory=dict)
    finds_nothing: bool = False
    others: Mapping[str, Sequence[str]] = field(default_factory=dict)
    left_out: int = 0


def kind_named(name: str) -> Any:
    """Find the `ExpectationKind` with a name.

    It is `UNKNOWN` if the package that added it is not installed.
    """
    return EXPECTATIONS.get(name if name in EXPECTATIONS else UNKNOWN)


def without_reference(expect: Iterable[Expectation]) -> list[Expectation]:
    """Leave out the expectations that compare the ranking with the accepted one."""
    judged = []
    for expected in expect:
        if kind_named(expected.kind).reference != ITSELF:
            judged.append(expected)
    return judged


def judge_expectations(
    expect: Iterable[Expectation], found: Found
) -> tuple[Outcome, ...]:
    """Judge what a search returned by each of several expectations.

    Raises:
        ExtensionError: an expectation of another package raised an exception, or
            returned what is no `Outcome` that a record can hold.
    """
    outcomes = []
    for expected in expect:
        with EXPECTATIONS.calling(expected.kind):
            outcome = kind_named(expected.kind).judge(expected, found)
        if expected.kind not in EXPECTATIONS.bundled_names:
            _check_outcome(expected.kind, outcome)
        outcomes.append(outcome)
    return tuple(outcomes)


def _check_outcome(kind: str, outcome: object) -> None:
    """Check what a kind of another package returned. Raises `ExtensionError`."""
    EXPECTATIONS.check_returned(kind, "judge", outcome, Outcome)
    assert isinstance(outcome, Outcome)
    if not isinstance(outcome.met, bool):
        what = f"met is {shown(outcome.met)}; it has to be True or False"
    elif outcome.value is not None and not is_number(outcome.value):
        what = f"value is {shown(outcome.value)}; it has to be a number or None"
    elif outcome.kind != kind:
        what = f"kind is {shown(outcome.kind)}; make it with outcome_of(expected, ...)"
    else:
        return
    raise EXPECTATIONS.wrong(kind, f"judge returned an Outcome whose {what}")


def outcome_of(
    expected: Expectation,
    met: bool,
    *,
    value: float | None = None,
    within: int | None = None,
    wrong: Sequence[str] = (),
    values: Sequence[tuple[Any, Any]] = (),
    is_score: bool = False,
) -> Outcome:
    """Make the outcome of an expectation.

    `value`: the figure that was found.
    `within`: the rank that was looked at, if that is not the one of the expectation.
    `wrong`: the documents that do not meet it.
    `values`: more about each of these documents.
    `is_score`: whether judging the unjudged results could change the figure.
    """
    return Outcome(
        name=expected.name,
        kind=expected.kind,
        met=met,
        value=value,
        comparison=expected.comparison,
        bound=expected.bound,
        is_score=is_score,
        documents=expected.documents,
        within=expected.within if within is None else within,
        sets=expected.sets,
        wrong=tuple(wrong),
        conditions=tuple(condition.for_record for condition in expected.conditions),
        values=tuple(values),
        query=expected.query,
    )


def first_ranks(ranking: Sequence[str]) -> dict[str, int]:
    """Return the first rank (from 1) of each document."""
    return dict(zip(reversed(ranking), range(len(ranking), 0, -1), strict=True))


def expectation_of(outcome: Outcome) -> Expectation:
    """Make the expectation that an outcome belongs to."""
    return Expectation(
        kind=outcome.kind,
        written=outcome.name,
        metric=metric_named(outcome.name) if outcome.kind == METRIC else None,
        comparison=outcome.comparison,
        bound=outcome.bound,
        documents=tuple(outcome.documents),
        within=outcome.within,
        sets=tuple(outcome.sets),
        conditions=tuple(map(FieldCondition.of_record, outcome.conditions)),
        query=outcome.query,
    )


def with_similarities(
    result: CaseResult, metrics: Iterable[Metric], other: Sequence[str] | None
) -> CaseResult:
    """Put the `similarity_scores` of a result in the place of those that it has."""
    scores = _scores_without_similarities(result)
    scores |= similarity_scores(result, metrics, other)
    return replace(result, evaluation=replace(result.evaluation, scores=scores))


def without_similarities(result: CaseResult) -> CaseResult:
    """Leave out the scores that compare the ranking of a result with another one."""
    scores = _scores_without_similarities(result)
    return replace(result, evaluation=replace(result.evaluation, scores=scores))


def _scores_without_similarities(result: CaseResult) -> dict[str, float | None]:
    scores = {}
    for name, score in result.evaluation.scores.items():
        if not is_similarity(name):
            scores[name] = score
    return scores


def similarity_scores(
    result: CaseResult, metrics: Iterable[Metric], other: Sequence[str] | None
) -> dict[str, float | None]:
    """Compute the metrics that compare the ranking of a result with another ranking.

    There are none if there is no other ranking. A metric of the whole ranking has none
    if the ranking is cut.
    """
    from pytest_relevance.metrics.similarity import similarity

    if other is None:
        return {}
    ranking = result.ranking.documents
    finds_nothing = not ranking and not expects_results(result.evaluation.outcomes)
    scores: dict[str, float | None] = {}
    for metric in metrics:
        if metric.k is not None or not result.is_cut:
            scores[metric.text] = similarity(
                metric, ranking, other, finds_nothing=finds_nothing
            )
    return scores


def similarity_outcomes(
    expect: Iterable[Expectation], scores: Mapping[str, float | None]
) -> tuple[Outcome, ...]:
    """Judge the expectations that compare the ranking with the accepted one.

    `scores` are those of the case.
    """
    outcomes = []
    for expected in expect:
        if kind_named(expected.kind).reference == ITSELF:
            value = scores.get(expected.name)
            is_met = value is not None and meets(expected, value)
            outcomes.append(outcome_of(expected, is_met, value=value))
    return tuple(outcomes)


def says_how_many(outcomes: Iterable[Outcome]) -> bool:
    """Say whether an expectation with one of these outcomes counts results."""
    return any(kind_named(outcome.kind).counts_results for outcome in outcomes)


def expects_results(outcomes: Iterable[Outcome]) -> bool:
    """Say whether the expectations with these outcomes allow any results.

    `results: 0` does not.
    """
    counting = []
    for outcome in outcomes:
        if kind_named(outcome.kind).counts_results:
            counting.append(expectation_of(outcome))
    return most_results(counting) > 0
