"""What reports say of the documents that explain why a score is low, or changed.

The terminal, Markdown, the page and annotations take their words from here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from pytest_relevance._text import counted, quoted
from pytest_relevance.reports.cells import USER
from pytest_relevance.reports.run.case_change import CaseChange
from pytest_relevance.reports.styled_lines import PLAIN, Line
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Move

FELL, COSTS_MOST = "fell", "costs most"
IN_ITS_PLACE, NOW_ON_TOP, ON_TOP = "in its place", "now on top", "on top"
GAINED = "gained"
"""What reports say of a document that explains a score.

- FELL: its fall, or that it is not returned any more, lowered the score most.
- COSTS_MOST: it costs most, but is not known to have fallen.
- IN_ITS_PLACE: it took the place of the document that fell.
- NOW_ON_TOP, ON_TOP: it is the first result; NOW_ON_TOP if there is an earlier score.
- GAINED: its rise raised the score most.
"""

_TITLES = (FELL, COSTS_MOST, IN_ITS_PLACE, NOW_ON_TOP, ON_TOP, GAINED)
"""The words, in the order in which `title_of` prefers them."""


@dataclass(frozen=True, slots=True)
class ExplainingDocument:
    """What a report says of a document that explains a score.

    `title`: one of the words above.
    `spans`: the document with its ranks. Texts of users have the style `USER`. If no
        document is named, a text such as `nothing returned`, or ().
    """

    title: str
    spans: Line = ()

    @property
    def titled(self) -> Line:
        """The spans after the title: `fell: Boots rank 1 -> 4`.

        Without the title if no document is named.
        """
        if any(style == USER for _, style in self.spans):
            return ((f"{self.title}: ", PLAIN), *self.spans)
        return self.spans


@dataclass(frozen=True, slots=True)
class ExplainingDocuments:
    """The documents that explain the score of a case, as in `CaseChange`."""

    costliest: ExplainingDocument
    on_top: ExplainingDocument
    gained: ExplainingDocument


def explaining_documents(change: CaseChange) -> ExplainingDocuments:
    """Return what reports say of the documents that explain the score of a case.

    If the search failed, no document explains it.
    """
    result = change.result
    titles = _names_of_documents(result)
    costliest = None if result.call.error is not None else change.costliest
    costs_title, on_top_title = COSTS_MOST, ON_TOP
    if costliest is not None and costliest.has_fallen:
        costs_title, on_top_title = FELL, IN_ITS_PLACE
    elif change.before is not None:
        on_top_title = NOW_ON_TOP
    absent = "not found" if result.evaluation.passages else "not returned"
    on_top_spans = _on_top_spans(change.on_top, titles)
    if change.on_top is None and change.after is not None:
        on_top_spans = _few_spans(result)
    return ExplainingDocuments(
        costliest=ExplainingDocument(
            costs_title, _costliest_spans(costliest, titles, absent)
        ),
        on_top=ExplainingDocument(on_top_title, on_top_spans),
        gained=ExplainingDocument(GAINED, _gained_spans(change.gained, titles)),
    )


def _names_of_documents(result: CaseResult) -> Mapping[str, str]:
    """Return {document: title}. For a passage it is {its text: its text in quotes}."""
    names = dict(result.texts.titles)
    for passage in result.evaluation.passages:
        names[passage.text] = quoted(passage.text)
    return names


def _few_spans(result: CaseResult) -> Line:
    """Return, for example, `only 1 result`; () if there are at least k results."""
    returned = result.ranking.returned
    if not returned:
        return (("nothing returned", PLAIN),)
    if returned < result.conditions.k:
        return ((f"only {counted(returned, 'result')}", PLAIN),)
    return ()


def _costliest_spans(move: Move | None, titles: Mapping[str, str], absent: str) -> Line:
    """Return the spans of, for example, `Boots rank 1 -> 4`; () without a `move`.

    If no earlier rank is known, the text is `Boots rank 4`, or `Boots not returned`.

    `absent`: the words in place of a rank: `not returned`.
    """
    if move is None:
        return ()
    if move.first is not None:
        ranks = f" rank {move.first} -> {move.second or absent}"
    elif move.second:
        ranks = f" rank {move.second}"
    else:
        ranks = f" {absent}"
    return (_title_span(move, titles), (ranks, PLAIN))


def _on_top_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """Return the spans of, for example, `Boots rank 4`; no rank if it is 1."""
    if move is None:
        return ()
    title = _title_span(move, titles)
    return (title,) if move.second == 1 else (title, (f" rank {move.second}", PLAIN))


def _gained_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """Return the spans of `Boots rank 4 -> 1` or `Boots new at rank 1`, for example."""
    if move is None:
        return ()
    ranks = f" new at rank {move.second}"
    if move.first is not None:
        ranks = f" rank {move.first} -> {move.second}"
    return (_title_span(move, titles), (ranks, PLAIN))


def _title_span(move: Move, titles: Mapping[str, str]) -> tuple[str, str]:
    return (titles.get(move.document) or move.document, USER)


def title_of(documents: Iterable[ExplainingDocument]) -> str:
    """Return the title of a column of documents, whose own titles may differ.

    A document without spans does not count. "" if none has spans.
    """
    titles = {document.title for document in documents if document.spans}
    return next((title for title in _TITLES if title in titles), "")
