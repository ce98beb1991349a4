"""The files that options of a run name, with what checks and writes them.

The files are checked before the run. Every module with such an option imports this
module, so it imports nothing heavy.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

WhyKept = Callable[[bytes], "str | None"]
"""Returns why a file with this content must not be replaced; None if it may."""


@dataclass(frozen=True, slots=True)
class Message:
    """A sentence for the end of the run.

    `is_good`: false if the sentence is about a failure.
    `page`: the HTML report, if the sentence says that it was written.
    """

    text: str
    is_good: bool = True
    page: str = ""


def _why_no_report(data: bytes) -> str | None:
    """Return why a file must not be replaced by a report; None if it may."""
    from pytest_relevance.reports.formats import is_report

    if not data.strip() or is_report(data):
        return None
    return "exists and is not a report; name another file"


@dataclass(frozen=True, slots=True)
class OutputFile:
    """A kind of file that the option `--relevance-{name}` names.

    `why_kept`: returns why a file with some content must not be replaced.
    `unwritten`: what the run says if no test ran and the file is not written; "" for
        nothing.
    `is_page`: whether the file is a report to open in a browser.
    """

    name: str
    why_kept: WhyKept = _why_no_report
    unwritten: str = "no test ran"
    is_page: bool = False

    def given(self, option: Any) -> str | None:
        """Return the value of the option; None if the option is not given."""
        value: str | None = getattr(option, self.dest, None)
        return value

    @property
    def dest(self) -> str:
        """Return the name under which pytest keeps the value of the option."""
        return f"relevance_{self.name}"


@dataclass(frozen=True, slots=True)
class Target:
    """A file that an option names, to be written at the end of the run.

    `path`: its absolute path.
    `shown`: its name in messages.
    """

    file: OutputFile
    path: Path
    shown: str

    @classmethod
    def of(cls, file: OutputFile, config: pytest.Config) -> Target | None:
        """Return the file that an option names, unchecked; None if it names none."""
        from pytest_relevance._text import harmless

        given = file.given(config.option)
        if not given:
            return None
        path = Path(os.path.abspath(os.path.expanduser(given)))
        return cls(file, path, shown=harmless(given))

    def problem(self) -> str | None:
        """Return why the file must not be written, and what to do; None if it may."""
        from pytest_relevance._files import is_read_only
        from pytest_relevance._text import harmless

        target = Path(os.path.realpath(self.path))
        if target.is_dir():
            return f"{self.shown} is a folder; name a file in it"
        if not target.parent.is_dir():
            return f"there is no folder {harmless(str(target.parent))}; make it, or name a file in another one"
        if not os.access(target.parent, os.W_OK) or is_read_only(target):
            return f"{self.shown} may not be written; see to its permissions, or name another file"
        # a file that does not exist, or a pipe, has no content to lose
        if not target.is_file():
            return None
        try:
            data = target.read_bytes()
        except OSError as error:
            return f"{self.shown} cannot be read: {error.strerror or error}"
        reason = self.file.why_kept(data)
        return f"{self.shown} {reason}" if reason else None

    def write(self, write: Callable[[Path], None]) -> str | None:
        """Write the file by the function `write`. Return why that failed, or None.

        The file is checked again before, because it may have changed during the run.
        """
        problem = self.problem()
        if problem is not None:
            return problem
        try:
            write(self.path)
        except OSError as error:
            return f"{self.shown} cannot be written: {error.strerror or error}"
        return None

    def write_report(self, report: str) -> Message:
        """Write the text of a report. Return a message about success or failure."""
        from pytest_relevance._files import write_whole

        data = report.encode("utf-8", "backslashreplace")
        problem = self.write(lambda path: write_whole(path, data))
        if problem is None:
            page = self.shown if self.file.is_page else ""
            return Message(f"report: {self.shown}", page=page)
        return Message(f"no report: {problem}", is_good=False)


def _why_no_record(data: bytes) -> str | None:
    """Return why a file must not be replaced by a record; None if it may."""
    from pytest_relevance.results.records.json_lines import is_record
    from pytest_relevance.results.records.record_file import RECORDS

    if not data.strip() or is_record(data):
        return None
    return f"exists and is not a {RECORDS}; name another file"


RECORD = OutputFile("record", _why_no_record)


def files_of_options(config: pytest.Config, option: Any) -> list[OutputFile]:
    """Return the kinds of files that options name.

    `option`: the options. Some may be missing, if an error ended their reading.
    """
    files = []
    for named in config.hook.pytest_relevance_outputs():
        for file in named:
            if file.given(option) is not None:
                files.append(file)
    return files


def check_files(files: Sequence[OutputFile], config: pytest.Config) -> None:
    """Check the files that options name, before the run.

    Raises UsageError for a file that cannot or must not be written, and for two options
    that name the same file.
    """
    names: dict[str, str] = {}
    for file in files:
        target = Target.of(file, config)
        if target is None:
            raise _unusable(file, config, "the name of the file is empty")
        problem = target.problem()
        if problem:
            raise _unusable(file, config, problem)
        other = names.setdefault(os.path.realpath(target.path), file.name)
        # several outputs can be written to one pipe or device, but not to one file
        if other != file.name and (target.path.is_file() or not target.path.exists()):
            raise pytest.UsageError(
                f"--relevance-{other} and --relevance-{file.name} name the same file, {target.shown}; name two files"
            )


def _unusable(
    file: OutputFile, config: pytest.Config, problem: str
) -> pytest.UsageError:
    """Return the error about an option whose file cannot be written."""
    from pytest_relevance._text import harmless

    given = harmless(file.given(config.option) or "")
    return pytest.UsageError(f"--relevance-{file.name}={given}: {problem}")
