"""Mistakes in files that users write or name: `Problem` is one mistake, `Problems` collects the mistakes of a file.

`FileError` is the one exception for a file that cannot be used, and holds all its problems.
"""

from collections.abc import Iterable
from operator import attrgetter
from typing import Any, ClassVar, NamedTuple, TypeVar

MOST_KEPT = 1000
"""The number of problems after which a file is not searched for more: they are one mistake, made often."""


class RelevanceWarning(UserWarning):
    """Warn of what may be a mistake: judged queries without a case, columns that were left out, repeated results."""


class Place(NamedTuple):
    """A position in a file: the line (from 1), and the path where the file has a structure (JSON)."""

    line: int | None = None
    path: str | None = None


class Problem(NamedTuple):
    """One mistake in a file: the message, its position, and the case of a case file that it is in.

    `line` and `column` count from 1; 0 means that they are not known. `file` is None for the file that was read, else
    the name of a file that it names, whose columns are not shown. `path` leads to a value in JSON, `queries[3].id`.
    """

    message: str
    line: int = 0
    column: int = 0
    case: str | None = None
    file: str | None = None
    path: str | None = None

    @property
    def position(self) -> tuple[str, int, int]:
        """The sort key: problems of the file that was read come first."""
        return self.file or "", self.line, self.column

    def render(self, file: str) -> str:
        """`file:line:column: path: message (in case "...")`, without what is not known; `file` is the file read."""
        parts = (
            (file, self.line, self.column)
            if self.file is None
            else (self.file, self.line)
        )
        where = ":".join(str(part) for part in parts if part)
        path = f" {self.path}:" if self.path else ""
        case = f" (in case {self.case})" if self.case else ""
        return f"{where}:{path} {self.message}{case}"


Error = TypeVar("Error", bound="FileError")


class FileError(ValueError):
    """A file that cannot be used. `problems` are its mistakes in the order of the file, each once.

    The message is a line for each of the first `MOST_SHOWN`. `at_least`: the search for mistakes stopped early, so that
    there may be more; by default this is told by their number.
    """

    MOST_SHOWN: ClassVar[int] = 20

    def __init__(
        self, file: str, problems: Iterable[Problem], at_least: bool | None = None
    ) -> None:
        first: dict[object, Problem] = {}
        for problem in sorted(problems, key=attrgetter("position")):
            first.setdefault((problem.position, problem.path, problem.message), problem)
        self.file = file
        self.problems = tuple(first.values())
        self.at_least = (
            len(self.problems) >= MOST_KEPT if at_least is None else at_least
        )
        shown = [problem.render(file) for problem in self.problems[: self.MOST_SHOWN]]
        more = len(self.problems) - self.MOST_SHOWN
        if more > 0:
            shown.append(
                f"{file}: ... and {'at least ' * self.at_least}{more:,} more problems"
            )
        super().__init__("\n".join(shown))

    @classmethod
    def at(
        cls: type[Error],
        file: str,
        message: str,
        line: int | None = None,
        path: str | None = None,
    ) -> Error:
        """The error for one mistake."""
        return cls(file, [Problem(message, line or 0, path=path)])

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the file and the problems; the message is made of them."""
        return type(self), (self.file, self.problems, self.at_least)


class Problems:
    """Collect the mistakes in one file, so that one error names them all."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Problem] = []

    def add(
        self, message: str, line: int | None = None, path: str | None = None
    ) -> None:
        """Add a mistake, unless there are `MOST_KEPT` already."""
        if not self.full:
            self.found.append(Problem(message, line or 0, path=path))

    @property
    def full(self) -> bool:
        """Whether the search for mistakes may end."""
        return len(self.found) >= MOST_KEPT

    def check(self) -> None:
        """Raise `FileError` if there are mistakes."""
        if self.found:
            raise FileError(self.file, self.found)
