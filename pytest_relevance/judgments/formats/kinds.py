"""What a file seems to be, whatever it was named as: judgments, queries, a run, or something beside those.

Only a file that is refused is looked at so, and the message says what was found.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pytest_relevance.judgments.formats import (
    elasticsearch,
    ltr,
    opensearch,
    quepid,
    queries,
    rre,
    tables,
    topics,
    trec,
)
from pytest_relevance.judgments.formats.layouts import is_run, layout
from pytest_relevance.judgments.formats.lines import header_of, separator_of
from pytest_relevance.judgments.source import Source

_OURS = b'{"kind":"'


def seems_to_be(source: Source) -> str:
    """What a file seems to be, as the end of a sentence; empty where that is not known."""
    if source.data.startswith(_OURS):
        kind = source.data[len(_OURS) : 80].partition(b'"')[0].decode("utf-8", "replace")
        return f"a {kind.removesuffix('s')}" if kind.startswith("pytest-relevance") else ""
    if tables.is_parquet(source):
        return ""
    return next((about for fits, about in _KINDS if fits(source)), "")


def json_of_another_kind(source: Source) -> str:
    """What JSON seems to be that is neither judgments nor queries by id; empty for other files."""
    if source.data.startswith(_OURS):
        return seems_to_be(source)
    return next((about for fits, about in _OTHER_JSON if fits(source)), "")


def judgments_format(source: Source) -> str:
    """The format of JSON or lines that hold judgments and nothing that a run could be; empty for other files."""
    return next((about for fits, about in _JUDGMENTS if fits(source)), "")


def _is_table_of_a_run(source: Source) -> bool:
    line = tables.first_line(source)
    names = header_of(line, separator_of(line))
    return is_run(names) and layout(names) is None


def _is_table_of_judgments(source: Source) -> bool:
    return tables.header_layout(source) is not None


def _is_json_of_a_run(source: Source) -> bool:
    """Whether it is `{query: [document, ...]}`."""
    document = source.json if source.is_json else None
    if not isinstance(document, dict) or not document:
        return False
    return all(
        isinstance(held, list) and held and all(isinstance(one, str) for one in held) for held in document.values()
    )


_JUDGMENTS: Sequence[tuple[Callable[[Source], bool], str]] = (
    (quepid.fits, "an export of Quepid: judgments"),
    (rre.fits, "ratings.json of the Rated Ranking Evaluator: judgments"),
    (elasticsearch.fits, "a rank_eval request of Elasticsearch: judgments"),
    (opensearch.fits, "an import of OpenSearch's search-relevance: judgments"),
    (ltr.fits, "a judgment list of LTR, grade qid:1 ... # document"),
)
_OTHER_JSON: Sequence[tuple[Callable[[Source], bool], str]] = (
    (opensearch.is_query_set, "a query set of OpenSearch: queries"),
    (quepid.is_snapshot, "a snapshot of Quepid: a run"),
    (_is_json_of_a_run, "a run, {query: [document, ...]}"),
)
_KINDS: Sequence[tuple[Callable[[Source], bool], str]] = (
    (topics.fits, "topics of TREC: queries"),
    *_JUDGMENTS,
    *_OTHER_JSON,
    (_is_table_of_judgments, "a table of judgments"),
    (_is_table_of_a_run, "a run, a table with a rank or a score and no grade"),
    (queries.holds_nothing_else, "a file of queries"),
    (trec.is_run, "a TREC run, qid Q0 docid rank score tag"),
    (trec.is_statistics, "statistics of trec_eval, qid measure mean deviation"),
    (trec.is_qrels, "TREC qrels, qid iter docid grade: judgments"),
    (trec.is_scores, "scores printed by trec_eval, measure qid value"),
)
"""What a file may be, what is told by more first."""
