"""What a run leaves: worklist, record, reports and baselines, as options ask, and its report in GitHub Actions.

The process that receives all reports writes them; a worker of pytest-xdist writes nothing. A file that an option names
is checked before the run, so that an unusable one is refused at once. If one cannot be written, the run fails. The
report in GitHub Actions (step summary and annotations) is made unasked: a problem with it is a message, and no more.
"""

from __future__ import annotations

import os
import platform
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timezone
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pytest_relevance._files import is_read_only, write_whole
from pytest_relevance._text import counted, harmless, listed, with_variant
from pytest_relevance.plugin.files_not_run import files_not_run
from pytest_relevance.plugin.moved_cases import entries_to_move
from pytest_relevance.plugin.options import (
    FILES,
    ended_well,
    redaction,
    relative,
    settings,
    verbosity,
    without_root,
)
from pytest_relevance.plugin.run_store import Message, RunStore, first_named, run_store
from pytest_relevance.plugin.selection import is_part
from pytest_relevance.reports.recognition import is_report
from pytest_relevance.reports.run.counts import anything_ran, counted_cases
from pytest_relevance.reports.sections import MOST_CHARACTERS
from pytest_relevance.results.case_parts import SETUP
from pytest_relevance.results.case_result import FAILED, NOT_SEARCHED, CaseResult
from pytest_relevance.results.records.baseline import (
    BaselineEntries,
    MovedEntries,
    Updated,
    acceptable,
    update_baseline,
)
from pytest_relevance.results.records.run_info import (
    SUFFIX,
    FileInfo,
    RecordError,
    RunFinding,
    RunInfo,
    baseline_path,
    files_with_errors,
    has_baseline,
)
from pytest_relevance.results.records.uncompared import without_ranking

if TYPE_CHECKING:
    from pytest_relevance.reports.run.annotations import Annotation
    from pytest_relevance.results.records.run import Run

Write = Callable[[bool], Iterable[Message]]
"""Writes an output and returns messages about it; the argument is whether the run had no failure so far."""


class Outputs:
    """The hooks that write the output files.

    Of each option it has the function that writes its output, and a message for a run that ran no test.
    """

    def __init__(self, config: pytest.Config) -> None:
        """Check the outputs. Raises UsageError for a file that cannot or must not be written."""
        self._store = run_store(config)
        self._runs_tests = settings(config).runs_tests
        self._has_begun = False
        self._outputs: list[tuple[Write, str]] = []
        names: dict[str, str] = {}
        # baselines come before reports, which say if one could not be updated
        for name in sorted(settings(config).outputs, key=FILES.__contains__):
            if name in FILES:
                target = Target.of(name, config)
                other = names.setdefault(os.path.realpath(target.path), name)
                # several outputs can be written to one pipe or device; of a file one would replace what the other wrote
                if other != name and (
                    target.path.is_file() or not target.path.exists()
                ):
                    raise pytest.UsageError(
                        f"--relevance-{other} and --relevance-{name} name the same file, {target.shown}; name two files"
                    )
                if name == "judge":
                    continue  # it is written by `Judging`, as grades come
                why = "no case was scored" if name == "unjudged" else "no test ran"
                found = (
                    partial(_WRITERS[name], target),
                    f"{target.shown} is not written: {why}",
                )
            else:
                found = partial(_update_baselines, config), ""
            self._outputs.append(found)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtestloop(self) -> Generator[None, object, object]:
        """Record that the session runs tests: options such as `--fixtures` also start a session.

        Only the start is recorded, as a plugin may replace the loop itself.
        """
        self._has_begun = self._runs_tests
        return (yield)

    @pytest.hookimpl
    def pytest_sessionfinish(
        self, session: pytest.Session, exitstatus: int | pytest.ExitCode
    ) -> None:
        """Write the outputs, and set the exit status of a failed run if that is not possible."""
        # an error of a hook may have ended the run before its first test
        is_told = self._has_begun or (self._runs_tests and self._store.errors)
        for write, unwritten in self._outputs:
            if not is_told:
                self._store.messages += [Message(unwritten)] if unwritten else []
                continue
            tell([*write(ended_well(exitstatus))], session, exitstatus)


def tell(
    messages: Sequence[Message],
    session: pytest.Session,
    exitstatus: int | pytest.ExitCode,
) -> None:
    """Keep messages for the end of the run, which fails where one of them is not good."""
    store = run_store(session.config)
    for message in messages:
        if message.is_good:
            store.messages.append(message)
        else:
            brief = "not everything was written"
            store.keep_finding(RunFinding(message.text, fails=True, brief=brief))
    if not all(message.is_good for message in messages) and ended_well(exitstatus):
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def _write_worklist(target: Target, has_ended_well: bool) -> Iterator[Message]:
    from pytest_relevance.results.worklist import Worklist

    scored = [
        result
        for result in run_store(target.config).results
        if result.evaluation.scores
    ]
    if not (
        scored or has_ended_well
    ):  # no rankings, so that the unjudged results are unknown
        yield Message(f"{target.shown} is not written: no case was scored")
        return
    found = Worklist.of(scored)
    # of anything but a regular file, a pipe for instance, there is no content to keep
    problem = target.write(
        lambda path: write_whole(
            path, found.to_csv(path.read_bytes() if path.is_file() else b"")
        )
    )
    words = "no unjudged results"
    if found.rows:
        words = f"{counted(len(found.rows), 'unjudged result')} of {counted(found.queries, 'query', 'queries')}"
    if problem is None:
        yield Message(
            f"{words}: {target.shown}{'' if found.rows else ' has only its header'}"
        )
    else:
        yield Message(f"{words}, and no list of them: {problem}", is_good=False)


def _write_record(target: Target, _: bool) -> Iterator[Message]:
    from pytest_relevance.results.records.file import Record, write_record

    store = run_store(target.config)
    files, info = about_run(target.config)
    record = Record(store.results, files, info)
    problem = target.write(lambda path: write_record(path, record))
    if problem is not None:
        yield Message(f"no record of the run: {problem}", is_good=False)
        return
    unfinished = (
        f", {len(info.missing):,} did not finish: {first_named(info.missing)}"
        if info.missing
        else ""
    )
    if info.uncollected:
        unfinished += f"; {files_with_errors(info.uncollected)}"
    yield Message(
        f"record: {target.shown} ({counted_cases(store.results)}{unfinished})"
    )


def _write_report(target: Target, _: bool) -> Iterator[Message]:
    data = report_of(target.config, target.name, target.path.name).encode(
        "utf-8", "backslashreplace"
    )
    problem = target.write(lambda path: write_whole(path, data))
    yield (
        Message(f"report: {target.shown}")
        if problem is None
        else Message(f"no report: {problem}", is_good=False)
    )


_WRITERS: Mapping[str, Callable[[Target, bool], Iterator[Message]]] = {
    "unjudged": _write_worklist,
    "record": _write_record,
    "html": _write_report,
    "markdown": _write_report,
}


@dataclass(frozen=True, slots=True)
class Target:
    """The file that the option `--relevance-{name}` names; `shown` is the name of the file for messages."""

    name: str
    path: Path
    shown: str
    config: pytest.Config

    @classmethod
    def of(cls, name: str, config: pytest.Config) -> Target:
        """Return the target that an option names. Raises UsageError where the file cannot or must not be written."""
        file = getattr(config.option, f"relevance_{name}")
        target = cls.named(file, name, config)
        problem = target.problem() if file else "the name of the file is empty"
        if problem is not None:
            raise pytest.UsageError(f"--relevance-{name}={harmless(file)}: {problem}")
        return target

    @classmethod
    def named(cls, file: str, name: str, config: pytest.Config) -> Target:
        """Return the target for a file that the option `--relevance-{name}` names, without a check."""
        path = Path(os.path.abspath(os.path.expanduser(file)))
        return cls(name, path, harmless(file), config)

    def problem(self) -> str | None:
        """Return why the file cannot or must not be written, and what to do; None if no reason is known."""
        target = Path(os.path.realpath(self.path))
        if target.is_dir():
            return f"{self.shown} is a folder; name a file in it"
        if not target.parent.is_dir():
            return f"there is no folder {harmless(str(target.parent))}; make it, or name a file in another one"
        if not os.access(target.parent, os.W_OK) or is_read_only(target):
            return f"{self.shown} may not be written; see to its permissions, or name another file"
        if (
            not target.is_file()
        ):  # the file does not exist, or is a pipe without content to lose
            return None
        try:
            data = target.read_bytes()
        except OSError as error:
            return f"{self.shown} cannot be read: {error.strerror or error}"
        if self.name in ("unjudged", "judge"):
            from pytest_relevance.results.judge_file import why_not_added_to
            from pytest_relevance.results.worklist_file import why_kept

            reason = (why_kept if self.name == "unjudged" else why_not_added_to)(data)
            return reason and f"{self.shown} {reason}"
        from pytest_relevance.results.records.file import RECORDS, is_record

        is_own, what = (
            (is_record, RECORDS) if self.name == "record" else (is_report, "report")
        )
        if not data.strip() or is_own(data):
            return None
        return f"{self.shown} is there, and is no {what}; name another file"

    def write(self, write: Callable[[Path], None]) -> str | None:
        """Write the file with the function `write`; return why that failed, or None.

        The target is checked again first, as it may have changed during the run.
        """
        problem = self.problem()
        if problem is None:
            try:
                write(self.path)
            except OSError as error:
                problem = f"{self.shown} cannot be written: {error.strerror or error}"
        return problem


def _update_baselines(config: pytest.Config, _: bool) -> Iterator[Message]:
    """Accept the rankings of all scored cases, and yield messages about the changes and failures."""
    store, only_new = run_store(config), config.option.relevance_update == "new"
    results = [result for result in store.results if not result.is_check]
    is_any_scored = any(result.evaluation.scores for result in results)
    files = set()
    if is_any_scored:
        files = {result.file for result in results if _is_acceptable(result, store)}
    try:
        moves = entries_to_move(config)
    except RecordError as error:
        yield Message(f"no baseline is updated: {error}", is_good=False)
        return
    files |= {file for file in moves if file in store.files}
    if not files:
        yield Message("no baseline is written: no case was scored")
    arriving = {file for file in files if moves[file].arriving}
    has_failed = False
    for file in (*sorted(arriving), *sorted(files - arriving)):
        if has_failed:  # an entry leaves its file only when it has arrived
            moves[file].leaving.clear()
        for message in _update_baseline(store, file, moves[file], only_new=only_new):
            has_failed = has_failed or not message.is_good
            yield message


def _is_acceptable(result: CaseResult, store: RunStore) -> bool:
    """Whether an update may accept something of a case: its ranking, or its skip."""
    if result.evaluation.scores:
        return True
    return result.call.is_marked_skip and has_baseline(store.files[result.file].path)


def _update_baseline(
    store: RunStore, file: str, moves: MovedEntries, *, only_new: bool
) -> Iterator[Message]:
    info, shown = store.files[file], harmless(f"{file}{SUFFIX}")
    finished, is_whole = store.of_file(file), store.is_whole(file)
    results = [result for result in store.results if result.file == file]
    accepted, unstable = acceptable(results, only_new=only_new)
    titles = {
        document: title
        for result in results
        for document, title in result.texts.titles.items()
    }
    keys = (
        frozenset((result.id, result.variant) for result in finished)
        if is_whole and not only_new
        else None
    )
    entries = BaselineEntries(accepted, titles, store.fingerprint)
    entries.without_ranking = without_ranking(info, results, entries.keys())
    try:
        updated = update_baseline(
            baseline_path(info.path),
            entries,
            shown=shown,
            only_new=only_new,
            all_keys=keys,
            moves=moves,
            collected={(case, variant) for case, variant, *_ in info.cases},
            searches=_searches_that_should_find(info),
        )
    except (RecordError, OSError) as error:
        why = (
            f", it cannot be written: {error.strerror or error}"
            if isinstance(error, OSError)
            else f": {str(error).removeprefix(f'{shown}: ')}"
        )
        yield Message(f"baseline {shown} is not updated{why}", is_good=False)
    else:
        rest = (
            ""
            if is_whole
            else f"; {len(finished):,} of {info.total:,} cases ran, the others keep what they had"
        )
        if updated.without_ranking:
            have = counted(updated.without_ranking, "case has", "cases have")
            rest = f"{rest}; {have} no accepted ranking"
        yield Message(f"baseline {shown}: {_changes_of(updated)}{rest}")
    if unstable:
        rankings = counted(len(unstable), "ranking is", "rankings are")
        why = (
            "not accepted, as the search returned another one when it was called again"
        )
        yield Message(
            f"baseline {shown}: {rankings} {why}: {first_named(unstable)}",
            is_good=False,
        )


def _searches_that_should_find(info: FileInfo) -> dict[tuple[str, str | None], str]:
    """Name the search of each case of a file that should find something."""
    searches = {}
    for case, variant, search, should_find, _ in info.cases:
        if should_find:
            searches[case, variant] = with_variant(search, variant)
    return searches


def _changes_of(updated: Updated) -> str:
    """Describe the changes of a baseline: `3 added, 2 changed, 4 with other scores, 1 gone, 46 as they were`."""
    if not updated.is_change:
        new = {
            "the fingerprint": updated.has_new_fingerprint,
            "what it notes of cases (judgments, weights, tags, missed floors)": bool(
                updated.noted
            ),
        }
        names = [name for name, is_new in new.items() if is_new]
        return (
            f"nothing changed but {listed(names, 'and')}"
            if names
            else "nothing changed"
        )
    counts = [(updated.added, "added"), (updated.changed - updated.rescored, "changed")]
    counts += [(updated.rescored, "with other scores"), (updated.moved, "moved")]
    counts += [(updated.left, "moved to another file"), (updated.dropped, "gone")]
    if not any(count for count, _ in counts):
        counts = [
            (
                updated.titles,
                "title changed" if updated.titles == 1 else "titles added or changed",
            )
        ]
    counts.append((updated.kept, "as they were"))
    return ", ".join(f"{count:,} {what}" for count, what in counts if count)


def about_run(config: pytest.Config) -> tuple[dict[str, FileInfo], RunInfo]:
    """The case files of the run, and how it was made."""
    from pytest_relevance.results.diagnoses import faults_to_record

    store = run_store(config)
    root = str(config.rootpath)
    results = store.results  # their titles may show an error of a catalogue
    files = {
        Path(file).as_posix(): replace(
            info,
            path=Path(relative(info.path, root) or Path(info.path).name).as_posix(),
        )
        for file, info in sorted(store.files.items())
    }
    faults = faults_to_record(results, store.warnings.values())
    how = how_run(config, settings(config).started)
    return files, replace(
        how,
        fingerprint=store.fingerprint,
        missing=tuple(store.unfinished()),
        faults=faults,
        requires_gates=settings(config).requires_gates,
        not_run=files_not_run(config),
        requires_baseline=settings(config).requires_baseline,
        is_part=is_part(config),
        errors=store.errors,
        findings=tuple(store.findings),
    )


def how_run(config: pytest.Config, started: float) -> RunInfo:
    """Return what is known of a run before it begins: programs, command, and the time (seconds since the epoch)."""
    from pytest_relevance import __version__

    root = str(config.rootpath)
    command = ["pytest"]
    arguments = map(str, config.invocation_params.args)
    for argument in redaction(config).arguments(arguments):
        is_root = argument == root
        command.append("." if is_root else without_root(argument, config))
    began = datetime.fromtimestamp(started, timezone.utc)
    return RunInfo(
        program=__version__,
        started=began.isoformat(timespec="seconds"),
        versions={"python": platform.python_version(), "pytest": pytest.__version__},
        command=tuple(command),
    )


def report_of(
    config: pytest.Config, name: str, title: str, most: int = MOST_CHARACTERS
) -> str:
    """The report of the run as `html` or `markdown`; a report in Markdown has at most `most` characters."""
    from pytest_relevance.results.records.run import Run

    run = Run(run_store(config).results, *about_run(config), name=title)
    return report_text(run, name, config, verbosity(config.option), most)


def report_text(
    run: Run,
    name: str,
    config: pytest.Config,
    verbosity: int = 0,
    most: int = MOST_CHARACTERS,
) -> str:
    """The report of any run, as `report_of` makes that of the present one."""
    if name == "html":
        from pytest_relevance.reports.html.page import html_page

        images = getattr(config.option, "relevance_images", "off")
        return html_page(run, images=images == "link")
    from pytest_relevance.reports.run.markdown import run_markdown
    from pytest_relevance.reports.workflow_commands import safe_output

    page = config.getini("relevance_page_url")
    return safe_output(
        run_markdown(run, verbosity=max(verbosity, 0), most=most, page=page)
    )


MOST_OF_SUMMARY = 200_000
"""How many characters a report in the summary of a step may have. GitHub shows no summary of more than 1 MiB."""

_ANNOTATORS = ("annotate_errors", "pytest_github_actions_annotate_failures")
"""The names of the plugin pytest-github-actions-annotate-failures: its hooks since 0.3, its module before."""


class GitHubReport:
    """The hooks for GitHub Actions, which append to the step summary and print annotations, if any case ran."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._store = run_store(config)

    @pytest.hookimpl(trylast=True)
    def pytest_sessionfinish(self) -> None:
        """Append the report to the step summary. A problem becomes a message and changes no exit status."""
        summary = os.environ.get("GITHUB_STEP_SUMMARY")
        if not summary or not self._has_something_to_say():
            return
        report = report_of(self._config, "markdown", "", most=MOST_OF_SUMMARY)
        problem = append_to_summary(report, summary)
        if problem:
            self._store.messages.append(Message(problem, is_good=False))

    @pytest.hookimpl
    def pytest_unconfigure(self, config: pytest.Config) -> None:
        """Print the annotations, when the terminal has ended its last line.

        If another plugin annotates what fails in the call of a test, only the rest is annotated.
        """
        if not self._has_something_to_say():
            return
        from pytest_relevance.reports.run.annotations import run_annotations
        from pytest_relevance.results.records.run import Run

        results = self._store.results
        failed_gates = [gate for gate in self._store.gates if gate.outcome() == FAILED]
        if any(map(config.pluginmanager.has_plugin, _ANNOTATORS)):
            results = [result for result in results if not _fails_in_its_call(result)]
            failed_gates = []
        about = RunInfo(errors=self._store.errors, findings=self._store.findings)
        run = Run(results, {}, about)
        print_annotations(run_annotations(run, failed_gates), config)

    def _has_something_to_say(self) -> bool:
        store = self._store
        fails = any(finding.fails for finding in store.findings)
        return bool(store.errors) or fails or anything_ran(store.results)


def append_to_summary(report: str, summary: str) -> str:
    """Append a report to the file of the summary of a job. Return why that failed; else an empty text."""
    try:
        with open(summary, "ab") as file:
            gap = "\n\n" if file.tell() else ""
            file.write(f"{gap}{report}".encode("utf-8", "backslashreplace"))
    except OSError as error:
        why = f"{harmless(summary)} cannot be written: {error.strerror or error}"
        return f"no report in the summary of the job: {why}"
    return ""


def _fails_in_its_call(result: CaseResult) -> bool:
    """Whether pytest reports a failing case for its call, and not for its setup."""
    error = result.call.error
    is_of_setup = error is not None and error.phase == SETUP
    return not is_of_setup and result.status != NOT_SEARCHED


def print_annotations(annotations: Iterable[Annotation], config: pytest.Config) -> None:
    """Print annotations for the runner of GitHub. Characters that standard output lacks are escaped."""
    encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
    for annotation in annotations:
        text = annotation.as_command(_path_in_workspace(annotation.file, config))
        print(text.encode(encoding, "backslashreplace").decode(encoding), flush=True)


def _path_in_workspace(file: str, config: pytest.Config) -> str | None:
    """Return the path of a file relative to the workspace of the job; None if it is outside, or if there is none."""
    if not file:
        return None
    workspace = os.environ.get("GITHUB_WORKSPACE") or config.rootpath
    path = relative(
        os.path.realpath(config.invocation_params.dir / file),
        os.path.realpath(workspace),
    )
    if path is None or path.startswith(os.pardir):
        return None
    return Path(path).as_posix()
