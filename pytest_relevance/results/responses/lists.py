"""The lists of a response: what their items look like, and which list probably has the
results.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from numbers import Number

from pytest_relevance._text import counted
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import attribute, own_names
from pytest_relevance.results.responses.places import (
    USUAL,
    Place,
    fields_of,
    first_items,
    is_collection,
    is_list_like,
    places_of,
    step_to,
)
from pytest_relevance.results.responses.shapes import is_response
from pytest_relevance.results.responses.values import has_dimensions, is_list

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
"""Kinds of items that may not be the results: the larger the number, the less
likely.
"""


@dataclass(frozen=True, slots=True)
class Look:
    """What the items of a list look like.

    `step`: the Python that leads from an item to its list of results, or to the result
    in it.
    """

    kind: Kind
    step: str = ""

    @property
    def is_certain(self) -> bool:
        """Whether the list has the results."""
        return self.kind not in _UNLIKELY


@dataclass(frozen=True, slots=True)
class FoundList:
    """A list in a response, and what its items look like."""

    place: Place
    look: Look

    @property
    def line(self) -> str:
        """The Python that gives the results in the list."""
        path, step = self.place.path, self.look.step
        if self.look.kind is Kind.GROUPS:
            return f"[result for group in {path} for result in group{step}]"
        if self.look.kind is Kind.ANSWERS:
            return f"{path}[0]"
        if self.look.kind is Kind.WRAPPERS:
            item = _singular(self.place.name)
            return f"[{item}{step} for {item} in {path}]"
        return path

    @property
    def words(self) -> str:
        """What the list holds: `2 mappings`, `3 texts`, `empty`."""
        items = self.place.value
        if not is_list(items):
            return reading.kind_of(items)
        if self.look.kind is Kind.GROUPS:
            return counted(len(items), "group")
        if self.look.kind is Kind.ANSWERS:
            return f"answers to {counted(len(items), 'search', 'searches')}"
        return counted(len(items), _noun(first_items(items))) if items else "empty"

    @property
    def rank(self) -> tuple[int, ...]:
        """Smaller for a list that is more likely to have the results."""
        name = self.place.name.lower()
        is_other = int(name in OF_SOMETHING_ELSE)
        unlikely = _UNLIKELY.get(self.look.kind, 0)
        usual = USUAL.index(name) if name in USUAL else len(USUAL)
        return is_other, unlikely, usual, self.place.depth


def lists_in(response: object) -> list[FoundList]:
    """Find the lists in a response, those that are most likely to have the results
    first.
    """
    lists = []
    for place in places_of(response):
        if place.depth and is_list_like(place.value):
            lists.append(FoundList(place, _look_of(place)))
    return sorted(lists, key=lambda found: found.rank)


def _look_of(place: Place) -> Look:
    """Say what the items of a list look like."""
    items = first_items(place.value)
    if not items:
        return Look(Kind.NONE if is_list(place.value) else Kind.PERHAPS)
    of_group = step_to_group(items)
    is_grouped = "group" in place.name.lower() or name_their_group(items)
    if of_group and is_grouped:
        return Look(Kind.GROUPS, of_group)
    if all(_is_result(item) for item in items):
        return Look(Kind.RESULTS)
    if are_answers(items):
        return Look(Kind.ANSWERS)
    of_result = _step_to_result(items)
    if of_result and not of_result.startswith('["_'):
        return Look(Kind.WRAPPERS, of_result)
    if of_group:
        return Look(Kind.GROUPS, of_group)
    if all(isinstance(item, (str, int, Mapping)) or own_names(item) for item in items):
        return Look(Kind.PERHAPS)
    return Look(Kind.OTHERS)


_NOUNS = {Mapping: "mapping", str: "text", Number: "number"}


def _noun(items: Sequence[object]) -> str:
    """Return what all items of a list are called."""
    for kind, noun in _NOUNS.items():
        if all(isinstance(item, kind) for item in items):
            return noun
    return "list" if all(is_list(item) for item in items) else "object"


def _singular(name: str) -> str:
    """Return what an item of a list is called in a line of Python: `edge` for edges,
    else `item`.
    """
    if name.isidentifier() and name.endswith("s") and len(name) > 3:
        return name[:-1]
    return "item"


# --- the items of a list --------------------------------------------------------------


def _is_result(item: object) -> bool:
    """Whether an item is a mapping or an object with an id."""
    if item is None or isinstance(item, (str, bytes, Number)) or is_list(item):
        return False
    names = reading.ID_NAMES
    (value,) = reading.Fields([item]).first_of(names, reading.NESTED)
    return isinstance(value, (str, int)) or type(value).__name__ == "UUID"


def _are_results(items: object) -> bool:
    first = first_items(items)
    return bool(first) and all(_is_result(item) for item in first)


def can_be_read(value: object) -> bool:
    """Whether a value is a response itself: of a known shape, or an object with
    hits.
    """
    if isinstance(value, (list, Iterator)) or has_dimensions(value):
        return False
    return is_response(value) or is_list(attribute(value, "hits"))


def are_answers(items: Sequence[object]) -> bool:
    """Whether the items of a list are the answers to several searches."""
    if any(can_be_read(item) for item in items):
        return True
    return all(is_list(item) and _are_results(item) for item in items)


def _step_to_result(items: Sequence[object]) -> str:
    """Return the Python that leads from an item to the result in it: `["node"]`; empty
    if there is none.
    """
    for field in fields_of(items[0]):
        results = []
        for item in items:
            for other in fields_of(item):
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
    """Whether all items say of what they are a group."""
    for item in items:
        names = {str(name).lower() for name in own_names(item)}
        if names.isdisjoint(NAMES_OF_GROUPS):
            return False
    return True


def step_to_group(items: Sequence[object]) -> str:
    """Return the Python that leads from each group to its results:
    `["doclist"]["docs"]`.

    Empty if there are none, or if they are not in the same place.
    """
    steps = {_step_to_list(item) for item in items}
    return steps.pop() if len(steps) == 1 else ""


def _step_to_list(group: object) -> str:
    if not is_collection(group) or is_list(group):
        return ""
    for place in places_of(group):
        if place.depth and is_list(place.value) and _are_results(place.value):
            return place.path.removeprefix("response")
    return ""
