"""Pagers of Azure AI Search, which send a request for each page, and keep what the engine says of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from pytest_relevance.results.responses.attributes import is_a


@dataclass(frozen=True, slots=True)
class ReadPages:
    """The results that were read of a pager, and the bodies of the pages that they are on."""

    items: Sequence[object]
    pages: Sequence[object]


@dataclass(slots=True)
class PageNotes:
    """Keeps the bodies of the pages that a pager of Azure has fetched, while its results are read.

    The pager has no public way to them. `_first_page_iterator_instance._response` was checked with version 11.6 and 12.0
    of azure-search-documents.
    """

    pager: object
    pages: list[object] = field(default_factory=list)

    def note(self) -> None:
        """Keep the body of the current page, unless it is kept already."""
        iterator: Any = getattr(self.pager, "_first_page_iterator_instance", None)
        body = getattr(iterator, "_response", None)
        if body is not None and not any(body is page for page in self.pages):
            self.pages.append(body)


def is_azure_pager(response: object) -> bool:
    """Whether a response is a pager of Azure AI Search, or its asynchronous sibling."""
    names = ("SearchItemPaged", "AsyncSearchItemPaged")
    return is_a(type(response), "azure.search.documents", *names)


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
    """Do the same as `read_pages` with an asynchronous pager."""
    notes = PageNotes(pager)
    items: list[object] = []
    async for item in pager:
        notes.note()
        items.append(item)
        if len(items) >= most:
            break
    notes.note()
    return ReadPages(items, notes.pages)
