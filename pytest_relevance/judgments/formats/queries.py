"""Tables of queries: with a header (`query_id`, `query`, weight, note), or two columns `id<TAB>text` without one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from pytest_relevance._text import found, quoted
from pytest_relevance.judgments.columns import SPELLINGS, find_columns, folded
from pytest_relevance.judgments.formats import tables, trec
from pytest_relevance.judgments.formats.layouts import GRADE_COLUMN, Layout, is_run, layout, shown_names
from pytest_relevance.judgments.formats.lines import Rows, header_of, separator_of
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query
from pytest_relevance.judgments.problems import FileProblem, JudgmentFileError
from pytest_relevance.judgments.source import Source

_WANTED = ("query_id", "query", "weight", "note")
_ID, _TEXT = "query_id", "query"
_IN_QUERIES = {_ID: ("id", "number", "num", "nr", "no"), _TEXT: ("text",)}
"""More names (folded: `_id` is `id`) of columns in files of queries: beside documents they may be anything."""
_GOVUK_QUERY = folded("queryEntry.query")
_OF_IDS = frozenset(map(folded, SPELLINGS["query_id"])) | {*_IN_QUERIES[_ID], "key", "topic"}
_CALLED_ID = re.compile(r"(?:^|[ _.-])(?:id|no|nr|num|number|key)$|[a-z](?:Id|ID|Nr|Number)$", re.IGNORECASE)
_WORD = re.compile(r"[A-Za-z_ .-]+")
_DIGIT, _DIGITS = re.compile("[0-9]"), re.compile("[0-9]+")


def is_table(source: Source) -> bool:
    """Whether the first line is a header with a column of queries, or the lines are an id and a text between a tab."""
    return bool(_header(source)) or _is_id_and_text(source)


def holds_nothing_else(source: Source) -> bool:
    """Whether every column of the table is one of queries."""
    line = tables.first_line(source)
    at = _header(source)
    return len(at) == len(header_of(line, separator_of(line))) if at else _is_id_and_text(source)


def _layout(source: Source, names: Sequence[str]) -> Layout | None:
    """The layout of the table, where it is one of judgments."""
    return layout(names, source.options.get(GRADE_COLUMN))


def _header(source: Source) -> dict[str, int]:
    """Which column holds what, by the first line; empty when that is no header."""
    line = tables.first_line(source)
    names = header_of(line, separator_of(line))
    is_judged = _layout(source, names) is not None
    at = _columns(names, is_judged=is_judged)
    if is_judged:
        return at
    if _is_row_of_queries(source, names):
        return {}
    # a header with a document or a grade alone is one of judgments, with a mistake in it
    return at if _TEXT in at and not find_columns(names, ("document", "grade")) else {}


def _columns(names: Sequence[str], *, is_judged: bool) -> dict[str, int]:
    """Which column holds what. The names that only files of queries know count in no table of judgments."""
    at = find_columns(names, _WANTED)
    if is_judged:
        return at
    for what, spellings in _IN_QUERIES.items():
        if what in at or (what == _TEXT and _ID not in at):  # text alone, without an id beside it, is no header
            continue
        number = next((number for number, name in enumerate(names) if folded(name) in spellings), None)
        if number is not None:
            at[what] = number
    return at


def _is_id_and_text(source: Source) -> bool:
    lines = _lines(source)
    return bool(lines) and all(line.count("\t") == 1 for line in lines[:20])


def _is_row_of_queries(source: Source, names: Sequence[str]) -> bool:
    """Whether the first line is an id and a text, such as `q1<TAB>topic`, although the text is that of a header."""
    if len(names) != 2 or not _is_id_and_text(source) or folded(names[0]) in _OF_IDS or not names[0]:
        return False
    ids = [line.partition("\t")[0] for line in _lines(source)]
    return len(ids) > 1 and bool(_DIGIT.search(ids[0])) and len({_DIGITS.sub("0", one) for one in ids}) == 1


def unknown_header(source: Source) -> list[str]:
    """The names in a first line that seems to be a header, and not an id and a text; empty where it does not.

    It is one where the first cell is what ids are called (`topic_nr`), or where the other ids have digits and it has
    none.
    """
    if not _is_id_and_text(source) or _header(source):
        return []
    first, *others = _lines(source)
    names = header_of(first, "\t")
    ids = [line.partition("\t")[0] for line in others]
    is_name = folded(names[0]) in _OF_IDS or _CALLED_ID.search(names[0]) is not None
    is_unlike = len(ids) > 1 and _WORD.fullmatch(names[0]) is not None and all(map(_DIGIT.search, ids))
    return names if is_name or is_unlike else []


def _lines(source: Source) -> list[str]:
    return [line for line in source.head.split("\n") if line.strip()]


def read_table(source: Source) -> list[Query]:
    """Read a table of queries; one of judgments gives the queries in it."""
    line = tables.first_line(source)
    at = _header(source)
    separator = separator_of(line)
    names = header_of(line, separator)
    if not at:
        unknown = unknown_header(source)
        if unknown:
            source.refuse(
                f"the first line seems to be a header that is not known; found {shown_names(unknown)}: call the "
                "columns query_id and query. If it is a query, put such a header above it",
                1,
            )
        if is_run(names):
            source.refuse(f"this seems to be a run, not queries; found {shown_names(names)}", 1)
        if not _is_id_and_text(source):
            source.refuse(
                f"a file of queries has a header with {' or '.join(SPELLINGS[_TEXT][:3])} (and query_id), or lines "
                f"of an id and a text with a tab between them; found {shown_names(names)}",
                1,
            )
        at, separator, names = {_ID: 0, _TEXT: 1}, "\t", ["id", "text"]
        rows = Rows(source, separator, 2)
    else:
        rows = Rows(source, separator, len(names), header=True)
    if _TEXT not in at:
        message = f"these are judgments that have only the ids of queries; found {shown_names(names)}"
        source.refuse(f"{message}; name a file of queries, which has their texts", 1)
    wanted = list(at)
    cells = rows.columns([at[what] for what in wanted])
    columns = {what: tables.unescaped(column) for what, column in zip(wanted, cells, strict=True)}
    if _TEXT in at and folded(names[at[_TEXT]]) == _GOVUK_QUERY:  # it names a query once: a blank cell is the one above
        columns[_TEXT] = tables.carried_forward(columns[_TEXT])
    return _queries(source, columns, rows.line)


def read_parquet(source: Source) -> list[Query]:
    """Read a Parquet file of queries."""
    frame = tables.parquet_frame(source)
    names = [str(name) for name in frame.columns]
    at = _columns(names, is_judged=_layout(source, names) is not None)
    if is_run(names) and _layout(source, names) is None:
        source.refuse(f"this seems to be a run, not queries; it has {shown_names(names)}")
    if _TEXT not in at:
        source.refuse(f"the file has no column of queries ({', '.join(SPELLINGS[_TEXT])}); it has {shown_names(names)}")
    columns = {what: tables.parquet_column(source, frame, at[what], is_number=what == "weight") for what in at}
    return _queries(source, columns, lambda row: None)


def read_lines(source: Source) -> list[Query]:
    """Read a file with a query a line."""
    lines = source.text.replace("\r\n", "\n").split("\n")
    if trec.is_iterated(source):
        source.refuse("this seems to be TREC qrels or a run, with ids of queries and documents in each line", 1)
    numbered = [(number, line) for number, line in enumerate(lines, 1) if line.strip()]
    texts = [line for _, line in numbered]
    return _queries(source, {_TEXT: texts}, lambda row: numbered[row][0])


def _queries(source: Source, columns: Mapping[str, Sequence[str]], line: Callable[[int], int | None]) -> list[Query]:
    """The queries of the rows, each once, in their order."""
    texts = columns[_TEXT] if _TEXT in columns else columns[_ID]
    ids = columns.get(_ID, texts)
    weights, notes = columns.get("weight"), columns.get("note")
    known: dict[str, Query] = {}
    problems = []
    for row, (key, text) in enumerate(zip(ids, texts, strict=True)):
        earlier = known.get(key)
        if earlier is not None:
            if earlier.text not in (None, text):
                message = f"the query id {quoted(key)} stands for {quoted(earlier.text or '')} and for {quoted(text)}"
                problems.append(FileProblem(f"{message}; give one of them another id", line(row)))
            continue
        if not text.strip() or not key.strip():
            what = "text" if key.strip() else "id"
            problems.append(FileProblem(f"the query has no {what}", line(row)))
            continue
        weight: float = 1
        if weights is not None and weights[row] not in ("", None):
            number = number_of(str(weights[row]))
            if number is None or number <= 0:
                problems.append(FileProblem(f"a weight is a number above 0, found {found(weights[row])}", line(row)))
            weight = number or 1
        note = notes[row] if notes is not None else None
        known[key] = Query(key, text if _TEXT in columns else None, weight, note=note or None, line=line(row))
    if problems:
        raise JudgmentFileError(source.file, problems)
    if not known:
        source.refuse("the file has no queries, only a header")
    return list(known.values())
