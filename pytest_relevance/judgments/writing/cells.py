"""Columns of judgments and their cells as text: what all formats of rows and lines have in common."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import repeat

from pytest_relevance._text import counted
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.writing.contents import ratings_of
from pytest_relevance.judgments.writing.keys import queries_of, unrated

_QUOTED_IN_CSV = re.compile(r'[",\r\n]|\A[ \t]')
_QUOTED_IN_TSV = re.compile(r'\A["\s]')


def number_text(number: float) -> str:
    """A number as every format reads it, a whole one without a fraction."""
    return str(int(number)) if number == int(number) else repr(float(number))


class NumberTexts(dict[float, str]):
    """The texts of numbers: files of judgments have millions of grades and a handful of different ones."""

    def __missing__(self, number: float) -> str:
        """Write a number for the first time."""
        text = self[number] = number_text(number)
        return text


def columns_of(judgments: Judgments, holds: frozenset[str]) -> dict[str, list[str] | list[float | None]]:
    """The columns of a table of judgments: `query_id` and `query` or one of them, `doc_id`, `grade`, `rater`, `title`.

    A query without judgments has a row with neither document nor grade (None).
    """
    rows = list(ratings_of(judgments)) if judgments.ratings and "raters" in holds else []
    if rows:
        queries, documents, raters, grades = map(list, zip(*rows, strict=True))
    else:
        queries = [query for query, of_query in judgments.items() for _ in of_query]
        documents = [document for of_query in judgments.values() for document in of_query]
        grades = [grade for of_query in judgments.values() for grade in of_query.values()]
        raters = []
    blank = unrated(judgments) if "unrated" in holds else []
    columns: dict[str, list[str] | list[float | None]] = {}
    columns |= _of_queries(judgments, [*queries, *blank], holds)
    columns["doc_id"] = [*documents, *repeat("", len(blank))]
    columns["grade"] = [*grades, *repeat(None, len(blank))]
    if raters:
        columns["rater"] = [*raters, *repeat("", len(blank))]
    if judgments.titles and "titles" in holds:
        titles = judgments.titles
        nothing: Mapping[str, str] = {}
        columns["title"] = [
            *(titles.get(query, nothing).get(document, "") for query, document in zip(queries, documents, strict=True)),
            *repeat("", len(blank)),
        ]
    return columns


def _of_queries(judgments: Judgments, queries: list[str], holds: frozenset[str]) -> dict[str, list[str]]:
    """The column of the queries' texts, that of their ids, or both where they differ and there is a place for both."""
    texts = {query.id: query.text for query in queries_of(judgments)}
    if all(text is None for text in texts.values()):
        return {"query_id": queries}
    if holds >= {"ids", "texts"} and any(judgments.text(query) != query for query in texts):
        return {"query_id": queries, "query": list(map(judgments.text, queries))}
    return {"query": queries}


def grade_cells(grades: Iterable[float | None]) -> list[str]:
    """Grades as text, "" for none."""
    texts = NumberTexts()
    return ["" if grade is None else texts[grade] for grade in grades]


def in_csv(cells: Iterable[str]) -> list[str]:
    """Cells in quotes where CSV needs them, and where a reader might strip them."""
    needs = _QUOTED_IN_CSV.search
    return ['"' + cell.replace('"', '""') + '"' if needs(cell) else cell for cell in cells]


def in_tsv(cells: Iterable[str]) -> list[str]:
    """Cells in quotes where a reader would take quotes of theirs for such, and where it might strip them."""
    needs = _QUOTED_IN_TSV.search
    return ['"' + cell.replace('"', '""') + '"' if needs(cell) else cell for cell in cells]


def lines(columns: Iterable[Sequence[str]], separator: str) -> str:
    """The rows of columns as lines."""
    rows = "\n".join(map(separator.join, zip(*columns, strict=True)))
    return f"{rows}\n" if rows else ""


def cleaned(titles: Iterable[str], clean: Callable[[str], str], format: str) -> tuple[list[str], list[str]]:
    """Titles without what a format cannot hold of them, and what is to be said of that."""
    found = list(titles)
    kept = list(map(clean, found))
    changed = sum(title != before for title, before in zip(kept, found, strict=True))
    said = f"line breaks, tabs and the like in the titles of {counted(changed, 'document')}: {format} has spaces there"
    return kept, [said] if changed else []
