"""What the libraries return that search an index within the process: tantivy and Xapian.

tantivy's hits are addresses, which only the searcher turns into documents, and every stored field of a document is a
list. A document of Xapian has no fields, but data (bytes of the application's own) and terms: by convention its id is
the term with the prefix Q. The number that Xapian gives a document is internal to the index and never taken for an id.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from pytest_relevance.results.responses import rows
from pytest_relevance.results.responses.fields import ID_NAMES, ReadOptions
from pytest_relevance.results.responses.problems import BadResult, instance_of, read_each, unreadable

_WITH_SEARCHER = "return (searcher, result), or the documents: [searcher.doc(address) for _, address in result.hits]"


is_tantivy_result = instance_of("tantivy", "SearchResult")
_is_searcher = instance_of("tantivy", "Searcher")


def refuse_tantivy_result(result: Any, _: ReadOptions) -> Sequence[object]:
    """Raise `UnreadableRanking`: the hits of a result are addresses of documents."""
    what = "a SearchResult of tantivy, whose hits are addresses of documents, not ids"
    raise unreadable(what, result, _WITH_SEARCHER)


def is_tantivy_pair(response: object) -> bool:
    """Whether a response is a searcher of tantivy together with what it found."""
    if not isinstance(response, tuple) or len(response) != 2 or not _is_searcher(response[0]):
        return False
    return isinstance(response[1], list) or is_tantivy_result(response[1])


def of_tantivy_pair(pair: tuple[Any, Any], _: ReadOptions) -> Sequence[object]:
    """The (document, score) pairs of a searcher and its result, the hits of the result, or their addresses.

    The documents are read from the index here, which is part of the search's time.
    """
    searcher, result = pair
    hits = getattr(result, "hits", result)
    pairs = [hit if isinstance(hit, tuple) else (None, hit) for hit in hits]
    return [(searcher.doc(address), score if rows.is_score(score) else None) for score, address in pairs]


def of_tantivy_document(document: Any) -> Mapping[str, object]:
    """The stored fields of a document of tantivy; a field with one value is that value."""
    fields: Mapping[str, list[object]] = document.to_dict()
    return {name: values[0] if len(values) == 1 else values for name, values in fields.items()}


def refuse_tantivy_part(part: Any) -> Mapping[str, object]:
    """Raise `BadResult`: an address is not an id."""
    name = type(part).__name__
    what = "has the address of a document in an index" if name == "DocAddress" else f"is the {name}"
    raise BadResult(f"{what} of tantivy, not an id; {_WITH_SEARCHER}")


def of_mset(mset: Any, _: ReadOptions) -> Sequence[object]:
    """The fields of the items of an MSet. Raises `UnreadableRanking` for an item without an id."""
    items = list(mset)
    return read_each(of_xapian_item, items, items)


def of_xapian_item(item: Any) -> Mapping[str, object]:
    """The fields of an item of an MSet, or of a document of Xapian.

    They are those of the document's data, where it is JSON; `data`, where it is a word (an id stored as it is); `Q`,
    the term with the prefix Q, without it; and `score`. The id is the data's own, or else that of `Q` or of `data`. Of
    two that differ none is the id, so that the case file has to name one with `id_field`. Raises `BadResult` for a
    document without any of them.
    """
    document = getattr(item, "document", item)
    fields = dict(_xapian_data(document.get_data()))
    if (term := _xapian_id_term(document)) is not None:
        fields["Q"] = term
    texts = {fields[name] for name in ("data", "Q") if name in fields}
    if not fields:
        raise BadResult(
            f"is document {document.get_docid()} of Xapian, a number that is internal to the index, and has no id in "
            'its data or terms; store the id in the data (set_data), or as a term ("Q" before the id)'
        )
    if len(texts) == 1 and fields.keys().isdisjoint(ID_NAMES):
        fields["id"] = texts.pop()
    if hasattr(item, "weight"):
        fields["score"] = item.weight
    return fields


def _xapian_data(data: bytes) -> Mapping[str, object]:
    """The fields of a document's data: those of a JSON object, or the data itself where it is a word."""
    try:
        text = data.decode()
    except UnicodeDecodeError:  # compressed or pickled
        return {}
    if text.lstrip().startswith("{"):
        try:
            found = json.loads(text)
        except ValueError:
            return {}
        return found if isinstance(found, dict) else {}
    return {"data": text} if text and not any(map(str.isspace, text)) else {}


def _xapian_id_term(document: Any) -> str | None:
    """The term with the prefix Q, without it; None where there is none, or several."""
    until_r = takewhile(lambda item: item.term < b"R", document.termlist())  # terms are sorted, and may be many
    found = [item.term[1:].decode(errors="replace") for item in until_r if item.term.startswith(b"Q")]
    return found[0] if len(found) == 1 and found[0] else None
