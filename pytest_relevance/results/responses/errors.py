"""Define the errors of reading a response, and the ends of their messages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from pytest_relevance._text import shown


class UnreadableRanking(ValueError):
    """A response is not a ranking. The message says what to return instead."""


class BadResult(Exception):
    """A result cannot be read.

    The message is the end of a sentence that begins with the number of the result.
    """


A_LIST = "return a list of results, best first"
ONE_QUERY = "search for one query at a time, or give the fixture's value an attribute many that takes several"
A_MOCK = (
    "a mock has every attribute and no results; have it return what the search would, for example "
    'Mock(return_value=["id-1", "id-2"])'
)
"""What to do: the ends of messages."""

MADE_UP = (
    "has no fields but those that __getattr__ makes up, which could be any; "
    "return a mapping of its fields"
)
"""Why an object that answers to every name is no result."""


def unreadable(
    kind: str, response: object, advice: str, longest: int = 200
) -> UnreadableRanking:
    """Return the exception for a response. The caller raises it.

    `kind`: what the search returned, in words.
    `advice`: what to do.
    `longest`: how many characters of the response are shown.
    """
    returned = shown(response, longest)
    if kind:
        returned = f"{kind}, {returned}"
    return UnreadableRanking(f"search returned {returned}; {advice}")


def type_in_words(value: object) -> str:
    """Return the type of a value in words: `a dict`, `an int`."""
    name = type(value).__name__
    return f"{'an' if name[0].lower() in 'aeiou' else 'a'} {name}"


_T = TypeVar("_T")


def read_each(
    read: Callable[..., _T], results: Sequence[object], *columns: Sequence[Any]
) -> list[_T]:
    """Return what `read` returns for each row of the columns, one row for each result.

    If `read` raises `BadResult`, `UnreadableRanking` is raised, which shows the result.
    """
    values = []
    for index, row in enumerate(zip(*columns, strict=True)):
        try:
            values.append(read(*row))
        except BadResult as problem:
            where = f"result {index + 1} of {len(results)}"
            message = f"{where} {problem}: {shown(results[index], 200)}"
            raise UnreadableRanking(message) from None
    return values
