"""The scores of many results by some metrics, a column each: as they were recorded, or computed from their grades.

A result keeps the grades of its ranking and how many judgments have which grade. That is all that a score needs; which
documents these are does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from pytest_relevance._text import quoted
from pytest_relevance.metrics.batch import score_batch
from pytest_relevance.metrics.compiled import CompiledJudgments, CompiledRankings, Floats
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.run import RecordError, Result, details_of, require_ranks
from pytest_relevance.results.scoring import ndcg_at

_ABSENT = object()


def score_columns(results: Sequence[Result], metrics: Sequence[Metric] | None) -> dict[str, Floats]:
    """A column a metric, NaN where it is not defined; without `metrics` one for each nDCG@k of the cases.

    Such a column has the cases with that k alone. ValueError where a metric takes more ranks than were kept.
    """
    if metrics is not None:
        return _columns(results, metrics)
    cutoffs = np.fromiter((result.conditions.k for result in results), np.intp, len(results))
    columns = {}
    for k in sorted(set(cutoffs.tolist())):
        chosen = np.flatnonzero(cutoffs == k)
        column = np.full(len(results), math.nan)
        ((name, scores),) = _columns([results[index] for index in chosen.tolist()], [ndcg_at(k)]).items()
        column[chosen] = scores
        columns[name] = column
    return columns


def _columns(results: Sequence[Result], metrics: Sequence[Metric]) -> dict[str, Floats]:
    columns: dict[str, Floats] = {}
    computed: list[Metric] = []
    for metric in metrics:
        name = metric.text
        recorded = [result.values.get("scores", {}).get(name, _ABSENT) for result in results]
        if _ABSENT in recorded:
            computed.append(metric)
        else:
            columns[name] = np.array(recorded, np.float64)  # None becomes NaN
    if computed:
        columns |= _computed(results, computed)
    return {metric.text: columns[metric.text] for metric in metrics}


def _computed(results: Sequence[Result], metrics: Sequence[Metric]) -> dict[str, Floats]:
    columns = {metric.text: np.full(len(results), math.nan) for metric in metrics}
    groups: dict[Settings, list[int]] = {}
    settings_of: dict[int, list[int]] = {}
    for index, result in enumerate(results):
        place = settings_of.get(id(result.conditions))
        if place is None:
            place = settings_of[id(result.conditions)] = groups.setdefault(result.settings, [])
        place.append(index)
    for settings, indexes in groups.items():
        graded, judgments, rankings = _laid_out(results, indexes, metrics, settings)
        for metric, scores in zip(metrics, score_batch(metrics, judgments, rankings, settings), strict=True):
            columns[metric.text][graded] = scores
    return columns


def _laid_out(
    results: Sequence[Result], indexes: Sequence[int], metrics: Sequence[Metric], settings: Settings
) -> tuple[list[int], CompiledJudgments, CompiledRankings]:
    """Which results have judgments, and these with their rankings as `score_batch` takes them.

    Numbers stand in the place of documents: those of the ranks, and above them those that were not returned.
    """
    needed = [(metric, ranks_needed(metric, settings)) for metric in metrics]
    graded, tables, rankings = [], {}, {}
    for index, details in zip(indexes, details_of([results[index] for index in indexes]), strict=True):
        judged = details.get("judgments")
        if not judged:
            continue
        case = results[index].id
        require_ranks(results[index], details, needed)
        key = case if case not in tables else f"{case} ({index})"
        grades = details["grades"]
        ranking = rankings[key] = _numbered(details["ranking"])
        table = {number: grade for number, grade in zip(ranking, grades, strict=True) if grade is not None}
        others = _not_returned(judged, grades)
        if len(table) + len(others) != sum(judged.values()):
            raise RecordError(f"the record of {quoted(case)} has grades that its judgments lack; make it again")
        table.update(zip(_numbers(len(grades), len(others)), others, strict=True))
        tables[key] = table
        graded.append(index)
    return graded, CompiledJudgments.from_mapping(tables), CompiledRankings.from_mapping(rankings)


def _not_returned(judged: Mapping[str, int], grades: Sequence[float | None]) -> list[float]:
    """The grades of the judged documents that are not in a ranking."""
    found: list[float] = []
    for text, count in judged.items():
        grade = float(text)
        found += [grade] * (count - grades.count(grade))
    return found


_NUMBERS = [str(number) for number in range(1000)]


def _numbers(first: int, count: int) -> list[str]:
    """So many numbers as text, which cost less when they are shared."""
    if first + count > len(_NUMBERS):
        _NUMBERS.extend(str(number) for number in range(len(_NUMBERS), 2 * (first + count)))
    return _NUMBERS[first : first + count]


def _numbered(documents: Sequence[str]) -> list[str]:
    """The index of each document, a later copy with that of its first."""
    numbers = _numbers(0, len(documents))
    if len(set(documents)) == len(documents):
        return numbers
    first: dict[str, str] = {}
    return [first.setdefault(document, number) for document, number in zip(documents, numbers, strict=True)]
