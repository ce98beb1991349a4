"""Read the files that a case file names, each of them once.

A suite without such files imports neither this module nor the readers of files.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Any

from pytest_relevance._ids import FileIds, IdField
from pytest_relevance._problems import FileError
from pytest_relevance._source import Source
from pytest_relevance._text import printable
from pytest_relevance.cases.case_file import CaseFile
from pytest_relevance.cases.keys import KNOWN_ITEMS
from pytest_relevance.cases.known_items import KnownItems, read_known_items
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.named_files import NamedFile
from pytest_relevance.cases.unread_columns import check_columns, notice_of_columns
from pytest_relevance.judgments.folders import (
    JUDGMENTS,
    QUERIES,
    NotInFolder,
    file_in,
    has_file,
)
from pytest_relevance.judgments.model import Ratings
from pytest_relevance.judgments.reading import (
    QueryFile,
    ids_of,
    options_of,
    read_query_file,
    read_ratings,
)
from pytest_relevance.judgments.row_rules import DROP, EVERY_ROW, ROW_RULES, RowRules


class FileReader:
    """Reads the files that a case file names, and reports what is wrong with them."""

    def __init__(self, case_file: CaseFile) -> None:
        self.absent: dict[str, None] = {}
        """The files with `fill: true` that do not exist."""
        self.notices: list[str] = []
        self._case_file = case_file
        self._contents = case_file.contents

    @property
    def paths(self) -> tuple[str, ...]:
        """Return the paths of the files, in the order in which they were first read."""
        paths: dict[str, None] = {}
        for _, named, _ in self._contents:
            paths[self._path_of(named)] = None
        return tuple(paths)

    def _path_of(self, named: NamedFile) -> str:
        return self._case_file.path_of(named.name)

    def shown(self, named: NamedFile) -> str:
        """Return the path of a file in messages."""
        return self._case_file.shown_path(named.name)

    def in_folder(self, key: str, named: NamedFile, at: Location) -> NamedFile | Wrong:
        """Return the file of a folder of BEIR or MTEB, or report none or several.

        `named`: a folder. A file is returned as it is.
        `key`: what the file has, `JUDGMENTS` or `QUERIES`.
        """
        path = self._path_of(named)
        if not os.path.isdir(path):
            return named
        try:
            found = file_in(path, key, self.shown(named))
        except NotInFolder as error:
            return at.refuse(str(error), *named.at)
        name = os.path.join(named.name, found)
        return replace(named, name=name, format=named.format or "beir")

    def is_folder_with(self, key: str, named: NamedFile) -> bool:
        """Say whether `named` is a folder of BEIR or MTEB with judgments, or queries.

        `key`: `JUDGMENTS` or `QUERIES`.
        """
        return has_file(self._path_of(named), key)

    def queries(
        self, named: NamedFile, template: IdField | None, at: Location
    ) -> QueryFile | Wrong:
        """Return the content of a file of queries, or report a mistake.

        A column that is named like a key of a case is a mistake. Other columns that
        nothing reads are named in a notice.

        `template`: the `id_field` of the suite if it is a template.
        """
        content: QueryFile | Wrong = self._read(
            QUERIES, named, template=template, at=at
        )
        if content is WRONG:
            return WRONG
        file = self.shown(named)
        mistakes = check_columns(file, content.unread)
        if mistakes is not None:
            return at.under(*named.at).refuse_file(mistakes)
        self.notices += [f"{file}: {notice}" for notice in content.notices]
        for sentence in content.queries.unused_drops:
            self.notices.append(at.notice(sentence, *named.at_file, DROP))
        is_weighted = any(query.weight != 1 for query in content.queries)
        notice = notice_of_columns(file, content.unread, is_weighted=is_weighted)
        if notice is not None:
            self.notices.append(notice)
        return content

    def ratings(
        self, named: NamedFile, template: IdField | None, at: Location
    ) -> Ratings | Wrong | None:
        """Return the ratings in a judgment file, or report a mistake.

        None if the file is named with `fill: true` and is absent or empty.

        `template`: the `id_field` of the suite or the case if it is a template, such
            as `{_index}/{_id}`.
        """
        if named.fill and self._is_absent(named):
            return None
        ratings: Ratings | Wrong = self._read(
            JUDGMENTS, named, template=template, at=at
        )
        return ratings

    def known_items(self, named: NamedFile, at: Location) -> KnownItems | Wrong:
        """Return the known items in a catalogue, or report a mistake."""
        items: KnownItems | Wrong = self._read(KNOWN_ITEMS, named, template=None, at=at)
        return items

    def _is_absent(self, named: NamedFile) -> bool:
        """Say whether a file is missing or empty. Keep the name of a missing one."""
        path = self._path_of(named)
        if not os.path.exists(path):
            self.absent[self.shown(named)] = None
            return True
        return os.path.isfile(path) and not os.path.getsize(path)

    def _read(
        self, key: str, named: NamedFile, template: IdField | None, at: Location
    ) -> Any:
        """Return the content of a file, which is read once, or report its mistakes.

        `key`: `JUDGMENTS`, `QUERIES` or `KNOWN_ITEMS`, the key that names the file.
        `template`: the `id_field` of the suite or of the case, if it is a template.
        """
        kept_as = (key, named.content, template)
        if kept_as not in self._contents:
            path = self._path_of(named)
            why = self._case_file.why_no_file(named.name)
            if why is not None:
                if key == JUDGMENTS:
                    why += _advice_on_document(named, path)
                return at.refuse(why, *named.at)
            try:
                self._contents[kept_as] = _read_file(
                    key, named, template=template, path=path, shown=self.shown(named)
                )
            except FileError as error:
                self._contents[kept_as] = error
        content = self._contents[kept_as]
        if isinstance(content, FileError):
            return at.under(*named.at).refuse_file(content)
        return content


def _advice_on_document(named: NamedFile, path: str) -> str:
    """Return advice if the name of a missing file looks like a document, else "".

    The user may have forgotten the grade of a document, or the blank in `sku-5: 3`.
    """
    if "." in named.name or "/" in named.name or os.path.exists(path):
        return ""
    return (
        f"; a document is written with its grade, {{{printable(named.name)}: 1}}, or "
        "under relevant"
    )


def _rules_of(named: NamedFile) -> RowRules:
    """Return how the rows of a file of queries are read."""
    sample = named.sample
    if sample is None:
        return named.rows
    return replace(named.rows, sample_by=sample.by, sample_per=sample.per)


def _read_file(
    key: str, named: NamedFile, template: IdField | None, path: str, shown: str
) -> QueryFile | Ratings | KnownItems:
    """Return the content of a file. Raises FileError for the mistakes in it."""
    if key == KNOWN_ITEMS:
        return read_known_items(named, path, shown)
    ids = FileIds(ids_of(named.id_field).of_file, template)
    options = options_of(
        named.query,
        named.grade_column,
        document=named.document,
        passage=named.passage,
        context=named.context,
    )
    rules = _rules_of(named)
    if key == QUERIES and rules != EVERY_ROW:
        options[ROW_RULES] = rules
    source = Source.read(path, shown, options, ids)
    if key == QUERIES:
        return read_query_file(source, named.format)
    return read_ratings(source, named.format, fill=named.fill)
