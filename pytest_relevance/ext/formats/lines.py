"""Read the format `text`: each line is a query.

Nearly every file can be read as lines. So a file in another format is refused.
"""

from __future__ import annotations

from typing import NoReturn

from pytest_relevance._accidents import find_conflict_marker
from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import quoted
from pytest_relevance.ext.formats import query_tables, topics
from pytest_relevance.judgments.formats import JudgmentFormat
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.row_rules import DROP, MERGE


def read_lines(source: Source) -> list[Query]:
    """Return the queries of a file with one query per line; blank lines are left out.

    Raises:
        FileError: the file is in another format, or has conflict markers of git.
    """
    _refuse_other_formats(source)
    marker = find_conflict_marker(source.data)
    if marker is not None:
        source.refuse(marker.message, Place(line=marker.line))
    texts = []
    numbers = []
    for number, line in enumerate(source.text.replace("\r\n", "\n").split("\n"), 1):
        if line.strip():
            texts.append(line)
            numbers.append(number)

    def place(row: int) -> Place:
        return Place(line=numbers[row])

    return query_tables.distinct_rows(source, {"query": texts}, place)


def _refuse_other_formats(source: Source) -> None:
    """Raise FileError if the file has more than a query in each line."""
    if source.is_parquet:
        _refuse(source, "Parquet")
    if source.is_json or source.is_json_lines:
        _refuse(source, "JSON")
    if topics.is_topics(source):
        _refuse(source, "TREC topics")
    if query_tables.has_query_header(source):
        header = quoted(source.header.line.strip())
        _refuse(source, f"a table, which begins with the header {header}")


def _refuse(source: Source, what: str) -> NoReturn:
    source.refuse(
        f"the format text has a query on each line, and this is {what}; leave the format out",
        Place(line=1),
    )


TEXT = JudgmentFormat(
    name="text",
    about="a query a line",
    read_queries=read_lines,
    options=frozenset({MERGE, DROP}),
)
