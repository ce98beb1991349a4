"""What is wrong with a file of judgments, queries or a run: one `FileProblem` a mistake, all of a file in one error."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

MOST_SHOWN = 20
MOST_KEPT = 1000
"""How many problems of one file are looked for: who has that many has one mistake, made often."""


class RelevanceWarning(UserWarning):
    """Something about judgments that is no mistake, but may be one: judged queries without a case, columns left out."""


@dataclass(frozen=True, slots=True)
class FileProblem:
    """One mistake in a file: in which line (from 1), or where in its structure (`queries[3].ratings`), and what."""

    message: str
    line: int | None = None
    path: str | None = None

    def render(self, file: str) -> str:
        """`file:line: message`, with the path in the structure where there is one."""
        line = f":{self.line}" if self.line is not None else ""
        path = f" {self.path}:" if self.path else ""
        return f"{file}{line}:{path} {self.message}"


class JudgmentFileError(ValueError):
    """A file of judgments, of queries or of a run that cannot be used. `problems` has the mistakes found in it.

    `at_least` says that there may be more: nobody looked any further.
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
        """Pickle what it was made of, not the text that was made of that."""
        return type(self), (self.file, self.problems)
