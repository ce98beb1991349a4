"""Golden sets in a suite: naming the file once gives cases and what they need."""

import json

import pytest

from tests.cases.conftest import Shop

LATE = {"user_input": "late", "reference_contexts": ["It is free of charge."]}
LOST = {
    "user_input": "lost",
    "reference_contexts": ["Within 30 days of delivery, free.", "30 days of delivery"],
}
EXPECT = "expect: {R@5: 1}\n"


@pytest.fixture
def golden(shop: Shop) -> Shop:
    """A test set of ragas with two queries."""
    shop.write("set.jsonl", f"{json.dumps(LATE)}\n{json.dumps(LOST)}\n")
    return shop


@pytest.mark.parametrize(
    "names",
    [
        "queries: set.jsonl\n",
        "judgments: set.jsonl\n",
        "queries: set.jsonl\njudgments: set.jsonl\n",
    ],
)
def test_the_file_is_named_once(golden: Shop, names: str) -> None:
    suite = golden.read(names + EXPECT)
    assert suite.warnings == ()
    found = {}
    for case in suite.cases:
        found[case.query] = [passage.name for passage in case.passages]
        assert all(passage.is_context for passage in case.passages)
        assert [
            expected.metric and expected.metric.text for expected in case.expect
        ] == ["R@5"]
    assert found == {
        "late": LATE["reference_contexts"],
        "lost": LOST["reference_contexts"],
    }


def test_a_floor_applies_to_the_queries_of_a_golden_set(golden: Shop) -> None:
    suite = golden.read("queries: set.jsonl\nmin_ndcg: 0.5\n")
    assert [case.min_ndcg for case in suite.cases] == [0.5, 0.5]


def test_beside_written_cases_the_judgments_are_those_of_the_cases(
    golden: Shop,
) -> None:
    suite = golden.read(f"judgments: set.jsonl\n{EXPECT}cases: [{{query: late}}]\n")
    (case,) = suite.cases
    assert [passage.name for passage in case.passages] == ["It is free of charge."]
    assert suite.warnings == (
        'set.jsonl: 1 of 2 queries has no case: "lost"; to make a case of each, name the '
        'file under "queries"',
    )
    text = f"queries: set.jsonl\n{EXPECT}cases: [{{query: late}}]\n"
    assert [case.query for case in golden.read(text).cases] == ["late", "lost"]


def test_a_written_case_stands_for_a_query_of_the_set(golden: Shop) -> None:
    text = f"queries: set.jsonl\n{EXPECT}cases: [{{query: late, xfail: slow}}]\n"
    late, lost = golden.read(text).cases
    assert (late.source, len(late.passages)) == (None, 1)
    assert (lost.query, len(lost.passages)) == ("lost", 2)


def test_other_judgments_replace_those_of_the_set(golden: Shop) -> None:
    golden.write("ids.csv", "query,doc_id,grade\nlate,m-1,1\nlost,m-1,1\n")
    suite = golden.read("queries: set.jsonl\njudgments: ids.csv\n")
    assert [case.judgments for case in suite.cases] == [{"m-1": 1}, {"m-1": 1}]
    (warning,) = suite.warnings
    assert warning.startswith(
        "set.jsonl: the judgments in this file are not read, because "
    )


def test_a_query_without_contexts_is_named(golden: Shop) -> None:
    golden.write("set.jsonl", f'{json.dumps(LATE)}\n{{"user_input": "old"}}\n')
    suite = golden.read(f"queries: set.jsonl\n{EXPECT}")
    assert suite.unjudged == ("old",)
    assert 'line 2 ("old"): it has no reference_contexts' in suite.warnings[0]
    only = golden.read(f"queries: {{file: set.jsonl, only: judged}}\n{EXPECT}")
    assert only.left_out == ("old",)


def test_columns_that_the_case_file_names(shop: Shop) -> None:
    shop.write("q.csv", 'q,docs,quote\nlate,"[""m-1"", ""m-2""]",free\n')
    ids = "queries: {file: q.csv, query: q, document: docs}"
    assert shop.judgments(ids) == {"late": {"m-1": 1, "m-2": 1}}
    (case,) = shop.read("queries: {file: q.csv, query: q, passage: quote}").cases
    assert [passage.name for passage in case.passages] == ["free"]
    assert not case.passages[0].is_context


def test_mistakes_in_naming_columns(shop: Shop) -> None:
    shop.write("q.csv", "q,docs,min_ndcg\nlate,m-1,1\n")
    both = "queries: {file: q.csv, query: q, document: docs, passage: docs}"
    assert shop.mistakes(both) == [
        "shop.yaml:1:50: queries: a file has one of document, passage and context, found document and "
        "passage; name the file twice to read both"
    ]
    floor = shop.mistakes("queries: {file: q.csv, query: q, document: docs}")
    assert "named like the key min_ndcg of a case, and nothing" in floor[0]
    misspelt = shop.mistakes("queries: {file: q.csv, query: q, document: doc}")
    assert 'there is no "doc", which document names' in misspelt[0]
    missing = shop.mistakes("judgments: {file: q.csv, query: q}\ncases: [{query: a}]")
    assert "say which column has what the queries need: document: COLUMN" in missing[0]


def test_a_key_beside_passages_that_nothing_reads(shop: Shop) -> None:
    shop.write("q.csv", "query,passage,exclude_passages\nlate,It is free of charge,x\n")
    (mistake,) = shop.mistakes("queries: q.csv")
    assert "named like the key exclude_passages of a case, and nothing reads" in mistake
