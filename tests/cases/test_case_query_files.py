"""Queries in files: one case each, what it inherits, and what the cases beside them stand for."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cases.conftest import Shop

QUERIES = "q1\tblue shoes\nq2\thats\n\nq3\tstd::vector [new]\n"
QRELS = "q1 0 boot 3\nq1 0 sandal 1\nq2 0 hat 0\nq3 0 box 2\n"


@pytest.fixture
def listed(shop: Shop) -> Shop:
    """Three queries and their judgments."""
    shop.write("queries.tsv", QUERIES)
    shop.write("qrels.txt", QRELS)
    return shop


THREE_LINES = "queries: queries.tsv\njudgments: qrels.txt\nmin_ndcg: 0.5\n"


def test_three_lines_are_a_suite(listed: Shop) -> None:
    suite = listed.read("# a comment\n" + THREE_LINES)
    shoes, hats, vector = suite.cases
    assert (shoes.id, shoes.query) == ("q1", "blue shoes")
    assert shoes.judgments == {"boot": 3, "sandal": 1}
    assert hats.judgments == {"hat": 0}
    assert vector.query == "std::vector [new]"
    # The floor does not apply to hats: no document is relevant.
    assert [case.min_ndcg for case in suite.cases] == [0.5, None, 0.5]
    assert {case.source for case in suite.cases} == {"queries.tsv"}
    assert [case.line for case in suite.cases] == [1, 2, 4]
    assert suite.queries_line == 2
    assert suite.warnings == ()
    assert suite.files == (
        str(listed.folder / "queries.tsv"),
        str(listed.folder / "qrels.txt"),
    )


# Beside written cases


def test_a_written_case_stands_for_the_query_with_its_id(listed: Shop) -> None:
    cases = listed.cases(
        THREE_LINES
        + "cases: [{id: q1, query: blue shoes, min_ndcg: 0.9, judgments: {clog: 2}}]\n"
    )
    assert list(cases) == ["q1", "q2", "q3"]
    assert cases["q1"].min_ndcg == 0.9
    assert cases["q1"].judgments == {"boot": 3, "sandal": 1, "clog": 2}
    assert (cases["q1"].source, cases["q1"].line) == (None, 4)


def test_a_written_case_without_an_id_has_the_id_of_the_query_with_its_text(
    listed: Shop,
) -> None:
    cases = listed.cases(f"{THREE_LINES}cases: [{{query: blue shoes, xfail: slow}}]\n")
    assert list(cases) == ["q1", "q2", "q3"]
    written = cases["q1"]
    assert (written.source, written.line) == (None, 4)
    of_file = listed.cases(THREE_LINES)["q1"]
    assert replace(written, xfail=None, line=1, source="queries.tsv") == of_file


def test_what_the_file_says_is_the_default_of_the_written_case(shop: Shop) -> None:
    shop.write(
        "queries.csv",
        """\
        query_id,query,weight,note
        q1,hats,5,a note
        q2,socks,6,another
        """,
    )
    hats, socks = shop.read(
        """
        queries: queries.csv
        cases:
          - {query: hats}
          - {id: q2, query: socks, weight: 1, note: mine}
        """
    ).cases
    assert (hats.id, hats.weight, hats.note) == ("q1", 5, "a note")
    assert (socks.id, socks.weight, socks.note) == ("q2", 1, "mine")


# Contradictions


def test_an_id_with_another_text(listed: Shop) -> None:
    assert listed.mistakes(THREE_LINES + "cases:\n  - {id: q2, query: caps}\n") == [
        'shop.yaml:5:10: id: the id "q2" is that of the query "hats" in queries.tsv:2; write another id, or that '
        'query (in case "q2")'
    ]


def test_a_text_with_several_ids(shop: Shop) -> None:
    shop.write("queries.tsv", "uk\tboots\nus\tboots\n")
    assert list(shop.cases("queries: queries.tsv")) == ["uk", "us"]
    assert list(
        shop.cases("queries: queries.tsv\ncases: [{id: us, query: boots}]")
    ) == ["us", "uk"]
    assert shop.mistakes("queries: queries.tsv\ncases:\n  - query: boots\n") == [
        'shop.yaml:3:12: query: "boots" is the text of queries with the ids "uk" and "us"; write the one '
        'meant (in case "boots")'
    ]


def test_a_query_whose_id_another_case_has(shop: Shop) -> None:
    shop.write("queries.tsv", "hats\tred hats\n")
    assert shop.mistakes("queries: queries.tsv\ncases:\n  - query: hats\n") == [
        'queries.tsv:1: the case in line 3 of the case file has the id "hats" too; give that case another id '
        '(in case "hats")'
    ]


# What is wrong with the files


def test_a_query_without_judgments_is_measured_without_a_floor(listed: Shop) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\nq4 0 hat 1\n")
    suite = listed.read(THREE_LINES)
    assert [(case.id, dict(case.judgments), case.min_ndcg) for case in suite.cases] == [
        ("q1", {"boot": 3}, 0.5),
        ("q2", {}, None),
        ("q3", {}, None),
    ]
    assert (suite.unjudged, suite.listed) == (("hats", "std::vector [new]"), 3)


def test_a_written_case_without_judgments_is_a_mistake_still(listed: Shop) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\n")
    (found,) = listed.mistakes(THREE_LINES + "cases: [{id: q2, query: hats}]\n")
    assert found.startswith(
        'shop.yaml:4:9: no judgments: qrels.txt (1 query) judges nothing for "q2" or "hats"; '
    )


def test_only_the_judged_queries(listed: Shop) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\nq2 0 hat 0\n")
    listed.write("more.tsv", "m1\tmore\n")
    only = "{file: queries.tsv, only: judged}"
    suite = listed.read(THREE_LINES.replace("queries.tsv", only))
    assert [case.id for case in suite.cases] == ["q1", "q2"]
    assert (suite.unjudged, suite.left_out, suite.listed) == ((), ("q3",), 3)
    beside = listed.read(THREE_LINES.replace("queries.tsv", f"[more.tsv, {only}]"))
    assert [case.id for case in beside.cases] == ["m1", "q1", "q2"]
    assert (beside.unjudged, beside.left_out, beside.listed) == (("more",), ("q3",), 4)


def test_a_written_case_may_stand_for_a_query_that_is_left_out(listed: Shop) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\n")
    text = "queries: {file: queries.tsv, only: judged}\njudgments: qrels.txt\n"
    assert list(
        listed.cases(text + "cases: [{id: q2, query: hats, judgments: {}}]")
    ) == ["q2", "q1"]


@pytest.mark.parametrize(
    "queries", ["queries.tsv", "{file: queries.tsv, only: judged}"]
)
def test_files_that_do_not_belong_together_are_one_mistake(
    listed: Shop, queries: str
) -> None:
    listed.write("qrels.txt", "7 0 boot 3\n8 0 hat 1\n")
    assert listed.mistakes(
        f"queries: {queries}\njudgments: qrels.txt\nmin_ndcg: 0.5\n"
    ) == [
        'shop.yaml:2:12: judgments: none of the listed queries (3) is judged in qrels.txt: the first is "q1" or '
        '"blue shoes", and the first that is judged there "7"; do the files belong together? Name the judgments of '
        "these queries, or list the ids of queries where judgments have ids alone"
    ]


def test_files_belong_together_where_a_written_case_stands_for_a_judged_query(
    listed: Shop,
) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\n")
    suite = listed.read(THREE_LINES + "cases: [{query: blue shoes}]\n")
    assert [(case.id, case.min_ndcg) for case in suite.cases] == [
        ("q1", 0.5),
        ("q2", None),
        ("q3", None),
    ]
    assert (suite.unjudged, suite.listed) == (("hats", "std::vector [new]"), 3)
    assert listed.mistakes(
        THREE_LINES.replace("queries.tsv", "more.tsv")
    )  # there is none
    listed.write("more.tsv", "m1\tmore\n")
    (found,) = listed.mistakes(
        THREE_LINES.replace("queries.tsv", "more.tsv")
        + "cases: [{id: q1, query: blue}]\n"
    )
    assert (
        'none of the listed queries (1) is judged in qrels.txt: the first is "m1" or "more"'
        in found
    )


@pytest.mark.parametrize(
    ("text", "says"),
    {
        "queries: {file: queries.tsv, only: judged}": "1:36: queries.only: the suite names no judgments, so that no",
        "queries: {file: queries.tsv, only: yes}\njudgments: qrels.txt": "1:36: queries.only: expected judged, found",
        "queries: queries.tsv\njudgments: {file: qrels.txt, only: judged}": 'unknown key "only"',
        "queries: [queries.tsv, {file: queries.tsv, only: judged}]\njudgments: qrels.txt": "stands twice",
    }.items(),
)
def test_mistakes_about_only(listed: Shop, text: str, says: str) -> None:
    (found,) = listed.mistakes(text)
    assert says in found


def test_a_floor_without_any_judgments_is_one_mistake(listed: Shop) -> None:
    assert listed.mistakes("queries: queries.tsv\nmin_ndcg: 0.5\n") == [
        "shop.yaml:2:11: min_ndcg: the floor 0.5 applies to the listed queries, which have no judgments; name their "
        "file (judgments: FILE), or take it out"
    ]
    assert [case.judgments for case in listed.read("queries: queries.tsv").cases] == [
        {},
        {},
        {},
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "queries: {file: qrels.txt}",
            "shop.yaml:1:17: queries.file: qrels.txt: trec (TREC qrels: qid iter docid gra",
        ),
        (
            "queries: bad.csv",
            "bad.csv:3: a weight is a number above 0, found the text ",
        ),
    ],
)
def test_a_file_of_queries_that_cannot_be_used(
    listed: Shop, text: str, message: str
) -> None:
    listed.write("bad.csv", "query,weight\nhats,1\nsocks,-3\n")
    (found,) = listed.mistakes(text)
    assert found.startswith(message)


@pytest.fixture
def with_params(shop: Shop) -> Shop:
    """Queries that come with parameters of the search."""
    queries = [
        {"$query": "hats", "$locale": "en", "$shop": "x"},
        {"$query": "socks", "$locale": "de"},
    ]
    ratings = {
        "index": "shop",
        "queries": [{"placeholders": placeholders} for placeholders in queries],
    }
    shop.write("ratings.json", json.dumps(ratings))
    return shop


def test_params_of_the_file_are_merged_over_those_of_the_suite(
    with_params: Shop,
) -> None:
    text = "queries: {file: ratings.json, format: rre}\nparams: {locale: fr, size: 5}\n"
    found = {case.query: case.params for case in with_params.read(text).cases}
    assert found == {
        "hats": {"locale": "en", "size": 5, "shop": "x"},
        "socks": {"locale": "de", "size": 5},
    }
    text += "cases: [{query: hats, params: {shop: y}}]\n"
    found = {case.query: case.params for case in with_params.read(text).cases}
    assert found["hats"] == {"locale": "en", "size": 5, "shop": "y"}


def test_a_rank_eval_file_with_texts_in_two_places(shop: Shop) -> None:
    by_template = {
        "id": "q1",
        "template_id": "t",
        "params": {"text": "boots", "category": "shoes"},
    }
    by_body = {"id": "q2", "request": {"query": {"match": {"title": "hats"}}}}
    requests = [{**each, "ratings": []} for each in (by_template, by_body)]
    shop.write("rank_eval.json", json.dumps({"requests": requests}))
    places = "[params.text, request.query.match.title]"
    found = shop.cases(f"queries: {{file: rank_eval.json, query: {places}}}")
    assert {case.id: (case.query, case.params) for case in found.values()} == {
        "q1": ("boots", {"category": "shoes"}),
        "q2": ("hats", {}),
    }


@pytest.mark.parametrize("query", ["[]", "[params.text, '']", "{a: b}", "''"])
def test_places_of_the_text_are_texts(listed: Shop, query: str) -> None:
    (found,) = listed.mistakes(f"queries: {{file: queries.tsv, query: {query}}}")
    assert "queries.query: expected text, found" in found
