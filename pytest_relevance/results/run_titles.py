"""Add titles and fields of documents to results when the run has ended.

Reports also get results without words of the texts of documents from this module.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from pytest_relevance._problems import FileError
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.catalogue import Catalogue, Documents
from pytest_relevance.results.near_passages import with_passages
from pytest_relevance.results.records.run_info import FileInfo, RunError, errors_in_file
from pytest_relevance.results.responses.texts import is_made_of_text

_MOST_PROBLEMS = 5
_NO_TITLES = "documents have no titles from the catalogue"


@dataclass(frozen=True, slots=True)
class _LookedUp:
    """The documents that a catalogue was asked for, and what it has of them."""

    asked: set[str] = field(default_factory=set)
    documents: Documents = field(default_factory=Documents)


class RunTitles:
    """Adds titles and fields from catalogues to the results of a run.

    A catalogue is read when `add` is first called with results that name its documents.
    It is read once if that call has all results. If a later call names more documents,
    the whole catalogue is read again, and its problems are added again.

    `is_shown`: says whether a result gets titles; None for all results.
    `problems`: messages about what could not be read.
    `errors`: the same problems, as errors with their places.
    """

    def __init__(self, is_shown: Callable[[CaseResult], bool] | None = None) -> None:
        self._is_shown = is_shown
        self.problems: list[str] = []
        self.errors: list[RunError] = []
        self._read: dict[Catalogue, _LookedUp] = {}

    def add(
        self, results: Iterable[CaseResult], files: Mapping[str, FileInfo]
    ) -> list[CaseResult]:
        """Return the results with titles and fields.

        Titles of the catalogue replace the titles in a result.
        """
        described = list(results)
        by_catalogue: dict[Catalogue, list[int]] = {}
        for index, result in enumerate(described):
            if self._is_shown is not None and not self._is_shown(result):
                continue
            catalogue = _catalogue_of(result.file, files)
            if catalogue is not None:
                by_catalogue.setdefault(catalogue, []).append(index)
        for catalogue, indexes in by_catalogue.items():
            named: set[str] = set()
            for index in indexes:
                named.update(described[index].named)
            documents = self._look_up(catalogue, named)
            for index in indexes:
                described[index] = _with_documents(described[index], documents)
        return described

    def _look_up(self, catalogue: Catalogue, documents: set[str]) -> Documents:
        """Return what a catalogue has of documents; nothing if it cannot be read.

        The file is read if any of the documents was not looked up before.
        """
        before = self._read.get(catalogue, _LookedUp())
        if documents <= before.asked:
            return before.documents
        asked = before.asked | documents
        found = Documents()
        try:
            found = catalogue.look_up(asked)
            self.problems += found.problems
            self.errors += found.errors
        except FileError as error:
            self._add_error(error)
        except Exception as error:
            # a report without titles is better than no report
            self._add_error(FileError.at(catalogue.name, repr(error)))
        self._read[catalogue] = _LookedUp(asked, found)
        return found

    def _add_error(self, error: FileError) -> None:
        self.problems.append(f"{_NO_TITLES}: {error}")
        for mistake in errors_in_file(error, _MOST_PROBLEMS):
            message = f"{_NO_TITLES}: {mistake.message}"
            self.errors.append(replace(mistake, message=message))


def _with_documents(result: CaseResult, documents: Documents) -> CaseResult:
    """Return a result with titles and fields, and the documents without an entry.

    `documents`: what the catalogue has. If it has nothing, no document counts as
        without an entry.
    """
    described = result.with_titles(documents.titles, documents.fields)
    if not documents.known:
        return described
    unknown = []
    for document in described.named:
        if document not in documents.known:
            unknown.append(document)
    return described.with_texts(not_in_catalogue=tuple(unknown))


def _catalogue_of(file: str, files: Mapping[str, FileInfo]) -> Catalogue | None:
    """Return the catalogue that a case file names in `documents`; None without one."""
    info = files.get(file)
    if info is None or info.documents is None:
        return None
    columns = info.documents
    name = os.path.normpath(os.path.join(os.path.dirname(file), columns.file))
    path = os.path.join(os.path.dirname(info.path), columns.file)
    return Catalogue(path, name, columns)


def without_words_of_texts(results: Iterable[CaseResult]) -> list[CaseResult]:
    """Return the results without words of the texts of documents.

    A result without an id has the first words of its text as its title. A near miss of
    a passage has words of a text. Comments on pull requests never show such words.
    """
    return [_without_words_of_texts(result) for result in results]


def _without_words_of_texts(result: CaseResult) -> CaseResult:
    """Return a result without titles from texts, and without words in near misses."""
    if not result.ranking.lengths:
        return result
    passages = []
    for passage in result.evaluation.passages:
        if passage.near is not None:
            passage = replace(passage, near=replace(passage.near, found=""))
        passages.append(passage)
    result = with_passages(result, passages)
    titles = {}
    for document, title in result.texts.titles.items():
        if not is_made_of_text(document):
            titles[document] = title
    return result.with_texts(titles=titles)
