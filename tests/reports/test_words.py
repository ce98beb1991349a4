"""The reports use the words of the glossary, and one word for one thing."""

import re
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from pytest_relevance.ext.html.page import html_page
from pytest_relevance.ext.markdown.annotations import run_annotations
from pytest_relevance.ext.markdown.markdown import run_markdown
from pytest_relevance.reports.run.report import report_lines
from pytest_relevance.reports.styled_lines import plain_text
from pytest_relevance.results.case_parts import BaselineComparison, SearchError
from tests.helpers import changed, result_of

GLOSSARY = (
    Path(__file__).parents[2] / "docs" / "background" / "glossary.md"
).read_text(encoding="utf-8")
FILE = "shop.relevance.yaml"


def case(
    query: str, baseline: BaselineComparison | None = None, **changes: object
) -> CaseResult:
    """A case that fails its floor."""
    values = {
        "query": query,
        "judgments": {"a": 3, "b": 1},
        "min_ndcg": 0.9,
        "tags": [query[0]],
    }
    found = result_of(values, ["b", "a"], file=FILE, line=4)
    return changed(found, baseline=baseline, node=f"{FILE}::{query}", **changes)


ACCEPTED: dict[str, Any] = {"documents": ("a", "b"), "grades": (3, 1)}
FAILURES = [
    case(
        "floor", BaselineComparison("regression", 1.0, newly_failing=True, **ACCEPTED)
    ),
    case("drop", BaselineComparison("regression", 1.0, **ACCEPTED)),
    case(
        "doubt",
        BaselineComparison("within", 0.71),
        verdict="inconclusive",
        outcome="failed",
    ),
    case(
        "boom",
        verdict="error",
        outcome="failed",
        error=SearchError("ConnectionError", "no engine"),
        scores={},
    ),
    case("late", BaselineComparison("stale", stale=("the depth was 5 and is 6",))),
    case("added", BaselineComparison("new")),
    case("slow", BaselineComparison("within", 0.71)),
    case(
        "old",
        BaselineComparison(
            "within", 0.71, failed_before=True, documents=("b", "a"), grades=(1, 3)
        ),
    ),
    case(
        "better",
        BaselineComparison("improvement", 0.5),
        verdict="passed",
        outcome="passed",
    ),
]
RUN = Run(
    FAILURES,
    {FILE: FileInfo(FILE, FILE, has_baseline=True)},
    RunInfo(),
    name="run.jsonl",
)

REPORTS = {
    **{
        f"text {level}": plain_text(report_lines(RUN, verbosity=level))
        for level in (-1, 0, 1, 2)
    },
    "markdown": run_markdown(RUN),
    "annotations": "\n".join(
        f"{each.title}\n{each.message}" for each in run_annotations(RUN, [])
    ),
    "page": html_page(RUN),
}


@pytest.mark.parametrize("report", REPORTS)
def test_got_worse_has_no_other_name(report: str) -> None:
    text = REPORTS[report]
    assert re.search("got worse", text, re.IGNORECASE)
    assert not re.findall(
        r"(?i)newly|regress|as before|other failures|worse than its|fell by more than",
        text,
    )


def test_the_glossary_defines_the_kinds_of_failures() -> None:
    words = {*re.findall(r"^\| \*\*(.+?)\*\* \|", GLOSSARY, re.MULTILINE)}
    assert {
        "got worse",
        "failed before",
        "inconclusive",
        "stale",
        "entry",
        "not searched",
        "verdict",
    } <= words


def test_failures_are_told_in_the_order_of_their_kinds_and_counted_by_them() -> None:
    end = " ".join(REPORTS["text 0"].splitlines()[-2:])
    assert (
        "2 got worse, 1 inconclusive, 1 error, 1 stale, 1 without an entry, 1 failed, 1 failed before"
        in end
    )
    heads = re.findall(rf"^{FILE}::(.+)", REPORTS["text 1"], re.MULTILINE)
    assert heads == ["floor", "drop", "doubt", "boom", "late", "added", "slow", "old"]
