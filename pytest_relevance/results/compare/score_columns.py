"""The scores of pairs of results by some metrics: as recorded, or computed from the grades of the rankings."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pytest_relevance._text import quoted
from pytest_relevance.metrics.graded import GradedRanking
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import ranks_needed, score
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.differences import ScoreColumn
from pytest_relevance.results.compare.pairing import Metrics, Pair
from pytest_relevance.results.run_info import RecordError


def score_columns(pairs: Sequence[Pair], metrics: Metrics) -> tuple[ScoreColumn, ...]:
    """A column for each metric; without `metrics` for the nDCG@k of each k, which applies to the cases of that k alone.

    Raises ValueError for a metric that looks at more of a ranking than is known of it, and for a grade that has no
    gain; `RecordError` for grades that are not among the judgments.
    """
    first, second = (_scores([pair[side] for pair in pairs], metrics) for side in (0, 1))
    columns = []
    for metric in metrics or sorted({two.metric for _, two in pairs}, key=lambda metric: metric.k or 0):
        one, two = (np.array([scores.get(metric.text, math.nan) for scores in run]) for run in (first, second))
        applies = np.array([metric.text in scores for scores in second])
        columns.append(ScoreColumn(metric.text, one, two, applies))
    return tuple(columns)


def _scores(results: Sequence[CaseResult], metrics: Metrics) -> list[dict[str, float]]:
    """The scores of each result by the name of the metric, or its own nDCG@k; NaN where one is not defined."""
    scales: dict[Settings, Settings] = {}
    found = []
    for result in results:
        graded, scores = None, {}
        for metric in metrics or (result.metric,):
            recorded = result.scores.get(metric.text)
            scores[metric.text] = math.nan if recorded is None else recorded
            if metric.text in result.scores or not result.judgments:
                continue
            require_ranks(result, metric)
            graded = graded or _checked_grades(result)
            settings = result.settings
            if settings.max_grade is None and (metric.measure == "ERR" or settings.ideal == "max"):
                if settings not in scales:
                    scales[settings] = replace(settings, max_grade=_highest_grade(results, settings))
                settings = scales[settings]
            try:
                scores[metric.text] = score(metric, graded, settings)
            except (ValueError, OverflowError) as error:  # a grade without a gain
                raise ValueError(f"the case {quoted(result.id)} has no {metric.text}: {error}") from None
        found.append(scores)
    return found


def _highest_grade(results: Sequence[CaseResult], settings: Settings) -> float | None:
    """The maximum grade of results whose settings have none: the highest grade of their judgments."""
    return max(max(result.judgments, default=0) for result in results if result.settings == settings) or None


def _checked_grades(result: CaseResult) -> GradedRanking:
    graded = result.graded
    for grade in {*graded.grades} - {None}:
        if graded.grades.count(grade) > graded.judged.count(grade):
            raise RecordError(f"the record of {quoted(result.id)} has grades that its judgments lack; make it again")
    return graded


def require_ranks(result: CaseResult, metric: Metric) -> None:
    """Raise a ValueError where a metric looks at more of a ranking than is known of it.

    Either a part of the ranking was kept, or it is as long as the search was asked for, and may go on.
    """
    needed = ranks_needed(metric, result.settings)
    kept = len(result.documents)
    if needed is not None and needed <= kept:
        return
    record_it = "name the metric in an expectation of the case, so that it is recorded"
    asked = f"the search of {quoted(result.id)} was asked for {result.depth}"
    if len(set(result.documents)) < result.returned:
        why = f"of the ranking of {quoted(result.id)} the first {kept} were kept: {record_it}"
    elif needed is not None and (result.reaches_depth or (result.returned and result.returned == result.depth)):
        why = f"{asked}: {record_it}"
    elif needed is None and result.is_cut:
        why = f"{asked}: set a depth in the case file (depth: 1000) and record the run again, or name a cutoff"
    else:
        return
    raise ValueError(f"{metric.text} takes {'all of it' if needed is None else f'{needed} ranks'}, and {why}")
