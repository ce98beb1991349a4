"""The pytest plugin. This module has the hooks that every run calls.

Nothing heavy is imported here. A run without case files only declares the options of
the plugin, and checks the name of each file. The hooks of a run with cases are
registered when the first case file is collected (`hooks.install`).

| module | what it holds |
|---|---|
| `hookspecs` | the hooks that the plugin offers |
| `options`, `run_settings` | options and ini keys; their values, checked |
| `case_files`, `paths` | which files are case files; files below a folder, and paths in messages |
| `command_line` | what the command line asks for, without the options of the configuration |
| `selection` | whether a run looks at all cases, or at some |
| **collecting** | |
| `collector`, `items` | a case file as a collector, its cases as test functions |
| `collected_file` | a collected file, with its cases and what they are compared with |
| `item_variants`, `loops`, `own_fixtures` | parameters that make a variant; cases that need an event loop |
| `collection`, `moved_entries` | what was collected; cases that the reference has at another place |
| `drawn_queries` | which queries of the reference are not drawn now, and which are new |
| `note_demands` | what the tests demand, and what changed in that since the reference |
| `early_errors`, `skipped_folders`, `testmon` | what keeps cases from being collected |
| **running** | |
| `hooks` | the hooks of a run with cases: around each test, and around the run |
| `running/` | the run of a case, from the call of its search to its result |
| `giving_up` | searches that are given up |
| `exceptions` | the exceptions of cases, and what is said of those of a project |
| `clock` | the clocks of a run, which a test cannot stop |
| **reporting** | |
| `case_reports`, `check_reports` | the report of a case, and that of a test with checks |
| `attached`, `news` | what a report carries; what a run tells besides results |
| `workers` | workers of pytest-xdist, and what happens if one crashes |
| `run_store` | the results of the run, in the process that receives all reports |
| `gate_reports` | reports when all cases have run: gates as tests, undecided cases |
| `against` | the record that `--relevance-against` names |
| `findings`, `required_reference` | what a run did not do; what it did not compare with its reference |
| `terminal`, `failure_text` | what is printed |
| `outputs`, `output_files`, `baseline_output` | what a run leaves: its files and baselines |
| `redaction` | masks the secrets of a run |
| `secret_patterns`, `known_secrets` | secrets by the names beside them, and by their values |
| **private parts of others** | |
| `pytest_internals` | all that is private to pytest and to other plugins |
"""

from __future__ import annotations

import sys
from collections.abc import Awaitable, Generator, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin import (
    clock,  # noqa: F401 - before a conftest can stop the time
    command_line,
    hookspecs,
    options,
    testmon,
)
from pytest_relevance.plugin.case_files import (
    BASELINE_SUFFIX,
    BASELINES_SEEN,
    CASE_FILES,
)
from pytest_relevance.plugin.output_files import (
    RECORD,
    Message,
    OutputFile,
    check_files,
)
from pytest_relevance.plugin.run_settings import (
    HAS_STARTED,
    is_worker,
    read_settings,
    reports_failed_start,
    settings,
    usage_error,
)
from pytest_relevance.plugin.skipped_folders import SkippedFolders

if TYPE_CHECKING:
    from pytest_relevance.plugin.running.case_run import CaseRun, Searched
    from pytest_relevance.plugin.running.fixture import Relevance
    from pytest_relevance.results.records.run import Run

EXTENSIONS = [
    "pytest_relevance.ext.concurrency.plugin",
    "pytest_relevance.ext.documents.plugin",
    "pytest_relevance.ext.explaining.plugin",
    "pytest_relevance.ext.markdown.plugin",
    "pytest_relevance.ext.html.plugin",
    "pytest_relevance.ext.judging.plugin",
    "pytest_relevance.ext.replaying.plugin",
]
"""The modules of the extensions. pytest calls the hooks of the last module first.

`-p no:pytest_relevance.ext.concurrency.plugin` blocks one of them.
"""


def pytest_plugin_registered(
    plugin: object, manager: pytest.PytestPluginManager
) -> None:
    """Import the plugins of the extensions, once this plugin is registered.

    `pytest_plugins` would do the same, but pytest reads the entry points of every
    installed distribution for each name in it: 25 ms with 80 distributions.
    """
    if plugin is sys.modules[__name__]:
        for name in EXTENSIONS:
            manager.import_plugin(name)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options `--relevance-*` and the ini keys `relevance_*`."""
    options.declare(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hooks that this plugin offers."""
    pluginmanager.add_hookspecs(hookspecs)


@pytest.hookimpl(tryfirst=True)
def pytest_relevance_outputs() -> Sequence[OutputFile]:
    """Return the record, which is one of the files that options name."""
    return [RECORD]


@pytest.hookimpl(tryfirst=True)
def pytest_relevance_write(run: Run, config: pytest.Config) -> Iterator[Message]:
    """Write the record, if an option names one. Yield messages about it."""
    from pytest_relevance.plugin.outputs import write_record

    yield from write_record(run, config)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config, parser: pytest.Parser
) -> Generator[None, object, object]:
    """Write the reports if a broken conftest.py ends the run before it begins."""
    command_line.keep_parser(early_config, parser)
    try:
        return (yield)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        from pytest_relevance.plugin.early_errors import report_failed_start

        report_failed_start(error, early_config, early_config.known_args_namespace)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    """Write the reports if a wrong configuration ends the run before it begins.

    Raises UsageError for an option that only the command line may give.
    """
    if not reports_failed_start(config):
        command_line.refuse_configured_options(config)
        return (yield)
    from pytest_relevance.plugin.early_errors import FailedStart

    failed_start = FailedStart(config)
    config.pluginmanager.register(failed_start)
    try:
        command_line.refuse_configured_options(config)
        return (yield)
    except pytest.UsageError as error:
        failed_start.report(error)
        raise


def pytest_configure(config: pytest.Config) -> None:
    """Check options and ini keys, and register what a run needs from the start.

    Raises UsageError for an option or ini key with an invalid value.
    """
    try:
        _configure(config)
    except pytest.UsageError as error:
        raise usage_error(*error.args) from None


def _configure(config: pytest.Config) -> None:
    """Check the settings of a run, and install the hooks of cases if needed now.

    The hooks are needed now if the run reports something even without a case file, and
    in the controller of pytest-xdist, which collects no file. Otherwise the hooks are
    installed when the first case file is collected.
    """
    read_settings(config)
    manager = config.pluginmanager
    manager.register(SkippedFolders(config))
    if is_worker(config):
        return
    of_run = settings(config)
    is_compared = config.option.relevance_against is not None
    if is_compared:
        from pytest_relevance.plugin.against import recorded_rankings

        recorded_rankings(config)  # reads the record, to refuse a wrong one now
    is_distributed = config.getoption("dist", "no") != "no"
    reports_always = is_compared or of_run.outputs or of_run.requires_baseline
    if reports_always or is_distributed:
        from pytest_relevance.plugin import hooks

        hooks.install(config)
    check_files(of_run.files, config)


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Return a collector for a case file, or None for any other file.

    Baselines, and files that only have the content of a case file, are noted.
    """
    case_files = parent.config.stash[CASE_FILES]
    if file_path.name.endswith(BASELINE_SUFFIX):
        parent.config.stash.setdefault(BASELINES_SEEN, []).append(file_path)
        return None
    if not case_files.includes(file_path):
        if case_files.passes_over(file_path):
            from pytest_relevance.plugin import hooks

            hooks.pass_over(file_path, parent.config)
        return None
    if testmon.is_active(parent.config):
        return testmon.RefusedFile.from_parent(parent, path=file_path)
    from pytest_relevance.plugin.collector import CaseFileCollector

    return CaseFileCollector.from_parent(parent, path=file_path)


def pytest_sessionstart(session: pytest.Session) -> None:
    """Refuse case files if pytest-testmon is active.

    pytest-testmon would leave out unchanged case files, and nobody would notice.
    """
    session.config.stash[HAS_STARTED] = True
    if testmon.is_active(session.config):
        session.config.pluginmanager.register(testmon.NoSkippedFiles())


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Keep the reason if a file or a folder cannot be collected, for the reports.

    The reports need the hooks of a run. If the folder has case files, none of them was
    collected, so the hooks are registered here.
    """
    report = yield
    if report.failed:
        from pytest_relevance.plugin import early_errors

        early_errors.keep_errors(collector, report)
        if early_errors.hides_case_files(collector):
            from pytest_relevance.plugin import hooks

            hooks.install(collector.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Remove GitHub's workflow commands from pytest's message about wrong arguments."""
    try:
        return (yield)
    except pytest.UsageError as error:
        raise usage_error(*error.args) from None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Register the hooks of checks if a test requests the fixture `relevance`.

    If another process runs the test, this process still receives its report.
    """
    if any("relevance" in getattr(item, "fixturenames", ()) for item in session.items):
        from pytest_relevance.plugin import hooks

        hooks.install_for_checks(session)


@pytest.hookimpl(trylast=True)
def pytest_relevance_search(case_run: CaseRun) -> Searched | Awaitable[Searched]:
    """Call the search of one case alone, if no other implementation has called it."""
    from pytest_relevance.plugin.running.searching import search_alone

    return search_alone(case_run)


@pytest.fixture
def relevance(request: pytest.FixtureRequest) -> Relevance:
    """Return an object that scores rankings in a test written in Python.

    Example: `relevance.check(query, ranking, judgments, min_ndcg=0.85)`
    """
    from pytest_relevance.plugin import hooks
    from pytest_relevance.plugin.running.fixture import Relevance

    hooks.install_for_checks(request.session)
    return Relevance(request.node)
