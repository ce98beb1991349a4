"""Say which characters belong to words and numbers, and where these begin and end."""

from __future__ import annotations

import re
import unicodedata

UNSPACED = (
    "\u0e00-\u0eff"  # Thai, Lao
    "\u1000-\u109f\ua9e0-\ua9ff\uaa60-\uaa7f"  # Myanmar
    "\u1780-\u17ff"  # Khmer
    "\u2e80-\u2fdf\u3005-\u3007\u3021-\u302f\u3031-\u303c\u3041-\u309f\u30a1-\u30fa"
    "\u30fc-\u31ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
)
"""Scripts that are written without spaces between words, as a class of characters.

The last two lines are Chinese and Japanese, without their punctuation.
"""

_UNSPACED = re.compile(f"[{UNSPACED}]")
_NUMBER_MARKS = ".,'/:"
"""Marks over which a number goes on if a digit follows: 2.5, 1'000, 1/2, 9:30."""


def is_of_word(character: str) -> bool:
    """Whether a character is a letter, a combining mark or a digit."""
    if character.isalpha() or character.isdecimal():
        return True
    return is_combining(character)


def is_combining(character: str) -> bool:
    """Whether a character is a mark on the letter before it: an accent, a vowel."""
    return unicodedata.category(character).startswith("M")


def is_unspaced(character: str) -> bool:
    """Whether a character is of a script that is written without spaces."""
    return _UNSPACED.match(character) is not None


def begins_at(text: str, start: int) -> bool:
    """Whether the word or the number at `start` begins there, if there is one."""
    if start == 0:
        return True
    before, first = text[start - 1], text[start]
    if is_combining(first) or _is_one_word(before, first):
        return False
    if first.isdecimal() and before in _NUMBER_MARKS:
        return not text[start - 2 : start - 1].isdecimal()
    return True


def ends_at(text: str, end: int) -> bool:
    """Whether the word or the number before `end` ends there, if there is one."""
    if end == len(text):
        return True
    last, after = text[end - 1], text[end]
    if is_combining(after) or _is_one_word(last, after):
        return False
    if last.isdecimal() and after in _NUMBER_MARKS:
        return not text[end + 1 : end + 2].isdecimal()
    return True


def _is_one_word(one: str, other: str) -> bool:
    """Whether two characters, one after the other, are of one word or one number.

    In scripts without spaces nothing shows where a word ends.
    """
    if not (is_of_word(one) and is_of_word(other)):
        return False
    return not (is_unspaced(one) or is_unspaced(other))
