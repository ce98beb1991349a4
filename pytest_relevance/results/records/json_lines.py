"""Read and write JSON lines, the form of records and baselines on disk.

A file has a header and one line for each case (docs/reference/records.md). The header
of a record has the count of its lines, and a baseline has a last line. So a file that
was cut off is noticed.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

from pytest_relevance._files import Unreadable, line_blocks
from pytest_relevance._problems import NOWHERE, Place
from pytest_relevance._text import quoted
from pytest_relevance.results.records.run_info import RecordError


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file: records or baselines.

    `kind`: its name in the header.
    `name`: its name in messages.
    `written_by`: the command that writes it.
    `remedy`: what to do with a damaged file.
    `version`: the version of its format, which rises if an older program would misread
    the file. Files of other versions are not read.
    """

    kind: str
    name: str
    written_by: str
    remedy: str
    version: int


RECORD = FileKind(
    kind="pytest-relevance record",
    name="record",
    written_by="pytest --relevance-record=FILE",
    remedy="fetch or make it again",
    version=3,
)
BASELINE = FileKind(
    kind="pytest-relevance baseline",
    name="baseline",
    written_by="pytest --relevance-update",
    remedy="restore the file, or delete the line and run --relevance-update=new",
    version=2,
)

END = '{"end":true}'
"""The last line of a baseline."""

_BEGINNING = re.compile(
    rb'(?:\xef\xbb\xbf)?\{"kind": ?"([^"]*)", ?"version": ?([0-9]{1,9})\b'
)
_LONGEST_BEGINNING = 100
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")


# --- writing --------------------------------------------------------------------------


_encode = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,
    allow_nan=False,
    separators=(",", ":"),
    default=str,
).encode


def as_json(values: object) -> str:
    """Return values as JSON on one line.

    Values that JSON does not have become text, for example an infinity, which `params`
    may have (1e400).
    """
    try:
        return _encode(values)
    except ValueError:
        return _encode(json.loads(json.dumps(values, default=str), parse_constant=str))


def encoded(
    kind: FileKind, header: Mapping[str, Any], lines: Iterable[str]
) -> Iterator[bytes]:
    """Yield the bytes of a file of the present version, line by line."""
    yield _line(as_json({"kind": kind.kind, "version": kind.version, **header}))
    for line in lines:
        yield _line(line)


def _line(text: str) -> bytes:
    """Return the bytes of a line; lone surrogates are kept."""
    return f"{text}\n".encode("utf-8", "surrogatepass")


# --- the kind of a file ---------------------------------------------------------------


def is_record(data: bytes) -> bool:
    """Say whether bytes, compressed or not, begin like a record.

    Records of this version and of earlier ones count.
    """
    if data.startswith(b"\x1f\x8b"):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, _LONGEST_BEGINNING)
        except zlib.error:
            return False
    beginning = _BEGINNING.match(data)
    if beginning is None:
        return False
    kind, version = beginning.groups()
    return kind == RECORD.kind.encode() and int(version) <= RECORD.version


def kind_in_header(path: str | os.PathLike[str]) -> str:
    """Return the kind that the header of a file names.

    Empty for a file of another program, and for one that cannot be read.
    """
    try:
        beginning = _BEGINNING.match(next(line_blocks(path), b""))
    except (OSError, ValueError):
        return ""
    return beginning[1].decode(errors="replace") if beginning is not None else ""


# --- reading --------------------------------------------------------------------------


def read_file(
    path: str | os.PathLike[str],
    name: str,
    kind: FileKind,
    read_header: Callable[[dict[str, Any]], Any],
    read_line: Callable[[dict[str, Any]], Any],
) -> Iterator[tuple[int, Any]]:
    """Yield (line number, value) for the header and for each line.

    The value is what `read_header` or `read_line` makes of the JSON object. Both raise
    ValueError for a damaged line. Messages call the file `name`.

    Raises:
        RecordError: the file cannot be read, or is of another kind or version; a line
            is not a JSON object, or is damaged; or the file was cut off, which is
            known at its end.
    """
    reader = _Reader(path, name, kind)
    header = reader.header()
    yield 1, reader.made(read_header, header, 1)
    for number, values in reader.lines(header.get("results")):
        yield number, reader.made(read_line, values, number)


class _Reader:
    """Reads a file of a kind, line by line. Messages call the file `name`."""

    def __init__(self, path: str | os.PathLike[str], name: str, kind: FileKind) -> None:
        self._path = path
        self._name = name
        self._kind = kind
        self._texts = self._numbered_texts()

    def _error(self, message: str, line: int = 0) -> RecordError:
        place = Place(line=line) if line else NOWHERE
        return RecordError.at(self._name, message, place)

    def _damaged(self, what: str, line: int) -> RecordError:
        """Return the error for a damaged line, with what to do."""
        message = f"the line is damaged: {what}; {self._kind.remedy}"
        return self._error(message, line)

    def made(
        self,
        make: Callable[[dict[str, Any]], Any],
        values: dict[str, Any],
        number: int,
    ) -> Any:
        """Return what `make` returns for a line. Its errors become `RecordError`."""
        try:
            return make(values)
        except ValueError as error:
            raise self._damaged(str(error), number) from None

    def header(self) -> dict[str, Any]:
        """Return the first line as an object.

        Raises `RecordError` if the file is of another kind or version.
        """
        kind = self._kind
        _, first = next(self._texts, (1, ""))
        header = _object(first)
        if header is None or header.get("kind") != kind.kind:
            raise self._error(
                f"this is not a {kind.name}: {_what_it_is(first)}; {kind.written_by} "
                "writes one",
                line=1,
            )
        version = header.get("version")
        if type(version) is int and version == kind.version:
            return header
        advice = "upgrade it"
        if type(version) is int and 0 < version < kind.version:
            advice = f"delete the file, and make it again with {kind.written_by}"
        raise self._error(
            f"the file has version {version!r}, and this pytest-relevance knows "
            f"{kind.version}; {advice}",
            line=1,
        )

    def lines(self, count: int | None) -> Iterator[tuple[int, dict[str, Any]]]:
        """Yield (line number, object) for each line below the header.

        `count`: how many lines a record has; None for a baseline, which has an end
            line.

        Raises `RecordError` for a line that is not a JSON object, for a line below the
        end, and if the file was cut off.
        """
        found = end = 0
        for number, text in self._texts:
            if end:
                raise self._error(
                    f"a line stands below the end of the file, which is {END} in "
                    f"line {end}; restore the file, or move this line above line "
                    f"{end}",
                    number,
                )
            values = _object(text)
            if values is None:
                raise self._no_object(text, number)
            if count is None and values == {"end": True}:
                end = number
            else:
                found += 1
                yield number, values
        if self._kind is RECORD and found != count:
            raise self._error(
                f"the record is truncated: {found:,} of {count} results are there; "
                f"{self._kind.remedy}"
            )
        if self._kind is BASELINE and not end:
            raise self._error(
                f"the file is truncated: its last line is not {END}; restore the file, or add "
                "that line if nothing is missing"
            )

    def _no_object(self, text: str, number: int) -> RecordError:
        """Return the error for a line that is not a JSON object."""
        if text.startswith(_CONFLICT):
            return self._error(
                "a merge conflict is left in the file; take either side, and update the "
                "cases in it",
                number,
            )
        return self._damaged(f"it is not a valid JSON object, {quoted(text)}", number)

    def _numbered_texts(self) -> Iterator[tuple[int, str]]:
        """Yield (line number, text) for the first line, and for each line with text.
        Raises `RecordError` if the file cannot be read.
        """
        try:
            for number, line in enumerate(self._split_lines(), 1):
                # an editor may have added a mark before the first line
                encoding = "utf-8-sig" if number == 1 else "utf-8"
                text = line.decode(encoding, "surrogatepass")
                if number == 1 or text.strip():
                    yield number, text
        except UnicodeDecodeError as error:
            raise self._error(f"cannot be read: {error}") from None
        except (OSError, Unreadable) as error:
            why = getattr(error, "strerror", None) or error
            raise self._error(f"cannot be read: {why}") from None

    def _split_lines(self) -> Iterator[bytes]:
        """Yield the lines of the file, without their ends."""
        for block in line_blocks(self._path):
            if b"\r" in block:
                # an editor or a version control has changed the line ends
                yield from block.splitlines()
            else:
                # in a tenth of the time
                yield from block.removesuffix(b"\n").split(b"\n")


def _what_it_is(line: str) -> str:
    """Return what a file is instead of the wanted kind, judged by its first line."""
    if not line.strip():
        return "it is empty, or its first line is blank"
    header = _object(line) or {}
    for kind in (RECORD, BASELINE):
        if header.get("kind") == kind.kind:
            return f"it is a {kind.name}"
    return f"it begins with {quoted(line)}"


def _object(line: str) -> dict[str, Any] | None:
    """Return the JSON object on a line; None if the line is anything else."""
    text = line.strip(_BLANKS)
    try:
        values, end = _decode(text)
    except (ValueError, RecursionError):
        return None
    is_whole = end == len(text)
    return values if is_whole and isinstance(values, dict) else None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not a number")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode
_BLANKS = " \t\r\n"
"""What JSON allows around a value."""
