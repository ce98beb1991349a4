"""Find the lists in a response, and which of them may be the results.

A response is searched for mappings, objects and lists. Each is found with the Python
code that leads to it, for example `response["data"]`.

`advice` calls it for a response that no reader takes.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from itertools import islice
from numbers import Number
from types import FunctionType, ModuleType

from pytest_relevance._text import counted
from pytest_relevance.results.responses.errors import type_in_words
from pytest_relevance.results.responses.fields import ID_NAMES, NESTED, Fields
from pytest_relevance.results.responses.shapes import is_response
from pytest_relevance.results.responses.values import (
    attribute,
    has_attribute,
    has_class,
    has_dimensions,
    is_keyed,
    is_list,
    is_mock,
    own_names,
)

# --- the parts of a response ----------------------------------------------------------

DEEPEST = 5
"""How many keys or attributes lead to a part at most."""

MOST_FIELDS = 100
"""How many fields of a mapping or an object are looked at."""

MOST_PARTS = 1_000
"""How many parts of a response are looked at."""

MOST_ITEMS = 20
"""How many items of a list are looked at."""

_USUAL = """
    results hits items docs documents matches data records rows products objects
    points nodes edges entries elements content values value list search_results
"""

USUAL = tuple(_USUAL.split())
"""The usual names of a list of results, the most telling first."""


@dataclass(frozen=True, slots=True)
class PartOfResponse:
    """A value in a response.

    `path`: the Python code that leads to it, for example `response["data"]`.
    `name`: its last key or attribute.
    `depth`: how many keys and attributes lead to it.
    """

    path: str
    name: str
    value: object
    depth: int

    def inner(self) -> Iterator[PartOfResponse]:
        """Yield the mappings, lists and objects that are fields of this part.

        A list inside the response is not looked into. A list that is the whole response
        is.
        """
        if self.depth and is_list_like(self.value):
            return
        for field in fields_in(self.value):
            if is_collection(field.value):
                path = self.path + step_to(self.value, field.name)
                yield PartOfResponse(path, str(field.name), field.value, self.depth + 1)


def parts_of(response: object) -> Iterator[PartOfResponse]:
    """Yield the response and all mappings, lists and objects in it, outer ones first.

    Items of lists are left out.
    """
    waiting = deque([PartOfResponse("response", "", response, 0)])
    for _ in range(MOST_PARTS):
        if not waiting:
            return
        part = waiting.popleft()
        yield part
        if part.depth < DEEPEST:
            waiting.extend(part.inner())


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a mapping or an object, or a numbered part of a tuple."""

    name: object
    value: object


def fields_in(holder: object) -> Iterator[Field]:
    """Yield the fields of a mapping or an object, or the numbered parts of a tuple."""
    if _is_bare_tuple(holder):
        for number, part in enumerate(holder[:MOST_FIELDS]):  # type: ignore[index]
            yield Field(number, part)
        return
    for name in islice(names_of(holder), MOST_FIELDS):
        try:
            if isinstance(holder, Mapping) or is_keyed(holder):
                value = holder[name]  # type: ignore[index]
            else:
                value = attribute(holder, name)
        except Exception:  # raised by a property; other fields may work
            continue
        yield Field(name, value)


def names_of(holder: object) -> Iterator[str]:
    """Yield the names of an object's fields, and of properties that may hold results.

    A property, or another attribute of the class, may hold results if its name is in
    `USUAL`, for example `hits`.
    """
    own = own_names(holder)
    yield from own
    if isinstance(holder, Mapping) or is_keyed(holder):
        return
    for name in USUAL:
        if name not in own and has_attribute(type(holder), name):
            yield name


def step_to(holder: object, name: object) -> str:
    """Return the Python code that leads to a field: `["hits"]`, `.hits` or `[0]`."""
    if _is_bare_tuple(holder):
        return f"[{name}]"
    if isinstance(holder, Mapping) or is_keyed(holder):
        is_text = isinstance(name, str)
        return f"[{json.dumps(name, ensure_ascii=False) if is_text else repr(name)}]"
    return f".{name}"


def _is_bare_tuple(value: object) -> bool:
    return isinstance(value, tuple) and not has_attribute(value, "_fields")


def is_collection(value: object) -> bool:
    """Say whether a value is a mapping, a list, or an object with fields."""
    if value is None or not has_class(value) or is_mock(value):
        return False
    if isinstance(value, (str, bytes, Number, type, FunctionType, ModuleType)):
        return False
    if isinstance(value, Mapping) or is_list_like(value):
        return True
    return bool(own_names(value))


def is_list_like(value: object) -> bool:
    """Say whether a value is a list, an array, a table or an iterator."""
    return is_list(value) or isinstance(value, Iterator) or has_dimensions(value)


def first_items(value: object) -> Sequence[object]:
    """Return the first items of a list, to look at.

    Empty for an array, and for an iterator, which can be read only once.
    """
    if not is_list(value):
        return ()
    return [item for item in islice(value, MOST_ITEMS) if has_class(item)]


# --- the lists ------------------------------------------------------------------------

_OF_SOMETHING_ELSE = """
    facets facet_counts aggregations aggs buckets suggestions suggest errors
    warnings links included breadcrumbs columns schema fields filters sort tags
    categories synonyms related corrections highlights tokens terms usage
    answers promotions ads banners params queries
"""

OF_SOMETHING_ELSE = frozenset(_OF_SOMETHING_ELSE.split())
"""Names of lists that hold something else than results, in lower case."""


class Kind(Enum):
    """What the items of a list are."""

    RESULTS = auto()
    """Mappings or objects with an id."""
    GROUPS = auto()
    """Each has a list of results."""
    ANSWERS = auto()
    """Each is the answer to a search: the body of an engine, or a list of results."""
    WRAPPERS = auto()
    """Each has one result in it."""
    PERHAPS = auto()
    """Mappings, objects or ids."""
    NONE = auto()
    """There are none."""
    OTHERS = auto()
    """Anything else."""


_UNLIKELY = {Kind.PERHAPS: 1, Kind.NONE: 2, Kind.OTHERS: 3}
"""Kinds of items that may not be the results, the larger the number the less likely."""


@dataclass(frozen=True, slots=True)
class FoundList:
    """A list in a response, and what its items are.

    `step`: the Python code that leads from an item to its list of results, or to the
    result in it.
    """

    part: PartOfResponse
    kind: Kind
    step: str = ""

    @property
    def is_certain(self) -> bool:
        """Say whether the list surely has the results."""
        return self.kind not in _UNLIKELY

    @property
    def line(self) -> str:
        """Return the Python code that gives the results in the list."""
        path, step = self.part.path, self.step
        if self.kind is Kind.GROUPS:
            return f"[result for group in {path} for result in group{step}]"
        if self.kind is Kind.ANSWERS:
            return f"{path}[0]"
        if self.kind is Kind.WRAPPERS:
            item = _singular(self.part.name)
            return f"[{item}{step} for {item} in {path}]"
        return path

    @property
    def words(self) -> str:
        """Return in words what the list holds, for example `2 mappings` or `empty`."""
        items = self.part.value
        if not is_list(items):
            return type_in_words(items)
        if self.kind is Kind.GROUPS:
            return counted(len(items), "group")
        if self.kind is Kind.ANSWERS:
            return f"answers to {counted(len(items), 'search', 'searches')}"
        return counted(len(items), _noun(first_items(items))) if items else "empty"

    @property
    def rank(self) -> tuple[int, ...]:
        """Return a sort key: smaller if the list is more likely to have the results."""
        name = self.part.name.lower()
        is_other = int(name in OF_SOMETHING_ELSE)
        unlikely = _UNLIKELY.get(self.kind, 0)
        usual = USUAL.index(name) if name in USUAL else len(USUAL)
        return is_other, unlikely, usual, self.part.depth


def lists_in(response: object) -> list[FoundList]:
    """Return the lists in a response, first those that likely have the results."""
    lists = []
    for part in parts_of(response):
        if part.depth and is_list_like(part.value):
            lists.append(_found_list(part))
    return sorted(lists, key=lambda found: found.rank)


def _found_list(part: PartOfResponse) -> FoundList:
    """Return what a list seems to hold, by its first items: results, groups ...

    The kind that is most certain is tried first.
    """
    items = first_items(part.value)
    if not items:
        return FoundList(part, Kind.NONE if is_list(part.value) else Kind.PERHAPS)
    of_group = step_to_group(items)
    is_grouped = "group" in part.name.lower() or name_their_group(items)
    if of_group and is_grouped:
        return FoundList(part, Kind.GROUPS, of_group)
    if all(_is_result(item) for item in items):
        return FoundList(part, Kind.RESULTS)
    if are_answers(items):
        return FoundList(part, Kind.ANSWERS)
    of_result = _step_to_result(items)
    if of_result and not of_result.startswith('["_'):
        return FoundList(part, Kind.WRAPPERS, of_result)
    if of_group:
        return FoundList(part, Kind.GROUPS, of_group)
    if all(isinstance(item, (str, int, Mapping)) or own_names(item) for item in items):
        return FoundList(part, Kind.PERHAPS)
    return FoundList(part, Kind.OTHERS)


_NOUNS = {Mapping: "mapping", str: "text", Number: "number"}


def _noun(items: Sequence[object]) -> str:
    """Return what all items are, in one word: `mapping`, `text`, `list` ..."""
    for kind, noun in _NOUNS.items():
        if all(isinstance(item, kind) for item in items):
            return noun
    return "list" if all(is_list(item) for item in items) else "object"


def _singular(name: str) -> str:
    """Return a name for an item of a list: `edge` for `edges`, else `item`."""
    if name.isidentifier() and name.endswith("s") and len(name) > 3:
        return name[:-1]
    return "item"


# --- the items of a list --------------------------------------------------------------


def _is_result(item: object) -> bool:
    """Say whether an item is a result: a mapping or an object with an id.

    The id is a text, an integer or a UUID, in a field with a usual name of ids. Bare
    texts and numbers are not results here.
    """
    if item is None or isinstance(item, (str, bytes, Number)) or is_list(item):
        return False
    (value,) = Fields([item]).first_of(ID_NAMES, NESTED)
    return isinstance(value, (str, int)) or type(value).__name__ == "UUID"


def _are_results(items: object) -> bool:
    """Say whether a list is not empty, and its first items are results."""
    first = first_items(items)
    return bool(first) and all(_is_result(item) for item in first)


def can_be_read(value: object) -> bool:
    """Say whether a value is a response: it has a known shape, or a list of hits."""
    if isinstance(value, (list, Iterator)) or has_dimensions(value):
        return False
    return is_response(value) or is_list(attribute(value, "hits"))


def are_answers(items: Sequence[object]) -> bool:
    """Say whether the items of a list are the answers to several searches."""
    if any(can_be_read(item) for item in items):
        return True
    return all(is_list(item) and _are_results(item) for item in items)


def _step_to_result(items: Sequence[object]) -> str:
    """Return the Python code that leads from an item to its result: `["node"]`.

    "" if no item has a result inside.
    """
    for field in fields_in(items[0]):
        results = []
        for item in items:
            for other in fields_in(item):
                if other.name == field.name and _is_result(other.value):
                    results.append(other.value)
        if len(results) == len(items):
            return step_to(items[0], field.name)
    return ""


NAMES_OF_GROUPS = ("key", "group", "group_key", "groupkey", "groupvalue", "grouped_by")
"""Fields that say what the results of a group have in common, in lower case.

The answer to a search has none of them.
"""


def name_their_group(items: Sequence[object]) -> bool:
    """Say whether all items have a field with the name of their group."""
    for item in items:
        names = {str(name).lower() for name in own_names(item)}
        if names.isdisjoint(NAMES_OF_GROUPS):
            return False
    return True


def step_to_group(items: Sequence[object]) -> str:
    """Return the Python code that leads from each group to its results: `["docs"]`.

    "" if groups have no results, or have them at different paths.
    """
    steps = {_step_to_list(item) for item in items}
    return steps.pop() if len(steps) == 1 else ""


def _step_to_list(group: object) -> str:
    """Return the Python code that leads from a group to its results; "" without any."""
    if not is_collection(group) or is_list(group):
        return ""
    for part in parts_of(group):
        if part.depth and is_list(part.value) and _are_results(part.value):
            return part.path.removeprefix("response")
    return ""
