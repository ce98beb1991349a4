"""What a search may not return: the refusal says what came back, and what to do."""

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

from tests.results.responses.helpers import Model, ids, refusal

# --- responses ------------------------------------------------------------------------


class Product(NamedTuple):
    id: str
    title: str


@dataclass
class Hit:
    id: str


class Pages:
    def __repr__(self) -> str:
        return "<Pages>"


class HttpResponse:
    """As those of requests and httpx are: iterating over one gives its bytes."""

    status_code = 200
    headers: dict[str, str] = {}  # noqa: RUF012

    def json(self) -> object:
        return {"hits": []}

    def __iter__(self) -> Iterator[bytes]:
        return iter([b'{"hits": []}'])

    def __repr__(self) -> str:
        return "<Response>"


LIST = "return a list of results, best first"
JSON = f"{LIST} (parsed, if it is JSON)"
NOTHING = "return the results, best first (an empty list if there are none)"
NO_LIST = (
    f"it holds no list; {LIST} (ids, (id, score) rows, or mappings with an id), or "
    "implement the hook pytest_relevance_ranking"
)
ROWS = "return a list of rows, or a list of ids"
TUPLE = "a tuple that could be one row, columns side by side or a list of results"

REFUSED: list[tuple[object, str, str]] = [
    (None, "None", NOTHING),
    ("sku-1", "text, 'sku-1'", JSON),
    ("\x1b[31m" + "x" * 5000, f"text, '\\x1b[31m{'x' * 68}...", JSON),
    (5, "an int, 5", LIST),
    ({"sku-1"}, "a set, which has no order, {'sku-1'}", LIST),
    (Pages(), "a Pages, <Pages>", LIST),
    (HttpResponse(), "an HTTP response, <Response>", "return what is in it, response.json() for instance"),
    (("a", 3), f"{TUPLE}, ('a', 3)", ROWS),
    (("a", "Apron", 0.5), f"{TUPLE}, ('a', 'Apron', 0.5)", ROWS),
    ((("a", "b"), ("A", "B")), f"{TUPLE}, (('a', 'b'), ('A', 'B'))", ROWS),
    ((("a",), ("A",)), f"{TUPLE}, (('a',), ('A',))", ROWS),
    (((7, 8), (1, 2)), f"{TUPLE}, ((7, 8), (1, 2))", ROWS),
    (((7,), (1,)), f"{TUPLE}, ((7,), (1,))", ROWS),
    ((("a", "b"), (2, 1)), f"{TUPLE}, (('a', 'b'), (2, 1))", ROWS),
    (Product("a", "Boots"), "one result, Product(id='a', title='Boots')", LIST),
    ({"id": "sku-1"}, "one result, {'id': 'sku-1'}", LIST),
    (Hit("sku-1"), "one result, Hit(id='sku-1')", LIST),
    (Model(pages=3), "a Model instead of a list of results, Model(pages)", NO_LIST),
]  # fmt: skip


@pytest.mark.parametrize(("response", "returned", "advice"), REFUSED)
def test_what_is_no_list_of_results_is_refused(
    response: object, returned: str, advice: str
) -> None:
    assert refusal(response) == f"search returned {returned}; {advice}"


def test_a_single_row_is_refused() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    row = connection.execute("select 'sku-1' as sku, 'Boots' as title").fetchone()
    connection.close()
    assert refusal(row).startswith("search returned one result, <sqlite3.Row object at")


@pytest.mark.parametrize("index", [None, ["b", "a"]])
def test_a_series_is_refused_as_its_ids_may_be_in_two_places(index: Any) -> None:
    message = refusal(pd.Series(["y", "x"], index=index))
    assert message.startswith("search returned a Series, ")
    assert message.endswith(
        "return list(series) if its values are the ids, list(series.index) if not"
    )


# --- something beside the ranking, other orders, several queries ----------------------


BESIDE: list[tuple[object, str]] = [
    ((("a", "b"), 2), ": return response[0]"),
    ((("a", "b"), "cursor"), ": return response[0]"),
    ((12, ("a", "b")), ": return response[1]"),
    ([("a", "b"), 2], ": return response[0]"),
    ((Product("a", "Boots"), 2), ": return response[0]"),
    (({"id": "a"}, "cursor"), ""),
]


@pytest.mark.parametrize(("response", "line"), BESIDE)
def test_a_ranking_with_something_beside_it_is_refused(
    response: object, line: str
) -> None:
    assert refusal(response) == (
        f"search returned rows beside single values, {response!r}; return the results alone, without a total or a "
        f"cursor beside them{line}"
    )


@pytest.mark.parametrize(
    "response",
    [
        (("b", 2.5), ("a", 1.5)),
        ((7, "Boots"), (3, "Apron")),
        (("b", "Boots"), ("a", "Apron"), ("c", "Cap")),
        (("b",), ("a",), ("c",)),
        ({"id": "b"}, {"id": "a"}),
    ],
)
def test_a_tuple_of_rows_is_read_where_it_can_be_nothing_else(
    response: tuple[Any, ...],
) -> None:
    assert ids(response) == ids([*response])


@pytest.mark.parametrize("column", ["query", "query_id", "qid"])
def test_a_table_with_the_results_of_several_queries_is_refused(column: str) -> None:
    frame = pd.DataFrame({column: ["boots", "boots", "hats"], "id": ["b", "a", "h"]})
    says = f'search returned a table with the results of 2 queries (column "{column}")'
    assert says in refusal(frame)
    assert ids(frame[frame[column] == "boots"]) == ["b", "a"]


@pytest.mark.parametrize("value", [["boots"], float("nan"), {"text": "boots"}])
def test_a_column_of_that_name_with_one_value_of_any_kind_is_no_trouble(
    value: object,
) -> None:
    assert ids(pd.DataFrame({"id": ["b", "a"], "query": [value, value]})) == ["b", "a"]


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    frame = pd.DataFrame([["a", "b"]], columns=["id", "id"])
    why = 'search returned a table with two columns named "id"; rename one'
    assert refusal(frame) == why


# --- results --------------------------------------------------------------------------

IDS = "id (id, _id, doc_id, docid, document_id or objectID)"
NAME_IT = "name the field with id_field in the case file"
CURE = "return ids as text or integers"
PAIRS = "and scores as (id, score) pairs"
WHOLE = f"{CURE} (integers become floats in a data frame's column if one is missing)"
FLOAT = "whose text could be that of another id"
NO_ROW = (
    "is not a (id, score), (id, title) or (id, title, score) row; return the results of one query: ids, such rows as "
    "tuples, or mappings or objects with an id (arrays of distances and labels as a tuple, not as lists)"
)
SWAPPED = (
    "is a (score, id) pair; return (id, score) pairs, with ids as text or integers"
)
NAN = "has a score that is NaN; return numbers, or results without scores"

RESULTS: list[tuple[object, str]] = [
    ({"sku": "B-1", "title": "B"}, f"has no {IDS}, only sku and title; {NAME_IT}"),
    (
        {"_score": 1.5, "_source": {"sku": "B-1"}},
        f"has no {IDS}, only _score and _source.sku; {NAME_IT}",
    ),
    (SimpleNamespace(sku="B-1"), f"has no {IDS}, only sku; {NAME_IT}"),
    (None, f"has an id that is None; {CURE}"),
    (1.5, f"has an id that is a float, 1.5, {FLOAT}; {CURE}, {PAIRS}"),
    ({"id": 7.0}, f"has an id that is a float, 7.0, {FLOAT}; {WHOLE}, {PAIRS}"),
    ({"id": ["a", "b"]}, f"has an id that is a list, ['a', 'b']; {CURE}"),
    ({"id": pd.NA}, f"has an id that is a NAType, <NA>; {CURE}"),
    ("", "has an empty id"),
    ((0.5, "sku-1"), SWAPPED),
    ((None, "Boots"), f"has an id that is None; {CURE}"),
    (("sku-1", float("nan")), NAN),
    ({"id": "b", "score": float("nan")}, NAN),
    (["sku-1", np.array([0.5, 0.25])], NO_ROW),
    (("sku-1", 0.5, "Boots"), NO_ROW),
    (({"id": "b"}, "Boots"), NO_ROW),
    ([("sku-1", 0.5)], NO_ROW),
]


@pytest.mark.parametrize(("result", "why"), RESULTS)
def test_a_result_without_a_usable_id_is_refused(result: object, why: str) -> None:
    message = refusal([{"id": "sku-0"}, result])
    assert message == f"result 2 of 2 {why}: {result!r}"


@pytest.mark.parametrize(
    "rows",
    [
        [(1, "sku-b"), (2, "sku-a")],
        [(0, "sku-b"), (1, "sku-a")],
        [(1, "sku-b", 1.5), (2, "sku-a", 0.5)],
        [(99, 1), (98, 2)],
        [(5, "a"), (3, "c"), (3, "b")],
    ],
)
def test_rows_of_which_either_part_may_be_the_id_are_refused(
    rows: list[tuple[Any, ...]],
) -> None:
    message = refusal(rows)
    assert message == refusal(iter(rows))
    assert message == (
        f"search returned rows of an integer and another part, {rows[0]!r} first, of which either may be the id; "
        "return ids alone, mappings with an id and a title or a score, or (id, float(score)) pairs"
    )


@pytest.mark.parametrize(
    "rows",
    [
        [(1, "Blue shoes"), (2, "Boots")],
        [(1, "Boots"), (2, "Boots")],
        [(1, "Boots"), (3, "Apron")],
        [(2, "Boots"), (3, "Apron")],
        [(1, "Boots")],
        [(1, None), (2, None)],
    ],
)
def test_ids_in_order_before_what_cannot_be_ids(rows: list[tuple[Any, ...]]) -> None:
    assert ids(rows) == [str(row[0]) for row in rows]


# --- ranks ----------------------------------------------------------------------------

BY_RANK = [{"id": "a", "rank": 3}, {"id": "b", "rank": 1}, {"id": "c", "rank": 2}]


@pytest.mark.parametrize(
    "response",
    [
        BY_RANK,
        pd.DataFrame(BY_RANK),
        [SimpleNamespace(**each) for each in BY_RANK],
        {"hits": BY_RANK},
    ],
    ids=["mappings", "frame", "objects", "body"],
)
def test_ranks_in_another_order_than_the_results_are_refused(response: object) -> None:
    assert refusal(response) == (
        "search returned results that are not in the order of their field rank, [3, 1, 2]; sort them by it, or leave "
        "it out"
    )


@pytest.mark.parametrize(
    "ranks", [[1, 2, 3], [0, 2, 2], [0.9, 0.5, 0.7], ["3", "2", "1"], [3, None, 1]]
)
def test_ranks_in_order_and_scores_of_that_name_are_read(ranks: list[object]) -> None:
    ranked = zip("abc", ranks, strict=True)
    assert ids([{"id": id_, "rank": rank} for id_, rank in ranked]) == ["a", "b", "c"]
