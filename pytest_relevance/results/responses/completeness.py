"""Whether a response is marked as incomplete: a table of the fields in which engines report that.

An engine that times out, or loses a shard, answers with what it has. Such an answer must not be scored: a document that
is missing from it may have been left out by the failure and not by the ranking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

_MISSING = object()


@dataclass(frozen=True, slots=True)
class Sign:
    """A field by which an engine marks a response as incomplete: its path, and which values do so."""

    family: str
    path: tuple[str, ...]
    when: Callable[[Any], bool]
    meaning: str


def _is_set(value: object) -> bool:
    return bool(value) and not (isinstance(value, str) and value.lower() == "false")


def _is_false(value: object) -> bool:
    return value is False


def _is_positive(value: object) -> bool:
    return isinstance(value, (int, float)) and value > 0


def _is_error_status(value: object) -> bool:
    return isinstance(value, int) and value >= 400


def _has_any_set(value: object) -> bool:
    return any(map(_is_set, value.values())) if isinstance(value, Mapping) else _is_set(value)


def _lacks_some(counts: object) -> bool:
    """Whether fewer shards answered than there are. A shard that is down counts as neither successful nor failed."""
    total, successful = _at(counts, ("total",)), _at(counts, ("successful",))
    return isinstance(total, int) and isinstance(successful, int) and successful < total


_ELASTIC = "Elasticsearch or OpenSearch"

SIGNS: tuple[Sign, ...] = (
    Sign(_ELASTIC, ("timed_out",), _is_set, "the search timed out"),
    Sign(_ELASTIC, ("_shards", "failed"), _is_positive, "shards failed"),
    Sign(_ELASTIC, ("_shards",), _lacks_some, "shards did not answer"),
    Sign(_ELASTIC, ("_clusters", "skipped"), _is_positive, "clusters were skipped"),
    Sign(_ELASTIC, ("_clusters", "partial"), _is_positive, "clusters answered in part"),
    Sign(_ELASTIC, ("_clusters", "failed"), _is_positive, "clusters failed"),
    Sign(_ELASTIC, ("_clusters", "running"), _is_positive, "clusters were still searching"),
    Sign(_ELASTIC, ("terminated_early",), _is_set, "the search ended at terminate_after"),
    Sign(_ELASTIC, ("is_partial",), _is_set, "the search is still running, or failed in part"),
    Sign("Solr", ("responseHeader", "partialResults"), _is_set, "a limit or a failed shard cut the search off"),
    Sign("Solr", ("responseHeader", "status"), _is_positive, "the request failed"),
    Sign("Vespa", ("root", "coverage", "degraded"), _has_any_set, "not all documents were searched"),
    Sign("Vespa", ("root", "coverage", "full"), _is_false, "not all documents were searched"),
    Sign("Typesense", ("search_cutoff",), _is_set, "search_cutoff_ms cut the search off"),
    Sign("Algolia", ("timeoutHits",), _is_set, "the search timed out"),
    Sign("Meilisearch", ("degraded",), _is_set, "searchCutoffMs cut the search off"),
    Sign("Meilisearch", ("remoteErrors",), _is_set, "remote instances failed"),
    Sign("HTTP", ("status_code",), _is_error_status, "the request failed"),
    Sign("HTTP", ("status",), _is_error_status, "the request failed"),
)
"""The signs, from the engines' documentation, of a search that was cut off or only partly answered."""


_BY_NAME = {sign.path[0]: [other for other in SIGNS if other.path[0] == sign.path[0]] for sign in SIGNS}


def sign_of_part(response: object) -> tuple[Sign, object] | None:
    """The sign by which a response body, or a client's response object, is marked as incomplete, and its value."""
    first = response if isinstance(response, Mapping) else _BY_NAME
    for sign in (sign for name in first for sign in _BY_NAME.get(name, ())):
        value = _at(response, sign.path)
        if value is not _MISSING and sign.when(value):
            return sign, value
    return None


def _at(holder: object, path: tuple[str, ...]) -> object:
    """The value at a path of keys or attributes."""
    for name in path:
        holder = _inner(holder, name)
        if holder is _MISSING:
            break
    return holder


def _inner(holder: object, name: str) -> object:
    """A value by its key, or an attribute by its name, in Python's style too (`timeoutHits`, `timeout_hits`)."""
    if isinstance(holder, Mapping):
        return holder.get(name, _MISSING)
    for spelling in dict.fromkeys((name, re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower())):
        found = getattr(holder, spelling, _MISSING)
        if found is not _MISSING and not callable(found):
            return found
    return _MISSING
