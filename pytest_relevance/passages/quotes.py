"""Check the quotes of a case: empty ones, short ones, and one inside another."""

from __future__ import annotations

from functools import lru_cache

from pytest_relevance.passages.characters import is_of_word, is_unspaced
from pytest_relevance.passages.matching import holds, quote_forms, text_forms

FEWEST_LETTERS = 12
"""The letters and digits of a quote that is no longer short.

Many texts hold a shorter quote by chance.
"""

_LETTERS_OF_A_SIGN = 3
"""How many letters a Chinese character counts for: a word has one or two of them."""


def is_empty(quote: str) -> bool:
    """Say whether normalising leaves nothing of a quote. Then no text can hold it."""
    return not any(quote_forms(quote).forms)


def is_short(quote: str) -> bool:
    """Say whether a quote has so few letters that texts may hold it by chance.

    A letter of a script without spaces counts as three.
    """
    count = 0
    for character in quote:
        if is_of_word(character):
            count += _LETTERS_OF_A_SIGN if is_unspaced(character) else 1
    return count < FEWEST_LETTERS


def contains(quote: str, other: str) -> bool:
    """Say whether a quote holds another one. Then each text with it holds both."""
    return holds(_text_forms(quote), _quote_forms(other))


# Each quote of a case is compared with all its others.
_text_forms = lru_cache(maxsize=1000)(text_forms)
_quote_forms = lru_cache(maxsize=1000)(quote_forms)
