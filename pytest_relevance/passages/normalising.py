"""Bring a text to a form without the differences of typography, case and lines."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from pytest_relevance.passages.characters import UNSPACED, is_combining

_TYPOGRAPHY = {
    **dict.fromkeys("“”„‟«»〝〞〟″‶", '"'),
    **dict.fromkeys("‘’‚‛‹›ʼ′‵´", "'"),
    **dict.fromkeys("‐‑‒–—―−⸺⸻﹘", "-"),
    "…": "...",
    "\u2044": "/",  # the slash of fractions
    "\u0640": "",  # the tatweel, which makes Arabic words longer
}
"""What becomes of a character, before Unicode's form NFKC."""

_SOFT_HYPHEN_AT_LINE_END = re.compile(r"\xad\s+")
_HYPHEN_AT_LINE_END = re.compile(r"-(?<=\w-)[^\S\n]*\n\s*(?=\w)")
_HYPHEN_BEFORE_SPACE = re.compile(r"-(?<=[^\W\d_]-)\s+(?=[^\W\d_])")
"""A hyphen at the end of a line, also if a loader or YAML joined it with the next."""

_KEPT = "\0"
"""Stands for a space that is kept."""

_BETWEEN_DIGITS = re.compile(r"\d(?: [^\w\s] ?|[^\w\s] )(?=\d)")
"""A mark and spaces between digits: "3, 4" are two numbers, "3,4" may be one."""

_SPACE_BESIDE_MARK = re.compile(r" (?:(?=[^\w\s]|_)|(?<=[^\w\s] )|(?<=_ ))")
_SPACE_BESIDE_UNSPACED = re.compile(rf" (?:(?=[{UNSPACED}])|(?<=[{UNSPACED}] ))")


def normalised(text: str) -> list[str]:
    """Return a text in one form, or in two if lines end with hyphens.

    In the first form these hyphens are kept, in the second they are removed.
    """
    text = _with_plain_characters(text.replace(_KEPT, " "))
    if not _HYPHEN_BEFORE_SPACE.search(text):
        return [_with_plain_space(_HYPHEN_AT_LINE_END.sub("-", text))]
    kept = _HYPHEN_AT_LINE_END.sub("-", text)
    removed = _HYPHEN_BEFORE_SPACE.sub("", text)
    return [_with_plain_space(kept), _with_plain_space(removed)]


def _with_plain_characters(text: str) -> str:
    """Return a text without the differences of single characters: typography, case."""
    if text.isascii():
        return text.casefold()
    text = _SOFT_HYPHEN_AT_LINE_END.sub("", text)
    for character in set(text):
        plain = _plain_character(character)
        if plain != character:
            text = text.replace(character, plain)
    return unicodedata.normalize("NFC", text).casefold()


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    """Return what becomes of a character; nothing of one that cannot be seen."""
    if unicodedata.category(character) == "Cf":
        return ""
    if character in _TYPOGRAPHY:
        return _TYPOGRAPHY[character]
    if character.isnumeric() and not character.isdecimal():
        return _plain_number(character)
    plain = unicodedata.normalize("NFKC", character)
    return character if plain.startswith(" ") and len(plain) > 1 else plain


def _plain_number(character: str) -> str:
    """Return a number such as ⑤ as digits, unless other digits would run into it.

    10² is not 102, and 5½ is not 51/2.
    """
    kind = unicodedata.decomposition(character).split(" ")[0]
    if kind in ("<super>", "<fraction>"):
        return character
    return unicodedata.normalize("NFKC", character)


def _with_plain_space(text: str) -> str:
    """Return a text with one space between words, and none where it means nothing."""
    text = " ".join(text.split())
    if not text.isascii():
        text = _SPACE_BESIDE_UNSPACED.sub("", text)
        for character in filter(is_combining, set(text)):
            text = text.replace(f"{character} ", f"{character}{_KEPT}")
            text = text.replace(f" {character}", f"{_KEPT}{character}")
    text = _BETWEEN_DIGITS.sub(_with_kept_spaces, text)
    return _SPACE_BESIDE_MARK.sub("", text).replace(_KEPT, " ")


def _with_kept_spaces(found: re.Match[str]) -> str:
    return found[0].replace(" ", _KEPT)
