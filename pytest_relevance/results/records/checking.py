"""Check that the values of a result make sense, beyond their types.

A record or a baseline may be damaged in any place: by a merge, by hand, or by another
program. `codec` checks the type of each value. The functions here check its meaning,
because a report would be wrong without an error. They raise ValueError.

The readers of files call them for each line.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from types import NoneType

from pytest_relevance._text import quoted, shown
from pytest_relevance.cases.expectation import EXCLUDE_PASSAGES
from pytest_relevance.metrics.names import LARGEST_CUTOFF, metric_named
from pytest_relevance.results.case_parts import (
    DROP,
    FLOOR,
    STANDINGS,
    BaselineComparison,
    CaseEvaluation,
    Outcome,
)
from pytest_relevance.results.case_result import OUTCOMES, VERDICTS, CaseResult
from pytest_relevance.results.records.demands import check_changes
from pytest_relevance.results.records.run_info import FileInfo

MOST_JUDGMENTS = 10_000_000
"""How many judgments a case may have: a damaged count must not fill the memory."""

_WITH_METRIC = ("metric", "similarity", FLOOR, DROP)
"""The kinds of outcomes whose name is that of a metric."""

_COMPARISONS = frozenset({">=", ">", "<=", "<", "=="})
_OF_RANKS = frozenset({"<=", ">", "=="})
"""The comparisons of a rank with the one that is expected."""

_SCALARS = frozenset({str, int, float, bool, NoneType})


def check_result(result: CaseResult) -> None:
    """Raise ValueError if values of a result are wrong, or do not fit each other."""
    if result.verdict not in VERDICTS or result.outcome not in OUTCOMES:
        raise ValueError(
            f"its verdict is {result.verdict!r}, its outcome {result.outcome!r}"
        )
    k = result.conditions.k
    if not (0 < k <= LARGEST_CUTOFF and 0 < result.weight < math.inf):
        raise ValueError(f"its k is {k}, its weight {result.weight}")
    if (result.call.latency or 0.0) < 0:
        raise ValueError(f"its latency is {result.call.latency}")
    _check_lengths(result)
    for path, value in result.ranking.response.items():
        if not _is_field_value(value):
            raise ValueError(f"its response has {shown((path, value))}")
    _check_scores(result.evaluation)
    _check_grades(result)
    if result.baseline is not None:
        _check_accepted(result.baseline)
    for outcome in (*result.evaluation.outcomes, *result.evaluation.reasons):
        check_outcome(outcome)


def _check_lengths(result: CaseResult) -> None:
    """Raise ValueError if lists about the ranking do not have its length."""
    ranking = result.ranking
    count = len(ranking.documents)
    if len(ranking.grades) != count or len(ranking.engine_scores) not in (0, count):
        raise ValueError("documents, grades and engine_scores are not equally many")
    allowed = (count,) if result.evaluation.passages else (0, count)
    if len(ranking.held) not in allowed or len(ranking.lengths) not in allowed:
        raise ValueError("documents, held and lengths are not equally many")
    of_texts = [ranking.texts, *ranking.fields_of_texts.values()]
    if not {0, len(ranking.uncollapsed)} >= {*map(len, of_texts)}:
        raise ValueError("results and their texts are not equally many")
    for held in ranking.held:
        if any(index < 0 for index in held):
            raise ValueError(f"a result holds the passages {held}")


def _check_scores(evaluation: CaseEvaluation) -> None:
    """Raise ValueError if a score is not finite, or the interval has one end."""
    lower, upper = evaluation.lower, evaluation.upper
    for score in (*evaluation.scores.values(), lower, upper):
        if score is not None and not math.isfinite(score):
            raise ValueError(f"it has the scores {evaluation.scores}")
    if (lower is None) is not (upper is None):
        raise ValueError(f"its lower is {lower}, its upper {upper}")


def _check_grades(result: CaseResult) -> None:
    """Raise ValueError if a result has a grade without a judgment or a gain."""
    judgments, settings = result.evaluation.judgments, result.conditions.settings
    if any(count < 1 for count in judgments.values()):
        raise ValueError(f"it has the judgments {judgments}")
    if sum(judgments.values()) > MOST_JUDGMENTS:
        raise ValueError(f"it has more than {MOST_JUDGMENTS:,} judgments")
    grades = [*result.ranking.grades]
    if result.baseline is not None:
        grades += result.baseline.grades
    for _, grade in result.evaluation.missing:
        grades.append(grade)
    known = {*judgments, None}
    if result.evaluation.passages:
        known.add(0)  # the grade of a result that holds no passage
    if not known >= {*grades}:
        raise ValueError("documents have grades that no judgment has")
    for grade in judgments:
        settings.gain_of(grade)
    if isinstance(settings.gain, str):  # a mapping may lack the ends of a scale
        settings.gain_of(result.conditions.highest)


def _check_accepted(accepted: BaselineComparison) -> None:
    """Raise ValueError if a comparison with a reference makes no sense."""
    if accepted.standing not in STANDINGS:
        raise ValueError(f"its standing is {accepted.standing!r}")
    if accepted.verdict not in ("", *VERDICTS):
        raise ValueError(f"its compared verdict is {accepted.verdict!r}")
    if len(accepted.grades) not in (0, len(accepted.documents)):
        raise ValueError("its accepted documents and grades are not equally many")
    for name, values in accepted.searched.items():
        if len(values) != len(("before", "now")):
            raise ValueError(f"its fingerprint has {shown(values)} for {shown(name)}")


def check_file(info: FileInfo) -> None:
    """Raise ValueError if the demands of a case file in a record make no sense."""
    info.demands_of(())
    check_changes(info.test_changes)


def check_outcome(outcome: Outcome) -> None:
    """Raise ValueError if the name and the values of an outcome do not fit its kind."""
    if outcome.comparison not in _COMPARISONS:
        raise ValueError(
            f"its {outcome.kind} has the comparison {shown(outcome.comparison)}"
        )
    if outcome.kind in _WITH_METRIC:
        _check_metric(outcome.name)
    elif outcome.kind == "order" and len(outcome.wrong) % 2:
        raise ValueError(f"its order has half a pair in wrong, {shown(outcome.wrong)}")
    elif outcome.kind == "within" and outcome.comparison not in _OF_RANKS:
        raise ValueError(f"its within has the comparison {shown(outcome.comparison)}")
    elif outcome.kind == EXCLUDE_PASSAGES:
        _check_quotes(outcome)
    elif outcome.kind == "response":
        _check_response(outcome)
    elif outcome.query:
        for ranks in outcome.values:
            if not {int, NoneType}.issuperset(map(type, ranks)):
                raise ValueError(f"its {outcome.kind} has the ranks {shown(ranks)}")
    else:
        _check_fields(outcome)


def _check_quotes(outcome: Outcome) -> None:
    """Raise ValueError if a value of `exclude_passages` is not (rank, index)."""
    indexes = range(len(outcome.quotes))
    if len(outcome.values) != len(outcome.wrong):
        raise ValueError(f"its {outcome.kind} lacks a document or a rank")
    for rank, index in outcome.values:
        if type(rank) is not int or type(index) is not int or index not in indexes:
            raise ValueError(f"its {outcome.kind} has {shown((rank, index))}")


@lru_cache(maxsize=1024)
def _check_metric(name: str) -> None:
    """Raise ValueError if a name is not that of a metric."""
    metric_named(name)


def _check_response(outcome: Outcome) -> None:
    """Raise ValueError if a value of `response` is not (path of a condition, value)."""
    known = _paths_of_conditions(outcome)
    for path, value in outcome.values:
        is_known = isinstance(path, str) and path in known
        if not (is_known and _is_field_value(value)):
            raise ValueError(f"its {outcome.kind} has {shown((path, value))}")


def _paths_of_conditions(outcome: Outcome) -> set[str]:
    """Return the paths of the conditions. Raises ValueError if one wants nothing."""
    for path, _, wanted in outcome.conditions:
        if not wanted:
            raise ValueError(f"its condition on {quoted(path)} wants nothing")
    return {path for path, _, _ in outcome.conditions}


def _check_fields(outcome: Outcome) -> None:
    """Raise ValueError if a field in an outcome lacks its condition or wanted value."""
    known = _paths_of_conditions(outcome)
    for rank, fields in outcome.values:
        is_typed = type(rank) is int and isinstance(fields, Mapping)
        if not (is_typed and all(map(_is_field_value, fields.values()))):
            raise ValueError(f"its {outcome.kind} has {shown((rank, fields))}")
        if not known.issuperset(fields):
            raise ValueError(f"its {outcome.kind} has fields without a condition")


def _is_field_value(value: object) -> bool:
    """Say whether a field of a document may have a value.

    A text, a number, true, false, null, and a list of these are allowed.
    """
    if isinstance(value, Sequence) and not isinstance(value, str):
        return _SCALARS.issuperset(map(type, value))
    return type(value) in _SCALARS
