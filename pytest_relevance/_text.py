"""Helpers for texts: spelling suggestions, lists of names, counts, quoted values, and
HTML tables for notebooks.

Every subpackage may import this module; it must import none of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from decimal import Decimal

LONGEST_SHOWN = 80

MOST_ROWS = 20
"""How many rows a notebook shows of a long table."""

WIDEST = 100
"""The default width of a report in text, in terminal columns."""

MOST_SHOWN = 5
"""How many cases of a kind, and tags, the report of a comparison shows by default."""

_LONGEST_HTML_CELL = 1000
"""The number of characters that the text of a cell is cut to."""

TEXT, NUMBER = "left", "right"
"""The alignments of a column of text and of a column of numbers."""

_HARMFUL = frozenset({"Cc", "Cf", "Cs", "Co", "Zl", "Zp"})
_JOINERS = frozenset({"\u200c", "\u200d"})
"""Invisible characters that are harmless: letters of Indic scripts, Persian and emoji
need them.
"""

_KEY = r"[\w$@()=,+-]{1,40}"
"""A key that stands in a path without quotes."""
_NUMBER = re.compile("[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]{1,3})?")
_LONGEST = 28  # characters of a number: as many digits as decimals have
_DIGITS = 15
"""How many digits of a number a spreadsheet keeps."""

_SCIENTIFIC = 10**11
"""The least number that a spreadsheet shows in scientific notation."""


def message_of(error: BaseException) -> str:
    """Return the message of an exception of anybody's class, which may fail to make
    one.
    """
    try:
        return str(error)
    except KeyboardInterrupt:
        raise
    except BaseException as broken:  # also of pytest.fail: it would end a thread whose answer the run waits for
        return f"its text raises {type(broken).__name__}"


def did_you_mean(found: str, known: Iterable[str]) -> str:
    """Return `'; did you mean "x"?'` with the known name closest to `found`; empty if
    none is close.
    """
    close = closest(found, tuple(known))
    return f"; did you mean {quoted(close)}?" if close is not None else ""


@lru_cache(maxsize=1024)  # one mistake is often made in many places
def closest(found: str, known: tuple[str, ...], cutoff: float = 0.6) -> str | None:
    """Return the known name closest to `found`, whatever the case of letters; None if
    none is close.

    `cutoff` is how close it has to be: 1 is the same name.
    """
    # imported only if there is a mistake to report
    from difflib import get_close_matches

    by_folded = {name.casefold(): name for name in known}
    close = get_close_matches(found.casefold()[:200], by_folded, n=1, cutoff=cutoff)
    return by_folded[close[0]] if close else None


def spreadsheet_number(text: str) -> Decimal | None:
    """Return the number that an id is for a spreadsheet: 7 for "7", "007" and "7.0";
    None for other ids.
    """
    if len(text) > _LONGEST or not _NUMBER.fullmatch(text):
        return None
    from decimal import Decimal  # imported only if an id is a number

    return Decimal(text).normalize()


def are_one_number(one: str, other: str) -> bool:
    """Whether a spreadsheet could have made one of two different ids of the other.

    It writes 007 as 7 (or 7.0), 1234567890123 as 1.23457E+12, and keeps 15 digits of a
    longer number.
    """
    first, second = spreadsheet_number(one), spreadsheet_number(other)
    if one == other or first is None or second is None:
        return False
    from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Context

    few, many = sorted((first, second), key=_digits_of)
    if few == many:
        return True
    is_scientific = "e" in f"{one}{other}".lower() and abs(many) >= _SCIENTIFIC
    digits = _digits_of(few) if is_scientific else _DIGITS
    if digits >= _digits_of(many):
        return False
    for rounding in (ROUND_DOWN, ROUND_HALF_EVEN):
        if few == Context(prec=digits, rounding=rounding).plus(many):
            return True
    return False


def _digits_of(number: Decimal) -> int:
    """Count the digits of a number."""
    return len(number.as_tuple().digits)


def listed(names: Iterable[object], last: str = "or") -> str:
    """Join names in prose: `a, b or c`. `last` is the word before the last name."""
    words = [str(name) for name in names]
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def counted(count: int, what: str, several: str = "") -> str:
    """Return a count with its noun: `1 case`, `1,200 cases`. `several` is the plural if
    it is not `what` with an s.
    """
    return f"{count:,} {what if count == 1 else several or f'{what}s'}"


def first_few(names: Sequence[str], most: int = 3) -> str:
    """Join names in prose, of many the first and how many more there are:
    `a, b, c and 1,200 more`.
    """
    more = len(names) - most
    return listed([*names[:most], f"{more:,} more"] if more > 0 else names, "and")


def digits_apart(value: float, bound: float, least: int = 3) -> int:
    """Count the decimals that show a figure beside its bound: `least`, or more if these
    would show them equal.
    """
    for digits in range(least, 18):
        if f"{value:.{digits}f}" != f"{bound:.{digits}f}":
            return digits
    return least


def digits_of_change(change: float) -> int:
    """Count the decimals that show a change: three, or up to nine if three would show
    none.
    """
    for digits in range(3, 10):
        if round(change, digits):
            return digits
    return 3


def p_text(p: float, bound: float = 0.05) -> str:
    """Write a p-value with the decimals that show on which side of `bound` it is:
    `0.043`, `0.0498`, `<0.001`.

    `n/a` for NaN.
    """
    if p != p:
        return "n/a"
    return "<0.001" if p < 0.001 < bound else f"{p:.{digits_apart(p, bound)}f}"


def examples(names: Iterable[str], most: int = 3) -> str:
    """Quote names in prose, of many the first and how many more there are:
    `"a", "b", "c" and 1,200 more`.
    """
    return first_few([quoted(name, 40) for name in names], most)


def shown(value: object, longest: int = LONGEST_SHOWN) -> str:
    """Return the repr of a value for a message: control characters escaped, cut to
    `longest` characters.
    """
    try:
        text = repr(value)
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a user's broken __repr__ must not hide the message that shows the value
        text = f"<{type(value).__name__} whose repr raises {type(error).__name__}>"
    return cut_to(printable(text), longest)


def time_text(seconds: float) -> str:
    """Write a limit of time: `200 ms`, `1.5 s`."""
    return f"{seconds:g} s" if seconds >= 1 else f"{seconds * 1000:g} ms"


def quoted(text: str, longest: int = LONGEST_SHOWN) -> str:
    """Return text in double quotes: non-printable characters escaped, cut to `longest`
    characters.
    """
    return f'"{cut_to(printable(text), longest)}"'


def shown_path(path: Iterable[str | int]) -> str:
    """Show the keys and list indexes that lead to a nested value: `expect.first[1]`,
    `queries[3].ratings["sku 1"]`.
    """
    shown_parts = []
    for part in path:
        if isinstance(part, int):
            shown_parts.append(f"[{part}]")
        elif re.fullmatch(_KEY, part):
            shown_parts.append(f".{part}")
        else:
            shown_parts.append(f"[{quoted(part, 40)}]")
    return "".join(shown_parts).removeprefix(".")


def case_name(case: str, query: str, variant: str | None = None) -> str:
    """Name a case by its id and its query: `q043 "gaming laptop"[bm25]`; if they are
    the same, by the query alone.

    Nothing is escaped or cut.
    """
    return with_variant(case if case == query else f'{case} "{query}"', variant)


def with_variant(name: str, variant: str | None) -> str:
    """Name a case or a search with its variant, if it has one: `search[bm25]`."""
    return name if variant is None else f"{name}[{variant}]"


def case_in_prose(case: str, query: str, variant: str | None = None) -> str:
    """Name a case in a sentence: `q043 "gaming laptop"[bm25]`, `"smart watch[bm25]"`,
    escaped and cut.
    """
    if case == query:
        return quoted(case_name(case, query, variant))
    return cut_to(printable(case_name(case, query, variant)), LONGEST_SHOWN)


def found(value: object) -> str:
    """Describe a value found in the place of another: `nothing`, `true`, `3`,
    `the text "3"`, `the list ['a']`.
    """
    if value is None or value == "":
        return "nothing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return f"the text {quoted(value)}"
    if isinstance(value, Mapping):
        return f"the mapping {shown(value)}"
    if isinstance(value, (list, tuple)):
        return f"the list {shown(list(value))}"
    return shown(value)


def printable(text: str) -> str:
    """Return text with its non-printable characters escaped as in Python."""
    if text.isprintable():
        return text
    return "".join(
        c if c.isprintable() else c.encode("unicode_escape").decode() for c in text
    )


def harmless(text: str) -> str:
    """Escape every character that a terminal could act on or a reader be misled by.

    These are control characters, line breaks, and the invisible ones that reorder or
    hide text (`\\u202e`).
    """
    if text.isprintable():
        return text
    import unicodedata  # imported only if there is a character to look up

    characters = []
    for character in text:
        is_harmful = unicodedata.category(character) in _HARMFUL
        if is_harmful and character not in _JOINERS:
            escape = character.encode("unicode_escape", "surrogatepass")
            character = escape.decode("ascii")
        characters.append(character)
    return "".join(characters)


def score_text(score: float | None) -> str:
    """Write a score; `n/a` if it is not defined: None or NaN."""
    return "n/a" if score is None or score != score else f"{score:.3f}"


def cut_to(text: str, longest: int) -> str:
    """Cut the end of a text with `...` if it has more than `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 3]}..."


def html_table(
    columns: Sequence[tuple[str, str]],
    rows: Iterable[Sequence[str]],
    title: str = "",
    note: str = "",
) -> str:
    """Write a table as HTML. `columns` are (head, `TEXT` or `NUMBER`), and each row has
    one text for each column.

    `title` stands in bold above the table, `note` below it. Texts come from users:
    markup, control characters and characters that reorder text are escaped, and the
    direction of each text is its own. There is no table without rows.
    """
    head = "".join(_cell("th", name, align) for name, align in columns)
    body = ""
    for row in rows:
        cells = []
        for text, (_, align) in zip(row, columns, strict=True):
            cells.append(_cell("td", text, align))
        body += f"<tr>{''.join(cells)}</tr>\n"
    table = ""
    if body:
        table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
    return html_paragraph(title, "strong") + table + html_paragraph(note)


def html_paragraph(text: str, tag: str = "bdi") -> str:
    """Write a paragraph of text as HTML, inside of an element of `tag`; nothing for an
    empty text.
    """
    return f'<p><{tag} dir="auto">{_escaped(text)}</{tag}></p>\n' if text else ""


def _cell(tag: str, text: str, align: str) -> str:
    """Write a cell. A notebook aligns all cells to the right unless the cell itself
    says otherwise.
    """
    content = _escaped(cut_to(text, _LONGEST_HTML_CELL))
    if align != NUMBER:
        content = f"<bdi>{content}</bdi>"
    return f'<{tag} style="text-align: {align}">{content}</{tag}>'


def _escaped(text: str) -> str:
    from html import escape  # imported only if a notebook shows something

    return escape(harmless(text))
