"""A run: the results of its cases, the data of its case files, and how it was made."""

from __future__ import annotations

import math
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import (
    MOST_ROWS,
    NUMBER,
    TEXT,
    case_name,
    counted,
    html_table,
    score_text,
)
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
        files: the `FileInfo` of each case file, by the name that `CaseResult.file` has.
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
        """Read a record that `--relevance-record=FILE` wrote, gzip or not.

        Raises `RecordError` (a ValueError), which names the file and the line, for a
        file that cannot be read, is no record, is truncated or damaged, or is of
        another version of the format.
        """
        record = read_record(path)
        return cls(record.results, record.files, record.info, name=Path(path).name)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the record, with gzip where the name ends in .gz. Raises OSError, and
        then nothing is written.
        """
        write_record(path, Record(self.results, self.files, self.info))

    def __len__(self) -> int:
        """How many results there are."""
        return len(self.results)

    def __repr__(self) -> str:
        """`Run(shop.jsonl: 52 results)`."""
        return f"Run({self.name}: {counted(len(self), 'result')})"

    def _repr_html_(self) -> str:
        """The table that a notebook shows: one row for each result, the lowest scores
        first, 20 at most.

        Cases that could not be scored come before all others, those whose score is not
        defined after them.
        """
        lowest = nsmallest(MOST_ROWS, self.results, key=_by_score)
        metrics = {result.metric.text for result in self.results}
        before = [
            None if each.baseline is None else each.baseline.score for each in lowest
        ]
        columns = {
            ("query", TEXT): [case_name(each.id, each.query) for each in lowest],
            ("variant", TEXT): [each.variant or "" for each in lowest],
            ("before", NUMBER): [
                "" if score is None else score_text(score) for score in before
            ],
            (metrics.pop() if len(metrics) == 1 else "nDCG@k", NUMBER): [
                score_text(each.score) for each in lowest
            ],
            ("judged", NUMBER): [
                ""
                if each.score is None
                else f"{each.evaluation.judged} of {each.evaluation.top}"
                for each in lowest
            ],
            ("status", TEXT): [each.status for each in lowest],
            ("place", TEXT): [each.place if each.file else "" for each in lowest],
        }
        used = {head: cells for head, cells in columns.items() if any(cells)}
        more = len(self) - len(lowest)
        note = (
            f"... and {counted(more, 'more result')} with higher scores or none"
            if more
            else ""
        )
        return html_table(
            [*used], [*zip(*used.values(), strict=True)], _summary(self), note
        )

    @property
    def missing(self) -> Sequence[str]:
        """The node ids of cases that were to run and did not finish."""
        return self.info.missing

    @property
    def frame(self) -> pandas.DataFrame:
        """One row for each case and variant: its key, verdict, nDCG@k with interval,
        other scores, latency (s).

        A score that is not defined is NaN. Needs pandas.
        """
        rows = [*map(_row_of_case, self.results)]
        return as_frame(
            rows, list(dict.fromkeys([*_CASE, *(name for row in rows for name in row)]))
        )

    @property
    def rankings(self) -> pandas.DataFrame:
        """One row for each result: the breakdown of every case, rank by rank, within
        its top k and below it.

        `grade` is NaN for an unjudged document; `gain`, `discount` and `discounted`
        (gain / discount) are NaN for a result that is not scored: beyond k, or unjudged
        where these are skipped. `rank` counts from 1. Needs pandas.
        """
        frame = as_frame(
            [row for result in self.results for row in _rows(result)], list(_RESULT)
        )
        frame.attrs[KNOWN_RANKS] = _known_ranks(self.results)
        return frame


_KEYS = ("file", "id", "variant")
_OF_RESULT = (*_KEYS, "query", "search", "tags", "weight", "verdict", "outcome")
_CASE = (*_OF_RESULT, "k", "score", "lower", "upper", "latency")
KNOWN_RANKS = "pytest_relevance.known_ranks"
"""The key in the `attrs` of rankings for the number of known ranks of each ranking that
is not whole, by its id.
"""


class RunRankings(dict[str, Sequence[str]]):
    """{id: [document, ...]} of a record. Its `attrs`, like a frame's, have the number
    of ranks that are known.
    """

    def __init__(
        self, rankings: Mapping[str, Sequence[str]], results: Iterable[CaseResult]
    ) -> None:
        super().__init__(rankings)
        self.attrs = {KNOWN_RANKS: _known_ranks(results)}


def known_ranks(rankings: object) -> Mapping[str, int]:
    """How many ranks are known of each ranking that is not whole, of rankings that come
    from a record.
    """
    known: Mapping[str, int] = getattr(rankings, "attrs", {}).get(KNOWN_RANKS, {})
    return known


_RESULT = (
    *_KEYS,
    "rank",
    "document",
    "title",
    "grade",
    "gain",
    "discount",
    "discounted",
)


def _row_of_case(result: CaseResult) -> dict[str, object]:
    row: dict[str, object] = {name: getattr(result, name) for name in _OF_RESULT}
    latency, (lower, upper) = result.call.latency, result.interval
    row |= {
        "k": result.conditions.k,
        "score": result.score,
        "lower": lower,
        "upper": upper,
        "latency": latency,
    }
    return row | {
        name: math.nan if value is None else value
        for name, value in result.evaluation.scores.items()
    }


def _by_score(result: CaseResult) -> tuple[int, float]:
    """The order of a run in a notebook: what could not be scored, then the lowest
    scores, then those not defined.
    """
    if result.status in WITHOUT_SCORE:
        return 0, 0.0
    return (2, 0.0) if result.score is None else (1, result.score)


def _summary(run: Run) -> str:
    """`run.jsonl: 52 results (48 passed, 4 failed), 2 cases did not finish`."""
    counts = Counter(result.status for result in run.results)
    statuses = ", ".join(
        f"{count:,} {status}" for status, count in counts.most_common()
    )
    unfinished = f", {run.info.why_incomplete}" if run.info.why_incomplete else ""
    return f"{run.name}: {counted(len(run), 'result')}{f' ({statuses})' if statuses else ''}{unfinished}"


def as_frame(data: Any, columns: list[str] | None = None) -> pandas.DataFrame:
    """A DataFrame of rows, or of a mapping of columns."""
    import pandas

    frame: pandas.DataFrame = pandas.DataFrame(data, columns=columns)
    return frame


def _known_ranks(results: Iterable[CaseResult]) -> dict[str, int]:
    """How many ranks are known of each ranking that is not whole, by the id of its
    case; of variants the fewest.
    """
    found: dict[str, int] = {}
    for result in results:
        kept = len(result.ranking.documents)
        if (
            result.is_cut
            or len(set(result.ranking.documents)) < result.ranking.returned
        ):
            found[result.id] = min(kept, found.get(result.id, kept))
    return found


def _rows(result: CaseResult) -> Iterable[tuple[object, ...]]:
    settings, graded = result.conditions.settings, result.graded
    scored = (
        scored_indexes(graded, settings)[: result.conditions.k] if graded.judged else ()
    )
    discounts = dict(
        zip(
            scored, discount_table(settings.discount, result.conditions.k), strict=False
        )
    )
    for index, (document, grade) in enumerate(
        zip(result.ranking.documents, graded.grades, strict=True)
    ):
        discount = discounts.get(index, math.nan)
        gain = settings.gains[grade] if index in discounts else math.nan
        shown = math.nan if grade is None else grade
        title = result.texts.titles.get(document, "")
        yield (
            *result.key,
            index + 1,
            document,
            title,
            shown,
            gain,
            discount,
            gain / discount,
        )
