"""Which columns and keys of a judgment file have the ids of documents: `id_field` as a
column, a list, a template.
"""

import pytest

from tests.judgments.helpers import Files, lines

TEMPLATE = "{_index}/{_id}"
TABLE = "query,_index,_id,grade\nboots,articles,1,0\nboots,products,1,3\n"
JOINED = {"boots": {"articles/1": 0, "products/1": 3}}

RATINGS = [
    {"_index": "articles", "_id": "1", "grade": 0},
    {"_index": "products", "_id": "1", "grade": 3},
]
ROWS = [{"query": "boots", **rating} for rating in RATINGS]
REQUEST = {
    "id": "boots",
    "request": {},
    "ratings": [
        {"_index": "articles", "_id": "1", "rating": 0},
        {"_index": "products", "_id": "1", "rating": 3},
    ],
}
CONTENTS: dict[str, object] = {
    "a table": TABLE,
    "objects": ROWS,
    "lines of objects": lines(*ROWS),
    "queries with ratings": [{"query": "boots", "ratings": RATINGS}],
    "lists by query": {"boots": RATINGS},
    "rank_eval": {"requests": [REQUEST]},
}


@pytest.mark.parametrize("content", CONTENTS.values(), ids=CONTENTS)
def test_a_template(files: Files, content: object) -> None:
    assert files.judgments(content, id_field=TEMPLATE) == JOINED


def test_a_template_in_parquet(files: Files) -> None:
    pandas = pytest.importorskip("pandas")
    path = files.folder / "file.parquet"
    columns = {"query": ["b", "b"], "shop": ["x", "y"], "no": [1, 1], "grade": [0, 3]}
    pandas.DataFrame(columns).to_parquet(path)
    judgments = files.judgments(path, id_field="{shop}:{no}")
    assert judgments == {"b": {"x:1": 0, "y:1": 3}}


def test_a_column_with_an_unusual_name(files: Files) -> None:
    path = files.write("query,article,grade\nboots,7,3\n")
    assert files.judgments(path, id_field="article") == {"boots": {"7": 3}}
    (query,) = files.described(path, id_field="article")
    assert query.text == "boots"


def test_the_first_column_of_a_list_that_a_row_has(files: Files) -> None:
    path = files.write("query,sku,ean,grade\nboots,s-1,e-1,3\nboots,,e-2,1\n")
    judgments = files.judgments(path, id_field=["sku", "ean"])
    assert judgments == {"boots": {"s-1": 3, "e-2": 1}}
    judgments = files.judgments(path, id_field=["ean", "gtin"])
    assert judgments == {"boots": {"e-1": 3, "e-2": 1}}


def test_a_separator_in_a_value_is_percent_encoded(files: Files) -> None:
    table = "query,_index,_id,grade\nboots,a/b,c,3\nboots,a,b/c,1\n"
    judgments = files.judgments(table, id_field=TEMPLATE)
    assert judgments == {"boots": {"a%2Fb/c": 3, "a/b%2Fc": 1}}


def test_a_query_without_a_document(files: Files) -> None:
    judgments = files.judgments(f"{TABLE}hats,,,\n", id_field=TEMPLATE)
    assert (judgments, judgments.unrated) == (JOINED, ["hats"])


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (
            "query,_indx,_id,grade\nboots,articles,1,0\n",
            'FILE:1: there is no column "_index", which id_field names; the columns are '
            'query, _indx, _id and grade; did you mean "_indx"?',
        ),
        (
            "query,_index,_id,grade\nboots,articles,1,0\nboots,,1,3\n",
            'FILE:3: the document has no "_index", which id_field "{_index}/{_id}" needs',
        ),
        (
            {"boots": [RATINGS[0], {"_id": "1", "grade": 3}]},
            'FILE: boots[1]: there is no column "_index", which id_field names',
        ),
    ],
    ids=["a column", "a row", "an object"],
)
def test_a_part_of_an_id_that_is_missing(
    files: Files, content: object, says: str
) -> None:
    assert files.problem(content, id_field=TEMPLATE).startswith(says)


@pytest.mark.parametrize("content", ["q1 0 boot 3\n", "3 qid:1 1:0.5 # boot\n"])
def test_a_format_without_columns(files: Files, content: str) -> None:
    says = "id_field= is for tables, JSON objects and Elasticsearch requests"
    assert says in files.problem(content, id_field="_id")


def test_what_is_no_field(files: Files) -> None:
    with pytest.raises(ValueError, match="its braces do not form pairs"):
        files.judgments(TABLE, id_field="{_index/_id")


@pytest.mark.parametrize(
    ("content", "id_field"), [(TABLE, "_id"), (ROWS, "_id"), ({"requests": [REQUEST]}, None)]
)  # fmt: skip
def test_one_id_with_two_grades_in_two_indexes(
    files: Files, content: object, id_field: str | None
) -> None:
    """Without a template two documents would be one with two ratings, of which the
    median counts.
    """
    problem = files.problem(content, raters="median", id_field=id_field)
    says = 'the document "1" has another grade in _index "products" than in "articles"'
    assert f'query "boots": {says}; if these are two documents, write ' in problem
    assert problem.endswith('id_field: "{_index}/{_id}" in the case file')


def test_one_id_with_one_grade_in_two_indexes(files: Files) -> None:
    table = TABLE.replace("1,0", "1,3").replace("_id", "doc_id")
    assert files.judgments(table) == {"boots": {"1": 3}}


TWO_IDS = {"docid": 4, "docno": "d-9", "label": 3}


@pytest.mark.parametrize(
    "content",
    [
        "qid,docid,docno,label\nboots,4,d-9,3\n",
        [{"qid": "boots", **TWO_IDS}],
        {"boots": [TWO_IDS]},
    ],
    ids=["a table", "objects", "lists by query"],
)
def test_two_ids_of_a_document(files: Files, content: object) -> None:
    problem = files.problem(content)
    assert "the document has two ids, " in problem
    assert 'docid "4"' in problem
    assert 'docno "d-9"' in problem
    assert "{file: ..., id_field: NAME}" in problem
    assert files.judgments(content, id_field="docno") == {"boots": {"d-9": 3}}
    assert files.judgments(content, id_field="docid") == {"boots": {"4": 3}}


def test_two_names_of_one_id(files: Files) -> None:
    table = "qid,docid,docno,label\nboots,4,4,3\nboots,5,,1\n"
    assert files.judgments(table) == {"boots": {"4": 3, "5": 1}}
