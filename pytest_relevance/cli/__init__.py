"""`pytest-relevance COMMAND`: work on files outside of a test run.

To add a command, add its module, name it in `bundled.py`, and say in `ABOUT` what it
does. `command.py` says what a module has to have. Another package adds a command by an
entry point of the group `pytest_relevance.commands`.
"""

from __future__ import annotations

import os
import shutil
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from textwrap import fill
from typing import NoReturn

from pytest_relevance import __version__
from pytest_relevance._problems import FileError
from pytest_relevance._text import shown
from pytest_relevance.cli.command import (
    COMMANDS,
    FOUND,
    OK,
    PROGRAM,
    USAGE,
    CommandError,
)
from pytest_relevance.cli.output import complain, escape_unencodable
from pytest_relevance.registry import ExtensionError
from pytest_relevance.reports.workflow_commands import safe_output

# as in a shell: 128 and the number of the signal, SIGPIPE or SIGINT
_BROKEN_PIPE = 141
_INTERRUPTED = 130

ABOUT: Mapping[str, str] = {
    "init": "write a first suite and its conftest.py",
    "check": "check case files, judgment files and records without running a search",
    "convert": "convert judgments to a case file, CSV, JSON Lines or qrels; runs to TREC runs",
    "raters": "show where the raters of judgment files disagree, and how far",
    "clicks": "make judgments from logs of clicks, which fill gaps",
    "compare": "compare two runs: means, significance, the queries that moved most, gates",
    "merge": "join the records of shards, and judge the gates over all cases",
    "replay": "judge the rankings of a record under the case files of today, without a search",
    "report": "print the report of a recorded run as text, Markdown, an HTML page or JSON",
    "history": "show how search did over many recorded runs",
    "schema": "print the JSON Schema of case files, for editors",
}
"""What each command of the package does. The help text imports no command."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    If the user makes a mistake, a message is printed to standard error, without a
    traceback.
    `arguments`: by default those of the command line.
    """
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:
        # the reader has closed the pipe, and Python would write the rest again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _run(arguments: list[str]) -> int:
    """Run a command and return its exit code.

    An error of the user, of a file or of another package becomes a message and a code.
    """
    escape_unencodable()
    try:
        parsed = _parsed(arguments)
    except SystemExit as stop:  # argparse has printed its message
        return stop.code if isinstance(stop.code, int) else OK
    except ExtensionError as error:  # another package was asked for its formats
        complain(f"{PROGRAM}: {error}")
        return USAGE
    command = f"{PROGRAM} {parsed.command}"
    try:
        return _run_command(parsed)
    except CommandError as refused:
        complain(str(refused))
        return refused.code
    except FileError as error:
        complain(str(error))
        return USAGE if parsed.command in _READ_RECORDS else FOUND
    except ExtensionError as error:
        complain(f"{command}: {error}")
        return USAGE
    except BrokenPipeError:
        raise
    except OSError as error:
        file = error.filename or "the output"
        complain(f"{command}: {file}: {error.strerror or error}")
        return USAGE


_READ_RECORDS = frozenset({"compare", "history", "merge", "report"})
"""The commands that read only records. To them a broken file is a wrong argument."""


class _Parser(ArgumentParser):
    """A parser that breaks up workflow commands of GitHub in its messages.

    A message may quote an argument that looks like such a command.
    """

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Raise SystemExit, after printing a message."""
        super().exit(status, safe_output(message) if message else message)


def _parsed(arguments: list[str]) -> Namespace:
    """Return the command and its arguments, parsed.

    Only the command that is called declares its arguments, so that no other command is
    imported. Raises SystemExit for invalid arguments, and after `--help` and
    `--version`.
    """
    parser = _Parser(
        prog=PROGRAM,
        epilog=f"{PROGRAM} COMMAND --help shows its options.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "-V", "--version", action="version", version=f"{PROGRAM} {__version__}"
    )
    commands = parser.add_subparsers(
        title="commands", dest="command", metavar="COMMAND", required=True
    )
    named = next((word for word in arguments if not word.startswith("-")), None)
    names = COMMANDS.names()  # refuses a package whose command is named like ours
    if named in COMMANDS.bundled_names:
        names = COMMANDS.bundled_names  # the help text of others would import them
    for name in names:
        about = _about(name).replace("%", "%%")  # argparse takes it for a format
        of_command = commands.add_parser(name, help=about, allow_abbrev=False)
        if name == named:
            _declare(name, of_command)
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(USAGE)
    return parser.parse_args(arguments)


def _about(name: str) -> str:
    """Return in one line what a command does, or why it cannot be loaded."""
    if name in ABOUT:
        return ABOUT[name]
    try:
        module = COMMANDS.get(name)
    except ExtensionError as error:
        return str(error)
    first_line = (module.__doc__ or name).strip().splitlines()[0]
    return first_line.rstrip(".")


def _declare(name: str, parser: ArgumentParser) -> None:
    """Add the arguments of a command, and its help text, to its parser."""
    module = COMMANDS.get(name)
    about = _about(name)
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.description = f"{about[0].upper()}{about[1:]}."
    width = shutil.get_terminal_size().columns - 2  # as argparse does
    _, *paragraphs = (module.__doc__ or "").rstrip().split("\n\n")
    folded = []
    for text in paragraphs:
        is_example = text.startswith(" ")
        folded.append(text if is_example else fill(text, width))
    parser.epilog = "\n\n".join(folded)
    with COMMANDS.calling(name):
        module.declare(parser)


def _run_command(arguments: Namespace) -> int:
    """Run a command. Raises `ExtensionError` if it returns anything but an exit code."""
    name = arguments.command
    with COMMANDS.calling(name):
        code = COMMANDS.get(name).run(arguments)
    if not isinstance(code, int):
        label = COMMANDS.label(name)
        raise ExtensionError(f"{label} returned {shown(code)}, not an exit code")
    return code
