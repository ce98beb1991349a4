"""Call the search of one case alone, as often as the run asks for, and read what it
returns.
"""

from __future__ import annotations

import inspect
from collections.abc import Coroutine
from typing import Any

from pytest_relevance.plugin.clock import Moment, now, seconds_since
from pytest_relevance.plugin.failures import CaseError
from pytest_relevance.plugin.running import awaiting, calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.searched import Searched, Timed
from pytest_relevance.results.responses.ranking import Ranking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


def search_alone(this: CaseRun) -> Searched | Coroutine[Any, Any, Searched]:
    """Call the search of a case; return a coroutine if a response has to be awaited.

    A latency includes the reading of the response, as a lazy response does its work
    while it is read.
    """
    rankings: list[Timed] = []
    if awaiting.is_coroutine_function(this.search):
        return _search_in_loop(this, rankings)
    while len(rankings) < this.settings.calls:
        response, started = _call(this)
        if awaiting.is_waiting(response):
            return _search_in_loop(this, rankings, (response, started))
        ranking = read_answer(this, response)
        rankings.append((ranking, seconds_since(started)))
    return _searched(this, rankings)


async def _search_in_loop(
    this: CaseRun,
    rankings: list[Timed],
    waiting: tuple[object, Moment] | None = None,
) -> Searched:
    """Make the calls that are left in the running event loop. The response of the first
    may wait already.
    """
    while len(rankings) < this.settings.calls:
        response, started = waiting or _call(this)
        waiting = None
        if inspect.iscoroutine(response):  # it starts only now
            started = now()
        most = calling.most_to_read(this.case, this.attempt.asked)
        ranking = read_answer(this, await awaiting.wait(response, most))
        rankings.append((ranking, seconds_since(started)))
    return _searched(this, rankings)


def _searched(this: CaseRun, rankings: list[Timed]) -> Searched:
    attempt = this.attempt
    return Searched(
        rankings=rankings,
        answer=attempt.answer,
        calls=attempt.calls,
        asked=attempt.asked,
    )


def _call(this: CaseRun) -> tuple[object, Moment]:
    """Call the search; return its response, and the moment of the call."""
    attempt = this.attempt
    attempt.calls += 1
    search = this.search
    try:
        attempt.asked = calling.asked_for(search, this.case)
        return calling.call_search(search, this.case, attempt.asked)
    except CaseError as error:
        attempt.error = error
        raise


def read_answer(this: CaseRun, response: object) -> Ranking:
    """Read a response as a ranking. Keep the first response, which the project may
    explain.
    """
    attempt = this.attempt
    if attempt.answer is None:
        attempt.answer = response
    # a check has the hook only while its test runs: a finished test has no fixtures
    search = (getattr(this.item, "funcargs", None) or {}).get(this.case.search)
    try:
        return calling.read_response(
            this.item,
            this.case,
            response,
            search,
            attempt.asked,
            is_check=this.is_check,
        )
    except CaseError as error:
        attempt.error = error
        raise
