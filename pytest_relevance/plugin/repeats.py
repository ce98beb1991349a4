"""`--relevance-repeat=N`."""

from __future__ import annotations
import pytest


def check(times: int) -> None:
    if times < 2:
        raise pytest.UsageError(
            f"--relevance-repeat={times}: a search is repeated 2 times or more, to see whether its ranking changes"
        )
