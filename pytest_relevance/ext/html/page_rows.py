"""The rows of the page: each case with what became of it, beside an earlier ranking if
any.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_relevance.reports.comparison_report import (
    GOT_BETTER,
    became,
    notable_change,
)
from pytest_relevance.results import case_result
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    LOST,
    NEW,
    NOT_COMPARED,
)
from pytest_relevance.results.case_result import SKIPPED, CaseResult
from pytest_relevance.results.changes import Change
from pytest_relevance.results.compare.comparison import Comparison
from pytest_relevance.results.failures import FAILED_BEFORE, GOT_WORSE, failure_kind


@dataclass(frozen=True, slots=True)
class PageRow:
    """A case in the page.

    `change`: the case, and its ranking beside the earlier one, by nDCG@k.
    `became`: what became of the case: it got worse or better, failed before, or its
    status.
    `is_better`: whether its score rose by more than the tolerance, or in a comparison
    by more than a little.
    """

    change: Change
    became: str
    is_better: bool = False

    @property
    def result(self) -> CaseResult:
        """The result of the case now."""
        return self.change.case

    @property
    def got_worse(self) -> bool:
        """Whether the case is worse than the earlier ranking."""
        return self.became == GOT_WORSE

    @property
    def has_failed(self) -> bool:
        """Whether the case is shown among those that failed."""
        return self.got_worse or case_result.has_failed(self.result)

    @property
    def status(self) -> str:
        """The status whose colour the row has."""
        return case_result.FAILED if self.got_worse else self.result.status

    @property
    def failed_before(self) -> bool:
        """Whether the baseline says that the accepted ranking misses the same."""
        baseline = self.result.baseline
        return baseline is not None and baseline.failed_before

    @property
    def score_change(self) -> float:
        """How much nDCG@k rose (fell: below 0); 0 if either score is not defined."""
        difference = self.change.difference
        return 0.0 if math.isnan(difference) else difference

    @property
    def has_earlier_ranking(self) -> bool:
        """Whether there is an earlier ranking to show, be it one of another query."""
        baseline = self.result.baseline
        if baseline is None:
            return self.change.before is not None
        return baseline.standing not in (NEW, NOT_COMPARED, LOST)

    @property
    def was_skipped(self) -> bool:
        """Whether the case was skipped."""
        return self.result.status == SKIPPED


def rows_of_run(results: Iterable[CaseResult]) -> list[PageRow]:
    """Make a row for each case of a run, beside its baseline."""
    return [_row_of_run(result) for result in results]


def _row_of_run(result: CaseResult) -> PageRow:
    baseline = result.baseline
    is_better = baseline is not None and baseline.standing == IMPROVEMENT
    word = result.status
    if case_result.has_failed(result) and failure_kind(result) in (
        GOT_WORSE,
        FAILED_BEFORE,
    ):
        word = failure_kind(result)
    return PageRow(Change.since_baseline(result), word, is_better)


def rows_of_comparison(comparison: Comparison) -> list[PageRow]:
    """Make a row for each compared case, beside its ranking in the first run.

    What became of a case is what the headline counts it as.
    """
    least = notable_change(comparison)
    rows = []
    for pair, change in zip(comparison.pairs, comparison.changes, strict=True):
        word = became(change, least)
        rows.append(PageRow(Change.between(pair), word, word == GOT_BETTER))
    return rows


def results_of(rows: Sequence[PageRow]) -> list[CaseResult]:
    """Return the results of the cases."""
    return [row.result for row in rows]
