"""The first screen of the page, which is read without scripts: sentence, mean, what
ran, gates, the worst queries.
"""

import re
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.ext.html.page import html_page
from pytest_relevance.ext.html.queries_table import MOST_WORST
from pytest_relevance.results.case_parts import (
    REGRESSION,
    WITHIN,
    BaselineComparison,
    SearchError,
)
from tests.helpers import (
    changed,
    gate_record,
    page_text,
    page_values,
    result_of,
    verdict_of,
)

FILE = "shop.relevance.yaml"
TITLES = {"b1": "Winter boots", "x1": "Boot polish", "x2": "Rain jacket"}


def result(
    query: str, ranking: list[str], accepted: list[str] | None = None, **keys: Any
) -> CaseResult:
    rows = [{"id": document, "title": TITLES.get(document, "")} for document in ranking]
    found = result_of(
        {"query": query, "judgments": {"b1": 3}, "min_ndcg": 0.5, **keys},
        rows,
        file=FILE,
        line=3,
    )
    if accepted is not None:
        is_worse = found.score == 0
        found = changed(
            found,
            baseline=BaselineComparison(
                REGRESSION if is_worse else WITHIN,
                1.0,
                documents=tuple(accepted),
                grades=tuple(3 if document == "b1" else None for document in accepted),
                newly_failing=is_worse,
            ),
        )
        found = changed(found, titles={**TITLES, **found.texts.titles})
    return found


def screen(
    *results: CaseResult,
    gate: float | None = None,
    info: RunInfo | None = None,
    of: int = 0,
    **file: Any,
) -> str:
    """The page of a run of these results, of as many as the file has or of `of`."""
    gates = (
        []
        if gate is None
        else [gate_record("mean", id="mean nDCG@10 0.9", bounds=[["nDCG@10", gate]])]
    )
    about = FileInfo(
        FILE, FILE, totals=[("search", None, of or len(results))], gates=gates, **file
    )
    return html_page(Run(results, {FILE: about}, info or RunInfo(), name="run.jsonl"))


def rows(page: str) -> list[list[str]]:
    """The cells of the table of queries."""
    body = re.findall(r"<tr class=.*?</tr>", page)
    return [
        [page_text(f"<body>{cell}") for cell in re.findall(r"<t[hd].*?</t[hd]>", row)]
        for row in body
    ]


def test_a_regression() -> None:
    info = RunInfo(
        "1.0",
        "2026-01-02T03:04:05+00:00",
        fingerprint={"index": "products-20", "commit": "abc"},
    )
    boots = result("boots", ["x1", "x2"], ["b1", "x1"])
    hats = result("hats", ["b1"], ["b1"])
    before = {"index": "products-11", "commit": "abc"}
    page = screen(
        boots, hats, gate=0.9, info=info, has_baseline=True, fingerprint=before
    )
    assert verdict_of(page) == ("Search got worse: 1 query", "worse")
    lines = page_text(page).splitlines()
    assert "nDCG@10 1.000 \u2192 0.500" in lines[1]
    assert "searched since the baseline: index products-11 -> products-20" in lines
    for part in (
        FILE,
        "search",
        "against the baseline",
        "index products-20",
        "commit abc",
        "2026-01-02 03:04 UTC",
    ):
        assert part in lines
    gate = ["NOT MET", "mean nDCG@10 0.500, below 0.900 (2 cases)", "mean nDCG@10 0.9"]
    assert lines[lines.index("NOT MET") :][:3] == gate
    assert rows(page) == [
        [
            "boots",
            "1.000 \u2192 0.000\n2 unjudged\ngot worse: below its floor 0.500",
            "Winter boots\n1 \u2192 not returned",
            "Boot polish",
        ]
    ]
    assert f'data-case="{FILE}::boots"' in page


def test_without_a_baseline() -> None:
    page = screen(result("boots", ["x1"]), result("hats", ["b1"]), gate=0.4)
    assert verdict_of(page) == ("1 of 2 cases fails", "broken")
    text = page_text(page)
    assert (
        "mean nDCG@10 0.500 of 2 queries; unjudged results of 1 query leave it between 0.500 and 1.000"
        in text
    )
    assert "against" not in text
    assert "met" in text.splitlines()
    assert re.findall(r'<th scope="col">(.*?)</th>', page) == [
        "query",
        "nDCG",
        "largest loss",
        "on top",
    ]
    assert rows(page) == [
        [
            "boots",
            "0.000\n1 unjudged\nfailed: below its floor 0.500",
            "b1\nnot returned",
            "Boot polish",
        ]
    ]


def test_says_what_ndcg_is_below_the_means() -> None:
    assert page_text(screen(result("boots", ["x1"]))).splitlines()[4] == (
        "nDCG@10 compares the grades of the first 10 results with those of the best ranking there could be: "
        "1 is perfect, 0 is nothing relevant, and the top ranks count most."
    )


def test_says_why_there_is_no_score() -> None:
    failing = result_of(
        {"query": "boots", "expect": {"first": "b1"}}, ["x1"], file=FILE
    )
    page = screen(failing)
    assert rows(page)[0][1].startswith("n/a\nfailed: ")
    assert '<span title="no relevant judgment">n/a</span>' in page
    assert 'title="no relevant judgment"' not in screen(result("boots", ["x1"]))


def test_a_gate_that_was_not_evaluated() -> None:
    """Not every case of its file ran."""
    lines = page_text(screen(result("boots", ["x1"]), gate=0.9, of=9)).splitlines()
    assert lines[lines.index("not evaluated") :][:3] == [
        "not evaluated",
        "1 of 9 ran",
        "mean nDCG@10 0.9",
    ]


def broken(query: str, **values: Any) -> CaseResult:
    """A case that ended in an error."""
    return changed(
        result(query, []), verdict="error", outcome="failed", scores={}, **values
    )


DOWN = SearchError("ConnectionError", "the engine is down", "conftest.py:3 in search")


def test_an_error_of_the_search_is_shown_and_what_many_cases_have_in_common_is_told_once() -> (
    None
):
    page = screen(*(broken(f"query {number}", error=DOWN) for number in range(3)))
    assert rows(page)[0] == [
        "query 0",
        "n/a\nerror",
    ]  # there are no documents, and no columns of them
    told = "3 searches failed alike: ConnectionError: the engine is down (search in conftest.py:3)"
    assert page_text(page).splitlines().count(told) == 1
    assert page_text(page).count("the engine is down") == 1
    alone = screen(broken("query", error=DOWN), result("hats", ["b1"]))
    assert rows(alone)[0][1:] == [
        "n/a\nerror: ConnectionError: the engine is down",
        "",
        "the search failed",
    ]


def test_a_search_that_returned_nothing_says_so() -> None:
    boots = result("boots", [], ["b1"])
    page = screen(boots, has_baseline=True)
    assert rows(page)[0][2:] == [
        "Winter boots\n1 \u2192 not returned",
        "nothing returned",
    ]
    assert '<a href="#finding=0">1 query returns nothing now</a>' in page
    assert page_values(page)["findings"] == [
        {"text": "1 query returns nothing now", "cases": [0]}
    ]


def test_a_search_that_returned_few_results_says_so() -> None:
    fallen = result("boots", ["x1"], ["x1", "b1"])
    assert rows(screen(fallen, has_baseline=True))[0][2:] == [
        "Winter boots\n2 \u2192 not returned",
        "only 1 result",
    ]


@pytest.mark.parametrize(
    "results", [[], [result("boots", ["b1"])]], ids=["no cases", "all skipped"]
)
def test_nothing_ran(results: list[CaseResult]) -> None:
    page = screen(
        *(changed(result, verdict="skipped", scores={}) for result in results), gate=0.9
    )
    assert verdict_of(page) == ("Nothing was searched", "nothing")
    text = page_text(page)
    assert "not evaluated" not in text
    assert "mean" not in text
    assert rows(page) == []


def test_the_ten_worst_are_listed() -> None:
    accepted = [*(f"x{number}" for number in range(20)), "b1"]
    results = [
        result(f"q{number}", accepted[-1 - number :] if number else ["x1"], ["b1"])
        for number in range(14)
    ]
    page = screen(*results)
    queries = [row[0] for row in rows(page)]
    assert len(queries) == MOST_WORST
    assert queries[0] == "q0"
    assert "and 4 further cases" in page_text(page).splitlines()
    worse = screen(*(result(f"q{number}", ["x1"], ["b1"]) for number in range(14)))
    assert verdict_of(worse)[0] == "Search got worse: 14 queries"
    assert "and 4 further queries got worse" in page_text(worse).splitlines()


def test_variants_are_named() -> None:
    lexical = changed(result("boots", ["x1"]), variant="bm25", variant_index=0)
    page = screen(
        lexical, changed(result("boots", ["b1"]), variant="hybrid", variant_index=1)
    )
    assert {"search[bm25]", "search[hybrid]"} <= {*page_text(page).splitlines()}
    assert rows(page) == [
        [
            "boots\nbm25",
            "0.000\n1 unjudged\nfailed: below its floor 0.500",
            "b1\nnot returned",
            "Boot polish",
        ]
    ]


def test_where_nothing_failed_or_fell_the_lowest_scores_are_listed() -> None:
    low, high = (
        result("boots", ["x1", "x2", "b1"], ["x1", "x2", "b1"]),
        result("hats", ["b1"], ["b1"]),
    )
    low = (
        changed(low, baseline=replace(low.baseline, score=low.score))
        if low.baseline
        else low
    )
    page = screen(high, low, has_baseline=True)
    assert verdict_of(page)[1] == "fine"
    assert (
        "No case failed or got worse: the lowest scores first."
        in page_text(page).splitlines()
    )
    assert re.findall(r'<th scope="col">(.*?)</th>', page)[2:] == [
        "largest loss",
        "on top",
    ]
    assert rows(page) == [
        ["boots", "0.500\n2 unjudged\npassed", "Winter boots\nrank 3", "Boot polish"]
    ]


def test_the_numbers_add_up() -> None:
    unscored = [
        result_of({"query": f"q{number}"}, ["x"], file=FILE) for number in range(3)
    ]
    page = screen(
        result("boots", ["x1"], ["b1"]),
        result("hats", ["b1"], ["b1"]),
        *unscored,
        has_baseline=True,
    )
    assert (
        page_text(page)
        .splitlines()[1]
        .partition("; ")[0]
        .endswith("by any amount 0 better, 1 worse, 1 the same, 3 without a score")
    )


def test_the_query_comes_before_an_id_that_a_suite_made() -> None:
    assert (
        rows(screen(result("winter boots", ["x1"], id="q032")))[0][0]
        == "winter boots\nq032"
    )


def test_what_a_gate_found_links_to_the_cases_behind_it_and_many_lines_are_folded() -> (
    None
):
    gates = [
        gate_record("mean", id=f"gate {least}", bounds=[["nDCG@10", least / 10]])
        for least in range(9)
    ]
    about = FileInfo(FILE, FILE, totals=[("search", None, 2)], gates=gates)
    results = [result("boots", ["x1"]), result("hats", ["b1"])]
    page = html_page(Run(results, {FILE: about}, RunInfo(), name="run.jsonl"))
    assert page_values(page)["findings"][0]["cases"] == [0]
    assert page.count('href="#finding=') == 3  # those that are not met: 0.6, 0.7, 0.8
    assert "5 further findings" in page_text(page).splitlines()
