"""A replay: the rankings of a record, judged under the case files of today.

`pytest-relevance replay RUN` runs pytest with the options of `REPLAY`.
"""

import pytest

from tests.plugin.conftest import Project, Run
from tests.plugin.shop import RECORD, SEARCH, WORKERS, Shop

REPLAY = ("--noconftest", "--relevance-replay=main.jsonl")

CASES = """
    min_ndcg: 0.9
    cases:
      - {query: boots, judgments: {a: 3, b: 1}}
      - {query: hats, judgments: {a: 3, b: 1}}
"""
NO_SEARCH = "No search was called: rankings of main.jsonl, of "
RECORD_AGAIN = "make the record again where the index is (--relevance-record)"


@pytest.fixture
def shop(project: Project) -> Shop:
    """A shop with the record of main, whose conftest.py cannot be imported since."""
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(boots="a b", hats="b a c")
    shop.run(RECORD)
    shop.conftest("import the_client_of_an_engine")
    return shop


def errors(run: Run) -> dict[str, str]:
    """Why cases are errors, by the name of the item."""
    found = {}
    for name, result in run.results.items():
        if result.call.error is not None:
            found[name] = result.call.error.message
    return found


@WORKERS
def test_it_judges_the_rankings_of_the_record(shop: Shop, workers: list[str]) -> None:
    assert shop.run(*REPLAY, *workers).outcomes == {"boots": "passed", "hats": "failed"}
    shop.cases(
        CASES.replace("hats, judgments: {a: 3, b: 1}", "hats, judgments: {b: 3}")
    )
    run = shop.run(*REPLAY, *workers)
    assert (run.code, run.outcomes) == (0, {"boots": "passed", "hats": "passed"})
    assert run.said.startswith(NO_SEARCH)


def test_titles_come_from_the_record(shop: Shop) -> None:
    assert ["1", "b", "Title", "of", "b"] in [
        row[:5] for row in shop.run(*REPLAY).failure_rows("hats")
    ]


def test_tests_in_python_and_packages_are_not_imported(shop: Shop) -> None:
    shop.write("__init__.py", "1 / 0")
    shop.write("test_shop.py", "1 / 0")
    assert shop.run(*REPLAY).outcomes == {"boots": "passed", "hats": "failed"}


def test_a_query_that_the_record_does_not_have_is_an_error(shop: Shop) -> None:
    shop.cases(
        """
        cases:
          - {query: gloves, judgments: {a: 3}}
          - {query: boots, judgments: {a: 3}, params: {lang: de}}
          - {query: caps, id: hats, judgments: {a: 3}}
          - {query: boots, id: de, judgments: {a: 3}, search: search_de}
          - {query: boots, id: fixture, judgments: {a: 3}, usefixtures: [german]}
          - {query: hats, id: key, judgments: {a: 3}, id_field: sku}
        """
    )
    run = shop.run(*REPLAY)
    assert (run.code, set(run.outcomes.values())) == (1, {"failed"})
    otherwise = "so that the search may find something else"
    assert errors(run) == {
        "gloves": f"main.jsonl has no ranking of this query: {RECORD_AGAIN}",
        "boots": "main.jsonl has no ranking of this query with these params (it has one "
        f"with no params): {RECORD_AGAIN}",
        "hats": "main.jsonl has no ranking of this query (there the query of the case is "
        f'"hats"): {RECORD_AGAIN}',
        "de": "main.jsonl has no ranking of this query (it has one by search): "
        f"{RECORD_AGAIN}",
        "fixture": "usefixtures was not set in main.jsonl and is german, "
        f"{otherwise}: {RECORD_AGAIN}",
        "key": f"id_field was not set in main.jsonl and is sku, {otherwise}: {RECORD_AGAIN}",
    }


def test_a_renamed_case_and_a_new_case_with_a_known_query_are_judged(
    shop: Shop,
) -> None:
    shop.cases(
        """
        min_ndcg: 0.9
        cases:
          - {query: boots, id: renamed, judgments: {a: 3}}
          - {query: boots, id: new, judgments: {b: 3}}
        """
    )
    assert shop.run(*REPLAY).outcomes == {"renamed": "passed", "new": "failed"}


def test_a_case_file_of_another_folder_may_see_another_search(shop: Shop) -> None:
    shop.cases(CASES, name="fr/shop.relevance.yaml")
    run = shop.run(*REPLAY, "fr")
    assert errors(run)["boots"] == (
        "main.jsonl has no ranking of this query (it has no case file "
        f"fr/shop.relevance.yaml): {RECORD_AGAIN}"
    )


def test_a_search_that_failed_is_an_error_still(shop: Shop) -> None:
    shop.conftest(SEARCH)
    shop.returns(hats="boom")
    shop.run(RECORD)
    assert errors(shop.run(*REPLAY)) == {
        "hats": "the search failed in main.jsonl: ConnectionError: no engine"
    }


def test_a_case_that_did_not_run_is_an_error(shop: Shop) -> None:
    shop.conftest(SEARCH)
    shop.run(RECORD, "-k", "boots")
    assert errors(shop.run(*REPLAY)) == {
        "hats": f"the case did not run when main.jsonl was made: {RECORD_AGAIN}"
    }
