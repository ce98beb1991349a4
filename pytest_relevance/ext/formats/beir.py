"""Read BEIR's files: `qrels/test.tsv` and `queries.jsonl`.

The columns of the qrels are query-id, corpus-id and score. A user has to name this
format; otherwise such a file is read as a table or as JSON Lines. With this format the
texts of the queries may be in another file.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._source import Source
from pytest_relevance.ext.formats import judgment_tables, objects, query_tables
from pytest_relevance.judgments.formats import (
    TABLE_OPTIONS,
    JudgmentFormat,
    UnreadColumn,
)
from pytest_relevance.judgments.model import Query, Ratings


def _read(source: Source) -> Ratings:
    if source.looks_like_json:
        return objects.read_objects(source)
    return judgment_tables.read_table(source, "beir")


def _read_queries(source: Source) -> Sequence[Query]:
    if source.looks_like_json:
        return objects.read_query_objects(source)
    return query_tables.read_query_table(source)


def _has_queries_alone(source: Source) -> bool:
    return source.looks_like_json and objects.are_queries(source)


def _unread_columns(source: Source) -> Sequence[UnreadColumn]:
    if source.looks_like_json:
        return objects.unread_keys(source)
    return query_tables.unread_columns(source)


BEIR = JudgmentFormat(
    name="beir",
    about="BEIR: query-id corpus-id score, and queries.jsonl",
    read=_read,
    read_queries=_read_queries,
    has_queries_alone=_has_queries_alone,
    unread_columns=_unread_columns,
    options=TABLE_OPTIONS,
)
