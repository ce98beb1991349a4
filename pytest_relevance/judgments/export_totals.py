"""Find the rows of an export that have totals, and are not queries.

Only the first row and the last rows of a table may have totals. A row has them for sure
in these cases:

- It has no query, but numbers, and perhaps a word such as `Grand total`.
- Its query is such a word, and it has the sum of the other numbers of a column.
- Its query is such a word with what is summed, such as `Total: Account`, and the file
  begins with lines above the header, as exports of Google Ads do.
- The first column has no name, the first row has the largest number of a column, and
  its query is what columns of queries are called, such as `Search Keyword (v12)`.

If a row has the largest number and such a word, but no sum, it may also be a query. The
user is asked. A query that the user drops is left to the formats.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance._csv_cells import cells_of_any_length
from pytest_relevance._problems import Place
from pytest_relevance._source import Header, Source
from pytest_relevance._text import quoted
from pytest_relevance._text_table import TextTable
from pytest_relevance.judgments.columns import plain_name
from pytest_relevance.judgments.judgment_layout import layout
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


@dataclass(frozen=True, slots=True)
class _Row:
    line: int
    cells: list[str]

    @property
    def with_total(self) -> LeftOut:
        words = [cell for cell in self.cells if _is_called_total(cell)]
        return LeftOut(self.line, "it has the total", word=" ".join(words))


def mentions_total(source: Source) -> bool:
    """Say whether a word for total is in the first or the last row of a table."""
    first = source.head.split("\n")[source.header.number :][:1]
    last = source.data.rstrip().rpartition(b"\n")[2].decode()
    for line in (*first, last):
        if any(_is_called_total(cell) for cell in Header.of(line).names):
            return True
    return False


def _is_called_total(text: str) -> bool:
    """Say whether a text is a word for total, perhaps with what is summed.

    For example `Grand total`, `Gesamt` or `Total: Account`.
    """
    return plain_name(text) in _TOTALS or _says_what_is_summed(text)


def _says_what_is_summed(text: str) -> bool:
    word, colon, summed = text.partition(":")
    return bool(colon and summed.strip()) and plain_name(word) in _TOTALS


class ExportRows:
    """The rows of a table of queries, of which some may have totals.

    `column`: the number of the column with the queries.
    `is_unnamed`: whether that is the first column, which has no name. Then the first
        row may have the name, with totals, as in Adobe Analytics.
    `has_preamble`: whether there are lines without `#` above the header.

    The constructor reads all rows of the file. A table of judgments has no totals, so
    none of its rows is read.

    Raises FileError if quotes in the table are wrong.
    """

    def __init__(
        self, source: Source, column: int, *, is_unnamed: bool, has_preamble: bool
    ) -> None:
        self._source = source
        self._column = column
        self._is_unnamed = is_unnamed
        self._has_preamble = has_preamble
        self._totals: set[int] = set()
        """The numbers of the rows that have totals."""
        self._dropped = {text.casefold() for text in rules_in(source.options).drop}
        self._rows: list[_Row] = []
        is_judgments = layout(source.header.names) is not None
        if not is_judgments:
            with cells_of_any_length():
                self._rows = [_Row(*row) for row in TextTable(source).rows()]

    def left_out(self) -> list[LeftOut]:
        """Return the rows that are not queries.

        Raises FileError for a row that may have totals, or a query.
        """
        found = []
        first = 0
        if self._is_unnamed:
            while first < len(self._rows) and not self._query(first):
                row = self._rows[first]
                if _has_only_totals(row.cells):
                    found.append(row.with_total)
                elif any(map(str.strip, row.cells)):
                    found.append(LeftOut(row.line, "it continues the header"))
                first += 1
        if first < len(self._rows) and self._has_total(first, is_first=True):
            found.append(self._rows[first].with_total)
            self._totals.add(first)
        last = len(self._rows) - 1
        while last > first and self._has_total(last, is_first=False):
            found.append(self._rows[last].with_total)
            self._totals.add(last)
            if not _says_what_is_summed(self._query(last)):
                break  # other tools write one total
            last -= 1
        return found

    def _query(self, number: int) -> str:
        return _cell(self._rows[number].cells, self._column)

    def _has_total(self, number: int, *, is_first: bool) -> bool:
        """Say whether a row has totals. Raises FileError if it may have a query too."""
        query = self._query(number)
        row = self._rows[number]
        if not query:
            return _has_only_totals(row.cells)
        if query.casefold() in self._dropped:
            return False
        if is_first and self._is_unnamed:
            is_called = _CALLED_QUERIES.fullmatch(query) is not None
            is_sure = is_called and self._is_largest(number)
            advice = (
                f"write query before the header in line {self._source.header.number}"
            )
        elif self._has_preamble and _says_what_is_summed(query):
            return True
        elif _is_called_total(query) and self._is_largest(number):
            is_sure = self._is_sum(number)
            advice = "move the row between two others"
        else:
            return False
        if not is_sure:
            self._source.refuse(
                f"{quoted(query)} may be the total of the table, or a query. If it is the total, write drop: [{query}]. "
                f"If it is a query, {advice}",
                Place(line=row.line),
            )
        return True

    def _is_largest(self, number: int) -> bool:
        """Say whether a row has the largest number of a column, or an equal one."""
        return any(own >= max(others) for own, others in self._compared(number))

    def _is_sum(self, number: int) -> bool:
        """Say whether a row has the sum of two or more other numbers of a column."""
        for own, others in self._compared(number):
            if len(others) > 1 and own == sum(others):
                return True
        return False

    def _compared(self, number: int) -> Iterator[tuple[int, list[int]]]:
        """Yield the number of a row and the others, for columns of whole numbers.

        The number of the row is above 0. The others are those of queries, and may have
        blanks.
        """
        for column in range(len(self._source.header.names)):
            if column == self._column:
                continue
            own = _cell(self._rows[number].cells, column)
            others = []
            for other, row in enumerate(self._rows):
                text = _cell(row.cells, column)
                is_total = other == number or other in self._totals
                if text and not is_total and self._query(other):
                    others.append(text)
            if others and all(map(_WHOLE.fullmatch, [own, *others])) and _whole(own):
                yield _whole(own), [_whole(text) for text in others]


def _has_only_totals(cells: Sequence[str]) -> bool:
    """Say whether a row without a query has numbers, and no text but a word for total.

    Google Analytics writes this word into a column of its own.
    """
    texts = [cell for cell in cells if not _NUMBER.fullmatch(cell.strip())]
    has_numbers = any(character.isdigit() for character in "".join(cells))
    return has_numbers and all(_is_called_total(text) for text in texts)


def _cell(cells: Sequence[str], column: int) -> str:
    return cells[column].strip() if column < len(cells) else ""


def _whole(text: str) -> int:
    """Return a whole number, which may be written as `1,340`."""
    return int(re.sub(r"\D", "", text))
