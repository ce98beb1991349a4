"""The table of formats: how each is recognised, and what reads it.

Recognition looks at the content, in the order of the table: what is told by more comes first. A name that a user may
give (`{file: ..., format: quepid}`) is a key of `FORMATS` or of `ALIASES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.judgments.formats import queries, tables, trec
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.source import Source

Fits = Callable[[Source], bool]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: what it looks like in a few words, how its content is recognised, and what reads it.

    `ratings` and `queries` read what it holds, and are None where it holds none. `fits` says whether the content is
    judgments in this format, `fits_queries` whether it is queries; neither raises for a file of another format. What
    reads may be asked for a file that does not fit, when the user named the format: then it says what is wrong.
    """

    name: str
    about: str
    fits: Fits
    ratings: Callable[[Source], Ratings] | None
    fits_queries: Fits
    queries: Callable[[Source], Sequence[Query]] | None


def _never(source: Source) -> bool:
    return False


def _is_table(source: Source) -> bool:
    return tables.header_layout(source) is not None


FORMATS: Mapping[str, Format] = {
    known.name: known
    for known in (
        Format(
            "parquet",
            "a Parquet file with columns as in CSV",
            tables.is_parquet,
            tables.read_parquet,
            tables.is_parquet,
            queries.read_parquet,
        ),
        Format(
            "csv",
            "a table with a header: query or query_id, doc_id, grade",
            _is_table,
            tables.read_table,
            queries.is_table,
            queries.read_table,
        ),
        Format("trec", "TREC qrels: qid iter docid grade", trec.is_qrels, trec.read_qrels, _never, None),
        Format("text", "a query a line", _never, None, _never, queries.read_lines),
    )
}
"""Every format, by the name that a user gives it."""

ALIASES: Mapping[str, str] = {
    "tsv": "csv",
    "esci": "csv",
    "govuk": "csv",
    "qrels": "trec",
}
"""Other names for the same."""
