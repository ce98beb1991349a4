"""Queries in files: one case each, what it inherits, and what the cases beside them
stand for.
"""

import json
from dataclasses import replace

import pytest

from tests.cases.conftest import Shop

QUERIES = "q1\tblue shoes\nq2\thats\n\nq3\tstd::vector [new]\n"
QRELS = "q1 0 boot 3\nq1 0 sandal 1\nq2 0 hat 0\nq3 0 box 2\n"
THREE_LINES = "queries: queries.tsv\njudgments: qrels.txt\nmin_ndcg: 0.5\n"


@pytest.fixture
def listed(shop: Shop) -> Shop:
    """Three queries and their judgments."""
    shop.write("queries.tsv", QUERIES)
    shop.write("qrels.txt", QRELS)
    shop.write("more.tsv", "m1\tmore\n")
    return shop


def three_lines(queries: str) -> str:
    """The suite of three lines, with other files of queries."""
    return THREE_LINES.replace("queries.tsv", queries)


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
    assert (suite.queries_line, suite.warnings) == (2, ())
    files = [listed.folder / "queries.tsv", listed.folder / "qrels.txt"]
    assert suite.files == tuple(map(str, files))


# Beside written cases


def test_a_written_case_stands_for_the_query_with_its_id(listed: Shop) -> None:
    case = "{id: q1, query: blue shoes, min_ndcg: 0.9, judgments: {clog: 2}}"
    cases = listed.cases(f"{THREE_LINES}cases: [{case}]\n")
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
    rows = "q1,hats,5,a note\nq2,socks,6,another\n"
    shop.write("queries.csv", f"query_id,query,weight,note\n{rows}")
    socks = "{id: q2, query: socks, weight: 1, note: mine}"
    cases = shop.cases(f"queries: queries.csv\ncases: [{{query: hats}}, {socks}]")
    assert (cases["q1"].weight, cases["q1"].note) == (5, "a note")
    assert (cases["q2"].weight, cases["q2"].note) == (1, "mine")


def test_a_written_case_may_stand_for_a_query_that_is_left_out(listed: Shop) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\n")
    case = "{id: q2, query: hats, judgments: {}}"
    files = f"queries: {ONLY_JUDGED}\njudgments: qrels.txt\n"
    assert list(listed.cases(f"{files}cases: [{case}]")) == ["q2", "q1"]


# Contradictions


def test_an_id_with_another_text(listed: Shop) -> None:
    assert listed.mistakes(THREE_LINES + "cases:\n  - {id: q2, query: caps}\n") == [
        'shop.yaml:5:10: id: the id "q2" is that of the query "hats" in queries.tsv:2; write another id, or that '
        'query (in case "q2")'
    ]


def test_a_text_with_several_ids(shop: Shop) -> None:
    shop.write("queries.tsv", "uk\tboots\nus\tboots\n")
    queries = "queries: queries.tsv\n"
    assert list(shop.cases(queries)) == ["uk", "us"]
    written = shop.cases(f"{queries}cases: [{{id: us, query: boots}}]")
    assert list(written) == ["us", "uk"]
    assert shop.mistakes(f"{queries}cases: [{{query: boots}}]") == [
        'shop.yaml:2:17: query: "boots" is the text of queries with the ids "uk" and "us"; write the one '
        'meant (in case "boots")'
    ]


def test_a_query_whose_id_another_case_has(shop: Shop) -> None:
    shop.write("queries.tsv", "hats\tred hats\n")
    assert shop.mistakes("queries: queries.tsv\ncases: [{query: hats}]") == [
        'queries.tsv:1: the case in line 2 of the case file has the id "hats" too; give that case another id '
        '(in case "hats")'
    ]


# Queries without judgments

ONLY_JUDGED = "{file: queries.tsv, only: judged}"


def test_a_query_without_judgments_is_measured_without_a_floor(listed: Shop) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\nq4 0 hat 1\n")
    suite = listed.read(THREE_LINES)
    assert [case.judgments for case in suite.cases] == [{"boot": 3}, {}, {}]
    assert [case.min_ndcg for case in suite.cases] == [0.5, None, None]
    assert suite.unjudged == ("hats", "std::vector [new]")
    assert suite.listed == 3


def test_a_written_case_without_judgments_is_a_mistake_still(listed: Shop) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\n")
    (found,) = listed.mistakes(THREE_LINES + "cases: [{id: q2, query: hats}]\n")
    assert 'qrels.txt (1 query) judges nothing for "q2" or "hats"; ' in found


def test_only_the_judged_queries(listed: Shop) -> None:
    """Only those of one of the two files, which leaves the others out."""
    listed.write("qrels.txt", "q1 0 boot 3\nq2 0 hat 0\n")
    suite = listed.read(three_lines(f"[more.tsv, {ONLY_JUDGED}]"))
    assert [case.id for case in suite.cases] == ["m1", "q1", "q2"]
    assert (suite.unjudged, suite.left_out, suite.listed) == (("more",), ("q3",), 4)


@pytest.mark.parametrize("queries", ["queries.tsv", ONLY_JUDGED])
def test_files_that_do_not_belong_together_are_one_mistake(
    listed: Shop, queries: str
) -> None:
    listed.write("qrels.txt", "7 0 boot 3\n8 0 hat 1\n")
    assert listed.mistakes(three_lines(queries)) == [
        "shop.yaml:2:12: judgments: none of the listed queries (3) is judged in "
        'qrels.txt. The first listed query is "q1" or "blue shoes", the '
        'first judged one "7". Name the judgments of these queries, or list the ids '
        "of queries if the judgments have ids alone"
    ]


def test_files_belong_together_if_a_written_case_stands_for_a_judged_query(
    listed: Shop,
) -> None:
    listed.write("qrels.txt", "q1 0 boot 3\n")
    suite = listed.read(THREE_LINES + "cases: [{query: blue shoes}]\n")
    assert [case.min_ndcg for case in suite.cases] == [0.5, None, None]
    assert suite.unjudged == ("hats", "std::vector [new]")
    # a written case that is not listed does not show it
    text = three_lines("more.tsv") + "cases: [{id: q1, query: blue}]\n"
    (found,) = listed.mistakes(text)
    assert "none of the listed queries (1) is judged in qrels.txt. The first" in found


# What is wrong with the files


@pytest.mark.parametrize(
    ("text", "says"),
    {
        "queries: {file: queries.tsv, only: judged}": "1:36: queries.only: the suite names no judgments, so no",
        "queries: {file: queries.tsv, only: yes}\njudgments: qrels.txt": "1:36: queries.only: expected judged, found",
        "queries: queries.tsv\njudgments: {file: qrels.txt, only: judged}": 'unknown key "only"',
        "queries: [queries.tsv, {file: queries.tsv, only: judged}]\njudgments: qrels.txt": "stands twice",
        "queries: queries.tsv\nmin_ndcg: 0.5\n": (
            "shop.yaml:2:11: min_ndcg: the floor 0.5 applies to the listed queries, "
            "which have no judgments; name the file of their judgments (judgments: "
            "FILE), or take the floor out"
        ),
        "queries: {file: qrels.txt}": "shop.yaml:1:17: queries.file: qrels.txt: trec (TREC qrels: qid iter docid gra",
        "queries: bad.csv": "bad.csv:3: a weight is a number above 0, found the text ",
        "queries: {file: queries.tsv, query: []}": "queries.query: expected text, found",
        "queries: {file: queries.tsv, query: [params.text, '']}": "queries.query: expected text, found",
        "queries: {file: queries.tsv, query: {a: b}}": "queries.query: expected text, found",
        "queries: {file: queries.tsv, query: ''}": "queries.query: expected text, found",
    }.items(),
)
def test_mistakes_about_queries(listed: Shop, text: str, says: str) -> None:
    listed.write("bad.csv", "query,weight\nhats,1\nsocks,-3\n")
    (found,) = listed.mistakes(text)
    assert says in found


def test_queries_without_any_judgments_need_no_floor(listed: Shop) -> None:
    judgments = listed.judgments("queries: queries.tsv")
    assert judgments == {"q1": {}, "q2": {}, "q3": {}}


# Queries with params


def test_params_of_the_file_are_merged_over_those_of_the_suite(shop: Shop) -> None:
    """And those of a written case over those of the file."""
    queries = [
        {"query": "hats", "params": {"locale": "en", "shop": "x"}},
        {"query": "socks", "params": {"locale": "de"}},
    ]
    shop.write("queries.json", json.dumps(queries))
    suite = "queries: queries.json\nparams: {locale: fr, size: 5}\n"
    cases = shop.cases(suite)
    assert cases["hats"].params == {"locale": "en", "size": 5, "shop": "x"}
    assert cases["socks"].params == {"locale": "de", "size": 5}
    written = shop.cases(f"{suite}cases: [{{query: hats, params: {{shop: y}}}}]")
    assert written["hats"].params == {"locale": "en", "size": 5, "shop": "y"}


def test_a_rank_eval_file_with_texts_in_two_places(shop: Shop) -> None:
    params = {"text": "boots", "category": "shoes"}
    body = {"query": {"match": {"title": "hats"}}}
    by_template = {"id": "q1", "template_id": "t", "params": params, "ratings": []}
    by_body = {"id": "q2", "request": body, "ratings": []}
    shop.write("rank_eval.json", json.dumps({"requests": [by_template, by_body]}))
    places = "[params.text, request.query.match.title]"
    cases = shop.cases(f"queries: {{file: rank_eval.json, query: {places}}}")
    assert (cases["q1"].query, cases["q1"].params) == ("boots", {"category": "shoes"})
    assert (cases["q2"].query, cases["q2"].params) == ("hats", {})


# Judged queries in another spelling

LOG_OF_SPELLINGS = "query,searches\nsmart watch,9\nSmart Watch,2\nboots,4\nhats,1\n"


def log_of_spellings(shop: Shop, judged: str, more: str = "") -> str:
    """Write a log and judgments. Return the case file."""
    shop.write("log.csv", LOG_OF_SPELLINGS)
    shop.write("judged.csv", f"query,document,grade\n{judged}")
    return f"queries: {{file: log.csv, merge: true}}\njudgments: judged.csv\nmin_ndcg: 0.5\n{more}"


def test_judgments_of_a_query_in_another_spelling_are_a_mistake(shop: Shop) -> None:
    text = log_of_spellings(shop, "Smart Watch,a,1\nhats,a,1\n boots,b,1\n")
    assert shop.mistakes(text) == [
        "shop.yaml:2:12: judgments: judged.csv: 2 judged queries differ from a listed query only in case or white space: "
        '"Smart Watch" ("smart watch" in log.csv:2) and " boots" ("boots" in log.csv:4). So nothing judges the listed '
        "queries. Write both alike; if they are two queries, write a case for the listed one, with judgments: {}"
    ]


def test_without_merge_each_spelling_has_its_judgments(shop: Shop) -> None:
    text = log_of_spellings(shop, "Smart Watch,a,1\nsmart watch,a,1\n")
    cases = shop.cases(text.replace(", merge: true", ""))
    assert cases["Smart Watch"].judgments == cases["smart watch"].judgments == {"a": 1}


def test_no_query_is_judged_but_in_another_spelling(shop: Shop) -> None:
    text = log_of_spellings(shop, "BOOTS,b,1\n").replace(", merge", ", only: judged, merge")  # fmt: skip
    (found,) = shop.mistakes(text)
    assert "1 judged query differs from a listed query only in case" in found


def test_more_judgments_in_another_spelling_are_named(shop: Shop) -> None:
    suite = shop.read(log_of_spellings(shop, "boots,b,1\nBoots,c,1\n"))
    (named,) = [said for said in suite.warnings if "differs" in said]
    assert named.endswith('only in case or white space: "Boots" ("boots" in log.csv:4)')


def test_a_written_case_says_that_two_spellings_are_two_queries(shop: Shop) -> None:
    more = "cases: [{query: boots, judgments: {}, min_ndcg: null}]\n"
    cases = shop.cases(log_of_spellings(shop, "Boots,b,1\nhats,a,1\n", more))
    assert (cases["boots"].judgments, cases["hats"].judgments) == ({}, {"a": 1})


def test_a_query_that_is_not_drawn_is_compared_too(shop: Shop) -> None:
    """Otherwise the mistake would wait until the query is drawn."""
    text = log_of_spellings(shop, "SMART WATCH,a,1\nBOOTS,a,1\nHATS,a,1\n")
    (found,) = shop.mistakes(text.replace("merge", "sample: {n: 1}, merge"))
    assert "3 judged queries differ" in found
