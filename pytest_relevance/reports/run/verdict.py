"""The last line of a report: counts, means, gates, and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_relevance._text import counted
from pytest_relevance.reports.run.case_counts import (
    NOT_PASSED,
    case_count,
    counted_cases,
    kind_counts,
    status_counts,
)
from pytest_relevance.reports.run.mean_text import (
    known_text,
    means_by_variant,
    means_text,
    metric_of,
    weighted,
)
from pytest_relevance.reports.run.variant_labels import key_of, variant_of, variants_of
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD, Line, wrapped
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_parts import NEW
from pytest_relevance.results.case_result import (
    FAILED,
    NOT_SEARCHED,
    SKIPPED,
    XFAILED,
    CaseResult,
    has_failed,
)
from pytest_relevance.results.failures import FAILURE_KINDS, failure_kind
from pytest_relevance.results.records.run_info import RunInfo, files_with_errors

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult

_GATES = {FAILED: "failed", XFAILED: "failed before", SKIPPED: "not evaluated"}
"""What is said of gates that are not met, by outcome."""


def verdict_lines(
    results: Sequence[CaseResult],
    gates: Sequence[GateResult],
    info: RunInfo,
    *,
    verbosity: int = 0,
    width: int = WIDEST,
) -> list[Line]:
    """Return the last line: `52 cases: 49 passed, 3 failed; mean nDCG@10 0.701`.

    If the baseline has any of the failures, they are counted by kind: `44 got worse, 9
    failed before`. With a `verbosity` below 0 the mean and the gates are left out if
    there is only one suite, because the line of the suite has them. What did not finish
    is counted. If no count shows that the run fails, the line says so.
    """
    outcomes = Counter(gate.outcome() for gate in gates)
    unfinished = _unfinished_parts(info)
    parts = case_counts(results)
    suites = {(result.file, result.variant) for result in results}
    if verbosity >= 0 or len(suites) != 1:
        parts += _mean_parts(results)
        parts += _gate_parts(outcomes)
    parts += unfinished
    has_bad_case = any(result.status in NOT_PASSED for result in results)
    is_bad = has_bad_case or bool(unfinished) or outcomes[FAILED] > 0
    if info.reasons_to_fail and not is_bad:
        parts.append("the run fails")
        is_bad = True
    style = GOOD
    if is_bad:
        style = BAD
    elif outcomes[SKIPPED]:
        style = DOUBT
    return wrapped("", parts, width, "; ", style)


def _unfinished_parts(info: RunInfo) -> list[str]:
    """Return `1 file has an error`, `12 cases did not finish`."""
    parts = []
    if info.uncollected:
        parts.append(files_with_errors(info.uncollected))
    absent = sum("::" in name for name in info.missing)
    if absent:
        parts.append(f"{counted(absent, 'case')} did not finish")
    return parts


def _mean_parts(results: Sequence[CaseResult]) -> list[str]:
    """Return `mean nDCG@10 0.701`; of many variants the lowest and the highest mean."""
    means = means_by_variant(results)
    if not means:
        return []
    metric = metric_of(result for result in results if result.score is not None)
    shown = means_text(means, list(means))
    return [f"{weighted(results)}mean {metric} {shown}"]


def _gate_parts(outcomes: Counter[str]) -> list[str]:
    """Return `1 of 2 gates failed`, or that all gates are met; [] without gates."""
    total = outcomes.total()
    of_all = f"of {counted(total, 'gate')}"
    parts = []
    for outcome, words in _GATES.items():
        if outcomes[outcome]:
            parts.append(f"{outcomes[outcome]:,} {of_all} {words}")
    if parts or not total:
        return parts
    return ["the gate is met" if total == 1 else f"all {total:,} gates met"]


# --- the counts of the cases ----------------------------------------------------------


def case_counts(results: Sequence[CaseResult]) -> list[str]:
    """Return how many cases there are, and how many have each status.

    Example: `135 cases: 61 passed, 30 measured`. If the baseline has any of the
    failures, these are counted by kind in a second text, with the known failures and
    their mean: `44 got worse, 9 failed before`.
    """
    kinds = _kinds_of_failures(results)
    counted_by_status = []
    compared = []
    for result in results:
        if result.baseline is not None:
            compared.append(result)
        is_counted_by_kind = bool(kinds) and has_failed(result)
        if not is_counted_by_kind and not result.is_known:
            counted_by_status.append(result)
    counts = [
        _status_text(counted_by_status),
        ", ".join(text for text in (kinds, known_text(compared)) if text),
    ]
    parts = [text for text in counts if text]
    name = _name_of_all(results)
    if not parts:
        return [name]
    return [f"{name}: {parts[0]}", *parts[1:]]


def _name_of_all(results: Sequence[CaseResult]) -> str:
    """Write `135 cases`, or `135 cases in 2 variants` if a case ran in several."""
    name = counted_cases(results)
    variants = variants_of(results)
    if len(variants) < 2:
        return name
    searched = [result for result in results if not result.is_check]
    runs = {(key_of(result), variant_of(result)) for result in searched}
    if len(runs) > case_count(searched):
        name += f" in {counted(len(variants), 'variant')}"
    return name


def _status_text(results: Sequence[CaseResult]) -> str:
    """Write `61 passed, 30 measured (2 new to the baseline)`."""
    new = 0
    for result in results:
        if result.baseline is not None and result.baseline.standing == NEW:
            new += 1
    text = status_counts(results)
    return f"{text} ({new:,} new to the baseline)" if new else text


def _kinds_of_failures(results: Sequence[CaseResult]) -> str:
    """Write `44 got worse, 9 failed before`, or "" if the baseline has no failure."""
    if not any(result.status in NOT_PASSED for result in results):
        return ""
    failed = [result for result in results if has_failed(result)]
    baselines = [each.baseline for each in failed if each.baseline is not None]
    if not any(baseline.has_accepted_ranking for baseline in baselines):
        return ""
    counts: Counter[str] = Counter()
    for result in failed:
        is_not_searched = result.status == NOT_SEARCHED
        counts[NOT_SEARCHED if is_not_searched else failure_kind(result)] += 1
    return kind_counts(counts, (*FAILURE_KINDS, NOT_SEARCHED))
