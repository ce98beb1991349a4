"""`--relevance-record=FILE`: the record of the run, written once, at its end, by the process that has all reports.

A result becomes text where its case ran, and travels on the report. The last report of an item counts. Which cases
were to run is known from what was collected: under pytest-xdist its workers tell the controller. What did not finish is
named in the record.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import pytest

from pytest_relevance.cases.model import Terms
from pytest_relevance.plugin import running
from pytest_relevance.plugin.after import AfterRun, Said
from pytest_relevance.plugin.gates import scores
from pytest_relevance.plugin.ledger import ledger_of
from pytest_relevance.plugin.options import CASE_FILES, CaseFiles, has_cases
from pytest_relevance.plugin.target import Target
from pytest_relevance.reports.text import harmless
from pytest_relevance.runs.facts import CaseFileFacts
from pytest_relevance.runs.lines import conditions_text, details_text, line_of, named, scored_values
from pytest_relevance.runs.record import is_record, write_results
from pytest_relevance.runs.scored import ERROR, FAILED, PASSED, SKIPPED
from pytest_relevance.runs.values import NO_DIGEST
from pytest_relevance.wording import counted, listed

OPTION = "--relevance-record"

RECORDED = "relevance_recorded"
"""The attribute of a report that carries its results as text, where a record is asked for."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_NAMED = 3


def install(config: pytest.Config, file: str) -> None:
    """Register what writes the record. UsageError where it is plain by now that FILE cannot be written, or must not."""
    if not hasattr(config, "workerinput"):
        target = Target.of(config, OPTION, file, _why_kept)
        config.pluginmanager.register(RecordFile(config, target), "relevance-record")


class Recorder:
    """Makes text of the results of cases, in the process where they ran."""

    def __init__(self) -> None:
        self._conditions: dict[int, tuple[Terms, str]] = {}

    def attach(self, report: pytest.TestReport, runs: Iterable[running.CaseRun], call: pytest.CallInfo[None]) -> None:
        """Attach the results of what ran in a call to its report."""
        found = [
            f"{self._conditions_of(run)}\n{_that_travels(_result(run, report, call))}"
            for run in runs
            if run.scored is not None or not report.passed  # else another plugin did something in its place
        ]
        setattr(report, RECORDED, found)

    def _conditions_of(self, run: running.CaseRun) -> str:
        """The conditions of a case; those of a case file's cases are made once, as they have their terms in common."""
        case = run.case
        known = self._conditions.get(id(case.terms))
        if known is not None:
            return known[1]
        text = conditions_text(run.search, case.k, case.settings)
        if run.function is not None:  # the terms stay as long as the items do, and those of a check do not
            self._conditions[id(case.terms)] = case.terms, text
        return text


def _result(run: running.CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
    """The result of a case as text. What is usual is not said."""
    case, scored = run.case, run.scored
    values = [f'{_file(run.file)},"line":{case.line}', named("id", case.id)]
    if case.query != case.id:
        values.append(named("query", case.query))
    if run.variant is not None:
        values.append(named("variant", run.variant))
    values += [named(name, value) for name in _OFTEN_USUAL if (value := getattr(case, name))]
    if case.weight != 1:
        values.append(named("weight", case.weight))
    if (depth := case.depth) != case.k:
        values.append(named("depth", depth))
    outcome = _outcome(run, report, call)
    if scored is None:
        is_skipped = report.skipped and not hasattr(report, "wasxfail")
        verdict, details = SKIPPED if is_skipped else ERROR, "{}"
        found = {"verdict": verdict, "reasons": [_message(call)], "digest": NO_DIGEST}
        values += [named(name, value) for name, value in found.items()]
    else:
        verdict, details = scored.verdict, details_text(case, scored)
        values += scored_values(case, scored)
        if case.terms.gates and (before := scores(run, scored)["before"]):
            values.append(named("before", before))
        if run.repeated is not None:
            values += [named("calls", run.repeated["calls"]), named("rankings_seen", run.repeated["rankings"])]
    if outcome != verdict:
        values.append(named("outcome", outcome))
    return line_of(values, details)


_OFTEN_USUAL = ("source", "params", "tags")


@lru_cache(maxsize=64)  # of cases that end one after the other
def _file(file: str) -> str:
    return named("file", file.replace(os.sep, "/"))


def _outcome(run: running.CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
    """What pytest made of a case; a check of a test that went on, or ended otherwise, has an outcome of its own."""
    if run.function is None and (call.excinfo is None or run.error is not call.excinfo.value):
        return FAILED if run.scored is None or run.scored.verdict == FAILED else PASSED
    if hasattr(report, "wasxfail"):
        return "xfailed" if report.skipped else "xpassed"
    return report.outcome


def _message(call: pytest.CallInfo[None]) -> str:
    """Why a case has no score."""
    assert call.excinfo is not None
    value = call.excinfo.value
    if isinstance(value, (pytest.fail.Exception, pytest.skip.Exception, pytest.xfail.Exception)):
        return str(value.msg)
    return call.excinfo.exconly(tryshort=True)


def _that_travels(text: str) -> str:
    """JSON with half characters escaped, which end the whole run under pytest-xdist."""
    return text if text.isascii() else _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)


class RecordFile(AfterRun[str]):
    """The hooks that gather the results and write them."""

    option = OPTION
    attribute = RECORDED

    def __init__(self, config: pytest.Config, target: Target) -> None:
        super().__init__(config)
        self._target = target
        named = (config.invocation_params.dir / argument.partition("::")[0] for argument in config.args)
        self._named = {path.resolve() for path in named if path.is_file()}
        self._known: dict[str, bool] = {}
        self._collected: dict[str, None] = {}
        self._broken: dict[str, None] = {}
        self._said = [(f"{target.shown} is not written: no test ran", True)]

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the names of case files that cannot be collected."""
        if report.failed and self._is_case_file(report.nodeid):
            self._broken[report.nodeid] = None

    @pytest.hookimpl
    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Keep what is to run."""
        self._collected.update((item.nodeid, None) for item in session.items)

    @pytest.hookimpl(optionalhook=True)
    def pytest_xdist_node_collection_finished(self, ids: Sequence[str]) -> None:
        """Keep what a worker is to run; all collect the same."""
        self._collected.update(dict.fromkeys(ids))

    def act(self, found: Iterable[str]) -> Iterator[Said]:
        """Write the record."""
        missing = [*self._broken, *(name for name in self._collected if self._is_missing(name))]
        trouble = self._target.write(lambda path: self._write(path, missing))
        if trouble is None:
            count = counted(sum(1 for _ in found), "case")
            yield f"record: {self._target.shown} ({count}{_unfinished(missing)})", True
        else:
            yield f"no record of the run: {trouble}", False

    def _is_missing(self, nodeid: str) -> bool:
        return nodeid not in self._found and self._is_case_file(nodeid.partition("::")[0])

    def _is_case_file(self, file: str) -> bool:
        """Whether it is a case file, named as in node ids. The controller of pytest-xdist has collected nothing."""
        if file not in self._known:
            path = self._config.rootpath / file
            files: CaseFiles = self._config.pluginmanager.getplugin(CASE_FILES)
            self._known[file] = files.fits(path.name) or (path.resolve() in self._named and has_cases(path))
        return self._known[file]

    def _write(self, path: Path, missing: Sequence[str]) -> None:
        """Write the results in the order in which they were collected, whichever worker was first."""
        place = {nodeid: number for number, nodeid in enumerate(self._collected)}
        ordered = sorted(self._found, key=lambda nodeid: place.get(nodeid, len(place)))
        lines = (line for nodeid in ordered for line in self._found[nodeid])
        files = {
            Path(file).as_posix(): CaseFileFacts.of(facts.values())
            for file, facts in sorted(ledger_of(self._config).files.items())
        }
        from pytest_relevance import __version__

        write_results(path, lines, missing, files, __version__)


def _why_kept(data: bytes) -> str | None:
    return None if not data.strip() or is_record(data) else "is there, and is no record; name another file"


def _unfinished(missing: Sequence[str]) -> str:
    if not missing:
        return ""
    named = [harmless(name) for name in missing[:_MOST_NAMED]]
    more = len(missing) - len(named)
    return f", {len(missing):,} did not finish: {listed([*named, f'{more:,} more'] if more else named, 'and')}"
