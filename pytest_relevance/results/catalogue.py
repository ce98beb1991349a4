"""Read titles and fields of documents from the catalogue of a suite.

A catalogue is a file with titles and further fields of documents. It may have a million
documents, and a report names a few hundred of them. `run_titles` adds their titles and
fields to results.

A catalogue is read when a case needs fields of its documents, when all cases have
ended, and by `pytest-relevance check`. While a case file is read, its titles become
known items (`titles_of_catalogue`).
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real

from pytest_relevance._accidents import refuse_accidents
from pytest_relevance._csv_cells import cells_of_any_length
from pytest_relevance._ids import FileIds, IdField, id_field_of
from pytest_relevance._object_table import LinesOfObjects
from pytest_relevance._parquet_table import ParquetTable
from pytest_relevance._problems import FileError, Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance._text_table import TextTable
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.cases.scalars import number
from pytest_relevance.judgments.document_ids import NoColumn, document_columns
from pytest_relevance.results.document_fields import Fields, text_of, value_at
from pytest_relevance.results.records.run_info import RunError, errors_in_file
from pytest_relevance.results.responses.fields import ID_NAMES, TITLE_NAMES
from pytest_relevance.results.responses.ids import id_text

_MOST_COLUMNS = 12
_MOST_PROBLEMS = 5


@dataclass(slots=True)
class Documents:
    """What a catalogue has of the documents that it was asked for.

    `titles`: {document: title}.
    `fields`: {document: {field: text}}, for fields to show.
    `known`: the documents that the catalogue has.
    `problems`: messages about lines and columns that were left out.
    `errors`: the same problems, as errors with their places.
    """

    titles: dict[str, str] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    errors: list[RunError] = field(default_factory=list)

    def add_problems(self, file: str, problems: Problems) -> None:
        """Add the first problems of a catalogue to `problems` and `errors`."""
        if not problems.found:
            return
        error = FileError(file, problems.found, problems.is_full)
        self.errors = errors_in_file(error, _MOST_PROBLEMS)
        for problem in error.problems[:_MOST_PROBLEMS]:
            self.problems.append(problem.render(file))
        if len(error.problems) > _MOST_PROBLEMS:
            self.problems.append(f"{file}: there are more lines like these")


@dataclass(frozen=True, slots=True)
class DocumentValues:
    """Some columns of a catalogue.

    `by_document`: {document: {column: value}}.
    `columns`: the names of all columns of the catalogue.
    """

    by_document: Mapping[str, Mapping[str, object]]
    columns: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Columns:
    """The columns of a catalogue.

    `is_nested`: whether documents are objects, so a dot in a name leads into an object.
    """

    names: Sequence[str]
    is_nested: bool

    def has(self, name: str) -> bool:
        """Say whether there is a column with this name.

        If documents are objects, the first part of a name with dots is enough.
        """
        if name in self.names:
            return True
        return self.is_nested and name.partition(".")[0] in self.names

    def why_absent(self, name: str) -> str:
        """Return a message: there is no column with this name; the columns are ..."""
        close = did_you_mean(name, self.names)
        return f"there is no column {quoted(name)}; {self.described}{close}"

    @property
    def described(self) -> str:
        """Return, for example, `the columns are "id" and "title"`."""
        names = [quoted(name) for name in self.names[:_MOST_COLUMNS]]
        more = " ..." if len(self.names) > _MOST_COLUMNS else ""
        return f"the columns are {listed(names, 'and')}{more}"


@dataclass(frozen=True, slots=True)
class _OpenCatalogue:
    """A catalogue that is being read: its rows, its columns, and the columns of ids."""

    table: TextTable | ParquetTable | LinesOfObjects
    columns: _Columns
    ids: IdColumns


@dataclass(frozen=True, slots=True)
class TitledDocument:
    """A row of a catalogue: its line, its document, and the title.

    `title`: without blanks around it; "" if the row has none.
    """

    line: int
    document: str
    title: str


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A catalogue file. Messages call it `name`.

    `columns`: the columns that the case file names.
    """

    path: str
    name: str
    columns: CatalogueFile

    def look_up(self, ids: Collection[str]) -> Documents:
        """Return what the catalogue has of some documents.

        If a document has several lines, the first one counts.

        Raises:
            FileError: the file cannot be read, or is not a catalogue.
        """
        catalogue = self._open(needs_title=True)
        columns = catalogue.columns
        absent = [name for name in self.columns.fields if not columns.has(name)]
        wanted = frozenset(ids)
        documents = Documents()
        problems = Problems(self.name)
        with cells_of_any_length():
            for line, values in catalogue.table.records(problems):
                if absent and columns.is_nested:
                    # the columns are the fields of the first objects only
                    absent = [
                        name for name in absent if name.partition(".")[0] not in values
                    ]
                document = catalogue.ids.id_of(values)
                if not document:
                    why = catalogue.ids.why_none(values, columns.is_nested)
                    if why:
                        problems.add(why, Place(line=line))
                elif document in wanted and document not in documents.known:
                    self._add(documents, document, values)
        for name in absent:
            message = f"{self._key_of(name)}: {columns.why_absent(name)}"
            problems.add(message, Place(line=1))
        documents.add_problems(self.name, problems)
        return documents

    def _add(self, documents: Documents, document: str, values: Fields) -> None:
        """Add the title and the fields that a document has to `documents`."""
        documents.known.add(document)
        own_title = self.columns.title
        for name in TITLE_NAMES if own_title is None else (own_title,):
            title = text_of(value_at(values, name))
            if title:
                documents.titles[document] = title
                break
        shown = {}
        for name in self.columns.fields:
            text = text_of(value_at(values, name))
            if text:
                shown[name] = text
        if shown:
            documents.fields[document] = shown

    def _key_of(self, column: str) -> str:
        """Return the key of the case file that names a column: show, url or image."""
        if column in self.columns.show:
            return "show"
        return "url" if column == self.columns.url else "image"

    def values(self, names: Collection[str]) -> DocumentValues:
        """Return the values of some columns, for all documents.

        If a document has several lines, the first one counts. In a text table (CSV,
        TSV) a decimal text becomes a number, and an empty cell becomes None.

        Raises:
            FileError: the file cannot be read, or is not a catalogue.
        """
        catalogue = self._open(needs_title=False)
        is_text = isinstance(catalogue.table, TextTable)
        by_document: dict[str, dict[str, object]] = {}
        with cells_of_any_length():
            for _, row in catalogue.table.records(Problems(self.name)):
                document = catalogue.ids.id_of(row)
                if not document or document in by_document:
                    continue
                values = {name: row[name] for name in names if name in row}
                if is_text:
                    for name, cell in values.items():
                        values[name] = cell_value(str(cell))
                by_document[document] = values
        return DocumentValues(by_document, catalogue.table.names)

    def titled_documents(self) -> Iterator[TitledDocument]:
        """Yield the document and the title of each row; "" for a row without a title.

        Raises:
            FileError: the file cannot be read, a title is no text, or a row with a
                title has no id.
        """
        assert self.columns.title is not None
        catalogue = self._open(needs_title=True)
        problems = Problems(self.name)
        with cells_of_any_length():
            for line, values in catalogue.table.records(problems):
                value = value_at(values, self.columns.title)
                document = catalogue.ids.id_of(values) or ""
                why = _why_no_title(value, self.columns.title)
                title = "" if why else text_of(value)
                if title and not document:
                    why = "the row has a title and no id; an id is text or an integer"
                if why:
                    problems.add(why, Place(line=line))
                if problems.is_full:
                    break
                yield TitledDocument(line, document, title)
        problems.raise_if_any()

    def _open(self, *, needs_title: bool) -> _OpenCatalogue:
        """Open the file, and find its columns.

        `needs_title`: whether the file needs a column of titles, or columns to `show`.

        Raises `FileError` if the file lacks a column that it needs.
        """
        source = Source.read(self.path, self.name)
        refuse_accidents(source)
        table: TextTable | ParquetTable | LinesOfObjects
        if source.is_parquet:
            table = ParquetTable(source)
        elif source.head.lstrip().startswith(("{", "[")):
            self._refuse_other_json(source)
            table = LinesOfObjects(source)
        else:
            table = TextTable(source)
        columns = _Columns(table.names, is_nested=isinstance(table, LinesOfObjects))
        ids = self._joined_columns(columns)
        if ids is None:
            ids = IdColumns((self._id_column(columns),))
        self._check_title_column(columns, is_needed=needs_title)
        return _OpenCatalogue(table, columns, ids)

    def _refuse_other_json(self, source: Source) -> None:
        """Raise `FileError` for JSON that is not one object on each line."""
        if source.head.lstrip().startswith("["):
            source.refuse(
                "the file is one JSON list; write one object on each line (jq -c '.[]')",
                Place(line=1),
            )
        _refuse_one_object(source, None if self._template else self.columns.id)

    def _joined_columns(self, columns: _Columns) -> IdColumns | None:
        """Return the columns whose values a template joins to ids.

        None if there is no template, or if the file has ids that are joined already.
        Raises `FileError` if a column of the template is missing.
        """
        template = self._template
        if template is None:
            return None
        if self.columns.id is not None:
            for path in template.paths:
                self._require(path, columns)
            return IdColumns(template.paths, template)
        try:
            found = document_columns(FileIds(of_suite=template), columns.names)
        except NoColumn as error:
            raise FileError.at(self.name, str(error), Place(line=1)) from None
        if found is None:
            return None
        names = tuple(columns.names[number] for number in found.read)
        return IdColumns(names, template)

    @property
    def _template(self) -> IdField | None:
        """Return the template for ids, of the catalogue or of the suite, or None."""
        written = self.columns.id or self.columns.suite_id
        field = None if written is None else id_field_of(written)
        return field if field is not None and field.is_template else None

    def _id_column(self, columns: _Columns) -> str:
        """Return the column of ids. Raises `FileError` if there is none."""
        column = self._chosen(self.columns.id, ID_NAMES, columns)
        if column is None:
            raise self._no_column("id", ID_NAMES, columns)
        return column

    def _check_title_column(self, columns: _Columns, *, is_needed: bool) -> None:
        """Raise `FileError` if titles are needed, and there is nothing to show.

        A column of titles can be shown, and so can columns that the case file names in
        `show`.
        """
        column = self._chosen(self.columns.title, TITLE_NAMES, columns)
        if column is None and is_needed and not self.columns.show:
            raise self._no_column("title", TITLE_NAMES, columns)

    def _chosen(
        self, written: str | None, usual: Sequence[str], columns: _Columns
    ) -> str | None:
        """Return the column that the case file names, or the first usual one.

        None if it names none and there is no usual one. Raises `FileError` if the named
        column is missing.
        """
        if written is not None:
            self._require(written, columns)
            return written
        return next((name for name in usual if name in columns.names), None)

    def _require(self, name: str, columns: _Columns) -> None:
        if not columns.has(name):
            raise FileError.at(self.name, columns.why_absent(name), Place(line=1))

    def _no_column(
        self, key: str, usual: Sequence[str], columns: _Columns
    ) -> FileError:
        """Return the error for a catalogue without a usual column.

        `key`: the key of the case file that can name the column.
        """
        names = listed(quoted(name) for name in usual)
        message = (
            f"there is no column {names}; {columns.described}; name the column: "
            f"documents: {{file: {self.columns.file}, {key}: ...}}"
        )
        return FileError.at(self.name, message, Place(line=1))


def _refuse_one_object(source: Source, id_column: str | None) -> None:
    """Raise `FileError` if a catalogue is one JSON object, instead of one on each line.

    A single document on one line is allowed. The message has a command that writes one
    line for each document.

    `id_column`: the column that the case file names for ids; None for the usual ones.
    """
    if _begins_with_an_object(source):
        return
    document = source.json_object
    if not document:
        return
    id_names = ID_NAMES if id_column is None else (id_column.partition(".")[0],)
    is_document = not document.keys().isdisjoint(id_names)
    if is_document and "\n" not in source.text.strip():
        return
    lists = [name for name, value in document.items() if isinstance(value, list)]
    if is_document:
        command = "jq -c ."
    elif lists:
        command = f"jq -c '.[\"{lists[0]}\"][]'"
    elif all(isinstance(value, dict) for value in document.values()):
        command = "jq -c 'to_entries[] | {id: .key} + .value'"
    else:
        return
    source.refuse(
        "the file is one JSON object, and a catalogue has one object on each line for a "
        f"document; write it so: {command}",
        Place(line=1),
    )


def _begins_with_an_object(source: Source) -> bool:
    """Say whether the first of several lines is JSON.

    If it is, a large file need not be parsed as a whole.
    """
    first, _, others = source.head.lstrip().partition("\n")
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return bool(others.strip())


@dataclass(frozen=True, slots=True)
class IdColumns:
    """The columns of a catalogue with the ids of documents.

    `names`: one column, or those that `template` joins.
    """

    names: tuple[str, ...]
    template: IdField | None = None

    def id_of(self, values: Fields) -> str | None:
        """Return the id of a document; None if it has none."""
        texts = []
        for name in self.names:
            text = id_text(value_at(values, name))
            if text is None or (self.template is not None and not text.strip()):
                return None
            texts.append(text)
        return texts[0] if self.template is None else self.template.join(texts)

    def why_none(self, values: Fields, is_nested: bool) -> str:
        """Return why a document has no id; "" for a row of a table without a value.

        `is_nested`: whether the document is an object, and not a row of a table.
        """
        for name in self.names:
            value = value_at(values, name)
            if value is None or (self.template is not None and value == ""):
                if not is_nested and self.template is None:
                    return ""
                return f"the line has no {quoted(name)}; an id is text or an integer"
            if id_text(value) is None:
                return f"found {found(value)} as the {quoted(name)}; an id is text or an integer"
        return ""


def _why_no_title(value: object, column: str) -> str:
    """Return why a value cannot be a title; "" for a text, a number, None and NaN."""
    if value is None or isinstance(value, str):
        return ""
    if isinstance(value, Real) and not isinstance(value, bool):
        return ""
    return f"found {found(value)} as the {quoted(column)}; a title is text"


def titles_of_catalogue(
    path: str, name: str, columns: CatalogueFile
) -> Iterator[TitledDocument]:
    """Yield the rows of a catalogue, for the known items of a case file.

    `name`: what messages call the file.
    `columns`: names the columns of ids and of titles.

    Raises FileError if the file cannot be read, a title is no text, or a row with a
    title has no id.
    """
    return Catalogue(path, name, columns).titled_documents()


def cell_value(cell: str) -> object:
    """Return the value of a cell: a number for a decimal text, None if it is empty."""
    as_number = number(cell)
    return (cell or None) if as_number is None else as_number


def check_catalogue(
    path: str, name: str, columns: CatalogueFile, documents: Collection[str]
) -> Documents:
    """Return what a catalogue has of some documents, and what is wrong with the file.

    All mistakes are in `problems` of the result. No exception is raised.

    `name`: what messages call the catalogue.
    `columns`: the columns that the case file names.
    """
    try:
        return Catalogue(path, name, columns).look_up(documents)
    except FileError as error:
        return Documents(problems=[str(error)])
