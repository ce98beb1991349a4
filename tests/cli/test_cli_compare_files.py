"""`pytest-relevance compare` of what else there is: runs of other tools, baselines; and
of what cannot be compared.
"""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import compare_runs
from tests.helpers import page_text, page_values, verdict_of

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

QRELS = "q1 0 a 3\nq1 0 b 1\nq2 0 c 2\nq3 0 d 1\n"
BM25 = "q1 Q0 a 1 9 t\nq1 Q0 b 2 8 t\nq2 Q0 x 1 7 t\nq2 Q0 c 2 6 t\nq3 Q0 d 1 5 t\n"
HYBRID = "q1 Q0 b 1 9 t\nq1 Q0 a 2 8 t\nq2 Q0 c 1 7 t\nq3 Q0 d 1 5 t\n"
TREC = ("compare", "bm25.trec", "hybrid.trec", "--qrels", "qrels.txt")


@pytest.fixture
def trec(terminal: Terminal) -> Terminal:
    for name, text in (
        ("bm25.trec", BM25),
        ("hybrid.trec", HYBRID),
        ("qrels.txt", QRELS),
    ):
        terminal.write(name, text)
    return terminal


def row(terminal: Terminal, *command: str) -> Any:
    """The figures of the only metric."""
    said = terminal.run(*command, "--format", "json")
    assert (said.code, said.err) == (0, "")
    (found,) = json.loads(said.out)["metrics"]
    return found


def figures(terminal: Terminal, *command: str) -> list[str]:
    """The report in text without its second line, which has the names, and without
    latencies, which records have.
    """
    said = terminal.run(*command)
    assert (said.code, said.err) == (0, "")
    return [
        line
        for line in (said.lines[0], *said.lines[2:])
        if not line.startswith("latency ")
    ]


def test_two_runs_of_another_tool(trec: Terminal) -> None:
    found = row(trec, *TREC)
    expected = compare_runs("bm25.trec", "hybrid.trec", judgments="qrels.txt").metrics[
        0
    ]
    assert (found["first"], found["second"]) == (
        expected.means.first,
        expected.means.second,
    )
    assert (found["queries"], found["better"], found["worse"], found["same"]) == (
        3,
        1,
        1,
        1,
    )
    assert row(trec, *TREC, "--metric=P@1")["difference"] == pytest.approx(1 / 3)
    assert "gain linear, ideal judged, unjudged zero" in figures(
        trec, *TREC, "--set", "gain=linear"
    )


def test_the_page_says_what_the_text_says(trec: Terminal) -> None:
    said = trec.run(*TREC, "--max-case-drop=0.1", "-o", "report.html")
    page = trec.read("report.html")
    assert said.code == 1
    assert said.err == "written: report.html\n"
    assert said.lines[0] == verdict_of(page)[0]
    assert {"bm25.trec \u2192 hybrid.trec", "NOT MET", "1.000 \u2192 0.710"} <= {
        *page_text(page).splitlines()
    }
    worse, better, same = (page_values(page)["cases"][place] for place in range(3))
    assert (worse["gotWorse"], better["better"], "gained" in better) == (
        True,
        True,
        True,
    )
    assert [case["status"] for case in (worse, better, same)] == [
        "measured"
    ] * 3  # nothing failed in the second run
    (gate,) = page_values(page)["findings"]
    assert gate["cases"] == [0]


def test_records_and_a_run_say_the_same_under_one_case_file(shop: Terminal) -> None:
    Path("main.jsonl.gz").write_bytes(gzip.compress(Path("main.jsonl").read_bytes()))
    expected = figures(shop, "compare", "main.jsonl", "branch.jsonl")
    assert figures(shop, "compare", "main.jsonl.gz", "branch.jsonl") == expected
    for first in ("main.jsonl", "main.json"):
        for second in ("branch.jsonl", "branch.json"):
            assert (
                figures(
                    shop, "compare", first, second, "--judgments", "shop.relevance.yaml"
                )
                == expected
            )


def test_judgments_with_several_columns_of_grades_are_converted_first(
    trec: Terminal,
) -> None:
    rows = [line.split() for line in QRELS.splitlines()]
    lines = [
        f"{query},{document},{3 - int(grade)},{grade}"
        for query, _, document, grade in rows
    ]
    trec.write(
        "rated.csv",
        "\n".join(["query_id,doc_id,alice_rating,final_rating", *lines, ""]),
    )
    command = ("compare", "bm25.trec", "hybrid.trec", "--judgments", "rated.csv")
    refused = trec.run(*command)
    assert (refused.code, refused.out) == (2, "")
    assert "final_rating" in refused.err
    assert (
        trec.run(
            "convert", "rated.csv", "final.csv", "--grade-column", "final_rating"
        ).code
        == 0
    )
    assert figures(trec, *command[:-1], "final.csv") == figures(trec, *TREC)


def test_a_query_that_found_nothing_has_no_line(trec: Terminal) -> None:
    trec.write("hybrid.trec", HYBRID.replace("q3 Q0 d 1 5 t\n", ""))
    said = trec.run(*TREC)
    assert (said.code, said.out) == (2, "")
    assert said.err.splitlines() == [
        "the two runs cannot be compared:",
        '- hybrid.trec has no result of 1 case: "q3"',
        "- a query that found nothing has no line in a run; --missing empty takes a missing one for that",
        "--common compares the 2 cases that can be compared, and says what is left out",
    ]
    assert row(trec, *TREC, "--missing=empty")["queries"] == 3
    common = trec.run(*TREC, "--common")
    assert common.code == 0
    assert 'left out: hybrid.trec has no result of 1 case: "q3"' in common.lines


def rewritten(change: str, old: str, new: str) -> str:
    assert re.search(old, change), old
    return re.sub(old, new, change, count=1)


RECORDS = {
    "other judgments": (
        r'("id":"jacket".*?"digest":)"[0-9a-f]+"',
        r'\1"0123456789abcdef"',
    ),
    "other settings": (r'("id":"jacket".*?"settings":{)', r'\1"gain":"linear",'),
    "a case is missing": (
        r'"results":6((?:.|\n)*)\n.*?"id":"laces".*',
        r'"results":5\1',
    ),
    "truncated": (r'(?s)("id":"laces",).*', r"\1"),
}
_BY_JUDGMENTS = "--judgments FILE scores both by the same judgments: a case file, or a judgment file in any format"


_FORMS = "a file of them, a case file or {query: {document: grade}}"


@pytest.mark.parametrize(
    ("what", "says"),
    [
        (
            "other judgments",
            [
                "- the judgments changed in 1 case: ",
                f"\n{_BY_JUDGMENTS}\n--common compares the 5 cases",
            ],
        ),
        (
            "other settings",
            [
                "\n--set NAME=VALUE scores both by one setting, --metric nDCG@10 at one cutoff\n"
            ],
        ),
        (
            "a case is missing",
            [
                '- other.jsonl has no result of 1 case: "laces"\n--common compares the 5 cases'
            ],
        ),
        (
            "truncated",
            [
                "other.jsonl:4: the line is damaged: it is no valid JSON object, ",
                "; fetch or make it again",
            ],
        ),
    ],
)
def test_records_that_cannot_be_compared(
    shop: Terminal, what: str, says: list[str]
) -> None:
    shop.write("other.jsonl", rewritten(shop.read("branch.jsonl"), *RECORDS[what]))
    said = shop.run("compare", "main.jsonl", "other.jsonl", "--max-case-drop=0.1")
    assert (said.code, said.out) == (2, "")
    for part in says:
        assert part in said.err


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["main.jsonl", "shop.relevance.yaml"],
            "shop.relevance.yaml:1: the format of this run is not recognised",
        ),
        (
            ["main.jsonl", "shop.relevance.yaml.baseline.jsonl"],
            "this is not a record: it is a baseline",
        ),
        (
            ["main.jsonl", "branch.json"],
            f"and branch.json has none: give judgments, {_FORMS}; overlap@10 needs none\n{_BY_JUDGMENTS}\n",
        ),
        (
            ["main.jsonl", "branch.jsonl", "--judgments=main.jsonl"],
            "main.jsonl: judgments have columns for the query",
        ),
        (
            ["main.jsonl", "branch.jsonl", "--judgments=broken.yaml"],
            'broken.yaml:1:8: "cases" takes a list',
        ),
        (
            ["main.jsonl", "/dev/null"],
            'argument B: "/dev/null" is no file but a pipe or a device',
        ),
        (
            ["cut.gz", "main.jsonl"],
            "cut.gz: the gzip file ends early, it is truncated; fetch or pack it",
        ),
        (
            ["main.jsonl", "branch.jsonl", "-o", "./main.jsonl"],
            '--output "./main.jsonl" is one of the files that are',
        ),
        (
            ["main.jsonl", "branch.jsonl", "-o", "none/x.md"],
            "none/x.md: cannot be written: No such file or directory",
        ),
        (["main.jsonl", "branch.jsonl", "--metric=AP@x"], "argument --metric: "),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_files_and_options_that_cannot_be_meant(
    shop: Terminal, options: list[str], says: str
) -> None:
    shop.write("broken.yaml", "cases: 7\n")
    shop.write("table.csv", "query,doc_id,alice,grade\nlaces,sku-7,1,2\n")
    Path("cut.gz").write_bytes(gzip.compress(Path("main.jsonl").read_bytes())[:-20])
    before = {name: Path(name).read_bytes() for name in shop.files()}
    said = shop.run("compare", *options)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert {name: Path(name).read_bytes() for name in shop.files()} == before


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            ["--max-drop", "nDCG=x"],
            "argument --max-drop: expected by how much its mean may drop, such as 0.02, found",
        ),
        (
            ["--max-drop", "nDCG@10"],
            'expected a metric and by how much its mean may drop, nDCG@10=0.02, found "nDCG@1',
        ),
        (
            ["--max-drop", "nDGC@10=0.1"],
            "unknown metric 'nDGC@10' (did you mean nDCG?)",
        ),
        (
            ["--max-drop", "RR=0", "--max-drop", "MRR=0.5"],
            "--max-drop is given twice for RR; keep one of them",
        ),
        (
            ["--p", "5", "--max-drop", "RR=0"],
            "p is above 0 and at most 1, such as 0.05, not 5.0",
        ),
        (["--set", "gian=linear"], 'found "gian=linear"; did you mean "gain"?'),
        (["--set", "gain=linera"], "gain is one of exponential, linear"),
        (
            ["--set", "gain=linear", "--set", "gain=exponential"],
            "--set is given twice for gain; keep one of them",
        ),
        (["--set", "max_grade=high"], 'expected a number for max_grade, found "high"'),
        (["--format", "htm"], "argument --format: invalid choice: 'htm'"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_values_that_cannot_be_meant(
    trec: Terminal, options: list[str], says: str
) -> None:
    said = trec.run(*TREC, *options)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert said.err.splitlines()[-1].startswith("pytest-relevance compare: ")


def test_two_records_need_no_reader_of_judgments(shop: Terminal) -> None:
    code = "import sys; from pytest_relevance.cli import main; main(sys.argv[1:]); print(*sys.modules)"
    command = [
        sys.executable,
        "-c",
        code,
        "compare",
        "main.jsonl",
        "branch.jsonl",
        "--max-drop=nDCG@10=0.5",
    ]
    found = subprocess.run(
        command, cwd=shop.folder, capture_output=True, text=True, check=True
    )
    modules = {
        name for name in found.stdout.split() if name.startswith("pytest_relevance.")
    }
    assert "pytest_relevance.ext.comparing.pairing" in modules
    assert not {
        name for name in modules if name.startswith("pytest_relevance.judgments.")
    } - {"pytest_relevance.judgments.scale"}
    assert not {name for name in modules if "rejudging" in name or "evaluate" in name}
