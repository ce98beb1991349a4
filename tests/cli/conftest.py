"""What these tests share: a folder to work in, and the door as somebody at a terminal sees it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import pytest

from pytest_relevance.cli import main


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
        return sorted(path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file())

    def run(self, *arguments: str) -> Said:
        """Call `pytest-relevance` with these arguments."""
        code = main(arguments)
        out, err = self._capsys.readouterr()
        return Said(code, out, err)


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Terminal:
    monkeypatch.chdir(tmp_path)
    return Terminal(tmp_path, capsys)
