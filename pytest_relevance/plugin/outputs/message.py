"""What became of something that a run writes."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence for the terminal, and whether it went well."""

    text: str
    is_good: bool = True
