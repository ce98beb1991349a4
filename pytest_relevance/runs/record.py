"""The record of a run on disk: JSON lines, a header and a line a result, sorted by nothing but the order of the run.

The header has a version. A record of a newer version is refused, not guessed at. Settings are many results' and stand
once, in the header, and so does what there is to know of each case file. What is read is checked (`shapes`), the
details of a result when somebody asks for them: nothing that a disk or a hand did to a record is taken for a figure.
"""

from __future__ import annotations

import gzip
import os
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from pytest_relevance.files import Unreadable, read_whole, write_whole
from pytest_relevance.garbage import garbage_kept
from pytest_relevance.runs.facts import CaseFileFacts
from pytest_relevance.runs.lines import DETAILS, as_json, conditions_text, result_line, settings_of
from pytest_relevance.runs.run import Conditions, RecordError, Result, Run
from pytest_relevance.runs.shapes import PLURAL, check_conditions, check_details, first_unsound, is_whole, json_value
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
        missing = _texts_of(header["missing"])
        files = {name: CaseFileFacts.of(values) for name, values in header.get("files", {}).items()}
        (program,) = _texts_of([header.get("program", "")])
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
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
    return Run(results, missing=missing, name=Path(file).name, files=files, program=program)


def _texts_of(values: Sequence[Any]) -> list[str]:
    """A list of texts. ValueError for what is none."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise ValueError(f"expected texts, found {values!r}")
    return values


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
        values = json_value(f"[{'},'.join(heads)}}}]") if heads else []
        if len(values) != len(heads) or not all(is_whole(each["conditions"]) for each in values):
            return None
        if first_unsound(values) is not None:
            return None
        return [Result(each, tail, conditions[each["conditions"]]) for each, tail in zip(values, tails, strict=True)]
    except (ValueError, KeyError, TypeError, IndexError):
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
    unsound = first_unsound([values])
    if unsound is not None:
        raise ValueError(f"its {unsound} {'are' if unsound in PLURAL else 'is'} {shown(values[unsound])}")
    number = values["conditions"]
    if not is_whole(number, 0, len(conditions) - 1):
        raise ValueError(f"its conditions are {shown(number)}, and the header has {len(conditions)}")
    try:
        check_details(details)
    except ValueError as error:
        raise ValueError(f"its details are {shown(details)} ({error})") from None
    return Result(values, details, conditions[number])


def check_record(path: str | os.PathLike[str]) -> None:
    """Look at every line of a record, into its details too, which reading leaves as they are. Raises `RecordError`."""
    read_record(path)  # refuses what is wrong with the header
    file = os.fspath(path)
    text = read_text(file, file)
    conditions = [_conditions_of(values) for values in read_header(file, text, KIND, VERSION)["conditions"]]
    _careful(file, text.split("\n")[1:], conditions)


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
        values = json_value(line)
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise RecordError(f"{file}:{number}: expected a JSON object, found {quoted(line)}; is the file truncated?")
    return values


def _conditions_of(values: Mapping[str, Any]) -> Conditions:
    check_conditions(values)
    settings = {name: value for name, value in values.items() if name not in ("search", "k", "depth")}
    return Conditions(values["search"], values["k"], settings_of(settings), values.get("depth"))
