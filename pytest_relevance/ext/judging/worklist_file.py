"""The file of a worklist: its columns, how it is read, and why it must not be replaced.

Filled in, it is a file of judgments like any other. Its rows are found by query id and
by query text. So its texts are exactly as in the run, with one exception: a cell that a
spreadsheet would take for a formula has a space before it, which the reader of tables
takes off again. A blank grade is no judgment.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_relevance._csv_cells import cells_of_any_length, escaped
from pytest_relevance._source import Source
from pytest_relevance._text import counted
from pytest_relevance._text_table import TextTable
from pytest_relevance.judgments.columns import MACHINE, SPELLINGS, folded, may_be_grades

COLUMNS = ("query_id", "query", "document", "title", "ranks", "worth", "move", "grade")
"""The columns of every worklist.

Fields of the catalogue come behind the title, columns that users add at the end.
"""

KEY = ("query_id", "query", "document")
"""The columns that together distinguish a row from all others."""

_NEEDED = frozenset(COLUMNS) - {"worth"}
"""The columns by which a file is known as a worklist."""

_FIELD_PLACE = COLUMNS.index("title") + 1


def _columns_of_readers() -> frozenset[str]:
    """Find the names that a reader of judgments would take for other columns."""
    spellings = SPELLINGS["document"]
    before_document = spellings[: spellings.index("document")]
    names = [*COLUMNS, *before_document, *SPELLINGS["rater"], MACHINE, "note"]
    return frozenset(folded(name) for name in names)


_TAKEN = _columns_of_readers()

_NEVER_IN_A_FILE = re.compile("[\0\ud800-\udfff]")
_NEVER_IN_A_LINE = re.compile(
    "[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Line breaks, control characters, marks that reorder text, and surrogates."""


def columns_with(fields: Sequence[str]) -> list[str]:
    """List the columns of a worklist that shows these fields of the catalogue."""
    of_fields = [field_column(name) for name in fields]
    return [*COLUMNS[:_FIELD_PLACE], *of_fields, *COLUMNS[_FIELD_PLACE:]]


def field_column(name: str) -> str:
    """Name the column of a field of the catalogue.

    It is the name of the field, unless a reader of judgments could take it for another
    column.
    """
    is_taken = folded(name) in _TAKEN or may_be_grades(name)
    return f"{name} (shown)" if is_taken else escaped(on_one_line(name))


def read_worklist(data: bytes) -> list[list[str]]:
    """Read the rows of a worklist, the header first.

    Raises ValueError for another file.
    """
    if not data.strip():
        return []
    source = Source("the worklist", data)
    table = TextTable(source, source.header.names)
    with cells_of_any_length():
        rows = [row for _, row in table.rows()]
    if not _is_worklist(rows):
        raise ValueError(
            "it is no worklist, or a row has more or fewer cells than there are columns"
        )
    return rows


def _is_worklist(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether rows have the columns of a worklist once each, and all cells."""
    names = rows[0]
    if not _NEEDED.issubset(names) or len(set(names)) < len(names):
        return False
    return all(len(row) == len(names) for row in rows)


@dataclass(frozen=True, slots=True)
class AddedColumns:
    """The columns that users added to a worklist, and their cells by row."""

    names: Sequence[str] = ()
    cells: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    def cells_of(self, key: tuple[str, ...]) -> Sequence[str]:
        """Return the cells of a row; blank ones for a new row."""
        return self.cells.get(key, [""] * len(self.names))


def added_columns(data: bytes, columns: Sequence[str]) -> AddedColumns:
    """Find the columns of an old worklist that a new one does not have."""
    if not data.strip():
        return AddedColumns()
    names, *rows = read_worklist(data)
    added = [number for number, name in enumerate(names) if name not in columns]
    of_key = [names.index(name) for name in KEY]
    cells = {}
    for row in rows:
        key = tuple(row[number] for number in of_key)
        cells[key] = [row[number] for number in added]
    return AddedColumns([names[number] for number in added], cells)


def why_kept(data: bytes) -> str | None:
    """Say why a file must not be replaced by a new worklist, and what to do.

    None if it may be replaced: a worklist without a grade.
    """
    try:
        rows = read_worklist(data)
    except ValueError:
        return "exists and is no worklist; name another file"
    if not rows:
        return None
    names, *others = rows
    grade = names.index("grade")
    graded = sum(1 for row in others if row[grade].strip())
    if not graded:
        return None
    return (
        f"has {counted(graded, 'grade')} filled in, which a new worklist would overwrite; "
        "add the file to the judgments of the case file, and name another one for what is "
        "left to judge"
    )


def on_one_line(text: str) -> str:
    """Escape line breaks, control characters and those that reorder text."""
    return _escaped(_NEVER_IN_A_LINE, text)


def in_a_file(text: str) -> str:
    """Escape the characters that a file in UTF-8 cannot contain."""
    return _escaped(_NEVER_IN_A_FILE, text)


def _escaped(never: re.Pattern[str], text: str) -> str:
    """Escape some characters as Python does."""
    if text.isprintable():
        return text

    def escape(match: re.Match[str]) -> str:
        return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")

    return never.sub(escape, text)
