"""`pytest-relevance merge`: the records of the shards of one run joined, and its gates judged over the whole.

Each shard writes a record (pytest --relevance-record=FILE). The report is printed, as text, Markdown, an HTML page or
JSON; --output writes the record of the whole run. The exit code is 0 where every case is there and every
gate is met, 1 where a case is missing or a gate is not met, and 2 where the records are not of one run. Cases that
failed are counted; they have failed their shard already.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance._text import listed, quoted
from pytest_relevance.cli.command import (
    FOUND,
    HTML,
    JSON,
    MARKDOWN,
    OK,
    PROGRAM,
    TEXT,
    CommandError,
    add_format,
    as_indented_json,
    check_output,
    complain,
    deliver,
    existing,
    read_run_record,
    writing,
)
from pytest_relevance.reports.text import plain, terminal_width

if TYPE_CHECKING:
    from pytest_relevance.results.gates import GateResult
    from pytest_relevance.results.records.merge import Merged


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("records", metavar="RECORD", type=existing, nargs="+", help="the record of a shard")
    add_format(parser, HTML)
    parser.add_argument("-o", "--output", metavar="FILE", help="write the record of the whole run; .gz packs it")
    parser.add_argument(
        "--last",
        action="store_true",
        help="where records have different results of a case, take that of the record that is named last",
    )


def run(arguments: Namespace) -> int:
    """Merge the records, print a report, judge the gates, and return the exit code.

    Raises `CommandError` where the records cannot be merged or the output cannot be written.
    """
    from pytest_relevance.results.case_result import FAILED
    from pytest_relevance.results.gates import judge_gates
    from pytest_relevance.results.records.file import RECORDS, is_record
    from pytest_relevance.results.records.merge import Unmergeable, merge_runs

    _check_named_once(arguments.records)
    runs = [read_run_record(path) for path in arguments.records]
    if len({run.name for run in runs}) < len(runs):  # shard-1/run.jsonl, shard-2/run.jsonl
        for run, path in zip(runs, arguments.records, strict=True):
            run.name = str(path)
    check_output(arguments, arguments.records, is_record, f"no {RECORDS}")
    try:
        merged = merge_runs(runs, last=arguments.last)
    except Unmergeable as error:
        raise CommandError(str(error)) from None
    run = merged.run
    gates = judge_gates(run.results, run.files, require=run.info.requires_gates)
    format = arguments.format or TEXT
    report = _report(merged, gates, len(runs), format, arguments.max_chars)
    try:
        if arguments.output is not None:  # before the report is printed, as its reader may close the pipe
            with writing(arguments.output):
                merged.run.write(arguments.output)
            complain(f"written: {arguments.output}")
    finally:
        deliver(report, format)
    is_good = merged.is_whole and all(gate.outcome() != FAILED for gate in gates)
    return OK if is_good else FOUND


def _report(merged: Merged, gates: Sequence[GateResult], records: int, format: str, max_chars: int) -> str:
    """The report of the whole run in the format that was asked for."""
    from pytest_relevance.reports.run.report import merge_notes, merged_data, merged_lines, with_missing

    if format == JSON:
        return as_indented_json(merged_data(merged, records))
    if format == MARKDOWN:
        from pytest_relevance.reports.run.markdown import run_markdown

        return run_markdown(with_missing(merged), notes=merge_notes(merged, records), most=max_chars)
    if format == HTML:
        from pytest_relevance.reports.html.page import html_page

        return html_page(with_missing(merged))
    return plain(merged_lines(merged, gates, records, terminal_width())) + "\n"


def _check_named_once(records: Sequence[Path]) -> None:
    """Raise `CommandError` for a record that is named twice: most likely another one was meant."""
    places = Counter(map(os.path.realpath, records))
    twice = [str(path) for path in records if places[os.path.realpath(path)] > 1]
    if twice:
        raise CommandError(f"{PROGRAM} merge: one record is named several times: {listed(map(quoted, twice), 'and')}")
