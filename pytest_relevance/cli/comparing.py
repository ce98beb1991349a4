"""The arguments of `pytest-relevance compare`: each checked for itself, and then together, before anything is read."""

from __future__ import annotations

import math
import os
import re
from argparse import ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pytest_relevance._text import did_you_mean, listed, quoted
from pytest_relevance.cli import PROGRAM, CommandError
from pytest_relevance.cli.parsing import existing
from pytest_relevance.cli.text import refuse_to_replace
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.settings import CHOICES

_A_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")

SETTINGS = (*CHOICES, "max_grade")
"""What `--set` sets."""


def check(arguments: Namespace) -> None:
    """Refuse what cannot be meant, before anything is read."""
    from pytest_relevance.results.baseline import SUFFIX
    from pytest_relevance.results.compare.rejudging import CASE_FILES
    from pytest_relevance.results.compare.sources import kind_of
    from pytest_relevance.results.compare.thresholds import allowance_of, is_allowance

    for option, given in (("--max-drop", arguments.max_drop), ("--set", arguments.settings)):
        twice = [name for name, times in Counter(name for name, _ in given).items() if times > 1]
        if twice:
            raise CommandError(
                f"{PROGRAM} compare: {option} is given twice for {listed(twice, 'and')}; keep one of them"
            )
    if arguments.p is not None and not arguments.max_drop:
        raise CommandError(
            f"{PROGRAM} compare: --p says which drops of a mean count; give --max-drop with it, such as nDCG@10=0.02"
        )
    if arguments.max_case_drop is not None:
        by = parse_metric(
            next(iter([*(arguments.metrics or ()), *(name for name, _ in arguments.max_drop)]), "nDCG@10")
        )
        if not is_allowance(arguments.max_case_drop, by):
            raise CommandError(
                f"{PROGRAM} compare: --max-case-drop is {allowance_of(by)}, not {arguments.max_case_drop:g}"
            )
    for path in (arguments.first, arguments.second):
        if path.suffix in CASE_FILES:
            accepted = f"{path}{SUFFIX}"
            its = f"; its baseline is one: {accepted}" if os.path.isfile(accepted) else ""
            raise CommandError(
                f"{PROGRAM} compare: {quoted(str(path))} is a case file, which says what should be found, and no run"
                f"{its}\n--judgments takes a case file; a record of a run is written by pytest --relevance-record=FILE"
            )
    if arguments.judgments is not None and (kind := kind_of(arguments.judgments) or "").startswith("pytest-relevance "):
        raise CommandError(
            f"{PROGRAM} compare: {quoted(str(arguments.judgments))} is a {kind.removeprefix('pytest-relevance ')}, "
            "which has no judgments in it; --judgments takes a case file, or a judgment file in any format"
        )
    inputs = (arguments.first, arguments.second, arguments.judgments)
    if arguments.output is not None and any(
        path is not None and os.path.realpath(path) == os.path.realpath(arguments.output) for path in inputs
    ):
        raise CommandError(f"{PROGRAM} compare: --output {quoted(arguments.output)} is one of the files that are read")
    if arguments.output is not None:
        from pytest_relevance.reports.comparison import is_report

        refuse_to_replace("compare", arguments.output, is_report, "no report of a comparison")


def check_records(arguments: Namespace) -> None:
    """Refuse records that a hand has broken where reading does not look: something went wrong."""
    from pytest_relevance.results import record
    from pytest_relevance.results.compare.sources import kind_of
    from pytest_relevance.results.run import RecordError

    for path in (arguments.first, arguments.second):
        if kind_of(path) == record.KIND:
            try:
                record.check_record(path)
            except RecordError as error:
                raise CommandError(f"{PROGRAM} compare: {error}") from None


def file(text: str) -> Path:
    """A file that is there, and can be read more than once."""
    path = existing(text)
    if not path.is_file():
        raise ArgumentTypeError(f"{quoted(text)} is no file but a pipe or a device; write what it has to a file first")
    return path


def metric(text: str) -> str:
    """The name of a metric, as it is usually written."""
    try:
        return parse_metric(text).text
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def drop(text: str) -> tuple[str, float]:
    """`nDCG@10=0.02`: a metric, and by how much its mean may drop."""
    name, sign, amount = text.rpartition("=")  # the name of a metric may have one too: P(rel=2)@5=0.1
    if not sign or not name:
        raise ArgumentTypeError(
            f"expected a metric and by how much its mean may drop, nDCG@10=0.02, found {quoted(text)}"
        )
    name = metric(name)
    return name, _allowance_of(name, amount)


def allowance(text: str) -> float:
    """By how much a score may drop; `check` knows by which metric."""
    return _number(text, lambda found: 0 <= found < math.inf, "by how much a score may drop, 0 or more, such as 0.02")


def _allowance_of(name: str, text: str) -> float:
    from pytest_relevance.results.compare.thresholds import allowance_of, is_allowance

    by = parse_metric(name)
    return _number(text, lambda found: is_allowance(found, by), allowance_of(by))


def probability(text: str) -> float:
    """A p-value."""
    return _number(text, lambda found: 0 < found <= 1, "a p-value above 0 and at most 1, such as 0.05")


def _number(text: str, is_meant: Callable[[float], bool], what: str) -> float:
    found = float(text) if _A_NUMBER.fullmatch(text) else math.nan
    if not is_meant(found):
        raise ArgumentTypeError(f"expected {what}, found {quoted(text)}")
    return found


def whole_from(least: int) -> Callable[[str], int]:
    """What reads a whole number."""

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"expected a whole number from {least} on, found {quoted(text)}")
        return int(text)

    return whole


def setting(text: str) -> tuple[str, Any]:
    """`gain=linear`: a setting and its value."""
    name, sign, value = text.partition("=")
    if not sign or name not in SETTINGS:
        raise ArgumentTypeError(
            f"expected a setting and its value, gain=linear, found {quoted(text)}"
            + (did_you_mean(name, SETTINGS) or f"; settings are {listed(SETTINGS, 'and')}")
        )
    return name, _number(value, math.isfinite, "a number for max_grade") if name == "max_grade" else value
