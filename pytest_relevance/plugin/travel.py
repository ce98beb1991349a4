"""The attribute `relevance` of a test's report: the results of its cases, in builtin types that can be serialised.

pytest-xdist sends it from a worker to the controller, and plugins that run tests in another process send it back.
Results that a worker has sent are kept if the worker crashes later.

    {"cases": [CaseResult.to_dict(), ...],      # one for a case, one for each check of a test in Python
     "shown": 0,                                # the index of the case that the report's failure is about, if any
     "advice": "fixture search",                # the key of the advice in the message, which is shown once in a run
     "files": {"shop.relevance.yaml": {...}}}   # FileInfo.to_dict(), with the first report of a worker of pytest-xdist
"""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance.plugin.failures import CaseError, shown_path
from pytest_relevance.plugin.options import needs_details
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.results.case_result import (
    ERROR,
    FAILED,
    INCONCLUSIVE,
    PASSED,
    SKIPPED,
    SUMMARY_FIELDS,
    CaseResult,
    SearchError,
)
from pytest_relevance.results.record import as_json

ATTRIBUTE = "relevance"


@dataclass(frozen=True, slots=True)
class CallEnd:
    """A finished call of a test, with the case runs in it: the case of an item, or the checks of a test in Python."""

    item: pytest.Item
    call: pytest.CallInfo[None]
    runs: Sequence[CaseRun]

    def attach(self, report: pytest.TestReport, advice: str | None = None) -> None:
        """Attach the results, and the key of an advice, to the report of the call."""
        error = None if self.call.excinfo is None else self.call.excinfo.value
        everything = needs_details(self.item.config.option)
        cases: list[dict[str, Any] | str] = []
        attached: dict[str, Any] = {"cases": cases}
        for run in self.runs:
            if report.passed and not run.has_ended:
                continue
            # a case has one call; a plugin may report a later attempt than the one that raised its exception
            is_shown = run.error is not None and (run.error is error or not run.is_check)
            result = self._result(run, report)
            if is_shown:
                attached["shown"] = len(cases)
                if report.skipped and not hasattr(report, "wasxfail"):
                    report.longrepr = (*run.place, f"Skipped: {run.error}")
            elif result.verdict == ERROR and not run.is_check and report.failed and report.when == "call":
                report.sections.append(("relevance case", f"{result.place}: {_asked(result, run.calls)}"))
            names = None if everything or _is_told(result) else SUMMARY_FIELDS
            cases.append(_travelling(result, names, self.item.config))
            run.reset()
        if advice is not None:
            attached["advice"] = advice
        setattr(report, ATTRIBUTE, attached)

    def attach_subtest(self, report: pytest.TestReport) -> None:
        """Attach the failing check of a subtest, for the text of the failure.

        The results themselves are attached to the report of the test, which is made last.
        """
        error = None if self.call.excinfo is None else self.call.excinfo.value
        for run in self.runs:
            if error is not None and run.error is error:
                setattr(report, ATTRIBUTE, {"subtest": _travelling(self._result(run, report), None, self.item.config)})

    def _result(self, run: CaseRun, report: pytest.TestReport) -> CaseResult:
        """Return the result of a case run, with pytest's outcome."""
        result = run.result
        if result is None:
            skipped = _was_skipped(run, report, self.call)
            error = _error_of(run, self.call)
            result = run.result_of_error(None if skipped else error, SKIPPED if skipped else ERROR)
            result.reasons = (
                () if error is None else (": ".join(filter(None, (error.type, error.message.partition("\n")[0]))),)
            )
        result.outcome = _outcome(run, result, report, self.call)
        if run.is_check:  # several tests may check the same query, even on the same line
            file, _, name = report.location
            result.test = f"{file.replace(os.sep, '/')}::{name}"  # a scheduler may have added a group to the node id
        return result


def _is_told(result: CaseResult) -> bool:
    return result.verdict in (FAILED, INCONCLUSIVE, ERROR) or len(result.items) > 1 or result.is_check


def _was_skipped(run: CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]) -> bool:
    """Whether a case was skipped, or ended by a call of `pytest.xfail` before it had a score."""
    if not report.skipped:
        return False
    given_up = call.excinfo is not None and isinstance(call.excinfo.value, pytest.xfail.Exception)
    return given_up or not hasattr(report, "wasxfail")


def _outcome(run: CaseRun, result: CaseResult, report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
    """Return pytest's outcome of a case.

    A check gets an outcome from its own verdict, unless its exception is the one that ended the test.
    """
    if run.is_check and (call.excinfo is None or run.error is not call.excinfo.value):
        return FAILED if result.verdict in (FAILED, ERROR) else PASSED
    if "wasxfail" in vars(report):
        return "xfailed" if report.skipped else "xpassed"
    return report.outcome


def _error_of(run: CaseRun, call: pytest.CallInfo[None]) -> SearchError | None:
    """Return the error of a case without a score, or None if there is none.

    The error of the run itself comes first: a test may continue after a failed check and end in another exception.
    """
    error = run.error if run.error is not None or call.excinfo is None else call.excinfo.value
    prefix = f"in call {run.calls}: " if run.calls > 1 else ""
    if error is None:
        return None
    if isinstance(error, (CaseError, pytest.fail.Exception, pytest.skip.Exception, pytest.xfail.Exception)):
        return SearchError("", prefix + str(getattr(error, "msg", error)))
    kind = f"{type(error).__module__}.{type(error).__qualname__}".removeprefix("builtins.")
    frame = ""
    if call.excinfo is not None and call.excinfo.value is error and call.excinfo.traceback:
        last = call.excinfo.traceback[-1]
        frame = f"{shown_path(last.path, run.item.config)}:{last.lineno + 1} in {last.name}"
    first = str(error).partition("\n")[0]
    return SearchError(kind, prefix + first, frame)


def _asked(result: CaseResult, calls: int) -> str:
    """Return the query and search of a case with an error, and the number of the call if there were several."""
    from pytest_relevance.reports.case.failure import search_label
    from pytest_relevance.reports.text import harmless

    label = search_label(result.search, result.variant, result.params)
    return "   ".join([f'query "{harmless(result.query)}"', label, *([f"in call {calls}"] if calls > 1 else [])])


def attached_to(report: pytest.TestReport) -> dict[str, Any]:
    """Return the data attached to a report; results that were sent as JSON are decoded in place."""
    attached: dict[str, Any] = getattr(report, ATTRIBUTE, {})
    if isinstance(attached.get("subtest"), str):
        attached["subtest"] = json.loads(attached["subtest"])
    if any(isinstance(values, str) for values in attached.get("cases", ())):
        attached["cases"] = [json.loads(values) if isinstance(values, str) else values for values in attached["cases"]]
    return attached


def _travelling(result: CaseResult, names: Collection[str] | None, config: pytest.Config) -> dict[str, Any] | str:
    """Return a result in builtin types.

    In a worker of pytest-xdist a result with lone surrogates becomes ASCII JSON, as execnet cannot send these.
    """
    values = result.to_dict(names)
    if hasattr(config, "workerinput"):
        try:
            as_json(values).encode()
        except UnicodeEncodeError:
            return json.dumps(values)
    return values
