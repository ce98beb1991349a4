"""`pytest-relevance clicks`: judgments from logs of clicks, to fill gaps.

A log is a table with query, document, position, impressions and clicks, or User
Behavior Insights. The grade of a document is made of its clicks, divided by the clicks
expected at its positions. How much a position is worth is fitted to the log. So
documents must have been shown at several positions: run two rankers side by side.
"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, listed
from pytest_relevance.cli.arguments import finite_number, regular_file
from pytest_relevance.cli.command import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.output import check_output, complain, say, write

if TYPE_CHECKING:
    from pytest_relevance.ext.clicks.click_log import ClickLog
    from pytest_relevance.ext.clicks.grading import ClickJudgments
    from pytest_relevance.ext.clicks.rates import Rates

_RECIPROCAL = "reciprocal"
_MIN_EXPECTED = 5.0


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "files",
        metavar="FILE",
        type=regular_file,
        nargs="+",
        help="a log: a table, or User Behavior Insights (both ubi_queries and ubi_events)",
    )
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        required=True,
        help="the file of judgments to write, as CSV",
    )
    least = "the expected clicks that a document needs for a judgment (default: 5)"
    parser.add_argument(
        "--min-expected",
        metavar="N",
        type=_from_zero,
        default=_MIN_EXPECTED,
        help=least,
    )
    parser.add_argument(
        "--levels",
        choices=["none"],
        help="none: the grade is clicks over expected clicks, not a level from 0 to 3",
    )
    parser.add_argument(
        "--rates",
        metavar="FILE",
        help="assume the rates of positions: a table with position and rate, or "
        f"`{_RECIPROCAL}` for 1, 1/2, 1/3 ...",
    )
    for option, what in (("--click", "clicks"), ("--impression", "impressions")):
        parser.add_argument(
            option,
            metavar="ACTION",
            action="append",
            help=f"the action_name of events that are {what}; may be repeated",
        )
    parser.add_argument(
        "--without-client",
        metavar="CLIENT",
        action="append",
        default=[],
        help="leave out a client, such as a bot; may be repeated",
    )
    parser.add_argument(
        "--filtered",
        action="store_true",
        help="count searches whose query_attributes have filters too",
    )


def _from_zero(text: str) -> float:
    number = finite_number(text, "a number from 0 on")
    if number < 0:
        raise ArgumentTypeError(f"expected a number from 0 on, found {text}")
    return number


def run(arguments: Namespace) -> int:
    """Read the logs, write the judgments, print how they were made.

    Raises `CommandError` if no two positions are linked, or if no judgment is left.
    """
    # imported here, because the modules import numpy, and other commands do not need it
    from pytest_relevance.ext.clicks.click_log import CLICKS, IMPRESSIONS, LogOptions
    from pytest_relevance.ext.clicks.grading import judge
    from pytest_relevance.ext.clicks.reading import read_logs
    from pytest_relevance.ext.clicks.writing import (
        client_warnings,
        is_own,
        judgment_file,
        report_lines,
        unknown_client_warnings,
        unread_warnings,
    )

    files = [str(path) for path in arguments.files]
    inputs = [*arguments.files]
    if arguments.rates not in (None, _RECIPROCAL):
        inputs.append(Path(arguments.rates))
    otherwise = f"no file of {PROGRAM} clicks"
    check_output(arguments, inputs, is_own=is_own, otherwise=otherwise)
    options = LogOptions(
        clicks=arguments.click or CLICKS,
        impressions=arguments.impression or IMPRESSIONS,
        without_clients=arguments.without_client,
        filtered=arguments.filtered,
    )
    read = read_logs(files, options)
    name = listed(files, "and")
    warnings = [
        *client_warnings(read),
        *unknown_client_warnings(read, arguments.without_client),
        *unread_warnings(read),
    ]
    for warning in warnings:
        complain(f"{name}: {warning}")
    rates = _rates(name, read.log, arguments.rates)
    judged = judge(read.log, rates, arguments.min_expected)
    if not len(judged.pair):
        raise CommandError(_nothing_left(name, judged, arguments.min_expected), FOUND)
    has_levels = arguments.levels is None
    data = judgment_file(read.log, judged, rates, has_levels=has_levels)
    write(arguments.output, data)
    for line in report_lines(read, rates, judged, has_levels=has_levels):
        say(line)
    say(f"written: {arguments.output}: {_counts(read.log, judged)}")
    return OK


def _rates(name: str, log: ClickLog, chosen: str | None) -> Rates:
    """Return the rates of positions: fitted, or what `--rates` says.

    Raises `CommandError` if rates are to be fitted and no two positions are linked, and
    `FileError` if the file that `--rates` names is wrong.
    """
    from pytest_relevance.ext.clicks.rates import (
        fitted_rates,
        linked_positions,
        rates_of_file,
        reciprocal_rates,
    )

    if chosen == _RECIPROCAL:
        return reciprocal_rates(log)
    if chosen is not None:
        return rates_of_file(log, chosen)
    linked = linked_positions(log)
    if not linked.any():
        raise CommandError(_never_vary(name, log), FOUND)
    return fitted_rates(log, linked)


def _never_vary(name: str, log: ClickLog) -> str:
    """Return the message for a log whose positions are not linked."""
    from pytest_relevance.ext.clicks.rates import LEAST_SHARED

    varied = log.pairs_at_several_positions()
    vary = "vary too little" if varied else "never vary"
    found = (
        f"{varied:,} of {counted(len(log.query_of), 'pair')} of query and document were shown at several "
        f"positions, and no two positions share {LEAST_SHARED} clicks on them"
    )
    return (
        f"{name}: positions {vary}, so nothing tells how much a position is worth: {found}. Run two rankers "
        f"side by side, or give --rates FILE or --rates {_RECIPROCAL}"
    )


def _nothing_left(name: str, judged: ClickJudgments, min_expected: float) -> str:
    most = judged.largest_expected
    return (
        f"{name}: no pair of query and document has {min_expected:g} expected clicks or more; the most is {most:.1f}. "
        "Give a longer log, or a lower --min-expected"
    )


def _counts(log: ClickLog, judged: ClickJudgments) -> str:
    queries = len(set(log.query_of[judged.pair].tolist()))
    judgments = counted(len(judged.pair), "judgment")
    return f"{counted(queries, 'query', 'queries')}, {judgments}"
