"""What a command is, and what it returns or raises."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import Protocol, cast

from pytest_relevance import bundled
from pytest_relevance.registry import ExtensionError, Registry

PROGRAM = "pytest-relevance"

OK, FOUND, USAGE = 0, 1, 2
"""Exit codes: success; a problem in the files; arguments that a command cannot use."""


class CommandError(Exception):
    """A command cannot continue. The message is printed; `code` is the exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code


class Command(Protocol):
    """What the module of a command has. It is imported when the command is called.

    The docstring of the module is the help text of the command. For a command of this
    package, `ABOUT` in `cli/__init__.py` has what the first line says.
    """

    __doc__: str | None

    def declare(self, parser: ArgumentParser, /) -> None:
        """Add the arguments of the command to its parser."""

    def run(self, arguments: Namespace, /) -> int:
        """Run the command and return its exit code: `OK`, `FOUND` or `USAGE`.

        It may raise FileError for a file with a mistake: the message is printed.
        """


def _checked_command(name: str, value: str, entry: object) -> Command:
    """Return the module of a command. Raises `ExtensionError` if a function is missing.

    `value`: the place of the module, for the message.
    """
    for function in ("declare", "run"):
        if not callable(getattr(entry, function, None)):
            raise ExtensionError(f"{name} ({value}) has no function {function}")
    return cast(Command, entry)


COMMANDS: Registry[Command] = Registry(
    "pytest_relevance.commands", bundled.COMMANDS, _checked_command
)
"""The commands of `pytest-relevance`, in the order of its help text."""
