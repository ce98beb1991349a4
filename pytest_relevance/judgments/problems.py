"""Mistakes in a file of judgments, queries or a run: a `FileProblem` for each, one error for all of a file."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

MOST_SHOWN = 20
MOST_KEPT = 1000
"""The number of problems after which a file is not searched for more: they are one mistake, made often."""


class RelevanceWarning(UserWarning):
    """Warn of judgments that may be a mistake: judged queries without a case, columns that were left out."""


class Place(NamedTuple):
    """A position in a file: the line (from 1), and the path where the file has a structure (JSON)."""

    line: int | None = None
    path: str | None = None


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One mistake in a file: the message, its line (from 1), its path in JSON (`queries[3].ratings`).

    `name` is what is written in the place of a grade where it is no number. Such a mistake is that of `count` judgments
    with the same name, of which this is the first.
    """

    message: str
    line: int | None = None
    path: str | None = None
    name: str | None = None
    count: int = 1

    def render(self, file: str) -> str:
        """Format as `file:line: path: message`, without the parts that are not known."""
        line = f":{self.line}" if self.line is not None else ""
        path = f" {self.path}:" if self.path else ""
        count = f" ({self.count:,} judgments)" if self.count > 1 else ""
        return f"{file}{line}:{path} {self.message}{count}"


class JudgmentFileError(ValueError):
    """A file of judgments, of queries or of a run that cannot be used. `problems` are the mistakes found in it.

    `at_least` says that there may be more: the search ended after `MOST_KEPT`.
    """

    def __init__(self, file: str, problems: Iterable[FileProblem | str]) -> None:
        self.file = file
        self.problems = tuple(FileProblem(problem) if isinstance(problem, str) else problem for problem in problems)
        self.at_least = len(self.problems) >= MOST_KEPT
        shown = [problem.render(file) for problem in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            least = "at least " * self.at_least
            shown.append(f"{file}: ... and {least}{len(self.problems) - MOST_SHOWN:,} more problems")
        super().__init__("\n".join(shown))

    def __reduce__(self) -> tuple[type[JudgmentFileError], tuple[str, tuple[FileProblem, ...]]]:
        """Pickle the arguments of the constructor, not the message."""
        return type(self), (self.file, self.problems)


class Problems:
    """Collect the mistakes in one file, so that one error names them all."""

    def __init__(self, file: str, most: int = MOST_KEPT) -> None:
        self._file = file
        self._most = most
        self._found: list[FileProblem] = []

    def add(
        self, message: str, line: int | None = None, path: str | None = None, name: str | None = None, count: int = 1
    ) -> None:
        """Add a mistake, unless there are `most` already."""
        if not self.full:
            self._found.append(FileProblem(message, line, path, name, count))

    @property
    def full(self) -> bool:
        """Whether the search for mistakes may end."""
        return len(self._found) >= self._most

    def check(self) -> None:
        """Raise `JudgmentFileError` if there are mistakes, in the order of their lines."""
        if self._found:
            self._found.sort(key=lambda problem: problem.line or 0)
            raise JudgmentFileError(self._file, self._found)
