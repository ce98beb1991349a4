"""Why a case failed, in a few words, for headings, tables and short lines."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_relevance._number_text import digits_apart
from pytest_relevance.reports.reasons import (
    reason_text,
    value_before,
    without_double_drop,
)
from pytest_relevance.results.case_parts import DROP, FLOOR, Outcome
from pytest_relevance.results.case_result import FAILED, CaseResult

_DECIMALS = 3
"""The decimals of a score in a table."""


def failure_head(result: CaseResult) -> str:
    """Return `failed before: ` if a case failed, and the accepted ranking failed too.

    "" otherwise, also if the case has no baseline.
    """
    if result.baseline is None or result.verdict != FAILED:
        return ""
    return "failed before: " if result.baseline.failed_before else ""


def reason_in_brief(result: CaseResult, *, is_named: bool = False) -> str:
    """Return all reasons why a case failed, joined by `; `. "" if there are none.

    If the case has an error, the first line of the error is returned instead. If the
    accepted ranking failed too, the text begins with `failed before: `.

    A score is short: `1.000 -> 0.936, floor 0.950`, `1.000 -> 0.900, tolerance 0.05`,
    or without a baseline `nDCG@10 0.936, floor 0.950`. Other reasons are whole
    sentences.

    `is_named`: whether the name of the metric stands before each score; False if a
        heading names the metric.
    """
    if result.call.error is not None:
        return result.call.error.headline
    texts = []
    for reason in without_double_drop(result.evaluation.reasons):
        brief = _score_in_brief(reason, result, is_named=is_named)
        texts.append(reason_text(reason, result) if brief is None else str(brief))
    return failure_head(result) + "; ".join(texts) if texts else ""


def first_reason(result: CaseResult) -> str:
    """Return the first reason why a case failed, or the first line of its error.

    A score has no floor or tolerance: `0.764 -> 0.310`, or `nDCG@10 0.310` without a
    baseline. Any other reason is a whole sentence. If the accepted ranking failed too,
    the text begins with `failed before: `. "" if there is no reason.
    """
    if result.call.error is not None:
        return result.call.error.headline
    reasons = without_double_drop(result.evaluation.reasons)
    if not reasons:
        return ""
    brief = _score_in_brief(reasons[0], result, is_named=False)
    text = reason_text(reasons[0], result) if brief is None else brief.change
    return failure_head(result) + text


def reason_beside_score(result: CaseResult) -> str:
    """Return why a case failed, without the score: `below the required 0.500`.

    The text is for a table that shows the score. Reasons about scores come first. The
    reasons are joined by `; `. "" if there are none, or if the case has an error.
    """
    if result.call.error is not None:
        return ""
    of_scores, others = [], []
    for reason in without_double_drop(result.evaluation.reasons):
        brief = _score_in_brief(reason, result, is_named=False)
        if brief is None:
            others.append(reason_text(reason, result))
        else:
            of_scores.append(brief.beside_score)
    return "; ".join(of_scores + others)


@dataclass(frozen=True, slots=True)
class _BriefScore:
    """A missed floor, or a drop by more than the tolerance, in a few words.

    `change`: the score before and now: `1.000 -> 0.936`.
    `limit`: the floor or the tolerance: `floor 0.950`.
    `what_failed`: how the limit is missed: `below the required 0.950`.
    `is_in_table`: whether a table of cases shows this score with enough decimals.
    """

    change: str
    limit: str
    what_failed: str
    is_in_table: bool

    def __str__(self) -> str:
        return f"{self.change}, {self.limit}"

    @property
    def beside_score(self) -> str:
        """Return `what_failed`, after the score if the table lacks the score."""
        if self.is_in_table:
            return self.what_failed
        return f"{self.change}, {self.what_failed}"


def _score_in_brief(
    reason: Outcome, result: CaseResult, *, is_named: bool
) -> _BriefScore | None:
    """Return a missed floor or a drop in few words; None for any other reason.

    None also if there is no score.
    """
    score = reason.value
    if reason.kind not in (FLOOR, DROP) or score is None:
        return None
    before = value_before(reason, result)
    digits = _digits_in_brief(reason, result, score, before)
    now = f"{score:.{digits}f}"
    then = now if before is None else f"{before:.{digits}f}"
    change = now if then == now else f"{then} -> {now}"
    if is_named or change == now:
        change = f"{reason.name} {change}"
    if reason.by_people:
        change += " by the grades of people"
    limit = f"floor {reason.bound:.{digits}f}"
    what_failed = f"below the required {reason.bound:.{digits}f}"
    if reason.kind == DROP:
        limit = f"tolerance {reason.bound:.3g}"
        what_failed = f"fell by more than {reason.bound:.3g}"
    is_in_table = digits <= _DECIMALS and not reason.by_people
    return _BriefScore(change, limit, what_failed, is_in_table)


def _digits_in_brief(
    reason: Outcome, result: CaseResult, score: float, before: float | None
) -> int:
    """Return how many decimals show that a score differs from its floor.

    If the case fell by more than its tolerance, the decimals also show that the score
    differs from the earlier score.
    """
    digits = _DECIMALS if reason.kind == DROP else digits_apart(score, reason.bound)
    has_dropped = any(other.kind == DROP for other in result.evaluation.reasons)
    if before is not None and has_dropped:
        digits = max(digits, digits_apart(score, before))
    return digits
