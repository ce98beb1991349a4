"""Make a table of scores from judgments and rankings, for notebooks and scripts.

`evaluate` turns mappings and DataFrames into `CheckedJudgments` and `CheckedRankings`.
`metrics` does all arithmetic.
"""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Any

from pytest_relevance._problems import RelevanceWarning
from pytest_relevance.judgments.columns import SPELLINGS, find_columns
from pytest_relevance.judgments.document_ids import keys_of_documents, row_with_two_ids
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.metrics.measures import ranks_needed
from pytest_relevance.metrics.metric import Metric, MetricFunction
from pytest_relevance.metrics.names import parse_metric, refuse_similarity, refuse_texts
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

AnyMetric = str | Metric | MetricFunction
"""A metric as a caller names it: a name, a `Metric`, or a function."""

_JUDGMENTS = "the judgments"
_RANKINGS = "the rankings"


def evaluate(
    judgments: AnyJudgments,
    rankings: AnyRankings,
    metrics: AnyMetric | Sequence[AnyMetric] = ("nDCG@10",),
    *,
    gain: str | Mapping[float, float] = "exponential",
    discount: str = "log2",
    ideal: str = "judged",
    unjudged: str = "zero",
    max_grade: float | None = None,
    negative: str = "keep",
    undefined: str = "nan",
) -> pandas.DataFrame:
    """Return a table with the scores of many queries.

    The table has a row for each judged query, in the order of the judgments, and a
    column for each metric. The index is the query ids as text. A column has the name of
    the metric as it was written.

    `judgments`: one of

    - {query: {document: grade}}
    - a DataFrame with a row for each judgment and the columns query_id, doc_id and
      grade
    - `CheckedJudgments`

    `rankings`: one of

    - {query: [document, ...]}, best first
    - {query: {document: score}}
    - a DataFrame with a row for each result and the columns query_id, doc_id and rank
      or score. If it has both, the rank counts; if it has neither, the order of rows.
    - `CheckedRankings`

    Scores are sorted as trec_eval sorts them: by score, then by document id, both
    descending.

    `metrics`: names, for example "nDCG@10". A metric may be a function too, as the hook
    `pytest_relevance_metrics` has them. Its name is its `__name__`, and its k is None.

    The other arguments are those of `Settings`. For the figures of trec_eval write
    `gain="linear"`, `negative="zero"`, `undefined="zero"`.

    Ids are compared as text, integers as their digits. The documents of one query have
    to be of one type: if the first id is text, the others are not converted.

    A judged query without a ranking scores as an empty ranking. If no query has a
    ranking, there is a `RelevanceWarning`. Rankings of queries without judgments are
    ignored. A document that is returned twice counts at its first rank. If a measure is
    not defined (nDCG without a relevant document), the score is NaN, or 0 with
    `undefined="zero"`.

    Raises:
        ValueError: the judgments have passages instead of documents; a metric or a
            setting is unknown; no metric is given, or two different ones of one name; a
            grade is not a finite number or has no gain; a document has two grades; an
            id is not text or an integer; a DataFrame lacks a column; a metric looks
            deeper than a record knows the rankings (`Run.rankings`, `read_run`); or the
            function of a metric raises an exception, or returns neither a number nor
            None. The message names the query, and the document if there is one.
    """
    by_name = _metrics_by_name(metrics)
    settings = Settings(gain, discount, ideal, unjudged, negative, undefined, max_grade)

    import pandas

    from pytest_relevance.metrics.matrix import score_batch

    judged = check_judgments(judgments)
    ranked = check_rankings(rankings)
    _require_ranks_of_queries(rankings, judged, by_name.values(), settings)
    _warn_of_other_queries(judged, ranked)
    scores = score_batch(list(by_name.values()), judged, ranked, settings)
    columns = dict(zip(by_name, scores, strict=True))
    index = pandas.Index(judged.queries, dtype=object, name="query")
    return pandas.DataFrame(columns, index=index, copy=False)


# --- metrics --------------------------------------------------------------------------


def _metrics_by_name(metrics: AnyMetric | Sequence[AnyMetric]) -> dict[str, Metric]:
    """Return {name of the column: metric}.

    A metric that is given twice is one column. Raises ValueError if a name is unknown
    or not allowed here, two different metrics have one name, or no metric is given.
    """
    if isinstance(metrics, (str, Metric)) or callable(metrics):
        metrics = [metrics]
    by_name: dict[str, Metric] = {}
    for each in metrics:
        metric = _parsed(each)
        name = each if isinstance(each, str) else metric.text
        if by_name.setdefault(name, metric) != metric:
            raise ValueError(
                f"two metrics are called {metric.text}: give one of the functions "
                "another __name__"
            )
    if not by_name:
        raise ValueError("evaluate() needs a metric, such as 'nDCG@10'")
    return by_name


def _parsed(metric: AnyMetric) -> Metric:
    """Return the metric of a name or a function. Raises ValueError for a wrong name."""
    if not callable(metric):
        return refuse_texts(refuse_similarity(parse_metric(metric)))
    name = getattr(metric, "__name__", None) or type(metric).__name__
    return Metric(text=name, measure=name, is_own=True, function=metric)


def _require_ranks_of_queries(
    rankings: object,
    judgments: CheckedJudgments,
    metrics: Iterable[Metric],
    settings: Settings,
) -> None:
    """Raise ValueError if a metric needs more ranks than a record has of a ranking."""
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


# --- judgments and rankings -----------------------------------------------------------


def check_judgments(judgments: AnyJudgments) -> CheckedJudgments:
    """Return checked judgments, to call `evaluate` with them many times.

    `judgments`: {query: {document: grade}}, or a DataFrame as for `evaluate`.

    Raises ValueError if the judgments have passages, a grade is not a finite number, a
    document has two grades, an id has no exact text, or a DataFrame lacks a column.
    """
    from pytest_relevance.metrics.checked import CheckedJudgments

    if isinstance(judgments, CheckedJudgments):
        return judgments
    if isinstance(judgments, Judgments) and judgments.have_passages:
        raise ValueError(
            f"{judgments.file} has passages, which are looked for in the texts of results, and rankings have ids alone; "
            f"make a suite of the file: queries: {os.path.basename(judgments.file)}"
        )
    mapping: Any = _judgments_of_frame(judgments) if _is_frame(judgments) else judgments
    return CheckedJudgments.from_mapping(mapping)


def check_rankings(rankings: AnyRankings) -> CheckedRankings:
    """Return checked rankings, to call `evaluate` with them many times.

    `rankings`: {query: [document, ...]}, {query: {document: score}}, or a DataFrame as
        for `evaluate`.

    Raises ValueError if a ranking is not a list of documents, two queries have one id,
    an id has no exact text, a score or a rank is not a number, or a DataFrame lacks a
    column.
    """
    from pytest_relevance.metrics.checked import CheckedRankings

    if isinstance(rankings, CheckedRankings):
        return rankings
    mapping: Any = _rankings_of_frame(rankings) if _is_frame(rankings) else rankings
    return CheckedRankings.from_mapping(mapping)


def _warn_of_other_queries(judged: CheckedJudgments, ranked: CheckedRankings) -> None:
    """Warn the caller of `evaluate` if no judged query has a ranking."""
    if not judged.queries or not ranked.queries:
        return
    if set(judged.queries).isdisjoint(ranked.queries):
        message = (
            f"none of the {len(judged.queries):,} judged queries has a ranking, so "
            "each scores as an empty one. The judgments and the rankings seem to "
            f"name queries differently, for example {judged.queries[0]!r} and "
            f"{ranked.queries[0]!r}"
        )
        warnings.warn(RelevanceWarning(message), stacklevel=3)


# --- data frames ----------------------------------------------------------------------


def _is_frame(value: object) -> bool:
    # Whoever has a DataFrame has imported pandas.
    pandas = sys.modules.get("pandas")
    return pandas is not None and isinstance(value, pandas.DataFrame)


def _judgments_of_frame(frame: Any) -> dict[str, dict[str, float]]:
    """Return {query: {document: grade}}.

    Raises ValueError if a column is missing, an id has no exact text, or a document has
    two grades.
    """
    columns = _find_columns(frame, _JUDGMENTS, ("query", "document", "grade"))
    queries = _ids(frame, columns["query"], _JUDGMENTS, "query")
    documents = _document_ids(frame, columns["document"], _JUDGMENTS)
    grades = frame[columns["grade"]].tolist()
    tables: dict[str, dict[str, float]] = {}
    for query, document, grade in zip(queries, documents, grades, strict=True):
        table = tables.setdefault(query, {})
        if document in table:
            raise ValueError(
                f"query {query!r}, document {document!r}: two grades, {table[document]!r} and {grade!r}; one is "
                "allowed (several ratings become one grade with pytest_relevance.aggregate)"
            )
        table[document] = grade
    return tables


def _rankings_of_frame(frame: Any) -> dict[str, list[str]]:
    """Return {query: [document, ...]}, best first: by rank, else by score, else by row.

    Raises ValueError if a column is missing, an id has no exact text, or a rank or a
    score is not a number.
    """
    columns = _find_columns(
        frame, _RANKINGS, ("query", "document"), optional=("rank", "score")
    )
    queries = _ids(frame, columns["query"], _RANKINGS, "query")
    documents = _document_ids(frame, columns["document"], _RANKINGS)
    sort = _sorted_by_rank
    if "rank" in columns:
        keys = _numbers(frame, columns["rank"])
    elif "score" in columns:
        keys = _numbers(frame, columns["score"])
        sort = _sorted_by_score
    else:
        keys = list(range(len(frame)))
    results: dict[str, list[tuple[str, float]]] = {}
    for query, document, key in zip(queries, documents, keys, strict=True):
        results.setdefault(query, []).append((document, key))
    return {query: sort(of_query) for query, of_query in results.items()}


def _sorted_by_rank(results: Sequence[tuple[str, float]]) -> list[str]:
    """Return the documents of (document, rank) pairs, the lowest rank first."""
    return [document for document, _ in sorted(results, key=itemgetter(1))]


def _sorted_by_score(results: Sequence[tuple[str, float]]) -> list[str]:
    """Return the documents of (document, score) pairs, sorted as trec_eval does."""
    from pytest_relevance.metrics.checked import sort_scores

    documents = [document for document, _ in results]
    scores = [score for _, score in results]
    return sort_scores(documents, scores)


def _find_columns(
    frame: Any, where: str, needed: Sequence[str], optional: Sequence[str] = ()
) -> dict[str, Any]:
    """Return {name: column of the frame}, by the usual spellings.

    Raises ValueError if one of the `needed` columns is missing.
    """
    names = list(frame.columns)
    numbers = find_columns(names, ("query_id", *needed, *optional))
    if "query_id" in numbers:
        numbers["query"] = numbers.pop("query_id")
    for what in needed:
        if what not in numbers:
            spellings = SPELLINGS[what]
            if what == "query":
                spellings = SPELLINGS["query_id"] + SPELLINGS["query"]
            raise ValueError(
                f"{where}: the frame has no column for the {what}; "
                f"it has {', '.join(map(str, names)) or 'none'}, and the {what} is read from {', '.join(spellings)}"
            )
    return {what: names[number] for what, number in numbers.items()}


def _ids(frame: Any, column: Any, where: str, what: str) -> list[str]:
    """Return a column of ids as text. Raises ValueError for a value that is not an id.

    `where`, `what`: what the message calls the table and the id.
    """
    from pytest_relevance.metrics.checked import text_id

    values: list[Any] = frame[column].tolist()
    if set(map(type, values)) <= {str}:
        return values
    where = f"{where}, column {str(column)!r}"
    return [text_id(value, where, what) for value in values]


def _document_ids(frame: Any, column: Any, where: str) -> list[str]:
    """Return the column of document ids as text.

    Raises ValueError if another column has another id of a document.
    """
    ids = _ids(frame, column, where, "document")
    names = keys_of_documents(frame.columns)
    if len(names) < 2 or column not in names:
        return ids
    for name in names:
        others = [_other_id(value) for value in frame[name].tolist()]
        row = row_with_two_ids(ids, others)
        if row is not None:
            raise ValueError(
                f"{where}, row {row}: the document has two ids, {column} {ids[row]!r} and {name} {others[row]!r}; drop "
                "one of the columns"
            )
    return ids


def _other_id(value: object) -> str:
    """Return an id as text, to compare it with another id; "" for a missing value.

    A whole float becomes the text of its integer.
    """
    if value is None or value != value:
        return ""
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _numbers(frame: Any, column: Any) -> list[float]:
    """Return a column of ranks or scores.

    Raises ValueError, which names the row, for a value that is not a number.
    """
    values: list[float] = frame[column].tolist()
    for row, value in enumerate(values):
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if not is_number or value != value:
            raise ValueError(
                f"the rankings, column {str(column)!r}, row {row}: a number is needed, not {value!r}"
            )
    return values
