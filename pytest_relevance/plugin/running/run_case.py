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
from pytest_relevance.plugin.paths import shown_path
from pytest_relevance.plugin.pytest_internals import requested
from pytest_relevance.plugin.redaction import redaction
from pytest_relevance.plugin.run_settings import settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting, calling
from pytest_relevance.plugin.running.case_run import CaseRun, Checks, Searched, Timed
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


def run(case_run: CaseRun) -> None:
    """Run a case outside of any event loop: search, score, and compare.

    Raises the exception of the search, or of a verdict that fails or skips the case.
    """
    with _attempt_at(case_run):
        searched = search(case_run)
        if not isinstance(searched, Searched):
            searched = awaiting.run_on_own_loop(case_run.item.config, searched)
        rankings = _rankings_of(case_run, searched)
        awaiting.run_without_loop(_score_rankings(case_run, rankings))


async def run_async(case_run: CaseRun) -> None:
    """Run a case in the running event loop of another plugin: search, score, compare.

    Raises the exception of the search, or of a verdict that fails or skips the case.
    """
    with _attempt_at(case_run):
        case_run.attempt.loop = awaiting.running_loop()
        searched = search(case_run)
        if not isinstance(searched, Searched):
            searched = await searched
        await _score_rankings(case_run, _rankings_of(case_run, searched))


async def _score_rankings(case_run: CaseRun, rankings: Sequence[Timed]) -> None:
    """Score the ranking of the first call, and raise the exception of the verdict.

    `rankings`: one for each call of the search. The others are compared with the first.
    """
    (first, latency), *others = rankings
    ranking = await completed(case_run, first)
    if others:
        all_rankings = [ranking, *(other for other, _ in others)]
        case_run.attempt.repeats = compare_calls(case_run.case, all_rankings)
    scored = _score(case_run, ranking, latency)
    _keep_and_raise(case_run, await looked_deeper(case_run, scored))


@contextmanager
def _attempt_at(case_run: CaseRun) -> Iterator[None]:
    """Make the block of a `with` statement an attempt at a case.

    If an attempt is running already (see `begin`), the block is a part of it.
    """
    begin(case_run)
    try:
        yield
    finally:
        case_run.attempt.is_running = False


def begin(case_run: CaseRun) -> None:
    """Begin an attempt at a case, if none is running.

    Call this when the fixtures of the item are set up, before an event loop runs. A
    plugin may call an item several times before it makes a report. These calls are one
    attempt.
    """
    if (
        case_run.start_attempt()
        and run_store(case_run.item.config).unsent.fingerprint is None
    ):
        request_fingerprint(case_run.item)


def search(case_run: CaseRun) -> Searched | Awaitable[Searched]:
    """Call the hook `pytest_relevance_search` for a case, and return what it returned.

    If `is_awaited` has called the hook before, its result is returned. Raises
    `CaseError` if an implementation of the hook returned another type.
    """
    attempt = case_run.attempt
    searched: Searched | Awaitable[Searched] | None = attempt.pending
    attempt.pending = None
    if searched is None:
        attempt.is_called = True
        searched = case_run.item.ihook.pytest_relevance_search(case_run=case_run)
    if isinstance(searched, Searched) or awaiting.is_awaitable(searched):
        return searched
    attempt.error = CaseError(
        f"the hook pytest_relevance_search returned {shown(searched)}; it returns "
        "Searched, something to await for it, or None",
        pytrace=False,
    )
    raise attempt.error


def _rankings_of(case_run: CaseRun, searched: Searched) -> Sequence[Timed]:
    """Return the ranking of each call of a search, or raise the exception of a call."""
    case_run.attempt.searched = searched
    if searched.error is None:
        return searched.rankings
    if isinstance(searched.error, CaseError):
        case_run.attempt.error = searched.error
    raise searched.error


def check(
    item: pytest.Item, checks: Checks, case: Case, ranking: object, path: str
) -> CaseResult:
    """Score a ranking for a test in Python: `relevance.check`.

    `checks`: the checks of the test, to which this one is added.
    `case`: has the line in which the check was called.
    `path`: the file in which the check was called.

    Returns the result of a check that passes. Raises the exception of any other check.
    """
    case_run = CaseRun(
        case=case,
        item=item,
        settings=settings(item.config),
        file=shown_path(path, item.config),
        path=path,
        is_check=True,
    )
    case_run.attempt.loop = awaiting.running_loop()
    checks.runs.append(case_run)
    read = _read_given(case_run, ranking)
    complete = awaiting.run_without_loop(completed(case_run, read))
    scored = _score(case_run, complete, latency=None)
    _keep_and_raise(case_run, scored)
    return scored.result


def _read_given(case_run: CaseRun, given: object) -> Ranking:
    """Return what a check was given as a ranking. Raises `CaseError` if it is not one.

    If the test requests the search fixture, and the search has an attribute `ids`, it
    says also here which ids the results have.
    """
    case_run.attempt.searched = Searched(answer=given)
    # a finished test has no fixtures
    fixtures = getattr(case_run.item, "funcargs", None) or {}
    search_function = fixtures.get(case_run.case.search)
    try:
        return calling.read_response(
            case_run.item, case_run.case, given, search_function, None, is_check=True
        )
    except CaseError as error:
        case_run.attempt.error = error
        raise


def is_awaited(case_run: CaseRun) -> bool:
    """Call the search, and say whether its response has to be awaited.

    The response is kept in `attempt.pending`. `search` returns it when the test
    function runs.
    """
    case_run.attempt.pending = None
    case_run.attempt.pending = search(case_run)
    return not isinstance(case_run.attempt.pending, Searched)


def _score(case_run: CaseRun, ranking: Ranking, latency: float | None) -> Scored:
    """Return the result of a case. Raises `CaseError` if it has none.

    `latency`: in seconds; None if it was not measured.
    """
    attempt = case_run.attempt
    attempt.is_read = True
    try:
        problem = why_not_scored(case_run, ranking, latency)
        if not problem:
            return score_with_details(case_run, ranking, latency)
    except MetricError as error:
        problem = _metric_error_text(error, case_run.item.config)
    except ExtensionError as error:
        problem = str(error)
    attempt.error = CaseError(problem, pytrace=False)
    raise attempt.error


def _keep_and_raise(case_run: CaseRun, scored: Scored) -> None:
    """Keep the result of a case, and raise the exception of its verdict, if any."""
    attempt = case_run.attempt
    attempt.result = scored.result
    set_properties(case_run)
    attempt.error = exception_of(case_run, scored)
    if attempt.error is not None:
        raise attempt.error


def _metric_error_text(error: MetricError, config: pytest.Config) -> str:
    """Return why a metric has no value, with the line of the project that failed."""
    raised = error.__cause__
    frame = "" if raised is None else exceptions.search_error(raised, config).frame
    return f"{error} ({frame})" if frame else str(error)


def set_properties(case_run: CaseRun) -> None:
    """Set the JUnit properties of the item, if a JUnit file is written."""
    if not case_run.settings.properties:
        return
    item = case_run.item
    for earlier in case_run.properties:
        item.user_properties.remove(earlier)
    if case_run.attempt.result is not None:
        case_run.properties = _properties(case_run.attempt.result)
    elif isinstance(case_run.attempt.error, NotSearched):
        case_run.properties = [("verdict", NOT_SEARCHED)]
    else:
        case_run.properties = [("verdict", ERROR)]
    item.user_properties.extend(case_run.properties)


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
