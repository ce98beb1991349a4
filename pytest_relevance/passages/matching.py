"""Find out whether the text of a result holds a quote.

Both are normalised first. So a difference in typography, case, white space, Markdown,
or hyphens at the ends of lines does not count. Then the quote is looked up in the text.
The quote must begin and end where words and numbers do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from html import unescape

from pytest_relevance.passages.characters import LINE_HYPHEN, begins_at, ends_at
from pytest_relevance.passages.markup import without_footnotes, without_markup
from pytest_relevance.passages.normalising import (
    with_plain_characters,
    with_plain_lines,
)

SHORTEST_HALF = 24
"""The fewest characters of a context that are enough, unless the text has all of it."""


TextForms = tuple[str, ...]
"""A text in the forms in which texts are compared.

These are the text as it is, and without markup and numbers of footnotes, if it has any.
"""


@dataclass(frozen=True, slots=True)
class QuoteForms:
    """A quote in the forms in which texts are compared.

    `forms`: the quote as it is, and without markup, if it has any.
    `is_context`: whether half of the quote is enough.
    """

    forms: tuple[str, ...]
    is_context: bool = False


def text_forms(text: str) -> TextForms:
    """Return a text in the forms in which texts are compared.

    The numbers of footnotes are removed, because a quote usually has none.
    `quote_forms` removes no numbers: who wrote the quote meant them.
    """
    text = with_plain_characters(text)
    return _forms(text, without_markup(without_footnotes(text)))


def quote_forms(quote: str, *, is_context: bool = False) -> QuoteForms:
    """Return a quote in the forms in which texts are compared.

    `is_context`: whether half of the quote is enough, because it is a context from a
        golden set of another tool: another splitter has cut it.
    """
    quote = with_plain_characters(quote)
    return QuoteForms(_forms(quote, without_markup(quote)), is_context)


def holds(text: TextForms, quote: QuoteForms) -> bool:
    """Say whether any form of a text contains any form of a quote."""
    for text_form in text:
        for quote_form in quote.forms:
            if _has(text_form, quote_form):
                return True
            if quote.is_context and _has_half(text_form, quote_form):
                return True
    return False


def _forms(text: str, plain: str) -> tuple[str, ...]:
    """Return the normalised forms of a text: with markup, and without if it differs.

    `text`: what `with_plain_characters` returned.
    `plain`: the same without markup.
    """
    first = with_plain_lines(text)
    # Only now, because `&lt;b&gt;` is the text <b>, which is not markup.
    without_entities = unescape(plain)
    if without_entities != plain:
        plain = with_plain_characters(without_entities)
    if plain == text:
        return (first,)
    second = with_plain_lines(plain)
    return (first,) if first == second else (first, second)


def _has(text: str, quote: str) -> bool:
    """Say whether a quote is in a text, and not within a longer word or number."""
    for start, end in _places(text, quote):
        if begins_at(text, start) and ends_at(text, end):
            return True
    return False


def _places(text: str, quote: str) -> Iterator[tuple[int, int]]:
    """Yield the start and the end of each place of a quote in a text.

    An empty quote has no place.
    """
    if not quote:
        return
    if LINE_HYPHEN in text or LINE_HYPHEN in quote:
        yield from _places_over_line_hyphens(text, quote)
        return
    start = text.find(quote)
    while start >= 0:
        yield start, start + len(quote)
        start = text.find(quote, start + 1)


def _places_over_line_hyphens(text: str, quote: str) -> Iterator[tuple[int, int]]:
    """Yield the places of a quote, if it or the text has hyphens at ends of lines.

    Such a hyphen equals a hyphen or no character at all.
    """
    if _without_hyphens(quote) not in _without_hyphens(text):
        return
    pattern = _pattern(quote)
    found = pattern.search(text)
    while found:
        yield found.span()
        found = pattern.search(text, found.start() + 1)


def _without_hyphens(text: str) -> str:
    """Return a text without hyphens, also without those at the ends of lines."""
    return text.replace(LINE_HYPHEN, "").replace("-", "")


@lru_cache(maxsize=1024)
def _pattern(quote: str) -> re.Pattern[str]:
    """Return the pattern of a quote, with or without hyphens at the ends of lines."""
    parts = []
    for character in quote:
        if character == "-":
            parts.append(f"[-{LINE_HYPHEN}]")
        elif character == LINE_HYPHEN:
            parts.append(f"[-{LINE_HYPHEN}]?")
        else:
            parts.append(re.escape(character))
    return re.compile(f"{LINE_HYPHEN}?".join(parts))


def _has_half(text: str, context: str) -> bool:
    """Say whether a text has at least half of a context in one piece.

    The context is divided into quarters. Any half of it contains a whole quarter, so
    each quarter is looked up in the text, and extended to both sides. Hyphens do not
    count.
    """
    text, context = _without_hyphens(text), _without_hyphens(context)
    enough = max(len(context) / 2, SHORTEST_HALF)
    quarter = len(context) // 4
    if quarter == 0:
        return False
    for begin in range(0, len(context) - quarter + 1, quarter):
        part = context[begin : begin + quarter]
        place = text.find(part)
        while place >= 0:
            if _common_run(context, begin, text, place) >= enough:
                return True
            place = text.find(part, place + 1)
    return False


def _common_run(context: str, begin: int, text: str, place: int) -> int:
    """Return how many characters are equal around a place that both texts share.

    `begin`, `place`: the place in `context`, and in `text`.
    """
    before = _common_length(context[:begin][::-1], text[:place][::-1])
    return before + _common_length(context[begin:], text[place:])


def _common_length(one: str, other: str) -> int:
    """Return the number of equal characters at the beginning of two texts."""
    length = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        length += 1
    return length
