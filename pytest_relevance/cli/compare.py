"""`pytest-relevance compare`: two runs over the same cases, figure by figure and query by query.

A is the older run, B the newer one; each is a record (pytest --relevance-record=FILE) or a run of another tool (TREC,
CSV, Parquet, JSON), which needs --judgments. Single cases are compared by the metric that is named first.

The exit code is 0 where every gate that is given is met; 1 where one is not, or where a case is an error in B and was
none in A; 2 where A and B cannot be compared: other queries, other judgments, other settings, an error, a run that did
not finish.
"""

from __future__ import annotations

import math
import os
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_relevance._paused_gc import paused_gc
from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.cli import command
from pytest_relevance.cli.command import FOUND, JSON, MARKDOWN, OK, PROGRAM, TEXT, YAML, CommandError, checked_by
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.settings import CHOICES
from pytest_relevance.reports.text import WIDEST, terminal_width

if TYPE_CHECKING:
    from pytest_relevance.reports.comparison import Comparison
    from pytest_relevance.results.compare.pairing import Incomparable
    from pytest_relevance.results.gates import ComparisonGates

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

_SETTINGS = (*CHOICES, "max_grade")
"""The names of the settings for `--set`."""

_HELP: Mapping[str, str] = {
    "--metric": "a metric to compare by, such as nDCG@10; may be repeated (default: the nDCG@k of the cases)",
    "--judgments": "score both runs again, with the judgments of a case file or of a judgment file in any format",
    "--set": f"score both runs again, with another setting: {', '.join(_SETTINGS)}",
    "--variants": f"compare a variant of the search in A with one in B; {_NO_VARIANT} is a search without variants",
    "--common": "compare the cases that both runs have, and list the others",
    "--missing": "a judged query that a run does not have: refuse to compare (default), or score an empty ranking",
    "--max-drop": "fail if the mean drops by more than X, such as nDCG@10=0.02; may be repeated",
    "--p": "with --max-drop: fail only if the p-value of the drop, Holm's of several metrics, is at most P",
    "--max-case-drop": "fail if a single case drops by more than X, by the first metric",
    "--limit": "list N queries and tags at most; 0: all of them (default: %(default)s)",
    "--seed": "the seed of the random draws (default: 0)",
    "--resamples": "draw N times for the randomisation test (default: %(default)s)",
}


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("first", metavar="A", type=_file, help="the older run")
    parser.add_argument("second", metavar="B", type=_file, help="the newer run")
    repeated: dict[str, Any] = {"action": "append", "default": []}
    _add(parser, "--metric", dest="metrics", metavar="METRIC", type=_metric, **repeated)
    _add(parser, "--judgments", "--qrels", metavar="FILE", type=_file)
    command.add_reading(parser, "--grade-column")
    _add(parser, "--set", dest="settings", metavar="NAME=VALUE", type=_setting, **repeated)
    _add(parser, "--variants", metavar=("OF_A", "OF_B"), nargs=2)
    _add(parser, "--common", action="store_true")
    _add(parser, "--missing", choices=("refuse", "empty"), default="refuse")
    gates = parser.add_argument_group("gates")
    _add(gates, "--max-drop", metavar="METRIC=X", type=_drop, **repeated)
    _add(gates, "--p", metavar="P", type=_probability)
    _add(gates, "--max-case-drop", metavar="X", type=_allowance)
    output = parser.add_argument_group("output")
    command.add_report(output)
    _add(output, "--limit", metavar="N", type=command.whole_from(0), default=_MOST_SHOWN)
    _add(output, "--seed", metavar="N", type=command.whole_from(0), default=0)
    _add(output, "--resamples", metavar="N", type=command.whole_from(1), default=100_000)


def _add(parser: Any, option: str, *names: str, **keywords: Any) -> None:
    """Add an option with its help text from the table to a parser or a group of arguments."""
    parser.add_argument(option, *names, help=_HELP[option], **keywords)


def run(arguments: Namespace) -> int:
    """Compare the runs, judge the gates, print or write the report, and return the exit code.

    Nothing is printed before all of it is computed. Raises `CommandError` where the runs cannot be compared.
    """
    from pytest_relevance.results.compare.pairing import Incomparable

    _check(arguments)
    try:
        with paused_gc():
            comparison = _compared(arguments)
            gates = _judged(comparison, arguments)
            limit = arguments.limit or sys.maxsize
            format = command.report_format(arguments)
            width = WIDEST if format == TEXT and arguments.output is not None else terminal_width()
            makers: Mapping[str, Callable[..., str]] = {
                TEXT: partial(comparison.summary, width=width),
                MARKDOWN: partial(comparison.to_markdown, max_chars=arguments.max_chars),
                JSON: comparison.to_json,
            }
            reports = {name: makers[name](limit=limit, gates=gates) for name in {TEXT, format}}
    except Incomparable as error:
        raise CommandError(_with_remedies(error, arguments)) from None
    except (ValueError, OverflowError, RecursionError) as error:
        raise CommandError(f"{PROGRAM} compare: {error}") from None
    command.deliver(reports[format], format, arguments.output)
    if arguments.output is not None:
        command.say(reports[TEXT], end="")
    if os.path.realpath(arguments.first) == os.path.realpath(arguments.second) and not arguments.variants:
        command.complain(f"A and B are the same file: {arguments.first}")
    return OK if gates is None or gates.passed else FOUND


def _compared(arguments: Namespace) -> Comparison:
    from pytest_relevance.reports.comparison import compare_runs

    of_first, of_second = (None if name == _NO_VARIANT else name for name in arguments.variants or ("", ""))
    judgments = arguments.judgments
    if arguments.grade_column is not None:
        from pytest_relevance.judgments.reading import read_judgments

        judgments = read_judgments(judgments, grade_column=arguments.grade_column)
    return compare_runs(
        arguments.first,
        arguments.second,
        _metrics_of(arguments) or None,
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


def _with_remedies(error: Incomparable, arguments: Namespace) -> str:
    """Return why the runs cannot be compared, with the options that help."""
    remedies = [remedy for kind, remedy in _REMEDIES.items() if kind in error.kinds]
    if error.in_common and not arguments.common:
        cases = counted(error.in_common, "case")
        remedies.append(f"--common compares the {cases} that can be compared, and says what is left out")
    why = str(error).replace('missing="empty"', "--missing empty")
    return "\n".join([why, *dict.fromkeys(remedies)])


def _file(text: str) -> Path:
    """Return the path of an existing regular file, which can be read more than once."""
    path = command.existing(text)
    if not path.is_file():
        raise ArgumentTypeError(f"{quoted(text)} is no file but a pipe or a device; write what it has to a file first")
    return path


def _metric(text: str) -> str:
    """Return the name of a metric in its canonical spelling."""
    return checked_by(parse_metric, text).text


def _drop(text: str) -> tuple[str, float]:
    """Parse a metric and by how much its mean may drop: `nDCG@10=0.02`."""
    from pytest_relevance.results.gates import allowance_of, is_allowance

    name, sign, amount = text.rpartition("=")  # a metric name may contain = too: P(rel=2)@5=0.1
    if not sign or not name:
        raise ArgumentTypeError(
            f"expected a metric and by how much its mean may drop, nDCG@10=0.02, found {quoted(text)}"
        )
    by = checked_by(parse_metric, name)
    return by.text, command.number(amount, lambda found: is_allowance(found, by), allowance_of(by))


def _allowance(text: str) -> float:
    """Parse by how much a score may drop, 0 or more; `check` compares it with the range of the metric."""
    return command.number(
        text, lambda found: 0 <= found < math.inf, "by how much a score may drop, 0 or more, such as 0.02"
    )


def _probability(text: str) -> float:
    """Parse a p-value, above 0 and at most 1."""
    return command.number(text, lambda found: 0 < found <= 1, "a p-value above 0 and at most 1, such as 0.05")


def _setting(text: str) -> tuple[str, Any]:
    """Parse a setting and its value: `gain=linear`."""
    name, sign, value = text.partition("=")
    if not sign or name not in _SETTINGS:
        raise ArgumentTypeError(
            f"expected a setting and its value, gain=linear, found {quoted(text)}"
            + (did_you_mean(name, _SETTINGS) or f"; settings are {listed(_SETTINGS, 'and')}")
        )
    return name, command.number(value, math.isfinite, "a number for max_grade") if name == "max_grade" else value


def _check(arguments: Namespace) -> None:
    """Raise `CommandError` for arguments that contradict each other, before anything is read."""
    for message in _contradictions(arguments):
        raise CommandError(f"{PROGRAM} compare: {message}")
    if arguments.output is not None:
        from pytest_relevance.reports.comparison import is_report

        inputs = (arguments.first, arguments.second, arguments.judgments)
        command.check_output(arguments, inputs, is_report, "no report of a comparison")


def _metrics_of(arguments: Namespace) -> list[str]:
    """Return the metrics named by `--metric` and by gates, each once."""
    return list(dict.fromkeys([*arguments.metrics, *(name for name, _ in arguments.max_drop)]))


def _contradictions(arguments: Namespace) -> Iterator[str]:
    """Yield messages about options that are given twice, lack another one, or have a value out of its range."""
    from pytest_relevance.results.gates import allowance_of, is_allowance

    for option, given in (("--max-drop", arguments.max_drop), ("--set", arguments.settings)):
        twice = [name for name, times in Counter(name for name, _ in given).items() if times > 1]
        if twice:
            yield f"{option} is given twice for {listed(twice, 'and')}; keep one of them"
    if (format := command.report_format(arguments)) not in (TEXT, MARKDOWN, JSON):
        yield (
            f"--output {quoted(arguments.output)} is named as {format}, and a comparison is written as text, Markdown "
            "or JSON; let the name end in .txt, .md or .json, or give --format"
        )
    if arguments.p is not None and not arguments.max_drop:
        yield "--p says which drops of a mean count; give --max-drop with it, such as nDCG@10=0.02"
    if arguments.grade_column is not None and arguments.judgments is None:
        yield "--grade-column names a column of the file that --judgments takes; give both"
    by = parse_metric(next(iter(_metrics_of(arguments)), "nDCG@10"))
    if arguments.max_case_drop is not None and not is_allowance(arguments.max_case_drop, by):
        yield f"--max-case-drop is {allowance_of(by)}, not {arguments.max_case_drop:g}"
    for path in (arguments.first, arguments.second):
        if path.suffix in YAML:
            yield (
                f"{quoted(str(path))} is a case file, which says what should be found, and no run\n--judgments takes a "
                "case file; a record of a run is written by pytest --relevance-record=FILE"
            )
    if arguments.grade_column is not None and arguments.judgments.suffix in YAML:
        yield f"{quoted(str(arguments.judgments))} is a case file, which has no columns; leave out --grade-column"
