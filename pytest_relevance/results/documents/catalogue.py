"""The catalogue of a suite: a file that says what documents are called, and further fields of them to show.

JSON lines, CSV, TSV and Parquet, plain or gzip. A catalogue may have a million lines, of which a report names a few
hundred: the file is read in one pass, a block at a time, and only the lines of the documents that are asked for are
parsed.
"""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

from pytest_relevance._files import Unreadable, line_blocks, read_whole
from pytest_relevance._text import counted, did_you_mean, found, listed, quoted
from pytest_relevance.judgments.columns import find_columns, folded
from pytest_relevance.judgments.formats.table import cells_of_any_length, tab_cells, white_cells
from pytest_relevance.judgments.source import Header
from pytest_relevance.results.rankings.ranking import ID_NAMES, TITLE_NAMES, id_text

Fields = Mapping[str, object]
"""The values of one document, by the names of their columns."""

_SAMPLE = 100  # lines whose keys are the columns of a file of JSON lines
_MOST_PROBLEMS = 5
_MOST_COLUMNS = 12
_BOM = b"\xef\xbb\xbf"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ID = rb'\s*:\s*("[^"\\\n]*(?:\\.[^"\\\n]*)*"|-?[0-9]+(?![0-9.eE]))'
"""What follows the key of an id in JSON: a colon, and a string or an integer."""


class CatalogueError(ValueError):
    """A catalogue that cannot be read; the message names the file and the line, what was found, and what to do."""


@dataclass(slots=True)
class Documents:
    """What a catalogue says of documents: `titles`, and `fields` to show, {document: {field: text}}.

    `known` are the documents that it has. `problems` are messages about lines that were left out.
    """

    titles: dict[str, str] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A catalogue at a `path`, which messages call `name`.

    `id` and `title` are the columns of these, None for the usual names; in JSON, dots lead into nested objects. `show`
    are further columns to read.
    """

    path: str
    name: str = ""
    id: str | None = None
    title: str | None = None
    show: tuple[str, ...] = ()

    def look_up(self, ids: Collection[str]) -> Documents:
        """Read what the catalogue has of some documents.

        Raises:
            CatalogueError: the file cannot be read, or is no catalogue.
        """
        found = self._read(ids, None)
        assert found is not None
        return found

    def read_all(self, most: int) -> Documents | None:
        """Read all documents; None where there are more than `most`. Raises `CatalogueError` as `look_up` does."""
        return self._read(None, most)

    def _read(self, ids: Collection[str] | None, most: int | None) -> Documents | None:
        reader = _Reader(self, None if ids is None else frozenset(ids))
        try:
            with cells_of_any_length():
                return reader.read(most)
        except OSError as error:
            raise CatalogueError(f"{reader.file}: cannot be read: {error.strerror or error}") from None
        except Unreadable as error:
            raise CatalogueError(f"{reader.file}: {error}") from None


class _Reader:
    """One pass over a catalogue for the documents `wanted`, None for all."""

    def __init__(self, catalogue: Catalogue, wanted: frozenset[str] | None) -> None:
        self.file = catalogue.name or os.fspath(catalogue.path)
        self._catalogue = catalogue
        self._wanted = wanted
        self._id = self._title = ""
        self._is_nested = False  # whether a dot in the name of a column leads into an object
        self._found = Documents()
        self._lines: dict[str, int] = {}

    def read(self, most: int | None) -> Documents | None:
        for line, document, fields in self._entries():
            if document in self._lines:
                self._add_again(line, document, fields)
                continue
            if most is not None and len(self._lines) >= most:
                return None
            self._lines[document] = line
            self._found.known.add(document)
            if title := self._title_text(fields):
                self._found.titles[document] = title
            if shown := self._shown(fields):
                self._found.fields[document] = shown
        return self._found

    def _title_text(self, fields: Fields) -> str:
        names = TITLE_NAMES if self._catalogue.title is None else (self._title,)
        return next(filter(None, (_text(_value(fields, name)) for name in names)), "")

    def _shown(self, fields: Fields) -> dict[str, str]:
        return {name: text for name in self._catalogue.show if (text := _text(_value(fields, name)))}

    def _add_again(self, line: int, document: str, fields: Fields) -> None:
        """Report a second line of a document, unless it says the same; the first one counts."""
        title, found = self._title_text(fields), self._found
        if title != found.titles.get(document, "") or self._shown(fields) != found.fields.get(document, {}):
            first = f"the first, which counts, is in line {self._lines[document]}"
            self._problem(line, f"a second line of the document {quoted(document)} says something else; {first}")

    def _entries(self) -> Iterator[tuple[int, str, Fields]]:
        """The wanted documents, each with its line (in Parquet the number of its row, from 1) and its fields."""
        blocks = line_blocks(self._catalogue.path)
        first = next(blocks, b"").removeprefix(_BOM)
        if first.startswith(b"PAR1"):
            return self._parquet()
        if first.startswith(_UTF_16):
            raise self._refused("the file is UTF-16; save it as UTF-8", 1)
        if not first.strip():
            raise self._refused("the file is empty; a catalogue has a line for each document")
        if first.lstrip().startswith(b"["):
            raise self._refused("the file is one JSON list; write one object on each line (jq -c '.[]')", 1)
        blocks = chain([first], blocks)
        return (
            self._json_lines(blocks)
            if first.lstrip().startswith(b"{")
            else self._rows(text for _, text in self._decoded(blocks))
        )

    def _decoded(self, blocks: Iterable[bytes]) -> Iterator[tuple[bytes, str]]:
        """The blocks, as bytes and as text; an error names the line that is not UTF-8."""
        line = 1
        for block in blocks:
            try:
                text = block.decode()
            except UnicodeDecodeError as error:
                wrong = f"byte 0x{block[error.start]:02x} cannot stand there"
                at = line + block.count(b"\n", 0, error.start)
                raise self._refused(f"the line is not UTF-8 ({wrong}); save the file as UTF-8", at) from None
            yield block, text
            line += block.count(b"\n")

    def _json_lines(self, blocks: Iterable[bytes]) -> Iterator[tuple[int, str, Fields]]:
        tokens, wanted, find, line = self._wanted_tokens(), self._wanted, None, 1
        self._is_nested = True
        for block, _ in self._decoded(blocks):
            if find is None:
                self._choose_columns(self._sampled(block))
                key = self._id.rpartition(".")[2]
                find = re.compile(b'"%b"%b' % (re.escape(json.dumps(key, ensure_ascii=False)[1:-1].encode()), _ID))
            done = end = matches = 0
            for match in find.finditer(block):
                matches += 1
                token = match[1]
                is_wanted = token in tokens or wanted is None or (b"\\" in token and _loaded(token) in wanted)
                if not is_wanted or match.start() < end:
                    continue
                start = block.rfind(b"\n", 0, match.start()) + 1
                line, done = line + block.count(b"\n", done, start), start
                end = block.find(b"\n", start) + 1 or len(block)
                fields = self._object(block[start:end], line)
                document = None if fields is None else id_text(_value(fields, self._id))
                if fields is not None and document is not None and self._wants(document):
                    yield line, document, fields
            lines = block.count(b"\n") + (not block.endswith(b"\n"))
            if matches < lines:
                self._check_lines(block, line - block.count(b"\n", 0, done), find)
            line += block.count(b"\n", done)
        self._object(block[block.rstrip().rfind(b"\n") + 1 :], line - block.endswith(b"\n"))  # may be truncated

    def _wants(self, document: str) -> bool:
        return self._wanted is None or document in self._wanted

    def _wanted_tokens(self) -> frozenset[bytes]:
        """The ids of the wanted documents as JSON has them, without further escapes."""
        wanted = self._wanted or ()
        tokens = {document.encode("utf-8", "replace") for document in wanted if re.fullmatch("-?[0-9]+", document)}
        tokens |= {json.dumps(document, ensure_ascii=False).encode("utf-8", "replace") for document in wanted}
        return frozenset(tokens)

    def _object(self, line: bytes, number: int) -> Fields | None:
        """The JSON object on a line; None for what is none, which is reported."""
        values = _loaded(line)
        if isinstance(values, dict):
            return values
        if line.strip():
            shown = quoted(line.decode().strip(), 60)
            self._problem(number, f"expected a JSON object, found {shown}; is the file truncated?")
        return None

    def _sampled(self, block: bytes) -> list[str]:
        """The columns of a file of JSON lines: the keys in its first lines."""
        first = [line for line in block.split(b"\n", _SAMPLE)[:_SAMPLE] if line.strip()]
        names: dict[str, None] = {}
        for number, line in enumerate(first, 1):
            fields = _loaded(line)
            if isinstance(fields, dict):
                names.update(dict.fromkeys(fields))
            elif number == 1:
                shown = quoted(line.decode().strip(), 60)
                advice = "write the object of each document on a line of its own"
                raise self._refused(f"expected a JSON object, found {shown}; {advice}", 1)
        return list(names)

    def _check_lines(self, block: bytes, first: int, find: re.Pattern[bytes]) -> None:
        """Report the lines of a block that have no id which is text or an integer."""
        for number, line in enumerate(block.split(b"\n"), first):
            if len(self._found.problems) > _MOST_PROBLEMS:
                return
            if not line.strip() or find.search(line) or (fields := self._object(line, number)) is None:
                continue
            value = _value(fields, self._id)
            what = "the line has no" if value is None else f"found {found(value)} as the"
            self._problem(number, f"{what} {quoted(self._id)}; an id is text or an integer")

    def _rows(self, texts: Iterable[str]) -> Iterator[tuple[int, str, Fields]]:
        lines = chain.from_iterable(io.StringIO(text, newline="") for text in texts)
        head = next(filter(str.strip, lines))
        separator = Header.of(head.rstrip("\r\n")).separator
        lines = chain([head], lines)
        rows: Any = csv.reader(lines, delimiter=separator, strict=True) if separator != "\t" else map(_tab_row, lines)
        try:
            names = [name.strip() for name in next(rows)]
            if len(names) == 1 and len(white_cells(head)) > 1:
                names = white_cells(head)
            self._choose_columns(names)
            yield from self._wanted_rows(rows, names)
        except csv.Error as error:
            raise self._refused(f"the row that ends here cannot be read ({error})", rows.line_num) from None

    def _wanted_rows(self, rows: Any, names: list[str]) -> Iterator[tuple[int, str, Fields]]:
        column, width, wanted = names.index(self._id), len(names), self._wanted
        for number, row in enumerate(rows, 2):
            if len(row) != width:
                line = getattr(rows, "line_num", number)
                if any(map(str.strip, row)):
                    self._problem(line, f"found {counted(len(row), 'column')} where there are {width}; mend the line")
            elif (wanted is None or row[column] in wanted) and row[column]:
                yield getattr(rows, "line_num", number), row[column], dict(zip(names, row, strict=True))

    def _parquet(self) -> Iterator[tuple[int, str, Fields]]:
        try:
            from pyarrow import parquet  # type: ignore[import-untyped]
        except ImportError:
            raise self._refused("reading Parquet needs pyarrow: pip install pytest-relevance[parquet]") from None
        try:
            with open(self._catalogue.path, "rb") as raw:
                is_plain = raw.read(4) == b"PAR1"
            path = self._catalogue.path
            table = parquet.ParquetFile(path if is_plain else io.BytesIO(read_whole(path)), memory_map=is_plain)
            self._choose_columns(table.schema_arrow.names)
            columns = [name for name in (self._id, self._title, *self._catalogue.show) if name]
            batches = table.iter_batches(columns=list(dict.fromkeys(columns)))
            yield from self._parquet_rows(batches)
        except (OSError, ValueError, RuntimeError) as error:  # what pyarrow raises for damaged files
            if isinstance(error, (CatalogueError, Unreadable)):
                raise
            raise self._refused(f"the Parquet file cannot be read: {error}") from None

    def _parquet_rows(self, batches: Iterable[Any]) -> Iterator[tuple[int, str, Fields]]:
        number = 0
        for batch in batches:
            ids = batch.column(self._id).to_pylist()
            for index, value in enumerate(ids):
                document = value if type(value) is str else id_text(value)
                if document is None and value is not None:
                    what = f"the column {quoted(self._id)} has {found(value)}"
                    raise self._refused(f"row {number + index + 1}: {what}; an id is text or an integer")
                if document is not None and self._wants(document):
                    (fields,) = batch.slice(index, 1).to_pylist()
                    yield number + index + 1, document, fields
            number += len(ids)

    def _choose_columns(self, names: list[str]) -> None:
        """Decide which columns have the ids and the titles. Raises `CatalogueError` where there is none."""
        own = self._catalogue
        if own.id is None and own.title is None and (what := _other_kind(names)):
            raise self._refused(f"this seems to be {what}; name the file that has a line for each document", 1)
        self._id = self._column("id", own.id, ID_NAMES, names)
        is_optional = own.title is None and own.show
        self._title = self._column("title", own.title, TITLE_NAMES, names, is_optional=bool(is_optional))
        for name in own.show:
            self._column("show", name, (), names)

    def _column(
        self, key: str, written: str | None, usual: Collection[str], names: list[str], *, is_optional: bool = False
    ) -> str:
        """The column that is written for a key of `documents`, or else the first usual one; "" for an optional one."""
        is_nested = self._is_nested and written is not None and written.partition(".")[0] in names
        if written is not None and (written in names or is_nested):
            return written
        chosen = next((name for name in usual if name in names), "") if written is None else ""
        if chosen or is_optional:
            return chosen
        wanted = quoted(written) if written is not None else listed(map(quoted, usual))
        close = did_you_mean(written, names) if written is not None else ""
        there = listed(map(quoted, names[:_MOST_COLUMNS]), "and") + " ..." * (len(names) > _MOST_COLUMNS)
        advice = f"name the column: documents: {{file: {self._catalogue_name}, {key}: ...}}" if key != "show" else ""
        message = f"there is no column {wanted}{close}; the columns are {there}"
        raise self._refused("; ".join(filter(None, (message, advice))), 1)

    @property
    def _catalogue_name(self) -> str:
        return os.path.basename(self.file)

    def _problem(self, line: int, message: str) -> None:
        problems = self._found.problems
        if f"{self.file}:{line}: {message}" in problems:
            return
        if len(problems) < _MOST_PROBLEMS:
            problems.append(f"{self.file}:{line}: {message}")
        elif len(problems) == _MOST_PROBLEMS:
            problems.append(f"{self.file}: there are more lines like these")

    def _refused(self, message: str, line: int | None = None) -> CatalogueError:
        return CatalogueError(f"{self.file}{'' if line is None else f':{line}'}: {message}")


def _other_kind(names: list[str]) -> str:
    """What a file seems to be by its columns, where that is no catalogue."""
    if find_columns(names, ("grade",)) and find_columns(names, ("query_id", "query")):
        return "a file of judgments"
    if len(names) in (4, 6) and not {*map(folded, names)} & {"id", "title", "name"} and names[1] in ("0", "Q0", "q0"):
        return "a file of qrels" if len(names) == 4 else "a TREC run"
    return ""


def _tab_row(line: str) -> list[str]:
    return tab_cells(line.rstrip("\r\n"))


def _loaded(text: bytes) -> Any:
    """A JSON text as a value; None where it is none."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def _value(fields: Fields, name: str) -> object:
    """The value of a column; dots lead into nested objects where no column has the whole name."""
    if name in fields or "." not in name:
        return fields.get(name)
    value: object = fields
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _text(value: object) -> str:
    """A value as text: a list as its items with commas between, an object as JSON, nothing as ""."""
    if isinstance(value, str):
        return value.strip()
    if value is None or isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_text, value or ())))
    return json.dumps(value, ensure_ascii=False, default=str)
