"""`pytest-relevance compare` of two records that pytest wrote: the reports, the gates,
the exit codes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import Run, compare_runs
from tests.helpers import changed, page_values, result_of

if TYPE_CHECKING:
    from tests.cli.conftest import Said, Terminal

RUNS = ("compare", "main.jsonl", "branch.jsonl")
DOCS = Path(__file__).parents[2] / "docs"


def gates(said: Said) -> list[str]:
    """What gates say, a line each."""
    text = re.sub(r"\n    ", " ", said.out)
    return [
        line for line in text.splitlines() if line.startswith(("met: ", "NOT MET: "))
    ]


def data(said: Said) -> Any:
    return json.loads(said.out)


def test_two_records(shop: Terminal) -> None:
    said = shop.run(*RUNS)
    assert (said.code, said.err) == (0, "")
    assert said.out == compare_runs("main.jsonl", "branch.jsonl").summary()
    assert said.lines[:2] == [
        "3 queries got worse, 1 better; the mean is unchanged within chance",
        "main.jsonl -> branch.jsonl: 6 cases compared, 4 with another ranking",
    ]
    assert r"  \x1b[31mred   1.000 -> 0.000  sku-1 1 -> gone  sku-3" in said.lines


def test_a_case_that_fails_as_expected_is_not_shown_as_failed(
    terminal: Terminal, tmp_path: Path
) -> None:
    result = result_of(
        {"query": "boots", "judgments": {"b1": 3}, "min_ndcg": 0.5},
        ["x1"],
        file="shop.yaml",
        line=3,
    )
    Run([changed(result, outcome="xfailed")]).write(tmp_path / "run.jsonl")
    page = terminal.run("compare", "run.jsonl", "run.jsonl", "--format", "html").out
    assert [case["status"] for case in page_values(page)["cases"]] == ["xfailed"]


FELL = "mean nDCG@10 fell by 0.227, from 0.949 to 0.722 (95% -0.679 to +0.059, p 0.375, 6 cases); allowed is "
VOID = "; p 0.05 does not count, as 4 changed cases cannot give a p-value below 0.125: the drop alone decides"
TWO = 'NOT MET: 2 cases dropped by more than 0.5: "\\x1b[31mred" (-1.000) and "winter boots" (-0.853)'


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        (["--max-drop", "ndcg@10=0.02"], 1, [f"NOT MET: {FELL}0.02"]),
        (
            ["--max-drop", "nDCG@10=0.02", "--p", "0.125"],
            0,
            [f"met: {FELL}0.02 unless p > 0.125"],
        ),
        (
            ["--max-case-drop", "0.5", "--max-drop", "nDCG@10=0.02", "--p", "0.05"],
            1,
            [f"NOT MET: {FELL}0.02{VOID}", TWO],
        ),
        (
            ["--max-drop", "CG@1=2", "--max-case-drop", "3"],
            0,
            [
                "met: mean CG@1 fell by 0.875, from 2.375 to 1.500 (95% -2.500 to +0.333, p 0.250, 6 cases); "
                "allowed is 2",
                "met: no case dropped by more than 3",
            ],
        ),
    ],
    ids=lambda value: (
        " ".join(value) if isinstance(value, list) and value[0].startswith("--") else ""
    ),
)
def test_gates(shop: Terminal, options: list[str], code: int, says: list[str]) -> None:
    said = shop.run(*RUNS, *options)
    assert (said.code, said.err) == (code, "")
    assert gates(said) == says
    unmet = sum(line.startswith("NOT MET") for line in says)
    counts = f"{unmet} of {len(says)} gate{'s' if len(says) > 1 else ''} not met"
    assert said.lines[-1] == (counts if unmet else "all gates met")


def test_a_case_that_is_an_error_in_the_second_run_alone(shop: Terminal) -> None:
    broken = (
        shop.read("main.jsonl")
        .replace('"id":"jacket"', '"id":"jacket","verdict":"error"')
        .splitlines()
    )
    broken = [
        re.sub(r'("verdict":"error".*?),"verdict":"[a-z]+"', r"\1", line)
        for line in broken
    ]
    shop.write("broken.jsonl", "\n".join(broken) + "\n")
    refused = shop.run("compare", "main.jsonl", "broken.jsonl")
    assert (refused.code, refused.out) == (2, "")
    assert refused.err.splitlines() == [
        "the two runs cannot be compared:",
        '- broken.jsonl has an error in 1 case: jacket "rain jacket"',
        "--common compares the 5 cases that can be compared, and says what is left out",
    ]
    for options in ((), ("--max-drop", "nDCG@10=0.5")):
        said = shop.run("compare", "main.jsonl", "broken.jsonl", "--common", *options)
        assert said.code == 1
        assert (
            'left out: broken.jsonl has an error in 1 case: jacket "rain jacket"'
            in said.lines
        )
        assert (
            gates(said)[-1]
            == 'NOT MET: 1 case ended in an error that was none before: jacket "rain jacket"'
        )
    assert shop.run("compare", "broken.jsonl", "main.jsonl", "--common").code == 0
    assert shop.run("compare", "broken.jsonl", "broken.jsonl", "--common").code == 0


def test_the_figures_are_those_of_the_library(shop: Terminal) -> None:
    said = shop.run(
        *RUNS,
        "--metric=RR",
        "--metric=nDCG@3",
        "--max-case-drop=0.3",
        "--set=gain=linear",
        "--format=json",
    )
    found = compare_runs(
        Path("main.jsonl"), Path("branch.jsonl"), ["RR", "nDCG@3"], gain="linear"
    )
    assert data(said) == found.to_dict(limit=5, gates=found.judge(max_case_drop=0.3))
    assert data(said)["settings"][0]["gain"] == "linear"


def test_by_overlap_no_judgment_is_needed(shop: Terminal) -> None:
    options = ("--metric=overlap@2", "--min=overlap@2=0.9")
    said = shop.run(*RUNS, *options)
    assert said.code == 1
    assert said.lines[0] == "4 queries differ by overlap@2; 1 gate is not met"
    assert [
        line.split()[:2] for line in said.lines if line.startswith("  winter boots")
    ] == [["winter", "boots"]]
    assert "mean overlap@2 0.625: 4 differ, 2 the same" in "\n".join(said.lines)
    assert gates(said)[0] == "NOT MET: mean overlap@2 0.625, below 0.900 (6 cases)"
    assert shop.run(*RUNS, "--min=overlap@2=0.6", "--min=nDCG@10=0.7").code == 0
    # what a record has is the overlap with its own baseline
    scores = shop.read("branch.jsonl").replace(
        '"scores":{', '"scores":{"overlap@2":1.0,'
    )
    shop.write("branch.jsonl", scores)
    assert shop.run(*RUNS, *options).out == said.out
    for name, found in (
        ("a.json", {"q": ["x", "y"], "empty": []}),
        ("b.json", {"q": ["y", "x"], "empty": []}),
    ):
        shop.write(name, json.dumps(found))
    assert "; overlap@10 needs none" in shop.run("compare", "a.json", "b.json").err
    said = shop.run("compare", "a.json", "b.json", *options)
    assert (said.code, gates(said)) == (
        1,
        ["NOT MET: mean overlap@2 0.500, below 0.900 (2 cases)"],
    )
    instead = "overlap@2 compares two rankings; bound its mean: --min overlap@2=0.9"
    for wrong, why in (
        ("--max-drop=overlap@2=0.1", instead),
        ("--max-case-drop=0.5", instead),
        ("--min=nDCG@10=2", ""),
    ):
        refused = shop.run(*RUNS, "--metric=overlap@2", wrong)
        assert (refused.code, why in refused.err) == (2, True)


def test_the_keys_of_the_json_are_documented(shop: Terminal) -> None:
    documented = set(
        re.findall(
            r"`(\w+)`", (DOCS / "reference" / "records.md").read_text(encoding="utf-8")
        )
    )
    found = data(shop.run(*RUNS, "--max-case-drop=0.3", "--format=json"))
    mover = found["movers"]["drops"][0]
    for part in (
        found,
        found["metrics"][0],
        found["by_tag"][0],
        mover,
        mover["left"][0],
        found["gates"],
    ):
        assert set(part) <= documented


def test_markdown_is_cut_at_whole_sections(shop: Terminal) -> None:
    whole = shop.run(*RUNS, "--format=markdown").out
    most = len(whole) - 1
    said = shop.run(*RUNS, "--format=markdown", f"--max-chars={most}")
    assert (said.code, len(said.out) <= most) == (0, True)
    assert whole.startswith(said.out.partition("\n\nLeft out")[0])
    left_out = "the tags and the settings and notes"
    assert (
        said.lines[-1]
        == f"Left out, as this report has at most {most:,} characters: {left_out}."
    )
    shop.run(*RUNS, "-o", "report.md", "--max-chars=400")
    assert shop.read("report.md").startswith("<!-- pytest-relevance report -->\n### ")
    assert (
        shop.run(*RUNS, "-o", "report.md").code == 0
    )  # a report that was cut is known as one


def test_reports_go_into_files(shop: Terminal) -> None:
    for name, options in (
        ("report.md", ()),
        ("report.json", ()),
        ("report.txt", ()),
        ("x", ("--format=markdown",)),
    ):
        said = shop.run(*RUNS, "-o", name, *options)
        assert (said.code, said.err) == (0, f"written: {name}\n")
        assert said.out == shop.run(*RUNS).out
    assert (
        shop.read("report.md")
        == shop.read("x")
        == shop.run(*RUNS, "--format=markdown").out
    )
    assert shop.read("report.json") == shop.run(*RUNS, "--format=json").out
    assert shop.read("report.txt") == shop.run(*RUNS).out
    assert shop.run(*RUNS, "-o", "report.md", "--max-case-drop=0").code == 1
    assert "not met" in shop.read("report.md")


def test_a_file_is_as_good_as_itself(shop: Terminal) -> None:
    said = shop.run(
        "compare",
        "main.jsonl",
        "./main.jsonl",
        "--max-drop=nDCG@10=0",
        "--max-case-drop=0",
    )
    assert said.code == 0
    assert said.err == "A and B are the same file: main.jsonl\n"
    assert said.lines[0] == "No score changed"
    assert gates(said) == [
        "met: mean nDCG@10 is unchanged, from 0.949 to 0.949 (95% +0.000 to +0.000, p 1.000, 6 cases); allowed is 0",
        "met: no case dropped by more than 0",
    ]
    assert "largest" not in said.out


def test_files_of_one_name_are_called_by_their_paths(shop: Terminal) -> None:
    for name in ("main", "branch"):
        shop.write(f"{name}/run.jsonl", shop.read(f"{name}.jsonl"))
    said = shop.run("compare", "main/run.jsonl", "branch/run.jsonl")
    assert said.lines[1].startswith("main/run.jsonl -> branch/run.jsonl: 6 cases")


def test_one_variant_with_another(shop: Terminal) -> None:
    header, *before = shop.read("main.jsonl").splitlines()
    after = shop.read("branch.jsonl").splitlines()[1:]
    lines = [
        line.replace('"verdict"', f'"variant":"{name}","verdict"', 1)
        for name, found in (("bm25", before), ("hybrid", after))
        for line in found
    ]
    shop.write(
        "both.jsonl",
        "\n".join([header.replace('"results":6', '"results":12'), *lines, ""]),
    )
    said = shop.run(
        "compare", "both.jsonl", "both.jsonl", "--variants", "bm25", "hybrid"
    )
    assert (said.code, said.err) == (0, "")
    assert said.lines[1].startswith(
        "both.jsonl[bm25] -> both.jsonl[hybrid]: 6 cases compared"
    )
    assert said.lines[2:] == shop.run(*RUNS).lines[2:]
    without = shop.run(
        "compare", "main.jsonl", "both.jsonl", "--variants", "-", "hybrid"
    )
    note = "left out: 6 results of other variants"
    assert note in without.lines
    assert [line for line in without.lines[2:] if line not in ("", note)] == [
        *filter(None, said.lines[2:])
    ]
    wrong = shop.run(
        "compare", "both.jsonl", "both.jsonl", "--variants", "bm25", "hybird"
    )
    assert (wrong.code, wrong.out) == (2, "")
    assert 'its variants are "bm25" and "hybrid"; did you mean "hybrid"?' in wrong.err


def called(
    folder: Path, *options: str, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    command = [sys.executable, "-m", "pytest_relevance", *RUNS, *options]
    return subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )


def test_a_terminal_that_does_not_know_every_character(two_runs: Path) -> None:
    text = called(two_runs, PYTHONIOENCODING="ascii").stdout
    assert text.isascii()
    assert b"  m\\xf6bel|`c`" in text
    # Markdown is a file, in the one encoding that it has
    assert "möbel" in called(
        two_runs, "--format=markdown", PYTHONIOENCODING="ascii"
    ).stdout.decode("utf-8")


def test_help_says_what_the_exit_codes_are_and_names_every_option_of_the_docs(
    terminal: Terminal,
) -> None:
    said = terminal.run("compare", "--help")
    page = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    text = page.partition("\n## compare\n")[2].partition("\n## ")[0]
    documented = set(
        re.findall(r"--[a-z-]+", "\n".join(re.findall(r"^\| `.*", text, re.MULTILINE)))
    )
    options = set(re.findall(r"--[a-z-]+", said.out)) - {"--help", "--relevance-record"}
    assert options == documented
    assert (
        "The exit code is 0 if every gate that is given is met. It is 1 if one is not met"
        in " ".join(said.out.split())
    )
