"""Text for a terminal: user's text made harmless, measured by display width, and lines made of styled spans.

The furniture of a report is ASCII; ids, queries and titles are the user's own and may hold anything.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

WIDEST = 100
"""Columns of the widest line of furniture."""

PLAIN, BAD, GOOD, DIM, STRONG, DOUBT = "", "bad", "good", "dim", "strong", "doubt"
"""Styles of a span. What they look like is the business of whoever writes to the terminal."""

Span = tuple[str, str]
Line = tuple[Span, ...]

_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_JOINERS = frozenset({"\u200c", "\u200d"})  # letters of Indic scripts, Persian and emoji need them
_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})


def harmless(text: str) -> str:
    """Text with every character escaped that a terminal could act on or a reader be misled by.

    Control characters, line breaks, and the invisible ones that reorder or hide text (`\\u202e`).
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character
        if unicodedata.category(character) not in _HARMFUL or character in _JOINERS
        else character.encode("unicode_escape", "surrogatepass").decode("ascii")
        for character in text
    )


def width(text: str) -> int:
    """The columns that harmless text takes in a terminal: two for wide characters, none for combining ones."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if unicodedata.category(character) not in _ZERO_WIDTH:
            columns += 2 if unicodedata.east_asian_width(character) in "WF" else 1
    return columns


def fit(text: str, columns: int) -> str:
    """User's text made harmless and brought to exactly `columns`: cut with `...`, or filled with blanks."""
    text = harmless(text)
    if width(text) > columns:
        kept, used = [], 0
        for character in text:
            used += width(character)
            if used > columns - 3:
                break
            kept.append(character)
        text = "".join(kept) + "..."
    return text + " " * (columns - width(text))


def line(text: str, style: str = PLAIN) -> Line:
    """A line of one span."""
    return ((text, style),)


def plain(lines: Iterable[Line]) -> str:
    """Lines as text without styles."""
    return "\n".join("".join(text for text, _ in spans) for spans in lines)


def wrapped(head: str, parts: Iterable[str], columns: int = WIDEST) -> list[str]:
    """Parts joined with commas after a head, broken over lines that are indented below it."""
    lines, current = [], head
    indent = " " * len(head)
    for number, part in enumerate(parts):
        piece = part if not number else f", {part}"
        if number and width(current) + width(piece) > columns:
            lines.append(f"{current},")
            current = f"{indent}{part}"
        else:
            current += piece
    return [*lines, current]
