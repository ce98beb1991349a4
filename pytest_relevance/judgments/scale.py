"""The scale of grades: its lowest and highest, and the names that grades may have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from pytest_relevance._text import printable


@dataclass(frozen=True, slots=True)
class Scale:
    """The possible grades: from `lowest` to `highest`, some of them with names (`exact`, `substitute` ...)."""

    lowest: float
    highest: float
    names: Mapping[str, float] = field(default_factory=dict)

    def describe(self) -> str:
        """Describe the scale for a message: `0 (irrelevant), 1 (complement), 3 (exact)` or `0 to 3`."""
        if not self.names:
            return f"{self.lowest:g} to {self.highest:g}"
        names = sorted(self.names.items(), key=lambda pair: pair[1])
        return ", ".join(f"{grade:g} ({printable(name)})" for name, grade in names)


AnyScale = Scale | Mapping[str, float] | Sequence[float] | None
"""What a caller in Python may give for a scale: {name: grade}, or (lowest, highest)."""


def as_scale(scale: AnyScale) -> Scale | None:
    """Make a `Scale` of what a caller gives; None stays None.

    Raises:
        ValueError: {name: grade} with fewer than two different grades, or (lowest, highest) in the wrong order.
    """
    if scale is None or isinstance(scale, Scale):
        return scale
    if isinstance(scale, Mapping):
        if len(set(scale.values())) < 2:
            raise ValueError(f"a scale has at least two different grades, not {scale!r}")
        return Scale(min(scale.values()), max(scale.values()), dict(scale))
    lowest, highest = scale
    if not lowest < highest:
        raise ValueError(f"a scale is (lowest, highest), two numbers in that order, not {scale!r}")
    return Scale(lowest, highest)
