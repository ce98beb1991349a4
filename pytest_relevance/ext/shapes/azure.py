"""Pagers of Azure AI Search. They send a request for each page, which says whether it
is whole.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance.results.responses.incomplete import (
    refuse_partial,
    refuse_without_results,
)
from pytest_relevance.results.responses.reading import ReadOptions
from pytest_relevance.results.responses.shapes import ResponseShape, of_type


@dataclass(frozen=True, slots=True)
class ReadPages:
    """The results that were read of a pager, and the bodies of the pages that they are
    on.
    """

    items: Sequence[object]
    pages: Sequence[object]


@dataclass(slots=True)
class PageNotes:
    """Keeps the bodies of the pages that a pager has fetched, while its results are
    read.

    The pager has no public way to them. `_first_page_iterator_instance._response` was
    checked with versions 11.6 and 12.0 of azure-search-documents.
    """

    pager: object
    pages: list[object] = field(default_factory=list)

    def note(self) -> None:
        """Keep the body of the current page, unless it is kept already."""
        iterator: Any = getattr(self.pager, "_first_page_iterator_instance", None)
        body = getattr(iterator, "_response", None)
        if body is not None and not any(body is page for page in self.pages):
            self.pages.append(body)


def read_pages(pager: Any, most: int) -> ReadPages:
    """Read at most so many results of a pager, and the bodies of their pages."""
    notes = PageNotes(pager)
    items: list[object] = []
    for item in pager:
        notes.note()
        items.append(item)
        if len(items) >= most:
            break
    notes.note()
    return ReadPages(items, notes.pages)


async def read_pages_async(pager: Any, most: int) -> ReadPages:
    """Read an asynchronous pager, as `read_pages` reads a plain one."""
    notes = PageNotes(pager)
    items: list[object] = []
    async for item in pager:
        notes.note()
        items.append(item)
        if len(items) >= most:
            break
    notes.note()
    return ReadPages(items, notes.pages)


_is_pager = of_type("azure.search.documents", "SearchItemPaged")
_is_async_pager = of_type("azure.search.documents", "AsyncSearchItemPaged")


def _fits(response: object) -> bool:
    return isinstance(response, ReadPages) or _is_pager(response)


def _read(response: Any, options: ReadOptions) -> Sequence[object]:
    """Read the results of a pager. Raises `UnreadableRanking` if a page is not
    whole.
    """
    read: ReadPages = response
    if not isinstance(response, ReadPages):
        read = read_pages(response, options.most)
    for page in read.pages:
        refuse_partial(page, page)
    if not read.items:
        for page in read.pages:
            refuse_without_results(page, expects_response=options.expects_response)
    return read.items


def _wait(response: object, most: int) -> Awaitable[ReadPages] | None:
    return read_pages_async(response, most) if _is_async_pager(response) else None


AZURE = ResponseShape(name="azure", fits=_fits, results=_read, wait=_wait)
