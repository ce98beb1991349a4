"""Tables of judgments (the exports of Quepid, the qrels of BEIR and ESCI, JSON objects), and of queries.

Judgments have one row per rating, or one row per document with a column for each rater; `columns.layout` finds the
columns. Queries have columns `query_id`, `query`, weight and note, or are lines `id<TAB>text` without a header. In the
format `text` each line is a query.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from typing import Any, NoReturn

from pytest_relevance._problems import FileError, Place, Problem, Problems
from pytest_relevance._source import Source, found_json
from pytest_relevance._tables import ObjectTable, Table, TextTable, table_of
from pytest_relevance._text import closest, quoted
from pytest_relevance.ext.formats import writing
from pytest_relevance.ext.formats.document_cells import refuse_lists
from pytest_relevance.ext.formats.query_rows import (
    QueryRows,
    cells_of,
    params_in,
    refuse_contradictions,
    unread_numbers,
    unread_of_table,
)
from pytest_relevance.judgments import columns
from pytest_relevance.judgments.columns import (
    BEIR_DOCUMENT,
    GRADE_COLUMN,
    MACHINE,
    MORE_SPELLINGS,
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
from pytest_relevance.judgments.formats import (
    COLUMN_OPTIONS,
    JudgmentFormat,
    UnreadColumn,
)
from pytest_relevance.judgments.grade_text import why_no_number
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.scale import rater_names

_ESCI = (("e", "exact"), ("s", "substitute"), ("c", "complement"), ("i", "irrelevant"))
_ESCI_WORDS = {name: pair for pair in _ESCI for name in pair}
_ESCI_GRADES = {"exact": 3.0, "substitute": 2.0, "complement": 1.0, "irrelevant": 0.0}
"""The grades of ESCI's labels where no scale gives others."""

_TEXTS = ("query_id", "query", "document", "rater", "title")


def is_judgment_table(source: Source) -> bool:
    """Whether the first line is the header of a table of judgments."""
    return _layout(source, source.header.names) is not None


def _layout(source: Source, names: Sequence[str]) -> columns.Layout | None:
    """Find the columns of a table of judgments, by the options of its source; None for any other header."""
    return columns.layout(
        names, source.options.get(GRADE_COLUMN), main_column(source.ids, names)
    )


def read_table(source: Source, format: str | None = None) -> Ratings:
    """Read a table of judgments. `format` is the name that the ratings keep, by default csv or parquet.

    Raises:
        FileError: the header is not one of judgments, or rows are wrong.
    """
    table = table_of(source)
    ids = _document_columns(table)
    found = _layout(source, table.names)
    if found is None:
        refuse_header(source, table.names, table.header_line)
    texts = {what: found.at[what] for what in _TEXTS if what in found.at}
    numbers = (
        [found.at["grade"]]
        if "grade" in found.at
        else [number for number, _ in found.raters]
    )
    if isinstance(table, ObjectTable) and "grade" in found.at:
        table.require(
            found.at["grade"]
        )  # a misspelt key would leave a document unjudged
    # BEIR's tables are not escaped for spreadsheets
    if BEIR_DOCUMENT in map(columns.folded, table.names) and isinstance(
        table, TextTable
    ):
        cells: list[list[Any]] = table.columns([*texts.values(), *numbers])
    else:
        cells = table.cells(texts.values(), numbers)
    of_text: dict[str, list[str]] = dict(zip(texts, cells, strict=False))
    if ids is not None:
        of_text["document"] = _joined_ids(table, ids)
    keys = (
        of_text.get("query_id") or of_text.get("query") or []
    )  # of each row's query: the id, else the text
    if "" in keys and "query_id" in of_text and "query" in of_text:
        keys = [key or text for key, text in zip(keys, of_text["query"], strict=True)]
    is_joined = ids is not None and ids.field.is_template
    doubts: list[str] = []
    if ids is None:
        refuse_two_ids(table, found.at["document"], of_text["document"], _NAME_IT)
    if not is_joined:
        doubts = refuse_lists(table, keys, of_text["document"])
        grades = cells[len(texts) :]
        _refuse_two_indexes(
            table, found.at["document"], keys, of_text["document"], grades
        )
    count, times = len(keys), len(numbers)
    raters = rater_names(of_text.get("rater"))
    if found.raters:
        raters = [rater for _, rater in found.raters for _ in range(count)]
    ratings: list[Any] = list(chain.from_iterable(cells[len(texts) :]))
    is_esci = (
        "grade" in found.at
        and columns.folded(table.names[found.at["grade"]]) == "escilabel"
    )
    rows = Ratings(
        source.file,
        format or ("parquet" if source.is_parquet else "csv"),
        keys * times,
        of_text["document"] * times,
        ratings,
        raters,
        of_text["title"] * times if "title" in of_text else None,
        _described(table, keys, of_text),
        lambda row: table.place(row % count),
        _ESCI_WORDS if is_esci else {},
        _ESCI_GRADES if is_esci else {},
        [*found.left_out, *doubts],
        by_id="query_id" in found.at,
        unclear=Problem(found.why_unclear, Place(line=table.header_line))
        if found.why_unclear
        else None,
        machine=_of_machine(table, found.at, times, several=bool(found.raters)),
    )
    return (
        rows.where(_with_ids(rows)) if "" in keys or "" in of_text["document"] else rows
    )


def _document_columns(table: Table) -> DocumentColumns | None:
    """Find the columns of the ids of documents, if `id_field` says which. Refuses a table without them."""
    try:
        return document_columns(table.source.ids, table.names)
    except NoColumn as error:
        table.source.refuse(str(error), Place(line=table.header_line))


def _joined_ids(table: Table, ids: DocumentColumns) -> list[str]:
    """Read the ids of documents that are joined from columns. Refuses the rows that lack a part of one."""
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


_NAME_IT = "say which column has the id: {file: ..., id_field: NAME}"


def refuse_two_ids(
    table: Table, document: int, documents: Sequence[str], advice: str
) -> None:
    """Refuse a table that has two columns of ids of documents which differ in a row."""
    names = keys_of_documents(table.names)
    if len(names) < 2 or table.names[document] not in names:
        return
    for name in names:
        (others,) = table.cells([table.names.index(name)])
        row = row_with_two_ids(documents, others)
        if row is not None:
            table.source.refuse(
                f"the document has two ids, {table.names[document]} {quoted(documents[row])} and "
                f"{name} {quoted(others[row])}; {advice}",
                table.place(row),
            )


def _refuse_two_indexes(
    table: Table,
    document: int,
    keys: Sequence[str],
    documents: Sequence[str],
    grades: Sequence[Sequence[object]],
) -> None:
    """Refuse a table that gives one id two grades in two indexes, if nothing says that the index is a part of the id.

    `grades` are the columns of grades.
    """
    name = index_column(table.names)
    if name is None or table.names.index(name) == document:
        return
    try:
        (indexes,) = table.cells([table.names.index(name)])
    except FileError:  # it has no texts, and so no names of indexes
        return
    known = Indexes(name, table.names[document])
    problems = Problems(table.source.file)
    rows = zip(keys, documents, indexes, zip(*grades, strict=True), strict=True)
    for row, (key, own, index, given) in enumerate(rows):
        if not (own and index):
            continue
        why = known.why_two(JudgedIn(key, own, index, given))
        if why:
            problems.add(why, table.place(row))
    problems.raise_if_any()


def _of_machine(
    table: Table, at: Mapping[str, int], times: int, *, several: bool
) -> list[bool] | None:
    """Whether a machine gave each rating, `several` in a row; None without a column that says so."""
    if MACHINE not in at:
        return None
    if isinstance(table, ObjectTable):
        cells = [row.get(table.names[at[MACHINE]]) for row in table.rows]
    else:
        (cells,) = table.cells((), [at[MACHINE]])
    said = [("" if cell is None else str(cell)).strip().casefold() for cell in cells]
    wrong = next(
        (row for row, word in enumerate(said) if word not in _ARE_MACHINES), None
    )
    if wrong is not None:
        # without raters it is a field of the documents, of washing machines say
        if "rater" not in at and not several and "true" not in said:
            return None
        what = f"the column {MACHINE} is true where a machine gave the grade, else false or blank"
        table.source.refuse(
            f"{what}; found {quoted(str(cells[wrong]))}", table.place(wrong)
        )
    return [_ARE_MACHINES[word] for word in said] * times


_ARE_MACHINES = {"true": True, "false": False, "": False}
"""What a column may say of who gave a grade."""


def _described(
    table: Table, keys: Sequence[str], of_text: Mapping[str, Sequence[str]]
) -> dict[str, Query]:
    """The queries with both an id and a text, and those without a document."""
    described: dict[str, Query] = {}
    if "query" in of_text and "query_id" in of_text:
        for row, (key, text) in enumerate(zip(keys, of_text["query"], strict=True)):
            known = described.get(key)
            if known is None:
                described[key] = Query(key, text)
            elif text and known.text != text:
                table.source.refuse(
                    known.another_text(Query(key, text)), table.place(row)
                )
    elif "" in of_text["document"]:
        for key, document in zip(keys, of_text["document"], strict=True):
            if key and not document:
                described.setdefault(key, Query(key, key))
    return described


def _with_ids(rows: Ratings) -> list[bool]:
    """Whether each row names a document. A row without document and rating names a query without judgments."""
    problems = Problems(rows.file)
    for row, (key, document, rating) in enumerate(
        zip(rows.queries, rows.documents, rows.ratings, strict=True)
    ):
        is_rated = rating is not None and bool(str(rating).strip())
        if (not key and (document or is_rated)) or (is_rated and not document):
            problems.add(
                f"the row has no {'document' if key else 'query'}", rows.place(row)
            )
    problems.raise_if_any()
    return list(map(bool, rows.documents))


def refuse_header(source: Source, names: Sequence[str], line: int = 1) -> NoReturn:
    """Refuse a header that is not one of judgments: what was found, what is missing, what may be misspelt."""
    try:
        document_columns(source.ids, names)
    except NoColumn as error:
        source.refuse(str(error), Place(line=line))
    wanted = source.options.get(GRADE_COLUMN)
    if wanted is not None and columns.column_called(names, wanted) is None:
        source.refuse(columns.no_such_column(names, wanted), Place(line=line))
    at = columns.find_columns(names, WANTED)
    others = [name for number, name in enumerate(names) if number not in at.values()]
    head = "judgments have columns for the query, the document and the grade"
    if columns.is_run_header(names):
        head = "this seems to be a run, with a rank or a score and no grade; judgments are needed"
        at.pop("grade", None)
    lacking = []
    for whats in (("query_id", "query"), ("document",), ("grade",)):
        if at.keys().isdisjoint(whats):
            spellings = [name for what in whats for name in SPELLINGS[what]]
            hint = meant_column(whats[-1], others, spellings)
            lacking.append(
                f"no column for the {whats[-1]} (such as {', '.join(spellings[:6])}){hint}"
            )
    advice = ""
    if "document" in at and "grade" not in at:
        advice = f"; where a column has the grades, name it: {GRADE_COLUMN}"
    source.refuse(
        f"{head}; found {columns.shown_names(names)}: {'; '.join(lacking)}{advice}",
        Place(line=line),
    )


_SHORT = 4
_ENDS_AS_ID = re.compile(r"(?:^|[a-z0-9 _.-])(?:id|ids|no|nr|num|number|key|code)$")
"""How the names of columns of ids end in lower case."""


def meant_column(what: str, names: Sequence[str], spellings: Sequence[str]) -> str:
    """Say which of the columns that nothing reads may be meant; empty if none may be.

    Short names are alike by chance: `id` is as near to `did` as a misspelt word is to the right one.
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


_QUERY_COLUMNS = ("query_id", "query", "weight", "note")

_DIGIT = re.compile("[0-9]")
_CALLED_ID = re.compile(
    r"(?i:(?:^|[ _.-])(?:id|no|nr|num|number|key))$|[a-z](?:Id|ID|Nr|Number)$"
)
"""How the names of columns of ids end: `topic_nr`, `topicId`."""


def is_query_table(source: Source) -> bool:
    """Whether the first line is a header with a column of queries, or the lines are `id<TAB>text`."""
    return has_query_header(source) or _are_ids_and_texts(source)


def has_query_header(source: Source) -> bool:
    """Whether the first line is a header of queries or of judgments. `q1<TAB>boots` is none, as `q1` has a digit."""
    names = source.header.names
    if is_judgment_table(source):
        return True
    if len(names) == 2 and _DIGIT.search(names[0]) and _are_ids_and_texts(source):
        return False
    # a header with only a document or only a grade is a header of judgments with a mistake
    return "query" in query_columns(source, names) and not columns.find_columns(
        names, ("document", "grade")
    )


def query_columns(source: Source, names: Sequence[str]) -> dict[str, int]:
    """The columns by their names. In a table of judgments the further names of `MORE_SPELLINGS` do not count."""
    at = columns.find_columns(names, _QUERY_COLUMNS)
    if _layout(source, names) is not None:
        return at
    for what, spellings in MORE_SPELLINGS.items():
        if what in at or (
            what == "query" and "query_id" not in at
        ):  # `text` without a column of ids is no header
            continue
        number = next(
            (
                number
                for number, name in enumerate(names)
                if columns.folded(name) in spellings
            ),
            None,
        )
        if number is not None:
            at[what] = number
    return at


def _are_ids_and_texts(source: Source) -> bool:
    lines = _lines_of_head(source)
    return bool(lines) and all(line.count("\t") == 1 for line in lines[:20])


def _seems_a_header(source: Source) -> bool:
    """Whether the first of the lines `id<TAB>text` seems to be a header with unknown names.

    Its first cell ends as names of ids do, or has no digit where all the ids below have one.
    """
    first, *ids = (line.partition("\t")[0] for line in _lines_of_head(source))
    is_unlike = (
        len(ids) > 1 and not _DIGIT.search(first) and all(map(_DIGIT.search, ids))
    )
    return (is_unlike or _CALLED_ID.search(first) is not None) and _are_ids_and_texts(
        source
    )


def _lines_of_head(source: Source) -> list[str]:
    return [line for line in source.head.split("\n") if line.strip()]


def read_query_table(source: Source) -> list[Query]:
    """Read a table of queries, text or Parquet; a table of judgments gives the queries in it.

    Raises:
        FileError: the header has no column of texts, or rows are wrong.
    """
    has_header = source.is_parquet or source.looks_like_json or has_query_header(source)
    table = table_of(source) if has_header else _table_without_header(source)
    at = query_columns(source, table.names)
    names = columns.shown_names(table.names)
    is_judged = _layout(source, table.names) is not None
    wrong = ""
    if columns.is_run_header(table.names) and not is_judged:
        wrong = f"this seems to be a run, not queries; found {names}"
    elif "query" not in at and not is_judged:
        wrong = f"the file has no column of queries ({', '.join(SPELLINGS['query'])}); found {names}"
    elif "query" not in at:
        wrong = f"these are judgments that have only the ids of queries; found {names}; name a file with their texts"
    if wrong:
        source.refuse(wrong, Place(line=table.header_line))
    numbers = [at.pop("weight")] if "weight" in at else []
    found: dict[str, Sequence[Any]] = dict(
        zip([*at, "weight"], table.cells(at.values(), numbers), strict=False)
    )
    if (
        is_judged and "query_id" in found
    ):  # where a judgment has no id, the text of its query is the key
        found["query_id"] = [
            key or text
            for key, text in zip(found["query_id"], found["query"], strict=True)
        ]
    if isinstance(table, ObjectTable):
        found["params"] = params_in(table.rows, source, table.place)
    refuse_contradictions(
        QueryRows(
            source,
            found,
            table.place,
            unread=lambda: {
                table.names[number]: cells_of(table, number)
                for number in unread_numbers(table, _read_columns(source, table))
            },
            beside_judgments=is_judged,
        )
    )
    return distinct_rows(source, found, table.place)


def unread_columns(source: Source) -> list[UnreadColumn]:
    """Find the columns of a table of queries that nothing reads."""
    if not (source.is_parquet or source.looks_like_json or has_query_header(source)):
        return []
    table = table_of(source)
    judged = _layout(source, table.names)
    read = _read_columns(source, table)
    return unread_of_table(table, read, beside_judgments=judged is not None)


def _read_columns(source: Source, table: Table) -> set[int]:
    """The numbers of the columns that are read: of the queries, and of judgments in the same table."""
    read = set(query_columns(source, table.names).values())
    judged = _layout(source, table.names)
    if judged is not None:
        read.update(judged.at.values())
        read.update(number for number, _ in judged.raters)
        ids = _document_columns(table)
        if ids is not None:
            read.update(ids.read)
    return read


def _table_without_header(source: Source) -> TextTable:
    """The lines `id<TAB>text`. Refuses a header that is not known."""
    wrong = ""
    if _seems_a_header(source):
        wrong = "the first line seems to be a header that is not known: call the columns query_id and query"
    elif columns.is_run_header(source.header.names):
        wrong = "this seems to be a run, not queries"
    elif not _are_ids_and_texts(source):
        spellings = " or ".join(SPELLINGS["query"][:3])
        wrong = f"a file of queries has a header with {spellings} (and query_id), or lines of an id, a tab and a text"
    if wrong:
        source.refuse(
            f"{wrong}; found {columns.shown_names(source.header.names)}", Place(line=1)
        )
    return TextTable(source, ["id", "text"])


def distinct_rows(
    source: Source, columns: Mapping[str, Sequence[Any]], place: Callable[[int], Place]
) -> list[Query]:
    """The queries of the rows, each once, in their order. `columns` has `query`, and perhaps ids, weights, notes."""
    first: dict[tuple[str, str], int] = {}
    for row, pair in enumerate(
        zip(columns.get("query_id", columns["query"]), columns["query"], strict=True)
    ):
        first.setdefault(pair, row)
    rest = [name for name in ("weight", "note", "params") if name in columns]

    def query(pair: tuple[str, str], row: int) -> tuple[Query | str, Place]:
        at = place(row)
        return query_or_mistake(
            *pair, **{name: columns[name][row] for name in rest}, line=at.line or None
        ), at

    queries = (query(pair, row) for pair, row in first.items())
    return distinct(source, queries) or source.refuse(
        "the file has no queries, only a header"
    )


def query_or_mistake(
    key: str,
    text: str | None,
    weight: object = None,
    note: str | None = None,
    params: Mapping[str, object] | None = None,
    line: int | None = None,
) -> Query | str:
    """A query, or what is wrong with it. `weight` is as written."""
    if (text is not None and not text.strip()) or not key.strip():
        return f"the query has no {'text' if key.strip() else 'id'}"
    number = 1 if weight in ("", None) else number_of(str(weight))
    if number is None or number <= 0:
        why = why_no_number(str(weight))
        advice = f"; it {why}" if why is not None else ""
        return f"a weight is a number above 0, found {found_json(weight)}{advice}"
    return Query(key, text, number, params or {}, note or None, line)


def distinct(
    source: Source, queries: Iterable[tuple[Query | str, Place]]
) -> list[Query]:
    """The queries, each id once. `queries` are what was found in a file, and where: a query, or what is wrong.

    Raises:
        FileError: something is wrong, or two queries of one id have different texts.
    """
    known: dict[str, Query] = {}
    problems = Problems(source.file)
    for query, place in queries:
        earlier = (
            known.setdefault(query.id, query) if isinstance(query, Query) else None
        )
        if isinstance(query, str):
            problems.add(query, place)
        elif earlier is not None and earlier.text != query.text:
            problems.add(earlier.another_text(query), place)
    problems.raise_if_any()
    return list(known.values())


def _read(source: Source) -> Ratings:
    return read_table(source)


def _is_parquet(source: Source) -> bool:
    return source.is_parquet


PARQUET = JudgmentFormat(
    name="parquet",
    about="a Parquet file with columns as in CSV",
    fits=_is_parquet,
    read=_read,
    read_queries=read_query_table,
    unread_columns=unread_columns,
    options=COLUMN_OPTIONS,
)

CSV = JudgmentFormat(
    name="csv",
    about="a table with a header: query or query_id, doc_id, grade",
    fits=is_judgment_table,
    read=_read,
    fits_queries=is_query_table,
    read_queries=read_query_table,
    unread_columns=unread_columns,
    write=writing.write_csv,
    aliases=("tsv", "esci"),
    options=COLUMN_OPTIONS,
)
