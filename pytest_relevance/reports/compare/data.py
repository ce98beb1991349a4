"""A comparison of two runs as data for other programs: the types of JSON, and stable keys.

A new key may be added; one that is there keeps its name and its meaning, or `version` goes up. docs/comparing.md has
them all.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_result import Key, settings_to_dict
from pytest_relevance.results.compare.comparison import MOST_MOVERS, Compared, ComparisonGates, Mover

KIND = "pytest-relevance comparison"
VERSION = 1

_SETTINGS = ("gain", "discount", "ideal", "unjudged", "negative", "max_grade")


def as_data(comparison: Compared, *, limit: int | None = None, gates: ComparisonGates | None = None) -> dict[str, Any]:
    """The comparison as a dict. What is not defined is None."""
    movers = comparison.largest(MOST_MOVERS if limit is None else limit)
    data = {
        "kind": KIND,
        "version": VERSION,
        "first": comparison.first,
        "second": comparison.second,
        "compared": len(comparison),
        "changed_rankings": comparison.changed_rankings,
        "settings": [_settings(settings) for settings in comparison.settings],
        "depths": [*comparison.depths],
        "metrics": [_flat(row) for row in comparison.metrics],
        "by_tag": [_flat(row) for row in comparison.by_tag],
        "movers": {"drops": [*map(_mover, movers.drops)], "gains": [*map(_mover, movers.gains)]},
        "left_out": [
            {"kind": found.kind, "reason": found.reason, "cases": [*map(_key, found.cases)]}
            for found in comparison.left_out
        ],
        "errors": [
            {**_key(error.key), "in_first": error.in_first, "in_second": error.in_second} for error in comparison.errors
        ],
        "notes": [*comparison.notes],
    }
    if gates is not None:
        data["gates"] = {
            "passed": gates.passed,
            "findings": [{"text": finding.text, "is_met": finding.is_met} for finding in gates.findings],
            "drops": [*map(_mover, gates.drops)],
        }
    return data


def _settings(settings: Settings) -> dict[str, Any]:
    """All settings, the defaults too."""
    return {name: getattr(settings, name) for name in _SETTINGS} | settings_to_dict(settings)


def _flat(row: Any) -> dict[str, Any]:
    """A row of figures as one flat dict, its means included."""
    values = asdict(row)
    values |= values.pop("means")
    return {
        name: None if isinstance(value, float) and not math.isfinite(value) else value for name, value in values.items()
    }


def _key(key: Key) -> dict[str, str | None]:
    return dict(zip(("file", "id", "variant"), key, strict=True))


def _mover(mover: Mover) -> dict[str, Any]:
    changes = mover.changes
    moves = {
        "left": changes.left,
        "entered": changes.entered,
        "moved": changes.moved,
        "lost": mover.lost,
        "found": mover.found,
        "shifted": mover.shifted,
    }
    return {
        **_key(mover.key),
        **{name: getattr(mover, name) for name in ("line", "query", "metric", "first", "second", "difference")},
        **{name: getattr(changes, name) for name in ("k", "jaccard", "rbo")},
        **{name: [asdict(move) for move in found] for name, found in moves.items()},
    }
