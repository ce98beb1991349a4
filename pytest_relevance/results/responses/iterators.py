"""Read iterators as far as a case looks at them, and close them.

A generator may be endless, and a pager of a client library sends a request for every
page. So only as many results are read as a case looks at, and one more, which shows
whether there were more.
"""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator
from itertools import islice

MOST_LOOKED_AT = 10_000
"""How many results of an iterator a case looks at if it looks at the whole ranking."""

MOST_READ = MOST_LOOKED_AT + 1
"""How many results of an iterator are read if nothing says how many are looked at."""


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
