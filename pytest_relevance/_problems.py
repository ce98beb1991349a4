"""Mistakes in files that users write: a `Problem` for each mistake, one `FileError` for all of a file."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple


class Problem(NamedTuple):
    """One mistake in a file: the message, its position, and the case of a case file that it is in.

    `line` and `column` count from 1; 0 means that they are not known. `file` is None for the file that was read, else
    the name of a file that it names, whose columns are not shown. `path` is that of a value in JSON, `queries[3].id`.
    `name` is what stands in the place of a grade and is no number; so many `judgments` have it, this one first.
    """

    message: str
    line: int = 0
    column: int = 0
    case: str | None = None
    file: str | None = None
    path: str | None = None
    name: str | None = None
    judgments: int = 1

    @property
    def position(self) -> tuple[str, int, int]:
        """The sort key: problems of the file that was read come first."""
        return self.file or "", self.line, self.column

    def render(self, file: str) -> str:
        """`file:line:column: path: message (in case "...")`, without what is not known; `file` is the file read."""
        parts = (file, self.line, self.column) if self.file is None else (self.file, self.line)
        where = ":".join(str(part) for part in parts if part)
        path = f" {self.path}:" if self.path else ""
        case = f" (in case {self.case})" if self.case else ""
        count = f" ({self.judgments:,} judgments)" if self.judgments > 1 else ""
        return f"{where}:{path} {self.message}{case}{count}"


class FileError(ValueError):
    """A file that cannot be used. `problems` are the mistakes in it; the message shows the first `most_shown`.

    `at_least` is True where the search for mistakes stopped early, so that there may be more.
    """

    def __init__(self, file: str, problems: Sequence[Problem], *, most_shown: int, at_least: bool) -> None:
        self.file = file
        self.problems = tuple(problems)
        self.at_least = at_least
        shown = [problem.render(file) for problem in self.problems[:most_shown]]
        if len(self.problems) > most_shown:
            shown.append(f"{file}: ... and {'at least ' * at_least}{len(self.problems) - most_shown:,} more problems")
        super().__init__("\n".join(shown))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the file and the problems; the message is made of them."""
        return type(self), (self.file, self.problems)
