"""Fields of documents that expectations look at: of what a search returned, of an index, and of a catalogue.

A value is a text, a number, true or false, None, or a list of these. None stands for an explicit null (NaN of a data
frame too), which meets no condition. A document without the field has an `Absent` in the place of a value.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import date, time
from enum import Enum
from functools import partial
from numbers import Number
from typing import Any, NamedTuple

from pytest_relevance._text import listed, quoted
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import own_names

_PLAIN = frozenset({str, int, bool})
_AS_THEY_ARE = frozenset({*_PLAIN, type(None)})
_NO_VALUE = object()


class Absent(NamedTuple):
    """In the place of a value of a document without the field: `there` says what each source has of the document."""

    there: tuple[str, ...] = ()


def read_fields(
    documents: Sequence[Any], paths: Mapping[str, int], source: str
) -> dict[str, list[Any]]:
    """Read fields of documents: {path: values}, of so many documents as `paths` says.

    `source` is what messages call the place that the documents are from. Raises `UnreadableRanking` for a value that is
    neither a scalar nor a list of them.
    """
    documents = documents[: max(paths.values())]
    fields = reading.Fields(documents)
    found = {}
    for path, count in paths.items():
        values = fields.first_of((path,), reading.NESTED)[:count]
        if not set(map(type, values)) <= _PLAIN:
            values = reading.read_each(
                partial(_read, path, source), documents, documents[:count], values
            )
        found[path] = values
    return found


def _read(path: str, source: str, document: Any, value: Any) -> Any:
    """A value as it is compared; where none was found, look for a null and into lists of objects."""
    if value is None:
        holders = [
            document,
            *(
                reading.Fields([document]).first_of([name])[0]
                for name in reading.NESTED
            ),
        ]
        values = (
            found
            for found in (_find(holder, path) for holder in holders)
            if found is not _NO_VALUE
        )
        value = next(values, _NO_VALUE)
        if value is _NO_VALUE:
            there = reading.fields_there(document) or "no fields"
            meant = reading.did_you_mean_field(path, document)
            return Absent((f"{source} has {there}{meant}",))
    return _comparable(value, path)


def _find(document: Any, path: str) -> Any:
    """The value at a path; in a list of objects the values of all that have it. `_NO_VALUE` where there is none."""
    if isinstance(document, list) or (
        isinstance(document, tuple) and reading.is_row(document)
    ):
        values = [
            value for each in document if (value := _find(each, path)) is not _NO_VALUE
        ]
        return values or _NO_VALUE
    outer, _, inner = path.partition(".")
    names = own_names(document)
    if path in names:
        return reading.Fields([document]).first_of([path])[0]
    return (
        _find(reading.Fields([document]).first_of([outer])[0], inner)
        if inner and outer in names
        else _NO_VALUE
    )


def _comparable(value: Any, path: str) -> Any:
    """A value as plain Python; lists in lists are joined. Raises `BadResult` for an object."""
    kind = type(value)
    if kind in _AS_THEY_ARE:
        return value
    if kind is float:
        return None if value != value else value
    if isinstance(value, (list, tuple, set, frozenset)) or reading.has_dimensions(
        value
    ):
        items = [_comparable(item, path) for item in value]
        return [
            part
            for item in items
            for part in (item if isinstance(item, list) else [item])
        ]
    if isinstance(value, Enum):
        return _comparable(value.value, path)
    if isinstance(value, str):
        return str.__str__(value)
    if (
        kind.__name__ in ("NAType", "NaTType") or value != value
    ):  # missing values of pandas
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
    inner = [f"{path}.{name}" for name in value] if isinstance(value, Mapping) else ()
    advice = f"; write {listed(inner)}" if inner else ""
    raise reading.BadResult(
        f"has a field {quoted(path)} that is no text, number, boolean or list of these{advice}"
    )
