"""The sentence that counts the cases of a run, with their mean and what is missing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_relevance._text import counted
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.run.case_counts import (
    NOT_PASSED,
    case_count,
    counted_cases,
    kind_counts,
    status_counts,
)
from pytest_relevance.reports.run.errors import unfinished_parts
from pytest_relevance.reports.run.mean_text import (
    known_text,
    means_by_variant,
    means_text,
    metric_of,
    weighted,
)
from pytest_relevance.reports.run.variant_labels import (
    case_key,
    variant_of,
    variants_of,
)
from pytest_relevance.reports.styled_lines import BAD, DOUBT, GOOD
from pytest_relevance.results.became import CHANGED, GOT_WORSE, IN_DOUBT
from pytest_relevance.results.case_parts import NEW
from pytest_relevance.results.case_result import (
    FAILED,
    NOT_SEARCHED,
    SKIPPED,
    CaseResult,
    has_failed,
    of_case_files,
    scored_alike,
)
from pytest_relevance.results.failures import FAILURE_KINDS, OTHER, failure_kind
from pytest_relevance.results.records.run_info import RunInfo

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult

_COUNTED_AS_FAILED = (GOT_WORSE, CHANGED, IN_DOUBT, OTHER)
"""The kinds of failures that are counted as `failed` if the headline counts them."""


def counts_sentence(
    results: Sequence[CaseResult],
    gates: Sequence[GateResult],
    info: RunInfo,
    *,
    is_compared: bool = False,
) -> Sentence | None:
    """Return the counts of a run: `52 cases: 49 passed, 3 failed; mean nDCG@10 0.701`.

    If the cases have a reference, failures are counted by kind: `1 error, 9 failed
    before`. If neither a count nor a gate shows that the run fails, the sentence says
    so. None if there is nothing to say.

    `is_compared`: whether the run is compared with a reference. Then other sentences
        have the mean, how many got worse, and what did not finish.
    """
    parts = case_counts(results, has_worse=not is_compared)
    if is_compared:
        return Sentence("; ".join(parts)) if parts else None
    unfinished = unfinished_parts(info)
    parts += [*_mean_parts(results), *unfinished]
    outcomes = {gate.outcome() for gate in gates}
    has_bad_case = any(result.status in NOT_PASSED for result in results)
    if has_bad_case or unfinished or FAILED in outcomes:
        style = BAD
    elif info.reasons_to_fail:
        parts.append("the run fails")
        style = BAD
    elif info.replayed is not None or SKIPPED in outcomes:
        style = DOUBT
    else:
        style = GOOD
    return Sentence("; ".join(parts), style) if parts else None


def _mean_parts(results: Sequence[CaseResult]) -> list[str]:
    """Return, for example, `mean nDCG@10 0.701 (49 of 52 cases, those with a score)`.

    Of many variants, only the lowest and the highest mean are written. Variants of a
    single suite have their means in lines of their own, so the result is [].
    """
    means = means_by_variant(results)
    files = {result.file for result in results}
    if not means or (len(means) > 1 and len(files) == 1):
        return []
    alike = scored_alike(results)
    scored = [result for result in alike if result.score is not None]
    shown = means_text(means, list(means))
    text = f"{weighted(results)}mean {metric_of(scored)} {shown}"
    count, total = case_count(scored), case_count(alike)
    if count < total:
        text += f" ({count:,} of {counted(total, 'case')}, those with a score)"
    return [text]


# --- the counts of the cases ----------------------------------------------------------


def case_counts(results: Sequence[CaseResult], *, has_worse: bool) -> list[str]:
    """Return how many cases there are over all variants, and how many of each status.

    Example: `135 cases: 61 passed, 30 measured`. If a failed case has an accepted
    ranking, a second text counts failures by kind: `44 got worse, 9 failed before`.

    `has_worse`: whether cases that got worse or changed are counted by kind; otherwise
        they are counted as `failed`, among the statuses.
    """
    kinds = _kinds_of_failures(results)
    if not has_worse:
        for kind in _COUNTED_AS_FAILED:
            kinds.pop(kind, None)
    by_status = []
    compared = []
    for result in results:
        if result.baseline is not None:
            compared.append(result)
        if _kind_of(result) not in kinds and not result.is_known:
            by_status.append(result)
    by_kind = kind_counts(kinds, (*FAILURE_KINDS, NOT_SEARCHED))
    failures = [by_kind, known_text(compared)]
    counts = [_status_text(by_status), ", ".join(text for text in failures if text)]
    parts = [text for text in counts if text]
    name = _name_of_all(results)
    if not parts:
        return [name] if has_worse else []
    return [f"{name}: {parts[0]}", *parts[1:]]


def _kind_of(result: CaseResult) -> str:
    """Return the kind of a failure, or that no search was called; "" if none failed."""
    if not has_failed(result):
        return ""
    return NOT_SEARCHED if result.status == NOT_SEARCHED else failure_kind(result)


def _name_of_all(results: Sequence[CaseResult]) -> str:
    """Return, for example, `135 cases`.

    If a case ran in several variants: `135 cases in 2 variants`.
    """
    name = counted_cases(results)
    variants = variants_of(results)
    if len(variants) < 2:
        return name
    searched = of_case_files(results)
    runs = {(case_key(result), variant_of(result)) for result in searched}
    if len(runs) > case_count(searched):
        name += f" in {counted(len(variants), 'variant')}"
    return name


def _status_text(results: Sequence[CaseResult]) -> str:
    """Return, for example, `61 passed, 30 measured (2 new to the reference)`."""
    new = 0
    for result in results:
        if result.baseline is not None and result.baseline.standing == NEW:
            new += 1
    text = status_counts(results)
    return f"{text} ({new:,} new to the reference)" if new else text


def _kinds_of_failures(results: Sequence[CaseResult]) -> Counter[str]:
    """Return {kind: number of failures}; {} if no failure has an accepted ranking."""
    counts: Counter[str] = Counter()
    if not any(result.status in NOT_PASSED for result in results):
        return counts
    failed = [result for result in results if has_failed(result)]
    baselines = [each.baseline for each in failed if each.baseline is not None]
    if not any(baseline.has_accepted_ranking for baseline in baselines):
        return counts

    counts.update(_kind_of(result) for result in failed)
    return counts
