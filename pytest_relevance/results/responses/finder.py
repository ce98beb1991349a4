"""Finds the results in a response that cannot be read, and says what to return instead.

It looks at the lists in a mapping, an object or a tuple, and at what these hold. It
does not read them, since another list could be the one with the results. The message
names the lists, and shows the line to write:

    search returned a mapping instead of a list of results, {'count': 2, 'results':
    [...]}; its results are probably in response["results"] (2 mappings): return
    response["results"]
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from numbers import Number, Real

from pytest_relevance._text import counted, first_few
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import is_mock
from pytest_relevance.results.responses.columns import ids_with_scores, rows_of_table
from pytest_relevance.results.responses.lists import (
    are_answers,
    can_be_read,
    lists_in,
    name_their_group,
    step_to_group,
)
from pytest_relevance.results.responses.places import (
    MOST_ITEMS,
    USUAL,
    first_items,
    names_of,
    places_of,
    step_to,
)
from pytest_relevance.results.responses.totals import find_total
from pytest_relevance.results.responses.values import is_list

# --- the exceptions -------------------------------------------------------------------


def no_ranking(response: object, trait: str = "") -> reading.UnreadableRanking:
    """Return the exception for a response that is no ranking.

    Its message says what came back, where its results are, and what to return. `trait`
    is what else it says of the response, such as "which gives the names of its fields".
    """
    is_mapping = isinstance(response, Mapping)
    shown = dict(response) if is_mapping else response  # type: ignore[call-overload]
    if _has_own_id(response) and not has_likely_list(response):
        return reading.unreadable("one result", shown, reading.A_LIST)
    kind = "a mapping" if is_mapping else reading.kind_of(response)
    holds_others = is_mapping or _holds_others(response)
    if trait:
        returned = f"{kind}, {trait}"
    elif holds_others:
        returned = f"{kind} instead of a list of results"
    else:
        returned = kind
    advice = _what_to_return(response) if holds_others else reading.A_LIST
    return reading.unreadable(returned, shown, advice)


def not_results(results: Sequence[object]) -> reading.UnreadableRanking | None:
    """Return the exception for a list whose items hold results, as groups or pages do.

    None for another list.
    """
    items = first_items(results)
    if not items:
        return None
    step = step_to_group(items)
    if step and name_their_group(items):
        flat = f"[result for group in response for result in group{step}]"
        return reading.unreadable("a list of groups", results, f"return {flat}")
    if are_answers(items):
        returned = (
            f"a list with the answers to {counted(len(results), 'search', 'searches')}"
        )
        more = "" if len(results) == 1 else f" ({reading.ONE_QUERY})"
        return reading.unreadable(returned, results, f"return response[0]{more}")
    if all(isinstance(item, Iterator) and not is_mock(item) for item in items):
        flat = "[result for page in response for result in page]"
        return reading.unreadable("a list of iterators", results, f"return {flat}")
    return None


def has_likely_list(response: object) -> bool:
    """Whether a response has a list that is likely to have the results, by its items or
    its name.
    """
    for found in lists_in(response):
        if found.look.is_certain or found.place.name in USUAL:
            return True
    return False


def _has_own_id(response: object) -> bool:
    """Whether a response has an id itself, and not only in what it holds."""
    if isinstance(response, (str, bytes, Number)) or is_list(response):
        return False
    (value,) = reading.Fields([response]).first_of(reading.ID_NAMES)
    return isinstance(value, (str, int))


def _holds_others(response: object) -> bool:
    """Whether there is something to say of what an object or a tuple holds."""
    has_names = any(True for _ in names_of(response))
    return has_names or is_list(response) or _method_of(response) != ""


# --- what to return -------------------------------------------------------------------


def _what_to_return(response: object) -> str:
    """Say where the results of a response are, and what to return: the end of a
    message.
    """
    places = [*places_of(response)]
    for place in places[1:]:
        if can_be_read(place.value):
            return f"{place.path} is a response that can be read: return {place.path}"
    advice = rows_of_table(places) or ids_with_scores(places)
    if advice:
        return advice
    lists = lists_in(response)
    if not lists:
        return _of_no_list(response)
    best = lists[0]
    named = [f"{found.place.path} ({found.words})" for found in lists]
    if len(lists) == 1:
        return f"its results are probably in {named[0]}: return {best.line}"
    advice = f"return the one with the results, probably: return {best.line}"
    return f"it holds {first_few(named)}; {advice}"


def _of_no_list(response: object) -> str:
    """Say what to return instead of a response that holds no list."""
    if isinstance(response, Mapping):
        advice = _of_json_in(response) or _of_items(response)
        if advice:
            return advice
    method = _method_of(response)
    if method:
        return f"it has a method {method}: return response.{method}() if that gives the results"
    return (
        "it holds no list; return a list of results, best first (ids, (id, score) rows, or mappings with an id), or "
        "implement the hook pytest_relevance_ranking"
    )


def _of_json_in(response: Mapping[str, object]) -> str:
    """Say how to parse JSON in a mapping; empty if there is none."""
    for name, value in response.items():
        if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
            path = f"response{step_to(response, name)}"
            return f"{path} seems to be JSON: return json.loads({path})"
    return ""


def _of_items(response: Mapping[str, object]) -> str:
    """Say how to return a mapping from ids to scores or documents; empty for another
    mapping.
    """
    if not response or find_total(response) or not response.keys().isdisjoint(USUAL):
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


_OF_LIBRARIES = ("to_list", "to_dicts", "fetchall", "all", "execute", "collect", "json")
_OF_MAPPINGS = ("items", "values")
METHODS = (*_OF_LIBRARIES, *(name for name in USUAL if name not in _OF_MAPPINGS))
"""Methods that give the results of many objects: of libraries, and named like a list of
results.
"""


def _method_of(response: object) -> str:
    """Return the name of a method that probably gives the results; empty if there is
    none.
    """
    for name in METHODS:
        if callable(getattr(type(response), name, None)):
            return name
    return ""
