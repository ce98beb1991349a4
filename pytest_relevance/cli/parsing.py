"""Parse the arguments of a command; arguments that several commands share, checked by functions of the library."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import NoReturn, TypeVar

from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.cli.command_table import COMMANDS, PROGRAM, CommandError
from pytest_relevance.judgments.grading import Scale

STANDARD = "-"
"""The name of standard input and output."""

Found = TypeVar("Found")

_RANGE = re.compile(r"(.+?)\.\.(.+)")


class _Parser(argparse.ArgumentParser):
    """An argument parser whose errors are `CommandError` with the command, its usage and a hint at `--help`."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{self.prog}: {message}\n{self.format_usage().rstrip()}\n{self.prog} --help says more")


def parsed(command: ModuleType, name: str, arguments: Sequence[str]) -> argparse.Namespace:
    """Parse the arguments of a command. Raises `CommandError` for invalid ones, SystemExit after printing `--help`."""
    does = COMMANDS[name][1]
    parser = _Parser(
        prog=f"{PROGRAM} {name}",
        description=f"{does[0].upper()}{does[1:]}.",
        epilog=(command.__doc__ or "").partition("\n\n")[2].strip() or None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    command.declare(parser)
    found, unknown = parser.parse_known_args(arguments)
    if unknown:
        wrong = unknown[0]
        if wrong.startswith("-"):
            options = re.findall(r"--[\w-]+", parser.format_help())
            parser.error(f"there is no option {quoted(wrong)}{did_you_mean(wrong.partition('=')[0], options)}")
        parser.error(f"{quoted(wrong)} is one argument too many")
    return found


def add_format(parser: argparse.ArgumentParser, option: str, what: str) -> None:
    """Add an option for the name of a format. `what` begins its help text."""
    parser.add_argument(option, metavar="FORMAT", type=a_format, help=f"{what}, where its content does not show it")


def add_scale(parser: argparse.ArgumentParser) -> None:
    """Add the option `--scale`."""
    parser.add_argument(
        "--scale",
        type=a_scale,
        help="names of grades, exact=3,substitute=2,irrelevant=0, or the lowest and the highest grade, 0..3",
    )


def add_raters(parser: argparse.ArgumentParser) -> None:
    """Add the option `--raters`."""
    parser.add_argument(
        "--raters",
        metavar="HOW",
        type=a_way_to_combine,
        help="how several ratings of a document become its grade: median, mean, min, max or majority",
    )


def add_grade_column(parser: argparse.ArgumentParser) -> None:
    """Add the option `--grade-column`."""
    parser.add_argument(
        "--grade-column",
        metavar="NAME",
        help="the column of the grades, where the judgments have several (final_rating beside those of raters)",
    )


def a_format(text: str) -> str:
    """Return the checked name of a format. Raises ArgumentTypeError for an unknown one."""
    from pytest_relevance.judgments.reading import check_format

    return checked_by(check_format, text)


def a_way_to_combine(text: str) -> str:
    """Return the name of a way to combine ratings. Raises ArgumentTypeError for an unknown one."""
    from pytest_relevance.judgments.raters import checked_raters

    checked_by(checked_raters, text)
    return text


def a_scale(text: str) -> Scale:
    """Parse a scale, `exact=3,substitute=2` or `0..3`, with the checks of a scale in a case file.

    Raises ArgumentTypeError for any other text.
    """
    from pytest_relevance.cases.grades import check_scale
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
            raise argparse.ArgumentTypeError(f"a name stands twice in {quoted(text)}; keep one of them")
    else:
        raise argparse.ArgumentTypeError(f"expected exact=3,substitute=2,... or 0..3, found {quoted(text)}")
    at = Location({})
    checked = check_scale(scale, at)
    if at.mistakes:
        raise argparse.ArgumentTypeError("; ".join(mistake.render() for mistake in at.mistakes))
    return checked  # type: ignore[return-value]


def existing(path: str) -> Path:
    """Return the path of an existing file. Raises ArgumentTypeError for a folder, or if nothing exists there."""
    found = Path(path)
    if found.is_dir():
        raise argparse.ArgumentTypeError(f"{quoted(path)} is a folder, and a file is needed")
    if not found.exists():
        raise argparse.ArgumentTypeError(f"there is no file {quoted(path)}")
    return found


def checked_by(check: Callable[[str], Found], text: str) -> Found:
    """Return the result of a check of the library. Raises ArgumentTypeError where the check raises ValueError."""
    try:
        return check(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
