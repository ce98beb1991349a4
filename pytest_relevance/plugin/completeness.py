"""What is missing from a run, and why a run fails other than for a case, a gate or an error.

What happens to the results of a worker that crashes is in `run_store`.
"""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from pytest_relevance._text import counted, examples, listed
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
from pytest_relevance.results.case_result import has_failed
from pytest_relevance.results.records.run_info import (
    MOST_SHOWN,
    RunFinding,
    changed,
    changes_text,
    has_baseline,
)


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
