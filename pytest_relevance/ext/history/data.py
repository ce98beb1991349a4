"""A history of runs as JSON data: docs/reference/records.md describes all keys."""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict
from typing import Any

from pytest_relevance.ext.history.history import History
from pytest_relevance.ext.history.points import Point
from pytest_relevance.ext.history.series import Series
from pytest_relevance.reports.run.mean_text import metric_of

KIND, VERSION = "pytest-relevance history", 1
"""What the report as JSON says that it is."""


def history_data(history: History) -> dict[str, Any]:
    """Return a history as JSON data. Undefined figures are None."""
    return {
        "kind": KIND,
        "version": VERSION,
        "left_out": dict(history.left_out),
        "series": [_series_data(series) for series in history.series],
    }


def _series_data(series: Series) -> dict[str, Any]:
    change = None
    if series.change is not None:
        change = {
            **asdict(series.change.means),
            "low": series.change.low,
            "high": series.change.high,
            "p": series.change.p,
        }
    filled: Counter[str] = Counter()
    for result in series.last:
        filled.update(result.evaluation.filled_top)
    return {
        "variant": series.variant,
        "scored": series.scored,
        "others": series.others,
        "unmet": series.unmet,
        "metric": metric_of(series.last),
        "since": series.points[series.since].started,
        "change": change,
        "counts": asdict(series.counts) if series.counts.compared else None,
        "judged": None if series.judged is None else asdict(series.judged),
        "filled": filled,
        "points": [_point_data(point) for point in series.points],
    }


def _point_data(point: Point) -> dict[str, Any]:
    breaks = []
    for (kind, why), count in point.breaks.most_common():
        breaks.append({"kind": kind, "detail": why, "cases": count})
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
        "moves": [asdict(move) for move in point.moves],
        "breaks": breaks,
    }


def _defined(figure: float) -> float | None:
    return None if math.isnan(figure) else figure
