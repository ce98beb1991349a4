"""Mistakes in a file of judgments, queries or a run: their places, and one error for all of a file."""

from __future__ import annotations

from collections.abc import Sequence
from operator import attrgetter
from typing import NamedTuple

from pytest_relevance._problems import FileError, Problem

MOST_SHOWN = 20
MOST_KEPT = 1000
"""The number of problems after which a file is not searched for more: they are one mistake, made often."""


class RelevanceWarning(UserWarning):
    """Warn of judgments that may be a mistake: judged queries without a case, columns that were left out."""


class Place(NamedTuple):
    """A position in a file: the line (from 1), and the path where the file has a structure (JSON)."""

    line: int | None = None
    path: str | None = None


class JudgmentFileError(FileError):
    """A file of judgments, of queries or of a run that cannot be used. `problems` are the mistakes found in it."""

    def __init__(self, file: str, problems: Sequence[Problem]) -> None:
        super().__init__(file, problems, most_shown=MOST_SHOWN, at_least=len(problems) >= MOST_KEPT)


class Problems:
    """Collect the mistakes in one file, so that one error names them all."""

    def __init__(self, file: str) -> None:
        self._file = file
        self._found: list[Problem] = []

    def add(
        self, message: str, line: int | None = None, path: str | None = None, name: str | None = None, count: int = 1
    ) -> None:
        """Add a mistake, unless there are `MOST_KEPT` already."""
        if not self.full:
            self._found.append(Problem(message, line or 0, path=path, name=name, judgments=count))

    @property
    def full(self) -> bool:
        """Whether the search for mistakes may end."""
        return len(self._found) >= MOST_KEPT

    def check(self) -> None:
        """Raise `JudgmentFileError` if there are mistakes, in the order of their lines."""
        if self._found:
            self._found.sort(key=attrgetter("position"))
            raise JudgmentFileError(self._file, self._found)
