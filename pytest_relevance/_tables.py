"""Open tables in files: CSV, TSV, white space, Parquet, JSON objects."""

from __future__ import annotations

from pytest_relevance._object_table import ObjectTable
from pytest_relevance._parquet_table import ParquetTable
from pytest_relevance._source import Source
from pytest_relevance._text_table import TextTable

Table = TextTable | ParquetTable | ObjectTable


def table_of(source: Source) -> Table:
    """Return the table in a file: Parquet, JSON objects, or text with a header."""
    if source.is_parquet:
        return ParquetTable(source)
    return ObjectTable(source) if source.looks_like_json else TextTable(source)
