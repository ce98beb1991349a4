"""What a file seems to be, for the message that refuses it: judgments, queries, a run, or something else."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from pytest_relevance.judgments.formats import judgment_tables, ltr, query_tables, topics, trec
from pytest_relevance.judgments.formats.json import elasticsearch, opensearch, quepid, rre
from pytest_relevance.judgments.formats.layouts import is_run, layout
from pytest_relevance.judgments.source import Source

_OURS = b'{"kind":"'

Kind = tuple[Callable[[Source], bool], str]


def seems_to_be(source: Source) -> str:
    """What a file seems to be, as the end of a sentence; empty where that is not known."""
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


def _first(kinds: Iterable[Kind], source: Source) -> str:
    return next((about for fits, about in kinds if fits(source)), "")


def _is_table_of_a_run(source: Source) -> bool:
    return is_run(source.header.names) and layout(source.header.names) is None


def _is_table_of_judgments(source: Source) -> bool:
    return judgment_tables.header_layout(source) is not None


def _is_json_of_a_run(source: Source) -> bool:
    """Whether it is `{query: [document, ...]}`."""
    document = source.json if source.is_json else None
    if not isinstance(document, dict) or not document:
        return False
    rankings = document.values()
    return all(isinstance(ranked, list) and ranked and set(map(type, ranked)) == {str} for ranked in rankings)


_JUDGMENTS: tuple[Kind, ...] = (
    (quepid.fits, "an export of Quepid: judgments"),
    (rre.fits, "ratings.json of the Rated Ranking Evaluator: judgments"),
    (elasticsearch.fits, "a rank_eval request of Elasticsearch: judgments"),
    (opensearch.fits, "an import of OpenSearch's search-relevance: judgments"),
    (ltr.fits, "a judgment list of LTR, grade qid:1 ... # document"),
)
_OTHER_JSON: tuple[Kind, ...] = (
    (opensearch.is_query_set, "a query set of OpenSearch: queries"),
    (quepid.is_snapshot, "a snapshot of Quepid: a run"),
    (_is_json_of_a_run, "a run, {query: [document, ...]}"),
)
_KINDS: tuple[Kind, ...] = (
    (topics.fits, "topics of TREC: queries"),
    *_JUDGMENTS,
    *_OTHER_JSON,
    (_is_table_of_judgments, "a table of judgments"),
    (_is_table_of_a_run, "a run, a table with a rank or a score and no grade"),
    (query_tables.holds_nothing_else, "a file of queries"),
    (trec.is_run, "a TREC run, qid Q0 docid rank score tag"),
    (trec.is_statistics, "statistics of trec_eval, qid measure mean deviation"),
    (trec.is_qrels, "TREC qrels, qid iter docid grade: judgments"),
    (trec.is_scores, "scores printed by trec_eval, measure qid value"),
)
"""The kinds of files, distinctive ones first."""
