"""`pytest-relevance report`: what a run printed of its cases, from its record (pytest --relevance-record=FILE).

Failures, gates that are not met, the summary and the verdict; or the same as Markdown, for the comment of a pull
request, or as JSON. The exit code is 0 whatever the run came to, and 2 where RUN is no sound record.
"""

from __future__ import annotations

import json
from argparse import ArgumentParser, Namespace

from pytest_relevance.cli.command import (
    JSON,
    MARKDOWN,
    OK,
    add_report,
    check_output,
    deliver,
    existing,
    read_run_record,
    report_format,
)


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("record", metavar="RUN", type=existing, help="the record of a run")
    add_report(parser)
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="all ranks of a failure; -vv: cases that passed, too"
    )
    parser.add_argument("-q", "--quiet", action="count", default=0, help="a line a failure")


def run(arguments: Namespace) -> int:
    """Print or write the report of a record. Raises `CommandError` for an invalid record or output."""
    check_output(arguments, [arguments.record])
    deliver(_report(arguments, report_format(arguments)), arguments)
    return OK


def _report(arguments: Namespace, format: str) -> str:
    from pytest_relevance.reports.run_report import report_data, report_lines, report_markdown
    from pytest_relevance.reports.text import WIDEST, plain, terminal_width
    from pytest_relevance.results.record import as_json

    run = read_run_record(arguments.record)
    verbosity = arguments.verbose - arguments.quiet
    if format == JSON:
        return json.dumps(json.loads(as_json(report_data(run))), indent=2) + "\n"
    if format == MARKDOWN:
        return report_markdown(run, verbosity=verbosity)
    width = WIDEST if arguments.output is not None else terminal_width()
    return plain(report_lines(run, verbosity=verbosity, width=width)) + "\n"
