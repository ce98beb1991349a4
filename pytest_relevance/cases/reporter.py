"""From the mistakes that checks find to the problems of a case file, each at its position in the file where it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from pytest_relevance._problems import Problem
from pytest_relevance._text import counted
from pytest_relevance.cases.problems import MOST_ELSEWHERE, Group, Location, Mistake
from pytest_relevance.cases.yaml.errors import Mark, problem_at
from pytest_relevance.cases.yaml.nodes import MappingNode, mark_at

if TYPE_CHECKING:
    from pytest_relevance.cases.listed_queries import ListedQuery

Label: TypeAlias = Callable[[], str]
"""A function that makes what messages call a case."""


class Reporter:
    """The problems of a case file. `root` is the node of its suite, once that is known.

    Of the mistakes of one group only the first becomes a problem; `close_groups` adds how many there are to it.
    """

    def __init__(self) -> None:
        self.problems: list[Problem] = []
        self.root = MappingNode(None)
        self._elsewhere = 0
        self._groups: dict[Group, tuple[int, list[str | None]]] = {}

    @property
    def has_many_elsewhere(self) -> bool:
        """Whether so many mistakes were found in other files that no more are looked for."""
        return self._elsewhere > MOST_ELSEWHERE

    def add(self, mark: Mark | None, message: str, label: Label | None = None) -> None:
        """Add a problem at a position in the case file."""
        self.problems.append(problem_at(mark, message, label() if label is not None else None))

    def report(self, at: Location, where: MappingNode | ListedQuery | None = None, label: Label | None = None) -> bool:
        """Make problems of the mistakes at a location and forget them there; whether there were any.

        `where` is what they are in: a case, a query in another file, by default the suite.
        """
        if not at.mistakes:
            return False
        case = label() if label is not None else None
        for mistake in at.mistakes:
            if mistake.group is None or self._is_first(mistake, mistake.group, case):
                self._report_one(mistake, where if where is not None else self.root, case)
        at.mistakes.clear()
        return True

    def close_groups(self) -> None:
        """Say of each group how many mistakes of how many cases are in it."""
        for group, (number, labels) in self._groups.items():
            if len(labels) > 1:
                first, cases = self.problems[number], set(labels) - {None}
                of_cases = f" of {counted(len(cases), 'case')}" if cases else ""
                advice = f"; {group.advice}" if group.advice else ""
                message = f"{first.message} ({len(labels):,} judgments{of_cases}{advice})"
                self.problems[number] = first._replace(message=message)

    def _report_one(self, mistake: Mistake, where: MappingNode | ListedQuery, label: str | None) -> None:
        """Report a mistake where it stands: in the case file, in a file of queries, or in one of judgments."""
        elsewhere, message = mistake.elsewhere, mistake.render(self._line_of_other(mistake, where))
        if isinstance(where, MappingNode) and elsewhere is None:
            mark = mark_at(where, mistake.path, at_key=mistake.at_key)
            self.problems.append(problem_at(mark, message, label))
            return
        self._elsewhere += 1
        if self._elsewhere <= MOST_ELSEWHERE:
            file, place = (elsewhere or where.position)()  # type: ignore[union-attr]
            self.problems.append(Problem(message, place.line or 0, 0, label, file, place.path))

    def _line_of_other(self, mistake: Mistake, where: MappingNode | ListedQuery) -> int | None:
        if mistake.other is None:
            return None
        node = where if isinstance(where, MappingNode) and not mistake.other.in_suite else self.root
        return line_of(node, *mistake.other.path, at_key=True)

    def _is_first(self, mistake: Mistake, group: Group, label: str | None) -> bool:
        """Whether a mistake is the first of its group, and to be reported; notes the cases of the others."""
        known = self._groups.get(group)
        if known is not None:
            known[1].append(label)
        elif mistake.elsewhere is None or self._elsewhere < MOST_ELSEWHERE:
            self._groups[group] = len(self.problems), [label]
        return known is None


def line_of(node: MappingNode, *path: str | int, at_key: bool = False) -> int:
    """The line of a part of a mapping; 1 where none is known."""
    return problem_at(mark_at(node, path, at_key=at_key), "").line
