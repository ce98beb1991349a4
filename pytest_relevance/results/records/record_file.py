"""Read and write the record of a run, in which each line is a `CaseResult`.

`Run` writes a record at the end of a run, and reads it for commands and notebooks.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance._files import write_whole
from pytest_relevance.codec import decode, encode
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.records.checking import check_file, check_result
from pytest_relevance.results.records.json_lines import (
    RECORD,
    as_json,
    encoded,
    read_file,
)
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

RECORDS = f"record of version {RECORD.version} or before"
"""The files that a new record may replace, in words."""


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """The first line of a record.

    `results`: how many results follow.
    `run`: how the run was made.
    `files`: {name: data} of its case files.
    """

    results: int
    run: RunInfo
    files: Mapping[str, FileInfo]


@dataclass(frozen=True, slots=True)
class Record:
    """The content of a record.

    `results`: the results in their order.
    `files`: {name: data} of its case files.
    `info`: how the run was made.
    """

    results: Sequence[CaseResult]
    files: Mapping[str, FileInfo]
    info: RunInfo


def write_record(path: str | os.PathLike[str], record: Record) -> None:
    """Write a record, compressed with gzip if the name ends in .gz.

    Raises OSError if it cannot be written. Then an old file is unchanged.
    """
    header = RecordHeader(
        results=len(record.results), run=record.info, files=record.files
    )
    lines = (as_json(encode(result)) for result in record.results)
    data = encoded(RECORD, encode(header), lines)
    write_whole(path, _packed(data) if os.fspath(path).endswith(".gz") else data)


def _packed(parts: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(6, wbits=31)  # gzip, without a time
    for part in parts:
        yield packer.compress(part)
    yield packer.flush()


def read_record(path: str | os.PathLike[str], shown: str | None = None) -> Record:
    """Return the content of a record. Messages call the file `shown`.

    Raises `RecordError`, which names the line and what is wrong; never OSError.
    """
    lines = _record_lines(path, shown)
    _, header = next(lines)
    results = [result for _, result in lines]
    return Record(results, header.files, header.run)


def read_header(path: str | os.PathLike[str]) -> RecordHeader:
    """Return the first line of a record. Raises `RecordError`."""
    header: RecordHeader
    _, header = next(_record_lines(path, None))
    return header


def _record_lines(
    path: str | os.PathLike[str], shown: str | None
) -> Iterator[tuple[int, Any]]:
    name = os.fspath(path) if shown is None else shown
    return read_file(path, name, RECORD, _record_header, _case_result)


def _record_header(values: dict[str, Any]) -> RecordHeader:
    header = decode(RecordHeader, values)
    for info in header.files.values():
        check_file(info)
    return header


def _case_result(values: dict[str, Any]) -> CaseResult:
    result = decode(CaseResult, values)
    check_result(result)
    return result
