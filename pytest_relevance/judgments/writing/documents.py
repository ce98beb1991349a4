"""JSON: ours, and that of Quepid, RRE, Elasticsearch and OpenSearch.

A query a line, so that a change of judgments shows in a diff, and a million of them is written by the json module's own
speed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_relevance.judgments.formats.rre import key_of
from pytest_relevance.judgments.model import Judgments, Query
from pytest_relevance.judgments.writing.cells import NumberTexts, columns_of
from pytest_relevance.judgments.writing.contents import lost_in_combining
from pytest_relevance.judgments.writing.keys import all_queries, text_of
from pytest_relevance.judgments.writing.tables import TABLE, Text

Grades = Mapping[str, float]

ANY_INDEX = "index"
"""What stands where a request names an index and nobody knows which."""


_RRE_TEXT = "$query"
_TEMPLATE = "search"
_TEXT = "query_string"
"""The parameter that is the text of the query, in Elasticsearch's own examples too."""


def plain(judgments: Judgments) -> Text:
    """`{query: {document: grade}}`."""
    members = (f"{_json(query)}: {_json(_whole(judgments.get(query, {})))}" for query in all_queries(judgments))
    return _object(members), []


def rows(judgments: Judgments) -> Text:
    """JSON Lines: an object a rating, its keys the columns of a table."""
    columns: dict[str, Any] = dict(columns_of(judgments, TABLE))
    columns["grade"] = [None if grade is None else _number(grade) for grade in columns["grade"]]
    names = list(columns)
    encode = json.JSONEncoder(ensure_ascii=False).encode
    columns["doc_id"] = [document or None for document in columns["doc_id"]]  # null where a query has no judgment
    written = (
        encode({name: cell for name, cell in zip(names, cells, strict=True) if cell != ""})
        for cells in zip(*columns.values(), strict=True)
    )
    return "".join(f"{row}\n" for row in written), lost_in_combining(judgments)


def quepid(judgments: Judgments) -> Text:
    """Quepid's JSON of a case."""
    members = (_json(_case(judgments, query)) for query in all_queries(judgments))
    return _object([f'"queries": {_list(members)}']), []


def _case(judgments: Judgments, query: str) -> dict[str, object]:
    described = judgments.queries.get(query) or Query(query)
    note = {"information_need": described.note} if described.note else {}
    options = {"options": described.params} if described.params else {}
    return {"query": query, **note, **options, "ratings": _whole(judgments.get(query, {}))}


def opensearch(judgments: Judgments) -> Text:
    """What OpenSearch's search relevance plugin imports: ratings are text there."""
    texts = NumberTexts()
    members = (
        _json(
            {
                "query": query,
                "ratings": [{"docId": document, "rating": texts[grade]} for document, grade in documents.items()],
            }
        )
        for query, documents in judgments.items()
        if documents
    )
    head = ['"name": "judgments"', '"type": "IMPORT_JUDGMENT"']
    return _object([*head, f'"judgmentRatings": {_list(members)}']), []


def elasticsearch(judgments: Judgments) -> Text:
    """A request of Elasticsearch's rank_eval: the text of a query is a parameter of its template."""
    query = {"query_string": {"query": f"{{{{{_TEXT}}}}}"}}
    members = [
        f'"templates": [{_json({"id": _TEMPLATE, "template": {"inline": {"query": query}}})}]',
        f'"requests": {_list(_json(_request(judgments, query)) for query in all_queries(judgments))}',
        '"metric": {"dcg": {"k": 10, "normalize": true}}',
    ]
    said = [
        f'the index, the template and the metric of the request: "{ANY_INDEX}", a query_string query and nDCG@10 stand '
        "there; put yours in their place"
    ]
    if any(query.params for query in judgments.queries.values()):
        said.append(f"which of the params is the text: where the file is read, say query: params.{_TEXT}")
    return _object(members), said


def _request(judgments: Judgments, query: str) -> dict[str, object]:
    return {
        "id": query,
        "template_id": _TEMPLATE,
        "params": _params(judgments, query) | {_TEXT: judgments.text(query)},
        "ratings": [
            {"_index": ANY_INDEX, "_id": document, "rating": _number(grade)}
            for document, grade in judgments.get(query, {}).items()
        ],
    }


def rre(judgments: Judgments) -> Text:
    """The ratings of the Rated Ranking Evaluator: a group for each query, as judgments belong to groups."""
    head = [f'"index": "{ANY_INDEX}"', '"corpora_file": "corpus.json"', '"id_field": "id"']
    groups = _list(_json(_group(judgments, query)) for query in all_queries(judgments))
    return _object([*head, f'"query_groups": {groups}']), [
        f'the index, the corpus, the field of the ids and the templates: "{ANY_INDEX}", "corpus.json", "id" and '
        '"query.json" stand there; put yours in their place'
    ]


def _group(judgments: Judgments, query: str) -> dict[str, object]:
    described = judgments.queries.get(query) or Query(query)
    params = {f"${name}": held for name, held in described.params.items()}
    note = {"description": described.note} if described.note else {}
    relevant = {document: {"gain": _number(grade)} for document, grade in judgments.get(query, {}).items()}
    placeholders = {**params, _RRE_TEXT: text_of(described)}
    return {
        **note,
        "queries": [{"template": "query.json", "placeholders": placeholders}],
        "relevant_documents": relevant,
    }


def rre_name(query: Query) -> str:
    """What RRE knows a query by: its text and its params."""
    return key_of(text_of(query), query.params)


def _params(judgments: Judgments, query: str) -> dict[str, object]:
    return dict(judgments.queries[query].params) if query in judgments.queries else {}


def _number(grade: float) -> float:
    return int(grade) if grade == int(grade) else float(grade)


def _whole(grades: Grades) -> Grades:
    return {document: _number(grade) for document, grade in grades.items()}


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _object(members: Iterable[str]) -> str:
    inside = ",\n".join(members)
    return f"{{\n{inside}\n}}\n"


def _list(members: Iterable[str]) -> str:
    inside = ",\n".join(members)
    return f"[\n{inside}\n]" if inside else "[]"
