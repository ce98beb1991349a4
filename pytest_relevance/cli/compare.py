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
from argparse import ArgumentParser, Namespace
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, listed
from pytest_relevance.cli import FOUND, OK, PROGRAM, CommandError
from pytest_relevance.cli.comparing import (
    SETTINGS,
    allowance,
    check,
    check_records,
    drop,
    file,
    metric,
    probability,
    setting,
    whole_from,
)
from pytest_relevance.cli.text import complain, put, write

if TYPE_CHECKING:
    from pytest_relevance.reports.comparison import Comparison
    from pytest_relevance.results.compare.incompatibilities import Incomparable
    from pytest_relevance.results.compare.thresholds import Ruling

TEXT, MARKDOWN, JSON = "text", "markdown", "json"
_ENDINGS = {".md": MARKDOWN, ".markdown": MARKDOWN, ".json": JSON}
_MOST_SHOWN = 5
_NO_VARIANT = "-"

_BY_JUDGMENTS = "--judgments FILE scores both by the same judgments: a case file, or a judgment file in any format"
_CURES: Mapping[str, str] = {
    "judgments": _BY_JUDGMENTS,
    "judgments unknown": _BY_JUDGMENTS,
    "settings": "--set NAME=VALUE scores both by one setting, --metric nDCG@10 at one cutoff",
    "variants": f"--variants OF_A OF_B says which; {_NO_VARIANT} is a search without variants",
}
"""What helps against an obstacle of a kind."""


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("first", metavar="A", type=file, help="the older run")
    parser.add_argument("second", metavar="B", type=file, help="the newer run")
    parser.add_argument(
        "--metric",
        dest="metrics",
        metavar="METRIC",
        type=metric,
        action="append",
        help="what to compare them by, such as nDCG@10, once or several times (default: the nDCG@k of the cases)",
    )
    parser.add_argument(
        "--judgments",
        "--qrels",
        metavar="FILE",
        type=file,
        help="score both anew: a case file, or a judgment file in any format",
    )
    parser.add_argument(
        "--set",
        dest="settings",
        metavar="NAME=VALUE",
        type=setting,
        action="append",
        default=[],
        help=f"score both anew by another setting: {', '.join(SETTINGS)}",
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
        help="what a judged query is that a run has no line of: in the way (default), or an empty ranking",
    )
    gates = parser.add_argument_group("gates")
    gates.add_argument(
        "--max-drop",
        metavar="METRIC=X",
        type=drop,
        action="append",
        default=[],
        help="by how much the mean may drop: nDCG@10=0.02, once or several times",
    )
    gates.add_argument(
        "--p",
        metavar="P",
        type=probability,
        help="a larger drop of a mean fails only when its p-value is at most P (that after Holm, of several metrics)",
    )
    gates.add_argument(
        "--max-case-drop",
        metavar="X",
        type=allowance,
        help="by how much a single case may drop, by the metric that is named first",
    )
    output = parser.add_argument_group("output")
    output.add_argument("--format", choices=(TEXT, MARKDOWN, JSON), help="how the report is written (default: text)")
    output.add_argument(
        "-o", "--output", metavar="FILE", help="write the report to a file, whose ending may say how (.md, .json)"
    )
    output.add_argument(
        "--limit",
        metavar="N",
        type=whole_from(0),
        default=_MOST_SHOWN,
        help="how many queries and tags are listed; 0: all of them (default: %(default)s)",
    )
    output.add_argument(
        "--seed", metavar="N", type=whole_from(0), default=0, help="what chance is drawn from (default: 0)"
    )
    output.add_argument(
        "--resamples",
        metavar="N",
        type=whole_from(1),
        default=100_000,
        help="how many times the randomisation test draws (default: %(default)s)",
    )


def run(arguments: Namespace) -> int:
    """Compare, report, judge. Nothing is printed before all is done."""
    from pytest_relevance.cases.problems import CaseFileError
    from pytest_relevance.judgments.problems import JudgmentFileError
    from pytest_relevance.results.compare.incompatibilities import Incomparable
    from pytest_relevance.results.compare.runs import NoJudgments

    check(arguments)
    try:
        comparison = _compared(arguments)
        ruling = _ruling(comparison, arguments)
        report = _report(comparison, arguments, ruling)
    except Incomparable as error:
        raise CommandError(_with_cures(error, arguments)) from None
    except NoJudgments as error:
        have = "has" if len(error.names) == 1 else "have"
        raise CommandError(
            f"{PROGRAM} compare: {listed(error.names, 'and')} {have} no scores; {_BY_JUDGMENTS}"
        ) from None
    except (CaseFileError, JudgmentFileError) as error:  # 1 is for gates alone
        raise CommandError(str(error)) from None
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError, RecursionError) as error:
        check_records(arguments)
        if not isinstance(error, (ValueError, OverflowError, RecursionError)):
            raise
        raise CommandError(f"{PROGRAM} compare: {error}") from None
    report()
    return OK if ruling is None or ruling.passed else FOUND


def _compared(arguments: Namespace) -> Comparison:
    from pytest_relevance.reports.comparison import compare_runs

    of_first, of_second = (None if name == _NO_VARIANT else name for name in arguments.variants or ("", ""))
    return compare_runs(
        arguments.first,
        arguments.second,
        _metrics(arguments),
        judgments=arguments.judgments,
        variants=(of_first, of_second) if arguments.variants else None,
        common=arguments.common,
        missing=arguments.missing,
        resamples=arguments.resamples,
        seed=arguments.seed,
        **dict(arguments.settings),
    )


def _metrics(arguments: Namespace) -> list[str] | None:
    """The metrics that are named, those of gates too."""
    named = [*(arguments.metrics or ()), *(metric for metric, _ in arguments.max_drop)]
    return list(dict.fromkeys(named)) or None


def _ruling(comparison: Comparison, arguments: Namespace) -> Ruling | None:
    """What the gates say. Without any it is that there is no new error."""
    has_gates = arguments.max_drop or arguments.max_case_drop is not None
    if not has_gates and not any(error.is_new for error in comparison.errors):
        return None
    return comparison.judge(dict(arguments.max_drop), p=arguments.p, max_case_drop=arguments.max_case_drop)


def _report(comparison: Comparison, arguments: Namespace, ruling: Ruling | None) -> Callable[[], None]:
    """What prints and writes the report, which is made here."""
    limit = arguments.limit or None
    makers: dict[str, Callable[[], str]] = {
        TEXT: lambda: comparison.summary(limit=limit, ruling=ruling),
        MARKDOWN: lambda: comparison.to_markdown(limit=limit, ruling=ruling),
        JSON: lambda: comparison.to_json(limit=limit or len(comparison), ruling=ruling),
    }
    target = arguments.output
    format = arguments.format or _ENDINGS.get(os.path.splitext(target or "")[1].lower(), TEXT)
    shown = format if target is None else TEXT
    texts = {each: makers[each]() for each in {format, shown}}

    def report() -> None:
        if target is not None:
            write(target, texts[format].encode())
        if shown == TEXT:
            print(texts[TEXT], end="")
        else:  # the content of a file, whatever the encoding of the terminal
            put(texts[shown].encode())
        if target is not None:
            complain(f"written: {target}")
        if os.path.realpath(arguments.first) == os.path.realpath(arguments.second) and not arguments.variants:
            complain(f"A and B are the same file: {arguments.first}")

    return report


def _with_cures(error: Incomparable, arguments: Namespace) -> str:
    """Why there is nothing to report, and what can be done about it."""
    from pytest_relevance.results.compare.runs import NO_LINE

    why = str(type(error)(reason for reason in error.reasons if reason != NO_LINE))
    cures = [cure for kind, cure in _CURES.items() if kind in error.kinds]
    if NO_LINE in error.reasons:
        cures.append("--missing empty takes a query without a line for one that found nothing")
    if error.in_common and not arguments.common:
        cases = counted(error.in_common, "case")
        cures.append(f"--common compares the {cases} that nothing stands in the way of, and says what is left out")
    return "\n".join([why, *dict.fromkeys(cures)])
