"""`pytest-relevance compare`: two runs over the same cases.

A is the older run, B the newer one. Each is a record (pytest --relevance-record=FILE),
or a run of another tool (TREC, CSV, Parquet, JSON), which needs --judgments. Single
cases are compared by the metric that is named first.

The exit code is 0 if every given gate is met. It is 1 if a gate is not met, or if a
case is an error in B and was none in A. It is 2 if A and B cannot be compared: their
queries, judgments or settings differ, there is an error, or a run did not finish.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.cli.arguments import (
    checked_by,
    finite_number,
    regular_file,
    whole_from,
)
from pytest_relevance.cli.command import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.output import complain, deliver, say
from pytest_relevance.cli.report_options import (
    FORMATS_OF_COMPARISONS,
    add_report,
    report_format,
    report_width,
)
from pytest_relevance.ext.comparing.compare import compare_runs
from pytest_relevance.ext.comparing.pairing import NO_LINE, no_line
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.metrics.settings import CHOICES
from pytest_relevance.reports.formats import TEXT, comparison_report
from pytest_relevance.reports.terminal_text import terminal_width
from pytest_relevance.results.compare.comparison import Comparison
from pytest_relevance.results.compare.incompatibilities import Incomparable

_NO_VARIANT = "-"

_BY_JUDGMENTS = "--judgments FILE scores both by the same judgments: a case file, or a judgment file in any format"
_REMEDIES: Mapping[str, str] = {
    "judgments": _BY_JUDGMENTS,
    "no judgments": _BY_JUDGMENTS,
    "settings": "--set NAME=VALUE scores both by one setting, --metric nDCG@10 at one cutoff",
}
"""The options that solve an incompatibility, by its kind."""

_SETTINGS = (*CHOICES, "max_grade")
"""The names of the settings for `--set`."""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument("first", metavar="A", type=regular_file, help="the older run")
    parser.add_argument("second", metavar="B", type=regular_file, help="the newer run")
    parser.add_argument(
        "--metric",
        dest="metrics",
        metavar="METRIC",
        type=_metric,
        action="append",
        default=[],
        help="a metric to compare by, such as nDCG@10; may be repeated (default: the nDCG@k of the cases)",
    )
    _declare_judging(parser)
    _declare_cases(parser)
    _declare_gates(parser)
    output = parser.add_argument_group("output")
    add_report(output, FORMATS_OF_COMPARISONS, has_images=True)
    output.add_argument(
        "--limit",
        metavar="N",
        type=whole_from(0),
        default=5,
        help="list N queries and tags at most; 0: all of them (default: %(default)s)",
    )


def _declare_judging(parser: ArgumentParser) -> None:
    """Add the options that score both runs again."""
    parser.add_argument(
        "--judgments",
        "--qrels",
        metavar="FILE",
        type=regular_file,
        help="score both runs again, with the judgments of a case file or of a judgment file in any format",
    )
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        type=_setting,
        action="append",
        default=[],
        help=f"score both runs again, with another setting: {', '.join(_SETTINGS)}",
    )


def _declare_cases(parser: ArgumentParser) -> None:
    """Add the options that say which cases are compared."""
    parser.add_argument(
        "--variants",
        metavar=("OF_A", "OF_B"),
        nargs=2,
        help=f"compare a variant of the search in A with one in B; {_NO_VARIANT} is a search without variants",
    )
    parser.add_argument(
        "--common",
        action="store_true",
        help=(
            "compare the cases that both runs have, and list the cases that only "
            "one has"
        ),
    )
    parser.add_argument(
        "--missing",
        choices=("refuse", "empty"),
        default="refuse",
        help="a judged query that a run does not have: refuse to compare (default), or score an empty ranking",
    )


def _declare_gates(parser: ArgumentParser) -> None:
    """Add the options that make the exit code 1 if the newer run is too bad."""
    gates = parser.add_argument_group("gates")
    gates.add_argument(
        "--max-drop",
        metavar="METRIC=X",
        type=_max_drop,
        action="append",
        default=[],
        help="fail if the mean drops by more than X, such as nDCG@10=0.02; may be repeated",
    )
    gates.add_argument(
        "--min",
        dest="least",
        metavar="METRIC=X",
        type=_least,
        action="append",
        default=[],
        help="fail if the mean in B is below X, such as overlap@10=0.9; may be repeated",
    )
    gates.add_argument(
        "--p",
        metavar="P",
        type=float,
        help=(
            "with --max-drop: fail only if the p-value of the drop is at most P; "
            "p-values of several metrics are corrected by Holm's method"
        ),
    )
    gates.add_argument(
        "--max-case-drop",
        metavar="X",
        type=float,
        help="fail if a single case drops by more than X, by the first metric",
    )


# --- values of options ----------------------------------------------------------------


def _metric(text: str) -> str:
    """Return the name of a metric in its canonical spelling."""
    return checked_by(metric_named, text).text


def _max_drop(text: str) -> tuple[str, float]:
    """Return a metric and by how much its mean may drop, from `nDCG@10=0.02`."""
    return _bound(text, "by how much its mean may drop", "nDCG@10", "0.02")


def _least(text: str) -> tuple[str, float]:
    """Return a metric and the lowest mean that it may have, from `overlap@10=0.9`."""
    return _bound(text, "the least that its mean may be", "overlap@10", "0.9")


def _bound(text: str, what: str, metric: str, number: str) -> tuple[str, float]:
    """Return a metric and a number, from a text that joins them by `=`.

    `what` describes the number in an error; `metric` and `number` are the example.
    """
    # a metric name may contain = too: P(rel=2)@5=0.1
    name, _, amount = text.rpartition("=")
    if not name:
        raise ArgumentTypeError(
            f"expected a metric and {what}, {metric}={number}, found {quoted(text)}"
        )
    return _metric(name), finite_number(amount, f"{what}, such as {number}")


def _setting(text: str) -> tuple[str, Any]:
    """Return a setting and its value, from `gain=linear`."""
    name, sign, value = text.partition("=")
    if not sign or name not in _SETTINGS:
        meant = did_you_mean(name, _SETTINGS)
        advice = meant or f"; settings are {listed(_SETTINGS, 'and')}"
        raise ArgumentTypeError(
            f"expected a setting and its value, gain=linear, found {quoted(text)}{advice}"
        )
    if name == "max_grade":
        return name, finite_number(value, "a number for max_grade")
    return name, value


# --- the command ----------------------------------------------------------------------


def run(arguments: Namespace) -> int:
    """Compare the runs, judge the gates, write the report, and return the exit code.

    Nothing is printed before the whole report is made. Raises `CommandError` if the
    runs cannot be compared.
    """
    first, second, output = arguments.first, arguments.second, arguments.output
    _refuse_repeated("--max-drop", arguments.max_drop)
    _refuse_repeated("--min", arguments.least)
    _refuse_repeated("--set", arguments.settings)
    inputs = (first, second, arguments.judgments)
    format = report_format(arguments, FORMATS_OF_COMPARISONS, inputs)
    try:
        comparison = _comparison(arguments)
        gates = comparison.judge(
            dict(arguments.max_drop),
            p=arguments.p,
            max_case_drop=arguments.max_case_drop,
            min_mean=dict(arguments.least),
        )
        options = {
            "width": report_width(arguments) if format == TEXT else terminal_width(),
            "max_chars": arguments.max_chars,
            "limit": arguments.limit or sys.maxsize,
            "images": arguments.images == "link",
        }
        report = comparison_report(format, comparison, gates, **options)
        if output is not None:
            text = comparison_report(TEXT, comparison, gates, **options)
    except Incomparable as error:
        raise CommandError(_with_remedies(error)) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise CommandError(f"{PROGRAM} compare: {error}") from None
    deliver(report, format, output)
    if output is not None:
        say(text, end="")
    if os.path.realpath(first) == os.path.realpath(second) and not arguments.variants:
        complain(f"A and B are the same file: {first}")
    return OK if gates.passed else FOUND


def _refuse_repeated(option: str, given: Sequence[tuple[str, Any]]) -> None:
    names = [name for name, _ in given]
    repeated = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if repeated:
        raise CommandError(
            f"{PROGRAM} compare: {option} is given twice for "
            f"{listed(repeated, 'and')}; keep one of them"
        )


def _comparison(arguments: Namespace) -> Comparison:
    """Return the comparison of the runs. Raises ValueError if it is impossible."""
    metrics = list(arguments.metrics)
    metrics += [name for name, _ in arguments.max_drop]
    metrics += [name for name, _ in arguments.least]
    variants = None
    if arguments.variants:
        of_first, of_second = arguments.variants
        variants = (_variant(of_first), _variant(of_second))
    return compare_runs(
        arguments.first,
        arguments.second,
        metrics or None,
        judgments=arguments.judgments,
        variants=variants,
        common=arguments.common,
        missing=arguments.missing,
        **dict(arguments.settings),
    )


def _variant(name: str) -> str | None:
    return None if name == _NO_VARIANT else name


def _with_remedies(error: Incomparable) -> str:
    """Return why the runs cannot be compared, and which options help."""
    remedies = [remedy for kind, remedy in _REMEDIES.items() if kind in error.kinds]
    if error.in_common:  # never with --common
        cases = counted(error.in_common, "case")
        remedies.append(
            f"--common compares the {cases} that can be compared, and says what is left out"
        )
    why = str(error).replace(NO_LINE, no_line("--missing empty"))
    return "\n".join([why, *dict.fromkeys(remedies)])
