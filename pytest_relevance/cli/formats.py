"""The formats of a report: the options that name them, and a report printed or written in one of them."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Mapping
from typing import Any

from pytest_relevance._text import listed
from pytest_relevance.cli.arguments import whole_from
from pytest_relevance.cli.command import complain, put, say, write
from pytest_relevance.reports.text import safe_output

TEXT, MARKDOWN, JSON, HTML = "text", "markdown", "json", "html"
_ENDINGS: Mapping[str, str] = {".md": MARKDOWN, ".markdown": MARKDOWN, ".json": JSON, ".html": HTML, ".htm": HTML}
"""The formats of a report, and the endings of file names that mean them."""


def add_report(parser: Any, *more: str) -> None:
    """Add the options of a report: `--format`, with `more` formats, `--output` and `--max-chars`.

    `parser` may be a group of arguments.
    """
    add_format(parser, *more)
    endings = listed([".md", ".json", *(f".{name}" for name in more)], "or")
    parser.add_argument(
        "-o", "--output", metavar="FILE", help=f"write the report to a file, whose ending may say how ({endings})"
    )


def add_format(parser: Any, *more: str) -> None:
    """Add the options `--format`, with `more` formats than text, Markdown and JSON, and `--max-chars`."""
    from pytest_relevance.reports.blocks import MOST_CHARACTERS

    formats = (TEXT, MARKDOWN, *more, JSON)
    parser.add_argument("--format", choices=formats, help="how the report is written (default: text)")
    parser.add_argument(
        "--max-chars",
        metavar="N",
        type=whole_from(1),
        default=MOST_CHARACTERS,
        help=f"the most characters of a report in Markdown: whole sections are left out (default: {MOST_CHARACTERS:,}, "
        "what a comment of a pull request holds)",
    )


def report_format(arguments: Namespace) -> str:
    """Return the format of the report: the named one, else the one of the file name, else text."""
    ending = os.path.splitext(arguments.output or "")[1].lower()
    return arguments.format or _ENDINGS.get(ending, TEXT)


def as_indented_json(values: object) -> str:
    """Values of builtin types as JSON for a reader, without the numbers that JSON lacks."""
    import json

    from pytest_relevance.results.records.file import as_json

    return json.dumps(json.loads(as_json(values)), indent=2) + "\n"


def deliver(report: str, format: str, output: str | None = None) -> None:
    """Write a report to the file `output`, else to standard output. Raises `CommandError` as `write`."""
    data = (safe_output(report) if format == MARKDOWN else report).encode("utf-8", "backslashreplace")
    if output is not None:
        write(output, data)
        complain(f"written: {output}")
    elif format == TEXT:
        say(report, end="")
    else:  # the same bytes as in a file
        put(data)
