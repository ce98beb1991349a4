"""The signs by which engines mark a response as incomplete, which is refused.

An engine that times out, or loses a shard, answers with what it has: a document may be missing because of the failure
and not of the ranking.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from itertools import chain
from typing import Any, NamedTuple

from pytest_relevance._text import shown
from pytest_relevance.results.responses.problems import UnreadableRanking


class Sign(NamedTuple):
    """A field by which an engine marks a response as incomplete: its path, and which values do so."""

    family: str
    path: tuple[str, ...]
    when: Callable[[Any], bool]
    meaning: str


def _is_set(value: object) -> bool:
    """Whether a flag is set, a count is not 0, or any of several flags is set."""
    if isinstance(value, Mapping):
        return any(map(_is_set, value.values()))
    return bool(value) and not (isinstance(value, str) and value.lower() == "false")


def _is_false(value: object) -> bool:
    return value is False


def _is_error_status(value: object) -> bool:
    return isinstance(value, int) and value >= 400


def _lacks_some(counts: object) -> bool:
    """Whether fewer shards answered than there are. A shard that is down counts as neither successful nor failed."""
    total, successful = at_path(counts, ("total",)), at_path(counts, ("successful",))
    return isinstance(total, int) and isinstance(successful, int) and successful < total


_ELASTIC = "Elasticsearch or OpenSearch"

SIGNS: tuple[Sign, ...] = (
    Sign(_ELASTIC, ("timed_out",), _is_set, "the search timed out"),
    Sign(_ELASTIC, ("_shards", "failed"), _is_set, "shards failed"),
    Sign(_ELASTIC, ("_shards",), _lacks_some, "shards did not answer"),
    Sign(_ELASTIC, ("_clusters", "skipped"), _is_set, "clusters were skipped"),
    Sign(_ELASTIC, ("_clusters", "partial"), _is_set, "clusters answered in part"),
    Sign(_ELASTIC, ("_clusters", "failed"), _is_set, "clusters failed"),
    Sign(_ELASTIC, ("_clusters", "running"), _is_set, "clusters were still searching"),
    Sign(_ELASTIC, ("terminated_early",), _is_set, "the search ended at terminate_after"),
    Sign(_ELASTIC, ("is_partial",), _is_set, "the search is still running, or failed in part"),
    Sign("Solr", ("responseHeader", "partialResults"), _is_set, "a limit or a failed shard cut the search off"),
    Sign("Solr", ("responseHeader", "status"), _is_set, "the request failed"),
    Sign("Vespa", ("root", "coverage", "degraded"), _is_set, "not all documents were searched"),
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


def refuse_partial(response: object, body: object) -> None:
    """Raise `UnreadableRanking` for a response body, or a client's response object, that is marked as incomplete.

    `body` is what the message shows of it.
    """
    names = response if isinstance(response, Mapping) else _BY_NAME
    for sign in chain.from_iterable(_BY_NAME.get(name, ()) for name in names):
        value = at_path(response, sign.path)
        if sign.when(value):
            where = f"{'.'.join(sign.path)} is {shown(value)} ({sign.family}: {sign.meaning})"
            hits = shown(dict(body) if isinstance(body, Mapping) else body, 300)
            raise UnreadableRanking(
                f"the response says that it is not whole: {where}; to score it all the same, return its list of hits: "
                f"{hits}"
            )


def at_path(holder: object, path: Iterable[str]) -> object:
    """The value at a path of keys or attributes; None where there is none."""
    for name in path:
        holder = holder.get(name) if isinstance(holder, Mapping) else _attribute(holder, name)
    return holder


def _attribute(holder: object, name: str) -> object:
    """An attribute by its name, in Python's style too (`timeoutHits`, `timeout_hits`)."""
    for spelling in dict.fromkeys((name, re.sub("(?<=[a-z])(?=[A-Z])", "_", name).lower())):
        found = getattr(holder, spelling, None)
        if found is not None and not callable(found):
            return found
    return None
