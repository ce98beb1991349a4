"""Write judgments as JSON: our own formats and those of Quepid, RRE, Elasticsearch and OpenSearch.

Each query has a line of its own, so that a diff shows which judgments have changed, and so that the json module writes
a million of them at its full speed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

from pytest_relevance.judgments.formats.evaluation_tools import rre_key
from pytest_relevance.judgments.model import Judgments, Query, queries_of
from pytest_relevance.judgments.write.limits import lost_in_combining
from pytest_relevance.judgments.write.rows import TABLE, Text, columns_of, number_text

ANY_INDEX = "index"
"""The placeholder for the index, which the judgments do not name."""

_TEMPLATE = "search"
_TEXT = "query_string"
"""The parameter that is the text of the query, as in Elasticsearch's own examples."""


def write_json(judgments: Judgments) -> Text:
    """JSON of the form `{query: {document: grade}}`."""
    return _document({query: _grades(judgments, query) for query in judgments.all_queries}), []


def write_jsonl(judgments: Judgments) -> Text:
    """JSON Lines: an object for each rating, its keys the columns of a table."""
    columns = columns_of(judgments, TABLE)
    columns["grade"] = [None if grade is None else _number(grade) for grade in columns["grade"]]
    columns["doc_id"] = [document or None for document in columns["doc_id"]]  # null where a query has no judgment
    encode = json.JSONEncoder(ensure_ascii=False).encode
    rows = (
        encode({name: cell for name, cell in zip(columns, cells, strict=True) if cell != ""})
        for cells in zip(*columns.values(), strict=True)
    )
    return "".join(f"{row}\n" for row in rows), lost_in_combining(judgments)


def write_queries(judgments: Judgments) -> Text:
    """Queries as JSON Lines, as BEIR has them."""
    rows = [{"_id": query.id, "text": query.text} for query in judgments.queries.values()]
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), []


def write_quepid(judgments: Judgments) -> Text:
    """Quepid's JSON of a case."""
    cases = [
        {
            "query": query.id,
            **({"information_need": query.note} if query.note else {}),
            **({"options": query.params} if query.params else {}),
            "ratings": _grades(judgments, query.id),
        }
        for query in queries_of(judgments)
    ]
    return _document({"queries": cases}), []


def write_opensearch(judgments: Judgments) -> Text:
    """The request that imports judgments into OpenSearch's search-relevance plugin: its ratings are text."""
    ratings = [
        {
            "query": query,
            "ratings": [{"docId": document, "rating": number_text(grade)} for document, grade in documents.items()],
        }
        for query, documents in judgments.items()
        if documents
    ]
    return _document({"name": "judgments", "type": "IMPORT_JUDGMENT", "judgmentRatings": ratings}), []


def write_elasticsearch(judgments: Judgments) -> Text:
    """A request of Elasticsearch's rank_eval: the text of a query is a parameter of its template."""
    template = {"inline": {"query": {"query_string": {"query": f"{{{{{_TEXT}}}}}"}}}}
    requests = [
        {
            "id": query.id,
            "template_id": _TEMPLATE,
            "params": dict(query.params) | {_TEXT: query.text_or_id},
            "ratings": [
                {"_index": ANY_INDEX, "_id": document, "rating": grade}
                for document, grade in _grades(judgments, query.id).items()
            ],
        }
        for query in queries_of(judgments)
    ]
    members = {
        "templates": [{"id": _TEMPLATE, "template": template}],
        "requests": requests,
        "metric": {"dcg": {"k": 10, "normalize": True}},
    }
    losses = [
        f'the index, the template and the metric of the request: "{ANY_INDEX}", a query_string query and nDCG@10 stand '
        "there; put yours in their place"
    ]
    if any(query.params for query in judgments.queries.values()):
        losses.append(f"which of the params is the text: where the file is read, say query: params.{_TEXT}")
    return _document(members), losses


def write_rre(judgments: Judgments) -> Text:
    """The ratings of the Rated Ranking Evaluator: a group for each query, as judgments belong to groups."""
    groups = [
        {
            **({"description": query.note} if query.note else {}),
            "queries": [{"template": "query.json", "placeholders": _placeholders(query)}],
            "relevant_documents": {
                document: {"gain": grade} for document, grade in _grades(judgments, query.id).items()
            },
        }
        for query in queries_of(judgments)
    ]
    head = {"index": ANY_INDEX, "corpora_file": "corpus.json", "id_field": "id"}
    return _document({**head, "query_groups": groups}), [
        f'the index, the corpus, the field of the ids and the templates: "{ANY_INDEX}", "corpus.json", "id" and '
        '"query.json" stand there; put yours in their place'
    ]


def _placeholders(query: Query) -> dict[str, object]:
    return {**{f"${name}": value for name, value in query.params.items()}, "$query": query.text_or_id}


def rre_name(query: Query) -> str:
    """The key of a query in RRE: its text and its params."""
    return rre_key(query.text_or_id, query.params)


def _number(grade: float) -> float:
    return int(grade) if grade == int(grade) else float(grade)


def _grades(judgments: Judgments, query: str) -> dict[str, float]:
    return {document: _number(grade) for document, grade in judgments.get(query, {}).items()}


def _document(members: Mapping[str, object]) -> str:
    """An object as JSON: a line for each of its members, and for each entry of a member that is a list."""

    def member(value: object) -> str:
        if not isinstance(value, list) or not value:
            return encode(value)
        return "[\n" + ",\n".join(map(encode, value)) + "\n]"

    encode = json.JSONEncoder(ensure_ascii=False).encode
    return "{\n" + ",\n".join(f"{encode(name)}: {member(value)}" for name, value in members.items()) + "\n}\n"
