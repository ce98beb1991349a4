"""Find expectations about ranks below the last result that a search returned.

An expectation such as `exclude` is met if nothing stands in the ranks that it looks at.
If the search returned fewer results than that, either there are no more, or nobody has
seen the ranks below.

- A search without a parameter `k` may return ten results whatever is asked. So it is
  not known what lies below them. `why_unseen` looks at each case by itself.
- A search with a parameter `k` that returns fewer results than it was asked for shows
  that there are no more. But it may not hand `k` on to the engine. One case does not
  show this. `find_undecided` looks at all cases of a run.

All cases together may show a limit: the greatest number of results that a case got.
This number is a limit if several cases got exactly so many, and none got as many as it
asked for; or if a case asked for more, and got as many as the default of the parameter
`k`. It is not a limit if a case got fewer results because it asked for fewer: then `k`
is handed on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._text import counted
from pytest_relevance.cases.model import Case, kind_of, most_results
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import (
    SCORING,
    CaseCall,
    CaseEvaluation,
    CaseRanking,
    DocumentTexts,
    Outcome,
    SearchError,
    text_reason,
)
from pytest_relevance.results.case_result import (
    CHECK,
    ERROR,
    INCONCLUSIVE,
    PASSED,
    CaseResult,
    Key,
    grouped,
    has_failed,
    search_of,
)
from pytest_relevance.results.outcomes import without_reference
from pytest_relevance.results.responses.ranking import Ranking

FEWEST_CASES = 3
"""Fewer cases say nothing about a search."""

USUAL_DEPTH = 10
"""Rankings with fewer results are common. So a limit below it needs more cases."""

FEWEST_CASES_OF_USUAL_DEPTH = 10
"""Fewer cases show no limit for a case that looks no deeper than the usual depth."""


# --- of one case ----------------------------------------------------------------------


def why_unseen(case: Case, ranking: Ranking) -> str:
    """Return why expectations of a case cannot be decided; empty if they can.

    There is a line for each expectation that looks deeper than the results. Call this
    function only for a search that takes no number of results.
    """
    if most_results(case.expect) == 0:
        return ""
    seen = len(ranking.ids)
    lines = []
    for expected in case.expect:
        kind = EXPECTATIONS.get_or_unknown(expected.kind)
        depth = kind.open_rank_without_k(expected, case.k, ranking)
        if depth > seen:
            lines.append(
                f"{expected.written} looks at the top {depth}, and {counted(seen, 'rank')} can be seen, as this search "
                "takes no k: give it a parameter k, or look no deeper than that"
            )
    return "\n".join(lines)


def undecided_demands(
    case: Case, outcomes: Sequence[Outcome], ranking: Ranking
) -> tuple[tuple[str, int], ...]:
    """Return the expectations that are met only if nothing lies below the results.

    Each is given with the rank to which it looks.
    """
    if not ranking.ids and most_results(case.expect) == 0:
        return ()
    open_demands = []
    for expected, outcome in zip(without_reference(case.expect), outcomes, strict=True):
        rank = EXPECTATIONS.get_or_unknown(expected.kind).open_rank(
            expected, case.k, ranking
        )
        if outcome.met and rank:
            open_demands.append((expected.written, rank))
    return tuple(open_demands)


def unreached_cutoff(case: Case, ranking: Ranking) -> int:
    """Return the deepest cutoff that is written for a case, if fewer were returned.

    It is 0 if there is none. A k of 10 that nobody has written does not count.
    """
    deepest = 0 if case.k == USUAL_DEPTH else case.k
    for expected in case.expect:
        deepest = max(deepest, kind_of(expected).cutoff(expected))
    for gate in case.terms.gates:
        for metric in gate.metrics:
            deepest = max(deepest, metric.k or 0)
    return deepest if deepest > len(ranking.ids) else 0


# --- of all cases of a run ------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Undecided:
    """A case that passed, and whose search may have had more results.

    `demands`: the expectations that look deeper, each with the rank to which it looks.
    `limit`: the most results that any case got.
    """

    result: CaseResult
    demands: Sequence[tuple[str, int]]
    limit: int

    @property
    def message(self) -> str:
        """Return why the case is not decided, in a line for each expectation."""
        most = counted(self.limit, "result")
        last = _last_rank(self.result, self.limit)
        lines = []
        for name, depth in self.demands:
            lines.append(
                f"{name} looks at rank {depth}, and no case got more than {most}, whatever it asked for: let the search "
                f"hand k on to the engine, or look no deeper than rank {last}"
            )
        return "\n".join(lines)

    def as_error(self) -> CaseResult:
        """Return the result as an error, without a score and without outcomes."""
        error = SearchError(type="", message=self.message, phase=SCORING)
        return replace(
            self.result,
            verdict=ERROR,
            conditions=replace(self.result.conditions, asked=None),
            ranking=CaseRanking(),
            texts=DocumentTexts(),
            evaluation=CaseEvaluation(reasons=(text_reason(error.headline),)),
            baseline=None,
            call=CaseCall(error=error),
        )


def find_limit(results: Sequence[CaseResult]) -> int:
    """Return the number of results at which a search stops, whatever it is asked for.

    It is 0 if the search shows no limit.
    """
    limit = max((result.ranking.length for result in results), default=0)
    if any(_shows_that_k_is_handed_on(result, limit) for result in results):
        return 0
    at_limit = [result for result in results if result.ranking.length == limit]
    if any(result.ranking.is_default_k for result in at_limit):
        return limit
    is_shared = len(results) >= FEWEST_CASES and len(at_limit) > 1
    never_full = all(_has_fewer_than_asked(result) for result in results)
    return limit if is_shared and never_full else 0


def _shows_that_k_is_handed_on(result: CaseResult, limit: int) -> bool:
    """Say whether a search returned fewer results because it was asked for fewer."""
    asked = result.conditions.asked
    return asked is not None and 0 < asked < limit and result.ranking.length == asked


def shows_usual_limit(results: Sequence[CaseResult]) -> bool:
    """Say whether the limit of a search is clear enough for the usual depth.

    There have to be ten cases or more, and most of them got as many results as the
    limit.
    """
    limit = find_limit(results)
    at_limit = sum(1 for result in results if result.ranking.length == limit)
    is_of_most = 2 * at_limit > len(results)
    return len(results) >= FEWEST_CASES_OF_USUAL_DEPTH and limit > 0 and is_of_most


def find_undecided(
    results: Iterable[CaseResult], whole_files: Iterable[str]
) -> dict[Key, Undecided]:
    """Return {key: the case}, for cases that further results could make fail.

    `whole_files`: the files that ran with all their cases. Other files are left out,
        because a few cases of a file may have few results.
    """
    whole = frozenset(whole_files)
    searched = []
    for result in results:
        if result.evaluation.scores and result.search != CHECK:
            searched.append(result)
    by_key = {}
    for of_search in grouped(searched, search_of).values():
        for undecided in _undecided_of_search(of_search):
            if undecided.result.file in whole:
                by_key[undecided.result.key] = undecided
    return by_key


def _undecided_of_search(results: Sequence[CaseResult]) -> list[Undecided]:
    """Return the cases of one search with an expectation that looks below its limit."""
    limit = find_limit(results)
    if not limit:
        return []
    never_full = all(_has_fewer_than_asked(result) for result in results)
    shows_usual = shows_usual_limit(results)
    cases = []
    for result in results:
        if not never_full and result.ranking.length != limit:
            continue
        if result.verdict not in (PASSED, INCONCLUSIVE) or has_failed(result):
            continue
        demands = []
        for name, depth in result.evaluation.undecided:
            is_usual = depth <= USUAL_DEPTH
            if depth > _last_rank(result, limit) and (shows_usual or not is_usual):
                demands.append((name, depth))
        if demands:
            cases.append(Undecided(result, demands, limit))
    return cases


def _last_rank(result: CaseResult, limit: int) -> int:
    """Return the last rank that a case can have if the search stops at a limit.

    Chunks that were left out have no rank.
    """
    return limit - result.ranking.left_out


def _has_fewer_than_asked(result: CaseResult) -> bool:
    """Say whether a search returned fewer results than it was asked for.

    True for a search that takes no number.
    """
    asked = result.conditions.asked
    return not asked or result.ranking.length < asked
