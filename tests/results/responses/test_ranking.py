"""What a search may return, and the ranking that is read from it: one example a
shape.
"""

import sqlite3
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from enum import Enum
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.results.responses.ranking import Ranking, read_ranking
from pytest_relevance.results.responses.reading import UnreadableRanking
from tests.results.responses.helpers import Model, ids, titles

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
    metadata: dict[str, object] = field(default_factory=dict)
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
    "text that looks like something else": (
        ["007", "1e5", "no", " x ", "é"],
        ["007", "1e5", "no", " x ", "é"],
    ),
    "integers": ([7, 0, -3], ["7", "0", "-3"]),
    "a document twice": (["a", "b", "a"], ["a", "b", "a"]),
    "(id, score) pairs": ([("b", 2.5), ("a", 1)], ["b", "a"]),
    "[id, score] lists": ([["b", 2.5], ["a", None]], ["b", "a"]),
    "(integer, score) pairs": ([(7, 0.5), (3, 0.25)], ["7", "3"]),
    "(integer, title) rows with numbers of numpy": (
        [(np.array(7), "Boots"), (np.int64(3), "Cap")],
        ["7", "3"],
    ),
    "(id,) rows": ([("b",), ("a",)], ["b", "a"]),
    "(id, title) rows": ([("b", "Boots"), ("a", None)], ["b", "a"]),
    "(UUID, title) rows": ([(UUIDS[0], "Boots")], [str(UUIDS[0])]),
    "(id, title, score) rows": ([("b", "Boots", 2.5), ("a", "Apron", 1)], ["b", "a"]),
    "(document, score) pairs": (
        [(Document("...", id="b"), 0.5), (Document("...", id="a"), 0.25)],
        ["b", "a"],
    ),
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


def test_rows_of_sqlite3(shop: sqlite3.Connection) -> None:
    shop.row_factory = sqlite3.Row
    rows = shop.execute("select * from products order by id desc").fetchall()
    assert ids(rows) == ["b", "a"]
    assert titles(rows) == ["Boots", "Apron"]


def test_what_sqlalchemy_finds() -> None:
    sqlalchemy = pytest.importorskip("sqlalchemy")
    with sqlalchemy.create_engine("sqlite://").connect() as connection:
        query = sqlalchemy.text("select 'Boots' as title, 'b' as id")
        assert read_ranking(connection.execute(query)) == Ranking(["b"], ["Boots"])


def test_the_columns_of_a_cursor_go_by_their_names(shop: sqlite3.Connection) -> None:
    assert ids(shop.execute("select id from products where id = 'z'")) == []
    assert ids(shop.execute("select id as sku, 1.5 from products")) == ["a", "b"]
    assert ids(shop.execute("select title, id from products order by id desc")) == [
        "b",
        "a",
    ]
    assert titles(shop.execute("select title, id from products order by id desc")) == [
        "Boots",
        "Apron",
    ]
    assert ids(
        shop.execute("select title, id as sku from products order by id"), "sku"
    ) == ["a", "b"]
    assert ids(shop.execute("select id as sku, title from products")) == ["a", "b"]
    with pytest.raises(
        UnreadableRanking, match=r"result 1 of 2 has no id .*, only sku and title"
    ):
        read_ranking(shop.execute("select title, id as sku from products"))
    with pytest.raises(UnreadableRanking, match=r'result 1 of 2 has no field "sku"'):
        read_ranking(shop.execute("select id, 1.5 as score from products"), "sku")


def test_a_frame_is_read_row_by_row() -> None:
    assert ids(
        pd.DataFrame({"score": [2.0, 1.0]}, index=pd.Index(["b", "a"], name="doc_id"))
    ) == ["b", "a"]
    assert ids(pd.DataFrame({"id": ["b", "a"]}, index=[5, 3])) == ["b", "a"]
    frame = pd.DataFrame(
        {"sku": ["b", "a"], "title": ["Boots", None], "label": ["B", "A"]}
    )
    assert ids(frame, id_field="sku") == ["b", "a"]
    ranking = read_ranking(frame, "sku", "label")
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


# --- scores ---------------------------------------------------------------------------

SCORES: dict[str, tuple[object, float | None]] = {
    "score": ({"id": "b", "score": 1.5}, 1.5),
    "Elasticsearch": ({"_id": "b", "_score": 1.5}, 1.5),
    "Elasticsearch, sorted by a field": ({"_id": "b", "_score": None}, None),
    "Vespa": ({"id": "b", "relevance": 0.5}, 0.5),
    "Meilisearch": ({"id": "b", "_rankingScore": 0.5}, 0.5),
    "Typesense, an integer that no float can hold": (
        {"document": {"id": "b"}, "text_match": 578730123365711993},
        578730123365711993,
    ),
    "a text": ({"id": "b", "relevance": "high"}, None),
    "numpy's": ({"id": "b", "score": np.float64(0.5)}, 0.5),
    "a Decimal": ({"id": "b", "score": Decimal("0.5")}, 0.5),
    "an array": ({"id": "b", "score": np.array([0.5])}, None),
    "of a row": (("b", "Boots", 1.5), 1.5),
    "of an object": (SimpleNamespace(id="b", score=1.5), 1.5),
    "of an (id, title) row": (("b", "Boots"), None),
    "of an id": ("b", None),
}


@pytest.mark.parametrize(("result", "score"), SCORES.values(), ids=SCORES)
def test_the_score_of_a_result(result: object, score: float | None) -> None:
    assert (*read_ranking([result]).scores, None)[0] == score


# --- titles ---------------------------------------------------------------------------

TITLES: dict[str, tuple[object, str | None, str | None]] = {
    "title": ({"id": "b", "title": "Boots"}, None, "Boots"),
    "name": ({"id": "b", "name": "Boots"}, None, "Boots"),
    "title before name": (
        {"id": "b", "name": "BOOTS_01", "title": "Boots"},
        None,
        "Boots",
    ),
    "an empty one": ({"id": "b", "title": ""}, None, None),
    "one that is no text": ({"id": "b", "title": 5}, None, None),
    "a named field": (
        {"id": "b", "title": "Boots", "label": "Black boots"},
        "label",
        "Black boots",
    ),
    "a named nested field": (
        {"id": "b", "names": {"en": "Boots"}},
        "names.en",
        "Boots",
    ),
    "the first of a list": (
        {"id": "b", "title": ["Boots", "Black boots"]},
        None,
        "Boots",
    ),
    "in metadata": (Document("...", {"title": "Boots"}, "b"), None, "Boots"),
    "in a payload": (
        SimpleNamespace(id="b", payload={"title": "Boots"}),
        None,
        "Boots",
    ),
    "of a pair": ((Document("...", {"title": "Boots"}, "b"), 0.5), None, "Boots"),
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
