"""BEIR's data sets: tables `query-id corpus-id score`, and `queries.jsonl`, lines of `{"_id": ..., "text": ...}`.

Both are told by their content; here is what reads them when the user says that it is BEIR.
"""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance.judgments.formats import json_files, queries, tables
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.source import Source


def read_ratings(source: Source) -> Ratings:
    """Read the judgments."""
    return json_files.read_ratings(source) if source.looks_like_json else tables.read_table(source, "beir")


def read_queries(source: Source) -> Sequence[Query]:
    """Read the queries."""
    return json_files.read_queries(source) if source.looks_like_json else queries.read_table(source)
