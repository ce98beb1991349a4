"""What documents are called, from the catalogue of a suite and from the answers of an index.

A catalogue is a file with titles and further fields of documents. It may have a million of them, of which a report
names a few hundred. It is read once, at the end of a run, and what it says of these is added to the results
(`RunTitles`).

The answer of the fixture `relevance_documents` is a mapping of the documents that are in an index: their titles, or
mappings with a title and further fields (`read_answer`).
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from numbers import Number
from typing import TYPE_CHECKING, Any

from pytest_relevance._ids import (
    FileIds,
    IdField,
    decoding_advice,
    id_field_of,
)
from pytest_relevance._problems import FileError, Place, Problems
from pytest_relevance._text import did_you_mean, found, listed, quoted, shown
from pytest_relevance.cases.model import CatalogueFile
from pytest_relevance.cases.scalars import number
from pytest_relevance.judgments.document_ids import NoColumn, document_columns
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.outcomes import kind_named
from pytest_relevance.results.records.run_info import (
    FileInfo,
    RunError,
    errors_in_file,
)
from pytest_relevance.results.responses.fields import Absent, read_fields
from pytest_relevance.results.responses.ids import id_text
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.reading import ID_NAMES, TITLE_NAMES

if TYPE_CHECKING:
    from pytest_relevance._source import Source
    from pytest_relevance._tables import LinesOfObjects, ParquetTable, TextTable

Fields = Mapping[str, object]
"""The values of one document, by the names of their columns."""

_MOST_COLUMNS = 12
_MOST_PROBLEMS = 5
_NO_TITLES = "documents have no titles from the catalogue"


@dataclass(slots=True)
class Documents:
    """What a catalogue says of documents: `titles`, and `fields` to show, {document: {field: text}}.

    `known` are the documents that it has. `problems` are messages about lines and columns that were left out, `errors`
    the same with their places.
    """

    titles: dict[str, str] = field(default_factory=dict)
    fields: dict[str, dict[str, str]] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    errors: list[RunError] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Catalogue:
    """A catalogue at a `path`, which messages call `name`, with the columns that a case file names."""

    path: str
    name: str
    columns: CatalogueFile

    def look_up(self, ids: Collection[str]) -> Documents:
        """Read what the catalogue has of some documents. Of several lines of a document the first one counts.

        Raises:
            FileError: the file cannot be read, or is no catalogue.
        """
        from pytest_relevance._tables import cells_of_any_length

        table, is_nested, id_columns = self._table()
        titles = TITLE_NAMES if self.columns.title is None else (self.columns.title,)
        absent = [
            name
            for name in self.columns.fields
            if not _is_column(name, table.names, is_nested=is_nested)
        ]
        wanted, documents, problems = frozenset(ids), Documents(), Problems(self.name)
        with cells_of_any_length():
            for line, values in table.records(problems):
                if absent and is_nested:  # the first objects lack what few have
                    absent = [
                        name for name in absent if name.partition(".")[0] not in values
                    ]
                document = id_columns.id_of(values)
                if not document and (why := id_columns.why_none(values, is_nested)):
                    problems.add(why, Place(line=line))
                if document not in wanted or document in documents.known:
                    continue
                documents.known.add(document)
                title = next(
                    filter(None, (_text(value_at(values, name)) for name in titles)), ""
                )
                shown = {
                    name: text
                    for name in self.columns.fields
                    if (text := _text(value_at(values, name)))
                }
                documents.titles |= {document: title} if title else {}
                documents.fields |= {document: shown} if shown else {}
        for name in absent:
            key = (
                "show"
                if name in self.columns.show
                else "url"
                if name == self.columns.url
                else "image"
            )
            problems.add(f"{key}: {_unknown(name, table.names)}", Place(line=1))
        mistakes = FileError(self.name, problems.found)
        documents.errors = errors_in_file(mistakes, _MOST_PROBLEMS)
        rendered = [problem.render(self.name) for problem in mistakes.problems]
        documents.problems = rendered[:_MOST_PROBLEMS]
        if len(rendered) > _MOST_PROBLEMS:
            documents.problems.append(f"{self.name}: there are more lines like these")
        return documents

    def values(
        self, names: Collection[str]
    ) -> tuple[dict[str, dict[str, object]], Sequence[str]]:
        """Read some columns for all documents: {document: {column: value}}; also returns the names of all columns.

        In a text table (CSV, TSV) a decimal text is a number, and an empty cell is null.

        Raises:
            FileError: the file cannot be read, or is no catalogue.
        """
        from pytest_relevance._tables import TextTable, cells_of_any_length

        table, _, id_columns = self._table(needs_title=False)
        is_text, found = isinstance(table, TextTable), dict[str, dict[str, object]]()
        with cells_of_any_length():
            for _, values in table.records(Problems(self.name)):
                document = id_columns.id_of(values)
                if document and document not in found:
                    kept = {name: values[name] for name in names if name in values}
                    found[document] = (
                        {name: cell_value(str(cell)) for name, cell in kept.items()}
                        if is_text
                        else kept
                    )
        return found, table.names

    def _table(
        self, *, needs_title: bool = True
    ) -> tuple[TextTable | ParquetTable | LinesOfObjects, bool, IdColumns]:
        """The rows of the file; whether they are objects, whose values may be nested; and the columns of ids."""
        from pytest_relevance._accidents import refuse_accidents
        from pytest_relevance._source import Source
        from pytest_relevance._tables import LinesOfObjects, ParquetTable, TextTable

        source = Source.read(self.path, self.name)
        refuse_accidents(source)
        beginning = "" if source.is_parquet else source.head.lstrip()[:1]
        if beginning == "[":
            source.refuse(
                "the file is one JSON list; write one object on each line (jq -c '.[]')",
                Place(line=1),
            )
        is_nested = beginning == "{"
        if is_nested:
            own_id = None if self._template is not None else self.columns.id
            _refuse_one_object(source, own_id)
        kind = (
            LinesOfObjects
            if is_nested
            else ParquetTable
            if source.is_parquet
            else TextTable
        )
        table = kind(source)
        return (
            table,
            is_nested,
            self._id_columns(table.names, is_nested=is_nested, needs_title=needs_title),
        )

    def _id_columns(
        self, names: Sequence[str], *, is_nested: bool, needs_title: bool
    ) -> IdColumns:
        """Find the columns of ids: of a template, or the one with an id."""
        joined = self._joined_columns(names, is_nested=is_nested)
        id_name = self._id_column(
            names,
            is_nested=is_nested,
            needs_title=needs_title,
            needs_id=joined is None,
        )
        return IdColumns((id_name,)) if joined is None else joined

    def _joined_columns(
        self, names: Sequence[str], *, is_nested: bool
    ) -> IdColumns | None:
        """Find the columns of a template; None if there is no template, or if the file has joined ids."""
        template = self._template
        if template is None:
            return None
        if self.columns.id is not None:
            for path in template.paths:
                if not _is_column(path, names, is_nested=is_nested):
                    raise FileError.at(self.name, _unknown(path, names), Place(line=1))
            return IdColumns(template.paths, template)
        try:
            found = document_columns(FileIds(of_suite=template), names)
        except NoColumn as error:
            raise FileError.at(self.name, str(error), Place(line=1)) from None
        if found is None:
            return None
        return IdColumns(tuple(names[number] for number in found.read), template)

    @property
    def _template(self) -> IdField | None:
        """The template that the case file has for ids of the catalogue, or for those of the suite; None for none."""
        written = self.columns.id or self.columns.suite_id
        field = None if written is None else id_field_of(written)
        return field if field is not None and field.is_template else None

    def _id_column(
        self,
        names: Sequence[str],
        *,
        is_nested: bool,
        needs_title: bool,
        needs_id: bool,
    ) -> str:
        """The column of ids. There must be one of titles too, unless other columns are to be shown.

        `needs_title` is false where only other columns are read, `needs_id` where a template says which columns have
        the id. `is_nested`: a dot in the name of a column leads into an object.
        """
        own = self.columns
        chosen = {}
        for key, written, usual in (
            ("id", own.id, ID_NAMES),
            ("title", own.title, TITLE_NAMES),
        ):
            if key == "id" and not needs_id:
                continue
            chosen[key] = (
                written
                if written is not None
                else next((name for name in usual if name in names), None)
            )
            if chosen[key] is None and (key == "id" or (needs_title and not own.show)):
                absent = f"there is no column {listed(map(quoted, usual))}; the columns are {_spelled(names)}"
                advice = f"name the column: documents: {{file: {own.file}, {key}: ...}}"
                raise FileError.at(self.name, f"{absent}; {advice}", Place(line=1))
            if written is not None and not _is_column(
                written, names, is_nested=is_nested
            ):
                raise FileError.at(self.name, _unknown(written, names), Place(line=1))
        return chosen.get("id") or ""


def _refuse_one_object(source: Source, id_column: str | None) -> None:
    """Refuse a catalogue that is one JSON object, unless it is one document on one line.

    The message has a command that writes a line for each document.
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
        f"the file is one JSON object, and a catalogue has one object on each line for a document; write it so: {command}",
        Place(line=1),
    )


def _begins_with_an_object(source: Source) -> bool:
    """Whether the first of several lines is an object: then the whole, which may be large, is not parsed at once."""
    first, _, others = source.head.lstrip().partition("\n")
    try:
        json.loads(first)
    except (ValueError, RecursionError):
        return False
    return bool(others.strip())


@dataclass(frozen=True, slots=True)
class IdColumns:
    """The columns of a catalogue that have the id of a document: those of a template, or one."""

    names: tuple[str, ...]
    template: IdField | None = None

    def id_of(self, values: Fields) -> str | None:
        """Give the id of a document; None if it has none."""
        texts = []
        for name in self.names:
            text = id_text(value_at(values, name))
            if text is None or (self.template is not None and not text.strip()):
                return None
            texts.append(text)
        return texts[0] if self.template is None else self.template.join(texts)

    def why_none(self, values: Fields, is_nested: bool) -> str:
        """Say why a document has no id; empty for a row of a table without a value.

        `is_nested`: the document is an object, and not a row of a table.
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


def _is_column(name: str, names: Collection[str], *, is_nested: bool) -> bool:
    """Whether a column is there, or the object that the first part of its name leads into."""
    return name in names or (is_nested and name.partition(".")[0] in names)


def _unknown(column: str, names: Sequence[str]) -> str:
    close = did_you_mean(column, names)
    return (
        f"there is no column {quoted(column)}; the columns are {_spelled(names)}{close}"
    )


def _spelled(names: Sequence[str]) -> str:
    return listed(map(quoted, names[:_MOST_COLUMNS]), "and") + " ..." * (
        len(names) > _MOST_COLUMNS
    )


def value_at(values: Fields, name: str) -> object:
    """The value of a column; dots lead into nested objects where no column has the whole name."""
    if name in values or "." not in name:
        return values.get(name)
    value: object = values
    for part in name.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def cell_value(cell: str) -> object:
    """A cell of a text table as a value: a number where it is a decimal one, None where it is empty, else its text."""
    found = number(cell)
    return (cell or None) if found is None else found


def _text(value: object) -> str:
    """A value as text: a list as its items with commas between, an object as JSON, nothing (NaN too) as ""."""
    if isinstance(value, str):
        return str.__str__(value).strip()
    if isinstance(value, (list, tuple)):
        return ", ".join(filter(None, map(_text, value)))
    if isinstance(value, (bool, Mapping)):
        return json.dumps(value, ensure_ascii=False, default=str)
    return "" if value is None or value != value else str(value)


def check_catalogue(
    path: str, name: str, columns: CatalogueFile, documents: Collection[str] = ()
) -> Documents:
    """Read a catalogue, which messages call `name`; `problems` are all that is wrong with it.

    `columns` are those that the case file names. `documents` are those to look up.
    """
    try:
        return Catalogue(path, name, columns).look_up(documents)
    except FileError as error:
        return Documents(problems=[str(error)])


class RunTitles:
    """Gives titles to the results of a run that is over, and reads each catalogue once, for all that these name.

    Only results that `is_shown` accepts get titles; None stands for all. A catalogue of which no document is named is not
    opened. `problems` are messages about what could not be read, `errors` the same with their places.
    """

    def __init__(self, is_shown: Callable[[CaseResult], bool] | None = None) -> None:
        self._is_shown = is_shown
        self.problems: list[str] = []
        self.errors: list[RunError] = []
        self._read: dict[Catalogue, tuple[set[str], Documents]] = {}

    def add(
        self, results: Iterable[CaseResult], files: Mapping[str, FileInfo]
    ) -> list[CaseResult]:
        """The results with titles and fields; titles of the catalogue go before those that a result has."""
        found = [*results]
        by_catalogue: dict[Catalogue, list[int]] = {}
        for index, result in enumerate(found):
            if self._is_shown is not None and not self._is_shown(result):
                continue
            info = files.get(result.file)
            if info is not None and info.documents is not None:
                by_catalogue.setdefault(catalogue_of(result.file, info), []).append(
                    index
                )
        for catalogue, indexes in by_catalogue.items():
            there = self._look_up(
                catalogue,
                {document for index in indexes for document in found[index].named},
            )
            for index in indexes:
                result = found[index] = found[index].with_titles(
                    there.titles, there.fields
                )
                if there.known:
                    unknown = tuple(
                        each for each in result.named if each not in there.known
                    )
                    found[index] = result.with_texts(not_in_catalogue=unknown)
        return found

    def _look_up(self, catalogue: Catalogue, documents: set[str]) -> Documents:
        """What a catalogue says of documents; it is read unless all of them were asked for before."""
        asked, there = self._read.get(catalogue, (set(), Documents()))
        if documents <= asked:
            return there
        asked = asked | documents
        try:
            there = catalogue.look_up(asked)
            self.problems += there.problems
            self.errors += there.errors
        except (
            Exception
        ) as error:  # no problem of a catalogue may cost the report that wants titles
            there = Documents()
            if not isinstance(error, FileError):
                error = FileError.at(catalogue.name, repr(error))
            self.problems.append(f"{_NO_TITLES}: {error}")
            for mistake in errors_in_file(error, _MOST_PROBLEMS):
                message = f"{_NO_TITLES}: {mistake.message}"
                self.errors.append(replace(mistake, message=message))
        self._read[catalogue] = asked, there
        return there


def catalogue_of(file: str, info: FileInfo) -> Catalogue:
    """The catalogue of a case file, by its name in results; `info.documents` has one."""
    columns = info.documents
    assert columns is not None
    name = os.path.normpath(os.path.join(os.path.dirname(file), columns.file))
    path = os.path.join(os.path.dirname(info.path), columns.file)
    return Catalogue(path, name, columns)


LONGEST_FIELD = 300
"""How many characters of a further field are kept: records would consist of descriptions otherwise."""

_NO_FIELDS = frozenset({*ID_NAMES, *TITLE_NAMES})
"""The keys of a document that are not among its further fields."""


class UnreadableAnswer(ValueError):
    """An answer that is no mapping of documents."""


@dataclass(slots=True)
class IndexDocuments:
    """The documents that an index was asked for.

    `titles` and `shown` (further fields, as text) are of the documents in the index; `absent` are not in it.
    `has_other_ids`: it does not have a document that the search returned. It then has other ids than the search, and
    an absent document may well be in the index.
    """

    titles: dict[str, str] = field(default_factory=dict)
    shown: dict[str, dict[str, str]] = field(default_factory=dict)
    absent: dict[str, None] = field(default_factory=dict)
    has_other_ids: bool = False

    def add(self, more: IndexDocuments) -> None:
        """Add the documents of another answer."""
        self.titles |= more.titles
        self.shown |= more.shown
        self.absent |= more.absent

    def described(self, result: CaseResult) -> CaseResult:
        """The result with the titles and fields of its documents, and with those that are not in the index."""
        described = result.with_titles(self.titles, self.shown)
        if self.has_other_ids:
            return described
        wanted = dict.fromkeys(document for document, _ in result.evaluation.missing)
        for outcome in result.evaluation.outcomes:
            wanted |= dict.fromkeys(
                () if kind_named(outcome.kind).excludes_documents else outcome.documents
            )
        absent = (document for document in wanted if document in self.absent)
        missing = tuple(
            document for document in absent if result.ranking.rank_of(document) is None
        )
        return described.with_texts(not_in_index=missing)

    def unknown_result(self, result: CaseResult) -> str | None:
        """A document that the search returned and that is absent; None if there is none."""
        absent = (document for document in result.named if document in self.absent)
        return next(
            (
                document
                for document in absent
                if result.ranking.rank_of(document) is not None
            ),
            None,
        )


def documents_to_ask(result: CaseResult) -> Sequence[str]:
    """The documents of a result that an index is asked for: of its rankings the top that a report shows."""
    return result.named_within(
        result.conditions.k
        if result.evaluation.judgments
        else max(result.conditions.k, result.conditions.depth or 0)
    )


def read_answer(
    answer: object, asked: Sequence[str]
) -> tuple[IndexDocuments, dict[str, str]]:
    """Read `{id: title or mapping}`; return the documents, and a sentence on each kind of value that is ignored in it.

    None in the place of a title says that there is no such document. Raises `UnreadableAnswer` for anything else than a
    mapping.
    """
    if not isinstance(answer, Mapping):
        raise UnreadableAnswer(
            f"it returned {shown(answer)}; return {{id: title}} of the documents that exist"
        )
    wanted, found, complaints = dict.fromkeys(asked), IndexDocuments(), dict[str, str]()
    for key, value in answer.items():
        document = id_text(key)
        if document is None or document not in wanted:
            complaints.setdefault(
                "id",
                f"it returned {shown(key)}, which it was not asked for; that is ignored{decoding_advice(key)}",
            )
        elif value is not None:
            wanted.pop(document)
            title, fields, is_read = _read_document(value)
            if title:
                found.titles[document] = title
            if fields:
                found.shown[document] = fields
            if not is_read:
                advice = "return a title, or a mapping with title and further fields"
                complaints.setdefault(
                    "title",
                    f"it returned {shown(value)} for {quoted(document)}, whose title is no text; {advice}",
                )
    found.absent = wanted
    return found, complaints


def _read_document(value: Any) -> tuple[str, dict[str, str], bool]:
    """The title of a document, its further fields, and whether all of it could be read."""
    if isinstance(value, str):
        value = {"title": value}
    if not isinstance(value, Mapping):
        return "", {}, False
    title = next(
        (value[name] for name in TITLE_NAMES if value.get(name) is not None), ""
    )
    fields = {
        str(name): _field_text(each)
        for name, each in value.items()
        if name not in _NO_FIELDS
    }
    is_text = isinstance(title, str)
    return (
        _text(title) if is_text else "",
        {name: text for name, text in fields.items() if text},
        is_text,
    )


def _field_text(value: object) -> str:
    """A scalar as text, cut to `LONGEST_FIELD` characters; empty for any other value."""
    text = _text(value) if isinstance(value, (str, bool, Number, date)) else ""
    return text if len(text) <= LONGEST_FIELD else f"{text[: LONGEST_FIELD - 3]}..."


def absent_documents(ranking: Ranking, fields: Mapping[str, int]) -> list[str]:
    """The documents that lack one of the fields; `fields` says of how many results each is needed."""
    absent: set[int] = set()
    for path, count in fields.items():
        values = (ranking.fields or {}).get(path)
        rows = range(min(count, len(ranking.ids)))
        absent.update(
            rows
            if values is None
            else (index for index in rows if type(values[index]) is Absent)
        )
    return [ranking.ids[index] for index in sorted(absent)]


def with_fields(
    ranking: Ranking,
    fields: Mapping[str, int],
    found: Mapping[str, object],
    source: str,
    there: Sequence[str] = (),
) -> Ranking:
    """The ranking with those of the absent fields that a source has: `found` is {document: what the source has of it}.

    `there` says in messages what the source has of each document, where that is not all in `found`. Raises
    `UnreadableRanking` as `read_fields` does.
    """
    filled = {}
    for path, count in fields.items():
        documents = ranking.ids[:count]
        values = [*(ranking.fields or {}).get(path, [Absent()] * len(documents))]
        absent = [index for index, value in enumerate(values) if type(value) is Absent]
        known = [index for index in absent if documents[index] in found]
        if known:
            rows = read_fields(
                [found[documents[index]] for index in known], {path: len(known)}, source
            )[path]
            for index, value in zip(known, rows, strict=True):
                is_absent = type(value) is Absent
                values[index] = (
                    Absent((*values[index].there, *(there or value.there)))
                    if is_absent
                    else value
                )
        for index in {*absent} - {*known}:
            values[index] = Absent(
                (*values[index].there, f"{source} does not have the document")
            )
        filled[path] = values
    return replace(ranking, fields=filled)
