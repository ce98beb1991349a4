"""A sentence for each suite and variant: mean, counts, latencies, gates."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._number_text import duration_text
from pytest_relevance._text import counted, harmless
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.labels import STATUSES
from pytest_relevance.reports.run.case_counts import NOT_PASSED, status_counts
from pytest_relevance.reports.run.mean_text import has_mean, mean_text
from pytest_relevance.reports.run.variant_labels import (
    WIDEST_NAME,
    Variant,
    variant_label,
    variant_name,
    variant_of,
)
from pytest_relevance.reports.terminal_text import cut, display_width
from pytest_relevance.results.case_result import (
    SKIPPED,
    WITHOUT_SCORE,
    CaseResult,
    grouped,
    percentile,
    values_needed,
    variants_in_order,
)

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult


MOST_SUITES = 5
"""How many suites a summary lists unless all are asked for."""


def worst_suites(results: Sequence[CaseResult], most: int | None) -> set[str]:
    """Return the files of the suites that are listed: all, or the `most` worst.

    A suite with cases that did not pass is worse than a suite in which all passed. Of
    two suites that are equal in this, the one that drew the mean down more since the
    reference is worse.
    """
    orders = []
    for file, of_file in grouped(results, lambda result: result.file).items():
        drawn = sum(result.weight * result.change for result in of_file)
        not_passed = sum(result.status in NOT_PASSED for result in of_file)
        orders.append((not not_passed, drawn, -not_passed, file))
    orders.sort()
    return {file for *_, file in orders[:most]}


def suite_sentences(
    results: Sequence[CaseResult],
    variants: Sequence[Variant],
    gates: Iterable[GateResult],
    *,
    has_means: bool = True,
) -> list[Sentence]:
    """Return a sentence for each suite and variant, with its figures.

    The names are padded to one width. The sentence of a single suite has only
    latencies: the verdict has the mean and the counts.

    `variants`: the variants of the whole run.
    `has_means`: whether the sentences have means; False if a table has them.
    """
    outcomes = _outcomes_of_gates(gates)
    is_only = len({(result.file, variant_of(result)) for result in results}) == 1
    rows = []
    for file, of_file in sorted(grouped(results, lambda result: result.file).items()):
        groups = grouped(of_file, variant_of)
        ordered = variants_in_order(of_file)
        # a gate is about all searches with one parameter, or without any:
        # it is shown in the last of their lines
        last = {parameter: (search, parameter) for search, parameter in ordered}
        for variant in ordered:
            _, parameter = variant
            name = file
            if len(groups) > 1:
                name += f"  {cut(variant_label(variant, variants), WIDEST_NAME)}"
            elif parameter or len(variants) > 1:
                name += f"  {cut(variant_name(variant), WIDEST_NAME)}"
            of_gates: Mapping[str, int] = {}
            if last[parameter] == variant:
                of_gates = outcomes.get((file, parameter), {})
            figures = []
            if not is_only:
                figures = _suite_figures(
                    groups[variant], of_gates, has_mean_too=has_means
                )
            figures += _latencies(groups[variant])
            rows.append((harmless(name), figures))
    return _aligned(rows)


def _aligned(rows: Sequence[tuple[str, Sequence[str]]]) -> list[Sentence]:
    """Return (name, figures) as sentences, with the names padded to one width."""
    widest = max((display_width(name) for name, _ in rows), default=0)
    sentences = []
    for name, figures in rows:
        blanks = " " * (widest - display_width(name))
        sentences.append(Sentence(name + blanks, parts=tuple(figures)))
    return sentences


def _outcomes_of_gates(
    gates: Iterable[GateResult],
) -> dict[tuple[str, str | None], Counter[str]]:
    outcomes: dict[tuple[str, str | None], Counter[str]] = defaultdict(Counter)
    for gate in gates:
        outcomes[gate.file, gate.gate.variant or gate.variant][gate.outcome()] += 1
    return outcomes


def _suite_figures(
    results: Sequence[CaseResult], gates: Mapping[str, int], *, has_mean_too: bool
) -> list[str]:
    """Return the figures of a suite in one variant: its mean and counts of outcomes."""
    figures = []
    counts = status_counts(results)
    if has_mean_too and has_mean(results):
        figures.append(mean_text(results))
        undefined = _without_score(results)
        if undefined:
            # in parentheses: they have been counted already
            counts += f" ({undefined:,} unscored)"
    figures.append(counts)
    outcomes = [outcome for outcome in STATUSES if gates.get(outcome)]
    if outcomes:
        first, *others = outcomes
        text = f"{counted(gates[first], 'gate')} {first}"
        for outcome in others:
            text += f", {gates[outcome]} {outcome}"
        figures.append(text)
    return figures


def _latencies(results: Sequence[CaseResult]) -> list[str]:
    latencies = []
    for result in results:
        if result.call.latency is not None:
            latencies.append(result.call.latency)
    if not latencies:
        return []
    return [_latency_text(sorted(latencies), how_called(results))]


def _without_score(results: Iterable[CaseResult]) -> int:
    """Return how many cases were searched and have no nDCG@k."""
    count = 0
    for result in results:
        if result.score is None and result.verdict not in (*WITHOUT_SCORE, SKIPPED):
            count += 1
    return count


def _latency_text(latencies: Sequence[float], how: str) -> str:
    """Return p50 and p95 as text: `p50 12 ms, p95 31 ms`.

    With too few cases, p50 is left out, and the maximum takes the place of p95.
    """
    parts = []
    if len(latencies) >= values_needed(50):
        parts.append(f"p50 {duration_text(percentile(latencies, 50))}")
    if len(latencies) >= values_needed(95):
        parts.append(f"p95 {duration_text(percentile(latencies, 95))}")
    else:
        parts.append(f"max {duration_text(max(latencies))}")
    text = ", ".join(parts)
    return f"{text} ({how})" if how else text


def how_called(results: Iterable[CaseResult]) -> str:
    """Return how searches were called: `up to 8 at a time`, or `shares of batches`.

    Of a replay it says that the latencies are recorded. Return "" if searches were
    called one at a time. `results`: at least one.
    """
    calls = [result.call for result in results]
    at_a_time = max(call.concurrency for call in calls)
    parts = []
    if any(call.is_recorded for call in calls):
        parts.append("recorded")
    if any(call.latency_shared for call in calls):
        parts.append("shares of batches")
    elif at_a_time > 1:
        parts.append(f"up to {at_a_time} at a time")
    return ", ".join(parts)
