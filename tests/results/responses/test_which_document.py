"""Which document a result is: the fields of its id, and ids that may be of two
documents.
"""

from dataclasses import dataclass
from decimal import Decimal
from types import SimpleNamespace
from typing import Any, NamedTuple
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.results.responses.helpers import Model, ids, refusal

INDEX_AND_ID = "{_index}/{_id}"
KEY = "00000000-0000-0000-0000-000000000007"

# --- a list of fields -----------------------------------------------------------------


SKU = {"_id": "1", "_source": {"sku": "s-1"}}
FIELD_LISTS: dict[str, tuple[object, tuple[str, ...], list[str]]] = {
    "the first that a result has": (
        [{"ean": "e-1", "sku": "s-1"}, {"ean": "e-2"}, {"id": "7", "sku": "s-3"}],
        ("sku", "ean"),
        ["s-1", "e-2", "s-3"],
    ),
    "a nested one before another": ({"hits": [SKU]}, ("sku", "_id"), ["s-1"]),
    "a missing value of a data frame": (
        pd.DataFrame({"sku": ["s-1", None], "ean": [None, "e-2"]}),
        ("sku", "ean"),
        ["s-1", "e-2"],
    ),
}


@pytest.mark.parametrize(
    ("response", "id_field", "expected"), FIELD_LISTS.values(), ids=FIELD_LISTS
)
def test_a_list_of_fields(
    response: object, id_field: tuple[str, ...], expected: list[str]
) -> None:
    assert ids(response, id_field) == expected


def test_a_result_without_any_field_of_a_list() -> None:
    message = refusal([{"id": "1"}], ("sku", "ean"))
    assert message == (
        'result 1 of 1 has no field "sku" or "ean", only id; correct id_field in the case file: '
        "{'id': '1'}"
    )


@pytest.mark.parametrize(
    ("result", "id_field", "why"),
    [
        ({"sku": None}, "sku", 'has a field "sku" that is None; return an id'),
        ({"meta": '{"sku": 1}'}, "meta.sku", '"meta" is a str, not a mapping'),
        ({"meta": ["s-1"]}, "meta.sku", '"meta" is a list, not a mapping'),
        ({0: "s-1"}, "0", "one with the number 0 as its name; make the names text"),
    ],
)
def test_a_result_in_which_a_path_ends_too_early(
    result: object, id_field: str, why: str
) -> None:
    assert why in refusal([result], id_field)


@pytest.mark.parametrize("written", ["sourse", "sorce", "metadata.sourc", "Source"])
def test_the_field_that_was_meant(written: str) -> None:
    """A field `score` is nearer to `sorce` than the whole path of the field that was
    meant.
    """
    result = {"id": "1", "score": 0.5, "metadata": {"page": 3, "source": "a.md"}}
    assert "; did you mean metadata.source?" in refusal([result], written)


# --- a template -----------------------------------------------------------------------

SHOPS = ["articles", "products"]
HITS = [{"_index": shop, "_id": "1"} for shop in SHOPS]
TWO_INDEXES: dict[str, tuple[object, str]] = {
    "Elasticsearch": ({"hits": {"hits": HITS}}, "{_index}/{_id}"),
    "Meilisearch": (
        {"hits": [{"id": 1, "_federation": {"indexUid": shop}} for shop in SHOPS]},
        "{_federation.indexUid}/{id}",
    ),
    "Typesense": ({"hits": [{"collection": shop, "document": {"id": "1"}} for shop in SHOPS]}, "{collection}/{id}"),
    "objects": ([SimpleNamespace(id="1", collection=shop) for shop in SHOPS], "{collection}/{id}"),
    "a data frame": (pd.DataFrame({"id": 1, "indexUid": SHOPS}), "{indexUid}/{id}"),
    "(document, score) rows": ([(hit, 0.5) for hit in HITS], "{_index}/{_id}"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("response", "template"), TWO_INDEXES.values(), ids=TWO_INDEXES
)
def test_one_id_in_two_indexes(response: object, template: str) -> None:
    message = refusal(response)
    assert 'results 1 and 2 have the same id, "1", and different values of ' in message
    assert ', "articles" and "products". If' in message
    assert f'write id_field: "{template}" in the case file' in message
    assert 'judge "articles/1"' in message
    assert ids(response, template) == ["articles/1", "products/1"]


def test_the_way_out_for_one_document_in_two_indexes() -> None:
    assert 'If they are one document, write id_field: "{_id}"' in refusal(HITS)
    assert ids(HITS, "{_id}") == ["1", "1"]


def test_one_named_id_in_two_indexes() -> None:
    hits = [
        {"_index": "articles", "_id": "a", "_source": {"sku": "7"}},
        {"_index": "products", "_id": "b", "_source": {"sku": "7"}},
    ]
    assert 'write id_field: "{_index}/{sku}"' in refusal(hits, "sku")
    assert ids(hits) == ["a", "b"]


def test_a_document_that_is_returned_twice_from_one_index() -> None:
    assert ids([HITS[0], HITS[0]]) == ["1", "1"]
    assert ids([HITS[0], {"_id": "1"}]) == ids([{"_id": "1"}, HITS[0]]) == ["1", "1"]


def test_the_fields_of_a_template_may_be_anything_that_is_an_id() -> None:
    row = {"shop": UUID(int=1), "product": {"number": np.int64(7)}}
    assert ids([row], "sku:{shop}:{product.number}!") == [
        "sku:00000000-0000-0000-0000-000000000001:7!"
    ]


NEEDS = 'which id_field "{_index}/{_id}" needs'
LACKING: list[tuple[object, str]] = [
    ({"_id": "1"}, f'has no field "_index", {NEEDS}, only _id'),
    ({"_index": None, "_id": "1"}, f'has no field "_index", {NEEDS}, only _id'),
    ({"_index": "", "_id": "1"}, f'has an empty field "_index", {NEEDS}'),
    (
        {"_index": "a", "_id": 1.5},
        f'has a field "_id", {NEEDS}, that is a float, 1.5, whose text could be '
        "that of another id; return ids as text or integers, and scores as (id, "
        "score) pairs",
    ),
    ("1", f'has no field "_index", {NEEDS}'),
    (("1", 0.5), f'has no field "_index", {NEEDS}'),
]


@pytest.mark.parametrize(("row", "why"), LACKING)
def test_a_result_that_lacks_a_field_of_a_template(row: object, why: str) -> None:
    assert refusal([row], INDEX_AND_ID).startswith(f"result 1 of 1 {why}: ")


def test_a_separator_in_a_value_is_percent_encoded() -> None:
    rows = [{"_index": "a/b", "_id": "c"}, {"_index": "a", "_id": "b/c"}]
    assert ids(rows, INDEX_AND_ID) == ["a%2Fb/c", "a/b%2Fc"]
    assert ids([{"_index": "50%", "_id": "a%2Fb"}], INDEX_AND_ID) == ["50%/a%252Fb"]
    assert ids([{"_id": "a/b"}], "shop/{_id}") == ["shop/a/b"]  # nothing to tell apart


VALUES = st.text(alphabet="a2fF%/:", min_size=1, max_size=6)


@given(st.tuples(VALUES, VALUES), st.tuples(VALUES, VALUES), st.sampled_from("/:2%"))
def test_two_documents_never_share_an_id(
    one: tuple[str, str], other: tuple[str, str], separator: str
) -> None:
    rows = [{"_index": index, "_id": own} for index, own in (one, other)]
    first, second = ids(rows, f"{{_index}}{separator}{{_id}}")
    assert (first == second) == (one == other)


# --- two usual ids of one result ------------------------------------------------------


@dataclass
class Chunk:
    id: int
    document_id: int


class Row(NamedTuple):
    id: int
    document_id: int


TWO_IDS: dict[str, tuple[Any, str, str]] = {
    "mappings": ([{"id": 2, "document_id": 7}], "id 2", "document_id 7"),
    "docid and docno": ([{"docid": 4, "docno": "d-9"}], "docid 4", "docno d-9"),
    "another spelling": ([{"id": 2, "documentId": 7}], "id 2", "documentId 7"),
    "of Algolia": ([{"objectID": "p-7", "id": 7}], "id 7", "objectID p-7"),
    "of MongoDB": ([{"_id": "5f", "id": "sku"}], "id sku", "_id 5f"),
    "dataclasses": ([Chunk(2, 7)], "id 2", "document_id 7"),
    "named tuples": ([Row(2, 7)], "id 2", "document_id 7"),
    "models": ([Model(id=2, document_id=7)], "id 2", "document_id 7"),
    "a data frame": (pd.DataFrame({"id": [2], "document_id": [7.0]}), "id 2", "document_id 7"),
    "(document, score) rows": ([({"id": 2, "document_id": 7}, 0.5)], "id 2", "document_id 7"),
    "a payload": ([{"id": 2, "payload": {"id": 7}}], "id 2", "payload.id 7"),
    "metadata of an object": ([SimpleNamespace(id=2, metadata={"doc_id": "7"})], "id 2", "metadata.doc_id 7"),
    "in a payload alone": ([{"payload": {"id": 2, "docid": 7}}], "payload.id 2", "payload.docid 7"),
    "in a hit's document": ({"hits": [{"document": {"id": 2, "doc_id": 7}}]}, "document.id 2", "document.doc_id 7"),
    "beside the source of a hit": ({"hits": {"hits": [{"_id": "2", "doc_id": "7"}]}}, "_id 2", "doc_id 7"),
    "of Chroma": ({"ids": [["c-1"]], "metadatas": [[{"document_id": "d-1"}]]}, "id c-1", "metadata.document_id d-1"),
}  # fmt: skip


@pytest.mark.parametrize(("response", "one", "other"), TWO_IDS.values(), ids=TWO_IDS)
def test_two_usual_ids_of_a_result(response: Any, one: str, other: str) -> None:
    (first, id_), (second, other_id) = one.split(), other.split()
    assert refusal(response).startswith(
        f'result 1 of 1 has two ids, {first} "{id_}" and {second} "{other_id}"; '
        f"write id_field: {first} or id_field: {second} in the case file: "
    )
    assert ids(response, first) == [id_]


@pytest.mark.parametrize(
    ("response", "expected"),
    [
        ([{"id": 7, "document_id": "7"}], ["7"]),
        ([{"id": "7", "document_id": None}], ["7"]),
        ([{"id": "7", "docid": float("nan")}], ["7"]),
        (pd.DataFrame({"id": [7, 8], "document_id": [7.0, None]}), ["7", "8"]),
        ([{"id": UUID(KEY), "payload": {"id": KEY}}], [KEY]),
    ],
)
def test_two_names_of_one_id(response: object, expected: list[str]) -> None:
    assert ids(response) == expected


@pytest.mark.parametrize(
    ("holder", "own"), [("_source", "7"), ("fields", ["7"]), ("meta", "7")]
)
def test_another_id_in_the_document_of_a_hit(holder: str, own: object) -> None:
    hits = {"hits": {"hits": [{"_id": "b", holder: {"id": own}}]}}
    assert ids(hits) == ids(hits, judged=["b"]) == ids(hits, judged=["7"]) == ["b"]
    both = f'has two ids, _id "b" and {holder}.id "7"'
    assert both in refusal(hits, judged=["7", "b"])
    assert ids(hits, "_id", judged=["7", "b"]) == ["b"]
    assert ids(hits, f"{holder}.id", judged=["7", "b"]) == ["7"]


def test_the_id_of_vespa_and_the_one_that_the_document_was_given() -> None:
    def found(own: str) -> object:
        hit = {"id": "id:shop:product::7", "fields": {"id": own}}
        return {"root": {"fields": {"totalCount": 1}, "children": [hit]}}

    assert ids(found("7")) == ["id:shop:product::7"]
    assert 'fields.id "8"' in refusal(found("8"))


# --- ids of other types ---------------------------------------------------------------


def test_a_decimal_without_a_fraction() -> None:
    seven = Decimal("7")
    assert ids([seven, Decimal("1E+2"), {"id": Decimal("8.0")}]) == ["7", "100", "8"]
    assert ids([(seven, 0.5)]) == ids([(seven, "Boots", 0.5)]) == ["7"]


@pytest.mark.parametrize("number", ["7.5", "NaN", "Infinity"])
def test_a_decimal_with_a_fraction_or_without_a_value(number: str) -> None:
    assert "has an id that is " in refusal([{"id": Decimal(number)}])


@pytest.mark.engines
def test_ids_of_mongodb() -> None:
    bson = pytest.importorskip("bson")
    one, other = bson.ObjectId(), bson.ObjectId()
    both = [str(one), str(other)]
    assert ids([{"_id": one}, {"_id": other}]) == ids([one, other]) == both
    assert ids([(one, "Boots"), (other, "Apron")]) == both
    assert ids([(one, 0.5), (other, 0.25)]) == both
    assert ids([{"_id": bson.Decimal128("7")}]) == ["7"]
    assert ids([{"_id": bson.Int64(7)}]) == ["7"]
    rows = [{"shop": "s", "_id": one}]
    assert ids(rows, "{shop}/{_id}") == [f"s/{one}"]


def test_fields_whose_names_are_bytes() -> None:
    assert "the names of its fields are bytes; decode the response" in refusal(
        [{b"id": b"sku-1"}]
    )


def test_collections_that_are_numbered() -> None:
    rows = [{"id": "1", "collection": 1}, {"id": "1", "collection": 2}]
    assert 'and different values of collection, "1" and "2"' in refusal(rows)


@pytest.mark.parametrize(
    "response",
    [[b"sku-1"], [{"id": b"sku-1"}], [(b"sku-1", 0.5)], [{"id": bytearray(b"sku-1")}]],
)
def test_bytes(response: object) -> None:
    message = refusal(response)
    assert "result 1 of 1 has an id that is byte" in message
    assert "return text: id.decode()" in message
