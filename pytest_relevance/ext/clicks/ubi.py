"""User Behavior Insights: searches and events become impressions and clicks.

A search is known by its query_id. A document counts once for each search as shown, and
once as clicked, at the position where it was shown.

See https://github.com/o19s/ubi for the schemas of version 1.0 to 1.3.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from pytest_relevance.ext.clicks.click_log import (
    NONE,
    Flags,
    LogOptions,
    Numbering,
    Numbers,
    Shown,
)
from pytest_relevance.ext.clicks.left_out import (
    CLICK_WITHOUT_IMPRESSION,
    CLICKED_AGAIN,
    EVENT_OF_CLIENT,
    EVENT_OF_FILTERED,
    EVENT_OF_TWO_TEXTS,
    EVENT_WITHOUT_DOCUMENT,
    EVENT_WITHOUT_ID,
    EVENT_WITHOUT_POSITION,
    EVENT_WITHOUT_TEXT,
    SHOWN_AGAIN,
    LeftOut,
    Reason,
)

_TWO_TEXTS = -2
"""Stands for the text of a search that has two different texts."""


@dataclass(slots=True)
class Event:
    """A click, an impression or another event. A text that is missing is "".

    `query_id`: the id of the search.
    `text`: the text of the query.
    `document`: the id of the document that was shown or clicked.
    `position`: -1 if it is missing.
    """

    action: str
    query_id: str
    text: str
    document: str
    position: int
    client: str


@dataclass(slots=True)
class Search:
    """A search. A text that is missing is "".

    `hits`: the ids of the documents that the search returned, in their order.
    `before`: how many documents come before the first hit: 10 on a second page.
    """

    query_id: str
    text: str
    hits: Sequence[str]
    before: int
    client: str
    is_filtered: bool


@dataclass(frozen=True, slots=True)
class _Rows:
    """Documents that were shown or clicked, column by column.

    `search`, `document`, `text`, `client`: numbers of texts, or `NONE`.
    `position`: positions as the log has them, or -1.
    """

    search: Numbers
    document: Numbers
    position: Numbers
    text: Numbers
    client: Numbers

    def chosen(self, chosen: Flags | Numbers) -> _Rows:
        """Return some of the rows, by a flag for each row or by their numbers."""
        return _Rows(
            search=self.search[chosen],
            document=self.document[chosen],
            position=self.position[chosen],
            text=self.text[chosen],
            client=self.client[chosen],
        )


class _RowsBeingRead:
    """The columns of `_Rows`, to which rows are added one by one."""

    def __init__(self) -> None:
        self.search = array("i")
        self.document = array("i")
        self.position = array("i")
        self.text = array("i")
        self.client = array("i")

    def add(
        self, search: int, document: int, position: int, text: int, client: int
    ) -> None:
        """Add a row."""
        self.search.append(search)
        self.document.append(document)
        self.position.append(position)
        self.text.append(text)
        self.client.append(client)

    def rows(self) -> _Rows:
        """Return all rows that were added."""
        return _Rows(
            search=np.asarray(self.search, np.int64),
            document=np.asarray(self.document, np.int64),
            position=np.asarray(self.position, np.int64),
            text=np.asarray(self.text, np.int64),
            client=np.asarray(self.client, np.int64),
        )


class UbiLogs:
    """Searches and events, added one by one, in any order.

    `queries`, `documents`: the numbers of the texts of queries, and of ids.
    `left_out`: the events and documents that do not count.
    `other_actions`: {action: count} of the actions that are not clicks or impressions.
    `clients_left_out`: the clients whose events do not count.
    `clicks_of`: the clicks of each client that count, once `shown_with_clicks` ran.
    """

    def __init__(self, options: LogOptions) -> None:
        self.queries = Numbering(is_stripped=True)
        self.documents = Numbering()
        self.left_out = LeftOut()
        self.other_actions: Counter[str] = Counter()
        self.clients_left_out: set[str] = set()
        self.clicks_of: dict[str, int] = {}
        self.searches_read = 0
        self.impressions_read = 0
        self.clicks_read = 0
        self._searches = Numbering()
        self._clients = Numbering()
        self._without = frozenset(options.without_clients)
        self._counts_filtered = options.filtered
        self._clicks = _RowsBeingRead()
        self._impressions = _RowsBeingRead()
        self._hits = _RowsBeingRead()
        self._of_action = dict.fromkeys(options.impressions, self._impressions)
        self._of_action.update(dict.fromkeys(options.clicks, self._clicks))
        self._text_of: dict[int, int] = {}
        self._filtered: set[int] = set()

    def add_event(self, event: Event) -> None:
        """Add a click or an impression.

        An event that cannot be used is counted in `left_out`. An event that is neither
        a click nor an impression is counted in `other_actions`.
        """
        rows = self._of_action.get(event.action)
        if rows is None:
            self.other_actions[event.action] += 1
            return
        if rows is self._clicks:
            self.clicks_read += 1
        else:
            self.impressions_read += 1
        if not event.query_id:
            self.left_out[EVENT_WITHOUT_ID] += 1
        elif not event.document:
            self.left_out[EVENT_WITHOUT_DOCUMENT] += 1
        elif event.client in self._without:
            self.left_out[EVENT_OF_CLIENT] += 1
            self.clients_left_out.add(event.client)
        else:
            rows.add(
                search=self._searches[event.query_id],
                document=self.documents[event.document],
                position=event.position,
                text=self.queries[event.text],
                client=self._clients[event.client],
            )

    def add_search(self, search: Search) -> None:
        """Add a search.

        A search without an id, or of a client that is left out, is only counted as
        read.
        """
        self.searches_read += 1
        if not search.query_id or search.client in self._without:
            return
        number = self._searches[search.query_id]
        if search.is_filtered and not self._counts_filtered:
            self._filtered.add(number)
        text = self.queries[search.text]
        if text != NONE and self._text_of.setdefault(number, text) != text:
            self._text_of[number] = _TWO_TEXTS
        for position, document in enumerate(search.hits, search.before + 1):
            self._hits.add(
                search=number,
                document=self.documents[document],
                position=position,
                text=NONE,
                client=NONE,
            )

    @property
    def has_hits(self) -> bool:
        """Say whether searches have the ids of the documents that they returned."""
        return len(self._hits.search) > 0

    def clicked_documents(self) -> list[str]:
        """Return the ids of all clicked documents, each once."""
        numbers = dict.fromkeys(self._clicks.document)
        return [self.documents.names[number] for number in numbers]

    def hits(self) -> list[str]:
        """Return the ids of all documents that searches returned, each once."""
        numbers = dict.fromkeys(self._hits.document)
        return [self.documents.names[number] for number in numbers]

    def shown_with_clicks(self) -> Shown:
        """Return the documents that were shown, once for each search, with clicks.

        Count what is left out, and the clicks of each client.
        """
        columns = self._impressions if self.impressions_read else self._hits
        shown = self._with_known_text(columns.rows())
        shown = self._first_per_search(shown, SHOWN_AGAIN)
        clicks = self._first_per_search(self._clicks.rows(), CLICKED_AGAIN)
        key_of_click = self._key(clicks)
        key = self._key(shown)
        was_shown = np.isin(key_of_click, key)
        self.left_out[CLICK_WITHOUT_IMPRESSION] += int((~was_shown).sum())
        self._count_clients(clicks.client[was_shown])
        return Shown(
            query=shown.text,
            document=shown.document,
            position=shown.position,
            impressions=np.ones(len(key), np.int64),
            clicks=np.isin(key, key_of_click).astype(np.int64),
        )

    def _with_known_text(self, rows: _Rows) -> _Rows:
        """Return the documents that count, each with the text of its query.

        A document does not count if its search has a filter and such searches are left
        out, if its query has no text or two texts, or if its position is missing. These
        documents are added to `left_out`.
        """
        text_of = np.full(len(self._searches.names), NONE)
        for search, number in self._text_of.items():
            text_of[search] = number
        text = np.where(rows.text == NONE, text_of[rows.search], rows.text)
        is_filtered = np.zeros(len(self._searches.names), bool)
        is_filtered[list(self._filtered)] = True
        kept = np.ones(len(text), bool)
        for reason, wrong in (
            (EVENT_OF_FILTERED, is_filtered[rows.search]),
            (EVENT_WITHOUT_TEXT, text == NONE),
            (EVENT_OF_TWO_TEXTS, text == _TWO_TEXTS),
            (EVENT_WITHOUT_POSITION, rows.position < 0),
        ):
            self.left_out[reason] += int((kept & wrong).sum())
            kept &= ~wrong
        return replace(rows, text=text).chosen(kept)

    def _first_per_search(self, rows: _Rows, reason: Reason) -> _Rows:
        """Return the first row of each document of a search.

        The other rows are left out for `reason`.
        """
        _, first = np.unique(self._key(rows), return_index=True)
        self.left_out[reason] += len(rows.search) - len(first)
        return rows.chosen(first)

    def _key(self, rows: _Rows) -> Numbers:
        """Return one whole number for the search and the document of each row."""
        return rows.search * len(self.documents.names) + rows.document

    def _count_clients(self, client_of_click: Numbers) -> None:
        clients, counts = np.unique(client_of_click, return_counts=True)
        for client, count in zip(clients.tolist(), counts.tolist(), strict=True):
            if client != NONE:
                self.clicks_of[self._clients.names[client]] = count
