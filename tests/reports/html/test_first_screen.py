"""The first screen of the page, which is read without scripts: sentence, mean, what
ran, gates, the worst queries.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.ext.html.page import html_page
from pytest_relevance.ext.html.queries_table import MOST_WORST
from pytest_relevance.ext.html.screen import screen_of
from pytest_relevance.results.case_parts import (
    DROP,
    REGRESSION,
    WITHIN,
    BaselineComparison,
    Outcome,
    SearchError,
)
from tests.helpers import (
    block,
    changed,
    compared,
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
        else [gate_record("mean", id="mean nDCG@10 0.9", bounds=[("nDCG@10", gate)])]
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


def first_lines(page: str) -> str:
    """The text above the queries, without the meanings of words."""
    text = page_text(page)
    head, _, rest = text.partition("What the words mean\n")
    return head + rest[rest.index(f"{FILE}\n") :]


def test_a_regression() -> None:
    """Cases that the reference does not know are not counted."""
    info = RunInfo(
        started="2026-01-02T03:04:05+00:00",
        fingerprint={"index": "products-20", "commit": "abc"},
    )
    results = [
        result("boots", ["x1", "x2"], ["b1", "x1"]),
        result("hats", ["b1"], ["b1"]),
        *(result_of({"query": f"q{n}"}, ["x"], file=FILE) for n in range(3)),
    ]
    before = {"index": "products-11", "commit": "abc"}
    about: dict[str, Any] = {"has_baseline": True, "fingerprint": before}
    page = screen(*results, gate=0.9, info=info, **about)
    assert verdict_of(page) == (
        "Search got worse: 1 of 2 queries (needs grades to be sure)",
        "fails",
    )
    mean = (
        "The build fails because 1 query got worse and 1 gate is not met.\n"
        "        On average nDCG@10 fell from 1.000 to 0.500 (1 is perfect). That may be chance: "
        "the true change lies between -1.000 and 0.000 (95%, p 1.000)."
    )
    explained = (
        "nDCG@10 compares the grades of the first 10 results with those of the best ranking there could be: "
        "1 is perfect, 0 is nothing relevant, and the top ranks count most."
    )
    expected = f"""
        Search got worse: 1 of 2 queries (needs grades to be sure)
        {mean}
        NOT MET
        mean nDCG@10 0.500, below 0.900 (2 of 5 cases, those with relevant judgments)
        The mean is over 2 of 5 cases, those with a score before and now.
        1 the same, 3 new or not compared
        searched since the reference: index products-11 → products-20
        {explained}
        shop.relevance.yaml
        search
        against the baseline
        index products-20
        commit abc
        run of 2026-01-02 03:04 UTC
        query
        nDCG@10 before → after
        fell
        in its place
        boots
        1.000 → 0.000
        2 unjudged
        got worse, needs grades: below the required 0.500
        Winter boots
        rank 1 → not returned
        Boot polish
        Scripts are off: all queries, their results and grading are shown where scripts run."""
    assert first_lines(page) == block(expected)
    assert f'data-case="{FILE}::boots"' in page
    assert '<span title="between 0.000 and 1.000">' in page


UPWARDS, DOWNWARDS, LEVEL = (0.5, ["good"]), (1.0, ["x"]), (1.0, ["good"])


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        (
            [DOWNWARDS] * 8,
            "fell from 1.000 to 0.000 (1 is perfect). That is more than chance: the true change lies"
            " between -1.000 and -1.000 (95%, p 0.008).",
        ),
        (
            [UPWARDS] * 8,
            "rose from 0.500 to 1.000 (1 is perfect). That is more than chance: the true change lies"
            " between +0.500 and +0.500 (95%, p 0.008).",
        ),
        (
            [DOWNWARDS],
            "fell from 1.000 to 0.000 (1 is perfect). That may be chance: the true change lies"
            " between -1.000 and -1.000 (95%; too few changes for p).",
        ),
        ([LEVEL], "is 1.000 as before (1 is perfect)."),
        # the sentence at the top says whether it may be chance
        (
            [UPWARDS, DOWNWARDS],
            "fell from 0.750 to 0.500 (1 is perfect). The true change lies"
            " between -1.000 and +0.500 (95%, p 1.000).",
        ),
    ],
    ids=["fell", "rose", "by chance", "unchanged", "both ways"],
)
def test_how_far_the_mean_moved_and_whether_that_may_be_chance(
    changes: list[tuple[float, list[str]]], said: str
) -> None:
    results = []
    for number, (before, ranking) in enumerate(changes):
        results.append(compared(f"q{number}", before, ranking))
    assert screen_of(Run(results)).means[0] == f"On average nDCG@10 {said}"


def test_the_mean_over_judged_results_alone_is_told_if_it_is_another_figure() -> None:
    def further_means(*judged_alone: float) -> Sequence[str]:
        fell = compared("boots", 1.0, ["x"])
        assert fell.baseline is not None
        baseline = replace(fell.baseline, judged_alone=judged_alone)
        return screen_of(Run([changed(fell, baseline=baseline)])).means[1:]

    assert further_means(1.0, 0.5) == ["Without unjudged results 1.000 -> 0.500."]
    assert further_means(1.0, 0.0) == []


def test_a_weighted_mean_over_several_suites_is_named_so() -> None:
    heavy = compared("hats", 1.0, ["x"])
    other = replace(heavy, file="tail.relevance.yaml", weight=3)
    said = (
        "On average over 2 suites, weighted by query, nDCG@10 fell from 1.000 to 0.000"
    )
    assert screen_of(Run([heavy, other])).means[0].startswith(said)


def test_without_a_baseline() -> None:
    page = screen(result("boots", ["x1"]), result("hats", ["b1"]), gate=0.4)
    assert verdict_of(page) == ("1 of 2 cases fails", "fails")
    lines = first_lines(page).splitlines()
    del lines[5]  # what nDCG is
    assert lines[:-1] == [
        "1 of 2 cases fails",
        "The build fails because 1 case fails.",
        "mean nDCG@10 0.500 of 2 queries; unjudged results of 1 query leave the mean between 0.500 and 1.000",
        *("met", "mean nDCG@10 0.500, at least 0.400 (2 cases)"),
        *(FILE, "search"),
        *("query", "nDCG@10", "costs most", "on top"),
        *("boots", "0.000", "1 unjudged", "failed: below the required 0.500"),
        *("b1", "not returned", "Boot polish"),
    ]


def test_a_case_has_a_bar_for_its_scores_with_a_line_at_its_floor() -> None:
    page = screen(result("boots", ["x1", "b1"], ["b1"], min_ndcg=0.9))
    bar = page[page.index('<svg class="bar') : page.index("</svg>")]
    assert bar.startswith('<svg class="bar fell" ')
    assert re.findall('class="(.*?)"', bar)[1:] == ["track", "before", "after", "floor"]
    assert re.findall(' (?:width|x)="(.*?)"', bar) == [
        *("100", "100.0", "63.1"),
        *("90.0", "1"),
    ]


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


FELL = "1.000 \u2192 0.000{}\ngot worse, {}: below the required 0.500"
LOST = "Winter boots\nrank {} \u2192 not returned"

# fmt: off
ROWS = {
    "an error": (
        broken("query", error=DOWN),
        ["n/a\nerror: ConnectionError: the engine is down", "", "the search failed"]),
    "nothing returned": (result("boots", [], ["b1"]), [FELL.format("", "certain"), LOST.format(1), "nothing returned"]),
    "few results": (
        result("boots", ["x1"], ["x1", "b1"]), [FELL.format("\n1 unjudged", "certain"), LOST.format(2), "only 1 result"]),
}
# fmt: on


@pytest.mark.parametrize(("failing", "cells"), ROWS.values(), ids=ROWS)
def test_a_row_says_why_a_search_returned_little(
    failing: CaseResult, cells: list[str]
) -> None:
    page = screen(failing, result("hats", ["b1"]), has_baseline=True)
    assert rows(page)[0][1:] == cells


def test_a_row_says_why_there_is_no_score() -> None:
    failing = result_of(
        {"query": "boots", "expect": {"first": "b1"}}, ["x1"], file=FILE
    )
    page = screen(failing)
    assert rows(page)[0][1].startswith("n/a\nfailed: ")
    assert '<span title="no relevant judgment">n/a</span>' in page
    assert 'title="no relevant judgment"' not in screen(result("boots", ["x1"]))


def test_an_error_of_many_cases_is_told_once() -> None:
    page = screen(*(broken(f"query {number}", error=DOWN) for number in range(3)))
    assert rows(page) == []  # the error stands above
    text = page_text(page)
    failed = "3 searches failed alike: ConnectionError: the engine is down"
    assert f"{failed} (search in conftest.py:3)" in text.splitlines()
    assert text.count("the engine is down") == 1


def test_queries_that_return_nothing_now_are_a_finding() -> None:
    page = screen(result("boots", [], ["b1"]), has_baseline=True)
    said = "1 query returns nothing now"
    assert f'<a href="#finding=0">{said}</a>' in page
    assert page_values(page)["findings"] == [{"text": said, "cases": [0]}]


@pytest.mark.parametrize(
    "results", [[], [result("boots", ["b1"])]], ids=["no cases", "all skipped"]
)
def test_nothing_ran(results: list[CaseResult]) -> None:
    page = screen(
        *(changed(result, verdict="skipped", scores={}) for result in results), gate=0.9
    )
    assert verdict_of(page) == ("Nothing was searched", "warns")
    text = page_text(page)
    assert "not evaluated" not in text
    assert "mean" not in text
    assert rows(page) == []


def test_the_ten_worst_are_listed() -> None:
    failing = result("q0", ["x1"], ["b1"])
    fallen = [result(f"q{n}", ["x1", "b1"], ["b1"]) for n in range(1, 14)]
    page = screen(*fallen, failing)
    queries = [row[0] for row in rows(page)]
    assert len(queries) == MOST_WORST
    assert queries[0] == "q0"
    assert "and 4 further cases" in page_text(page).splitlines()
    worse = screen(*(replace(failing, id=f"q{n}") for n in range(14)))
    assert "and 4 further queries got worse" in page_text(worse).splitlines()


def test_variants_and_weights_are_named_and_the_query_stands_before_an_id() -> None:
    names = ("bm25", "hybrid")
    boots = [result("boots", ["x1"], id=f"q{n}", weight=2) for n in range(2)]
    page = screen(
        *(
            changed(each, variant=name, variant_index=index)
            for index, (name, each) in enumerate(zip(names, boots, strict=True))
        )
    )
    assert {"search[bm25]", "search[hybrid]"} <= {*page_text(page).splitlines()}
    assert [row[0] for row in rows(page)] == [
        "boots\nq0\nbm25\nweight 2",
        "boots\nq1\nhybrid\nweight 2",
    ]


def test_each_variant_has_a_mean_of_its_own() -> None:
    best, worst = result("boots", ["b1"]), result("boots", ["x1"])
    low, high = changed(worst, variant="bm25"), changed(best, variant="hybrid")
    means = re.findall('<p class="mean">(.*?)</p>', screen(low, high))
    assert means == [
        "bm25: mean nDCG@10 0.000 of 1 query; unjudged results of 1 query leave "
        "the mean between 0.000 and 1.000",
        "hybrid: mean nDCG@10 1.000 of 1 query",
    ]


def test_variants_are_compared_in_a_table() -> None:
    best, worst = result("boots", ["b1"]), result("boots", ["x1"])
    page = screen(
        changed(worst, variant="bm25"), changed(best, variant="<b>", variant_index=1)
    )
    (section,) = re.findall('<section id="variants".*?</section>', page, re.DOTALL)
    assert '<th scope="row">&lt;b&gt;</th>' in section
    assert '<td class="number">+1.000</td>' in section
    assert "&lt;b&gt; may be the best of 2 variants by chance, on 1 case" in section
    assert 'id="variants"' not in screen(best)


def test_where_nothing_failed_or_fell_the_lowest_scores_are_listed() -> None:
    low = result("boots", ["x1", "x2", "b1"], ["x1", "x2", "b1"])
    assert low.baseline is not None
    low = changed(low, baseline=replace(low.baseline, score=low.score))
    page = screen(result("hats", ["b1"], ["b1"]), low, has_baseline=True)
    assert verdict_of(page)[1] == "passes"
    said = "No case failed or got worse: the lowest scores first."
    assert said in page_text(page).splitlines()
    heads = re.findall(r'<th scope="col">(.*?)</th>', page)
    assert heads[2:] == ["costs most", "on top"]
    place = "Winter boots\nrank 3"
    assert rows(page) == [["boots", "0.500\n2 unjudged\npassed", place, "Boot polish"]]


def test_what_a_gate_found_links_to_the_cases_behind_it_and_many_lines_are_folded() -> (
    None
):
    gates = [
        gate_record("mean", id=f"gate {least}", bounds=[("nDCG@10", least / 10)])
        for least in range(9)
    ]
    about = FileInfo(FILE, FILE, totals=[("search", None, 2)], gates=gates)
    results = [result("boots", ["x1"]), result("hats", ["b1"])]
    page = html_page(Run(results, {FILE: about}, RunInfo(), name="run.jsonl"))
    assert page_values(page)["findings"][0]["cases"] == [0]
    assert page.count('href="#finding=') == 3  # those that are not met: 0.6, 0.7, 0.8
    assert "5 further findings" in page_text(page).splitlines()


def test_notes_for_engineers_and_met_gates_come_after_what_is_wrong() -> None:
    tied = [{"id": "b1", "score": 2.0}, {"id": "x1", "score": 2.0}]
    case = {"query": "hats", "judgments": {"b1": 3}, "min_ndcg": 0.9}
    results = [result("boots", [], ["b1"]), result_of(case, tied, file=FILE)]
    page = screen(*results, gate=0.4, has_baseline=True)
    lines = page_text(page).splitlines()
    order = [
        "1 query returns nothing now",
        "met",
        "Notes for engineers",
        "search returned results with equal scores: sort by a second key, such as the id, and "
        "write ties: fixed in the case file. Until then the order of equal scores decides whether 1 case passes",
        FILE,
    ]
    assert [line for line in lines if line in order] == order
    assert "Notes for engineers" not in screen(*results[:1])


def test_the_suite_that_fell_most_comes_first() -> None:
    same = compared("hats", 1.0, ["good"])
    fell = replace(compared("socks", 1.0, ["x"]), file="tail.relevance.yaml")
    means = screen_of(Run([same, fell])).means
    assert [mean for mean in means if ".yaml: " in mean] == [
        "tail.relevance.yaml: mean nDCG@10 1.000 -> 0.000 (-1.000)",
        "shop.relevance.yaml: mean nDCG@10 1.000 -> 1.000 (0.000)",
    ]


def test_a_row_says_that_the_score_fell_by_more_than_allowed() -> None:
    drop = Outcome("nDCG@10", DROP, met=False, value=0.6, bound=0.05, before=1.0)
    result = compared("hats", 1.0, ["a", "good"])
    failed = changed(result, verdict="failed", outcome="failed", reasons=[drop])
    assert "fell by more than 0.05" in html_page(Run([failed]))


def test_a_row_begins_with_the_reason_about_the_score() -> None:
    case = {"query": "hats", "judgments": {"good": 3}, "expect": {"first": "good"}}
    found = result_of(case, ["a", "good"], file=FILE)
    drop = Outcome("nDCG@10", DROP, met=False, value=0.6, bound=0.05, before=1.0)
    failed = changed(found, reasons=[*found.evaluation.reasons, drop])
    score_cell = rows(html_page(Run([failed])))[0][1]
    said = "failed: fell by more than 0.05; first: "
    assert said in " ".join(score_cell.splitlines())
