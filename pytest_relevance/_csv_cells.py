"""Read CSV cells of any length, and write cells that spreadsheets do not calculate."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Lock
from types import SimpleNamespace

FORMULA = re.compile(" *[=+@\\t\\r\uff1d\uff0b\uff0d\uff20-]")
"""The beginning of a cell that a spreadsheet would calculate.

It is one of `= + - @`, their fullwidth forms, tab and carriage return. A cell that
matches is written with a space in front, and read without its first space. The pattern
means the same in JavaScript.
"""

_LONGEST_CELL = 2**31 - 1
"""The most characters of a cell: what a C long has room for on every platform."""

_LIMIT = Lock()


@contextmanager
def cells_of_any_length() -> Iterator[None]:
    """Let the csv module read cells of any length while the block runs.

    The usual limit of 128 KiB is restored at the end, because it is global to the
    process.
    """
    with _LIMIT:
        limit = csv.field_size_limit(_LONGEST_CELL)
        try:
            yield
        finally:
            csv.field_size_limit(limit)


def escaped(text: str) -> str:
    """Return a text, with a space in front if a spreadsheet takes it for a formula."""
    return f" {text}" if FORMULA.match(text) else text


def unescaped(cells: list[str]) -> list[str]:
    """Return cells without the space that `escaped` and Quepid put before a formula."""
    # One search in all cells, which may be millions: usually none begins with a space.
    if "\n " not in "\n".join(["", *cells]):
        return cells
    marked = {cell for cell in set(cells) if cell[:1] == " " and FORMULA.match(cell)}
    if not marked:
        return cells
    return [cell[1:] if cell in marked else cell for cell in cells]


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    """Return rows as the text of a CSV, with commas between cells."""
    lines: list[str] = []
    file = SimpleNamespace(write=lines.append)
    # the writer ends rows in \r\n, so that every version of Python quotes both
    # characters in a cell
    csv.writer(file, lineterminator="\r\n").writerows(rows)
    return "".join(f"{line[:-2]}\n" for line in lines)
