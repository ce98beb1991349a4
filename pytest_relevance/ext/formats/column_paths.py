"""Find a value in a row by the name of a column, or by a path with dots.

The name of a column may be a path into nested objects: `inputs.question`. A path leads
through a list into each of its entries. In a CSV it leads into the JSON in a cell.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._json_text import JsonReader
from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import plain_name, shown_names


@dataclass(frozen=True, slots=True)
class ColumnPath:
    """A column of a table, and a path to a value within its cells.

    `number`: the number of the column, from 0.
    `keys`: the path; empty if the value is the whole cell.
    """

    number: int
    keys: tuple[str, ...] = ()

    def value(self, cell: object) -> object:
        """Return the value in a cell; None if the path leads nowhere."""
        return value_at(cell, self.keys)


class NoSuchColumn(ValueError):
    """No column has the name that a user wrote, or several have it."""


def find_path(names: Sequence[str], written: str) -> ColumnPath:
    """Return the column that a user names, or the path into a column.

    A name that differs only in case and punctuation is accepted too.

    Raises:
        NoSuchColumn: there is no such column, or several have the name.
    """
    parts = written.split(".")
    for count in range(len(parts), 0, -1):
        number = _column_named(names, ".".join(parts[:count]))
        if number is not None:
            return ColumnPath(number, tuple(parts[count:]))
    close = did_you_mean(written, names)
    raise NoSuchColumn(
        f"there is no column {quoted(written)}; the columns are {shown_names(names)}{close}"
    )


def _column_named(names: Sequence[str], written: str) -> int | None:
    """Return the number of the column with a name; None if there is none.

    An exact name counts first. Then case and punctuation do not count. Raises
    `NoSuchColumn` if several columns have the name.
    """
    exact = [number for number, name in enumerate(names) if name == written]
    wanted = plain_name(written)
    near = [number for number, name in enumerate(names) if wanted == plain_name(name)]
    found = exact or near
    if len(found) > 1:
        called = listed([quoted(names[number]) for number in found], "and")
        raise NoSuchColumn(
            f"{len(found)} columns may be {quoted(written)}: {called}; give each column a name of its own"
        )
    return found[0] if found else None


def value_at(value: object, parts: Sequence[str]) -> object:
    """Return the value at a path; None if the path leads nowhere.

    `parts`: the parts of the path between its dots. A key may have dots itself. A part
        that is a number leads to an entry of a list. Any other part leads into all
        entries of a list, and the values found there are returned as a list.
    """
    if not parts:
        return value
    if isinstance(value, str):
        value = json_in(value)
    if isinstance(value, dict):
        return _value_in_object(value, parts)
    if not isinstance(value, list):
        return None
    if parts[0].isdecimal():
        number = int(parts[0])
        return value_at(value[number], parts[1:]) if number < len(value) else None
    return _values_in_entries(value, parts)


def _value_in_object(members: Mapping[str, object], parts: Sequence[str]) -> object:
    """Return the value at a path in an object. The longest key that leads there counts.

    For example, `a.b` is the key `a.b`, or else the key `b` of the object under `a`.
    """
    for count in range(len(parts), 0, -1):
        key = ".".join(parts[:count])
        value = value_at(members.get(key), parts[count:])
        if value is not None:
            return value
    return None


def _values_in_entries(entries: Sequence[object], parts: Sequence[str]) -> list[object]:
    """Return the values at a path in each entry of a list, in one list."""
    found: list[object] = []
    for entry in entries:
        value = value_at(entry, parts)
        if isinstance(value, list):
            found += value
        elif value is not None:
            found.append(value)
    return found


def json_in(text: str) -> object:
    """Parse a text as a JSON object or list and return it; None for other texts."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    mistakes: list[str] = []
    value = JsonReader().read(text, lambda message, place: mistakes.append(message))
    return None if mistakes else value


def paths_in(name: str, cell: object) -> list[str]:
    """Return the paths to the values in a cell, for a message.

    `name`: the name of the column. An object has the paths `name.key`; any other cell
        has the path `name`.
    """
    inner = json_in(cell) if isinstance(cell, str) else cell
    if isinstance(inner, dict) and inner:
        return [f"{name}.{key}" for key in inner]
    return [name]
