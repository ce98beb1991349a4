"""A folder with logs, and the command `clicks` in it."""

import csv
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_relevance.cli import main


@dataclass(frozen=True)
class Said:
    """What the command printed, and its exit code."""

    code: int
    out: str
    err: str


class Shop:
    """A person in a folder with logs."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.folder = folder
        self._capsys = capsys

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8", newline="")

    def write_rows(self, name: str, rows: Iterable[Sequence[object]]) -> None:
        """Write rows with the five columns of a log."""
        with (self.folder / name).open("w", encoding="utf-8", newline="") as file:
            writer = csv.writer(file)
            writer.writerow(["query", "document", "position", "impressions", "clicks"])
            writer.writerows(rows)

    def write_lines(self, name: str, records: Iterable[object]) -> None:
        """Write JSON Lines."""
        self.write(name, "".join(json.dumps(record) + "\n" for record in records))

    def clicks(self, *arguments: str) -> Said:
        """Call `pytest-relevance clicks`, which writes clicks.csv."""
        code = main(["clicks", *arguments, "-o", "clicks.csv"])
        out, err = self._capsys.readouterr()
        return Said(code, out, err)

    def refused(self, *arguments: str) -> str:
        """Call it with a log that it refuses, and return its complaint."""
        said = self.clicks(*arguments)
        assert (said.code, said.out) == (1, "")
        assert not (self.folder / "clicks.csv").exists()
        return said.err

    def judged(self) -> list[Mapping[str, str]]:
        """The rows of clicks.csv."""
        with (self.folder / "clicks.csv").open(encoding="utf-8", newline="") as file:
            return list(csv.DictReader(file))

    def grades(self) -> dict[tuple[str, str], str]:
        """The grade of each query and document in clicks.csv."""
        return {(row["query"], row["document"]): row["grade"] for row in self.judged()}


@pytest.fixture
def shop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Shop:
    monkeypatch.chdir(tmp_path)
    return Shop(tmp_path, capsys)
