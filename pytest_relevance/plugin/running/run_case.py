"""Run one case: search, read the ranking, score it, raise the exception of its verdict.

Functions of this module raise

- `CaseError` if no ranking can be scored
- `CaseFailure` or `BaselineFailure` if a case fails
- pytest's skip exception if an inconclusive case is to be skipped, and its xfail
  exception if a case that failed before is expected to fail
"""

from __future__ import annotations

from collections.abc import Awaitable, Iterator, Sequence
from contextlib import contextmanager

import pytest

from pytest_relevance._text import shown
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.metric import MetricError
from pytest_relevance.plugin import exceptions
from pytest_relevance.plugin.exceptions import (
    CaseError,
    NotSearched,
    error_text,
)
from pytest_relevance.plugin.options import redaction, settings, shown_path
from pytest_relevance.plugin.pytest_internals import requested
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting, calling, case_run
from pytest_relevance.plugin.running.case_run import CaseRun, Searched, Timed
from pytest_relevance.plugin.running.completing import completed
from pytest_relevance.plugin.running.deeper import looked_deeper
from pytest_relevance.plugin.running.score_in_run import (
    Scored,
    exception_of,
    score_with_details,
    why_not_scored,
)
from pytest_relevance.registry import ExtensionError
from pytest_relevance.results.case_result import (
    ERROR,
    NOT_SEARCHED,
    CaseResult,
)
from pytest_relevance.results.records.fingerprint import checked
from pytest_relevance.results.repeats import compare_calls
from pytest_relevance.results.responses.ranking import Ranking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


def run(this: CaseRun) -> None:
    """Run a case outside of any event loop: search, score, and compare.

    Raises the exception of the search, or of a verdict that fails or skips the case.
    """
    with _attempt_at(this):
        searched = search(this)
        if not isinstance(searched, Searched):
            searched = awaiting.run_on_own_loop(this.item.config, searched)
        rankings = _rankings_of(this, searched)
        awaiting.run_without_loop(_score_rankings(this, rankings))


async def run_async(this: CaseRun) -> None:
    """Run a case in the running event loop of another plugin: search, score, compare.

    Raises the exception of the search, or of a verdict that fails or skips the case.
    """
    with _attempt_at(this):
        this.attempt.loop = awaiting.running_loop()
        searched = search(this)
        if not isinstance(searched, Searched):
            searched = await searched
        await _score_rankings(this, _rankings_of(this, searched))


async def _score_rankings(this: CaseRun, rankings: Sequence[Timed]) -> None:
    """Score the ranking of the first call, and raise the exception of the verdict.

    `rankings`: one for each call of the search. The others are compared with the first.
    """
    (first, latency), *others = rankings
    ranking = await completed(this, first)
    if others:
        all_rankings = [ranking, *(other for other, _ in others)]
        this.attempt.repeats = compare_calls(this.case, all_rankings)
    scored = _score(this, ranking, latency)
    _keep_and_raise(this, await looked_deeper(this, scored))


@contextmanager
def _attempt_at(this: CaseRun) -> Iterator[None]:
    """Make the block of a `with` statement an attempt at a case.

    If an attempt is running already (see `begin`), the block is a part of it.
    """
    begin(this)
    try:
        yield
    finally:
        this.attempt.is_running = False


def begin(this: CaseRun) -> None:
    """Begin an attempt at a case, if none is running.

    Call this when the fixtures of the item are set up, before an event loop runs. A
    plugin may call an item several times before it makes a report. These calls are one
    attempt.
    """
    if this.start_attempt() and run_store(this.item.config).unsent.fingerprint is None:
        request_fingerprint(this.item)


def search(this: CaseRun) -> Searched | Awaitable[Searched]:
    """Call the hook `pytest_relevance_search` for a case, and return what it returned.

    If `is_awaited` has called the hook before, its result is returned. Raises
    `CaseError` if an implementation of the hook returned another type.
    """
    attempt = this.attempt
    searched: Searched | Awaitable[Searched] | None = attempt.pending
    attempt.pending = None
    if searched is None:
        attempt.is_called = True
        searched = this.item.ihook.pytest_relevance_search(case_run=this)
    if isinstance(searched, Searched) or awaiting.is_awaitable(searched):
        return searched
    attempt.error = CaseError(
        f"the hook pytest_relevance_search returned {shown(searched)}; it returns "
        "Searched, something to await for it, or None",
        pytrace=False,
    )
    raise attempt.error


def _rankings_of(this: CaseRun, searched: Searched) -> Sequence[Timed]:
    """Return the ranking of each call of a search, or raise the exception of a call."""
    this.attempt.searched = searched
    if searched.error is None:
        return searched.rankings
    if isinstance(searched.error, CaseError):
        this.attempt.error = searched.error
    raise searched.error


def check(
    item: pytest.Item, checks: case_run.Checks, case: Case, ranking: object, path: str
) -> CaseResult:
    """Score a ranking for a test in Python: `relevance.check`.

    `checks`: the checks of the test, to which this one is added.
    `case`: has the line in which the check was called.
    `path`: the file in which the check was called.

    Returns the result of a check that passes. Raises the exception of any other check.
    """
    this = CaseRun(
        case=case,
        item=item,
        settings=settings(item.config),
        file=shown_path(path, item.config),
        path=path,
        is_check=True,
    )
    this.attempt.loop = awaiting.running_loop()
    checks.runs.append(this)
    read = _read_given(this, ranking)
    complete = awaiting.run_without_loop(completed(this, read))
    scored = _score(this, complete, latency=None)
    _keep_and_raise(this, scored)
    return scored.result


def _read_given(this: CaseRun, given: object) -> Ranking:
    """Return what a check was given as a ranking. Raises `CaseError` if it is not one.

    If the test requests the search fixture, `search.ids` of its value counts here too.
    """
    this.attempt.searched = Searched(answer=given)
    # a finished test has no fixtures
    fixtures = getattr(this.item, "funcargs", None) or {}
    search_function = fixtures.get(this.case.search)
    try:
        return calling.read_response(
            this.item, this.case, given, search_function, None, is_check=True
        )
    except CaseError as error:
        this.attempt.error = error
        raise


def is_awaited(this: CaseRun) -> bool:
    """Call the search, and say whether its response has to be awaited.

    The response is kept in `attempt.pending`. `search` returns it when the test
    function runs.
    """
    this.attempt.pending = None
    this.attempt.pending = search(this)
    return not isinstance(this.attempt.pending, Searched)


def _score(this: CaseRun, ranking: Ranking, latency: float | None) -> Scored:
    """Return the result of a case. Raises `CaseError` if it has none.

    `latency`: in seconds; None if it was not measured.
    """
    attempt = this.attempt
    attempt.is_read = True
    try:
        problem = why_not_scored(this, ranking, latency)
        if not problem:
            return score_with_details(this, ranking, latency)
    except MetricError as error:
        problem = _metric_error_text(error, this.item.config)
    except ExtensionError as error:
        problem = str(error)
    attempt.error = CaseError(problem, pytrace=False)
    raise attempt.error


def _keep_and_raise(this: CaseRun, scored: Scored) -> None:
    """Keep the result of a case, and raise the exception of its verdict, if any."""
    attempt = this.attempt
    attempt.result = scored.result
    set_properties(this)
    attempt.error = exception_of(this, scored)
    if attempt.error is not None:
        raise attempt.error


def _metric_error_text(error: MetricError, config: pytest.Config) -> str:
    """Return why a metric has no value, with the line of the project that failed."""
    raised = error.__cause__
    frame = "" if raised is None else exceptions.search_error(raised, config).frame
    return f"{error} ({frame})" if frame else str(error)


def set_properties(this: CaseRun) -> None:
    """Set the JUnit properties of the item, if a JUnit file is written."""
    if not this.settings.properties:
        return
    item = this.item
    for earlier in this.properties:
        item.user_properties.remove(earlier)
    if this.attempt.result is not None:
        this.properties = _properties(this.attempt.result)
    elif isinstance(this.attempt.error, NotSearched):
        this.properties = [("verdict", NOT_SEARCHED)]
    else:
        this.properties = [("verdict", ERROR)]
    item.user_properties.extend(this.properties)


def _properties(result: CaseResult) -> list[tuple[str, object]]:
    """Return the JUnit properties of a result: (name, value) for each known value."""
    lower, upper = result.interval
    evaluation, call = result.evaluation, result.call
    values: dict[str, object] = {
        "verdict": result.verdict,
        "score": result.score,
        "interval": None if result.score is None else f"{lower:.6g}..{upper:.6g}",
        "baseline": None if result.baseline is None else result.baseline.score,
        "k": result.conditions.k,
        "judged": evaluation.judged,
        "filled": sum(evaluation.filled_top.values()) or None,
        "verdict_without_filled": evaluation.people_verdict or None,
        "latency": None if call.latency is None else round(call.latency, 6),
        "latency_shared": call.latency_shared or None,
        "recorded": call.is_recorded or None,
    }
    return [(name, value) for name, value in values.items() if value is not None]


FINGERPRINT = "relevance_fingerprint"
"""The name of the fixture that says what is searched."""


def request_fingerprint(item: pytest.Item) -> None:
    """Keep the value of the fixture `relevance_fingerprint`. Warn if it fails.

    Call this once in each process, when the fixtures of the item are set up. If the
    fixture raises Ctrl-C or `pytest.exit`, the run ends. Its other exceptions are
    warnings.
    """
    try:
        found = requested(item, FINGERPRINT)
    except exceptions.ENDING:
        raise
    except BaseException as error:
        _go_without_fingerprint(item, f"it raised {error_text(error, item.config)}")
        return
    if found is None:
        return
    try:
        fingerprint = checked(found[0])
        known = redaction(item.config)
        known.learn(fingerprint)
        masked = known.values(fingerprint)
    except ValueError as error:
        _go_without_fingerprint(item, str(error))
        return
    run_store(item.config).unsent.set_fingerprint(masked)


def _go_without_fingerprint(item: pytest.Item, why: str) -> None:
    """Warn that the fixture `relevance_fingerprint` cannot be used, and why."""
    unsent = run_store(item.config).unsent
    unsent.set_fingerprint({})
    unsent.warn(
        FINGERPRINT,
        f"the fixture {FINGERPRINT} cannot be used, and the run goes on without it: {why}",
    )
