"""Titles for the results of a run, from the catalogues of its case files."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping

from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.results.case_parts import from_builtin
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.documents.catalogue import Catalogue, Documents
from pytest_relevance.results.documents.catalogue_lines import CatalogueError
from pytest_relevance.results.records.run_info import FileInfo

MOST_KEPT = 200_000
"""How many documents of a catalogue are kept where texts are asked for before the end of the run."""

_EARLY_READS = (1, 10, 100)


class RunTitles:
    """Adds titles to the results of a run, and reads each catalogue as seldom as possible.

    At the end of the run one pass finds all documents that its results name. For a text that is asked for earlier (by
    JUnit's file, say), a catalogue of at most `most_kept` documents is read whole, and kept; a larger one is read for
    the first, the tenth and the hundredth such text only. A catalogue of which no document is named is not opened.
    `problems` are messages about what could not be read.
    """

    def __init__(self, most_kept: int = MOST_KEPT) -> None:
        self.problems: list[str] = []
        self._most_kept = most_kept
        self._catalogues: dict[Catalogue, _Known] = {}

    def add(self, results: Iterable[CaseResult], files: Mapping[str, FileInfo], *, is_over: bool) -> None:
        """Add titles and fields to results, in place; `is_over`: no further results of the run will follow."""
        by_catalogue: dict[Catalogue, list[CaseResult]] = {}
        for result in results:
            info = files.get(result.file)
            if info is not None and info.documents:
                by_catalogue.setdefault(catalogue_of(result.file, info), []).append(result)
        for catalogue, named in by_catalogue.items():
            known = self._catalogues.setdefault(catalogue, _Known(catalogue, self.problems, self._most_kept))
            known.look_up({document for result in named for document in result.named}, is_over=is_over)
            for result in named:
                known.complete(result)


def catalogue_of(file: str, info: FileInfo) -> Catalogue:
    """The catalogue of a case file, by its name in results; `info.documents` has one."""
    written = info.documents
    name = os.path.normpath(os.path.join(os.path.dirname(file), written["file"]))
    path = os.path.join(os.path.dirname(info.path), written["file"])
    return Catalogue(path, name, from_builtin(CatalogueFile, written))


class _Known:
    """What was read of a catalogue so far."""

    def __init__(self, catalogue: Catalogue, problems: list[str], most_kept: int) -> None:
        self._catalogue = catalogue
        self._most_kept = most_kept
        self._problems = problems
        self._documents = Documents()
        self._asked: set[str] = set()
        self._skipped: set[str] = set()
        self._is_final = False  # read whole, or unreadable
        self._early = 0

    def look_up(self, documents: Collection[str], *, is_over: bool) -> None:
        """Read the file for the documents that were not looked for before, unless it is too early."""
        new = set(documents) - self._asked
        if not new or self._is_final:
            return
        if not is_over:
            self._early += not new <= self._skipped  # a text may be asked for several times
            self._skipped |= new
            if self._early not in _EARLY_READS:
                return
        try:
            found = self._catalogue.read_all(self._most_kept) if not is_over and self._early == 1 else None
            self._is_final = found is not None
            self._add(self._catalogue.look_up(new) if found is None else found)
            self._asked |= new
        except CatalogueError as error:
            self._is_final, self._documents = True, Documents()
            self._problems.append(f"documents have no titles from the catalogue: {error}")
        if is_over and not self._is_final:
            known = self._asked & self._documents.known
            self._problems += filter(None, [self._catalogue.why_few_known(self._asked, known)])

    def _add(self, found: Documents) -> None:
        self._documents.titles |= found.titles
        self._documents.fields |= found.fields
        self._documents.known |= found.known
        self._problems += found.problems

    def complete(self, result: CaseResult) -> None:
        """Add what is known to a result: the titles of the catalogue go before those that the result has."""
        result.add_titles(self._documents.titles, self._documents.fields)
        if known := self._documents.known:
            asked = [document for document in result.named if self._is_final or document in self._asked]
            result.not_in_catalogue = tuple(document for document in asked if document not in known)
