"""`CaseRun`: a case on its pytest item, from collection until its result is attached to a report (`CallEnd`)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.failures import CaseError, NotSearched, search_error
from pytest_relevance.plugin.options import RunSettings, redaction
from pytest_relevance.plugin.run_store import ATTRIBUTE, sendable
from pytest_relevance.results.case_parts import SCORING, SETUP, CaseCall, Repeats, SearchError, text_reason
from pytest_relevance.results.case_result import (
    CHECK,
    ERROR,
    FAILED,
    INCONCLUSIVE,
    NOT_SEARCHED,
    PASSED,
    SKIPPED,
    SUMMARY_FIELDS,
    CaseResult,
)
from pytest_relevance.results.scoring import CaseInRun, unscored

if TYPE_CHECKING:
    from pytest_relevance.results.records.baseline_comparison import Baseline


@dataclass(slots=True, eq=False)
class Attempt:
    """The state of one attempt at a case. The next attempt, such as a rerun, gets a new object.

    `response` is the response of a search that was called ahead of the test function, with the time of the call.
    `asked` is the number of results requested, `calls` how often the search was called, `answer` the response that was
    scored; `is_read`: it was read as a ranking. `repeats` compares the responses of repeated calls. `is_in_window`: the
    case was searched together with others; `latency_shared`: its latency is its share of a batch's latency. `loop` is
    the event loop of another plugin that the case ran in. `is_running` is true during the call of the test function: a
    report made then belongs to a subtest. `result` is the result, `error` the exception that ended the attempt;
    `fails_baseline`: the baseline is a reason of the verdict.
    """

    response: tuple[object, float] | None = None
    asked: int | None = None
    calls: int = 0
    answer: object = None
    is_read: bool = False
    repeats: Repeats | None = None
    is_in_window: bool = False
    latency_shared: bool = False
    loop: Any = None
    is_running: bool = False
    result: CaseResult | None = None
    error: BaseException | None = None
    fails_baseline: bool = False


@dataclass(slots=True, eq=False, repr=False)
class CaseRun:
    """The run of a case in one variant, or of a check of a test in Python, from collection to its last report.

    `file` is the name of the case file in messages, `path` the name in pytest's own lines. `function` is the test
    function of the case, None for a check. `variant_index` is the index of the variant in the case's list of variants
    (from 0). `items` are the names of its items in this variant, if they do not follow from id and variant. `baseline`
    is the baseline of its file, `search_folder` the folder of its search fixture. `properties` are the JUnit properties
    on the item.
    """

    case: Case
    item: pytest.Item
    settings: RunSettings
    file: str
    path: str
    function: Any = None  # a FunctionType or None: mypy takes a field of this type for a method
    variant: str | None = None
    variant_index: int = 0
    baseline: Baseline | None = None
    items: Sequence[str] = ()
    search_folder: str = ""
    properties: Sequence[tuple[str, object]] = ()
    _attempt: Attempt | None = None

    @property
    def attempt(self) -> Attempt:
        """The current attempt; a new one where there is none."""
        if self._attempt is None:
            self._attempt = Attempt()
        return self._attempt

    def forget_attempt(self) -> None:
        """Forget the current attempt, after its report or before the next one."""
        self._attempt = None

    @property
    def in_flight(self) -> str:
        """The query, if its search was called and has given no ranking yet; else an empty text."""
        attempt = self._attempt
        if attempt is None or not attempt.calls or attempt.is_read:
            return ""
        return f"a batch with {self.case.query}" if attempt.latency_shared else self.case.query

    @property
    def is_check(self) -> bool:
        """Whether this is a check of a test in Python."""
        return self.function is None

    @property
    def search(self) -> Any:
        """The value of the search fixture, which is set up. A check has none."""
        assert isinstance(self.item, pytest.Function)
        try:
            return self.item.funcargs[self.case.search]
        except KeyError:  # the function of the case runs in another item
            raise CaseError(_NOT_COLLECTED, pytrace=False) from None

    @property
    def in_run(self) -> CaseInRun:
        """What the result has from the run. Secrets among the params are masked."""
        params, test = self.case.params, ""
        if self.is_check:  # several tests may check the same query, even on the same line
            file, _, name = self.item.location
            test = f"{file.replace(os.sep, '/')}::{name}"  # a scheduler may have added a group to the node id
        return CaseInRun(  # without names of arguments, which cost every case more than the tuple
            self.file.replace(os.sep, "/"),
            _without_group(self.item),
            CHECK if self.is_check else None,
            self.variant,
            redaction(self.item.config).values(params) if params else params,
            self.settings.tolerance,
            self.variant_index,
            test,
            self.items,
        )

    def call(self, latency: float | None = None, error: SearchError | None = None) -> CaseCall:
        """The calls of the search in the current attempt; `latency` is in seconds, None where there is none."""
        attempt = self.attempt
        is_shared = latency is not None and attempt.latency_shared
        is_concurrent = latency is not None and attempt.is_in_window and not is_shared
        return CaseCall(error, latency, is_shared, self.settings.concurrency if is_concurrent else 1, attempt.repeats)


_NOT_COLLECTED = (
    "another plugin made this item in the place of the collected one, as anyio does where a conftest marks cases: have "
    "the search request the fixture anyio_backend"
)


def _without_group(item: pytest.Item) -> str:
    """The node id of an item, without the group that `--dist loadgroup` of pytest-xdist appends: `...::name@group`."""
    if item.nodeid.endswith(item.name):
        return item.nodeid
    start, sign, _ = item.nodeid.rpartition(f"::{item.name}")
    return f"{start}{sign}" or item.nodeid


CASE_RUN = pytest.StashKey[CaseRun]()
"""The case run of an item of a case file."""

SEARCHES = pytest.StashKey[Any]()
"""The object that calls the searches of several cases together, if any are called so."""


@dataclass(slots=True, eq=False)
class Checks:
    """The checks in one attempt at a test in Python, in all of its threads.

    `raised` are the exceptions of checks, each with the task of asyncio that it was raised in. `is_running` is true
    during the call phase of the test: a report made in that phase is the report of a subtest. `are_over` is true when
    the last report of the test was made.
    """

    runs: list[CaseRun] = field(default_factory=list)
    raised: list[tuple[BaseException, Any]] = field(default_factory=list)
    is_running: bool = False
    are_over: bool = False


CHECKS = pytest.StashKey[Checks]()
"""The checks in the current attempt at a test in Python that requests `relevance`."""


def is_running(item: pytest.Item) -> bool:
    """Whether the call of a case or of a test with checks is in progress."""
    if (run := item.stash.get(CASE_RUN, None)) is not None:
        return run.attempt.is_running
    return CHECKS in item.stash and item.stash[CHECKS].is_running


def case_runs_of(item: pytest.Item) -> Sequence[CaseRun]:
    """Return the case run of an item of a case file, or the checks in the latest attempt of a test in Python."""
    run = item.stash.get(CASE_RUN, None)
    if run is not None:
        return (run,)
    return item.stash[CHECKS].runs if CHECKS in item.stash else ()


class CallEnd(NamedTuple):
    """A finished call of a test, with the case runs in it: the case of an item, or the checks of a test in Python."""

    item: pytest.Item
    call: pytest.CallInfo[None]
    runs: Sequence[CaseRun]

    def attach(self, report: pytest.TestReport) -> None:
        """Attach the results to the report of the call."""
        error = None if self.call.excinfo is None else self.call.excinfo.value
        attached: dict[str, Any] = {"cases": []}
        for run in self.runs:
            attempt = run.attempt
            if report.passed and attempt.result is None and not (run.is_check and attempt.error is not None):
                continue  # another plugin ran the item in some other way; a check has an error that its test caught
            # a case has one call; the report may be of a later attempt than the exception
            is_shown = attempt.error is not None and (attempt.error is error or not run.is_check)
            result = self._result(run, report)
            needs_details = (
                run.settings.details
                or result.verdict in (FAILED, INCONCLUSIVE, ERROR)
                or len(result.origin.items) > 1
                or run.is_check
                or not result.ranking.returned  # the expectations say whether that is right
            )
            names = None if needs_details else SUMMARY_FIELDS
            values = sendable(result.to_dict(names), self.item.config)
            attached["cases"].append(values)
            if is_shown:
                attached["shown"] = values
                if report.skipped and not hasattr(report, "wasxfail"):
                    report.longrepr = (run.case.source or run.path, run.case.line, f"Skipped: {attempt.error}")
            elif result.verdict == ERROR and not run.is_check and report.failed and report.when == "call":
                report.sections.append(("relevance case", f"{result.place}: {_asked(result, attempt.calls)}"))
            run.forget_attempt()
        setattr(report, ATTRIBUTE, attached)

    def attach_subtest(self, report: pytest.TestReport) -> None:
        """Attach the failing check of a subtest, for the text of the failure.

        The results themselves are attached to the report of the test, which is made last.
        """
        error = None if self.call.excinfo is None else self.call.excinfo.value
        for run in self.runs:
            if error is not None and run.attempt.error is error:
                values = sendable(self._result(run, report).to_dict(), self.item.config)
                setattr(report, ATTRIBUTE, {"shown": values})

    def _result(self, run: CaseRun, report: pytest.TestReport) -> CaseResult:
        """Return the result of a case run, with pytest's outcome."""
        result = run.attempt.result
        if result is None:
            xfail = self.call.excinfo is not None and isinstance(self.call.excinfo.value, pytest.xfail.Exception)
            skipped = report.skipped and (xfail or not hasattr(report, "wasxfail"))
            error = _error_of(run, self.call)
            verdict = SKIPPED if skipped else NOT_SEARCHED if isinstance(run.attempt.error, NotSearched) else ERROR
            reasons = () if error is None else (text_reason(error.headline),)
            result = unscored(
                run.case, verdict, run.in_run, run.call(error=error if verdict == ERROR else None), reasons
            )
        outcome = _outcome(run, result, report, self.call)
        if outcome == result.verdict:
            return result
        return result._replace(call=result.call._replace(outcome=outcome))


def _outcome(run: CaseRun, result: CaseResult, report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
    """Return pytest's outcome of a case.

    A check gets an outcome from its own verdict, unless its exception is the one that ended the test.
    """
    if run.is_check and (call.excinfo is None or run.attempt.error is not call.excinfo.value):
        return FAILED if result.verdict in (FAILED, ERROR) else PASSED
    if "wasxfail" in vars(report):
        return "xfailed" if report.skipped else "xpassed"
    return report.outcome


def _error_of(run: CaseRun, call: pytest.CallInfo[None]) -> SearchError | None:
    """Return the error of a case without a score, or None if there is none.

    The error of the run itself comes first: a test may continue after a failed check and end in another exception.
    """
    error = run.attempt.error if run.attempt.error is not None or call.excinfo is None else call.excinfo.value
    if error is None:
        return None
    phase = SETUP if call.when == "setup" else SCORING if run.attempt.is_read else ""
    prefix = f"in call {run.attempt.calls}: " if run.attempt.calls > 1 else ""
    return search_error(error, run.item.config, phase=phase, prefix=prefix)


def _asked(result: CaseResult, calls: int) -> str:
    """Return the query and search of a case with an error, and the number of the call if there were several."""
    from pytest_relevance._text import harmless
    from pytest_relevance.reports.reasons import search_label

    label = search_label(result.search, result.variant, result.params)
    return "   ".join([f'query "{harmless(result.query)}"', label, *([f"in call {calls}"] if calls > 1 else [])])
