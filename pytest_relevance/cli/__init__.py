"""`pytest-relevance COMMAND`: work on case files, judgments and run records outside of a test run.

A command is a module in `commands` with the name of the command: `declare(parser)` adds its arguments, and
`run(arguments)` does the work and returns the exit code. The module is imported only when the command is called, and
imports heavy modules where it uses them. To add a command, add such a module and a row in `COMMANDS`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from importlib import import_module

from pytest_relevance.cli.command_table import COMMANDS, FOUND, OK, PROGRAM, USAGE, CommandError

_BROKEN_PIPE, _INTERRUPTED = 141, 130  # exit codes in a shell after SIGPIPE and SIGINT: 128 + signal number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code. The default arguments are those of the command line.

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
    from pytest_relevance.cli import text

    text.survive_any_text()
    name = arguments[0] if arguments else ""
    if name in ("-h", "--help", "help"):
        print(overview())
        return OK
    if name in ("-V", "--version"):
        from pytest_relevance import __version__

        print(f"{PROGRAM} {__version__}")
        return OK
    if name not in COMMANDS:
        text.complain(_no_command(name))
        return USAGE
    from pytest_relevance.cases.problems import CaseFileError
    from pytest_relevance.cli.parsing import parsed
    from pytest_relevance.judgments.problems import JudgmentFileError

    command = import_module(f"pytest_relevance.cli.commands.{name}")
    try:
        code: int = command.run(parsed(command, name, arguments[1:]))
    except CommandError as refused:
        text.complain(str(refused))
        return refused.code
    except (CaseFileError, JudgmentFileError) as error:
        text.complain(str(error))
        return FOUND
    except BrokenPipeError:
        raise
    except OSError as error:
        text.complain(f"{PROGRAM} {name}: {error.filename or 'the output'}: {error.strerror or error}")
        return USAGE
    except SystemExit as stop:  # argparse has printed its message
        return stop.code if isinstance(stop.code, int) else OK
    return code


def overview() -> str:
    """Return the usage text, with one line for each command."""
    usages = {f"{name} {takes}".rstrip(): does for name, (takes, does) in COMMANDS.items()}
    columns = max(map(len, usages))
    lines = [f"  {usage:<{columns}}   {does}" for usage, does in usages.items()]
    return "\n".join(
        (
            f"usage: {PROGRAM} COMMAND ...",
            "",
            *lines,
            "",
            f"{PROGRAM} COMMAND --help says more of one; {PROGRAM} --version prints the version.",
        )
    )


def _no_command(name: str) -> str:
    from pytest_relevance._text import did_you_mean, listed, quoted

    if not name:
        return overview()
    close = did_you_mean(name, COMMANDS) or f"; the commands are {listed(COMMANDS, 'and')}"
    return f"{PROGRAM}: there is no command {quoted(name)}{close}"
