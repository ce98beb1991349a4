"""Tell which characters belong to words and numbers, and where these begin and end."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

LINE_HYPHEN = "\u00ad"
"""Stands for a hyphen at the end of a line.

It may belong to the word (well-known), or only divide it (docu-ment).
"""

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u1100-\u11ff\u3130-\u318f\ua960-\ua97f\uac00-\ud7ff"  # Korean
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3041-\u309f\u30a1-\u30fa"
    "\u30fc-\u312f\u3190-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
"""Letters of scripts that do not put a space around each word, for a regex class.

The last lines are Chinese and Japanese. Korean has spaces, but particles follow a word
without one, and lines break within words.
"""

_UNSPACED = re.compile(f"[{UNSPACED}]")
_NUMBER_MARKS = ".,'/:-\u066b\u066c"
"""Marks that continue a number if a digit follows: 2.5, 1'000, 1/2, 9:30, 3-5.

The last two are those of Arabic numbers.
"""

_OUTSIDE = "\n"
"""Stands for what is before and after a text."""


def is_of_word(character: str) -> bool:
    """Say whether a character is a letter, a combining mark or a digit."""
    if character.isalpha() or character.isdecimal():
        return True
    return is_combining(character)


@lru_cache(maxsize=4096)
def is_combining(character: str) -> bool:
    """Say whether a character is a mark on the letter before it: an accent, a vowel."""
    return unicodedata.category(character).startswith("M")


@lru_cache(maxsize=4096)
def is_unspaced(character: str) -> bool:
    """Say whether a character is of a script without a space around each word."""
    return _UNSPACED.match(character) is not None


def begins_at(text: str, start: int) -> bool:
    """Say whether `start` is not within a word or a number.

    The minus of "-5" and the point of ".5" belong to the number.
    """
    if start == 0:
        return True
    before, first = text[start - 1], text[start]
    if is_combining(first) or _is_one_word(before, first):
        return False
    further = text[start - 2] if start > 1 else _OUTSIDE
    if before == "_":
        return not _is_one_word(further, first)
    if first.isdecimal() and before in _NUMBER_MARKS:
        is_sign = before in "-." and further in " ("
        return not (is_sign or further.isdecimal())
    return True


def ends_at(text: str, end: int) -> bool:
    """Say whether `end` is not within a word or a number."""
    if end == len(text):
        return True
    last, after = text[end - 1], text[end]
    if is_combining(after) or _is_one_word(last, after):
        return False
    further = text[end + 1 : end + 2] or _OUTSIDE
    if after in f"_{LINE_HYPHEN}":
        return not _is_one_word(last, further)
    if last.isdecimal() and after in _NUMBER_MARKS:
        return not further.isdecimal()
    return True


def _is_one_word(one: str, other: str) -> bool:
    """Say whether two neighbouring characters belong to the same word or number.

    A fraction or a superscript after a digit belongs to its number: 5½, 10².
    """
    if one.isdecimal() and other.isnumeric():
        return True
    if not (is_of_word(one) and is_of_word(other)):
        return False
    return not (is_unspaced(one) or is_unspaced(other))
