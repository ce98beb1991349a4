"""Write judgments as rows: CSV, TSV, Parquet, Quepid's CSV, the qrels of BEIR and TREC, the judgment lists of LTR.

Queries are written as rows too.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from io import BytesIO
from itertools import chain, repeat
from types import SimpleNamespace
from typing import Any

from pytest_relevance._text import listed, quoted
from pytest_relevance.judgments.columns import find_columns, layout
from pytest_relevance.judgments.formats.table import escaped
from pytest_relevance.judgments.model import Judgments, Query, queries_of
from pytest_relevance.judgments.problems import JudgmentFileError
from pytest_relevance.judgments.reading import queries_in
from pytest_relevance.judgments.source import Source
from pytest_relevance.judgments.write.limits import cleaned, lost_in_combining

TABLE = frozenset({"ids", "texts", "titles", "raters", "unrated"})
"""What a table with a column for each thing holds."""

_NOT_IN_CELLS = {",": re.compile("\0"), "\t": re.compile(r"[\0\t\r\n]+")}

Columns = dict[str, Sequence[Any]]
Text = tuple[str, list[str]]
"""The text of a file, and what was lost beyond what its format never holds."""


def delimited(columns: Mapping[str, Iterable[str]], separator: str, *, header: bool = True) -> str:
    """Write columns of text as CSV or TSV, with their names as header. Lines end in a line feed.

    TSV has quotes only around a cell that begins with one or with white space: many tools split lines at tabs alone.
    """
    rows: Iterable[Iterable[str]] = zip(*columns.values(), strict=True)
    rows = chain([columns], rows) if header else rows
    if separator == "\t":
        return "".join("\t".join(map(_tsv_cell, row)) + "\n" for row in rows)
    lines: list[str] = []
    # the writer ends rows in \r\n, so that every version of Python quotes both characters in a cell
    csv.writer(SimpleNamespace(write=lines.append), delimiter=separator).writerows(rows)
    return "".join(f"{line[:-2]}\n" for line in lines)


def _tsv_cell(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"' if cell[:1] == '"' or cell[:1].isspace() else cell


@lru_cache(maxsize=1024)  # files have millions of grades and a handful of different ones
def number_text(number: float) -> str:
    """Format a number so that every format reads it, a whole one without a fraction."""
    return str(int(number)) if number == int(number) else repr(float(number))


def grade_cells(grades: Iterable[float | None]) -> list[str]:
    """Format grades, None as "" (no judgment)."""
    return ["" if grade is None else number_text(grade) for grade in grades]


def columns_of(judgments: Judgments, holds: frozenset[str]) -> Columns:
    """The columns of a table of judgments: `query_id` and `query` or one of them, `doc_id`, `grade`, `rater`, `title`.

    A query without judgments has a row with neither document nor grade (None).
    """
    raters: Sequence[str] = ()
    if judgments.ratings and "raters" in holds:
        queries, documents, raters, grades = map(list, zip(*_ratings_of(judgments), strict=True))
    else:
        queries = [query for query, of_query in judgments.items() for _ in of_query]
        documents = [document for of_query in judgments.values() for document in of_query]
        grades = [grade for of_query in judgments.values() for grade in of_query.values()]
    blank = judgments.unrated if "unrated" in holds else []
    blanks = list(repeat("", len(blank)))
    columns: Columns = _columns_naming_queries(judgments, [*queries, *blank], holds)
    columns["doc_id"] = [*documents, *blanks]
    columns["grade"] = [*grades, *repeat(None, len(blank))]
    if raters:
        columns["rater"] = [*raters, *blanks]
    if judgments.titles and "titles" in holds:
        pairs = zip(queries, documents, strict=True)
        columns["title"] = [*(_title(judgments, query, document) for query, document in pairs), *blanks]
    return columns


def _ratings_of(judgments: Judgments) -> Iterator[tuple[str, str, str, float]]:
    """Query, document, rater and rating; a document without ratings has its grade, of a rater without a name."""
    for query, documents in judgments.items():
        given = judgments.ratings.get(query, {})
        for document, grade in documents.items():
            for rater, rating in (given.get(document) or {"": grade}).items():
                yield query, document, rater, rating


def _title(judgments: Judgments, query: str, document: str) -> str:
    return judgments.titles[query].get(document, "") if query in judgments.titles else ""


def _columns_naming_queries(judgments: Judgments, queries: list[str], holds: frozenset[str]) -> Columns:
    """The column of the queries' texts, that of their ids, or both where they differ and there is a place for both."""
    texts = {query.id: query.text for query in queries_of(judgments)}
    if all(text is None for text in texts.values()):
        return {"query_id": queries}
    if holds >= {"ids", "texts"} and any(judgments.text(query) != query for query in texts):
        return {"query_id": queries, "query": list(map(judgments.text, queries))}
    return {"query": queries}


def write_table(separator: str, format: str, judgments: Judgments) -> Text:
    """A table between commas or tabs. No spreadsheet calculates its texts."""
    columns = columns_of(judgments, TABLE)
    losses = lost_in_combining(judgments)
    if "title" in columns:
        not_allowed = _NOT_IN_CELLS[separator]
        columns["title"], changed = cleaned(columns["title"], lambda title: not_allowed.sub(" ", title), format)
        losses += changed
    cells = {name: grade_cells(cells) if name == "grade" else map(escaped, cells) for name, cells in columns.items()}
    return delimited(cells, separator), losses


def write_parquet(judgments: Judgments) -> tuple[bytes, list[str]]:
    """A Parquet file: text in every column but the grades."""
    import pandas

    columns = columns_of(judgments, TABLE)
    grades = columns["grade"]
    whole = all(grade is None or (grade == int(grade) and abs(grade) < 1 << 63) for grade in grades)
    frame = pandas.DataFrame(columns).astype({name: "string" for name in columns if name != "grade"})
    frame["grade"] = pandas.array(list(grades), dtype="Int64" if whole else "Float64")
    data = BytesIO()
    try:
        frame.to_parquet(data, engine="pyarrow", index=False)
    except ImportError:
        raise ValueError("writing Parquet needs pyarrow: pip install pytest-relevance[parquet]") from None
    return data.getvalue(), lost_in_combining(judgments)


def write_quepid(judgments: Judgments) -> Text:
    """Quepid's CSV of a case, or that of a book where there are several raters."""
    columns = columns_of(judgments, frozenset({"unrated"}))
    queries, documents, grades = columns.values()
    pairs = {"query": list(map(escaped, queries)), "docid": list(map(escaped, documents))}
    of_case = delimited({**pairs, "rating": grade_cells(grades)}, ",")
    if not judgments.ratings:
        return of_case, []
    raters = {escaped(rater): rater for rater in judgments.raters}
    given = [judgments.ratings.get(query, {}).get(doc, {}) for query, doc in zip(queries, documents, strict=True)]
    is_rated = all(ratings or not document for ratings, document in zip(given, documents, strict=True))
    if not is_rated or not _is_book([*pairs, *raters], list(judgments.raters)):
        names = listed(map(quoted, judgments.raters), "and")
        return of_case, [f"the ratings of {names}: they make no book that could be read again; the grades are written"]
    cells = {head: grade_cells(ratings.get(rater) for ratings in given) for head, rater in raters.items()}
    return delimited({**pairs, **cells}, ","), lost_in_combining(judgments)


def _is_book(heads: Sequence[str], raters: list[str]) -> bool:
    """Whether a header is read as that of a book of these raters."""
    header = Source("", delimited(dict.fromkeys(heads, ()), ",").encode()).header
    found = layout(header.names) if header.separator == "," and "\r" not in header.line else None
    is_book = found is not None and found.at.keys() == {"query", "document"}
    return is_book and found is not None and [name for _, name in found.raters] == raters


def write_beir(judgments: Judgments) -> Text:
    """The qrels of BEIR. Nothing is escaped: no spreadsheet reads them."""
    queries, documents, grades = columns_of(judgments, frozenset()).values()
    return delimited({"query-id": queries, "corpus-id": documents, "score": grade_cells(grades)}, "\t"), []


def write_trec(judgments: Judgments) -> Text:
    """Qrels: `qid 0 docid grade`."""
    queries, documents, grades = columns_of(judgments, frozenset()).values()
    rows = zip(queries, documents, grade_cells(grades), strict=True)
    return "".join(f"{query} 0 {document} {grade}\n" for query, document, grade in rows), []


def write_ltr(judgments: Judgments) -> Text:
    """A judgment list: headers with the texts and weights of the queries, then `grade qid:N # document title`."""
    head = [f"# qid:{query.id}: {query.text_or_id}*{number_text(query.weight)}\n" for query in queries_of(judgments)]
    columns = columns_of(judgments, frozenset({"ids", "titles"}))
    titles, losses = cleaned(columns.get("title", [""] * len(columns["grade"])), _in_words, "LTR")
    keys = next(iter(columns.values()))
    rows = zip(grade_cells(columns["grade"]), keys, columns["doc_id"], titles, strict=True)
    lines = (f"{grade}\tqid:{key}\t# {doc}" + (f"\t{title}\n" if title else "\n") for grade, key, doc, title in rows)
    return "".join([*head, "\n", *lines]), losses


def _in_words(title: str) -> str:
    return " ".join(title.replace("\0", " ").split())


_HEADS = ("query_id", "query", "weight", "note")


def write_query_table(judgments: Judgments) -> Text:
    """A table of queries in CSV."""
    columns = _query_columns([*judgments.queries.values()])
    return delimited({name: map(escaped, cells) for name, cells in columns.items()}, ","), []


def write_query_lines(judgments: Judgments) -> Text:
    """`id<TAB>text`, as in TREC's topics; a header where there is more to say, or the first line would be misread."""
    queries = [*judgments.queries.values()]
    columns = {name: list(map(_with_its_space, cells)) for name, cells in _query_columns(queries).items()}
    rows = delimited(columns, "\t", header=False)
    return delimited(columns, "\t") if len(columns) > 2 or _is_misread(rows, queries) else rows, []


def _is_misread(rows: str, queries: Sequence[Query]) -> bool:
    """Whether rows without a header would be read as other queries, or as a file with a header."""
    source = Source("", rows.encode())
    try:
        known = queries_in(source)
    except JudgmentFileError:
        return True
    pairs = [(query.id, query.text) for query in queries]
    return [(query.id, query.text) for query in known] != pairs or bool(find_columns(source.header.names, _HEADS))


def _with_its_space(cell: str) -> str:
    """Escape a cell whose own space would be removed as one before a formula. The formula itself is not escaped."""
    return escaped(cell) if cell.startswith(" ") else cell


def _query_columns(queries: Sequence[Query]) -> dict[str, list[str]]:
    columns = {"query_id": [query.id for query in queries], "query": [query.text or "" for query in queries]}
    if any(query.weight != 1 for query in queries):
        columns["weight"] = [number_text(query.weight) for query in queries]
    if any(query.note for query in queries):
        columns["note"] = [query.note or "" for query in queries]
    return columns
