"""`pytest-relevance COMMAND`: work on case files, judgments and run records outside of a test run.

A command is a module of this package with the name of the command: `declare(parser)` adds its arguments, and
`run(arguments)` does the work and returns the exit code. The module is imported only when the command is called, and
imports heavy modules where it uses them. To add a command, add such a module and a row in `COMMANDS`.
"""

from __future__ import annotations

import os
import shutil
import sys
from argparse import ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Mapping, Sequence
from importlib import import_module
from textwrap import fill
from typing import NoReturn

from pytest_relevance import __version__
from pytest_relevance._problems import FileError
from pytest_relevance.cli.command import (
    FOUND,
    OK,
    PROGRAM,
    USAGE,
    CommandError,
    complain,
    escape_unencodable,
)
from pytest_relevance.registry import ExtensionError
from pytest_relevance.reports.workflow_commands import safe_output

_BROKEN_PIPE, _INTERRUPTED = (
    141,
    130,
)  # exit codes in a shell after SIGPIPE and SIGINT: 128 + signal number

COMMANDS: Mapping[str, str] = {
    "init": "write a first suite and its conftest.py",
    "check": "check case files, judgment files and records without running a search",
    "convert": "convert judgments to a case file, CSV, JSON Lines or qrels; runs to TREC runs",
    "raters": "show where the raters of a judgment file disagree, and how far",
    "compare": "compare two runs: means, tests, the queries that moved most; gates for CI",
    "merge": "join the records of the shards of a run, and judge the gates over the whole",
    "report": "print what a recorded run printed, as text, Markdown, an HTML page or JSON",
    "history": "show how search did over many recorded runs",
    "schema": "print the JSON Schema of case files, for editors",
}
"""Every command, with its description for the usage text."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. Without `arguments` it takes those of the command line.

    A mistake of the user prints a message to standard error, without a traceback.
    """
    try:
        code = _run(list(sys.argv[1:] if arguments is None else arguments))
        sys.stdout.flush()
    except BrokenPipeError:  # the reader closed the pipe; without dup2 Python would write the rest again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return _BROKEN_PIPE
    except KeyboardInterrupt:
        return _INTERRUPTED
    return code


def _run(arguments: list[str]) -> int:
    """Parse the arguments and run the command; turn its errors into a message and an exit code."""
    escape_unencodable()
    try:
        parsed = _parsed(arguments)
    except SystemExit as stop:  # argparse has printed its message
        return stop.code if isinstance(stop.code, int) else OK
    except ExtensionError as error:  # of a package that was asked for its formats
        complain(f"{PROGRAM}: {error}")
        return USAGE
    try:
        code: int = parsed.run(parsed)
    except CommandError as refused:
        complain(str(refused))
        return refused.code
    except FileError as error:
        complain(str(error))
        return USAGE if parsed.command in _READ_RECORDS else FOUND
    except ExtensionError as error:
        complain(f"{PROGRAM} {parsed.command}: {error}")
        return USAGE
    except BrokenPipeError:
        raise
    except OSError as error:
        complain(
            f"{PROGRAM} {parsed.command}: {error.filename or 'the output'}: {error.strerror or error}"
        )
        return USAGE
    return code


_READ_RECORDS = frozenset({"compare", "history", "merge", "report"})
"""The commands that read records."""


class _Parser(ArgumentParser):
    """A parser whose messages are safe on a CI runner: an argument quoted in them is no workflow command."""

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        super().exit(status, safe_output(message) if message else message)


def _parsed(arguments: list[str]) -> Namespace:
    """Parse a command and its arguments. Raises SystemExit for invalid ones, and after `--help` and `--version`."""
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
    named = next(
        (argument for argument in arguments if not argument.startswith("-")), None
    )
    for name, does in COMMANDS.items():
        of_command = commands.add_parser(name, help=does, allow_abbrev=False)
        if name == named:
            _declare(name, of_command)
    if not arguments:
        parser.print_help(sys.stderr)
        parser.exit(USAGE)
    return parser.parse_args(arguments)


def _declare(name: str, parser: ArgumentParser) -> None:
    """Import the module of a command, and give the parser its arguments and its help text."""
    module = import_module(f"{__name__}.{name}")
    parser.formatter_class = RawDescriptionHelpFormatter
    parser.description = f"{COMMANDS[name][0].upper()}{COMMANDS[name][1:]}."
    width = shutil.get_terminal_size().columns - 2  # as argparse does
    _, *paragraphs = (module.__doc__ or "").rstrip().split("\n\n")
    parser.epilog = "\n\n".join(
        text if text.startswith(" ") else fill(text, width) for text in paragraphs
    )
    parser.set_defaults(run=module.run)
    module.declare(parser)
