"""Reports in terminals of several widths: what is shown at each, and that nothing is
wider than the terminal.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.ext.merging.merge import Merged
from pytest_relevance.ext.merging.report import merged_lines
from pytest_relevance.reports.failure import failure_lines
from pytest_relevance.reports.run.report import report_lines, run_gates
from pytest_relevance.reports.styled_lines import Line, plain_text
from pytest_relevance.reports.terminal_text import display_width, terminal_width
from pytest_relevance.results.case_parts import SearchError
from tests.helpers import block, changed, gate_record

if TYPE_CHECKING:
    from tests.reports.conftest import Shop

WIDTHS = [60, 80, 100, 160]

LONG = "Winter boots Aurora, lined, waterproof, with laces and a zip, black"
JAPANESE = "冬用ブーツ オーロラ 裏地付き 防水 黒 レースアップ ジッパー付き"


def hits(*titles: str, scores: Sequence[float] = ()) -> list[dict[str, Any]]:
    """Results `sku-1`, `sku-2` ... with titles, and with scores if there are any."""
    results: list[dict[str, Any]] = []
    for number, title in enumerate(titles, 1):
        results.append({"id": f"sku-{number}", "title": title})
    for result, score in zip(results, scores, strict=False):
        result["score"] = score
    return results


def too_wide(lines: Sequence[Line], columns: int) -> list[str]:
    """The lines that are wider, unless they are a single word."""
    return [
        text
        for text in plain_text(lines).splitlines()
        if display_width(text) > columns and " " in text.strip()
    ]


# --- which columns are shown ----------------------------------------------------------

FIGURES = ["gain", "discount", "DG", "DCG", "ideal", "IDCG"]


@pytest.mark.parametrize(
    ("columns", "shown"),
    [
        (160, ["score", "grade", "was", *FIGURES]),
        (110, ["score", "grade", "was", *FIGURES]),
        (100, ["score", "grade", "was", "gain", "DG", "DCG", "ideal", "IDCG"]),
        (90, ["grade", "was", "gain", "DG", "DCG", "ideal", "IDCG"]),
        (80, ["grade", "was", "gain", "DG", "DCG"]),
        (60, ["grade", "was", "DCG"]),
    ],
)
def test_a_narrow_breakdown_keeps_what_is_read_first(
    shop: Shop, columns: int, shown: list[str]
) -> None:
    ranking = hits(LONG, LONG, JAPANESE, scores=[12.5, 9.25, 7.0])
    found = shop.result(ranking, accepted=["sku-2", "sku-1"], min_ndcg=1)

    text = plain_text(failure_lines(found, width=columns))

    (head,) = re.findall("^rank .*", text, re.MULTILINE)
    assert head.split() == ["rank", "document", *shown]
    (row,) = re.findall("^   3  sku-3(.*)", text, re.MULTILINE)
    title = row.split("   ")[0].strip()
    assert display_width(title) >= 23  # half of a wide character is left blank


# --- scores of the engine -------------------------------------------------------------


def test_the_results_of_a_case_without_judgments_have_their_scores(shop: Shop) -> None:
    found = shop.result(
        hits("Boots", "Winter boots", scores=[12.345678, 7.5]),
        judgments={},
        expect={"first": "sku-2"},
    )
    assert plain_text(failure_lines(found)).split("\n\n")[1] + "\n" == block("""
        rank  document              score
           1  sku-1  Boots         12.346
           2  sku-2  Winter boots     7.5
    """)


# --- nothing is wider than the terminal -----------------------------------------------


def failing(shop: Shop) -> list[CaseResult]:
    """Cases with everything that a report may have to say."""
    scores = [9.87654, 8, 7, 6, 5.5, 5.25]
    found = hits(LONG, JAPANESE, LONG, "Boots", LONG, JAPANESE, scores=scores)
    query = "waterproof winter boots with laces and a zip for children"
    named = {"irrelevant": 0, "substitute": 2, "exact": 3}
    many: dict[str, Any] = {f"sku-{number}": number % 4 for number in range(5, 40)}
    other = {"other-1": 3, "other-2": 2}
    params = {"locale": "en_GB", "filters": ["size:42"] * 4}
    noted: dict[str, Any] = {"query": query, "id": "q043", "note": "warm " * 30}
    unmet = {"exclude": ["sku-1"], "first": "sku-2", "P@3": 1}
    order = {"order": ["sku-3", "sku-1"], "results": "> 20"}
    few = {"sku-1": 3, "other": 3}
    accepted = ["sku-2", "sku-9", "sku-4"]
    refused = SearchError("ConnectionError", "refused", "a.py:7")
    return [
        shop.result(found, accepted=accepted, min_ndcg=1, **noted),
        shop.result(found, min_ndcg=1, expect=unmet, scale=named),
        shop.result(found, judgments=many, min_ndcg=1, params=params),
        shop.result(found, judgments=other, min_ndcg=0.5, accepted=accepted),
        shop.result(found, judgments=few, min_ndcg=0.7, min_judged=0.9),
        shop.result(found, judgments={}, expect=order),
        shop.result(["sku-4"] * 3, min_ndcg=0.15, ideal="max", scale=[0, 4], depth=50),
        changed(shop.result([], min_ndcg=0.5), verdict="error", error=refused),
    ]


@pytest.mark.parametrize("verbosity", [0, 1])
@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_of_a_failure_is_wider(
    shop: Shop, columns: int, verbosity: int
) -> None:
    for found in failing(shop):
        lines = failure_lines(found, verbosity=verbosity, width=columns)
        assert too_wide(lines, columns) == []


def whole_run(shop: Shop, variants: Sequence[str | None] = (None,)) -> Run:
    """A run of several cases that has gates, movers, tags, and searches side by side
    where there are several.
    """
    results = []
    for number, variant in enumerate(variants):
        for line, found in enumerate(failing(shop), 40):
            score = None
            if found.call.error is None:
                score = (0.2 + 0.05 * (line - 40)) / (1 + 0.1 * number)
            about = {"line": line, "id": f"q{line}", "variant": variant}
            tags = ("electronics", f"tag-{line}")
            results.append(
                changed(found, **about, tags=tags, scores={"nDCG@10": score})
            )
    gates = (
        gate_record("mean", line=3, bounds=[("nDCG@10", 0.8)]),
        gate_record("passing", line=3, share=0.9, tag="electronics"),
    )
    totals = tuple(("search", variant, len(failing(shop))) for variant in variants)
    files = {"shop.relevance.yaml": FileInfo("x", "x", totals=totals, gates=gates)}
    return Run(results, files, RunInfo(), name="main.jsonl")


@pytest.mark.parametrize("verbosity", [0, 1])
@pytest.mark.parametrize(
    "variants", [(None,), ("bm25", "hybrid"), tuple(f"analyser-{n}" for n in range(9))]
)
@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_of_a_run_is_wider(
    shop: Shop, columns: int, variants: tuple[str | None, ...], verbosity: int
) -> None:
    run = whole_run(shop, variants)
    lines = report_lines(run, verbosity=verbosity, width=columns)
    assert too_wide(lines, columns) == []


@pytest.mark.parametrize("columns", WIDTHS)
def test_no_line_of_a_merged_run_is_wider(shop: Shop, columns: int) -> None:
    run = whole_run(shop)
    merged = Merged(run, 12, again=tuple(result.key for result in run.results))
    lines = merged_lines(merged, run_gates(run), columns)
    assert too_wide(lines, columns) == []


# --- the width of the terminal --------------------------------------------------------


@pytest.mark.parametrize(
    ("given", "taken"), [("60", 60), ("100", 100), ("250", 160), ("20", 80), ("0", 100)]
)
def test_the_width_of_the_terminal(
    monkeypatch: pytest.MonkeyPatch, given: str, taken: int
) -> None:
    monkeypatch.setattr("sys.__stdout__", None)  # as where the output goes to a file
    monkeypatch.setenv("COLUMNS", given)
    assert terminal_width() == taken


def test_without_a_terminal_reports_are_100_columns_wide(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.__stdout__", None)
    monkeypatch.delenv("COLUMNS", raising=False)
    assert terminal_width() == 100
