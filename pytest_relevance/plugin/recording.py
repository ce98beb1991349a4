"""`--relevance-record=FILE`: the record of the run, written once, at its end, by the process that has all reports.

A result becomes text where its case ran, and travels on the report. The last report of an item counts. What was
to run and did not finish is named in the record.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import pytest

from pytest_relevance.cases.model import Case, Terms
from pytest_relevance.plugin import running
from pytest_relevance.plugin.after import AfterRun, Said
from pytest_relevance.plugin.ledger import ledger_of
from pytest_relevance.plugin.options import CASE_FILES, CaseFiles, has_cases
from pytest_relevance.plugin.target import Target
from pytest_relevance.reports.text import harmless
from pytest_relevance.runs.facts import CaseFileFacts
from pytest_relevance.runs.lines import as_text, conditions_text, line_of, named, scored_text
from pytest_relevance.runs.record import is_record, write_results
from pytest_relevance.runs.scored import ERROR, FAILED, PASSED, SKIPPED
from pytest_relevance.runs.values import NO_DIGEST, kept_depth
from pytest_relevance.wording import counted, listed

OPTION = "--relevance-record"

RECORDED = "relevance_recorded"
"""The attribute of a report that carries its results as text, where a record is asked for."""

_SURROGATE = re.compile("[\ud800-\udfff]")
_MOST_NAMED = 3


def install(config: pytest.Config, file: str) -> None:
    """Register what writes the record. UsageError where it is plain by now that FILE cannot be written, or must not."""
    if not hasattr(config, "workerinput"):
        target = Target.of(OPTION, file, _why_kept)
        config.pluginmanager.register(RecordFile(config, target), "relevance-record")


class Recorder:
    """Makes text of the results of cases in the process where they ran, and puts it on the report.

    What cases have in common is made once: their conditions, and how much of a ranking is kept.
    """

    def __init__(self) -> None:
        self._shared: dict[int, tuple[Terms, str, int | None]] = {}

    def keep(self, report: pytest.TestReport, runs: Iterable[running.CaseRun], call: pytest.CallInfo[None]) -> None:
        """Attach what ran in a call to its report."""
        ended = [run for run in runs if run.has_ended or not report.passed]
        setattr(report, RECORDED, [_that_travels(self._line(run, report, call)) for run in ended])

    def _line(self, run: running.CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
        """The line of a result, behind its conditions."""
        case, scored = run.case, run.scored
        outcome, about = _outcome(run, report, call), _about(run, report, call)
        shared = self._shared.get(id(case.terms))
        if shared is None:
            text = conditions_text(run.search, case.k, case.settings, case.terms.depth)
            shared = case.terms, text, kept_depth(replace(case, expect=()))
            if run.function is not None:  # of a case file, whose cases have their terms in common
                self._shared[id(case.terms)] = shared  # the terms too, so that no others come to have their id
        _, conditions, depth = shared
        if scored is None:
            verdict, values, details = about["verdict"], named("digest", NO_DIGEST), "{}"
        else:
            verdict = scored.verdict
            values, details = scored_text(case, scored, kept_depth(case) if case.expect else depth)
        if about:
            values = ",".join([values, *(named(name, value) for name, value in about.items())])
        if outcome != verdict:
            values += f",{named('outcome', outcome)}"
        return f"{conditions}\n{line_of(f'{_begin(run, case)},{values}', details)}"


def _begin(run: running.CaseRun, case: Case) -> str:
    """What there is to say of a case, however it ended. What is usual is not said."""
    values = f'{_file(run.file)},"line":{case.line},"id":{as_text(case.id)}'
    if case.query != case.id:
        values += f',"query":{as_text(case.query)}'
    if case.tags:
        values += f",{named('tags', case.tags)}"
    if run.variant is not None:
        values += f",{named('variant', run.variant)}"
    if run.names:
        values += f",{named('items', run.names)}"
    if case.source is not None:
        values += f",{named('source', case.source)}"
    if case.params:
        values += f",{named('params', case.params)}"
    if case.weight != 1:
        values += f",{named('weight', case.weight)}"
    if (case.expect or case.terms.gates or case.terms.depth) and case.depth != case.k:
        values += f",{named('depth', case.depth)}"
    return values


_NOTHING: Mapping[str, object] = {}


def _about(run: running.CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]) -> Mapping[str, object]:
    """What there is to say of a case beside what it scored: most often nothing."""
    about: dict[str, object] = {}
    if run.function is None:  # several tests may check one query, and on one line too
        file, _, name = report.location
        about["test"] = f"{file.replace(os.sep, '/')}::{name}"  # to the node id a scheduler may have appended a group
    if run.scored is None:
        verdict = SKIPPED if run.was_skipped(report, call) else ERROR
        return {**about, "verdict": verdict, "reasons": [_message(run, call)]}
    if run.function is None:
        return about
    if not run.case.terms.gates and run.repeated is None:
        return _NOTHING
    from pytest_relevance.plugin.gates import scores

    if before := scores(run, run.scored)["before"]:
        about["before"] = before
    if run.repeated is not None:
        about |= {"calls": run.repeated["calls"], "rankings_seen": run.repeated["rankings"]}
    return about


@lru_cache(maxsize=64)  # of cases that end one after the other
def _file(file: str) -> str:
    return named("file", file.replace(os.sep, "/"))


def _outcome(run: running.CaseRun, report: pytest.TestReport, call: pytest.CallInfo[None]) -> str:
    """What pytest made of a case; a check of a test that went on, or ended otherwise, has an outcome of its own."""
    if run.function is None and (call.excinfo is None or run.error is not call.excinfo.value):
        return FAILED if run.scored is None or run.scored.verdict == FAILED else PASSED
    if "wasxfail" in vars(report):
        return "xfailed" if report.skipped else "xpassed"
    return report.outcome


def _message(run: running.CaseRun, call: pytest.CallInfo[None]) -> str:
    """Why a case has no score. A test may have gone on after a check, and ended in something else."""
    value = run.error if run.has_ended or call.excinfo is None else call.excinfo.value
    if isinstance(value, (pytest.fail.Exception, pytest.skip.Exception, pytest.xfail.Exception)):
        return str(value.msg)
    assert call.excinfo is not None
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
        self._broken: dict[str, None] = {}
        self._said = [(f"{target.shown} is not written: no test ran", True)]

    @pytest.hookimpl
    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        """Keep the names of case files that cannot be collected."""
        if report.failed and self._is_case_file(report.nodeid):
            self._broken[report.nodeid] = None

    def act(self, found: Iterable[str]) -> Iterator[Said]:
        """Write the record."""
        absent = [name for name in ledger_of(self._config).to_run if name not in self._found]
        missing = [*self._broken, *(name for name in absent if self._is_case_file(name.partition("::")[0]))]
        trouble = self._target.write(lambda path: self._write(path, missing))
        if trouble is None:
            others = ledger_of(self._config).superseded()
            count = counted(sum(len(found) for name, found in self._found.items() if name not in others), "case")
            yield f"record: {self._target.shown} ({count}{_unfinished(missing)})", True
        else:
            yield f"no record of the run: {trouble}", False

    def _is_case_file(self, file: str) -> bool:
        """Whether it is a case file, named as in node ids. The controller of pytest-xdist has collected nothing."""
        if file not in self._known:
            path = self._config.rootpath / file
            files: CaseFiles = self._config.pluginmanager.getplugin(CASE_FILES)
            self._known[file] = files.fits(path.name) or (path.resolve() in self._named and has_cases(path))
        return self._known[file]

    def _write(self, path: Path, missing: Sequence[str]) -> None:
        """Write the results in the order in which they were collected, whichever worker was first."""
        ledger = ledger_of(self._config)
        ordered = dict.fromkeys([*(name for name in ledger.to_run if name in self._found), *self._found])
        for nodeid in ledger.superseded():  # a record has one result a case and variant
            ordered.pop(nodeid, None)
        lines = [line for nodeid in ordered for line in self._found[nodeid]]
        files = {
            Path(file).as_posix(): CaseFileFacts.of(facts.values()) for file, facts in sorted(ledger.files.items())
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
