"""What psycopg returns, read from a real PostgreSQL server: rows of every factory, and
cursors.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import ids

pytestmark = pytest.mark.engines

psycopg = pytest.importorskip("psycopg")
rows = pytest.importorskip("psycopg.rows")

BEST_FIRST = Ranking(["b", "a"], ["Boots", "Apron"], [1.5, 0.5])
PRODUCTS = """
    create table products (id text, number int, key uuid, title text, price numeric, weight real);
    insert into products values
        ('a', 1, '11111111-1111-1111-1111-111111111111', 'Apron', 9.50, 0.5),
        ('b', 2, '22222222-2222-2222-2222-222222222222', 'Boots', 99, 1.5)
"""


@pytest.fixture(scope="module")
def connection(postgres: str) -> Iterator[Any]:
    with psycopg.connect(postgres, autocommit=True) as connection:
        connection.execute(PRODUCTS)
        yield connection
        connection.execute("drop table products")


COLUMNS = {
    "id": (["b", "a"], (), ()),
    "number": (["2", "1"], (), ()),
    "key": (
        [
            "22222222-2222-2222-2222-222222222222",
            "11111111-1111-1111-1111-111111111111",
        ],
        (),
        (),
    ),
    "id, price": (["b", "a"], (), [99.0, 9.5]),
    "number, weight": (["2", "1"], (), [1.5, 0.5]),
    "id, title, weight": (["b", "a"], ["Boots", "Apron"], [1.5, 0.5]),
    "id, null::text, weight": (["b", "a"], (), [1.5, 0.5]),
    "id, title, null::real": (["b", "a"], ["Boots", "Apron"], ()),
}


@pytest.mark.parametrize(("columns", "expected"), COLUMNS.items())
def test_rows_without_names(
    connection: Any, columns: str, expected: tuple[Any, ...]
) -> None:
    found = connection.execute(
        f"select {columns} from products order by number desc"
    ).fetchall()
    assert read_ranking(found) == Ranking(*expected)


FACTORIES = {
    "tuples": lambda: rows.tuple_row,
    "dicts": lambda: rows.dict_row,
    "named tuples": lambda: rows.namedtuple_row,
    "objects": lambda: rows.class_row(Product),
    "keyword arguments": lambda: rows.kwargs_row(lambda **columns: columns),
}


@dataclass
class Product:
    id: str
    title: str
    score: float


@pytest.mark.parametrize("factory", FACTORIES)
def test_rows_of_every_factory_and_their_cursors(connection: Any, factory: str) -> None:
    query = "select id, title, weight as score from products order by number desc"
    for read in (lambda cursor: cursor, lambda cursor: cursor.fetchall(), iter):
        cursor = connection.cursor(row_factory=FACTORIES[factory]())
        assert read_ranking(read(cursor.execute(query))) == BEST_FIRST


def test_one_column_as_scalars(connection: Any) -> None:
    cursor = connection.cursor(row_factory=rows.scalar_row)
    assert ids(cursor.execute("select id from products order by number")) == ["a", "b"]
    assert ids(
        cursor.execute("select number from products order by number").fetchall()
    ) == ["1", "2"]


def test_the_columns_of_a_cursor_are_read_by_their_names_in_any_order(
    connection: Any,
) -> None:
    cursor = connection.execute(
        "select weight as score, title, id from products order by number desc"
    )
    assert read_ranking(cursor) == BEST_FIRST
    cursor = connection.execute(
        "select title as label, id as sku from products order by number desc"
    )
    assert ids(cursor, "sku") == ["b", "a"]


def test_a_cursor_on_the_server(connection: Any) -> None:
    with connection.transaction(), connection.cursor("products_by_number") as cursor:
        assert ids(
            cursor.execute("select id, title from products order by number desc")
        ) == ["b", "a"]
