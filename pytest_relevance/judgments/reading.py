"""`read_judgments` and `read_queries`: read a file in any format of the field, and the table of the formats.

A format is recognised by the content, in the order of `FORMATS`: distinctive ones come first. Where the user names it,
by a key of `FORMATS` or of `ALIASES`, the file is read as that, and its mistakes are told as mistakes in that format.
Other packages have further formats (`_python`), for files whose format is named.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

from pytest_relevance import _python
from pytest_relevance._accidents import refuse_accidents
from pytest_relevance._ids import USUAL_COLUMNS, FileIds, id_field_of
from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.judgments.columns import GRADE_COLUMN, MACHINE
from pytest_relevance.judgments.document_ids import ID_FIELD
from pytest_relevance.judgments.formats import evaluation_tools as tools
from pytest_relevance.judgments.formats import lines, objects, tables, trec_ltr
from pytest_relevance.judgments.formats import search_engines as engines
from pytest_relevance.judgments.formats.collecting import Collector
from pytest_relevance.judgments.formats.query_rows import UnreadColumn
from pytest_relevance.judgments.grading import graded, number_of
from pytest_relevance.judgments.model import Judgments, Query, Ratings
from pytest_relevance.judgments.scale import AnyScale, checked_raters, scale_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

Path = str | os.PathLike[str]
Fits = Callable[[Source], bool]
ReadRatings = Callable[[Source], Ratings]
ReadQueries = Callable[[Source], Sequence[Query]]
Unread = Callable[[Source], Sequence[UnreadColumn]]
Read = TypeVar("Read")


@dataclass(frozen=True, slots=True)
class Format:
    """A format: a short description, how its content is recognised, and the functions that read it.

    `ratings` and `queries` read judgments and queries; None where the format has none. `fits` says whether the content
    is judgments in this format, `fits_queries` whether it has queries; neither raises for a file of another format.
    Where both differ, `fits_queries_alone` recognises the queries. A user who names the format may have a file read
    that does not fit: then the reader says what is wrong with it. `unread` finds the columns of a file of queries that
    nothing reads.
    """

    name: str
    about: str
    fits: Fits
    ratings: ReadRatings | None
    queries: ReadQueries | None
    fits_queries_alone: Fits | None = None
    unread: Unread = lambda source: ()

    def fits_queries(self, source: Source) -> bool:
        """Whether the content has queries in this format."""
        return (self.fits_queries_alone or self.fits)(source)


def _readers(collect: Callable[..., Collector]) -> tuple[ReadRatings, ReadQueries]:
    """The functions that read judgments and queries in JSON, of `collect(source, for_queries=...)`."""
    return (
        lambda source: collect(source, for_queries=False).ratings(),
        lambda source: collect(source, for_queries=True).queries(),
    )


def _json_or(
    read_json: Callable[[Source], Read], read_table: Callable[[Source], Read]
) -> Callable[[Source], Read]:
    """A function that reads a file in JSON, or a table."""
    return lambda source: (read_json if source.looks_like_json else read_table)(source)


def _never(source: Source) -> bool:
    return False


def _unread_of_any(source: Source) -> Sequence[UnreadColumn]:
    """The columns of a table, or the keys of objects in JSON, that nothing reads."""
    if source.looks_like_json:
        return objects.unread_keys(source)
    return tables.unread_columns(source)


def _unread_of_quepid(source: Source) -> Sequence[UnreadColumn]:
    """The columns of an export as a table that nothing reads; what else an export in JSON has is Quepid's own."""
    return () if source.looks_like_json else tables.unread_columns(source)


_TABLE_READERS = tables.read_table, tables.read_query_table
_QUEPID_JSON = _readers(tools.collect_quepid)
_OBJECT_READERS = objects.read_objects, objects.read_query_objects

_ALL = (
    Format(
        "parquet",
        "a Parquet file with columns as in CSV",
        lambda source: source.is_parquet,
        *_TABLE_READERS,
        unread=tables.unread_columns,
    ),
    Format(
        "quepid",
        "Quepid's exports: query,docid,rating, or JSON",
        tools.is_quepid,
        _json_or(_QUEPID_JSON[0], partial(tables.read_table, format="quepid")),
        _json_or(_QUEPID_JSON[1], tables.read_query_table),
        unread=_unread_of_quepid,
    ),
    Format(
        "rre",
        "ratings.json of the Rated Ranking Evaluator",
        tools.is_rre,
        *_readers(tools.collect_rre),
    ),
    Format(
        "elasticsearch",
        "a rank_eval request: requests[].ratings[]",
        engines.is_rank_eval,
        *_readers(engines.collect_rank_eval),
    ),
    Format(
        "opensearch",
        "search-relevance: judgmentRatings[].ratings[], or querySetQueries[] of a query set",
        engines.is_judgment_import,
        *_readers(engines.collect_search_relevance),
        engines.has_queries,
        unread=engines.unread_of_query_set,
    ),
    Format(
        "topics",
        "TREC topics: <top> markup, or XML",
        _never,
        None,
        trec_ltr.read_topics,
        trec_ltr.is_topics,
    ),
    Format(
        "ltr",
        "SVMrank: grade qid:1 ... # document",
        trec_ltr.is_ltr,
        trec_ltr.read_ltr,
        trec_ltr.read_ltr_queries,
    ),
    Format(
        "jsonl",
        "JSON a line",
        lambda source: source.is_json_lines,
        *_OBJECT_READERS,
        unread=objects.unread_keys,
    ),
    Format(
        "json",
        "{query: {document: grade}}, or a list of objects",
        objects.is_json,
        *_OBJECT_READERS,
        unread=objects.unread_keys,
    ),
    Format(
        "csv",
        "a table with a header: query or query_id, doc_id, grade",
        tables.is_judgment_table,
        *_TABLE_READERS,
        tables.is_query_table,
        unread=tables.unread_columns,
    ),
    Format(
        "trec",
        "TREC qrels: qid iter docid grade",
        trec_ltr.is_qrels,
        trec_ltr.read_qrels,
        None,
        _never,
    ),
    Format(
        "beir",
        "BEIR: query-id corpus-id score, and queries.jsonl",
        _never,
        _json_or(objects.read_objects, partial(tables.read_table, format="beir")),
        _json_or(objects.read_query_objects, tables.read_query_table),
        unread=_unread_of_any,
    ),
    Format("text", "a query a line", _never, None, lines.read_lines),
)
FORMATS: Mapping[str, Format] = {known.name: known for known in _ALL}
"""Every format, by the name that a user gives it."""

_WITH_COLUMNS = frozenset({"csv", "parquet", "quepid", "beir", "json", "jsonl"})
"""The formats that are tables: rows with columns, or objects with keys."""

ALIASES: Mapping[str, str] = {
    "tsv": "csv",
    "esci": "csv",
    "qrels": "trec",
    "rank_eval": "elasticsearch",
    "svmrank": "ltr",
}
"""Other names of formats."""


def read_judgments(
    path: Path,
    format: str | None = None,
    *,
    scale: AnyScale = None,
    raters: str | None = None,
    query: QueryPaths = None,
    grade_column: str | None = None,
    id_field: str | Sequence[str] | None = None,
    fill: bool = False,
) -> Judgments:
    """Read a file of judgments: {query: {document: grade}}, with what else the file says as attributes.

    `format` is one of the names in docs/reference/judgments.md, by default the content says it. `scale` gives names to
    grades, {name: grade}, or their range, (lowest, highest); a grade off it is an error. `raters` is how several
    ratings of a document become its grade ("median", "mean", "min", "max", "majority"); where the file distinguishes
    raters the default is the median, elsewhere a document with two grades is an error unless `raters` is given. `query`
    says where in an Elasticsearch rank_eval request the text of the query is (`params.text`); of several paths the first
    counts that leads to a text. `grade_column` is the
    column of a table, or the key of JSON objects, that has the grades: a file with both a final column (`final_rating`)
    and the ratings of raters is an error without it, unless `raters` is given. `id_field` is the column, or the key,
    that has the id of a document, a list of columns of which the first that a row has counts, or a template that joins
    columns (`{_index}/{_id}`). `fill`: rows whose grade a machine gave
    (a column `machine` that is true) are read too; without it they are an error, as they would be taken for a person's.

    The key of a query is its id, or its text in a format that has no ids. Ids and texts are text, exactly as written.

    Raises:
        FileError: (a ValueError) the file cannot be used; with every mistake, its line, query and document.
        ValueError: an argument has a value that does not exist.
    """
    source = Source.read(
        path, options=options_of(query, grade_column), ids=ids_of(id_field)
    )
    rows = (read_fill if fill else read_ratings)(source, format)
    return graded(
        rows, None if scale is None else scale_of(scale), checked_raters(raters)
    )


def read_queries(
    path: Path,
    format: str | None = None,
    *,
    query: QueryPaths = None,
    grade_column: str | None = None,
    id_field: str | Sequence[str] | None = None,
) -> dict[str, str]:
    """Read a file of queries: {id: text}, in the order of the file; a query without an id has its text as id.

    A file of judgments that knows the texts of its queries is a file of queries too. The arguments and errors are those
    of `read_judgments`.
    """
    found = load_queries(
        path, format, query=query, grade_column=grade_column, id_field=id_field
    )
    return {query.id: query.text_or_id for query in found}


def load_queries(
    path: Path,
    format: str | None = None,
    *,
    query: QueryPaths = None,
    grade_column: str | None = None,
    id_field: str | Sequence[str] | None = None,
) -> list[Query]:
    """Read a file of queries with all that it says of each; arguments and errors are as for `read_judgments`."""
    source = Source.read(
        path, options=options_of(query, grade_column), ids=ids_of(id_field)
    )
    return queries_in(source, format)


def queries_in(source: Source, format: str | None = None) -> list[Query]:
    """Read the queries in a file; `FileError` where it has none."""
    _refuse_accidents(source, format)
    known = _format_of_queries(source, format)
    if known.queries is None:
        source.refuse(
            f"{known.name} ({known.about}) has no queries, only their ids; name a file of queries"
        )
    return list(known.queries(source))


def _format_of_queries(source: Source, format: str | None) -> Format:
    """The format of a file of queries: the named one, or the one that the content shows."""
    known = _named(format) or next(
        (one for one in _ALL if one.queries is not None and one.fits_queries(source)),
        None,
    )
    if known is None:  # a format that has ids alone
        known = next(
            (one for one in _ALL if one.queries is None and one.fits(source)), None
        )
    return _checked(source, known, "queries")


@dataclass(frozen=True, slots=True)
class QueryFile:
    """What a file of queries has: the queries, and the columns that nothing reads."""

    queries: Sequence[Query]
    unread: Sequence[UnreadColumn]


def read_query_file(source: Source, format: str | None = None) -> QueryFile:
    """Read the queries in a file, and find the columns that nothing reads; `FileError` as for `queries_in`."""
    queries = queries_in(source, format)
    return QueryFile(queries, _format_of_queries(source, format).unread(source))


def read_ratings(
    source: Source, format: str | None = None, *, machine: bool = False
) -> Ratings:
    """Read the ratings in a file, as they are written; `FileError` where it has none.

    Without `machine`, those of a machine are an error too.
    """
    ratings = read_fill(source, format)
    if not ratings.queries and not ratings.described:
        source.refuse("the file holds no judgments")
    if not machine and ratings.machine is not None and True in ratings.machine:
        source.refuse(_OF_A_MACHINE, ratings.place(ratings.machine.index(True)))
    return ratings


_OF_A_MACHINE = (
    f"a machine gave this grade, as the column {MACHINE} says, and it would be taken for a person's; read the file to "
    "fill what people have not judged ({file: ..., fill: true}; in Python fill=True), and keep "
    "the rows that a person has checked in a file of people"
)


def read_fill(source: Source, format: str | None = None) -> Ratings:
    """Read the ratings in a file, also those of a machine; it may have a header alone."""
    _refuse_accidents(source, format)
    known = _checked(source, _named(format) or judgments_in(source), "judgments")
    if known.ratings is None:
        source.refuse(f"{known.name} ({known.about}) holds no judgments")
    return known.ratings(source)


def _refuse_accidents(source: Source, format: str | None) -> None:
    """Refuse a file that is there by accident. A format of another package may be a page or a pointer."""
    if format is None or ALIASES.get(format, format) in FORMATS:
        refuse_accidents(source)


def check_format(name: str) -> str:
    """Find the name of a format in `FORMATS`. ValueError, with the names there are, for another."""
    found = ALIASES.get(name, name)
    if found not in FORMATS and found not in (
        others := _python.entry_points_of(_python.FORMATS)
    ):
        names = [*FORMATS, *ALIASES, *others]
        raise ValueError(
            f"unknown format {quoted(name)}; it may be {listed(names)}{did_you_mean(name, names)}"
        )
    return found


def _named(format: str | None) -> Format | None:
    if format is None:
        return None
    name = check_format(format)
    return FORMATS.get(name) or _of_another_package(
        _python.entry_points_of(_python.FORMATS)[name]
    )


def _of_another_package(point: EntryPoint) -> Format:
    """The format of an entry point: a function from the text of a file to rows, which are never none.

    The rows are read as a list of JSON objects is: each has the keys of a table.
    """

    def rows(source: Source) -> Source:
        try:
            found = _python.called(point, source.text)
            data = json.dumps(found, allow_nan=False)
        except (TypeError, ValueError) as error:  # also of what JSON cannot hold
            source.refuse(f"{point.name} ({point.value}) {error}")
        if not found:
            source.refuse(
                f"the file holds nothing that {point.name} ({point.value}) reads"
            )
        return Source(source.file, data.encode(), source.options, source.ids)

    return Format(
        *(point.name, point.value, _never),
        lambda source: objects.read_objects(rows(source), point.name),
        lambda source: objects.read_query_objects(rows(source)),
        unread=lambda source: objects.unread_keys(rows(source)),
    )


def _checked(source: Source, known: Format | None, needed: str) -> Format:
    """Refuse a file of an unknown format or of another kind, and options that have no meaning for its format."""
    if known is None:
        _refuse_unknown(source, needed)
    for option in (*source.options, *([ID_FIELD] if source.ids.of_file else [])):
        formats, what = OPTIONS[option]
        is_json_of_quepid = (
            known.name == "quepid" and source.looks_like_json
        )  # which has no columns
        if known.name not in formats or is_json_of_quepid:
            source.refuse(
                f"{option}= is for {what}, and this is {known.name} ({known.about}); leave it out"
            )
    return known


OPTIONS: Mapping[str, tuple[frozenset[str], str]] = {
    "query": (frozenset({"elasticsearch"}), "Elasticsearch requests"),
    GRADE_COLUMN: (
        _WITH_COLUMNS,
        "tables and JSON objects",
    ),
    ID_FIELD: (
        frozenset(
            {"csv", "parquet", "quepid", "beir", "json", "jsonl", "elasticsearch"}
        ),
        "tables, JSON objects and Elasticsearch requests",
    ),
}
"""What a user can say of a file beyond its format: the formats it is for, and those in words."""


QueryPaths = str | Sequence[str] | None
"""Where a rank_eval request has the text of its query: a path, or several of which the first counts that leads to text."""


def options_of(query: QueryPaths, grade_column: str | None) -> dict[str, Any]:
    """Collect the options of a file that are given; the paths to the texts of queries as a tuple."""
    options: dict[str, Any] = {}
    if query is not None:
        options["query"] = (query,) if isinstance(query, str) else tuple(query)
    if grade_column is not None:
        options[GRADE_COLUMN] = grade_column
    return options


def ids_of(id_field: str | Sequence[str] | None) -> FileIds:
    """Read what `id_field` of a file says. Raises ValueError for what is no field."""
    if id_field is None:
        return USUAL_COLUMNS
    return FileIds(
        id_field_of(id_field if isinstance(id_field, str) else tuple(id_field))
    )


def holds_queries_alone(source: Source, format: str | None = None) -> bool:
    """Whether a file is one of queries that no format takes for judgments."""
    known = _named(format) or next(
        (one for one in _ALL if one.fits(source) or one.fits_queries(source)), None
    )
    if known is None or known.ratings is None:
        return known is not None
    if known.name in ("json", "jsonl", "beir") and source.looks_like_json:
        return objects.are_queries(source)
    return known.fits_queries(source) and not known.fits(source)


def judgments_in(source: Source) -> Format | None:
    """The format of judgments that a file is recognised as; None where there is none."""
    return next(
        (one for one in _ALL if one.ratings is not None and one.fits(source)), None
    )


def _refuse_unknown(source: Source, needed: str) -> NoReturn:
    """Refuse a file: what it begins with, and what it may be. A run that is no judgments is called one."""
    names = source.header.names
    if needed == "judgments" and trec_ltr.is_run(source):
        trec_ltr.refuse_run(source)
    if len(names) > 1 and not any(map(number_of, names)) and not source.looks_like_json:
        if needed == "judgments":
            tables.refuse_header(source, names)
        tables.read_query_table(source)  # which says what a header of queries is
    usable = [
        one
        for one in _ALL
        if (one.ratings if needed == "judgments" else one.queries) is not None
    ]
    known = "; ".join(f"{one.name} ({one.about})" for one in usable)
    source.refuse(
        f"the format of these {needed} is not recognised; the file begins with {quoted(source.header.line.strip())}. "
        f"Known are: {known}. If it is one of them, name it: format",
        Place(line=1),
    )
