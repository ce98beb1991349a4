"""Damage of a record that shows only in the report: said beside the traceback, as it may be our own mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pytest_relevance.cli import main

RECORD = Path(__file__).parents[1] / "results" / "formats" / "record-2.jsonl"


@pytest.mark.parametrize("command", [["report"], ["report", "--format", "markdown"]], ids=" ".join)
def test_damage_that_shows_late(command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    header, first, *lines = RECORD.read_text().splitlines()
    path = tmp_path / "run.jsonl"
    path.write_text("\n".join([header, json.dumps({**json.loads(first), "irrelevant_top": [[1]]}), *lines, ""]))
    assert main([*command, str(path)]) == 2
    err = capsys.readouterr().err
    assert err.startswith("Traceback (most recent call last):")
    assert err.splitlines()[-1].startswith(
        f"pytest-relevance {command[0]}: a record is damaged, and has to be made again"
    )
