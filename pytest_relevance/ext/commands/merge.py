"""`pytest-relevance merge`: the records of the shards of one run joined, and its gates
judged over the whole.

Each shard writes a record (pytest --relevance-record=FILE). The report is printed, as
text, Markdown, an HTML page or JSON; --output writes the record of the whole run. The
exit code is

- 0 if every case is there, every gate is met, and the run is compared with all of its
  reference if a shard required it (--relevance-baseline=require);
- 1 if one of these is not so, if no case was searched although there is a reference, or
  if the records together show that a case which passed is undecided;
- 2 if the records are not of one run.

Cases that failed are counted; they have failed their shard already.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pytest_relevance.cli import command
from pytest_relevance.cli.command import FOUND, OK, CommandError
from pytest_relevance.reports.formats import (
    JSON,
    TEXT,
    ReportOptions,
    run_report,
)
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.reports.terminal_text import terminal_width

if TYPE_CHECKING:
    from pytest_relevance.ext.commands.merging import Merged
    from pytest_relevance.gates.judging import GateResult


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument(
        "records",
        metavar="RECORD",
        type=command.regular_file,
        nargs="+",
        help="the record of a shard",
    )
    command.add_format(parser, command.OWN_FORMATS)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the record of the whole run; .gz packs it",
    )
    last = "where records have different results of a case, take that of the record that is named last"
    parser.add_argument("--last", action="store_true", help=last)


def run(arguments: Namespace) -> int:
    """Merge the records, print a report, judge the gates, and return the exit code.

    Raises `CommandError` where the records cannot be merged or the output cannot be
    written.
    """
    from pytest_relevance.ext.commands.merge_findings import (
        merge_findings,
        with_findings,
    )
    from pytest_relevance.ext.commands.merging import Unmergeable, merge_runs
    from pytest_relevance.gates.judging import judge_gates
    from pytest_relevance.results.case_result import FAILED
    from pytest_relevance.results.records.json_lines import is_record
    from pytest_relevance.results.records.record_file import RECORDS
    from pytest_relevance.results.records.run import Run

    format = arguments.format or TEXT
    runs = [Run.open(path) for path in arguments.records]
    # shard-1/run.jsonl, shard-2/run.jsonl
    if len({run.name for run in runs}) < len(runs):
        for run, path in zip(runs, arguments.records, strict=True):
            run.name = str(path)
    command.check_output(arguments, arguments.records, is_record, f"no {RECORDS}")
    try:
        merged = merge_runs(runs, last=arguments.last)
    except Unmergeable as error:
        raise CommandError(str(error)) from None
    merged = with_findings(merged)
    gates = judge_gates(
        merged.run.results, merged.run.files, require=merged.run.info.requires_gates
    )
    # before the report is printed, as its reader may close the pipe
    if arguments.output is not None:
        with command.writing(arguments.output):
            merged.run.write(arguments.output)
        command.complain(f"written: {arguments.output}")
    report = _report(merged, gates, len(runs), format, arguments.max_chars)
    command.deliver(report, format)
    is_bad = (
        not merged.is_whole
        or bool(merged.undecided)
        or any(gate.outcome() == FAILED for gate in gates)
        or any(merge_findings(merged.run))
        or any(finding.fails for finding in merged.run.info.findings)
    )
    return FOUND if is_bad else OK


def _report(
    merged: Merged,
    gates: Sequence[GateResult],
    records: int,
    format: str,
    max_chars: int,
) -> str:
    """Make the report of a run that was merged from so many records."""
    from pytest_relevance.ext.commands.merged_report import (
        merge_notes,
        merged_data,
        merged_lines,
        with_missing,
    )

    if format == TEXT:
        lines = merged_lines(merged, gates, records, terminal_width())
        return plain_text(lines) + "\n"
    if format == JSON:
        from pytest_relevance.reports.formats import json_text

        return json_text(merged_data(merged, records))
    run = with_missing(merged)
    notes = merge_notes(merged, records)
    options = ReportOptions(max_chars=max_chars, notes=notes)
    return run_report(format, run, options)
