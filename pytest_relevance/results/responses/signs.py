"""Signs of a response that is not whole: fields that say that the search failed or was
cut off.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

from pytest_relevance._text import shown
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.attributes import attribute, own_names
from pytest_relevance.results.responses.paths import as_shown, at_path, without_marks
from pytest_relevance.results.responses.values import has_dimensions


@dataclass(frozen=True, slots=True)
class Sign:
    """A field by which an engine marks a response as incomplete: its path, and which
    values do so.
    """

    family: str
    path: tuple[str, ...]
    when: Callable[[Any], bool]
    meaning: str


def is_set(value: object) -> bool:
    """Whether a flag is set, a count is not 0, or any of several flags is set. An array
    has several.
    """
    if isinstance(value, Mapping):
        return any(is_set(inner) for inner in value.values())
    if isinstance(value, str):
        return value.lower() not in ("", "false")
    if has_dimensions(value):
        return any(is_set(inner) for inner in _elements(value))
    try:
        return bool(value)
    except (TypeError, ValueError):  # a missing value of pandas
        return True


def _elements(array: Any) -> list[object]:
    """Return the elements of an array, a series or a frame."""
    values = attribute(array, "values")
    elements: object = (array if values is None else values).tolist()  # type: ignore[union-attr]
    return elements if isinstance(elements, list) else [elements]


def _is_unset(value: object) -> bool:
    """Whether a flag is there and says no."""
    is_flag = isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")
    return (is_flag and not value) or value in ("false", "False")


def _is_error_status(value: object) -> bool:
    """Whether a status is a number of HTTP from 400 on, or a word that says the
    same.
    """
    if isinstance(value, str):
        is_number = re.fullmatch("[45][0-9][0-9]", value) is not None
        return is_number or value.lower() in _FAILED_IN_WORDS
    return isinstance(value, Real) and float(value) >= 400


_FAILED_IN_WORDS = frozenset(
    ("error", "fail", "failed", "failure", "partial", "timeout", "timed_out")
)


def _lacks_some(counts: object) -> bool:
    """Whether fewer shards answered than there are. A shard that is down counts as
    neither successful nor failed.
    """
    total, successful = at_path(counts, ("total",)), at_path(counts, ("successful",))
    return isinstance(total, int) and isinstance(successful, int) and successful < total


def _warns_of_a_part(warnings: object) -> bool:
    """Whether a warning, or one of several, says that the results are not all."""
    if isinstance(warnings, str):
        return re.search(_OF_A_PART, warnings.lower()) is not None
    if isinstance(warnings, (list, tuple)):
        return any(_warns_of_a_part(warning) for warning in warnings)
    if isinstance(warnings, Mapping):
        return any(_warns_of_a_part(warning) for warning in warnings.values())
    return False


_OF_A_PART = "timed out|timeout limit|(partial|incomplete) (results?|response|answer)"


def _is_below_100(value: object) -> bool:
    return isinstance(value, Real) and float(value) < 100


_ELASTIC = "Elasticsearch or OpenSearch"
_AZURE = "Azure AI Search"
_RERANKER = "the semantic ranker did not rank all results"
_UNSEARCHED = "not all documents were searched"

SIGNS: tuple[Sign, ...] = (
    Sign(_ELASTIC, ("timed_out",), is_set, "the search timed out"),
    Sign(_ELASTIC, ("_shards", "failed"), is_set, "shards failed"),
    Sign(_ELASTIC, ("_shards",), _lacks_some, "shards did not answer"),
    Sign(_ELASTIC, ("_clusters", "skipped"), is_set, "clusters were skipped"),
    Sign(_ELASTIC, ("_clusters", "partial"), is_set, "clusters answered in part"),
    Sign(_ELASTIC, ("_clusters", "failed"), is_set, "clusters failed"),
    Sign(_ELASTIC, ("_clusters", "running"), is_set, "clusters were still searching"),
    Sign(
        _ELASTIC, ("terminated_early",), is_set, "the search ended at terminate_after"
    ),
    Sign(
        _ELASTIC,
        ("is_partial",),
        is_set,
        "the search is still running, or failed in part",
    ),
    Sign(
        "Solr",
        ("responseHeader", "partialResults"),
        is_set,
        "a limit or a failed shard cut the search off",
    ),
    Sign("Solr", ("responseHeader", "status"), is_set, "the request failed"),
    Sign("Vespa", ("root", "coverage", "degraded"), is_set, _UNSEARCHED),
    Sign("Vespa", ("root", "coverage", "full"), _is_unset, _UNSEARCHED),
    Sign(
        "Typesense", ("search_cutoff",), is_set, "search_cutoff_ms cut the search off"
    ),
    Sign("Algolia", ("timeoutHits",), is_set, "the search timed out"),
    Sign("Meilisearch", ("degraded",), is_set, "searchCutoffMs cut the search off"),
    Sign("Meilisearch", ("remoteErrors",), is_set, "remote instances failed"),
    Sign(_AZURE, ("@search.semanticPartialResponseReason",), is_set, _RERANKER),
    Sign(_AZURE, ("@search.coverage",), _is_below_100, _UNSEARCHED),
    Sign("HTTP", ("warnings",), _warns_of_a_part, "a part of the results is missing"),
    Sign("HTTP", ("warning",), _warns_of_a_part, "a part of the results is missing"),
    Sign("HTTP", ("status_code",), _is_error_status, "the request failed"),
    Sign("HTTP", ("statusCode",), _is_error_status, "the request failed"),
    Sign("HTTP", ("status",), _is_error_status, "the request failed"),
)
"""The signs, from the engines' documentation, of a search that was cut off or only
partly answered.
"""

# --- flags of a project's own API -----------------------------------------------------

_SAY_NO = frozenset(
    ("success", "issuccess", "succeeded", "ok", "complete", "iscomplete")
)
_SAY_YES = frozenset(
    ("partial", "ispartial", "partialresults", "incomplete", "incompleteresults")
)
"""Names of flags of a project's own API, in lower case and without marks: those that
are false, and those that are true, where the response is not whole.
"""


def refuse_partial(
    response: object, body: object, signs: Sequence[Sign] = SIGNS
) -> None:
    """Raise `UnreadableRanking` for a body, or a response object, that is marked as
    incomplete.

    `body`: what the message shows of it.
    """
    for sign in signs:
        if isinstance(response, Mapping) and sign.path[0] not in response:
            continue
        value = at_path(response, sign.path)
        if value is not None and sign.when(value):
            engine = f"{sign.family}: {sign.meaning}"
            raise _not_whole(".".join(sign.path), value, engine, body)
    for name in own_names(response):
        value = at_path(response, (name,))
        plain = without_marks(name)
        if plain in _SAY_NO and _is_unset(value):
            raise _not_whole(name, value, "the request failed", body)
        if plain in _SAY_YES and value is True:
            raise _not_whole(name, value, "a part of the results is missing", body)


def _not_whole(
    path: str, value: object, meaning: str, body: object
) -> reading.UnreadableRanking:
    says = f"{path} is {shown(as_shown(value))} ({meaning})"
    all_the_same = f"return its list of hits: {shown(as_shown(body), 300)}"
    return reading.UnreadableRanking(
        f"the response says that it is not whole: {says}; to score it all the same, {all_the_same}"
    )
