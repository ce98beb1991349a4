"""`Target`: an output file of a run, checked before the run so that an unusable file is refused at once.

If it cannot be written at the end, the run fails. A worker of pytest-xdist writes nothing.
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
"""Returns the reason not to overwrite a file with this content, or None if it may be overwritten."""

_NOTHING_RUNS = ("collectonly", "setuponly", "setupplan")
_WITHOUT_FAILURE = (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED)


def runs_tests(config: pytest.Config) -> bool:
    """Whether tests are run, not only listed or set up."""
    return not any(config.getoption(name, False) for name in _NOTHING_RUNS)


def ended_well(exitstatus: int | pytest.ExitCode) -> bool:
    """Whether the exit status is one without a failure."""
    return exitstatus in _WITHOUT_FAILURE


@dataclass(frozen=True, slots=True)
class Target:
    """An output file; `shown` is its name for messages. `why_kept` is called with the content of an existing file."""

    path: Path
    shown: str
    why_kept: WhyKept

    @classmethod
    def of(cls, option: str, file: str, why_kept: WhyKept) -> Target:
        """Return the target that an option names. Raises UsageError where the file cannot or must not be written."""
        path = Path(os.path.abspath(os.path.expanduser(file)))
        target = cls(path, harmless(file), why_kept)
        trouble = target.trouble() if file else "the name of the file is empty"
        if trouble is not None:
            raise pytest.UsageError(f"{option}={harmless(file)}: {trouble}")
        return target

    def trouble(self) -> str | None:
        """Return why the file cannot or must not be written, and what to do; None if no reason is known."""
        target = Path(os.path.realpath(self.path))
        if target.is_dir():
            return f"{self.shown} is a folder; name a file in it"
        if not target.parent.is_dir():
            return f"there is no folder {harmless(str(target.parent))}; make it, or name a file in another one"
        if not os.access(target.parent, os.W_OK) or is_read_only(target):
            return f"{self.shown} may not be written; see to its permissions, or name another file"
        if not target.is_file():  # the file does not exist, or has no content to lose, as a pipe
            return None
        try:
            reason = self.why_kept(target.read_bytes())
        except OSError as error:
            reason = f"cannot be read: {error.strerror or error}"
        return reason and f"{self.shown} {reason}"

    def write(self, write: Callable[[Path], None]) -> str | None:
        """Write the file with the function `write`; return why that failed, or None.

        The target is checked again first, as it may have changed during the run.
        """
        trouble = self.trouble()
        if trouble is None:
            try:
                write(self.path)
            except OSError as error:
                trouble = f"{self.shown} cannot be written: {error.strerror or error}"
        return trouble
