"""Define a run: the results of its cases, its case files, and how it was made.

`Run.open` reads a record into it, for notebooks and for commands.
"""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_relevance._notebook_html import MOST_ROWS, NUMBER, TEXT, html_table
from pytest_relevance._number_text import score_text
from pytest_relevance._text import case_name, counted
from pytest_relevance.metrics.ndcg import scored_indexes
from pytest_relevance.metrics.settings import discount_table
from pytest_relevance.results.case_result import WITHOUT_SCORE, CaseResult
from pytest_relevance.results.records.record_file import (
    Record,
    read_record,
    write_record,
)
from pytest_relevance.results.records.run_info import FileInfo, RunInfo

if TYPE_CHECKING:
    import pandas


class Run:
    """The results of a run, as read from a record: `Run.open("run.jsonl")`.

    Attributes:
        results: one `CaseResult` for each case and variant, in the order of the record.
        files: {`CaseResult.file`: the `FileInfo` of the case file}.
        info: the `RunInfo`, how the run was made.
        name: what reports call the run: the name of the record, without folders.
    """

    def __init__(
        self,
        results: Sequence[CaseResult],
        files: Mapping[str, FileInfo] | None = None,
        info: RunInfo | None = None,
        *,
        name: str = "run",
    ) -> None:
        self.results: Sequence[CaseResult] = tuple(results)
        self.files: Mapping[str, FileInfo] = files or {}
        self.info = info or RunInfo()
        self.name = name

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Run:
        """Return the run of a record that `--relevance-record=FILE` wrote, gzip or not.

        Raises `RecordError` (a ValueError), with the file and the line, if the file
        cannot be read, is not a record, was cut off or damaged, or is of another
        version of the format.
        """
        record = read_record(path)
        return cls(record.results, record.files, record.info, name=Path(path).name)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the record, compressed with gzip if the name ends in .gz.

        Raises OSError if it cannot be written. Then an old file is unchanged.
        """
        write_record(path, Record(self.results, self.files, self.info))

    def __len__(self) -> int:
        """Return how many results there are."""
        return len(self.results)

    def __repr__(self) -> str:
        """Return, for example, `Run(shop.jsonl: 52 results)`."""
        return f"Run({self.name}: {counted(len(self), 'result')})"

    def _repr_html_(self) -> str:
        """Return a table for a notebook: 20 results at most, the lowest scores first.

        Cases that could not be scored come before all others. Cases whose score is not
        defined come last.
        """
        lowest = nsmallest(MOST_ROWS, self.results, key=_by_score)
        more = len(self) - len(lowest)
        note = ""
        if more:
            results = counted(more, "more result")
            note = f"... and {results} with higher scores or none"
        table = _table(lowest, self._metric)
        rows = [*zip(*table.values(), strict=True)]
        return html_table([*table], rows, _summary(self), note)

    @property
    def _metric(self) -> str:
        """Return the metric of all scores; `nDCG@k` if there are several or none."""
        metrics = {result.metric.text for result in self.results}
        return metrics.pop() if len(metrics) == 1 else "nDCG@k"

    @property
    def missing(self) -> Sequence[str]:
        """Return the node ids of cases that were to run and did not finish."""
        return self.info.missing

    @property
    def frame(self) -> pandas.DataFrame:
        """Return a DataFrame with a row for each case and variant. Needs pandas.

        A row has the key of the case (`file`, `id`, `variant`), what it asks (`query`,
        `search`, `tags`, `weight`, `k`), its `verdict`, the `outcome` of pytest, its
        nDCG@k (`score`), the interval that unjudged results leave (`lower`, `upper`),
        other scores under their names, and the `latency` in seconds. A score that is
        not defined is NaN, and so is a latency that was not measured.
        """
        rows = [_row_of_case(result) for result in self.results]
        columns = dict.fromkeys(_CASE)
        for row in rows:
            columns |= dict.fromkeys(row)
        return as_frame(rows, list(columns))

    @property
    def rankings(self) -> pandas.DataFrame:
        """Return a DataFrame with a row for each result of each search. Needs pandas.

        `rank` counts from 1, also below the top k. `grade` is NaN for an unjudged
        document. `gain`, `discount` and `discounted` (gain / discount) are NaN for a
        result that is not scored: it is below k, or unjudged with `unjudged: skip`.
        """
        rows: list[tuple[object, ...]] = []
        for result in self.results:
            rows += _rows_of_ranking(result)
        frame = as_frame(rows, list(_RESULT))
        frame.attrs[KNOWN_RANKS] = _known_ranks(self.results)
        return frame


def as_frame(data: Any, columns: list[str] | None = None) -> pandas.DataFrame:
    """Return a DataFrame of rows, or of a mapping of columns."""
    import pandas

    frame: pandas.DataFrame = pandas.DataFrame(data, columns=columns)
    return frame


# --- the table of a notebook ----------------------------------------------------------


def _by_score(result: CaseResult) -> tuple[int, float]:
    """Return the sort key of a result: not scored, then by score, then not defined."""
    if result.status in WITHOUT_SCORE:
        return 0, 0.0
    return (2, 0.0) if result.score is None else (1, result.score)


def _table(
    results: Sequence[CaseResult], metric: str
) -> dict[tuple[str, str], list[str]]:
    """Return the columns of a table by their heads, without columns that are empty."""
    columns: dict[tuple[str, str], list[str]] = {
        ("query", TEXT): [case_name(result.id, result.query) for result in results],
        ("variant", TEXT): [result.variant or "" for result in results],
        ("before", NUMBER): [_score_before(result) for result in results],
        (metric, NUMBER): [score_text(result.score) for result in results],
        ("judged", NUMBER): [_judged(result) for result in results],
        ("status", TEXT): [result.status for result in results],
        ("place", TEXT): [result.place if result.file else "" for result in results],
    }
    return {head: cells for head, cells in columns.items() if any(cells)}


def _score_before(result: CaseResult) -> str:
    """Return the score of the accepted ranking as text; empty if there is none."""
    before = None if result.baseline is None else result.baseline.score
    return "" if before is None else score_text(before)


def _judged(result: CaseResult) -> str:
    """Return, for example, `8 of 10`; empty for a result without a score."""
    if result.score is None:
        return ""
    return f"{result.evaluation.judged} of {result.evaluation.top}"


def _summary(run: Run) -> str:
    """Return the counts of a run in words.

    Example: `run.jsonl: 52 results (48 passed, 4 failed), 2 cases did not finish`.
    """
    counts = Counter(result.status for result in run.results)
    text = f"{run.name}: {counted(len(run), 'result')}"
    if counts:
        statuses = [f"{count:,} {status}" for status, count in counts.most_common()]
        text += f" ({', '.join(statuses)})"
    if run.info.why_incomplete:
        text += f", {run.info.why_incomplete}"
    return text


# --- the rows of DataFrames -----------------------------------------------------------

_KEYS = ("file", "id", "variant")
_OF_RESULT = (*_KEYS, "query", "search", "tags", "weight", "verdict", "outcome")
_CASE = (*_OF_RESULT, "k", "score", "lower", "upper", "latency")
_OF_DOCUMENT = ("rank", "document", "title", "grade", "gain", "discount", "discounted")
_RESULT = (*_KEYS, *_OF_DOCUMENT)


def _row_of_case(result: CaseResult) -> dict[str, object]:
    """Return the row of `Run.frame` for one result."""
    lower, upper = result.interval
    row: dict[str, object] = {name: getattr(result, name) for name in _OF_RESULT}
    row["k"] = result.conditions.k
    row["score"] = nan_if_none(result.score)
    row["lower"] = nan_if_none(lower)
    row["upper"] = nan_if_none(upper)
    row["latency"] = nan_if_none(result.call.latency)
    for name, value in result.evaluation.scores.items():
        row[name] = nan_if_none(value)
    return row


def nan_if_none(value: float | None) -> float:
    """Return a number as a table of pandas has it: NaN in place of None."""
    return math.nan if value is None else value


def _rows_of_ranking(result: CaseResult) -> Iterable[tuple[object, ...]]:
    """Yield the rows of `Run.rankings` for one result."""
    settings, graded, k = result.conditions.settings, result.graded, result.conditions.k
    discounts: dict[int, float] = {}
    if graded.judged:
        scored = scored_indexes(graded, settings)[:k]
        table = discount_table(settings.discount, k)
        discounts = dict(zip(scored, table, strict=False))
    pairs = zip(result.ranking.documents, graded.grades, strict=True)
    for index, (document, grade) in enumerate(pairs):
        discount = discounts.get(index, math.nan)
        gain = settings.gains[grade] if index in discounts else math.nan
        yield (
            *result.key,
            index + 1,
            document,
            result.texts.titles.get(document, ""),
            math.nan if grade is None else grade,
            gain,
            discount,
            gain / discount,
        )


# --- how much of a ranking is known ---------------------------------------------------

KNOWN_RANKS = "pytest_relevance.known_ranks"
"""The key in the `attrs` of rankings, for {id: number of known ranks}.

It has the rankings that are not whole.
"""


class RunRankings(dict[str, Sequence[str]]):
    """The rankings of a record: {id: [document, ...]}.

    `attrs`, as in a DataFrame, says how many ranks of each ranking are known.
    """

    def __init__(
        self, rankings: Mapping[str, Sequence[str]], results: Iterable[CaseResult]
    ) -> None:
        super().__init__(rankings)
        self.attrs = {KNOWN_RANKS: _known_ranks(results)}


def known_ranks(rankings: object) -> Mapping[str, int]:
    """Return {id: how many ranks are known}, for rankings of a record that are cut."""
    known: Mapping[str, int] = getattr(rankings, "attrs", {}).get(KNOWN_RANKS, {})
    return known


def _known_ranks(results: Iterable[CaseResult]) -> dict[str, int]:
    """Return {id: how many ranks are known}, for rankings that are cut.

    If a case has several variants, the fewest count.
    """
    known: dict[str, int] = {}
    for result in results:
        documents = result.ranking.documents
        is_partial = len(set(documents)) < result.ranking.returned
        if result.is_cut or is_partial:
            kept = len(documents)
            known[result.id] = min(kept, known.get(result.id, kept))
    return known
