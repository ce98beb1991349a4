"""`ColumnRankings`: the rankings of a large run as columns of pyarrow, which take a fraction of the memory of lists."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import TYPE_CHECKING, Any, overload

from pytest_relevance.judgments.formats.arrow_columns import encoded, numbers_of, texts_of

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

    names, numbers = encoded(queries)
    if not names or "" in names:
        return None
    if (numbers[1:] < numbers[:-1]).any():  # the rows of a query are not together
        together = np.argsort(numbers, kind="stable")
        numbers, documents = numbers[together], documents.take(together)
        values = None if values is None else values.take(together)
    ends = np.cumsum(np.bincount(numbers)).tolist()
    rows = _Rows(documents, order, values)
    unsorted = rows.perhaps_unsorted(numbers)
    are_short = len(documents) < LONG * len(names)
    lists: dict[str, list[str]] = {}
    slices: dict[str, Slice] = {}
    for number, (name, texts) in enumerate(zip(names, rows.texts(ends), strict=True)):
        first, count = ends[number] - len(texts), len(texts)
        if "" in texts or len(set(texts)) < count:
            return None
        if are_short:
            lists[name] = rows.sorted_texts(texts, first) if number in unsorted else texts
        else:
            slices[name] = (
                (rows.sorted_column(first, count), 0, count) if number in unsorted else (documents, first, count)
            )
    return lists or ColumnRankings(slices)


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
        import numpy as np

        query = row = 0
        while query < len(ends):
            after = max(query + 1, int(np.searchsorted(ends, row + _ROWS)))
            texts = texts_of(self._documents.slice(row, ends[after - 1] - row))
            for first, end in pairwise([row, *ends[query:after]]):
                yield texts[first - row : end - row]
            query, row = after, ends[after - 1]

    def sorted_texts(self, texts: list[str], first: int) -> list[str]:
        """The documents in the rows from `first` on by their ranks, or by their scores as trec_eval sorts."""
        from pytest_relevance.metrics.compiled import sort_scores

        assert self._keys is not None
        keys = self._keys[first : first + len(texts)].tolist()
        if self._order == "score":
            return sort_scores(texts, keys)
        return [document for _, document in sorted(zip(keys, texts, strict=True), key=itemgetter(0))]

    def sorted_column(self, first: int, count: int) -> pa.ChunkedArray:
        """The same as a column; pyarrow sorts many rows in a fraction of the time."""
        import pyarrow

        columns = [column.slice(first, count) for column in (self._values, self._documents) if column is not None]
        keys = [("key", "ascending")]
        if self._order == "score":
            keys = [("key", "descending"), ("document", "descending")]
        return pyarrow.Table.from_arrays(columns, ["key", "document"]).sort_by(keys)["document"]
