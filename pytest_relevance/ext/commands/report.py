"""`pytest-relevance report`: what a run printed of its cases, from its record (pytest
--relevance-record=FILE).

The report has failures, gates, the summary and the verdict. It is text, Markdown for
the comment of a pull request, an HTML page, JSON, or what another installed package
makes. The exit code is 0, whatever the run came to. It is 2 if RUN is no sound record.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance._files import name_to_forward
from pytest_relevance._text import listed, quoted
from pytest_relevance.cli import command
from pytest_relevance.cli.command import OK, CommandError
from pytest_relevance.reports.formats import ReportOptions, is_report, run_report
from pytest_relevance.reports.terminal_text import WIDEST, terminal_width

if TYPE_CHECKING:
    from pytest_relevance.results.records.run import Run


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "record", metavar="RUN", type=command.existing, help="the record of a run"
    )
    command.add_report(parser, command.FORMATS_OF_RUNS, has_images=True)
    parser.add_argument(
        "--against",
        metavar="BASELINE_OR_RUN",
        type=command.existing,
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
    """Print or write the report of a record.

    Raises `CommandError` for an invalid record or output, and `ExtensionError` if a
    report of another package fails.
    """
    format = command.report_format(arguments, command.FORMATS_OF_RUNS)
    inputs = [arguments.record, arguments.against]
    command.check_output(arguments, inputs, is_report, "no report")
    options = ReportOptions(
        verbosity=arguments.verbose - arguments.quiet,
        width=WIDEST if arguments.output is not None else terminal_width(),
        max_chars=arguments.max_chars,
        images=arguments.images == "link",
    )
    recorded = _recorded(arguments.record, arguments.against)
    report = run_report(format, recorded, options)
    command.deliver(report, format, arguments.output)
    return OK


def _recorded(path: Path, against: Path | None) -> Run:
    """Read a record, and compare it with another one or with a baseline."""
    from pytest_relevance.results.records.run import Run

    run = Run.open(path)
    return run if against is None else _against(run, against)


def _against(run: Run, path: Path) -> Run:
    """Return a run compared with a baseline or with another record. Raises
    `CommandError` for an invalid file.
    """
    from pytest_relevance.results.records.baseline_file import read_baseline
    from pytest_relevance.results.records.baseline_paths import SUFFIX
    from pytest_relevance.results.records.json_lines import BASELINE, kind_of
    from pytest_relevance.results.records.recorded_comparison import compare_recorded
    from pytest_relevance.results.records.recorded_rankings import entries_of
    from pytest_relevance.results.records.run import Run

    name = name_to_forward(str(path), Path.cwd())
    if not path.name.endswith(SUFFIX) and kind_of(path) != BASELINE.kind:
        other = Run.open(path)
        return compare_recorded(
            run,
            entries_of(other.results, other.info.fingerprint, other.files),
            name,
            other.results,
        )
    case_file = path.name.removesuffix(SUFFIX)
    files = [file for file in run.files if file.rpartition("/")[2] == case_file]
    files = [
        file for file in files if f"{file}{SUFFIX}" == path.as_posix()
    ] or files  # of several the one beside it
    if len(files) != 1:
        found = listed(map(quoted, files or run.files), "and")
        raise CommandError(
            f"{path} is the baseline of one case file, {quoted(case_file)}, and the run has {found}; compare with the "
            "record of another run"
        )
    return compare_recorded(run, {files[0]: read_baseline(path, str(path))}, name)
