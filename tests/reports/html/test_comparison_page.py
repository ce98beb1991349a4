"""What became of the cases of two runs, in the page of their comparison."""

import pytest

from pytest_relevance import Run, compare_runs
from pytest_relevance.ext.html.page import comparison_page
from tests.helpers import page_text, page_values, result_of

JUDGMENTS = {"good": 3, "fair": 1}
BEST, WORSE, ALMOST = ["good", "fair"], ["x", "fair"], ["good", "x", "fair"]


def run(name: str, **rankings: list[str]) -> Run:
    """A run of a case for each ranking. All cases have a low floor."""
    results = []
    for query, ranking in rankings.items():
        case = {"query": query, "judgments": JUDGMENTS, "min_ndcg": 0.01}
        results.append(result_of(case, ranking, file="shop.relevance.yaml"))
    return Run(results, name=name)


@pytest.fixture(scope="module")
def page() -> str:
    main = run("main", boots=BEST, hats=WORSE, socks=BEST)
    branch = run("branch", boots=WORSE, hats=BEST, socks=ALMOST)
    return comparison_page(compare_runs(main, branch))


def test_a_case_is_called_by_what_became_of_it(page: str) -> None:
    became = {each["id"]: each.get("became") for each in page_values(page)["cases"]}
    assert became == {"boots": "got worse", "hats": "got better", "socks": None}


def test_a_case_keeps_the_status_that_it_has_in_its_run(page: str) -> None:
    assert {each["status"] for each in page_values(page)["cases"]} == {"passed"}


def test_a_case_stands_beside_its_ranking_in_the_first_run(page: str) -> None:
    accepted = {each["id"]: each["accepted"] for each in page_values(page)["cases"]}
    assert accepted == {"boots": BEST, "hats": WORSE, "socks": BEST}


def test_what_got_worse_comes_first_without_scripts_too(page: str) -> None:
    text = page_text(page)
    assert text.index("got worse") < text.index("socks")
