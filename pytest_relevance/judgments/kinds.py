"""What a file seems to be: judgments, queries, a run or something else, for messages about a file of another kind."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pytest_relevance.judgments.columns import is_run, layout
from pytest_relevance.judgments.formats import evaluation_tools as tools
from pytest_relevance.judgments.formats import lines
from pytest_relevance.judgments.formats import search_engines as engines
from pytest_relevance.judgments.formats.judgment_tables import is_judgment_table
from pytest_relevance.judgments.formats.queries import holds_nothing_else
from pytest_relevance.judgments.formats.topics import is_topics
from pytest_relevance.judgments.source import Source

Fits = Callable[[Source], bool]

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


def _is_json_of_a_run(source: Source) -> bool:
    """Whether it is `{query: [document, ...]}`."""
    document = source.json if source.is_json else None
    if not isinstance(document, dict) or not document:
        return False
    rankings = document.values()
    return all(isinstance(ranked, list) and ranked and set(map(type, ranked)) == {str} for ranked in rankings)


_JUDGMENTS: Sequence[tuple[Fits, str]] = (
    (tools.is_quepid, "an export of Quepid: judgments"),
    (tools.is_rre, "ratings.json of the Rated Ranking Evaluator: judgments"),
    (engines.is_rank_eval, "a rank_eval request of Elasticsearch: judgments"),
    (engines.is_judgment_import, "an import of OpenSearch's search-relevance: judgments"),
    (lines.is_ltr, "a judgment list of LTR, grade qid:1 ... # document"),
)
_OTHER_JSON: Sequence[tuple[Fits, str]] = (
    (engines.is_query_set, "a query set of OpenSearch: queries"),
    (tools.is_snapshot, "a snapshot of Quepid: a run"),
    (_is_json_of_a_run, "a run, {query: [document, ...]}"),
)
_KINDS: Sequence[tuple[Fits, str]] = (
    (is_topics, "topics of TREC: queries"),
    *_JUDGMENTS,
    *_OTHER_JSON,
    (is_judgment_table, "a table of judgments"),
    (
        lambda source: is_run(source.header.names) and layout(source.header.names) is None,
        "a run, a table with a rank or a score and no grade",
    ),
    (holds_nothing_else, "a file of queries"),
    (lines.is_run, "a TREC run, qid Q0 docid rank score tag"),
    (lines.is_statistics, "statistics of trec_eval, qid measure mean deviation"),
    (lines.is_qrels, "TREC qrels, qid iter docid grade: judgments"),
    (lines.is_scores, "scores printed by trec_eval, measure qid value"),
)
"""The kinds of files, distinctive ones first."""
