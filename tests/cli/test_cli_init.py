"""`pytest-relevance init`: the first suite of a new user runs as it was written."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import read_suite
from tests.helpers import only_plugins

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

JUDGED = """
    query,docid,rating
    winter boots,sku-1,3
    winter boots,sku-4,0
    laces,sku-6,2
    laces,sku-1,0
"""


NAMES_ITS_SCHEMA = "# yaml-language-server: $schema=relevance.schema.json"


def run_pytest(
    terminal: Terminal, folder: str, *options: str
) -> subprocess.CompletedProcess[str]:
    """`pytest FOLDER`, as the command says."""
    command = [
        sys.executable,
        "-m",
        "pytest",
        folder,
        "-pno:cacheprovider",
        *only_plugins(),
        *options,
    ]
    return subprocess.run(
        command, cwd=terminal.folder, capture_output=True, text=True, check=False
    )


def test_the_example_passes_at_once(terminal: Terminal) -> None:
    said = terminal.run("init", "relevance")
    assert (said.code, said.err) == (0, "")
    assert said.lines == [
        "written: relevance/search.relevance.yaml",
        "written: relevance/conftest.py",
        "written: relevance/relevance.schema.json",
        "They pass as they are, with a toy for a search. Put yours in its place, and write your own cases.",
        "Next: pytest relevance",
    ]
    assert terminal.files() == sorted(
        line.removeprefix("written: ") for line in said.lines[:3]
    )
    assert terminal.read("relevance/search.relevance.yaml").startswith(
        f"{NAMES_ITS_SCHEMA}\n"
    )
    assert (
        terminal.read("relevance/relevance.schema.json") == terminal.run("schema").out
    )
    done = run_pytest(terminal, "relevance")
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_a_suite_of_three_lines_around_a_judgment_file(terminal: Terminal) -> None:
    terminal.write("data/shop.csv", JUDGED)
    said = terminal.run("init", "tests/relevance", "--judgments", "data/shop.csv")
    assert said.code == 0
    assert said.lines[-2:] == [
        "2 cases with 4 judgments. What is missing is your search: write it in conftest.py.",
        "Next: pytest tests/relevance",
    ]
    first, *lines = terminal.read("tests/relevance/search.relevance.yaml").splitlines()
    assert first == NAMES_ITS_SCHEMA
    assert len(lines) == 5  # docs/reference/commands.md: six lines, and the schema
    assert "tests/relevance/relevance.schema.json" in terminal.files()
    lines = [line for line in lines if line[0] != "#"]
    assert lines[:2] == [
        'judgments: "../../data/shop.csv"',
        'queries: "../../data/shop.csv"',
    ]
    assert lines[2].startswith("min_ndcg: 0.3 ")
    assert len(lines) == 3
    suite = read_suite("tests/relevance/search.relevance.yaml")
    assert [case.query for case in suite.cases] == ["winter boots", "laces"]


def test_ids_alone_need_a_file_of_queries(terminal: Terminal) -> None:
    terminal.write("qrels.txt", "q1 0 sku-1 3\nq1 0 sku-2 0\n")
    terminal.write("ids.csv", "query_id,doc_id,grade\nq1,sku-1,3\n")
    for name in ("qrels.txt", "ids.csv"):
        said = terminal.run("init", "relevance", "--judgments", name)
        assert (said.code, said.out) == (2, "")
        assert said.err.startswith(
            f"{name}: it has the ids of queries, and their texts are needed; name the file"
        )
    assert terminal.files() == ["ids.csv", "qrels.txt"]


@pytest.mark.parametrize("options", [(), ("--scale", "0..100")])
def test_grades_too_high_for_the_default_gain_get_another(
    terminal: Terminal, options: tuple[str, ...]
) -> None:
    terminal.write(
        "shop.csv",
        "query,docid,rating\nboots,a,100\nboots,b,10\nlaces,c,1\nlaces,d,0\n",
    )
    said = terminal.run("init", "relevance", "--judgments", "shop.csv", *options)
    assert (said.code, said.err) == (0, "")
    assert "\ngain: linear    # " in terminal.read("relevance/search.relevance.yaml")
    suite = read_suite("relevance/search.relevance.yaml")
    assert suite.terms.settings.gain == "linear"
    assert suite.cases[0].judgments == {"a": 100, "b": 10}


def test_a_scale_raters_and_a_format_are_written_down(terminal: Terminal) -> None:
    terminal.write(
        "rows.txt", "query,doc_id,grade\nboots,a,good\nboots,a,bad\nboots,b,bad\n"
    )
    arguments = (
        "--judgments",
        "rows.txt",
        "--scale",
        "good=2,bad=0",
        "--raters",
        "max",
        "--format",
        "csv",
    )
    said = terminal.run("init", "relevance", *arguments)
    assert said.code == 0
    text = terminal.read("relevance/search.relevance.yaml")
    assert 'judgments: {file: "../rows.txt", format: csv}\n' in text
    assert "scale: {good: 2, bad: 0}\nraters: max\n" in text
    (case,) = read_suite("relevance/search.relevance.yaml").cases
    assert case.judgments == {"a": 2, "b": 0}


@pytest.mark.parametrize(
    ("there", "advice"),
    [
        (
            "relevance/conftest.py",
            "to add a suite beside relevance/conftest.py, write it by hand",
        ),
        ("relevance/search.relevance.yaml", "name a folder that is not there yet"),
    ],
)
def test_nothing_is_overwritten(terminal: Terminal, there: str, advice: str) -> None:
    terminal.write(there, "mine\n")
    terminal.write("shop.csv", JUDGED)
    for arguments in ((), ("--judgments", "shop.csv")):
        said = terminal.run("init", "relevance", *arguments)
        assert (said.code, said.out) == (1, "")
        assert said.err.startswith(
            f"{there}: is there already, and nothing was written; {advice}"
        )
    assert terminal.files() == sorted([there, "shop.csv"])
    assert terminal.read(there) == "mine\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--judgments", "none.csv"), 'there is no file "none.csv"'),
        (("--queries", "shop.csv"), "--queries goes with --judgments"),
        (("--name", "a/b"), 'a name is that of a file, without folders, found "a/b"'),
        (("--name", ""), "a name is that of a file"),
    ],
)
def test_mistakes_at_the_command_line(
    terminal: Terminal, arguments: tuple[str, ...], says: str
) -> None:
    terminal.write("shop.csv", JUDGED)
    said = terminal.run("init", "relevance", *arguments)
    assert (said.code, said.out) == (2, "")
    assert says in said.err
    assert terminal.files() == ["shop.csv"]
