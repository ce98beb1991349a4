"""A file that a run writes at its end: refused before the run where it is plain that it cannot be written, or must not.

That it cannot be written after all is a failure of the run. A worker of pytest-xdist writes nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from pytest_relevance._files import is_read_only
from pytest_relevance.reports.text import harmless

WhyKept = Callable[[bytes], "str | None"]
"""Why a file of this content is not overwritten; None where it may be."""

_NOTHING_RUNS = ("collectonly", "setuponly", "setupplan")
_WITHOUT_FAILURE = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def runs_tests(config: pytest.Config) -> bool:
    """Whether tests are run, and not merely listed."""
    return not any(config.getoption(name, False) for name in _NOTHING_RUNS)


def ended_well(exitstatus: int | pytest.ExitCode) -> bool:
    """Whether nothing failed so far."""
    return exitstatus in _WITHOUT_FAILURE


@dataclass(frozen=True, slots=True)
class Target:
    """The file, and what the user calls it. `why_kept` is asked about a file that is there."""

    path: Path
    shown: str
    why_kept: WhyKept

    @classmethod
    def of(cls, option: str, file: str, why_kept: WhyKept) -> Target:
        """The target that an option names. UsageError where it is plain by now that there is trouble with it."""
        path = Path(os.path.abspath(os.path.expanduser(file)))
        target = cls(path, harmless(file), why_kept)
        trouble = target.trouble() if file else "the name of the file is empty"
        if trouble is not None:
            raise pytest.UsageError(f"{option}={harmless(file)}: {trouble}")
        return target

    def trouble(self) -> str | None:
        """Why it cannot be written, or must not be, and what to do; None where nothing is known."""
        target = Path(os.path.realpath(self.path))
        if target.is_dir():
            return f"{self.shown} is a folder; name a file in it"
        if not target.parent.is_dir():
            return f"there is no folder {harmless(str(target.parent))}; make it, or name a file in another one"
        if not os.access(target.parent, os.W_OK) or is_read_only(target):
            return f"{self.shown} may not be written; see to its permissions, or name another file"
        if not target.is_file():  # there is none yet, or it is nothing that could be lost, such as a pipe
            return None
        try:
            reason = self.why_kept(target.read_bytes())
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        return reason and f"{self.shown} {reason}"

    def write(self, write: Callable[[Path], None]) -> str | None:
        """Write it; what kept it from being written. Somebody may have seen to the file meanwhile."""
        trouble = self.trouble()
        if trouble is None:
            try:
                write(self.path)
            except OSError as error:
                trouble = f"{self.shown} cannot be written: {error.strerror or error}"
        return trouble
