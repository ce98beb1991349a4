"""A section of the terminal at the end of a run, as extensions add it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pytest_relevance.reports.styled_lines import Line


@dataclass(frozen=True, slots=True)
class Section:
    """A section before the last one. `lines` are of styled spans:
    `styled_line(text)`.
    """

    title: str
    lines: Sequence[Line]
