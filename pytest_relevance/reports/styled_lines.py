"""Styled lines for a terminal, and how text is broken into such lines.

The style of a span says what its text means, for example BAD. The plugin and the
command line decide which colour a style has.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import harmless
from pytest_relevance.reports.terminal_text import WIDEST, display_width, folded

PLAIN, BAD, GOOD, DIM, STRONG, DOUBT = "", "bad", "good", "dim", "strong", "doubt"
"""The styles of a span."""

Span = tuple[str, str]
"""A text and its style."""

Line = tuple[Span, ...]
"""The spans of a line, from left to right."""

MOST_PARTS = 10
"""How many parts of a long list a report has."""

_INDENT = 4
_DEEPEST_INDENT = 24


def styled_line(text: str, style: str = PLAIN) -> Line:
    """Return a line of one span."""
    return ((text, style),)


def plain_text(lines: Iterable[Line]) -> str:
    """Return lines as text without styles."""
    texts = []
    for spans in lines:
        texts.append("".join(text for text, _ in spans))
    return "\n".join(texts)


def folded_lines(
    text: str, style: str = PLAIN, columns: int = WIDEST, indent: str = " " * _INDENT
) -> list[Line]:
    """Return any text as harmless lines of one style, broken at its blanks.

    A line is at most `columns` wide, but a word that is wider stays whole. All lines
    except the first begin with `indent`.
    """
    parts = folded(harmless(text), columns, indent)
    return [styled_line(part, style) for part in parts]


def wrapped(
    head: str,
    parts: Iterable[str],
    columns: int = WIDEST,
    separator: str = ", ",
    style: str = PLAIN,
) -> list[Line]:
    """Return a head and parts after it as lines, broken between parts.

    The second line and all further lines are indented to the end of the head, or by
    four blanks if the head is empty or long. A part that is wider than a line is broken
    at its blanks.

    `parts`: harmless texts.
    `separator`: the text between two parts.
    """
    head_width = display_width(head)
    is_below_head = 0 < head_width <= _DEEPEST_INDENT
    indent = " " * (head_width if is_below_head else _INDENT)
    line_end = separator.rstrip()
    parts = list(parts)
    texts = []
    current = head
    for number, part in enumerate(parts):
        is_last = number == len(parts) - 1
        longer = current + separator + part
        room = columns if is_last else columns - len(line_end)
        if number == 0:
            current += part
        elif display_width(longer) > room:
            texts.append(current + line_end)
            current = indent + part
        else:
            current = longer
    texts.append(current)
    lines = []
    for text in texts:
        for piece in folded(text, columns, indent):
            lines.append(styled_line(piece, style))
    return lines


def first_parts(parts: Sequence[str], count: int | None = None) -> list[str]:
    """Return the first ten parts of a list, and a text about how many more there are.

    `count`: the length of the list, if `parts` does not have all of it.
    """
    chosen = list(parts[:MOST_PARTS])
    total = len(parts) if count is None else count
    if total > len(chosen):
        chosen.append(f"and {total - len(chosen)} more")
    return chosen
