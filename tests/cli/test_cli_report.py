"""`pytest-relevance report`: what a run printed, from its record."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import CaseResult, FileInfo, Run, RunInfo
from tests.helpers import gate_record, page_text, page_values, result_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tests.cli.conftest import Terminal

FILE = "shop.relevance.yaml"
MARK = "<!-- pytest-relevance report -->"


def result(query: str, ranking: Sequence[object], line: int) -> CaseResult:
    case = {"query": query, "judgments": {"b1": 3}, "min_ndcg": 0.5}
    return result_of(case, ranking, file=FILE, line=line)


@pytest.fixture
def record(tmp_path: Path) -> Path:
    """The record of a run with two cases and two gates, of which one each failed."""
    gates = [
        gate_record(
            "mean", line, id=f"mean nDCG@10 {bound}", bounds=[("nDCG@10", bound)]
        )
        for line, bound in ((1, 0.9), (2, 0.4))
    ]
    results = [result("boots", ["b1"], 3), result("möbel", ["x1", "x2"], 5)]
    info = FileInfo(FILE, FILE, totals=[("search", None, 2)], gates=gates)
    Run(results, {FILE: info}, RunInfo("1.0")).write(tmp_path / "run.jsonl")
    return tmp_path / "run.jsonl"


@pytest.mark.usefixtures("record")
def test_what_the_run_printed(terminal: Terminal) -> None:
    said = terminal.run("report", "run.jsonl")
    assert (said.code, said.err) == (0, "")
    assert f"{FILE}::möbel" in said.lines
    assert f"{FILE}:5: nDCG@10 0.000 is below 0.500" in said.lines
    assert f"{FILE}:1: mean nDCG@10 0.500, below 0.900 (2 cases)" in said.lines
    assert "2 cases: 1 passed, 1 failed; mean nDCG@10 0.500" in said.lines
    assert f"\n{FILE}:2: gate met: " in said.out


@pytest.mark.usefixtures("record")
def test_more_and_less_of_it(terminal: Terminal) -> None:
    usual = terminal.run("report", "run.jsonl")
    passed = f"{FILE}:3: passed: nDCG@10 1.000"
    assert passed not in usual.out
    assert passed in terminal.run("report", "run.jsonl", "-vv").out
    brief = terminal.run("report", "-q", "run.jsonl")
    assert brief.lines[0].startswith(f"{FILE}:5: nDCG@10 0.000, floor 0.500")
    assert len(brief.lines) < len(usual.lines)


@pytest.mark.usefixtures("record")
def test_as_markdown_of_at_most_so_many_characters(terminal: Terminal) -> None:
    said = terminal.run("report", "--format=markdown", "run.jsonl")
    assert said.code == 0
    assert said.out.startswith(f"{MARK}\n### \u274c 1 of 2 cases ")
    most = len(said.out) - 1
    cut = terminal.run(
        "report", "run.jsonl", "--format=markdown", f"--max-chars={most}"
    )
    assert (cut.code, cut.lines[-1].endswith(": 1 failure.")) == (0, True)
    assert len(cut.out) <= most


@pytest.mark.usefixtures("record")
@pytest.mark.parametrize(
    ("options", "begins"),
    [
        (["-o", "run.md"], f"{MARK}\n### "),
        (["-o", "run.json"], "{"),
        (["-o", "run.txt"], f"\n{FILE}"),
        (["-o", "run.html"], "<!doctype html>\n"),
        (["--format=html", "-o", "run.out"], "<!doctype html>\n"),
    ],
)
def test_into_a_file_whose_name_may_say_how(
    terminal: Terminal, options: list[str], begins: str
) -> None:
    said = terminal.run("report", "run.jsonl", *options)
    name = options[-1]
    assert (said.code, said.out, said.err) == (0, "", f"written: {name}\n")
    assert terminal.read(name).startswith(begins)


# --- what is refused ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("nowhere.jsonl",), 'argument RUN: there is no file "nowhere.jsonl"'),
        (("other.txt",), "other.txt:1: this is not a record: it begins with "),
        (
            ("short.jsonl",),
            "short.jsonl:3: the line is damaged: it is not a valid JSON",
        ),
        (("run.jsonl", "-o", "./run.jsonl"), "is one of the files that are read"),
        (("run.jsonl", "-o", "no/where.md"), "no/where.md: cannot be written: No such"),
    ],
)
def test_what_cannot_be_reported(
    terminal: Terminal, record: Path, arguments: tuple[str, ...], says: str
) -> None:
    before = record.read_bytes()
    terminal.write("other.txt", "no record")
    record.with_name("short.jsonl").write_bytes(before[:-40])
    assert says in terminal.refused("report", *arguments)
    assert record.read_bytes() == before


HALF_A_PAIR = {"name": "order", "kind": "order", "met": False, "wrong": ["sku-1"]}


@pytest.mark.parametrize(
    ("part", "damage", "says"),
    [
        ("origin", {"items": [[1]]}, "origin.items[0]: expected a text, found [1]"),
        ("texts", {"shown": {"b1": 1}}, "texts.shown.b1: expected an object, found 1"),
        ("evaluation", {"reasons": [HALF_A_PAIR]}, "its order has half a pair"),
    ],
)
def test_a_damaged_value_is_told_with_its_place(
    terminal: Terminal, record: Path, part: str, damage: dict[str, object], says: str
) -> None:
    header, first, *lines = record.read_text(encoding="utf-8").splitlines()
    values = json.loads(first)
    values[part] = {**values.get(part, {}), **damage}
    terminal.write("run.jsonl", "\n".join([header, json.dumps(values), *lines, ""]))
    begins = f"run.jsonl:2: the line is damaged: {says}"
    assert terminal.refused("report", "run.jsonl").startswith(begins)


# --- the page -------------------------------------------------------------------------


def page_of(shop: Terminal, *arguments: str) -> str:
    said = shop.run("report", *arguments, "--format", "html")
    assert (said.code, said.err) == (0, "")
    return said.out


@pytest.mark.parametrize(
    ("option", "has_pictures"), [((), False), (("--images", "link"), True)]
)
def test_a_page_loads_pictures_only_if_asked_to(
    shop: Terminal, option: tuple[str, ...], has_pictures: bool
) -> None:
    page = page_of(shop, "branch.jsonl", *option)
    assert ("img-src http: https:" in page) == has_pictures


@pytest.mark.parametrize("against", ["main.jsonl", f"{FILE}.baseline.jsonl"])
def test_against_another_record_or_a_baseline(shop: Terminal, against: str) -> None:
    page = page_of(shop, "branch.jsonl", "--against", against)
    assert f"\nagainst {against}" in page_text(page)
    boots = page_values(page)["cases"][0]
    assert boots["accepted"] == ["sku-1", "sku-2", "sku-3", "sku-9"]
    move = boots["moves"][0]
    assert (move["document"], move["rankBefore"], move["rankNow"]) == ("sku-1", 1, None)
    assert boots["before"] > boots["score"]


EMPTY_BASELINE = '{"kind":"pytest-relevance baseline","version":2}\n{"end":true}\n'


def test_of_two_case_files_of_one_name_a_baseline_is_that_of_the_one_beside_it(
    terminal: Terminal,
) -> None:
    case = {"query": "boots", "judgments": {"b1": 3}}
    files = [f"{folder}/{FILE}" for folder in ("a", "b")]
    found = [result_of(case, ["b1"], file=file, line=3) for file in files]
    about = {file: FileInfo(file) for file in files}
    Run(found, about).write(terminal.folder / "run.jsonl")
    for folder in ("a", "c"):
        terminal.write(f"{folder}/{FILE}.baseline.jsonl", EMPTY_BASELINE)
    command = ("report", "run.jsonl", "--against")
    assert terminal.run(*command, f"a/{FILE}.baseline.jsonl").code == 0
    assert "is the baseline of one case file" in terminal.refused(
        *command, f"c/{FILE}.baseline.jsonl"
    )


def test_a_baseline_of_another_case_file_is_refused(shop: Terminal) -> None:
    name = "hats.relevance.yaml.baseline.jsonl"
    shop.write(name, shop.read(f"{FILE}.baseline.jsonl"))
    said = shop.refused("report", "branch.jsonl", "--against", name)
    assert f'one case file, "hats.relevance.yaml", and the run has "{FILE}"' in said
