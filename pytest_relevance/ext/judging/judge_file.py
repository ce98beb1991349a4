"""The file to which a judge adds its grades: a worklist with rater, machine and note.

A row is written as soon as its grade comes. So a killed run loses only the grades that
have not come yet.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from pytest_relevance._csv_cells import csv_text, escaped
from pytest_relevance.ext.judging.worklist import Worklist, WorklistRow
from pytest_relevance.ext.judging.worklist_file import on_one_line, read_worklist
from pytest_relevance.judgments.columns import MACHINE

_OF_JUDGES = ("rater", MACHINE, "note")
"""The columns that a judge adds to those of a worklist."""

_OTHER = (
    "exists and is not as a judge writes it: CSV with commas, query_id as its first column, "
    "columns rater, machine and note, and no quotes around names; save it so, or name another "
    "file"
)

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"

_UNCLOSED_CELL = re.compile(rb'(?:^|,)"(?:[^"]|"")*$')
"""A quoted cell that goes on in the next line."""


def why_not_added_to(data: bytes) -> str | None:
    """Return why a judge must not add rows to a file with the content `data`.

    None if rows may be added. The text also says what to do.
    """
    if not data.strip():
        return None
    first_line, _, _ = data.removeprefix(_BYTE_ORDER_MARK).partition(b"\n")
    names = first_line.decode(errors="replace").strip().split(",")
    if names[0] != "query_id" or not set(_OF_JUDGES).issubset(names[1:]):
        return _OTHER
    try:
        read_worklist(_whole_rows(data))
    except ValueError as error:
        return f"is damaged: {error}; mend it, or name another file"
    return None


def _whole_rows(data: bytes) -> bytes:
    """Return content without an incomplete last row, which a killed run may leave.

    The last row gets a line feed if it has none. If the content is damaged elsewhere,
    it is returned as it is.
    """
    lines = BytesIO(data).readlines()
    # the incomplete row may be several lines, because a quoted cell may have line feeds
    while lines:
        whole = b"".join(lines)
        if _is_readable(whole):
            return whole if whole.endswith(b"\n") else whole + b"\n"
        last = lines.pop()
        is_complete = last.endswith(b"\n") and not _UNCLOSED_CELL.search(last)
        if is_complete:
            break
    return data


def _is_readable(data: bytes) -> bool:
    try:
        read_worklist(data)
    except ValueError:
        return False
    return True


@dataclass(frozen=True, slots=True)
class RowsToJudge:
    """The rows of a worklist that a judge still has to grade.

    `pairs`: how many pairs of query and document the worklist has.
    `rows`: one row for each pair that the judge has not graded in the file.
    """

    pairs: int
    rows: list[WorklistRow]


class JudgeFile:
    """The file to which a judge adds its grades, row by row.

    A later run adds to the same file. A judge is not asked about a document of a query
    if the file has a row of this judge for them. A blank grade in the row means that
    the judge could not tell.
    """

    def __init__(self, path: Path) -> None:
        """Remove an incomplete last row from the file at `path`, if there is a file.

        Raises OSError if the file cannot be read or written.
        """
        self.path = path
        self._names: list[str] = []
        self._ids: dict[str, list[str]] = {}
        data = self._content()
        whole = _whole_rows(data)
        if whole == data:
            return
        # the rest of the file is not written again, because the run may be killed here
        with path.open("ab") as file:
            if len(whole) < len(data):
                file.truncate(len(whole))
            else:
                file.write(whole[len(data) :])

    def open(self, worklist: Worklist, rater: str) -> RowsToJudge:
        """Return the rows of a worklist that `rater` has not graded in the file.

        Write the header if the file is empty or does not exist. Raises OSError.
        """
        written = self._written_rows(worklist)
        known = set()
        for cells in written:
            self._ids.setdefault(cells["query"], []).append(cells["query_id"])
            if cells["rater"] == _cell(rater):
                known.add((cells["query_id"], cells["query"], cells["document"]))
        pairs: dict[tuple[str, str, str], WorklistRow] = {}
        for row in worklist.rows:
            key = self._id_of(row), _cell(row.query), _cell(row.document)
            pairs.setdefault(key, row)
        left = [row for key, row in pairs.items() if key not in known]
        return RowsToJudge(pairs=len(pairs), rows=left)

    def _written_rows(self, worklist: Worklist) -> list[dict[str, str]]:
        """Return the rows of the file as {column: cell}. Write a missing header."""
        rows = read_worklist(_whole_rows(self._content()))
        if not rows:
            rows = [[*worklist.columns, *_OF_JUDGES]]
            self._add(rows[0])
        self._names, *others = rows
        written = []
        for row in others:
            cells = [cell.strip() for cell in row]
            written.append(dict(zip(self._names, cells, strict=True)))
        return written

    def add(
        self,
        worklist: Worklist,
        row: WorklistRow,
        *,
        rater: str,
        grade: float | None,
        note: str,
    ) -> None:
        """Write a row with the grade of a judge; None for no grade. Raises OSError."""
        cells = {
            **worklist.cells(row),
            "query_id": escaped(self._id_of(row)),
            "grade": "" if grade is None else repr(grade),
            "rater": escaped(rater),
            MACHINE: "true",
            "note": escaped(on_one_line(note)),
        }
        self._add([cells.get(name, "") for name in self._names])

    def _id_of(self, row: WorklistRow) -> str:
        """Return the id that the query of a row has in the file.

        The id of a query may have changed since the file was begun. Then the file keeps
        the old id for the text, because two ids would mean two queries. If the file has
        both ids for the text, these are two queries.
        """
        own = _cell(row.query_id)
        ids = self._ids.setdefault(_cell(row.query), [own])
        return own if own in ids else ids[0]

    def _content(self) -> bytes:
        return self.path.read_bytes() if self.path.is_file() else b""

    def _add(self, cells: Sequence[str]) -> None:
        with self.path.open("ab") as file:
            file.write(csv_text([cells]).encode())


def _cell(text: str) -> str:
    """Return a text as a cell of the file has it: escaped, without outer blanks."""
    return escaped(text).strip()
