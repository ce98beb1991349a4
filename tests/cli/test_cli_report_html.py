"""`pytest-relevance report RUN --format html`: the page about a record, whatever the record lacks."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from tests.helpers import case_result, page_text, page_values, result_of, verdict_of

if TYPE_CHECKING:
    from tests.cli.conftest import Said, Terminal

FILE = "shop.relevance.yaml"


def record(terminal: Terminal, *results: CaseResult, info: RunInfo | None = None) -> None:
    """Write the record of a run."""
    files = {FILE: FileInfo(FILE, FILE, totals=[("search", None, len(results))])}
    Run(results, files, info or RunInfo("1.0")).write(terminal.folder / "run.jsonl")


def result(query: str = "boots", ranking: Any = ("x1", "b1"), **keys: Any) -> CaseResult:
    return result_of({"query": query, "judgments": {"b1": 3}, "min_ndcg": 0.5, **keys}, [*ranking], file=FILE, line=3)


def html(said: Said) -> str:
    """The page that was printed."""
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("<!doctype html>\n")
    return said.out


@pytest.mark.parametrize("arguments", [("-o", "run.html"), ("--format", "html", "-o", "run.out")])
def test_a_page_in_a_file(shop: Terminal, arguments: tuple[str, ...]) -> None:
    said = shop.run("report", "branch.jsonl", *arguments)
    assert (said.code, said.out, said.err) == (0, "", f"written: {arguments[-1]}\n")
    page = shop.read(arguments[-1])
    assert [case["id"] for case in page_values(page)["cases"]] == [
        *("winter boots", "jacket", "laces", "polish", "möbel|`c`", "\x1b[31mred")
    ]
    assert verdict_of(page)[1] == "mixed"  # pytest found a baseline


@pytest.mark.parametrize("against", ["main.jsonl", "shop.relevance.yaml.baseline.jsonl"])
def test_against_another_record_or_a_baseline(shop: Terminal, against: str) -> None:
    page = html(shop.run("report", "branch.jsonl", "--format", "html", "--against", against))
    assert f"against {against}" in page_text(page).splitlines()
    boots = page_values(page)["cases"][0]
    assert boots["accepted"] == ["sku-1", "sku-2", "sku-3", "sku-9"]
    assert boots["lost"] == {"document": "sku-1", "from": 1, "to": None}
    assert boots["before"] > boots["score"]


def test_a_record_without_rankings(terminal: Terminal) -> None:
    """An older one, or of a run whose searches failed."""
    bare = case_result(FILE, 3, "boots", "error", outcome="failed")
    record(terminal, bare, case_result(FILE, 4, "hats", "passed", scores={"nDCG@10": 0.75}))
    page = html(terminal.run("report", "run.jsonl", "--format", "html"))
    assert verdict_of(page) == ("1 case could not be scored", "broken")
    assert [case.get("score") for case in page_values(page)["cases"]] == [None, 0.75]


def test_shards_that_did_not_finish(terminal: Terminal) -> None:
    record(terminal, result(), info=RunInfo("1.0", missing=[f"{FILE}::hats", f"{FILE}::socks"]))
    assert terminal.run("merge", "run.jsonl", "-o", "whole.jsonl").code == 1
    page = html(terminal.run("report", "whole.jsonl", "--format", "html"))
    assert verdict_of(page) == ("The run did not finish: 2 cases are missing", "broken")


@pytest.mark.parametrize("version", [0, 99])
def test_a_record_of_another_version(shop: Terminal, version: int) -> None:
    header, *lines = shop.read("main.jsonl").splitlines()
    changed = json.dumps({**json.loads(header), "version": version})
    shop.write("other.jsonl", "\n".join([changed, *lines, ""]))
    said = shop.run("report", "other.jsonl", "--format", "html", "-o", "run.html")
    assert (said.code, said.out) == (2, "")
    assert said.err.startswith(f"other.jsonl:1: the file has version {version}, and this pytest-relevance knows ")
    assert "run.html" not in shop.files()
