"""`pytest-relevance` itself: help, mistakes, exit codes, and how little it imports."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import __version__
from pytest_relevance.cli import ABOUT, main

if TYPE_CHECKING:
    from tests.cli.conftest import Terminal


def test_the_installed_command_is_this_one() -> None:
    (script,) = entry_points(group="console_scripts", name="pytest-relevance")
    assert script.load() is main


def test_help_says_what_each_command_does_in_a_line(terminal: Terminal) -> None:
    said = terminal.run("--help")
    assert said.code == 0
    words = " ".join(said.out.split())
    assert all(f" {name} {does} " in words for name, does in ABOUT.items())
    assert max(map(len, said.lines)) <= 100
    assert terminal.refused() == said.out  # no command


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("rater", "x.csv"), "argument COMMAND: invalid choice: 'rater'"),
        (("schema", "--ouput=x"), "unrecognized arguments: --ouput=x"),
        (("schema", "x"), "unrecognized arguments: x"),
        *((("x",), name) for name in ABOUT),  # all are told
    ],
)
def test_what_there_is_not_is_named(
    terminal: Terminal, arguments: tuple[str, ...], says: str
) -> None:
    assert says in terminal.refused(*arguments)


@pytest.mark.parametrize("columns", [80, 140])
@pytest.mark.parametrize("name", ABOUT)
def test_help_fits_the_terminal(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, name: str, columns: int
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    said = terminal.run(name, "--help")
    lines = said.lines
    assert said.code == 0
    assert lines[0].startswith(f"usage: pytest-relevance {name}")
    assert ABOUT[name][1:] in " ".join(said.out.split())
    assert max(map(len, lines)) <= columns
    schema = "  # yaml-language-server: $schema=relevance.schema.json"
    assert (schema in lines) == (name == "schema")


def test_the_schema_of_case_files(terminal: Terminal) -> None:
    """Printed, or written to a file, again after an upgrade."""
    said = terminal.run("schema")
    assert (said.code, said.err) == (0, "")
    of_case = json.loads(said.out)["$defs"]["case"]["properties"]
    assert {"query", "judgments", "min_ndcg"} <= of_case.keys()
    terminal.write("x.json", '{"title": "pytest-relevance case file"}')
    assert terminal.run("schema", "--output", "x.json").out == "written: x.json\n"
    assert terminal.read("x.json") == said.out


@pytest.mark.parametrize(
    ("argument", "code", "says"),
    [("--version", 0, f"pytest-relevance {__version__}\n"), ("nothing-like-it", 2, "")],
)
def test_it_is_a_program(argument: str, code: int, says: str) -> None:
    command = [sys.executable, "-m", "pytest_relevance", argument]
    done = subprocess.run(command, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (code, says)


def test_importing_it_imports_nothing_heavy() -> None:
    script = "import sys, pytest_relevance.cli; pytest_relevance.cli.main(['--help']); print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    modules = set(done.stdout.splitlines()[-1].split())
    assert not modules & {"numpy", "pandas", "yaml", "pytest"}
    assert not any(
        name.startswith(("pytest_relevance.cases", "pytest_relevance.judgments"))
        for name in modules
    )


@pytest.mark.skipif(sys.platform == "win32", reason="pipes break in another way there")
def test_a_reader_who_has_read_enough_is_no_mistake() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "pytest_relevance", "schema"]
    done = subprocess.run(
        command, stdout=writer, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(writer)
    assert (done.returncode, done.stderr) == (141, "")


def test_an_interrupt_is_quiet(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Keyboard(io.StringIO):
        @property
        def buffer(self) -> io.BytesIO:
            raise KeyboardInterrupt

    monkeypatch.setattr("sys.stdin", Keyboard())
    said = terminal.run("convert", "-", "out.jsonl")
    assert (said.code, said.out, said.err) == (130, "", "")
