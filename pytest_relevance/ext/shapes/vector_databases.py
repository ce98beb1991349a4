"""Read what Qdrant, Chroma, LangChain and LlamaIndex return.

A result may have its own id, and another id in its payload or metadata. If the two
differ, `id_field` has to name one of them. But if a framework has generated the own id,
the other one counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from pytest_relevance._text import shown
from pytest_relevance.results.responses.errors import ONE_QUERY, BadResult, unreadable
from pytest_relevance.results.responses.fields import ID_NAMES
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.shapes import (
    ResponseShape,
    attributes_of,
    of_type,
)

# --- ids in nested mappings -----------------------------------------------------------


def _agreed_id(
    own: object, nested: object, holder: str, *, prefers_nested: bool = False
) -> object:
    """Return the id of a result: the id in a nested mapping, or else its own.

    `own`: the own id; None if it has none.
    `nested`, `holder`: the nested mapping, and the name of its field.
    `prefers_nested`: whether the id in the mapping counts if the two differ. Otherwise
        `BadResult` is raised.
    """
    name = _name_of_id(nested)
    if name is None or not isinstance(nested, Mapping):
        return own
    inner = nested[name]
    if own is None or prefers_nested or str(own) == str(inner):
        return inner
    path = f"{holder}.{name}"
    raise BadResult(
        f"has two ids, id {shown(own)} and {path} {shown(inner)}; "
        f"write id_field: id or id_field: {path} in the case file"
    )


def _name_of_id(nested: object) -> str | None:
    """Return the key of the id in a mapping of metadata; None without one."""
    if isinstance(nested, Mapping):
        for name in ID_NAMES:
            if isinstance(nested.get(name), (str, int)):
                return name
    return None


def _is_generated(own: object) -> bool:
    """Say whether an id is a UUID, as frameworks give documents that have no id."""
    try:
        UUID(str(own))
    except ValueError:
        return False
    return True


# --- Qdrant ---------------------------------------------------------------------------

_is_point = of_type("qdrant_client.http", "ScoredPoint", "Record")

QDRANT = ResponseShape(
    name="qdrant",
    fits=of_type("qdrant_client.http", "QueryResponse"),
    results=lambda response, _: response.points or [],
    fields=attributes_of(_is_point, "id", "score", "payload"),
    id_of=lambda fields: _agreed_id(fields["id"], fields.get("payload"), "payload"),
)

# --- Chroma ---------------------------------------------------------------------------

_COLUMNS_OF_CHROMA = {
    "distances": "score",
    "scores": "score",
    "metadatas": "metadata",
    "documents": "document",
}
"""The columns of a response of Chroma, and the fields of a result that they become."""


def is_of_chroma(response: object) -> bool:
    """Say whether a response is a dict of Chroma that has a list of ids for each query.

    Ids of Chroma are text. The method `get` of Chroma returns a single list of ids in
    no order, which is not such a dict.
    """
    if not isinstance(response, Mapping):
        return False
    queries = response.get("ids")
    if not isinstance(queries, list) or response.keys().isdisjoint(_COLUMNS_OF_CHROMA):
        return False
    for ids in queries:
        if not isinstance(ids, list):
            return False
        if not all(isinstance(id_, str) for id_ in ids):
            return False
    return True


def read_chroma(
    response: Mapping[str, Any], options: ReadOptions
) -> Sequence[Mapping[str, object]]:
    """Return the results of one query in a dict of Chroma, as mappings of fields.

    Raises `UnreadableRanking` if there is not exactly one query, or if the lists of the
    query have different lengths.
    """
    queries = response["ids"]
    if len(queries) != 1:
        returned = f"the results of {len(queries)} queries"
        raise unreadable(returned, dict(response), ONE_QUERY)
    columns: dict[str, list[object]] = {"id": queries[0]}
    for name, field in _COLUMNS_OF_CHROMA.items():
        values = response.get(name)  # None for what was not asked for
        if values and values[0] and field not in columns:
            columns[field] = [_in_order(value) for value in values[0]]
    if any(len(values) != len(queries[0]) for values in columns.values()):
        advice = "return as many of each as of ids"
        raise unreadable("columns of different lengths", response, advice)
    rows = zip(*columns.values(), strict=True)
    return [dict(zip(columns, row, strict=True)) for row in rows]


def _in_order(value: object) -> object:
    """Return the metadata of a document sorted by name; any other value as it is.

    Chroma returns metadata in another order each time.
    """
    return dict(sorted(value.items())) if isinstance(value, dict) else value


CHROMA = ResponseShape(name="chroma", fits=is_of_chroma, results=read_chroma)

# --- LangChain ------------------------------------------------------------------------

_is_langchain = of_type("langchain_core", "Document")


def _id_in_metadata(fields: Mapping[str, Any]) -> object:
    """Return the id in the metadata, or else the document's own id.

    Raises `BadResult` if they differ, and the own id was not generated.
    """
    own = fields.get("id")
    prefers_nested = _is_generated(own)
    return _agreed_id(
        own, fields["metadata"], "metadata", prefers_nested=prefers_nested
    )


LANGCHAIN = ResponseShape(
    name="langchain",
    fields=attributes_of(_is_langchain, "id", "metadata", "page_content"),
    id_of=_id_in_metadata,
)

# --- LlamaIndex -----------------------------------------------------------------------

_is_node = of_type("llama_index", "NodeWithScore", "BaseNode")


def _fields_of_node(result: Any) -> Mapping[str, object] | None:
    """Return the fields of a node; None for any other object.

    `ref_doc_id` is the id of the document that the node is a part of.
    """
    if not _is_node(result):
        return None
    node = getattr(result, "node", result)
    return {
        "id": node.node_id,
        "id_": node.node_id,
        "node_id": node.node_id,
        "text": node.get_content(),  # a plain `Node` has no attribute `text`
        "ref_doc_id": getattr(node, "ref_doc_id", None),
        "score": getattr(result, "score", None),
        "metadata": node.metadata,
    }


def _id_of_node(fields: Mapping[str, Any]) -> object:
    """Return the id of a node.

    Raises `BadResult` for a part of a document that has only a generated id.
    """
    own, source = fields["id"], fields["ref_doc_id"]
    has_id = not _is_generated(own) or _name_of_id(fields["metadata"]) is not None
    if source is None or has_id:
        return _id_in_metadata(fields)
    raise BadResult(
        f"is a part of the document {shown(source)} and has a generated id, {shown(own)}; "
        "write id_field: ref_doc_id or id_field: node_id in the case file"
    )


LLAMA_INDEX = ResponseShape(
    name="llama-index", fields=_fields_of_node, id_of=_id_of_node
)
