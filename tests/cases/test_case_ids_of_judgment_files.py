"""Judgment files of a suite whose `id_field` is a template, and files with an
`id_field` of their own.
"""

import pytest

from tests.cases.conftest import Shop

CASES = "cases: [{query: boots}]\n"
TEMPLATE = 'id_field: "{_index}/{_id}"\n'
TWO_ROWS = "boots,articles,1,0\nboots,products,1,3\n"
JOINED = {"boots": {"articles/1": 0, "products/1": 3}}

HEADERS = {
    TEMPLATE: [
        "query,_index,_id,grade",
        "query,index,doc_id,grade",
        "query,index,_id,rating",
        "query,collection,id,grade",
    ],
    'id_field: "{_federation.indexUid}/{id}"\n': [
        "query,_federation.indexUid,id,grade",
        "query,indexUid,id,grade",
        "query,index_uid,doc_id,grade",
        "query,index,docid,grade",
    ],
    'id_field: "{collection}/{id}"\n': [
        "query,collection,doc_id,grade",
        "query,Collection,id,grade",
    ],
    'id_field: "{_source.kind}/{_source.sku}"\n': ["query,kind,sku,grade"],
}


@pytest.mark.parametrize(
    ("template", "header"),
    [(template, header) for template, headers in HEADERS.items() for header in headers],
)
def test_a_table_with_a_column_for_the_index(
    shop: Shop, template: str, header: str
) -> None:
    shop.write("rated.csv", f"{header}\n{TWO_ROWS}")
    assert shop.judgments(f"{template}judgments: rated.csv\n{CASES}") == JOINED


RATINGS = '[{"_index": "articles", "_id": "1", "rating": 0}, {"_index": "products", "_id": "1", "rating": 3}]'
FILES = {
    "joined.csv": "query,doc_id,grade\nboots,articles/1,0\nboots,products/1,3\n",
    "qrels.txt": "boots 0 articles/1 0\nboots 0 products/1 3\n",
    "rank_eval.json": f'{{"requests": [{{"id": "boots", "request": {{}}, "ratings": {RATINGS}}}]}}',
}


@pytest.mark.parametrize("name", FILES)
def test_other_files_with_the_index(shop: Shop, name: str) -> None:
    shop.write(name, FILES[name])
    assert shop.judgments(f"{TEMPLATE}judgments: {name}\n{CASES}") == JOINED


def test_a_row_id_is_no_document(shop: Shop) -> None:
    shop.write("rated.csv", "id,query,collection,doc_id,grade\n7,boots,products,1,3\n")
    text = f'id_field: "{{collection}}/{{id}}"\njudgments: rated.csv\n{CASES}'
    assert shop.judgments(text) == {"boots": {"products/1": 3}}


def test_the_queries_of_such_a_file(shop: Shop) -> None:
    shop.write("rated.csv", f"query,_index,_id,grade\n{TWO_ROWS}")
    text = f"{TEMPLATE}judgments: rated.csv\nqueries: rated.csv\n"
    assert shop.judgments(text) == JOINED
    assert shop.read(text).warnings == ()


def test_files_that_fill(shop: Shop) -> None:
    header = "query,index,doc_id,grade"
    shop.write("people.csv", f"{header}\nboots,products,1,3\n")
    shop.write("machine.csv", f"{header},machine\nboots,articles,1,0,true\n")
    files = "[people.csv, {file: machine.csv, fill: true}]"
    assert shop.judgments(f"{TEMPLATE}judgments: {files}\n{CASES}") == JOINED


def test_an_id_field_of_the_file(shop: Shop) -> None:
    shop.write("rated.csv", f"query,shop,number,grade\n{TWO_ROWS}")
    file = '{file: rated.csv, id_field: "{shop}/{number}"}'
    assert shop.judgments(f"{TEMPLATE}judgments: {file}\n{CASES}") == JOINED
    assert shop.judgments(f"judgments: {file}\n{CASES}") == JOINED
    file = "{file: rated.csv, id_field: [sku, number], format: csv}"
    assert shop.mistakes(f"judgments: {file}\n{CASES}") == [
        'rated.csv:3: query "boots", document "1": judged twice, 0 in line 2 and 3 here; keep one of them, or say '
        'how the ratings of several raters are combined (raters: median, --raters of a command) (in case "boots")'
    ]


def test_a_template_of_a_case(shop: Shop) -> None:
    rows = "boots,products,1,3\nhats,products,2,1\n"
    shop.write("rated.csv", f"query,_index,doc_id,grade\n{rows}")
    cases = "cases: [{query: boots}, {query: hats, id_field: '{_index}:{_id}'}]\n"
    text = f"judgments: rated.csv\n{cases}"
    hats = {"products:2": 1}
    assert shop.judgments(text) == {"boots": {"1": 3}, "hats": hats}
    text = TEMPLATE + text
    assert shop.judgments(text) == {"boots": {"products/1": 3}, "hats": hats}
    assert shop.read(text).warnings == ()


WRONG = {
    "a row without a field of the template": (
        "rated.csv",
        "query,index,doc_id,grade\nboots,articles,1,0\nboots,,1,3\n",
        'rated.csv:3: the document has no "index", which id_field "{_index}/{_id}" needs',
    ),
    "a rating without a field of the template": (
        "rated.json",
        '{"boots": [{"_index": "articles", "_id": "1", "grade": 0}, {"_id": "2", "grade": 3}]}',
        "rated.json: boots[1]: the document has its id alone, and other documents of the file have the other fields "
        "of id_field too",
    ),
    "an index that numbers the rows": (
        "rated.csv",
        "index,query,doc_id,grade\n0,boots,a/1,0\n1,boots,a/2,3\n2,boots,a/3,1\n",
        'rated.csv:1: the column "index" numbers the rows, and id_field "{_index}/{_id}" takes it for a part of the id',
    ),
}


@pytest.mark.parametrize(("name", "text", "message"), WRONG.values(), ids=WRONG)
def test_what_does_not_fit_the_template(
    shop: Shop, name: str, text: str, message: str
) -> None:
    shop.write(name, text)
    (found,) = shop.mistakes(f"{TEMPLATE}judgments: {name}\n{CASES}")
    assert found.startswith(message)


def test_a_file_that_lacks_a_column_of_the_template(shop: Shop) -> None:
    shop.write("rated.csv", "query,shop,doc_id,grade\nboots,a,1,0\n")
    text = f"id_field: '{{shop}}/{{kind}}/{{_id}}'\njudgments: rated.csv\n{CASES}"
    assert shop.mistakes(text) == [
        'rated.csv:1: there is a column "shop" and none for "kind" of id_field "{shop}/{kind}/{_id}"; say which '
        "columns have the id: {file: ..., id_field: ...}"
    ]
    text = text.replace("rated.csv", "{file: rated.csv, id_field: doc_id}")
    assert shop.judgments(text) == {"boots": {"1": 0}}


def test_what_is_no_field(shop: Shop) -> None:
    shop.write("rated.csv", "query,doc_id,grade\nboots,a,0\n")
    assert shop.mistakes(f"judgments: {{file: rated.csv, id_field: []}}\n{CASES}") == [
        "shop.yaml:1:40: judgments.id_field: the list of fields is empty; name one, or take id_field out"
    ]
