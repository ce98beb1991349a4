"""The arguments of commands: their types, and the options that say how judgment files are read."""

from __future__ import annotations

import math
import re
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from pytest_relevance._text import quoted
from pytest_relevance.cli.command import PROGRAM

if TYPE_CHECKING:
    from pytest_relevance.judgments.scale import Scale

YAML = (".yaml", ".yml")
"""The endings of the names of case files."""

_NUMBER = re.compile(r"\s*[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?\s*")
_RANGE = re.compile(r"(.+?)\.\.(.+)")

Found = TypeVar("Found")


def a_format(text: str) -> str:
    """Return the checked name of a format. Raises ArgumentTypeError for an unknown one."""
    from pytest_relevance.judgments.reading import check_format

    return checked_by(check_format, text)


def _raters(text: str) -> str | None:
    from pytest_relevance.judgments.scale import checked_raters

    return checked_by(checked_raters, text)


def _scale(text: str) -> Scale:
    """Parse a scale, `exact=3,substitute=2` or `0..3`, with the checks of a scale in a case file."""
    from pytest_relevance.cases.checking.grades import check_scale
    from pytest_relevance.cases.problems import Location
    from pytest_relevance.cases.yaml.scalars import number

    def value(written: str) -> object:
        as_number = number(written.strip())
        return written.strip() if as_number is None else as_number

    ends = _RANGE.fullmatch(text)
    if ends is not None:
        scale: object = [value(end) for end in ends.groups()]
    elif "=" in text:
        pairs = [part.rpartition("=") for part in text.split(",") if part.strip()]
        scale = {name.strip(): value(grade) for name, _, grade in pairs}
        if len(scale) < len(pairs):
            raise ArgumentTypeError(f"a name stands twice in {quoted(text)}; keep one of them")
    else:
        raise ArgumentTypeError(f"expected exact=3,substitute=2,... or 0..3, found {quoted(text)}")
    at = Location({})
    checked = check_scale(scale, at)
    if at.mistakes:
        raise ArgumentTypeError("; ".join(mistake.render() for mistake in at.mistakes))
    return checked  # type: ignore[return-value]


def existing(path: str) -> Path:
    """Return the path of an existing file. Raises ArgumentTypeError for a folder, or if nothing exists there."""
    found = Path(path)
    if found.is_dir():
        raise ArgumentTypeError(f"{quoted(path)} is a folder, and a file is needed")
    if not found.exists():
        raise ArgumentTypeError(f"there is no file {quoted(path)}")
    return found


def judgment_file(path: str) -> Path:
    """Return the path of an existing file that is no case file. Raises ArgumentTypeError for any other."""
    if path.endswith(YAML):
        raise ArgumentTypeError(
            f"{quoted(path)} is a case file, and a judgment file is needed; {PROGRAM} convert {path} judgments.csv "
            "writes its judgments to one"
        )
    return existing(path)


def whole_from(least: int) -> Callable[[str], int]:
    """Return the argparse type of a whole number that is at least `least`."""

    def whole(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise ArgumentTypeError(f"expected a whole number from {least} on, found {quoted(text)}")
        return int(text)

    return whole


def number(text: str, is_allowed: Callable[[float], bool], what: str) -> float:
    """Parse a decimal number. Raises ArgumentTypeError, which names `what` is expected, unless it `is_allowed`."""
    found = float(text) if _NUMBER.fullmatch(text) else math.nan
    if not is_allowed(found):
        raise ArgumentTypeError(f"expected {what}, found {quoted(text)}")
    return found


def checked_by(check: Callable[[str], Found], text: str) -> Found:
    """Return the result of a check of the library. Raises ArgumentTypeError where the check raises ValueError."""
    try:
        return check(text)
    except ValueError as error:
        raise ArgumentTypeError(str(error)) from None


_READING: Mapping[str, tuple[str, Callable[[str], Any], str]] = {
    "--format": ("FORMAT", a_format, "the format of the judgments, if it is not recognised"),
    "--scale": (
        "SCALE",
        _scale,
        "named grades, exact=3,substitute=2,irrelevant=0, or the lowest and the highest grade, 0..3",
    ),
    "--raters": ("HOW", _raters, "how several ratings become a grade: median, mean, min, max or majority"),
    "--grade-column": ("NAME", str, "the column with the grades, if there are several, such as final_rating"),
}
"""Options that say how judgment files are read: placeholder, type and help text."""


def add_reading(parser: ArgumentParser, *options: str) -> None:
    """Add some of the options that say how judgment files are read."""
    for option in options:
        placeholder, parse, what = _READING[option]
        parser.add_argument(option, metavar=placeholder, type=parse, help=what)
