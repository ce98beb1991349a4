"""The file of judgments from clicks, and the report of how they were made."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import chain

from pytest_relevance._csv_cells import csv_text, escaped
from pytest_relevance._text import counted, did_you_mean, first_few, listed, quoted
from pytest_relevance.ext.clicks.click_log import ClickLog
from pytest_relevance.ext.clicks.grading import ClickJudgments, names_of
from pytest_relevance.ext.clicks.left_out import left_out_lines
from pytest_relevance.ext.clicks.rates import FITTED, Rates
from pytest_relevance.ext.clicks.reading import ReadLog

RATER = "clicks"

HEADER = (
    "query",
    "document",
    "grade",
    "rater",
    "machine",
    "clicks",
    "expected",
    "coec",
    "rates",
)
"""The columns of the file. Readers of judgments read the first five."""

MOST_OF_A_CLIENT = 0.05
"""The share of all clicks above which a client is named: it may be a bot."""

_MOST_RATES = 10


def judgment_file(
    log: ClickLog, judged: ClickJudgments, rates: Rates, *, has_levels: bool
) -> bytes:
    """Return the file of judgments as CSV, the queries in the order of the log.

    `has_levels`: whether the grades are levels; else they are COEC.
    """
    rows = _rows(log, judged, rates, has_levels=has_levels)
    return csv_text(chain([HEADER], rows)).encode()


def _rows(
    log: ClickLog, judged: ClickJudgments, rates: Rates, *, has_levels: bool
) -> Iterator[Sequence[object]]:
    coec = [f"{value:.4g}" for value in judged.coec.tolist()]
    grades = judged.levels() if has_levels else coec
    names = names_of(log, judged.pair)
    clicks = judged.clicks.tolist()
    expected = judged.expected.tolist()
    for row, (query, document) in enumerate(names):
        yield (
            escaped(query),
            escaped(document),
            grades[row],
            RATER,
            "true",
            int(clicks[row]),
            f"{expected[row]:.1f}",
            coec[row],
            escaped(rates.origin),
        )


def is_own(data: bytes) -> bool:
    """Say whether a file begins as this command writes it."""
    return data.startswith(",".join(HEADER).encode())


# --- the report -----------------------------------------------------------------------


def report_lines(
    read: ReadLog, rates: Rates, judged: ClickJudgments, *, has_levels: bool
) -> list[str]:
    """Return what was read, the rates, the judgments, and what was left out."""
    log = read.log
    seen = counted(int(log.impressions.sum()), "impression")
    clicks = counted(int(log.clicks.sum()), "click")
    pairs = counted(len(log.query_of), "pair")
    lines = [f"read: {clicks} and {seen} of {pairs} of query and document"]
    lines.append(_rates_text(log, rates))
    if has_levels:
        lines.append(_grades_text(judged))
    left_out = [
        *left_out_lines(read.left_out),
        *_unused_positions(log, rates),
        *left_out_lines(judged.left_out),
    ]
    if left_out:
        lines.append("left out:")
        lines += [f"  {line}" for line in left_out]
    return lines


def _rates_text(log: ClickLog, rates: Rates) -> str:
    """Return the rates of the first positions, and where they come from."""
    texts = []
    for position, rate in zip(log.positions, rates.of.tolist(), strict=True):
        if rate == rate:
            texts.append(f"{position}: {rate:.2f}")
    if rates.origin == FITTED:
        origin = "fitted"
    else:
        origin = f"assumed ({rates.origin}), not measured"
    return f"rates of positions, {origin}: {first_few(texts, _MOST_RATES)}"


def _grades_text(judged: ClickJudgments) -> str:
    counts = Counter(judged.levels())
    texts = [f"{grade}: {counts[grade]:,}" for grade in (3, 2, 1, 0)]
    return f"grades: {', '.join(texts)}"


def _unused_positions(log: ClickLog, rates: Rates) -> list[str]:
    """Return a line for the positions that are not used; [] if all are used."""
    names = []
    for position, is_used in zip(log.positions, rates.used.tolist(), strict=True):
        if not is_used:
            names.append(str(position))
    if not names:
        return []
    clicks = counted(int(log.clicks[~rates.used[log.position]].sum()), "click")
    why = f"without a rate in {rates.origin}"
    if rates.origin == FITTED:
        why = "not linked to the others"
    of = counted(len(names), "position")
    return [f"{of} {why}, with {clicks}: {first_few(names, _MOST_RATES)}"]


def client_warnings(read: ReadLog) -> list[str]:
    """Return a sentence about the clients with too many clicks, which may be bots.

    [] if no client has too many clicks.
    """
    total = sum(read.clicks_of.values())
    busy = []
    for client, clicks in sorted(read.clicks_of.items(), key=lambda item: -item[1]):
        if clicks > MOST_OF_A_CLIENT * total:
            share = f"{clicks:,} of {total:,} clicks, {clicks / total:.0%}"
            busy.append(f"{quoted(client, 40)} ({share})")
    if not busy:
        return []
    has = "a client has" if len(busy) == 1 else f"{len(busy)} clients have"
    return [
        f"{has} more than {MOST_OF_A_CLIENT:.0%} of all clicks: {first_few(busy)}. A bot, a test or a shared "
        "address makes wrong grades; --without-client leaves a client out"
    ]


def unknown_client_warnings(
    read: ReadLog, without_clients: Collection[str]
) -> list[str]:
    """Return a sentence for each client to leave out that the log does not have.

    [] if the log has all of them.
    """
    unknown = []
    for client in without_clients:
        if client not in read.clients_left_out:
            close = did_you_mean(client, read.clicks_of)
            unknown.append(f"no client is called {quoted(client, 40)}{close}")
    return unknown


def unread_warnings(read: ReadLog) -> list[str]:
    """Return one sentence that names the first five columns that nothing reads.

    [] if all columns are read.
    """
    if not read.unread:
        return []
    names = listed([quoted(name) for name in read.unread[:5]], "and")
    columns = "column" if len(read.unread) == 1 else "columns"
    return [
        f"nothing reads the {columns} {names}; rows that differ there alone are added up"
    ]
