"""Read judgments, queries and runs from files.

`recognition` finds the format of a file. The formats themselves are in `FORMATS` and
`RUN_FORMATS` (`formats.py`); nothing here knows one of them.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from pytest_relevance._ids import USUAL_COLUMNS, FileIds, id_field_of
from pytest_relevance._problems import FileError, RelevanceWarning
from pytest_relevance._source import Source
from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import GRADE_COLUMN, MACHINE
from pytest_relevance.judgments.folders import (
    JUDGMENTS,
    QUERIES,
    NotInFolder,
    file_in,
)
from pytest_relevance.judgments.formats import (
    CONTEXT,
    DOCUMENT,
    FORMATS,
    PASSAGE,
    QUERY,
    RUN_FORMATS,
    Rankings,
    UnreadColumn,
)
from pytest_relevance.judgments.grading import graded
from pytest_relevance.judgments.model import Judgments, Query, QueryList, Ratings
from pytest_relevance.judgments.placeholders import (
    notice_of_placeholders,
    placeholders_in,
)
from pytest_relevance.judgments.recognition import (
    format_of_judgments,
    format_of_queries,
    format_of_run,
    plain_queries,
)
from pytest_relevance.judgments.row_rules import EVERY_ROW, ROW_RULES, RowRules
from pytest_relevance.judgments.scale import AnyScale, checked_raters, scale_of
from pytest_relevance.registry import ExtensionError

Path = str | os.PathLike[str]

QueryPaths = str | Sequence[str] | None
"""The path to the text of the query in a rank_eval request.

Of several paths the first counts that leads to a text.
"""


# What users call


def read_judgments(
    path: Path,
    format: str | None = None,
    *,
    scale: AnyScale = None,
    raters: str | None = None,
    query: QueryPaths = None,
    grade_column: str | None = None,
    id_field: str | Sequence[str] | None = None,
    document: str | None = None,
    passage: str | None = None,
    context: str | None = None,
    fill: bool = False,
) -> Judgments:
    """Read a file of judgments: {query: {document: grade}}.

    `path` may be a folder of BEIR or MTEB with one file of judgments in `qrels`.

    Titles, raters and other content are in attributes of the result. The key of a query
    is its id, or its text in a format that has no ids. Ids and texts are text, exactly
    as written.

    `format`: a name of docs/reference/judgments.md. By default the first format that
    fits the content is taken.
    `scale`: names of grades, {name: grade}, or the range of grades, (lowest, highest).
    A grade off the scale is an error.
    `raters`: how several ratings of a document become its grade ("median", "mean",
    "min", "max", "majority"). The default is the median if the file says who rated. In
    other files a document with two grades is an error unless `raters` is given.
    `query`: where an Elasticsearch rank_eval request has the text of the query
    (`params.text`). Of several paths, the first one that leads to a text counts. Beside
    `document`, `passage` or `context` it is the column with the queries.
    `grade_column`: the column of a table, or the key of JSON objects, that has the
    grades. A file with both a column of final grades (`final_rating`) and ratings of
    raters is an error unless `grade_column` or `raters` is given.
    `id_field`: the column, or the key, that has the id of a document; a list of
    columns, for the first one that a row has; or a template that joins columns
    (`{_index}/{_id}`).
    `document`, `passage`, `context`: the column with what a query needs: ids of
    documents, quotes or contexts; one of the three. A cell has one or a list. The name
    may be a path into nested objects (`outputs.contexts`). With `passage` and `context`
    the documents of the result are texts.
    `fill`: also read rows whose grade a machine gave (a column `machine` that is true).
    Without it such rows are an error, since they would be taken for a person's.

    Raises:
        FileError: (a ValueError) the file cannot be used; with every mistake, its line,
            query and document.
        ValueError: an argument has a value that does not exist.
    """
    options = options_of(
        query, grade_column, document=document, passage=passage, context=context
    )
    path, format = _in_folder(path, JUDGMENTS, format)
    source = Source.read(path, options=options, ids=ids_of(id_field))
    ratings = read_ratings(source, format, fill=fill)
    grades = None if scale is None else scale_of(scale)
    return graded(ratings, grades, checked_raters(raters))


def read_queries(
    path: Path,
    format: str | None = None,
    *,
    query: QueryPaths = None,
    grade_column: str | None = None,
    id_field: str | Sequence[str] | None = None,
    columns: Mapping[str, str | None] | None = None,
    params: Mapping[str, str] | None = None,
    merge: bool = False,
    thousands: str | None = None,
    drop: str | Sequence[str] = (),
) -> dict[str, str]:
    """Read a file of queries: {id: text}, in the order of the file.

    `path` may be a folder of BEIR or MTEB, which has a file `queries`.

    A query without an id has its text as id. A file of judgments that has the texts of
    its queries is a file of queries too. The totals of an export are left out, and so
    is what stands around its rows.

    A `RelevanceWarning` says which rows are left out because they have no query, which
    queries differ only in case or white space, which are placeholders of an analytics
    tool, and which texts of `drop` no row has.

    `columns`, `params`, `merge`, `thousands` and `drop` are those of a case file: see
    "Columns" in docs/reference/queries.md. The other arguments
    and the errors are those of `read_judgments`.
    """
    rules = RowRules(
        columns=tuple((columns or {}).items()),
        params=tuple((params or {}).items()),
        merge=merge,
        thousands=thousands,
        drop=(drop,) if isinstance(drop, str) else tuple(drop),
    )
    rules.check()
    options = options_of(query, grade_column)
    if rules != EVERY_ROW:
        if QUERY in options:
            raise ValueError(
                "name the column of the queries in columns: {'query': ...}"
            )
        options[ROW_RULES] = rules
    path, format = _in_folder(path, QUERIES, format)
    source = Source.read(path, options=options, ids=ids_of(id_field))
    content = read_query_file(source, format)
    notices = [f"{source.file}: {each}" for each in content.queries.notices]
    notices += [f"drop: {each}" for each in content.queries.unused_drops]
    rows = placeholders_in(content.queries)
    if rows:
        notices.append(f"{source.file}: {notice_of_placeholders(rows)}")
    for notice in notices:
        warnings.warn(notice, RelevanceWarning, stacklevel=2)
    return {each.id: each.text_or_id for each in content.queries}


def read_run(path: Path, format: str | None = None) -> Rankings:
    """Read a run: {query: [document, ...]}, best first.

    The queries are in the order of the file.

    `format`: by default the first format that fits the content.

    - "trec": `qid Q0 docid rank score tag`, sorted as trec_eval does, whatever its
      ranks say: by score, then by document id, both descending.
    - "csv": a table with a header, which has query or query_id, doc_id, and rank or
      score. With neither, the rows have to be best first. A snapshot of Quepid is
      such a table.
    - "parquet": such a table as Parquet.
    - "json": {query: {document: score}}, {query: [document, ...]} or rows.
    - "record": the file of `--relevance-record`, without its cases that were skipped or
      are an error.

    gzip is unpacked. A document that a query has twice stays at both ranks, and counts
    at the first one, as in `evaluate`; a `RelevanceWarning` says so.

    Raises:
        FileError: (a ValueError) the file cannot be read; with file, line and query.
        ValueError: there is no such format.
    """
    if format is not None and format not in RUN_FORMATS:
        names = RUN_FORMATS.names()
        close = did_you_mean(format, names)
        raise ValueError(f"a run is {listed(names)}, not {quoted(format)}{close}")
    source = Source.read(path)
    with _naming_the_file(source):
        known = format_of_run(source, format)
        with RUN_FORMATS.calling(known.name):
            rankings = known.read(source)
        RUN_FORMATS.check_returned(known.name, "read", rankings, Mapping)
        return rankings


# What the package calls


def load_queries(path: Path) -> list[Query]:
    """Return the queries of a file or of a folder of BEIR or MTEB, in their order.

    Raises FileError if the file cannot be read or has no queries.
    """
    path, format = _in_folder(path, QUERIES, None)
    return queries_in(Source.read(path), format)


def _in_folder(path: Path, needed: str, format: str | None) -> tuple[Path, str | None]:
    """Return the path and the format of a file in a folder of BEIR or MTEB.

    If `path` is a file, `path` and `format` are returned unchanged. Raises FileError if
    the folder has no such file, or several.

    `needed`: `JUDGMENTS` or `QUERIES`.
    """
    if not os.path.isdir(path):
        return path, format
    try:
        found = file_in(os.fspath(path), needed, "this")
    except NotInFolder as error:
        raise FileError.at(os.fspath(path), str(error)) from None
    return os.path.join(path, found), format or "beir"


@dataclass(frozen=True, slots=True)
class QueryFile:
    """The queries in a file, and the columns of the file that nothing reads.

    `is_golden_set`: whether the file has what each query needs, too.
    `notices`: the notices of `queries`, and what was around the rows of an export.
    """

    queries: QueryList
    unread: Sequence[UnreadColumn]
    is_golden_set: bool
    notices: Sequence[str]


def queries_in(source: Source, format: str | None = None) -> list[Query]:
    """Return the queries of a file, in its order.

    Raises FileError if the file has no queries, and ValueError for an unknown format.
    """
    return list(read_query_file(source, format).queries)


def read_query_file(source: Source, format: str | None = None) -> QueryFile:
    """Return the queries of a file, and the columns whose content is not used.

    Raises FileError if the file has no queries, and ValueError for an unknown format.
    """
    export = plain_queries(source, format)
    source = export.source
    with _naming_the_file(source):
        known = format_of_queries(source, format)
        with FORMATS.calling(known.name):
            assert known.read_queries is not None
            read = known.read_queries(source)
            FORMATS.check_returned(known.name, "read_queries", read, Sequence)
            queries = read if isinstance(read, QueryList) else QueryList(read)
            return QueryFile(
                queries,
                unread=known.unread_columns(source),
                is_golden_set=known.is_golden_set(source),
                notices=[*export.notices, *queries.notices],
            )


def read_ratings(
    source: Source,
    format: str | None = None,
    *,
    machine: bool = False,
    fill: bool = False,
) -> Ratings:
    """Return the ratings of a file as they are written.

    `machine`: whether ratings that a machine gave are allowed.
    `fill`: whether the file only fills gaps. Then ratings of a machine are allowed, and
        the file may have a header alone.

    Raises:
        FileError: the file cannot be read, has neither ratings nor queries, or has a
            rating of a machine that is not allowed.
        ValueError: there is no such format.
    """
    ratings = _ratings_in(source, format)
    if fill:
        return ratings
    if not ratings.queries and not ratings.described:
        source.refuse("the file holds no judgments")
    if not machine and ratings.machine is not None and True in ratings.machine:
        source.refuse(_GRADE_BY_MACHINE, ratings.place(ratings.machine.index(True)))
    return ratings


_GRADE_BY_MACHINE = (
    f"a machine gave this grade (column {MACHINE}), and without fill the grade would "
    "count as that of a person. Write {file: ..., fill: true}, in Python "
    "fill=True. Keep the grades that a person has checked in another file"
)


def _ratings_in(source: Source, format: str | None) -> Ratings:
    """Return all ratings of a file; none if it has only a header.

    Raises FileError if the file cannot be read, and ValueError for an unknown format.
    """
    with _naming_the_file(source):
        known = format_of_judgments(source, format)
        assert known.read is not None
        with FORMATS.calling(known.name):
            ratings = known.read(source)
        FORMATS.check_returned(known.name, "read", ratings, Ratings)
        return ratings


def options_of(
    query: QueryPaths,
    grade_column: str | None,
    *,
    document: str | None = None,
    passage: str | None = None,
    context: str | None = None,
) -> dict[str, Any]:
    """Return {name of an option: value}, for the options that are not None.

    Raises ValueError if more than one of `document`, `passage` and `context` is given.
    """
    options: dict[str, Any] = {}
    needed = {DOCUMENT: document, PASSAGE: passage, CONTEXT: context}
    for option, column in needed.items():
        if column is not None:
            options[option] = column
    if len(options) > 1:
        raise ValueError(
            f"a file has one of {listed(needed, 'and')}, found {listed(options, 'and')}"
        )
    if query is not None:
        options[QUERY] = (query,) if isinstance(query, str) else tuple(query)
    if grade_column is not None:
        options[GRADE_COLUMN] = grade_column
    return options


def ids_of(id_field: str | Sequence[str] | None) -> FileIds:
    """Return the columns of document ids that `id_field` names.

    If it is None, these are the columns with usual names.

    Raises ValueError if it names no field.
    """
    if id_field is None:
        return USUAL_COLUMNS
    written = id_field if isinstance(id_field, str) else tuple(id_field)
    return FileIds(id_field_of(written))


@contextmanager
def _naming_the_file(source: Source) -> Iterator[None]:
    """Turn an error of a format of another package into a FileError of the file."""
    try:
        yield
    except ExtensionError as error:
        source.refuse(str(error))
