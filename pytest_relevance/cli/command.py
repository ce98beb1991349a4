"""What the commands share: exit codes, the error of a command, files, arguments,
formats of reports, output.
"""

from __future__ import annotations

import io
import math
import os
import re
import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_relevance._files import write_whole
from pytest_relevance._text import quoted
from pytest_relevance.reports.formats import (
    HTML,
    JSON,
    MARKDOWN,
    REPORTS,
    TEXT,
    format_of_suffix,
    has_report_of_comparison,
)
from pytest_relevance.reports.markdown_sections import MOST_CHARACTERS
from pytest_relevance.reports.styled_lines import Line, plain_text
from pytest_relevance.reports.workflow_commands import safe_output

if TYPE_CHECKING:
    from pytest_relevance.judgments.scale import Scale

PROGRAM = "pytest-relevance"

OK, FOUND, USAGE = 0, 1, 2
"""Exit codes: success; a problem in the files; a command that cannot be executed with
these arguments.
"""

STANDARD = "-"
"""The name of standard input and output."""


class CommandError(Exception):
    """A command cannot continue. The message is printed to standard error, `code` is
    the exit code.
    """

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


def check_output(
    arguments: Namespace,
    inputs: Iterable[Path | None],
    is_own: Callable[[bytes], bool] | None = None,
    what: str = "",
) -> None:
    """Raise `CommandError` if `--output` is an input, or has content for which `is_own`
    returns false.

    `what` describes the latter in the message, for example `no record`.
    """
    target = arguments.output
    if target is None:
        return
    option = f"{PROGRAM} {arguments.command}: --output {quoted(target)}"
    read = {os.path.realpath(path) for path in inputs if path is not None}
    if os.path.realpath(target) in read:
        raise CommandError(f"{option} is one of the files that are read")
    if is_own is None or not os.path.isfile(target):
        return
    data = Path(target).read_bytes()
    if data.strip() and not is_own(data):
        raise CommandError(f"{option} is there, and is {what}; name another file")


def escape_unencodable() -> None:
    """Make standard output and error escape the characters that their encoding lacks,
    instead of raising an error.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def complain(message: str) -> None:
    """Print a message to standard error."""
    print(safe_output(message), file=sys.stderr)


def say(text: object, end: str = "\n") -> None:
    """Print text to standard output; in GitHub Actions nothing in it is a command of
    the runner.
    """
    print(safe_output(str(text)), end=end)


def show(lines: Iterable[Line]) -> None:
    """Print the lines of a report to standard output, without colours."""
    say(plain_text(lines))


def put(data: bytes) -> None:
    """Write bytes to standard output unchanged, independent of the encoding of the
    terminal.
    """
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Raise `CommandError` if the file cannot be written."""
    try:
        yield
    except OSError as error:
        raise CommandError(
            f"{path}: cannot be written: {error.strerror or error}"
        ) from None


def write(path: str | Path, data: bytes) -> None:
    """Write a file atomically. Raises `CommandError` if it cannot be written."""
    with writing(path):
        write_whole(path, data)


# Arguments


_RANGE = re.compile(r"(.+?)\.\.(.+)")

Found = TypeVar("Found")


def a_format(text: str) -> str:
    """Return the checked name of a format. Raises ArgumentTypeError for an unknown
    one.
    """
    from pytest_relevance.judgments.reading import check_format

    return checked_by(check_format, text)


def _raters(text: str) -> str | None:
    from pytest_relevance.judgments.scale import checked_raters

    return checked_by(checked_raters, text)


def _scale(text: str) -> Scale:
    """Parse a scale, `exact=3,substitute=2` or `0..3`, with the checks of a scale in a
    case file.
    """
    from pytest_relevance.cases.scalars import grade
    from pytest_relevance.judgments.scale import scale_of

    ends = _RANGE.fullmatch(text)
    pairs = [part.rpartition("=") for part in text.split(",") if "=" in part]
    names = {name.strip(): grade(written.strip()) for name, _, written in pairs}
    if not ends and (not pairs or len(names) < len(text.split(","))):
        raise ArgumentTypeError(
            f"expected exact=3,substitute=2,... or 0..3, found {quoted(text)}"
        )
    scale = [grade(end.strip()) for end in ends.groups()] if ends else names
    return checked_by(scale_of, scale)


def regular_file(text: str) -> Path:
    """Return the path of an existing regular file, which can be read more than once."""
    path = existing(text)
    if not path.is_file():
        raise ArgumentTypeError(
            f"{quoted(text)} is no file but a pipe or a device; write what it has to a file first"
        )
    return path


def existing(path: str) -> Path:
    """Return the path of an existing file. Raises ArgumentTypeError for a folder, or if
    nothing exists there.
    """
    found = Path(path)
    if found.is_dir():
        raise ArgumentTypeError(f"{quoted(path)} is a folder, and a file is needed")
    if not found.exists():
        raise ArgumentTypeError(f"there is no file {quoted(path)}")
    return found


def whole_from(least: int) -> Callable[[str], int]:
    """Return the argparse type of a whole number that is at least `least`."""

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(
                f"expected a whole number from {least} on, found {quoted(text)}"
            )
        return int(text)

    return whole


def number(text: str, is_allowed: Callable[[float], bool], what: str) -> float:
    """Parse a decimal number. Raises ArgumentTypeError, which names `what` is expected,
    unless it `is_allowed`.
    """
    try:
        found = float(text)
    except ValueError:
        found = math.nan
    if not is_allowed(found):
        raise ArgumentTypeError(f"expected {what}, found {quoted(text)}")
    return found


def checked_by(check: Callable[[Any], Found], text: object) -> Found:
    """Call a check of the library for an argument. Raises ArgumentTypeError if the
    check raises ValueError.
    """
    try:
        return check(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def _id_field(text: str) -> str:
    from pytest_relevance._ids import id_field_of

    checked_by(id_field_of, text)
    return text


_READING: Mapping[str, tuple[str, Callable[[str], Any], str]] = {
    "--format": (
        "FORMAT",
        a_format,
        "the format of the judgments, if it is not recognised",
    ),
    "--scale": (
        "SCALE",
        _scale,
        "named grades, exact=3,substitute=2,irrelevant=0, or the lowest and the highest grade, 0..3",
    ),
    "--raters": (
        "HOW",
        _raters,
        "how several ratings become a grade: median, mean, min, max or majority",
    ),
    "--grade-column": (
        "NAME",
        str,
        "the column with the grades, if there are several, such as final_rating",
    ),
    "--id-field": (
        "FIELD",
        _id_field,
        "the column with the ids of documents, or a template of columns, such as {_index}/{_id}",
    ),
}
"""Options that say how judgment files are read: placeholder, type and help text."""


def add_reading(parser: ArgumentParser, *options: str) -> None:
    """Add some of the options that say how judgment files are read."""
    for option in options:
        placeholder, parse, what = _READING[option]
        parser.add_argument(option, metavar=placeholder, type=parse, help=what)


# The formats of a report


@dataclass(frozen=True, slots=True)
class _OfferedFormats:
    """The names of the formats of reports that a command offers.

    They are looked up when they are needed: to find those of other packages is slow.
    `of_comparisons`: only formats that make reports of comparisons.
    """

    of_comparisons: bool = False

    def __contains__(self, name: object) -> bool:
        if not isinstance(name, str) or name not in REPORTS:
            return False
        return not self.of_comparisons or has_report_of_comparison(name)

    def __iter__(self) -> Iterator[str]:
        for name in REPORTS.names():
            if name in self:
                yield name


FORMATS_OF_RUNS = _OfferedFormats()
"""The formats of reports of runs, those of other packages too."""

FORMATS_OF_COMPARISONS = _OfferedFormats(of_comparisons=True)
"""The formats of reports of comparisons, those of other packages too."""

OWN_FORMATS = (TEXT, MARKDOWN, HTML, JSON)
"""The formats of reports of the package."""


def add_report(
    parser: Any, formats: Collection[str] | _OfferedFormats, *, has_images: bool = False
) -> None:
    """Add the options of a report: `--format`, `--output` and `--max-chars`.

    `parser` may be a group of arguments. `has_images`: a page can show pictures, with
    `--images`.
    """
    add_format(parser, formats)
    output = (
        "write the report to a file, whose ending may say how (.md, .json or .html)"
    )
    parser.add_argument("-o", "--output", metavar="FILE", help=output)
    if has_images:
        images = "show pictures of documents in the page, from their addresses (default: off)"
        parser.add_argument(
            "--images", choices=("off", "link"), default="off", help=images
        )


def add_format(parser: Any, formats: Collection[str] | _OfferedFormats) -> None:
    """Add the options `--format` and `--max-chars`."""
    parser.add_argument(
        "--format",
        metavar="FORMAT",  # without it, argparse would ask for all names at once
        choices=formats,
        help="how the report is written: %(choices)s (default: text)",
    )
    most = (
        f"the most characters of a report in Markdown: whole sections are left out (default: {MOST_CHARACTERS:,}; "
        "a comment of a pull request holds 65,000)"
    )
    parser.add_argument(
        "--max-chars",
        metavar="N",
        type=whole_from(1),
        default=MOST_CHARACTERS,
        help=most,
    )


def report_format(
    arguments: Namespace, formats: Collection[str] | _OfferedFormats
) -> str:
    """Return the format of the report: the named one, else the one of the file name,
    else text.

    `formats` are those that the command offers.
    """
    if arguments.format:
        return str(arguments.format)
    suffix = os.path.splitext(arguments.output or "")[1]
    format = format_of_suffix(suffix)
    return format if format in formats else TEXT


def deliver(report: str, format: str, output: str | None = None) -> None:
    """Write a report to the file `output`, else to standard output. Raises
    `CommandError` as `write`.
    """
    data = (safe_output(report) if format == MARKDOWN else report).encode(
        "utf-8", "backslashreplace"
    )
    if output is not None:
        write(output, data)
        complain(f"written: {output}")
    elif format == TEXT:
        say(report, end="")
    else:  # the same bytes as in a file
        put(data)
