"""Why a case has its verdict, in words: a sentence for each kind of `Outcome`; and what
changed since its baseline.

A sentence is for the one who reads the failure: where the document is instead, not only
that it is not where it should be.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pytest_relevance._near import difference
from pytest_relevance._text import (
    digits_apart,
    harmless,
    listed,
    quoted,
)
from pytest_relevance.cases.model import METRIC
from pytest_relevance.expectations.kind import expectation_kind
from pytest_relevance.registry import EXPECTATIONS, ExtensionError
from pytest_relevance.reports.terminal_text import cut_middle
from pytest_relevance.results.case_parts import (
    DROP,
    FLOOR,
    STALE_ENTRY,
    TEXT,
    TOO_FEW_JUDGED,
    Outcome,
)
from pytest_relevance.results.case_result import FAILED, CaseResult

if TYPE_CHECKING:
    pass


@dataclass(frozen=True, slots=True)
class _Names:
    """A result, and how its documents are named: by id and title, which is cut to
    `longest` columns.
    """

    result: CaseResult
    longest: int

    def document(self, document: str) -> str:
        """Name a document: `"sku-1" (Watch)`."""
        title = self._title(document)
        return f"{quoted(document)} ({title})" if title else quoted(document)

    def places(self, documents: Sequence[str]) -> str:
        """Name documents with their places:
        `"sku-1" (Watch, at rank 3), "sku-2" (not returned)`.
        """
        named = []
        for document in documents:
            title, place = self._title(document), self._place(document)
            about = f"{title}, {place}" if title else place
            named.append(f"{quoted(document)} ({about})")
        return ", ".join(named)

    def _title(self, document: str) -> str:
        title = self.result.texts.titles.get(document)
        return cut_middle(harmless(title), self.longest) if title else ""

    def _place(self, document: str) -> str:
        rank = self.result.ranking.rank_of(document)
        if rank is not None:
            return f"at rank {rank}"
        return absence(self.result, document) + _near_result(self.result, document)


def absence(result: CaseResult, document: str | None) -> str:
    """Say why a document is not in the ranking, as far as is known: `not returned`,
    `not in the index`.
    """
    if document in result.texts.not_in_index:
        return "not in the index"
    if document in result.texts.not_in_catalogue:
        return "not returned, not in the catalogue"
    return "not returned"


def _near_result(result: CaseResult, document: str) -> str:
    """Name the result whose id is nearly that of a document that was not returned;
    empty if there is none.
    """
    for rank, returned in enumerate(result.ranking.documents, start=1):
        how = difference(document, returned)
        if how:
            return f", but rank {rank} differs in {how} only"
    return ""


LONGEST_TITLE = 40
"""The columns that a title takes in a sentence about a reason, if there is no more
room.
"""


def reason_text(
    reason: Outcome, result: CaseResult, longest: int = LONGEST_TITLE
) -> str:
    """Say in a sentence why a case has its verdict. Documents have their titles, cut to
    `longest` columns.
    """
    text = _sentence(reason, _Names(result, longest))
    if reason.is_worse:
        text += " (missed by more than before)"
    if reason.by_people:
        text += people_text(result.evaluation.graders)
    return text


def _sentence(reason: Outcome, names: _Names) -> str:
    """Say what is not met. The kinds of expectations have their own words."""
    if reason.kind in _WORDS:
        return _WORDS[reason.kind](reason)
    kind = expectation_kind(METRIC if reason.kind == FLOOR else reason.kind)
    try:
        with EXPECTATIONS.calling(reason.kind):
            return kind.explain(reason, names)
    except ExtensionError as error:
        return f"{reason.name} is not met; {error}"


def people_text(graders: Iterable[str]) -> str:
    """Say that grades of people decide:
    ` (by the grades of people, without those of model-x)`.
    """
    others = listed(dict.fromkeys(map(harmless, graders)), "and")
    return f" (by the grades of people, without those of {others})"


def _drop(reason: Outcome) -> str:
    score, before, tolerance = reason.value or 0.0, reason.before or 0.0, reason.bound
    fall = before - score
    digits = max(digits_apart(fall, tolerance), digits_apart(score, before))
    return (
        f"{reason.name} {score:.{digits}f} is {fall:.{digits}f} below the baseline "
        f"{before:.{digits}f}, more than the tolerance {tolerance:.{digits}f}"
    )


def _too_few_judged(reason: Outcome) -> str:
    judged = f"{reason.value or 0:g} of the top {reason.within} judged"
    return f"inconclusive: {judged}, less than min_judged {reason.bound:g}"


def _stale_entry(reason: Outcome) -> str:
    changes = listed(reason.clauses, "and")
    if reason.name:
        return f"the entry in {reason.name} is stale: {changes}; make that record again"
    return f"the baseline is stale: {changes}; --relevance-update accepts the present ranking"


def _clauses(reason: Outcome) -> str:
    return "".join(reason.clauses)


_WORDS: Mapping[str, Callable[[Outcome], str]] = {
    DROP: _drop,
    TOO_FEW_JUDGED: _too_few_judged,
    STALE_ENTRY: _stale_entry,
    TEXT: _clauses,
}
"""The sentences of demands that are neither floors nor expectations."""


def failure_head(result: CaseResult) -> str:
    """Say `failed before: ` if the baseline says so; else nothing, as the reasons say
    enough.
    """
    if result.baseline is None or result.verdict != FAILED:
        return ""
    return "failed before: " if result.baseline.failed_before else ""


def reason_texts(result: CaseResult) -> list[str]:
    """Say why a case has its verdict, a sentence for each reason."""
    return [reason_text(reason, result) for reason in result.evaluation.reasons]


def reason_in_brief(result: CaseResult, *, is_named: bool = False) -> str:
    """Say why a case failed, in a few words: `0.764 -> 0.310, floor 0.500`; of an error
    its first line.

    `is_named`: with the metric also before a change, if a reader has no heading that
    says it.
    """
    if result.call.error is not None:
        return result.call.error.headline
    return "; ".join(short_reasons(result, is_named=is_named))


def short_reasons(result: CaseResult, *, is_named: bool = False) -> list[str]:
    """Say the reasons for the short summary of pytest, which cuts its lines: the score
    is as short as it can be.

    `1.000 -> 0.936, floor 0.950`, `1.000 -> 0.900, tolerance 0.05`, without a baseline
    `nDCG@10 0.936, floor 0.950`; other reasons are whole.
    """
    texts = []
    for reason in _shown_reasons(result):
        brief = _score_in_brief(reason, result, is_named=is_named)
        texts.append(reason_text(reason, result) if brief is None else str(brief))
    if texts:
        texts[0] = failure_head(result) + texts[0]
    return texts


def reason_beside_score(result: CaseResult) -> str:
    """Say why a case failed, behind its score: `below its floor 0.500`,
    `tolerance 0.05`; nothing of an error.
    """
    if result.call.error is not None:
        return ""
    texts = []
    for reason in _shown_reasons(result):
        brief = _score_in_brief(reason, result, is_named=False)
        if brief is None:
            texts.append(reason_text(reason, result))
        else:
            texts.append(brief.beside_score(is_floor=reason.kind == FLOOR))
    return "; ".join(texts)


@dataclass(frozen=True, slots=True)
class _BriefScore:
    """A score in a few words: `1.000 -> 0.936` and `floor 0.950`."""

    change: str
    limit: str

    def __str__(self) -> str:
        return f"{self.change}, {self.limit}"

    def beside_score(self, *, is_floor: bool) -> str:
        """Say the limit, and the score again if the one in a table has too few
        digits.
        """
        limit = f"below its {self.limit}" if is_floor else self.limit
        decimals = len(self.change.rpartition(".")[2])
        return limit if decimals <= _DECIMALS else f"{self.change}, {limit}"


_DECIMALS = 3
"""The decimals of a score in a table."""


def _score_in_brief(
    reason: Outcome, result: CaseResult, *, is_named: bool
) -> _BriefScore | None:
    """Shorten a floor or a drop; None for any other reason, and without a score.

    `1.000 -> 0.936, floor 0.950`, of a drop `1.000 -> 0.900, tolerance 0.050`, or
    `nDCG@10 0.936, floor 0.950`.
    """
    score, before = reason.value, _before(reason, result)
    if reason.kind not in (FLOOR, DROP) or score is None:
        return None
    digits = 3 if reason.kind == DROP else digits_apart(score, reason.bound)
    has_dropped = any(other.kind == DROP for other in result.evaluation.reasons)
    if before is not None and has_dropped:
        digits = max(digits, digits_apart(score, before))
    now = f"{score:.{digits}f}"
    then = now if before is None else f"{before:.{digits}f}"
    change = now if then == now else f"{then} -> {now}"
    if is_named or change == now:
        change = f"{reason.name} {change}"
    if reason.by_people:
        change += " by the grades of people"
    if reason.kind == DROP:
        return _BriefScore(change, f"tolerance {reason.bound:.3g}")
    return _BriefScore(change, f"floor {reason.bound:.{digits}f}")


def _shown_reasons(result: CaseResult) -> list[Outcome]:
    """Leave out the drop if the score is below its floor too, as that reason names the
    baseline.
    """
    reasons = result.evaluation.reasons
    if not any(reason.kind == FLOOR for reason in reasons):
        return list(reasons)
    return [reason for reason in reasons if reason.kind != DROP]


def with_figures(result: CaseResult, longest: int) -> list[str]:
    """Say the reasons, a sentence each, with the baseline:
    `... is below 0.500   (baseline 0.764, down 0.452)`.
    """
    texts = []
    for reason in _shown_reasons(result):
        text = reason_text(reason, result, longest)
        if reason.kind in (FLOOR, METRIC):
            text += change_text(reason.value, _before(reason, result))
        texts.append(text)
    return texts


def _before(reason: Outcome, result: CaseResult) -> float | None:
    """Give the figure of the accepted ranking."""
    if reason.kind == FLOOR and result.baseline is not None:
        return result.baseline.score
    return reason.before


def change_text(score: float | None, before: float | None) -> str:
    """Say `   (baseline 0.764, down 0.452)`; nothing if either score is not defined."""
    if score is None or before is None:
        return ""
    change = score - before
    if not change:
        return f"   (baseline {before:.3f})"
    digits = digits_apart(score, before)
    direction = "down" if change < 0 else "up"
    return f"   (baseline {before:.{digits}f}, {direction} {abs(change):.{digits}f})"
