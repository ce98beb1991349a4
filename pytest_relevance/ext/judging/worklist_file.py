"""The file of a worklist: its columns, how it is read, and what users added to it.

Texts are written exactly as in the run. There is one exception: a space is put before a
text that a spreadsheet would take for a formula. The reader of tables removes this
space.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from pytest_relevance._csv_cells import cells_of_any_length, escaped
from pytest_relevance._source import Source
from pytest_relevance._text import counted
from pytest_relevance._text_table import TextTable
from pytest_relevance.judgments.columns import MACHINE, SPELLINGS, plain_name
from pytest_relevance.judgments.judgment_layout import may_be_grades
from pytest_relevance.results.unjudged import WORKLIST_COLUMNS

KEY = ("query_id", "query", "document")
"""The columns that identify a row: no two rows have the same three cells."""

_NEEDED = frozenset(WORKLIST_COLUMNS) - {"settles", "worth"}
"""The columns by which a file is known as a worklist."""

_FIELD_PLACE = WORKLIST_COLUMNS.index("title") + 1


def _columns_of_readers() -> frozenset[str]:
    """Return plain names that the column of a catalogue field must not have.

    A reader of judgments could take such a column for the document or the rater.
    """
    spellings = SPELLINGS["document"]
    before_document = spellings[: spellings.index("document")]
    names = [*WORKLIST_COLUMNS, *before_document, *SPELLINGS["rater"], MACHINE, "note"]
    return frozenset(plain_name(name) for name in names)


_TAKEN = _columns_of_readers()

_NEVER_IN_A_FILE = re.compile("[\0\ud800-\udfff]")
_NEVER_IN_A_LINE = re.compile(
    "[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
"""Line breaks, control characters, marks that reorder text, and surrogates."""


def columns_with(fields: Sequence[str]) -> list[str]:
    """Return the columns of a worklist with these fields of the catalogue."""
    columns = [*WORKLIST_COLUMNS]
    columns[_FIELD_PLACE:_FIELD_PLACE] = [field_column(name) for name in fields]
    return columns


def field_column(name: str) -> str:
    """Return the name of the column for a field of the catalogue.

    The column has the name of the field, on one line and never a formula. ` (shown)` is
    added to a name that a reader of judgments would take for another column: `grade`.
    """
    plain = on_one_line(name)
    is_taken = plain_name(plain) in _TAKEN or may_be_grades(plain)
    return escaped(f"{plain} (shown)" if is_taken else plain)


def read_worklist(data: bytes) -> list[list[str]]:
    """Return the rows of a worklist, the header first; [] for an empty file.

    Raises ValueError for a file that is not a worklist.
    """
    if not data.strip():
        return []
    source = Source("the worklist", data)
    table = TextTable(source, source.header.names)
    with cells_of_any_length():
        rows = [row for _, row in table.rows()]
    if not _is_worklist(rows):
        raise ValueError(
            "it is not a worklist, or a row has more or fewer cells than there are columns"
        )
    return rows


def _is_worklist(rows: Sequence[Sequence[str]]) -> bool:
    """Say whether rows are a worklist: each column once, and a cell for each column."""
    names = rows[0]
    if not _NEEDED.issubset(names) or len(set(names)) < len(names):
        return False
    return all(len(row) == len(names) for row in rows)


@dataclass(frozen=True, slots=True)
class AddedColumns:
    """The columns that users added to a worklist.

    `names`: the names of the columns.
    `cells`: {key of a row: its cells in these columns}.
    """

    names: Sequence[str] = ()
    cells: dict[tuple[str, ...], list[str]] = field(default_factory=dict)

    def cells_of(self, key: tuple[str, ...]) -> Sequence[str]:
        """Return the cells of a row in the added columns; blank cells for a new row."""
        return self.cells.get(key, [""] * len(self.names))


def added_columns(data: bytes, columns: Sequence[str]) -> AddedColumns:
    """Return the columns of an old worklist that are not in `columns`."""
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
    """Return why a new worklist must not replace a file with the content `data`.

    The text also says what to do. Return None for an empty file, and for a worklist
    without grades.
    """
    try:
        rows = read_worklist(data)
    except ValueError:
        return "exists and is not a worklist; name another file"
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
    """Return text with line breaks, control and reordering characters escaped."""
    return _escaped(_NEVER_IN_A_LINE, text)


def in_a_file(text: str) -> str:
    """Return text with the characters escaped that a UTF-8 file cannot contain."""
    return _escaped(_NEVER_IN_A_FILE, text)


def _escaped(never: re.Pattern[str], text: str) -> str:
    if text.isprintable():
        return text

    def escape(match: re.Match[str]) -> str:
        return match[0].encode("unicode_escape", "surrogatepass").decode("ascii")

    return never.sub(escape, text)
