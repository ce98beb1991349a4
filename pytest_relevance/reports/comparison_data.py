"""A comparison of two runs as data for other programs: JSON's types, and keys that stay.

A new key may come; one that is there keeps its name and its meaning, or `version` goes up.
"""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from pytest_relevance.results.compare.comparison import MOST_MOVERS, Compared
from pytest_relevance.results.compare.movers import Mover
from pytest_relevance.results.compare.thresholds import Ruling
from pytest_relevance.results.lines import settings_values
from pytest_relevance.results.run import Key

KIND = "pytest-relevance comparison"
VERSION = 1


def as_data(comparison: Compared, *, limit: int | None = None, ruling: Ruling | None = None) -> dict[str, Any]:
    """The comparison as a dict. What is not defined is None."""
    movers = comparison.largest(MOST_MOVERS if limit is None else limit)
    data = {
        "kind": KIND,
        "version": VERSION,
        "first": comparison.first,
        "second": comparison.second,
        "compared": len(comparison),
        "changed_rankings": sum(what in ("ranking", "both") for what in comparison.changed),
        "settings": [settings_values(settings) for settings in comparison.settings],
        "depths": list(comparison.depths),
        "metrics": [_flat(row) for row in comparison.metrics],
        "by_tag": [_flat(row) for row in comparison.by_tag],
        "movers": {"drops": list(map(_mover, movers.drops)), "gains": list(map(_mover, movers.gains))},
        "left_out": [
            {"kind": found.kind, "reason": found.reason, "cases": list(map(_key, found.cases))}
            for found in comparison.left_out
        ],
        "errors": [
            {**_key(error.key), "in_first": error.in_first, "in_second": error.in_second} for error in comparison.errors
        ],
        "notes": list(comparison.notes),
    }
    if ruling is not None:
        data["gates"] = {
            "passed": ruling.passed,
            "findings": [{"text": finding.text, "is_met": finding.is_met} for finding in ruling.findings],
            "drops": list(map(_mover, ruling.drops)),
        }
    return data


def _flat(row: Any) -> dict[str, Any]:
    """A row with the means beside the rest."""
    values = asdict(row)
    means = values.pop("means")
    return {name: _finite(value) for name, value in {**values, **means}.items()}


def _finite(value: Any) -> Any:
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _key(key: Key) -> dict[str, str | None]:
    file, case, variant = key
    return {"file": file, "id": case, "variant": variant}


def _mover(mover: Mover) -> dict[str, Any]:
    changes = mover.changes
    return {
        **_key(mover.key),
        "line": mover.line,
        "query": mover.query,
        "metric": mover.metric,
        "first": mover.first,
        "second": mover.second,
        "difference": mover.difference,
        "k": changes.k,
        "jaccard": changes.jaccard,
        "rbo": changes.rbo,
        **{
            name: [asdict(move) for move in moves]
            for name, moves in (
                ("left", changes.left),
                ("entered", changes.entered),
                ("moved", changes.moved),
                ("lost", mover.lost),
                ("found", mover.found),
                ("shifted", mover.shifted),
            )
        },
    }
