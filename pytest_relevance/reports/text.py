"""Text of reports: user's text made harmless, measured and cut by display width, lines of styled spans; numbers.

Text in Markdown and for GitHub Actions too: user's text in which neither finds markup or a workflow command.

The words of the report itself are ASCII; ids, queries and titles come from users and may contain any character.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import unicodedata
from collections.abc import Iterable, Mapping

from pytest_relevance._text import harmless as harmless
from pytest_relevance._text import time_text

REPORT_MARK = "pytest-relevance report"
"""The comment at the beginning of a report in HTML or Markdown, by which it is recognised."""

_BEGINNING = (
    rb"(?s:.{,2000}?)"
    + REPORT_MARK.encode()
    + rb'|\{\s*"kind": "pytest-relevance (?:comparison|history)"'
    rb'|\{\s*"name": .+,\s*"run": \{(?s:.*),\s*"results": \['  # a run as JSON
    rb"|History of [\d,]+ runs?, "
    rb"|(?s:.{1,2000}? -> .{1,2000}?): [\d,]+ cases? compared, [\d,]+ with another ranking"
)
_COUNTS = rb"(?m)^[\d,]+ cases?(?: in [\d,]+ variants?)?(?::|$)"  # at the end of the report of a run
_COUNTS_WITHIN = 2_000  # bytes

WIDEST = 100
"""The default width of a report, in terminal columns."""

WIDEST_TERMINAL = 160
"""The width of a report in a terminal that is wider."""

_NARROWEST_TERMINAL, _FOR_NARROWER = 40, 80

LONGEST_TITLE = 30
"""The columns that the title of a document may take in a sentence, unless there is much room."""

LONGEST_TEXT = 300
"""The columns that a sentence takes in Markdown before it is cut."""

PLAIN, BAD, GOOD, DIM, STRONG, DOUBT = "", "bad", "good", "dim", "strong", "doubt"
"""Styles of a span. The code that writes to the terminal decides what they look like."""

Span = tuple[str, str]
Line = tuple[Span, ...]

_ZERO_WIDTH = frozenset({"Mn", "Me", "Cf"})
_WIDE = frozenset({"W", "F"})

_DEEPEST_INDENT = 24


def is_report(data: bytes) -> bool:
    """Whether the content of a file is the report of a run or of a comparison, in any format."""
    return bool(
        re.match(_BEGINNING, data) or re.search(_COUNTS, data[-_COUNTS_WITHIN:])
    )


def width(text: str) -> int:
    """The columns that harmless text takes in a terminal: two for wide characters, none for combining ones."""
    return len(text) if text.isascii() else sum(map(_columns, text))


def _columns(character: str) -> int:
    if (
        unicodedata.category(character) in _ZERO_WIDTH
        or "\u1160" <= character <= "\u11ff"
    ):  # vowels of Hangul
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def terminal_width() -> int:
    """The width of a report for the terminal: its own up to 160 columns, 100 where there is none.

    As in pytest, the environment variable COLUMNS comes first, and a width below 40 is taken for 80.
    """
    columns = shutil.get_terminal_size((WIDEST, 24)).columns
    return (
        min(columns, WIDEST_TERMINAL)
        if columns >= _NARROWEST_TERMINAL
        else _FOR_NARROWER
    )


def cut(text: str, columns: int) -> str:
    """Harmless text cut with `...` where it is wider than `columns`."""
    if width(text) <= columns:
        return text
    return (
        _beginning(text, columns - 3) + "..."
        if columns > 3
        else _beginning(text, columns)
    )


def cut_middle(text: str, columns: int) -> str:
    """Harmless text cut with `...` in its middle: ids of one collection often begin alike."""
    if width(text) <= columns or columns <= 3:
        return cut(text, columns)
    beginning = _beginning(text, (columns - 3) // 2)
    end = _beginning(text[::-1], columns - 3 - width(beginning))[::-1]
    return f"{beginning}...{end}"


def titled(
    text: str, document: str, titles: Mapping[str, str], longest: int = LONGEST_TITLE
) -> str:
    """Text about a document and its title, `2060476 "Smart Watch 2"`; the text alone where no title is known."""
    title = titles.get(document, "")
    return f'{text} "{cut_middle(harmless(title), longest)}"' if title else text


def title_room(columns: int, *, full: bool = False) -> int:
    """The columns that a title may take in a sentence of a report so wide; in `full` titles are not cut."""
    return sys.maxsize if full else max(LONGEST_TITLE, columns // 2 - 20)


def _beginning(text: str, columns: int) -> str:
    used = 0
    for index, character in enumerate(text):
        used += width(character)
        if used > columns:
            return text[:index]
    return text


def line(text: str, style: str = PLAIN) -> Line:
    """A line of one span."""
    return ((text, style),)


def plain(lines: Iterable[Line]) -> str:
    """Lines as text without styles."""
    return "\n".join("".join(text for text, _ in spans) for spans in lines)


def folded(
    text: str, columns: int = WIDEST, indent: str = "", first: int | None = None
) -> list[str]:
    """Harmless text broken at its blanks over lines of at most `columns`, all but the first indented.

    `first` is the room in the first line. A word that is wider than a line is left whole.
    """
    lines: list[str] = []
    current, room = "", columns if first is None else first
    if width(text) <= room:
        return [text]
    for number, word in enumerate(text.split(" ")):
        if number and width(current) + 1 + width(word) > room and current.strip():
            lines.append(current.rstrip())
            current, room = indent + word, columns
        else:
            current += f" {word}" if number else word
    return [*lines, current]


def folded_lines(
    text: str, style: str = PLAIN, columns: int = WIDEST, indent: str = "    "
) -> list[Line]:
    """User's text as lines of one style: see `folded`."""
    return [line(part, style) for part in folded(harmless(text), columns, indent)]


def wrapped(
    head: str,
    parts: Iterable[str],
    columns: int = WIDEST,
    separator: str = ", ",
    style: str = PLAIN,
) -> list[Line]:
    """Harmless parts behind a head as lines, broken between the parts and indented below the first.

    Without a head, or with a long one, they are indented a little.
    """
    lines, current = [], head
    indent = " " * (width(head) if 0 < width(head) <= _DEEPEST_INDENT else 4)
    break_ = separator.rstrip()
    parts = list(parts)
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if not number:
            current += part
        elif (
            width(current) + len(separator) + width(part) + (0 if last else len(break_))
            > columns
        ):
            lines.append(current + break_)
            current = indent + part
        else:
            current += separator + part
    return [
        line(piece, style)
        for text in [*lines, current]
        for piece in folded(text, columns, indent)
    ]


# --- Markdown: texts of users in code spans, where nothing is a link, a mention or markup -----------------------------


def code(text: str, *, in_cell: bool = False) -> str:
    """User's text in a code span. In a cell of a table a bar has to be escaped, and only there."""
    shown = harmless(text)
    if in_cell:
        shown = shown.replace("|", "\\|")
    if not shown.strip():
        shown = repr(shown)
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}"


def span(text: str) -> str:
    """User's text in a sentence of Markdown: a code span, cut where it is long."""
    return code(cut(harmless(text), LONGEST_TEXT))


def code_block(text: str) -> list[str]:
    """Text of several lines in a code block."""
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return [fence, *text.split("\n"), fence]


def escaped(text: str) -> str:
    """The words of a report itself, escaped for a cell of a table."""
    return harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")


# --- workflow commands of GitHub Actions: lines in the output of a step that the runner acts on -----------------------
#
# A line that begins with `::error file=shop.py,line=3::text`, after any blanks, is a command; so is anything behind
# `##[` in any line. See https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands.

_BREAK = "\u200b"  # a zero-width space
_START = r"(?:^|(?<=\r))"  # for the runner a carriage return ends a line too
_BEFORE_BREAK = rf"(?m){_START}\s*:(?=:)|##(?=\[)"
_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_MESSAGE = str.maketrans(_ESCAPES)
_IN_PROPERTY = str.maketrans({**_ESCAPES, ":": "%3A", ",": "%2C"})


def is_github() -> bool:
    """Whether this process runs in GitHub Actions, where the runner reads its output."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def command(name: str, properties: Mapping[str, object], message: str) -> str:
    """A workflow command in one line, with the characters escaped that have a meaning in it: `::error line=3::text`."""
    given = ",".join(
        f"{key}={without_commands(str(value)).translate(_IN_PROPERTY)}"
        for key, value in properties.items()
    )
    return f"::{name} {given}::{without_commands(message).translate(_IN_MESSAGE)}"


def without_commands(text: str) -> str:
    """Text with a zero-width space in everything that the runner would take for a workflow command."""
    return re.sub(_BEFORE_BREAK, lambda found: found[0] + _BREAK, text)


def line_without_commands(spans: Line) -> Line:
    """A line of a report without workflow commands, which may begin in one span and end in the next.

    A line that has one loses its styles.
    """
    text = plain([spans])
    safe = without_commands(text)
    return spans if safe == text else line(safe)


def safe_output(text: str) -> str:
    """Text for standard output or a report in Markdown: without workflow commands where a runner reads it."""
    return without_commands(text) if is_github() else text


# --- numbers: grades, gains, scores, differences, p-values ------------------------------------------------------------

SIGNIFICANT = 0.05
"""The largest p-value at which a difference is reported as more than chance."""

LEAST = 0.0005
"""The largest difference that prints as 0.000."""

_LARGE = 1e6  # above, a figure is shown with six digits and an exponent


def number(value: float) -> str:
    """A grade or a gain: a whole number as it is, others with at most three decimals."""
    if abs(value) >= _LARGE:
        return f"{value:.6g}"
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return text if float(text) or not value else f"{value:.3g}"


def total(value: float) -> str:
    """A sum of gains."""
    return f"{value:.6g}" if abs(value) >= _LARGE else f"{value:.3f}"


def signed(value: float) -> str:
    """A difference with its sign, and without one where it prints as zero; `n/a` for NaN."""
    if value != value:
        return "n/a"
    text = f"{value:+.3f}"
    return text if float(text) else "0.000"


def duration(seconds: float, digits: int = 3) -> str:
    """A duration with at most `digits` digits: `12.3 ms`, `1.25 s`; nobody tunes a search by less than 0.01 ms."""
    value, unit = (seconds, "s") if seconds >= 0.9995 else (seconds * 1000, "ms")
    decimals = (
        digits
        - 3
        + next(
            decimals
            for decimals, least in ((0, 99.95), (1, 9.995), (2, 0))
            if value >= least
        )
    )
    if 0 < value < 10.0**-decimals:
        return f"<{10.0**-decimals:g} {unit}"
    text = f"{value:.{decimals}f}"
    return f"{text.rstrip('0').rstrip('.') if decimals else text} {unit}"


def duration_beside(seconds: float, bound: float) -> str:
    """A duration with as many digits as tell it from a bound that it does not equal."""
    limit = time_text(bound)
    return next(
        (
            text
            for digits in range(3, 12)
            if (text := duration(seconds, digits)) != limit
        ),
        limit,
    )


def asked_text(numbers: Iterable[int]) -> str:
    """How many results searches were asked for: `10`, or `10 to 20`. Raises ValueError for no numbers."""
    low, high = min(numbers := [*numbers]), max(numbers)
    return f"{low}" if low == high else f"{low} to {high}"
