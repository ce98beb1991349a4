"""The table of commands, their exit codes, and the exception for a failed command."""

from __future__ import annotations

from collections.abc import Mapping

OK, FOUND, USAGE = 0, 1, 2
"""Exit codes: success; a problem in the files; a command that cannot be executed with these arguments."""

COMMANDS: Mapping[str, tuple[str, str]] = {
    "init": ("[FOLDER]", "write a first suite and the conftest.py beside it"),
    "check": ("PATH...", "check case files and judgment files without running a search"),
    "convert": ("IN OUT", "convert judgments from any format to any other, case files included"),
    "raters": ("FILE", "show where the raters of a judgment file disagree, and how far"),
    "compare": ("A B", "compare two runs: means, tests, the queries that moved most; gates for CI"),
    "merge": ("RECORD...", "join the records of the shards of a run, and judge the gates over the whole"),
    "report": ("RUN", "print what a recorded run printed, as text, Markdown or JSON"),
    "schema": ("", "print the JSON Schema of case files, for editors"),
}
"""Every command, with its arguments and its description for the usage text."""

PROGRAM = "pytest-relevance"


class CommandError(Exception):
    """A command cannot continue. The message is printed to standard error, `code` is the exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code
