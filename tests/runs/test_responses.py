"""What a search may not return, and what the refusal says: what came back, and what to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NamedTuple

import numpy as np
import pandas as pd
import pytest

from pytest_relevance.runs.ranking import UnreadableRanking, read_ranking


def refusal(response: object, id_field: str | None = None) -> str:
    with pytest.raises(UnreadableRanking) as caught:
        read_ranking(response, id_field)
    return str(caught.value)


# --- responses --------------------------------------------------------------------------------------------------------


class Product(NamedTuple):
    id: str
    title: str


@dataclass
class Hit:
    id: str


class Pages:
    def __repr__(self) -> str:
        return "<Pages of boots>"


class HttpResponse:
    """As those of requests and httpx are: iterating over one gives its bytes."""

    status_code = 200
    headers: dict[str, str] = {}  # noqa: RUF012

    def json(self) -> object:
        return {"hits": []}

    def __iter__(self) -> Iterator[bytes]:
        return iter([b'{"hits": []}'])

    def __repr__(self) -> str:
        return "<Response [200]>"


class Model:
    """As pydantic's models are: iterating over one gives its fields."""

    model_fields = ("id", "title")

    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)

    def __iter__(self) -> Iterator[tuple[str, object]]:
        return iter(self.__dict__.items())

    def __repr__(self) -> str:
        return f"Model({', '.join(self.__dict__)})"


PATHS = (
    "hits.hits (Elasticsearch or OpenSearch), hits (Algolia, Meilisearch or Typesense), response.docs (Solr) "
    "or root.children (Vespa)"
)
OTHERWISE = "for another shape return its list of results, or implement the hook pytest_relevance_ranking"

RESPONSES: dict[str, tuple[object, str]] = {
    "None": (
        None,
        "search returned None; return the results, best first (a search without results returns an empty list)",
    ),
    "text": (
        "sku-1",
        "search returned text, 'sku-1'; return a list of results, best first (parsed, if it is JSON)",
    ),
    "bytes": (
        b'{"hits": []}',
        "search returned text, b'{\"hits\": []}'; return a list of results, best first (parsed, if it is JSON)",
    ),
    "a number": (5, "search returned an int, 5; return a list of results, best first"),
    "a number that says False": (0, "search returned an int, 0; return a list of results, best first"),
    "a set": ({"sku-1"}, "search returned a set, which has no order: {'sku-1'}; return a list, best first"),
    "a frozen set": (
        frozenset({7}),
        "search returned a set, which has no order: frozenset({7}); return a list, best first",
    ),
    "some object": (Pages(), "search returned a Pages, <Pages of boots>; return a list of results, best first"),
    "a mapping without hits": (
        {"results": ["sku-1"]},
        f"search returned a mapping without hits, {{'results': ['sku-1']}}; a response body has {PATHS}; {OTHERWISE}",
    ),
    "an empty mapping": (
        {},
        f"search returned a mapping without hits, {{}}; a response body has {PATHS}; {OTHERWISE}",
    ),
    "a mapping of scores": (
        {"sku-1": 2.5, "sku-2": 1},
        "search returned a mapping of 2 numbers, {'sku-1': 2.5, 'sku-2': 1}; "
        "if they are the scores of documents, return its items, sorted best first",
    ),
    "an error of Elasticsearch": (
        {"error": {"type": "index_not_found_exception", "reason": "no such index [shop]"}, "status": 404},
        "search returned an error instead of results: {'error': {'type': 'index_not_found_exception', "
        "'reason': 'no such index [shop]'}, 'status': 404}",
    ),
    "an error of Solr": (
        {"responseHeader": {"status": 400}, "error": {"msg": "undefined field x", "code": 400}},
        "search returned an error instead of results: {'responseHeader': {'status': 400}, "
        "'error': {'msg': 'undefined field x', 'code': 400}}",
    ),
    "an error of Algolia": (
        {"message": "Index shop does not exist", "status": 404},
        "search returned an error instead of results: {'message': 'Index shop does not exist', 'status': 404}",
    ),
    "an error of Vespa": (
        {"root": {"id": "toplevel", "errors": [{"code": 12, "summary": "Timed out"}]}},
        "search returned an error instead of results: "
        "{'root': {'id': 'toplevel', 'errors': [{'code': 12, 'summary': 'Timed out'}]}}",
    ),
    "an HTTP response": (
        HttpResponse(),
        "search returned an HTTP response, <Response [200]>; return what is in it, response.json() for instance",
    ),
    "a single named tuple": (
        Product("sku-1", "Boots"),
        "search returned one result, Product(id='sku-1', title='Boots'); return a list of results, best first",
    ),
    "a single mapping": (
        {"id": "sku-1", "title": "Boots"},
        "search returned one result, {'id': 'sku-1', 'title': 'Boots'}; return a list of results, best first",
    ),
    "a single object": (
        Hit("sku-1"),
        "search returned one result, Hit(id='sku-1'); return a list of results, best first",
    ),
    "a single model": (
        Model(id="sku-1", title="Boots"),
        "search returned one result, Model(id, title); return a list of results, best first",
    ),
    "a model of something else": (
        Model(pages=3),
        "search returned a Model, Model(pages); return a list of results, best first",
    ),
}


@pytest.mark.parametrize(("response", "message"), RESPONSES.values(), ids=RESPONSES)
def test_what_is_no_list_of_results_is_refused(response: object, message: str) -> None:
    assert refusal(response) == message


def test_a_single_row_is_refused() -> None:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    row = connection.execute("select 'sku-1' as sku, 'Boots' as title").fetchone()
    connection.close()
    assert refusal(row).startswith("search returned one result, <sqlite3.Row object at ")


def test_a_frame_with_two_columns_of_one_name_is_refused() -> None:
    frame = pd.DataFrame([["a", "b"]], columns=["id", "id"])
    assert refusal(frame) == 'search returned a data frame with two columns named "id"; rename one'


def test_a_message_shows_the_beginning_of_a_long_response_and_no_control_characters() -> None:
    assert refusal("\x1b[31m" + "x" * 5000) == (
        f"search returned text, '\\x1b[31m{'x' * 68}...; return a list of results, best first (parsed, if it is JSON)"
    )


# --- results ----------------------------------------------------------------------------------------------------------

NAMES = "id (id, _id, doc_id, docid, document_id or objectID)"
NAME_IT = "name the field with id_field in the case file"
CURE = "return ids as text or integers"
FROM_A_FRAME = f"{CURE} (integers become floats in a data frame's column where one is missing)"
NO_PAIR = "is no (id, score) pair; return ids, (id, score) pairs, or mappings or objects with an id"


class Slotted:
    __slots__ = ("label", "sku")

    def __init__(self, sku: str, label: str) -> None:
        self.sku, self.label = sku, label

    def __repr__(self) -> str:
        return f"Slotted({self.sku!r}, {self.label!r})"


class Named(NamedTuple):
    sku: str
    title: str


RESULTS: dict[str, tuple[object, str]] = {
    "without an id": (
        {"sku": "B-1", "title": "Boots"},
        f"has no {NAMES}, only sku and title; {NAME_IT}: {{'sku': 'B-1', 'title': 'Boots'}}",
    ),
    "without an id, with nested fields": (
        {"_score": 1.5, "_source": {"sku": "B-1", "title": "Boots"}},
        f"has no {NAMES}, only _score, _source.sku and _source.title; {NAME_IT}: "
        "{'_score': 1.5, '_source': {'sku': 'B-1', 'title': 'Boots'}}",
    ),
    "without any field": ({}, f"has no {NAMES}, it is empty; {NAME_IT}: {{}}"),
    "an object without an id": (
        SimpleNamespace(sku="B-1"),
        f"has no {NAMES}, only sku; {NAME_IT}: namespace(sku='B-1')",
    ),
    "an object with slots without an id": (
        Slotted("B-1", "Boots"),
        f"has no {NAMES}, only label and sku; {NAME_IT}: Slotted('B-1', 'Boots')",
    ),
    "a named tuple without an id": (
        Named("B-1", "Boots"),
        f"has no {NAMES}, only sku and title; {NAME_IT}: Named(sku='B-1', title='Boots')",
    ),
    "a document of a pair without an id": (
        ({"sku": "B-1"}, 0.5),
        f"has no {NAMES}, only sku; {NAME_IT}: ({{'sku': 'B-1'}}, 0.5)",
    ),
    "None": (None, f"has an id that is None; {CURE}: None"),
    "an id that is None": ({"id": None}, f"has an id that is None; {CURE}: {{'id': None}}"),
    "a float": (1.5, f"has an id that is a float, 1.5, whose text could be another one's; {CURE}: 1.5"),
    "a whole float": (
        {"id": 7.0},
        f"has an id that is a float, 7.0, whose text could be another one's; {FROM_A_FRAME}: {{'id': 7.0}}",
    ),
    "NaN": ({"id": float("nan")}, f"has an id that is NaN; {CURE}: {{'id': nan}}"),
    "numpy's NaN": (np.float32("nan"), f"has an id that is NaN; {CURE}: {np.float32('nan')!r}"),
    "a bool": (True, f"has an id that is a bool, True; {CURE}: True"),
    "an id that is a bool": ({"id": False}, f"has an id that is a bool, False; {CURE}: {{'id': False}}"),
    "bytes": (b"sku-1", f"has an id that is a bytes, b'sku-1'; {CURE}: b'sku-1'"),
    "several ids": ({"id": ["a", "b"]}, f"has an id that is a list, ['a', 'b']; {CURE}: {{'id': ['a', 'b']}}"),
    "a missing value of pandas": ({"id": pd.NA}, f"has an id that is a NAType, <NA>; {CURE}: {{'id': <NA>}}"),
    "empty text": ("", "has an empty id: ''"),
    "an id that is empty": ({"id": ""}, "has an empty id: {'id': ''}"),
    "an empty id in a pair": (("", 0.5), "has an empty id: ('', 0.5)"),
    "a (score, id) pair": ((0.5, "sku-1"), "is a (score, id) pair; return (id, score) pairs: (0.5, 'sku-1')"),
    "a (score, integer) pair": (
        (0.5, 7),
        f"has an id that is a float, 0.5, whose text could be another one's; {CURE}: (0.5, 7)",
    ),
    "a pair with a score that is NaN": (("sku-1", float("nan")), "has a score that is NaN: ('sku-1', nan)"),
    "a pair with a vector": (
        ["sku-1", np.array([0.5, 0.25])],
        f"{NO_PAIR}: ['sku-1', array([0.5 , 0.25])]",
    ),
    "three values": (("sku-1", 0.5, "Boots"), f"{NO_PAIR}: ('sku-1', 0.5, 'Boots')"),
    "two texts": (("sku-1", "Boots"), f"{NO_PAIR}: ('sku-1', 'Boots')"),
    "nothing in a tuple": ((), f"{NO_PAIR}: ()"),
}


@pytest.mark.parametrize(("result", "message"), RESULTS.values(), ids=RESULTS)
def test_a_result_without_a_usable_id_is_refused(result: object, message: str) -> None:
    assert refusal(["sku-0", result]) == f"result 2 of 2 {message}"


def test_a_named_field_that_is_not_there() -> None:
    assert refusal([{"id": "sku-1"}], id_field="sku") == (
        "result 1 of 1 has no field \"sku\", only id; name the field with id_field in the case file: {'id': 'sku-1'}"
    )


def test_a_result_with_many_fields_names_the_first() -> None:
    many = {f"field{number}": number for number in range(15)}
    assert "only field0, field1, field2," in refusal([many])
    assert "field11 and 3 more; name the field" in refusal([many])


def test_integers_that_became_floats_in_a_frame() -> None:
    frame = pd.DataFrame({"id": [125125, None]})
    assert refusal(frame) == (
        f"result 1 of 2 has an id that is a float, 125125.0, whose text could be another one's; {FROM_A_FRAME}: "
        "{'id': 125125.0}"
    )
