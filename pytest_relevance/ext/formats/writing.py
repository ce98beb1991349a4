"""Write judgments as CSV, JSON Lines or TREC qrels, and rankings as a TREC run.

Each function raises ValueError for ids that its format cannot hold. It returns the file
with sentences about what else is lost. A table can hold any id and any text that is not
blank, and has columns for titles and raters. In the lines of TREC white space separates
the ids, and there are no texts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from pytest_relevance._csv_cells import csv_text, escaped
from pytest_relevance._text import counted, listed, quoted
from pytest_relevance.judgments.formats import HALF_OF_CONTEXTS, Rankings, Written
from pytest_relevance.judgments.grading import aggregate_of
from pytest_relevance.judgments.id_lists import find_lists
from pytest_relevance.judgments.model import CONTEXTS, Judgments, queries_of
from pytest_relevance.judgments.scale import AGGREGATES

_MOST_SHOWN = 20
"""The number of mistakes that an error lists."""


def write_csv(judgments: Judgments) -> Written:
    """Return judgments as the bytes of a CSV table with a row for each rating.

    Texts are escaped, so that no spreadsheet takes them for formulas. Raises ValueError
    if there is nothing to write, or if an id or a text is blank.
    """
    lost = _check_table(judgments, "CSV")
    columns = _columns_of(judgments)
    rows: list[list[object]] = []
    for row in _rows_of(judgments):
        cells = []
        for name in columns:
            cell = row[name]
            cells.append(escaped(cell) if isinstance(cell, str) else cell)
        rows.append(cells)
    return Written(csv_text([columns, *rows]).encode(), lost)


def write_json_lines(judgments: Judgments) -> Written:
    """Return judgments as the bytes of JSON Lines, an object for each rating.

    The keys are the columns of a CSV table. A rating without a rater or a title has no
    key for it. Raises ValueError if there is nothing to write, or if an id or a text is
    blank.
    """
    lost = _check_table(judgments, "JSON Lines")
    columns = _columns_of(judgments)
    lines = []
    for row in _rows_of(judgments):
        members = {}
        for name in columns:
            cell = row[name]
            if cell != "":
                members[name] = cell
        lines.append(json.dumps(members, ensure_ascii=False) + "\n")
    return Written("".join(lines).encode(), lost)


def write_qrels(judgments: Judgments) -> Written:
    """Return judgments as the bytes of TREC qrels: `qid 0 docid grade`.

    Raises ValueError if there is nothing to write, or if an id has white space.
    """
    about = "TREC qrels"
    if not any(judgments.values()):
        raise ValueError("there are no judgments to write")
    if judgments.have_passages:
        raise ValueError(
            f"{about} have ids of documents, and these judgments have passages; write CSV, JSON Lines or a case file"
        )
    _refuse(_ids_trec_cannot_hold(judgments, about))
    lines = []
    for query, documents in judgments.items():
        for document, grade in documents.items():
            lines.append(f"{query} 0 {document} {_number(grade)}\n")
    lost = [*_lost_anywhere(judgments, about), *_lost_in_qrels(judgments, about)]
    return Written("".join(lines).encode(), tuple(lost))


def write_run(rankings: Rankings) -> Written:
    """Return rankings as the bytes of a TREC run: `qid Q0 docid rank score tag`.

    The scores of n documents are n, n - 1 ... 1. If a query has a document twice, the
    second is left out. Raises ValueError if no query has a result, or if an id has
    white space.
    """
    about = "a TREC run"
    if not any(rankings.values()):
        raise ValueError("there are no results to write")
    _refuse(_ids_trec_cannot_hold(rankings, about))
    lines = []
    empty = 0
    for query, ranking in rankings.items():
        documents = list(dict.fromkeys(ranking))
        empty += not documents
        for rank, document in enumerate(documents, 1):
            score = len(documents) - rank + 1
            lines.append(f"{query} Q0 {document} {rank} {score} pytest-relevance\n")
    lost = []
    if empty:
        queries = counted(empty, "query without results", "queries without results")
        lost.append(f"{queries}, which {about} cannot hold")
    return Written("".join(lines).encode(), tuple(lost))


# Tables


def _columns_of(judgments: Judgments) -> list[str]:
    """Return the columns of a table of judgments.

    A query has a column for its id, for its text, or for both.
    """
    columns = ["passage" if judgments.have_passages else "doc_id", "grade"]
    if judgments.ratings:
        columns.append("rater")
    if judgments.titles:
        columns.append("title")
    queries = queries_of(judgments)
    if all(query.text is None for query in queries):
        return ["query_id", *columns]
    if any(query.text_or_id != query.id for query in queries):
        return ["query_id", "query", *columns]
    return ["query", *columns]


def _rows_of(judgments: Judgments) -> Iterator[dict[str, object]]:
    """Yield a row for each rating, and one for each query without judgments.

    A document without ratings has one row, with its grade and an empty rater. In the
    row of a query without judgments, document and grade are None.
    """
    document_column = "passage" if judgments.have_passages else "doc_id"
    for query, documents in judgments.items():
        titles = judgments.titles.get(query, {})
        ratings = judgments.ratings.get(query, {})
        for document, grade in documents.items():
            by_rater = ratings.get(document) or {"": grade}
            for rater, rating in by_rater.items():
                yield {
                    "query_id": query,
                    "query": judgments.text(query),
                    document_column: document,
                    "grade": _number(rating),
                    "rater": rater,
                    "title": titles.get(document, ""),
                }
    for query in judgments.unrated:
        yield {
            "query_id": query,
            "query": judgments.text(query),
            document_column: None,
            "grade": None,
            "rater": "",
            "title": "",
        }


def _check_table(judgments: Judgments, about: str) -> tuple[str, ...]:
    """Return what a table loses of the judgments, as texts for the user.

    `about`: the name of the format. Raises ValueError for judgments that the format
        cannot hold.
    """
    if not any(judgments.values()) and not judgments.unrated:
        raise ValueError("there are no judgments to write")
    mistakes = [*_blank_ids(judgments, about)]
    if not judgments.have_passages:
        mistakes += _lists_of_ids(judgments, about)
    _refuse(mistakes)
    lost = list(_lost_anywhere(judgments, about))
    if judgments.documents_are == CONTEXTS:
        lost.append(HALF_OF_CONTEXTS)
    how = aggregate_of(judgments)
    if how is None:
        lost.append(
            f"the grades where they are not the {listed(AGGREGATES)} of their ratings: "
            "the ratings are written"
        )
    elif how != "median":
        lost.append(
            f"how the ratings make a grade, which is their {how} here; say raters: {how} "
            "where the file is read"
        )
    return tuple(lost)


# What a format cannot hold


def _refuse(mistakes: Sequence[str] | Iterator[str]) -> None:
    """Raise ValueError with the first mistakes, if there are any."""
    mistakes = list(mistakes)
    if not mistakes:
        return
    lines = mistakes[:_MOST_SHOWN]
    more = len(mistakes) - len(lines)
    if more > 0:
        lines.append(f"... and {more:,} more")
    raise ValueError("\n".join(lines))


def _blank_ids(judgments: Judgments, about: str) -> Iterator[str]:
    """Yield a message for each blank query or document. `about`: the format."""
    rule = f"{about} cannot hold it: it is blank"
    for query in judgments.all_queries:
        text = judgments.text(query)
        if not query.strip() or not text.strip():
            yield f"query {quoted(text)}: {rule}"
        for document in judgments.get(query, ()):
            if not document.strip():
                yield f"query {quoted(text)}, document {quoted(document)}: {rule}"


def _lists_of_ids(judgments: Judgments, about: str) -> Iterator[str]:
    """Yield a message for each document id that would be read as a list of ids."""
    documents: list[str] = []
    for of_query in judgments.values():
        documents += of_query
    lists = find_lists(documents).sure
    if not lists:
        return
    for query, of_query in judgments.items():
        for document in of_query:
            if document in lists:
                yield (
                    f"query {quoted(judgments.text(query))}, document "
                    f"{quoted(document)}: {about} cannot hold it: it would be read as a "
                    "list of documents"
                )


_QUERY_OF_TREC = re.compile(r"[^\s#\ufeff]\S*")
_DOCUMENT_OF_TREC = re.compile(r"\S+")


def _ids_trec_cannot_hold(judged: Judgments | Rankings, about: str) -> Iterator[str]:
    """Yield a message for each id that a line of TREC cannot hold.

    `about`: the name of the file in the messages, for example `a TREC run`.
    """
    rule = (
        f"{about} cannot hold it: an id there has no white space, and that of a query "
        "does not begin with #"
    )
    texts = {query: query for query in judged}
    if isinstance(judged, Judgments):
        texts = {query: judged.text(query) for query in judged.all_queries}
    for query, text in texts.items():
        if not _QUERY_OF_TREC.fullmatch(query):
            yield f"query {quoted(text)}: {rule}"
        for document in judged.get(query, ()):
            if not _DOCUMENT_OF_TREC.fullmatch(document):
                yield f"query {quoted(text)}, document {quoted(document)}: {rule}"


# What is lost


def _lost_anywhere(judgments: Judgments, about: str) -> Iterator[str]:
    """Yield what no format can hold, with counts: weights, params, notes of queries."""
    described = judgments.queries.values()
    counts = {
        "weights": sum(query.weight != 1 for query in described),
        "params": sum(bool(query.params) for query in described),
        "notes": sum(bool(query.note) for query in described),
    }
    for what, count in counts.items():
        if count:
            queries = counted(count, "query", "queries")
            yield f"the {what} of {queries}, which {about} cannot hold"


def _lost_in_qrels(judgments: Judgments, about: str) -> Iterator[str]:
    """Yield what qrels cannot hold and a table can, with counts: texts, titles ..."""
    described = judgments.queries.values()
    texts = sum(query.text_or_id != query.id for query in described)
    if texts:
        queries = counted(texts, "query", "queries")
        yield f"the texts of {queries}, which {about} cannot hold"
    unrated = len(judgments.unrated)
    if unrated:
        what = "query without judgments", "queries without judgments"
        yield f"{counted(unrated, *what)}, which {about} cannot hold"
    titles = sum(len(of_query) for of_query in judgments.titles.values())
    if titles:
        yield f"the titles of {counted(titles, 'document')}, which {about} cannot hold"
    rated = sum(len(of_query) for of_query in judgments.ratings.values())
    if rated:
        documents = counted(rated, "document")
        yield f"the ratings behind the grades of {documents}, which {about} cannot hold"
    fractions = 0
    for grades_of_query in judgments.values():
        fractions += sum(grade != int(grade) for grade in grades_of_query.values())
    if fractions:
        grades = counted(fractions, "grade with a fraction", "grades with fractions")
        yield (
            f"{grades} for trec_eval, which reads whole grades alone; they are written "
            "as they are"
        )


def _number(value: float) -> float:
    return int(value) if value == int(value) else float(value)
