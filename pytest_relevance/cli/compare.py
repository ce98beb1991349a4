"""`pytest-relevance compare`: two runs over the same cases, figure by figure and query by query.

A is the older run, B the newer one; each is a record (pytest --relevance-record=FILE), a baseline, or a run of another
tool (TREC, CSV, JSON), which takes --judgments. The exit code is 0 where every gate that is given is met, 1 where one
is not, and 2 where the two cannot honestly be compared: other queries, other judgments, other settings, a run that did
not finish.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pytest_relevance.cli import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.parsing import existing
from pytest_relevance.cli.text import complain, put, write
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.settings import CHOICES
from pytest_relevance.wording import did_you_mean, listed, quoted

if TYPE_CHECKING:
    from pytest_relevance.reports.comparison import Comparison
    from pytest_relevance.runs.drops import Ruling

TEXT, MARKDOWN, JSON = "text", "markdown", "json"
_ENDINGS = {".md": MARKDOWN, ".markdown": MARKDOWN, ".json": JSON}
_MOST_SHOWN = 5


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("first", metavar="A", type=existing, help="the older run")
    parser.add_argument("second", metavar="B", type=existing, help="the newer run")
    parser.add_argument(
        "--metric",
        dest="metrics",
        metavar="METRIC",
        type=_metric,
        action="append",
        help="what to compare them by, such as nDCG@10, once or several times (default: the nDCG@k of the cases)",
    )
    parser.add_argument(
        "--judgments",
        "--qrels",
        metavar="FILE",
        type=existing,
        help="score both anew: a case file, or a judgment file in any format",
    )
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        type=_setting,
        action="append",
        default=[],
        help=f"score both anew by another setting: {', '.join(_SETTINGS)}",
    )
    parser.add_argument(
        "--variants", metavar=("OF_A", "OF_B"), nargs=2, help="compare one variant of the search with another"
    )
    parser.add_argument("--common", action="store_true", help="compare what both have in common, and say what is not")
    parser.add_argument(
        "--missing",
        choices=("refuse", "empty"),
        default="refuse",
        help="what a judged query is that a run has no line of: in the way (default), or an empty ranking",
    )
    gates = parser.add_argument_group("gates")
    gates.add_argument(
        "--max-drop",
        metavar="METRIC=X",
        type=_drop,
        action="append",
        default=[],
        help="by how much the mean may drop: nDCG@10=0.02",
    )
    gates.add_argument("--p", metavar="P", type=_number, help="a larger drop fails only when its p-value is at most P")
    gates.add_argument("--max-case-drop", metavar="X", type=_number, help="by how much a single case may drop")
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=(TEXT, MARKDOWN, JSON), help="how the report is written (default: text)")
    output.add_argument(
        "-o", "--output", metavar="FILE", help="write the report to a file, whose ending may say how (.md, .json)"
    )
    output.add_argument(
        "--limit",
        metavar="N",
        type=_whole(0),
        default=_MOST_SHOWN,
        help="how many queries and tags are listed; 0: all of them (default: %(default)s)",
    )
    output.add_argument("--seed", metavar="N", type=_whole(0), default=0, help="what chance is drawn from (default: 0)")
    output.add_argument(
        "--resamples",
        metavar="N",
        type=_whole(1),
        default=100_000,
        help="how many times the randomisation test draws (default: %(default)s)",
    )


def run(arguments: Namespace) -> int:
    """Compare, report, judge."""
    _check_output(arguments)
    comparison = _compared(arguments)
    ruling = _ruling(comparison, arguments)
    limit = arguments.limit or None
    format = arguments.format or _format_of(arguments.output)
    reports: dict[str, Callable[[], str]] = {
        TEXT: lambda: comparison.summary(limit=limit, ruling=ruling),
        MARKDOWN: lambda: comparison.to_markdown(limit=limit, ruling=ruling),
        JSON: lambda: comparison.to_json(limit=limit, ruling=ruling),
    }
    data = reports[format]().encode("utf-8", "surrogatepass")
    if arguments.output is None:
        put(data)
    else:
        write(arguments.output, data)
        put(reports[TEXT]().encode("utf-8", "surrogatepass"))
        complain(f"written: {arguments.output}")
    return OK if ruling is None or ruling.passed else FOUND


def _compared(arguments: Namespace) -> Comparison:
    """The comparison. `CommandError` where there can be none."""
    from pytest_relevance.cases.problems import CaseFileError
    from pytest_relevance.judgments.problems import JudgmentFileError
    from pytest_relevance.reports.comparison import compare_runs
    from pytest_relevance.runs.obstacles import Incomparable

    try:
        return compare_runs(
            arguments.first,
            arguments.second,
            _metrics(arguments),
            judgments=arguments.judgments,
            variants=tuple(arguments.variants) if arguments.variants else None,
            common=arguments.common,
            missing=arguments.missing,
            resamples=arguments.resamples,
            seed=arguments.seed,
            **dict(arguments.settings),
        )
    except Incomparable as error:
        cure = "" if arguments.common else "\n--common compares what both have in common, and says what is left out"
        raise CommandError(f"{error}{cure}") from None
    except (CaseFileError, JudgmentFileError) as error:  # 1 is for gates alone
        raise CommandError(str(error)) from None
    except ValueError as error:
        raise CommandError(f"{PROGRAM} compare: {error}") from None


def _metrics(arguments: Namespace) -> list[str] | None:
    """The metrics that are named, those of gates too."""
    named = [*(arguments.metrics or ()), *(metric for metric, _ in arguments.max_drop)]
    return list(dict.fromkeys(named)) or None


def _ruling(comparison: Comparison, arguments: Namespace) -> Ruling | None:
    if not (arguments.max_drop or arguments.max_case_drop is not None or arguments.p is not None):
        return None
    try:
        return comparison.judge(dict(arguments.max_drop), p=arguments.p, max_case_drop=arguments.max_case_drop)
    except ValueError as error:
        raise CommandError(f"{PROGRAM} compare: {error}") from None


def _format_of(output: str | None) -> str:
    return _ENDINGS.get(os.path.splitext(output or "")[1].lower(), TEXT)


def _check_output(arguments: Namespace) -> None:
    """Refuse to write over what is compared."""
    inputs = (arguments.first, arguments.second, arguments.judgments)
    if arguments.output is not None and any(
        path is not None and os.path.realpath(path) == os.path.realpath(arguments.output) for path in inputs
    ):
        raise CommandError(f"{PROGRAM} compare: --output {quoted(arguments.output)} is one of the files that are read")


def _metric(text: str) -> str:
    try:
        return parse_metric(text).text
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _drop(text: str) -> tuple[str, float]:
    metric, sign, amount = text.rpartition("=")  # the name of a metric may have one too: P(rel=2)@5=0.1
    if not sign or not metric:
        raise ArgumentTypeError(
            f"expected a metric and by how much its mean may drop, nDCG@10=0.02, found {quoted(text)}"
        )
    return _metric(metric), _number(amount)


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ArgumentTypeError(f"expected a number, found {quoted(text)}") from None


def _whole(least: int) -> Callable[[str], int]:
    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"expected a whole number from {least} on, found {quoted(text)}")
        return int(text)

    return whole


_SETTINGS = (*CHOICES, "max_grade")


def _setting(text: str) -> tuple[str, Any]:
    name, sign, value = text.partition("=")
    if not sign or name not in _SETTINGS:
        raise ArgumentTypeError(
            f"expected a setting and its value, gain=linear, found {quoted(text)}{did_you_mean(name, _SETTINGS)}; "
            f"settings are {listed(_SETTINGS, 'and')}"
        )
    return name, _number(value) if name == "max_grade" else value
