"""Input and output of commands: text for any terminal encoding, raw bytes, and files."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from pytest_relevance._files import write_whole
from pytest_relevance._text import quoted
from pytest_relevance.cli.command_table import PROGRAM, CommandError
from pytest_relevance.reports.text import Line, plain

if TYPE_CHECKING:
    from pytest_relevance.results.run import Run


def survive_any_text() -> None:
    """Make standard output and error escape the characters that their encoding lacks, instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def complain(message: str) -> None:
    """Print a message to standard error."""
    print(message, file=sys.stderr)


def show(lines: Iterable[Line]) -> None:
    """Print the lines of a report to standard output, without colours."""
    print(plain(lines))


def put(data: bytes) -> None:
    """Write bytes to standard output unchanged, independent of the encoding of the terminal."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


def read_run_record(path: Path) -> Run:
    """Read the record of a run. Raises `CommandError` where it is not valid."""
    from pytest_relevance.results.run import Run
    from pytest_relevance.results.run_info import RecordError

    try:
        return Run.open(path)
    except RecordError as error:
        raise CommandError(str(error)) from None


def refuse_to_replace(command: str, target: str, is_own: Callable[[bytes], bool], what: str) -> None:
    """Raise `CommandError` where the target is a non-empty file that `command` did not write (`is_own` returns false).

    `what` describes such a file in the message, for example `no record`.
    """
    if os.path.isfile(target) and (data := Path(target).read_bytes()).strip() and not is_own(data):
        raise CommandError(f"{PROGRAM} {command}: --output {quoted(target)} is there, and is {what}; name another file")


def write(path: str | Path, data: bytes) -> None:
    """Write a file atomically. Raises `CommandError` where it cannot be written."""
    try:
        write_whole(path, data)
    except OSError as error:
        raise CommandError(f"{path}: cannot be written: {error.strerror or error}") from None
