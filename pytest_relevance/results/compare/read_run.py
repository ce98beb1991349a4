"""`read_run`: the rankings in a file - a TREC run, a table, JSON - best first.

The formats are those of judgments: tables, lines and JSON. In a run a row has a score or a rank in place of a grade.

A large TREC run is read with pyarrow where it is installed, several times faster than row by row. Three kinds of files
are left to the readers in `_tables`, which make the messages about mistakes: small ones, those that pyarrow cannot
read, and those that the two readers could read differently.
"""

from __future__ import annotations

import os
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from math import isfinite
from sys import intern
from typing import TYPE_CHECKING, Any, NoReturn

from pytest_relevance._accidents import refuse_accidents
from pytest_relevance._problems import Place, Problems, RelevanceWarning
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text import counted, did_you_mean, found, listed, quoted
from pytest_relevance.judgments.columns import (
    SPELLINGS,
    Layout,
    find_columns,
    folded,
    has_ids,
    layout,
    shown_names,
)
from pytest_relevance.judgments.formats import evaluation_tools as quepid
from pytest_relevance.judgments.formats import trec_ltr as trec
from pytest_relevance.judgments.formats.tables import refuse_two_ids
from pytest_relevance.judgments.grade_text import why_no_number
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.reading import judgments_in
from pytest_relevance.metrics.checked import sort_scores

if TYPE_CHECKING:
    import pyarrow as pa

_WANTED = ("query_id", "query", "document", "rank", "score")
_EMPTY = "the file has no results, only a header or comments"

Rankings = Mapping[str, Sequence[str]]


def read_run(path: str | os.PathLike[str], format: str | None = None) -> Rankings:
    """Read a run: a mapping {query: [document, ...]}, best first, the queries in the order of the file.

    `format` is "trec" (`qid Q0 docid rank score tag`), "csv" (a table with a header: query or query_id, doc_id, and
    rank or score, or neither: then in the order of the rows; Quepid's snapshots are such tables), "parquet" or "json"
    ({query: {document: score}} or {query: [document, ...]}), or "record" (of `--relevance-record`, without its
    cases that were skipped or are an error); by default what the content shows. Each may be packed with gzip.

    A TREC run is sorted as trec_eval does, whatever its ranks say: score, then document id, both descending; so are
    scores elsewhere, where there is no rank. A document that a query has twice stays at both ranks, and counts at the
    first one, as in `evaluate`; a `RelevanceWarning` says so. Raises `FileError` (a ValueError) with file, line and
    query for what cannot be read.
    """
    if format is not None and format not in READERS:
        names = listed(READERS)
        raise ValueError(
            f"a run is {names}, not {quoted(format)}{did_you_mean(format, READERS)}"
        )
    source = Source.read(path)
    refuse_accidents(source)
    if format is None:
        format = next(
            (name for name, (fits, _) in READERS.items() if fits(source)), None
        )
        if format is None:
            _refuse_unknown(source)
    return READERS[format][1](source)


def _read_trec(source: Source) -> Rankings:
    rankings = _read_large_trec(source)
    if rankings is not None:
        return rankings
    rows = trec.rows_of(source, trec.RUN)
    queries, documents, scores = rows.columns([0, 2, 4])
    return _ranked(
        source, queries, documents, "score", scores, rows.place
    ) or source.refuse(_EMPTY)


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
    return _ranked(
        source, queries, documents, order, written, table.place
    ) or source.refuse(_EMPTY)


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


def _refuse_unknown(source: Source) -> NoReturn:
    judged = judgments_in(source)
    order = trec.order_of_short_run(source)
    if order is not None:
        source.refuse(
            f"this seems to be a run, {order}; a TREC run has six columns, qid Q0 docid rank score tag; write those, "
            "or a table with the header query_id, doc_id, rank",
            Place(line=1),
        )
    if judged is not None:
        source.refuse(
            f"these are judgments, {judged.name} ({judged.about}); a run is needed",
            Place(line=1),
        )
    begins = quoted(source.header.line.strip())
    source.refuse(
        f"the format of this run is not recognised; the file begins with {begins}. Known are: trec (qid Q0 "
        "docid rank score tag), csv (a table with a header: query_id, doc_id, rank or score), parquet, json "
        f"({_JSON_SHAPES})",
        Place(line=1),
    )


def _read_record(source: Source) -> Rankings:
    """The rankings of a record, under the ids of their cases; a case that was skipped or is an error has none."""
    from pytest_relevance.results.case_result import SKIPPED, WITHOUT_SCORE
    from pytest_relevance.results.records.run import Run, RunRankings

    results = Run.open(source.file).results
    rankings: dict[str, Sequence[str]] = {}
    for result in results:
        if result.verdict in (*WITHOUT_SCORE, SKIPPED):
            continue
        if result.id in rankings:
            message = "several files or variants of a search have results for it; open the record with Run.open"
            source.refuse(f"query {quoted(result.id)}: {message}")
        rankings[result.id] = list(result.ranking.documents)
    return RunRankings(rankings, results)


READERS: Mapping[str, tuple[Callable[[Source], bool], Callable[[Source], Rankings]]] = {
    "record": (
        lambda source: source.data.startswith(b'{"kind":"pytest-relevance record"'),
        _read_record,
    ),
    "parquet": (lambda source: source.is_parquet, _read_table),
    "csv": (
        lambda source: has_ids(find_columns(source.header.names, _WANTED)),
        _read_table,
    ),
    "trec": (trec.is_run, _read_trec),
    "json": (lambda source: source.head.lstrip()[:1] in ("{", "["), _read_json),
}
"""The formats of a run: the function that recognises each, and the one that reads it."""


SMALL = 4 << 20
"""The number of bytes below which a file is read without pyarrow, as importing pyarrow takes longer than that."""

_BLOCK = (
    4 << 20
)  # bytes that pyarrow reads at a time; smaller and larger blocks were found to take more memory
_COLUMNS = 6


def _read_large_trec(source: Source) -> dict[str, list[str]] | None:
    """Read a TREC run; None for a file that is to be read line by line."""
    if len(source.data) < SMALL or _may_split_otherwise(source.data):
        return None
    try:
        import pyarrow
        from pyarrow import csv
    except ImportError:
        return None
    types = {"0": pyarrow.string(), "2": pyarrow.string(), "4": pyarrow.float64()}
    names = [str(column) for column in range(_COLUMNS)]
    separator = "\t" if b"\t" in source.data else " "
    pool = (
        pyarrow.system_memory_pool()
    )  # the default one, mimalloc, takes half a second more for 7,000,000 rows
    try:
        with csv.open_csv(
            pyarrow.BufferReader(source.data),
            csv.ReadOptions(
                use_threads=False, block_size=_BLOCK, column_names=names
            ),  # threads take twice the memory
            csv.ParseOptions(delimiter=separator, quote_char=False),
            csv.ConvertOptions(
                column_types=types,
                include_columns=[*types],
                null_values=[],
                strings_can_be_null=False,
            ),
            pool,
        ) as batches:
            rankings = _ranked_batches(batches)
    except (pyarrow.ArrowException, ValueError):
        return None
    return (
        None
        if rankings is None or any(query.startswith("#") for query in rankings)
        else rankings
    )


def _ranked_batches(batches: Iterable[pa.RecordBatch]) -> dict[str, list[str]] | None:
    """Rank rows of queries, documents and scores as trec_eval does, the queries in the order of their first rows.

    None for rows that are no run: none at all, a blank id, no finite score, or a document that a query has twice.
    """
    import numpy as np

    found: dict[str, tuple[list[str], list[Any]]] = {}
    for batch in batches:
        queries, documents, scores = batch.columns
        numbers = np.from_dlpack(scores)
        keys = queries.dictionary_encode()
        names, codes = keys.dictionary.to_pylist(), np.from_dlpack(keys.indices)
        texts = list(
            map(intern, documents.to_pylist())
        )  # many queries share a document
        if not np.isfinite(numbers).all() or "" in names or "" in texts:
            return None
        ends = [0, *(np.flatnonzero(codes[1:] != codes[:-1]) + 1).tolist(), len(codes)]
        for first, end in pairwise(ends):
            ranking, parts = found.setdefault(names[codes[first]], ([], []))
            ranking += texts[first:end]
            parts.append(numbers[first:end])
    rankings: dict[str, list[str]] = {}
    for query in [*found]:
        ranking, parts = found.pop(query)
        if len(set(ranking)) < len(ranking):
            return None
        numbers = np.concatenate(parts)
        is_sorted = (numbers[1:] < numbers[:-1]).all()
        rankings[query] = (
            ranking if is_sorted else sort_scores(ranking, numbers.tolist())
        )
    return rankings or None


def _may_split_otherwise(data: bytes) -> bool:
    """Whether pyarrow may find other cells in some line: they are not separated by single spaces, or single tabs."""
    import numpy as np

    returns, characters, pairs = data.count(b"\r"), np.frombuffer(data, np.uint8), 0
    if (
        returns != data.count(b"\r\n")
        or (b"\t" in data and b" " in data)
        or data[:1].isspace()
    ):
        return True
    for start in range(
        0, len(characters), _BLOCK
    ):  # a search for the pairs takes five times as long
        is_white = characters[start : start + _BLOCK + 1] <= ord(" ")
        pairs += int(np.count_nonzero(is_white[1:] & is_white[:-1]))
    return pairs > returns or data[-1:] in (b" ", b"\t")
