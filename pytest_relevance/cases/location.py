"""Where a check reports a mistake: at a path in a suite or a case.

A check takes a plain Python value and its `Location`. If the value is wrong, the check
calls `refuse`, which adds a problem and returns the marker `WRONG`. The check returns
`WRONG` too, so that its caller knows of the mistake.

This module does not import YAML. A case that is written in Python is checked in the
same way.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum
from typing import Final, TypeVar

from pytest_relevance._problems import NOWHERE, FileError, Place, Problems
from pytest_relevance._text import shown_path
from pytest_relevance.metrics.metric import Metric, ProjectMetrics
from pytest_relevance.metrics.names import NO_METRICS, parse_metric

T = TypeVar("T")

Path = tuple[str | int, ...]
"""The keys and list indexes that lead to a value within a suite or a case, outermost
first.
"""


class Wrong(Enum):
    """The type of `WRONG`, which a check returns after it has reported a mistake."""

    WRONG = "wrong"


WRONG: Final = Wrong.WRONG
"""What a check returns in place of a value that is wrong. Its mistakes have been
reported.
"""


def all_right(checked: Iterable[T | Wrong]) -> list[T] | Wrong:
    """Return the checked values as a list; `WRONG` if one of them is wrong."""
    values = []
    is_wrong = False
    for value in checked:
        if value is WRONG:
            is_wrong = True
        else:
            values.append(value)
    return WRONG if is_wrong else values


def check_each(
    written: Iterable[object],
    check: Callable[[object, Location], T | Wrong],
    at: Location,
) -> list[T] | Wrong:
    """Return the checked entries of a list; `WRONG` if one of them is wrong.

    `check`: returns an entry for the `Case`, or reports what is wrong with it.
    """
    checked = []
    for index, entry in enumerate(written):
        checked.append(check(entry, at.under(index)))
    return all_right(checked)


def check_optional(
    key: str,
    written: Mapping[str, object],
    check: Callable[[object, Location], T | Wrong],
    at: Location,
) -> T | Wrong | None:
    """Return the checked value of a key of a mapping; None if the key is absent."""
    return check(written[key], at.under(key)) if key in written else None


class CaseFileError(FileError):
    """A case file that cannot be used.

    `problems`: the mistakes in the case file, in its order, then the mistakes in files
    that it names.
    """

    MOST_SHOWN = 50


class Position:
    """Finds the places of the values of a suite or a case, and names the case.

    This class is for a case whose values are all at one place: a row of a file. A case
    that is written in Python has no place.
    """

    __slots__ = ("_label", "_place")

    def __init__(self, place: Place = NOWHERE, label: str = "") -> None:
        self._place = place
        self._label = label

    def place(self, path: Path, *, at_key: bool) -> Place:
        """Return the place of the value that a path leads to, or of its key."""
        return self._place

    def label(self) -> str:
        """Return the name of the case for messages; empty for a suite."""
        return self._label

    def kind(self, path: Path) -> Hashable:
        """Return what is equal for mistakes of one kind; None if a mistake is of no
        kind.
        """
        return None


@dataclass(frozen=True, slots=True)
class Subject:
    """The suite or the case whose keys are checked.

    `values`: the values of the keys that were checked so far, for later checks. A case
        begins with the values of its suite.
    `position`: finds the lines of the values.
    `owned_tags`: the markers whose names are not allowed as tags; None if any tag is
        allowed.
    `metrics`: the project's own metrics; None if they are not known.
    """

    problems: Problems
    values: dict[str, object] = field(default_factory=dict)
    position: Position = field(default_factory=Position)
    owned_tags: frozenset[str] | None = None
    metrics: ProjectMetrics | None = field(default_factory=lambda: NO_METRICS)


class Location:
    """The place of a checked value: a path in a suite or a case."""

    __slots__ = ("path", "subject")

    def __init__(self, subject: Subject, path: Path = ()) -> None:
        self.subject = subject
        self.path = path

    @property
    def values(self) -> dict[str, object]:
        """Return the values of the keys that were checked so far."""
        return self.subject.values

    @property
    def line(self) -> int:
        """Return the line of the value in the case file; 0 if it is not known."""
        return self.subject.position.place(self.path, at_key=False).line

    def under(self, *path: str | int) -> Location:
        """Return the location of a nested value."""
        return Location(self.subject, self.path + path)

    def metric(self, name: str, *, has_bound: bool) -> Metric:
        """Return the metric with a name, which may be the project's own.

        `has_bound`: whether an allowed bound follows the name. If the project's own
            metrics are not known, an unknown name with a bound is taken for one of
            these metrics.

        Raises:
            ValueError: no metric has this name.
        """
        metrics = self.subject.metrics
        if metrics is None and not has_bound:
            metrics = NO_METRICS
        return parse_metric(name, metrics)

    def refuse(self, message: str, *path: str | int, at_key: bool = False) -> Wrong:
        """Report a mistake here or at a nested value, and return `WRONG`.

        `path`: leads to the nested value.
        `at_key`: the mistake is in the key, not in the value.
        """
        whole_path = self.path + path
        named = shown_path(whole_path[:-1] if at_key else whole_path)
        if named:
            message = f"{named}: {message}"
        position = self.subject.position
        place = position.place(whole_path, at_key=at_key)
        kind = position.kind(whole_path)
        self.subject.problems.add(message, place, position.label(), alike=kind)
        return WRONG

    def notice(self, message: str, *path: str | int) -> str:
        """Return a notice about a value here or below, with its path and its line."""
        here = self.under(*path)
        where = f" in line {here.line}" if here.line else ""
        return f"{shown_path(here.path)}{where}: {message}"

    def refuse_at(self, message: str, place: Place) -> Wrong:
        """Report a mistake in a file that the case file names, and return `WRONG`."""
        self.subject.problems.add(message, place, self.subject.position.label())
        return WRONG

    def refuse_file(self, error: FileError) -> Wrong:
        """Report the mistakes of a file that the case file names, and return `WRONG`.

        A mistake without a known line is reported where the file is named.
        """
        problems = self.subject.problems
        label = self.subject.position.label()
        for problem in error.problems:
            if problem.place.is_known:
                place = replace(problem.place, file=error.file)
                problems.add(problem.message, place, label)
            else:
                self.refuse(problem.render(error.file))
        return WRONG


def silent_location() -> Location:
    """Return a location that drops its mistakes, which are reported elsewhere."""
    return Location(Subject(Problems("")))
