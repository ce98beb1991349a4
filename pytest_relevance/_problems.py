"""Collect mistakes in files that users write or name, each with its place.

A reader adds each mistake to `Problems` and goes on, so that a user sees all mistakes
of a file at once. At the end it calls `raise_if_any`. `FileError` is the one exception
for a file that cannot be used.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

MOST_KEPT = 1000
"""How many problems of a file are kept.

If there are more, most are one mistake made often.
"""

MOST_ALIKE = 3
"""How many mistakes of one kind are shown one by one."""


class RelevanceWarning(UserWarning):
    """Something that may be a mistake, for example repeated results."""


@dataclass(frozen=True, slots=True)
class Place:
    """A position in a file.

    `file`: the name of the file in messages; empty for the file that is read.
    `line`, `column`: counted from 1; 0 if they are not known.
    `path`: leads to a value in JSON, for example `queries[3].id`.
    """

    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""

    @property
    def is_known(self) -> bool:
        """Say whether a line or a path is known."""
        return bool(self.line or self.path)


NOWHERE = Place()


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake in a file, with its place.

    `case`: the name of the case that has the mistake; empty if it is of no case.
    `alike`: equal for mistakes of one kind, for example in one column. None if the
        mistake is of no kind.
    """

    message: str
    place: Place = NOWHERE
    case: str = ""
    alike: Hashable = None

    def render(self, file: str) -> str:
        """Return one line: `file:line:column: path: message (in case "...")`.

        Parts that are not known are left out. The column is left out too if the mistake
        is in another file than `file`, the file that was read.
        """
        place = self.place
        where = place.file or file
        if place.line:
            where += f":{place.line}"
        if place.column and not place.file:
            where += f":{place.column}"
        path = f" {place.path}:" if place.path else ""
        return f"{where}:{path} {self.message}{self._in_case}"

    @property
    def _in_case(self) -> str:
        return f" (in case {self.case})" if self.case else ""

    def and_others(self, others: Sequence[Problem], *, at_least: bool) -> Problem:
        """Return this problem, with the count and the first places of all of its kind.

        `others`: the other problems of its kind.
        `at_least`: whether there may be more of them.
        """
        places = [problem.place for problem in (self, *others)]
        if all(place.line for place in places):
            first = ", ".join(f"{place.line}" for place in places[:MOST_ALIKE])
            where = f"lines {first}"
        else:
            where = ", ".join(place.path for place in places[:MOST_ALIKE])
        count = "at least " if at_least else ""
        count += f"{len(places):,}"
        more = len(places) - MOST_ALIKE
        return Problem(
            f"{self.message}{self._in_case}; {count} rows have this mistake: {where} and {more:,} more",
            self.place,
        )


Error = TypeVar("Error", bound="FileError")


class FileError(ValueError):
    """A file that cannot be used.

    `problems` are its mistakes, in the order of the file, each once. More than
    `MOST_ALIKE` of one kind are one problem. The message shows the first `MOST_SHOWN`,
    each on a line.

    `at_least`: whether the search for mistakes stopped early, so that there may be
        more.
    """

    MOST_SHOWN: ClassVar[int] = 20

    def __init__(
        self, file: str, problems: Iterable[Problem], at_least: bool = False
    ) -> None:
        self.file = file
        found = _sorted_without_copies(problems)
        self.at_least = at_least
        self.problems = _one_of_each_kind(found, at_least=at_least)
        lines = [problem.render(file) for problem in self.problems[: self.MOST_SHOWN]]
        more = len(self.problems) - len(lines)
        if more > 0:
            count = f"at least {more:,}" if at_least else f"{more:,}"
            lines.append(f"{file}: ... and {count} more problems")
        super().__init__("\n".join(lines))

    @classmethod
    def at(cls: type[Error], file: str, message: str, place: Place = NOWHERE) -> Error:
        """Return the error for one mistake at a place."""
        return cls(file, [Problem(message, place)])

    def __reduce__(self) -> tuple[Any, ...]:
        """Return what pickle needs to make the error again."""
        return type(self), (self.file, self.problems, self.at_least)


def _sorted_without_copies(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Return the problems sorted by place, each message at a place once.

    Several cases may use one value by an alias of YAML. If the value is wrong, each
    case reports the same message at the same place. The first of these problems is
    kept. Problems of the file that was read come before problems of other files.
    """

    def position(problem: Problem) -> tuple[str, int, int]:
        place = problem.place
        return place.file, place.line, place.column

    first: dict[tuple[Place, str], Problem] = {}
    for problem in sorted(problems, key=position):
        first.setdefault((problem.place, problem.message), problem)
    return tuple(first.values())


def _one_of_each_kind(
    problems: Sequence[Problem], *, at_least: bool
) -> tuple[Problem, ...]:
    """Return the problems, with one in place of more than `MOST_ALIKE` of a kind.

    `at_least`: whether there may be more problems.
    """
    kinds: dict[tuple[str, Hashable], list[Problem]] = {}
    for problem in problems:
        if problem.alike is not None:
            kinds.setdefault((problem.place.file, problem.alike), []).append(problem)
    kept = []
    for problem in problems:
        kind = kinds.get((problem.place.file, problem.alike), [])
        if len(kind) <= MOST_ALIKE:
            kept.append(problem)
        elif problem is kind[0]:
            kept.append(problem.and_others(kind[1:], at_least=at_least))
    return tuple(kept)


class Problems:
    """Collect the mistakes in one file, and in the files that it names."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.found: list[Problem] = []

    def add(
        self,
        message: str,
        place: Place = NOWHERE,
        case: str = "",
        *,
        alike: Hashable = None,
    ) -> None:
        """Add a mistake. If there are `MOST_KEPT` already, the mistake is dropped.

        `case`: the name of the case that has the mistake; empty if it is of no case.
        `alike`: equal for mistakes of one kind. None if the mistake is of no kind.
        """
        if not self.is_full:
            self.found.append(Problem(message, place, case, alike))

    @property
    def is_full(self) -> bool:
        """Say whether there are so many mistakes that the search for more may end."""
        return len(self.found) >= MOST_KEPT

    def raise_if_any(self) -> None:
        """Raise `FileError` if there are mistakes."""
        if self.found:
            raise FileError(self.file, self.found, self.is_full)
