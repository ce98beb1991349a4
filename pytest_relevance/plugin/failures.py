"""The exceptions of failing cases, and how they are shown in a report."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance.plugin.options import is_brief, is_by_line, verbosity
from pytest_relevance.reports.text import BAD, DIM, DOUBT, GOOD, STRONG, Line, plain

MARKUP: dict[str, dict[str, bool]] = {
    BAD: {"red": True, "bold": True},
    GOOD: {"green": True},
    DIM: {"light": True},
    DOUBT: {"yellow": True},
    STRONG: {"bold": True},
}
"""The markup for pytest's terminal writer, by style of a report."""


if TYPE_CHECKING:

    class _Failed(BaseException):
        def __init__(self, msg: str | None = None, pytrace: bool = True) -> None: ...

else:
    _Failed = pytest.fail.Exception


class CaseFailure(_Failed):
    """A floor or an expectation of a case is not met, or the case is inconclusive. `xfail` covers only this error."""


class BaselineFailure(_Failed):
    """A case is worse than its baseline, or its baseline entry is stale. `xfail` does not cover it."""


class CaseError(_Failed):
    """A case could not be scored: the search could not be called, or its response could not be used as a ranking.

    `xfail` does not cover it.
    """


@dataclass(frozen=True, slots=True)
class Crash:
    """The position of a failing case and its message, as `--tb=line`, JUnit and the short summary show them."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        """Return `PATH:LINE: MESSAGE`."""
        return f"{self.path}:{self.lineno}: {self.message}"


class FailureText:
    """The report of a failing case or gate with colours, which replaces pytest's own representation of the exception.

    `lines_of` makes the lines for a verbosity: JUnit and other reporters use all, the terminal what its options ask
    for. With `is_known` the terminal shows the brief form: the advice in the whole text was shown before.
    """

    def __init__(
        self, option: Any, lines_of: Callable[[int], Sequence[Line]], crash: Crash, *, is_known: bool = False
    ) -> None:
        whole = lines_of(max(verbosity(option), 0))
        brief = lines_of(-1) if is_known or is_brief(option) else whole
        self.reprcrash = crash
        self.lines = brief if is_known else whole
        self.shown = [] if is_by_line(option) else brief  # pytest prints the crash itself

    def __str__(self) -> str:
        """Return the whole text, without colours."""
        return plain(self.lines)

    def toterminal(self, tw: Any) -> None:
        """Write the lines for the terminal to pytest's terminal writer."""
        write_lines(tw, self.shown)


def write_lines(tw: Any, lines: Iterable[Line]) -> None:
    """Write styled lines, each with a line end, to pytest's terminal writer or terminal reporter."""
    for spans in lines:
        for text, style in spans:
            if text:
                tw.write(text, **MARKUP.get(style, {}))
        tw.write("\n")


def shown_path(path: Path | str, config: pytest.Config) -> str:
    """Return the path of a file for messages: relative to the folder where pytest was started, as in pytest's own."""
    try:
        return os.path.relpath(path, config.invocation_params.dir)
    except ValueError:  # the file is on another drive (Windows)
        return str(path)
