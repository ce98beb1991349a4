"""The commands there are, their exit codes, and the error that ends one."""

from __future__ import annotations

from collections.abc import Mapping

OK, FOUND, USAGE = 0, 1, 2
"""Exit codes: done; something is wrong in the files; the command cannot be carried out as it was given."""

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
"""Every command: what it takes, and what it does."""

PROGRAM = "pytest-relevance"


class CommandError(Exception):
    """A command that cannot go on: the message is all there is to say, `code` the exit code."""

    def __init__(self, message: str, code: int = USAGE) -> None:
        super().__init__(message)
        self.code = code
