"""`Message`: the outcome of writing an output file."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence for the terminal; `is_good` is false for a failure."""

    text: str
    is_good: bool = True
