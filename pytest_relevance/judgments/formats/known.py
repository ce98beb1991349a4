"""The table of formats: how each is recognised, and the functions that read it.

Files are recognised by their content, in the order of the table: distinctive formats come first. A user may name a
format by a key of `FORMATS` or of `ALIASES` (`{file: ..., format: quepid}`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from pytest_relevance.judgments.columns import is_run, layout
from pytest_relevance.judgments.formats import evaluation_tools as quepid
from pytest_relevance.judgments.formats import evaluation_tools as rre
from pytest_relevance.judgments.formats import judgment_tables, objects
from pytest_relevance.judgments.formats import lines as ltr
from pytest_relevance.judgments.formats import lines as trec
from pytest_relevance.judgments.formats import queries as query_tables
from pytest_relevance.judgments.formats import queries as topics
from pytest_relevance.judgments.formats import search_engines as elasticsearch
from pytest_relevance.judgments.formats import search_engines as opensearch
from pytest_relevance.judgments.formats.collecting import Collector
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.source import Source

Fits = Callable[[Source], bool]
ReadRatings = Callable[[Source], Ratings]
ReadQueries = Callable[[Source], Sequence[Query]]


@dataclass(frozen=True, slots=True)
class Format:
    """A format: a short description, how its content is recognised, and the functions that read it.

    `ratings` and `queries` read judgments and queries; None where the format has none. `fits` says whether the content
    is judgments in this format, `fits_queries` whether it has queries; neither raises for a file of another format.
    Where both differ, `fits_queries_alone` recognises the queries. A user who names the format may have a file read
    that does not fit: then the reader says what is wrong with it.
    """

    name: str
    about: str
    fits: Fits
    ratings: ReadRatings | None
    queries: ReadQueries | None
    fits_queries_alone: Fits | None = None

    def fits_queries(self, source: Source) -> bool:
        """Whether the content has queries in this format."""
        return (self.fits_queries_alone or self.fits)(source)


class _Collect(Protocol):
    def __call__(self, source: Source, *, for_queries: bool) -> Collector: ...


def _of_json(
    name: str,
    about: str,
    fits: Fits,
    collect: _Collect,
    fits_queries: Fits | None = None,
    tables: tuple[ReadRatings, ReadQueries] | None = None,
) -> Format:
    """A format in JSON. `tables` read the files of a format that may be tables too."""

    def ratings(source: Source) -> Ratings:
        if tables is not None and not source.looks_like_json:
            return tables[0](source)
        return collect(source, for_queries=False).ratings()

    def queries(source: Source) -> Sequence[Query]:
        if tables is not None and not source.looks_like_json:
            return tables[1](source)
        return collect(source, for_queries=True).queries()

    return Format(name, about, fits, ratings, queries, fits_queries)


def _never(source: Source) -> bool:
    return False


def _is_judgment_table(source: Source) -> bool:
    return judgment_tables.header_layout(source) is not None


_TABLE = judgment_tables.read_ratings, query_tables.read_query_table
_OF_QUEPID = quepid.read_quepid_table, query_tables.read_query_table
_OF_BEIR = partial(judgment_tables.read_ratings, format="beir"), query_tables.read_query_table
_OF_OPENSEARCH = "search-relevance: judgmentRatings[].ratings[], or querySetQueries[] of a query set"
_OF_TABLES = "a table with a header: query or query_id, doc_id, grade"

FORMATS: Mapping[str, Format] = {
    known.name: known
    for known in (
        Format("parquet", "a Parquet file with columns as in CSV", lambda source: source.is_parquet, *_TABLE),
        _of_json(
            "quepid",
            "Quepid's exports: query,docid,rating, or JSON",
            quepid.is_quepid,
            quepid.collect_quepid,
            tables=_OF_QUEPID,
        ),
        _of_json("rre", "ratings.json of the Rated Ranking Evaluator", rre.is_rre, rre.collect_rre),
        _of_json(
            "elasticsearch",
            "a rank_eval request: requests[].ratings[]",
            elasticsearch.is_rank_eval,
            elasticsearch.collect_rank_eval,
        ),
        _of_json(
            "opensearch",
            _OF_OPENSEARCH,
            opensearch.is_judgment_import,
            opensearch.collect_search_relevance,
            opensearch.has_queries,
        ),
        Format("topics", "TREC topics: <top> markup, or XML", _never, None, topics.read_topics, topics.is_topics),
        Format("ltr", "SVMrank: grade qid:1 ... # document", ltr.is_ltr, ltr.read_ltr, ltr.read_ltr_queries),
        _of_json("jsonl", "JSON a line", lambda source: source.is_json_lines, objects.collect),
        _of_json("json", "{query: {document: grade}}, or a list of objects", objects.is_json, objects.collect),
        Format("csv", _OF_TABLES, _is_judgment_table, *_TABLE, query_tables.is_query_table),
        Format("trec", "TREC qrels: qid iter docid grade", trec.is_qrels, trec.read_qrels, None, _never),
        _of_json("beir", "BEIR: query-id corpus-id score, and queries.jsonl", _never, objects.collect, tables=_OF_BEIR),
        Format("text", "a query a line", _never, None, query_tables.read_lines),
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

_OURS = b'{"kind":"'


def seems_to_be(source: Source) -> str:
    """What a file seems to be - judgments, queries, a run or something else - as the end of a sentence.

    Empty where that is not known.
    """
    if source.data.startswith(_OURS):
        kind = source.data[len(_OURS) : 80].partition(b'"')[0].decode("utf-8", "replace")
        return f"a {kind.removesuffix('s')}" if kind.startswith("pytest-relevance") else ""
    return "" if source.is_parquet else _first(_KINDS, source)


def json_of_another_kind(source: Source) -> str:
    """What JSON seems to be that is neither judgments nor queries by id; empty for other files."""
    return seems_to_be(source) if source.data.startswith(_OURS) else _first(_OTHER_JSON, source)


def judgments_format(source: Source) -> str:
    """The format of JSON or lines that can be nothing but judgments; empty for other files."""
    return _first(_JUDGMENTS, source)


def _first(kinds: Iterable[tuple[Fits, str]], source: Source) -> str:
    return next((about for fits, about in kinds if fits(source)), "")


def _is_table_of_a_run(source: Source) -> bool:
    return is_run(source.header.names) and layout(source.header.names) is None


def _is_json_of_a_run(source: Source) -> bool:
    """Whether it is `{query: [document, ...]}`."""
    document = source.json if source.is_json else None
    if not isinstance(document, dict) or not document:
        return False
    rankings = document.values()
    return all(isinstance(ranked, list) and ranked and set(map(type, ranked)) == {str} for ranked in rankings)


_JUDGMENTS: Sequence[tuple[Fits, str]] = (
    (quepid.is_quepid, "an export of Quepid: judgments"),
    (rre.is_rre, "ratings.json of the Rated Ranking Evaluator: judgments"),
    (elasticsearch.is_rank_eval, "a rank_eval request of Elasticsearch: judgments"),
    (opensearch.is_judgment_import, "an import of OpenSearch's search-relevance: judgments"),
    (ltr.is_ltr, "a judgment list of LTR, grade qid:1 ... # document"),
)
_OTHER_JSON: Sequence[tuple[Fits, str]] = (
    (opensearch.is_query_set, "a query set of OpenSearch: queries"),
    (quepid.is_snapshot, "a snapshot of Quepid: a run"),
    (_is_json_of_a_run, "a run, {query: [document, ...]}"),
)
_KINDS: Sequence[tuple[Fits, str]] = (
    (topics.is_topics, "topics of TREC: queries"),
    *_JUDGMENTS,
    *_OTHER_JSON,
    (_is_judgment_table, "a table of judgments"),
    (_is_table_of_a_run, "a run, a table with a rank or a score and no grade"),
    (query_tables.holds_nothing_else, "a file of queries"),
    (trec.is_run, "a TREC run, qid Q0 docid rank score tag"),
    (trec.is_statistics, "statistics of trec_eval, qid measure mean deviation"),
    (trec.is_qrels, "TREC qrels, qid iter docid grade: judgments"),
    (trec.is_scores, "scores printed by trec_eval, measure qid value"),
)
"""The kinds of files, distinctive ones first."""
