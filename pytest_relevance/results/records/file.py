"""Records and baselines on disk: JSON lines, a header and one line for each case (docs/reference/records.md).

A line of a record is what `CaseResult.to_dict` gives; a line of a baseline has fewer of these keys. Whether a file is
whole is known by the count in the header of a record, and by the last line of a baseline.
"""

from __future__ import annotations

import json
import math
import os
import re
import zlib
from collections.abc import (
    Callable,
    Collection,
    Container,
    Iterable,
    Iterator,
    Mapping,
)
from contextvars import ContextVar
from dataclasses import dataclass
from functools import partial
from itertools import chain, islice
from operator import index
from typing import (
    Any,
    NoReturn,
    TypeVar,
)

from pytest_relevance._files import Unreadable, line_blocks, write_whole
from pytest_relevance._problems import Place
from pytest_relevance._text import quoted, shown
from pytest_relevance.cases.gate_values import gate_of
from pytest_relevance.metrics.names import LARGEST_CUTOFF
from pytest_relevance.results.case_parts import (
    PARTS,
    STANDINGS,
    BaselineComparison,
)
from pytest_relevance.results.case_result import OUTCOMES, VERDICTS, CaseResult
from pytest_relevance.results.records.checking import check_types
from pytest_relevance.results.records.run_info import FileInfo, RecordError, RunInfo

Item = TypeVar("Item")
Cut = Callable[[dict[str, Any]], None]
"""Takes values out of the dict of a result, in place, before the result is made."""


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of file: its `kind` in the header, its name in messages, what writes it, and what to do with damage."""

    kind: str
    name: str
    written_by: str
    remedy: str


RECORD = Kind(
    "pytest-relevance record",
    "record",
    "pytest --relevance-record=FILE",
    "fetch or make it again",
)
BASELINE = Kind(
    "pytest-relevance baseline",
    *("baseline", "pytest --relevance-update"),
    "restore the file, or delete the line and run --relevance-update=new",
)

VERSION = 2
"""The version of the format of both; each from 1 on is read. It rises where an older program would misread a file."""

RECORDS = f"record of version {VERSION} or before"
"""The files that a new record may replace, in words."""

END = '{"end":true}'
"""The last line of a baseline."""

DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError)
"""The exceptions raised when a dataclass is made from a damaged line."""

MOST_JUDGMENTS = 10_000_000
"""How many judgments a case may have: a damaged count must not fill the memory."""

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
    """JSON on one line; what it has no word for (`params` may have 1e400, an infinity) as text."""
    try:
        return _encode(values)
    except ValueError:
        return _encode(json.loads(json.dumps(values, default=str), parse_constant=str))


def write_record(
    path: str | os.PathLike[str],
    results: Collection[Mapping[str, Any]],
    files: Mapping[str, FileInfo],
    info: RunInfo,
) -> None:
    """Write a record in one step; gzip where the name ends in .gz. `results` are of `CaseResult.to_dict`.

    Raises OSError, and then nothing is written.
    """
    write_lines(path, len(results), map(as_json, results), files, info)


def write_lines(
    path: str | os.PathLike[str],
    count: int,
    lines: Iterable[str],
    files: Mapping[str, FileInfo],
    info: RunInfo,
) -> None:
    """Write a record as `write_record` does, of so many lines that a record has; they are not kept in memory."""
    named = {name: file.to_dict() for name, file in files.items()}
    data = encoded(
        RECORD, {"results": count, "run": info.to_dict(), "files": named}, lines
    )
    write_whole(path, _packed(data) if os.fspath(path).endswith(".gz") else data)


def _packed(parts: Iterable[bytes]) -> Iterator[bytes]:
    packer = zlib.compressobj(6, wbits=31)  # gzip, without a time
    yield from map(packer.compress, parts)
    yield packer.flush()


def result_lines(path: str | os.PathLike[str]) -> Iterator[str]:
    """The lines of the results of a record, which was read before."""
    return (text for _, text in islice(_texts(path, os.fspath(path)), 1, None))


def read_some(
    path: str | os.PathLike[str], places: Container[int]
) -> Iterator[tuple[int, CaseResult]]:
    """The results at these places, from 0, of a record that was read before. Raises `RecordError`."""
    for place, (number, line) in enumerate(
        watched(islice(_lines(path, os.fspath(path)), 1, None))
    ):
        if place in places:
            yield (
                place,
                _made(_case_result, json.loads(line), os.fspath(path), RECORD, number),
            )


def encoded(
    kind: Kind, header: Mapping[str, Any], lines: Iterable[str]
) -> Iterator[bytes]:
    """The content of a file of this kind and of the present version, line by line."""
    first = as_json({"kind": kind.kind, "version": VERSION, **header})
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
        and int(found[2]) <= VERSION
    )


def kind_of(path: str | os.PathLike[str]) -> str:
    """The kind in the header of a file of this package; empty for another file, and for one that cannot be read."""
    try:
        found = _BEGINNING.match(next(line_blocks(path), b""))
    except (OSError, ValueError):
        return ""
    return found[1].decode(errors="replace") if found is not None else ""


def read_record(
    path: str | os.PathLike[str],
    shown: str | None = None,
    kept: Callable[[CaseResult], CaseResult] | None = None,
    only: frozenset[str] = frozenset(),
    cut: Cut | None = None,
) -> tuple[list[CaseResult], dict[str, FileInfo], RunInfo]:
    """Read a record: the results in their order, the case files by name, and how the run was made.

    Messages call it `shown`. `kept` makes what is kept of a result, as `records.run.Compact` does; of its line `only`
    these keys are read, all of them by default, and `cut` takes out parts of their values, whose types were checked.
    Raises `RecordError`, which names the line and what is wrong; never OSError.
    """
    made = _parts(path, shown, only=only, cut=cut)
    _, (files, info, _) = next(made)
    return (
        [result if kept is None else kept(result) for _, result in watched(made)],
        files,
        info,
    )


def read_header(
    path: str | os.PathLike[str], shown: str | None = None
) -> tuple[dict[str, FileInfo], RunInfo, int]:
    """The case files of a record, how its run was made, and how many results it has: what its first line says.

    Raises `RecordError`.
    """
    found: tuple[dict[str, FileInfo], RunInfo, int] = next(_parts(path, shown))[1]
    return found


WATCH: ContextVar[Callable[[int], object]] = ContextVar(
    "WATCH", default=lambda count: None
)
"""Called, while there are many results to read or to show, with how many more of them are done."""

_STEP = 500


def watched(items: Iterable[Item]) -> Iterator[Item]:
    """The items, telling `WATCH` how many of them are done."""
    tell = WATCH.get()
    for number, item in enumerate(items, 1):
        yield item
        if not number % _STEP:
            tell(_STEP)


def _parts(
    path: str | os.PathLike[str], shown: str | None, **how: Any
) -> Iterator[tuple[int, Any]]:
    file = os.fspath(path) if shown is None else shown
    return read_file(path, file, RECORD, _about_run, partial(_case_result, **how))


def read_file(
    path: str | os.PathLike[str],
    file: str,
    kind: Kind,
    of_header: Callable[[dict[str, Any]], Any],
    of_line: Callable[[dict[str, Any]], Any],
) -> Iterator[tuple[int, Any]]:
    """What functions make of the header of a record or a baseline, and of its lines, with their numbers.

    The functions may raise one of `DAMAGE`. Messages call the file `file`.

    Raises `RecordError` where it cannot be read, is of another kind or of a later version, where a line is no JSON
    object or nothing can be made of it, and at the end where the file is not whole.
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
    version = header.get("version")
    if type(version) is not int or not 0 < version <= VERSION:
        raise RecordError.at(
            file,
            f"the file has version {version!r}, and this pytest-relevance knows 1 to {VERSION}; upgrade it",
            Place(line=1),
        )
    for number, values in chain(
        [(1, header)], _objects(texts, file, kind, header.get("results"))
    ):
        yield (
            number,
            _made(of_line if number > 1 else of_header, values, file, kind, number),
        )


def _made(
    make: Callable[[dict[str, Any]], Item],
    values: dict[str, Any],
    file: str,
    kind: Kind,
    number: int,
) -> Item:
    """What a function makes of a line. Raises `RecordError` for a damaged one."""
    try:
        return make(values)
    except DAMAGE as error:
        what = (
            f"it has no {error.args[0]}" if isinstance(error, KeyError) else str(error)
        )
        raise RecordError.at(
            file, f"the line is damaged: {what}; {kind.remedy}", Place(line=number)
        ) from None


def _objects(
    texts: Iterator[tuple[int, str]], file: str, kind: Kind, count: int | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """The lines below a header as objects. A file with a `count` has so many; any other ends with the end line."""
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
    """The lines that are not blank, and the first in any case, with their numbers from 1."""
    # an editor or a version control may have changed the line ends; where none did, `split` takes a tenth of the time
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


def _about_run(header: dict[str, Any]) -> tuple[dict[str, FileInfo], RunInfo, int]:
    """The case files of a record by name, how its run was made, and its number of results. Raises one of `DAMAGE`."""
    check_types(header["run"], RunInfo)
    for values in header["files"].values():
        check_types(values, FileInfo)
        for gate in values.get("gates", ()):
            gate_of(gate)
            index(gate["line"])
    files = {
        name: FileInfo.from_dict(values) for name, values in header["files"].items()
    }
    info, count = RunInfo.from_dict(header["run"]), header.get("results")
    for fault in info.faults:
        if not all(type(fault[name]) is str for name in ("kind", "message")):
            raise TypeError(f"it has a fault {shown(fault)}")
    return files, info, count if type(count) is int else 0


def check_record(path: str | os.PathLike[str]) -> None:
    """Check every value of a record. Raises `RecordError` for a damaged one."""
    for _ in _parts(path, None):
        pass


def _check_accepted(accepted: BaselineComparison) -> None:
    """Raise ValueError if the accepted ranking of a result is damaged."""
    if len(accepted.grades) not in (0, len(accepted.documents)):
        raise ValueError("its accepted documents and grades are not equally many")
    for name, values in accepted.searched.items():
        if len(values) != len(("before", "now")):
            raise ValueError(f"its fingerprint has {shown(values)} for {shown(name)}")


_RESULT = (CaseResult, *PARTS.values())


def _case_result(
    values: dict[str, Any], only: frozenset[str] = frozenset(), cut: Cut | None = None
) -> CaseResult:
    """The result of a line. Raises one of `DAMAGE`, also where figures of a report would silently be wrong.

    An unknown verdict counts nowhere, a grade without a judgment has no gain, and a damaged count fills the memory.
    """
    check_types(values, *_RESULT, only=only)
    if cut is not None:
        cut(values)
    found = CaseResult.from_dict(values, only)
    accepted, conditions, ranking, evaluation = (
        found.baseline,
        found.conditions,
        found.ranking,
        found.evaluation,
    )
    try:
        "".join(
            (
                *ranking.documents,
                *ranking.as_returned,
                *found.tags,
                *found.texts.titles.values(),
            )
        )
    except TypeError:
        raise ValueError("its documents, tags and titles are texts") from None
    if found.verdict not in VERDICTS or found.outcome not in OUTCOMES:
        raise ValueError(
            f"its verdict is {found.verdict!r}, its outcome {found.outcome!r}"
        )
    if accepted is not None and accepted.standing not in STANDINGS:
        raise ValueError(f"its standing is {accepted.standing!r}")
    if not (0 < conditions.k <= LARGEST_CUTOFF and 0 < found.weight < math.inf):
        raise ValueError(f"its k is {conditions.k}, its weight {found.weight}")
    if len(ranking.grades) != len(ranking.documents) or len(
        ranking.engine_scores
    ) not in (0, len(ranking.documents)):
        raise ValueError("documents, grades and engine_scores are not equally many")
    if accepted is not None:
        _check_accepted(accepted)
    if any(count < 1 for count in evaluation.judgments.values()):
        raise ValueError(f"it has the judgments {evaluation.judgments}")
    missing = [grade for _, grade in evaluation.missing]
    grades = (*ranking.grades, *(accepted.grades if accepted else ()), *missing)
    if not {None, *evaluation.judgments}.issuperset(grades):
        raise ValueError("documents have grades that no judgment has")
    gains, gain = conditions.settings.gains, conditions.settings.gain
    for grade in (
        *evaluation.judgments,
        *([conditions.highest] if isinstance(gain, str) else ()),
    ):
        gains[
            grade
        ]  # a ValueError where it has none; a mapping may lack the ends of a scale
    if sum(evaluation.judgments.values()) > MOST_JUDGMENTS:
        raise ValueError(f"it has more than {MOST_JUDGMENTS:,} judgments")
    figures = (*evaluation.scores.values(), evaluation.lower, evaluation.upper)
    if not math.isfinite(sum([figure for figure in figures if figure is not None])):
        raise ValueError(f"it has the scores {evaluation.scores}")
    if (evaluation.lower is None) is not (evaluation.upper is None):
        raise ValueError(
            f"its lower is {evaluation.lower}, its upper {evaluation.upper}"
        )
    if (found.call.latency or 0.0) < 0:
        raise ValueError(f"its latency is {found.call.latency}")
    return found
