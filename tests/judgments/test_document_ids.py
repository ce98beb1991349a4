"""Which columns and keys of a judgment file have the ids of documents: `id_field` as a
column, a list, a template.
"""

from pathlib import Path

import pytest

from pytest_relevance import read_judgments, read_queries
from tests.judgments.helpers import problems, written

TEMPLATE = "{_index}/{_id}"
TABLE = "query,_index,_id,grade\nboots,articles,1,0\nboots,products,1,3\n"
JOINED = {"boots": {"articles/1": 0, "products/1": 3}}

FILES: dict[str, object] = {
    "a table": TABLE,
    "objects": [
        {"query": "boots", "_index": "articles", "_id": 1, "grade": 0},
        {"query": "boots", "_index": "products", "_id": 1, "grade": 3},
    ],
    "lines of objects": (
        '{"query": "boots", "_index": "articles", "_id": "1", "grade": 0}\n'
        '{"query": "boots", "_index": "products", "_id": "1", "grade": 3}\n'
    ),
    "queries with ratings": [
        {
            "query": "boots",
            "ratings": [
                {"_index": "articles", "_id": "1", "grade": 0},
                {"_index": "products", "_id": "1", "grade": 3},
            ],
        }
    ],
    "lists by query": {
        "boots": [
            {"_index": "articles", "_id": "1", "grade": 0},
            {"_index": "products", "_id": "1", "grade": 3},
        ]
    },
    "rank_eval": {
        "requests": [
            {
                "id": "boots",
                "request": {},
                "ratings": [
                    {"_index": "articles", "_id": "1", "rating": 0},
                    {"_index": "products", "_id": "1", "rating": 3},
                ],
            }
        ]
    },
}


@pytest.mark.parametrize("content", FILES.values(), ids=FILES)
def test_a_template(tmp_path: Path, content: object) -> None:
    assert read_judgments(written(tmp_path, content), id_field=TEMPLATE) == JOINED


def test_a_template_in_parquet(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    path = tmp_path / "file.parquet"
    pandas.DataFrame(
        {
            "query": ["boots", "boots"],
            "shop": ["a", "b"],
            "number": [1, 1],
            "grade": [0, 3],
        }
    ).to_parquet(path)
    assert read_judgments(path, id_field="{shop}:{number}") == {
        "boots": {"a:1": 0, "b:1": 3}
    }


def test_a_column_with_an_unusual_name(tmp_path: Path) -> None:
    path = written(tmp_path, "query,article,grade\nboots,7,3\n")
    assert read_judgments(path, id_field="article") == {"boots": {"7": 3}}
    assert read_queries(path, id_field="article") == {"boots": "boots"}


def test_the_first_column_of_a_list_that_a_row_has(tmp_path: Path) -> None:
    path = written(tmp_path, "query,sku,ean,grade\nboots,s-1,e-1,3\nboots,,e-2,1\n")
    assert read_judgments(path, id_field=["sku", "ean"]) == {
        "boots": {"s-1": 3, "e-2": 1}
    }
    assert read_judgments(path, id_field=["ean", "gtin"]) == {
        "boots": {"e-1": 3, "e-2": 1}
    }


def test_a_separator_in_a_value_is_percent_encoded(tmp_path: Path) -> None:
    path = written(tmp_path, "query,_index,_id,grade\nboots,a/b,c,3\nboots,a,b/c,1\n")
    assert read_judgments(path, id_field=TEMPLATE) == {
        "boots": {"a%2Fb/c": 3, "a/b%2Fc": 1}
    }


def test_a_column_that_is_not_there(tmp_path: Path) -> None:
    path = written(tmp_path, "query,_indx,_id,grade\nboots,articles,1,0\n")
    assert problems(path, id_field=TEMPLATE) == [
        'FILE:1: there is no column "_index", which id_field names; the columns are query, _indx, _id and grade; did '
        'you mean "_indx"?'
    ]


def test_a_row_without_a_part_of_its_id(tmp_path: Path) -> None:
    path = written(tmp_path, "query,_index,_id,grade\nboots,articles,1,0\nboots,,1,3\n")
    assert problems(path, id_field=TEMPLATE) == [
        'FILE:3: the document has no "_index", which id_field "{_index}/{_id}" needs'
    ]


def test_an_object_without_a_part_of_its_id(tmp_path: Path) -> None:
    ratings = [{"_index": "articles", "_id": "1", "grade": 0}, {"_id": "1", "grade": 3}]
    path = written(tmp_path, {"boots": ratings})
    (message,) = problems(path, id_field=TEMPLATE)
    assert message.startswith(
        'FILE: boots[1]: there is no column "_index", which id_field names'
    )


def test_a_query_without_a_document(tmp_path: Path) -> None:
    path = written(tmp_path, f"{TABLE}hats,,,\n")
    judgments = read_judgments(path, id_field=TEMPLATE)
    assert judgments == JOINED
    assert judgments.unrated == ["hats"]


@pytest.mark.parametrize("format", ["trec", "ltr"])
def test_a_format_without_columns(tmp_path: Path, format: str) -> None:
    text = {"trec": "q1 0 boot 3\n", "ltr": "3 qid:1 1:0.5 # boot\n"}[format]
    (message,) = problems(written(tmp_path, text), id_field="_id")
    assert "id_field= is for tables, JSON objects and Elasticsearch requests" in message


def test_what_is_no_field(tmp_path: Path) -> None:
    path = written(tmp_path, TABLE)
    with pytest.raises(ValueError, match="its braces do not form pairs"):
        read_judgments(path, id_field="{_index/_id")


@pytest.mark.parametrize(
    "content",
    [FILES["a table"], FILES["objects"], FILES["rank_eval"]],
    ids=["a table", "objects", "rank_eval"],
)
def test_one_id_with_two_grades_in_two_indexes(tmp_path: Path, content: object) -> None:
    """Without a template two documents would be one with two ratings, of which the
    median counts.
    """
    path = written(tmp_path, content)
    if content == FILES["rank_eval"]:
        (message,) = problems(path, raters="median")
    else:
        (message,) = problems(path, raters="median", id_field="_id")
    assert (
        'query "boots": the document "1" has another grade in _index "products" than in "articles"; if these are two '
        'documents, write id_field: "{_index}/{_id}" in the case file' in message
    )


def test_one_id_with_one_grade_in_two_indexes(tmp_path: Path) -> None:
    path = written(tmp_path, TABLE.replace("1,0", "1,3").replace("_id", "doc_id"))
    assert read_judgments(path) == {"boots": {"1": 3}}


TWO_IDS: dict[str, object] = {
    "a table": "qid,docid,docno,label\nboots,4,d-9,3\n",
    "objects": [{"qid": "boots", "docid": 4, "docno": "d-9", "label": 3}],
    "lists by query": {"boots": [{"docid": 4, "docno": "d-9", "label": 3}]},
}


@pytest.mark.parametrize("content", TWO_IDS.values(), ids=TWO_IDS)
def test_two_ids_of_a_document(tmp_path: Path, content: object) -> None:
    path = written(tmp_path, content)
    (message,) = problems(path)
    assert "the document has two ids, " in message
    assert 'docid "4"' in message
    assert 'docno "d-9"' in message
    assert "{file: ..., id_field: NAME}" in message
    assert read_judgments(path, id_field="docno") == {"boots": {"d-9": 3}}
    assert read_judgments(path, id_field="docid") == {"boots": {"4": 3}}


def test_two_names_of_one_id(tmp_path: Path) -> None:
    path = written(tmp_path, "qid,docid,docno,label\nboots,4,4,3\nboots,5,,1\n")
    assert read_judgments(path) == {"boots": {"4": 3, "5": 1}}
