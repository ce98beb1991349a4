"""Read tables of clicks: query, document, position, impressions and clicks."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pytest_relevance._problems import Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text import did_you_mean, found, listed
from pytest_relevance.ext.clicks.click_log import (
    NONE,
    Flags,
    Numbering,
    Numbers,
    Shown,
)
from pytest_relevance.ext.clicks.left_out import (
    NO_DOCUMENT,
    NO_POSITION,
    NO_QUERY,
    NOTHING_SHOWN,
    OF_CLIENT,
    LeftOut,
    Reason,
)
from pytest_relevance.judgments.columns import SPELLINGS, find_column, shown_names

COLUMNS: Mapping[str, tuple[str, ...]] = {
    "query": (*SPELLINGS["query"], "user_query"),
    "document": SPELLINGS["document"],
    "position": ("position", "rank", "pos", "doc_position", "ordinal"),
    "impressions": ("impressions", "impression_count", "views", "shown"),
    "clicks": ("clicks", "click_count"),
    "client": ("client_id", "client", "visitor_id", "user_id"),
}
"""The columns of a log, with their usual names. The column `client` may be missing."""

_ADVICE: Mapping[str, str] = {
    "query": "",
    "document": "",
    "position": "; the place in the list at which the document was shown is needed",
    "impressions": "; how often the document was shown there is needed too, also without a click. If each row is "
    "one result of one search, add a column impressions with 1",
    "clicks": "; 0 if the document was shown and not clicked",
}
"""The columns that a log needs, each with the advice if it is missing."""

_WHOLE_NUMBER = re.compile(r"\s*([+-]?[0-9]{1,15})(?:\.0*)?\s*")

MISSING = -(2**60)
NO_NUMBER = MISSING - 1
"""The numbers of a blank cell, and of a cell that is not a whole number."""


class WholeNumbers(dict[object, int]):
    """{cell: its whole number, `MISSING` or `NO_NUMBER`}. Equal cells are read once."""

    def __missing__(self, cell: object) -> int:
        """Return the number of a cell that is looked up for the first time."""
        text = "" if cell is None else str(cell)
        whole = _WHOLE_NUMBER.fullmatch(text)
        number = NO_NUMBER if text.strip() else MISSING
        if whole is not None:
            number = int(whole[1])
        self[cell] = number
        return number

    def of_all(self, cells: Sequence[object]) -> Numbers:
        """Return the number of each cell."""
        return np.fromiter(map(self.__getitem__, cells), np.int64, len(cells))


def is_click_table(names: Iterable[str]) -> bool:
    """Say whether a table with these columns has a column with counts of clicks."""
    return find_column(names, COLUMNS["clicks"]) is not None


class TableLogs:
    """The rows of one or several tables of clicks.

    `shown`: the rows that count.
    `queries`, `documents`: the numbers of the texts in these rows.
    `left_out`: the rows that do not count.
    `unread`: the names of columns that nothing reads.
    `clicks_of`: the clicks of each client, if the tables have a column of clients.
    `clients_left_out`: the clients of rows that are left out.
    """

    def __init__(self, without_clients: Collection[str] = ()) -> None:
        self.shown: list[Shown] = []
        self.queries = Numbering(is_stripped=True)
        self.documents = Numbering()
        self.left_out = LeftOut()
        self.unread: dict[str, None] = {}
        self.clicks_of: dict[str, int] = {}
        self.clients_left_out: set[str] = set()
        self._clients = Numbering()
        self._without = sorted(map(self._clients.__getitem__, without_clients))
        self._numbers = WholeNumbers()

    def add(self, source: Source) -> None:
        """Read a table.

        A row without a query, a document, a position or impressions is counted in
        `left_out`.

        Raises FileError if a column is missing, if a position is not a whole number, if
        impressions or clicks are missing or not a whole number from 0 on, or if a row
        has more clicks than impressions.
        """
        table = table_of(source)
        client = find_column(table.names, COLUMNS["client"])
        at = self._columns(table, client)
        texts = [at["query"], at["document"]]
        if client is not None:
            texts.append(client)
        counts = [at["position"], at["impressions"], at["clicks"]]
        problems = Problems(source.file)
        first = 0
        for cells in table.blocks(texts, counts):
            block = self._numbered(cells)
            clients = None
            if client is not None:
                clients = self._clients.of_all(cells[2])
            for row in np.flatnonzero(_wrong_rows(block)).tolist():
                if problems.is_full:
                    break
                position, impressions, clicks = [column[row] for column in cells[-3:]]
                message = _why_wrong(position, impressions, clicks)
                problems.add(message, table.place(first + row))
            if not problems.found:
                self._keep(block, clients)
            first += len(block.query)
        problems.raise_if_any()

    def _numbered(self, cells: Sequence[Sequence[Any]]) -> Shown:
        """Return rows, given as columns of cells, with numbers in place of texts."""
        positions, impressions, clicks = cells[-3:]
        return Shown(
            query=self.queries.of_all(cells[0]),
            document=self.documents.of_all(cells[1]),
            position=self._numbers.of_all(positions),
            impressions=self._numbers.of_all(impressions),
            clicks=self._numbers.of_all(clicks),
        )

    def _columns(self, table: Table, client: int | None) -> Mapping[str, int]:
        """Return {what: index} of the columns that are needed. Keep unread names.

        `client`: the index of the column of clients. Raises FileError if a column is
            missing.
        """
        at: dict[str, int] = {}
        unread = dict(enumerate(table.names))
        for wanted, advice in _ADVICE.items():
            column = find_column(table.names, COLUMNS[wanted])
            if column is None:
                close = did_you_mean(wanted, unread.values())
                table.source.refuse(
                    f"there is no column {wanted}; found {shown_names(table.names)}{close or advice}"
                )
            at[wanted] = column
            unread.pop(column, None)
        if client is not None:
            unread.pop(client, None)
        self.unread.update(dict.fromkeys(unread.values()))
        return at

    def _keep(self, block: Shown, clients: Numbers | None) -> None:
        """Keep the rows of a block that count."""
        kept = np.ones(len(block.query), bool)
        if clients is not None:
            is_left_out = np.isin(clients, self._without)
            for number in np.unique(clients[is_left_out]).tolist():
                self.clients_left_out.add(self._clients.names[number])
            kept = self._without_rows(kept, is_left_out, OF_CLIENT)
        kept = self._without_rows(kept, block.query == NONE, NO_QUERY)
        kept = self._without_rows(kept, block.document == NONE, NO_DOCUMENT)
        kept = self._without_rows(kept, block.position < 0, NO_POSITION)
        kept = self._without_rows(kept, block.impressions == 0, NOTHING_SHOWN)
        if clients is not None:
            self._count_clients(clients[kept], block.clicks[kept])
        part = Shown(
            query=block.query[kept],
            document=block.document[kept].astype(np.int32),
            position=block.position[kept].astype(np.int64),
            impressions=block.impressions[kept],
            clicks=block.clicks[kept],
        )
        self.shown.append(part)

    def _without_rows(self, kept: Flags, wrong: Flags, reason: Reason) -> Flags:
        """Return `kept` without the wrong rows. Count the rows that are left out."""
        self.left_out[reason] += int((kept & wrong).sum())
        return kept & ~wrong

    def _count_clients(self, clients: Numbers, clicks: Numbers) -> None:
        known = clients != NONE
        sums = np.bincount(clients[known], clicks[known])
        for number in np.flatnonzero(sums).tolist():
            name = self._clients.names[number]
            self.clicks_of[name] = self.clicks_of.get(name, 0) + int(sums[number])


def _wrong_rows(block: Shown) -> Flags:
    """Say for each row whether its numbers are wrong.

    A position may be blank. Impressions and clicks may not be blank or negative, and
    there may not be more clicks than impressions.
    """
    wrong: Flags = (
        (block.position == NO_NUMBER)
        | (block.impressions < 0)
        | (block.clicks < 0)
        | (block.clicks > block.impressions)
    )
    return wrong


def _why_wrong(position: object, impressions: object, clicks: object) -> str:
    """Return the message about a row whose numbers are wrong."""
    numbers = WholeNumbers()
    if numbers[position] == NO_NUMBER:
        return f"the position is a whole number, found {found(position)}"
    faults = []
    for name, cell in (("impressions", impressions), ("clicks", clicks)):
        if numbers[cell] < 0:
            faults.append(
                f"{name}: expected a whole number from 0 on, found {found(cell)}"
            )
    if faults:
        return listed(faults, "and")
    return (
        f"{clicks} clicks and {impressions} impressions: a document cannot be clicked more often than it is shown; "
        "count it once for each search, however often it was clicked there"
    )
