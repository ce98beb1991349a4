"""Find out whether the text of a result holds a quote.

Both are brought to forms in which the differences between a screen and an extracted
text are gone: typography, case, white space, line-end hyphens, Markdown. Then the quote
is looked up in the text. It must begin and end where words and numbers do.
"""

from __future__ import annotations

from dataclasses import dataclass

from pytest_relevance.passages.characters import begins_at, ends_at
from pytest_relevance.passages.markup import without_markup
from pytest_relevance.passages.normalising import normalised

SHORTEST_HALF = 24
"""The fewest characters of a context that are enough, unless the text has all of it."""


@dataclass(frozen=True, slots=True)
class TextForms:
    """A text in the forms in which texts are compared.

    Attributes:
        forms: One to four texts, which differ.

    """

    forms: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class QuoteForms:
    """A quote in the forms in which texts are compared.

    Attributes:
        forms: One to four texts, which differ.
        is_context: Whether half of it is enough.

    """

    forms: tuple[str, ...]
    is_context: bool = False


def text_forms(text: str) -> TextForms:
    """Return a text in the forms in which texts are compared."""
    return TextForms(_forms(text))


def quote_forms(quote: str, *, is_context: bool = False) -> QuoteForms:
    """Return a quote in the forms in which texts are compared.

    Args:
        quote: The quote.
        is_context: Whether half of the quote is enough: it is a context from a golden
            set of another tool, which another splitter cut.

    Returns:
        The forms.

    """
    return QuoteForms(_forms(quote), is_context)


def holds(text: TextForms, quote: QuoteForms) -> bool:
    """Say whether a text holds a quote: in any form, the text contains the quote."""
    for text_form in text.forms:
        for quote_form in quote.forms:
            if _find(quote_form, text_form) >= 0:
                return True
            if quote.is_context and _has_half(quote_form, text_form):
                return True
    return False


def _forms(text: str) -> tuple[str, ...]:
    """Return the distinct forms of a text: with and without markup and hyphens."""
    forms: dict[str, None] = {}
    for version in (text, without_markup(text)):
        for form in normalised(version):
            forms[form] = None
    return tuple(forms)


def _find(quote: str, text: str) -> int:
    """Return where a text contains a quote that begins and ends there; -1 if nowhere.

    Nothing contains an empty quote.
    """
    if not quote:
        return -1
    start = text.find(quote)
    while start >= 0:
        end = start + len(quote)
        if begins_at(text, start) and ends_at(text, end):
            return start
        start = text.find(quote, start + 1)
    return -1


def _has_half(context: str, text: str) -> bool:
    """Say whether a text has a consecutive run of at least half of a context.

    Such a run has a whole quarter of the context in it.
    """
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
    """Return how long two texts are equal around a place of each."""
    before = _common_length(context[:begin][::-1], text[:place][::-1])
    return before + _common_length(context[begin:], text[place:])


def _common_length(one: str, other: str) -> int:
    """Return with how many characters two texts begin alike."""
    length = 0
    for first, second in zip(one, other, strict=False):
        if first != second:
            break
        length += 1
    return length
