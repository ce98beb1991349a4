"""Run one case: call its search, read the ranking, score it, and raise the exception of a failed case.

Functions here raise `CaseError` where no ranking can be scored, `CaseFailure` or `BaselineFailure` where a case fails,
and pytest's own exceptions where an inconclusive case is to be skipped, or a case that failed before is expected to
fail. The project may have a fixture that says what is searched, which is asked here.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import replace

import pytest

from pytest_relevance._text import shown
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.metric import MetricError
from pytest_relevance.plugin import failures
from pytest_relevance.plugin.failures import (
    BaselineFailure,
    CaseError,
    CaseFailure,
    NotSearched,
    error_text,
)
from pytest_relevance.plugin.options import redaction, settings, shown_path, verbosity
from pytest_relevance.plugin.pytest_internals import requested
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running import awaiting, calling, case_run
from pytest_relevance.plugin.running.alone import read_answer
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.latency import why_unmeasured
from pytest_relevance.plugin.running.searched import Searched, Timed
from pytest_relevance.registry import ExtensionError
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    INCONCLUSIVE,
    NOT_SEARCHED,
    CaseResult,
)
from pytest_relevance.results.records.run_info import checked
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import score_case, why_cut, with_details

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


def run(this: CaseRun) -> None:
    """Run a case outside of any event loop."""
    begin(this)
    try:
        searched = search(this)
        if not isinstance(searched, Searched):
            searched = awaiting.run_on_own_loop(this.item.config, searched)
        calls = _rankings_of(this, searched)
        if this.case.expect and this.case.looks_beyond_ids:
            from pytest_relevance.plugin.running.completing import completed_now

            calls = [(completed_now(this, calls[0][0]), calls[0][1]), *calls[1:]]
        _score_first(this, calls)
    finally:
        this.attempt.is_running = False


async def run_async(this: CaseRun) -> None:
    """Run a case in the event loop of another plugin."""
    begin(this)
    this.attempt.loop = awaiting.running_loop()
    try:
        searched = search(this)
        if not isinstance(searched, Searched):
            searched = await searched
        calls = _rankings_of(this, searched)
        if this.case.expect and this.case.looks_beyond_ids:
            from pytest_relevance.plugin.running.completing import completed

            calls = [(await completed(this, calls[0][0]), calls[0][1]), *calls[1:]]
        _score_first(this, calls)
    finally:
        this.attempt.is_running = False


def begin(this: CaseRun) -> None:
    """Begin the run of a case, unless it was begun: a plugin may call an item several times before it makes a report.

    Call it before an event loop runs. The fixtures of the item are set up.
    """
    if this.start_attempt() and run_store(this.item.config).unsent.fingerprint is None:
        request_fingerprint(this.item)


def search(this: CaseRun) -> Searched | Awaitable[Searched]:
    """Have the hook call the search of a case, unless `is_awaited` had it called.

    Raises `CaseError` if an implementation of the hook returned something else.
    """
    attempt = this.attempt
    searched, attempt.searched = attempt.searched, None
    if searched is None:
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
    """Return the rankings of a case, and note how its search was called. Raises the error of the search."""
    attempt = this.attempt
    attempt.answer = searched.answer
    attempt.calls = searched.calls
    attempt.asked = searched.asked
    attempt.concurrency = searched.concurrency
    attempt.is_shared = searched.is_shared
    if isinstance(searched.error, CaseError):
        attempt.error = searched.error
    return searched.read()


def _score_first(this: CaseRun, calls: Sequence[Timed]) -> None:
    """Score the ranking of the first call; compare the rankings of the other calls with it."""
    if len(calls) > 1:
        from pytest_relevance.results.repeats import compare_calls

        this.attempt.repeats = compare_calls(
            this.case, [ranking for ranking, _ in calls]
        )
    ranking, latency = calls[0]
    score(this, ranking, latency)


def check(
    item: pytest.Item, checks: case_run.Checks, case: Case, ranking: object, path: str
) -> CaseResult:
    """Score a ranking given by a test in Python, as one of its `checks`.

    `path` is the file of the check; `case` has its line.
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
    read = read_answer(this, ranking)
    if case.expect and case.looks_beyond_ids:
        from pytest_relevance.plugin.running.completing import completed_now

        read = completed_now(this, read)
    score(this, read, None)
    assert this.attempt.result is not None
    return this.attempt.result


def is_awaited(this: CaseRun) -> bool:
    """Whether an event loop has to run for a case, as its search has returned something to await.

    The search is called here, before the test function of the case, and what it returned is kept for it.
    """
    this.attempt.searched = None
    this.attempt.searched = search(this)
    return not isinstance(this.attempt.searched, Searched)


def score(this: CaseRun, ranking: Ranking, latency: float | None) -> None:
    """Score a ranking, store the result, and raise the exception of its verdict. `latency` is in seconds."""
    attempt = this.attempt
    case, config = this.case, this.item.config
    attempt.is_read = True
    problem = why_cut(case, ranking, attempt.asked)
    if not problem and latency is None and not this.is_check:
        problem = why_unmeasured(this)
    if not problem and case.expect:
        from pytest_relevance.expectations.conditions import why_unknown_fields
        from pytest_relevance.results.unseen import why_unseen

        if attempt.asked is None and not this.is_check:
            problem = why_unseen(case, ranking)
        if not problem and case.fields:
            problem = why_unknown_fields(case, ranking)
    if problem:
        attempt.error = CaseError(problem, pytrace=False)
        raise attempt.error
    try:
        result = score_case(
            case, ranking, this.call(latency), attempt.asked, this.in_run, details=False
        )
        if result.evaluation.undecided and attempt.asked is not None:
            result = _with_default_k(this, result)
        if this.baseline is not None:
            result, attempt.fails_baseline = this.baseline.compare(
                result,
                case,
                accepting=config.option.relevance_update == "all",
                details=this.settings.details,
                fingerprint=run_store(config).unsent.fingerprint,
            )
    except MetricError as error:
        raised = error.__cause__
        frame = "" if raised is None else failures.search_error(raised, config).frame
        attempt.error = CaseError(
            f"{error} ({frame})" if frame else str(error), pytrace=False
        )
        raise attempt.error from None
    except ExtensionError as error:
        attempt.error = CaseError(str(error), pytrace=False)
        raise attempt.error from None
    ends = result.verdict in (FAILED, INCONCLUSIVE)
    has_moved = result.baseline is not None and bool(result.baseline.documents)
    if (
        ends
        or has_moved
        or len(this.items) > 1
        or this.is_check
        or this.settings.details
    ):
        result = with_details(
            result, case, ranking, all_missing=ends and verbosity(config.option) > 0
        )
        if this.baseline is not None:
            result = this.baseline.with_titles(result)
    if ends:
        result = _with_texts(this, result)
    attempt.result = result
    set_properties(this)
    if ends:
        _end(
            this,
            result,
            FAILED
            if result.verdict == FAILED
            else config.option.relevance_inconclusive,
        )


def _with_texts(this: CaseRun, result: CaseResult) -> CaseResult:
    """Add what the hook says of documents. Its exception is a warning of the run, and changes no verdict."""
    try:
        for texts in this.item.ihook.pytest_relevance_texts(
            case_run=this, result=result
        ):
            result = replace(result, texts=result.texts.with_more(texts))
    except failures.ENDING:
        raise
    except BaseException as error:
        hook = "pytest_relevance_texts"
        why = error_text(error, this.item.config)
        why = redaction(this.item.config).text(why)
        text = f"the hook {hook} raised {why}; the verdict stays"
        run_store(this.item.config).unsent.warn(hook, text)
    return result


def _with_default_k(this: CaseRun, result: CaseResult) -> CaseResult:
    """Note that a search returned as many results as it does if k is not handed on, of more that it was asked for."""
    ranking = result.ranking
    default = calling.default_of_k(this.search)
    if ranking.reaches_depth or ranking.length != default:
        return result
    return replace(result, ranking=replace(ranking, is_default_k=True))


def _end(this: CaseRun, result: CaseResult, how: str) -> None:
    """Raise the exception of a case that failed or is inconclusive; one that failed before may be expected to fail.

    `how` is `FAILED` or "fail" to fail, "skip" to skip, and "pass" to raise nothing.
    """
    attempt = this.attempt
    is_expected = (
        this.settings.expects_known and this.item.get_closest_marker("xfail") is None
    )  # xfail: left to pytest
    if (
        how == FAILED
        and result.baseline is not None
        and result.baseline.failed_before
        and is_expected
    ):
        from pytest_relevance.reports.failure_message import failure_message

        attempt.result = replace(result, baseline=replace(result.baseline, known=True))
        attempt.error = pytest.xfail.Exception(failure_message(result))
        raise attempt.error
    if how in (FAILED, "fail"):
        from pytest_relevance.reports.failure import failure_lines
        from pytest_relevance.reports.failure_message import failure_message
        from pytest_relevance.reports.styled_lines import plain_text

        # A test that catches the exception of a check may print its text. For an item the terminal rebuilds the text.
        text = (
            plain_text(failure_lines(result))
            if this.is_check
            else failure_message(result)
        )
        attempt.error = (BaselineFailure if attempt.fails_baseline else CaseFailure)(
            text, pytrace=False
        )
        raise attempt.error
    if how == "skip":
        from pytest_relevance.reports.reasons import reason_in_brief

        attempt.error = pytest.skip.Exception(reason_in_brief(result))
        raise attempt.error


def set_properties(this: CaseRun) -> None:
    """Set the JUnit properties of the item, and remove those of an earlier attempt; only for a JUnit file."""
    if not this.settings.properties:
        return
    item = this.item
    for earlier in this.properties:
        item.user_properties.remove(earlier)
    if this.attempt.result is None:
        this.properties = [
            (
                "verdict",
                NOT_SEARCHED if isinstance(this.attempt.error, NotSearched) else ERROR,
            )
        ]
    else:
        this.properties = _properties(this.attempt.result)
    item.user_properties.extend(this.properties)


def _properties(result: CaseResult) -> list[tuple[str, object]]:
    """Return the JUnit properties: at most ten scalars, without those that are not defined."""
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
    }
    return [(name, value) for name, value in values.items() if value is not None]


FINGERPRINT = "relevance_fingerprint"
"""The name of the fixture that says what is searched."""


def request_fingerprint(item: pytest.Item) -> None:
    """Store what the fixture `relevance_fingerprint` returns, if the item sees one; warn if it cannot be used.

    Call it once in each process, when the fixtures of the item are set up. No exception of the fixture ends the run.
    """
    store = run_store(item.config)
    try:
        found = requested(item, FINGERPRINT)
        if found is None:
            return
    except failures.ENDING:
        raise
    except BaseException as error:
        why = f"it raised {error_text(error, item.config)}"
    else:
        try:
            fingerprint = checked(found[0])
            known = redaction(item.config)
            known.learn(fingerprint)
            store.unsent.set_fingerprint(known.values(fingerprint))
            return
        except ValueError as error:
            why = str(error)
    store.unsent.set_fingerprint({})
    store.unsent.warn(
        FINGERPRINT,
        f"the fixture {FINGERPRINT} cannot be used, and the run goes on without it: {why}",
    )
