"""The tables of docs/background/baselines.md: one query with several rankings."""

import re

import pytest

from pytest_relevance import Run
from tests.plugin.conftest import Project
from tests.plugin.shop import KNOWN, UPDATE, Shop
from tests.walkthrough import PAGES, blocks

PAGE = PAGES["background/baselines.md"]
(CASES,) = (block.text for block in blocks(PAGE, "yaml"))
QUERY = "smart watch"
STANDING = {
    "got better": "improvement",
    "fell within the tolerance": "within",
    "got worse": "regression",
    "failed before": "within",
}
"""What a record has for each outcome of the table."""


def rows() -> list[list[str]]:
    """The rows of the table: accepted, now, scores, floor, outcome, run."""
    section = PAGE.partition("## The same query, other rankings\n")[2]
    section = section.partition("\n## ")[0]
    found = []
    for line in section.splitlines():
        cells = [cell.strip(" `") for cell in line.strip("|").split("|")]
        if len(cells) == 6 and cells[5] in ("passes", "fails"):
            found.append(cells)
    return found


def test_the_table_has_rows() -> None:
    assert len(rows()) == 6


@pytest.mark.parametrize("row", rows(), ids=lambda row: f"{row[0]} -> {row[1]}")
def test_a_row_of_the_table(row: list[str], project: Project) -> None:
    accepted, now, scores, floor, outcome, result = row
    shop = Shop(project)
    shop.cases(CASES)
    shop.returns(**{QUERY: accepted})
    shop.run(UPDATE)
    shop.returns(**{QUERY: now})
    run = shop.run("--relevance-record=run.jsonl")
    (case,) = Run.open(shop.path / "run.jsonl").results
    assert case.baseline is not None
    assert f"{case.baseline.score:.3f} -> {case.score:.3f}" == scores
    assert case.baseline.standing == STANDING[outcome]
    assert case.baseline.failed_before == (outcome == "failed before")
    assert run.code == (result == "fails")
    assert (case.score is not None and case.score >= 0.8) == (floor == "met")
    # only what failed before is expected to fail
    fails = result == "fails" and outcome != "failed before"
    assert shop.run(KNOWN).code == fails


def test_the_rankings_of_the_example_are_in_the_table() -> None:
    searches = re.findall(r"return lambda query: \[(.*)\]", PAGE)
    accepted, now = (text.replace('"', "").replace(",", "") for text in searches)
    assert [accepted, now] in [row[:2] for row in rows()]
