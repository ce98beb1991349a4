"""`evaluate`: a table of scores from judgments and rankings, for notebooks and scripts.

Mappings and DataFrames are checked here into the `Judgments` and `Rankings` of
`metrics`, which does all arithmetic.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pytest_relevance._problems import RelevanceWarning
from pytest_relevance.judgments.columns import SPELLINGS, find_columns
from pytest_relevance.judgments.document_ids import keys_of_documents, row_with_two_ids
from pytest_relevance.metrics.measures import ranks_needed
from pytest_relevance.metrics.metric import Metric, MetricFunction
from pytest_relevance.metrics.names import needs_judgments, parse_metric
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.records.run import known_ranks

if TYPE_CHECKING:
    import pandas

    from pytest_relevance.metrics.checked import CheckedJudgments, CheckedRankings

    AnyJudgments = (
        Mapping[Any, Mapping[Any, float]] | pandas.DataFrame | CheckedJudgments
    )
    AnyRankings = (
        Mapping[Any, Sequence[Any] | Mapping[Any, float]]
        | pandas.DataFrame
        | CheckedRankings
    )


def evaluate(
    judgments: AnyJudgments,
    rankings: AnyRankings,
    metrics: str | Metric | MetricFunction | Sequence[str | Metric | MetricFunction] = (
        "nDCG@10",
    ),
    *,
    gain: str | Mapping[float, float] = "exponential",
    discount: str = "log2",
    ideal: str = "judged",
    unjudged: str = "zero",
    max_grade: float | None = None,
    negative: str = "keep",
    undefined: str = "nan",
) -> pandas.DataFrame:
    """Score rankings by judgments: one row for each judged query, one column for each
    metric, named as written.

    `judgments`: {query: {document: grade}}, a DataFrame with one row for each judgment
    (columns as query_id, doc_id, grade), or checked `Judgments`. `rankings`: {query:
    [document, ...]} best first, {query: {document: score}}, a DataFrame with one row
    for each result (query_id, doc_id and rank or score, or neither: then in the order
    of the rows), or `Rankings`. Scores are sorted as trec_eval sorts them: score, then
    document id, both descending; a rank goes before a score. Ids are compared as text,
    integers as their digits; all ids of one side are expected to be of the type of the
    first.

    The index of the result is the query ids as text, in the order of the judgments. A
    judged query without a ranking scores as an empty ranking (a `RelevanceWarning` when
    that is all of them); rankings of queries without judgments are ignored. A document
    that is returned twice counts at its first rank. Where a measure is not defined
    (nDCG without a relevant document) the score is NaN, or 0 with `undefined="zero"`.

    A metric may be a function too, as the hook `pytest_relevance_metrics` has them, and
    is named by its `__name__`; its k is None. Where it raises an exception, or returns
    neither a number nor None, a ValueError says for which query.

    The other arguments are explained at `Settings`. trec_eval's figures:
    `gain="linear"`, `negative="zero"`, `undefined="zero"`. Raises ValueError for an
    unknown metric or setting, a grade that is not a finite number or has no gain, two
    grades for one document, an id that is not text or an integer, a frame without the
    needed columns, and a metric that looks deeper than the rankings of a record
    (`Run.rankings`, `read_run`) are known; it names the query and the document.
    """
    named = (
        [metrics]
        if isinstance(metrics, (str, Metric)) or callable(metrics)
        else list(metrics)
    )
    parsed: dict[str, Metric] = {}
    for each in named:
        metric = (
            _of_function(each)
            if callable(each)
            else needs_judgments(parse_metric(each))
        )
        if (
            parsed.setdefault(each if isinstance(each, str) else metric.text, metric)
            != metric
        ):
            raise ValueError(
                f"two metrics are called {metric.text}: give one of the functions another __name__"
            )
    if not parsed:
        raise ValueError("evaluate() needs a metric, such as 'nDCG@10'")
    settings = Settings(gain, discount, ideal, unjudged, negative, undefined, max_grade)

    import pandas

    from pytest_relevance.metrics.matrix import score_batch

    checked, ranked = check_judgments(judgments), check_rankings(rankings)
    _require_ranks(rankings, checked, parsed.values(), settings)
    if (
        checked.queries
        and ranked.queries
        and set(checked.queries).isdisjoint(ranked.queries)
    ):
        warning = (
            f"none of the {len(checked.queries):,} judged queries has a ranking, so that all score as empty ones; the "
            "judgments and the rankings seem to name queries differently, such as "
            f"{checked.queries[0]!r} and {ranked.queries[0]!r}"
        )
        warnings.warn(RelevanceWarning(warning), stacklevel=2)
    scores = score_batch(list(parsed.values()), checked, ranked, settings)
    index = pandas.Index(checked.queries, dtype=object, name="query")
    table: pandas.DataFrame = pandas.DataFrame(
        dict(zip(parsed, scores, strict=True)), index=index, copy=False
    )
    return table


def _of_function(function: MetricFunction) -> Metric:
    """The metric that a function computes, of the whole ranking."""
    name = getattr(function, "__name__", None) or type(function).__name__
    return Metric(text=name, measure=name, is_own=True, function=function)


def _require_ranks(
    rankings: object,
    judgments: CheckedJudgments,
    metrics: Iterable[Metric],
    settings: Settings,
) -> None:
    """Raise a ValueError where a metric looks deeper than what is known of a ranking
    that comes from a record.
    """
    known = known_ranks(rankings)
    if not known:
        return
    for metric in metrics:
        needed = ranks_needed(metric, settings)
        for query in judgments.queries:
            if query in known and (needed is None or needed > known[query]):
                what = "all of it" if needed is None else f"{needed} ranks"
                raise ValueError(
                    f"{metric.text} takes {what}, and of the ranking of {query!r} the record has the first "
                    f"{known[query]}: set a depth in the case file (depth: 1000) and record the run again, or name a "
                    "smaller cutoff"
                )


def check_judgments(judgments: AnyJudgments) -> CheckedJudgments:
    """Check and compile judgments in any form that `evaluate` takes, for many calls.
    Raises ValueError as it does.
    """
    from pytest_relevance.metrics.checked import CheckedJudgments

    if isinstance(judgments, CheckedJudgments):
        return judgments
    mapping: Any = _judgments_of_frame(judgments) if _is_frame(judgments) else judgments
    return CheckedJudgments.from_mapping(mapping)


def check_rankings(rankings: AnyRankings) -> CheckedRankings:
    """Check and compile rankings in any form that `evaluate` takes, for many calls.
    Raises ValueError as it does.
    """
    from pytest_relevance.metrics.checked import CheckedRankings

    if isinstance(rankings, CheckedRankings):
        return rankings
    mapping: Any = _rankings_of_frame(rankings) if _is_frame(rankings) else rankings
    return CheckedRankings.from_mapping(mapping)


def _is_frame(value: object) -> bool:
    pandas = sys.modules.get("pandas")  # a DataFrame exists only where it was imported
    return pandas is not None and isinstance(value, pandas.DataFrame)


def _judgments_of_frame(frame: Any) -> dict[str, dict[str, float]]:
    names = _columns(frame, "the judgments", ("query", "document", "grade"))
    queries, documents = (
        _ids(frame, names[what], "the judgments", what)
        for what in ("query", "document")
    )
    _check_one_id(frame, names["document"], documents, "the judgments")
    tables: dict[str, dict[str, float]] = {}
    for query, document, grade in zip(
        queries, documents, frame[names["grade"]].tolist(), strict=True
    ):
        table = tables.setdefault(query, {})
        if document in table:
            raise ValueError(
                f"query {query!r}, document {document!r}: two grades, {table[document]!r} and {grade!r}; one is "
                "allowed (several ratings become one grade with pytest_relevance.aggregate)"
            )
        table[document] = grade
    return tables


def _rankings_of_frame(frame: Any) -> dict[str, list[str]]:
    from pytest_relevance.metrics.checked import sort_scores

    names = _columns(frame, "the rankings", ("query", "document"), ("rank", "score"))
    queries, documents = (
        _ids(frame, names[what], "the rankings", what) for what in ("query", "document")
    )
    _check_one_id(frame, names["document"], documents, "the rankings")
    order = next((what for what in ("rank", "score") if what in names), None)
    keys = range(len(frame)) if order is None else _numbers(frame, names[order])
    grouped: dict[str, list[tuple[str, float]]] = {}
    for query, document, key in zip(queries, documents, keys, strict=True):
        grouped.setdefault(query, []).append((document, key))
    if order == "score":
        return {
            query: sort_scores(*zip(*rows, strict=True))
            for query, rows in grouped.items()
        }
    return {
        query: [document for document, _ in sorted(rows, key=itemgetter(1))]
        for query, rows in grouped.items()
    }


def _columns(
    frame: Any, where: str, needed: Sequence[str], also: Sequence[str] = ()
) -> dict[str, Any]:
    """Find the columns of a frame by their usual spellings; a needed one that is
    missing is a ValueError.
    """
    names = list(frame.columns)
    at = find_columns(names, ("query_id", *needed, *also))
    if "query_id" in at:
        at["query"] = at.pop("query_id")
    for what in needed:
        if what not in at:
            spellings = (
                SPELLINGS[what]
                if what != "query"
                else SPELLINGS["query_id"] + SPELLINGS["query"]
            )
            raise ValueError(
                f"{where}: the frame has no column for the {what}; "
                f"it has {', '.join(map(str, names)) or 'none'}, and the {what} is read from {', '.join(spellings)}"
            )
    return {what: names[number] for what, number in at.items()}


def _ids(frame: Any, column: Any, where: str, what: str) -> list[str]:
    """Read a column of ids as text."""
    from pytest_relevance.metrics.checked import text_id

    values: list[Any] = frame[column].tolist()
    if set(map(type, values)) <= {str}:
        return values
    return [
        text_id(value, f"{where}, column {str(column)!r}", what) for value in values
    ]


def _check_one_id(frame: Any, column: Any, ids: Sequence[str], where: str) -> None:
    """Raise a ValueError for a frame that has two columns of ids of documents which
    differ in a row.
    """
    names = keys_of_documents(frame.columns)
    if len(names) < 2 or column not in names:
        return
    for name in names:
        others = [_other_id(value) for value in frame[name].tolist()]
        row = row_with_two_ids(ids, others)
        if row is not None:
            raise ValueError(
                f"{where}, row {row}: the document has two ids, {column} {ids[row]!r} and {name} {others[row]!r}; drop "
                "one of the columns"
            )


def _other_id(value: object) -> str:
    """Give the text by which an id is compared with another one; empty for a missing
    value.
    """
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _numbers(frame: Any, column: Any) -> list[float]:
    """Read a column of ranks or scores; what is no number is a ValueError that names
    the row.
    """
    values: list[float] = frame[column].tolist()
    for row, value in enumerate(values):
        if (
            not isinstance(value, (int, float))
            or isinstance(value, bool)
            or value != value
        ):
            raise ValueError(
                f"the rankings, column {str(column)!r}, row {row}: a number is needed, not {value!r}"
            )
    return values
