"""Read and write the record of a run, in which each line is a `CaseResult`.

`Run` writes a record at the end of a run, and reads it for commands and notebooks.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_relevance._files import write_whole
from pytest_relevance._text import shown
from pytest_relevance.codec import decode, encode
from pytest_relevance.metrics.settings import Settings
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
"""The words for the files that a new record may replace."""


@dataclass(frozen=True, slots=True)
class RecordHeader:
    """The first line of a record.

    `results`: how many results follow.
    `run`: how the run was made.
    `files`: {name: data} of its case files.
    `texts`: the texts of results, each once, if the record keeps them. Results have the
    indexes of their texts.
    """

    results: int
    run: RunInfo
    files: Mapping[str, FileInfo]
    texts: Sequence[str] = ()


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
    texts: dict[str, int] = {}
    for result in record.results:
        for text in result.ranking.texts:
            texts.setdefault(text, len(texts))
    header = RecordHeader(
        results=len(record.results),
        run=record.info,
        files=record.files,
        texts=tuple(texts),
    )
    lines = (as_json(_line_of(result, texts)) for result in record.results)
    data = encoded(RECORD, encode(header), lines)
    if os.fspath(path).endswith(".gz"):
        data = _packed(data)
    write_whole(path, data)


def _line_of(result: CaseResult, texts: Mapping[str, int]) -> dict[str, Any]:
    """Return a result as JSON values, with indexes in the place of texts.

    `texts`: {text: its index}.
    """
    ranking = result.ranking
    values: dict[str, Any] = encode(result.without_texts_of_results())
    if ranking.texts:
        values["ranking"][_TEXTS] = [texts[text] for text in ranking.texts]
    if ranking.fields_of_texts:
        values["ranking"]["fields_of_texts"] = encode(ranking.fields_of_texts)
    return values


_TEXTS = "texts"
"""The key of the texts in a header, and of their indexes in the ranking of a result."""


def _packed(parts: Iterable[bytes]) -> Iterator[bytes]:
    """Yield the bytes of a file, compressed."""
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
    """Return the first line of a record. Raises `RecordError` if the file cannot be
    read, or is not a record.
    """
    header: RecordHeader
    _, header = next(_record_lines(path, None))
    return header


def _record_lines(
    path: str | os.PathLike[str], shown: str | None
) -> Iterator[tuple[int, Any]]:
    """Yield (line number, value): the header, then the results."""
    name = os.fspath(path) if shown is None else shown
    reader = _Reader()
    return read_file(path, name, RECORD, reader.read_header, reader.read_line)


class _Reader:
    """Reads the lines of a record. The header has the texts of all results.

    Results with the same settings share one object, and with it the table of gains.
    """

    def __init__(self) -> None:
        self._texts: Sequence[str] = ()
        self._settings: dict[str, Settings] = {}

    def read_header(self, values: dict[str, Any]) -> RecordHeader:
        """Return the header. Raises ValueError for a value that is not allowed."""
        header = decode(RecordHeader, values)
        for info in header.files.values():
            check_file(info)
        self._texts = header.texts
        return header

    def read_line(self, values: dict[str, Any]) -> CaseResult:
        """Return a result. Raises ValueError for a value that is not allowed."""
        ranking = values.get("ranking")
        indexes: object = ()
        if isinstance(ranking, dict):
            indexes = ranking.pop(_TEXTS, ())
        result = decode(CaseResult, values)
        if indexes:
            texts = self._texts_at(indexes)
            result = replace(result, ranking=replace(result.ranking, texts=texts))
        check_result(result)
        return self._with_shared_settings(result)

    def _with_shared_settings(self, result: CaseResult) -> CaseResult:
        """Return the result with the settings of an earlier one, if they are the same.

        Their `repr` is compared, because a merge writes 3.0 and 3 as they were.
        """
        conditions = result.conditions
        own = conditions.settings
        shared = self._settings.setdefault(repr(own), own)
        if shared is own:
            return result
        return replace(result, conditions=replace(conditions, settings=shared))

    def _texts_at(self, indexes: object) -> tuple[str, ...]:
        """Return the texts with these indexes. Raises ValueError if one is unknown."""
        known = range(len(self._texts))
        texts = []
        for index in indexes if isinstance(indexes, list) else [indexes]:
            if type(index) is not int or index not in known:
                raise ValueError(
                    f"ranking.texts: {shown(index)} is not a text of the header"
                )
            texts.append(self._texts[index])
        return tuple(texts)
