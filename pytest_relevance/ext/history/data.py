"""A history of runs as JSON data: docs/reference/json.md describes all keys."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from pytest_relevance.ext.history.history import History
from pytest_relevance.ext.history.points import CaseMove, Point
from pytest_relevance.ext.history.series import Series
from pytest_relevance.reports.run.mean_text import metric_of
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.differences import MeanChange

KIND = "pytest-relevance history"
"""The value of the key `kind`, by which a program knows the report."""

VERSION = 1
"""The version of the keys: it rises if an older program would misread the report."""


def history_data(history: History) -> dict[str, Any]:
    """Return a history as JSON data. Undefined figures are None."""
    return {
        "kind": KIND,
        "version": VERSION,
        "left_out": dict(history.left_out),
        "series": [_series_data(series) for series in history.series],
    }


def _series_data(series: Series) -> dict[str, Any]:
    """Return a series as JSON data, with the fields of `Series` as keys.

    Some keys are made for this report: `metric` is the one of the means, `since` is the
    start of a run, `filled` counts the fallback grades of the last run by rater.
    """
    return {
        "variant": series.variant,
        "scored": series.scored,
        "known_items": series.known_items,
        "others": series.others,
        "unmet": series.unmet,
        "metric": metric_of(series.last),
        "since": series.points[series.since].started,
        "change": _change_data(series.change),
        "counts": asdict(series.counts) if series.counts.compared else None,
        "judged": None if series.judged is None else asdict(series.judged),
        "filled": _filled_grades(series.last),
        "points": [_point_data(point) for point in series.points],
    }


def _change_data(change: MeanChange | None) -> dict[str, Any] | None:
    if change is None:
        return None
    return {
        **asdict(change.means),
        "low": change.low,
        "high": change.high,
        "p": change.p,
    }


def _filled_grades(results: Iterable[CaseResult]) -> Counter[str]:
    """Return {rater: number of fallback grades of this rater in the top k}."""
    filled: Counter[str] = Counter()
    for result in results:
        filled.update(result.evaluation.filled_top)
    return filled


def _point_data(point: Point) -> dict[str, Any]:
    """Return a run as JSON data. Its breaks are in descending order of their cases."""
    breaks = []
    for (what_changed, detail), count in point.breaks.most_common():
        breaks.append({"kind": what_changed, "detail": detail, "cases": count})
    return {
        "name": point.name,
        "started": point.started,
        "fingerprint": point.fingerprint,
        "statuses": point.statuses,
        "compared": point.compared,
        "counts": asdict(point.counts),
        "mean": _defined(point.mean),
        "low": _defined(point.low),
        "high": _defined(point.high),
        "p95": point.p95,
        "moves": [_move_data(move) for move in point.moves],
        "breaks": breaks,
    }


def _move_data(move: CaseMove) -> dict[str, Any]:
    values = asdict(move)
    del values["key"]  # of this program; `id` and `query` name the case
    return values


def _defined(figure: float) -> float | None:
    """Return None for NaN, which JSON does not have, and any other figure as it is."""
    return None if math.isnan(figure) else figure
