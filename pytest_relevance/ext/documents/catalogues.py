"""Look up documents in the catalogues of suites.

Expectations look at the fields of documents, and reports show titles and fields.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

import pytest

from pytest_relevance._problems import FileError
from pytest_relevance._text import listed
from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.plugin.output_files import Message
from pytest_relevance.plugin.run_store import run_store
from pytest_relevance.plugin.running.case_run import CASE_RUN, CaseRun
from pytest_relevance.results.case_parts import DocumentTexts
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.catalogue import Catalogue, DocumentValues
from pytest_relevance.results.document_fields import FieldValues
from pytest_relevance.results.records.run_info import FileInfo
from pytest_relevance.results.run_titles import RunTitles

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_CATALOGUES: pytest.StashKey[dict[str, DocumentValues]] = pytest.StashKey()
"""What was read of the catalogues in this process, by case file."""


def fields_in_catalogue(case_run: CaseRun) -> FieldValues:
    """Return the fields of all documents in the catalogue of a case.

    Only columns that a case of the same file may use are read. They are read once in
    each process. Raises `CaseError` if the catalogue cannot be read.
    """
    columns = case_run.case.terms.documents
    assert columns is not None
    catalogue = Catalogue(
        path=_beside(case_run.path, columns.file),
        name=_beside(case_run.file, columns.file),
        columns=columns,
    )
    read = case_run.item.config.stash.setdefault(_CATALOGUES, {})
    if case_run.file not in read:
        try:
            read[case_run.file] = catalogue.values(_columns_of_fields(case_run))
        except FileError as error:
            why = f"fields of the results cannot be looked up in the catalogue: {error}"
            raise CaseError(why, pytrace=False) from None
    values = read[case_run.file]
    return FieldValues(
        source=catalogue.name,
        by_document=values.by_document,
        columns=(f"{catalogue.name} has {listed(values.columns, 'and')}",),
    )


def _beside(file: str, name: str) -> str:
    """Return the path `name`, which is relative to the folder of `file`."""
    return os.path.normpath(os.path.join(os.path.dirname(file), name))


def _columns_of_fields(case_run: CaseRun) -> set[str]:
    """Return the columns of a catalogue that any case of the file may use.

    The path of a field may be the name of a column, or begin with one: `brand.name`.
    """
    columns = set()
    for item in case_run.item.session.items:
        other = item.stash.get(CASE_RUN, None)
        if other is None or other.file != case_run.file:
            continue
        for path in other.case.fields:
            columns.add(path)
            columns.add(path.partition(".")[0])
    return columns


_TITLES: pytest.StashKey[RunTitles] = pytest.StashKey()


def texts_in_catalogues(
    config: pytest.Config,
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
) -> list[DocumentTexts]:
    """Return the titles and fields of the documents of each result, in their order.

    If a catalogue cannot be read, the run reports that. A catalogue is read again only
    if a later call names further documents.
    """
    titles = config.stash.setdefault(_TITLES, RunTitles())
    store = run_store(config)
    described = titles.add(results, files)
    for problem in titles.problems:
        store.notes.say(Message(problem))
    titles.problems.clear()
    store.notes.keep_errors(titles.errors)
    return [result.texts for result in described]
