"""The key `sample` of a file of queries: which of its queries become cases."""

import pytest

from pytest_relevance import Suite
from pytest_relevance.cases.model import Sample, SampleRule
from pytest_relevance.cases.reader import load_suite
from tests.cases.conftest import Shop

SAMPLE = "queries: {file: log.csv, sample: {n: 3, seed: 7}}\n"


@pytest.fixture
def log(shop: Shop) -> Shop:
    """A file of ten queries."""
    rows = "".join(f"q{number},query {number}\n" for number in range(10))
    shop.write("log.csv", f"id,query\n{rows}")
    return shop


def ids(suite: Suite) -> list[str]:
    return [case.id for case in suite.cases]


def test_only_drawn_queries_become_cases(log: Shop) -> None:
    suite = log.read(SAMPLE)
    assert ids(suite) == ["q1", "q3", "q7"]
    assert all(case.is_sampled for case in suite.cases)
    rule = SampleRule(n=3, seed=7)
    assert suite.samples == (Sample("log.csv", rule, drawn=3, total=10),)
    assert suite.listed == 3
    assert len(suite.not_drawn) == 7


def test_all_queries_are_taken_for_the_nightly_build(log: Shop) -> None:
    path = log.write("shop.yaml", SAMPLE)
    suite = load_suite(path, takes_all=True)
    assert len(suite.cases) == 10
    (sample,) = suite.samples
    assert (sample.drawn, sample.total, sample.is_whole) == (10, 10, True)
    assert suite.not_drawn == {}


def test_a_sample_that_is_larger_than_the_file_has_all_queries(log: Shop) -> None:
    suite = log.read(SAMPLE.replace("n: 3", "n: 30"))
    (sample,) = suite.samples
    assert (sample.drawn, sample.total, sample.is_whole) == (10, 10, False)


def test_a_query_with_a_written_case_is_a_case_whether_it_is_drawn_or_not(
    log: Shop,
) -> None:
    suite = log.read(f"{SAMPLE}cases: [{{query: query 0}}, {{query: query 3}}]\n")
    assert ids(suite) == ["q0", "q3", "q1", "q7"]
    assert [case.is_sampled for case in suite.cases] == [False, True, True, True]
    assert "query 0" not in suite.not_drawn


def test_only_the_drawn_queries_have_to_be_judged(log: Shop) -> None:
    log.write("qrels.txt", "q3 0 a 1\nq0 0 b 1\n")
    suite = log.read(f"{SAMPLE}judgments: qrels.txt\nmin_ndcg: 0.5\n")
    assert suite.unjudged == ("query 1", "query 7")
    only = SAMPLE.replace("sample", "only: judged, sample")
    suite = log.read(f"{only}judgments: qrels.txt\n")
    assert (ids(suite), suite.left_out) == (["q3"], ("q1", "q7"))


def test_a_query_of_two_files_is_a_case_if_one_of_them_takes_it(log: Shop) -> None:
    log.write("head.csv", "id,query\nq0,query 0\n")
    for files in ("[log.csv, head.csv]", "[head.csv, log.csv]"):
        named = files.replace("log.csv", "{file: log.csv, sample: {n: 3, seed: 7}}")
        assert set(ids(log.read(f"queries: {named}\n"))) == {"q0", "q1", "q3", "q7"}


@pytest.mark.parametrize(
    ("sample", "says"),
    {
        "200": (
            "queries.sample: expected {n: 200}, the number of queries to draw "
            "(seed, by and per are optional), found 200"
        ),
        "{seed: 7}": "queries.sample: expected {n: 200}, the number of queries",
        "{n: 0}": "queries.sample.n: expected a whole number from 1 to 1,000,000, found 0",
        "{n: 1.5}": "queries.sample.n: expected a whole number from 1 to 1,000,000, found 1.5",
        "{n: all}": "queries.sample.n: expected a whole number from 1 to 1,000,000, found the text ",
        "{n: 3, seed: today}": "queries.sample.seed: expected a whole number, found the text ",
        "{n: 3, seed: true}": "queries.sample.seed: expected a whole number, found true",
        "{n: 3, by: 2024}": "queries.sample.by: expected the name of a column, found 2024",
        "{n: 3, per: ''}": "queries.sample.per: expected the name of a column, found",
        "{n: 3, sead: 7}": 'queries.sample: unknown key "sead"; a sample has n, seed, by and per; did you mean "seed"?',
    }.items(),
)
def test_mistakes_about_samples(log: Shop, sample: str, says: str) -> None:
    (found,) = log.mistakes(f"queries: {{file: log.csv, sample: {sample}}}\n")
    assert says in found


def test_judgments_have_no_sample(log: Shop) -> None:
    (found,) = log.mistakes(
        "judgments: {file: log.csv, sample: {n: 3}}\ncases: [{query: hats}]\n"
    )
    assert 'unknown key "sample"' in found


def test_the_sizes_of_a_sample_decide_which_spelling_stays(shop: Shop) -> None:
    """Wherever the rows stand."""
    queries = "queries: {file: log.csv, merge: true, sample: {n: 5, by: size}}\n"
    shop.write("log.csv", "query,size\nAsus,2\nasus,98\n")
    (case,) = shop.read(queries).cases
    assert (case.query, case.weight) == ("asus", 100)
    shop.write("log.csv", "query,size\nasus,98\nAsus,2\n")
    (case,) = shop.read(queries).cases
    assert case.query == "asus"
