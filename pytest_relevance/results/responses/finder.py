"""Finds the results in a response that cannot be read, and says what to return instead.

It looks at the lists in a mapping, an object or a tuple, and in what these hold. It does not read them, since another
list could be the one with the results. The message names the lists, and shows the line to write:

    search returned a mapping instead of a list of results, {'count': 2, 'results': [...]};
    its results are probably in response["results"] (2 mappings): return response["results"]
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from numbers import Number, Real
from types import FunctionType, ModuleType

from pytest_relevance._text import counted, first_few
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import (
    attribute,
    has_attribute,
    has_class,
    is_keyed,
    is_mock,
    own_names,
)
from pytest_relevance.results.responses.hits import hits_in, is_list
from pytest_relevance.results.responses.incomplete import find_total

DEEPEST = 5
"""How many keys or attributes lead to a list at most."""

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

_OF_SOMETHING_ELSE = """
    facets facet_counts aggregations aggs buckets suggestions suggest errors
    warnings links included breadcrumbs columns schema fields filters sort tags
    categories synonyms related corrections highlights tokens terms usage
    answers promotions ads banners params queries
"""
OF_SOMETHING_ELSE = frozenset(_OF_SOMETHING_ELSE.split())
"""Names of lists that hold something else than results, in lower case."""

NAMES_OF_IDS = ("id", "ids", "_id", "docids", "doc_ids", "document_ids", "labels")
NAMES_OF_SCORES = ("score", "scores", "distance", "distances", "similarities")
HEADS = ("columns", "column_names", "schema", "fields", "meta")
BODIES_OF_TABLES = ("values", "rows", "data", "datarows", "data_array")
"""The names of lists that belong together: ids and scores; the head and the rows of a table."""


@dataclass(frozen=True, slots=True)
class Place:
    """A value in a response, and the Python that leads to it: `response["data"]`. `depth` counts keys and attributes."""

    expression: str
    name: str
    value: object
    depth: int


@dataclass(frozen=True, slots=True)
class FoundList:
    """A list in a response. `items` describes its items, `results` is the Python that gives the results in it.

    `order` is smaller for a list that is more likely to have the results.
    """

    place: Place
    items: str
    results: str
    order: tuple[int, ...]

    @property
    def is_certain(self) -> bool:
        """Whether all items have an id."""
        return self.order[1] == CERTAIN


def no_ranking(response: object, trait: str = "") -> reading.UnreadableRanking:
    """Return the exception for a response that is no ranking: what came back, where its results are, what to return.

    `trait` is what else the message says of the response, such as "which gives the names of its fields".
    """
    is_mapping = isinstance(response, Mapping)
    shown = dict(response) if is_mapping else response  # type: ignore[call-overload]
    if _has_own_id(response) and not has_likely_list(response):
        return reading.unreadable("one result", shown, reading.A_LIST)
    kind = "a mapping" if is_mapping else reading.kind_of(response)
    has_more = is_mapping or _names_a_place(response)
    if trait:
        what = f"{kind}, {trait}"
    elif has_more:
        what = f"{kind} instead of a list of results"
    else:
        what = kind
    advice = what_to_return(response) if has_more else reading.A_LIST
    return reading.unreadable(what, shown, advice)


def not_results(results: Sequence[object]) -> reading.UnreadableRanking | None:
    """Return the exception for a list whose items are lists of results, or whole responses; None for another list."""
    items = _first_items(results)
    if not items:
        return None
    in_groups = _list_in_groups(items)
    if in_groups and _are_groups(items):
        flat = f"[result for group in response for result in group{in_groups}]"
        return reading.unreadable("a list of groups", results, f"return {flat}")
    if _are_answers(items):
        what = f"a list with the {_described(results, items)}"
        more = "" if len(results) == 1 else f" ({reading.ONE_QUERY})"
        return reading.unreadable(what, results, f"return response[0]{more}")
    if all(isinstance(item, Iterator) and not is_mock(item) for item in items):
        flat = "[result for page in response for result in page]"
        return reading.unreadable("a list of iterators", results, f"return {flat}")
    return None


def has_likely_list(response: object) -> bool:
    """Whether a response has a list that is likely to have the results, by its items or its name."""
    lists = _lists_in(response)
    return any(each.is_certain or each.place.name in USUAL for each in lists)


def _names_a_place(response: object) -> bool:
    """Whether there is something to say of what an object or a tuple holds."""
    has_fields = any(True for _ in _names_of(response))
    return has_fields or is_list(response) or bool(_method_of(response))


def what_to_return(response: object) -> str:
    """Say where the results of a response are, and what to return: the end of a message."""
    places = [*_places(response)]
    for place in places[1:]:
        if hits_in(place.value) is not None:
            return f"{place.expression} is a response that can be read: return {place.expression}"
    table = _table_in(places)
    if table:
        return table
    for place in places:
        columns = _columns_in(place)
        if columns:
            return columns
    lists = _lists_in(response)
    if lists:
        return _choice(lists)
    return _without_lists(response)


def _choice(lists: Sequence[FoundList]) -> str:
    best = lists[0]
    if len(lists) == 1:
        where = f"{best.place.expression} ({best.items})"
        return f"its results are probably in {where}: return {best.results}"
    named = [f"{found.place.expression} ({found.items})" for found in lists]
    advice = f"return the one with the results, probably: return {best.results}"
    return f"it holds {first_few(named)}; {advice}"


# --- the places of a response -----------------------------------------------------------------------------------------


def _places(response: object) -> Iterator[Place]:
    """Go through the mappings, objects and lists in a response, from the outside in. Items of lists are left out."""
    waiting = deque([Place("response", "", response, 0)])
    for _ in range(MOST_PLACES):
        if not waiting:
            return
        place = waiting.popleft()
        yield place
        if place.depth < DEEPEST:
            waiting.extend(_places_in(place))


def _places_in(place: Place) -> Iterator[Place]:
    """Go through what a mapping, an object or a tuple holds, but for texts, numbers and the like."""
    if place.depth and _is_list_like(place.value):
        return
    for name, value in _fields_of(place.value):
        if _is_collection(value):
            step = _step(place.value, name)
            yield Place(place.expression + step, str(name), value, place.depth + 1)


def _fields_of(value: object) -> Iterator[tuple[str, object]]:
    if isinstance(value, tuple) and not has_attribute(value, "_fields"):
        for index, part in enumerate(value[:MOST_FIELDS]):
            yield str(index), part
        return
    for name in islice(_names_of(value), MOST_FIELDS):
        try:
            if isinstance(value, Mapping) or is_keyed(value):
                yield name, value[name]  # type: ignore[index]
            else:
                yield name, attribute(value, name)
        except Exception:  # a property of the user's: the others may work
            continue


def _names_of(value: object) -> Iterator[str]:
    """Go through the names of the fields of a mapping or an object; of its properties only the usual ones."""
    own = own_names(value)
    yield from own
    if isinstance(value, Mapping) or is_keyed(value):
        return
    for name in USUAL:
        if name not in own and has_attribute(type(value), name):
            yield name


def _step(holder: object, name: str) -> str:
    """Return the Python that leads from a mapping, an object or a tuple to what it holds under a name."""
    if isinstance(holder, tuple) and name.isdecimal():
        return f"[{name}]"
    if isinstance(holder, Mapping) or is_keyed(holder):
        in_quotes = (
            json.dumps(name, ensure_ascii=False)
            if isinstance(name, str)
            else repr(name)
        )
        return f"[{in_quotes}]"
    return f".{name}"


def _is_collection(value: object) -> bool:
    """Whether a value holds others: a mapping, a list, an iterator or an object with fields."""
    if value is None or not has_class(value):
        return False
    if isinstance(value, (str, bytes, Number, type)):
        return False
    if isinstance(value, (FunctionType, ModuleType)) or is_mock(value):
        return False
    if isinstance(value, Mapping) or _is_list_like(value):
        return True
    return bool(own_names(value))


def _is_list_like(value: object) -> bool:
    """Whether a value is a list, an array, a table or an iterator."""
    if is_list(value) or isinstance(value, Iterator):
        return True
    return reading.has_dimensions(value)


# --- the lists of a response ------------------------------------------------------------------------------------------

CERTAIN, POSSIBLE, EMPTY, UNLIKELY = range(4)
"""How likely a list has the results, by its items: all have an id; mappings or ids; none; anything else."""


def _lists_in(response: object) -> list[FoundList]:
    """Find the lists in a response, those that are most likely to have the results first."""
    found = [
        _found_list(place)
        for place in _places(response)
        if place.depth and _is_list_like(place.value)
    ]
    return sorted(found, key=lambda each: each.order)


def _found_list(place: Place) -> FoundList:
    items = _first_items(place.value)
    likely, results = _results_in(place, items)
    name = place.name.lower()
    order = (
        int(name in OF_SOMETHING_ELSE),
        likely,
        USUAL.index(name) if name in USUAL else len(USUAL),
        place.depth,
    )
    described = _described(place.value, items)
    if " for group in " in results:
        described = counted(len(place.value), "group")  # type: ignore[arg-type]
    return FoundList(place, described, results, order)


def _first_items(value: object) -> list[object]:
    """Return the first items of a list; none of an iterator, which can be read only once, or of an array."""
    if not is_list(value):
        return []
    first = islice(value, MOST_ITEMS)  # type: ignore[call-overload]
    return [item for item in first if has_class(item)]


def _results_in(place: Place, items: Sequence[object]) -> tuple[int, str]:
    """Say how likely a list has the results, and with which Python they are returned."""
    here = place.expression
    if not items:
        return (EMPTY if is_list(place.value) else POSSIBLE), here
    in_groups = _list_in_groups(items)
    of_groups = f"[result for group in {here} for result in group{in_groups}]"
    if in_groups and ("group" in place.name.lower() or _are_groups(items)):
        return CERTAIN, of_groups
    if all(_is_result(item) for item in items):
        return CERTAIN, here
    if _are_answers(items):
        return CERTAIN, f"{here}[0]"
    item = _singular(place.name)
    wrapper = _wrapper_of(items)
    if wrapper and not wrapper.startswith('["_'):
        return CERTAIN, f"[{item}{wrapper} for {item} in {here}]"
    if in_groups:
        return CERTAIN, of_groups
    if all(isinstance(item, (str, int, Mapping)) or own_names(item) for item in items):
        return POSSIBLE, here
    return UNLIKELY, here


def _is_result(item: object) -> bool:
    """Whether an item is a mapping or an object with an id."""
    if isinstance(item, (str, bytes, Number)) or is_list(item) or item is None:
        return False
    names = reading.ID_NAMES
    (found,) = reading.Fields([item]).first_of(names, reading.NESTED)
    return isinstance(found, (str, int)) or type(found).__name__ == "UUID"


def _has_own_id(response: object) -> bool:
    """Whether a response has an id itself, and not only in what it holds."""
    if isinstance(response, (str, bytes, Number)) or is_list(response):
        return False
    (found,) = reading.Fields([response]).first_of(reading.ID_NAMES)
    return isinstance(found, (str, int))


def _are_results(items: object) -> bool:
    first = _first_items(items)
    return bool(first) and all(_is_result(item) for item in first)


def _wrapper_of(items: Sequence[object]) -> str:
    """Return the Python that leads from an item to the result in it: `["node"]`; empty if there is none."""
    for name, _ in _fields_of(items[0]):
        inner = [
            value for item in items for key, value in _fields_of(item) if key == name
        ]
        if len(inner) == len(items) and all(_is_result(value) for value in inner):
            return _step(items[0], name)
    return ""


def _are_answers(items: Sequence[object]) -> bool:
    """Whether the items of a list are the answers to several searches: bodies of an engine, or lists of results."""
    if any(hits_in(item) is not None for item in items):
        return True
    return all(is_list(item) and _are_results(item) for item in items)


NAMES_OF_GROUPS = ("key", "group", "group_key", "groupkey", "groupvalue", "grouped_by")
"""Fields that say what the results of a group have in common, in lower case. An answer to a search has none of them."""


def _are_groups(items: Sequence[object]) -> bool:
    """Whether the items of a list are groups of results, and say of what."""
    for item in items:
        names = {str(name).lower() for name in own_names(item)}
        if names.isdisjoint(NAMES_OF_GROUPS):
            return False
    return True


def _list_in_groups(items: Sequence[object]) -> str:
    """Return the Python that leads from a group to its results: `["doclist"]["docs"]`; empty if there are none."""
    paths = {_list_in_group(item) for item in items}
    return paths.pop() if len(paths) == 1 else ""


def _list_in_group(group: object) -> str:
    if not _is_collection(group) or is_list(group):
        return ""
    for place in _places(group):
        if place.depth and is_list(place.value) and _are_results(place.value):
            return place.expression.removeprefix("response")
    return ""


def _singular(name: str) -> str:
    """Return what an item of a list is called in a line of Python: `edge` for edges, else `item`."""
    if name.isidentifier() and name.endswith("s") and len(name) > 3:
        return name[:-1]
    return "item"


def _described(value: object, items: Sequence[object]) -> str:
    """Describe the items of a list: `2 mappings`, `3 texts`, `empty`."""
    if not is_list(value):
        return reading.kind_of(value)
    length = len(value)  # type: ignore[arg-type]
    if not length:
        return "empty"
    if _are_answers(items):
        return f"answers to {counted(length, 'search', 'searches')}"
    if all(isinstance(item, Mapping) for item in items):
        return counted(length, "mapping")
    if all(isinstance(item, str) for item in items):
        return counted(length, "text")
    if all(isinstance(item, Number) for item in items):
        return counted(length, "number")
    if all(is_list(item) for item in items):
        return counted(length, "list")
    return counted(length, "object")


# --- columns side by side ---------------------------------------------------------------------------------------------


def _table_in(places: Sequence[Place]) -> str:
    """Say how to return a table that has its rows beside the names of its columns; empty if there is none."""
    for head in places:
        names = _names_in_head(head) if head.name in HEADS else ""
        if not names:
            continue
        for body in places:
            if body.name in BODIES_OF_TABLES and _fits(head.value, body.value):
                rows = body.expression
                return (
                    f"it holds a table, with its columns in {head.expression} and its rows in {rows}: "
                    f"return [dict(zip({names}, row)) for row in {rows}]"
                )
    return ""


def _fits(head: object, body: object) -> bool:
    """Whether the rows of a table are lists as long as its head."""
    rows = _first_items(body)
    columns = len(_first_items(head))
    return is_list(body) and all(is_list(row) and len(row) == columns for row in rows)  # type: ignore[arg-type]


def _names_in_head(head: Place) -> str:
    """Return the Python that gives the names of columns; empty if a list is no head of a table."""
    items = _first_items(head.value)
    if items and all(isinstance(item, str) for item in items):
        return head.expression
    if items and all(isinstance(item, Mapping) and "name" in item for item in items):
        return f'[column["name"] for column in {head.expression}]'
    return ""


def _columns_in(place: Place) -> str:
    """Say how to return ids and scores that stand side by side, in lists of one length; empty if there are none."""
    columns = [
        each
        for each in _places_in(place)
        if is_list(each.value)
        and not any(map(_is_collection, _first_items(each.value)))
    ]
    ids = _first_named(columns, NAMES_OF_IDS)
    scores = _first_named(columns, NAMES_OF_SCORES)
    if isinstance(place.value, tuple) and len(columns) == len(place.value) == 2:
        ids, scores = _told_apart(columns)
    if ids is None or scores is None or len(ids.value) != len(scores.value):  # type: ignore[arg-type]
        return ""
    return f"it holds ids and scores side by side: return list(zip({ids.expression}, {scores.expression}))"


def _first_named(columns: Sequence[Place], names: Sequence[str]) -> Place | None:
    for column in columns:
        if column.name.lower() in names:
            return column
    return None


def _told_apart(columns: Sequence[Place]) -> tuple[Place | None, Place | None]:
    """Tell the ids and the scores in a tuple of two lists apart: only scores have fractions."""
    for ids, scores in (columns, columns[::-1]):
        are_ids = all(reading.is_id(item) for item in _first_items(ids.value))
        if are_ids and all(
            isinstance(item, float) for item in _first_items(scores.value)
        ):
            return ids, scores
    return None, None


# --- responses without a list -----------------------------------------------------------------------------------------


def _without_lists(response: object) -> str:
    """Say what to return instead of a response that holds no list."""
    if isinstance(response, Mapping):
        advice = _of_mapping(response)
        if advice:
            return advice
    method = _method_of(response)
    if method:
        return f"it has a method {method}: return response.{method}() if that gives the results"
    return (
        "it holds no list; return a list of results, best first (ids, (id, score) rows, or mappings with an id), or "
        "implement the hook pytest_relevance_ranking"
    )


def _of_mapping(response: Mapping[str, object]) -> str:
    """Say what to return instead of a mapping from ids to something, or with JSON in it; empty for other mappings."""
    for name, value in response.items():
        if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
            inner = f"response{_step(response, name)}"
            return f"{inner} seems to be JSON: return json.loads({inner})"
    if not response or find_total(response) or not {*USUAL}.isdisjoint(response):
        return ""
    values = [*islice(response.values(), MOST_ITEMS)]
    if all(isinstance(value, Real) for value in values):
        return (
            "if it maps ids to scores, return its items, best first: "
            "return sorted(response.items(), key=lambda item: item[1], reverse=True)"
        )
    if all(isinstance(value, Mapping) for value in values):
        return (
            "if it maps ids to documents, best first: "
            'return [{"id": id, **document} for id, document in response.items()]'
        )
    return ""


_OF_MAPPINGS = ("items", "values")
_OF_LIBRARIES = ("to_list", "to_dicts", "fetchall", "all", "execute", "collect", "json")
METHODS = (*_OF_LIBRARIES, *(name for name in USUAL if name not in _OF_MAPPINGS))
"""Methods that give the results of many objects: those of libraries, and the usual names of a list of results."""


def _method_of(response: object) -> str:
    """Return the name of a method of an object that probably gives its results; empty if there is none."""
    for name in METHODS:
        if callable(getattr(type(response), name, None)):
            return name
    return ""
