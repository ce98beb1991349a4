"""The file that a judge fills: a worklist with the columns rater, machine and note, to which rows are added one by one.

Each row is written when its grade comes, so that a killed run loses only those that were on their way. A later run goes
on with the file: a pair of query and document that it has under the name of the judge is not asked for again, even
where the grade is blank, as the judge cannot tell.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from pytest_relevance._tables import csv_text, escaped
from pytest_relevance.judgments.columns import MACHINE
from pytest_relevance.results.worklist import COLUMNS, Worklist, WorklistRow, on_one_line, read_worklist

_OF_JUDGES = ("rater", MACHINE, "note")
_OTHER = (
    "exists and is not as a judge writes it: CSV with commas, query_id as its first column, columns rater, machine and "
    "note, and no quotes around names; save it so, or name another file"
)


_UNCLOSED = re.compile(rb'(?:^|,)"(?:[^"]|"")*$')
"""The end of a line in a quoted cell."""


def why_not_added_to(data: bytes) -> str | None:
    """Why rows of a judge must not be added to a file with this content, and what to do; None where they may."""
    if not data.strip():
        return None
    first, *names = data.removeprefix(b"\xef\xbb\xbf").partition(b"\n")[0].decode(errors="replace").strip().split(",")
    if first != "query_id" or not {*names} >= {*_OF_JUDGES}:
        return _OTHER
    try:
        read_worklist(_whole_rows(data))
    except ValueError as error:
        return f"is damaged: {error}; mend it, or name another file"
    return None


def _whole_rows(data: bytes) -> bytes:
    """The content without the half of a row that a killed run, or a full disk, left at its end.

    The half may have line feeds, in quotes. Anything else that is damaged stays.
    """
    end = len(data)
    while end > 0:
        try:
            read_worklist(data[:end])
        except ValueError:
            end = data.rfind(b"\n", 0, end - 1) + 1
            first, feed, _ = data[end:].partition(b"\n")
            if feed and not _UNCLOSED.search(first):  # a row that ends
                break
        else:
            return data[:end] if data[:end].endswith(b"\n") else data + b"\n"
    return data


class JudgeFile:
    """The file of a judge. `was_cut`: a half-written row at its end was taken away."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.was_cut = False
        self._names: list[str] = []
        self._known: set[tuple[str, ...]] = set()
        self._ids: dict[str, list[str]] = {}

    def mend(self) -> None:
        """Take a half-written row at the end of the file away. Raises OSError."""
        if self.path.is_file():
            data = self.path.read_bytes()
            whole = _whole_rows(data)
            self.was_cut = len(whole) < len(data)
            with self.path.open("ab") as file:
                file.truncate(min(len(whole), len(data)))
                file.write(whole[len(data) :])

    def open(self, worklist: Worklist) -> None:
        """Read which pairs the file has; a file that is empty or not there gets its header. Raises OSError."""
        data = self.path.read_bytes() if self.path.is_file() else b""
        self._names = [*worklist.columns, *_OF_JUDGES]
        if not data.strip():
            self._add(self._names)
            return
        self._names, *rows = read_worklist(data)
        key = [self._names.index(name) for name in (*COLUMNS[:3], "rater")]
        self._known = {tuple(row[number].strip() for number in key) for row in rows}
        for query_id, query in dict.fromkeys((row[key[0]].strip(), row[key[1]].strip()) for row in rows):
            self._ids.setdefault(query, []).append(query_id)

    def ids(self, row: WorklistRow) -> list[str]:
        """The ids under which a reader of the file finds the grades of a row, the one for new grades first.

        A query that has another id by now, or stands in two cases, keeps the id that the file has for its text.
        """
        own, query = _cell(row.query_id), _cell(row.query)
        ids = self._ids.setdefault(query, [own])
        return [own, query] if own in ids and own != query else ids

    def has(self, row: WorklistRow, rater: str) -> bool:
        """Whether the file has the pair under the name of a judge."""
        rest = _cell(row.query), _cell(row.document), _cell(rater)
        return any((query_id, *rest) in self._known for query_id in self.ids(row))

    def add(self, worklist: Worklist, row: WorklistRow, rater: str, grade: float | None, note: str) -> None:
        """Add a row with the grade of a judge; None is a blank one. Raises OSError."""
        written = "" if grade is None else f"{grade!r}"
        of_judge = {"grade": written, "rater": escaped(rater), MACHINE: "true", "note": escaped(on_one_line(note))}
        cells = {**worklist.cells(row), "query_id": escaped(self.ids(row)[0]), **of_judge}
        self._add([cells.get(name, "") for name in self._names])

    def _add(self, cells: Sequence[str]) -> None:
        with self.path.open("ab") as file:
            file.write(csv_text([cells]).encode())


def _cell(text: str) -> str:
    """A text as it is read in a file."""
    return escaped(text).strip()
