"""The rates of positions: how likely users look at a result there.

The rate of the most clicked position is 1. In the position-based model, the expected
clicks of a row of the log are its impressions, times the rate of its position, times
the attraction of its pair of query and document. Rates and attractions are fitted in
turn. See Chuklin, Markov and de Rijke, Click Models for Web Search (2015), 3.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from pytest_relevance._problems import Problems
from pytest_relevance._source import Source
from pytest_relevance._tables import Table, table_of
from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.ext.clicks.click_log import ClickLog, Flags, Reals
from pytest_relevance.judgments.columns import find_column, shown_names

LEAST_SHARED = 20
"""How many clicks a linked position must share with other linked positions."""

SMALL_CHANGE = 0.001
"""Rates are fitted until none changes by more than this share of itself."""

MOST_STEPS = 10_000
"""How often rates are fitted at most. Logs in tests need fewer than 200 steps."""

FITTED = "fitted"
RECIPROCAL = "reciprocal"


@dataclass(frozen=True, slots=True)
class Rates:
    """The rates of positions.

    `of`: the rate of each position of the log; NaN if the position is not used.
    `origin`: `fitted`, `reciprocal`, or the name of a file.
    """

    of: Reals
    origin: str

    @property
    def used(self) -> Flags:
        """Say for each position whether it is used."""
        return ~np.isnan(self.of)


# --- fitted rates ---------------------------------------------------------------------


def linked_positions(log: ClickLog) -> Flags:
    """Say for each position of a log whether it is linked to others.

    The rates of two positions can be compared only if pairs were clicked at both. A
    position is linked if both of these are true:

    - It shares at least `LEAST_SHARED` clicks with the other linked positions.
    - Pairs connect it with the most clicked of the linked positions.
    """
    clicked = log.rows(log.clicks > 0)
    linked = np.ones(len(log.positions), bool)
    while True:
        shares_enough = _shared_clicks(clicked, linked) >= LEAST_SHARED
        connected = _connected(clicked, linked & shares_enough)
        if (connected == linked).all():
            return linked
        linked = connected


def _shared_clicks(clicked: ClickLog, positions: Flags) -> Reals:
    """Return how many clicks each position shares with others among `positions`.

    The clicks that a pair shares are its clicks at the position, or its clicks at the
    others, if these are fewer.
    """
    inside = clicked.clicks * positions[clicked.position]
    elsewhere = clicked.by_pair(inside)[clicked.pair] - inside
    return clicked.by_position(np.minimum(clicked.clicks, elsewhere))


def _connected(clicked: ClickLog, positions: Flags) -> Flags:
    """Say which of some positions are connected with the most clicked one of them.

    Two positions are connected if a pair was clicked at both, or if both are connected
    with a third position.
    """
    connected = np.zeros(len(positions), bool)
    if not positions.any():
        return connected
    inside = clicked.rows(positions[clicked.position])
    connected[inside.by_position(inside.clicks).argmax()] = True
    while True:
        pairs_there = inside.by_pair(connected[inside.position].astype(float)) > 0
        reached = inside.by_position(pairs_there[inside.pair].astype(float)) > 0
        if (reached == connected).all():
            return connected
        connected = reached


def fitted_rates(log: ClickLog, linked: Flags) -> Rates:
    """Return the rates of linked positions. The rate of the most clicked one is 1.

    Only rows of pairs that were clicked, and shown at several linked positions, are
    used. The others do not change the result.
    """
    clicks_at_linked = log.by_position(log.clicks) * linked
    most_clicked = int(clicks_at_linked.argmax())
    rows = _rows_that_compare(log, linked)
    clicks_of_pair = rows.by_pair(rows.clicks)
    clicks_at = rows.by_position(rows.clicks)
    rates = np.ones(len(log.positions))
    for _ in range(MOST_STEPS):
        # if the rates are right, these are the attractions of pairs
        looks = rows.by_pair(rows.impressions * rates[rows.position])
        attraction = _divided(clicks_of_pair, looks)
        # if these attractions are right, these are the rates
        clicks_if_all_look = rows.by_position(rows.impressions * attraction[rows.pair])
        new_rates = _divided(clicks_at, clicks_if_all_look)
        new_rates = np.where(linked, new_rates / new_rates[most_clicked], 1.0)
        change = np.abs(new_rates / rates - 1).max()
        rates = new_rates
        if change <= SMALL_CHANGE:
            break
    return Rates(np.where(linked, rates, np.nan), FITTED)


def _rows_that_compare(log: ClickLog, linked: Flags) -> ClickLog:
    """Return the rows that the rates of linked positions are computed from.

    These are rows at linked positions, of pairs that were clicked there and shown at
    several of them. The pairs are numbered anew, from 0.
    """
    rows = log.rows(linked[log.position])
    positions_of_pair = rows.by_pair(np.ones(len(rows.pair)))
    is_used = (positions_of_pair > 1) & (rows.by_pair(rows.clicks) > 0)
    rows = rows.rows(is_used[rows.pair])
    new_number = np.cumsum(is_used) - 1
    return replace(
        rows,
        query_of=log.query_of[is_used],
        document_of=log.document_of[is_used],
        pair=new_number[rows.pair],
    )


def _divided(numbers: Reals, by: Reals) -> Reals:
    """Return quotients; 0 if a divisor is 0."""
    quotients = np.zeros(len(numbers))
    return np.divide(numbers, by, out=quotients, where=by > 0)


# --- assumed rates --------------------------------------------------------------------


def reciprocal_rates(log: ClickLog) -> Rates:
    """Return 1, 1/2, 1/3 ... for the first position, the second, the third ...

    Positions are counted from 0 if the log has a position 0, else from 1.
    """
    positions = np.array(log.positions, float)
    first = min(1.0, positions.min())
    return Rates(1 / (positions - first + 1), RECIPROCAL)


def rates_of_file(log: ClickLog, path: str) -> Rates:
    """Return the rates in a table with the columns `position` and `rate`.

    A position of the log that is not in the table is not used. Raises FileError if the
    table is wrong.
    """
    table = table_of(Source.read(path))
    rates = _rates_in(table)
    of = [rates.get(position, np.nan) for position in log.positions]
    return Rates(np.array(of), path)


def _rates_in(table: Table) -> Mapping[int, float]:
    """Return {position: rate} from a table.

    Raises FileError for a missing column, a position that is not a whole number or
    stands twice, and a rate that is not above 0.
    """
    columns = [_column(table, "position"), _column(table, "rate")]
    problems = Problems(table.source.file)
    rates: dict[int, float] = {}
    positions, written_rates = table.cells((), columns)
    for row, written in enumerate(positions):
        position = _number(written)
        rate = _number(written_rates[row])
        wrong = ""
        if position is None or position != int(position):
            wrong = f"the position is {quoted(str(written))}; write a whole number"
        elif rate is None or rate <= 0:
            shown = quoted(str(written_rates[row]))
            wrong = f"the rate is {shown}; write a number above 0"
        elif int(position) in rates:
            wrong = f"position {int(position)} stands twice; keep one rate"
        else:
            rates[int(position)] = rate
        if wrong:
            problems.add(wrong, table.place(row))
    problems.raise_if_any()
    return rates


def _column(table: Table, wanted: str) -> int:
    column = find_column(table.names, [wanted])
    if column is None:
        close = did_you_mean(wanted, table.names)
        table.source.refuse(
            f"a file of rates has the columns position and rate; found {shown_names(table.names)}{close}"
        )
    return column


def _number(cell: object) -> float | None:
    """Return the finite number in a cell; None for any other cell."""
    try:
        number = float(str(cell))
    except ValueError:
        return None
    return number if np.isfinite(number) else None
