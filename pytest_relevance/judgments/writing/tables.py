"""Tables: CSV, TSV and Parquet with the columns of `columns`, Quepid's CSV, BEIR's qrels."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from io import BytesIO
from typing import Any

from pytest_relevance._text import listed, quoted
from pytest_relevance.judgments.formats.layouts import layout
from pytest_relevance.judgments.formats.lines import header_of, separator_of
from pytest_relevance.judgments.formats.tables import escaped
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.writing.cells import (
    cleaned,
    columns_of,
    grade_cells,
    in_csv,
    in_tsv,
    lines,
)
from pytest_relevance.judgments.writing.contents import lost_in_combining
from pytest_relevance.judgments.writing.keys import unrated

TABLE = frozenset({"ids", "texts", "titles", "raters", "unrated"})
"""What a table with a column for each thing holds."""

_NOT_IN_CSV = re.compile("\0")
_NOT_IN_TSV = re.compile(r"[\0\t\r\n]+")

Text = tuple[str, list[str]]
"""The text of a file, and what more than its format has to do with was lost."""


def csv(judgments: Judgments) -> Text:
    """A table between commas."""
    cells, said = _cells(judgments, partial(_NOT_IN_CSV.sub, " "), "CSV")
    return ",".join(cells) + "\n" + lines(map(in_csv, cells.values()), ","), said


def tsv(judgments: Judgments) -> Text:
    """A table between tabs."""
    cells, said = _cells(judgments, partial(_NOT_IN_TSV.sub, " "), "TSV")
    return "\t".join(cells) + "\n" + lines(map(in_tsv, cells.values()), "\t"), said


def _cells(judgments: Judgments, clean: Callable[[str], str], format: str) -> tuple[dict[str, list[str]], list[str]]:
    """The columns of a table as text that no spreadsheet calculates, and what is lost of it."""
    columns: dict[str, Any] = columns_of(judgments, TABLE)
    said = lost_in_combining(judgments)
    cells = {"grade": grade_cells(columns["grade"])}
    if "title" in columns:
        columns["title"], changed = cleaned(columns["title"], clean, format)
        said += changed
    return {name: cells.get(name) or list(map(escaped, column)) for name, column in columns.items()}, said


def beir(judgments: Judgments) -> Text:
    """The qrels of BEIR: a header, and no escaping but that of tabs."""
    columns: dict[str, Any] = columns_of(judgments, frozenset())
    queries, documents, grades = columns.values()
    cells = [in_tsv(queries), in_tsv(documents), grade_cells(grades)]
    return "query-id\tcorpus-id\tscore\n" + lines(cells, "\t"), []


def quepid(judgments: Judgments) -> Text:
    """Quepid's CSV of a case, or that of a book where there are several raters."""
    raters = list(judgments.raters)
    if not judgments.ratings:
        columns: dict[str, Any] = columns_of(judgments, frozenset({"unrated"}))
        queries, documents, grades = columns.values()
        cells = [in_csv(map(escaped, queries)), in_csv(map(escaped, documents)), grade_cells(grades)]
        return "query,docid,rating\n" + lines(cells, ","), []
    header = ",".join(in_csv(["query", "docid", *map(escaped, raters)]))
    rated = [
        (query, document, judgments.ratings.get(query, {}).get(document, {}))
        for query, documents in judgments.items()
        for document in documents
    ]
    if not _is_book(header, raters) or not all(given for _, _, given in rated):
        names = listed(map(quoted, raters), "and")
        said = f"the ratings of {names}: they make no book that could be read again; the grades are written"
        return quepid(Judgments(judgments, queries=judgments.queries))[0], [said]
    blank = unrated(judgments)
    blanks = [""] * len(blank)
    cells = [
        in_csv(map(escaped, [*(query for query, _, _ in rated), *blank])),
        in_csv(map(escaped, [*(document for _, document, _ in rated), *blanks])),
        *([*grade_cells(given.get(rater) for _, _, given in rated), *blanks] for rater in raters),
    ]
    return f"{header}\n{lines(cells, ',')}", lost_in_combining(judgments)


def _is_book(header: str, raters: list[str]) -> bool:
    """Whether the raters' names are read as such where they head columns."""
    if "\n" in header or "\r" in header or separator_of(header) != ",":
        return False
    found = layout(header_of(header, ","))
    return (
        found is not None and found.at.keys() == {"query", "document"} and [name for _, name in found.raters] == raters
    )


def parquet(judgments: Judgments) -> tuple[bytes, list[str]]:
    """A Parquet file: text in every column but the grades."""
    import pandas

    columns: dict[str, Any] = columns_of(judgments, TABLE)
    grades = columns.pop("grade")
    whole = all(grade is None or (grade == int(grade) and abs(grade) < 1 << 63) for grade in grades)
    frame = pandas.DataFrame({name: pandas.Series(cells, dtype="string") for name, cells in columns.items()})
    kind = "Int64" if whole else "Float64"
    place = list(columns).index("doc_id") + 1
    frame.insert(place, "grade", pandas.array(grades, dtype=kind))
    data = BytesIO()
    try:
        frame.to_parquet(data, engine="pyarrow", index=False)
    except ImportError:
        raise ValueError("writing Parquet needs pyarrow: pip install pytest-relevance[parquet]") from None
    return data.getvalue(), lost_in_combining(judgments)
