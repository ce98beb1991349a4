"""The record of a run as a file: JSON lines, a header and one line for each result (docs/record-format.md).

A line is what `CaseResult.to_dict` gives. The header has a version: another one is refused, not guessed at.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import re
import sys
import zlib
from collections.abc import Collection, Iterator, Mapping
from io import BytesIO
from typing import Any, NamedTuple, NoReturn

from pytest_relevance._files import Unreadable, read_whole, write_whole
from pytest_relevance._text import digits, quoted
from pytest_relevance.results.case_parts import from_builtin, to_builtin
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.checks import case_result, check_values, file_info
from pytest_relevance.results.records.run_info import FileInfo, RecordError, RunInfo

KIND = "pytest-relevance record"
VERSION = 1

_BEGINNING = f'{{"kind":"{KIND}"'.encode()
_GZIP = b"\x1f\x8b"

_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str).encode


def as_json(values: object) -> str:
    """JSON on one line; other values that `params` may contain (a date, an infinity, a set) as their text."""
    try:
        return _encode(values)
    except (TypeError, ValueError):
        return _encode(_plain(values))


def _plain(value: object) -> object:
    """A value in the types of JSON."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return digits(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def write_record(
    path: str | os.PathLike[str], results: Collection[Mapping[str, Any]], files: Mapping[str, FileInfo], info: RunInfo
) -> None:
    """Write a record in one step; gzip where the name ends in .gz. `results` are of `CaseResult.to_dict`.

    Raises OSError, and then nothing is written.
    """
    header = {
        "kind": KIND,
        "version": VERSION,
        "results": len(results),
        "run": to_builtin(info),
        "files": {name: to_builtin(file) for name, file in files.items()},
    }
    lines = [as_json(header), *map(as_json, results), ""]
    data = "\n".join(lines).encode("utf-8", "surrogatepass")
    if os.fspath(path).endswith(".gz"):
        data = gzip.compress(data, compresslevel=6, mtime=0)
    write_whole(path, data)


def is_record(data: bytes) -> bool:
    """Whether bytes, compressed or not, begin as those of a record do."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, len(_BEGINNING))
        except zlib.error:
            return False
    return data.startswith(_BEGINNING)


def read_record(
    path: str | os.PathLike[str], shown: str | None = None
) -> tuple[list[CaseResult], dict[str, FileInfo], RunInfo]:
    """Read a record: the results in their order, the case files by name, and how the run was made.

    Messages call it `shown`. Raises `RecordError`, which names the line and what is wrong; never OSError.
    """
    file = shown if shown is not None else os.fspath(path)
    lines = read_lines(path, file)
    header = read_header(file, lines, KIND, VERSION)
    try:
        check_values(header["run"], RunInfo)
        info = from_builtin(RunInfo, header["run"])
        files = {name: file_info(values) for name, values in header["files"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise RecordError(f"{file}:1: the header is damaged ({error!r}); make the record again") from None
    results = []
    for number, line in lines:
        values = read_object(file, number, line)
        try:
            results.append(case_result(values))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise RecordError(f"{file}:{number}: the line is no result: {error}; make the record again") from None
    if len(results) != header.get("results"):
        there = f"{len(results):,} of {header.get('results')} results are there"
        raise RecordError(f"{file}: the record is truncated: {there}; fetch or make it again")
    return results, files, info


def read_lines(path: str | os.PathLike[str], file: str) -> Iterator[tuple[int, str]]:
    """The lines of a record or a baseline that are not blank, and the first in any case, with their numbers from 1.

    Messages call it `file`. Raises `RecordError` where it cannot be read.
    """
    try:
        # an editor or a version control may have changed the line ends; texts in JSON have them escaped
        data = read_whole(path).replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        for number, line in enumerate(BytesIO(data), 1):
            text = line.decode("utf-8", "surrogatepass")
            if number == 1 or text.strip():
                yield number, text.removesuffix("\n")
    except (OSError, Unreadable, UnicodeDecodeError) as error:
        raise RecordError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


class _Kind(NamedTuple):
    """A kind of file of this package: its name in messages, what writes one, what to do with an older version."""

    name: str
    written_by: str
    if_older: str


_KINDS: Mapping[str, _Kind] = {
    KIND: _Kind("record", "pytest --relevance-record=FILE", "record the run again"),
    "pytest-relevance baseline": _Kind(
        *("baseline", "pytest --relevance-update"),
        if_older="delete the file and accept the rankings again with --relevance-update",
    ),
}
_OTHERS: Mapping[str, str] = {
    r"<{7}|={7}|>{7}|\|{7}": "it has a conflict of a merge",
    r"\s*<[!?A-Za-z]": "it looks like HTML or XML",
    r"\s*[{[]": "it looks like other JSON, or is truncated",
    r"---|#|[\w-]+\s*:(\s|$)": "it looks like YAML, as case files are",
    r"(\S+\s+){2}\S+\s+\d+\s+\S+\s+\S+$": "it looks like a TREC run",
    r".*[\t,;]": "it looks like a table",
}
"""What the first line of a file of another kind says of it, by a pattern of the line; the first that matches counts."""


def read_header(file: str, lines: Iterator[tuple[int, str]], kind: str, version: int) -> dict[str, Any]:
    """The header of a file. Raises `RecordError` for another kind of file and for another version."""
    _, line = next(lines, (1, ""))
    is_of_kind = line.replace(": ", ":").startswith(f'{{"kind":"{kind}"')
    header = read_object(file, 1, line) if is_of_kind else _object(line)
    if header is None or header.get("kind") != kind:
        name, written_by, _ = _KINDS[kind]
        raise RecordError(f"{file}:1: this is not a {name}: {_looks_like(line, header)}; {written_by} writes one")
    found = header.get("version")
    if type(found) is not int or found != version:
        is_older = type(found) is int and found < version
        remedy = _KINDS[kind].if_older if is_older else "upgrade pytest-relevance"
        raise RecordError(
            f"{file}:1: the file has version {found!r}, and this pytest-relevance knows {version}; {remedy}"
        )
    return header


def _looks_like(line: str, header: Mapping[str, Any] | None) -> str:
    """What a file of another kind seems to be, by its first line."""
    if not line.strip():
        return "it is empty, or its first line is blank"
    kind = _KINDS.get(str(header.get("kind"))) if header is not None else None
    if kind is not None:
        return f"it is a {kind.name}"
    what = next((what for pattern, what in _OTHERS.items() if re.match(pattern, line)), "it looks like text")
    return f"{what}, and begins with {quoted(line)}"


def read_object(file: str, number: int, line: str) -> dict[str, Any]:
    """The JSON object on a line. Raises `RecordError` for any other line."""
    values = _object(line)
    if values is None:
        raise RecordError(f"{file}:{number}: expected a JSON object, found {quoted(line)}; is the file truncated?")
    return values


def _object(line: str) -> dict[str, Any] | None:
    """The JSON object on a line; None for any other line."""
    try:
        values = _decode(line)
    except (ValueError, RecursionError):
        return None
    return values if isinstance(values, dict) else None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode
