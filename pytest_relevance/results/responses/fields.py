"""Fields of documents that expectations look at: of what a search returned, of an
index, and of a catalogue.

A value is a text, a number, true or false, None, or a list of these. None stands for an
explicit null (NaN of a data frame too), which meets no condition. A document without
the field has an `Absent` in the place of a value.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, time
from enum import Enum
from functools import partial
from numbers import Number
from typing import Any

from pytest_relevance._text import listed, quoted
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import own_names
from pytest_relevance.results.responses.rows import is_row
from pytest_relevance.results.responses.values import has_dimensions

_PLAIN = frozenset({str, int, bool})
_AS_THEY_ARE = frozenset({*_PLAIN, type(None)})
_NO_VALUE = object()


@dataclass(frozen=True, slots=True)
class Absent:
    """In the place of a value of a document without the field.

    `there`: a sentence for each source, which says what it has of the document.
    """

    there: tuple[str, ...] = ()


def read_fields(
    documents: Sequence[Any], paths: Mapping[str, int], source: str
) -> dict[str, list[Any]]:
    """Read fields of documents: `{path: values}`.

    `paths`: how many of the documents each field is read of. `source`: what messages
    call the place that the documents are from. Raises `UnreadableRanking` for a value
    that is neither a scalar nor a list of scalars.
    """
    documents = documents[: max(paths.values())]
    fields = reading.Fields(documents)
    columns = {}
    for path, count in paths.items():
        values = fields.first_of((path,), reading.NESTED)[:count]
        if not set(map(type, values)) <= _PLAIN:
            read = partial(_read, path, source)
            values = reading.read_each(read, documents, documents[:count], values)
        columns[path] = values
    return columns


def _read(path: str, source: str, document: Any, value: Any) -> Any:
    """Read one value. If there is none yet, look for a null, and into lists of
    objects.
    """
    if value is None:
        value = _find_anywhere(document, path)
    if value is _NO_VALUE:
        there = reading.fields_there(document) or "no fields"
        meant = reading.did_you_mean_field(path, document)
        return Absent((f"{source} has {there}{meant}",))
    return _comparable(value, path)


def _find_anywhere(document: Any, path: str) -> Any:
    """Find the value at a path, in a document or in one that is nested in it."""
    fields = reading.Fields([document])
    for holder in (document, *(fields.first_of([name])[0] for name in reading.NESTED)):
        value = _find(holder, path)
        if value is not _NO_VALUE:
            return value
    return _NO_VALUE


def _find(document: Any, path: str) -> Any:
    """Find the value at a path; in a list of objects the values of all that have it.

    `_NO_VALUE` if there is none.
    """
    if isinstance(document, list) or (isinstance(document, tuple) and is_row(document)):
        values = [_find(item, path) for item in document]
        return [value for value in values if value is not _NO_VALUE] or _NO_VALUE
    outer, _, inner = path.partition(".")
    names = own_names(document)
    fields = reading.Fields([document])
    if path in names:
        return fields.first_of([path])[0]
    if inner and outer in names:
        return _find(fields.first_of([outer])[0], inner)
    return _NO_VALUE


def _comparable(value: Any, path: str) -> Any:
    """Make a value plain Python. Raises `BadResult` for an object."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is float:
        return None if value != value else value
    if isinstance(value, (list, tuple, set, frozenset)) or has_dimensions(value):
        return _joined(value, path)
    if isinstance(value, Enum):
        return _comparable(value.value, path)
    if isinstance(value, str):
        return str.__str__(value)
    if kind.__name__ in ("NAType", "NaTType") or value != value:  # missing, in pandas
        return None
    if kind.__module__ == "numpy":
        return _comparable(value.item(), path)
    if isinstance(value, int):
        return int(value)
    if isinstance(value, Number) and hasattr(value, "__float__"):
        return float(value)
    if isinstance(value, (date, time)):
        return value.isoformat()
    if kind.__name__ == "UUID":
        return str(value)
    inner = [f"{path}.{name}" for name in value] if isinstance(value, Mapping) else []
    advice = f"; write {listed(inner)}" if inner else ""
    raise reading.BadResult(
        f"has a field {quoted(path)} that is no text, number, boolean or list of these{advice}"
    )


def _joined(values: Iterable[Any], path: str) -> list[Any]:
    """Make the values of a list plain Python; lists in it are joined."""
    joined: list[Any] = []
    for value in values:
        plain = _comparable(value, path)
        joined += plain if isinstance(plain, list) else [plain]
    return joined
