"""What other installed packages add by entry points: formats of judgments, and reports.

Entry points are slow to read. They are only asked for a name that is not known otherwise.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pytest_relevance._text import message_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FORMATS, REPORTS = "pytest_relevance.formats", "pytest_relevance.reports"
"""The groups of entry points: functions from a text to rows, and from a `Run` to a text."""


def entry_points_of(group: str) -> dict[str, EntryPoint]:
    """The entry points of a group by their names."""
    from importlib.metadata import entry_points

    return {point.name: point for point in entry_points(group=group)}


def called(point: EntryPoint, argument: object) -> Any:
    """What the function of an entry point returns: None, a text, or a list of what it yields.

    Raises ValueError where it cannot be loaded, and for whatever it raises.
    """
    try:
        found = point.load()(argument)
        return found if found is None or isinstance(found, str) else [*found]
    except Exception as error:
        raise ValueError(
            f"raised {type(error).__name__}: {message_of(error)}"
        ) from error
