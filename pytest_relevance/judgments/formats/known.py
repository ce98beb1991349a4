"""The table of formats: how each is recognised, and the functions that read it.

Files are recognised by their content, in the order of the table: distinctive formats come first. A user may name a
format by a key of `FORMATS` or of `ALIASES` (`{file: ..., format: quepid}`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance.judgments.formats import judgment_tables, ltr, query_tables, topics, trec
from pytest_relevance.judgments.formats.json import elasticsearch, objects, opensearch, quepid, rre
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.source import Source

Fits = Callable[[Source], bool]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: a short description, how its content is recognised, and the functions that read it.

    `ratings` and `queries` read judgments and queries; None where the format has none. `fits` says whether the content
    is judgments in this format, `fits_queries` whether it is queries; neither raises for a file of another format. A
    user who names the format may have a file read that does not fit: then the reader says what is wrong with it.
    """

    name: str
    about: str
    fits: Fits
    ratings: Callable[[Source], Ratings] | None
    queries: Callable[[Source], Sequence[Query]] | None
    fits_queries: Fits


def _never(source: Source) -> bool:
    return False


def _is_judgment_table(source: Source) -> bool:
    return judgment_tables.header_layout(source) is not None


def _is_parquet(source: Source) -> bool:
    return source.is_parquet


def _read_parquet(source: Source) -> Ratings:
    return judgment_tables.read_ratings(source, "parquet")


def _read_beir(source: Source) -> Ratings:
    if source.looks_like_json:
        return objects.read_ratings(source)
    return judgment_tables.read_ratings(source, "beir")


def _read_beir_queries(source: Source) -> Sequence[Query]:
    return objects.read_queries(source) if source.looks_like_json else query_tables.read_queries(source)


def _format(
    name: str,
    about: str,
    fits: Fits,
    ratings: Callable[[Source], Ratings] | None,
    queries: Callable[[Source], Sequence[Query]] | None,
    fits_queries: Fits | None = None,
) -> Format:
    """A format whose queries are recognised as its judgments are, unless `fits_queries` is given."""
    return Format(name, about, fits, ratings, queries, fits_queries or fits)


_TABLE = "a table with a header: query or query_id, doc_id, grade"
_OBJECTS = "{query: {document: grade}}, or a list of objects"
_OPENSEARCH = "search-relevance: judgmentRatings[].ratings[], or querySetQueries[] of a query set"
_BEIR = "BEIR: query-id corpus-id score, and queries.jsonl"

FORMATS: Mapping[str, Format] = {
    known.name: known
    for known in (
        _format(
            "parquet", "a Parquet file with columns as in CSV", _is_parquet, _read_parquet, query_tables.read_queries
        ),
        _format(
            "quepid",
            "Quepid's exports: query,docid,rating, or JSON",
            quepid.fits,
            quepid.read_ratings,
            quepid.read_queries,
        ),
        _format("rre", "ratings.json of the Rated Ranking Evaluator", rre.fits, rre.read_ratings, rre.read_queries),
        _format(
            "elasticsearch",
            "a rank_eval request: requests[].ratings[]",
            elasticsearch.fits,
            elasticsearch.read_ratings,
            elasticsearch.read_queries,
        ),
        _format(
            "opensearch",
            _OPENSEARCH,
            opensearch.fits,
            opensearch.read_ratings,
            opensearch.read_queries,
            opensearch.fits_queries,
        ),
        _format("topics", "TREC topics: <top> markup, or XML", _never, None, topics.read_queries, topics.fits),
        _format("ltr", "SVMrank: grade qid:1 ... # document", ltr.fits, ltr.read_ratings, ltr.read_queries),
        _format("jsonl", "JSON a line", objects.is_lines, objects.read_ratings, objects.read_queries),
        _format("json", _OBJECTS, objects.is_json, objects.read_ratings, objects.read_queries),
        _format(
            "csv",
            _TABLE,
            _is_judgment_table,
            judgment_tables.read_ratings,
            query_tables.read_queries,
            query_tables.fits,
        ),
        _format("trec", "TREC qrels: qid iter docid grade", trec.is_qrels, trec.read_ratings, None, _never),
        _format("beir", _BEIR, _never, _read_beir, _read_beir_queries),
        _format("text", "a query a line", _never, None, query_tables.read_lines),
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
"""Other names of formats."""
