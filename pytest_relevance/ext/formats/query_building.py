"""Make queries of the rows of a file: what its cells mean, and which rows are left out.

Rows without a query are left out and counted, as they are usual in exports of logs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from pytest_relevance._json_text import found_json
from pytest_relevance._problems import Place, Problems
from pytest_relevance._source import Source
from pytest_relevance._text import (
    counted,
    did_you_mean,
    first_few,
    folded_text,
    quoted,
)
from pytest_relevance.ext.formats.query_cells import (
    WrongCell,
    is_blank,
    list_in_cell,
    number_in,
    param_in,
    text_in,
    unclear_number,
)
from pytest_relevance.ext.formats.query_merging import (
    QueryOfRow,
    merged,
    name_with_params,
    notice_of_spellings,
)
from pytest_relevance.ext.formats.query_rows import QueryRows, refuse_contradictions
from pytest_relevance.judgments.grade_text import why_no_number
from pytest_relevance.judgments.grading import number_of
from pytest_relevance.judgments.model import Query, QueryList
from pytest_relevance.judgments.row_rules import (
    LISTS,
    MAPPED_KEYS,
    NUMBERS,
    SAMPLE_BY,
    SAMPLE_PER,
    WEIGHT,
    RowRules,
)

_QUERY_FIELDS = ("query", "id", "weight", "note")
_IN_KEYS = tuple(key for key in MAPPED_KEYS if key not in _QUERY_FIELDS)
"""The keys of a case that a `Query` has in `keys`."""

_VALUES = (*_IN_KEYS, WEIGHT, SAMPLE_BY, SAMPLE_PER)
"""The meanings of columns whose cells are read as numbers, lists or texts."""

_MOST_COMPARED = 1_000
"""How many texts at each end of a file are compared with a text to drop."""


def queries_of_rows(rows: QueryRows, rules: RowRules) -> QueryList:
    """Return the queries of rows, each query once, in the order of the rows.

    `rows.columns` has `query`, and perhaps `query_id`, `weight`, `note`, `params`,
    `params.NAME` for one parameter, keys of a case, `sample.by` and `sample.per`.

    Raises:
        FileError: there are no rows, a row is wrong, rows contradict each other, or two
            texts have one id.
    """
    if not rows.columns["query"]:
        rows.source.refuse("the file has no queries, only a header")
    if rows.beside_judgments:
        return QueryList(_queries(rows, rules))
    unused_drops = _unused_drops(rows, rules)
    blank = _rows_without_query(rows)
    notices = _notices_of_blank(rows, blank)
    queries = _queries(_without(blank, rows, rules), rules)
    if not rules.merge:
        spellings = notice_of_spellings(queries)
        if spellings is not None:
            notices.append(spellings)
    return QueryList(queries, notices, unused_drops)


def _queries(rows: QueryRows, rules: RowRules) -> Sequence[Query]:
    """Return the queries of rows, each query once, in the order of the rows."""
    _refuse_unclear_numbers(rows, rules)
    has_ids = "query_id" in rows.columns  # `_with_params` may add ids
    rows = replace(rows, columns=_with_params(rows, rules))
    if rules.merge:
        built = _rows_to_merge(rows, rules, has_ids=has_ids)
        return merged(rows.source, built, _naming(rules))
    refuse_contradictions(rows)
    return distinct(rows.source, _first_queries(rows, rules))


# Which rows are read


def _rows_without_query(rows: QueryRows) -> list[int]:
    """Return the numbers (from 0) of the rows that have no query.

    A row with an id and without a query is not among them: it is a mistake.
    """
    ids = rows.columns.get("query_id")
    blank = []
    for number, text in enumerate(rows.columns["query"]):
        if is_blank(text) and (ids is None or is_blank(ids[number])):
            blank.append(number)
    return blank


def _notices_of_blank(rows: QueryRows, blank: Sequence[int]) -> list[str]:
    """Return a notice that counts the rows without a query; [] if there are none."""
    if not blank:
        return []
    places = [rows.shown_place(number) for number in blank]
    are = "has no query and is" if len(blank) == 1 else "have no query and are"
    return [f"{counted(len(blank), 'row')} {are} left out: {first_few(places)}"]


def _without(blank: Sequence[int], rows: QueryRows, rules: RowRules) -> QueryRows:
    """Return the rows but for those that are blank, or whose query is to be dropped."""
    drop = frozenset(map(folded_text, rules.drop))
    left_out = set(blank)
    kept = []
    for number, text in enumerate(rows.columns["query"]):
        if number not in left_out and (not drop or folded_text(text) not in drop):
            kept.append(number)
    if not kept:
        rows.source.refuse("no row of the file has a query")
    return rows.take(kept) if len(kept) < len(rows.columns["query"]) else rows


def _unused_drops(rows: QueryRows, rules: RowRules) -> list[str]:
    """Return a sentence for each text to drop that no row has."""
    if not rules.drop:
        return []
    texts = [str(text) for text in rows.columns["query"] if not is_blank(text)]
    in_file = set(map(folded_text, texts))
    # Totals stand at the ends. Comparing more texts would take long.
    compared = dict.fromkeys([*texts[:_MOST_COMPARED], *texts[-_MOST_COMPARED:]])
    sentences = []
    for text in rules.drop:
        if folded_text(text) not in in_file:
            advice = did_you_mean(text, compared)
            sentences.append(
                f"no row of {rows.source.file} has the query {quoted(text, 40)}{advice}"
            )
    return sentences


def _refuse_unclear_numbers(rows: QueryRows, rules: RowRules) -> None:
    """Raise FileError if a column has numbers that may be 1.234 or 1234."""
    if rules.thousands is not None:
        return
    problems = Problems(rows.source.file)
    for meaning in (*NUMBERS, SAMPLE_BY):
        cells = rows.columns.get(meaning, ())
        number = unclear_number(cells)
        if number is None:
            continue
        cell = str(cells[number]).strip()
        problems.add(
            f"{_column(meaning, rules)} has {cell}, and all numbers with a dot in this column "
            "have three digits after the dot; write "
            f'thousands: "." if it is {cell.replace(".", "")}, or thousands: "" if the dot is a decimal point',
            rows.place(number),
        )
    problems.raise_if_any()


def _column(meaning: str, rules: RowRules) -> str:
    """Return what messages call a column."""
    name = rules.column_of(meaning)
    if meaning == SAMPLE_BY:
        name = rules.sample_by
    return f"the column {quoted(name)}" if name else f"the column of {meaning}"


# What the cells of a row mean


def _with_params(rows: QueryRows, rules: RowRules) -> dict[str, Sequence[Any]]:
    """Return the columns, with one column `params` of all parameters of the search.

    If the user maps columns to parameters, a query without an id is named by its text
    and these parameters.
    """
    columns = dict(rows.columns)
    if not rules.params:
        return columns
    problems = Problems(rows.source.file)
    cells = {name: columns.pop(f"params.{name}") for name, _ in rules.params}
    own = columns.get("params")
    params = []
    names = []
    for number, text in enumerate(columns["query"]):
        mapped = {}
        for name, column in cells.items():
            if is_blank(column[number]):
                continue
            try:
                mapped[name] = param_in(column[number])
            except WrongCell as error:
                problems.add(
                    f"params.{name}: {error}",
                    rows.place(number),
                    alike=f"params.{name}",
                )
        written = {} if own is None else own[number]
        for name in mapped:
            if name in written and written[name] != mapped[name]:
                problems.add(
                    f"the parameter {name} is {found_json(written[name])} in params, and {found_json(mapped[name])} in "
                    f"{quoted(rules.column_of_param(name))}; keep one of them",
                    rows.place(number),
                    alike=f"params.{name}",
                )
        params.append({**written, **mapped})
        names.append(name_with_params(text, mapped))
    problems.raise_if_any()
    columns["params"] = params
    columns.setdefault("query_id", names)
    return columns


def _naming(rules: RowRules) -> Callable[[Query], str]:
    """Return the function that names a query without an id."""

    def name_of(query: Query) -> str:
        params = {}
        for name, _ in rules.params:
            if name in query.params:
                params[name] = query.params[name]
        return name_with_params(query.text_or_id, params)

    return name_of


def _first_queries(
    rows: QueryRows, rules: RowRules
) -> Iterator[tuple[Query | WrongCell, Place]]:
    """Yield the query, or the mistake, of the first row of each id and text."""
    for number, first in enumerate(rows.first_rows):
        if number == first:
            place = rows.place(number)
            yield _query(rows.columns, number, rules, place=place), place


def _rows_to_merge(
    rows: QueryRows, rules: RowRules, *, has_ids: bool
) -> list[QueryOfRow]:
    """Return the queries of all rows. Raises FileError for the mistakes in them."""
    problems = Problems(rows.source.file)
    built = []
    ids = rows.columns.get("query_id", ())
    for number in range(len(rows.columns["query"])):
        place = rows.place(number)
        query = _query(rows.columns, number, rules, place=place)
        if isinstance(query, WrongCell):
            problems.add(str(query), place, alike=query.kind)
        else:
            has_id = has_ids and not is_blank(ids[number])
            built.append(QueryOfRow(query, has_id, place))
        if problems.is_full:
            break
    problems.raise_if_any()
    return built


def _query(
    columns: Mapping[str, Sequence[Any]], number: int, rules: RowRules, place: Place
) -> Query | WrongCell:
    """Return the query of a row, or what is wrong with a cell of the row."""
    cells = {meaning: column[number] for meaning, column in columns.items()}
    try:
        values = _values(cells, rules)
    except WrongCell as error:
        return error
    weight = values.pop(WEIGHT, None)
    size = values.pop(SAMPLE_BY, None)
    group = values.pop(SAMPLE_PER, "")
    key = cells.get("query_id")
    if key is None or (rules.merge and not key):
        key = cells["query"]
    query = query_or_mistake(
        key,
        cells["query"],
        weight=weight if weight is not None and weight > 0 else None,
        note=cells.get("note"),
        params=cells.get("params"),
        line=place.line or None,
    )
    if isinstance(query, str):
        return WrongCell(query, "query")
    # the weights of merged rows are added, and a sample never draws a query of size 0
    may_be_0 = rules.merge or size == 0
    if weight is not None and (weight < 0 or (weight == 0 and not may_be_0)):
        return WrongCell(_wrong_weight(cells[WEIGHT]), WEIGHT)
    if weight == 0:
        query = replace(query, weight=0)
    if values or size is not None or group:
        query = replace(query, keys=values, sample_by=size, sample_per=group)
    return query


def _values(cells: Mapping[str, object], rules: RowRules) -> dict[str, Any]:
    """Return {meaning: value} of cells that are not blank. Raises WrongCell."""
    values = {}
    for meaning in _VALUES:
        if meaning in cells and not is_blank(cells[meaning]):
            values[meaning] = _value(meaning, cells[meaning], rules)
    return values


def _value(meaning: str, cell: object, rules: RowRules) -> Any:
    """Return the value in a cell that is not blank, as a case file would have it.

    Raises WrongCell with a message about the column and the cell.
    """
    is_number = meaning in NUMBERS or meaning == SAMPLE_BY
    try:
        if is_number:
            return number_in(cell, rules.thousands)
        if meaning in LISTS:
            return list_in_cell(cell)
        if isinstance(cell, bool) and meaning != SAMPLE_PER:
            return cell  # the check of the key says what is wrong with it
        return text_in(cell)
    except WrongCell as error:
        expected = "a number" if is_number else "text"
        if meaning == WEIGHT:
            message = f"a weight is a number above 0, {error}"
        else:
            message = f"expected {expected} in {_column(meaning, rules)}, {error}"
        raise WrongCell(message, f"{meaning}: {error.kind}") from None


def query_or_mistake(
    key: str,
    text: str | None,
    *,
    weight: object = None,
    note: str | None = None,
    params: Mapping[str, object] | None = None,
    line: int | None = None,
) -> Query | str:
    """Return a query, or a message about what is wrong with it.

    `weight`: as it is written in the file; None or empty for 1.
    """
    if not key.strip():
        return "the query has no id"
    if text is not None and not text.strip():
        return "the query has no text"
    number = 1 if weight in ("", None) else number_of(str(weight))
    if number is None or number <= 0:
        return _wrong_weight(weight)
    return Query(
        key,
        text,
        weight=number,
        params=params or {},
        note=note or None,
        line=line,
    )


def _wrong_weight(weight: object) -> str:
    why = why_no_number(str(weight))
    advice = f"; it {why}" if why is not None else ""
    return f"a weight is a number above 0, found {found_json(weight)}{advice}"


def distinct(
    source: Source, queries: Iterable[tuple[Query | WrongCell | str, Place]]
) -> list[Query]:
    """Return the queries, each id once.

    `queries`: for each row of a file its query, or what is wrong with the row; and the
        place of the row.

    Raises:
        FileError: something is wrong, or two queries of one id have different texts.
    """
    known: dict[str, Query] = {}
    problems = Problems(source.file)
    for query, place in queries:
        if isinstance(query, WrongCell):
            problems.add(str(query), place, alike=query.kind)
            continue
        if isinstance(query, str):
            problems.add(query, place)
            continue
        earlier = known.setdefault(query.id, query)
        if earlier.text != query.text:
            problems.add(earlier.another_text(query), place, alike="another text")
    problems.raise_if_any()
    return list(known.values())
