"""Convert and check the arguments of `pytest-relevance compare`, each alone and then all together.

The functions for single arguments raise ArgumentTypeError for invalid text.
"""

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
from pytest_relevance.cli.command_table import PROGRAM, CommandError
from pytest_relevance.cli.parsing import checked_by, existing
from pytest_relevance.cli.text import refuse_to_replace
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.settings import CHOICES

_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")

SETTINGS = (*CHOICES, "max_grade")
"""The names of the settings for `--set`."""


def file(text: str) -> Path:
    """Return the path of an existing regular file, which can be read more than once."""
    path = existing(text)
    if not path.is_file():
        raise ArgumentTypeError(f"{quoted(text)} is no file but a pipe or a device; write what it has to a file first")
    return path


def metric(text: str) -> str:
    """Return the name of a metric in its canonical spelling."""
    return checked_by(parse_metric, text).text


def drop(text: str) -> tuple[str, float]:
    """Parse a metric and by how much its mean may drop: `nDCG@10=0.02`."""
    from pytest_relevance.results.compare.comparison import allowance_of, is_allowance

    name, sign, amount = text.rpartition("=")  # a metric name may contain = too: P(rel=2)@5=0.1
    if not sign or not name:
        raise ArgumentTypeError(
            f"expected a metric and by how much its mean may drop, nDCG@10=0.02, found {quoted(text)}"
        )
    by = checked_by(parse_metric, name)
    return by.text, _number(amount, lambda found: is_allowance(found, by), allowance_of(by))


def allowance(text: str) -> float:
    """Parse by how much a score may drop, 0 or more; `check` compares it with the range of the metric."""
    return _number(text, lambda found: 0 <= found < math.inf, "by how much a score may drop, 0 or more, such as 0.02")


def probability(text: str) -> float:
    """Parse a p-value, above 0 and at most 1."""
    return _number(text, lambda found: 0 < found <= 1, "a p-value above 0 and at most 1, such as 0.05")


def _number(text: str, is_allowed: Callable[[float], bool], what: str) -> float:
    found = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not is_allowed(found):
        raise ArgumentTypeError(f"expected {what}, found {quoted(text)}")
    return found


def whole_from(least: int) -> Callable[[str], int]:
    """Return the argparse type of a whole number that is at least `least`."""

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"expected a whole number from {least} on, found {quoted(text)}")
        return int(text)

    return whole


def setting(text: str) -> tuple[str, Any]:
    """Parse a setting and its value: `gain=linear`."""
    name, sign, value = text.partition("=")
    if not sign or name not in SETTINGS:
        raise ArgumentTypeError(
            f"expected a setting and its value, gain=linear, found {quoted(text)}"
            + (did_you_mean(name, SETTINGS) or f"; settings are {listed(SETTINGS, 'and')}")
        )
    return name, _number(value, math.isfinite, "a number for max_grade") if name == "max_grade" else value


def check(arguments: Namespace) -> None:
    """Raise `CommandError` for arguments that contradict each other, before anything is read."""
    for problem in (_given_twice, _without_its_option, _too_large_a_drop, _no_run, _no_judgments, _is_input):
        if message := problem(arguments):
            raise CommandError(f"{PROGRAM} compare: {message}")
    if arguments.output is not None:
        from pytest_relevance.reports.comparison import is_report

        refuse_to_replace("compare", arguments.output, is_report, "no report of a comparison")


def metrics_of(arguments: Namespace) -> list[str]:
    """Return the metrics named by `--metric` and by gates, each once."""
    return list(dict.fromkeys([*(arguments.metrics or ()), *(name for name, _ in arguments.max_drop)]))


def _given_twice(arguments: Namespace) -> str:
    for option, given in (("--max-drop", arguments.max_drop), ("--set", arguments.settings)):
        twice = [name for name, times in Counter(name for name, _ in given).items() if times > 1]
        if twice:
            return f"{option} is given twice for {listed(twice, 'and')}; keep one of them"
    return ""


def _without_its_option(arguments: Namespace) -> str:
    if arguments.p is not None and not arguments.max_drop:
        return "--p says which drops of a mean count; give --max-drop with it, such as nDCG@10=0.02"
    if arguments.grade_column is not None and arguments.judgments is None:
        return "--grade-column names a column of the file that --judgments takes; give both"
    return ""


def _too_large_a_drop(arguments: Namespace) -> str:
    from pytest_relevance.results.compare.comparison import allowance_of, is_allowance

    by = parse_metric(next(iter(metrics_of(arguments)), "nDCG@10"))
    if arguments.max_case_drop is None or is_allowance(arguments.max_case_drop, by):
        return ""
    return f"--max-case-drop is {allowance_of(by)}, not {arguments.max_case_drop:g}"


def _no_run(arguments: Namespace) -> str:
    from pytest_relevance.results.baseline.file import SUFFIX
    from pytest_relevance.results.compare.rejudging import CASE_FILES

    for path in (arguments.first, arguments.second):
        if path.suffix in CASE_FILES:
            accepted = f"{path}{SUFFIX}"
            its = f"; its baseline is one: {accepted}" if os.path.isfile(accepted) else ""
            return (
                f"{quoted(str(path))} is a case file, which says what should be found, and no run{its}\n--judgments "
                "takes a case file; a record of a run is written by pytest --relevance-record=FILE"
            )
    return ""


def _no_judgments(arguments: Namespace) -> str:
    from pytest_relevance.results.compare.rejudging import CASE_FILES
    from pytest_relevance.results.compare.runs import kind_of

    path = arguments.judgments
    if path is None:
        return ""
    if (kind := kind_of(path) or "").startswith("pytest-relevance "):
        return (
            f"{quoted(str(path))} is a {kind.removeprefix('pytest-relevance ')}, which has no judgments in it; "
            "--judgments takes a case file, or a judgment file in any format"
        )
    if arguments.grade_column is not None and path.suffix in CASE_FILES:
        return f"{quoted(str(path))} is a case file, which has no columns; leave out --grade-column"
    return ""


def _is_input(arguments: Namespace) -> str:
    target, inputs = arguments.output, (arguments.first, arguments.second, arguments.judgments)
    if target is None or os.path.realpath(target) not in {os.path.realpath(path) for path in inputs if path}:
        return ""
    return f"--output {quoted(target)} is one of the files that are read"
