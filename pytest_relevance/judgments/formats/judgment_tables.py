"""Tables of judgments: Quepid's exports, BEIR's qrels, ESCI and GOV.UK's among them.

One row per rating, or one row per document with a column for each rater. `columns.layout` finds the columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, NoReturn

from pytest_relevance._problems import Problem, Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, TextTable, table_of
from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.judgments.columns import (
    BEIR_DOCUMENT,
    GRADE_COLUMN,
    SPELLINGS,
    WANTED,
    Layout,
    column_called,
    find_columns,
    folded,
    is_run,
    layout,
    no_such_column,
    shown_names,
)
from pytest_relevance.judgments.model import Query, Ratings
from pytest_relevance.judgments.scale import UNNAMED

ESCI = {"e": "exact", "s": "substitute", "c": "complement", "i": "irrelevant"}
_ESCI_WORDS = {name: pair for pair in ESCI.items() for name in pair}
_ESCI_GRADES = {"exact": 3.0, "substitute": 2.0, "complement": 1.0, "irrelevant": 0.0}
"""The grades of ESCI's labels where no scale gives others."""

GOVUK_QUERY = folded("queryEntry.query")
_TEXTS = ("query_id", "query", "document", "rater", "title")


def is_judgment_table(source: Source) -> bool:
    """Whether the first line is the header of a table of judgments."""
    return layout(source.header.names, source.options.get(GRADE_COLUMN)) is not None


def read_table(source: Source, format: str | None = None) -> Ratings:
    """Read a table of judgments. `format` is the name that the ratings keep, by default csv or parquet.

    Raises:
        FileError: the header is not one of judgments, or rows are wrong.
    """
    table = table_of(source)
    columns = layout(table.names, source.options.get(GRADE_COLUMN))
    if columns is None:
        refuse_header(source, table.names)
    texts = {what: columns.at[what] for what in _TEXTS if what in columns.at}
    numbers = [columns.at["grade"]] if "grade" in columns.at else [number for number, _ in columns.raters]
    if BEIR_DOCUMENT in map(folded, table.names) and isinstance(table, TextTable):  # which no spreadsheet reads
        cells: list[list[Any]] = table.columns([*texts.values(), *numbers])
    else:
        cells = table.cells(texts.values(), numbers)
    of_text: dict[str, list[str]] = dict(zip(texts, cells, strict=False))
    keys = _keys(columns, of_text)
    count, times = len(keys), len(numbers)
    raters = of_text.get("rater")
    if columns.raters:
        raters = [rater for _, rater in columns.raters for _ in range(count)]
    elif raters is not None:
        raters = [rater or UNNAMED for rater in raters]
    ratings: list[Any] = list(chain.from_iterable(cells[len(texts) :]))
    is_esci = _is_esci(columns, ratings)
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
        columns.left_out,
        by_id="query_id" in columns.at,
        unclear=Problem(columns.unclear, int(not source.is_parquet)) if columns.unclear else None,
    )
    return rows.where(_with_ids(rows)) if "" in keys or "" in of_text["document"] else rows


def carried_forward(cells: Sequence[str]) -> list[str]:
    """Fill blank cells with the one above: GOV.UK's tables name a query once."""
    carried, last = [], ""
    for cell in cells:
        last = cell or last
        carried.append(last)
    return carried


def _keys(columns: Layout, of_text: dict[str, list[str]]) -> list[str]:
    """The key of each row's query: the id, or the text where there is no id."""
    texts, ids = of_text.get("query"), of_text.get("query_id")
    if texts is not None and folded(columns.names[columns.at["query"]]) == GOVUK_QUERY:
        texts = of_text["query"] = carried_forward(texts)
    if ids is None or texts is None:
        return ids or texts or []
    return [key or text for key, text in zip(ids, texts, strict=True)] if "" in ids else ids


def _described(table: Table, keys: Sequence[str], of_text: Mapping[str, Sequence[str]]) -> dict[str, Query]:
    """The queries with both an id and a text, and those without a document."""
    described: dict[str, Query] = {}
    if "query" in of_text and "query_id" in of_text:
        for row, (key, text) in enumerate(zip(keys, of_text["query"], strict=True)):
            known = described.get(key)
            if known is None:
                described[key] = Query(key, text)
            elif known.text != text:
                message = f"the query {quoted(key)} has two texts, {quoted(known.text or '')} and {quoted(text)}"
                table.source.refuse(f"{message}; keep one of them", *table.place(row))
    elif "" in of_text["document"]:
        for key, document in zip(keys, of_text["document"], strict=True):
            if not document:
                described.setdefault(key, Query(key, key))
    return described


def _with_ids(rows: Ratings) -> list[bool]:
    """Whether each row names a document. A row without document and rating names a query without judgments."""
    problems = Problems(rows.file)
    for row, (key, document, rating) in enumerate(zip(rows.queries, rows.documents, rows.ratings, strict=True)):
        is_blank = rating is None or not str(rating).strip()
        lacking = ""
        if not key and (document or not is_blank):
            lacking = "query"
        elif not document and not is_blank:
            lacking = "document"
        if lacking and not problems.full:
            problems.add(f"the row has no {lacking}", *rows.place(row))
    problems.check()
    return list(map(bool, rows.documents))


def _is_esci(columns: Layout, ratings: Sequence[Any]) -> bool:
    name = folded(columns.names[columns.at["grade"]]) if "grade" in columns.at else ""
    if name not in ("escilabel", "label"):
        return False
    given = {rating.strip().casefold() for rating in set(ratings) if isinstance(rating, str)}
    return name == "escilabel" or given <= {"", *_ESCI_WORDS}


def refuse_header(source: Source, names: Sequence[str]) -> NoReturn:
    """Refuse a header that is not one of judgments: what was found, what is missing, what may be misspelt."""
    line = None if source.is_parquet else 1
    wanted = source.options.get(GRADE_COLUMN)
    if wanted is not None and column_called(names, wanted) is None:
        source.refuse(no_such_column(names, wanted), line)
    at = find_columns(names, WANTED)
    lacking = list(_lacking(names, at))
    head = "a table of judgments begins with a header"
    advice = (
        f"; where a column has the grades, name it: {GRADE_COLUMN}" if "document" in at and "grade" not in at else ""
    )
    if is_run(names):
        head = "this seems to be a run, with a rank or a score and no grade; judgments are needed"
        if "grade" in at and find_columns(names, ("rank",)):
            lacking, advice = ["where there is a rank, a score is that of a run; the judgments have a grade"], ""
        elif "grade" in at:
            advice = f"; where {names[at['grade']]} has the grades, name it: {GRADE_COLUMN}"
    source.refuse(f"{head}; found {shown_names(names)}: {'; '.join(lacking)}{advice}", line)


def _lacking(names: Sequence[str], at: Mapping[str, int]) -> Iterator[str]:
    """The columns that a header lacks, with the name that may be misspelt. A score is no grade."""
    needed = {"query": SPELLINGS["query_id"] + SPELLINGS["query"]}
    needed |= {what: SPELLINGS[what] for what in ("document", "grade")}
    others = [name for number, name in enumerate(names) if number not in at.values()]
    for what, spellings in needed.items():
        is_score = what == "grade" and what in at and is_run(names)
        if (what not in at or is_score) and not (what == "query" and "query_id" in at):
            close = next((hint for name in others if (hint := did_you_mean(name, spellings))), "")
            yield f"no column for the {what} (such as {', '.join(spellings[:6])}){close}"
