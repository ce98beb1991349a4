"""The types of arguments, and the options that say how judgment files are read.

A type is a function that argparse calls with the text of an argument. It returns the
value, or raises ArgumentTypeError.
"""

from __future__ import annotations

import math
import re
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from pytest_relevance._ids import id_field_of
from pytest_relevance._text import listed, quoted
from pytest_relevance.cases.scalars import grade
from pytest_relevance.cli.command import CommandError
from pytest_relevance.judgments.scale import Scale, checked_raters, scale_of

Value = TypeVar("Value")

STANDARD = "-"
"""The name of standard input and output."""

# --- types ----------------------------------------------------------------------------


def existing(text: str) -> Path:
    """Return the path of an existing file, which may be a pipe or a device.

    Raises ArgumentTypeError if there is no such file, or if it is a folder.
    """
    path = Path(text)
    if path.is_dir():
        raise ArgumentTypeError(f"{quoted(text)} is a folder, and a file is needed")
    if not path.exists():
        raise ArgumentTypeError(f"there is no file {quoted(text)}")
    return path


def regular_file(text: str) -> Path:
    """Return the path of an existing regular file, which can be read more than once.

    Raises ArgumentTypeError for anything else.
    """
    path = existing(text)
    if not path.is_file():
        raise ArgumentTypeError(
            f"{quoted(text)} is a pipe or a device, not a file; write its content to a file first"
        )
    return path


def whole_from(least: int) -> Callable[[str], int]:
    """Return a type of argument: a whole number that is at least `least`.

    The type raises ArgumentTypeError for any other text.
    """

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(
                f"expected a whole number from {least} on, found {quoted(text)}"
            )
        return int(text)

    return whole


def finite_number(text: str, what: str) -> float:
    """Return the finite decimal number in a text.

    Raises ArgumentTypeError if the text is not such a number.
    `what`: describes the number in the message of the error.
    """
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ArgumentTypeError(f"expected {what}, found {quoted(text)}")
    return number


def checked_by(check: Callable[[Any], Value], text: object) -> Value:
    """Return what `check` returns for an argument.

    Raises ArgumentTypeError if `check` raises ValueError.
    """
    try:
        return check(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


def judgment_format(text: str) -> str:
    """Return the name of a format of judgment files.

    Raises ArgumentTypeError if there is no such format.
    """
    # most commands read no judgments
    from pytest_relevance.judgments.recognition import check_format

    return checked_by(check_format, text)


# --- how judgment files are read ------------------------------------------------------


def _raters(text: str) -> str | None:
    """Return the name of a way to combine several ratings into a grade.

    Raises ArgumentTypeError if there is no such way.
    """
    return checked_by(checked_raters, text)


_RANGE = re.compile(r"(.+?)\.\.(.+)")


def _scale(text: str) -> Scale:
    """Return the scale in a text: `exact=3,substitute=2` or `0..3`.

    Raises ArgumentTypeError for any other text.
    """
    ends = _RANGE.fullmatch(text)
    if ends:
        return checked_by(scale_of, [grade(end.strip()) for end in ends.groups()])
    parts = text.split(",")
    grades = {}
    for part in parts:
        name, sign, written = part.rpartition("=")
        if sign:
            grades[name.strip()] = grade(written.strip())
    if len(grades) < len(parts):
        raise ArgumentTypeError(
            f"expected exact=3,substitute=2,... or 0..3, found {quoted(text)}"
        )
    return checked_by(scale_of, grades)


def _id_field(text: str) -> str:
    """Return a text that says what the id of a document is, unchanged.

    Raises ArgumentTypeError if the text is neither a field nor a template.
    """
    checked_by(id_field_of, text)
    return text


_READING: Mapping[str, Mapping[str, Any]] = {
    "--format": {
        "metavar": "FORMAT",
        "type": judgment_format,
        "help": "the format of the judgments, if it is not recognised",
    },
    "--scale": {
        "metavar": "SCALE",
        "type": _scale,
        "help": "named grades, exact=3,substitute=2,irrelevant=0, or the lowest and the highest grade, 0..3",
    },
    "--raters": {
        "metavar": "HOW",
        "type": _raters,
        "help": "how several ratings become a grade: median, mean, min, max or majority",
    },
    "--grade-column": {
        "metavar": "NAME",
        "help": "the column with the grades, if there are several, such as final_rating",
    },
    "--id-field": {
        "metavar": "FIELD",
        "type": _id_field,
        "help": "the column with the ids of documents, or a template of columns, such as {_index}/{_id}",
    },
}
"""{option: the arguments with which argparse declares it}."""


def add_reading(parser: ArgumentParser, *names: str) -> None:
    """Add some of the options that say how judgment files are read."""
    for name in names:
        parser.add_argument(name, **_READING[name])


def add_query(parser: ArgumentParser) -> None:
    """Add the options that name columns: of the query, and of what it needs.

    They are `--query`, `--document`, `--passage` and `--context`.
    """
    parser.add_argument(
        "--query",
        metavar="COL",
        action="append",
        help="the column, or the path in JSON, with the text of the query, such as "
        "question or params.text; may be repeated: the first that has a text "
        "counts",
    )
    needed = {
        "--document": "the ids of documents",
        "--passage": "the quotes",
        "--context": "the contexts",
    }
    for name, what in needed.items():
        parser.add_argument(
            name,
            metavar="COL",
            help=f"the column, or the path in JSON, with {what} that a query needs",
        )


def columns_of(arguments: Namespace) -> dict[str, Any]:
    """Return {option: the column that the arguments name, or None if they name none}.

    The options are `document`, `passage` and `context`. Raises `CommandError` if more
    than one of them is given.
    """
    columns = {
        "document": arguments.document,
        "passage": arguments.passage,
        "context": arguments.context,
    }
    given = [f"--{name}" for name, column in columns.items() if column is not None]
    if len(given) > 1:
        raise CommandError(
            f"a file has one of --document, --passage and --context, found {listed(given, 'and')}"
        )
    return columns
