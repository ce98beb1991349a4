"""What commands write over: nothing but what they have written themselves."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pytest_relevance import Run, RunInfo
from tests.helpers import result_of

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal

THEIRS = {
    "shop.relevance.yaml": "cases: [{query: boots, judgments: {a: 3}}]\n",
    "conftest.py": "def search(query: str) -> list[str]:\n    return []\n",
    "page.md": "### a -> b\n\nWhat 2 cases compared look like.\n",
    "prices.json": '{"kind": "shop", "title": "prices"}\n',
}

COMMANDS = {
    "schema": (("schema",), "no schema of case files"),
    "compare": (
        ("compare", "old.json", "new.json", "--judgments", "shop.qrels"),
        "no report",
    ),
    "report": (("report", "run.jsonl"), "no report"),
    "history": (("history", "run.jsonl"), "no report"),
    "merge": (("merge", "run.jsonl"), "no record of version 3 or before"),
}


@pytest.fixture
def shop(terminal: Terminal) -> Terminal:
    terminal.write("old.json", '{"q1": ["a", "b"]}')
    terminal.write("new.json", '{"q1": ["b", "a"]}')
    terminal.write("shop.qrels", "q1 0 a 3\nq1 0 b 1\n")
    case = {"query": "q1", "judgments": {"a": 3, "b": 1}}
    result = result_of(case, ["b", "a"], file="shop.relevance.yaml")
    info = RunInfo(started="2026-11-22T08:03:11+00:00")
    Run([result], info=info).write(terminal.folder / "run.jsonl")
    return terminal


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("theirs", THEIRS)
def test_a_file_of_somebody_else_stays(
    shop: Terminal, command: str, theirs: str
) -> None:
    shop.write(theirs, THEIRS[theirs])
    arguments, what = COMMANDS[command]
    says = f'{command}: --output "{theirs}" exists, and is {what}; name another file'
    assert says in shop.refused(*arguments, "--output", theirs)
    assert shop.read(theirs) == THEIRS[theirs]


@pytest.mark.parametrize("command", ["compare", "history"])
@pytest.mark.parametrize("name", ["report.md", "report.txt", "report.json"])
def test_a_report_replaces_one(shop: Terminal, name: str, command: str) -> None:
    arguments, _ = COMMANDS[command]
    for before in ("report.md", "report.txt", "report.json"):
        assert shop.run(*arguments, "--output", before).code == 0
        (shop.folder / before).replace(shop.folder / name)
        assert shop.run(*arguments, "--output", name).code == 0
    shop.write(name, "")
    assert shop.run(*arguments, "--output", name).code == 0
    assert shop.read(name)
