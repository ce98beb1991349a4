"""`pytest-relevance compare`: two runs over the same cases, figure by figure and query
by query.

A is the older run, B the newer one. Each is a record (pytest --relevance-record=FILE),
or a run of another tool (TREC, CSV, Parquet, JSON), which needs --judgments. Single
cases are compared by the metric that is named first.

The exit code is 0 if every gate that is given is met. It is 1 if one is not met, or if
a case is an error in B and was none in A. It is 2 if A and B cannot be compared: they
have other queries, other judgments or other settings, there is an error, or a run did
not finish.
"""

from __future__ import annotations

import math
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.cli import command
from pytest_relevance.cli.command import (
    FOUND,
    OK,
    PROGRAM,
    CommandError,
    checked_by,
)
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.metrics.settings import CHOICES
from pytest_relevance.reports.formats import (
    TEXT,
    ReportOptions,
    comparison_report,
    is_report,
)
from pytest_relevance.reports.terminal_text import WIDEST, terminal_width

if TYPE_CHECKING:
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
    """Add the arguments."""
    repeated: dict[str, Any] = {"action": "append", "default": []}
    metric = "a metric to compare by, such as nDCG@10; may be repeated (default: the nDCG@k of the cases)"
    judgments = "score both runs again, with the judgments of a case file or of a judgment file in any format"
    settings = f"score both runs again, with another setting: {', '.join(_SETTINGS)}"
    variants = f"compare a variant of the search in A with one in B; {_NO_VARIANT} is a search without variants"
    missing = "a judged query that a run does not have: refuse to compare (default), or score an empty ranking"
    drop = (
        "fail if the mean drops by more than X, such as nDCG@10=0.02; may be repeated"
    )
    least = "fail if the mean in B is below X, such as overlap@10=0.9; may be repeated"
    case_drop = "fail if a single case drops by more than X, by the first metric"
    p = "with --max-drop: fail only if the p-value of the drop, Holm's of several metrics, is at most P"
    limit = "list N queries and tags at most; 0: all of them (default: %(default)s)"
    add = parser.add_argument
    add("first", metavar="A", type=command.regular_file, help="the older run")
    add("second", metavar="B", type=command.regular_file, help="the newer run")
    add(
        "--metric",
        dest="metrics",
        metavar="METRIC",
        type=_metric,
        help=metric,
        **repeated,
    )
    add(
        "--judgments",
        "--qrels",
        metavar="FILE",
        type=command.regular_file,
        help=judgments,
    )
    add(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        type=_setting,
        help=settings,
        **repeated,
    )
    add("--variants", metavar=("OF_A", "OF_B"), nargs=2, help=variants)
    add(
        "--common",
        action="store_true",
        help="compare the cases that both runs have, and list the others",
    )
    add("--missing", choices=("refuse", "empty"), default="refuse", help=missing)
    add = parser.add_argument_group("gates").add_argument
    add("--max-drop", metavar="METRIC=X", type=_drop, help=drop, **repeated)
    add("--min", dest="least", metavar="METRIC=X", type=_least, help=least, **repeated)
    add("--p", metavar="P", type=float, help=p)
    add("--max-case-drop", metavar="X", type=float, help=case_drop)
    output = parser.add_argument_group("output")
    command.add_report(output, command.FORMATS_OF_COMPARISONS, has_images=True)
    add = output.add_argument
    add("--limit", metavar="N", type=command.whole_from(0), default=5, help=limit)


def run(arguments: Namespace) -> int:
    """Compare the runs, judge the gates, print or write the report, and return the exit
    code.

    Nothing is printed before all of it is computed. Raises `CommandError` where the
    runs cannot be compared.
    """
    from pytest_relevance.results.compare.incompatibilities import Incomparable

    for message in _contradictions(arguments):
        raise CommandError(f"{PROGRAM} compare: {message}")
    first, second, output = arguments.first, arguments.second, arguments.output
    inputs = (first, second, arguments.judgments)
    command.check_output(arguments, inputs, is_report, "no report")
    format = command.report_format(arguments, command.FORMATS_OF_COMPARISONS)
    try:
        comparison = _comparison(arguments)
        gates = comparison.judge(
            dict(arguments.max_drop),
            p=arguments.p,
            max_case_drop=arguments.max_case_drop,
            min_mean=dict(arguments.least),
        )
        is_text_file = format == TEXT and output is not None
        options = ReportOptions(
            width=WIDEST if is_text_file else terminal_width(),
            max_chars=arguments.max_chars,
            limit=arguments.limit or sys.maxsize,
            images=arguments.images == "link",
        )
        report = comparison_report(format, comparison, gates, options)
        if output is not None:
            text = comparison_report(TEXT, comparison, gates, options)
    except Incomparable as error:
        raise CommandError(_with_remedies(error, arguments)) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise CommandError(f"{PROGRAM} compare: {error}") from None
    command.deliver(report, format, output)
    if output is not None:
        command.say(text, end="")
    if os.path.realpath(first) == os.path.realpath(second) and not arguments.variants:
        command.complain(f"A and B are the same file: {first}")
    return OK if gates.passed else FOUND


def _comparison(arguments: Namespace) -> Comparison:
    """Compare the runs. Raises ValueError if they cannot be compared."""
    from pytest_relevance.ext.comparing.compare import compare_runs

    metrics = list(arguments.metrics)
    metrics += [name for name, _ in (*arguments.max_drop, *arguments.least)]
    variants: Any = None
    if arguments.variants:
        variants = [
            None if name == _NO_VARIANT else name for name in arguments.variants
        ]
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


def _with_remedies(error: Incomparable, arguments: Namespace) -> str:
    """Return why the runs cannot be compared, with the options that help."""
    remedies = [remedy for kind, remedy in _REMEDIES.items() if kind in error.kinds]
    if error.in_common and not arguments.common:
        cases = counted(error.in_common, "case")
        remedies.append(
            f"--common compares the {cases} that can be compared, and says what is left out"
        )
    why = str(error).replace('missing="empty"', "--missing empty")
    return "\n".join([why, *dict.fromkeys(remedies)])


def _metric(text: str) -> str:
    """Return the name of a metric in its canonical spelling."""
    return checked_by(metric_named, text).text


def _drop(
    text: str,
    what: str = "by how much its mean may drop",
    example: str = "nDCG@10=0.02",
) -> tuple[str, float]:
    """Parse a metric and by how much its mean may drop, or another bound:
    `nDCG@10=0.02`.
    """
    # a metric name may contain = too: P(rel=2)@5=0.1
    name, _, amount = text.rpartition("=")
    if not name:
        raise ArgumentTypeError(
            f"expected a metric and {what}, {example}, found {quoted(text)}"
        )
    return _metric(name), command.number(
        amount, math.isfinite, f"{what}, such as {example.rpartition('=')[2]}"
    )


_least = partial(_drop, what="the least that its mean may be", example="overlap@10=0.9")


def _setting(text: str) -> tuple[str, Any]:
    """Parse a setting and its value: `gain=linear`."""
    name, sign, value = text.partition("=")
    if not sign or name not in _SETTINGS:
        raise ArgumentTypeError(
            f"expected a setting and its value, gain=linear, found {quoted(text)}"
            + (
                did_you_mean(name, _SETTINGS)
                or f"; settings are {listed(_SETTINGS, 'and')}"
            )
        )
    return name, command.number(
        value, math.isfinite, "a number for max_grade"
    ) if name == "max_grade" else value


def _contradictions(arguments: Namespace) -> Iterator[str]:
    """Yield messages about options that are given twice."""
    options = {
        "--max-drop": arguments.max_drop,
        "--min": arguments.least,
        "--set": arguments.settings,
    }
    for option, given in options.items():
        twice = [
            name
            for name, times in Counter(name for name, _ in given).items()
            if times > 1
        ]
        if twice:
            yield f"{option} is given twice for {listed(twice, 'and')}; keep one of them"
