"""The record of a run on disk: JSON lines, a header and a line a result, sorted by nothing but the order of the run.

The header has a version. A record of a newer version is refused, not guessed at. Settings are many results' and stand
once, in the header, and so does what there is to know of each case file. What is read is checked only as far as a hand
could have broken it: that every line is a result.
"""

from __future__ import annotations

import gzip
import json
import math
import os
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_relevance.files import Unreadable, read_whole, write_whole
from pytest_relevance.garbage import garbage_kept
from pytest_relevance.runs.facts import CaseFileFacts
from pytest_relevance.runs.lines import DETAILS, as_json, conditions_text, result_line, settings_of
from pytest_relevance.runs.run import Conditions, RecordError, Result, Run
from pytest_relevance.runs.scored import SKIPPED, VERDICTS
from pytest_relevance.wording import quoted, shown

KIND = "pytest-relevance record"
VERSION = 1


_BEGINNING = f'{{"kind":"{KIND}"'.encode()
_GZIP = b"\x1f\x8b"
_ANOTHER_KEY = '},"'
"""Details end their line, and in them no key follows upon an object; in a text the quote would be escaped."""


def write_record(path: str | os.PathLike[str], run: Run) -> None:
    """Write a run, in one step; gzip where the name ends in .gz. Raises OSError, and then nothing is written."""
    write_results(path, _lines(run.results), run.missing, run.files, run.program)


def write_results(
    path: str | os.PathLike[str],
    lines: Iterable[str],
    missing: Iterable[str] = (),
    files: Mapping[str, CaseFileFacts] | None = None,
    program: str = "",
) -> None:
    """Write a record of results that are text already: the conditions, and below them the rest."""
    conditions: dict[str, int] = {}
    written = []
    for line in lines:
        shared, _, rest = line.partition("\n")
        written.append(f'{{"conditions":{conditions.setdefault(shared, len(conditions))},{rest[1:]}')
    header = {
        "kind": KIND,
        "version": VERSION,
        "program": program,
        "results": len(written),
        "missing": list(missing),
        "files": {file: facts.values() for file, facts in (files or {}).items()},
    }
    first = f'{as_json(header)[:-1]},"conditions":[{",".join(conditions)}]}}'
    data = "\n".join([first, *written, ""]).encode("utf-8", "surrogatepass")
    if os.fspath(path).endswith(".gz"):
        data = gzip.compress(data, compresslevel=6, mtime=0)
    write_whole(path, data)


def _lines(results: Iterable[Result]) -> Iterator[str]:
    shared: dict[int, str] = {}
    for result in results:
        conditions = shared.get(id(result.conditions))
        if conditions is None:
            found = result.conditions
            conditions = shared[id(found)] = conditions_text(found.search, found.k, found.settings, found.depth)
        yield f"{conditions}\n{result_line(result.values, result.kept_details, result.k)}"


def is_record(data: bytes) -> bool:
    """Whether bytes, packed or not, begin as those of a record do, whatever became of the rest."""
    if data.startswith(_GZIP):
        try:
            data = zlib.decompressobj(wbits=31).decompress(data, len(_BEGINNING))
        except zlib.error:
            return False
    return data.startswith(_BEGINNING)


def read_record(path: str | os.PathLike[str]) -> Run:
    """Read a record. `RecordError` says what is wrong with it, and in which line."""
    file = os.fspath(path)
    text = read_text(file, file)
    header = read_header(file, text, KIND, VERSION)
    try:
        conditions = [_conditions_of(values) for values in header["conditions"]]
        missing = [str(name) for name in header["missing"]]
        files = {str(name): CaseFileFacts.of(values) for name, values in header.get("files", {}).items()}
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise RecordError(f"{file}:1: the header is damaged ({error!r}); make the record again") from None
    lines = text.split("\n")[1:]
    with garbage_kept():
        results = _quick(lines, conditions)
        if results is None:
            results = _careful(file, lines, conditions)
    if len(results) != header.get("results"):
        raise RecordError(
            f"{file}: the record is truncated: {len(results):,} of {header.get('results')} results are there; "
            "fetch or make it again"
        )
    return Run(results, missing=missing, name=Path(file).name, files=files, program=str(header.get("program", "")))


def _quick(lines: Sequence[str], conditions: Sequence[Conditions]) -> list[Result] | None:
    """The results, their details left as text; None where a line is not as it was written."""
    heads, tails = [], []
    for line in lines:
        cut = line.rfind(DETAILS)
        tail = line[cut + len(DETAILS) - 1 : -1]
        if cut >= 0 and tail.endswith("}") and _ANOTHER_KEY not in tail:
            heads.append(line[:cut])
            tails.append(tail)
        elif line:
            return None
    try:
        values = json.loads(f"[{'},'.join(heads)}}}]") if heads else []
        if any(each["conditions"] < 0 for each in values):
            return None
        if len(values) != len(heads) or not all(_are_sound(values, name) for name in _SHAPES):
            return None
        return [Result(each, tail, conditions[each["conditions"]]) for each, tail in zip(values, tails, strict=True)]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError, OverflowError):
        return None


def _careful(file: str, lines: Sequence[str], conditions: Sequence[Conditions]) -> list[Result]:
    """The same line by line, to say which is damaged."""
    results = []
    for number, line in enumerate(lines, 2):
        if not line.strip():
            continue
        try:
            results.append(_result(read_object(file, number, line), conditions))
        except ValueError as error:
            if isinstance(error, RecordError):
                raise
            raise RecordError(f"{file}:{number}: the line is no result: {error}; make the record again") from None
    return results


def _result(values: dict[str, Any], conditions: Sequence[Conditions]) -> Result:
    """The result of a line. ValueError says what is wrong with it."""
    details = values.pop("details", {})
    for name in ("file", "id", "verdict", "conditions"):
        if name not in values:
            raise ValueError(f"it has no {name}")
    for name in _SHAPES:
        if not _are_sound([values], name):
            raise ValueError(
                f"its {name} {'are' if name in ('scores', 'tags', 'items') else 'is'} {shown(values[name])}"
            )
    number = values["conditions"]
    if not (isinstance(number, int) and 0 <= number < len(conditions)):
        raise ValueError(f"its conditions are {shown(number)}, and the header has {len(conditions)}")
    found = Result(values, details, conditions[number])
    try:
        _check_details(found)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"its details are {shown(details)} ({error})") from None
    return found


def check_record(path: str | os.PathLike[str]) -> None:
    """Look at every line of a record, into its details too, which reading leaves as they are. Raises `RecordError`."""
    read_record(path)  # refuses what is wrong with the header
    file = os.fspath(path)
    text = read_text(file, file)
    conditions = [_conditions_of(values) for values in read_header(file, text, KIND, VERSION)["conditions"]]
    _careful(file, text.split("\n")[1:], conditions)


def _check_details(result: Result) -> None:
    """Raise one of several errors where the details of a result are not what metrics and reports rely on."""
    graded = result.graded
    if not {type(document) for document in result.ranking} <= {str}:
        raise TypeError("a document is no text")
    if len(graded.grades) != len(result.ranking):
        raise ValueError(f"documents: {len(result.ranking)}, grades: {len(graded.grades)}")
    if not {type(grade) for grade in graded.grades} <= {*_NUMBERS, type(None)}:
        raise TypeError("a grade is no number")
    if not isinstance(result.details.get("returned", 0), int):
        raise TypeError("how many were returned is no number")


def _are_sound(values: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether what comparisons rely on has the right shape: a hand may have been at it."""
    try:
        return _SHAPES[name](values)
    except (AttributeError, KeyError, TypeError):
        return False


def _list(value: list[Any]) -> list[Any]:
    if not isinstance(value, list):
        raise TypeError("no list")
    return value


def _texts(name: str) -> Callable[[Sequence[Mapping[str, Any]]], bool]:
    return lambda values: {type(each[name]) for each in values} <= {str}


_NUMBERS = {int, float}
_KNOWN = {*VERDICTS, SKIPPED}

_SHAPES: Mapping[str, Callable[[Sequence[Mapping[str, Any]]], bool]] = {
    "file": _texts("file"),
    "id": _texts("id"),
    "query": lambda values: {type(each["query"]) for each in values if "query" in each} <= {str},
    "tags": lambda values: {type(tag) for each in values if "tags" in each for tag in _list(each["tags"])} <= {str},
    "items": lambda values: (
        {type(item) for each in values if "items" in each for item in _list(each["items"])} <= {str}
    ),
    "verdict": lambda values: {each["verdict"] for each in values} <= _KNOWN,
    "weight": lambda values: all(0 < each["weight"] < math.inf for each in values if "weight" in each),
    "scores": lambda values: (
        {type(score) for each in values if "scores" in each for score in each["scores"].values()}
        <= {*_NUMBERS, type(None)}
    ),
}
"""What is looked at, and how many results are looked at in a few passes."""


def read_text(path: str | os.PathLike[str], file: str) -> str:
    """The text of a record or a baseline, which messages call `file`, its line ends made one. Raises `RecordError`."""
    try:
        text = read_whole(path).decode("utf-8", "surrogatepass")
    except (OSError, Unreadable, UnicodeDecodeError) as error:
        raise RecordError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if "\r" in text:  # an editor or a version control changed the line ends; texts in JSON have them escaped
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text


def read_header(file: str, text: str, kind: str, version: int) -> dict[str, Any]:
    """The header of a file of a kind, whose version is known here. Raises `RecordError`."""
    line = text.partition("\n")[0]
    header = read_object(file, 1, line)
    if header.get("kind") != kind:
        raise RecordError(f"{file}:1: this is no {kind.removeprefix('pytest-relevance ')}; found {quoted(line)}")
    found = header.get("version")
    if not isinstance(found, int) or found > version:
        raise RecordError(
            f"{file}:1: the file has version {found!r}, and this pytest-relevance knows {version}; "
            "upgrade pytest-relevance"
        )
    return header


def read_object(file: str, number: int, line: str) -> dict[str, Any]:
    """The object on a line. Raises `RecordError`."""
    try:
        values = json.loads(line)
    except (ValueError, RecursionError):
        values = None
    if not isinstance(values, dict):
        raise RecordError(f"{file}:{number}: expected a JSON object, found {quoted(line)}; is the file truncated?")
    return values


def _conditions_of(values: Mapping[str, Any]) -> Conditions:
    settings = {name: value for name, value in values.items() if name not in ("search", "k", "depth")}
    return Conditions(values["search"], values["k"], settings_of(settings), values.get("depth"))
