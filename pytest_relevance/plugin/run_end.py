"""What ends a search or a run: searches that are given up, gates, reported as tests, and what is missing from a run.

What happens to the results of a worker that crashes is in `run_store`.

Gates are reported after the cases have run, in the process that receives all reports. The node id of a gate is
`FILE::gate[ID]`, followed by `[VARIANT]` where the search has parameters. A gate has the same reports as a test: setup,
call and teardown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, cast

import pytest

from pytest_relevance._text import counted, examples, harmless, listed
from pytest_relevance.plugin.clock import wall_time
from pytest_relevance.plugin.failures import NotSearched
from pytest_relevance.plugin.files_not_run import files_not_run
from pytest_relevance.plugin.nothing_searched import folders_skipped, nothing_searched
from pytest_relevance.plugin.options import recorded_rankings, settings
from pytest_relevance.plugin.required_reference import missing_from_reference
from pytest_relevance.plugin.run_store import (
    LOST,
    PASSED_OVER,
    RunStore,
    first_named,
    run_store,
)
from pytest_relevance.plugin.running.case_run import CASE_RUN, SEARCHES, CaseRun
from pytest_relevance.plugin.terminal import Crash, FailureText
from pytest_relevance.results.case_parts import SCORING, SETUP, SearchError
from pytest_relevance.results.case_result import (
    NOT_SEARCHED,
    SKIPPED,
    XFAILED,
    has_failed,
)
from pytest_relevance.results.records.run_info import (
    MOST_SHOWN,
    RunFinding,
    changed,
    changes_text,
    has_baseline,
)

if TYPE_CHECKING:
    from pytest_relevance.gates.judging import GateResult

PATIENCE = 5
"""A search that has succeeded before is given up after this many times `relevance_give_up` failures in a row."""


Search = tuple[str, str | None, str, Sequence[str]]
"""The key of a search: its name, its variant, the folder of its fixture, and the other fixtures of the case.

Another folder may have a fixture of the same name, and one of the other fixtures may be the broken one.
"""


class GivingUp:
    """Counts failed searches, and has the remaining cases of a search fail once it is given up (`relevance_give_up`).

    Each process counts for itself, by the reports that it logs, so that a case counts after its last rerun, and once. A
    search is its fixture and its variant, together with the further fixtures of the case. The hooks are registered once
    a search is given up.
    """

    def __init__(self, config: pytest.Config) -> None:
        self._manager = config.pluginmanager
        self._most = settings(config).give_up
        self._runs: Mapping[str, CaseRun] = {}
        self._succeeded: set[Search] = set()
        self._failed: dict[Search, set[tuple[str, str]]] = {}
        self._given_up: dict[Search, str] = {}

    def watch(self, items: Iterable[pytest.Item]) -> None:
        """Take note of the items of cases that are to run."""
        self._runs = (
            {item.nodeid: item.stash[CASE_RUN] for item in items} if self._most else {}
        )

    def count(self, nodeid: str, values: Mapping[str, Any]) -> None:
        """Count the result of a case, in builtin types, by its final report. Checks of tests in Python do not count."""
        run = self._runs.get(nodeid)
        if run is None or values["verdict"] in (SKIPPED, NOT_SEARCHED):
            return
        search, error = (
            _search_of(run),
            SearchError(**values["error"]) if values.get("error") else None,
        )
        if error is not None and values.get("outcome") == "xfailed":
            return
        if error is None or error.phase == SCORING:
            self._succeeded.add(search)
            self._failed.pop(search, None)
            return
        if (
            error.phase == SETUP and not error.type
        ):  # the fixture is missing: such a failure costs no time
            return
        cases = self._failed.setdefault(search, set())
        cases.add((values["file"], values["id"]))
        if len(cases) >= self._most * (PATIENCE if search in self._succeeded else 1):
            failed = f"{search[0]} failed in {counted(len(cases), 'case')} in a row"
            if not self._given_up:
                self._manager.register(self, "relevance-giving-up")
            why = f"not searched: {failed} (relevance_give_up), at last with {error.headline}"
            self._given_up.setdefault(search, why)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> object:
        """Leave a case of such a search to pytest alone, as other plugins would run it again where it fails."""
        if self._why(item) is None:
            return None
        runner: Any = item.config.pluginmanager.get_plugin("runner")
        return runner.pytest_runtest_protocol(item=item, nextitem=nextitem)

    @pytest.hookimpl
    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        """Fail a case whose search is given up, before any fixture is set up. Raises `NotSearched`.

        A case that was searched before, together with others, keeps its own result or error.
        """
        __tracebackhide__ = True
        why, run = self._why(item), item.stash.get(CASE_RUN, None)
        searches = item.config.stash.get(SEARCHES, None)
        if (
            why is not None
            and run is not None
            and not (searches is not None and searches.is_ahead(run))
        ):
            run.attempt.error = NotSearched(why, pytrace=False)
            raise run.attempt.error

    def _why(self, item: pytest.Item) -> str | None:
        """Return why the search of a case is given up; None where it is not, and for any other test."""
        run = item.stash.get(CASE_RUN, None)
        return None if run is None else self._given_up.get(_search_of(run))


def _search_of(run: CaseRun) -> Search:
    return run.case.search, run.variant, run.search_folder, run.case.usefixtures


_CHOOSERS = ("lfplugin", "stepwiseplugin")
"""Plugins of pytest that select in the next run the tests that failed in this one. A gate cannot be selected."""

_TEST_EXPLORER = "vscode_pytest"
"""The plugin of VS Code. It treats every report of a call as the outcome of a test in its tree, which has no gates."""

Outcome = Literal["passed", "failed", "skipped"]


def report_gates(session: pytest.Session, store: RunStore) -> list[GateResult]:
    """Judge the gates of case files, report them as tests, and return their results.

    Without `--relevance-gates=require` the gates of a file are left out if none of its cases ran, unless all of them
    were collected and skipped.
    """
    from pytest_relevance.gates.judging import judge_gates

    require = settings(session.config).requires_gates
    updating = session.config.option.relevance_update == "all"
    results = store.finished
    ran = {result.file for result in results if result.status != SKIPPED}
    ended = {result.file for result in results}
    judged = [
        gate
        for gate in judge_gates(
            results, store.files, updating=updating, require=require
        )
        if gate.file in ran
        or require
        or (gate.file in ended and store.is_whole(gate.file))
    ]
    for gate in judged:
        _log(session, store.files[gate.file].path, gate)
    return judged


def _log(session: pytest.Session, path: str, gate: GateResult) -> None:
    """Report a gate as pytest reports a test."""
    from pytest_relevance.reports.run.gates import gate_lines, gate_message

    manager, hook, name = session.config.pluginmanager, session.config.hook, gate.name
    choosers = [
        plugin for plugin in map(manager.get_plugin, _CHOOSERS) if plugin is not None
    ]
    log = manager.subset_hook_caller("pytest_runtest_logreport", [session, *choosers])
    nodeid, location = f"{gate.node}::{name}", (gate.node, gate.line - 1, name)
    outcome, message = gate.outcome(), harmless(gate_message(gate))
    found = [("verdict", outcome), ("found", message)]
    longrepr: Any = None
    if outcome == "skipped":
        longrepr = path, gate.line, f"Skipped: {message}"
    elif outcome != "passed":
        longrepr = FailureText(
            session.config.option,
            partial(gate_lines, gate),
            Crash(path, gate.line, lambda: message),
        )
    hook.pytest_runtest_logstart(nodeid=nodeid, location=location)
    session.testscollected += (
        1  # the progress display counts it: progress must not exceed 100 %
    )
    session.testsfailed += (
        outcome == "failed"
    )  # counted here: the session would also stop the run for --maxfail
    now = wall_time()
    make = partial(
        pytest.TestReport,
        nodeid,
        location,
        {name: 1},
        start=now,
        stop=now,
        user_properties=found,
    )
    log(report=make("passed", None, "setup"))
    if outcome == XFAILED:
        report = make("skipped", longrepr, "call", wasxfail=f"failed before: {message}")
    else:
        report = make(cast("Outcome", outcome), longrepr, "call")
    if manager.has_plugin(_TEST_EXPLORER):
        report.when = "gate"  # type: ignore[assignment]  # the terminal counts and shows it like a call
    log(report=report)
    log(report=make("passed", None, "teardown"))
    hook.pytest_runtest_logfinish(nodeid=nodeid, location=location)


def findings(
    config: pytest.Config, *, has_ended: bool, is_complete: bool
) -> Iterator[RunFinding]:
    """Yield what is missing from a run, and why it fails other than for a case, a gate or an error.

    `has_ended` is false for a run that was broken off, `is_complete` also for one that was to stop early: what did not
    run there is not missing.
    """
    store = run_store(config)
    against = config.option.relevance_against
    if (
        has_ended
        and against is not None
        and not store.results
        and (unread := files_not_run(config))
    ):
        name = recorded_rankings(config).name
        text = f"nothing ran of {counted(len(unread), 'file')} in {name} ({examples(unread)})"
        yield RunFinding(f"--relevance-against: {text}", is_of_part=True)
    if is_complete:
        for find in (nothing_searched, folders_skipped):
            finding = find(config, store)
            if finding is not None:
                yield finding
        yield from _lost_results(config, store)
        yield from _without_reference(config, store)
        yield from _without_comparison(config, store)
        for problem in missing_from_reference(config):
            yield RunFinding(problem, fails=True, is_of_part=True)
    if lost := store.named[LOST]:
        checks = counted(len(lost), "check was", "checks were")
        text = f"{checks} made in a thread that its test did not wait for, and the run fails: {first_named(lost)}"
        brief = counted(len(lost), "check is", "checks are") + " lost"
        yield RunFinding(text, fails=True, brief=brief)
    if files := [*dict.fromkeys(store.named[PASSED_OVER])]:
        one, patterns = len(files) == 1, listed(config.getini("relevance_files"), "or")
        text = f"{counted(len(files), 'file has cases and is', 'files have cases and are')} not collected"
        how = f"rename {'it' if one else 'them'} to {patterns}, or set relevance_files"
        text = f"{text}: {first_named(files)}; {how}"
        brief = counted(len(files), "file with cases is", "files with cases are")
        yield RunFinding(text, brief=f"{brief} not collected")
    if len(store.fingerprints) > 1:
        changes = changes_text(changed(*store.fingerprints[:2]), MOST_SHOWN)
        text = f"the workers searched different things, by relevance_fingerprint: {changes}"
        text = f"{text}; records and baselines keep what all have in common"
        yield RunFinding(text, brief="the workers searched different things")


def _lost_results(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Say which cases have no result.

    A plugin that runs tests in another process and builds reports of its own may drop the results attached to reports.
    Cases with a failed report, such as those whose process crashed, are not counted: their failure is shown already. A
    case that passed without being scored, because a plugin ran something else instead, is counted only where an option
    needs every result.
    """
    needed_by = ["--relevance-gates=require"] if settings(config).requires_gates else []
    needed_by += [f"--relevance-{name}" for name in settings(config).outputs]
    known = {
        name
        for name, has_failed in store.without_result.items()
        if has_failed or not needed_by
    }
    names = [name for name in store.unfinished() if name not in known]
    if not names:
        return
    total = sum(map(store.is_case, store.to_run))
    text = (
        f"{len(names):,} of {counted(total, 'case')} that were to run {'has' if len(names) == 1 else 'have'} no "
        f"result ({first_named(names)}): a plugin that runs tests elsewhere, makes reports of its own, or runs "
        "something else in the place of cases may be the cause"
    )
    if needed_by:
        needs = "needs" if len(needed_by) == 1 else "need"
        text = (
            f"{text}; {listed(needed_by, 'and')} {needs} every result, so the run fails"
        )
    yield RunFinding(text, fails=bool(needed_by), is_of_part=True)


def _without_comparison(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Say that the record to compare with has none of the case files that ran."""
    against = config.option.relevance_against
    ran = {
        result.file
        for result in store.results
        if result.evaluation.scores and not result.is_check
    }
    if against is None or not ran:
        return
    recorded = recorded_rankings(config)
    if any(store.files[file].moved for file in ran):
        return
    if not any(recorded.of_file(store.files[file].node, file) for file in ran):
        text = f"--relevance-against: {recorded.name} has none of the case files that ran, so that nothing was compared"
        text = f"{text}, and the run fails; was it recorded from another folder, or of other files?"
        yield RunFinding(
            text, fails=True, brief="nothing was compared", is_of_part=True
        )


def _without_reference(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Say once that failures cannot be known, as nothing is compared."""
    if not settings(config).expects_known:
        return
    files = {
        result.file
        for result in store.results
        if has_failed(result) and not result.is_check
    }
    infos = {file: store.files[file] for file in files}
    if alone := [
        file
        for file, info in infos.items()
        if not info.against and not has_baseline(info.path)
    ]:
        have = f"{first_named(sorted(alone))} {'has' if len(alone) == 1 else 'have'} nothing to compare with"
        how = "give --relevance-against=RUN, or commit a baseline"
        yield RunFinding(
            f"--relevance-known=xfail: {have}, so that every failure counts: {how}"
        )
