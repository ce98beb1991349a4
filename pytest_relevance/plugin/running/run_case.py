"""Run one case: call its search, read the ranking, score it, and raise the exception of a failed case.

Functions here raise `CaseError` where no ranking can be scored, `CaseFailure` or `BaselineFailure` where a case fails,
and pytest's skip exception where an inconclusive case is to be skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from time import perf_counter
from typing import Any

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.failures import BaselineFailure, CaseError, CaseFailure, shown_path
from pytest_relevance.plugin.options import needs_details, tolerance, verbosity
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CHECKS, CaseRun
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE, CaseResult
from pytest_relevance.results.rankings.cut import why_cut
from pytest_relevance.results.rankings.ranking import Ranking, UnreadableRanking, read_ranking
from pytest_relevance.results.scoring import add_details, score_case


def run(this: CaseRun) -> None:
    """Run a case outside of any event loop."""
    __tracebackhide__ = True
    ranking, latency = _ranking_of_call(this)
    repeat = this.item.config.option.relevance_repeat
    if repeat is not None:
        _compare(this, [ranking, *(_ranking_of_call(this)[0] for _ in range(repeat - 1))])
    score(this, ranking, latency)


async def run_async(this: CaseRun) -> None:
    """Run a case in the event loop of another plugin."""
    __tracebackhide__ = True
    ranking, latency = await _ranking_of_call_async(this)
    repeat = this.item.config.option.relevance_repeat
    if repeat is not None:
        rankings = [ranking, *[(await _ranking_of_call_async(this))[0] for _ in range(repeat - 1)]]
        _compare(this, rankings)
    score(this, ranking, latency)


def check(item: pytest.Item, case: Case, ranking: object, path: str) -> CaseResult:
    """Score a ranking given by a test in Python. `path` is the file of the check; `case` has its line."""
    __tracebackhide__ = True
    config = item.config
    own = case.terms.tolerance
    this = CaseRun(case, item, shown_path(path, config), path, tolerance=tolerance(config) if own is None else own)
    item.stash.setdefault(CHECKS, []).append(this)
    score(this, _read(this, ranking), None)
    assert this.result is not None
    return this.result


def call_ahead(this: CaseRun) -> object:
    """Call the search before the test function of the case, keep the response for it, and return the response."""
    __tracebackhide__ = True
    this.response = None
    this.response = _response(this)
    return this.response[0]


def score(this: CaseRun, ranking: Ranking, latency: float | None) -> None:
    """Score a ranking, store the result, and raise the exception of its verdict. `latency` is in seconds."""
    __tracebackhide__ = True
    case, config = this.case, this.item.config
    if problem := why_cut(case, len(ranking.ids), this.asked):
        this.error = CaseError(problem, pytrace=False)
        raise this.error
    result = this.result = this.complete(score_case(case, ranking, latency, this.asked, details=False))
    option = config.option
    if this.baseline is not None:
        this.fails_baseline = this.baseline.compare(
            result, case, accepting=option.relevance_update == "all", details=needs_details(option)
        )
    ends = result.verdict in (FAILED, INCONCLUSIVE)
    if ends or len(this.items) > 1 or this.is_check or needs_details(option):
        add_details(result, case, ranking, all_missing=ends and verbosity(option) > 0)
    if wants_properties(option):
        set_properties(this)
    if ends:
        _end(this, result, FAILED if result.verdict == FAILED else option.relevance_inconclusive)


def _end(this: CaseRun, result: CaseResult, how: str) -> None:
    """Raise the exception of a case that failed or is inconclusive.

    `how` is `FAILED` or "fail" to fail, "skip" to skip, and "pass" to raise nothing.
    """
    __tracebackhide__ = True
    if how in (FAILED, "fail"):
        from pytest_relevance.reports.case.failure import failure_lines, failure_message
        from pytest_relevance.reports.text import plain

        # A test that catches the exception of a check may print its text; that of an item is rebuilt for the terminal.
        text = plain(failure_lines(result)) if this.is_check else failure_message(result)
        this.error = (BaselineFailure if this.fails_baseline else CaseFailure)(text, pytrace=False)
        raise this.error
    if how == "skip":
        this.error = pytest.skip.Exception("; ".join(result.reasons))
        raise this.error


def _ranking_of_call(this: CaseRun) -> tuple[Ranking, float]:
    """Call the search; return its ranking and the latency in seconds, which includes reading the response."""
    __tracebackhide__ = True
    response, started = _response(this)
    if calling.is_waiting(response):
        response, started = calling.wait_on_own_loop(this.item.config, response, started)
    ranking = _read(this, response)
    return ranking, perf_counter() - started  # a lazy response does its work while it is read


async def _ranking_of_call_async(this: CaseRun) -> tuple[Ranking, float]:
    """Do the same as `_ranking_of_call`, in the running event loop."""
    __tracebackhide__ = True
    response, started = _response(this)
    response = await calling.wait(response)
    ranking = _read(this, response)
    return ranking, perf_counter() - started


def _response(this: CaseRun) -> tuple[object, float]:
    """Return the response of the search, and the time of the call in seconds; call it unless that was done ahead."""
    __tracebackhide__ = True
    if this.response is not None:
        response, this.response = this.response, None
        return response
    this.calls += 1
    assert isinstance(this.item, pytest.Function)
    search = this.item.funcargs[this.case.search]
    try:
        this.asked = calling.asked_for(search, this.case)
        return calling.call(search, this.case, this.asked)
    except CaseError as error:
        this.error = error
        raise


def _read(this: CaseRun, response: object) -> Ranking:
    """Read a response as a ranking, with the hook `pytest_relevance_ranking` where the project implements it."""
    __tracebackhide__ = True
    item, case, own = this.item, this.case, None
    if item.config.hook.pytest_relevance_ranking.get_hookimpls():  # calling a hook without implementations costs 30 us
        own = item.ihook.pytest_relevance_ranking(response=response, case=case)
    try:
        return read_ranking(response if own is None else own, case.terms.id_field, case.terms.title_field)
    except UnreadableRanking as problem:
        this.error = CaseError(str(problem), pytrace=False)
        raise this.error from None


def _compare(this: CaseRun, rankings: Sequence[Ranking]) -> None:
    from pytest_relevance.results.rankings.rank_changes import compare_calls

    this.repeats = compare_calls(this.case, rankings)


def wants_properties(option: Any) -> bool:
    """Whether a JUnit file is written: only it shows the properties, and making them takes time."""
    return bool(getattr(option, "xmlpath", None))


def set_properties(this: CaseRun) -> None:
    """Set the JUnit properties of the item, and remove those of an earlier attempt."""
    item = this.item
    for earlier in this.properties:
        item.user_properties.remove(earlier)
    this.properties = [("verdict", "error")] if this.result is None else _properties(this.result)
    item.user_properties.extend(this.properties)


def _properties(result: CaseResult) -> list[tuple[str, object]]:
    """Return the JUnit properties: at most seven scalars, without those that are not defined."""
    lower, upper = result.interval
    before = None if result.baseline is None else result.baseline.score
    found: list[tuple[str, object]] = [("verdict", result.verdict)]
    if result.score is not None:
        found += [("score", result.score), ("interval", f"{lower:.6g}..{upper:.6g}")]
    if before is not None:
        found.append(("baseline", before))
    found += [("k", result.k), ("judged", result.judged)]
    if result.latency is not None:
        found.append(("latency", round(result.latency, 6)))
    return found
