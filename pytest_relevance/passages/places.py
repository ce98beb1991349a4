"""Find where a text holds a quote, so that a report can mark the place."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from pytest_relevance.passages.characters import UNSPACED
from pytest_relevance.passages.matching import QuoteForms, holds, text_forms

_WORD = re.compile(rf"[{UNSPACED}]|[^\s{UNSPACED}]+")
"""A word with the marks at its ends, or a letter of a script without spaces."""


def place_of_quote(text: str, quote: QuoteForms) -> tuple[int, int] | None:
    """Return the start and the end of the place where a text holds a quote.

    `text[start:end]` is the shortest piece that holds the quote, at its first place in
    the text. If half of the quote is enough (a context), it is the words of that half.
    None if the text does not hold the quote.

    `holds` compares normalised forms, in which characters have other places than in the
    text. So the piece is found by trying: words are left out at the end and at the
    start for as long as the rest holds the quote. Then single characters are left out,
    for example a full stop.
    """
    if not _holds(text, quote):
        return None
    words = [word.span() for word in _WORD.finditer(text)]
    ends = [end for _, end in words]
    last = bisect_left(ends, True, key=lambda end: _holds(text[:end], quote))
    end = ends[min(last, len(ends) - 1)]
    starts = [start for start, _ in words if start < end]
    first = bisect_left(
        starts, True, key=lambda start: not _holds(text[start:end], quote)
    )
    start = starts[max(first - 1, 0)]
    if quote.is_context:
        return start, end  # half of a context may end within a word
    while _holds(text[start : end - 1], quote):
        end -= 1
    while _holds(text[start + 1 : end], quote):
        start += 1
    return start, end


def places_of_quotes(text: str, quotes: Sequence[QuoteForms]) -> list[tuple[int, int]]:
    """Return where a text holds quotes, as (start, end), in the order of the text.

    Places that overlap are joined. A quote that the text does not hold has no place.
    """
    places: list[tuple[int, int]] = []
    found = [place_of_quote(text, quote) for quote in quotes]
    for start, end in sorted(place for place in found if place is not None):
        if places and start <= places[-1][1]:
            first, last = places[-1]
            places[-1] = first, max(last, end)
        else:
            places.append((start, end))
    return places


def _holds(text: str, quote: QuoteForms) -> bool:
    return holds(text_forms(text), quote)
