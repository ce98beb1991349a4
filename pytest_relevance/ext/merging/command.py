"""`pytest-relevance merge`: the records of the shards of one run become one record.

Each shard writes a record (pytest --relevance-record=FILE). The report is printed, as
text, Markdown, an HTML page or JSON; --output writes the record of the whole run. The
exit code is

- 0 if every case is there, every gate is met, and the run is compared with all of its
  reference if a shard required it (--relevance-baseline=require);
- 1 if one of these is not so, if no case was searched although there is a reference, or
  if a case passed in its shard, and all records together show that it is undecided;
- 2 if the records are not of one run.

A failed case does not change the exit code, because its shard has failed already.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from pathlib import Path

from pytest_relevance.cli.arguments import regular_file
from pytest_relevance.cli.command import FOUND, OK, CommandError
from pytest_relevance.cli.output import check_output, complain, deliver, writing
from pytest_relevance.cli.report_options import OWN_FORMATS, add_format
from pytest_relevance.ext.merging.merge import Merged, Unmergeable, merge_runs
from pytest_relevance.ext.merging.report import (
    merge_notes,
    merged_data,
    merged_lines,
    with_missing,
)
from pytest_relevance.gates.judging import GateResult, judge_gates
from pytest_relevance.reports.formats import (
    JSON,
    TEXT,
    ReportOptions,
    json_text,
    run_report,
)
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.reports.terminal_text import terminal_width
from pytest_relevance.results.case_result import FAILED
from pytest_relevance.results.records.json_lines import is_record
from pytest_relevance.results.records.record_file import RECORDS
from pytest_relevance.results.records.run import Run


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "records",
        metavar="RECORD",
        type=regular_file,
        nargs="+",
        help="the record of a shard",
    )
    add_format(parser, OWN_FORMATS)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the record of the whole run; .gz packs it",
    )
    last = "if records have different results of a case, take that of the record that is named last"
    parser.add_argument("--last", action="store_true", help=last)


def run(arguments: Namespace) -> int:
    """Merge the records, print the report, and return the exit code.

    Raises `CommandError` if the records cannot be merged or the output cannot be
    written.
    """
    runs = _open(arguments.records)
    check_output(
        arguments, arguments.records, is_own=is_record, otherwise=f"no {RECORDS}"
    )
    try:
        merged = merge_runs(runs, last=arguments.last)
    except Unmergeable as error:
        raise CommandError(str(error)) from None
    whole = merged.run
    gates = judge_gates(whole.results, whole.files, require=whole.info.requires_gates)
    # before the report is printed, as its reader may close the pipe
    if arguments.output is not None:
        with writing(arguments.output):
            whole.write(arguments.output)
        complain(f"written: {arguments.output}")
    format = arguments.format or TEXT
    deliver(_report(merged, gates, format, arguments.max_chars), format)
    is_unmet = any(gate.outcome() == FAILED for gate in gates)
    return FOUND if merged.has_failed or is_unmet else OK


def _open(paths: Sequence[Path]) -> list[Run]:
    """Return the runs in records. If two have the same name, paths become the names."""
    runs = [Run.open(path) for path in paths]
    if len({run.name for run in runs}) < len(runs):
        for run, path in zip(runs, paths, strict=True):
            run.name = str(path)
    return runs


def _report(
    merged: Merged, gates: Sequence[GateResult], format: str, max_chars: int
) -> str:
    """Return the report of a merged run, in a format of this package."""
    if format == TEXT:
        return plain_text(merged_lines(merged, gates, terminal_width())) + "\n"
    if format == JSON:
        return json_text(merged_data(merged))
    options = ReportOptions(max_chars=max_chars, notes=merge_notes(merged))
    return run_report(format, with_missing(merged), options)
