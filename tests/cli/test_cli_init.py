"""`pytest-relevance init`: the first suite of a new user runs as it was written."""

from __future__ import annotations

import re
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


def test_the_example_passes_at_once(terminal: Terminal) -> None:
    said = terminal.run("init", "relevance")
    assert (said.code, said.err) == (0, "")
    *written, _, last = said.lines
    assert last == "Next: pytest relevance"
    assert sorted(line.removeprefix("written: ") for line in written) == [
        "relevance/conftest.py",
        "relevance/relevance.schema.json",
        "relevance/search.relevance.yaml",
    ]
    suite = terminal.read("relevance/search.relevance.yaml")
    assert suite.startswith(f"{NAMES_ITS_SCHEMA}\n")
    schema = terminal.read("relevance/relevance.schema.json")
    assert schema == terminal.run("schema").out
    code, printed = run_written_suite()
    assert code == 0, printed
    assert "3 passed" in printed


def run_written_suite() -> tuple[int, str]:
    """Run the suite in `relevance`, and return the exit code and the output."""
    options = ["relevance", "-pno:cacheprovider", *only_plugins()]
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *options], capture_output=True, text=True
    )
    return done.returncode, done.stdout


def test_the_questions_to_an_assistant_pass_at_once_and_fail_as_the_file_says(
    terminal: Terminal,
) -> None:
    said = terminal.run("init", "relevance", "--assistant")
    assert (said.code, said.err) == (0, "")
    assert terminal.files() == [
        "relevance/assistant.relevance.yaml",
        "relevance/conftest.py",
        "relevance/relevance.schema.json",
    ]
    code, printed = run_written_suite()
    assert code == 0, printed
    assert "3 passed" in printed
    conftest = terminal.read("relevance/conftest.py")
    (line,) = re.findall(
        "^LENGTH = 200  # .* To see a test fail, write 70:.*$", conftest, re.M
    )
    terminal.write("relevance/conftest.py", conftest.replace(line, "LENGTH = 70"))
    code, printed = run_written_suite()
    assert code == 1, printed
    assert "3 failed" in printed
    assert "free for orders above 60 euros" in printed


def test_a_suite_of_three_lines_around_a_judgment_file(terminal: Terminal) -> None:
    terminal.write("data/shop.csv", JUDGED)
    said = terminal.run("init", "tests/relevance", "--judgments", "data/shop.csv")
    assert said.code == 0
    assert said.lines[-2].startswith("2 cases with 4 judgments. What is missing is ")
    assert said.lines[-1] == "Next: pytest tests/relevance"
    first, *lines = terminal.read("tests/relevance/search.relevance.yaml").splitlines()
    assert first == NAMES_ITS_SCHEMA
    assert len(lines) == 5  # docs/reference/commands.md: six lines, and the schema
    keys = [line for line in lines if not line.startswith("#")]
    assert [line.partition("  ")[0] for line in keys] == [
        'judgments: "../../data/shop.csv"',
        'queries: "../../data/shop.csv"',
        "min_ndcg: 0.3",
    ]
    suite = read_suite("tests/relevance/search.relevance.yaml")
    assert [case.query for case in suite.cases] == ["winter boots", "laces"]


@pytest.mark.parametrize("options", [(), ("--scale", "0..100")])
def test_grades_too_high_for_the_default_gain_get_another(
    terminal: Terminal, options: tuple[str, ...]
) -> None:
    terminal.write("shop.csv", "query,docid,rating\nboots,a,100\nboots,b,10\n")
    said = terminal.run("init", "relevance", "--judgments", "shop.csv", *options)
    assert (said.code, said.err) == (0, "")
    suite = read_suite("relevance/search.relevance.yaml")
    assert suite.terms.settings.gain == "linear"
    assert suite.cases[0].judgments == {"a": 100, "b": 10}


def test_a_scale_raters_and_a_format_are_written_down(terminal: Terminal) -> None:
    terminal.write(
        "rows.txt", "query,doc_id,grade\nboots,a,good\nboots,a,bad\nboots,b,bad\n"
    )
    said = terminal.run(
        *("init", "relevance", "--judgments", "rows.txt", "--format", "csv"),
        *("--scale", "good=2,bad=0", "--raters", "max"),
    )
    assert said.code == 0
    text = terminal.read("relevance/search.relevance.yaml")
    assert 'judgments: {file: "../rows.txt", format: csv}\n' in text
    assert "scale: {good: 2, bad: 0}\nraters: max\n" in text
    (case,) = read_suite("relevance/search.relevance.yaml").cases
    assert case.judgments == {"a": 2, "b": 0}


def test_beside_a_conftest_the_suite_of_an_assistant_is_written_by_hand(
    terminal: Terminal,
) -> None:
    terminal.write("relevance/conftest.py", "mine\n")
    said = terminal.run("init", "relevance", "--assistant")
    assert said.code == 1
    assert said.err.endswith(
        "write it by hand: questions and passages in assistant.relevance.yaml\n"
    )


@pytest.mark.parametrize("arguments", [(), ("--judgments", "shop.csv")])
@pytest.mark.parametrize(
    ("there", "advice"),
    [
        ("conftest.py", "to add a suite beside relevance/conftest.py, write it by "),
        ("search.relevance.yaml", "name a folder that is not there yet"),
    ],
)
def test_nothing_is_overwritten(
    terminal: Terminal, there: str, advice: str, arguments: tuple[str, ...]
) -> None:
    terminal.write(f"relevance/{there}", "mine\n")
    terminal.write("shop.csv", JUDGED)
    said = terminal.run("init", "relevance", *arguments)
    assert (said.code, said.out) == (1, "")
    begins = f"relevance/{there}: is there already, and nothing was written; {advice}"
    assert said.err.startswith(begins)
    assert terminal.files() == [f"relevance/{there}", "shop.csv"]
    assert terminal.read(f"relevance/{there}") == "mine\n"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--judgments", "none.csv"), 'there is no file "none.csv"'),
        (("--queries", "shop.csv"), "--queries goes with --judgments"),
        (("--name", "a/b"), 'a name is that of a file, without folders, found "a/b"'),
        (("--name", ""), "a name is that of a file"),
        (
            ("--assistant", "--judgments", "shop.csv"),
            "--assistant writes questions of its own, and --judgments those of a file",
        ),
    ],
)
def test_mistakes_at_the_command_line(
    terminal: Terminal, arguments: tuple[str, ...], says: str
) -> None:
    terminal.write("shop.csv", JUDGED)
    assert says in terminal.refused("init", "relevance", *arguments)
    assert terminal.files() == ["shop.csv"]
