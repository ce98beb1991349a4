"""What the summary says of several searches in one run: how far each is from the first, and whether that is chance.

Numpy is imported when there are two searches to compare, and not before.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance.reports.entries import Entry, Variant, variant_label
from pytest_relevance.reports.text import BAD, GOOD, PLAIN, STRONG, WIDEST, Line, fit, harmless, line, width

if TYPE_CHECKING:
    from pytest_relevance.runs.differences import Means

MOST_DRAWS = 10_000_000
"""How many signs and queries are drawn at most: a summary must not take longer than its tests."""

_SIGNIFICANT = 0.05
_HEAD = ("change", "95 % interval", "p", "better", "worse", "same")

_Case = tuple[str, str]


def variant_lines(entries: Sequence[Entry], variants: Sequence[Variant]) -> list[Line]:
    """A line for each variant but the first: its mean difference from that, with a test of whether it is chance.

    A case counts where both have a score.
    """
    scored: dict[Variant, dict[_Case, Entry]] = {variant: {} for variant in variants}
    for entry in entries:
        if entry.score is not None:
            scored[entry.ran_as][entry.file, entry.id] = entry
    first, *others = variants
    pairs = {
        other: [(scored[first][key], scored[other][key]) for key in scored[other] if key in scored[first]]
        for other in others
    }
    compared = {other: found for other, found in pairs.items() if found}
    return _table(first, compared, variants) if compared else []


def _table(
    first: Variant, compared: Mapping[Variant, Sequence[tuple[Entry, Entry]]], variants: Sequence[Variant]
) -> list[Line]:
    from pytest_relevance.metrics.significance import holm

    found = {variant: _difference(pairs) for variant, pairs in compared.items()}
    adjusted = holm([p for _, _, p in found.values()])
    rows = []
    for (means, interval, _), p in zip(found.values(), adjusted, strict=True):
        counts = (means.better, means.worse, means.same)
        rows.append((_signed(means.difference), interval, _p(p), *(f"{count:,}" for count in counts)))
    styles = [
        (GOOD if means.difference > 0 else BAD) if p <= _SIGNIFICANT else PLAIN
        for (means, *_), p in zip(found.values(), adjusted, strict=True)
    ]
    head = _HEAD if len(rows) == 1 else tuple(name if name != "p" else "p (Holm)" for name in _HEAD)
    columns = [max(map(len, cells)) for cells in zip(head, *rows, strict=True)]
    title = f"against {harmless(variant_label(first, variants))}"
    names = [harmless(variant_label(variant, variants)) for variant in compared]
    room = WIDEST - 2 - sum(2 + wide for wide in columns)
    for_name = min(max(width(title) - 2, *map(width, names)), room)
    lines = [line("  ".join([fit(title, for_name + 2), *_aligned(head, columns)]), STRONG)]
    for name, row, style in zip(names, rows, styles, strict=True):
        change, *rest = _aligned(row, columns)
        lines.append(((f"  {fit(name, for_name)}  ", PLAIN), (change, style), ("  ".join(["", *rest]), PLAIN)))
    return lines


def _aligned(cells: Sequence[str], columns: Sequence[int]) -> list[str]:
    return [f"{cell:>{wide}}" for cell, wide in zip(cells, columns, strict=True)]


def _difference(pairs: Sequence[tuple[Entry, Entry]]) -> tuple[Means, str, float]:
    """The means, the interval of their difference, and the p-value."""
    import numpy as np

    from pytest_relevance.metrics.significance import bootstrap_interval, randomisation_test
    from pytest_relevance.runs.differences import Column, means, without_noise

    first, second = (np.array([both[side].score for both in pairs], np.float64) for side in (0, 1))
    weights = np.array([two.weight for _, two in pairs], np.float64)
    column = Column("", first, second, np.ones(len(pairs), np.bool_))
    found = means(column, np.arange(len(pairs)), weights)
    second = without_noise(first, second)
    shares = weights if np.ptp(weights) else None
    draws = MOST_DRAWS // len(pairs)
    test = randomisation_test(first, second, weights=shares, resamples=min(100_000, max(1_000, draws)))
    interval = bootstrap_interval(first, second, weights=shares, resamples=min(10_000, max(1_000, draws)))
    return found, f"{_signed(interval.low)} to {_signed(interval.high)}", test.p


def _signed(value: float) -> str:
    text = f"{value:+.3f}"
    return text if float(text) else "0.000"


def _p(p: float) -> str:
    return "<0.001" if p < 0.001 else f"{p:.3f}"
