"""What the columns of tables are called: one table of spellings, for files and for DataFrames alike.

Case, spaces, `-`, `_` and `.` do not matter. A new spelling is a word in `SPELLINGS`; the preferred one comes first.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

SPELLINGS: Mapping[str, tuple[str, ...]] = {
    "query_id": ("query_id", "qid", "topic_id"),
    "query": (
        "query",
        "query_text",
        "query_string",
        "search_query",
        "search_term",
        "keywords",
        "topic",
        "queryEntry.query",
    ),
    "document": (
        *("doc_id", "document_id", "docno", "document", "doc", "did", "corpus_id", "product_id", "item_id"),
        *("object_id", "sku", "uri", "url", "queryEntry.targets.uri"),
    ),
    "grade": (
        *("grade", "rating", "relevance", "label", "rel", "judgment", "judgement", "relevance_grade", "esci_label"),
        *("queryEntry.targets.score", "gain", "score"),
    ),
    "rater": ("rater", "rater_id", "judge", "judge_id", "annotator", "annotator_id", "assessor", "worker", "worker_id"),
    "title": ("title", "name", "product_title", "product_name", "doc_title", "document_title"),
    "rank": ("rank", "position", "doc_position"),
    "score": ("score", "sim", "similarity"),
    "weight": ("weight", "frequency", "volume"),
    "note": ("information_need", "note", "notes", "description", "narrative"),
}


BEIR_DOCUMENT = "corpusid"
"""The column of documents in BEIR's tables, folded."""


def folded(name: object) -> str:
    """A column's name as spellings are compared."""
    return re.sub(r"[\s._-]", "", str(name)).lower()


_FOLDED = {what: tuple(dict.fromkeys(map(folded, spellings))) for what, spellings in SPELLINGS.items()}


def find_columns(names: Iterable[object], wanted: Iterable[str]) -> dict[str, int]:
    """Find the number of the column for each of `wanted`, by the first of its spellings that occurs."""
    numbers: dict[str, int] = {}
    for number, name in enumerate(names):
        numbers.setdefault(folded(name), number)
    found: dict[str, int] = {}
    for what in wanted:
        for spelling in _FOLDED[what]:
            if spelling in numbers and numbers[spelling] not in found.values():
                found[what] = numbers[spelling]
                break
    return found
