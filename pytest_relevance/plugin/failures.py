"""The exceptions that a case ends in, and how they look in a report."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import pytest

from pytest_relevance._text import quoted
from pytest_relevance.reports.text import BAD, DIM, DOUBT, GOOD, STRONG, Line, plain


class TextWriter(Protocol):
    """What is needed of pytest's terminal writer, and of its terminal reporter."""

    def write(self, content: str, *, flush: bool = ..., **markup: bool) -> None:
        """Write text with markup (`red=True`)."""


MARKUP: dict[str, dict[str, bool]] = {
    BAD: {"red": True, "bold": True},
    GOOD: {"green": True},
    DIM: {"light": True},
    DOUBT: {"yellow": True},
    STRONG: {"bold": True},
}
"""What the styles of a report look like in pytest's terminal writer."""


if TYPE_CHECKING:

    class _Failed(BaseException):
        def __init__(self, msg: str | None = None, pytrace: bool = True) -> None: ...

else:
    _Failed = pytest.fail.Exception


class CaseFailure(_Failed):
    """A floor or an expectation of a case is not met, or nothing can be said. What `xfail` speaks of."""


class BaselineFailure(_Failed):
    """A case is worse than its baseline, or its entry is stale. `xfail` does not cover it."""


class CaseError(_Failed):
    """The case could not be scored: the search returned nonsense, or could not be called. `xfail` does not cover it."""


class AsyncFixture(CaseError):
    """A case requests an async fixture, and no plugin sets it up."""

    def __init__(self, name: str, *, has_asyncio: bool) -> None:
        super().__init__(f"the fixture {quoted(name)} is asynchronous, and no plugin sets it up", pytrace=False)
        self.name = name
        self.has_asyncio = has_asyncio


@dataclass(frozen=True, slots=True)
class Crash:
    """Where a failing case stands and why it failed, as `--tb=line`, JUnit and the short summary show it."""

    path: str
    lineno: int
    message: str

    def __str__(self) -> str:
        """All of it in one line."""
        return f"{self.path}:{self.lineno}: {self.message}"


class FailureText:
    """A failing case's report with colours, in the place of pytest's own representation of the exception.

    `shown` is what a terminal shows of it; JUnit and other reporters take the whole text.
    """

    def __init__(self, lines: Sequence[Line], crash: Crash, shown: Sequence[Line]) -> None:
        self.lines = lines
        self.reprcrash = crash
        self.shown = shown

    def __str__(self) -> str:
        """The whole text, without colours."""
        return plain(self.lines)

    def toterminal(self, tw: TextWriter) -> None:
        """Write the report to pytest's terminal writer."""
        write_lines(tw, self.shown)


def write_lines(tw: TextWriter, lines: Iterable[Line]) -> None:
    """Write styled lines, each ended."""
    for spans in lines:
        for text, style in spans:
            if text:
                tw.write(text, **MARKUP.get(style, {}))
        tw.write("\n")


def shown_path(path: Path | str, config: pytest.Config) -> str:
    """A file as messages name it: from where pytest was started, as its own messages do."""
    try:
        return os.path.relpath(path, config.invocation_params.dir)
    except ValueError:  # another drive
        return str(path)
