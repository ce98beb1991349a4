"""Read the content of a file that a user names: its text, header or JSON.

Every reader of tables and objects begins with a `Source`. It unpacks gzip, brings
UTF-16 to UTF-8, and refuses other files that are not text in UTF-8. `_json_text` reads
its JSON.
"""

from __future__ import annotations

import csv
import json
import os
import re
from array import array
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn

from pytest_relevance._files import Unreadable, unpacked
from pytest_relevance._ids import USUAL_COLUMNS, FileIds
from pytest_relevance._json_text import JsonPath, JsonReader
from pytest_relevance._problems import NOWHERE, FileError, Place, Problems
from pytest_relevance._text import shown_path

HEAD = 1 << 16
"""The number of bytes at the beginning of a file by which its format is recognised."""

_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_BEGINS_LIKE_JSON = re.compile(r"""\s*(?:\{\s*(?:["'}]|\Z)|\[\s*(?:["'{\[\]]|\Z))""")


@dataclass(frozen=True, slots=True)
class Header:
    """The first line of a file that is not blank, split into the names of columns.

    `number`: the number of the line, from 1.
    """

    line: str
    separator: str
    names: list[str]
    number: int = 1

    @classmethod
    def of(cls, line: str, number: int = 1) -> Header:
        """Return a line as a header, split at its commonest separator.

        A separator is a tab, a comma, a semicolon or a bar. A carriage return ends the
        header, as it ends every row.
        """
        line = line.rstrip("\r")
        separator = max(("\t", ",", ";", "|"), key=line.count)
        names = next(csv.reader([line.partition("\r")[0]], delimiter=separator), [])
        return cls(line, separator, [name.strip() for name in names], number)


class Source:
    """A file that a user names. Its text, header and JSON are made on first use.

    `file`: its name in messages.
    `data`: its bytes, unpacked and without a byte order mark; in UTF-8 if it is text.
    `options`: what the user says about the file, for its reader.
    `ids`: which columns have the ids of documents.

    Raises:
        FileError: the file is empty, is compressed in another way than gzip, or is
            neither Parquet nor text in UTF-8, or in UTF-16 with a byte order mark.
    """

    def __init__(
        self,
        file: str,
        data: bytes,
        options: Mapping[str, Any] | None = None,
        ids: FileIds = USUAL_COLUMNS,
    ) -> None:
        self.file = file
        self.options: Mapping[str, Any] = options or {}
        self.ids = ids
        try:
            self.data = unpacked(data).removeprefix(_BOM)
        except Unreadable as error:
            raise FileError.at(file, str(error)) from None
        if self.data.startswith(_UTF_16):
            self.data = self._from_utf_16()
        if not self.data[:HEAD].strip() and not self.data.strip():
            self.refuse("the file is empty")
        if not self.is_parquet:
            self._check_text()

    @classmethod
    def read(
        cls,
        path: str | os.PathLike[str],
        shown: str | None = None,
        options: Mapping[str, Any] | None = None,
        ids: FileIds = USUAL_COLUMNS,
    ) -> Source:
        """Return the source of a file. `shown` is the name of the file in messages.

        Raises FileError also if the file cannot be read.
        """
        file = shown if shown is not None else os.fspath(path)
        try:
            data = Path(path).read_bytes()
        except OSError as error:
            raise FileError.at(
                file, f"cannot be read: {error.strerror or error}"
            ) from None
        return cls(file, data, options, ids)

    def refuse(self, message: str, place: Place = NOWHERE) -> NoReturn:
        """Raise FileError with a message about this file."""
        raise FileError.at(self.file, message, place)

    def _check_text(self) -> None:
        """Raise FileError if the data is not text in UTF-8.

        If all lines end in a carriage return alone, replace it by a line feed.
        """
        data = self.data
        nul = data.find(b"\0")
        if nul >= 0:
            line = data.count(b"\n", 0, nul) + 1
            self.refuse(
                "there is a NUL byte in the file, so it is not a text file",
                Place(line=line),
            )
        try:
            data.isascii() or data.decode()
        except UnicodeDecodeError as error:
            wrong = f"byte 0x{data[error.start]:02x} cannot stand there"
            line = data.count(b"\n", 0, error.start) + 1
            self.refuse(
                f"the file is not UTF-8 ({wrong}); save it as UTF-8", Place(line=line)
            )
        if b"\r" in data and b"\n" not in data:
            self.data = data.replace(b"\r", b"\n")

    def _from_utf_16(self) -> bytes:
        """Return text in UTF-16 as UTF-8. Spreadsheets and Windows write UTF-16."""
        try:
            return self.data.decode("utf-16").encode()
        except UnicodeDecodeError:
            self.refuse("the file is UTF-16 and damaged; save it as UTF-8")

    @cached_property
    def text(self) -> str:
        """Return the content of the file as text."""
        return self.data.decode()

    @cached_property
    def head(self) -> str:
        """Return the first 64 KiB of the text, without a line that is cut at their end.

        A first line that is longer is cut.
        """
        head = self.data[:HEAD]
        if len(head) < len(self.data) and b"\n" in head:
            head = head[: head.rindex(b"\n") + 1]
        return head.decode("utf-8", "replace")

    @cached_property
    def first_lines(self) -> list[str]:
        """Return the lines of `head` that are not blank."""
        return [line for line in self.head.split("\n") if line.strip()]

    @cached_property
    def header(self) -> Header:
        """Return the first line of `head` that is not blank as a header.

        If all lines of `head` are blank, the header has no names.
        """
        for number, line in enumerate(self.head.split("\n"), 1):
            if line.strip():
                return Header.of(line, number)
        return Header.of("")

    @property
    def is_parquet(self) -> bool:
        """Say whether the file begins as Parquet does."""
        return self.data.startswith(b"PAR1")

    @cached_property
    def looks_like_json(self) -> bool:
        """Say whether the text begins like a JSON object or a JSON list.

        A list that begins with a number, true, false or null does not count, because
        `[1] 0 d 2` is a line of qrels. False for Parquet.
        """
        return not self.is_parquet and _BEGINS_LIKE_JSON.match(self.head) is not None

    @property
    def is_json(self) -> bool:
        """Say whether the whole content is one valid JSON object or list.

        False for JSON Lines, and for a list that begins with a number, true, false or
        null.
        """
        if not self.looks_like_json or self.is_json_lines:
            return False
        return not self._document.problems.found

    @property
    def json_object(self) -> dict[str, object]:
        """Return the JSON object in the file; {} if the file is anything else."""
        document = self.json if self.is_json else None
        return document if isinstance(document, dict) else {}

    @property
    def json(self) -> object:
        """Return the JSON value in the file, with numbers as `NumberAsWritten`.

        Raises FileError for invalid JSON, and for an object with two values for one
        key.
        """
        self._document.problems.raise_if_any()
        return self._document.value

    @cached_property
    def _document(self) -> _Document:
        """Return the JSON value of the file, and the mistakes in it."""
        problems = Problems(self.file)
        value = JsonReader().read(self.text, problems.add)
        return _Document(value, problems)

    @property
    def entries(self) -> Sequence[object]:
        """Return the values of JSON Lines, or the entries of a JSON list.

        Any other JSON value is the only entry.
        """
        if self.is_json_lines:
            return self._json_lines.values
        return self.json if isinstance(self.json, list) else [self.json]

    def path_of_entry(self, number: int) -> JsonPath:
        """Return the path to an entry of `entries`, given by its number from 0.

        () if the only entry is the whole JSON value.
        """
        return (number,) if self.is_json_lines or isinstance(self.json, list) else ()

    def place(self, path: JsonPath) -> Place:
        """Return the position of a JSON value, given by its path.

        In JSON Lines the path begins with the index of the line.
        """
        if not self.is_json_lines:
            return Place(path=shown_path(path))
        line = 0
        if path and isinstance(path[0], int):
            line = self._json_lines.numbers[path[0]]
        return Place(line=line, path=shown_path(path[1:]))

    @cached_property
    def is_json_lines(self) -> bool:
        """Say whether the first line is a whole JSON value, and more lines follow.

        Blank lines do not count. The value is an object or a list.
        """
        if not self.looks_like_json:
            return False
        first, _, others = self.text.lstrip().partition("\n")
        try:
            json.loads(first, parse_int=str)
        except (ValueError, RecursionError):
            return False
        return bool(others.strip())

    @cached_property
    def _json_lines(self) -> _JsonLines:
        """Return the JSON value of each line that is not blank.

        Raises one FileError for all mistakes.
        """
        problems = Problems(self.file)
        reader = JsonReader()
        values: list[object] = []
        numbers = array("L")
        number = 0

        def refuse(message: str, place: Place) -> None:
            problems.add(message, Place(line=number, path=place.path))

        for number, line in enumerate(self.text.split("\n"), 1):
            if line and not line.isspace():
                values.append(reader.read(line, refuse))
                numbers.append(number)
                if problems.is_full:
                    break
        problems.raise_if_any()
        return _JsonLines(values, numbers)


@dataclass(frozen=True, slots=True)
class _Document:
    """The JSON value of a file, and the mistakes in its text."""

    value: object
    problems: Problems


@dataclass(frozen=True, slots=True)
class _JsonLines:
    """The values in JSON Lines, and the numbers of their lines."""

    values: Sequence[object]
    numbers: Sequence[int]
