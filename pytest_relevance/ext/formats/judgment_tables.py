"""Read tables of judgments: exports of Quepid, qrels of BEIR and ESCI, JSON objects.

A table has one row for each rating, or one row for each document and a column for each
rater. `columns.layout` finds out which column has which meaning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from pytest_relevance._object_table import ObjectTable
from pytest_relevance._problems import FileError, Place, Problem, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text import closest, counted, examples, listed, quoted
from pytest_relevance._text_table import TextTable
from pytest_relevance.judgments import columns
from pytest_relevance.judgments.columns import (
    BEIR_DOCUMENT,
    GRADE_COLUMN,
    MACHINE,
    SPELLINGS,
    WANTED,
)
from pytest_relevance.judgments.document_ids import (
    DocumentColumns,
    Indexes,
    JudgedIn,
    NoColumn,
    document_columns,
    index_column,
    keys_of_documents,
    main_column,
    refuse_row_numbers,
    row_with_two_ids,
)
from pytest_relevance.judgments.id_lists import entries_of_list, find_lists
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.scale import rater_names

_ESCI_GRADES = {"exact": 3.0, "substitute": 2.0, "complement": 1.0, "irrelevant": 0.0}
"""The grades of ESCI's labels if no scale gives others."""

_ESCI_WORDS: dict[str, Sequence[str]] = {}
"""ESCI's labels, `exact` and `e`, each with both names that a scale may give it."""
for _label in _ESCI_GRADES:
    _ESCI_WORDS[_label] = _ESCI_WORDS[_label[0]] = (_label[0], _label)

_TEXTS = ("query_id", "query", "document", "rater", "title")


@dataclass(frozen=True, slots=True)
class _Cells:
    """The cells of a table of judgments, column by column.

    `texts`: {meaning: cells} of the columns with texts, for example `document`.
    `keys`: for each row the id of its query, or the text if the query has no id.
    `grades`: the columns of grades, one for each rater.
    """

    texts: Mapping[str, Sequence[str]]
    keys: Sequence[str]
    grades: Sequence[Sequence[object]]

    @property
    def documents(self) -> Sequence[str]:
        """The id of the document of each row."""
        return self.texts["document"]


def is_judgment_table(source: Source) -> bool:
    """Say whether the first line is the header of a table of judgments."""
    return layout_of(source, source.header.names) is not None


def layout_of(source: Source, names: Sequence[str]) -> columns.Layout | None:
    """Return which column of a table of judgments has which meaning.

    The options of the source may name columns. Return None if `names` is not the header
    of a table of judgments.
    """
    document = main_column(source.ids, names)
    return columns.layout(names, source.options.get(GRADE_COLUMN), document)


def read_table(source: Source, format: str | None = None) -> Ratings:
    """Return the ratings in a table of judgments.

    `format`: the name of the format that the ratings keep; by default csv or parquet.

    Raises:
        FileError: the header is not one of judgments, or rows are wrong.
    """
    table = table_of(source)
    ids = columns_of_documents(table)
    found = layout_of(source, table.names)
    if found is None:
        refuse_header(source, table.names, table.header_line)
    if isinstance(table, ObjectTable) and "grade" in found.at:
        # a misspelt key would leave a document unjudged
        table.require(found.at["grade"])
    cells = _read_cells(table, found, ids)
    doubts = _check_documents(table, found, ids, cells)
    if format is None:
        format = "parquet" if source.is_parquet else "csv"
    rows = _ratings(table, found, cells, format, notices=[*found.left_out, *doubts])
    if "" in cells.keys or "" in cells.documents:
        return rows.where(_with_ids(rows))
    return rows


_WORKLIST = frozenset({"query_id", "query", "document", "ranks", "move", "grade"})
"""The columns by which a worklist is known."""


def _ratings(
    table: Table,
    found: columns.Layout,
    cells: _Cells,
    format: str,
    notices: Sequence[str],
) -> Ratings:
    """Return the ratings in the cells: all of the first rater, then of the second."""
    count = len(cells.keys)
    times = len(cells.grades)
    ratings: list[object] = []
    for grades in cells.grades:
        ratings += grades
    titles = cells.texts.get("title")
    is_esci = _is_esci(table, found)
    unclear = None
    if found.why_unclear:
        unclear = Problem(found.why_unclear, Place(line=table.header_line))

    def place(row: int) -> Place:
        return table.place(row % count)

    return Ratings(
        table.source.file,
        format,
        queries=[*cells.keys] * times,
        documents=[*cells.documents] * times,
        ratings=ratings,
        raters=_raters(found, cells),
        titles=None if titles is None else [*titles] * times,
        described=_described(table, cells),
        place=place,
        words=_ESCI_WORDS if is_esci else {},
        grades_of_words=_ESCI_GRADES if is_esci else {},
        notices=notices,
        by_id="query_id" in found.at,
        unclear=unclear,
        machine=_of_machine(table, found, times),
        is_worklist=_WORKLIST.issubset(table.names),
    )


def _read_cells(
    table: Table, found: columns.Layout, ids: DocumentColumns | None
) -> _Cells:
    """Return the cells of the columns that have a meaning.

    `ids`: the columns that make the id of a document; None if one column has it.
    """
    names = [name for name in _TEXTS if name in found.at]
    texts = [found.at[name] for name in names]
    numbers = found.grade_columns
    read: list[list[Any]]
    if isinstance(table, TextTable) and _is_beir(table):
        # these tables are not escaped for spreadsheets
        read = table.columns([*texts, *numbers])
    else:
        read = table.cells(texts, numbers)
    of_texts, of_grades = read[: len(texts)], read[len(texts) :]
    by_name: dict[str, Sequence[str]] = dict(zip(names, of_texts, strict=True))
    if ids is not None:
        by_name["document"] = _joined_ids(table, ids)
    return _Cells(by_name, keys=_keys(by_name), grades=of_grades)


def _keys(texts: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the key of the query of each row: its id, or else its text."""
    keys = texts.get("query_id") or texts.get("query") or []
    if "" in keys and "query_id" in texts and "query" in texts:
        return [key or text for key, text in zip(keys, texts["query"], strict=True)]
    return keys


def _is_beir(table: Table) -> bool:
    return any(columns.plain_name(name) == BEIR_DOCUMENT for name in table.names)


def _is_esci(table: Table, found: columns.Layout) -> bool:
    if "grade" not in found.at:
        return False
    return columns.plain_name(table.names[found.at["grade"]]) == "escilabel"


def _raters(found: columns.Layout, cells: _Cells) -> list[str] | None:
    if not found.raters:
        return rater_names(cells.texts.get("rater"))
    raters = []
    for column in found.raters:
        raters += [column.rater] * len(cells.keys)
    return raters


# Documents


def columns_of_documents(table: Table) -> DocumentColumns | None:
    """Return the columns that `id_field` names; None without `id_field`.

    Raises FileError if the table lacks one of them.
    """
    try:
        return document_columns(table.source.ids, table.names)
    except NoColumn as error:
        table.source.refuse(str(error), Place(line=table.header_line))


def _check_documents(
    table: Table,
    found: columns.Layout,
    ids: DocumentColumns | None,
    cells: _Cells,
) -> list[str]:
    """Check the ids of documents. Return notices about ids that may be lists of ids.

    Raises FileError if a row has two ids that differ, if a cell can only be a list of
    ids, or if one id has two grades in two indexes.
    """
    document = found.at["document"]
    if ids is None:
        refuse_two_ids(
            table,
            document,
            cells.documents,
            "say which column has the id: {file: ..., id_field: NAME}",
        )
    if ids is not None and ids.field.is_template:
        return []
    doubts = _refuse_lists(table, cells)
    _refuse_two_indexes(table, document, cells)
    return doubts


def _joined_ids(table: Table, ids: DocumentColumns) -> list[str]:
    """Return the id of the document of each row, joined from the columns of `id_field`.

    Raises FileError if a row lacks a part of the id.
    """
    parts = table.cells(ids.read)
    try:
        refuse_row_numbers(ids, parts)
    except NoColumn as error:
        table.source.refuse(str(error), Place(line=table.header_line))
    joined = []
    problems = Problems(table.source.file)
    for row, values in enumerate(zip(*parts, strict=True)):
        try:
            joined.append(ids.join([value.strip() for value in values]))
        except NoColumn as error:
            joined.append("")
            problems.add(str(error), table.place(row))
    problems.raise_if_any()
    return joined


def refuse_two_ids(
    table: Table, document: int, documents: Sequence[str], advice: str
) -> None:
    """Raise FileError if two columns have different ids of the document in a row.

    `document`: the number of the column that has the ids `documents`.
    """
    names = keys_of_documents(table.names)
    if len(names) < 2 or table.names[document] not in names:
        return
    for name in names:
        others = table.cells([table.names.index(name)])[0]
        row = row_with_two_ids(documents, others)
        if row is not None:
            table.source.refuse(
                f"the document has two ids, {table.names[document]} "
                f"{quoted(documents[row])} and {name} {quoted(others[row])}; {advice}",
                table.place(row),
            )


_OF_A_WORKLIST = frozenset({"ranks", "move"})
"""Columns of worklists, and of the tables that pages offer for download.

A search returned the ids in these files, so none of them is a list.
"""


def _refuse_lists(table: Table, cells: _Cells) -> list[str]:
    """Return a notice about ids of documents that may be lists of ids; [] without any.

    Raises:
        FileError: documents can only be lists of ids. The error has each such row.
    """
    if set(table.names) >= _OF_A_WORKLIST:
        return []
    lists = find_lists(cells.documents)
    problems = Problems(table.source.file)
    if lists.sure:
        for row, document in enumerate(cells.documents):
            if document in lists.sure:
                message = _list_message(cells.keys[row], document, lists.sure[document])
                problems.add(message, table.place(row))
            if problems.is_full:
                break
    problems.raise_if_any()
    if not lists.doubtful:
        return []
    doubtful = sorted(lists.doubtful)
    is_read = "are read as one document each"
    if len(doubtful) == 1:
        is_read = "is read as one document"
    return [
        f"{counted(len(doubtful), 'id')} {is_read}: {examples(doubtful)}; if these are "
        "lists, write a row for each document"
    ]


def _list_message(query: str, document: str, parts: Sequence[str]) -> str:
    """Return the message that the id of a row is a list of documents, `parts`."""
    ids = [quoted(part, 40) for part in parts[:3]]
    if len(parts) > 3:
        ids.append("...")
    return (
        f"query {quoted(query)}, document {quoted(document)}: this seems to be a list of "
        "documents, and a row has one; write a row for each of "
        f"{listed(ids, 'and')}.{_naming_of_list(document)} If it is one id, write the judgments as JSON, "
        "{query: {document: grade}}"
    )


def _naming_of_list(document: str) -> str:
    """Return advice to name the columns if a cell is a list in JSON or Python.

    Return "" for any other cell.
    """
    if not entries_of_list(document):
        return ""
    return " Lists are read if you name the columns: {file: ..., query: COLUMN, document: COLUMN}."


def _refuse_two_indexes(table: Table, document: int, cells: _Cells) -> None:
    """Raise FileError if one id of a document has two grades in two indexes.

    `document`: the number of the column of ids.
    """
    name = index_column(table.names)
    if name is None or table.names.index(name) == document:
        return
    try:
        indexes = table.cells([table.names.index(name)])[0]
    except FileError:  # the column has no texts, so no names of indexes
        return
    known = Indexes(name, table.names[document])
    problems = Problems(table.source.file)
    for row, key in enumerate(cells.keys):
        own = cells.documents[row]
        if not own or not indexes[row]:
            continue
        given = tuple(grades[row] for grades in cells.grades)
        why = known.why_two(JudgedIn(key, own, indexes[row], given))
        if why:
            problems.add(why, table.place(row))
    problems.raise_if_any()


# Who gave a grade

_ARE_MACHINES = {"true": True, "false": False, "": False}
"""Whether a machine gave the grade, by what the column may say."""


def _of_machine(table: Table, found: columns.Layout, times: int) -> list[bool] | None:
    """Return for each rating whether a machine gave it; None without such a column.

    In a table without raters, a column `machine` may be a field of the documents, for
    example of washing machines. So there a column with other words is not read if it
    never has `true`.

    `times`: how many ratings each row has.
    Raises FileError if the column has anything but `true`, `false` and blanks.
    """
    if MACHINE not in found.at:
        return None
    column = found.at[MACHINE]
    if isinstance(table, ObjectTable):
        cells = [row.get(table.names[column]) for row in table.rows]
    else:
        cells = table.cells((), [column])[0]
    words = []
    for cell in cells:
        words.append("" if cell is None else str(cell).strip().casefold())
    has_raters = "rater" in found.at or bool(found.raters)
    may_be_a_field = not has_raters and "true" not in words
    for row, word in enumerate(words):
        if word in _ARE_MACHINES:
            continue
        if may_be_a_field:
            return None
        table.source.refuse(
            f"the column {MACHINE} is true if a machine gave the grade, else false or "
            f"blank; found {quoted(str(cells[row]))}",
            table.place(row),
        )
    return [_ARE_MACHINES[word] for word in words] * times


# Rows without a document


def _described(table: Table, cells: _Cells) -> dict[str, Query]:
    """Return the queries that have both an id and a text, or that have no document."""
    described: dict[str, Query] = {}
    texts = cells.texts
    if "query" in texts and "query_id" in texts:
        for row, key in enumerate(cells.keys):
            text = texts["query"][row]
            known = described.get(key)
            if known is None:
                described[key] = Query(key, text)
            elif text and known.text != text:
                message = known.another_text(Query(key, text))
                table.source.refuse(message, table.place(row))
    elif "" in cells.documents:
        for key, document in zip(cells.keys, cells.documents, strict=True):
            if key and not document:
                described.setdefault(key, Query(key, key))
    return described


def _with_ids(rows: Ratings) -> list[bool]:
    """Return for each row whether it has a document.

    A row may have only a query: the query has no judgments. Raises FileError for a
    document or a rating without a query, and for a rating without a document.
    """
    problems = Problems(rows.file)
    for row, rating in enumerate(rows.ratings):
        key, document = rows.queries[row], rows.documents[row]
        is_rated = rating is not None and bool(str(rating).strip())
        if not key and (document or is_rated):
            problems.add("the row has no query", rows.place(row))
        elif is_rated and not document:
            problems.add("the row has no document", rows.place(row))
    problems.raise_if_any()
    return [bool(document) for document in rows.documents]


# Headers


def refuse_header(source: Source, names: Sequence[str], line: int = 1) -> NoReturn:
    """Raise FileError for a header that is not one of judgments.

    The message says what was found, what is missing, and which column may be misspelt.
    """
    place = Place(line=line)
    try:
        document_columns(source.ids, names)
    except NoColumn as error:
        source.refuse(str(error), place)
    wanted = source.options.get(GRADE_COLUMN)
    if wanted is not None and columns.column_called(names, wanted) is None:
        source.refuse(columns.no_such_column(names, wanted), place)
    at = columns.find_columns(names, WANTED)
    others = [name for number, name in enumerate(names) if number not in at.values()]
    head = "judgments have columns for the query, the document and the grade"
    if columns.is_run_header(names):
        head = (
            "this seems to be a run, with a rank or a score and no grade; judgments are "
            "needed"
        )
        at.pop("grade", None)
    lacking = "; ".join(_lacking(at, others))
    advice = ""
    if "document" in at and "grade" not in at:
        advice = (
            f"; if a column has the grades, name it ({GRADE_COLUMN}: ..., --grade-column "
            "of a command)"
        )
    elif "grade" not in at and not columns.is_run_header(names):
        advice = f". If the file has no grades, {naming_advice(names, others)}"
    source.refuse(
        f"{head}; found {columns.shown_names(names)}: {lacking}{advice}", place
    )


_CALLED_IDS = re.compile(r"(?:doc|document|chunk|node|page|source|id)(?:id)?s?$")
_CALLED_TEXTS = re.compile(r"(?:context|passage|quote|snippet|excerpt)s?$")
"""How the plain names of columns of ids and of texts end."""

_QUESTIONS = ("question", "input", "user_input", "prompt")


def naming_advice(names: Sequence[str], others: Sequence[str]) -> str:
    """Return the advice to name the columns of the queries and of what they need.

    `others`: the names of columns that may have what the queries need.
    """
    query = "COLUMN"
    for name in names:
        usual = columns.find_columns([name], ("query",))
        if usual or columns.plain_name(name) in map(columns.plain_name, _QUESTIONS):
            query = name
            break
    kind, needed = "document", "COLUMN"
    for name in others:
        if name == query:
            continue
        if _CALLED_TEXTS.search(columns.plain_name(name)):
            kind, needed = "context", name
            break
        if _CALLED_IDS.search(columns.plain_name(name)):
            needed = name
            break
    return f"name its columns: {{file: ..., query: {query}, {kind}: {needed}}} (or passage: for quotes)"


def _lacking(at: Mapping[str, int], others: Sequence[str]) -> list[str]:
    """Return a sentence for each column that a table of judgments lacks.

    `at`: {meaning: number} of the columns that were found.
    `others`: the names of the other columns. A sentence names one of them if it may be
        the missing column.
    """
    lacking = []
    for one_of in (("query_id", "query"), ("document",), ("grade",)):
        if not at.keys().isdisjoint(one_of):
            continue
        spellings: list[str] = []
        for what in one_of:
            spellings += SPELLINGS[what]
        what = one_of[-1]
        such = ", ".join(spellings[:6])
        hint = _meant_column(what, others, spellings)
        lacking.append(f"no column for the {what} (such as {such}){hint}")
    return lacking


_SHORT = 4
_ENDS_AS_ID = re.compile(r"(?:^|[a-z0-9 _.-])(?:id|ids|no|nr|num|number|key|code)$")
"""How the names of columns of ids end in lower case."""


def _meant_column(what: str, names: Sequence[str], spellings: Sequence[str]) -> str:
    """Return advice to rename a column that may be the missing one for `what`, or "".

    Short names are not compared with `spellings`, because short names are alike by
    chance: `id` and `did` differ in one letter.
    """
    for name in names:
        if len(name) > _SHORT:
            close = closest(name, tuple(spellings), cutoff=0.8)
            if close is not None:
                return f"; if {quoted(name)} is the {what}, call it {close}"
    if what == "document":
        for name in names:
            if _ENDS_AS_ID.search(name.lower()):
                return f"; if {quoted(name)} is the document, call it doc_id"
    return ""
