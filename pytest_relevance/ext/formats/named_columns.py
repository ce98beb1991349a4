"""Read files whose columns the user names: `{file:, query: COL, document: COL}`.

The file is a table, JSON objects or JSON Lines. What a query needs is in the column
`document` (ids), `passage` (quotes) or `context` (contexts, of which half is enough). A
cell has one of them, or a list, in a CSV as JSON or Python writes it.

Without names, the quotes are in a column `passage`, or lists of quotes in `passages`.

The name of a column may be a path with dots into nested objects, as in the exports of
LangSmith and Braintrust: `inputs.question`. A path leads through a list into each of
its entries. In a CSV it leads into the JSON in a cell.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._json_text import as_text, found_json
from pytest_relevance._problems import Place
from pytest_relevance._source import Source
from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.ext.formats.collecting import params_of
from pytest_relevance.ext.formats.column_paths import paths_in, value_at
from pytest_relevance.ext.formats.elasticsearch import is_rank_eval
from pytest_relevance.ext.formats.golden_rows import (
    Names,
    Row,
    names_in,
    rows_in,
)
from pytest_relevance.ext.formats.golden_sets import (
    Golden,
    Goldens,
    GoldenSet,
    golden_format,
    texts_with_words,
)
from pytest_relevance.ext.formats.query_building import query_or_mistake
from pytest_relevance.ext.formats.query_cells import is_blank
from pytest_relevance.ext.formats.query_rows import PARAMS
from pytest_relevance.judgments.columns import (
    GRADE_COLUMN,
    SPELLINGS,
    SURE_GRADES,
    shown_names,
)
from pytest_relevance.judgments.formats import (
    CONTEXT,
    DOCUMENT,
    NEEDED,
    PASSAGE,
    QUERY,
)
from pytest_relevance.judgments.id_lists import find_unlisted
from pytest_relevance.judgments.model import CONTEXTS, IDS, QUOTES

_USUAL_QUERIES = (*SPELLINGS["query"], "user_input", "question", "input")
_KINDS = {DOCUMENT: IDS, PASSAGE: QUOTES, CONTEXT: CONTEXTS}
_HEADER = Place(line=1)


@dataclass(frozen=True, slots=True)
class _Needed:
    """The column of what queries need.

    `option`: `document`, `passage` or `context`: what is in the column.
    `column`: its name, or the path to it.
    """

    option: str
    column: str


def _needed_in(source: Source) -> _Needed | None:
    """Return the column of what queries need; None if there is no such column.

    The user names the column. Otherwise it is `passage` or `passages`, in a file with
    queries that has no documents, ranks and scores.
    """
    for option in NEEDED:
        if option in source.options:
            return _Needed(option, source.options[option])
    names = names_in(source)
    passages = names.find("passages", "passage")
    if passages is None or names.find_usual("document") is not None:
        return None
    query = names.find(*_USUAL_QUERIES) or names.find_usual("query_id")
    if query is None or names.find_usual("rank", "score") is not None:
        return None
    return _Needed(PASSAGE, passages)


def _has_columns(source: Source) -> bool:
    """Say whether the user names a column, or the file has a column of passages."""
    if _needed_in(source) is not None:
        return True
    return QUERY in source.options and not is_rank_eval(source)


def _has_queries_alone(source: Source) -> bool:
    return _needed_in(source) is None


def _read(source: Source) -> GoldenSet:
    needed = _needed_in(source)
    if needed is None:
        source.refuse(
            "say which column has what the queries need: document: COLUMN (ids), passage: COLUMN (quotes) or "
            "context: COLUMN (contexts)"
        )
    _refuse_raters(source)
    return _Reader(source, needed).read()


def _read_queries(source: Source) -> GoldenSet:
    """Return the queries of a file. What they need is read if its column is known."""
    return _Reader(source, _needed_in(source)).read()


def _refuse_raters(source: Source) -> None:
    """Raise FileError if several raters, or a machine, gave grades in the file."""
    names = names_in(source)
    column = names.find_usual("rater", "machine")
    if column is not None:
        source.refuse(
            f"{quoted(column)} says who gave a grade, which is read for judgments of documents alone; write one grade "
            "for each row, without this column",
            _HEADER,
        )


class _Reader:
    """Reads the rows of a file.

    `needed`: the column of what queries need; None if only the queries are read.
    """

    def __init__(self, source: Source, needed: _Needed | None) -> None:
        self._source = source
        self._option = None if needed is None else needed.option
        self._rows = rows_in(source)
        names = names_in(source)
        self._id = names.find_usual("query_id")  # None without ids
        self._weight = names.find_usual("weight")
        self._note = names.find_usual("note")
        queries = source.options.get(QUERY)
        if queries is None:
            queries = _usual_query(source, names, has_ids=self._id is not None)
        self._queries = [_Path(source, names, QUERY, written) for written in queries]
        self._goldens = Goldens(source, listed([*queries] or [self._id]))
        self._needed: _Path | None = None
        if needed is not None:
            self._needed = _Path(source, names, needed.option, needed.column)
        self._grade: _Path | None = None
        grade = source.options.get(GRADE_COLUMN) or names.find(*SURE_GRADES)
        if grade is not None:
            self._grade = _Path(source, names, GRADE_COLUMN, grade)

    def read(self) -> GoldenSet:
        """Return the queries of all rows. Raises FileError for mistakes in them."""
        queries = [self._query(row) for row in self._rows]
        if self._queries:
            self._queries[-1].refuse_if_blank(queries, self._rows)
        values: Sequence[object] = [None] * len(queries)
        if self._needed is not None:
            values = [self._needed.value(row) for row in self._rows]
            self._needed.refuse_if_blank(values, self._rows)
        lists = []
        for row, value in zip(self._rows, values, strict=True):
            lists.append(self._entries(row, value))
        self._refuse_unlisted(lists, values)
        for row, query, needed in zip(self._rows, queries, lists, strict=True):
            self._add(row, query, needed)
        needed_are = IDS if self._option is None else _KINDS[self._option]
        return GoldenSet(self._goldens.end(), needed_are)

    def _query(self, row: Row) -> object:
        """Return the query of a row: the first value of its paths that is not blank."""
        value: object = None
        for path in self._queries:
            value = path.value(row)
            if not is_blank(value):
                break
        return value

    def _add(self, row: Row, query: object, needed: Sequence[str]) -> None:
        """Add the query of a row, or record what is wrong with it."""
        cell = row.get(self._id)
        key = "" if is_blank(cell) else str(cell)
        text = None
        if self._queries or not key:
            text = self._goldens.query_of(row, query)
            if text is None:
                return
        described = query_or_mistake(
            key or text or "",
            text,
            weight=row.get(self._weight),
            note=as_text(row.get(self._note)),
            params=params_of(row.get(PARAMS)),
        )
        grade = self._grade_of(row)
        if isinstance(grade, (list, dict)):
            self._goldens.wrong(
                f"a grade is a number or a name of the scale, found {found_json(grade)}",
                row.place,
            )
            return
        if isinstance(described, str):
            self._goldens.wrong(described, row.place)
            return
        golden = Golden(
            described,
            needed,
            row.place,
            why_none=f"it has no {'' if self._needed is None else self._needed.written}",
            grade=grade,
        )
        self._goldens.add(golden)

    def _grade_of(self, row: Row) -> object:
        """Return the grade of what a row needs: 1 without grades, None for a blank."""
        if self._grade is None:
            return 1
        grade = self._grade.value(row)
        return None if is_blank(grade) else grade

    def _entries(self, row: Row, value: object) -> list[str]:
        """Return the entries of the list in a cell, or its text as the only entry.

        Blank entries are left out, and so are quotes without a letter or a digit.
        """
        if self._needed is None or is_blank(value):
            return []
        name = self._needed.written
        entries = self._goldens.list_of(row, name, value)
        if entries is None:
            text = str(value) if type(value) is int else as_text(value)
            if text is None:
                message = f"{quoted(name)} is a text or a list of texts, found {found_json(value)}"
                self._goldens.wrong(message, row.place)
            entries = [text or ""]
        if self._option == DOCUMENT:
            return [entry for entry in entries if entry.strip()]
        return texts_with_words(entries)

    def _refuse_unlisted(
        self, lists: Sequence[Sequence[str]], values: Sequence[object]
    ) -> None:
        """Record a mistake for each cell that may be several ids without a list."""
        if self._option != DOCUMENT:
            return
        alone = []
        known: set[str] = set()
        for entries, value in zip(lists, values, strict=True):
            if isinstance(value, str) and entries == [value]:
                alone.append(value)
            known.update(entries)
        unlisted = find_unlisted(alone, known)
        for row, value in zip(self._rows, values, strict=True):
            if isinstance(value, str) and value in unlisted:
                several = json.dumps([*unlisted[value]], ensure_ascii=False)
                one = json.dumps([value], ensure_ascii=False)
                self._goldens.wrong(
                    f"{quoted(value, 60)} may be several ids; write them as a list, {several}. If it is one id, write "
                    f"a list of one, {one}",
                    row.place,
                )


def _usual_query(source: Source, names: Names, *, has_ids: bool) -> tuple[str, ...]:
    """Return the column with a usual name for queries, such as `question`, in a tuple.

    The tuple is empty if there is no such column and the file has ids of queries.
    Raises FileError if there is neither, or if several columns have usual names.
    """
    found = []
    for spelling in _USUAL_QUERIES:
        name = names.find(spelling)
        if name is not None:
            found.append(name)
    if has_ids and not found:
        return ()
    if len(found) != 1:
        which = "no column is called as queries are"
        if found:
            which = f"the query may be in {listed(map(quoted, found), 'or')}"
        source.refuse(
            f"{which}; name it, query: COLUMN. The columns are {shown_names(names.all)}",
            _HEADER,
        )
    return (found[0],)


class _Path:
    """A column, or a path with dots to one value in each row.

    `option`: the option that names the column, for messages.
    `written`: the name of the column, or the path.
    """

    def __init__(self, source: Source, names: Names, option: str, written: str) -> None:
        self.written = written
        self._source = source
        self._option = option
        self._keys = written.split(".")
        self._column = written if written in names.all else names.find(written)

    def value(self, row: Row) -> object:
        """Return the value of a row; None if the path leads nowhere."""
        if self._column is not None:
            return row.get(self._column)
        return value_at(row.values, self._keys)

    def refuse_if_blank(self, values: Sequence[object], rows: Sequence[Row]) -> None:
        """Raise FileError if the path leads to no value in any row.

        `values`: the value of each row.
        """
        if not rows or not all(map(is_blank, values)):
            return
        if self._column is not None:
            self._source.refuse(
                f"the column {quoted(self.written)}, which {self._option} names, is empty in all rows",
                _HEADER,
            )
        known = []
        for name, value in rows[0].values.items():
            known += paths_in(name, value)
        shown = shown_names(known)
        self._source.refuse(
            f"there is no {quoted(self.written)}, which {self._option} names; the first row has {shown}"
            f"{did_you_mean(self.written, known)}",
            rows[0].place,
        )


COLUMNS = golden_format(
    "columns",
    "a table or JSON objects with a column passage, or whose columns are named",
    fits=_has_columns,
    read=_read,
    read_queries=_read_queries,
    has_queries_alone=_has_queries_alone,
    options=frozenset({QUERY, *NEEDED, GRADE_COLUMN}),
)
