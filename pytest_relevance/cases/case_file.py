"""A case file that is read: its path, its name in messages, and the user's options."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance._text import printable
from pytest_relevance.cases.names import OWNED_TAGS
from pytest_relevance.metrics.metric import ProjectMetrics
from pytest_relevance.metrics.names import NO_METRICS


@dataclass(frozen=True, slots=True)
class CaseFile:
    """A case file, and how it is read.

    `path`: its path. The files that it names are relative to its folder.
    `shown`: its name in messages.
    `owned_tags`: the markers whose names are not allowed as tags.
    `metrics`: the project's own; None if they are not known.
    `takes_all`: whether all queries are taken from files with the key `sample`.
    `contents`: the content of each other file that was read, or the error. So each file
        is read once, even if the case file is read again.
    """

    path: str
    shown: str
    owned_tags: frozenset[str] = OWNED_TAGS
    metrics: ProjectMetrics | None = field(default_factory=lambda: NO_METRICS)
    takes_all: bool = False
    contents: dict[Any, Any] = field(default_factory=dict)

    def path_of(self, name: str) -> str:
        """Return the path of a file that the case file names."""
        return os.path.join(os.path.dirname(self.path), name)

    def shown_path(self, name: str) -> str:
        """Return the path of a file that the case file names, for messages."""
        path = os.path.join(os.path.dirname(self.shown), name)
        return printable(os.path.normpath(path))

    def why_no_file(self, name: str) -> str | None:
        """Return why a name does not lead to a file; None if it does."""
        path = self.path_of(name)
        if not os.path.exists(path):
            shown = self.shown_path(name)
            return f"there is no file {shown}; paths are relative to the case file"
        if not os.path.isfile(path):  # a device could be read without end
            return f"{self.shown_path(name)} is not a file"
        return None
