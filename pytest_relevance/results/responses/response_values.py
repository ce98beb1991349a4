"""Read what a response has at a path: a total, the count of a facet, a correction.

The expectation `response` looks there. A path has names with dots between them. A name
is a key of a mapping or an attribute of an object. In a list, digits are a place, from
0. A name may have dots itself: `facets.shoe.size` may be the key `shoe.size` of
`facets`.

A value is read when the search has returned, before the results are read.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pytest_relevance._near import difference
from pytest_relevance._text import closest, counted, cut_to, first_few, quoted, shown
from pytest_relevance.cases.expectation import FieldCondition
from pytest_relevance.results.responses.errors import BadResult, type_in_words
from pytest_relevance.results.responses.fields import (
    MOST_FIELDS,
    WITHOUT_FIELDS,
    plain_value,
)
from pytest_relevance.results.responses.shapes import body_of
from pytest_relevance.results.responses.values import (
    answers_for_others,
    has_attribute,
    has_dimensions,
    is_keyed,
    is_list,
    own_names,
)

_PLACE = "0|[1-9][0-9]*"
_ABSENT = object()


@dataclass(frozen=True, slots=True)
class NoValue:
    """Stands for a value that no condition can be compared with.

    `why`: a sentence for the error of the case.
    `there`: the object at the path, as text; "" if nothing is at the path.
    """

    why: str
    there: str = ""


def read_response_values(
    response: object, conditions: Iterable[FieldCondition]
) -> dict[str, Any]:
    """Return {path: value} for the paths of conditions on a response.

    A value is a text, a number, a boolean, None, or a list of these. It is a `NoValue`
    if nothing is at the path, or an object. For a condition that expects null, it is
    None if only the last name of the path is not there.
    """
    values = {}
    for condition in conditions:
        values[condition.path] = _read(response, condition)
    return values


def _read(response: object, condition: FieldCondition) -> object:
    """Return the value at the path of a condition, or a `NoValue`."""
    path = condition.path
    ends = _ends_of(response, path)
    found = [end for end in ends if not end.rest]
    if len(found) > 1:
        return NoValue(
            f"{quoted(path)} can be read in two ways, because names in the response have "
            "dots: return a response in which they differ"
        )
    if found:
        return _plain(found[0].holder, path)
    deepest = min(ends, key=lambda end: len(end.rest))
    if condition.expects_null and _could_have(deepest.holder, deepest.rest):
        return None
    return NoValue(_why_absent(deepest, path))


# --- the way along a path -------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _End:
    """Where the way along a path ends.

    `holder`: the last value that was found.
    `path`: its own path; "" for the response.
    `rest`: the names that were not found in it; "" if it is the value at the path.
    """

    holder: object
    path: str
    rest: str


def _ends_of(response: object, path: str) -> list[_End]:
    """Return where each way to read a path ends.

    The object of a client may hold the body that the engine sent. Then the path is
    looked for in the body first.
    """
    body = body_of(response)
    holders = [response] if body is None else [body, response]
    for holder in holders:
        ends = _walk(holder, "", path)
        if not all(end.rest for end in ends):
            return ends
    return _walk(holders[0], "", path)


def _walk(holder: object, path: str, rest: str) -> list[_End]:
    """Return where each way along `rest` ends. `path` is that of the holder."""
    ends = []
    for name, left in _first_names(rest):
        inner = _item(holder, name)
        if inner is _ABSENT:
            continue
        inner_path = _below(path, name)
        if left:
            ends += _walk(inner, inner_path, left)
        else:
            ends.append(_End(inner, inner_path, ""))
    return ends or [_End(holder, path, rest)]


def _below(path: str, name: str) -> str:
    """Return the path of what a holder has under a name. "" is that of the response."""
    return f"{path}.{name}" if path else name


def _first_names(path: str) -> Iterator[tuple[str, str]]:
    """Yield each name that a path may begin with, and what follows.

    `a.b.c` begins with the name `a`, `a.b` or `a.b.c`.
    """
    names = path.split(".")
    for count in range(1, len(names) + 1):
        yield ".".join(names[:count]), ".".join(names[count:])


def _item(holder: Any, name: str) -> object:
    """Return what a holder has under a name or at a place; `_ABSENT` if nothing."""
    if isinstance(holder, Mapping):
        if name in holder:
            return holder[name]
        for key in holder:
            if not isinstance(key, str) and str(key) == name:
                return holder[key]
        return _ABSENT
    if is_list(holder) and re.fullmatch(_PLACE, name):
        index = int(name)
        return holder[index] if index < len(holder) else _ABSENT
    if not _has_names(holder):
        return _ABSENT
    if is_keyed(holder):
        return holder[name] if name in own_names(holder) else _ABSENT
    if not has_attribute(holder, name):
        return _ABSENT
    value = getattr(holder, name)
    return _ABSENT if callable(value) else value


def _has_names(holder: object) -> bool:
    """Say whether a value has keys or attributes of its own.

    A text, a number, an array and a table do not: their attributes say nothing of the
    response.
    """
    if holder is None or isinstance(holder, WITHOUT_FIELDS) or has_dimensions(holder):
        return False
    return not is_list(holder) or has_attribute(holder, "_fields")


# --- what is there --------------------------------------------------------------------


def _plain(value: object, path: str) -> object:
    """Return a value as plain Python; None for an empty mapping, a `NoValue` for any
    other object.
    """
    try:
        return plain_value(value, path)
    except BadResult:
        if isinstance(value, Mapping) and not value:
            return None
    inner = [_below(path, name) for name in _names_in(value)]
    write = f"; write a path below, for example {inner[0]}" if inner else ""
    why = (
        f"{quoted(path)} is {_in_words(value)}, and conditions compare texts, numbers, "
        f"booleans and lists of these{write}"
    )
    return NoValue(why, there=shown(value))


def _names_in(value: Any) -> list[str]:
    """Return the names and places that a value has, in its order."""
    if is_list(value) and not has_attribute(value, "_fields"):
        names = []
        for index, item in enumerate(value[:1]):
            inner = _names_in(item)
            names.append(f"{index}.{inner[0]}" if inner else str(index))
        return names
    return [str(name) for name in own_names(value)] if _has_names(value) else []


def _in_words(value: object) -> str:
    """Return what a value is: `an empty list`, `a list of 3`, `5`, `a dict`."""
    if is_list(value):
        return f"a list of {counted(len(value), 'item')}" if value else "an empty list"
    if isinstance(value, Mapping):
        return "a mapping" if value else "an empty mapping"
    if value is None or isinstance(value, WITHOUT_FIELDS):
        return "null" if value is None else cut_to(shown(value), 40)
    return type_in_words(value)


# --- what is not there ----------------------------------------------------------------


def _could_have(holder: object, name: str) -> bool:
    """Say whether a value could have a name or a place, which it lacks now.

    False if it has nearly the same name, for example in other letter case.
    """
    if "." in name:
        return False
    if is_list(holder):
        return re.fullmatch(_PLACE, name) is not None
    if not _has_names(holder) or answers_for_others(holder):
        return False
    return not any(difference(name, str(each)) for each in own_names(holder))


def _why_absent(end: _End, path: str) -> str:
    """Return a message about a path that is not there, with what is there instead."""
    name = end.rest.partition(".")[0]
    there = f"{quoted(end.path) if end.path else 'it'} {_what_is_there(end.holder)}"
    message = f"the response has no {quoted(path)}: {there}"
    if is_list(end.holder) and not end.path and not re.fullmatch(_PLACE, name):
        return f"{message}; let the search return the whole response of the engine"
    meant = closest(name, tuple(_names_in(end.holder)))
    if meant is not None:
        return f"{message}; did you mean {_below(end.path, meant)}?"
    if is_list(end.holder) and end.holder and not re.fullmatch(_PLACE, name):
        return f"{message}; write a place, such as {_below(end.path, '0')}"
    if _could_have(end.holder, end.rest):
        return f"{message}; if nothing should be there, expect null"
    return message


def _what_is_there(holder: object) -> str:
    """Return the end of a sentence: `has "hits" and "total"`, `is an empty list`."""
    names = [] if is_list(holder) else _names_in(holder)
    if names:
        return f"has {first_few([quoted(name) for name in names], MOST_FIELDS)}"
    return f"is {_in_words(holder)}"
