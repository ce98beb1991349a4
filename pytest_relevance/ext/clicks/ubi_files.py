"""Read User Behavior Insights: JSON Lines, bulk files, JSON lists, and tables.

A record with an `action_name` is an event. Any other record with a `query_id` is a
search. The names of fields may be written as `query_id` or as `queryId`.
"""

from __future__ import annotations

import ast
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cache

from pytest_relevance._files import Unreadable, line_blocks
from pytest_relevance._problems import FileError, Place, Problems
from pytest_relevance._tables import Table
from pytest_relevance._text import quoted
from pytest_relevance.ext.clicks.table_logs import is_click_table
from pytest_relevance.ext.clicks.ubi import Event, Search, UbiLogs
from pytest_relevance.judgments.columns import find_column

_MARKS = frozenset(
    {
        *("action_name", "actionName", "query_id", "queryId"),
        *("event_attributes", "eventAttributes"),
    }
)
"""Fields of which each record of User Behavior Insights has one."""

_BULK_ACTIONS = frozenset({"index", "create"})
"""The actions of bulk files: the line above each record is `{"index": {...}}`."""

_LARGEST_POSITION = 2**31 - 1

Record = Mapping[str, object]


# --- records --------------------------------------------------------------------------


def is_ubi_record(record: object) -> bool:
    """Say whether a JSON value is a record, or the line above one in a bulk file.

    A row of a table of clicks is not a record, even if it has a query_id.
    """
    if isinstance(record, list):
        return bool(record) and is_ubi_record(record[0])
    if not isinstance(record, dict) or is_click_table(record):
        return False
    source = _without_envelope(record)
    return bool(_MARKS & source.keys()) or _is_bulk_action(record)


def _without_envelope(record: Record) -> Record:
    """Return the record in a hit, which has it under `_source`.

    Any other record is returned as it is.
    """
    source = record.get("_source")
    return source if isinstance(source, dict) else record


def _is_bulk_action(record: Record) -> bool:
    if len(record) != 1:
        return False
    (action,) = record
    return action in _BULK_ACTIONS and isinstance(record[action], dict)


def _add_record(logs: UbiLogs, record: Record) -> bool:
    """Add an event or a search. Return False if the record is neither."""
    if "_source" in record:
        record = _without_envelope(record)
    action = _field(record, "action_name")
    if action is not None:
        _add_event(logs, str(action), record)
    elif "query_id" in record or "queryId" in record:
        _add_search(logs, record)
    else:
        return _is_bulk_action(record)
    return True


def _field(record: Record, name: str) -> object:
    """Return a field: `query_id`, or else `queryId`. None if the record has neither."""
    value = record.get(name)
    return record.get(_in_camel_case(name)) if value is None else value


@cache
def _in_camel_case(name: str) -> str:
    first, *others = name.split("_")
    return "".join([first, *map(str.capitalize, others)])


def _add_event(logs: UbiLogs, action: str, record: Record) -> None:
    attributes = _mapping(_field(record, "event_attributes"))
    shown = _mapping(attributes.get("object"))
    position = _mapping(attributes.get("position"))
    event = Event(
        action=action,
        query_id=_text(_field(record, "query_id")),
        text=_text(_field(record, "user_query")),
        document=_text(_field(shown, "object_id")),
        position=_position_of(position.get("ordinal")),
        client=_text(_field(record, "client_id")),
    )
    logs.add_event(event)


def _add_search(logs: UbiLogs, record: Record) -> None:
    hits = _field(record, "query_response_hit_ids")
    attributes = _mapping(_field(record, "query_attributes"))
    search = Search(
        query_id=_text(_field(record, "query_id")),
        text=_text(_field(record, "user_query")),
        hits=[_text(hit) for hit in hits] if isinstance(hits, list) else [],
        before=_documents_before(attributes, record.get("query")),
        client=_text(_field(record, "client_id")),
        is_filtered=_has_filter(attributes),
    )
    logs.add_search(search)


_EMPTY: Record = {}


def _mapping(value: object) -> Record:
    """Return a JSON object; an empty one for any other value."""
    return value if isinstance(value, dict) else _EMPTY


def _text(value: object) -> str:
    """Return a text, or a whole number as text; "" for any other value."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    return ""


def _position_of(value: object) -> int:
    """Return a position: a whole number, its text, or the `index` of an object.

    -1 for any other value.
    """
    if type(value) is int and 0 <= value <= _LARGEST_POSITION:
        return value  # nearly all are
    if isinstance(value, dict):
        value = value.get("index")
    with suppress(ValueError, TypeError, OverflowError):
        number = float(value)  # type: ignore[arg-type]
        if 0 <= number <= _LARGEST_POSITION and number.is_integer():
            return int(number)
    return -1


def _documents_before(attributes: Record, query: object) -> int:
    """Return how many documents come before the first hit of a page.

    This number is `from` in the attributes of the query, or in `query`, the request
    that the engine got. It is 0 if neither has it.
    """
    first = attributes.get("from")
    if first is None and isinstance(query, str) and '"from"' in query:
        with suppress(ValueError, RecursionError):
            query = json.loads(query)
    if first is None and isinstance(query, dict):
        first = query.get("from")
    return max(_position_of(first), 0)


def _has_filter(attributes: Record) -> bool:
    """Say whether the attributes of a query name a filter or a facet that is set."""
    for name, value in attributes.items():
        plain = name.lower()
        if value and ("filter" in plain or "facet" in plain):
            return True
    return False


# --- JSON -----------------------------------------------------------------------------


def add_lines(logs: UbiLogs, path: str | os.PathLike[str]) -> None:
    """Read a file with a JSON value on each line. It may be larger than the memory.

    Raises FileError for lines that are not records.
    """
    file = os.fspath(path)
    problems = Problems(file)
    for number, line in _numbered_lines(file):
        try:
            value = json.loads(line)
        except (ValueError, RecursionError):
            problems.add(
                f"expected a JSON object, found {quoted(line.strip(), 60)}; is it truncated?",
                Place(line=number),
            )
            continue
        for message in _add_value(logs, value):
            problems.add(message, Place(line=number))
        if problems.is_full:
            break
    problems.raise_if_any()


def _numbered_lines(file: str) -> Iterator[tuple[int, str]]:
    """Yield each line of a file that is not blank, with its number."""
    number = 0
    try:
        for block in line_blocks(file):
            for line in block.decode("utf-8-sig").split("\n"):
                number += 1
                if line and not line.isspace():
                    yield number, line
            if block.endswith(b"\n"):
                number -= 1  # there is nothing behind the last line feed
    except Unreadable as error:
        raise FileError.at(file, str(error)) from None
    except UnicodeDecodeError:
        raise FileError.at(
            file,
            "the file is not UTF-8; save it as UTF-8",
            Place(line=number + 1),
        ) from None
    except OSError as error:
        raise FileError.at(file, f"cannot be read: {error.strerror or error}") from None


def add_values(logs: UbiLogs, file: str, values: Iterable[object]) -> None:
    """Add the entries of a JSON list. Raises FileError if one is not a record."""
    problems = Problems(file)
    for number, value in enumerate(values):
        for message in _add_value(logs, value):
            problems.add(message, Place(path=f"[{number}]"))
    problems.raise_if_any()


def _add_value(logs: UbiLogs, value: object) -> Sequence[str]:
    """Add a record, or a list of records.

    Return a message for each mistake; empty if there is none.
    """
    if isinstance(value, dict):
        if _add_record(logs, value):
            return ()
        names = quoted(", ".join(value), 60)
        return [
            f"this object is neither an event nor a search: it has neither action_name nor query_id; found {names}"
        ]
    if not isinstance(value, list):
        return [f"expected a JSON object, found {quoted(str(value), 60)}"]
    messages: list[str] = []
    for record in value:
        messages += _add_value(logs, record)
    return messages


# --- tables ---------------------------------------------------------------------------

_OBJECT, _POSITION = "event_attributes.object", "event_attributes.position"

_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "action_name": ("action_name",),
    "query_id": ("query_id",),
    "user_query": ("user_query",),
    "client_id": ("client_id",),
    _OBJECT: ("event_attributes.object.object_id", "object.object_id", "object_id"),
    _POSITION: (
        "event_attributes.position.ordinal",
        "event_attributes.position.ordinal.index",
        "position.ordinal",
        "position.ordinal.index",
        "ordinal",
        "position",
    ),
    "event_attributes": ("event_attributes",),
    "query_response_hit_ids": ("query_response_hit_ids",),
    "query_attributes": ("query_attributes",),
    "query": ("query",),
}
"""The columns of a table, by the fields of a record. `_source.` before a name is
ignored.
"""

_IN_JSON = ("event_attributes", "query_response_hit_ids", "query_attributes")
"""The fields that are objects or lists, so a cell has them as text."""


def is_ubi_table(names: Iterable[str]) -> bool:
    """Say whether a table has events or searches."""
    at = _columns_of(names)
    marks = {"action_name", "query_response_hit_ids", "user_query"}
    return "query_id" in at and not marks.isdisjoint(at)


def _columns_of(names: Iterable[str]) -> Mapping[str, int]:
    """Return {field: index of its column}. Fields that the table lacks are left out."""
    plain = [name.removeprefix("_source.") for name in names]
    at = {}
    for field, spellings in _COLUMNS.items():
        column = find_column(plain, spellings)
        if column is not None:
            at[field] = column
    return at


def add_table(logs: UbiLogs, table: Table) -> None:
    """Add the rows of a table: events if it has a column action_name, else searches.

    Raises FileError if a row has another number of cells.
    """
    at = _columns_of(table.names)
    for columns in table.blocks(at.values()):
        for cells in zip(*columns, strict=True):
            row = dict(zip(at, cells, strict=True))
            _add_record(logs, _record_of(row))


def _record_of(row: Mapping[str, str]) -> Record:
    """Return a row of a table, {field: cell}, as the record that JSON would have."""
    record: dict[str, object] = {**row}
    for field in _IN_JSON:
        if field in row:
            record[field] = _value_in(row[field])
    attributes = {**_mapping(record.get("event_attributes"))}
    if row.get(_OBJECT):
        attributes["object"] = {"object_id": row[_OBJECT]}
    if row.get(_POSITION):
        attributes["position"] = {"ordinal": row[_POSITION]}
    record["event_attributes"] = attributes
    return record


def _value_in(cell: str) -> object:
    """Return the value in a cell: JSON, or a literal of Python such as `['a', 'b']`.

    None if the cell is empty, or if its text is neither of them.
    """
    if not cell:
        return None
    try:
        return json.loads(cell)
    except (ValueError, RecursionError):
        with suppress(ValueError, SyntaxError, RecursionError):
            return ast.literal_eval(cell)
    return None
