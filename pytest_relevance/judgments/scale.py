"""The scale that grades are given on: its lowest and highest, and the names that grades may have."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from pytest_relevance._text import printable


@dataclass(frozen=True, slots=True)
class Scale:
    """The grades there are: from `lowest` to `highest`, some of them with names (`exact`, `substitute` ...)."""

    lowest: float
    highest: float
    names: Mapping[str, float] = field(default_factory=dict)

    def describe(self) -> str:
        """The scale as a message says it: `0 (irrelevant), 1 (complement), 3 (exact)` or `0 to 3`."""
        if not self.names:
            return f"{self.lowest:g} to {self.highest:g}"
        names = sorted(self.names.items(), key=lambda pair: pair[1])
        return ", ".join(f"{grade:g} ({printable(name)})" for name, grade in names)
