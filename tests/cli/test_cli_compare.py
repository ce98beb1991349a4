"""`pytest-relevance compare`: records, runs of other tools, options, exit codes."""

from __future__ import annotations

import gzip
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import compare_runs
from tests.helpers import page_text, page_values, verdict_of

if TYPE_CHECKING:
    from tests.cli.conftest import Said, Terminal

RUNS = ("compare", "main.jsonl", "branch.jsonl")
DOCS = Path(__file__).parents[2] / "docs" / "reference"

QRELS = "q1 0 a 3\nq1 0 b 1\nq2 0 c 2\nq3 0 d 1\n"
BM25 = "q1 Q0 a 1 9 t\nq1 Q0 b 2 8 t\nq2 Q0 x 1 7 t\nq2 Q0 c 2 6 t\nq3 Q0 d 1 5 t\n"
HYBRID = "q1 Q0 b 1 9 t\nq1 Q0 a 2 8 t\nq2 Q0 c 1 7 t\nq3 Q0 d 1 5 t\n"
TREC = ("compare", "bm25.trec", "hybrid.trec", "--qrels", "qrels.txt")


@pytest.fixture
def trec(terminal: Terminal) -> Terminal:
    terminal.write("bm25.trec", BM25)
    terminal.write("hybrid.trec", HYBRID)
    terminal.write("qrels.txt", QRELS)
    return terminal


def gates(said: Said) -> list[str]:
    """What gates say, a line each."""
    text = said.out.replace("\n    ", " ")
    return [line for line in text.splitlines() if line.lower().startswith(GATE_LINES)]


GATE_LINES = ("met: ", "not met: ")


def row(terminal: Terminal, *command: str) -> Any:
    """The figures of the only metric."""
    said = terminal.run(*command, "--format", "json")
    assert (said.code, said.err) == (0, "")
    (found,) = json.loads(said.out)["metrics"]
    return found


# --- what is compared -----------------------------------------------------------------


def test_two_records(shop: Terminal) -> None:
    said = shop.run(*RUNS)
    assert (said.code, said.err) == (0, "")
    assert said.out == compare_runs("main.jsonl", "branch.jsonl").summary()
    assert said.lines[0].startswith(
        "3 of 6 queries got worse (all for certain), 1 better; "
    )
    assert (
        r"  \x1b[31mred   1.000 -> 0.000  certain  sku-1 rank 1 -> not returned  sku-3"
        in said.lines
    )


def test_records_and_runs_say_the_same_under_one_case_file(shop: Terminal) -> None:
    Path("main.gz").write_bytes(gzip.compress(Path("main.jsonl").read_bytes()))
    expected = row(shop, *RUNS)
    assert row(shop, "compare", "main.gz", "branch.jsonl") == expected
    for first in ("main.jsonl", "main.json"):
        for second in ("branch.jsonl", "branch.json"):
            runs = ("compare", first, second, "--judgments", "shop.relevance.yaml")
            assert row(shop, *runs) == expected


@pytest.mark.parametrize(("name", "run"), [("bm25", BM25), ("hybrid", HYBRID)])
def test_a_query_that_found_nothing_has_no_line(
    trec: Terminal, name: str, run: str
) -> None:
    trec.write(f"{name}.trec", run.replace("q3 Q0 d 1 5 t\n", ""))
    assert trec.refused(*TREC).splitlines() == [
        "the two runs cannot be compared:",
        f'- {name}.trec has no result of 1 case: "q3"',
        "- a query that found nothing has no line in a run; with --missing empty a missing query has no results",
        "--common compares the 2 cases that can be compared, and says what is left out",
    ]
    assert row(trec, *TREC, "--missing=empty")["queries"] == 3
    assert row(trec, *TREC, "--common")["queries"] == 2


def test_one_variant_with_another(shop: Terminal) -> None:
    header, *before = shop.read("main.jsonl").splitlines()
    after = shop.read("branch.jsonl").splitlines()[1:]
    lines = [header.replace('"results":6', '"results":12')]
    for name, found in (("bm25", before), ("hybrid", after)):
        for line in found:
            lines.append(line.replace('"verdict"', f'"variant":"{name}","verdict"', 1))
    shop.write("both.jsonl", "\n".join([*lines, ""]))
    both = ("compare", "both.jsonl", "both.jsonl", "--variants", "bm25")
    said = shop.run(*both, "hybrid")
    assert (said.code, said.err) == (0, "")
    assert said.lines[1].startswith("both.jsonl[bm25] -> both.jsonl[hybrid]: 6 cases")
    assert said.lines[2:] == shop.run(*RUNS).lines[2:]
    options = ("--variants", "-", "hybrid")  # - is a search without variants
    mixed = shop.run("compare", "main.jsonl", "both.jsonl", *options)
    assert "left out: 6 results of other variants" in mixed.lines
    assert said.lines[-1] in mixed.lines
    assert "left out: 6 results of other variants" in shop.run(*both, "bm25").lines
    assert 'did you mean "hybrid"?' in shop.refused(*both, "hybird")


def test_files_of_one_name_are_called_by_their_paths(shop: Terminal) -> None:
    for name in ("main", "branch"):
        shop.write(f"{name}/run.jsonl", shop.read(f"{name}.jsonl"))
    said = shop.run("compare", "main/run.jsonl", "branch/run.jsonl")
    assert said.lines[1].startswith("main/run.jsonl -> branch/run.jsonl: 6 cases")


# --- figures and gates ----------------------------------------------------------------


def test_the_figures_are_those_of_the_library(shop: Terminal) -> None:
    options = ("--metric=RR", "--metric=nDCG@3", "--set=gain=linear")
    said = shop.run(*RUNS, *options, "--max-case-drop=0.3", "--format=json")
    found = compare_runs("main.jsonl", "branch.jsonl", ["RR", "nDCG@3"], gain="linear")
    expected = found.to_dict(limit=5, gates=found.judge(max_case_drop=0.3))
    assert json.loads(said.out) == expected
    assert expected["settings"][0]["gain"] == "linear"


FELL = "mean nDCG@10 fell by 0.227, from 0.949 to 0.722"


@pytest.mark.parametrize(
    ("options", "code", "says"),
    [
        ("--max-drop=ndcg@10=0.02", 1, [f"NOT MET: {FELL}"]),
        ("--max-drop=nDCG@10=0.02 --p=0.125", 0, [f"met: {FELL}"]),
        (
            "--max-case-drop=0.5 --max-drop=nDCG@10=0.02",
            1,
            [f"NOT MET: {FELL}", "NOT MET: 2 cases dropped by more than 0.5"],
        ),
        (
            "--max-drop=CG@1=2 --max-case-drop=3",
            0,
            ["met: mean CG@1 fell by 0.875", "met: no case dropped by more than 3"],
        ),
        ("--min=overlap@2=0.9", 1, ["NOT MET: mean overlap@2 0.625, below 0.900 (6 cases)"]),
        ("--min=overlap@2=0.6 --min=nDCG@10=0.7", 0, ["met: ", "met: "]),
    ],
)  # fmt: skip
def test_gates(shop: Terminal, options: str, code: int, says: list[str]) -> None:
    said = shop.run(*RUNS, *options.split())
    assert (said.code, said.err) == (code, "")
    for line, begins in zip(gates(said), says, strict=True):
        assert line.startswith(begins)


def test_a_file_is_as_good_as_itself(shop: Terminal) -> None:
    options = ("--max-drop=nDCG@10=0", "--max-case-drop=0")
    said = shop.run("compare", "main.jsonl", "./main.jsonl", *options)
    assert said.code == 0
    assert said.err == "A and B are the same file: main.jsonl\n"
    assert said.lines[0] == "No score changed"
    assert [line.partition(":")[0] for line in gates(said)] == ["met", "met"]


def test_overlap_is_that_of_the_two_runs_not_of_a_run_with_its_baseline(
    shop: Terminal,
) -> None:
    options = ("--metric=overlap@2", "--min=overlap@2=0.9")
    said = shop.run(*RUNS, *options)
    assert said.lines[0] == "4 queries differ by overlap@2; 1 gate is not met"
    recorded = shop.read("branch.jsonl")
    of_baseline = recorded.replace('"scores":{', '"scores":{"overlap@2":1.0,')
    shop.write("branch.jsonl", of_baseline)
    assert shop.run(*RUNS, *options).out == said.out


def test_by_overlap_no_judgment_is_needed(terminal: Terminal) -> None:
    terminal.write("a.json", '{"q": ["x", "y"], "empty": []}')
    terminal.write("b.json", '{"q": ["y", "x"], "empty": []}')
    assert "overlap@10 needs none" in terminal.refused("compare", "a.json", "b.json")
    said = terminal.run("compare", "a.json", "b.json", "--min=overlap@2=0.9")
    assert said.code == 1
    assert gates(said) == ["NOT MET: mean overlap@2 0.500, below 0.900 (2 cases)"]


# --- where the report goes ------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "options", "format"),
    [
        ("report.md", (), "markdown"),
        ("x", ("--format=markdown",), "markdown"),
        ("report.json", (), "json"),
        ("report.txt", (), "text"),
    ],
)
def test_a_report_in_a_file(
    shop: Terminal, name: str, options: tuple[str, ...], format: str
) -> None:
    said = shop.run(*RUNS, "-o", name, *options, "--max-case-drop=0")
    assert (said.code, said.err) == (1, f"written: {name}\n")
    assert said.out == shop.run(*RUNS, "--max-case-drop=0").out
    printed = shop.run(*RUNS, "--max-case-drop=0", f"--format={format}").out
    assert shop.read(name) == printed


def test_the_page_says_what_the_text_says(trec: Terminal) -> None:
    said = trec.run(*TREC, "--max-case-drop=0.1", "-o", "report.html")
    page = trec.read("report.html")
    assert (said.code, said.err) == (1, "written: report.html\n")
    assert " ".join(said.out.split()).startswith(verdict_of(page)[0])
    assert "bm25.trec \u2192 hybrid.trec" in page_text(page).splitlines()
    (gate,) = page_values(page)["findings"]
    assert gate["cases"] == [0]


def test_markdown_is_cut_at_whole_sections(shop: Terminal) -> None:
    whole = shop.run(*RUNS, "--format=markdown").out
    most = len(whole) - 1
    said = shop.run(*RUNS, "--format=markdown", f"--max-chars={most}")
    assert (said.code, len(said.out) <= most) == (0, True)
    assert whole.startswith(said.out.partition("\n\nLeft out")[0])
    assert said.lines[-1].endswith(": the tags and the settings and notes.")
    # a report that was cut is known as one, and may be replaced
    for _ in range(2):
        assert shop.run(*RUNS, "-o", "report.md", "--max-chars=400").code == 0


@pytest.mark.parametrize("format", ["text", "markdown"])
def test_a_terminal_that_does_not_know_every_character(
    two_runs: Path, format: str
) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "pytest_relevance", *RUNS, f"--format={format}"],
        cwd=two_runs,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
        capture_output=True,
    )
    if format == "text":
        assert b"  m\\xf6bel|`c`" in done.stdout
    else:  # it is a file, in the one encoding that it has
        assert "möbel" in done.stdout.decode("utf-8")


def test_the_keys_of_the_json_are_documented(shop: Terminal) -> None:
    page = (DOCS / "json.md").read_text(encoding="utf-8")
    documented = set(re.findall(r"`(\w+)`", page))
    found = json.loads(shop.run(*RUNS, "--max-case-drop=0.3", "--format=json").out)
    mover = found["movers"]["drops"][0]
    parts = (found["metrics"][0], found["by_tag"][0], mover["left"][0], found["gates"])
    for part in (found, mover, *parts):
        assert set(part) <= documented


def test_the_options_are_those_of_the_docs(terminal: Terminal) -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    text = page.partition("\n## compare\n")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `.*", text, re.MULTILINE)
    documented = set(re.findall(r"--[a-z-]+", "\n".join(rows)))
    options = set(re.findall(r"--[a-z-]+", terminal.run("compare", "--help").out))
    assert options - {"--help", "--relevance-record"} == documented


def test_two_records_need_no_reader_of_judgments(shop: Terminal) -> None:
    code = "import sys; from pytest_relevance.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code, *RUNS, "--max-drop=nDCG@10=0.5"],
        capture_output=True,
        text=True,
        check=True,
    )
    modules = re.findall(r"pytest_relevance\.\S+", done.stdout.splitlines()[-1])
    assert "pytest_relevance.ext.comparing.pairing" in modules
    of_judgments = {name for name in modules if ".judgments." in name}
    scale = {
        "pytest_relevance.judgments.scale",
        "pytest_relevance.judgments.grade_text",
    }
    assert of_judgments <= scale
    assert not [name for name in modules if "rejudging" in name or "evaluate" in name]


# --- what is refused ------------------------------------------------------------------

BY_JUDGMENTS = "--judgments FILE scores both by the same judgments: a case file, or a judgment file in any format"


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        (
            r'("id":"jacket".*?"digest":)"[0-9a-f]+"',
            r'\1"0123456789abcdef"',
            f"\n{BY_JUDGMENTS}\n--common compares the 5 cases",
        ),
        (
            r'("id":"jacket".*?"settings":{)',
            r'\1"gain":"linear",',
            "\n--set NAME=VALUE scores both by one setting, --metric nDCG@10 at one cutoff\n",
        ),
        (
            r'"results":6((?:.|\n)*)\n.*?"id":"laces".*',
            r'"results":5\1',
            '- other.jsonl has no result of 1 case: "laces"\n--common compares the 5 cases',
        ),
        (r'(?s)("id":"laces",).*', r"\1", "other.jsonl:4: the line is damaged: "),
    ],
    ids=["other judgments", "other settings", "a case is missing", "truncated"],
)
def test_records_that_cannot_be_compared(
    shop: Terminal, old: str, new: str, says: str
) -> None:
    recorded = shop.read("branch.jsonl")
    shop.write("other.jsonl", re.sub(old, new, recorded, count=1))
    assert shop.read("other.jsonl") != recorded
    runs = ("compare", "main.jsonl", "other.jsonl")
    assert says in shop.refused(*runs, "--max-case-drop=0.1")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ("main.jsonl shop.relevance.yaml", "the format of this run is not recognised"),
        ("main.jsonl shop.relevance.yaml.baseline.jsonl", "it is a baseline"),
        ("main.jsonl branch.json", f"needs none\n{BY_JUDGMENTS}\n"),
        (
            "main.jsonl branch.jsonl --judgments=main.jsonl",
            "main.jsonl: judgments have columns for the query",
        ),
        ("main.jsonl branch.jsonl --judgments=broken.yaml", 'broken.yaml:1:8: "cases"'),
        ("main.jsonl /dev/null", '"/dev/null" is a pipe or a device, not a file'),
        ("cut.gz main.jsonl", "cut.gz: the gzip file is truncated"),
        ("main.jsonl branch.jsonl -o ./main.jsonl", "one of the files that are read"),
        ("main.jsonl branch.jsonl -o none/x.md", "none/x.md: cannot be written: No "),
    ],
)
def test_files_that_cannot_be_used(shop: Terminal, arguments: str, says: str) -> None:
    shop.write("broken.yaml", "cases: 7\n")
    Path("cut.gz").write_bytes(gzip.compress(Path("main.jsonl").read_bytes())[:-20])
    before = {name: Path(name).read_bytes() for name in shop.files()}
    assert says in shop.refused("compare", *arguments.split())
    assert {name: Path(name).read_bytes() for name in shop.files()} == before


INSTEAD = "overlap@2 compares two rankings; bound its mean: --min overlap@2=0.9"


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ("--max-drop nDCG=x", "expected by how much its mean may drop, such as 0.02,"),
        (
            "--max-drop nDCG@10",
            "and by how much its mean may drop, nDCG@10=0.02, found",
        ),
        ("--min nDCG@10", "and the least that its mean may be, overlap@10=0.9, found"),
        ("--max-drop nDGC@10=0.1", "unknown metric 'nDGC@10' (did you mean nDCG?)"),
        ("--metric AP@x", "argument --metric: "),
        ("--max-drop RR=0 --max-drop MRR=0.5", "--max-drop is given twice for RR;"),
        ("--p 5 --max-drop RR=0", "p is above 0 and at most 1, such as 0.05, not 5.0"),
        ("--set gian=linear", 'found "gian=linear"; did you mean "gain"?'),
        ("--set gain=linera", "gain is one of exponential, linear"),
        ("--set gain=linear --set gain=exponential", "--set is given twice for gain;"),
        ("--set max_grade=high", 'expected a number for max_grade, found "high"'),
        ("--format htm", "argument --format: invalid choice: 'htm'"),
        ("--metric=overlap@2 --max-drop=overlap@2=0.1", INSTEAD),
        ("--metric=overlap@2 --max-case-drop=0.5", INSTEAD),
        ("--min=nDCG@10=2", "nDCG@10"),
    ],
)
def test_values_that_cannot_be_meant(trec: Terminal, options: str, says: str) -> None:
    err = trec.refused(*TREC, *options.split())
    assert says in err
    assert err.splitlines()[-1].startswith("pytest-relevance compare: ")
