"""The last line of a summary: the outcome of the run in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.summary.cases import (
    NOT_PASSED,
    STATUSES,
    WIDEST_VARIANT,
    Variant,
    case_count,
    means_by_variant,
    metric_name,
    variant_label,
    variant_of,
    variants_of,
)
from pytest_relevance.reports.text import BAD, DOUBT, GOOD, WIDEST, Line, cut, line, score_text, wrapped
from pytest_relevance.results.case_result import FAILED, NEW, REGRESSION, SKIPPED, STALE, CaseResult
from pytest_relevance.results.gates import GateResult
from pytest_relevance.results.run_info import RunInfo

_STANDINGS = {REGRESSION: "worse than the baseline", STALE: "with a stale baseline", NEW: "new to the baseline"}
_MOST_MEANS = 3


def verdict_lines(
    results: Sequence[CaseResult],
    gates: Sequence[GateResult],
    info: RunInfo,
    *,
    width: int = WIDEST,
    require_gates: bool = False,
    unfinished: str | None = None,
) -> list[Line]:
    """`52 cases: 49 passed, 3 failed; mean nDCG@10 0.701; 1 of 2 gates failed`.

    `unfinished` says in words what is missing; by default how many of the cases that were to run did not finish.
    """
    outcomes = Counter(gate.outcome(require=require_gates) for gate in gates)
    absent = _unfinished(info) if unfinished is None else unfinished
    parts = [_cases(results), *_means(results), *_gates(outcomes), *filter(None, [absent])]
    is_bad = absent or outcomes[FAILED] or {result.status for result in results} & NOT_PASSED
    style = BAD if is_bad else DOUBT if outcomes[SKIPPED] else GOOD
    return [line(text, style) for text in wrapped("", parts, width, "; ")]


def _unfinished(info: RunInfo) -> str:
    """How many cases did not finish; pytest itself reports files that could not be collected."""
    cases = sum("::" in name for name in info.missing)
    return f"{counted(cases, 'case')} did not finish" if cases else ""


def _cases(results: Sequence[CaseResult]) -> str:
    """How many cases there are, and how many of each status and baseline standing, over all variants."""
    cases = counted(case_count(results), "case")
    ran_with: dict[tuple[str, str], set[Variant]] = {}
    for result in results:
        if not result.is_check:
            ran_with.setdefault((result.file, result.id), set()).add(variant_of(result))
    if any(len(variants) > 1 for variants in ran_with.values()):
        cases += f" in {counted(len(variants_of(results)), 'variant')}"
    found = Counter(result.status for result in results)
    counts = [f"{found[status]:,} {status}" for status in STATUSES if found[status]]
    standings = Counter(result.baseline.standing for result in results if result.baseline is not None)
    since = [f"{standings[standing]:,} {words}" for standing, words in _STANDINGS.items() if standings[standing]]
    if not counts:
        return cases
    return f"{cases}: {', '.join(counts)}" + (f" ({', '.join(since)})" if since else "")


def _means(results: Sequence[CaseResult]) -> list[str]:
    """The mean of each variant; the lowest and the highest where there are many."""
    means = means_by_variant(results)
    if not means:
        return []
    metric = metric_name(result for result in results if result.score is not None)
    if len(means) > _MOST_MEANS:
        return [f"mean {metric} {score_text(min(means.values()))} to {score_text(max(means.values()))}"]
    if len(means) == 1:
        return [f"mean {metric} {score_text(*means.values())}"]
    shown = [
        f"{cut(variant_label(variant, [*means]), WIDEST_VARIANT)} {score_text(means[variant])}"
        for variant in sorted(means, key=str)
    ]
    return [f"mean {metric} {', '.join(shown)}"]


def _gates(outcomes: Counter[str]) -> Iterable[str]:
    total, failed, skipped = outcomes.total(), outcomes[FAILED], outcomes[SKIPPED]
    if failed:
        yield f"{failed:,} of {counted(total, 'gate')} failed"
    if skipped:
        yield f"{skipped:,} of {counted(total, 'gate')} not evaluated"
    if total and not failed and not skipped:
        yield "the gate is met" if total == 1 else f"all {total:,} gates met"
