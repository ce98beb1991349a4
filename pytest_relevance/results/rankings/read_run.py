"""`read_run`: the rankings in a file - a TREC run, a table, JSON - best first.

The formats are the tables, lines and JSON that judgments come in too; what is a run's own is that a row has a score or
a rank in the place of a grade.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance.judgments.columns import SPELLINGS, Layout, find_columns, has_ids, layout, shown_names
from pytest_relevance.judgments.formats import evaluation_tools as quepid
from pytest_relevance.judgments.formats import lines as trec
from pytest_relevance.judgments.formats.table import MOST_WRONG, SourceTable
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.json_text import NumberAsWritten
from pytest_relevance.judgments.problems import Problems
from pytest_relevance.judgments.reading import judgments_format, seems_to_be
from pytest_relevance.judgments.source import Source
from pytest_relevance.metrics.compiled import sort_scores

_WANTED = ("query_id", "query", "document", "rank", "score")

Rankings = dict[str, list[str]]
Line = Callable[[int], "int | None"]


def read_run(path: str | os.PathLike[str], format: str | None = None) -> Rankings:
    """Read a run: {query: [document, ...]}, best first, the queries in the order of the file.

    `format` is "trec" (`qid Q0 docid rank score tag`), "csv" (a table with a header: query or query_id, doc_id, and
    rank or score, or neither: then in the order of the rows; Quepid's snapshots are such tables), "parquet" or "json"
    ({query: {document: score}} or {query: [document, ...]}), or "record" (of `--relevance-record`, without its
    cases that were skipped or are an error); by default what the content shows. gzip of any.

    A TREC run is sorted as trec_eval does, whatever its ranks say: score, then document id, both descending; so are
    scores elsewhere, where there is no rank. Raises `JudgmentFileError` (a ValueError) with file, line and query for
    what cannot be read, and for a document that is returned twice for a query.
    """
    if format is not None and format not in READERS:
        names = listed(READERS)
        raise ValueError(f"a run is {names}, not {quoted(format)}{did_you_mean(format, READERS)}")
    source = Source.read(path)
    if format is None:
        format = next((name for name, (fits, _) in READERS.items() if fits(source)), None)
        if format is None:
            _refuse_unknown(source)
    return READERS[format][1](source)


def _is_parquet(source: Source) -> bool:
    return source.is_parquet


def _is_table(source: Source) -> bool:
    return has_ids(find_columns(source.header.names, _WANTED))


def _is_json(source: Source) -> bool:
    return source.head.lstrip()[:1] in ("{", "[")


def _read_trec(source: Source) -> Rankings:
    if not trec.is_run(source) and (trec.is_qrels(source) or trec.is_statistics(source)):
        _refuse_unknown(source)
    rows = trec.rows_of(source, trec.RUN)
    queries, documents, scores = rows.columns([0, 2, 4])
    return _by_score(source, queries, documents, scores, rows.line)


def _read_table(source: Source) -> Rankings:
    """Read a table of a run, text or Parquet."""
    table = SourceTable(source)
    at = find_columns(table.names, _WANTED)
    numbers = {at.get("rank"), at.get("score")}

    def columns(wanted: Sequence[int]) -> list[list[Any]]:
        texts = [column for column in wanted if column not in numbers]
        values = [column for column in wanted if column in numbers]
        cells = dict(zip([*texts, *values], table.cells(texts, values), strict=True))
        return [cells[column] for column in wanted]

    return _of_columns(source, table.names, columns, lambda row: table.place(row).line)


def _of_columns(
    source: Source, names: Sequence[str], columns: Callable[[Sequence[int]], list[list[Any]]], line: Line
) -> Rankings:
    at = _columns(source, names, columns)
    if not has_ids(at):
        needed = f"{', '.join(SPELLINGS['query_id'])} or query, and {', '.join(SPELLINGS['document'][:5])} ..."
        source.refuse(
            f"a table of a run has columns for the query and the document ({needed}); found {shown_names(names)}", 1
        )
    key = "query_id" if "query_id" in at else "query"
    order = "rank" if "rank" in at else "score" if "score" in at else None
    wanted = [key, "document", *([order] if order is not None else [])]
    queries, documents, *values = columns([at[what] for what in wanted])
    if order is None:
        return _checked(source, queries, documents, list(range(len(queries))), line, _in_order)
    if order == "score":
        return _by_score(source, queries, documents, values[0], line)
    ranks = _numbers(source, queries, documents, values[0], line, "rank")
    return _checked(source, queries, documents, ranks, line, _in_order)


def _columns(
    source: Source, names: Sequence[str], columns: Callable[[Sequence[int]], list[list[Any]]]
) -> dict[str, int]:
    """The column number of each field. A table of judgments is refused, and so are several snapshots in one file."""
    of_snapshot = quepid.snapshot_columns(names)
    if of_snapshot is not None:
        name, *others = of_snapshot
        snapshots = list(dict.fromkeys(columns([name])[0]))
        if len(snapshots) > 1:
            several = listed([quoted(snapshot, 40) for snapshot in snapshots[:3]], "and")
            source.refuse(f"there are {len(snapshots)} snapshots in the file, such as {several}; keep one of them", 1)
        return dict(zip(("query", "document", "rank"), others, strict=True))
    judged = layout(names)
    if judged is not None and _are_grades(judged, columns):
        graded = [names[judged.at["grade"]]] if "grade" in judged.at else [names[number] for number, _ in judged.raters]
        source.refuse(
            f"this seems to be a table of judgments, with grades in {listed(graded, 'and')}, and a run is needed: a "
            "table with a rank or a score, and without grades",
            1,
        )
    return find_columns(names, _WANTED)


def _are_grades(judged: Layout, columns: Callable[[Sequence[int]], list[list[Any]]]) -> bool:
    """Whether columns have grades: by their names, or by their cells where the columns are named after raters."""
    if "grade" in judged.at or judged.are_ratings:
        return True
    cells = [cell for column in columns([number for number, _ in judged.raters]) for cell in column]
    return all(not isinstance(cell, str) or not cell.strip() or number_of(cell) is not None for cell in cells)


def _by_score(
    source: Source, queries: Sequence[str], documents: Sequence[str], written: Sequence[object], line: Line
) -> Rankings:
    scores = _numbers(source, queries, documents, written, line, "score")
    return _checked(source, queries, documents, scores, line, sort_scores)


def _in_order(documents: Sequence[str], keys: Sequence[float]) -> list[str]:
    return [document for _, document in sorted(zip(keys, documents, strict=True), key=lambda pair: pair[0])]


def _checked(
    source: Source,
    queries: Sequence[str],
    documents: Sequence[str],
    keys: Sequence[float],
    line: Line,
    ranked: Callable[[Sequence[str], Sequence[float]], list[str]],
) -> Rankings:
    """The rankings, when every row names a query and a document, and none twice."""
    of_query: dict[str, dict[str, float]] = {}
    problems = Problems(source.file, MOST_WRONG)
    rows = 0
    for row, (query, document, key) in enumerate(zip(queries, documents, keys, strict=True)):
        rows += 1
        if not query or not document:
            what = "query" if not query else "document"
            problems.add(f"the row has no {what}", line(row))
        elif document in of_query.setdefault(query, {}):
            message = f"query {quoted(query)}: the document {quoted(document)} is returned twice; keep one of them"
            problems.add(message, line(row))
        else:
            of_query[query][document] = key
        if problems.full:
            break
    problems.check()
    if not rows:
        source.refuse("the file has no results, only a header or comments")
    return {query: ranked(list(scores), list(scores.values())) for query, scores in of_query.items()}


def _numbers(
    source: Source, queries: Sequence[str], documents: Sequence[str], written: Sequence[object], line: Line, what: str
) -> list[float]:
    numbers: list[float] = []
    problems = Problems(source.file, MOST_WRONG)
    for row, value in enumerate(written):
        number = number_of(value) if isinstance(value, str) else _plain_number(value)
        if number is None:
            where = f"query {quoted(queries[row])}, document {quoted(documents[row])}"
            problems.add(f"{where}: a {what} is a number, found {found(value)}", line(row))
            if problems.full:
                break
        numbers.append(number or 0)
    problems.check()
    return numbers


def _plain_number(value: object) -> float | None:
    """A number from Parquet, which has NaN too."""
    return value if isinstance(value, (int, float)) and value == value else None


def _read_json(source: Source) -> Rankings:
    """{query: {document: score}}, {query: [document, ...]}, or rows: a list of objects, or one a line."""
    rows = source.json_lines if source.is_json_lines else source.json
    snapshot = quepid.snapshot_rows(rows)
    if snapshot is not None:
        return _of_lists(source, snapshot)
    if held := judgments_format(source):
        source.refuse(f"this seems to be {held}; a run is needed")
    if isinstance(rows, list):
        return _of_objects(source, rows)
    if not isinstance(rows, dict):
        source.refuse(f"a run in JSON is {_JSON_SHAPES}; found {found(rows)}")
    rankings: Rankings = {}
    for query, ranking in rows.items():
        if isinstance(ranking, dict):
            documents = list(ranking)
            scores = _numbers(source, [query] * len(documents), documents, list(ranking.values()), _no_line, "score")
            rankings[query] = sort_scores(documents, scores)
        elif isinstance(ranking, list) and all(isinstance(document, str) for document in ranking):
            rankings |= _of_lists(source, [(query, ranking)])
        else:
            source.refuse(f"query {quoted(query)}: a ranking is {_JSON_RANKINGS}; found {found(ranking)}")
    return rankings


def _of_lists(source: Source, lists: Sequence[tuple[str, Sequence[object]]]) -> Rankings:
    """Rankings that are lists of documents."""
    rankings: Rankings = {}
    for query, ranking in lists:
        _refuse_no_number(source, query, ranking)
        wrong = next((document for document in ranking if not isinstance(document, str) or not document.strip()), "")
        if wrong != "" or "" in ranking:
            source.refuse(f"query {quoted(query)}: a document has an id, found {found(wrong)}")
        if query in rankings:
            source.refuse(f"the query {quoted(query)} stands twice; keep one of them")
        if len(set(ranking)) < len(ranking):
            twice, _ = Counter(ranking).most_common(1)[0]
            message = f"the document {quoted(str(twice))} is returned twice; keep one of them"
            source.refuse(f"query {quoted(query)}: {message}")
        rankings[query] = list(map(str, ranking))
    return rankings


_NO_NUMBERS = ("NaN", "Infinity", "-Infinity")
"""The JSON constants for values that are no finite number; in quotes they are texts like any other."""


def _is_no_number(value: object) -> bool:
    return isinstance(value, NumberAsWritten) and value in _NO_NUMBERS


def _refuse_no_number(source: Source, query: str, ranking: Sequence[object]) -> None:
    wrong = next(filter(_is_no_number, ranking), None)
    if wrong is not None:
        source.refuse(f"query {quoted(query)}: {wrong} is no id of a document; an id is text or a number")


_JSON_RANKINGS = "{document: score} or [document, ...]"
_JSON_SHAPES = f"{{query: {_JSON_RANKINGS}}}, or rows with query, doc_id and rank or score"


def _of_objects(source: Source, rows: Sequence[object]) -> Rankings:
    names = list(dict.fromkeys(name for row in rows if isinstance(row, dict) for name in row))
    wrong = next((row for row in rows if not isinstance(row, dict)), None)
    if wrong is not None or not rows:
        source.refuse(f"a run in JSON is {_JSON_SHAPES}; found {found(wrong if rows else rows)} in the list")

    def columns(wanted: Sequence[int]) -> list[list[Any]]:
        return [[_cell(row, names[column]) for row in rows] for column in wanted]

    of_ids = [names[column] for column in find_columns(names, ("query_id", "query", "document")).values()]
    for name in of_ids:
        wrong = next(filter(_is_no_number, (row.get(name) for row in rows if isinstance(row, dict))), None)
        if wrong is not None:
            source.refuse(f"{name}: {wrong} is no id; an id is text or a number")
    return _of_columns(source, names, columns, _no_line)


def _cell(row: object, name: str) -> str:
    assert isinstance(row, dict)
    value = row.get(name)
    return str(value) if isinstance(value, str) else ""


def _no_line(row: int) -> None:
    return None


def _refuse_unknown(source: Source) -> NoReturn:
    seems = seems_to_be(source)
    if seems:
        source.refuse(f"this seems to be {seems}; a run is needed", 1)
    begins = quoted(source.header.line.strip())
    source.refuse(
        f"the format of this run is not recognised; the file begins with {begins}. Known are: trec (qid Q0 "
        "docid rank score tag), csv (a table with a header: query_id, doc_id, rank or score), parquet, json "
        f"({_JSON_SHAPES})",
        1,
    )


def _is_record(source: Source) -> bool:
    return source.data.startswith(b'{"kind":"pytest-relevance record"')


def _read_record(source: Source) -> Rankings:
    """The rankings of a record, under the ids of their cases; a case that was skipped or is an error has none."""
    from pytest_relevance.results.case_result import ERROR, SKIPPED
    from pytest_relevance.results.run import Run
    from pytest_relevance.results.run_info import RecordError

    rankings: Rankings = {}
    try:
        for result in Run.open(source.file).results:
            if result.verdict in (ERROR, SKIPPED):
                continue
            if result.id in rankings:
                message = "several files or variants of a search have results for it; open the record with Run.open"
                source.refuse(f"query {quoted(result.id)}: {message}")
            rankings[result.id] = list(dict.fromkeys(result.documents))
    except RecordError as error:
        source.refuse(str(error).removeprefix(f"{source.file}: "))
    return rankings


READERS: Mapping[str, tuple[Callable[[Source], bool], Callable[[Source], Rankings]]] = {
    "record": (_is_record, _read_record),
    "parquet": (_is_parquet, _read_table),
    "csv": (_is_table, _read_table),
    "trec": (trec.is_run, _read_trec),
    "json": (_is_json, _read_json),
}
"""The formats of a run: the function that recognises each, and the one that reads it."""
