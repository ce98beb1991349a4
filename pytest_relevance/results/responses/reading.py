"""Define how a response is read: options, errors, and iterators.

A generator may be endless, and a pager of a client library sends a request for every
page. So only as many results are read as a case looks at, and one more, which shows
whether there were more.
"""

from __future__ import annotations

from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Sequence,
)
from dataclasses import dataclass
from itertools import islice
from typing import Any, TypeVar

from pytest_relevance._text import shown

MOST_LOOKED_AT = 10_000
"""How many results of an iterator a case looks at if it looks at the whole ranking."""

MOST_READ = MOST_LOOKED_AT + 1
"""How many results of an iterator are read if nothing says how many are looked at."""


@dataclass(frozen=True, slots=True)
class ReadOptions:
    """How a response is read.

    `id_names`, `title_names`: the fields that may have the id and the title, in the
        order in which they are tried.
    `text_names`: the fields that may have the text, if the case has passages.
    `ids`: returns the attribute `ids` of the fixture's value, which turns labels of a
        vector index into ids: a sequence, a mapping, or None. Called only if a response
        has labels.
    `most`: how many results of an iterator are read.
    `expects_response`: whether the case looks at the response itself, so that
        suggestions or groups without results are allowed.
    """

    id_names: Sequence[str] = ()
    title_names: Sequence[str] = ()
    text_names: Sequence[str] = ()
    ids: Callable[[], object] | None = None
    most: int = MOST_READ
    expects_response: bool = False


# --- what cannot be read --------------------------------------------------------------


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


# --- iterators ------------------------------------------------------------------------


def read_items(iterable: Iterable[object], most: int) -> list[object]:
    """Return at most `most` items of an iterable. An iterator is closed."""
    items = iter(iterable)
    try:
        return [*islice(items, most)]
    finally:
        close(items)


def close(items: object) -> None:
    """Close a generator, or another iterator that can be closed.

    A cursor of a database stays open: it belongs to the search, which may use it again.
    """
    closes = getattr(type(items), "close", None)
    is_cursor = hasattr(type(items), "fetchall")
    if isinstance(items, Iterator) and callable(closes) and not is_cursor:
        closes(items)


async def read_items_async(items: AsyncIterable[object], most: int) -> list[object]:
    """Return at most `most` items of an asynchronous iterable, and close it."""
    iterator = aiter(items)
    read: list[object] = []
    try:
        while len(read) < most:
            read.append(await anext(iterator))
    except StopAsyncIteration:
        pass
    finally:
        await close_async(iterator)
    return read


async def close_async(items: AsyncIterator[object]) -> None:
    """Close an asynchronous generator, to free what it holds."""
    closes = getattr(type(items), "aclose", None)
    if callable(closes):
        await closes(items)
