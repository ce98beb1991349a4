"""The judgment files that a suite and its cases name, each of them opened once."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._ids import IdField
from pytest_relevance._problems import FileError
from pytest_relevance.cases.case_judgments import GradingTerms
from pytest_relevance.cases.file_reader import FileReader
from pytest_relevance.cases.judgment_file import JudgmentFile
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.named_files import NamedFile
from pytest_relevance.judgments.folders import JUDGMENTS
from pytest_relevance.judgments.model import IDS


class OpenedFiles:
    """The judgment files of a suite and its cases, as they were opened so far.

    A file is read again only for a case whose `id_field` is another template.

    `terms`: the grading terms of the suite.
    """

    def __init__(self, reader: FileReader, terms: GradingTerms) -> None:
        self._reader = reader
        self._terms = terms
        self._files: dict[tuple[NamedFile, IdField | None], JudgmentFile] = {}
        self._used_keys: dict[NamedFile, set[str]] = {}
        """The keys of queries that have cases, by file."""

    def open(
        self,
        named: Sequence[NamedFile],
        terms: GradingTerms,
        template: IdField | None,
        at: Location,
    ) -> list[JudgmentFile] | Wrong:
        """Return judgment files, or report mistakes in them.

        Files with `fill: true` that are absent or empty are left out.

        `terms`: the grading terms of the suite or the case that names the files.
        `template`: its `id_field` if that is a template.
        """
        files = []
        is_wrong = False
        for each in named:
            file = self._open_one(each, terms, template, at)
            if file is WRONG:
                is_wrong = True
            elif file is not None:
                files.append(file)
        return WRONG if is_wrong else files

    def _open_one(
        self,
        named: NamedFile,
        terms: GradingTerms,
        template: IdField | None,
        at: Location,
    ) -> JudgmentFile | Wrong | None:
        """Return a judgment file, or report a mistake in it.

        None if the file is named with `fill: true` and is absent or empty.
        """
        in_folder = self._reader.in_folder(JUDGMENTS, named, at)
        if in_folder is WRONG:
            return WRONG
        ratings = self._reader.ratings(in_folder, template, at)
        if ratings is None or ratings is WRONG:
            return ratings
        if named.fill and ratings.documents_are != IDS:
            return at.refuse(
                f"{ratings.file} has passages, and fill: true fills judgments of "
                "documents; take fill out",
                *named.at_file,
                "fill",
            )
        if ratings.unclear is not None and terms.raters is None:
            error = FileError(ratings.file, [ratings.unclear])
            return at.under(*named.at).refuse_file(error)
        key = (in_folder.content, template)
        if key not in self._files:
            used = self._used_keys.setdefault(in_folder.content, set())
            self._files[key] = JudgmentFile(
                ratings, self._terms, used, fills=named.fill
            )
        return self._files[key]

    def get(self, named: NamedFile, template: IdField | None) -> JudgmentFile | None:
        """Return a file that was opened; None for a folder, and for an absent file."""
        return self._files.get((named.content, template))

    def each_once(self) -> list[JudgmentFile]:
        """Return each file once.

        If it was opened with several templates, this is the one that was opened first.
        """
        first: dict[NamedFile, JudgmentFile] = {}
        for (named, _), file in self._files.items():
            first.setdefault(named, file)
        return list(first.values())
