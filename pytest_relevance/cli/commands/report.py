"""`pytest-relevance report`: what a run printed of its cases, from its record (pytest --relevance-record=FILE).

Failures, gates that are not met, the summary and the verdict; or the same as Markdown, for the comment of a pull
request, or as JSON. The exit code is 0 whatever the run came to, and 2 where RUN is no sound record.
"""

from __future__ import annotations

import json
import os
import shutil
from argparse import ArgumentParser, Namespace
from collections.abc import Mapping

from pytest_relevance._text import quoted
from pytest_relevance.cli.command_table import OK, PROGRAM, CommandError
from pytest_relevance.cli.parsing import existing
from pytest_relevance.cli.text import complain, put, read_run_record, write

TEXT, MARKDOWN, JSON = "text", "markdown", "json"
_ENDINGS: Mapping[str, str] = {".md": MARKDOWN, ".markdown": MARKDOWN, ".json": JSON}


def declare(parser: ArgumentParser) -> None:
    """Add the arguments."""
    parser.add_argument("record", metavar="RUN", type=existing, help="the record of a run")
    parser.add_argument("--format", choices=(TEXT, MARKDOWN, JSON), help="how the report is written (default: text)")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help="write the report to a file, whose ending may say how (.md, .json)"
    )
    parser.add_argument(
        "-v", "--verbose", action="count", default=0, help="all ranks of a failure; -vv: cases that passed, too"
    )
    parser.add_argument("-q", "--quiet", action="count", default=0, help="a line a failure")


def run(arguments: Namespace) -> int:
    """Print or write the report of a record. Raises `CommandError` for an invalid record or output."""
    target = arguments.output
    if target is not None and os.path.realpath(target) == os.path.realpath(arguments.record):
        raise CommandError(f"{PROGRAM} report: --output {quoted(target)} is the record itself")
    format = arguments.format or _ENDINGS.get(os.path.splitext(target or "")[1].lower(), TEXT)
    text = _report(arguments, format)
    if target is None:
        if format == TEXT:
            print(text, end="")
        else:  # as in a file, independent of the encoding of the terminal
            put(text.encode("utf-8", "backslashreplace"))
        return OK
    write(target, text.encode("utf-8", "backslashreplace"))
    complain(f"written: {target}")
    return OK


def _report(arguments: Namespace, format: str) -> str:
    from pytest_relevance.reports.run_report import report_data, report_lines, report_markdown
    from pytest_relevance.reports.text import WIDEST, plain
    from pytest_relevance.results.record import as_json

    run = read_run_record(arguments.record)
    verbosity = arguments.verbose - arguments.quiet
    if format == JSON:
        return json.dumps(json.loads(as_json(report_data(run))), indent=2) + "\n"
    if format == MARKDOWN:
        return report_markdown(run, verbosity=verbosity)
    width = WIDEST if arguments.output is not None else shutil.get_terminal_size((WIDEST, 24)).columns
    return plain(report_lines(run, verbosity=verbosity, width=width)) + "\n"
