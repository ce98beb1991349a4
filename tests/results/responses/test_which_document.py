"""Which document a result is: the fields of its id, and ids that may be of two
documents.
"""

from collections.abc import Sequence
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

from pytest_relevance.results.responses.ranking import read_ranking
from pytest_relevance.results.responses.reading import UnreadableRanking
from tests.results.responses.helpers import Model

INDEX_AND_ID = "{_index}/{_id}"


def ids(
    response: object,
    id_field: str | Sequence[str] | None = None,
    judged: Sequence[str] = (),
) -> list[str]:
    return list(read_ranking(response, id_field, judged=judged).ids)


def refusal(
    response: object,
    id_field: str | Sequence[str] | None = None,
    judged: Sequence[str] = (),
) -> str:
    with pytest.raises(UnreadableRanking) as caught:
        read_ranking(response, id_field, judged=judged)
    return str(caught.value)


# --- a list of fields -----------------------------------------------------------------


def test_the_first_field_of_a_list_that_a_result_has() -> None:
    response = [{"ean": "e-1", "sku": "s-1"}, {"ean": "e-2"}, {"id": "7", "sku": "s-3"}]
    assert ids(response, ["sku", "ean"]) == ["s-1", "e-2", "s-3"]


def test_a_field_of_a_list_may_be_nested_where_a_later_one_is_not() -> None:
    hit = {"_id": "1", "_source": {"sku": "s-1"}}
    assert ids({"hits": {"hits": [hit]}}, ["sku", "_id"]) == ["s-1"]


def test_a_missing_value_of_a_data_frame_is_no_field() -> None:
    frame = pd.DataFrame({"sku": ["s-1", None], "ean": [None, "e-2"]})
    assert ids(frame, ["sku", "ean"]) == ["s-1", "e-2"]


def test_a_result_without_any_field_of_a_list() -> None:
    message = refusal([{"id": "1"}], ["sku", "ean"])
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


# --- a template -----------------------------------------------------------------------

TWO_INDEXES = {
    "Elasticsearch": (
        {
            "hits": {
                "hits": [
                    {"_index": "articles", "_id": "1"},
                    {"_index": "products", "_id": "1"},
                ]
            }
        },
        "{_index}/{_id}",
    ),
    "Meilisearch": (
        {
            "hits": [
                {"id": 1, "_federation": {"indexUid": "articles"}},
                {"id": 1, "_federation": {"indexUid": "products"}},
            ]
        },
        "{_federation.indexUid}/{id}",
    ),
    "Typesense": (
        {
            "hits": [
                {"collection": "articles", "document": {"id": "1"}},
                {"collection": "products", "document": {"id": "1"}},
            ]
        },
        "{collection}/{id}",
    ),
    "objects": (
        [
            SimpleNamespace(id="1", collection="articles"),
            SimpleNamespace(id="1", collection="products"),
        ],
        "{collection}/{id}",
    ),
    "a data frame": (
        pd.DataFrame({"id": [1, 1], "indexUid": ["articles", "products"]}),
        "{indexUid}/{id}",
    ),
    "(document, score) rows": (
        [
            ({"_index": "articles", "_id": "1"}, 1.5),
            ({"_index": "products", "_id": "1"}, 0.5),
        ],
        "{_index}/{_id}",
    ),
}


@pytest.mark.parametrize(
    ("response", "template"), TWO_INDEXES.values(), ids=TWO_INDEXES
)
def test_one_id_in_two_indexes(response: object, template: str) -> None:
    message = refusal(response)
    assert 'results 1 and 2 have one id, "1", but not one ' in message
    assert 'it is "articles" and "products"' in message
    assert f'write id_field: "{template}" in the case file' in message
    assert 'judge "articles/1"' in message
    assert ids(response, template) == ["articles/1", "products/1"]


def test_the_way_out_for_one_document_in_two_indexes() -> None:
    response, _ = TWO_INDEXES["Elasticsearch"]
    assert 'if they are one, write id_field: "{_id}"' in refusal(response)
    assert ids(response, "{_id}") == ["1", "1"]


def test_one_named_id_in_two_indexes() -> None:
    hits = [
        {"_index": "articles", "_id": "a", "_source": {"sku": "7"}},
        {"_index": "products", "_id": "b", "_source": {"sku": "7"}},
    ]
    assert 'write id_field: "{_index}/{sku}"' in refusal(hits, "sku")
    assert ids(hits) == ["a", "b"]


def test_a_document_that_is_returned_twice_from_one_index() -> None:
    hits = [{"_index": "products", "_id": "1"}, {"_index": "products", "_id": "1"}]
    assert ids(hits) == ["1", "1"]


def test_the_fields_of_a_template_may_be_anything_that_is_an_id() -> None:
    row = {"shop": UUID(int=1), "product": {"number": np.int64(7)}}
    assert ids([row], "sku:{shop}:{product.number}!") == [
        "sku:00000000-0000-0000-0000-000000000001:7!"
    ]


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (
            {"_id": "1"},
            'result 1 of 1 has no field "_index", which id_field "{_index}/{_id}" needs, only _id: ',
        ),
        (
            {"_index": None, "_id": "1"},
            'has no field "_index", which id_field "{_index}/{_id}" needs',
        ),
        (
            {"_index": "", "_id": "1"},
            'has an empty field "_index", which id_field "{_index}/{_id}" needs',
        ),
        (
            {"_index": "a", "_id": 1.5},
            'has a field "_id", which id_field "{_index}/{_id}" needs, that is a float, 1.5',
        ),
        ("1", 'has no field "_index", which id_field "{_index}/{_id}" needs: \'1\''),
        (("1", 0.5), 'has no field "_index"'),
    ],
)
def test_a_result_that_lacks_a_field_of_a_template(row: object, message: str) -> None:
    assert message in refusal([row], INDEX_AND_ID)


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
    "mappings": ([{"id": 2, "document_id": 7}], 'id "2"', 'document_id "7"'),
    "docid and docno": ([{"docid": 4, "docno": "d-9"}], 'docid "4"', 'docno "d-9"'),
    "another spelling": ([{"id": 2, "documentId": 7}], 'id "2"', 'documentId "7"'),
    "of Algolia": ([{"objectID": "p-7", "id": 7}], 'id "7"', 'objectID "p-7"'),
    "of MongoDB": ([{"_id": "5f", "id": "sku"}], 'id "sku"', '_id "5f"'),
    "dataclasses": ([Chunk(2, 7)], 'id "2"', 'document_id "7"'),
    "named tuples": ([Row(2, 7)], 'id "2"', 'document_id "7"'),
    "models": ([Model(id=2, document_id=7)], 'id "2"', 'document_id "7"'),
    "a data frame": (
        pd.DataFrame({"id": [2], "document_id": [7.0]}),
        'id "2"',
        'document_id "7"',
    ),
    "(document, score) rows": (
        [({"id": 2, "document_id": 7}, 0.5)],
        'id "2"',
        'document_id "7"',
    ),
    "a payload": ([{"id": 2, "payload": {"id": 7}}], 'id "2"', 'payload.id "7"'),
    "metadata of an object": (
        [SimpleNamespace(id=2, metadata={"doc_id": "7"})],
        'id "2"',
        'metadata.doc_id "7"',
    ),
    "in a payload alone": (
        [{"payload": {"id": 2, "docid": 7}}],
        'payload.id "2"',
        'payload.docid "7"',
    ),
    "in a hit's document": (
        {"hits": [{"document": {"id": 2, "doc_id": 7}}]},
        'document.id "2"',
        'document.doc_id "7"',
    ),
    "in the source of a hit": (
        {"hits": {"hits": [{"_id": "2", "doc_id": "7"}]}},
        '_id "2"',
        'doc_id "7"',
    ),
    "of Chroma": (
        {
            "ids": [["c-1"]],
            "distances": [[0.5]],
            "metadatas": [[{"document_id": "d-1"}]],
        },
        'id "c-1"',
        'metadata.document_id "d-1"',
    ),
}


@pytest.mark.parametrize(("response", "one", "other"), TWO_IDS.values(), ids=TWO_IDS)
def test_two_usual_ids_of_a_result(response: Any, one: str, other: str) -> None:
    message = refusal(response)
    assert "result 1 of 1 has two ids, " in message
    assert one in message
    assert other in message
    first, second = one.partition(" ")[0], other.partition(" ")[0]
    assert f"id_field: {first}" in message
    assert f"id_field: {second}" in message
    assert ids(response, first) == [one.split('"')[1]]


def test_two_names_of_one_id() -> None:
    assert ids([{"id": 7, "document_id": "7"}]) == ["7"]
    assert ids([{"id": "7", "document_id": None}]) == ["7"]
    assert ids([{"id": "7", "docid": float("nan")}]) == ["7"]
    frame = pd.DataFrame({"id": [7, 8], "document_id": [7.0, None]})
    assert ids(frame) == ["7", "8"]
    assert ids([{"id": UUID(int=7), "payload": {"id": str(UUID(int=7))}}]) == [
        str(UUID(int=7))
    ]


def test_another_id_in_the_source_of_a_hit() -> None:
    hits = {"hits": {"hits": [{"_id": "b", "_source": {"id": "7"}}]}}
    assert ids(hits) == ["b"]
    assert ids(hits, judged=["b"]) == ["b"]
    assert ids(hits, judged=["7"]) == ["b"]
    message = refusal(hits, judged=["7", "b"])
    assert 'has two ids, _id "b" and _source.id "7"' in message
    assert "write id_field: _id or id_field: _source.id in the case file" in message
    assert ids(hits, "_id", judged=["7", "b"]) == ["b"]
    assert ids(hits, "_source.id", judged=["7", "b"]) == ["7"]


def test_another_id_in_the_fields_of_a_hit() -> None:
    hits = {"hits": {"hits": [{"_id": "b", "fields": {"id": ["7"]}}]}}
    assert ids(hits) == ["b"]
    assert '_id "b" and fields.id "7"' in refusal(hits, judged=["7", "b"])


def test_the_id_of_vespa_and_the_one_that_the_document_was_given() -> None:
    def found(own: str) -> object:
        hit = {"id": "id:shop:product::7", "fields": {"id": own}}
        return {"root": {"fields": {"totalCount": 1}, "children": [hit]}}

    assert ids(found("7")) == ["id:shop:product::7"]
    assert 'fields.id "8"' in refusal(found("8"))


# --- ids of other types ---------------------------------------------------------------


def test_a_decimal_without_a_fraction() -> None:
    assert ids([Decimal("7"), Decimal("1E+2")]) == ["7", "100"]
    assert ids([{"id": Decimal("7")}, {"id": Decimal("8.0")}]) == ["7", "8"]
    assert ids([(Decimal("7"), 0.5)]) == ["7"]
    assert ids([(Decimal("7"), "Boots", 0.5)]) == ["7"]


@pytest.mark.parametrize("number", ["7.5", "NaN", "Infinity"])
def test_a_decimal_with_a_fraction_or_without_a_value(number: str) -> None:
    assert "has an id that is " in refusal([{"id": Decimal(number)}])


@pytest.mark.engines
def test_ids_of_mongodb() -> None:
    bson = pytest.importorskip("bson")
    one, other = bson.ObjectId(), bson.ObjectId()
    assert ids([{"_id": one}, {"_id": other}]) == [str(one), str(other)]
    assert ids([one]) == [str(one)]
    assert ids([(one, "Boots"), (other, "Apron")]) == [str(one), str(other)]
    assert ids([(one, 0.5)]) == [str(one)]
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
    assert 'but not one collection: it is "1" and "2"' in refusal(rows)


@pytest.mark.parametrize(
    "response",
    [[b"sku-1"], [{"id": b"sku-1"}], [(b"sku-1", 0.5)], [{"id": bytearray(b"sku-1")}]],
)
def test_bytes(response: object) -> None:
    message = refusal(response)
    assert "result 1 of 1 has an id that is byte" in message
    assert "return text: id.decode()" in message
