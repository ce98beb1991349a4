"""Write judgments as CSV, JSON Lines or TREC qrels, and queries as CSV or JSON Lines; report what a format cannot hold.

A row of `WRITERS` or `QUERY_WRITERS` says which ids a format allows and what it holds. All refusals and notices of
losses follow from it.
"""

from __future__ import annotations

import csv
import gzip
import json
import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import count, filterfalse
from math import isfinite
from pathlib import PurePath
from types import SimpleNamespace
from typing import Any, NamedTuple

from pytest_relevance._tables import escaped
from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.judgments.model import Judgments, Query, queries_of, rekeyed
from pytest_relevance.judgments.scale import AGGREGATES, aggregate

IN_QUERIES = "; --queries-out writes them to a file of queries"

_MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Written:
    """A file in some format: its bytes, and a sentence for each kind of information that the format cannot store."""

    data: bytes
    lost: tuple[str, ...] = ()


class AllowedIds(NamedTuple):
    """The ids that a format can hold: a pattern for those of queries and one for those of documents, and the rule."""

    queries: str
    documents: str
    rule: str


_NOT_BLANK = AllowedIds(r"(?s)\s*\S.*", r"(?s)\s*\S.*", "it is blank")
_WITHOUT_SPACES = AllowedIds(
    r"[^\s#\ufeff]\S*", r"\S+", "an id there has no white space, and that of a query does not begin with #"
)


@dataclass(frozen=True, slots=True)
class TargetFormat:
    """A format to write: its name in a sentence, what makes its text, and the `CONTENTS` that it `holds`."""

    about: str
    write: Callable[[Judgments], str]
    ids: AllowedIds
    holds: frozenset[str]


def _forbidden_in(judgments: Judgments, target: TargetFormat) -> Iterator[str]:
    """Say which ids and texts a format cannot have.

    Messages name queries by their texts: their ids may be new, and unknown to the user.
    """
    is_query, is_document = re.compile(target.ids.queries).fullmatch, re.compile(target.ids.documents).fullmatch
    for query in judgments.all_queries:
        text = judgments.text(query)
        if not is_query(query) or ("texts" in target.holds and not is_query(text)):
            yield f"query {quoted(text)}: {target.about} cannot hold it: {target.ids.rule}"
    for query, documents in judgments.items():
        for document in filterfalse(is_document, documents):
            name = f"query {quoted(judgments.text(query))}, document {quoted(document)}"
            yield f"{name}: {target.about} cannot hold it: {target.ids.rule}"


_QUERIES, _DOCUMENTS = ("query", "queries"), ("document", "documents")


def _described(has: Callable[[Query], object]) -> Callable[[Judgments], int]:
    """A function that counts the queries of which something is said."""
    return lambda judgments: sum(map(bool, map(has, judgments.queries.values())))


CONTENTS: Mapping[str, tuple[Callable[[Judgments], int], str, tuple[str, str], str]] = {
    "texts": (_described(lambda query: query.text_or_id != query.id), "the texts of ", _QUERIES, IN_QUERIES),
    "weights": (_described(lambda query: query.weight != 1), "the weights of ", _QUERIES, IN_QUERIES),
    "params": (_described(lambda query: query.params), "the params of ", _QUERIES, ""),
    "notes": (_described(lambda query: query.note), "the notes of ", _QUERIES, IN_QUERIES),
    "unrated": (lambda it: len(it.unrated), "", ("query without judgments", "queries without judgments"), IN_QUERIES),
    "titles": (lambda it: sum(map(len, it.titles.values())), "the titles of ", _DOCUMENTS, ""),
    "raters": (
        lambda it: sum(map(len, it.ratings.values())),
        "the raters of ",
        _DOCUMENTS,
        "; the grade that their ratings make is written",
    ),
}
"""All that judgments may have but ids and grades: its amount, its name in a message, what helps if it is lost."""


def _lost(judgments: Judgments, target: TargetFormat) -> Iterator[str]:
    """Yield a sentence for each of `CONTENTS` that the judgments have and the format has no place for."""
    for name, (amount, words, of, advice) in CONTENTS.items():
        number = amount(judgments) if name not in target.holds else 0
        if number:
            yield f"{words}{counted(number, *of)}, which {target.about} cannot hold{advice}"


def aggregate_of(judgments: Judgments) -> str | None:
    """Find the aggregate (median, mean ...) by which the ratings give exactly the grades; None where none does."""
    for how in AGGREGATES:
        if all(
            aggregate(list(given.values()), how) == judgments.get(query, {}).get(document)
            for query, documents in judgments.ratings.items()
            for document, given in documents.items()
        ):
            return how
    return None


def _lost_in_combining(judgments: Judgments) -> Iterator[str]:
    """Say what is lost where ratings are written and reading them does not make the same grades by default."""
    how = aggregate_of(judgments)
    if how is None:
        yield f"the grades where they are not the {listed(AGGREGATES)} of their ratings: the ratings are written"
    elif how != "median":
        yield f"how the ratings make a grade, which is their {how} here; say raters: {how} where the file is read"


def _fractions(judgments: Judgments) -> Iterator[str]:
    """Report grades with fractions, which qrels can store but trec_eval refuses."""
    number = sum(grade != int(grade) for documents in judgments.values() for grade in documents.values())
    if number:
        grades_of = counted(number, "grade with a fraction", "grades with fractions")
        yield f"{grades_of} for trec_eval, which reads whole grades alone; they are written as they are"


def delimited(columns: Mapping[str, Iterable[str]]) -> str:
    """Write columns of text as CSV with their names as header. Lines end in a line feed."""
    lines: list[str] = []
    # the writer ends rows in \r\n, so that every version of Python quotes both characters in a cell
    csv.writer(SimpleNamespace(write=lines.append)).writerows([[*columns], *zip(*columns.values(), strict=True)])
    return "".join(f"{line[:-2]}\n" for line in lines)


@lru_cache(maxsize=1024)  # files have millions of grades and a handful of different ones
def _number_text(number: float) -> str:
    return str(int(number)) if number == int(number) else repr(float(number))


def _columns_of(judgments: Judgments) -> dict[str, Sequence[Any]]:
    """The columns of a table of judgments: `query_id` and `query` or one of them, `doc_id`, `grade`, `rater`, `title`.

    A query without judgments has a row with neither document nor grade (None).
    """
    rows = [*_rows_of(judgments), *((query, "", "", None) for query in judgments.unrated)]
    queries, documents, raters, grades = (list(column) for column in zip(*rows, strict=True))
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
        columns["title"] = [judgments.titles.get(query, {}).get(document, "") for query, document in pairs]
    return columns


def _rows_of(judgments: Judgments) -> Iterator[tuple[str, str, str, float | None]]:
    """Query, document, rater and rating; a document without ratings has its grade, of a rater without a name."""
    for query, documents in judgments.items():
        given = judgments.ratings.get(query, {})
        for document, grade in documents.items():
            for rater, rating in (given.get(document) or {"": grade}).items():
                yield query, document, rater, rating


def _csv(judgments: Judgments) -> str:
    """A table between commas. No spreadsheet calculates its texts."""
    columns = _columns_of(judgments)
    grades = ["" if grade is None else _number_text(grade) for grade in columns["grade"]]
    return delimited({name: grades if name == "grade" else map(escaped, cells) for name, cells in columns.items()})


def _json_lines(judgments: Judgments) -> str:
    """An object for each rating, its keys the columns of a table."""
    columns = _columns_of(judgments)
    columns["grade"] = [None if grade is None else json.loads(_number_text(grade)) for grade in columns["grade"]]
    columns["doc_id"] = [document or None for document in columns["doc_id"]]  # null where a query has no judgment
    rows = (dict(zip(columns, cells, strict=True)) for cells in zip(*columns.values(), strict=True))
    return _objects({name: cell for name, cell in row.items() if cell != ""} for row in rows)


def _objects(rows: Iterable[Mapping[str, object]]) -> str:
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


def _qrels(judgments: Judgments) -> str:
    """Qrels: `qid 0 docid grade`."""
    return "".join(
        f"{query} 0 {document} {_number_text(grade)}\n"
        for query, documents in judgments.items()
        for document, grade in documents.items()
    )


def _run(judgments: Judgments) -> str:
    """A run whose scores are the grades, which give its order: `qid Q0 docid rank score tag`."""
    return "".join(
        f"{query} Q0 {document} {rank} {_number_text(score)} pytest-relevance\n"
        for query, documents in judgments.items()
        for rank, (document, score) in enumerate(documents.items(), 1)
    )


def _query_table(judgments: Judgments) -> str:
    queries = judgments.queries.values()
    columns = {"query_id": [query.id for query in queries], "query": [query.text or "" for query in queries]}
    if any(query.weight != 1 for query in queries):
        columns["weight"] = [_number_text(query.weight) for query in queries]
    if any(query.note for query in queries):
        columns["note"] = [query.note or "" for query in queries]
    return delimited({name: map(escaped, cells) for name, cells in columns.items()})


def _query_lines(judgments: Judgments) -> str:
    """Queries as JSON Lines, as BEIR has them."""
    return _objects({"_id": query.id, "text": query.text} for query in judgments.queries.values())


_TABLE = frozenset({"texts", "titles", "raters", "unrated"})

RUN = "run"
"""The name of the format of runs, which are written from judgments whose grades are scores."""

WRITERS: Mapping[str, TargetFormat] = {
    "csv": TargetFormat("CSV", _csv, _NOT_BLANK, _TABLE),
    "jsonl": TargetFormat("JSON Lines", _json_lines, _NOT_BLANK, _TABLE),
    "trec": TargetFormat("TREC qrels", _qrels, _WITHOUT_SPACES, frozenset()),
}
"""The formats that judgments are written in, by the name that a user gives them."""

_WRITERS = {**WRITERS, RUN: TargetFormat("a TREC run", _run, _WITHOUT_SPACES, frozenset())}

QUERY_WRITERS: Mapping[str, TargetFormat] = {
    "csv": TargetFormat("CSV", _query_table, _NOT_BLANK, frozenset({"texts", "unrated", "weights", "notes"})),
    "jsonl": TargetFormat("BEIR's queries.jsonl", _query_lines, _NOT_BLANK, frozenset({"texts", "unrated"})),
}
"""The formats that queries are written in."""

_ENDINGS: Mapping[str, str] = {
    ".csv": "csv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
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
    return gzip.compress(data, mtime=0) if PurePath(path).suffix.lower() == ".gz" else data


def write_judgments(judgments: Judgments, format: str) -> Written:
    """Write judgments in a format of `WRITERS`, and report what it cannot store of them.

    Raises:
        ValueError: there are no judgments, or the format cannot have some of the ids or grades; a line for each
            mistake.
    """
    writer = _WRITERS[format]
    if not any(judgments.values()) and not ("unrated" in writer.holds and judgments.unrated):
        raise ValueError("there are no judgments to write")
    refuse([*_wrong_grades(judgments), *_forbidden_in(judgments, writer)])
    combining = _lost_in_combining(judgments) if "raters" in writer.holds else _fractions(judgments)
    return Written(writer.write(judgments).encode(), (*_lost(judgments, writer), *combining))


def refuse(problems: Sequence[str]) -> None:
    """Raise a ValueError with a line for each problem, if there are any."""
    if problems:
        more = len(problems) - _MOST_SHOWN
        raise ValueError("\n".join([*problems[:_MOST_SHOWN], *([f"... and {more:,} more"] if more > 0 else [])]))


def _wrong_grades(judgments: Judgments) -> Iterator[str]:
    for query, of_query in judgments.items():
        for document, grade in of_query.items():
            if not isfinite(grade):
                yield f"query {quoted(query)}, document {quoted(document)}: a grade is a finite number, found {grade}"


def write_queries(queries: Sequence[Query], format: str) -> Written:
    """Write queries in a format of `QUERY_WRITERS`, and report what it cannot store of them.

    A query without a text is left out, and counted.

    Raises:
        ValueError: there are no queries, two have one id, or the format cannot have some of the ids and texts; a line
            for each mistake.
    """
    writer = QUERY_WRITERS[format]
    kept = [query for query in queries if query.text is not None]
    if not kept:
        raise ValueError(
            "there are no queries to write" if not queries else "no query has a text that could be written"
        )
    described = Judgments(queries={query.id: query for query in kept})
    twice = [key for key, number in Counter(query.id for query in kept).items() if number > 1]
    problems = [f"two queries have the id {quoted(key)}; give one of them another" for key in twice]
    refuse([*problems, *_forbidden_in(described, writer)])
    without = len(queries) - len(kept)
    left_out = f"{counted(without, 'query', 'queries')} without a text, which a file of queries needs"
    return Written(writer.write(described).encode(), (*_lost(described, writer), *([left_out] if without else [])))


def renumbered(judgments: Judgments, format: str = "trec") -> tuple[Judgments, list[Query]]:
    """Give judgments ids that a format can store. Returns them, and all queries with these ids and their texts.

    Where the format can store each key, the judgments are the same object. Else a query with its text as key, or with
    an id that the format cannot store, gets a new one: q01, q02 ... in their order. Other ids do not change.
    """
    allowed = _WRITERS[format].ids.queries
    queries = queries_of(judgments)
    unfit = {query.id for query in queries if not re.fullmatch(allowed, query.id)}
    if not unfit:
        return judgments, queries
    renewed = [query.id for query in queries if query.id in unfit or query.text == query.id]
    kept = {query.id for query in queries}.difference(renewed)
    width = len(str(len(renewed)))
    numbers = (f"q{number:0{width}}" for number in count(1))
    names = {query.id: query.id for query in queries}
    names |= zip(renewed, (number for number in numbers if number not in kept), strict=False)
    described = [
        replace(query, id=names[query.id], text=query.id if query.id in unfit and query.text is None else query.text)
        for query in queries
    ]
    renewed_judgments = rekeyed(judgments, names)
    renewed_judgments.queries = {query.id: query for query in described}
    return renewed_judgments, described
