"""The known items of a suite, and which of them have a written case.

`known_items` says what a known item is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from pytest_relevance.cases.known_items import KnownItem, KnownItems


class SuiteKnownItems:
    """The known items that are drawn from the catalogue of a suite.

    Each becomes a case, unless the case file writes a case for it.

    `file`: the name of the catalogue in messages.
    `counts`: what was left out of the known items.
    `are_sampled`: whether a sample is drawn from the catalogue.
    """

    def __init__(
        self, items: KnownItems, drawn: Sequence[KnownItem], *, are_sampled: bool
    ) -> None:
        self.file = items.file
        self.counts = items.counts
        self.are_sampled = are_sampled
        self._items = items
        self._drawn = drawn
        self._written: set[str] = set()
        """The titles for which the case file writes a case."""

    def find(self, title: str) -> KnownItem | None:
        """Return the known item with a title, drawn or not; None if there is none."""
        return self._items.find(title)

    def mark_written(self, item: KnownItem) -> None:
        """Note that the case file writes a case for a known item."""
        self._written.add(item.title)

    def without_case(self) -> list[KnownItem]:
        """Return the drawn known items for which no case is written."""
        return [item for item in self._drawn if item.title not in self._written]

    def titles_not_drawn(self) -> Iterator[str]:
        """Yield the titles that are neither drawn nor written as a case."""
        taken = {item.title for item in self._drawn} | self._written
        for item in self._items:
            if item.title not in taken:
                yield item.title
