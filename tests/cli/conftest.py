"""A folder with a terminal in it, and two runs of a shop."""

import json
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from pytest_relevance.cli import main
from tests.helpers import only_plugins


@dataclass(frozen=True)
class Said:
    """What a command printed, and its exit code."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> list[str]:
        """The lines of standard output."""
        return self.out.splitlines()

    @property
    def text(self) -> str:
        """Standard output as one line, as if the terminal was very wide."""
        return " ".join(self.out.split())


class Terminal:
    """A person in a folder, who writes files and calls `pytest-relevance`."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def write(self, name: str, text: str) -> Path:
        """Write a file."""
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(text).removeprefix("\n"), encoding="utf-8", newline="")
        return path

    def read(self, name: str) -> str:
        """Read a file."""
        return (self.folder / name).read_text(encoding="utf-8")

    def files(self) -> list[str]:
        """The files in the folder."""
        return sorted(
            path.relative_to(self.folder).as_posix()
            for path in self.folder.rglob("*")
            if path.is_file()
        )

    def run(self, *arguments: str) -> Said:
        """Call `pytest-relevance` with these arguments."""
        code = main(arguments)
        out, err = self._capsys.readouterr()
        return Said(code, out, err)

    def refused(self, *arguments: str) -> str:
        """Call it with arguments that it refuses, and return its complaint."""
        said = self.run(*arguments)
        assert (said.code, said.out) == (2, "")
        return said.err


@pytest.fixture
def terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Terminal:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")
    return Terminal(tmp_path, capsys)


SHOP = r"""
scale: [0, 3]
cases:
  - {query: winter boots, tags: [head, feet], judgments: {sku-1: 3, sku-2: 3, sku-3: 2, sku-4: 0}}
  - {query: rain jacket, id: jacket, tags: [head], judgments: {sku-5: 3, sku-6: 1}}
  - {query: laces, tags: [feet], weight: 3, judgments: {sku-7: 2}}
  - {query: polish, judgments: {sku-4: 3}}
  - {query: "möbel|`c`", judgments: {sku-4: 3, sku-3: 0}}
  - {query: "\e[31mred", judgments: {sku-1: 3, sku-3: 0}}
"""
SEARCH = """
import json, os, pytest

@pytest.fixture
def search():
    with open(f"{os.environ['BRANCH']}.json", encoding="utf-8") as file:
        return json.load(file).__getitem__
"""
MAIN = {
    "winter boots": ["sku-1", "sku-2", "sku-3", "sku-9"],
    "rain jacket": ["sku-6", "sku-8", "sku-5"],
    "laces": ["sku-7"],
    "polish": ["sku-4"],
    "möbel|`c`": ["sku-4"],
    "\x1b[31mred": ["sku-1"],
}
BRANCH = {
    **MAIN,
    "winter boots": ["sku-4", "sku-3", "sku-9", "sku-8"],
    "rain jacket": ["sku-5", "sku-6"],
    "möbel|`c`": ["sku-3", "sku-4"],
    "\x1b[31mred": ["sku-3"],
}


@pytest.fixture(scope="session")
def two_runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which pytest ran twice, with another search the second time.

    It has a record of each run, and a baseline of the first, which the second fails.
    """
    folder = tmp_path_factory.mktemp("two_runs")
    (folder / "shop.relevance.yaml").write_text(SHOP, encoding="utf-8")
    (folder / "conftest.py").write_text(SEARCH, encoding="utf-8")
    for name, found in (("main", MAIN), ("branch", BRANCH)):
        (folder / f"{name}.json").write_text(json.dumps(found), encoding="utf-8")
        options = ["-q", "-pno:cacheprovider", "--rootdir=.", *only_plugins()]
        if name == "main":
            options.append("--relevance-update")
        done = subprocess.run(
            [
                *(sys.executable, "-m", "pytest", "shop.relevance.yaml"),
                *(f"--relevance-record={name}.jsonl", *options),
            ],
            cwd=folder,
            env={**os.environ, "BRANCH": name},
            capture_output=True,
            text=True,
        )
        assert done.returncode == (name == "branch"), done.stdout + done.stderr
    return folder


@pytest.fixture
def shop(two_runs: Path, terminal: Terminal) -> Terminal:
    """A terminal in a folder with what these runs left."""
    shutil.copytree(two_runs, terminal.folder, dirs_exist_ok=True)
    return terminal
