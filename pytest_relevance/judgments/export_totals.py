"""Find the rows of an export that are not queries, because they have totals.

Only the first row and the last rows of a table may have totals. A row has them for sure
in these cases:

- It has no query, but numbers, and perhaps a word such as `Grand total`.
- Its query is such a word, and it has the sum of the other numbers of a column.
- Its query is such a word with what is summed, such as `Total: Account`, and the file
  begins with lines above the header, as exports of Google Ads do.
- The first column has no name, the first row has the largest number of a column, and
  its query is what columns of queries are called, such as `Search Keyword (v12)`.

If a row has the largest number and such a word, but no sum, it may also be a query. So
is the first row of a table whose first column has no name. Then the user is asked. A
query that the user drops is left to the formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NoReturn

from pytest_relevance._csv_cells import cells_of_any_length
from pytest_relevance._problems import Place
from pytest_relevance._source import Header, Source
from pytest_relevance._text import quoted
from pytest_relevance._text_table import TextTable
from pytest_relevance.judgments.columns import plain_name
from pytest_relevance.judgments.judgment_layout import find_layout
from pytest_relevance.judgments.row_rules import rules_in

_TOTALS = frozenset(
    {
        *("total", "totals", "grandtotal"),
        *("gesamt", "gesamtsumme", "gesamtergebnis", "insgesamt", "summe"),
        *("totalgénéral", "totalgeneral", "totalgeral", "sumatotal", "totalglobal"),
        *("totale", "totalecomplessivo", "totaal", "eindtotaal", "totalsumma"),
        *("razem", "sumacałkowita", "celkem", "yhteensä", "ialt", "totalt"),
        *(
            "итого",
            "общийитог",
            "всего",
            "合計",
            "総計",
            "总计",
            "合计",
            "합계",
            "총합계",
        ),
    }
)
"""What a row with totals is called in the languages of search tools, as plain names."""

_WHOLE = re.compile(r"\d+|\d{1,3}(?:[.,' \u00a0\u202f]\d{3})+")
_NUMBER = re.compile(r"[\d.,' \u00a0\u202f%-]*")
_CALLED_QUERIES = re.compile(
    r".*\b(?:search|query|queries|keywords?|terms?|phrases?)\b.*|.*\((?:v|evar|prop|c)\d+\)",
    re.IGNORECASE,
)
"""What Adobe calls a column of queries."""


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A row that is not a query.

    `why`: a sentence for a notice.
    `word`: what the row is called, such as `Grand total`; "" without a word.
    """

    line: int
    why: str
    word: str = ""


def mentions_total(source: Source) -> bool:
    """Say whether a word for total is in the first or the last row of a table."""
    below_header = source.head.split("\n")[source.header.number :]
    last = source.data.rstrip().rpartition(b"\n")[2].decode()
    for line in (*below_header[:1], last):
        if any(_is_called_total(cell) for cell in Header.of(line).names):
            return True
    return False


def rows_left_out(
    source: Source, column: int, *, is_unnamed: bool, has_preamble: bool
) -> list[LeftOut]:
    """Return the rows of a table of queries that are not queries.

    [] for a table of judgments, which has no totals. Its rows are not read.

    `column`: the number of the column with the queries.
    `is_unnamed`: whether that is the first column, which has no name. Then the first
        row may have the name, with totals, as in Adobe Analytics.
    `has_preamble`: whether there were lines without `#` above the header.

    Raises FileError for a row that may have totals, or a query, and for wrong quotes.
    """
    if find_layout(source.header.names) is not None:
        return []
    rows = []
    with cells_of_any_length():
        for line, cells in TextTable(source).rows():
            rows.append(_Row(line, cells, query=_cell(cells, column)))
    search = _Totals(source, rows, column, has_preamble=has_preamble)
    search.look_at_beginning(is_unnamed=is_unnamed)
    search.look_at_end()
    return search.found


@dataclass(frozen=True, slots=True)
class _Row:
    """A row of a table.

    `query`: the text in the column of the queries, without white space around it.
    """

    line: int
    cells: list[str]
    query: str

    @property
    def has_only_totals(self) -> bool:
        """Say whether the row has numbers, and no text but a word for total.

        Google Analytics writes this word into a column of its own.
        """
        texts = [cell for cell in self.cells if not _NUMBER.fullmatch(cell.strip())]
        has_numbers = any(character.isdigit() for character in "".join(self.cells))
        return has_numbers and all(_is_called_total(text) for text in texts)


class _Totals:
    """Looks for rows with totals, at the beginning of a table and at its end.

    `found`: the rows that are not queries.
    """

    def __init__(
        self, source: Source, rows: list[_Row], column: int, *, has_preamble: bool
    ) -> None:
        self.found: list[LeftOut] = []
        self._source = source
        self._rows = rows
        """The rows but for those in `found`."""
        self._column = column
        self._has_preamble = has_preamble
        self._dropped = {text.casefold() for text in rules_in(source.options).drop}

    def look_at_beginning(self, *, is_unnamed: bool) -> None:
        """Look at the first row.

        If the first column has no name, rows without a query above that row continue
        the header, or have totals.
        """
        while is_unnamed and self._rows and not self._rows[0].query:
            row = self._rows.pop(0)
            if row.has_only_totals:
                self._leave_out(row)
            elif any(map(str.strip, row.cells)):
                self.found.append(LeftOut(row.line, "it continues the header"))
        if not self._rows:
            return
        row = self._rows[0]
        is_total = self._has_name(row) if is_unnamed else self._has_total(row)
        if is_total:
            self._leave_out(self._rows.pop(0))

    def look_at_end(self) -> None:
        """Look at the last row, and at the rows above if each says what is summed."""
        while self._rows and self._has_total(self._rows[-1]):
            row = self._rows.pop()
            self._leave_out(row)
            if not _says_what_is_summed(row.query):
                return  # other tools write one total

    def _leave_out(self, row: _Row) -> None:
        words = [cell for cell in row.cells if _is_called_total(cell)]
        self.found.append(LeftOut(row.line, "it has the total", word=" ".join(words)))

    def _has_name(self, row: _Row) -> bool:
        """Say whether the first row has the name of the first column, with totals.

        False if the user drops the row. Raises FileError if it may have a query.
        """
        if row.query.casefold() in self._dropped:
            return False
        is_name = _CALLED_QUERIES.fullmatch(row.query) is not None
        if not is_name or not self._is_largest(row):
            header = self._source.header.number
            self._refuse(row, f"write query before the header in line {header}")
        return True

    def _has_total(self, row: _Row) -> bool:
        """Say whether a row has totals. Raises FileError if it may have a query."""
        if not row.query:
            return row.has_only_totals
        if row.query.casefold() in self._dropped:
            return False
        if self._has_preamble and _says_what_is_summed(row.query):
            return True
        if not _is_called_total(row.query) or not self._is_largest(row):
            return False
        if not self._is_sum(row):
            self._refuse(row, "move the row between two others")
        return True

    def _refuse(self, row: _Row, advice: str) -> NoReturn:
        """Raise FileError for a row that may have totals. `advice`: if it has none."""
        self._source.refuse(
            f"{quoted(row.query)} may be the total of the table, or a query. If it is the total, write drop: "
            f"[{row.query}]. If it is a query, {advice}",
            Place(line=row.line),
        )

    def _is_largest(self, row: _Row) -> bool:
        """Say whether a row has the largest number of a column, or an equal one."""
        return any(own >= max(others) for own, others in self._numbers(row))

    def _is_sum(self, row: _Row) -> bool:
        """Say whether a row has the sum of two or more other numbers of a column."""
        for own, others in self._numbers(row):
            if len(others) > 1 and own == sum(others):
                return True
        return False

    def _numbers(self, row: _Row) -> Iterator[tuple[int, list[int]]]:
        """Yield the number of a row, and those of queries, for each column of numbers.

        A column counts if it has whole numbers and blanks, and the row one above 0.
        """
        queries = [other for other in self._rows if other.query and other is not row]
        for column in range(len(self._source.header.names)):
            if column == self._column:
                continue
            own = _cell(row.cells, column)
            others = [_cell(other.cells, column) for other in queries]
            others = [text for text in others if text]
            if others and all(map(_WHOLE.fullmatch, [own, *others])) and _whole(own):
                yield _whole(own), [_whole(text) for text in others]


# Texts in cells


def _is_called_total(text: str) -> bool:
    """Say whether a text is a word for total, perhaps with what is summed.

    For example `Grand total`, `Gesamt` or `Total: Account`.
    """
    return plain_name(text) in _TOTALS or _says_what_is_summed(text)


def _says_what_is_summed(text: str) -> bool:
    word, colon, summed = text.partition(":")
    return bool(colon and summed.strip()) and plain_name(word) in _TOTALS


def _cell(cells: Sequence[str], column: int) -> str:
    return cells[column].strip() if column < len(cells) else ""


def _whole(text: str) -> int:
    return int(re.sub(r"\D", "", text))
