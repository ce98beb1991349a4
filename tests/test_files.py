"""Files are replaced whole."""

from __future__ import annotations

import os
import stat
import sys
from typing import TYPE_CHECKING

import pytest

from pytest_relevance import Run

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no umask")
@pytest.mark.parametrize("mask", [0o022, 0o077])
def test_a_new_file_has_the_permissions_of_the_umask_which_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mask: int
) -> None:
    before = os.umask(mask)
    try:
        monkeypatch.setattr(
            os, "umask", lambda mask: pytest.fail("it is that of all threads")
        )
        Run([]).write(tmp_path / "new")
        (tmp_path / "old").touch(0o640)
        Run([]).write(tmp_path / "old")
    finally:
        monkeypatch.undo()
        os.umask(before)
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("new", "old")]
    assert modes == [0o666 & ~mask, 0o640 & ~mask]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no file's size")
def test_a_full_disk_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    import resource

    (tmp_path / "old").write_text("old")
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(
        resource.RLIMIT_FSIZE, (10, limits[1])
    )  # what is left to write cannot be written at closing either
    try:
        with pytest.raises(OSError, match="File too large"):
            Run([]).write(tmp_path / "old")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [(path.name, path.read_text()) for path in tmp_path.iterdir()] == [
        ("old", "old")
    ]
