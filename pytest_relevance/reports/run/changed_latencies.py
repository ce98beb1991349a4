"""How the latencies of the variants changed since the reference, in words."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_relevance._number_text import duration_text
from pytest_relevance._text import counted
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.run.suites import how_called
from pytest_relevance.reports.run.variant_labels import (
    Variant,
    label_before,
    variant_of,
    variants_of,
)
from pytest_relevance.results.case_result import grouped
from pytest_relevance.results.changes import Change
from pytest_relevance.results.compare.differences import (
    LatencyChange,
    latency_change,
)


def latency_sentences(changes: Sequence[Change]) -> list[Sentence]:
    """Return how the latency of each variant changed, in cases that were called alike.

    Example: `latency p50 12 ms -> 14 ms, p95 31 ms -> 40 ms (52 cases)`.
    """
    variants = variants_of(change.case for change in changes)
    sentences = []
    for variant, group, change in _by_variant(changes):
        how = counted(change.cases, "case")
        called = how_called(each.case for each in group)
        if called:
            how += f", {called}"
        head = label_before(variant, variants)
        sentences.append(Sentence(f"{head}latency {_latency_figures(change)} ({how})"))
    return sentences


def median_latencies(changes: Sequence[Change]) -> list[str]:
    """Return how the median latency of each variant changed: `p50 12 ms -> 14 ms`.

    Variants that were called in another way, or in too few cases, are left out.
    """
    variants = variants_of(change.case for change in changes)
    texts = []
    for variant, _, change in _by_variant(changes):
        if change.p50 is not None:
            head = label_before(variant, variants, " ")
            texts.append(f"{head}p50 {_duration_change(change.p50)}")
    return texts


def _by_variant(
    changes: Sequence[Change],
) -> Iterator[tuple[Variant, Sequence[Change], LatencyChange]]:
    """Yield each variant, its cases, and how their latency changed.

    Variants whose latencies cannot be compared are left out.
    """
    groups = grouped(changes, lambda change: variant_of(change.case))
    for variant, group in groups.items():
        change = latency_change(group)
        if change is not None:
            yield variant, group, change


def _latency_figures(change: LatencyChange) -> str:
    """Return how p50 and p95 changed: `p50 12 ms -> 14 ms, p95 31 ms -> 40 ms`.

    With too few cases, p50 is left out, and the maximum takes the place of p95.
    """
    parts = []
    if change.p50 is not None:
        parts.append(f"p50 {_duration_change(change.p50)}")
    if change.p95 is not None:
        parts.append(f"p95 {_duration_change(change.p95)}")
    else:
        parts.append(f"max {_duration_change(change.longest)}")
    return ", ".join(parts)


def _duration_change(seconds: tuple[float, float]) -> str:
    before, after = seconds
    return f"{duration_text(before)} -> {duration_text(after)}"
