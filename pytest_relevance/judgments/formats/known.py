"""The table of formats: how each is recognised, and what reads it.

Recognition looks at the content, in the order of the table: what is told by more comes first. A name that a user may
give (`{file: ..., format: quepid}`) is a key of `FORMATS` or of `ALIASES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.judgments.formats import (
    beir,
    elasticsearch,
    json_files,
    ltr,
    opensearch,
    quepid,
    queries,
    rre,
    tables,
    topics,
    trec,
)
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
            "quepid",
            "Quepid's exports: query,docid,rating, or JSON",
            quepid.fits,
            quepid.read_ratings,
            quepid.fits,
            quepid.read_queries,
        ),
        Format(
            "rre",
            "ratings.json of the Rated Ranking Evaluator",
            rre.fits,
            rre.read_ratings,
            rre.fits,
            rre.read_queries,
        ),
        Format(
            "elasticsearch",
            "a rank_eval request: requests[].ratings[]",
            elasticsearch.fits,
            elasticsearch.read_ratings,
            elasticsearch.fits,
            elasticsearch.read_queries,
        ),
        Format(
            "opensearch",
            "search-relevance: judgmentRatings[].ratings[], or querySetQueries[] of a query set",
            opensearch.fits,
            opensearch.read_ratings,
            opensearch.has_queries,
            opensearch.read_queries,
        ),
        Format("topics", "TREC topics: <top> markup, or XML", _never, None, topics.fits, topics.read_queries),
        Format("ltr", "SVMrank: grade qid:1 ... # document", ltr.fits, ltr.read_ratings, ltr.fits, ltr.read_queries),
        Format(
            "jsonl",
            "JSON a line",
            json_files.is_lines,
            json_files.read_ratings,
            json_files.is_lines,
            json_files.read_queries,
        ),
        Format(
            "json",
            "{query: {document: grade}}, or a list of objects",
            json_files.is_json,
            json_files.read_ratings,
            json_files.is_json,
            json_files.read_queries,
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
        Format(
            "beir",
            "BEIR: query-id corpus-id score, and queries.jsonl",
            _never,
            beir.read_ratings,
            _never,
            beir.read_queries,
        ),
        Format("text", "a query a line", _never, None, _never, queries.read_lines),
    )
}
"""Every format, by the name that a user gives it."""

ALIASES: Mapping[str, str] = {
    "tsv": "csv",
    "esci": "csv",
    "govuk": "csv",
    "qrels": "trec",
    "rank_eval": "elasticsearch",
    "svmrank": "ltr",
}
"""Other names for the same."""
