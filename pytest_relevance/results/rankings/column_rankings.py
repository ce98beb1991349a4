"""`ColumnRankings`: the rankings of a large run as columns of pyarrow, which take a fraction of the memory of lists."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, overload

from pytest_relevance.judgments.formats.arrow_columns import encoded, has_empty, numbers_of, texts_of

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

LONG = 50
"""The mean number of documents from which rankings stay in columns."""

_ROWS = 50_000

Slice = tuple["pa.ChunkedArray", int, int]
"""The ranking of a query: a column of documents, its first row in that, and the number of rows."""


class ColumnRanking(Sequence[str]):
    """The documents of one query, best first: a read-only sequence that equals the list of the same documents.

    A slice of it is a list; `list(ranking)` is all of it. Each access makes the texts anew.
    """

    __slots__ = ("_count", "_documents", "_first")

    def __init__(self, documents: pa.ChunkedArray, first: int, count: int) -> None:
        self._documents = documents
        self._first = first
        self._count = count

    def __len__(self) -> int:
        """The number of documents."""
        return self._count

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        """The document at a rank from 0, or the list of those in a slice."""
        chosen = range(self._count)[index]  # which raises IndexError
        if isinstance(chosen, int):
            return self._texts(chosen, 1)[0]
        if chosen.step == 1:
            return self._texts(chosen.start, len(chosen))
        texts = self._texts(0, self._count)
        return [texts[each] for each in chosen]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the documents, best first."""
        return iter(self._texts(0, self._count))

    def __contains__(self, value: object) -> bool:
        """Whether a document is there."""
        return value in self._texts(0, self._count)

    def index(self, value: Any, start: int = 0, stop: int | None = None) -> int:
        """The first rank of a document, from 0. Raises ValueError where it is not there."""
        first, last, _ = slice(start, stop).indices(self._count)
        return first + self._texts(first, max(0, last - first)).index(value)

    def __eq__(self, other: object) -> bool:
        """Whether the other is a list or a ranking of the same documents."""
        if isinstance(other, (list, ColumnRanking)):
            return len(self) == len(other) and self[:] == other[:]
        return NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        """Show it as the list that it equals."""
        return repr(self[:])

    def _texts(self, first: int, count: int) -> list[str]:
        return texts_of(self._documents.slice(self._first + first, count))


class ColumnRankings(Mapping[str, ColumnRanking]):
    """{query: ranking} over columns of documents, of which each query has a slice. Read-only.

    It equals the dict of the same lists, and `{query: list(ranking) for query, ranking in rankings.items()}` is one.
    """

    def __init__(self, slices: Mapping[str, Slice]) -> None:
        self._slices = slices

    def __getitem__(self, query: str) -> ColumnRanking:
        """The ranking of a query."""
        return ColumnRanking(*self._slices[query])

    def __iter__(self) -> Iterator[str]:
        """Iterate over the queries."""
        return iter(self._slices)

    def __len__(self) -> int:
        """The number of queries."""
        return len(self._slices)

    def __repr__(self) -> str:
        """Describe it in one line."""
        count = sum(rows for _, _, rows in self._slices.values())
        return f"<ColumnRankings: {len(self):,} queries, {count:,} results>"


def ranked_columns(
    order: str, queries: pa.ChunkedArray, documents: pa.ChunkedArray, values: pa.ChunkedArray | None = None
) -> Mapping[str, Sequence[str]] | None:
    """Rank columns with one row a result by `order`: "rank" or "score" for these `values`, or "" for rows in order.

    The queries come in the order in which they first appear. Short rankings are lists: a slice of a column would take
    as much memory and more time. None for columns that are not a run: without rows, with a blank id, or with a document
    that a query has twice.
    """
    import numpy as np

    keys, numbers = encoded(queries)
    names = texts_of(keys)
    if not names or "" in names:
        return None
    if (numbers[1:] < numbers[:-1]).any():  # the rows of a query are not together
        together = np.argsort(numbers, kind="stable")
        numbers, documents = numbers[together], documents.take(together)
        values = None if values is None else values.take(together)
    if has_empty(documents):
        return None
    rows = _Rows(documents, order, values)
    unsorted = rows.perhaps_unsorted(numbers)
    ends = [*(np.flatnonzero(numbers[1:] != numbers[:-1]) + 1).tolist(), len(numbers)]
    if len(documents) < LONG * len(names):
        return _lists(names, ends, rows, unsorted)
    if _has_twice(documents, numbers, ends):
        return None
    slices: dict[str, Slice] = {}
    for number, (name, (first, end)) in enumerate(zip(names, pairwise([0, *ends]), strict=True)):
        count = end - first
        slices[name] = (rows.sorted_column(first, count), 0, count) if number in unsorted else (documents, first, count)
    return ColumnRankings(slices)


def _lists(names: list[str], ends: list[int], rows: _Rows, unsorted: set[int]) -> dict[str, list[str]] | None:
    """The rankings as lists, for `names` whose rows end before `ends`; None where one has a document twice."""
    lists: dict[str, list[str]] = {}
    for number, (name, end, texts) in enumerate(zip(names, ends, rows.texts(ends), strict=True)):
        if len(set(texts)) < len(texts):
            return None
        lists[name] = rows.sorted_texts(texts, end - len(texts)) if number in unsorted else texts
    return lists


def _has_twice(documents: pa.ChunkedArray, numbers: npt.NDArray[np.int32], ends: list[int]) -> bool:
    """Whether a query has a document twice, found without a text of Python for each, which takes twice as long."""
    import numpy as np

    for first, *_, end in _some_queries(ends):
        different, numbers_of_documents = encoded(documents.slice(first, end - first))
        pairs = numbers[first:end].astype(np.int64) * len(different) + numbers_of_documents
        pairs.sort()
        if (pairs[1:] == pairs[:-1]).any():
            return True
    return False


def _some_queries(ends: list[int]) -> Iterator[list[int]]:
    """The first row of each of some queries and the end of the last one, about `_ROWS` rows at a time."""
    query = row = 0
    while query < len(ends):
        after = max(query + 1, bisect_left(ends, row + _ROWS))
        yield [row, *ends[query:after]]
        query, row = after, ends[after - 1]


class _Rows:
    """The rows of a run, those of a query together: columns of documents, and of ranks or scores."""

    def __init__(self, documents: pa.ChunkedArray, order: str, values: pa.ChunkedArray | None) -> None:
        self._documents = documents
        self._order = order
        self._values = values
        self._keys = None if values is None else numbers_of(values)

    def perhaps_unsorted(self, numbers: npt.NDArray[np.int32]) -> set[int]:
        """Of the numbers of queries, those whose rows may not be sorted, as scores are tied: few in most runs."""
        if self._keys is None:
            return set()
        same, before, after = numbers[1:] == numbers[:-1], self._keys[:-1], self._keys[1:]
        return set(numbers[1:][same & (after < before if self._order == "rank" else after >= before)].tolist())

    def texts(self, ends: list[int]) -> Iterator[list[str]]:
        """The documents of each query, which ends before a row of `ends`; those of some queries become text at once."""
        for bounds in _some_queries(ends):
            texts = texts_of(self._documents.slice(bounds[0], bounds[-1] - bounds[0]))
            for first, end in pairwise(bounds):
                yield texts[first - bounds[0] : end - bounds[0]]

    def sorted_texts(self, texts: list[str], first: int) -> list[str]:
        """The documents in the rows from `first` on by their ranks, or by their scores as trec_eval sorts."""
        from pytest_relevance.metrics.compiled import sort_scores

        assert self._keys is not None
        keys = self._keys[first : first + len(texts)].tolist()
        if self._order == "score":
            return sort_scores(texts, keys)
        return [document for _, document in sorted(zip(keys, texts, strict=True), key=itemgetter(0))]

    def sorted_column(self, first: int, count: int) -> pa.ChunkedArray:
        """The documents in `count` rows from `first` on, as a column, sorted as by `sorted_texts`; faster if many."""
        import pyarrow

        columns = [column.slice(first, count) for column in (self._values, self._documents) if column is not None]
        keys = [("key", "ascending")]
        if self._order == "score":
            keys = [("key", "descending"), ("document", "descending")]
        return pyarrow.Table.from_arrays(columns, ["key", "document"]).sort_by(keys)["document"]
