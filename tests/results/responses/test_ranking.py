"""What a search may return, and the ranking that is read from it: one example a
shape.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import Enum
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.read_ranking import read_ranking
from tests.results.responses.helpers import Model, ids, refusal, titles

# --- lists ----------------------------------------------------------------------------


class Product(NamedTuple):
    id: str
    title: str


@dataclass
class Hit:
    doc_id: int
    name: str


@dataclass
class Document:
    """As LangChain's documents are."""

    page_content: str
    metadata: Mapping[str, object] = field(default_factory=dict)
    id: str | None = None


class Colour(str, Enum):
    RED = "red"


UUIDS = [
    UUID("9f6b1c1e-0000-4000-8000-000000000001"),
    UUID("9f6b1c1e-0000-4000-8000-000000000002"),
]

LISTS = {
    "a tuple": (("b", "a"), ["b", "a"]),
    "nothing": ([], []),
    "text like something else": (["007", "1e5", " x "], ["007", "1e5", " x "]),
    "integers": ([7, 0, -3], ["7", "0", "-3"]),
    "a document twice": (["a", "b", "a"], ["a", "b", "a"]),
    "(id, score) pairs": ([("b", 2.5), ("a", 1)], ["b", "a"]),
    "[id, score] lists": ([["b", 2.5], ["a", None]], ["b", "a"]),
    "(integer, score) pairs": ([(7, 0.5), (3, 0.25)], ["7", "3"]),
    "(integer, title) rows": ([(np.array(7), "Boots"), (np.int64(3), "C")], ["7", "3"]),
    "(id,) rows": ([("b",), ("a",)], ["b", "a"]),
    "(id, title) rows": ([("b", "Boots"), ("a", None)], ["b", "a"]),
    "(UUID, title) rows": ([(UUIDS[0], "Boots")], [str(UUIDS[0])]),
    "(id, title, score) rows": ([("b", "Boots", 2.5), ("a", "Apron", 1)], ["b", "a"]),
    "(document, score) pairs": ([(Document("...", id="b"), 0.5)], ["b"]),
    "(mapping, score) pairs": ([({"id": "b"}, 0.5)], ["b"]),
    "mappings": ([{"id": "b"}, {"id": 7}], ["b", "7"]),
    "named tuples": ([Product("b", "Boots"), Product("a", "Apron")], ["b", "a"]),
    "dataclasses": ([Hit(7, "Boots"), Hit(3, "Apron")], ["7", "3"]),
    "models": ([Model(id="b"), Model(id="a")], ["b", "a"]),
    "UUIDs": (UUIDS, [str(UUIDS[0]), str(UUIDS[1])]),
    "enums of text": ([Colour.RED], ["red"]),
}


@pytest.mark.parametrize(("response", "expected"), LISTS.values(), ids=LISTS)
def test_a_list_is_read_as_it_stands(response: object, expected: list[str]) -> None:
    found = read_ranking(response).ids
    assert list(found) == expected
    assert {type(document) for document in found} <= {str}


@pytest.mark.parametrize(
    "name", ["id", "_id", "doc_id", "docid", "document_id", "objectID"]
)
def test_the_usual_names_of_an_id(name: str) -> None:
    assert ids([{"score": 1.0, name: "b"}]) == ["b"]
    assert ids([SimpleNamespace(**{name: "b"})]) == ["b"]


def test_a_ranking_is_its_own_reading() -> None:
    ranking = Ranking(["b", "a"])
    assert read_ranking(ranking) is ranking


# --- iterables ------------------------------------------------------------------------


def generated() -> Iterator[str]:
    yield "b"
    yield "a"


ITERABLES: dict[str, Callable[[], object]] = {
    "a generator": generated,
    "a map": lambda: map(str.lower, ["B", "A"]),
    "the keys of a dict": lambda: {"b": 2.5, "a": 1.0}.keys(),
    "the items of a dict": lambda: {"b": 2.5, "a": 1.0}.items(),
    "the values of a dict": lambda: {1: {"id": "b"}, 2: {"id": "a"}}.values(),
    "a deque": lambda: deque(["b", "a"]),
    "an array of text": lambda: np.array(["b", "a"]),
    "an array of objects": lambda: np.array(["b", "a"], dtype=object),
}


@pytest.mark.parametrize("response", ITERABLES.values(), ids=ITERABLES)
def test_an_iterable_is_read_in_its_order(response: Callable[[], object]) -> None:
    assert ids(response()) == ["b", "a"]


class QuerySet:
    """Results that are asked for when, and each time that, they are iterated over."""

    def __init__(self, *found: str | None) -> None:
        self.found = found
        self.queries = 0

    def __iter__(self) -> Iterator[str]:
        self.queries += 1
        return iter([each + "" for each in self.found])  # type: ignore[operator]


def test_what_is_asked_for_when_it_is_iterated_over_is_asked_for_once() -> None:
    found = QuerySet("b", "a")
    assert ids(found) == ["b", "a"]
    assert found.queries == 1


def test_a_type_error_in_an_iterable_is_the_search_s_own() -> None:
    def broken() -> Iterator[str]:
        yield "a" + None  # type: ignore[operator]

    for response in (QuerySet(None), broken()):
        with pytest.raises(TypeError, match="NoneType"):
            read_ranking(response)


# --- sqlite3, data frames -------------------------------------------------------------


@pytest.fixture
def shop() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.execute("create table products (id text, title text)")
    connection.executemany(
        "insert into products values (?, ?)", [("a", "Apron"), ("b", "Boots")]
    )
    yield connection
    connection.close()


def test_what_sqlalchemy_finds() -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")
    with sqlalchemy.create_engine("sqlite://").connect() as connection:
        query = sqlalchemy.text("select 1.5 as score, 'Boots' as title, 'b' as id")
        found = read_ranking(connection.execute(query))
        assert found == Ranking(["b"], ["Boots"], [1.5])


CURSORS: dict[str, tuple[str | None, list[str]]] = {
    "id from products where id = 'z'": (None, []),
    "id as sku, 1.5 from products": (None, ["a", "b"]),
    "id as sku, title from products": (None, ["a", "b"]),
    "title, id from products": (None, ["a", "b"]),
    "title, id as sku from products": ("sku", ["a", "b"]),
}


@pytest.mark.parametrize(("columns", "expected"), CURSORS.items())
def test_the_columns_of_a_cursor_go_by_their_names(
    shop: sqlite3.Connection, columns: str, expected: tuple[str | None, list[str]]
) -> None:
    id_field, found = expected
    assert ids(shop.execute(f"select {columns}"), id_field) == found


def test_the_title_of_a_cursor_is_no_id(shop: sqlite3.Connection) -> None:
    assert titles(shop.execute("select title, id from products")) == ["Apron", "Boots"]
    message = refusal(shop.execute("select title, id as sku from products"))
    assert message.startswith("result 1 of 2 has no id (")
    assert "only sku and title" in message
    message = refusal(shop.execute("select id, 1.5 as score from products"), "sku")
    assert message.startswith('result 1 of 2 has no field "sku"')


def test_a_frame_is_read_row_by_row() -> None:
    named = pd.Index(["b", "a"], name="doc_id")
    assert ids(pd.DataFrame({"score": [2.0, 1.0]}, index=named)) == ["b", "a"]
    assert ids(pd.DataFrame({"id": ["b", "a"]}, index=[5, 3])) == ["b", "a"]
    frame = pd.DataFrame(
        {"sku": ["b", "a"], "title": ["Boots", None], "label": ["B", "A"]}
    )
    assert ids(frame, "sku") == ["b", "a"]
    ranking = read_ranking(frame, ReadOptions(id_field="sku", title_field="label"))
    assert [ranking.title(0), ranking.title(1), ranking.title(2)] == ["B", "A", None]


# --- a response that changes after it was read ----------------------------------------


def test_a_response_that_is_filled_anew() -> None:
    buffer, hit = ["b", "a"], SimpleNamespace(id="b", title="Boots", score=1.5)
    frame: Any = pd.DataFrame(
        {"id": ["b", "a"], "title": ["Boots", "Apron"], "score": [2.0, 1.0]}
    )
    rankings = [*map(read_ranking, (buffer, [hit], frame))]
    buffer[:] = ["z"]
    hit.id, hit.title, hit.score = "z", "Zip", 0.0
    frame[:] = ["z", "Zip", 0.0]
    titles, scores = ["Boots", "Apron"], [2.0, 1.0]
    assert rankings == [
        Ranking(["b", "a"]),
        Ranking(["b"], ["Boots"], [1.5]),
        Ranking(["b", "a"], titles, scores),
    ]


# --- titles ---------------------------------------------------------------------------

BOOTS = {"title": "Boots"}
TITLES: dict[str, tuple[object, str | None, str | None]] = {
    "title": ({"id": "b", **BOOTS}, None, "Boots"),
    "name": ({"id": "b", "name": "Boots"}, None, "Boots"),
    "title before name": ({"id": "b", "name": "BOOTS_01", **BOOTS}, None, "Boots"),
    "an empty one": ({"id": "b", "title": ""}, None, None),
    "one that is no text": ({"id": "b", "title": 5}, None, None),
    "a named field": ({"id": "b", **BOOTS, "label": "Black"}, "label", "Black"),
    "a named nested field": ({"id": "b", "names": {"en": "B"}}, "names.en", "B"),
    "the first of a list": ({"id": "b", "title": ["Boots", "Shoes"]}, None, "Boots"),
    "in metadata": (Document("...", BOOTS, "b"), None, "Boots"),
    "in a payload": (SimpleNamespace(id="b", payload=BOOTS), None, "Boots"),
    "of a pair": ((Document("...", BOOTS, "b"), 0.5), None, "Boots"),
    "of an (id, title, score) row": (("b", "Boots", 0.5), None, "Boots"),
}


@pytest.mark.parametrize(
    ("result", "title_field", "expected"), TITLES.values(), ids=TITLES
)
def test_the_title_of_a_result(
    result: object, title_field: str | None, expected: str | None
) -> None:
    assert titles([result], title_field) == [expected]


# --- ids as text ----------------------------------------------------------------------


@given(st.lists(st.text(min_size=1)))
def test_any_list_of_texts_reads_back_as_itself(documents: list[str]) -> None:
    assert ids(documents) == documents
    assert ids([{"id": document} for document in documents]) == documents
    assert ids([(document, 0.5) for document in documents]) == documents


@given(st.lists(st.integers(-(2**63), 2**63 - 1)))
def test_integers_become_their_digits(documents: list[int]) -> None:
    digits = [f"{document:d}" for document in documents]
    assert ids(documents) == digits
    assert ids(np.array(documents, dtype=np.int64)) == digits
