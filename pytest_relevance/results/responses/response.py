"""Find the results in a response: by the shape of a library, or in any object.

The docstring of this package lists all guesses in their order. This module first tries
the shapes of `SHAPES`, then the forms that any program may return. A response without
results is refused, with a message that says what to return instead (`advice`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_relevance._text import LONGEST_SHOWN
from pytest_relevance.results.responses.advice import has_likely_list, no_ranking
from pytest_relevance.results.responses.errors import (
    A_LIST,
    A_MOCK,
    BadResult,
    UnreadableRanking,
    type_in_words,
    unreadable,
)
from pytest_relevance.results.responses.incomplete import (
    error_in_response,
    refuse_incomplete,
    whole_results,
)
from pytest_relevance.results.responses.iterators import read_items
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.rows import is_title
from pytest_relevance.results.responses.shapes import read_results, shape_of_result
from pytest_relevance.results.responses.values import (
    TEXTS,
    attribute,
    has_attribute,
    has_class,
    is_id,
    is_integer,
    is_keyed,
    is_list,
    is_mock,
    is_name_of_field,
    is_number,
    is_row,
    is_score,
    own_names,
)

HOLDERS = ("hits", "docs")
"""Attributes under which the response objects of clients keep the list of hits."""


def results_of(response: object, options: ReadOptions) -> Sequence[object]:
    """Return the results within a response, in the order of the response.

    Raises `UnreadableRanking` if there are none, or if the response is not whole.
    """
    if is_mock(response):
        raise unreadable(type_in_words(response), response, A_MOCK)
    if not has_class(response):
        raise unreadable(type_in_words(response), response, A_LIST)
    if isinstance(response, list):
        return response
    results = read_results(response, options)
    if results is None:
        results = _read_any(response, options)
    return results


def _read_any(response: Any, options: ReadOptions) -> Sequence[object]:
    """Return the results of a response that fits no shape.

    Raises `UnreadableRanking` if there are none.
    """
    if isinstance(response, Mapping):
        refuse_incomplete(response)
        raise no_hits(response)
    _refuse_without_order(response)
    is_tuple = isinstance(response, tuple)
    if is_tuple and not has_attribute(response, "_fields"):
        return _read_tuple(response)
    if is_named_row(response) or _is_library_result(response):
        raise _unreadable("one result", response, A_LIST)
    for name in HOLDERS:
        hits = attribute(response, name)
        if is_list(hits):
            return whole_results(hits, response, options)
    if is_tuple:
        raise no_ranking(response)
    return _read_object(response, options)


def _read_object(response: Any, options: ReadOptions) -> Sequence[object]:
    """Return the items of an object: by keys, by iterating over it, or by numbers.
    Raises `UnreadableRanking` for an HTTP response, and for an object without items.
    """
    if _is_http(response):  # iterating over it gives its bytes in pieces
        advice = "return what is in it, response.json() for instance"
        raise _unreadable("an HTTP response", response, advice)
    if is_keyed(response):
        fields = {name: response[name] for name in own_names(response)}
        return results_of(fields, options)
    if _is_iterable(response):
        return _read_iterable(response, options)
    if _has_items_alone(response):
        return _read_numbered(response, options)
    raise no_ranking(response)


def _unreadable(returned: str, response: object, advice: str) -> UnreadableRanking:
    """Return the exception of `unreadable`, with less of the response."""
    return unreadable(returned, response, advice, LONGEST_SHOWN)


def no_hits(body: Mapping[Any, Any]) -> UnreadableRanking:
    """Return the exception for a mapping in which no hits were found."""
    message = body.get("message")
    if message and not has_likely_list(body):
        return error_in_response(body, "message", message)
    return no_ranking(body)


def _refuse_without_order(response: object) -> None:
    """Raise `UnreadableRanking` for None, a text or a set."""
    if response is None:
        advice = "return the results, best first (an empty list if there are none)"
        raise _unreadable("", response, advice)
    if isinstance(response, TEXTS):
        advice = f"{A_LIST} (parsed, if it is JSON)"
        raise _unreadable("text", response, advice)
    if isinstance(response, (set, frozenset)):
        raise _unreadable("a set, which has no order", response, A_LIST)


# --- single results -------------------------------------------------------------------

_ROWS = frozenset({"Row", "Record"})
"""Types of rows: of sqlite3 and SQLAlchemy, and of asyncpg.

If such a row is iterated over, it gives its values.
"""


def is_named_row(response: object) -> bool:
    """Say whether a response is one row of a database, or a single named tuple."""
    if type(response).__name__ in _ROWS:
        return True
    if not isinstance(response, tuple) or not has_attribute(response, "_fields"):
        return False
    return not has_likely_list(response)


def _is_library_result(response: object) -> bool:
    """Say whether a response is a single result of a library."""
    try:
        return shape_of_result(response) is not None
    except BadResult:
        return True


# --- tuples ---------------------------------------------------------------------------


def _is_list_of_results(part: object) -> bool:
    """Say whether a part of a tuple may be a list of results.

    An (id, score) pair may not, nor a list with lists in it that are no such pairs.
    """
    if not isinstance(part, list) or _is_scored_pair(part):
        return False
    return all(_is_scored_pair(item) for item in part if isinstance(item, list))


def _is_scored_pair(part: Sequence[object]) -> bool:
    return len(part) == 2 and is_id(part[0]) and is_score(part[1])


def _read_tuple(values: tuple[Any, ...]) -> Sequence[object]:
    """Return the results in a tuple.

    Raises `UnreadableRanking` for what may be something else: one row, two columns, or
    a list with a total beside it.
    """
    if any(_is_list_of_results(part) for part in values):
        raise no_ranking(values)  # (hits, total), (ids, scores)
    if not (_is_like_row(values) or _is_like_columns(values)):
        return values
    raise unreadable(
        "a tuple that could be one row, columns side by side or a list of results",
        values,
        "return a list of rows, or a list of ids",
        LONGEST_SHOWN,
    )


def _is_like_row(values: tuple[Any, ...]) -> bool:
    """Say whether a tuple could be a row: an id, perhaps titles, and a number."""
    if len(values) not in (2, 3):
        return False
    if not is_id(values[0]) or not is_number(values[-1]):
        return False
    has_titles_between = all(is_title(value) for value in values[1:-1])
    return has_titles_between and not all(map(is_integer, values))


def _is_like_columns(values: tuple[Any, ...]) -> bool:
    """Say whether a tuple could be two columns, each of texts or of integers."""
    if len(values) != 2:
        return False
    return all(is_row(part) and _are_of_one_kind(part) for part in values)


def _are_of_one_kind(parts: Sequence[Any]) -> bool:
    return all(isinstance(part, str) for part in parts) or all(map(is_integer, parts))


# --- objects and iterables ------------------------------------------------------------


def _is_http(response: object) -> bool:
    has_status = has_attribute(response, "status_code") or has_attribute(
        response, "status"
    )
    return has_status and has_attribute(response, "headers")


def _is_iterable(response: object) -> bool:
    """Say whether a response is read by iterating over it.

    A pydantic model is not, because it would give its fields.
    """
    kind = type(response)
    return hasattr(kind, "__iter__") and not hasattr(kind, "model_fields")


def _read_iterable(
    response: Iterable[object], options: ReadOptions
) -> Sequence[object]:
    """Return the items of an iterable. `__iter__` is called once: it may send a query.

    Raises `UnreadableRanking` for an object that gives the names of its own fields,
    alone or with their values.
    """
    items = read_items(response, options.most)
    if items and all(_gives_a_field(response, item) for item in items):
        raise no_ranking(
            response, "which gives the names of its own fields if it is iterated over"
        )
    return items


def _gives_a_field(response: object, item: object) -> bool:
    """Say whether an item is a field of the response: its name, or (name, value)."""
    if type(item) is tuple and item:
        return isinstance(item[0], str) and item[0] in own_names(response)
    return is_name_of_field(response, item)


def _has_items_alone(response: object) -> bool:
    """Say whether a response has items by number, and cannot be iterated over."""
    kind = type(response)
    return hasattr(kind, "__getitem__") and not hasattr(kind, "__iter__")


def _read_numbered(response: Any, options: ReadOptions) -> Sequence[object]:
    """Return the items of a response, whose keys are the numbers from 0 on.

    Raises `UnreadableRanking` if the response has other keys, as a mapping does.
    """
    items: list[object] = []
    while len(items) < options.most:
        try:
            items.append(response[len(items)])
        except IndexError:
            break
        except (KeyError, TypeError, AttributeError) as error:
            if items:
                raise
            trait = f"whose items have names, and response[0] is a {error!r}"
            raise no_ranking(response, trait) from error
    return items
