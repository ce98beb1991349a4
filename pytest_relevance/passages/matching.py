"""Find out whether the text of a result holds a quote."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TextForms:
    """A text in the forms in which texts are compared."""

    plain: str


@dataclass(frozen=True, slots=True)
class QuoteForms:
    """A quote in the forms in which texts are compared.

    `is_context`: whether half of it is enough.
    """

    plain: str
    is_context: bool = False


def text_forms(text: str) -> TextForms:
    """Return a text in the forms in which texts are compared."""
    return TextForms(" ".join(text.casefold().split()))


def quote_forms(quote: str, *, is_context: bool = False) -> QuoteForms:
    """Return a quote in the forms in which texts are compared."""
    return QuoteForms(" ".join(quote.casefold().split()), is_context)


def holds(text: TextForms, quote: QuoteForms) -> bool:
    """Say whether a text holds a quote."""
    return quote.plain in text.plain
