"""The pytest plugin: its hooks, which call into this package, and the hooks that it
offers.

Nothing heavy is imported here: in a run without case files the plugin only declares its
options and checks the name of each file. The hooks of a run with cases are registered
when the first case file is collected (`reporting.install`).

| module | what it holds |
|---|---|
| `options` | options and ini keys, and which files are case files |
| `collector`, `items` | a case file as a collector, its cases as test functions |
| `variants`, `loops`, `own_fixtures` | parameters that make a variant; cases that need an event loop |
| `running/` | the run of a case, from the call of its search to its result |
| `reporting`, `whole_run` | the hooks around a test; the hooks of the run, from its collection to its end |
| `case_reports`, `check_reports`, `call_results` | what the report of a case carries, and that of a test with checks |
| `run_store`, `crashed_workers` | the results of the run; what a worker leaves, also if it crashes |
| `collection`, `told` | what a run has collected; what it has to tell besides results |
| `skipped_folders`, `nothing_searched` | a run in which no case was searched |
| `giving_up`, `gate_reports`, `completeness` | searches that are given up, gates as tests, what is missing from a run |
| `other_failures` | why a run fails, if no case and nothing else that its report tells is the reason |
| `selection`, `files_not_run`, `required_reference` | what the command line chooses; what a run lacks of its reference |
| `clock` | the clocks of a run, which a test cannot stop |
| `terminal`, `failure_text` | what is printed |
| `failures` | the exceptions of cases |
| `outputs`, `output_files`, `baseline_output`, `run_data` | what a run leaves: its files and baselines; the run as data |
| `uncollected`, `failed_start` | mistakes in files that keep cases from being collected, or the run from its start |
| `redaction`, `known_secrets` | secrets in reports |
| `pytest_internals` | all that is private to pytest and to other plugins |
"""

from __future__ import annotations

from collections.abc import (
    Awaitable,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance.plugin import (
    clock,  # noqa: F401 - before a conftest can stop the time
    options,
)
from pytest_relevance.plugin.output_files import (
    RECORD,
    Message,
    OutputFile,
    check_files,
)
from pytest_relevance.plugin.skipped_folders import SkippedFolders

if TYPE_CHECKING:
    from pytest_relevance.cases.model import Case
    from pytest_relevance.plugin.running.case_run import CaseRun, Searched
    from pytest_relevance.plugin.running.fixture import Relevance
    from pytest_relevance.plugin.sections import Section
    from pytest_relevance.results.case_parts import DocumentTexts
    from pytest_relevance.results.case_result import CaseResult
    from pytest_relevance.results.document_fields import FieldValues
    from pytest_relevance.results.records.run import Run
    from pytest_relevance.results.records.run_info import FileInfo

pytest_plugins = [
    "pytest_relevance.ext.concurrency.plugin",
    "pytest_relevance.ext.documents.plugin",
    "pytest_relevance.ext.explaining.plugin",
    "pytest_relevance.ext.markdown.plugin",
    "pytest_relevance.ext.html.plugin",
    "pytest_relevance.ext.judging.plugin",
]
"""The plugins of the extensions; pytest calls the last one first.

`-p no:pytest_relevance.ext.concurrency.plugin` blocks one.
"""


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the options `--relevance-*` and the ini keys `relevance_*`."""
    options.declare(parser)


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    """Register the hooks that this plugin offers to conftest files and other
    plugins.
    """
    pluginmanager.add_hookspecs(HookSpecs)


class HookSpecs:
    """The hooks that this plugin offers. In a class, as pytest takes functions of this
    module for implementations.
    """

    @staticmethod
    @pytest.hookspec(firstresult=True)
    def pytest_relevance_ranking(response: object, case: Case) -> object | None:
        """Convert the response of a search to a ranking, where the plugin cannot read
        the response itself.

        Return the ranking in any form that the plugin reads (document ids, best first;
        (id, score) pairs; mappings with an id and a title ...), or None to leave it to
        the next implementation, and at last to the plugin. The first result that is not
        None is used.

        `response` is the return value of the search, after awaiting it if it was
        awaitable; `case` is the case that runs.
        """

    @staticmethod
    @pytest.hookspec
    def pytest_relevance_metrics() -> Mapping[str, Callable[..., float | None]]:  # type: ignore[empty-body]
        """Name metrics of the project's own: {name: function}. Each then stands
        wherever a metric may: `name@10`.

        The function is called with the grades of the results (None: unjudged), best
        first and cut at k, the grades of all judgments, and k (None without a cutoff).
        It returns a finite number, or None where the metric is not defined. It is
        called for each case, and for accepted rankings: equal grades must give equal
        values.
        """

    @staticmethod
    @pytest.hookspec(firstresult=True)
    def pytest_relevance_search(
        case_run: CaseRun,
    ) -> Searched | Awaitable[Searched] | None:
        """Call the search of a case, and return what it returned or raised: `Searched`.

        Return something to await if an event loop is needed, or None to leave the
        search to the next implementation. The first result that is not None is used.
        The last implementation, of this plugin, calls the search alone. The fixtures of
        the case are set up, and no event loop runs.
        """

    @staticmethod
    @pytest.hookspec
    def pytest_relevance_fields(
        case_run: CaseRun, documents: Sequence[str], names: Sequence[str]
    ) -> FieldValues | Awaitable[FieldValues | None] | None:
        """Return what another source has of documents that lack a field which an
        expectation looks at.

        `names` are the fields that the expectations of the case look at. An
        implementation may be a coroutine function: it is awaited only if a document
        still lacks a field, and it awaits others by `case_run.wait(answer)`. The values
        of the first source count.
        """

    @staticmethod
    @pytest.hookspec
    def pytest_relevance_complete(
        config: pytest.Config,
        results: Sequence[CaseResult],
        files: Mapping[str, FileInfo],
    ) -> Sequence[DocumentTexts] | None:
        """Say more of the documents of results when all cases have ended, before any
        report: texts for each result.

        It is called in the process that has all results, for those whose rankings a
        report shows; the first call is for all of them. `files` are the case files by
        their names. It changes no verdict.
        """

    @staticmethod
    @pytest.hookspec
    def pytest_relevance_texts(
        case_run: CaseRun, result: CaseResult
    ) -> DocumentTexts | None:
        """Say more of the documents of a case that failed or is inconclusive, while its
        fixtures are set up.

        Return titles, fields or explanations, or None. What several implementations
        return is put together. It changes no verdict.
        """

    @staticmethod
    @pytest.hookspec
    def pytest_relevance_outputs() -> Iterable[OutputFile]:  # type: ignore[empty-body]
        """Name the files that options of the plugin name.

        A file is checked before the run, and a run with one keeps the ranking and the
        titles of every case.
        """

    @staticmethod
    @pytest.hookspec
    def pytest_relevance_summary(  # type: ignore[empty-body]
        run: Run, detail: int
    ) -> Iterable[Section]:
        """Add sections to the terminal, before the last one.

        `detail`: 1 for `-v`, 2 for `-vv`, -1 for `-q`.
        """

    @staticmethod
    @pytest.hookspec
    def pytest_relevance_write(  # type: ignore[empty-body]
        run: Run, config: pytest.Config
    ) -> Iterable[Message]:
        """Write something at the end of a run, and say so.

        A message that is not good fails the run. Where an error ends the run before it
        begins, `run` has no results, and the error in `run.info`. A worker of
        pytest-xdist writes nothing.
        """


@pytest.hookimpl(tryfirst=True)
def pytest_relevance_outputs() -> Sequence[OutputFile]:
    """Name the record."""
    return [RECORD]


@pytest.hookimpl(tryfirst=True)
def pytest_relevance_write(run: Run, config: pytest.Config) -> Iterator[Message]:
    """Write the record."""
    from pytest_relevance.plugin.outputs import write_record

    yield from write_record(run, config)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(
    early_config: pytest.Config,
) -> Generator[None, object, object]:
    """Write the reports of a run that an error of a conftest.py ends before it
    begins.
    """
    try:
        return (yield)
    except KeyboardInterrupt:
        raise
    except BaseException as error:
        from pytest_relevance.plugin.failed_start import report_failed_start

        report_failed_start(error, early_config, early_config.known_args_namespace)
        raise


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    """Write the reports of a run that an error of the configuration ends before it
    begins.
    """
    if not options.may_tell_of_failed_start(config):
        return (yield)
    from pytest_relevance.plugin.failed_start import FailedStart

    failed_start = FailedStart(config)
    config.pluginmanager.register(failed_start, "relevance-failed-start")
    try:
        return (yield)
    except pytest.UsageError as error:
        failed_start.report(error)
        raise


def pytest_configure(config: pytest.Config) -> None:
    """Check options and ini keys; register the hook on skipped folders, and `Reporting`
    where a run needs it from the start.

    Else the first case file registers it; the controller of pytest-xdist collects none.
    Raises UsageError for an option or ini key with an invalid value.
    """
    try:
        _configure(config)
    except pytest.UsageError as error:
        raise _guarded(error) from None


def _configure(config: pytest.Config) -> None:
    options.read_settings(config)
    manager = config.pluginmanager
    manager.register(SkippedFolders(config), "relevance-skipped-folders")
    if hasattr(config, "workerinput"):
        return  # a worker of pytest-xdist installs them, and reads the record, where it collects a case file
    of_run = options.settings(config)
    against, outputs = config.option.relevance_against, of_run.outputs
    if against is not None:
        options.recorded_rankings(config)
    if (
        against is not None
        or outputs
        or of_run.requires_baseline
        or config.getoption("dist", "no") != "no"
    ):
        from pytest_relevance.plugin import reporting

        reporting.install(config)  # the run says so where it has no case file at all
    check_files(of_run.files, config)


def _guarded(error: pytest.UsageError) -> pytest.UsageError:
    """A usage error whose message holds no workflow command, where a runner of GitHub
    reads the output.
    """
    from pytest_relevance.reports.workflow_commands import safe_output

    return pytest.UsageError(*(safe_output(str(message)) for message in error.args))


def pytest_collect_file(
    file_path: Path, parent: pytest.Collector
) -> pytest.Collector | None:
    """Return a collector for a case file, or None for any other file."""
    case_files = parent.config.stash[options.CASE_FILES]
    if file_path.name.endswith(options.BASELINE_SUFFIX):
        parent.config.stash.setdefault(options.BASELINES_SEEN, []).append(file_path)
        return None
    if not case_files.includes(file_path):
        if case_files.passes_over(file_path):
            from pytest_relevance.plugin import reporting

            reporting.pass_over(file_path, parent.config)
        return None
    if parent.config.pluginmanager.hasplugin("TestmonSelect"):
        from pytest_relevance.plugin import testmon

        if testmon.is_active(parent.config):
            return testmon.RefusedFile.from_parent(parent, path=file_path)
    from pytest_relevance.plugin.collector import CaseFile

    return CaseFile.from_parent(parent, path=file_path)


def pytest_sessionstart(session: pytest.Session) -> None:
    """See that pytest-testmon, if it is active, leaves no case file out in silence."""
    session.config.stash[options.HAS_STARTED] = True
    if session.config.pluginmanager.hasplugin("TestmonSelect"):
        from pytest_relevance.plugin import testmon

        if testmon.is_active(session.config):
            session.config.pluginmanager.register(testmon.NoSkippedFiles())


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Keep why a file or a folder cannot be collected, for the reports of the run."""
    report = yield
    if report.failed:
        from pytest_relevance.plugin import uncollected

        uncollected.keep_errors(collector, report)
        if uncollected.hides_case_files(collector):
            from pytest_relevance.plugin import reporting

            reporting.install(collector.config)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep workflow commands out of pytest's message about arguments of the command
    line.
    """
    try:
        return (yield)
    except pytest.UsageError as error:
        raise _guarded(error) from None


def pytest_collection_finish(session: pytest.Session) -> None:
    """Register `Reporting` where a test requests `relevance`: the test itself may run
    in another process.
    """
    if any("relevance" in getattr(item, "fixturenames", ()) for item in session.items):
        from pytest_relevance.plugin import reporting

        reporting.install_for_checks(session)


@pytest.hookimpl(trylast=True)
def pytest_relevance_search(case_run: CaseRun) -> Searched | Awaitable[Searched]:
    """Call the search of a case alone."""
    from pytest_relevance.plugin.running.searching import search_alone

    return search_alone(case_run)


@pytest.fixture
def relevance(request: pytest.FixtureRequest) -> Relevance:
    """Score rankings in a test written in Python:
    `relevance.check(query, ranking, judgments, min_ndcg=0.85)`.
    """
    from pytest_relevance.plugin import reporting
    from pytest_relevance.plugin.running.fixture import Relevance

    reporting.install_for_checks(request.session)
    return Relevance(request.node)
