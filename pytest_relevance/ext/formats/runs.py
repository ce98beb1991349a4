"""Runs in tables and in JSON: the rankings in a file, best first.

The formats are those of judgments: tables and JSON. In a run a row has a score or a rank in
place of a grade. Runs in lines of TREC are in `trec`, records in `records`.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain
from math import isfinite
from typing import Any

from pytest_relevance._problems import Place, Problems, RelevanceWarning
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text import counted, found, listed, quoted
from pytest_relevance.ext.formats import quepid
from pytest_relevance.ext.formats.tables import refuse_two_ids
from pytest_relevance.judgments.columns import (
    SPELLINGS,
    Layout,
    find_columns,
    folded,
    has_ids,
    layout,
    shown_names,
)
from pytest_relevance.judgments.formats import Rankings, RunFormat
from pytest_relevance.judgments.grade_text import why_no_number
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.metrics.checked import sort_scores

_WANTED = ("query_id", "query", "document", "rank", "score")
_EMPTY = "the file has no results, only a header or comments"


def _read_table(source: Source) -> Rankings:
    """The rankings in a table."""
    table = table_of(source)
    at = _columns_of_run(source, table)
    if not has_ids(at):
        needed = f"{', '.join(SPELLINGS['query_id'])} or query, and {', '.join(SPELLINGS['document'][:5])} ..."
        has = shown_names(table.names)
        source.refuse(
            f"a table of a run has columns for the query and the document ({needed}); found {has}",
            Place(line=1),
        )
    key = "query_id" if "query_id" in at else "query"
    order = next((what for what in ("rank", "score") if what in at), "")
    if not order and (
        scored := [name for name in table.names if folded(name).endswith("score")]
    ):
        advice = "call it score, or rank the rows in a column rank"
        source.refuse(
            f"the column {scored[0]} may be the score that the run is to be sorted by; {advice}",
            Place(line=1),
        )
    ids, numbers = [at[key], at["document"]], [at[order]] if order else []
    queries, documents, *values = table.cells(ids, numbers)
    refuse_two_ids(table, at["document"], documents, "take one of the columns out")
    written = values[0] if values else range(len(queries))
    return ranked_or_refused(source, queries, documents, order, written, table.place)


def _columns_of_run(source: Source, table: Table) -> dict[str, int]:
    """The column number of each field. A table of judgments is refused, and so are several snapshots in one file."""
    names = table.names
    of_snapshot = quepid.snapshot_columns(names)
    if of_snapshot is not None:
        name, *others = of_snapshot
        snapshots = list(dict.fromkeys(table.cells([name])[0]))
        if len(snapshots) > 1:
            several = listed(
                [quoted(snapshot, 40) for snapshot in snapshots[:3]], "and"
            )
            source.refuse(
                f"there are {len(snapshots)} snapshots in the file, such as {several}; keep one of them",
                Place(line=1),
            )
        return dict(zip(("query", "document", "rank"), others, strict=True))
    judged = layout(names)
    if judged is not None and _are_grades(judged, table):
        graded = (
            [judged.at["grade"]]
            if "grade" in judged.at
            else [number for number, _ in judged.raters]
        )
        with_grades = listed((names[number] for number in graded), "and")
        source.refuse(
            f"this seems to be a table of judgments, with grades in {with_grades}, and a run is needed: a "
            "table with a rank or a score, and without grades",
            Place(line=1),
        )
    return find_columns(names, _WANTED)


def _are_grades(judged: Layout, table: Table) -> bool:
    """Whether columns have grades: by their names, or by their cells where the columns are named after raters."""
    if "grade" in judged.at or judged.are_ratings:
        return True
    cells = chain.from_iterable(
        table.cells([], [number for number, _ in judged.raters])
    )
    return all(
        not isinstance(cell, str) or not cell.strip() or number_of(cell) is not None
        for cell in cells
    )


def ranked_or_refused(
    source: Source,
    queries: Sequence[str],
    documents: Sequence[str],
    order: str,
    written: Sequence[object],
    place: Callable[[int], Place],
) -> Rankings:
    """The rankings as `_ranked` makes them. Refuses a file without any."""
    found = _ranked(source, queries, documents, order, written, place)
    return found or source.refuse(_EMPTY)


def _ranked(
    source: Source,
    queries: Sequence[str],
    documents: Sequence[str],
    order: str,
    written: Sequence[object],
    place: Callable[[int], Place],
) -> Rankings:
    """The rankings by `order`: "rank", "score", or "" for rows that are in order already.

    Raises `FileError` for rows without a query, a document or a number.
    """
    of_query: dict[str, tuple[list[str], list[float]]] = {}
    problems = Problems(source.file)
    for row, (query, document, value) in enumerate(
        zip(queries, documents, written, strict=True)
    ):
        number = number_of(value) if isinstance(value, str) else value
        if not isinstance(number, (int, float)) or not isfinite(
            number
        ):  # Parquet has NaN and infinity too
            where = f"query {quoted(query)}, document {quoted(document)}"
            why = why_no_number(value) if isinstance(value, str) else None
            advice = f"; it {why}" if why is not None else ""
            problems.add(
                f"{where}: a {order} is a finite number, found {found(value)}{advice}",
                Place(line=place(row).line),
            )
        elif not query or not document:
            what = (
                f"query {quoted(query)}: a row has no document"
                if query
                else "the row has no query"
            )
            problems.add(what, Place(line=place(row).line))
        else:
            ranked, numbers = of_query.setdefault(query, ([], []))
            ranked.append(document)
            numbers.append(number)
        if problems.is_full:
            break
    problems.raise_if_any()
    _warn_of_repeats(
        source.file, {query: ranked for query, (ranked, _) in of_query.items()}
    )
    if order == "score":
        return {query: sort_scores(*columns) for query, columns in of_query.items()}
    return {
        query: [
            ranked[row] for row in sorted(range(len(numbers)), key=numbers.__getitem__)
        ]
        for query, (ranked, numbers) in of_query.items()
    }


def _warn_of_repeats(file: str, rankings: Mapping[str, Sequence[str]]) -> None:
    """Warn once of a run in which queries have documents more than once."""
    repeats = [
        query for query, ranked in rankings.items() if len(set(ranked)) < len(ranked)
    ]
    if repeats:
        query, ranked = repeats[0], rankings[repeats[0]]
        document = next(
            document for document, count in Counter(ranked).items() if count > 1
        )
        warnings.warn(
            RelevanceWarning(
                f"{file}: {counted(len(repeats), 'query returns', 'queries return')} a document more than once, such "
                f"as {quoted(document)} for {quoted(query)}; it counts at its first rank, and a later copy keeps its "
                "rank without gain"
            ),
            stacklevel=2,
        )


def _read_json(source: Source) -> Rankings:
    """{query: {document: score}}, {query: [document, ...]}, or rows: a list of objects, or one a line."""
    rows = source.entries if source.is_json_lines else source.json
    snapshot = quepid.snapshot_rows(rows)
    if snapshot is not None:
        return _rankings_of_queries(source, snapshot)
    if isinstance(rows, (list, tuple)) and any(isinstance(row, dict) for row in rows):
        return _read_table(source)
    if not isinstance(rows, dict):
        source.refuse(f"a run in JSON is {_JSON_SHAPES}; found {found(rows)}")
    return _rankings_of_queries(source, rows.items())


def _rankings_of_queries(
    source: Source, queries: Iterable[tuple[str, object]]
) -> Rankings:
    """The rankings of pairs of a query and {document: score} or [document, ...]."""
    rankings: dict[str, Sequence[str]] = {}
    rows: list[tuple[Any, ...]] = []
    for query, ranking in queries:
        if query in rankings:
            source.refuse(f"the query {quoted(query)} stands twice; keep one of them")
        if isinstance(ranking, dict):
            rows += [(query, document, score) for document, score in ranking.items()]
        elif isinstance(ranking, (list, tuple)):
            rows += [
                (query, str(each) if isinstance(each, str) else "", -index)
                for index, each in enumerate(ranking)
            ]
        else:
            source.refuse(
                f"query {quoted(query)}: a ranking is {_JSON_RANKINGS}; found {found(ranking)}"
            )
        rankings[query] = []
    names, documents, scores = ([row[column] for row in rows] for column in range(3))
    return {
        **rankings,
        **_ranked(source, names, documents, "score", scores, lambda row: Place()),
    }


_JSON_RANKINGS = "{document: score} or [document, ...]"
_JSON_SHAPES = (
    f"{{query: {_JSON_RANKINGS}}}, or rows with query, doc_id and rank or score"
)


def _is_parquet(source: Source) -> bool:
    return source.is_parquet


def _has_header(source: Source) -> bool:
    """Whether the first line is a header with columns of queries and of documents."""
    return has_ids(find_columns(source.header.names, _WANTED))


def _begins_like_json(source: Source) -> bool:
    return source.head.lstrip()[:1] in ("{", "[")


PARQUET = RunFormat(
    name="parquet", about="a Parquet file", fits=_is_parquet, read=_read_table
)

CSV = RunFormat(
    name="csv",
    about="a table with a header: query_id, doc_id, rank or score",
    fits=_has_header,
    read=_read_table,
)

JSON = RunFormat(
    name="json", about=_JSON_SHAPES, fits=_begins_like_json, read=_read_json
)
