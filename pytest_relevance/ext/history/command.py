"""`pytest-relevance history`: how search changed over many recorded runs.

RUN is a record (pytest --relevance-record=FILE), a pattern such as "runs/*.jsonl.gz",
or a folder. Of a folder all files *.jsonl and *.jsonl.gz are read, also those in its
folders. A file that is damaged, did not finish or is no record is named and left out.

The report has a line for each run: the mean over the cases that all runs have, the
interval that unjudged results leave to it, the 95th percentile of the latency, how many
cases passed, how many got worse and better since the run before, and what was searched.

The exit code is 0, whatever the runs show. It is 2 if no run is left, or if no case is
in all of them.
"""

from __future__ import annotations

import os
from argparse import ArgumentParser, Namespace
from collections.abc import Sequence
from glob import glob, has_magic
from pathlib import Path

from pytest_relevance._text import quoted
from pytest_relevance.cli.command import OK, PROGRAM, CommandError
from pytest_relevance.cli.output import deliver
from pytest_relevance.cli.report_options import (
    OWN_FORMATS,
    add_report,
    report_format,
    report_width,
)
from pytest_relevance.ext.history.data import history_data
from pytest_relevance.ext.history.history import read_history
from pytest_relevance.ext.history.page import history_page
from pytest_relevance.ext.history.report import history_markdown, history_text
from pytest_relevance.reports.formats import HTML, JSON, MARKDOWN, json_text
from pytest_relevance.results.records.baseline_paths import SUFFIX


def declare(parser: ArgumentParser) -> None:
    """Add the arguments of the command to its parser."""
    parser.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="a record, a pattern, or a folder with records",
    )
    add_report(parser, OWN_FORMATS)


def run(arguments: Namespace) -> int:
    """Print or write the history, and return the exit code."""
    files: dict[str, None] = {}
    for name in arguments.runs:
        files |= dict.fromkeys(_files(name))
    paths = list(files)
    format = report_format(arguments, OWN_FORMATS, map(Path, paths))
    history = read_history(paths)
    if format == MARKDOWN:
        report = history_markdown(history, arguments.max_chars)
    elif format == JSON:
        report = json_text(history_data(history))
    elif format == HTML:
        report = history_page(history)
    else:
        report = history_text(history, report_width(arguments))
    deliver(report, format, arguments.output)
    return OK


def _files(name: str) -> Sequence[str]:
    """Return the paths of the files that a folder, a pattern or a path names.

    Raises `CommandError` if there are none.
    """
    if os.path.isdir(name):
        files = _records_in(name)
    elif not os.path.exists(name) and has_magic(name):
        files = sorted(glob(name, recursive=True))
    else:
        files = [Path(name).as_posix()]
    if not files:
        raise CommandError(
            f"{PROGRAM} history: {quoted(name)} names no file *.jsonl or *.jsonl.gz"
        )
    return files


def _records_in(folder: str) -> list[str]:
    """Return the records in a folder and its folders, without baselines, sorted."""
    files = []
    for path in Path(folder).rglob("*"):
        name = path.as_posix()
        is_record = name.endswith((".jsonl", ".jsonl.gz"))
        if is_record and not name.endswith(SUFFIX) and path.is_file():
            files.append(name)
    return sorted(files)
