"""The titles and fields that catalogues have of the documents of a run, for its
reports.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from pytest_relevance.plugin.output_files import Message
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.results.case_parts import DocumentTexts
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.catalogue import RunTitles
from pytest_relevance.results.records.run_info import FileInfo

_TITLES: pytest.StashKey[RunTitles] = pytest.StashKey()


def texts_in_catalogues(
    config: pytest.Config,
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
) -> list[DocumentTexts]:
    """Return the texts of the documents of each result. What of a catalogue cannot be
    read becomes a message.

    Each catalogue is read once, if the first call is for all results of the run.
    """
    titles = config.stash.setdefault(_TITLES, RunTitles())
    store = run_store(config)
    described = titles.add(results, files)
    for problem in titles.problems:
        store.told.say(Message(problem))
    titles.problems.clear()
    store.told.keep_errors(titles.errors)
    return [result.texts for result in described]
