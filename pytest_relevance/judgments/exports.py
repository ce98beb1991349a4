"""Take off what search tools write around the queries of an export.

The formats read tables with a header, and JSON objects in a list or one per line.
Exports have more, and `plain_export` takes it off before a format is looked for:

- a line `sep=;` for spreadsheets
- lines that begin with `#` above the header (Google Analytics, Adobe Analytics)
- other lines above the header, with fewer cells than the header (Google Ads)
- further tables below such lines
- the missing name of the first column (Adobe Analytics)
- rows with totals (`export_totals.py`)
- JSON objects around the rows (`export_objects.py`)

A line that is taken off becomes blank, so that the other lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._problems import Place
from pytest_relevance._source import Header, Source
from pytest_relevance._text import listed
from pytest_relevance.judgments.columns import (
    column_called,
    plain_name,
    query_columns,
    shown_names,
)
from pytest_relevance.judgments.export_objects import rows_inside
from pytest_relevance.judgments.export_totals import mentions_total, rows_left_out
from pytest_relevance.judgments.row_rules import QUERY, ROW_RULES, rules_in

_SEPARATOR_LINE = re.compile(r'"?sep=[,;|\t]"?\s*', re.IGNORECASE)
_PADDING = ' \t\r,;|"'
"""What a spreadsheet writes into a blank row."""

_COMMENT = re.compile(r'\s*"?#')
_NUMBERED = re.compile(r'\s*"?#"?[,;|\t].*\w')
"""A header whose first column is called `#`, for the numbers of the rows."""

_NAME_OF_FIRST_COLUMN = "query"
"""The name that a first column without a name gets."""


@dataclass(frozen=True, slots=True)
class Export:
    """An export of queries as a plain file.

    `source`: the file without what was taken off.
    `notices`: a sentence for each table and row that was taken off. Comments above the
        header are not named.
    """

    source: Source
    notices: Sequence[str] = ()


def plain_export(source: Source) -> Export:
    """Return a file of queries without what a search tool wrote around the queries.

    Other files are returned as they are.

    Raises:
        FileError: several tables of the file have queries, or a row may be a total or a
            query, or Splunk wrote no results.
    """
    notices: list[str] = []
    if source.is_parquet:
        return Export(source)
    if source.looks_like_json:
        return Export(rows_inside(source, notices), notices)
    if _SEPARATOR_LINE.fullmatch(source.header.line):
        source = _with_lines(source, {source.header.number: ""})
    header = _header_below_preamble(source)
    if _is_comment(source.header.line):
        source = _without_comments(source, notices)
        source = _without_totals(source, notices)
    elif header is not None:
        above = range(source.header.number, header.number)
        notices.append(_notice_of_preamble(source.header.number, header.number - 1))
        source = _with_lines(source, dict.fromkeys(above, ""))
        source = _without_totals(source, notices, has_preamble=True)
    elif mentions_total(source):
        source = _without_totals(source, notices)
    return Export(source, notices)


def _without_totals(
    source: Source, notices: list[str], *, has_preamble: bool = False
) -> Source:
    """Return a table without totals, and with a name for each column.

    A first column without a name has the queries if there is no other column of
    queries. Its name may stand in the row with the totals. Rows that the user drops
    have no notice.

    `has_preamble`: whether there were lines without `#` above the header.
    """
    header = source.header
    column = _query_column(source, header.names)
    replaced = {}
    is_unnamed = column is None and _first_is_unnamed(header)
    if is_unnamed:
        column = 0
        replaced[header.number] = _NAME_OF_FIRST_COLUMN + header.line.removeprefix('""')
    if column is None:
        return source
    rules = rules_in(source.options)
    for row in rows_left_out(
        source, column, is_unnamed=is_unnamed, has_preamble=has_preamble
    ):
        replaced[row.line] = ""
        word = plain_name(row.word)
        drop = tuple(text for text in rules.drop if plain_name(text) != word)
        if drop == rules.drop:
            notices.append(f"line {row.line} is left out: {row.why}")
        else:
            rules = replace(rules, drop=drop)  # no row is left for this text
    plain = _with_lines(source, replaced)
    plain.options = {**source.options, ROW_RULES: rules}
    return plain


def _query_column(source: Source, names: Sequence[str]) -> int | None:
    """Return the column of the queries, which the user may name; None without one."""
    named = [*source.options.get("query", ())]
    mapped = rules_in(source.options).column_of(QUERY)
    if mapped is not None:
        named.append(mapped)
    for name in named:
        number = column_called(names, name)
        if number is not None:
            return number
    return query_columns(names, is_table=False).get("query")


def _first_is_unnamed(header: Header) -> bool:
    """Say whether the first column has no name, and all others have one."""
    names = header.names
    return len(names) > 1 and not names[0] and all(names[1:])


# Lines without `#` above the header


def _header_below_preamble(source: Source) -> Header | None:
    """Return the header of a table with a title and dates above it; None without one.

    The header has a column of queries and another column. Each line above the header
    has fewer cells, and the next line below has as many.
    """
    if _is_header(source, source.header):
        return None
    lines = source.head.split("\n")
    begin = source.header.number
    most = 0
    for number in range(begin, min(begin + _MOST_ABOVE, len(lines) - 1)):
        line = lines[number - 1]
        header = Header.of(line, number)
        width = len(header.names)
        if _is_header(source, header):
            below = Header.of(lines[number], number + 1)
            has_rows = below.separator == header.separator and len(below.names) == width
            return header if most < width and has_rows else None
        most = max(most, _cells(line))
    return None


def _is_header(source: Source, header: Header) -> bool:
    """Say whether a line has the name of a column of queries, and another column."""
    return len(header.names) > 1 and _query_column(source, header.names) is not None


_MOST_ABOVE = 10
"""In how many lines the header is looked for."""


def _notice_of_preamble(first: int, last: int) -> str:
    if first == last:
        return f"line {first} is left out: it stands above the header"
    return f"the lines {first} to {last} are left out: they stand above the header"


# Comments above the header, and several tables


@dataclass(frozen=True, slots=True)
class _Table:
    """The lines of a table in a file: from `begin`, its header, to `end` without it.

    Lines count from 0.
    """

    begin: int
    end: int
    header: Header


def _without_comments(source: Source, notices: list[str]) -> Source:
    """Return a table without the comments above it, and without other tables.

    A file without a table of queries is returned as it is: its comments may have a
    meaning, as in files for learning to rank.
    """
    lines = source.text.split("\n")
    tables = _tables_in(lines)
    found = [table for table in tables if _has_queries(source, table.header)]
    if not found:
        return source
    if len(found) > 1:
        begin = listed([f"{table.begin + 1}" for table in found], "and")
        source.refuse(
            f"the tables in the lines {begin} may all have the queries; keep one of them",
            Place(line=found[1].begin + 1),
        )
    (kept,) = found
    for table in tables:
        if table != kept:
            names = shown_names(table.header.names)
            notices.append(
                f"the table in line {table.begin + 1} is left out: it has no queries, but {names}"
            )
    outside = [*range(kept.begin), *range(kept.end, len(lines))]
    return _with_lines(source, {number + 1: "" for number in outside})


def refuse_below_comments(source: Source) -> None:
    """Raise FileError if a file of no known format has comments above a table."""
    if not _is_comment(source.header.line):
        return
    for table in _tables_in(source.text.split("\n")):
        if len(table.header.names) > 1:
            source.refuse(
                f"the table below the comments has no column of queries; found {shown_names(table.header.names)}. If it "
                "has one, map it: {file: ..., columns: {query: COLUMN}}",
                Place(line=table.header.number),
            )


def _is_comment(line: str) -> bool:
    return bool(_COMMENT.match(line)) and not _NUMBERED.match(line)


def _tables_in(lines: Sequence[str]) -> list[_Table]:
    """Return the tables of a file.

    A blank line, with a comment below it, ends a table. The comment has one cell. A row
    that begins with `#` is a query, such as `#ootd`.
    """
    tables = []
    begin: int | None = None
    is_below_blank = True
    for number, line in enumerate(lines):
        is_blank = not line.strip(_PADDING)
        if begin is None:
            if not is_blank and not _is_comment(line):
                begin = number
        elif is_below_blank and _is_comment(line) and _cells(line) == 1:
            tables.append(_table(lines, begin, number))
            begin = None
        is_below_blank = is_blank
    if begin is not None:
        tables.append(_table(lines, begin, len(lines)))
    return tables


def _cells(line: str) -> int:
    """Return how many cells of a line are not blank."""
    return sum(bool(cell) for cell in Header.of(line).names)


def _table(lines: Sequence[str], begin: int, end: int) -> _Table:
    return _Table(begin, end, Header.of(lines[begin], begin + 1))


def _has_queries(source: Source, header: Header) -> bool:
    has_column = _query_column(source, header.names) is not None
    return has_column or _first_is_unnamed(header)


def _with_lines(source: Source, replaced: Mapping[int, str]) -> Source:
    """Return a source with some lines replaced: {number from 1: line}."""
    lines = source.text.split("\n")
    for number, line in replaced.items():
        lines[number - 1] = line
    data = "\n".join(lines).encode()
    return Source(source.file, data, source.options, source.ids)
