"""What writing gives: the bytes of a file, and what they lack; or all that stands against it, in one ValueError."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NoReturn

from pytest_relevance._text import quoted

MOST_SHOWN = 20


@dataclass(frozen=True, slots=True)
class Written:
    """A file in some format: its bytes, and a sentence for each kind of thing that the format could not hold."""

    data: bytes
    lost: tuple[str, ...] = ()


def refuse(problems: Sequence[str]) -> NoReturn:
    """Refuse to write, a line for each problem."""
    more = len(problems) - MOST_SHOWN
    raise ValueError("\n".join([*problems[:MOST_SHOWN], *([f"... and {more:,} more"] if more > 0 else [])]))


def as_bytes(content: str | bytes) -> bytes:
    """A text as UTF-8. ValueError for half of a surrogate pair."""
    if isinstance(content, bytes):
        return content
    try:
        return content.encode()
    except UnicodeEncodeError as error:
        wrong = quoted(content[max(error.start - 20, 0) : error.end])
        raise ValueError(f"{wrong} ends in half of a surrogate pair, which is no text") from None
