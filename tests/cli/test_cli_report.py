"""`pytest-relevance report`: what a run printed, from its record; as text, as Markdown,
as JSON, as a page.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from tests.helpers import gate_record, page_text, page_values, result_of, verdict_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.cli.conftest import Said, Terminal

FILE = "shop.relevance.yaml"
GATE = gate_record("mean", id="mean nDCG@10 0.9", bounds=[["nDCG@10", 0.9]])
MET = gate_record("mean", 2, id="mean nDCG@10 0.4", bounds=[["nDCG@10", 0.4]])
MARK = "<!-- pytest-relevance report -->"
FAILURE = "shop.relevance.yaml:5: nDCG@10 0.000 is below 0.500"


def result(query: str, ranking: Sequence[object], line: int) -> CaseResult:
    return result_of(
        {"query": query, "judgments": {"b1": 3}, "min_ndcg": 0.5},
        ranking,
        file=FILE,
        line=line,
    )


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The record of a run of two cases, of which one failed, and a gate with them."""
    results = [result("boots", ["b1"], 3), result("möbel", ["x1", "x2"], 5)]
    info = FileInfo(FILE, FILE, totals=[("search", None, 2)], gates=[GATE, MET])
    Run(results, {FILE: info}, RunInfo("1.0")).write(tmp_path / "run.jsonl")
    return tmp_path / "run.jsonl"


@pytest.mark.usefixtures("record")
def test_what_the_run_printed(terminal: Terminal) -> None:
    said = terminal.run("report", "run.jsonl")
    assert (said.code, said.err) == (0, "")
    assert f"{FILE}::möbel" in said.lines
    assert FAILURE in said.lines
    assert f"{FILE}:1: mean nDCG@10 0.500, below 0.900 (2 cases)" in said.lines
    assert said.lines[-2:] == [
        f"{FILE}:2: gate[mean nDCG@10 0.4] met: mean nDCG@10 0.500, at least 0.400 (2 cases)",
        "2 cases: 1 passed, 1 failed; mean nDCG@10 0.500; 1 of 2 gates failed",
    ]
    assert not [line for line in said.lines if "passed: nDCG@10" in line]


@pytest.mark.usefixtures("record")
def test_more_and_less_of_it(terminal: Terminal) -> None:
    assert (
        "shop.relevance.yaml:3: passed: nDCG@10 1.000, at least 0.500"
        in terminal.run("report", "run.jsonl", "-vv").out
    )
    brief = terminal.run("report", "-q", "run.jsonl")
    assert len(brief.lines) < len(terminal.run("report", "run.jsonl").lines)
    assert brief.lines[0].startswith(
        "shop.relevance.yaml:5: nDCG@10 0.000, floor 0.500"
    )


@pytest.mark.usefixtures("record")
def test_as_markdown(terminal: Terminal) -> None:
    said = terminal.run("report", "--format=markdown", "run.jsonl")
    assert said.code == 0
    assert said.lines[0] == MARK
    assert said.lines[1].startswith("### \u274c 1 of 2 cases ")
    assert (
        "| `mean nDCG@10 0.9` | **not met** | `mean nDCG@10 0.500, below 0.900 (2 cases)` |"
        in said.lines
    )
    assert "| `möbel` | 0.000 | `b1` not returned | `x1` |" in said.lines
    assert "<summary><code>möbel</code> <code>nDCG@10 0.000, floor 0.500" in said.out
    cut = terminal.run(
        "report", "run.jsonl", "--format=markdown", f"--max-chars={len(said.out) - 1}"
    )
    assert (cut.code, cut.lines[-1].endswith(": 1 failure.")) == (0, True)


@pytest.mark.usefixtures("record")
def test_as_json(terminal: Terminal) -> None:
    found = json.loads(terminal.run("report", "run.jsonl", "--format", "json").out)
    assert [each["verdict"] for each in found["results"]] == ["passed", "failed"]
    assert [each["id"] for each in found["results"]] == ["boots", "möbel"]
    assert [each["outcome"] for each in found["gates"]] == ["failed", "passed"]


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize(
    ("name", "begins"),
    [("run.md", f"{MARK}\n### "), ("run.json", "{"), ("run.txt", "\nshop.relevance")],
)
def test_into_a_file_whose_name_says_how(
    terminal: Terminal, name: str, begins: str
) -> None:
    said = terminal.run("report", "run.jsonl", "-o", name)
    assert (said.code, said.out, said.err) == (0, "", f"written: {name}\n")
    assert terminal.read(name).startswith(begins)


def test_what_cannot_be_reported(terminal: Terminal, record: Path) -> None:
    before = record.read_bytes()
    terminal.write("other.txt", "no record")
    record.with_name("short.jsonl").write_bytes(before[:-40])
    for arguments, told in (
        (
            ("nowhere.jsonl",),
            'pytest-relevance report: error: argument RUN: there is no file "nowhere.jsonl"',
        ),
        (("other.txt",), "other.txt:1: this is not a record: it begins with "),
        (
            ("short.jsonl",),
            "short.jsonl:3: the line is damaged: it is no valid JSON object, ",
        ),
        (
            ("run.jsonl", "-o", "./run.jsonl"),
            'report: --output "./run.jsonl" is one of the files that are read',
        ),
        (
            ("run.jsonl", "-o", "no/where.md"),
            "no/where.md: cannot be written: No such file or directory",
        ),
    ):
        said = terminal.run("report", *arguments)
        assert (said.code, said.out) == (2, "")
        assert told in said.err
    assert record.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "damage", "found"),
    [
        (
            ["-vv"],
            {"origin": {"items": [[1]]}},
            "origin.items[0]: expected a text, found [1]",
        ),
        (
            ["--format", "markdown"],
            {"texts": {"not_in_index": [["a"]]}},
            "texts.not_in_index[0]: expected a text, found ['a']",
        ),
        (
            ["-o", "page.html"],
            {"texts": {"shown": {"b1": 1}}},
            "texts.shown.b1: expected an object, found 1",
        ),
    ],
)
def test_damage_within_a_value_is_told_with_its_place(
    terminal: Terminal,
    record: Path,
    options: list[str],
    damage: dict[str, object],
    found: str,
) -> None:
    header, first, *lines = record.read_text(encoding="utf-8").splitlines()
    damaged = json.dumps({**json.loads(first), **damage})
    record.write_text("\n".join([header, damaged, *lines, ""]), encoding="utf-8")
    said = terminal.run("report", *options, "run.jsonl")
    assert (
        said.err
        == f"run.jsonl:2: the line is damaged: {found}; fetch or make it again\n"
    )
    assert said.code == 2


def test_damage_that_no_type_shows_is_told_with_its_place(
    terminal: Terminal, record: Path
) -> None:
    header, first, *lines = record.read_text(encoding="utf-8").splitlines()
    half_a_pair = {"name": "order", "kind": "order", "met": False, "wrong": ["sku-1"]}
    damaged = json.loads(first)
    damaged["evaluation"]["reasons"] = [half_a_pair]
    record.write_text(
        "\n".join([header, json.dumps(damaged), *lines, ""]), encoding="utf-8"
    )
    said = terminal.run("report", "run.jsonl")
    assert said.err.startswith(
        "run.jsonl:2: the line is damaged: its order has half a pair"
    )
    assert said.code == 2


# The page


def html(said: Said) -> str:
    """The page that was printed."""
    assert (said.code, said.err) == (0, "")
    assert said.out.startswith("<!doctype html>\n")
    return said.out


@pytest.mark.parametrize(
    ("option", "has_pictures"), [((), False), (("--images", "link"), True)]
)
def test_a_page_loads_pictures_where_that_is_asked_for(
    shop: Terminal, option: tuple[str, ...], has_pictures: bool
) -> None:
    page = html(shop.run("report", "branch.jsonl", "--format", "html", *option))
    assert ("img-src http: https:" in page) == has_pictures


@pytest.mark.parametrize(
    "arguments", [("-o", "run.html"), ("--format", "html", "-o", "run.out")]
)
def test_a_page_in_a_file(shop: Terminal, arguments: tuple[str, ...]) -> None:
    said = shop.run("report", "branch.jsonl", *arguments)
    assert (said.code, said.out, said.err) == (0, "", f"written: {arguments[-1]}\n")
    page = shop.read(arguments[-1])
    assert [case["id"] for case in page_values(page)["cases"]] == [
        *("winter boots", "jacket", "laces", "polish", "möbel|`c`", "\x1b[31mred")
    ]
    assert verdict_of(page)[1] == "mixed"  # pytest found a baseline


def test_a_page_of_very_many_results_has_few_of_them_whole(
    shop: Terminal, tmp_path: Path
) -> None:
    run = Run.open(tmp_path / "branch.jsonl")
    padded = [
        result(f"socks {number}", [{"id": "x1", "title": "Gift card"}, "b1"], 3)
        for number in range(20)
    ]
    Run(
        [*[result("boots", ["b1"], 3)] * 20_000, *run.results, *padded],
        run.files,
        run.info,
    ).write(tmp_path / "many.jsonl")
    page = html(shop.run("report", "many.jsonl", "--format", "html"))
    cases = page_values(page)["cases"]
    assert 0 < len(cases) <= len(run) + len(padded)
    assert 'search returned "x1" (Gift card) first for 20 of' in page_text(page)


@pytest.mark.parametrize(
    "against", ["main.jsonl", "shop.relevance.yaml.baseline.jsonl"]
)
def test_against_another_record_or_a_baseline(shop: Terminal, against: str) -> None:
    page = html(
        shop.run("report", "branch.jsonl", "--format", "html", "--against", against)
    )
    assert f"against {against}" in page_text(page).splitlines()
    boots = page_values(page)["cases"][0]
    assert boots["accepted"] == ["sku-1", "sku-2", "sku-3", "sku-9"]
    assert boots["lost"] == {"document": "sku-1", "from": 1, "to": None}
    assert boots["before"] > boots["score"]
