"""The options of a report, and the format that they choose."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pytest_relevance.cli.arguments import whole_from
from pytest_relevance.cli.output import check_output
from pytest_relevance.reports.formats import (
    HTML,
    JSON,
    MARKDOWN,
    REPORTS,
    TEXT,
    format_of_suffix,
    has_report_of_comparison,
    is_report,
)
from pytest_relevance.reports.markdown_sections import MOST_CHARACTERS
from pytest_relevance.reports.terminal_text import WIDEST, terminal_width


@dataclass(frozen=True, slots=True)
class _RegisteredFormats:
    """The names of all formats that can report a run, or a comparison.

    Each look-up reads all names, also those of other packages. So another package whose
    format has a name of ours is always refused.

    `of_comparisons`: whether they are the formats of comparisons.
    """

    of_comparisons: bool

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or name not in REPORTS.names():
            return False
        return not self.of_comparisons or has_report_of_comparison(name)

    def __iter__(self) -> Iterator[str]:
        for name in REPORTS.names():
            if name in self:
                yield name


FORMATS_OF_RUNS = _RegisteredFormats(of_comparisons=False)
"""The formats of reports of runs, also those of other packages."""

FORMATS_OF_COMPARISONS = _RegisteredFormats(of_comparisons=True)
"""The formats of reports of comparisons, also those of other packages."""

OWN_FORMATS = (TEXT, MARKDOWN, HTML, JSON)
"""The formats of reports of this package."""


def add_report(
    parser: Any, formats: Container[str], *, has_images: bool = False
) -> None:
    """Add the options of a report to a parser, or to a group of its arguments.

    `formats`: the formats that the command offers.
    `has_images`: whether there is an option to show pictures in a page.
    """
    add_format(parser, formats)
    parser.add_argument(
        "-o",
        "--output",
        metavar="FILE",
        help="write the report to a file; the endings .md, .json and .html say in "
        "which format",
    )
    if has_images:
        parser.add_argument(
            "--images",
            choices=("off", "link"),
            default="off",
            help="show pictures of documents in the page, from their addresses (default: off)",
        )


def add_format(parser: Any, formats: Container[str]) -> None:
    """Add `--format` and `--max-chars` to a parser, or to a group of its arguments."""
    parser.add_argument(
        "--format",
        metavar="FORMAT",  # without it, argparse would ask for all names at once
        choices=formats,
        help="how the report is written: %(choices)s (default: text)",
    )
    parser.add_argument(
        "--max-chars",
        metavar="N",
        type=whole_from(1),
        default=MOST_CHARACTERS,
        help=f"the most characters of a report in Markdown: whole sections are left out "
        f"(default: {MOST_CHARACTERS:,}; a comment of a pull request holds 65,000)",
    )


def report_format(
    arguments: Namespace, formats: Container[str], inputs: Iterable[Path | None]
) -> str:
    """Return the format that `--format`, or else the ending of `--output`, names.

    If neither names one of `formats`, text is returned. Raises `CommandError` if the
    file of `--output` is one of `inputs`, or exists and is not a report.
    """
    format = str(arguments.format or "")
    if not format:
        suffix = os.path.splitext(arguments.output or "")[1]
        format = format_of_suffix(suffix)
        if format not in formats:
            format = TEXT
    check_output(arguments, inputs, is_own=is_report, otherwise="no report")
    return format


def report_width(arguments: Namespace) -> int:
    """Return the width of a report as text: that of the terminal, or a fixed one.

    A report in a file has the fixed width.
    """
    return terminal_width() if arguments.output is None else WIDEST
