"""The type of a check of case files and judgment files, and all checks by name."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from pytest_relevance import bundled
from pytest_relevance._problems import Place as Place
from pytest_relevance._problems import Problem as Problem
from pytest_relevance.cases.model import Suite
from pytest_relevance.judgments.model import Judgments, Ratings
from pytest_relevance.registry import Registry, must_be


def _nothing(checked: object) -> Iterable[Problem]:
    """Find no problem, in a kind of file that a check does not look at."""
    return ()


@dataclass(frozen=True, slots=True)
class FileCheck:
    """A check of files, for `pytest-relevance check`.

    Its functions yield a `Problem` for each place with something wrong. The `case` of a
    problem is the text of a query. The message of a problem is a detail, and may be
    empty. If the place of a problem names no file, the problem is in the file that is
    checked.

    Attributes:
        name: the name of the check, for messages about the check itself.
        advice: what is wrong, and what to do. It is printed above the places.
        find: looks at a suite.
        find_in_judgments: looks at the judgments of a judgment file.
        find_in_rows: looks at the rows of a judgment file as they are written. It is
            called for the judgment files that a suite names, too.
    """

    name: str
    advice: str
    find: Callable[[Suite], Iterable[Problem]] = _nothing
    find_in_judgments: Callable[[Judgments], Iterable[Problem]] = _nothing
    find_in_rows: Callable[[Ratings], Iterable[Problem]] = _nothing


CHECKS: Registry[FileCheck] = Registry(
    "pytest_relevance.checks",
    bundled.CHECKS,
    must_be("pytest_relevance.cli.file_check:FileCheck"),
)
"""The checks of the command `check`, the most urgent first."""
