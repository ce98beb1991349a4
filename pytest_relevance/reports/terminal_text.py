"""Text for a terminal: how wide it is, and how it is cut and folded to a width.

Widths are in columns: a Chinese character takes two, an accent that combines with the
letter before it takes none. Text must be made harmless (`harmless` of `_text.py`)
before it is measured, because a control character has no width.
"""

from __future__ import annotations

import shutil
import sys
import unicodedata
from collections.abc import Mapping

from pytest_relevance._text import WIDEST as WIDEST
from pytest_relevance._text import harmless as harmless

WIDEST_TERMINAL = 160
"""The width of a report in a terminal that is wider."""

LONGEST_TITLE = 30
"""How wide the title of a document may be in a sentence, unless there is much room."""

_NARROWEST_TERMINAL = 40
_FOR_NARROWER = 80

_ELLIPSIS = "..."

_COMBINING = frozenset({"Mn", "Me", "Cf"})
_WIDE = frozenset({"W", "F"})
_FIRST_JOINED_HANGUL, _LAST_JOINED_HANGUL = "\u1160", "\u11ff"


def display_width(text: str) -> int:
    """Return how many columns harmless text takes in a terminal."""
    if text.isascii():
        return len(text)
    return sum(_character_width(character) for character in text)


def _character_width(character: str) -> int:
    if unicodedata.category(character) in _COMBINING:
        return 0
    # vowels and final consonants of Hangul are drawn into the syllable before them
    if _FIRST_JOINED_HANGUL <= character <= _LAST_JOINED_HANGUL:
        return 0
    if unicodedata.east_asian_width(character) in _WIDE:
        return 2
    return 1


def terminal_width() -> int:
    """Return the width of a report for this terminal: its own, up to 160 columns.

    Without a terminal the width is 100. As in pytest, the environment variable COLUMNS
    comes first, and a width below 40 counts as 80.
    """
    columns = shutil.get_terminal_size((WIDEST, 24)).columns
    if columns < _NARROWEST_TERMINAL:
        return _FOR_NARROWER
    return min(columns, WIDEST_TERMINAL)


def cut(text: str, columns: int) -> str:
    """Return harmless text; if it is wider than `columns`, its end becomes `...`.

    If `columns` is at most 3, the text is cut without `...`.
    """
    if display_width(text) <= columns:
        return text
    if columns <= len(_ELLIPSIS):
        return _beginning(text, columns)
    return _beginning(text, columns - len(_ELLIPSIS)) + _ELLIPSIS


def cut_middle(text: str, columns: int) -> str:
    """Return harmless text; if it is wider than `columns`, its middle becomes `...`.

    If `columns` is at most 3, the end is cut without `...`. Ids of one collection often
    begin alike, and differ at their ends.
    """
    if display_width(text) <= columns or columns <= len(_ELLIPSIS):
        return cut(text, columns)
    room = columns - len(_ELLIPSIS)
    beginning = _beginning(text, room // 2)
    end = _beginning(text[::-1], room - display_width(beginning))[::-1]
    return f"{beginning}{_ELLIPSIS}{end}"


def cut_document(text: str, columns: int) -> str:
    """Return a document's title cut at its end, or its id (no blanks) cut inside.

    The beginning and the middle of a title usually say what the document is: `3M Ergo
    Wireless mouse`.
    """
    return cut(text, columns) if " " in text else cut_middle(text, columns)


def _beginning(text: str, columns: int) -> str:
    """Return as many of the first characters as `columns` have room for."""
    used = 0
    for index, character in enumerate(text):
        used += display_width(character)
        if used > columns:
            return text[:index]
    return text


def titled(
    text: str, document: str, titles: Mapping[str, str], longest: int = LONGEST_TITLE
) -> str:
    """Return a text about a document, and then its title: `2060476 "Smart Watch 2"`.

    Without a title, return the text alone. A title wider than `longest` is cut.
    """
    title = titles.get(document, "")
    if not title:
        return text
    return f'{text} "{cut_document(harmless(title), longest)}"'


def title_room(columns: int, *, full: bool = False) -> int:
    """Return how wide a title may be in a sentence of a report of so many columns.

    The width is at least `LONGEST_TITLE`.

    `full`: whether titles are not cut at all.
    """
    if full:
        return sys.maxsize
    return max(LONGEST_TITLE, columns // 2 - 20)


def folded(
    text: str, columns: int = WIDEST, indent: str = "", first: int | None = None
) -> list[str]:
    """Return harmless text as lines of at most `columns`, broken at its blanks.

    All lines except the first begin with `indent`. A word that is wider than a line
    stays whole.

    `first`: the room in the first line; None if it is `columns`.
    """
    room = columns if first is None else first
    if display_width(text) <= room:
        return [text]
    lines = []
    current = ""
    for number, word in enumerate(text.split(" ")):
        longer = f"{current} {word}" if number else word
        if display_width(longer) > room and current.strip():
            lines.append(current.rstrip())
            current = indent + word
            room = columns
        else:
            current = longer
    lines.append(current)
    return lines
