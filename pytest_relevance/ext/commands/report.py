"""`pytest-relevance report`: the report of a run, made again from its record.

The report has failures, gates, the summary and the verdict. It is text, Markdown for
the comment of a pull request, an HTML page, JSON, or what another installed package
makes. The exit code is 0, even if the run failed. It is 2 if RUN is not a sound record.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Iterable
from pathlib import Path

from pytest_relevance._files import name_to_forward
from pytest_relevance._text import listed, quoted
from pytest_relevance.cli.arguments import existing
from pytest_relevance.cli.command import OK, CommandError
from pytest_relevance.cli.output import deliver
from pytest_relevance.cli.report_options import (
    FORMATS_OF_RUNS,
    add_report,
    report_format,
    report_width,
)
from pytest_relevance.reports.formats import ReportOptions, run_report
from pytest_relevance.results.records.baseline_file import read_baseline
from pytest_relevance.results.records.baseline_paths import SUFFIX
from pytest_relevance.results.records.json_lines import BASELINE, kind_in_header
from pytest_relevance.results.records.recorded_comparison import compare_recorded
from pytest_relevance.results.records.recorded_rankings import entries_of
from pytest_relevance.results.records.reference import refusal_of_run
from pytest_relevance.results.records.run import Run


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "record", metavar="RUN", type=existing, help="the record of a run"
    )
    add_report(parser, FORMATS_OF_RUNS, has_images=True)
    parser.add_argument(
        "--against",
        metavar="BASELINE_OR_RUN",
        type=existing,
        help="compare with the record of another run, or with the baseline of a case file",
    )
    parser.add_argument(
        "-v",
        "--verbose",
        action="count",
        default=0,
        help="show all ranks of a failure; -vv: also cases that passed",
    )
    parser.add_argument(
        "-q",
        "--quiet",
        action="count",
        default=0,
        help="show one line for each failure",
    )


def run(arguments: Namespace) -> int:
    """Print or write the report of a record, and return the exit code."""
    inputs = [arguments.record, arguments.against]
    format = report_format(arguments, FORMATS_OF_RUNS, inputs)
    options = ReportOptions(
        verbosity=arguments.verbose - arguments.quiet,
        width=report_width(arguments),
        max_chars=arguments.max_chars,
        images=arguments.images == "link",
    )
    recorded = Run.open(arguments.record)
    if arguments.against is not None:
        recorded = _against(recorded, arguments.against)
    report = run_report(format, recorded, options)
    deliver(report, format, arguments.output)
    return OK


def _against(run: Run, path: Path) -> Run:
    """Return a run compared with another record, or a baseline of a case file.

    Raises `CommandError` if the other record is that of a replay.
    """
    name = name_to_forward(str(path), Path.cwd())
    if not path.name.endswith(SUFFIX) and kind_in_header(path) != BASELINE.kind:
        other = Run.open(path)
        if other.info.replayed is not None:
            raise CommandError(f"{name}: {refusal_of_run(other.info)}")
        entries = entries_of(other.results, other.info, other.files)
        return compare_recorded(run, entries, name, other.results)
    file = _file_of_baseline(path, run.files)
    return compare_recorded(run, {file: read_baseline(path, str(path))}, name)


def _file_of_baseline(path: Path, files: Iterable[str]) -> str:
    """Return the case file of a baseline, found among `files` by its name.

    Raises `CommandError` if no file has the name, or if several files have the name and
    none of them is beside the baseline.
    """
    name = path.name.removesuffix(SUFFIX)
    of_name = [file for file in files if file.rpartition("/")[2] == name]
    beside = [file for file in of_name if f"{file}{SUFFIX}" == path.as_posix()]
    candidates = beside or of_name
    if len(candidates) == 1:
        return candidates[0]
    found = listed(map(quoted, candidates or files), "and")
    raise CommandError(
        f"{path} is the baseline of one case file, {quoted(name)}, and the run has "
        f"{found}; compare with the record of another run"
    )
