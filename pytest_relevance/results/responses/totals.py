"""Responses without a result that say that there are some: by a total, or by groups or
suggestions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real

from pytest_relevance._text import shown
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import own_names
from pytest_relevance.results.responses.paths import as_shown, at_path, without_marks

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
"""Where a total stands: beside the results, or in what describes them."""

PAGING = {
    "hitstotal": "size and from of Elasticsearch or OpenSearch",
    "responsenumfound": "rows and start of Solr",
    "found": "per_page and page of Typesense",
    "estimatedtotalhits": "limit and offset of Meilisearch",
    "totalhits": "hitsPerPage and page of Meilisearch",
    "nbhits": "hitsPerPage and page of Algolia",
    "rootfieldstotalcount": "hits and offset of Vespa",
    "odatacount": "top and skip of Azure AI Search",
}
"""What decides how many results an engine returns, by the path of its total, in lower
case and without marks.
"""


@dataclass(frozen=True, slots=True)
class Total:
    """How many documents match, and where the response says so."""

    path: str
    value: float


def find_total(response: object) -> Total | None:
    """Find the number of documents that match, in the response of an engine or of a
    project's own API.

    If a response has several, the first that is not 0 counts: the others may count what
    it holds.
    """
    totals = _totals_in(response)
    for total in totals:
        if total.value > 0:
            return total
    return totals[0] if totals else None


def _totals_in(response: object) -> list[Total]:
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
"""Usual names of properties that give a total: they are no fields of an object."""


def _names_of_totals(holder: object) -> list[str]:
    """Return the names of the fields and properties of a mapping or an object that may
    be totals.
    """
    names = [name for name in own_names(holder) if without_marks(name) in TOTALS]
    if isinstance(holder, Mapping):
        return names
    for name in _OF_PROPERTIES:
        if isinstance(getattr(type(holder), name, None), property):
            names.append(name)
    return names


def _number_of(total: object) -> float | None:
    """Return a total as a number. That of Elasticsearch stands beside its relation;
    others may be text.
    """
    if isinstance(total, Mapping):
        total = total.get("value")
    if isinstance(total, str) and total.isdecimal():
        return int(total)
    if isinstance(total, Real) and not isinstance(total, bool):
        return float(total)
    return None


# --- responses without a result -------------------------------------------------------


def refuse_without_results(response: object, *, expects_response: bool) -> None:
    """Raise `UnreadableRanking` for a response without a result that says that there
    are some.

    `expects_response`: the case looks at the response itself, so it may have
    suggestions or groups.
    """
    total = find_total(response)
    elsewhere = _holder_of_entries(response, with_facets=total is None)
    if elsewhere and expects_response:
        return
    if total is not None and total.value > 0:
        raise _counted_without_results(response, total)
    if elsewhere:
        raise _only_in(response, elsewhere)


def _holder_of_entries(response: object, *, with_facets: bool) -> str:
    """Return the name of the field with suggestions or groups; empty if there are none.

    Facets count only if there is no total: they may count what a filter leaves out.
    """
    for name in (*SUGGESTIONS, *GROUPS):
        if _holds_entries(at_path(response, (name,))):
            return name
    for name in FACETS:
        if with_facets and _counts_some(at_path(response, (name,))):
            return name
    return ""


def _counted_without_results(
    response: object, total: Total
) -> reading.UnreadableRanking:
    default = "its size or limit, and its offset or page"
    parameters = PAGING.get(without_marks(total.path), default)
    return reading.UnreadableRanking(
        f"the response says that there are results, and has none: {total.path} is {total.value:g}; ask for the "
        f"first results ({parameters}), or return [] if they are to count as nothing: {shown(as_shown(response), 300)}"
    )


SUGGESTIONS = ("suggest", "suggestions", "spellcheck", "didYouMean")
GROUPS = ("grouped", "groups", "grouped_hits", "groupedHits")
FACETS = ("aggregations", "aggs", "facets", "facet_counts", "facetDistribution")
"""Where a response has suggestions, groups of results, and counts of results."""

_OF_A_WORD = ("options", "suggestions")
"""Where the suggestions for one word of a query stand. Engines list words that have
none, too.
"""


def _holds_entries(value: object) -> bool:
    """Whether suggestions or groups have an entry."""
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
    """Whether an entry is a word of a query, with a list of suggestions."""
    return isinstance(entry, Mapping) and any(name in entry for name in _OF_A_WORD)


def _counts_some(value: object) -> bool:
    """Whether facets count a document."""
    if isinstance(value, Mapping):
        return any(_counts_some(inner) for inner in value.values())
    if isinstance(value, (list, tuple)):
        return any(_counts_some(inner) for inner in value)
    is_number = isinstance(value, Real) and not isinstance(value, bool)
    return is_number and float(value) > 0  # type: ignore[arg-type]


def _only_in(response: object, name: str) -> reading.UnreadableRanking:
    entries = shown(as_shown(at_path(response, (name,))))
    return reading.UnreadableRanking(
        f"the response has no results, and something else in {name}: {entries}; return the results that it holds as "
        f"one list, best first, or return [] if they are to count as nothing: {shown(as_shown(response), 300)}"
    )
