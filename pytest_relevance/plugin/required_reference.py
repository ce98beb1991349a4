"""What a run lacks of its reference, if it requires all of it
(`--relevance-baseline=require`).

Without a selection on the command line the run is compared with the whole reference.
With a selection only the cases that ran count, and the files that ran whole.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from pytest_relevance._text import counted, examples, harmless
from pytest_relevance.plugin.files_not_run import files_not_run
from pytest_relevance.plugin.options import recorded_rankings, settings
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.selection import covers, has_selection
from pytest_relevance.results.case_result import CaseResult, grouped
from pytest_relevance.results.records.run_info import SUFFIX, FileInfo
from pytest_relevance.results.records.uncompared import (
    UncomparedCase,
    dropped_of_file,
    lost_of_file,
    lost_result,
    not_compared_cases,
)

_FAILS = "relevance_baseline is require, so the run fails"


def missing_from_reference(config: pytest.Config) -> Iterator[str]:
    """Say what the run does not compare with a required reference, in sentences."""
    is_updating = config.option.relevance_update is not None
    if is_updating or not settings(config).requires_baseline:
        return
    store = run_store(config)
    is_whole_run = not has_selection(config)
    if is_whole_run:
        yield from _files_that_are_gone(config)
    by_file = grouped(store.finished, lambda result: result.file)
    for file, about in store.collection.files.items():
        results = by_file.get(file, [])
        reference = harmless(about.against or f"{file}{SUFFIX}")
        is_whole = is_whole_run or about.is_whole(results, file)
        lost = _lost(file, about, results, is_whole=is_whole)
        if lost:
            what = f"does not compare {_count(lost)} of {reference} ({_names(lost)})"
            how = "restore them or their judgments, or accept it with --relevance-update or another record"
            yield f"{harmless(file)} {what}, and {_FAILS}: {how}"
        uncompared = not_compared_cases(results)
        if uncompared:
            cases = f"{_count(uncompared)} of {harmless(file)} ({_names(uncompared)})"
            yield f"{reference} has no ranking of {cases}, and {_FAILS}: {_how_to_accept(about)}"


def _files_that_are_gone(config: pytest.Config) -> Iterator[str]:
    """Say which case files of the reference did not run, although the run covers
    them.
    """
    against = config.option.relevance_against
    gone = [
        file for file in files_not_run(config) if covers(config, _path_of(file, config))
    ]
    if not gone:
        return
    files = f"{counted(len(gone), 'file')} ({examples(gone)})"
    if against is not None:
        how = "restore them, or compare with another record"
        name = harmless(recorded_rankings(config).name)
        yield f"nothing ran of {files} in {name}, and {_FAILS}: {how}"
        return
    how = "restore the case files, or delete their baselines"
    yield f"nothing ran of {files} with a baseline, and {_FAILS}: {how}"


def _path_of(file: str, config: pytest.Config) -> Path:
    """Return the path of a case file of the reference."""
    if config.option.relevance_against is not None:
        return config.rootpath / recorded_rankings(config).node_of(file)
    return config.invocation_params.dir / file


def _lost(
    file: str, about: FileInfo, results: Sequence[CaseResult], *, is_whole: bool
) -> list[UncomparedCase]:
    """Find the lost cases of a file. Of a part of a file, only those that ran count."""
    if is_whole:
        return [
            *lost_of_file(file, about, results),
            *dropped_of_file(file, about, results),
        ]
    return [lost for lost in map(lost_result, results) if lost is not None]


def _count(found: Sequence[UncomparedCase]) -> str:
    """Count cases, each once for all its variants: `2 cases`."""
    return counted(len({case.id for case in found}), "case")


def _names(found: Sequence[UncomparedCase]) -> str:
    """Name the first cases: `"boots" and "hats"`."""
    return examples([*dict.fromkeys(case.id for case in found)])


def _how_to_accept(about: FileInfo) -> str:
    """Say how the reference gets rankings of cases that it lacks."""
    if about.against:
        return "make the record again, with a search that works for all cases"
    return "accept their rankings with --relevance-update=new"
