"""Write judgments as CSV, JSON Lines or TREC qrels, and runs as TREC runs; report what a format cannot hold.

A row of `WRITERS` is a format, and says whether it is a table: what it refuses and what it loses follow from that.
"""

from __future__ import annotations

import gzip
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import filterfalse
from pathlib import PurePath
from typing import Any, NamedTuple

from pytest_relevance._tables import csv_text, escaped
from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.judgments.id_lists import find_lists
from pytest_relevance.judgments.model import Judgments, queries_of
from pytest_relevance.judgments.scale import AGGREGATES, aggregate

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Written:
    """A file in some format: its bytes, and a sentence for each kind of information that the format cannot store."""

    data: bytes
    lost: tuple[str, ...] = ()


class TargetFormat(NamedTuple):
    """A format to write: its name in a sentence, what makes its text, and whether it is a table.

    A table has columns for the texts of queries, for titles and raters, and a row for a query without judgments. Its
    ids may be any text that is not blank; in the lines of TREC white space separates them.
    """

    about: str
    write: Callable[[Judgments], str]
    is_table: bool


_QUERY_OF_TREC, _DOCUMENT_OF_TREC = re.compile(r"[^\s#\ufeff]\S*"), re.compile(r"\S+")


def _forbidden_in(judgments: Judgments, target: TargetFormat) -> Iterator[str]:
    """Say which ids and texts a format cannot have."""
    rule = "an id there has no white space, and that of a query does not begin with #"
    is_query: Callable[[str], object] = _QUERY_OF_TREC.fullmatch
    is_document: Callable[[str], object] = _DOCUMENT_OF_TREC.fullmatch
    if target.is_table:
        rule, is_query, is_document = "it is blank", str.strip, str.strip
    for query in judgments.all_queries:
        text = judgments.text(query)
        if not is_query(query) or (target.is_table and not is_query(text)):
            yield f"query {quoted(text)}: {target.about} cannot hold it: {rule}"
        for document in filterfalse(is_document, judgments.get(query, ())):
            yield f"query {quoted(text)}, document {quoted(document)}: {target.about} cannot hold it: {rule}"
    if target.is_table:
        yield from _lists_of_ids(judgments, target)


def _lists_of_ids(judgments: Judgments, target: TargetFormat) -> Iterator[str]:
    """Say which ids would be refused as lists of several ids when the table is read."""
    documents = [document for of_query in judgments.values() for document in of_query]
    lists = find_lists(documents).sure
    for query in judgments if lists else ():
        for document in judgments[query]:
            if document in lists:
                yield (
                    f"query {quoted(judgments.text(query))}, document {quoted(document)}: {target.about} cannot hold "
                    "it: it would be read as a list of documents"
                )


def _lost(judgments: Judgments, target: TargetFormat) -> Iterator[str]:
    """Yield a sentence for each kind of information that the judgments have and the format has no place for."""
    described, queries = judgments.queries.values(), ("query", "queries")
    amounts: dict[str, tuple[int, str, str]] = {
        "the weights of ": (sum(query.weight != 1 for query in described), *queries),
        "the params of ": (sum(bool(query.params) for query in described), *queries),
        "the notes of ": (sum(bool(query.note) for query in described), *queries),
    }
    if not target.is_table:
        amounts |= {
            "the texts of ": (
                sum(query.text_or_id != query.id for query in described),
                *queries,
            ),
            "": (
                len(judgments.unrated),
                "query without judgments",
                "queries without judgments",
            ),
            "the titles of ": (
                sum(map(len, judgments.titles.values())),
                "document",
                "documents",
            ),
            "the ratings behind the grades of ": (
                sum(map(len, judgments.ratings.values())),
                "document",
                "documents",
            ),
        }
    for what, (number, one, several) in amounts.items():
        if number:
            yield f"{what}{counted(number, one, several)}, which {target.about} cannot hold"


def aggregate_of(judgments: Judgments) -> str | None:
    """Find the aggregate (median, mean ...) by which the ratings give exactly the grades; None where none does."""
    for how in AGGREGATES:
        if all(
            aggregate(list(given.values()), how)
            == judgments.get(query, {}).get(document)
            for query, documents in judgments.ratings.items()
            for document, given in documents.items()
        ):
            return how
    return None


def _number(value: float) -> float:
    """A whole number as int, any other as Python's float."""
    return int(value) if value == int(value) else float(value)


def _columns_of(judgments: Judgments) -> dict[str, Sequence[Any]]:
    """The columns of a table of judgments: `query_id` and `query` or one of them, `doc_id`, `grade`, `rater`, `title`.

    A query without judgments has a row with neither document nor grade: both are None.
    """
    rows = [
        *_rows_of(judgments),
        *((query, None, "", None) for query in judgments.unrated),
    ]
    queries, documents, raters, grades = (
        list(column) for column in zip(*rows, strict=True)
    )
    texts = {query.id: query.text for query in queries_of(judgments)}
    columns: dict[str, Sequence[Any]] = {"query": queries}
    if all(text is None for text in texts.values()):
        columns = {"query_id": queries}
    elif any(judgments.text(query) != query for query in texts):
        columns = {"query_id": queries, "query": list(map(judgments.text, queries))}
    columns |= {"doc_id": documents, "grade": grades}
    if judgments.ratings:
        columns["rater"] = raters
    if judgments.titles:
        pairs = zip(queries, documents, strict=True)
        columns["title"] = [
            judgments.titles.get(query, {}).get(document, "")
            for query, document in pairs
        ]
    return columns


def _rows_of(judgments: Judgments) -> Iterator[tuple[str, str, str, float]]:
    """Query, document, rater and rating; a document without ratings has its grade, of a rater without a name."""
    for query, documents in judgments.items():
        given = judgments.ratings.get(query, {})
        for document, grade in documents.items():
            for rater, rating in (given.get(document) or {"": grade}).items():
                yield query, document, rater, _number(rating)


def _csv(judgments: Judgments) -> str:
    """A table between commas. No spreadsheet calculates its texts."""
    columns = _columns_of(judgments)
    cells = (
        [escaped(cell) if isinstance(cell, str) else cell for cell in column]
        for column in columns.values()
    )
    return csv_text([columns, *zip(*cells, strict=True)])


def _json_lines(judgments: Judgments) -> str:
    """An object for each rating, its keys the columns of a table; one without a rater or a title has no key for it."""
    columns = _columns_of(judgments)
    rows = (
        zip(columns, cells, strict=True)
        for cells in zip(*columns.values(), strict=True)
    )
    objects = ({name: cell for name, cell in row if cell != ""} for row in rows)
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in objects)


def _trec(line: str) -> Callable[[Judgments], str]:
    """A function that writes judgments in lines between blanks, such as qrels: `qid 0 docid grade`."""
    return lambda judgments: "".join(
        line.format(query=query, document=document, rank=rank, grade=_number(grade))
        for query, documents in judgments.items()
        for rank, (document, grade) in enumerate(documents.items(), 1)
    )


RUN = "run"
"""The name of the format of runs, which are written from judgments whose grades are scores."""

WRITERS: Mapping[str, TargetFormat] = {
    "csv": TargetFormat("CSV", _csv, True),
    "jsonl": TargetFormat("JSON Lines", _json_lines, True),
    "trec": TargetFormat("TREC qrels", _trec("{query} 0 {document} {grade}\n"), False),
    RUN: TargetFormat(
        "a TREC run",
        _trec("{query} Q0 {document} {rank} {grade} pytest-relevance\n"),
        False,
    ),
}
"""The formats that are written, by the name that a user gives them."""

_ENDINGS = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".trec": "trec",
    ".qrels": "trec",
    ".txt": "trec",
    ".run": RUN,
}
"""The format of a file of judgments by the ending of its name."""


def format_of_name(path: str | os.PathLike[str]) -> str | None:
    """The format of a file by its name, `judgments.csv` or `judgments.csv.gz`; None for another ending."""
    endings = [ending.lower() for ending in PurePath(path).suffixes]
    if endings[-1:] == [".gz"]:
        endings.pop()
    return _ENDINGS.get(endings[-1]) if endings else None


def packed(path: str | os.PathLike[str], data: bytes) -> bytes:
    """Compress bytes with gzip if the name of their file ends in .gz; equal bytes give equal files."""
    return (
        gzip.compress(data, mtime=0) if PurePath(path).suffix.lower() == ".gz" else data
    )


def write_judgments(judgments: Judgments, format: str) -> Written:
    """Write judgments in a format of `WRITERS`, and report what it cannot store of them.

    Raises:
        ValueError: there are no judgments, or the format cannot have some of the ids or grades; a line for each
            mistake.
    """
    writer = WRITERS[format]
    if not any(judgments.values()) and not (writer.is_table and judgments.unrated):
        raise ValueError("there are no judgments to write")
    if forbidden := [*_forbidden_in(judgments, writer)]:
        more = len(forbidden) - _MOST_SHOWN
        raise ValueError(
            "\n".join(
                [
                    *forbidden[:_MOST_SHOWN],
                    *([f"... and {more:,} more"] if more > 0 else []),
                ]
            )
        )
    lost = [*_lost(judgments, writer)]
    if writer.is_table:
        how = aggregate_of(judgments)
        if how is None:
            lost.append(
                f"the grades where they are not the {listed(AGGREGATES)} of their ratings: the ratings are written"
            )
        elif how != "median":
            said = f"say raters: {how} where the file is read"
            lost.append(
                f"how the ratings make a grade, which is their {how} here; {said}"
            )
    elif fractions := sum(
        grade != int(grade)
        for documents in judgments.values()
        for grade in documents.values()
    ):
        grades = counted(fractions, "grade with a fraction", "grades with fractions")
        lost.append(
            f"{grades} for trec_eval, which reads whole grades alone; they are written as they are"
        )
    return Written(writer.write(judgments).encode(), tuple(lost))
