"""Shorten the texts of results for the page, with the quotes of passages marked."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from pytest_relevance.metrics.ndcg import Held
from pytest_relevance.results.case_parts import CasePassage

if TYPE_CHECKING:
    from pytest_relevance.passages.matching import QuoteForms

MOST_TEXTS = 5
"""How many results of a ranking have their texts in the page.

`SHELF_LENGTH` of `script/shelves.js` is the same number.
"""

_AROUND = 90
"""How many characters of a text stand before and after a quote."""

_LONGEST_HALF = 150
"""How many characters of a long quote are left at its start and at its end."""

_ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"


def marked_texts(
    texts: Sequence[Sequence[str]],
    held: Held,
    passages: Sequence[CasePassage],
) -> list[list[str]]:
    """Return the text of each of the first results as a list of pieces.

    The pieces are plain and marked in turn: the second one is the first quote. Long
    pieces are shortened. A result without a text has []. If a result has several
    chunks, its text is the first chunk that holds a quote, or else the first chunk.

    `texts`: for each result its chunks; one if chunks are not collapsed.
    `held`: for each result the indexes (from 0) of the passages that it holds.
    """
    shown = []
    for texts_of_result, indexes in zip(texts[:MOST_TEXTS], held, strict=False):
        quotes: list[QuoteForms] = []
        for index in indexes:
            # higher indexes are those of excluded quotes
            if index < len(passages):
                quotes += _forms_of(passages[index])
        shown.append(_pieces_of_result(texts_of_result, quotes))
    return shown


def _forms_of(passage: CasePassage) -> Iterable[QuoteForms]:
    """Yield the forms of each quote of a passage. A text with one of them holds it."""
    # most runs have no passages
    from pytest_relevance.passages.matching import quote_forms

    for quote in (passage.text, *passage.other_quotes):
        yield quote_forms(quote, is_context=passage.is_context)


def _pieces_of_result(texts: Sequence[str], quotes: Sequence[QuoteForms]) -> list[str]:
    """Return the first text that holds a quote, or else the first text, in pieces."""
    from pytest_relevance.passages.places import places_of_quotes

    for text in texts:
        places = places_of_quotes(text, quotes)
        if places:
            return _pieces(text, places)
    return _pieces(texts[0], []) if texts else []


def _pieces(text: str, places: Sequence[tuple[int, int]]) -> list[str]:
    """Return a text as plain and marked pieces, in turn. Each is cut if it is long.

    `places`: the start and the end of each marked piece.
    """
    if not places:
        return [_shortened(text, head=2 * _AROUND)]
    pieces: list[str] = []
    end_before = 0
    for start, end in places:
        head = _AROUND if pieces else 0
        pieces.append(_shortened(text[end_before:start], head=head, tail=_AROUND))
        mark = text[start:end]
        pieces.append(_shortened(mark, head=_LONGEST_HALF, tail=_LONGEST_HALF))
        end_before = end
    return [*pieces, _shortened(text[end_before:], head=_AROUND)]


def _shortened(text: str, *, head: int, tail: int = 0) -> str:
    """Return a text, or of a long one the start and the end with an ellipsis between.

    White space becomes single spaces.

    `head`, `tail`: how many characters stay at the start and at the end, if the text
        has more than both together. A word that would be cut is left out.
    """
    text = _with_single_spaces(text)
    if len(text) <= head + tail:
        return text
    start = text[:head].rpartition(" ")[0] or text[:head]
    end = text[len(text) - tail :]
    end = end.partition(" ")[2] or end
    before = f"{start} " if start else ""
    after = f" {end}" if end else ""
    return f"{before}{_ELLIPSIS}{after}"


def _with_single_spaces(text: str) -> str:
    """Return a text with one space in the place of each white space."""
    words = " ".join(text.split())
    before = " " if text[:1].isspace() else ""
    after = " " if text[-1:].isspace() else ""
    return f"{before}{words}{after}" if words else before
