"""Records and baselines on disk: JSON lines, a header and one line for each case
(docs/reference/records.md).

A line of a record is a `CaseResult`, as `codec` encodes it; a line of a baseline is a
`BaselineEntry`. Whether a file is whole is known by the count in the header of a
record, and by the last line of a baseline.
"""

from __future__ import annotations

import json
import os
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NoReturn, TypeVar

from pytest_relevance._files import Unreadable, line_blocks, write_whole
from pytest_relevance._problems import Place
from pytest_relevance._text import quoted
from pytest_relevance.codec import decode, encode
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.checking import check_result
from pytest_relevance.results.records.run_info import FileInfo, RecordError, RunInfo

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True)
class FileKind:
    """A kind of file.

    `kind` is in the header; `name` is for messages. `written_by` is the command that
    writes it, `remedy` says what to do with a damaged one. `version` is the version of
    its format, which rises if an older program would misread the file. No other version
    is read.
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

RECORDS = f"record of version {RECORD.version} or before"
"""The files that a new record may replace, in words."""

END = '{"end":true}'
"""The last line of a baseline."""

_BEGINNING = re.compile(
    rb'(?:\xef\xbb\xbf)?\{"kind": ?"([^"]*)", ?"version": ?([0-9]{1,9})\b'
)
_LONGEST_BEGINNING = 100
_CONFLICT = ("<<<<<<<", "=======", ">>>>>>>", "|||||||")

_encode = json.JSONEncoder(
    ensure_ascii=False,
    check_circular=False,
    allow_nan=False,
    separators=(",", ":"),
    default=str,
).encode


def as_json(values: object) -> str:
    """JSON on one line; what it has no word for (`params` may have 1e400, an infinity)
    as text.
    """
    try:
        return _encode(values)
    except ValueError:
        return _encode(json.loads(json.dumps(values, default=str), parse_constant=str))


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """The first line of a record: how many `results` follow, how the run was made, and
    its case files by name.
    """

    results: int
    run: RunInfo
    files: Mapping[str, FileInfo]


@dataclass(frozen=True, slots=True)
class Record:
    """What a record has: the results in their order, the case files by name, and how
    the run was made.
    """

    results: Sequence[CaseResult]
    files: Mapping[str, FileInfo]
    info: RunInfo


def write_record(path: str | os.PathLike[str], record: Record) -> None:
    """Write a record in one step; gzip if the name ends in .gz. Raises OSError, and
    then nothing is written.
    """
    header = RecordHeader(
        results=len(record.results), run=record.info, files=record.files
    )
    lines = (as_json(encode(result)) for result in record.results)
    data = encoded(RECORD, encode(header), lines)
    write_whole(path, _packed(data) if os.fspath(path).endswith(".gz") else data)


def _packed(parts: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(6, wbits=31)  # gzip, without a time
    yield from map(packer.compress, parts)
    yield packer.flush()


def encoded(
    kind: FileKind, header: Mapping[str, Any], lines: Iterable[str]
) -> Iterator[bytes]:
    """The content of a file of this kind and of the present version, line by line."""
    first = as_json({"kind": kind.kind, "version": kind.version, **header})
    return (
        f"{line}\n".encode("utf-8", "surrogatepass") for line in chain([first], lines)
    )


def is_record(data: bytes) -> bool:
    """Whether bytes, compressed or not, begin as a record of a known version does."""
    if data.startswith(b"\x1f\x8b"):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, _LONGEST_BEGINNING)
        except zlib.error:
            return False
    found = _BEGINNING.match(data)
    return (
        found is not None
        and found[1] == RECORD.kind.encode()
        and int(found[2]) <= RECORD.version
    )


def kind_of(path: str | os.PathLike[str]) -> str:
    """The kind in the header of a file of this package; empty for another file, and for
    one that cannot be read.
    """
    try:
        found = _BEGINNING.match(next(line_blocks(path), b""))
    except (OSError, ValueError):
        return ""
    return found[1].decode(errors="replace") if found is not None else ""


def read_record(path: str | os.PathLike[str], shown: str | None = None) -> Record:
    """Read a record, which messages call `shown`.

    Raises `RecordError`, which names the line and what is wrong; never OSError.
    """
    lines = _record_lines(path, shown)
    _, header = next(lines)
    results = [result for _, result in lines]
    return Record(results, header.files, header.run)


def read_header(path: str | os.PathLike[str], shown: str | None = None) -> RecordHeader:
    """Read the first line of a record. Raises `RecordError`."""
    header: RecordHeader = next(_record_lines(path, shown))[1]
    return header


def _record_lines(
    path: str | os.PathLike[str], shown: str | None
) -> Iterator[tuple[int, Any]]:
    """Read the header of a record, then its results, each with the number of its
    line.
    """
    file = os.fspath(path) if shown is None else shown
    return read_file(path, file, RECORD, _record_header, _case_result)


def _record_header(values: dict[str, Any]) -> RecordHeader:
    return decode(RecordHeader, values)


def _case_result(values: dict[str, Any]) -> CaseResult:
    result = decode(CaseResult, values)
    check_result(result)
    return result


def read_file(
    path: str | os.PathLike[str],
    file: str,
    kind: FileKind,
    of_header: Callable[[dict[str, Any]], Any],
    of_line: Callable[[dict[str, Any]], Any],
) -> Iterator[tuple[int, Any]]:
    """What functions make of the header of a record or a baseline, and of its lines,
    with their numbers.

    The functions raise ValueError for a damaged line. Messages call the file `file`.

    Raises `RecordError` where it cannot be read, is of another kind or of a later
    version, where a line is no JSON object or nothing can be made of it, and at the end
    where the file is not whole.
    """
    texts = _texts(path, file)
    _, first = next(texts, (1, ""))
    header = _object(first)
    if header is None or header.get("kind") != kind.kind:
        raise RecordError.at(
            file,
            f"this is not a {kind.name}: {_is_instead(first)}; {kind.written_by} writes one",
            Place(line=1),
        )
    _check_version(header.get("version"), file, kind)
    for number, values in chain(
        [(1, header)], _objects(texts, file, kind, header.get("results"))
    ):
        yield (
            number,
            _made(of_line if number > 1 else of_header, values, file, kind, number),
        )


def _check_version(version: object, file: str, kind: FileKind) -> None:
    """Raise `RecordError` for a version that is not read."""
    if type(version) is int and version == kind.version:
        return
    advice = "upgrade it"
    if type(version) is int and 0 < version < kind.version:
        advice = f"delete the file, and {kind.written_by} writes it anew"
    raise RecordError.at(
        file,
        f"the file has version {version!r}, and this pytest-relevance knows {kind.version}; {advice}",
        Place(line=1),
    )


def _made(
    make: Callable[[dict[str, Any]], Item],
    values: dict[str, Any],
    file: str,
    kind: FileKind,
    number: int,
) -> Item:
    """What a function makes of a line. Raises `RecordError` for a damaged one."""
    try:
        return make(values)
    except ValueError as error:
        raise RecordError.at(
            file, f"the line is damaged: {error}; {kind.remedy}", Place(line=number)
        ) from None


def _objects(
    texts: Iterator[tuple[int, str]], file: str, kind: FileKind, count: int | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines below a header as objects. A file with a `count` has so many; any other
    ends with the end line.
    """
    found = end = 0
    for number, text in texts:
        if end:
            advice = "restore the file, or move the lines above that one"
            raise RecordError.at(
                file,
                f"a line below the last one, {END} in line {end}; {advice}",
                Place(line=number),
            )
        values = _object(text)
        if values is None:
            if text.startswith(_CONFLICT):
                advice = "take either side, and update the cases in it"
                raise RecordError.at(
                    file,
                    f"a merge conflict is left in the file; {advice}",
                    Place(line=number),
                )
            what = f"it is no valid JSON object, {quoted(text)}"
            raise RecordError.at(
                file, f"the line is damaged: {what}; {kind.remedy}", Place(line=number)
            )
        if count is None and values == {"end": True}:
            end = number
        else:
            found += 1
            yield number, values
    if kind is RECORD and found != count:
        raise RecordError.at(
            file,
            f"the record is truncated: {found:,} of {count} results are there; {kind.remedy}",
        )
    if kind is BASELINE and not end:
        advice = "restore the file, or add that line where nothing is missing"
        raise RecordError.at(
            file, f"the file is cut: its last line is not {END}; {advice}"
        )


def _texts(path: str | os.PathLike[str], file: str) -> Iterator[tuple[int, str]]:
    """The lines of `_lines` as text, without the mark that an editor may have added."""
    for number, line in _lines(path, file):
        try:
            yield (
                number,
                line.decode("utf-8-sig" if number == 1 else "utf-8", "surrogatepass"),
            )
        except UnicodeDecodeError as error:
            raise RecordError.at(file, f"cannot be read: {error}") from None


def _lines(path: str | os.PathLike[str], file: str) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, and the first in any case, with their numbers from
    1.
    """
    # an editor or a version control may have changed the line ends; where none did,
    # `split` takes a tenth of the time
    blocks = (
        block.splitlines() if b"\r" in block else block.removesuffix(b"\n").split(b"\n")
        for block in line_blocks(path)
    )
    try:
        for number, line in enumerate(chain.from_iterable(blocks), 1):
            if (
                number == 1
                or line[:1] == b"{"
                or line.decode("utf-8", "replace").strip()
            ):
                yield number, line
    except (OSError, Unreadable) as error:
        raise RecordError.at(
            file, f"cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None


def _is_instead(line: str) -> str:
    """What a file of another kind is, by its first line."""
    if not line.strip():
        return "it is empty, or its first line is blank"
    kind = (_object(line) or {}).get("kind")
    name = next((each.name for each in (RECORD, BASELINE) if each.kind == kind), None)
    return f"it is a {name}" if name is not None else f"it begins with {quoted(line)}"


def _object(line: str) -> dict[str, Any] | None:
    """The JSON object on a line; None for any other line."""
    text = line.strip(_BLANKS)
    try:
        values, end = _decode(text)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) and end == len(text) else None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).raw_decode
_BLANKS = " \t\r\n"
"""What JSON allows around a value."""
