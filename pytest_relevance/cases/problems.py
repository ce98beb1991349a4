"""What is wrong with a case file.

Checks work on nested values and report mistakes through a `Location`, which knows the path of the value that is being
checked. `CaseProblems` collects them as `Problem`s with line and column, and all problems of a file make one
`CaseFileError`. Gates and expectations of records are checked here too: YAML is imported with a case file only.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from pytest_relevance._problems import FileError, Place, Problem
from pytest_relevance._text import shown_path
from pytest_relevance.metrics.metric import Metric, ProjectMetrics
from pytest_relevance.metrics.names import NO_METRICS, parse_metric

if TYPE_CHECKING:
    from pytest_relevance.cases.nodes import MappingNode, Mark

MOST_ELSEWHERE = 100
"""How many problems in the files that a case file names are looked for: so many come from one mistake, repeated."""

Path = tuple[str | int, ...]
"""The keys and list indexes that lead to a value within a suite or a case, outermost first."""

Elsewhere = Callable[[], tuple[str, Place]]
"""A function that finds a position in another file: the name of the file in messages, and the place in it."""

Label: TypeAlias = Callable[[], str]
"""A function that makes what messages call a case."""


class CaseFileError(FileError):
    """A case file that cannot be used.

    `problems` has every mistake found in it, in the order of the file, and then those in the files that it names.
    """

    MOST_SHOWN = 50


class CaseProblems:
    """Collects the mistakes in a case file and in the files that it names.

    `found` are the problems so far. `metrics` are the project's own; None says that they are not known.
    """

    def __init__(self, metrics: ProjectMetrics | None = NO_METRICS) -> None:
        self.metrics = metrics
        self.found: list[Problem] = []
        self._elsewhere = 0

    @property
    def has_many_elsewhere(self) -> bool:
        """Whether so many mistakes were found in other files that no more are looked for."""
        return self._elsewhere > MOST_ELSEWHERE

    def add(self, mark: Mark | None, message: str, case: str | None = None) -> None:
        """Add a problem at a position in the case file."""
        from pytest_relevance.cases.nodes import problem_at

        self.found.append(problem_at(mark, message, case or ""))

    def add_elsewhere(
        self, message: str, position: Elsewhere, case: str | None
    ) -> None:
        """Add a problem in another file, unless there are many. Finding a line there is slow, and done only then."""
        self._elsewhere += 1
        if not self.has_many_elsewhere:
            file, place = position()
            elsewhere = Place(file=file, line=place.line, path=place.path)
            self.found.append(Problem(message, elsewhere, case or ""))


class Scope:
    """The suite or the case whose values are checked.

    `values` are the values checked so far, those of a case on top of those of its suite. `where` is its node, or the
    position of its query in another file; None for a case written in Python. `label` makes what messages call a case.
    `owned_tags` are the markers that a tag may not be; None allows any tag. `mistakes` counts what was reported.
    """

    __slots__ = ("label", "mistakes", "owned_tags", "problems", "values", "where")

    def __init__(
        self,
        values: dict[str, object],
        problems: CaseProblems,
        where: MappingNode | Elsewhere | None = None,
        label: Label | None = None,
        owned_tags: frozenset[str] | None = None,
    ) -> None:
        self.values, self.problems, self.where = values, problems, where
        self.label, self.owned_tags = label, owned_tags
        self.mistakes = 0

    @property
    def case(self) -> str | None:
        """What messages call the case; None for a suite."""
        return self.label() if self.label is not None else None


class Location:
    """The path of a value that is being checked, in its suite or case."""

    __slots__ = ("path", "scope")

    def __init__(self, scope: Scope, path: Path = ()) -> None:
        self.scope, self.path = scope, path

    def under(self, *path: str | int) -> Location:
        """The location of a nested value."""
        return Location(self.scope, self.path + path)

    def metric(self, name: str, *, has_bound: bool) -> Metric:
        """The metric of a name, which may be the project's own. `has_bound`: its value is one that a metric may have.

        Raises ValueError for an unknown name; where the project's own metrics are not known, only if it has no bound.
        """
        metrics = self.scope.problems.metrics
        return parse_metric(name, metrics if has_bound else metrics or NO_METRICS)

    def refuse(
        self,
        message: str,
        *path: str | int,
        at_key: bool = False,
        elsewhere: Elsewhere | None = None,
    ) -> Any:
        """Report a mistake here or at a nested value. Returns None, so that a check can return it.

        `at_key` points at the key of the value instead of the value, `elsewhere` at a position in another file.
        """
        scope, problems = self.scope, self.scope.problems
        scope.mistakes += 1
        path = (*self.path, *path)
        if elsewhere is None and (named := shown_path(path[:-1] if at_key else path)):
            message = f"{named}: {message}"
        if elsewhere is None and callable(scope.where):
            elsewhere = scope.where
        if elsewhere is not None:
            problems.add_elsewhere(message, elsewhere, scope.case)
        else:
            node = scope.where
            mark = (
                node.mark_at(path, at_key=at_key)
                if node is not None and not callable(node)
                else None
            )
            problems.add(mark, message, scope.case)

    def refuse_file(self, error: FileError) -> Any:
        """Report what is wrong with a file at its position there, or where the file is named. Returns None."""
        for problem in error.problems:
            if problem.place.is_known:
                self.refuse(
                    problem.message, elsewhere=partial(_position, error.file, problem)
                )
            else:
                self.refuse(problem.render(error.file))


def _position(file: str, problem: Problem) -> tuple[str, Place]:
    return file, problem.place
