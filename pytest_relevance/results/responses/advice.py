"""Write what to return instead of a response that cannot be read.

The module looks at the lists in a mapping, an object or a tuple. It does not read
results from them, because another list could be the right one. The message names the
lists, and shows the line to write:

    search returned a mapping instead of a list of results, {'count': 2, 'results':
    [...]}; its results are probably in response["results"] (2 mappings): return
    response["results"]

It is called when no results were found in a response, just before the case ends in an
error.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from numbers import Number, Real

from pytest_relevance._text import counted, first_few
from pytest_relevance.results.responses.errors import (
    A_LIST,
    ONE_QUERY,
    UnreadableRanking,
    type_in_words,
    unreadable,
)
from pytest_relevance.results.responses.fields import ID_NAMES, Fields
from pytest_relevance.results.responses.incomplete import find_total
from pytest_relevance.results.responses.lists import (
    MOST_ITEMS,
    USUAL,
    PartOfResponse,
    are_answers,
    can_be_read,
    first_items,
    is_collection,
    lists_in,
    name_their_group,
    names_of,
    parts_of,
    step_to,
    step_to_group,
)
from pytest_relevance.results.responses.values import is_id, is_list, is_mock

# --- the exceptions -------------------------------------------------------------------


def no_ranking(response: object, trait: str = "") -> UnreadableRanking:
    """Return the exception for a response that is not a ranking.

    The message says what came back, where the results are, and what to return.

    `trait`: describes the response further, for example "which gives the names of its
        fields".
    """
    is_mapping = isinstance(response, Mapping)
    shown = dict(response) if is_mapping else response  # type: ignore[call-overload]
    if _has_own_id(response) and not has_likely_list(response):
        return unreadable("one result", shown, A_LIST)
    kind = "a mapping" if is_mapping else type_in_words(response)
    has_parts = is_mapping or _has_parts(response)
    if trait:
        returned = f"{kind}, {trait}"
    elif has_parts:
        returned = f"{kind} instead of a list of results"
    else:
        returned = kind
    advice = _what_to_return(response) if has_parts else A_LIST
    return unreadable(returned, shown, advice)


def not_results(results: Sequence[object]) -> UnreadableRanking | None:
    """Return the exception for a list whose items hold results, like groups or pages.

    None for any other list.
    """
    items = first_items(results)
    if not items:
        return None
    step = step_to_group(items)
    if step and name_their_group(items):
        flat = f"[result for group in response for result in group{step}]"
        return unreadable("a list of groups", results, f"return {flat}")
    if are_answers(items):
        returned = (
            f"a list with the answers to {counted(len(results), 'search', 'searches')}"
        )
        more = "" if len(results) == 1 else f" ({ONE_QUERY})"
        return unreadable(returned, results, f"return response[0]{more}")
    if all(isinstance(item, Iterator) and not is_mock(item) for item in items):
        flat = "[result for page in response for result in page]"
        return unreadable("a list of iterators", results, f"return {flat}")
    return None


def has_likely_list(response: object) -> bool:
    """Say whether a response has a list that holds results, or is named like one."""
    for found in lists_in(response):
        if found.is_certain or found.part.name in USUAL:
            return True
    return False


def _has_own_id(response: object) -> bool:
    """Say whether a response has an id itself, so that it is a single result."""
    if isinstance(response, (str, bytes, Number)) or is_list(response):
        return False
    (value,) = Fields([response]).first_of(ID_NAMES)
    return isinstance(value, (str, int))


def _has_parts(response: object) -> bool:
    """Say whether a response may hold results: in fields, as a list, or by a method."""
    has_names = any(True for _ in names_of(response))
    return has_names or is_list(response) or _method_of(response) != ""


# --- what to return -------------------------------------------------------------------


def _what_to_return(response: object) -> str:
    """Return which part of a response to return, in words, or what else to do."""
    parts = [*parts_of(response)]
    for part in parts[1:]:
        if can_be_read(part.value):
            return f"{part.path} is a response that can be read: return {part.path}"
    advice = rows_of_table(parts) or ids_with_scores(parts)
    if advice:
        return advice
    lists = lists_in(response)
    if not lists:
        return _of_no_list(response)
    best = lists[0]
    named = [f"{found.part.path} ({found.words})" for found in lists]
    if len(lists) == 1:
        return f"its results are probably in {named[0]}: return {best.line}"
    advice = f"return the one with the results, probably: return {best.line}"
    return f"it holds {first_few(named)}; {advice}"


def _of_no_list(response: object) -> str:
    """Return what to do with a response that holds no list."""
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
    """Return the advice to parse JSON that is text in a mapping; "" without JSON."""
    for name, value in response.items():
        if isinstance(value, str) and value.lstrip().startswith(("{", "[")):
            path = f"response{step_to(response, name)}"
            return f"{path} seems to be JSON: return json.loads({path})"
    return ""


def _of_items(response: Mapping[str, object]) -> str:
    """Return the advice for a mapping {id: score} or {id: document}; "" for others."""
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
"""Methods that give the results of many objects."""


def _method_of(response: object) -> str:
    """Return the name of a method that may give the results; "" without one."""
    for name in METHODS:
        if callable(getattr(type(response), name, None)):
            return name
    return ""


# --- columns side by side -------------------------------------------------------------

NAMES_OF_IDS = ("id", "ids", "_id", "docids", "doc_ids", "document_ids", "labels")
NAMES_OF_SCORES = ("score", "scores", "distance", "distances", "similarities")
HEADS = ("columns", "column_names", "schema", "fields", "meta")
BODIES_OF_TABLES = ("values", "rows", "data", "datarows", "data_array")
"""Names of lists that belong together.

They are ids and their scores, or the head of a table and its rows.
"""


def rows_of_table(parts: Sequence[PartOfResponse]) -> str:
    """Return the advice for a response with the columns and the rows of a table.

    "" if it does not have them.
    """
    for head in parts:
        names = _names_in_head(head) if head.name in HEADS else ""
        if not names:
            continue
        for body in parts:
            if body.name in BODIES_OF_TABLES and _fits(head.value, body.value):
                return (
                    f"it holds a table, with its columns in {head.path} and its rows in {body.path}: "
                    f"return [dict(zip({names}, row)) for row in {body.path}]"
                )
    return ""


def _names_in_head(head: PartOfResponse) -> str:
    """Return the Python code for the names of columns.

    "" if the list is not the head of a table.
    """
    items = first_items(head.value)
    if items and all(isinstance(item, str) for item in items):
        return head.path
    if items and all(isinstance(item, Mapping) and "name" in item for item in items):
        return f'[column["name"] for column in {head.path}]'
    return ""


def _fits(head: object, body: object) -> bool:
    """Say whether all rows of a table are lists as long as its head."""
    if not is_list(body):
        return False
    width = len(first_items(head))
    return all(is_list(row) and len(row) == width for row in first_items(body))


def ids_with_scores(parts: Sequence[PartOfResponse]) -> str:
    """Return the advice for a response with ids and scores in two lists of one length.

    "" if it does not have them.
    """
    for part in parts:
        lists = [inner for inner in part.inner() if _is_column(inner.value)]
        ids = _first_named(lists, NAMES_OF_IDS)
        scores = _first_named(lists, NAMES_OF_SCORES)
        if isinstance(part.value, tuple) and len(lists) == len(part.value) == 2:
            ids, scores = _told_apart(lists)
        if ids is not None and scores is not None and _length(ids) == _length(scores):
            zipped = f"list(zip({ids.path}, {scores.path}))"
            return f"it holds ids and scores side by side: return {zipped}"
    return ""


def _is_column(value: object) -> bool:
    """Say whether a value is a list of single values: texts, numbers and the like."""
    return is_list(value) and not any(map(is_collection, first_items(value)))


def _length(part: PartOfResponse) -> int:
    return len(part.value)  # type: ignore[arg-type]


def _first_named(
    columns: Sequence[PartOfResponse], names: Sequence[str]
) -> PartOfResponse | None:
    for column in columns:
        if column.name.lower() in names:
            return column
    return None


def _told_apart(
    columns: Sequence[PartOfResponse],
) -> tuple[PartOfResponse | None, PartOfResponse | None]:
    """Return (ids, scores) from two lists: the scores are floats.

    (None, None) if the lists are something else.
    """
    for ids, scores in (columns, columns[::-1]):
        are_ids = all(is_id(item) for item in first_items(ids.value))
        are_scores = all(isinstance(item, float) for item in first_items(scores.value))
        if are_ids and are_scores:
            return ids, scores
    return None, None
