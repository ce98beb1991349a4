"""Where the response body of a search server keeps its hits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance.results.responses.incomplete import at_path

TEXTS = (str, bytes, bytearray, memoryview)

HITS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Elasticsearch or OpenSearch", ("hits", "hits")),
    ("Algolia, Meilisearch or Typesense", ("hits",)),
    ("Solr", ("response", "docs")),
    ("Vespa", ("root", "children")),
)
"""Where a response body keeps its hits, by engine; the first path that leads to a list is taken."""


def hits_in(body: object) -> Sequence[object] | None:
    """Return the hits of a response body; None for anything else."""
    for _, path in HITS:
        found = at_path(body, path)
        if is_list(found):
            return found  # type: ignore[return-value]
    if not isinstance(body, Mapping):
        return None
    if is_list(body.get("value")) and _has_marks(body, ("@odata.", "@search.")):
        return body["value"]  # type: ignore[no-any-return]
    if is_list(body.get("results")) and {"total_results", "warning"} <= body.keys():
        return body["results"]  # type: ignore[no-any-return]
    return None


def _has_marks(body: Mapping[object, object], marks: tuple[str, ...]) -> bool:
    """Whether a key of a body, or of its first hit, begins as those of Azure AI Search do."""
    names = [*body]
    for hit in list(body["value"])[:1]:  # type: ignore[call-overload]
        names += [*hit] if isinstance(hit, Mapping) else []
    return any(str(name).startswith(marks) for name in names)


def is_list(value: object) -> bool:
    """Whether a value is a list, a tuple or another sequence, and no text."""
    return isinstance(value, Sequence) and not isinstance(value, TEXTS)
