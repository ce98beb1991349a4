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
    """Return the case files of the `most` worst suites; None for all.

    Suites with cases that did not pass are worst. Of these, and of the others, a suite
    is worse if it lowered the mean more since the reference.
    """
    orders = []
    for file, of_file in grouped(results, lambda result: result.file).items():
        effect = sum(result.weight * result.change for result in of_file)
        not_passed = sum(result.status in NOT_PASSED for result in of_file)
        orders.append((not_passed == 0, effect, -not_passed, file))
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
    latencies, because the sentence with the counts of the run has the other figures.

    `variants`: the variants of the whole run.
    `has_means`: whether the sentences have means; False if a table has them.
    """
    outcomes = _outcomes_of_gates(gates)
    is_only = len({(result.file, variant_of(result)) for result in results}) == 1
    rows = []
    for file, of_file in sorted(grouped(results, lambda result: result.file).items()):
        groups = grouped(of_file, variant_of)
        ordered = variants_in_order(of_file)
        # a gate is about all searches with one parameter (or none): only the last of
        # their lines shows it
        last = {parameter: (search, parameter) for search, parameter in ordered}
        for variant in ordered:
            _, parameter = variant
            figures = []
            if not is_only:
                of_gates: Mapping[str, int] = {}
                if last[parameter] == variant:
                    of_gates = outcomes.get((file, parameter), {})
                figures = _suite_figures(groups[variant], of_gates, has_means=has_means)
            figures += _latencies(groups[variant])
            name = file + _name_of_variant(variant, ordered, variants)
            rows.append((harmless(name), figures))
    return _aligned(rows)


def _name_of_variant(
    variant: Variant, of_suite: Sequence[Variant], of_run: Sequence[Variant]
) -> str:
    """Return the name of a variant after two blanks; "" if it is the only search.

    `of_suite`, `of_run`: the variants of the suite, and of the whole run.
    """
    if len(of_suite) > 1:
        return f"  {cut(variant_label(variant, of_run), WIDEST_NAME)}"
    _, parameter = variant
    if parameter or len(of_run) > 1:
        return f"  {cut(variant_name(variant), WIDEST_NAME)}"
    return ""


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
    """Return {(case file, parameter of the search): {outcome: number of gates}}."""
    outcomes: dict[tuple[str, str | None], Counter[str]] = defaultdict(Counter)
    for gate in gates:
        outcomes[gate.file, gate.gate.variant or gate.variant][gate.outcome()] += 1
    return outcomes


def _suite_figures(
    results: Sequence[CaseResult], gates: Mapping[str, int], *, has_means: bool
) -> list[str]:
    """Return the figures of a suite in one variant: mean, counts of cases and gates.

    `gates`: {outcome: number of gates}.
    """
    figures = []
    counts = status_counts(results)
    if has_means and has_mean(results):
        figures.append(mean_text(results))
        undefined = _without_score(results)
        if undefined:
            # in parentheses, because the counts before include these cases
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
    """Return the text of the latencies as a list; [] if none is known."""
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

    If the latencies are too few, p50 is left out, and the maximum stands in place of
    p95.

    `how`: what `how_called` returned.
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

    For a replay: `recorded`. "" if searches were called one at a time.

    `results`: at least one.
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
