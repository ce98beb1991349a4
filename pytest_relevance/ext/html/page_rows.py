"""The rows of the page: the outcome of each case, and which cases the page shows."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from pytest_relevance.reports.brief_reasons import reason_beside_score
from pytest_relevance.reports.run.case_change import CaseChange, fall_order
from pytest_relevance.reports.run.certainty_text import certainty_text
from pytest_relevance.results import case_result
from pytest_relevance.results.became import CHANGED, GOT_BETTER, GOT_WORSE, became_of
from pytest_relevance.results.case_result import (
    FAILED,
    INCONCLUSIVE,
    MEASURED,
    SKIPPED,
    CaseResult,
)
from pytest_relevance.results.change_counts import certainty_of
from pytest_relevance.results.changes import Change, Snapshot
from pytest_relevance.results.compare.comparison import Comparison
from pytest_relevance.results.failures import FAILED_BEFORE, failed_before


@dataclass(frozen=True, slots=True)
class PageRow:
    """A case in the page.

    `change`: the case compared by nDCG@k with its earlier ranking, if it has one.
    `became`: `got worse`, `changed`, `got better`, `failed before`, or else the status.
    `is_certain`: whether the case got worse, whatever grades its unjudged results get.
    None if it did not get worse, or is compared by another metric than nDCG.
    """

    change: Change
    became: str
    is_certain: bool | None = None

    @property
    def result(self) -> CaseResult:
        """The result of the case now."""
        return self.change.case

    @property
    def got_worse(self) -> bool:
        """Whether the case is worse than its earlier ranking."""
        return self.became == GOT_WORSE

    @property
    def got_better(self) -> bool:
        """Whether the case is better than its earlier ranking."""
        return self.became == GOT_BETTER

    @property
    def said(self) -> str:
        """`became`; of a case that got worse also how sure that is."""
        sure = certainty_text(self.is_certain)
        return f"{self.became}, {sure}" if sure else self.became

    @property
    def has_failed(self) -> bool:
        """Whether the case is shown among the failures: it failed, or got worse."""
        return self.got_worse or case_result.has_failed(self.result)

    @property
    def tone(self) -> str:
        """The CSS class that colours the outcome: a status, with `-` for spaces.

        A case that got worse has `failed`, or `inconclusive` if it needs grades.
        """
        if self.is_certain is False:
            return INCONCLUSIVE
        status = FAILED if self.got_worse else self.result.status
        return status.replace(" ", "-")

    @property
    def failed_before(self) -> bool:
        """Whether the case failed, and its accepted ranking misses the same demands."""
        return failed_before(self.result)

    @property
    def score_change(self) -> float:
        """By how much nDCG@k rose; 0 without a score before or now."""
        difference = self.change.difference
        return 0.0 if math.isnan(difference) else difference

    @property
    def earlier_ranking(self) -> Snapshot | None:
        """The earlier ranking to show; None if there is none.

        It may be one that cannot be compared, for example that of another query.
        """
        baseline = self.result.baseline
        if baseline is not None and not baseline.has_accepted_ranking:
            return None
        return self.change.before

    @property
    def was_skipped(self) -> bool:
        """Whether the case was skipped."""
        return self.result.status == SKIPPED


def rows_of_run(results: Iterable[CaseResult]) -> list[PageRow]:
    """Return a row for each case of a run, compared with its baseline."""
    rows = []
    for result in results:
        change = Change.since_baseline(result)
        rows.append(_row(change, change))
    return rows


def rows_of_comparison(comparison: Comparison) -> list[PageRow]:
    """Return a row for each compared case, compared with its ranking in the first run.

    The metric of the headline decides whether a row got worse or better.
    """
    rows = []
    for pair, change in zip(comparison.pairs, comparison.changes, strict=True):
        # the page shows nDCG@k; `change` is by the metric of the headline
        rows.append(_row(Change.between(pair), change))
    return rows


def _row(change: Change, counted: Change) -> PageRow:
    """Return the row of a case. `counted`: its change by the metric of the headline."""
    word = became_of(counted)
    is_certain = certainty_of(counted, word)
    if word not in (GOT_WORSE, CHANGED, GOT_BETTER):
        word = change.case.status
        if failed_before(change.case):
            word = FAILED_BEFORE
    return PageRow(change, word, is_certain)


def results_of(rows: Sequence[PageRow]) -> list[CaseResult]:
    """Return the result of each row."""
    return [row.result for row in rows]


# --- which rows the page shows --------------------------------------------------------

MOST_CASES = 20_000
"""How many cases a page has in full. Of a larger run it has `MOST_DETAILED`."""

MOST_DETAILED = 10_000


@dataclass(frozen=True, slots=True)
class ChosenRows:
    """The rows that a page has.

    `shown`: the cases that the page has in full, in the order of the run.
    `worst_first`: the same cases, the worst first: those of `worst`, then the others.
    `worst`: all cases of the run that failed or whose score fell, the worst first. If
    there are none: the cases with a score below 1.
    """

    shown: Sequence[PageRow]
    worst_first: Sequence[PageRow]
    worst: Sequence[PageRow]


def choose_rows(rows: Sequence[PageRow]) -> ChosenRows:
    """Return the rows that a page has.

    These are all cases that ran. If they are more than `MOST_CASES`, they are the most
    notable ones.
    """
    ran = [row for row in rows if not row.was_skipped]
    fallen, others = _fallen_and_others(ran)
    worst_first = [*fallen, *others]
    worst = fallen or [row for row in others if _is_below_1(row)]
    if len(ran) <= MOST_CASES:
        return ChosenRows(ran, worst_first, worst)
    shown = _most_notable(ran)
    ids = {id(row) for row in shown}
    worst_first = [row for row in worst_first if id(row) in ids]
    return ChosenRows(shown, worst_first, worst)


def _fallen_and_others(
    rows: Sequence[PageRow],
) -> tuple[list[PageRow], list[PageRow]]:
    """Return the rows that failed or whose score fell, and all other rows.

    Both lists begin with the worst: the first is sorted by `fall_order`, the second by
    `_lowest_first`.
    """
    fallen = []
    others = []
    for row in rows:
        change = CaseChange(row.change)
        order = fall_order(change, is_failed=row.has_failed, is_worse=row.got_worse)
        if order is None:
            others.append(row)
        else:
            fallen.append((order, row))
    fallen.sort(key=lambda pair: pair[0])
    others.sort(key=_lowest_first)
    return [row for _, row in fallen], others


def _lowest_first(row: PageRow) -> tuple[bool, float]:
    """Return a sort key: cases that can fail first, and of both the lowest scores."""
    score = row.result.score
    return row.result.verdict == MEASURED, math.inf if score is None else score


def _is_below_1(row: PageRow) -> bool:
    return row.result.score is not None and row.result.score < 1


def _most_notable(rows: Sequence[PageRow]) -> list[PageRow]:
    """Return the `MOST_DETAILED` most notable rows, in the order of `rows`.

    Cases that got worse are most notable, then other failures, then changed scores,
    then cases with unjudged results. Other cases are not notable.
    """
    notable = []
    for place, row in enumerate(rows):
        if row.has_failed:
            urgency = 0 if row.got_worse else 1
        elif row.score_change:
            urgency = 2
        elif row.result.unjudged:
            urgency = 3
        else:
            continue
        notable.append((urgency, row.result.weight * row.score_change, place))
    notable.sort()
    places = [place for _, _, place in notable[:MOST_DETAILED]]
    return [rows[place] for place in sorted(places)]


# --- what a row says ------------------------------------------------------------------


def nothing_fell(rows: Sequence[PageRow]) -> bool:
    """Say whether no case failed and no score fell.

    Then the page shows the cases with the lowest scores, as without a baseline.
    """
    for row in rows:
        if row.was_skipped:
            continue
        if row.has_failed:
            return False
        is_compared = row.change.score_before is not None
        if is_compared and CaseChange(row.change).weighted_change < 0:
            return False
    return True


def row_reason(result: CaseResult, said_once: frozenset[int]) -> str:
    """Return the reason in the row of a case: its error, or why it failed.

    `said_once`: the `id()` of results with an error that the page names once for
        several cases. For such a result the reason is "".
    """
    if result.call.error is None:
        return reason_beside_score(result)
    return "" if id(result) in said_once else result.call.error.headline
