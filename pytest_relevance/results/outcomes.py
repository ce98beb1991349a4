"""Judge what a search returned by the expectations of its case.

Each kind of expectation (`pytest_relevance.expectations`) judges, and returns an
`Outcome`.

`scoring` calls `judge_expectations` for each case after its search returned.
Expectations that compare rankings are judged later, when the case is compared with its
baseline.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_relevance._text import shown
from pytest_relevance.cases.bounds import meets
from pytest_relevance.cases.expectation import (
    METRIC,
    Expectation,
    FieldCondition,
    most_results,
)
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import is_similarity, metric_named
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.metrics.similarity import similarity
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.case_result import CaseResult

JUDGED, KEPT, ITSELF, NOTHING = "judged", "kept", "itself", "nothing"
"""How a kind of expectations is compared with a reference.

- `JUDGED`: the accepted ranking is judged by the present expectation.
- `KEPT`: the reference has kept the outcome of the accepted ranking.
- `ITSELF`: the expectation itself compares the present ranking with the accepted one.
- `NOTHING`: the kind is not compared.
"""


@dataclass(frozen=True, slots=True)
class Found:
    """What a search returned, in the form that kinds of expectations judge.

    `k`: the cutoff of the case.
    `graded`: the ranking with grades.
    `ranking`: the documents, best first.
    `ranks`: {document: its first rank, from 1}.
    `latency`: in seconds; None if it was not measured.
    `is_cut`: whether the ranking may go on below what was returned.
    `fields`: {field: values}, for the fields that expectations look at.
    `finds_nothing`: whether nothing was returned, and nothing was expected.
    `others`: {query: documents}, the rankings of other queries.
    `left_out`: how many chunks of the documents in the ranking were left out.
    `ranks_of_quotes`: {quote of `exclude_passages`: the ranks, from 1, of all results
        whose text holds it}.
    `response`: {path: value}, what the response has where expectations look.
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
    ranks_of_quotes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    response: Mapping[str, Any] = field(default_factory=dict)


def without_reference(expect: Iterable[Expectation]) -> list[Expectation]:
    """Return the expectations that do not compare the ranking with the accepted one."""
    judged = []
    for expected in expect:
        if EXPECTATIONS.get_or_unknown(expected.kind).reference != ITSELF:
            judged.append(expected)
    return judged


def judge_expectations(
    expect: Iterable[Expectation], found: Found
) -> tuple[Outcome, ...]:
    """Return the outcome of each expectation for what a search returned.

    Raises:
        ExtensionError: an expectation of another package raised an exception, or
            did not return an `Outcome` that a record can hold.
    """
    outcomes = []
    for expected in expect:
        with EXPECTATIONS.calling(expected.kind):
            outcome = EXPECTATIONS.get_or_unknown(expected.kind).judge(expected, found)
        if expected.kind not in EXPECTATIONS.bundled_names:
            _check_outcome(expected.kind, outcome)
        outcomes.append(outcome)
    return tuple(outcomes)


def _check_outcome(kind: str, outcome: object) -> None:
    """Raise `ExtensionError` if a kind of another package returned a wrong outcome."""
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
    """Return the outcome of an expectation.

    `value`: the figure that was found.
    `within`: the rank that was looked at, if it differs from that of the expectation.
    `wrong`: the documents that do not meet it.
    `values`: more about each of these documents; for `response` (path, value) of each
        condition that is not met.
    `is_score`: whether grades for the unjudged results could change the figure.
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
        quotes=expected.quotes,
    )


def first_ranks(ranking: Sequence[str]) -> dict[str, int]:
    """Return {document: its first rank, from 1}."""
    # from the last rank up, so that the first rank of a document replaces later ones
    return dict(zip(reversed(ranking), range(len(ranking), 0, -1), strict=True))


def expectation_of(outcome: Outcome) -> Expectation:
    """Return the expectation of an outcome, for example of one in a record."""
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
        quotes=tuple(outcome.quotes),
    )


def with_similarities(
    result: CaseResult, metrics: Iterable[Metric], other: Sequence[str] | None
) -> CaseResult:
    """Return the result with scores of its similarity to another ranking.

    They replace all recorded scores of this kind.

    `metrics`: metrics that compare two rankings.
    `other`: the other ranking; None if there is none, and so no score.
    """
    scores = _scores_without_similarities(result)
    scores |= similarity_scores(result, metrics, other)
    return replace(result, evaluation=replace(result.evaluation, scores=scores))


def without_similarities(result: CaseResult) -> CaseResult:
    """Return the result without scores of the similarity to another ranking."""
    scores = _scores_without_similarities(result)
    if len(scores) == len(result.evaluation.scores):
        return result
    return replace(result, evaluation=replace(result.evaluation, scores=scores))


def _scores_without_similarities(result: CaseResult) -> dict[str, float | None]:
    """Return {metric: score} without metrics that compare two rankings."""
    scores = {}
    for name, score in result.evaluation.scores.items():
        if not is_similarity(name):
            scores[name] = score
    return scores


def similarity_scores(
    result: CaseResult, metrics: Iterable[Metric], other: Sequence[str] | None
) -> dict[str, float | None]:
    """Return {metric: similarity of the ranking to another one}.

    {} if `other` is None. A metric of the whole ranking is left out if the ranking is
    cut.
    """
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
    """Return the outcomes of expectations on the similarity to the accepted ranking.

    `scores`: {metric: score} of the case.
    """
    outcomes = []
    for expected in expect:
        if EXPECTATIONS.get_or_unknown(expected.kind).reference == ITSELF:
            value = scores.get(expected.name)
            is_met = value is not None and meets(expected, value)
            outcomes.append(outcome_of(expected, is_met, value=value))
    return tuple(outcomes)


def says_how_many(outcomes: Iterable[Outcome]) -> bool:
    """Say whether one of the expectations says how many results there should be."""
    return any(map(_counts_results, outcomes))


def _counts_results(outcome: Outcome) -> bool:
    counts_results: bool = EXPECTATIONS.get_or_unknown(outcome.kind).counts_results
    return counts_results


def expects_results(outcomes: Iterable[Outcome]) -> bool:
    """Say whether the expectations with these outcomes allow any result.

    `results: 0` does not.
    """
    counting = filter(_counts_results, outcomes)
    return most_results([expectation_of(outcome) for outcome in counting]) > 0
