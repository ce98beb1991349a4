"""Warnings that ids of results and ids of judgments may mean the same documents.

- If no result of a case is judged, the judgments may have another kind of id. The
  report then shows ids of both kinds.
- A spreadsheet may have changed a long number. The report shows both ids.
- Two ids may differ only in case, blanks or the like. The report shows both ids.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from pytest_relevance._near import NearPair, are_one_number, spreadsheet_number
from pytest_relevance._text import quoted
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    Line,
    first_parts,
    folded_lines,
    styled_line,
    wrapped,
)
from pytest_relevance.reports.terminal_text import title_room, titled
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.near_pairs import near_pairs_of

if TYPE_CHECKING:
    from decimal import Decimal

NO_ID_KNOWN = "no result is judged; are these the same kind of id?"

_LONGEST_NUMBER = 24
_LONGEST_NEAR_ID = 40
_MOST_NEAR_PAIRS = 10
_DIGITS_KEPT = 15  # by a spreadsheet

_VISIBLE_IN_QUOTES = "white space"
_INVISIBLE = "Unicode form"


# --- two kinds of id ------------------------------------------------------------------


def ids_in_doubt_lines(result: CaseResult, columns: int, *, full: bool) -> list[Line]:
    """Return the ids of the results, the judged ids below them, and what to do."""
    missing = [document for document, _ in result.evaluation.missing]
    returned = _quoted_ids(result, result.ranking.documents, columns, full=full)
    judged = _quoted_ids(result, missing, columns, full=full)
    absent = [quoted(document) for document in result.texts.not_in_index]
    count = sum(result.evaluation.judgments.values())
    lines = folded_lines(NO_ID_KNOWN, BAD, columns, "  ")
    lines += wrapped("  returned: ", first_parts(returned), columns)
    lines += wrapped("  judged:   ", first_parts(judged, count), columns)
    if absent:
        shown = first_parts(absent)
        lines += wrapped("  not in the index: ", shown, columns, style=BAD)
    advice = (
        "  if not, name the id with id_field in the case file, or return it from search"
    )
    return lines + folded_lines(advice, DIM, columns)


def _quoted_ids(
    result: CaseResult, documents: Iterable[str], columns: int, *, full: bool
) -> list[str]:
    room = title_room(columns, full=full)
    titles = result.texts.titles
    return [titled(quoted(each), each, titles, room) for each in documents]


# --- ids that are one number ----------------------------------------------------------


def same_number_lines(result: CaseResult, columns: int) -> list[Line]:
    """Return lines about judged ids that a spreadsheet may have changed; [] if none.

    A line has the judged id, and beside it the id of a result with the same number.
    """
    judged_numbers = _Numbers(document for document, _ in result.evaluation.missing)
    parts = []
    for returned in result.unjudged:
        for judged in judged_numbers.candidates(returned):
            if are_one_number(judged, returned):
                shown_judged = quoted(judged, _LONGEST_NUMBER)
                shown_returned = quoted(returned, _LONGEST_NUMBER)
                parts.append(f"judged {shown_judged}, returned {shown_returned}")
    if not parts:
        return []
    head = "ids that a spreadsheet may have changed: "
    advice = "  if so, write them in the judgments as they are returned"
    lines = wrapped(head, first_parts(parts), columns, "; ", BAD)
    return [*lines, styled_line(advice, DIM)]


class _Numbers:
    """Judged ids that are numbers, in groups, so that few of them need comparing."""

    def __init__(self, documents: Iterable[str]) -> None:
        self._all: list[str] = []
        self._rounded: list[str] = []
        self._by_number: dict[Decimal, list[str]] = defaultdict(list)
        for document in documents:
            number = spreadsheet_number(document)
            if number is None:
                continue
            self._all.append(document)
            self._by_number[number].append(document)
            if _may_be_rounded(document):
                self._rounded.append(document)

    def candidates(self, document: str) -> Sequence[str]:
        """Return the ids that may be the same number as `document`."""
        if _may_be_rounded(document):
            return self._all
        number = spreadsheet_number(document)
        if number is not None and number in self._by_number:
            return self._by_number[number]
        return self._rounded


def _may_be_rounded(document: str) -> bool:
    """Say whether a spreadsheet may round a number: it is long, or has an exponent."""
    return len(document) > _DIGITS_KEPT or "e" in document.lower()


# --- ids that are nearly the same -----------------------------------------------------


def near_ids(result: CaseResult) -> Mapping[str, Sequence[NearPair]]:
    """Return {difference: pairs of ids that differ only in this}.

    The first id of a pair is of a document that is judged or expected and was not
    returned. The second is of a result.
    """
    groups: dict[str, list[NearPair]] = {}
    for pair in near_pairs_of([result]):
        groups.setdefault(pair.how, []).append(pair)
    return groups


def near_id_lines(result: CaseResult, columns: int, *, are_shown: bool) -> list[Line]:
    """Return which ids are nearly equal, a paragraph for each kind of difference.

    A paragraph has at most ten pairs of ids, and counts the rest. [] without pairs.

    `are_shown`: whether the report has the lines of `ids_in_doubt_lines`. These show
        white space, so differences in white space are left out here.
    """
    lines: list[Line] = []
    for how, pairs in near_ids(result).items():
        if are_shown and how == _VISIBLE_IN_QUOTES:
            continue
        parts = [_pair_text(pair, result) for pair in pairs[:_MOST_NEAR_PAIRS]]
        if len(pairs) > len(parts):
            parts.append(f"and {len(pairs) - len(parts)} more")
        head = f"ids that differ in {how} only: "
        lines += wrapped(head, parts, columns, "; ", BAD)
    if not lines:
        return []
    advice = "  if these are the same documents, write their ids as they are returned"
    return [*lines, styled_line(advice, DIM)]


def _pair_text(pair: NearPair, result: CaseResult) -> str:
    """Return, for example, `judged "SKU-1", returned "sku-1" at rank 3`."""
    judged = [document for document, _ in result.evaluation.missing]
    why = "judged" if pair.wanted in judged else "expected"
    wanted, found = pair.wanted, pair.found
    if _INVISIBLE in pair.how:
        wanted, found = _escaped(wanted), _escaped(found)
    wanted, found = quoted(wanted, _LONGEST_NEAR_ID), quoted(found, _LONGEST_NEAR_ID)
    rank = result.ranking.rank_of(pair.found)
    return f"{why} {wanted}, returned {found} at rank {rank}"


def _escaped(document: str) -> str:
    """Return an id with its characters beyond ASCII escaped."""
    return document.encode("ascii", "backslashreplace").decode("ascii")
