"""The record of a run on disk: JSON lines, a header and a line a result, sorted by nothing but the order of the run.

The header has a version. A record of a newer version is refused, not guessed at. Settings are many results' and stand
once, in the header. What is read is checked only as far as a hand could have broken it: that every line is a result.
"""

from __future__ import annotations

import gc
import gzip
import json
import math
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pytest_relevance.files import Unreadable, read_whole, write_whole
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.runs.run import NO_DIGEST, Conditions, RecordError, Result, Run
from pytest_relevance.runs.scored import SKIPPED, VERDICTS
from pytest_relevance.wording import quoted, shown

KIND = "pytest-relevance record"
VERSION = 1


_SETTINGS = ("gain", "discount", "ideal", "unjudged", "negative", "max_grade")
_DETAILS = ',"details":{'
_ANOTHER_KEY = '},"'
"""Details end their line, and in them no key follows upon an object; in a text the quote would be escaped."""


def write_record(path: str | os.PathLike[str], run: Run) -> None:
    """Write a run, in one step; gzip where the name ends in .gz. Raises OSError, and then nothing is written."""
    data = "\n".join(_lines(run)).encode("utf-8", "surrogatepass") + b"\n"
    if os.fspath(path).endswith(".gz"):
        data = gzip.compress(data, mtime=0)
    write_whole(path, data)


def read_record(path: str | os.PathLike[str]) -> Run:
    """Read a record. `RecordError` says what is wrong with it, and in which line."""
    file = os.fspath(path)
    text = read_text(file, file)
    header = read_header(file, text, KIND, VERSION)
    try:
        conditions = [_conditions_of(values) for values in header["conditions"]]
        missing = [str(name) for name in header["missing"]]
    except (KeyError, TypeError, ValueError) as error:
        raise RecordError(f"{file}:1: the header is damaged ({error!r}); make the record again") from None
    lines = text.split("\n")[1:]
    with no_garbage_collection():
        results = _quick(lines, conditions)
        if results is None:
            results = _careful(file, lines, conditions)
    if len(results) != header.get("results"):
        raise RecordError(
            f"{file}: the record is truncated: {len(results):,} of {header.get('results')} results are there; "
            "fetch or make it again"
        )
    return Run(results, missing=missing, name=Path(file).name)


def _quick(lines: Sequence[str], conditions: Sequence[Conditions]) -> list[Result] | None:
    """The results, their details left as text; None where a line is not as it was written."""
    heads, tails = [], []
    for line in lines:
        cut = line.rfind(_DETAILS)
        tail = line[cut + len(_DETAILS) - 1 : -1]
        if cut >= 0 and tail.endswith("}") and _ANOTHER_KEY not in tail:
            heads.append(line[:cut])
            tails.append(tail)
        elif line:
            return None
    try:
        values = json.loads(f"[{'},'.join(heads)}}}]") if heads else []
        if len(values) != len(heads) or not all(_are_sound(values, name) for name in _SHAPES):
            return None
        return [Result(each, tail, conditions[each["conditions"]]) for each, tail in zip(values, tails, strict=True)]
    except (ValueError, KeyError, TypeError, IndexError, AttributeError):
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
            raise ValueError(f"its {name} {'are' if name == 'scores' else 'is'} {shown(values[name])}")
    number = values["conditions"]
    if not (isinstance(number, int) and 0 <= number < len(conditions)):
        raise ValueError(f"its conditions are {shown(number)}, and the header has {len(conditions)}")
    found = Result(values, details, conditions[number])
    try:
        len(found.ranking), found.graded
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"its details are {shown(details)} ({error})") from None
    return found


def _are_sound(values: Sequence[Mapping[str, Any]], name: str) -> bool:
    """Whether what comparisons rely on has the right shape: a hand may have been at it."""
    try:
        return _SHAPES[name](values)
    except (AttributeError, KeyError, TypeError):
        return False


def _texts(name: str) -> Callable[[Sequence[Mapping[str, Any]]], bool]:
    return lambda values: {type(each[name]) for each in values} <= {str}


_NUMBERS = {int, float}
_KNOWN = {*VERDICTS, SKIPPED}

_SHAPES: Mapping[str, Callable[[Sequence[Mapping[str, Any]]], bool]] = {
    "file": _texts("file"),
    "id": _texts("id"),
    "verdict": lambda values: {each["verdict"] for each in values} <= _KNOWN,
    "weight": lambda values: all(0 < each["weight"] < math.inf for each in values if "weight" in each),
    "scores": lambda values: (
        {type(score) for each in values if "scores" in each for score in each["scores"].values()}
        <= {*_NUMBERS, type(None)}
    ),
}
"""What is looked at, and how many results are looked at in a few passes."""


def read_text(path: str | os.PathLike[str], file: str) -> str:
    """The text of a record or a baseline, which messages call `file`. Raises `RecordError`."""
    try:
        return read_whole(path).decode("utf-8", "surrogatepass")
    except (OSError, Unreadable, UnicodeDecodeError) as error:
        raise RecordError(f"{file}: cannot be read: {getattr(error, 'strerror', None) or error}") from None


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
    except ValueError:
        values = None
    if not isinstance(values, dict):
        raise RecordError(f"{file}:{number}: expected a JSON object, found {quoted(line)}; is the file truncated?")
    return values


def _lines(run: Run) -> Iterable[str]:
    conditions: dict[Conditions, int] = {}
    for result in run.results:
        conditions.setdefault(result.conditions, len(conditions))
    header = {
        "kind": KIND,
        "version": VERSION,
        "results": len(run.results),
        "missing": list(run.missing),
        "conditions": [_conditions_values(each) for each in conditions],
    }
    yield as_json(header)
    for result in run.results:
        values = {name: value for name, value in result.values.items() if not _is_default(result, name, value)}
        # the order matters: `_quick` takes the details from the end of the line
        yield as_json(
            {
                "conditions": conditions[result.conditions],
                **values,
                "digest": result.digest or NO_DIGEST,
                "details": result.details,
            }
        )


def _is_default(result: Result, name: str, value: object) -> bool:
    """Whether a value need not be written, or is written elsewhere."""
    return (
        value is None
        or name in ("conditions", "digest")
        or (name in ("tags", "params", "reasons", "scores") and not value)
        or (name == "weight" and value == 1)
        or (name == "outcome" and value == result.verdict)
    )


def as_json(values: Mapping[str, object]) -> str:
    """An object on one line; what params may hold besides (a date, an infinity, a set) as its text."""
    try:
        return _as_json(values)
    except (TypeError, ValueError):
        return _as_json(_plain(values))


def _as_json(values: object) -> str:
    return json.dumps(values, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)


def _plain(value: object) -> object:
    """A value in types that JSON has."""
    if isinstance(value, Mapping):
        return {str(name): _plain(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _conditions_values(conditions: Conditions) -> dict[str, object]:
    return {"search": conditions.search, "k": conditions.k, **settings_values(conditions.settings)}


def _conditions_of(values: Mapping[str, Any]) -> Conditions:
    settings = {name: value for name, value in values.items() if name not in ("search", "k")}
    return Conditions(values["search"], values["k"], settings_of(settings))


def settings_values(settings: Settings) -> dict[str, object]:
    """Settings as they stand in a file. A mapping of gains is a list of pairs: the keys of JSON are text."""
    values = {name: getattr(settings, name) for name in _SETTINGS}
    if isinstance(values["gain"], Mapping):
        values["gain"] = sorted(map(list, values["gain"].items()))
    return values


def settings_of(values: Mapping[str, Any]) -> Settings:
    """The settings that stand in a file."""
    known = dict(values)
    gain = known.get("gain")
    if isinstance(gain, Sequence) and not isinstance(gain, str):
        known["gain"] = dict(map(tuple, gain))
    return Settings(**known)


@contextmanager
def no_garbage_collection() -> Iterator[None]:
    """A hundred thousand objects are made that all stay: looking through them for garbage takes as long again."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
