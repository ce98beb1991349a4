"""The record of a run as a file: JSON lines, a header and one line for each result (docs/record-format.md).

A line is what `CaseResult.to_dict` gives. The header has a version: a newer one is refused, not guessed at. The file
may have been edited by hand, so that every value is checked before a result is made of it.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, NoReturn

from pytest_relevance._files import Unreadable, read_whole, write_whole
from pytest_relevance._text import did_you_mean, quoted, shown
from pytest_relevance.cases.conditions import gate_of
from pytest_relevance.metrics.names import LARGEST_CUTOFF
from pytest_relevance.results.case_result import STANDINGS, VERDICTS, CaseResult
from pytest_relevance.results.run_info import FileInfo, RecordError, RunInfo

KIND = "pytest-relevance record"
VERSION = 1

_LARGEST = 10**15  # of a count
MOST_JUDGMENTS = 10_000_000
"""How many judgments a case may have: a damaged count must not fill the memory."""

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
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


class Record(NamedTuple):
    """The content of a record: the results in their order, the case files by name, and how the run was made."""

    results: Sequence[CaseResult]
    files: Mapping[str, FileInfo]
    info: RunInfo


def write_record(
    path: str | os.PathLike[str], results: Sequence[CaseResult], files: Mapping[str, FileInfo], info: RunInfo
) -> None:
    """Write a record in one step; gzip where the name ends in .gz. Raises OSError, and then nothing is written."""
    header = {
        "kind": KIND,
        "version": VERSION,
        "results": len(results),
        "run": info.to_dict(),
        "files": {name: file.to_dict() for name, file in files.items()},
    }
    lines = [as_json(header), *(as_json(result.to_dict()) for result in results), ""]
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


def read_record(path: str | os.PathLike[str]) -> Record:
    """Read a record. Raises `RecordError`, which names the line and what is wrong; never OSError."""
    file = os.fspath(path)
    text = read_text(file, file)
    header = read_header(file, text, KIND, VERSION)
    try:
        check_values(header["run"], _RUN_CHECKS)
        info = RunInfo.from_dict(header["run"])
        files = {name: _file_info(values) for name, values in header["files"].items()}
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise RecordError(f"{file}:1: the header is damaged ({error!r}); make the record again") from None
    results = []
    for number, line in enumerate(text.split("\n")[1:], 2):
        if not line.strip():
            continue
        values = read_object(file, number, line)
        try:
            results.append(_result(values))
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise RecordError(f"{file}:{number}: the line is no result: {error}; make the record again") from None
    if len(results) != header.get("results"):
        raise RecordError(
            f"{file}: the record is truncated: {len(results):,} of {header.get('results')} results are there; "
            "fetch or make it again"
        )
    return Record(results, files, info)


def _file_info(values: dict[str, Any]) -> FileInfo:
    """The info of a case file, checked."""
    check_values(values, _FILE_CHECKS)
    for gate in values["gates"]:
        gate_of(gate)
    return FileInfo.from_dict(values)


def _result(values: dict[str, Any]) -> CaseResult:
    """The result of a line. Raises ValueError, which says what is wrong with it."""
    for name in ("file", "line", "id", "verdict"):
        check(name in values, f"it has no {name}")
    check_values(values, _CHECKS)
    found = CaseResult.from_dict(values)
    check(len(found.grades) == len(found.documents), "documents and grades are not equally many")
    check(len(found.engine_scores) in (0, len(found.documents)), "documents and engine_scores are not equally many")
    accepted = () if found.baseline is None else found.baseline.grades
    unknown = {*found.grades, *accepted, *(grade for _, grade in found.missing)} - {None, *found.judgments}
    check(not unknown, f"documents have grades that no judgment has: {shown(sorted(map(str, unknown)))}")
    for grade in found.judgments:
        found.settings.gains[grade]  # a ValueError where it has none
    check(sum(found.judgments.values()) <= MOST_JUDGMENTS, f"its judgments are {shown(values.get('judgments'))}")
    return found


def check_values(values: Mapping[str, Any], checks: Mapping[str, Callable[[Any], bool]]) -> None:
    """Raise a ValueError for an unknown field, and for a value that fails its check."""
    for name, value in values.items():
        is_sound = checks.get(name)
        if is_sound is None:
            raise ValueError(f"it has an unknown field {quoted(name)}{did_you_mean(name, checks)}")
        if not is_sound(value):
            raise ValueError(f"its {name} is {shown(value)}")


def check(is_sound: bool, message: str) -> None:
    """Raise a ValueError where something is not sound."""
    if not is_sound:
        raise ValueError(message)


def _is_text(value: object) -> bool:
    return type(value) is str


def _is_whole(value: object) -> bool:
    return type(value) is int and 0 <= value <= _LARGEST


def _is_bool(value: object) -> bool:
    return type(value) is bool


def _is_number(value: object) -> bool:
    return (type(value) is int or type(value) is float) and math.isfinite(value)


def _or_none(is_sound: Callable[[Any], bool]) -> Callable[[object], bool]:
    return lambda value: value is None or is_sound(value)


def _list_of(is_sound: Callable[[Any], bool]) -> Callable[[object], bool]:
    return lambda value: type(value) is list and all(map(is_sound, value))


def _mapping_of(is_sound: Callable[[Any], bool]) -> Callable[[object], bool]:
    return lambda value: type(value) is dict and all(map(is_sound, value.values()))


def _parts(**fields: Callable[[Any], bool]) -> Callable[[object], bool]:
    """A mapping with some of these fields and no others."""
    return lambda value: (
        type(value) is dict and all(name in fields and fields[name](each) for name, each in value.items())
    )


def _row(*columns: Callable[[Any], bool]) -> Callable[[object], bool]:
    """A list of exactly these values."""
    return lambda value: (
        type(value) is list
        and len(value) == len(columns)
        and all(is_sound(each) for is_sound, each in zip(columns, value, strict=True))
    )


def _is_object(value: object) -> bool:
    return type(value) is dict


def _texts(value: object) -> bool:
    return type(value) is list and {*map(type, value)} <= {str}


def _numbers(value: object) -> bool:
    """A list of numbers and None. A record has more of these than of all else: no function is called for each."""
    return type(value) is list and {*map(type, value)} <= _NUMBERS and all(map(math.isfinite, filter(None, value)))


_NUMBERS = {int, float, type(None)}
_scores = _mapping_of(_or_none(_is_number))

_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("file", "id", "query", "node", "search", "note", "test", "digest", "outcome"), _is_text),
    **dict.fromkeys(("variant", "source"), _or_none(_is_text)),
    **dict.fromkeys(("line", "returned", "judged", "top"), _is_whole),
    **dict.fromkeys(("lowest", "highest", "tolerance"), _is_number),
    **dict.fromkeys(("floor", "lower", "upper"), _or_none(_is_number)),
    "latency": lambda value: value is None or (_is_number(value) and value >= 0),
    **dict.fromkeys(("tags", "reasons", "items"), _texts),
    **dict.fromkeys(("titles", "notes", "explanations", "grade_names"), _mapping_of(_is_text)),
    "verdict": lambda value: value in VERDICTS,
    "weight": lambda value: _is_number(value) and value > 0,
    "params": _is_object,
    "k": lambda value: _is_whole(value) and 0 < value <= LARGEST_CUTOFF,
    "depth": _or_none(_is_whole),
    "settings": _is_object,
    "documents": _texts,
    **dict.fromkeys(("whole", "is_depth_set", "reaches_depth"), _is_bool),
    "engine_scores": _numbers,
    "grades": _numbers,
    "deeper": _mapping_of(_is_whole),
    "judgments": _mapping_of(_is_whole),
    "missing": _list_of(_row(_is_text, _is_number)),
    "scores": _scores,
    "outcomes": _list_of(
        _parts(
            **dict.fromkeys(("name", "kind", "message", "comparison"), _is_text),
            **dict.fromkeys(("met", "is_score"), _is_bool),
            **dict.fromkeys(("value", "bound"), _or_none(_is_number)),
            documents=_texts,
            within=_or_none(_is_whole),
        )
    ),
    "baseline": _parts(
        standing=lambda value: value in STANDINGS,
        score=_or_none(_is_number),
        stale=_texts,
        scores=_scores,
        documents=_texts,
        grades=_numbers,
        then=_scores,
    ),
    "error": _parts(type=_is_text, message=_is_text, frame=_is_text),
    "repeats": _parts(
        calls=_is_whole,
        rankings=_is_whole,
        rank=_or_none(_is_whole),
        documents=_list_of(_or_none(_is_text)),
        is_tie=_is_bool,
    ),
}
"""The checks of the values of a line, by the fields of `CaseResult`."""

_RUN_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("program", "started"), _is_text),
    **dict.fromkeys(("command", "missing"), _texts),
    "versions": _mapping_of(_is_text),
    "fingerprint": _is_object,
    "faults": _list_of(_is_object),
}
_FILE_CHECKS: Mapping[str, Callable[[Any], bool]] = {
    **dict.fromkeys(("path", "node", "digest", "text_digest", "unjudged"), _is_text),
    "totals": _list_of(_row(_is_text, _or_none(_is_text), _is_whole)),
    "items": _mapping_of(_is_whole),
    "gates": _list_of(lambda value: type(value) is dict and _is_whole(value.get("line"))),
    "orphans": _or_none(_texts),
}


def read_text(path: str | os.PathLike[str], file: str) -> str:
    """The text of a record or a baseline, which messages call `file`, with plain line ends. Raises `RecordError`."""
    try:
        text = read_whole(path).decode("utf-8", "surrogatepass")
    except (OSError, Unreadable, UnicodeDecodeError) as error:
        raise RecordError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if "\r" in text:  # an editor or a version control changed the line ends; texts in JSON have them escaped
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def read_header(file: str, text: str, kind: str, version: int) -> dict[str, Any]:
    """The header of a file. Raises `RecordError` for another kind of file and for a newer version."""
    line = text.partition("\n")[0]
    header = read_object(file, 1, line)
    if header.get("kind") != kind:
        raise RecordError(f"{file}:1: this is no {kind.removeprefix('pytest-relevance ')}; found {quoted(line)}")
    found = header.get("version")
    if type(found) is not int or found > version:
        raise RecordError(
            f"{file}:1: the file has version {found!r}, and this pytest-relevance knows {version}; "
            "upgrade pytest-relevance"
        )
    return header


def read_object(file: str, number: int, line: str) -> dict[str, Any]:
    """The JSON object on a line. Raises `RecordError` for any other line."""
    try:
        values = _decode(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise RecordError(f"{file}:{number}: expected a JSON object, found {quoted(line)}; is the file truncated?")
    return values


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode
