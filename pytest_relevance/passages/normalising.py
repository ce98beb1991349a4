"""Normalise a text, so that typography, case, spaces and line breaks do not count."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from pytest_relevance.passages.characters import (
    LINE_HYPHEN,
    UNSPACED,
    is_combining,
    is_unspaced,
)

_DASH = "–"
"""Stands for all dashes, until hyphens at the ends of lines are found."""

_TYPOGRAPHY = {
    **dict.fromkeys("“”„‟«»〝〞〟″‶", '"'),
    **dict.fromkeys("‘’‚‛‹›ʼ′‵´", "'"),
    **dict.fromkeys("‐‑", "-"),
    **dict.fromkeys("‒–—―−⸺⸻﹘", _DASH),
    "…": "...",
    "〜": "~",
    "\u2044": "/",  # the slash of fractions
    "\u0640": "",  # the tatweel, which makes Arabic words longer
    "\ufffe": "-\n",  # how PDFium writes a hyphen at the end of a line
}
"""{character: what takes its place}, where Unicode's form NFKC is not enough."""

_SOFT_HYPHEN_AT_LINE_END = re.compile("\u00ad\\s+")
_HYPHEN_BEFORE_SPACE = re.compile(r"-(?<=[^\W\d_]-)\s+(?=[^\W\d_])")
"""A hyphen at the end of a line, also if a loader or YAML joined it with the next."""

_DASH_AT_LINE_END = re.compile(r"-(?<=\w-)[^\S\n]*\n\s*(?=\w)")
_DASHES = re.compile("--+")

_SPACE_BESIDE_UNSPACED = re.compile(rf" (?:(?=[{UNSPACED}])|(?<=[{UNSPACED}] ))")


def with_plain_characters(text: str) -> str:
    """Return a text in small letters, with plain quotation marks, dashes and so on."""
    if text.isascii():
        return text.casefold()
    text = _SOFT_HYPHEN_AT_LINE_END.sub("", text)
    for character in set(text):
        plain = _plain_character(character)
        if plain != character:
            text = text.replace(character, plain)
    return unicodedata.normalize("NFC", text).casefold()


def with_plain_lines(text: str) -> str:
    """Return a text on one line, with plain spaces and dashes.

    `text`: what `with_plain_characters` returned.

    A hyphen at the end of a line becomes a `LINE_HYPHEN`.
    """
    text = _HYPHEN_BEFORE_SPACE.sub(LINE_HYPHEN, text)
    text = _DASH_AT_LINE_END.sub("-", text.replace(_DASH, "-"))
    if "--" in text:
        text = _DASHES.sub("-", text)
    return _with_plain_space(text)


@lru_cache(maxsize=4096)
def _plain_character(character: str) -> str:
    """Return what takes the place of a character; "" for one that cannot be seen."""
    if unicodedata.category(character) == "Cf":
        return ""
    if character in _TYPOGRAPHY:
        return _TYPOGRAPHY[character]
    if _would_run_into_words(character):
        return character
    return unicodedata.normalize("NFKC", character)


def _would_run_into_words(character: str) -> bool:
    """Say whether Unicode's form NFKC would join a sign to a word or a number.

    10² is not 102, 5½ is not 51/2, and the word before ™ does not go on. A lone accent
    would become a space and an accent on it.
    """
    kind = unicodedata.decomposition(character).split(" ")
    if kind[0] == "<super>":
        return not character.isalpha()
    return kind[0] == "<fraction>" or kind[:2] == ["<compat>", "0020"]


def _with_plain_space(text: str) -> str:
    """Return a text with one space between words, and none beside most marks.

    A space beside a letter of a script without spaces is removed too.
    """
    text = " ".join(text.split())
    if text.isascii():
        return _space_beside_mark(has_combining=False).sub("", text)
    characters = set(text)
    if any(map(is_unspaced, characters)):
        text = _SPACE_BESIDE_UNSPACED.sub("", text)
    has_combining = any(map(is_combining, characters))
    return _space_beside_mark(has_combining=has_combining).sub("", text)


@lru_cache(maxsize=2)
def _space_beside_mark(*, has_combining: bool) -> re.Pattern[str]:
    """Return the pattern of a space beside a mark that is not between digits.

    "3, 4" are two numbers, "3,4" may be one. The space before "-5" and ".5" is not
    found either: there the mark belongs to the number.

    `has_combining`: whether the text has combining marks, which belong to words. A
        pattern that knows them takes several times as long.
    """
    combining = ""
    if has_combining:
        combining = "".join(filter(is_combining, map(chr, range(0x300, 0x1F000))))
    mark = rf"[^\w\s{combining}]"
    return re.compile(
        rf"""[ ](?![-.]\d)
        (?:
            (?={mark})(?!(?<=\d[ ]){mark}[ ]?\d)
          | (?<={mark}[ ])(?!\d(?:(?<=\d{mark}[ ]\d)|(?<=\d[ ]{mark}[ ]\d)))
        )""",
        re.VERBOSE,
    )
