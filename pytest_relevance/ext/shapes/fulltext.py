"""Read what Python libraries for full text return: bm25s, tantivy, Xapian.

bm25s returns `Results` of documents and scores, each an array of shape (queries, k).
The documents are row numbers, or the entries of a corpus if there is one. If a query
matches fewer than k documents, documents of score 0 are added.

tantivy returns addresses, which only the searcher turns into documents. Every stored
field of a document is a list.

A document of Xapian has no fields. It has data, which are bytes of the application, and
terms. By convention its id is the term with the prefix Q. The number that Xapian gives
a document is internal to the index, and is never taken for an id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from pytest_relevance.ext.shapes.vector_arrays import (
    INTEGER,
    element_kind,
    of_one_query,
    with_scores,
)
from pytest_relevance.results.responses.errors import BadResult, read_each, unreadable
from pytest_relevance.results.responses.fields import ID_NAMES
from pytest_relevance.results.responses.labels import documents_of
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.shapes import ResponseShape, of_type, refusing
from pytest_relevance.results.responses.values import has_attribute, is_score

# --- bm25s ----------------------------------------------------------------------------


def _read_bm25s(results: Any, options: ReadOptions) -> Sequence[object]:
    """Return the documents of one query with their scores.

    Documents of score 0 at the end do not match and are left out. Raises
    `UnreadableRanking` if the documents are not sorted by score.
    """
    documents = of_one_query(results.documents, results)
    scores = of_one_query(results.scores, results)
    if scores != sorted(scores, reverse=True):
        advice = "call retrieve() with sorted=True, the default"
        raise unreadable("Results of bm25s in no order", results, advice)
    while scores and scores[-1] == 0:
        scores.pop()
    documents = documents[: len(scores)]
    if element_kind(results.documents) == INTEGER:
        documents = documents_of(documents, options, results)
    return with_scores(documents, scores)


BM25S = ResponseShape(
    name="bm25s", fits=of_type("bm25s", "Results"), results=_read_bm25s
)

# --- tantivy --------------------------------------------------------------------------

_is_searcher = of_type("tantivy", "Searcher")
_is_tantivy_document = of_type("tantivy", "Document")


def _is_pair_of_tantivy(response: object) -> bool:
    """Say whether a response is (searcher, result) or (searcher, hits) of tantivy."""
    if not isinstance(response, tuple) or len(response) != 2:
        return False
    searcher, result = response
    has_hits = isinstance(result, list) or has_attribute(result, "hits")
    return has_hits and _is_searcher(searcher)


def _read_pair_of_tantivy(
    pair: tuple[Any, Any], options: ReadOptions
) -> Sequence[object]:
    """Return (document, score) for each hit. The score is None if a hit has none.

    The documents are read from the index, and the latency includes this time.
    """
    searcher, result = pair
    rows = []
    for hit in getattr(result, "hits", result):
        score, address = hit if isinstance(hit, tuple) else (None, hit)
        rows.append((searcher.doc(address), score if is_score(score) else None))
    return rows


def _fields_of_tantivy(document: Any) -> Mapping[str, object] | None:
    """Return the stored fields of a document; None for any other object.

    A field with one value has that value instead of a list.
    """
    if not _is_tantivy_document(document):
        return None
    fields = {}
    for name, values in document.to_dict().items():
        fields[name] = values[0] if len(values) == 1 else values
    return fields


TANTIVY = ResponseShape(
    name="tantivy",
    fits=_is_pair_of_tantivy,
    results=_read_pair_of_tantivy,
    fields=_fields_of_tantivy,
)
TANTIVY_RESULT = ResponseShape(
    name="tantivy-result",
    fits=of_type("tantivy", "SearchResult"),
    results=refusing(
        "a SearchResult of tantivy, whose hits are addresses of documents, not ids",
        "return (searcher, result), or the documents: "
        "[searcher.doc(address) for _, address in result.hits]",
    ),
)

# --- Xapian ---------------------------------------------------------------------------

_is_of_xapian = of_type("xapian", "MSetItem", "Document")


def _read_xapian(mset: Any, options: ReadOptions) -> Sequence[object]:
    """Return the fields of each item of an MSet."""
    items = list(mset)
    return read_each(_fields_of_item, items, items)


def _fields_of_xapian(result: Any) -> Mapping[str, object] | None:
    return _fields_of_item(result) if _is_of_xapian(result) else None


def _fields_of_item(item: Any) -> Mapping[str, object]:
    """Return the fields of an item of an MSet, or of a document.

    The fields are

    - the members of the data, if this is a JSON object; `data`, if it is one word
    - `Q`, the only term with the prefix Q, without the prefix
    - `score`

    The id is a field in the data, or else `Q` or `data`. If `Q` and `data` differ,
    neither is the id: the case file has to name one with `id_field`. Raises `BadResult`
    for a document without any of these.
    """
    document = getattr(item, "document", item)
    fields = dict(_fields_in_data(document.get_data()))
    terms = _terms_with_q(document)
    if len(terms) == 1 and terms[0]:
        fields["Q"] = terms[0]
    if not fields:
        raise BadResult(
            f"is document {document.get_docid()} of Xapian, a number that is internal to "
            "the index, and has no id in its data or terms; store the id in the data "
            '(set_data), or as a term ("Q" before the id)'
        )
    texts = {fields[name] for name in ("data", "Q") if name in fields}
    if len(texts) == 1 and fields.keys().isdisjoint(ID_NAMES):
        fields["id"] = texts.pop()
    if hasattr(item, "weight"):
        fields["score"] = item.weight
    return fields


def _terms_with_q(document: Any) -> list[str]:
    """Return the terms of a document that have the prefix Q, without the prefix.

    A document may have many terms. They are sorted, so the terms after Q are not read.
    """
    terms = []
    for entry in takewhile(lambda entry: entry.term < b"R", document.termlist()):
        if entry.term.startswith(b"Q"):
            terms.append(entry.term[1:].decode(errors="replace"))
    return terms


def _fields_in_data(data: bytes) -> Mapping[str, object]:
    """Return the fields in the data of a document: those of a JSON object, or `data`.

    `data` is the text of data that is one word. Other data has no fields: {}.
    """
    try:
        text = data.decode()
        parsed = json.loads(text) if text.lstrip().startswith("{") else None
    except ValueError:  # compressed or pickled, or no JSON
        return {}
    if isinstance(parsed, dict):
        return parsed
    is_word = text != "" and not any(character.isspace() for character in text)
    return {"data": text} if is_word else {}


XAPIAN = ResponseShape(
    name="xapian",
    fits=of_type("xapian", "MSet"),
    results=_read_xapian,
    fields=_fields_of_xapian,
)
