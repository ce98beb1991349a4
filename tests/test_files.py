"""Files are replaced whole, and nothing of a killed run stays beside them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from pytest_relevance import Run, RunInfo

if TYPE_CHECKING:
    from pathlib import Path

KILLED = """
import os, sys
os.replace = lambda *names: os._exit(9)
from pytest_relevance import Run
Run([]).write(sys.argv[1])
"""


def test_the_next_write_of_a_target_removes_what_a_killed_process_left(tmp_path: Path) -> None:
    for name in ("run.jsonl", "other.jsonl"):
        subprocess.run([sys.executable, "-c", KILLED, tmp_path / name], check=False)
    assert len(list(tmp_path.iterdir())) == 2
    (tmp_path / ".run.jsonl.notes.tmp").write_text("of somebody else")
    Run([]).write(tmp_path / "run.jsonl")
    names = sorted(path.name for path in tmp_path.iterdir())
    assert [name[: len(".other.jsonl.")] for name in names] == [".other.jsonl.", ".run.jsonl.no", "run.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not remove an open file")
def test_a_temporary_file_that_is_being_written_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace = os.replace

    def write_meanwhile(*names: Any) -> None:
        monkeypatch.setattr(os, "replace", replace)
        Run([], info=RunInfo("another")).write(tmp_path / "run.jsonl")
        replace(*names)

    monkeypatch.setattr(os, "replace", write_meanwhile)
    Run([], info=RunInfo("this")).write(tmp_path / "run.jsonl")
    assert [Run.open(path).info.program for path in tmp_path.iterdir()] == ["this"]


def test_a_file_that_another_process_holds_for_a_moment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    replace, refusals = os.replace, [PermissionError(13, "held"), PermissionError(13, "held")]

    def held(*names: Any) -> None:
        if refusals:
            raise refusals.pop()
        replace(*names)

    monkeypatch.setattr(os, "replace", held)
    Run([]).write(tmp_path / "run.jsonl")
    assert len(Run.open(tmp_path / "run.jsonl")) == 0


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_of_the_umask_which_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mask: int
) -> None:
    before = os.umask(mask)
    try:
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("it is that of all threads"))
        Run([]).write(tmp_path / "new")
        (tmp_path / "old").touch(0o640)
        Run([]).write(tmp_path / "old")
    finally:
        monkeypatch.undo()
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new", "old")]
    assert modes == [0o666 & ~mask, 0o640 & ~mask]
