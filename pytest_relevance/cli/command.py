"""What every command returns or raises: an exit code or `CommandError`."""

from __future__ import annotations

PROGRAM = "pytest-relevance"

OK, FOUND, USAGE = 0, 1, 2
"""Exit codes: success; a problem in the files; arguments that a command cannot use."""


class CommandError(Exception):
    """A command cannot continue. The message is printed; `code` is the exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code
