"""Columns of a file of queries that nothing reads: mistakes if they are called like
keys of a case, else named once.
"""

import json
from pathlib import Path

import pytest

from pytest_relevance.cases.keys import CASE, KEYS
from tests.cases.conftest import Shop

READ = {"passages", "query", "id", "weight", "note"}


def test_a_floor_in_the_file_of_queries_is_a_mistake(shop: Shop) -> None:
    shop.write("queries.csv", "query,min_ndcg\nboots,0.9\n")
    assert shop.mistakes("queries: queries.csv") == [
        'queries.csv:1: the column "min_ndcg" is named like the key min_ndcg of a case, and nothing reads it. Map it '
        "(columns: {min_ndcg: min_ndcg}), or rename the column"
    ]


@pytest.mark.parametrize("key", [key for key in KEYS[CASE] if key not in READ])
@pytest.mark.parametrize("name", ["queries.csv", "queries.jsonl"])
def test_each_key_of_a_case(shop: Shop, key: str, name: str) -> None:
    shop.write("queries.csv", f"query,{key}\nboots,1\nhats,\n")
    rows = [{"query": "boots"}, {"query": "hats", key: "1"}]
    shop.write("queries.jsonl", "".join(f"{json.dumps(row)}\n" for row in rows))
    (found,) = shop.mistakes(f"queries: {name}")
    assert found.startswith(f"{name}:{2 if name.endswith('l') else 1}: ")
    assert key in found


@pytest.mark.parametrize("column", ["Min NDCG", "min-ndcg", "minNdcg", "MIN_NDCG"])
def test_however_a_key_is_spelled(shop: Shop, column: str) -> None:
    shop.write("queries.tsv", f"query_id\tquery\t{column}\nq1\tboots\t0.9\n")
    (found,) = shop.mistakes("queries: queries.tsv")
    assert f'the column "{column}" is named like the key min_ndcg of a case' in found


def test_keys_of_a_query_with_ratings(shop: Shop) -> None:
    query = {"query": "boots", "ratings": {"a": 3}, "tags": ["x"], "expect": {"P@5": 1}}
    shop.write("queries.json", json.dumps([query]))
    of_tags, of_expect = shop.mistakes("queries: queries.json")
    assert of_tags.startswith('queries.json: [0]: the column "tags" is named')
    assert of_expect.startswith('queries.json: [0]: the column "expect" is named')


def test_beside_judgments_a_floor_is_a_mistake(shop: Shop) -> None:
    shop.write("judged.csv", "query,doc_id,grade,min_ndcg\nboots,a,3,0.9\n")
    (found,) = shop.mistakes("queries: judged.csv\njudgments: judged.csv")
    assert found.startswith('judged.csv:1: the column "min_ndcg" is named like the key')


def test_beside_judgments_columns_of_documents_are_not(shop: Shop) -> None:
    shop.write("judged.csv", "query,doc_id,grade,discount,tags\nboots,a,3,20%,new\n")
    suite = shop.read("queries: judged.csv\njudgments: judged.csv")
    assert (len(suite.cases), suite.warnings) == (1, ())


# Other columns


@pytest.mark.parametrize(
    ("header", "says"),
    {
        "query,locale,expected": 'columns "locale" and "expected"; is "expected" meant as the key "expect" of a case?',
        "query,min_ndgc,x": 'columns "min_ndgc" and "x"; is "min_ndgc" meant as the key "min_ndcg" of a case?',
        "query,volume,weight": 'column "volume"',
        "query,query_id,id": 'column "id"',
        "topic,query,qid": 'column "topic"',
    }.items(),
)
def test_other_columns_are_named_once(shop: Shop, header: str, says: str) -> None:
    """A second column for the id, the text or the weight is no mistake either."""
    shop.write("queries.csv", f"{header}\n1,2,3\n4,5,6\n")
    (warning,) = shop.read("queries: queries.csv").warnings
    assert warning.startswith(f"queries.csv: nothing reads the {says}")


def test_a_column_that_is_empty_everywhere_is_not_named(shop: Shop) -> None:
    row = {"_id": "q1", "text": "boots", "metadata": {}, "lang": ""}
    shop.write("queries.jsonl", f"{json.dumps(row)}\n" * 2)
    assert shop.read("queries: {file: queries.jsonl, format: beir}").warnings == ()


def test_columns_of_parquet(shop: Shop) -> None:
    pandas = pytest.importorskip("pandas")
    path = shop.folder / "queries.parquet"
    rows = {"query": ["boots", "hats"], "locale": ["en", "de"]}
    pandas.DataFrame(rows).to_parquet(path)
    (warning,) = shop.read("queries: queries.parquet").warnings
    assert warning == 'queries.parquet: nothing reads the column "locale"'
    pandas.DataFrame({"query": ["boots"], "tags": [["new"]]}).to_parquet(path)
    (found,) = shop.mistakes("queries: queries.parquet")
    assert 'the column "tags" is named like the key tags of a case' in found


# Rows of one query


def test_rows_that_differ_only_in_what_nothing_reads(shop: Shop) -> None:
    shop.write("queries.csv", "query,locale\nboots,en\nhats,en\nboots,de\n")
    assert shop.mistakes("queries: queries.csv") == [
        'queries.csv:4: the query "boots" stands in line 2 too. The rows differ '
        'only in the column "locale" ("en" there, "de" here), which nothing '
        "reads, and both would be one case. If the search needs this value, write "
        "params: {PARAMETER: locale}. Otherwise write merge: true, which adds their "
        "weights, or keep one of the rows"
    ]


def test_the_way_out_that_the_message_names(shop: Shop) -> None:
    rows = [
        {"query_id": f"boots-{locale}", "query": "boots", "params": {"locale": locale}}
        for locale in ("en", "de")
    ]
    shop.write("queries.json", json.dumps(rows))
    found = {case.id: case.params for case in shop.read("queries: queries.json").cases}
    assert found == {"boots-en": {"locale": "en"}, "boots-de": {"locale": "de"}}


CONTRADICTIONS = {
    "weights": (
        "queries.csv",
        "query,weight\nboots,3\nboots,4\n",
        'queries.csv:3: the query "boots" has the weight "3" in line 2 and "4" here; keep one row, give each',
    ),
    "notes": (
        "queries.csv",
        "query,note\nboots,of leather\nboots,of rubber\n",
        'queries.csv:3: the query "boots" has the note "of leather" in line 2 and "of rubber" here; ',
    ),
    "params": (
        "queries.json",
        '[{"query": "boots", "params": {"l": "en"}}, {"query": "boots", "params": {"l": "de"}}]',
        'queries.json: [1]: the query "boots" has the params the mapping ',
    ),
    "other values": (
        "queries.json",
        '[{"query": "boots", "lang": "en", "ratings": {"a": 1}}, {"query": "boots", "ratings": {"b": 1}}]',
        'queries.json: [1]: the query "boots" stands here with another "lang" than before, nothing and the text',
    ),
    "weights of objects": (
        "queries.json",
        '[{"query": "boots", "weight": 2, "ratings": {"a": 1}}, {"query": "boots", "ratings": {"b": 1}}]',
        'queries.json: [1]: the query "boots" has the weight 1 here and 2 before; keep one of them',
    ),
    "weights beside judgments": (
        "queries.csv",
        "query,doc_id,grade,weight\nboots,a,1,3\nboots,b,0,4\n",
        'queries.csv:3: the query "boots" has the weight "3" in line 2 and "4" here; write the same weight in all rows',
    ),
}


@pytest.mark.parametrize(
    ("name", "content", "mistake"), CONTRADICTIONS.values(), ids=CONTRADICTIONS
)
def test_rows_of_one_query_that_contradict_each_other(
    shop: Shop, name: str, content: str, mistake: str
) -> None:
    shop.write(name, content)
    (found,) = shop.mistakes(f"queries: {name}")
    assert found.startswith(mistake)


@pytest.mark.parametrize(
    "content",
    [
        "query,locale\nboots,en\nboots,en\nhats,de\n",
        "query_id,query,locale\nq1,boots,en\nq2,boots,de\n",
        "query,weight\nboots,3\nboots,3.0\nhats,1\n",
        "query,doc_id,grade,title\nboots,a,1,A\nboots,b,0,B\nhats,b,0,B\n",
    ],
)
def test_rows_that_say_the_same_or_are_two_queries(shop: Shop, content: str) -> None:
    shop.write("queries.csv", content)
    assert len(shop.read("queries: queries.csv").cases) == 2


def test_two_files_with_another_weight_of_a_query(shop: Shop) -> None:
    shop.write("one.csv", "query,weight\nboots,3\n")
    shop.write("two.csv", "query,weight\nboots,4\n")
    assert shop.mistakes("queries: [one.csv, two.csv]") == [
        'two.csv:2: the query id "boots" stands in one.csv:2 with another weight; keep one of them, or give one of '
        "them another id"
    ]


@pytest.mark.parametrize("ratings", ["", ', "ratings": {"a": 1}'])
def test_params_that_are_no_object(shop: Shop, ratings: str) -> None:
    shop.write("queries.json", f'[{{"query": "boots", "params": "en"{ratings}}}]')
    (found,) = shop.mistakes("queries: queries.json")
    assert found.startswith("queries.json: [0]")
    assert 'params are an object such as {"locale": "de"}, found the text "en"' in found


def test_convert_names_the_columns(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from pytest_relevance.cli import main

    path = tmp_path / "queries.csv"
    path.write_text("query,min_ndcg,locale\nboots,0.9,en\n", encoding="utf-8")
    assert main(["convert", str(path), str(tmp_path / "shop.relevance.yaml")]) == 0
    said = capsys.readouterr().err
    assert 'nothing reads the columns "min_ndcg" and "locale"' in said


def test_keys_of_a_query_set_of_opensearch(shop: Shop) -> None:
    def write(*queries: dict[str, str]) -> None:
        shop.write("set.json", json.dumps({"querySetQueries": queries}))

    write({"queryText": "boots", "min_ndcg": "0.9"})
    (found,) = shop.mistakes("queries: set.json")
    assert found.startswith('set.json: querySetQueries[0]: the column "min_ndcg" is')
    english = {"queryText": "boots", "locale": "en"}
    write(english, {"queryText": "boots", "locale": "de"})
    (found,) = shop.mistakes("queries: set.json")
    assert 'the query "boots" stands twice in the set, with other values' in found
    write(english)
    (warning,) = shop.read("queries: set.json").warnings
    assert warning == 'set.json: nothing reads the column "locale"'


def test_a_number_of_searches_that_is_not_read(shop: Shop) -> None:
    """A warning says how it becomes the weight, unless there are weights."""
    shop.write("ga4.csv", "Search term,Event count\nboots,1000\n")
    assert shop.read("queries: ga4.csv").warnings == (
        'ga4.csv: nothing reads the column "Event count"; if "Event count" is how often a query was searched, it may be '
        "the weight: columns: {weight: Event count}",
    )
    shop.write("ga4.csv", "Search term,Event count,weight\nboots,1000,2\n")
    assert shop.read("queries: ga4.csv").warnings == (
        'ga4.csv: nothing reads the column "Event count"',
    )


def test_what_is_left_out_of_an_export_is_named(shop: Shop) -> None:
    shop.write("ga4.csv", "# Searches\nquery,Searches\n,30,Grand total\nboots,30\n")
    suite = shop.read("queries: ga4.csv")
    assert [(case.id, case.weight) for case in suite.cases] == [("boots", 30)]
    assert suite.warnings == ("ga4.csv: line 3 is left out: it has the total",)
