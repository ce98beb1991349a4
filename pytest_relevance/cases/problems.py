"""What is wrong with a case file: one `Problem` a mistake, all those of a file in one `CaseFileError`.

Mistakes in the files of judgments and queries that it names are among them, each with the name of its file.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field

from pytest_relevance._text import quoted

MOST_SHOWN = 50
MOST_ELSEWHERE = 100
"""Problems in other files than the case file that are looked for: who has that many has one mistake, made often."""

Path = tuple[str | int, ...]
"""Where in the nested values of a case or suite: keys and list indexes, outermost first."""


class Refused(ValueError):
    """A value that a check refuses; `path` leads to it from the value that was checked.

    `at_key` points at the key rather than at what it holds. `elsewhere` makes the problem, given the case, of what
    stands in a judgment file: the place there takes a search, and is asked only for what is reported. `group` is the
    same for mistakes with one remedy, of which a file reports the first alone; this one is `count` of them.
    """

    def __init__(
        self,
        message: str,
        path: Path = (),
        *,
        at_key: bool = False,
        elsewhere: Callable[[str | None], Problem] | None = None,
        group: Hashable = None,
        count: int = 1,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.at_key = at_key
        self.elsewhere = elsewhere
        self.group = group
        self.count = count

    def under(self, *outer: str | int) -> Refused:
        """The same refusal, seen from further out."""
        path = (*outer, *self.path)
        return Refused(
            self.message, path, at_key=self.at_key, elsewhere=self.elsewhere, group=self.group, count=self.count
        )

    def all(self) -> list[Refused]:
        """Itself, as `RefusedSeveral` gives several."""
        return [self]

    def render(self) -> str:
        """The message behind the keys that lead to it: `expect.first[1]: ...`."""
        path = self.path[:-1] if self.at_key else self.path
        where = "".join(f"[{part}]" if isinstance(part, int) else f".{_shown_key(part)}" for part in path)
        return f"{where.removeprefix('.')}: {self.message}" if where else self.message


class RefusedSeveral(ValueError):
    """Several refusals of one check, so that all of them are reported together."""

    def __init__(self, refusals: list[Refused]) -> None:
        super().__init__("; ".join(refused.message for refused in refusals))
        self._refusals = refusals

    def all(self) -> list[Refused]:
        """Each of them."""
        return self._refusals


_HARMLESS_KEY = re.compile(r"[\w@()=,+-]+")


def _shown_key(key: str) -> str:
    return key if len(key) <= 40 and _HARMLESS_KEY.fullmatch(key) else quoted(key, 40)


@dataclass(frozen=True, slots=True)
class Problem:
    """One mistake: where (lines and columns count from 1), in which case, and what about it.

    `file` is None for the case file itself, else a file that it names; there are no columns in those, and where there
    are no lines either (JSON, Parquet) the line is 0 and the message says where.
    """

    line: int
    column: int
    message: str = field(compare=False)
    case: str | None = field(compare=False, default=None)
    file: str | None = None

    @property
    def place(self) -> tuple[str, int, int]:
        """What problems are sorted by: those of the case file come first."""
        return self.file or "", self.line, self.column

    def render(self, file: str) -> str:
        """`file:line:column: message (in case "...")`; `file` is the case file."""
        where = f" (in case {self.case})" if self.case else ""
        if self.file is None:
            return f"{file}:{self.line}:{self.column}: {self.message}{where}"
        line = f":{self.line}" if self.line else ""
        return f"{self.file}{line}: {self.message}{where}"


class CaseFileError(ValueError):
    """A case file that cannot be used. `problems` has every mistake found in it, in the order of the file.

    After them come those in the files that it names. `at_least` says that there may be more: nobody looked any further.
    """

    def __init__(self, file: str, problems: Iterable[Problem]) -> None:
        self.file = file
        found = sorted(problems, key=lambda problem: problem.place)
        self.at_least = sum(problem.file is not None for problem in found) >= MOST_ELSEWHERE
        self.problems = _without_echoes(found)
        shown = [problem.render(file) for problem in self.problems[:MOST_SHOWN]]
        if len(self.problems) > MOST_SHOWN:
            least = "at least " * self.at_least
            shown.append(f"{file}: ... and {least}{len(self.problems) - MOST_SHOWN} more problems")
        super().__init__("\n".join(shown))

    def __reduce__(self) -> tuple[type[CaseFileError], tuple[str, tuple[Problem, ...]]]:
        """Pickle what it was made of, not the text that was made of that."""
        return type(self), (self.file, self.problems)


def _without_echoes(problems: Iterable[Problem]) -> tuple[Problem, ...]:
    """Each mistake once: what stands behind an anchor is wrong in every case that uses it, and mended in one place."""
    first: dict[tuple[str, int, int, str], Problem] = {}
    for problem in problems:
        first.setdefault((*problem.place, problem.message), problem)
    return tuple(first.values())
