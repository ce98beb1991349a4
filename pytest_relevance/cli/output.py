"""What commands print and write, and the files that they refuse to replace."""

from __future__ import annotations

import io
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from pytest_relevance._files import write_whole
from pytest_relevance._text import harmless, listed, quoted
from pytest_relevance.cli.command import FOUND, PROGRAM, CommandError
from pytest_relevance.reports.formats import MARKDOWN, TEXT
from pytest_relevance.reports.styled_lines import Line, plain_text
from pytest_relevance.reports.workflow_commands import safe_output

# --- standard output and error --------------------------------------------------------


def escape_unencodable() -> None:
    """Make standard output and error escape characters that their encoding lacks."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def complain(message: str) -> None:
    """Print a message to standard error."""
    print(safe_output(message), file=sys.stderr)


def say(text: object, end: str = "\n") -> None:
    """Print text to standard output. Workflow commands of GitHub are broken up."""
    print(safe_output(str(text)), end=end)


def show(lines: Iterable[Line]) -> None:
    """Print the lines of a report to standard output, without colours."""
    say(plain_text(lines))


def put(data: bytes) -> None:
    """Write bytes to standard output, whatever its encoding is."""
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()


# --- files ----------------------------------------------------------------------------


def check_output(
    arguments: Namespace,
    inputs: Iterable[Path | None],
    *,
    is_own: Callable[[bytes], bool],
    otherwise: str,
) -> None:
    """Raise `CommandError` if the file of `--output` must not be written.

    It must not be a file that the command reads, nor an existing file of another kind
    than the command writes.
    `inputs`: the files that the command reads.
    `is_own`: says whether a file with this content is of the kind that is written.
    `otherwise`: what the message calls a file of another kind, for example `no record`.
    """
    target = arguments.output
    if target is None:
        return
    option = f"{PROGRAM} {arguments.command}: --output {quoted(target)}"
    read = {os.path.realpath(path) for path in inputs if path is not None}
    if os.path.realpath(target) in read:
        raise CommandError(f"{option} is one of the files that are read")
    if not os.path.isfile(target):
        return
    data = Path(target).read_bytes()
    if data.strip() and not is_own(data):
        raise CommandError(f"{option} exists, and is {otherwise}; name another file")


def refuse_to_overwrite(paths: Iterable[str | Path], advice: str) -> None:
    """Raise `CommandError` if a path exists. `advice`: what the message says to do."""
    there = [harmless(str(path)) for path in paths if os.path.lexists(path)]
    if not there:
        return
    are = "is" if len(there) == 1 else "are"
    raise CommandError(
        f"{listed(there, 'and')}: {are} there already, and nothing was written; {advice}",
        FOUND,
    )


@contextmanager
def writing(path: str | Path) -> Iterator[None]:
    """Turn an OSError in the block into a `CommandError` about `path`."""
    try:
        yield
    except OSError as error:
        raise CommandError(
            f"{path}: cannot be written: {error.strerror or error}"
        ) from None


def write(path: str | Path, data: bytes) -> None:
    """Write a file atomically. Raises `CommandError` if it cannot be written."""
    with writing(path):
        write_whole(path, data)


def deliver(report: str, format: str, output: str | None = None) -> None:
    """Write a report to the file `output`, or else to standard output."""
    if format == MARKDOWN:
        report = safe_output(report)
    data = report.encode("utf-8", "backslashreplace")
    if output is not None:
        write(output, data)
        complain(f"written: {output}")
    elif format == TEXT:
        say(report, end="")
    else:  # the same bytes as in a file
        put(data)
