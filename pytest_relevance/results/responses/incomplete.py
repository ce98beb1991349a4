"""Refuse responses that failed, are partial, or have fewer results than they count.

An engine that times out, or loses a shard, answers with the results that it has. A
request for 0 results gets a total and no hit. If such a response were scored, a good
ranking would fail, or a case that expects nothing would pass. So such a response is an
error. The message quotes the response, and says what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from pytest_relevance._text import shown
from pytest_relevance.results.responses.engines import ENGINES, Engine, is_set, is_unset
from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.values import (
    as_shown,
    at_path,
    own_names,
    without_marks,
)

# --- flags of a project's own API -----------------------------------------------------

_SAY_NO = frozenset(
    ("success", "issuccess", "succeeded", "ok", "complete", "iscomplete")
)
_SAY_YES = frozenset(
    ("partial", "ispartial", "partialresults", "incomplete", "incompleteresults")
)
"""Names of flags of a project's own API, as `without_marks` returns them.

Those of `_SAY_NO` are false, and those of `_SAY_YES` true, if a response is not whole.
"""


def refuse_partial(
    response: object, body: object, engines: Sequence[Engine] = ENGINES
) -> None:
    """Raise `UnreadableRanking` for a response that is marked as incomplete.

    `body`: what the message shows of the response.
    """
    for engine in engines:
        for sign in engine.signs:
            if isinstance(response, Mapping) and sign.path[0] not in response:
                continue
            value = at_path(response, sign.path)
            if value is not None and sign.when(value):
                meaning = f"{engine.name}: {sign.meaning}"
                raise _not_whole(".".join(sign.path), value, meaning, body)
    for name in own_names(response):
        value = at_path(response, (name,))
        plain = without_marks(name)
        if plain in _SAY_NO and is_unset(value):
            raise _not_whole(name, value, "the request failed", body)
        if plain in _SAY_YES and value is True:
            raise _not_whole(name, value, "a part of the results is missing", body)


def _not_whole(
    path: str, value: object, meaning: str, body: object
) -> UnreadableRanking:
    """Return the exception for a response that is marked as incomplete.

    `path`, `value`: the field with the mark.
    `meaning`: what the mark means, in words.
    `body`: what the message shows of the response.
    """
    says = f"{path} is {shown(as_shown(value))} ({meaning})"
    all_the_same = f"return its list of hits: {shown(as_shown(body), 300)}"
    return UnreadableRanking(
        f"the response says that it is not complete: {says}; to score it anyway, "
        f"{all_the_same}"
    )


# --- the total ------------------------------------------------------------------------

_TOTALS = """
    total totalcount totalhits totalresults totalfound totalmatches totalsize
    totalitems totalelements totaldocs totaldocuments totalrecords
    totalnumberofresults totalnumresults estimatedtotalhits count found matched
    matches nbhits hitcount resultcount numfound numhits numresults odatacount
"""

TOTALS = frozenset(_TOTALS.split())
"""Names of the number of all documents that match, in lower case and without marks."""

HOLDERS_OF_TOTALS = (
    (),
    ("hits",),
    ("response",),
    ("root", "fields"),
    ("meta",),
    ("_meta",),
    ("metadata",),
    ("info",),
    ("page",),
    ("paging",),
    ("pagination",),
    ("pageInfo",),
    ("searchInformation",),
)
"""Where a total is: beside the results, or in what describes them."""


def _paging() -> dict[str, str]:
    """Return {path of a total: the parameters that limit results}.

    For example, {"hitstotal": "size and from of Elasticsearch or OpenSearch"}. The
    paths have no dots, because `without_marks` has made them.
    """
    paging = {}
    for engine in ENGINES:
        for total, parameters in engine.paging.items():
            paging[without_marks(total)] = f"{parameters} of {engine.name}"
    return paging


_PAGING = _paging()


@dataclass(frozen=True, slots=True)
class Total:
    """How many documents match a query, and the path where the response says so."""

    path: str
    value: float


def find_total(response: object) -> Total | None:
    """Return the total that a response names; None if it names none.

    Of several totals, the first that is above 0 is returned, or else the first. The
    others may count what the response holds.
    """
    totals = _totals_in(response)
    for total in totals:
        if total.value > 0:
            return total
    return totals[0] if totals else None


def _totals_in(response: object) -> list[Total]:
    """Return the totals that a response names, at all places where one may be."""
    totals = []
    for path in HOLDERS_OF_TOTALS:
        holder = at_path(response, path)
        if holder is None or isinstance(holder, (list, tuple)):
            continue
        for name in _names_of_totals(holder):
            value = _number_of(at_path(holder, (name,)))
            if value is not None:
                totals.append(Total(path=".".join([*path, str(name)]), value=value))
    return totals


_OF_PROPERTIES = ("total", "total_count", "total_hits", "count", "found", "num_found")
"""Usual names of properties that give a total. `own_names` has no properties."""


def _names_of_totals(holder: object) -> list[str]:
    """Return the names of the fields and properties of an object that are totals."""
    names = [name for name in own_names(holder) if without_marks(name) in TOTALS]
    if isinstance(holder, Mapping):
        return names
    for name in _OF_PROPERTIES:
        if isinstance(getattr(type(holder), name, None), property):
            names.append(name)
    return names


def _number_of(total: object) -> float | None:
    """Return a total as a number; None for anything else.

    A total may be text. That of Elasticsearch is in a mapping, beside its relation.
    """
    if isinstance(total, Mapping):
        total = total.get("value")
    if isinstance(total, str) and total.isdecimal():
        return int(total)
    if isinstance(total, Real) and not isinstance(total, bool):
        return float(total)
    return None


# --- responses without a result -------------------------------------------------------


def refuse_without_results(response: object, options: ReadOptions) -> None:
    """Raise `UnreadableRanking` for an empty response that is not simply empty.

    It is refused if its total is above 0, if it has suggestions or groups, or if it has
    facets and no total. If the case looks at the response itself, suggestions, groups
    and such facets are allowed, whatever the total is.

    `response`: a response without a result.
    """
    total = find_total(response)
    elsewhere = _holder_of_entries(response, with_facets=total is None)
    if elsewhere and options.expects_response:
        return
    if total is not None and total.value > 0:
        raise _counted_without_results(response, total)
    if elsewhere:
        raise _only_in(response, elsewhere)


def _holder_of_entries(response: object, *, with_facets: bool) -> str:
    """Return the name of the field with suggestions or groups; "" if there are none.

    `with_facets`: whether facets count too. If there is a total, they should not: they
    may count what a filter leaves out.
    """
    for name in (*SUGGESTIONS, *GROUPS):
        if _holds_entries(at_path(response, (name,))):
            return name
    for name in FACETS:
        if with_facets and _counts_some(at_path(response, (name,))):
            return name
    return ""


def _counted_without_results(response: object, total: Total) -> UnreadableRanking:
    """Return the exception for a response with a total above 0, and without results."""
    default = "its size or limit, and its offset or page"
    parameters = _PAGING.get(without_marks(total.path), default)
    return UnreadableRanking(
        f"the response has no results, and says that there are some: {total.path} is "
        f"{total.value:g}. Ask for the first results ({parameters}). If the search "
        "should count as one that found nothing, return []: "
        f"{shown(as_shown(response), 300)}"
    )


SUGGESTIONS = ("suggest", "suggestions", "spellcheck", "didYouMean")
GROUPS = ("grouped", "groups", "grouped_hits", "groupedHits")
FACETS = ("aggregations", "aggs", "facets", "facet_counts", "facetDistribution")
"""Where a response has suggestions, groups of results, and counts of results."""

_OF_A_WORD = ("options", "suggestions")
"""Where the suggestions for one word of a query are. They may be empty."""


def _holds_entries(value: object) -> bool:
    """Say whether a value has suggestions or groups: a text, or an entry in a list.

    A word of the query with an empty list of suggestions is not an entry.
    """
    if isinstance(value, str):
        return value != ""
    if isinstance(value, Mapping):
        for name in _OF_A_WORD:
            if name in value:
                return _holds_entries(value[name])
        for inner in value.values():
            if isinstance(inner, (Mapping, list, tuple)) and _holds_entries(inner):
                return True
        return False
    if isinstance(value, (list, tuple)):
        return any(not _is_word(entry) or _holds_entries(entry) for entry in value)
    return False


def _is_word(entry: object) -> bool:
    """Say whether an entry is a word of a query with its list of suggestions."""
    return isinstance(entry, Mapping) and any(name in entry for name in _OF_A_WORD)


def _counts_some(value: object) -> bool:
    """Say whether a value has a number above 0, in it or in a list or mapping in it."""
    if isinstance(value, Mapping):
        return any(_counts_some(inner) for inner in value.values())
    if isinstance(value, (list, tuple)):
        return any(_counts_some(inner) for inner in value)
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and float(value) > 0  # type: ignore[arg-type]


def _only_in(response: object, name: str) -> UnreadableRanking:
    """Return the exception for a response whose entries are all in another field."""
    entries = shown(as_shown(at_path(response, (name,))))
    return UnreadableRanking(
        f"the response has no results, and something else in {name}: {entries}; "
        "return the results in it as one list, best first, or return [] if they "
        f"should not count: {shown(as_shown(response), 300)}"
    )


# --- responses that are refused -------------------------------------------------------

ERRORS = ("error", "errors")
"""Keys of the bodies that engines return instead of hits, or beside some of them."""

HOLDERS_OF_ERRORS = ((), ("root",), ("hits",), ("response",), ("result",), ("data",))
"""Where an error is: beside the results, or in what holds them."""


def refuse_failure(response: object) -> None:
    """Raise `UnreadableRanking` for a response with an error, even beside results."""
    for path in HOLDERS_OF_ERRORS:
        holder = at_path(response, path)
        for name in ERRORS:
            error = at_path(holder, (name,))
            if is_set(error):
                raise error_in_response(response, ".".join([*path, name]), error)


def error_in_response(response: object, path: str, error: object) -> UnreadableRanking:
    """Return the exception for a response with an error. The caller raises it.

    `path`: where the error is in the response.
    """
    says = f"{path} is {shown(as_shown(error), 300)}"
    return UnreadableRanking(
        f"search returned an error: {says}; the response is {shown(as_shown(response), 200)}"
    )


def refuse_incomplete(body: Mapping[Any, Any], holder: object = None) -> None:
    """Raise `UnreadableRanking` for a body with an error, or marked as incomplete.

    `holder`: the response object that has the body, if there is one.
    """
    refuse_failure(body)
    if holder is not None:
        refuse_partial(holder, body)
    refuse_partial(body, body)
    for name in ("hits", "response"):
        inner = body.get(name)
        if isinstance(inner, Mapping):
            refuse_partial(inner, body)


def whole_results(
    results: Any,
    response: object,
    options: ReadOptions,
    engines: Sequence[Engine] = ENGINES,
) -> Sequence[object]:
    """Return the results, or [] for None, if the response is whole.

    Raises `UnreadableRanking` if the response has an error, or says that there are more
    results.
    """
    refuse_failure(response)
    refuse_partial(response, response, engines)
    if not results:
        refuse_without_results(response, options)
    return results or []
