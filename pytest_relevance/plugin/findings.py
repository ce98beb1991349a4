"""What a run reports about itself when it ends: what it did not do, and why it fails.

A failing case, gate or error has a report of its own. A `RunFinding` is anything else,
for example that nothing was searched, that results were lost, or that a test in Python
failed.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_relevance._text import counted, examples, harmless, listed
from pytest_relevance.plugin.against import recorded_rankings
from pytest_relevance.plugin.news import LOST, PASSED_OVER
from pytest_relevance.plugin.required_reference import (
    files_not_run,
    findings_on_reference,
)
from pytest_relevance.plugin.run_settings import ended_well, settings
from pytest_relevance.plugin.run_store import (
    RunStore,
    first_named,
    run_store,
)
from pytest_relevance.plugin.selection import command_line_chooses
from pytest_relevance.reports.run.run_findings import (
    nothing_searched_text,
    nothing_was_searched,
)
from pytest_relevance.results.case_result import FAILED, has_failed
from pytest_relevance.results.records.baseline_paths import SUFFIX, has_baseline
from pytest_relevance.results.records.fingerprint import (
    MOST_SHOWN,
    changed,
    changes_text,
)
from pytest_relevance.results.records.run_info import RunFinding


def findings(
    config: pytest.Config, *, has_ended: bool, is_complete: bool
) -> Iterator[RunFinding]:
    """Yield the findings of a run: what it did not do, and why it fails.

    `has_ended`: false if the run was broken off, for example by Ctrl-C or an internal
        error.
    `is_complete`: also false if pytest stopped the run early, for example after
        --maxfail. Then it is no finding that cases did not run.
    """
    store = run_store(config)
    if has_ended:
        yield from _nothing_ran(config, store)
    if is_complete:
        yield from _nothing_searched(config, store)
        yield from _folders_skipped(config, store)
        yield from _lost_results(config, store)
        yield from _without_reference(config, store)
        yield from _without_comparison(config, store)
        yield from findings_on_reference(config)
    yield from _passed_when_run_again(store)
    yield from _lost_checks(store)
    yield from _files_passed_over(config, store)
    yield from _different_fingerprints(store)


def _nothing_ran(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding if no case ran although the command line asks to compare.

    - With `--relevance-against`: if the record has case files that did not run.
    - With `--relevance-baseline=require`: if the finding makes the run fail.

    The finding makes the run fail if there is no case file, no skipped folder with case
    files and no error of collection, and the command line chooses neither files nor
    cases.
    """
    is_against = config.option.relevance_against is not None
    if store.results or not (is_against or _is_required_option(config)):
        return
    collection = store.collection
    has_files = collection.files or collection.skipped_folders or store.notes.errors
    fails = not has_files and not command_line_chooses(config)
    unread = files_not_run(config) if is_against else ()
    if unread:
        files = f"{counted(len(unread), 'file')} in {recorded_rankings(config).name}"
        text = f"--relevance-against: no case ran of {files} ({examples(unread)})"
    elif fails:
        option = "--relevance-against"
        if _is_required_option(config):
            option = "--relevance-baseline=require"
        text = f"{option}: no case file was collected"
    else:
        return
    if fails:
        how = "restore the case files, or leave the option out"
        text = f"{text}, so the run fails: {how}"
        yield RunFinding(text, fails=True, is_of_part=True, because=_NOTHING)
    else:
        yield RunFinding(text, is_of_part=True)


def _is_required_option(config: pytest.Config) -> bool:
    """Say whether an option, and not only the ini key, requires a reference."""
    return bool(config.option.relevance_baseline == "require")


def _passed_when_run_again(store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding about tests that passed only when a plugin ran them again."""
    names = store.passed_when_run_again()
    if not names:
        return
    passed = "passed only when it was run again"
    if len(names) > 1:
        passed = "passed only when they were run again"
    brief = f"{counted(len(names), 'test')} {passed}"
    how = "--relevance-repeat says whether the ranking changes from call to call"
    yield RunFinding(f"{brief} ({first_named(names)}): {how}", brief=brief)


def _lost_checks(store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding about checks that ended after their tests, in other threads."""
    lost = store.notes.named[LOST]
    if lost:
        checks = counted(len(lost), "check was", "checks were")
        text = f"{checks} made in a thread that its test did not wait for, and the run fails: {first_named(lost)}"
        brief = counted(len(lost), "check is", "checks are") + " lost"
        yield RunFinding(text, fails=True, brief=brief)


def _files_passed_over(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding about files with cases that have no name of a case file."""
    files = [*dict.fromkeys(store.notes.named[PASSED_OVER])]
    if files:
        patterns = listed(config.getini("relevance_files"), "or")
        text = f"{counted(len(files), 'file has cases and is', 'files have cases and are')} not collected"
        them = "it" if len(files) == 1 else "them"
        how = f"rename {them} to {patterns}, or set relevance_files"
        brief = counted(len(files), "file with cases is", "files with cases are")
        yield RunFinding(
            f"{text}: {first_named(files)}; {how}", brief=f"{brief} not collected"
        )


def _different_fingerprints(store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding if the processes of the run have different fingerprints."""
    if len(store.notes.fingerprints) > 1:
        first, second = store.notes.fingerprints[:2]
        changes = changes_text(changed(first, second), MOST_SHOWN)
        text = f"the workers searched different things, by relevance_fingerprint: {changes}"
        text = f"{text}; records and baselines keep what all have in common"
        yield RunFinding(text, brief="the workers searched different things")


def _lost_results(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding about cases without a result.

    A plugin that runs tests in another process may drop what is attached to reports. A
    case with a failed report does not count, because its failure is shown already. A
    case that another plugin passed without a score counts only if an option needs every
    result.
    """
    needed_by = ["--relevance-gates=require"] if settings(config).requires_gates else []
    needed_by += [f"--relevance-{name}" for name in settings(config).outputs]
    explained = store.failed if needed_by else store.failed | store.unscored
    names = [name for name in store.unfinished() if name not in explained]
    if not names:
        return
    total = sum(map(store.collection.is_case, store.collection.to_run))
    have = "has" if len(names) == 1 else "have"
    text = (
        f"{len(names):,} of {counted(total, 'case')} that were to run {have} no "
        f"result ({first_named(names)}): a plugin that runs tests elsewhere, makes reports of its own, or runs "
        "something else in the place of cases may be the cause"
    )
    if needed_by:
        needs = "needs" if len(needed_by) == 1 else "need"
        text = (
            f"{text}; {listed(needed_by, 'and')} {needs} every result, so the run fails"
        )
    because = f"{counted(len(names), 'case has', 'cases have')} no result"
    fails = bool(needed_by)
    yield RunFinding(text, fails=fails, is_of_part=True, because=because)


def _without_comparison(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding if the record to compare with has none of the files that ran."""
    if config.option.relevance_against is None:
        return
    ran = set()
    for result in store.results:
        if result.evaluation.scores and not result.is_check:
            ran.add(result.file)
    recorded = recorded_rankings(config)
    for file in ran:
        info = store.collection.files[file]
        if info.moved or recorded.of_file(info.node, file):
            return
    if ran:
        text = f"--relevance-against: {recorded.name} has none of the case files that ran, so nothing was compared"
        text = f"{text}, and the run fails; was it recorded from another folder, or of other files?"
        brief = "nothing was compared"
        yield RunFinding(text, fails=True, brief=brief, is_of_part=True)


def _without_reference(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding if failures that failed before are allowed, without a reference.

    The finding names the case files with a failure and without a reference.
    """
    if not settings(config).expects_known:
        return
    failing = set()
    for result in store.results:
        if has_failed(result) and not result.is_check:
            failing.add(result.file)
    alone = []
    for file in sorted(failing):
        info = store.collection.files[file]
        if not info.against and not has_baseline(info.path):
            alone.append(file)
    if alone:
        have = "has" if len(alone) == 1 else "have"
        what = f"{first_named(alone)} {have} nothing to compare with"
        how = "give --relevance-against=RUN, or commit a baseline"
        yield RunFinding(
            f"--relevance-known=xfail: {what}, so every failure counts: {how}"
        )


_NOTHING = "no case was searched"

_REMEDY = "let the search run, or leave the cases out of this run (-m, -k, --ignore)"


def _nothing_searched(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding if no case was searched.

    The finding makes the run fail if the run was to be compared with a reference.
    """
    if not nothing_was_searched(store.results):
        return
    collection = store.collection
    cases = [name for name in collection.to_run if collection.is_case(name)]
    if not cases and not collection.skipped_folders:
        yield from _all_deselected(config, store)
        return
    text = nothing_searched_text(store.results) or _never_ran_text(store, cases)
    why_fails = _why_compared(config, store)
    if why_fails:
        text = f"{text}; {why_fails}, so the run fails: {_REMEDY}"
        yield RunFinding(text, fails=True, is_of_part=True, because=_NOTHING)
    else:
        yield RunFinding(text, is_of_part=True)


def _folders_skipped(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding about skipped folders, if cases of other folders were searched.

    The finding makes the run fail if a baseline is required.
    """
    folders = store.collection.skipped_folders
    if not folders or nothing_was_searched(store.results):
        return
    text = _skipped_folders_text(store)
    fails = settings(config).requires_baseline and not _updates(config)
    if fails:
        text = f"{text}; relevance_baseline is require, so the run fails"
    are = counted(len(folders), "folder with cases is", "folders with cases are")
    yield RunFinding(text, fails=fails, brief=f"{are} skipped")


def _all_deselected(config: pytest.Config, store: RunStore) -> Iterator[RunFinding]:
    """Yield a finding if all cases were deselected although there is a reference.

    The run fails if the command line requires a baseline, and if the configuration both
    compares with a record and deselects the cases.
    """
    files = store.collection.files
    if not (files and _why_compared(config, store)):
        return
    total = sum(info.total for info in files.values())
    deselected = "1 case was" if total == 1 else f"all {total:,} cases were"
    text = f"no case was searched: {deselected} deselected"
    is_against = config.option.relevance_against is not None
    option = ""
    if _is_required_option(config):
        option = "--relevance-baseline=require"
    elif is_against and not command_line_chooses(config):
        option = "--relevance-against"
    if option:
        text = f"{text}, and {option} is given, so the run fails: leave one of them out"
        yield RunFinding(text, fails=True, is_of_part=True, because=_NOTHING)
    else:
        yield RunFinding(text, is_of_part=True)


def _never_ran_text(store: RunStore, names_of_cases: list[str]) -> str:
    """Return a sentence about cases that were to run and did not.

    If there are none, the sentence is about the folders that were skipped.
    """
    if not names_of_cases:
        return f"no case was searched: {_skipped_folders_text(store)}"
    count = counted(len(names_of_cases), "case was", "cases were")
    return f"no case was searched: {count} to run ({first_named(names_of_cases)})"


def _skipped_folders_text(store: RunStore) -> str:
    """Return which conftest.py files skip case files, and the reason of the first."""
    folders = list(store.collection.skipped_folders)
    reason = harmless(store.collection.skipped_folders[folders[0]].reason)
    skip = "skips its" if len(folders) == 1 else "skip their"
    return f"the conftest.py of {first_named(folders)} {skip} case files ({reason})"


def _why_compared(config: pytest.Config, store: RunStore) -> str:
    """Return why the run was to be compared with a reference; "" if it was not.

    The reason is a record, a baseline, or the option that requires a baseline.
    """
    against = config.option.relevance_against
    if against is not None:
        return f"there is {harmless(recorded_rankings(config).name)} to compare with"
    paths = [info.path for info in store.collection.files.values()]
    for folder in store.collection.skipped_folders.values():
        paths += folder.files
    with_baseline = [path for path in paths if has_baseline(path)]
    if with_baseline:
        baselines = counted(len(with_baseline), "baseline")
        are = "is" if len(with_baseline) == 1 else "are"
        return f"there {are} {baselines} to compare with (*{SUFFIX})"
    if settings(config).requires_baseline and not _updates(config):
        return "relevance_baseline is require"
    return ""


def _updates(config: pytest.Config) -> bool:
    """Say whether the run writes baselines. Then a baseline may be missing."""
    return config.option.relevance_update is not None


def other_failures(
    store: RunStore, exitstatus: int | pytest.ExitCode
) -> Iterator[RunFinding]:
    """Yield a finding if tests other than cases failed.

    If no such test failed, a finding is yielded if pytest ended with an exit code of
    failure that no report explains. Nothing is yielded for a run without cases.
    """
    if not store.results:
        return
    names = _other_tests(store)
    if names:
        count = counted(len(names), "other failure")
        because = counted(len(names), "other test failed", "other tests failed")
        text = f"{count}: {first_named(names)}"
        yield RunFinding(text, fails=True, brief=count, because=because)
    elif not ended_well(exitstatus) and not _is_explained(store):
        yield RunFinding(
            f"pytest ended with exit code {int(exitstatus)}, and not because of a case: "
            "its output says why",
            fails=True,
            because=f"pytest ended with exit code {int(exitstatus)}",
        )


def _other_tests(store: RunStore) -> list[str]:
    """Return the node ids of failed tests that are neither cases nor gates."""
    ours = {f"{gate.node}::{gate.name}" for gate in store.gates}
    ours.update(store.unfinished())
    return [name for name in store.other_failures if name not in ours]


def _is_explained(store: RunStore) -> bool:
    """Say whether a report names an error, a finding, a gate or a case that fails."""
    if store.notes.errors or store.unfinished():
        return True
    if any(finding.fails for finding in store.notes.findings):
        return True
    if any(gate.outcome() == FAILED for gate in store.gates):
        return True
    return any(has_failed(result) for result in store.results)
