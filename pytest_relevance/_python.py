"""What is asked of the Python that runs: its garbage collector, and what other installed packages add by entry points.

Other packages add formats of judgments, and reports. Entry points are slow to read: they are asked for a name that is
not known otherwise.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from pytest_relevance._text import message_of

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

FORMATS, REPORTS = "pytest_relevance.formats", "pytest_relevance.reports"
"""The groups of entry points: functions from a text to rows, and from a `Run` to a text."""


@contextmanager
def paused_gc() -> Iterator[None]:
    """Disable the garbage collector in the `with` block, and enable it afterwards if it was enabled before.

    For many long-lived objects, in `plugin` and `cli` alone: collecting 10,000 cases creates about 400,000 objects; the
    collector would scan them several times and free none.
    """
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


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
        raise ValueError(f"raised {type(error).__name__}: {message_of(error)}") from error
