"""Iterators are read as far as a case looks, and closed."""

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest

from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.read_ranking import read_ranking

pa: Any = pytest.importorskip("pyarrow")


class Pager:
    """Gives pages of ten results, and counts the requests that it sends."""

    def __init__(self) -> None:
        self.requests = 0
        self.is_closed = False

    def __iter__(self) -> Iterator[str]:
        try:
            while True:
                self.requests += 1
                yield from (f"d{self.requests}-{place}" for place in range(10))
        finally:
            self.is_closed = True


def test_no_more_pages_are_fetched_than_are_looked_at() -> None:
    pager = Pager()
    assert len(read_ranking(pager, ReadOptions(most=11)).ids) == 11
    assert (pager.requests, pager.is_closed) == (2, True)


class Scroll:
    """An iterator with a method to close it."""

    def __init__(self) -> None:
        self.is_closed = False

    def __iter__(self) -> "Scroll":
        return self

    def __next__(self) -> str:
        return "a"

    def close(self) -> None:
        self.is_closed = True


def test_an_iterator_with_a_method_close_is_closed() -> None:
    scroll = Scroll()
    assert read_ranking(scroll, ReadOptions(most=3)).ids == ["a", "a", "a"]
    assert scroll.is_closed


class FailingScroll(Scroll):
    def __next__(self) -> str:
        raise RuntimeError("the connection is gone")


def test_an_iterator_that_fails_is_closed_too() -> None:
    scroll = FailingScroll()
    with pytest.raises(RuntimeError, match="the connection is gone"):
        read_ranking(scroll, ReadOptions(most=3))
    assert scroll.is_closed


def test_by_default_10000_results_are_read_and_one_more() -> None:
    assert len(read_ranking(str(number) for number in count()).ids) == 10_001


class Cursor:
    """A cursor of a database, which the search uses again."""

    description = (("id",),)

    def __init__(self) -> None:
        self.fetched = 0

    def fetchall(self) -> list[tuple[str]]:
        raise AssertionError("it fetches every row")

    def fetchmany(self, size: int) -> list[tuple[str]]:
        self.fetched += size
        return [("a",)] * size

    def close(self) -> None:
        raise AssertionError("it belongs to the search")


class IterableCursor(Cursor):
    def __iter__(self) -> Iterator[tuple[str]]:
        return self

    def __next__(self) -> tuple[str]:
        self.fetched += 1
        return ("a",)


@pytest.mark.parametrize("kind", [Cursor, IterableCursor])
def test_a_cursor_is_read_as_far_and_stays_open(kind: type[Cursor]) -> None:
    cursor = kind()
    assert len(read_ranking(cursor, ReadOptions(most=11)).ids) == 11
    assert cursor.fetched == 11


class CutCursor(Cursor):
    """What calls get that overlap on one connection of SQLite."""

    def fetchmany(self, size: int) -> list[tuple[str]]:
        cut: Any = ()
        return [("a",), cut]


def test_a_row_without_a_value_for_each_column_is_refused() -> None:
    said = "a table with 1 column, and a row with 0 values; do not share a connection"
    with pytest.raises(ValueError, match=said):
        read_ranking(CutCursor())


def test_a_reader_of_record_batches() -> None:
    schema = pa.schema([("id", pa.string())])
    read = []

    def batches() -> Iterator[Any]:
        for number in count():
            read.append(number)
            yield pa.record_batch(
                [[f"d{number}-{place}" for place in range(5)]], schema
            )

    reader = pa.RecordBatchReader.from_batches(schema, batches())
    assert len(read_ranking(reader, ReadOptions(most=11)).ids) == 11
    assert len(read) < 5


def test_a_list_is_read_to_its_end() -> None:
    assert len(read_ranking(["a"] * 20_000, ReadOptions(most=11)).ids) == 20_000
