"""The places of a response: the mappings, objects and lists in it, and the Python that
leads there.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Number
from types import FunctionType, ModuleType

from pytest_relevance.results.responses.attributes import (
    attribute,
    has_attribute,
    has_class,
    is_keyed,
    is_mock,
    own_names,
)
from pytest_relevance.results.responses.values import has_dimensions, is_list

DEEPEST = 5
"""How many keys or attributes lead to a place at most."""

MOST_FIELDS = 100
"""How many fields of a mapping or an object are looked at."""

MOST_PLACES = 1_000
"""How many places of a response are looked at."""

MOST_ITEMS = 20
"""How many items of a list are looked at."""

_USUAL = """
    results hits items docs documents matches data records rows products objects
    points nodes edges entries elements content values value list search_results
"""
USUAL = tuple(_USUAL.split())
"""The usual names of a list of results, the most telling first."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a response.

    `path`: the Python that leads to it, `response["data"]`. `name`: its last key or
    attribute.
    `depth`: how many keys and attributes lead to it.
    """

    path: str
    name: str
    value: object
    depth: int

    def inner(self) -> Iterator[Place]:
        """Go through the places in this one, unless it is a list."""
        if self.depth and is_list_like(self.value):
            return
        for field in fields_of(self.value):
            if is_collection(field.value):
                path = self.path + step_to(self.value, field.name)
                yield Place(path, str(field.name), field.value, self.depth + 1)


def places_of(response: object) -> Iterator[Place]:
    """Go through the places of a response, from the outside in. Items of lists are left
    out.
    """
    waiting = deque([Place("response", "", response, 0)])
    for _ in range(MOST_PLACES):
        if not waiting:
            return
        place = waiting.popleft()
        yield place
        if place.depth < DEEPEST:
            waiting.extend(place.inner())


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a mapping or an object, or a part of a tuple, whose name is its
    place.
    """

    name: object
    value: object


def fields_of(holder: object) -> Iterator[Field]:
    """Go through the fields of a mapping or an object, or the parts of a tuple."""
    if _is_bare_tuple(holder):
        for place, part in enumerate(holder[:MOST_FIELDS]):  # type: ignore[index]
            yield Field(place, part)
        return
    for name in islice(names_of(holder), MOST_FIELDS):
        try:
            if isinstance(holder, Mapping) or is_keyed(holder):
                value = holder[name]  # type: ignore[index]
            else:
                value = attribute(holder, name)
        except Exception:  # a property of the user's: the others may work
            continue
        yield Field(name, value)


def names_of(holder: object) -> Iterator[str]:
    """Go through the names of fields; of the properties of an object only the usual
    ones.
    """
    own = own_names(holder)
    yield from own
    if isinstance(holder, Mapping) or is_keyed(holder):
        return
    for name in USUAL:
        if name not in own and has_attribute(type(holder), name):
            yield name


def step_to(holder: object, name: object) -> str:
    """Return the Python that leads from a mapping, an object or a tuple to one of its
    fields.
    """
    if _is_bare_tuple(holder):
        return f"[{name}]"
    if isinstance(holder, Mapping) or is_keyed(holder):
        is_text = isinstance(name, str)
        return f"[{json.dumps(name, ensure_ascii=False) if is_text else repr(name)}]"
    return f".{name}"


def _is_bare_tuple(value: object) -> bool:
    return isinstance(value, tuple) and not has_attribute(value, "_fields")


def is_collection(value: object) -> bool:
    """Whether a value holds others: a mapping, a list, an iterator or an object with
    fields.
    """
    if value is None or not has_class(value) or is_mock(value):
        return False
    if isinstance(value, (str, bytes, Number, type, FunctionType, ModuleType)):
        return False
    if isinstance(value, Mapping) or is_list_like(value):
        return True
    return bool(own_names(value))


def is_list_like(value: object) -> bool:
    """Whether a value is a list, an array, a table or an iterator."""
    return is_list(value) or isinstance(value, Iterator) or has_dimensions(value)


def first_items(value: object) -> Sequence[object]:
    """Return the first items of a list.

    None of an iterator, which can be read only once, and none of an array.
    """
    if not is_list(value):
        return ()
    return [item for item in islice(value, MOST_ITEMS) if has_class(item)]
