"""Define the formats of tables of judgments and of queries: CSV and Parquet."""

from __future__ import annotations

from operator import attrgetter

from pytest_relevance.ext.formats import writing
from pytest_relevance.ext.formats.judgment_tables import is_judgment_table, read_table
from pytest_relevance.ext.formats.query_tables import (
    is_query_table,
    read_query_table,
    unread_columns,
)
from pytest_relevance.judgments.formats import TABLE_OPTIONS, JudgmentFormat

PARQUET = JudgmentFormat(
    name="parquet",
    about="a Parquet file with columns as in CSV",
    fits=attrgetter("is_parquet"),
    read=read_table,
    read_queries=read_query_table,
    unread_columns=unread_columns,
    options=TABLE_OPTIONS,
)

CSV = JudgmentFormat(
    name="csv",
    about="a table with a header: query or query_id, doc_id, grade",
    fits=is_judgment_table,
    read=read_table,
    fits_queries=is_query_table,
    read_queries=read_query_table,
    unread_columns=unread_columns,
    reads_exports=True,
    write=writing.write_csv,
    aliases=("tsv", "esci"),
    options=TABLE_OPTIONS,
)
