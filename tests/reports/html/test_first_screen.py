"""The first screen of the page, which is read without scripts: sentence, mean, what ran, gates, the worst queries."""

from __future__ import annotations

import re
from typing import Any

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.reports.html.first_screen import MOST_WORST
from pytest_relevance.reports.html.page import html_page
from pytest_relevance.results.case_parts import REGRESSION, WITHIN, BaselineComparison
from tests.helpers import page_text, result_of, verdict_of

FILE = "shop.relevance.yaml"
GATE = {"id": "mean nDCG@10 0.9", "condition": "mean", "share": 0.0, "tag": None, "p": None, "line": 1}
TITLES = {"b1": "Winter boots", "x1": "Boot polish", "x2": "Rain jacket"}


def result(query: str, ranking: list[str], accepted: list[str] | None = None, **keys: Any) -> CaseResult:
    rows = [{"id": document, "title": TITLES.get(document, "")} for document in ranking]
    found = result_of({"query": query, "judgments": {"b1": 3}, "min_ndcg": 0.5, **keys}, rows, file=FILE, line=3)
    if accepted is not None:
        is_worse = found.score == 0
        found.baseline = BaselineComparison(
            REGRESSION if is_worse else WITHIN,
            1.0,
            documents=tuple(accepted),
            grades=tuple(3 if document == "b1" else None for document in accepted),
            newly_failing=is_worse,
        )
        found.titles = {**TITLES, **found.titles}
    return found


def screen(
    *results: CaseResult, gate: float | None = None, info: RunInfo | None = None, of: int = 0, **file: Any
) -> str:
    """The page of a run of these results, of as many as the file has or of `of`."""
    gates = [] if gate is None else [{**GATE, "bounds": [["nDCG@10", gate]]}]
    about = FileInfo(FILE, FILE, totals=[("search", None, of or len(results))], gates=gates, **file)
    return html_page(Run(results, {FILE: about}, info or RunInfo(), name="run.jsonl"))


def rows(page: str) -> list[list[str]]:
    """The cells of the table of queries."""
    body = re.findall(r"<tr class=.*?</tr>", page)
    return [[page_text(f"<body>{cell}") for cell in re.findall(r"<t[hd].*?</t[hd]>", row)] for row in body]


def test_a_regression() -> None:
    info = RunInfo("1.0", "2026-01-02T03:04:05+00:00", fingerprint={"index": "products-20", "commit": "abc"})
    boots = result("boots", ["x1", "x2"], ["b1", "x1"])
    hats = result("hats", ["b1"], ["b1"])
    page = screen(boots, hats, gate=0.9, info=info, orphans=())
    assert verdict_of(page) == ("Search got worse: 1 query newly fails", "worse")
    lines = page_text(page).splitlines()
    assert "nDCG@10 1.000 -> 0.500" in lines[1]
    for part in (FILE, "search", "against the baseline", "index products-20", "commit abc", info.started):
        assert part in lines
    assert lines[lines.index("Gates") + 1 :][:3] == [
        "mean nDCG@10 0.9",
        "not met",
        "mean nDCG@10 0.500, below 0.900 (2 cases)",
    ]
    assert rows(page) == [["boots", "1.000 \u2192 0.000", "Winter boots\n1 \u2192 gone", "Boot polish"]]
    assert f'data-case="{FILE}::boots"' in page


def test_against_a_record() -> None:
    page = screen(result("boots", ["b1"], ["b1"]), orphans=(), against="main.jsonl")
    assert verdict_of(page) == ("No query newly fails", "fine")
    assert "against main.jsonl" in page_text(page).splitlines()
    assert "No query failed or got worse." in page_text(page)


def test_without_a_baseline() -> None:
    page = screen(result("boots", ["x1"]), result("hats", ["b1"]), gate=0.4)
    assert verdict_of(page) == ("1 of 2 queries fail", "broken")
    text = page_text(page)
    assert "mean nDCG@10 0.500" in text.splitlines()
    assert "against" not in text
    assert "met" in text.splitlines()
    assert ">nDCG</th>" in page
    assert rows(page) == [["boots", "0.000", "b1", "Boot polish"]]


def test_a_gate_that_was_not_evaluated() -> None:
    """Not every case of its file ran."""
    lines = page_text(screen(result("boots", ["x1"]), gate=0.9, of=9)).splitlines()
    assert lines[lines.index("Gates") + 1 :][:2] == ["mean nDCG@10 0.9", "not evaluated"]


def test_an_error_has_no_score() -> None:
    found = result("boots", [])
    found.verdict, found.outcome, found.scores = "error", "failed", {}
    page = screen(found)
    assert verdict_of(page) == ("1 query could not be scored", "broken")
    assert rows(page)[0][:2] == ["boots", "error"]
    assert "mean" not in page_text(page)


@pytest.mark.parametrize("results", [[], [result("boots", ["b1"])]], ids=["no cases", "all skipped"])
def test_nothing_ran(results: list[CaseResult]) -> None:
    for found in results:
        found.verdict = found.outcome = "skipped"
        found.scores = {}
    page = screen(*results, gate=0.9)
    assert verdict_of(page) == ("Nothing was searched", "nothing")
    text = page_text(page)
    assert "Gates" not in text
    assert "mean" not in text
    assert rows(page) == []


def test_cases_that_did_not_finish_are_counted() -> None:
    page = screen(result("boots", ["b1"]), info=RunInfo(missing=("a", "b")))
    assert verdict_of(page) == ("The run did not finish: 2 cases are missing", "broken")


def test_the_ten_worst_are_listed() -> None:
    accepted = [*(f"x{number}" for number in range(20)), "b1"]
    results = [result(f"q{number}", accepted[-1 - number :] if number else ["x1"], ["b1"]) for number in range(14)]
    page = screen(*results)
    queries = [row[0] for row in rows(page)]
    assert len(queries) == MOST_WORST
    assert queries[0] == "q0"
    assert "and 4 further queries" in page_text(page).splitlines()


def test_variants_are_named() -> None:
    results = [result("boots", ["x1"]), result("boots", ["b1"])]
    for number, name in enumerate(("bm25", "hybrid")):
        results[number].variant, results[number].variant_index = name, number
    page = screen(*results)
    assert {"search[bm25]", "search[hybrid]"} <= {*page_text(page).splitlines()}
    assert rows(page) == [["boots\nbm25", "0.000", "b1", "Boot polish"]]
