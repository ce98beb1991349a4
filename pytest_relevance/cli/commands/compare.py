"""`pytest-relevance compare`: two runs over the same cases, figure by figure and query by query.

A is the older run, B the newer one; each is a record (pytest --relevance-record=FILE), a baseline, or a run of another
tool (TREC, CSV, Parquet, JSON). The last two need --judgments. Single cases are compared by the metric that is named
first.

The exit code is 0 where every gate that is given is met; 1 where one is not, or where a case is an error in B and was
none in A; 2 where the two cannot honestly be compared: other queries, other judgments, other settings, an error, a run
that did not finish.
"""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from pytest_relevance._paused_gc import paused_gc
from pytest_relevance._text import counted
from pytest_relevance.cli.command_table import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.commands import comparing
from pytest_relevance.cli.parsing import add_grade_column
from pytest_relevance.cli.text import complain, put, write

if TYPE_CHECKING:
    from pytest_relevance.reports.comparison import Comparison
    from pytest_relevance.results.compare.comparison import ComparisonGates
    from pytest_relevance.results.compare.pairing import Incomparable

TEXT, MARKDOWN, JSON = "text", "markdown", "json"
_ENDINGS = {".md": MARKDOWN, ".markdown": MARKDOWN, ".json": JSON}
_MOST_SHOWN = 5
_NO_VARIANT = "-"

_BY_JUDGMENTS = "--judgments FILE scores both by the same judgments: a case file, or a judgment file in any format"
_REMEDIES: Mapping[str, str] = {
    "judgments": _BY_JUDGMENTS,
    "judgments unknown": _BY_JUDGMENTS,
    "no judgments": _BY_JUDGMENTS,
    "settings": "--set NAME=VALUE scores both by one setting, --metric nDCG@10 at one cutoff",
    "variants": f"--variants OF_A OF_B says which; {_NO_VARIANT} is a search without variants",
}
"""The options that solve an incompatibility, by its kind."""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("first", metavar="A", type=comparing.file, help="the older run")
    parser.add_argument("second", metavar="B", type=comparing.file, help="the newer run")
    parser.add_argument(
        "--metric",
        dest="metrics",
        metavar="METRIC",
        type=comparing.metric,
        action="append",
        help="what to compare them by, such as nDCG@10, once or several times (default: the nDCG@k of the cases)",
    )
    parser.add_argument(
        "--judgments",
        "--qrels",
        metavar="FILE",
        type=comparing.file,
        help="score both anew: a case file, or a judgment file in any format",
    )
    add_grade_column(parser)
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        type=comparing.setting,
        action="append",
        default=[],
        help=f"score both anew by another setting: {', '.join(comparing.SETTINGS)}",
    )
    parser.add_argument(
        "--variants",
        metavar=("OF_A", "OF_B"),
        nargs=2,
        help=f"compare one variant of the search with another; {_NO_VARIANT} is a search without variants",
    )
    parser.add_argument("--common", action="store_true", help="compare what both have in common, and say what is not")
    parser.add_argument(
        "--missing",
        choices=("refuse", "empty"),
        default="refuse",
        help="what a judged query is that a run has no line of: a reason to refuse (default), or an empty ranking",
    )
    _declare_gates(parser)
    _declare_output(parser)


def _declare_gates(parser: ArgumentParser) -> None:
    gates = parser.add_argument_group("gates")
    gates.add_argument(
        "--max-drop",
        metavar="METRIC=X",
        type=comparing.drop,
        action="append",
        default=[],
        help="by how much the mean may drop: nDCG@10=0.02, once or several times",
    )
    gates.add_argument(
        "--p",
        metavar="P",
        type=comparing.probability,
        help="a larger drop of a mean fails only when its p-value is at most P (that after Holm, of several metrics)",
    )
    gates.add_argument(
        "--max-case-drop",
        metavar="X",
        type=comparing.allowance,
        help="by how much a single case may drop, by the metric that is named first",
    )


def _declare_output(parser: ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=(TEXT, MARKDOWN, JSON), help="how the report is written (default: text)")
    output.add_argument(
        "-o", "--output", metavar="FILE", help="write the report to a file, whose ending may say how (.md, .json)"
    )
    output.add_argument(
        "--limit",
        metavar="N",
        type=comparing.whole_from(0),
        default=_MOST_SHOWN,
        help="how many queries and tags are listed; 0: all of them (default: %(default)s)",
    )
    output.add_argument(
        "--seed", metavar="N", type=comparing.whole_from(0), default=0, help="what chance is drawn from (default: 0)"
    )
    output.add_argument(
        "--resamples",
        metavar="N",
        type=comparing.whole_from(1),
        default=100_000,
        help="how many times the randomisation test draws (default: %(default)s)",
    )


def run(arguments: Namespace) -> int:
    """Compare the runs, judge the gates, print or write the report, and return the exit code.

    Nothing is printed before all of it is computed. Raises `CommandError` where the runs cannot be compared.
    """
    from pytest_relevance.results.compare.pairing import Incomparable

    comparing.check(arguments)
    ending = os.path.splitext(arguments.output or "")[1].lower()
    format = arguments.format or _ENDINGS.get(ending, TEXT)
    try:
        with paused_gc():
            comparison = _compared(arguments)
            gates = _judged(comparison, arguments)
            reports = _reports(comparison, gates, {TEXT, format}, arguments.limit or sys.maxsize)
    except Incomparable as error:
        raise CommandError(_with_remedies(error, arguments)) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise CommandError(f"{PROGRAM} compare: {error}") from None
    if arguments.output is not None:
        write(arguments.output, reports[format].encode())
    if format == TEXT or arguments.output is not None:
        print(reports[TEXT], end="")
    else:  # as in a file, independent of the encoding of the terminal
        put(reports[format].encode())
    if arguments.output is not None:
        complain(f"written: {arguments.output}")
    if os.path.realpath(arguments.first) == os.path.realpath(arguments.second) and not arguments.variants:
        complain(f"A and B are the same file: {arguments.first}")
    return OK if gates is None or gates.passed else FOUND


def _compared(arguments: Namespace) -> Comparison:
    from pytest_relevance.judgments.reading import read_judgments
    from pytest_relevance.reports.comparison import compare_runs

    of_first, of_second = (None if name == _NO_VARIANT else name for name in arguments.variants or ("", ""))
    judgments = arguments.judgments
    if arguments.grade_column is not None:
        judgments = read_judgments(judgments, grade_column=arguments.grade_column)
    return compare_runs(
        arguments.first,
        arguments.second,
        comparing.metrics_of(arguments) or None,
        judgments=judgments,
        variants=(of_first, of_second) if arguments.variants else None,
        common=arguments.common,
        missing=arguments.missing,
        resamples=arguments.resamples,
        seed=arguments.seed,
        **dict(arguments.settings),
    )


def _judged(comparison: Comparison, arguments: Namespace) -> ComparisonGates | None:
    """Return the results of the gates; None if no gate is given and no case is a new error."""
    has_gates = arguments.max_drop or arguments.max_case_drop is not None
    if not has_gates and not any(error.is_new for error in comparison.errors):
        return None
    return comparison.judge(dict(arguments.max_drop), p=arguments.p, max_case_drop=arguments.max_case_drop)


def _reports(
    comparison: Comparison, gates: ComparisonGates | None, formats: Iterable[str], limit: int
) -> dict[str, str]:
    """Return the report in each of these formats."""
    makers = {TEXT: comparison.summary, MARKDOWN: comparison.to_markdown, JSON: comparison.to_json}
    return {format: makers[format](limit=limit, gates=gates) for format in formats}


def _with_remedies(error: Incomparable, arguments: Namespace) -> str:
    """Return why the runs cannot be compared, with the options that help."""
    remedies = [remedy for kind, remedy in _REMEDIES.items() if kind in error.kinds]
    if error.in_common and not arguments.common:
        cases = counted(error.in_common, "case")
        remedies.append(f"--common compares the {cases} that can be compared, and says what is left out")
    why = str(error).replace('missing="empty"', "--missing empty")
    return "\n".join([why, *dict.fromkeys(remedies)])
