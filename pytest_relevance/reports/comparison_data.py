"""A comparison of two runs as JSON data: docs/reference/json.md describes all keys.

New keys may be added. If a key changes its name or its meaning, `VERSION` goes up.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pytest_relevance.codec import encode
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.reports.change_data import became_data, finding_data, mean_data
from pytest_relevance.results.case_result import CaseResult, Key
from pytest_relevance.results.changes import Change, Move
from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates
from pytest_relevance.results.compare.differences import latency_change

if TYPE_CHECKING:
    from pytest_relevance.results.compare.comparison import TagDifference
    from pytest_relevance.results.compare.differences import Difference

KIND, VERSION = "pytest-relevance comparison", 1
"""The values of the keys `kind` and `version`, by which a program knows the report."""

_SETTINGS = (
    "gain",
    "discount",
    "ideal",
    "unjudged",
    "negative",
    "max_grade",
    "collapse",
)


def comparison_data(
    comparison: Comparison, most: int, gates: ComparisonGates | None
) -> dict[str, Any]:
    """Return the data of a comparison, with at most `most` drops and gains.

    `gates`: what `Comparison.judge` returned; None if the comparison was not judged.
    """
    drops = comparison.moved(-1)[:most]
    gains = comparison.moved(1)[:most]
    searched = comparison.fingerprint.items()
    data = {
        "kind": KIND,
        "version": VERSION,
        "first": comparison.first,
        "second": comparison.second,
        "compared": len(comparison),
        "changed_rankings": comparison.changed_rankings,
        "settings": [_settings(settings) for settings in comparison.settings],
        "depths": list(comparison.depths),
        "fingerprint": {name: list(values) for name, values in searched},
        "metrics": [_flat(row) for row in comparison.metrics],
        "by_tag": [_flat(row) for row in comparison.by_tag],
        "counts": asdict(comparison.counts),
        "mean": _mean(comparison),
        "latency": _latencies(comparison),
        "movers": {
            "drops": [_mover(change) for change in drops],
            "gains": [_mover(change) for change in gains],
        },
        "left_out": _left_out(comparison),
        "errors": _errors(comparison),
        "notes": list(comparison.notes),
        "test_changes": _test_changes(comparison),
        "replayed": _replayed(comparison),
    }
    if gates is not None:
        data["gates"] = _gates(gates)
    return data


def _mean(comparison: Comparison) -> dict[str, Any] | None:
    changes = comparison.changes if comparison.is_by_own_metric else ()
    return mean_data(comparison.mean_change, changes)


def _test_changes(comparison: Comparison) -> list[dict[str, Any]]:
    changes = []
    for file, change in comparison.test_changes:
        values = asdict(change)
        changes.append({"file": file, **values, "cases": list(change.cases)})
    return changes


def _replayed(comparison: Comparison) -> list[dict[str, Any]]:
    """Return which of the two runs are replays, and what they judged."""
    replays = []
    for run, replayed in comparison.replayed:
        replays.append({"run": run, **encode(replayed)})
    return replays


def _settings(settings: Settings) -> dict[str, Any]:
    """Return {name: value} of all settings, including those that have the default."""
    values = {name: getattr(settings, name) for name in _SETTINGS}
    not_default: dict[str, Any] = encode(settings)
    return values | not_default


def _flat(row: Difference | TagDifference) -> dict[str, Any]:
    """Return {name: figure} of a row and of its means, as one dict.

    NaN and infinities become None.
    """
    values = asdict(row)
    values |= values.pop("means")
    for name, value in values.items():
        if isinstance(value, float) and not math.isfinite(value):
            values[name] = None
    return values


def _latencies(comparison: Comparison) -> list[dict[str, Any]]:
    """Return how the latency of each variant changed, as JSON data in seconds.

    A variant whose latencies cannot be compared is left out.
    """
    latencies = []
    for variant, pairs in comparison.variants.items():
        change = latency_change(Change.between(pair) for pair in pairs)
        if change is not None:
            figures = asdict(change)
            figures["max"] = figures.pop("longest")
            latencies.append({"variant": variant, **figures})
    return latencies


def _left_out(comparison: Comparison) -> list[dict[str, Any]]:
    left_out = []
    for each in comparison.left_out:
        cases = [_key(key) for key in each.cases]
        left_out.append({"kind": each.kind, "reason": each.reason, "cases": cases})
    return left_out


def _errors(comparison: Comparison) -> list[dict[str, Any]]:
    errors = []
    for error in comparison.errors:
        sides = {"in_first": error.in_first, "in_second": error.in_second}
        errors.append({**_key(error.key), **sides})
    return errors


def _gates(gates: ComparisonGates) -> dict[str, Any]:
    return {
        "passed": gates.passed,
        "findings": [finding_data(finding) for finding in gates.findings],
        "drops": [_mover(change) for change in gates.drops],
    }


def _key(key: Key) -> dict[str, str | None]:
    file, case, variant = key
    return {"file": file, "id": case, "variant": variant}


def _mover(change: Change) -> dict[str, Any]:
    """Return the scores of a case, and what changed in its ranking, as JSON data.

    `left`, `entered` and `moved` have the documents that left the top k, entered it, or
    moved in it. `lost`, `found` and `shifted` have those of them whose gain is above 0.
    """
    case = change.case
    moves = change.moves
    assert moves is not None
    left = _moves(moves.left)
    entered = _moves(moves.entered)
    moved = _moves(moves.moved)
    named = {move["document"] for move in (*left, *entered, *moved)}
    titles = {}
    for document, title in case.texts.titles.items():
        if document in named:
            titles[document] = title
    return {
        **_key(case.key),
        "line": case.line,
        "query": case.query,
        **became_data(change),
        "metric": change.metric or case.metric.text,
        "first": change.score_before,
        "second": change.score_after,
        "difference": change.difference,
        "k": moves.k,
        "left": left,
        "entered": entered,
        "moved": moved,
        "jaccard": moves.jaccard,
        "rbo": moves.rbo,
        "lost": _relevant(left, case),
        "found": _relevant(entered, case),
        "shifted": _relevant(moved, case),
        "titles": titles,
    }


def _moves(moves: Iterable[Move]) -> list[dict[str, Any]]:
    return [asdict(move) for move in moves]


def _relevant(
    moves: Iterable[dict[str, Any]], result: CaseResult
) -> list[dict[str, Any]]:
    """Return the moves of documents whose grade has a gain above 0."""
    gains = result.conditions.settings.gains
    return [move for move in moves if gains[move["grade"]] > 0]
