"""Read what `search.many` returned: a response for each query of a batch."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pytest

from pytest_relevance._text import counted, shown
from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.results.responses.iterators import close
from pytest_relevance.results.responses.ranking import Ranking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

_IF_TUPLE = "of (distances, labels) return list(zip(distances, labels)), of a tuple of responses list(responses). It"
"""The advice for a `many` that returned a tuple. It goes on: "It returns a list"."""


def is_read_once(response: object) -> bool:
    """Say whether a response is a cursor or an iterator, which can be read only once.

    Any other response may be returned to several searches, for example a constant list.
    """
    return any(hasattr(type(response), name) for name in ("fetchall", "__next__"))


class BatchResponses:
    """Reads each response of a batch as soon as it arrives, and keeps the ranking.

    A search may use the same list for all responses. Then a later response overwrites
    an earlier one.
    """

    def __init__(
        self, search: str, readers: Sequence[Callable[[object], Ranking]]
    ) -> None:
        """Begin to read a batch of the search fixture `search`.

        `readers`: for each query, a function that converts its response to a ranking.
        """
        self._name = f"{search}.many"
        self._readers = readers
        self._outcomes: list[Ranking | BaseException] = []
        self._queries = counted(len(readers), "query", "queries")

    def read_all(self, returned: object) -> None:
        """Read all responses in what `many` returned. A generator is closed at the end.

        Raises `CaseError` if `many` returned neither an iterator nor a list, or if the
        number of responses is not the number of queries.
        """
        try:
            for response in self._responses_in(returned):
                self.read(response)
        finally:
            close(returned)

    def read(self, response: object) -> None:
        """Read a response as the ranking of the next query, or keep its exception.

        A response may be an exception, or raise one when it is read. Raises `CaseError`
        if all queries have a response already.
        """
        if len(self._outcomes) == len(self._readers):
            most = counted(len(self._readers), "response")
            raise self._wrong_number(f"more than {most}")
        if isinstance(response, BaseException):
            self._outcomes.append(response)
            return
        read = self._readers[len(self._outcomes)]
        try:
            self._outcomes.append(read(response))
        except (Exception, pytest.fail.Exception, pytest.skip.Exception) as error:
            self._outcomes.append(error)

    def outcomes(self) -> Sequence[Ranking | BaseException]:
        """Return the ranking or the exception of each query, in the order of queries.

        Raises `CaseError` if there are fewer responses than queries.
        """
        if len(self._outcomes) < len(self._readers):
            raise self._wrong_number(counted(len(self._outcomes), "response"))
        return self._outcomes

    def _responses_in(self, returned: object) -> list[object] | Iterator[object]:
        """Return the responses of a batch. Raises `CaseError` if they do not fit."""
        if isinstance(returned, Iterator):
            return returned
        if not isinstance(returned, list):
            advice = f": {_IF_TUPLE}" if isinstance(returned, tuple) else ""
            raise _wrong_batch(
                f"{self._name}{advice} returns a list or a generator with one response a query, in their order; for "
                f"{self._queries} it returned {shown(returned)} ({type(returned).__name__})"
            )
        if len(returned) != len(self._readers):
            raise self._wrong_number(counted(len(returned), "response"))
        cursors = [response for response in returned if is_read_once(response)]
        if len(set(map(id, cursors))) < len(cursors):
            raise _wrong_batch(
                f"{self._name} returned the same {type(cursors[0]).__name__} for two queries: make a cursor (or a "
                "connection) for each query, or fetch its rows before the next one"
            )
        return returned

    def _wrong_number(self, responses: str) -> CaseError:
        return _wrong_batch(
            f"{self._name} returned {responses} for {self._queries}; it returns one response a query, in their order: "
            "for a query that finds nothing an empty list, for one that failed its exception"
        )


def _wrong_batch(message: str) -> CaseError:
    return CaseError(message, pytrace=False)
