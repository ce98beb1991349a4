"""Find what cannot be decided because a ranking may go on below what was returned.

Metrics of the whole ranking (`why_cut`): if a search with a parameter `k` returned as
many results as it was asked for, it may have more. Its ranking is cut. Then such a
metric has no value, unless the suite sets how deep the search is asked (`depth`). With
`collapse` the search returns chunks, and no metric may look deeper than the documents
of these chunks.

Expectations that are met if nothing is at some rank, for example `exclude`: if the
search returned too few results to reach this rank, either there are no more, or there
are more that it did not return.

- A search without a parameter `k` may always return ten results. What is below is not
  known. `why_unseen` looks at each case by itself.
- If a search with a parameter `k` returns fewer results than it was asked for, there
  are no more, unless the search does not pass `k` to the engine. One case does not show
  this. `find_undecided` looks at all cases of a run.

The limit of a search (`find_limit`): all cases together may show at how many results
the search stops. That is the greatest number of results that a case got, if one of
these holds:

- several cases got exactly so many, and none got as many as it asked for
- a case asked for more, and got as many as the default of the parameter `k`

There is no limit if a case asked for fewer and got as many as it asked for: then `k` is
passed to the engine.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._text import counted
from pytest_relevance.cases.expectation import kind_of, most_results
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.measures import ranks_needed
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import build_metric, takes_cutoff
from pytest_relevance.metrics.ndcg import GradedRanking, has_gain
from pytest_relevance.metrics.settings import Settings
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
    ndcg_at,
    search_of,
)
from pytest_relevance.results.outcomes import without_reference
from pytest_relevance.results.responses.ranking import Ranking

FEWEST_CASES = 3
"""Fewer cases say nothing about a search."""

USUAL_DEPTH = 10
"""Rankings of up to ten results are common. So it takes more cases to show a limit."""

FEWEST_CASES_OF_USUAL_DEPTH = 10
"""Fewer cases show no limit for a case that looks no deeper than the usual depth."""


_DEPTH_TO_WRITE = 1000
"""The depth that a message proposes, if ten times the results would be fewer."""


# --- metrics of one case --------------------------------------------------------------


def reaches_depth(ranking: Ranking, asked: int | None) -> bool:
    """Say whether a search returned as many results as it was asked for.

    `asked`: the number of results; None if the search takes no number. Then the answer
        is no.
    """
    return asked is not None and len(ranking.uncollapsed) >= asked


def why_cut(case: Case, ranking: Ranking, asked: int | None) -> str:
    """Return why a case has no score: metrics look below what was returned.

    There is a line for each metric, or one line about collapsed chunks. "" if the case
    can be scored.

    `asked`: how many results the search was asked for; None if it takes no number.
    """
    if asked is None or not reaches_depth(ranking, asked):
        return ""
    if case.settings.collapse and len(ranking.ids) < case.cutoff:
        documents = counted(len(ranking.ids), "document")
        return (
            f"the case looks at {case.cutoff} ranks, and the {ranking.returned} results "
            f"that were asked for are chunks of {documents} (collapse): write "
            f"depth: {10 * asked}, or a smaller cutoff"
        )
    if case.terms.depth is not None or not case.scores_all:
        return ""
    there = f"this search was asked for {asked}"
    lines = []
    for metric in _metrics_of_the_whole(case):
        lines.append(cut_text(metric, there, asked, case.settings))
    return "\n".join(dict.fromkeys(lines))


def _metrics_of_the_whole(case: Case) -> list[Metric]:
    """Return nDCG@k and the expected metrics that look at the whole ranking."""
    metrics = []
    ndcg = ndcg_at(case.k)
    judged = GradedRanking([], (), [*case.judgments.values()])
    if ranks_needed(ndcg, case.settings) is None and has_gain(judged, case.settings):
        metrics.append(ndcg)
    for expected in case.expect:
        if expected.metric is not None and expected.ranks(case.settings) is None:
            metrics.append(expected.metric)
    return metrics


def cut_text(
    metric: Metric, there: str, asked: int, settings: Settings | None = None
) -> str:
    """Return why a metric has no value, and what to write instead.

    For example `AP looks at the whole ranking, and this search was asked for 10: write
    AP@10, or depth: 1000`.

    `there`: says which part of the ranking is known.
    `settings`: the settings of the case. If a metric with a cutoff needs the whole
        ranking, the text names the setting that is the reason.
    """
    because, ways = "", []
    if metric.k is not None:
        if settings is None or settings.unjudged == "skip":
            because, way = "unjudged: skip", "unjudged: zero"
        else:
            because, way = "ideal: returned", "ideal: judged"
        because = f" ({because})"
        ways.append(way)
    elif takes_cutoff(metric):
        ways.append(build_metric(metric.measure, asked, metric.rel, metric.p).text)
    ways.append(f"depth: {max(_DEPTH_TO_WRITE, 10 * asked)}")
    return f"{metric.text} looks at the whole ranking{because}, and {there}: write {', or '.join(ways)}"


# --- expectations of one case ---------------------------------------------------------


def why_unseen(case: Case, ranking: Ranking) -> str:
    """Return why expectations of a case cannot be decided; "" if they can.

    There is a line for each expectation that looks deeper than the results. Call this
    function only for a search that takes no number of results.
    """
    if most_results(case.expect) == 0:
        return ""
    seen = len(ranking.ids)
    lines = []
    for expected in case.expect:
        with EXPECTATIONS.calling(expected.kind):
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
    """Return (expectation, rank to which it looks) for expectations that are open.

    An expectation is open if it is met only if there is nothing below the results.

    `outcomes`: what judging the expectations of the case gave.
    """
    if not ranking.ids and most_results(case.expect) == 0:
        return ()
    open_demands = []
    for expected, outcome in zip(without_reference(case.expect), outcomes, strict=True):
        with EXPECTATIONS.calling(expected.kind):
            kind = EXPECTATIONS.get_or_unknown(expected.kind)
            rank = kind.open_rank(expected, case.k, ranking)
        if outcome.met and rank:
            open_demands.append((expected.written, rank))
    return tuple(open_demands)


def unreached_cutoff(case: Case, ranking: Ranking) -> int:
    """Return the deepest cutoff that is written for a case, if fewer were returned.

    0 if there is no such cutoff. The `k` of a case does not count if it is 10, the
    default.
    """
    deepest = 0 if case.k == USUAL_DEPTH else case.k
    for expected in case.expect:
        deepest = max(deepest, kind_of(expected).cutoff(expected))
    for gate in case.terms.gates:
        for metric in gate.metrics:
            deepest = max(deepest, metric.k or 0)
    return deepest if deepest > len(ranking.ids) else 0


# --- expectations of all cases of a run -----------------------------------------------


@dataclass(frozen=True, slots=True)
class SearchLimit:
    """The number of results at which a search stops, whatever it is asked for.

    `count`: the number of results.
    `is_clear`: whether at least ten cases were searched, and most of them got `count`
        results. A limit that is not clear says nothing about the first ten ranks,
        because many queries have fewer than ten results.
    `cuts_short_rankings`: whether a case with fewer than `count` results may also have
        more. If some case got all that it asked for, the answer is no: fewer results
        are then all results of the query.
    """

    count: int
    is_clear: bool
    cuts_short_rankings: bool

    def may_cut(self, result: CaseResult) -> bool:
        """Say whether there may be results that a case did not get."""
        return self.cuts_short_rankings or result.ranking.length == self.count

    def last_rank(self, result: CaseResult) -> int:
        """Return the last rank that a case can have.

        Chunks that were left out have no rank.
        """
        return self.count - result.ranking.left_out

    def hides(self, depth: int, result: CaseResult) -> bool:
        """Say whether a case does not see all ranks down to `depth`.

        If the limit is not clear, the answer is no for the first ten ranks.
        """
        return depth > self.last_rank(result) and (self.is_clear or depth > USUAL_DEPTH)


def find_limit(results: Sequence[CaseResult]) -> SearchLimit | None:
    """Return the limit that the results of a search show; None if they show none.

    The rules are in the docstring of the module. For example:

    - 3 cases asked for 50 results, and each got 10: the limit is 10
    - the same, and one more asked for 5 and got 5: there is no limit
    - 2 cases asked for 50 and got 12 and 7: there is no limit
    """
    count = max((result.ranking.length for result in results), default=0)
    if count == 0 or any(_follows_k(result, count) for result in results):
        return None
    at_limit = [result for result in results if result.ranking.length == count]
    none_is_full = all(_has_fewer_than_asked(result) for result in results)
    shown_by_default = any(result.ranking.is_default_k for result in at_limit)
    shown_by_several = (
        none_is_full and len(results) >= FEWEST_CASES and len(at_limit) > 1
    )
    if not (shown_by_default or shown_by_several):
        return None
    are_many = len(results) >= FEWEST_CASES_OF_USUAL_DEPTH
    return SearchLimit(
        count=count,
        is_clear=are_many and 2 * len(at_limit) > len(results),
        cuts_short_rankings=none_is_full,
    )


def _follows_k(result: CaseResult, count: int) -> bool:
    """Say whether a case asked for fewer than `count` results, and got as many."""
    asked = result.conditions.asked
    return asked is not None and 0 < asked < count and result.ranking.length == asked


def _has_fewer_than_asked(result: CaseResult) -> bool:
    """Say whether a search takes no number of results, or returned fewer than asked."""
    asked = result.conditions.asked
    return not asked or result.ranking.length < asked


@dataclass(frozen=True, slots=True)
class Undecided:
    """A case that did not fail, and that further results could make fail.

    `demands`: (expectation, rank to which it looks), for those that look deeper than
    the search returns results.
    `limit`: where the search stops.
    """

    result: CaseResult
    demands: Sequence[tuple[str, int]]
    limit: SearchLimit

    @property
    def message(self) -> str:
        """Return why the case is not decided, in a line for each expectation."""
        most = counted(self.limit.count, "result")
        last = self.limit.last_rank(self.result)
        lines = []
        for name, depth in self.demands:
            lines.append(
                f"{name} looks at rank {depth}, and no case got more than {most}, whatever it asked for: let the search "
                f"pass k to the engine, or look no deeper than rank {last}"
            )
        return "\n".join(lines)

    def as_error(self) -> CaseResult:
        """Return the result as an error, without a score and without outcomes.

        It keeps the demands, so that a later merge knows the error (`was_undecided`).
        """
        error = SearchError(type="", message=self.message, phase=SCORING)
        return replace(
            self.result,
            verdict=ERROR,
            conditions=replace(self.result.conditions, asked=None),
            ranking=CaseRanking(),
            texts=DocumentTexts(),
            evaluation=CaseEvaluation(
                reasons=(text_reason(error.headline),), undecided=tuple(self.demands)
            ),
            baseline=None,
            call=CaseCall(error=error),
        )


def was_undecided(result: CaseResult) -> bool:
    """Say whether a result is an error that `Undecided.as_error` has made."""
    return result.verdict == ERROR and bool(result.evaluation.undecided)


def find_undecided(
    results: Iterable[CaseResult], whole_files: Iterable[str]
) -> dict[Key, Undecided]:
    """Return {key of a result: the undecided case}, for all searches of a run.

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
    """Return the cases of one search with an expectation that looks below its limit.

    Cases that fail anyway are left out. [] if the search has no limit.
    """
    limit = find_limit(results)
    if limit is None:
        return []
    cases = []
    for result in results:
        if result.verdict not in (PASSED, INCONCLUSIVE) or has_failed(result):
            continue
        if not limit.may_cut(result):
            continue
        demands = []
        for name, depth in result.evaluation.undecided:
            if limit.hides(depth, result):
                demands.append((name, depth))
        if demands:
            cases.append(Undecided(result, demands, limit))
    return cases
