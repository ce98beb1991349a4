"""Checks of a ranking against the expectations of a case: one checker for each kind in `cases.expectations`.

A checker returns what was found and whether that meets the expectation; `reports.reasons` has the words for it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, pairwise, zip_longest
from math import inf, isnan
from typing import Any

from pytest_relevance._text import found as described
from pytest_relevance._text import quoted
from pytest_relevance.cases.bounds import COMPARE, meets
from pytest_relevance.cases.expectations.table import ON_FIELDS
from pytest_relevance.cases.model import (
    SIMILARITY,
    Case,
    Expectation,
    FieldCondition,
    most_results,
)
from pytest_relevance.metrics.measures import MEASURES, score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import is_similarity, metric_named
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.responses.ranking import Ranking


@dataclass(frozen=True, slots=True)
class Found:
    """What a search returned, as the checkers take it.

    `k` is the cutoff of the case, `ranking` the documents, `ranks` the first rank (from 1) of each, `latency` in
    seconds. `is_cut`: the ranking may go on below what was returned. `fields` are the values of the fields that
    expectations look at, none of them absent. `finds_nothing`: the case expects no results. `others` are the
    rankings of other queries. `left_out` is how many results of documents in the ranking were left out.
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


def first_ranks(ranking: Sequence[str]) -> dict[str, int]:
    """The first rank (from 1) of each document."""
    return dict(zip(reversed(ranking), range(len(ranking), 0, -1), strict=True))


def expectation_of(outcome: Outcome) -> Expectation:
    """The expectation that an outcome belongs to."""
    metric = metric_named(outcome.name) if outcome.kind == "metric" else None
    return Expectation(
        *(outcome.kind, outcome.name, metric, outcome.comparison, outcome.bound),
        documents=tuple(outcome.documents),
        within=outcome.within,
        sets=tuple(outcome.sets),
        conditions=tuple(map(FieldCondition.of_record, outcome.conditions)),
        query=outcome.query,
    )


def with_similarities(
    result: CaseResult, metrics: Iterable[Metric], other: Sequence[str] | None
) -> CaseResult:
    """The result with its `similarity_scores` in the place of those that it has."""
    scores = {
        name: score
        for name, score in result.evaluation.scores.items()
        if not is_similarity(name)
    }
    scores |= similarity_scores(result, metrics, other)
    return replace(result, evaluation=replace(result.evaluation, scores=scores))


def similarity_scores(
    result: CaseResult, metrics: Iterable[Metric], other: Sequence[str] | None
) -> dict[str, float | None]:
    """The scores by metrics that compare the ranking of a result with another one; none without another one.

    A metric of the whole ranking has none where the ranking is cut.
    """
    from pytest_relevance.metrics.similarity import similarity

    if other is None:
        return {}
    ranking = result.ranking.documents
    finds_nothing = not ranking and not expects_results(result.evaluation.outcomes)
    return {
        metric.text: similarity(metric, ranking, other, finds_nothing=finds_nothing)
        for metric in metrics
        if metric.k is not None or not result.is_cut
    }


def similarity_outcomes(
    expect: Iterable[Expectation], scores: Mapping[str, float | None]
) -> tuple[Outcome, ...]:
    """The outcomes of the expectations that compare the ranking with the accepted one, by the scores of the case."""
    pairs = [
        (expected, scores.get(expected.name))
        for expected in expect
        if expected.kind == SIMILARITY
    ]
    return tuple(
        [
            _outcome(expected, value is not None and meets(expected, value), value)
            for expected, value in pairs
        ]
    )


def expects_results(outcomes: Iterable[Outcome]) -> bool:
    """Whether the expectations with these outcomes allow any results; `results: 0` does not."""
    return bool(
        most_results(
            expectation_of(each) for each in outcomes if each.kind == "results"
        )
    )


def _metric(expected: Expectation, found: Found) -> Outcome:
    assert expected.metric is not None
    value = score(expected.metric, found.graded, found.settings)
    # the known ranks decide the bound of RR; the value of RR below them is not known
    is_known = not isnan(value) and not (
        found.is_cut and expected.metric.k is None and not value
    )
    measure = MEASURES.get(expected.metric.measure)
    is_score = measure is None or not measure.is_certain
    return _outcome(
        expected, meets(expected, value), value if is_known else None, is_score=is_score
    )


def _first(expected: Expectation, found: Found) -> Outcome:
    pairs = zip_longest(expected.documents, found.ranking[: len(expected.documents)])
    return _of_documents(
        expected, [document for document, there in pairs if document != there]
    )


def _present(expected: Expectation, found: Found) -> Outcome:
    """Check that documents are, or are not, in the top of a ranking."""
    within, is_wanted = expected.within or found.k, expected.kind == "include"
    wrong = [
        each
        for each in expected.documents
        if (found.ranks.get(each, within + 1) <= within) != is_wanted
    ]
    return _of_documents(expected, wrong)


def _order(expected: Expectation, found: Found) -> Outcome:
    """Check that each document, or every document of a set, comes before all documents of the next.

    What is absent, or below `within`, comes last, none of it before another. Of the pairs that are wrong, those with
    the best-ranked later document are first.
    """
    last = len(found.ranking) + 1 if expected.within is None else expected.within + 1
    ranks = {
        document: min(found.ranks.get(document, last), last)
        for document in expected.documents
    }
    pairs = (
        (late, document)
        for earlier, later in pairwise(expected.document_sets)
        for document in sorted(later, key=ranks.__getitem__)
        for late in earlier
        if ranks[late] >= ranks[document]
    )
    return _of_documents(expected, [*chain.from_iterable(pairs)])


def _within(expected: Expectation, found: Found) -> Outcome:
    """Check the rank of a document. An absent one is below every rank."""
    within, reaches = expected.within or found.k, COMPARE[expected.comparison]
    return _of_documents(
        expected,
        [
            each
            for each in expected.documents
            if not reaches(found.ranks.get(each, inf), within)
        ],
    )


def _results(expected: Expectation, found: Found) -> Outcome:
    returned = (
        len(found.ranks) + found.left_out
    )  # a document that is returned twice counts once, its chunks do not
    return _outcome(
        expected, COMPARE[expected.comparison](returned, int(expected.bound)), returned
    )


def _latency(expected: Expectation, found: Found) -> Outcome:
    latency = found.latency
    is_met = latency is not None and COMPARE[expected.comparison](
        latency, expected.bound
    )
    return _outcome(expected, is_met, latency)


def _fields(expected: Expectation, found: Found) -> Outcome:
    """Check the fields of the first results. Where nothing was returned, that is met if nothing was expected."""
    within, conditions = expected.within or found.k, expected.conditions
    ranking = found.ranking[:within]
    values = {
        condition.path: found.fields.get(condition.path, ()) for condition in conditions
    }
    wrong: dict[
        int, list[str]
    ] = {}  # the paths of the fields that make a result wrong, by its index
    if expected.kind == "at_most":
        wrong = _too_often(conditions, values, len(ranking))
    else:
        is_wanted = expected.kind != "none"
        for index in range(len(ranking)):
            held = [
                meets_condition(condition, values[condition.path][index])
                for condition in conditions
            ]
            if all(held) != is_wanted:
                pairs = zip(conditions, held, strict=True)
                wrong[index] = [
                    condition.path for condition, holds in pairs if holds != is_wanted
                ]
        if expected.kind == "some" and len(wrong) < len(ranking):
            wrong = {}
    return Outcome(
        *(
            expected.name,
            expected.kind,
            not wrong and (bool(ranking) or found.finds_nothing),
        ),
        within=within,
        wrong=tuple(ranking[index] for index in wrong),
        conditions=tuple(
            each.for_record for each in conditions
        ),  # pytest-xdist sends no named tuples
        values=tuple(
            (index + 1, {path: _brief(values[path][index]) for path in paths})
            for index, paths in wrong.items()
        ),
    )


def _same_as(expected: Expectation, found: Found) -> Outcome:
    """Compare with the ranking of another query. Two empty rankings are the same only if nothing was expected."""
    from pytest_relevance.metrics.similarity import overlap

    within = expected.within or found.k
    here, there = found.ranking[:within], found.others[expected.query][:within]
    value = overlap(here, there) if here or there else float(found.finds_nothing)
    is_met = meets(expected, value)
    ranks = [first_ranks(here), first_ranks(there)]
    only = (
        each
        for each in dict.fromkeys([*here, *there])
        if (each in ranks[0]) != (each in ranks[1])
    )
    wrong = () if is_met else tuple(only)
    return Outcome(
        *(
            expected.name,
            expected.kind,
            is_met,
            value,
            expected.comparison,
            expected.bound,
        ),
        within=within,
        wrong=wrong,
        values=tuple((ranks[0].get(each), ranks[1].get(each)) for each in wrong),
        query=expected.query,
    )


def _too_often(
    conditions: Sequence[FieldCondition],
    values: Mapping[str, Sequence[Any]],
    count: int,
) -> dict[int, list[str]]:
    """The results that share a value with too many others: the paths of the fields, by the index of the result."""
    wrong: dict[int, list[str]] = {}
    for condition in conditions:
        # 1 equals True in Python
        keys = [
            {(type(each) is bool, each) for each in scalars_in(value)}
            for value in values[condition.path][:count]
        ]
        counts = Counter(chain.from_iterable(keys))
        for index, own in enumerate(keys):
            if any(counts[key] > condition.values[0] for key in own):  # type: ignore[operator]
                wrong.setdefault(index, []).append(condition.path)
    return dict(sorted(wrong.items()))


def scalars_in(value: Any) -> Sequence[Any]:
    """The values of a field, which may have several; none for a null."""
    if type(value) is list:
        return [each for each in value if each is not None]
    return () if value is None else (value,)


def has_value(value: Any) -> bool:
    """Whether a field has a value: no null (or NaN, which is read as one), no empty text, no empty list."""
    scalars = scalars_in(value)
    return any(not isinstance(each, str) or each.strip() for each in scalars)


def count_field_values(fields: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """Count for each field the results in which it has a value. Without results there is nothing to count."""
    counts = {}
    for path, values in fields.items():
        if values:
            counts[path] = sum(1 for value in values if has_value(value))
    return counts


def meets_condition(condition: FieldCondition, value: Any) -> bool:
    """Whether any value of a field meets a condition. A null meets none."""
    comparison, wanted = condition.comparison, condition.values
    for each in scalars_in(value):
        if comparison == "==":
            # 1 equals True in Python, and not here
            is_met = any(
                each == one and isinstance(each, bool) == isinstance(one, bool)
                for one in wanted
            )
        elif comparison == "contains":
            is_met = wanted[0].casefold() in each.casefold()  # type: ignore[union-attr]
        else:
            is_met = COMPARE[comparison](each, wanted[0])  # type: ignore[arg-type]
        if is_met:
            return True
    return False


def why_unknown_fields(case: Case, ranking: Ranking) -> str:
    """Why expectations on fields are not decided: a line for each field that a result lacks; usually empty.

    A field that cannot be compared as the case asks has a line too. The first result of each field is named.
    """
    from pytest_relevance.results.responses.fields import Absent

    lines: dict[str, str] = {}
    for expected in case.expect:
        for condition in expected.conditions:
            path, none = condition.path, (Absent(),) * len(ranking.ids)
            values = (ranking.fields or {}).get(path, none)[: expected.within or case.k]
            for index, value in enumerate(values):
                if why := _why_unknown(condition, value):
                    where = f"document {quoted(ranking.ids[index])} at rank {index + 1}"
                    lines.setdefault(path, f"{expected.written}: {where} {why}")
                    break
    return "\n".join(lines.values())


def _why_unknown(condition: FieldCondition, value: object) -> str:
    """Why a condition on a value is neither met nor unmet; empty where it is."""
    from pytest_relevance.results.responses.fields import Absent

    path = quoted(condition.path)
    if isinstance(value, Absent):
        return f"has no field {path}: {'; '.join(value.there) or 'the search returned ids alone'}"
    if condition.comparison == "at_most":
        return ""
    if condition.comparison == "==":
        # `none: {used: true}` would hold forever where a CSV has the text "true"
        pairs = ((each, one) for each in scalars_in(value) for one in condition.values)
        alike = next((pair for pair in pairs if _differ_in_type_alone(*pair)), None)
        if alike is None or meets_condition(condition, value):
            return ""
        return f"has {described(alike[0])} as {path}, which never equals {described(alike[1])}; write it as it is"
    is_text = condition.comparison == "contains"
    for each in scalars_in(value):
        if isinstance(each, str) != is_text or isinstance(each, bool):
            wanted = (
                "contains looks at texts"
                if is_text
                else f"{condition.comparison} compares numbers"
            )
            return f"has {described(each)} as {path}, and {wanted}"
    return ""


def _differ_in_type_alone(value: object, wanted: object) -> bool:
    """Whether one of two values is the text of the other, a number or a boolean, or 0 or 1 and the other a boolean."""
    if (
        isinstance(value, bool) != isinstance(wanted, bool) and value == wanted
    ):  # SQLite has no booleans
        return True
    return (
        isinstance(value, str) != isinstance(wanted, str)
        and str(value).casefold() == str(wanted).casefold()
    )


_LONGEST_VALUE = 300  # characters of a text in an outcome: records would consist of descriptions otherwise


def _brief(value: Any) -> Any:
    """A value of a field as an outcome has it, which JSON can hold."""
    if isinstance(value, list):
        return [*map(_brief, value)]
    if isinstance(value, str):
        return (
            value
            if len(value) <= _LONGEST_VALUE
            else f"{value[: _LONGEST_VALUE - 3]}..."
        )
    return str(value) if value in (inf, -inf) else value


def _of_documents(expected: Expectation, wrong: Sequence[str]) -> Outcome:
    return _outcome(expected, not wrong, wrong=wrong)


def _outcome(
    expected: Expectation,
    met: bool,
    value: float | None = None,
    *,
    is_score: bool = False,
    wrong: Sequence[str] = (),
) -> Outcome:
    written = (
        expected.comparison,
        expected.bound,
        is_score,
        expected.documents,
        expected.within,
        expected.sets,
    )
    return Outcome(expected.name, expected.kind, met, value, *written, tuple(wrong))


CHECKERS: Mapping[str, Callable[[Expectation, Found], Outcome]] = {
    "metric": _metric,
    "first": _first,
    "include": _present,
    "exclude": _present,
    "order": _order,
    "within": _within,
    "results": _results,
    "latency": _latency,
    **dict.fromkeys(ON_FIELDS, _fields),
    "same_as": _same_as,
}
