"""What DuckDB, LanceDB, polars and pyarrow return, read from the real libraries."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import ids, refusal

pytestmark = pytest.mark.engines

BEST_FIRST = Ranking(["b", "a"], ["Boots", "Apron"], [1.5, 0.5])

# --- DuckDB ---------------------------------------------------------------------------


@pytest.fixture
def duckdb() -> Iterator[Any]:
    connection = pytest.importorskip("duckdb").connect()
    connection.execute(
        "create table products (title varchar, id varchar, score double)"
    )
    connection.execute(
        "insert into products values ('Apron', 'a', 0.5), ('Boots', 'b', 1.5)"
    )
    yield connection
    connection.close()


IN_ANY_ORDER = "select title, score, id from products order by score desc"
DUCKDB = {
    "a relation": lambda con: con.sql(IN_ANY_ORDER),
    "a cursor": lambda con: con.execute(IN_ANY_ORDER),
    "another cursor": lambda con: con.cursor().execute(IN_ANY_ORDER),
    "rows": lambda con: con.execute("select id, title, score from products order by score desc").fetchall(),
    "a frame of pandas": lambda con: con.sql(IN_ANY_ORDER).df(),
    "a frame of polars": lambda con: (pytest.importorskip("polars") and con.sql(IN_ANY_ORDER).pl()),
    "a table of Arrow": lambda con: (pytest.importorskip("pyarrow") and con.sql(IN_ANY_ORDER).to_arrow_table()),
    "batches of Arrow": lambda con: (pytest.importorskip("pyarrow") and con.sql(IN_ANY_ORDER).arrow()),
}  # fmt: skip


@pytest.mark.parametrize("response", DUCKDB)
def test_what_duckdb_returns(duckdb: Any, response: str) -> None:
    assert read_ranking(DUCKDB[response](duckdb)) == BEST_FIRST
    # The first search has left nothing unfinished.
    assert read_ranking(DUCKDB[response](duckdb)) == BEST_FIRST


def test_columns_of_duckdb_that_are_named_like_no_id(duckdb: Any) -> None:
    query = "select title as sku, score from products order by score desc"
    for run in (duckdb.sql, duckdb.execute):
        assert ids(run(query), "sku") == ["Boots", "Apron"]
    assert "only score and sku; name the field with id_field" in refusal(
        duckdb.sql(query)
    )
    assert "two columns named" in refusal(duckdb.sql("select 'a' as id, 'b' as id"))


def test_a_search_of_duckdb_without_results(duckdb: Any) -> None:
    query = "select * from products where false"
    assert ids(duckdb.sql(query)) == ids(duckdb.execute(query)) == []


# --- polars, pyarrow ------------------------------------------------------------------

COLUMNS = {"title": ["Boots", "Apron"], "score": [1.5, 0.5], "id": ["b", "a"]}


def test_frames_of_polars() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(COLUMNS)
    for response in (
        frame,
        frame.to_dicts(),
        frame.rows(named=True),
        frame.iter_rows(named=True),
    ):
        assert read_ranking(response) == BEST_FIRST
    assert read_ranking(frame.select("id", "title", "score").rows()) == BEST_FIRST
    assert ids(frame["id"]) == ["b", "a"]
    assert ids(frame.rename({"id": "sku"}), "sku") == ["b", "a"]
    assert ids(frame.clear()) == []
    message = refusal(frame.lazy())
    assert message.startswith("search returned a LazyFrame of polars, ")
    assert message.endswith("; return frame.collect()")


def test_tables_of_arrow() -> None:
    pyarrow = pytest.importorskip("pyarrow")
    table = pyarrow.table(COLUMNS)
    for response in (
        table,
        table.to_batches()[0],
        table.to_reader(),
        table.to_pylist(),
    ):
        assert read_ranking(response) == BEST_FIRST
    for column in (table["id"], table["id"].combine_chunks(), list(table["id"])):
        assert ids(column) == ["b", "a"]
    assert ids(table.slice(0, 0)) == []
    double = pyarrow.table([["a"], ["b"]], names=["id", "id"])
    assert 'search returned a table with two columns named "id"' in refusal(double)


# --- LanceDB --------------------------------------------------------------------------

PRODUCTS = [
    {"id": "a", "title": "Apron", "vector": [0.0, 1.0]},
    {"id": "b", "title": "Boots", "vector": [1.0, 0.0]},
]


def test_what_lancedb_returns(tmp_path: Path) -> None:
    lancedb = pytest.importorskip("lancedb")
    table = lancedb.connect(tmp_path).create_table("products", PRODUCTS)
    query = table.search([1.0, 0.0]).limit(2)
    for response in (
        query,
        query.to_list(),
        query.to_pandas(),
        query.to_arrow(),
        query.to_batches(),
    ):
        found = read_ranking(response)
        assert found == Ranking(["b", "a"], ["Boots", "Apron"], [0.0, 2.0])
    assert ids(query, "title") == ["Boots", "Apron"]
    assert ids(table.search([1.0, 0.0]).where("id = 'c'")) == []


def test_two_queries_of_lancedb(tmp_path: Path) -> None:
    lancedb = pytest.importorskip("lancedb")
    table = lancedb.connect(tmp_path).create_table("products", PRODUCTS)
    query = table.search([[1.0, 0.0], [0.0, 1.0]]).limit(2)
    why = "search returned a table with the results of 2 queries"
    assert why in refusal(query)
    assert why in refusal(query.to_batches())
    found = query.to_pandas()
    assert ids(found[found.query_index == 0]) == ["b", "a"]
