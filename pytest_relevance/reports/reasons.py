"""Why a case has its verdict: a sentence for each missed demand (`Outcome`).

Example: `nDCG@10 0.312 is below 0.500`. `brief_reasons.py` has shorter texts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._near import difference
from pytest_relevance._number_text import digits_apart
from pytest_relevance._text import harmless, listed, quoted
from pytest_relevance.cases.expectation import METRIC
from pytest_relevance.registry import EXPECTATIONS, ExtensionError
from pytest_relevance.reports.terminal_text import cut_document
from pytest_relevance.results.case_parts import (
    DROP,
    FLOOR,
    STALE_ENTRY,
    TEXT,
    TOO_FEW_JUDGED,
    Outcome,
)
from pytest_relevance.results.case_result import CaseResult

LONGEST_TITLE = 40
"""How many columns of a title stand in a sentence about a reason by default."""


def reason_texts(result: CaseResult) -> list[str]:
    """Return why a case has its verdict, a sentence for each reason; [] without any."""
    return [reason_text(reason, result) for reason in result.evaluation.reasons]


def reason_text(
    reason: Outcome, result: CaseResult, longest: int = LONGEST_TITLE
) -> str:
    """Return one reason for the verdict of a case as a sentence.

    Titles of documents are cut to `longest` columns.
    """
    names = _DocumentNames(result, longest)
    text = _sentence(reason, names)
    if result.is_known_item and reason.kind == METRIC:
        text += f": {names.item()}"
    if reason.is_worse:
        text += " (missed by more than before)"
    if reason.by_people:
        graders = dict.fromkeys(map(harmless, result.evaluation.graders))
        others = listed(graders, "and")
        text += f" (by the grades of people, without those of {others})"
    return text


def reasons_with_baseline(result: CaseResult, longest: int) -> list[str]:
    """Return the reasons for a verdict, a sentence each, with figures of the baseline.

    Example: `nDCG@10 0.312 is below 0.500   (reference 0.764, down 0.452)`.
    """
    texts = []
    for reason in without_double_drop(result.evaluation.reasons):
        text = reason_text(reason, result, longest)
        if reason.kind in (FLOOR, METRIC):
            text += change_text(reason.value, value_before(reason, result))
        texts.append(text)
    return texts


def change_text(score: float | None, before: float | None) -> str:
    """Return how a score changed since the baseline, or "" if a score is not defined.

    Example: `   (reference 0.764, down 0.452)`; `   (reference 0.764)` if the scores
    are equal.
    """
    if score is None or before is None:
        return ""
    change = score - before
    if not change:
        return f"   (reference {before:.3f})"
    digits = digits_apart(score, before)
    direction = "down" if change < 0 else "up"
    return f"   (reference {before:.{digits}f}, {direction} {abs(change):.{digits}f})"


def without_double_drop(reasons: Sequence[Outcome]) -> list[Outcome]:
    """Return the reasons, without the drop of a score that is below its floor too.

    The reason about the floor already shows the score of the baseline.
    """
    if not any(reason.kind == FLOOR for reason in reasons):
        return list(reasons)
    return [reason for reason in reasons if reason.kind != DROP]


def value_before(reason: Outcome, result: CaseResult) -> float | None:
    """Return the figure of a reason in the accepted ranking; None if it is unknown."""
    if reason.kind == FLOOR and result.baseline is not None:
        return result.baseline.score
    return reason.before


# --- documents in a sentence ----------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _DocumentNames:
    """Makes texts about documents of a result: their ids, titles and ranks.

    Kinds of expectations take their texts from it. Titles are cut to `longest` columns.
    """

    result: CaseResult
    longest: int

    def document(self, document: str) -> str:
        """Return the name of a document: `"sku-1" (Watch)`."""
        title = self._title(document)
        return f"{quoted(document)} ({title})" if title else quoted(document)

    def item(self) -> str:
        """Return where a known item is: `"sku-1" is at rank 4`.

        If several documents have its title, only the best ranked is named. If none was
        returned, all are named.
        """
        found = self.result.found_item
        if found is not None:
            document, rank = found
            return f"{quoted(document)} is at rank {rank}"
        places = []
        for document, _ in self.result.evaluation.missing:
            places.append(f"{quoted(document)} is {self._place(document)}")
        return ", ".join(places)

    def places(self, documents: Sequence[str]) -> str:
        """Return documents and their places: `"a" (Watch, at rank 3), "b" (...)`."""
        named = []
        for document in documents:
            title, place = self._title(document), self._place(document)
            about = f"{title}, {place}" if title else place
            named.append(f"{quoted(document)} ({about})")
        return ", ".join(named)

    def _title(self, document: str) -> str:
        title = self.result.texts.titles.get(document)
        return cut_document(harmless(title), self.longest) if title else ""

    def _place(self, document: str) -> str:
        rank = self.result.ranking.rank_of(document)
        if rank is not None:
            return f"at rank {rank}"
        return absence(self.result, document) + _nearly_this(self.result, document)


def absence(result: CaseResult, document: str | None) -> str:
    """Return why a document is not in the ranking.

    `not in the index` if the index lacks the document. Otherwise `not returned`,
    followed by `, not in the catalogue` if the catalogue lacks the document.
    """
    if document in result.texts.not_in_index:
        return "not in the index"
    if document in result.texts.not_in_catalogue:
        return "not returned, not in the catalogue"
    return "not returned"


def _nearly_this(result: CaseResult, document: str) -> str:
    """Return, for example, `, but rank 2 differs in case only`.

    "" if no result has nearly the id of the document.
    """
    for rank, returned in enumerate(result.ranking.documents, start=1):
        how = difference(document, returned)
        if how:
            return f", but rank {rank} differs in {how} only"
    return ""


# --- the sentence of each kind of outcome ---------------------------------------------


def _sentence(reason: Outcome, names: _DocumentNames) -> str:
    """Return the sentence about a missed demand.

    The kind of an expectation makes its sentence, and that of a floor.
    """
    if reason.kind in _WORDS:
        return _WORDS[reason.kind](reason)
    kind = EXPECTATIONS.get_or_unknown(METRIC if reason.kind == FLOOR else reason.kind)
    try:
        with EXPECTATIONS.calling(reason.kind):
            text: str = kind.explain(reason, names)
        EXPECTATIONS.check_returned(reason.kind, "explain", text, str)
        return text
    except ExtensionError as error:
        return f"{reason.name} is not met; {error}"


def _drop(reason: Outcome) -> str:
    score, before, tolerance = reason.value or 0.0, reason.before or 0.0, reason.bound
    fall = before - score
    digits = max(digits_apart(fall, tolerance), digits_apart(score, before))
    return (
        f"{reason.name} fell from {before:.{digits}f} to {score:.{digits}f}, by more than "
        f"the tolerance of {tolerance:.{digits}f}"
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
