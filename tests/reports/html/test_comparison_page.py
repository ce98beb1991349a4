"""What became of the cases of two runs, in the page of their comparison."""

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


def test_what_became_of_each_case_beside_its_ranking_in_the_first_run() -> None:
    """A case keeps the status of its run. What got worse comes first, without scripts
    too.
    """
    main = run("main", boots=BEST, hats=WORSE, socks=BEST)
    branch = run("branch", boots=WORSE, hats=BEST, socks=ALMOST)
    page = comparison_page(compare_runs(main, branch))
    names = ("id", "said", "status", "accepted")
    cases = page_values(page)["cases"]
    assert [[case.get(name) for name in names] for case in cases] == [
        ["boots", "got worse, needs grades", "passed", BEST],
        ["hats", "got better", "passed", WORSE],
        ["socks", None, "passed", BEST],
    ]
    text = page_text(page)
    assert text.index("got worse") < text.index("socks")
