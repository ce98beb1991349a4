"""Workflow commands of GitHub Actions: lines of output that the runner acts on.

A line is a command if it begins with `::error file=shop.py,line=3::text`, after any
blanks. So is everything after `##[` in any line. Reports write commands on purpose as
annotations. They must not write commands by accident: a query may look like one.
https://docs.github.com/en/actions/reference/workflows-and-actions/workflow-commands
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

from pytest_relevance.reports.styled_lines import Line, plain_text, styled_line

_ZERO_WIDTH_SPACE = "\u200b"

# The text before the character that `without_commands` adds. For the runner a carriage
# return ends a line too.
_BEGINNING_OF_COMMAND = re.compile(r"(?:^|(?<=\r))\s*:(?=:)|##(?=\[)", re.MULTILINE)

_ESCAPES = {"%": "%25", "\r": "%0D", "\n": "%0A"}
_IN_MESSAGE = str.maketrans(_ESCAPES)
_IN_PROPERTY = str.maketrans({**_ESCAPES, ":": "%3A", ",": "%2C"})


def is_github() -> bool:
    """Say whether a runner of GitHub Actions reads the output of this process."""
    return os.environ.get("GITHUB_ACTIONS") == "true"


def workflow_command(name: str, properties: Mapping[str, object], message: str) -> str:
    """Return a workflow command as one line: `::error line=3::text`.

    Characters that have a meaning in a command are escaped.
    """
    written = []
    for key, value in properties.items():
        written.append(f"{key}={without_commands(str(value)).translate(_IN_PROPERTY)}")
    shown = without_commands(message).translate(_IN_MESSAGE)
    return f"::{name} {','.join(written)}::{shown}"


def without_commands(text: str) -> str:
    """Return text with a zero-width space in each command, so that none is obeyed."""
    return _BEGINNING_OF_COMMAND.sub(rf"\g<0>{_ZERO_WIDTH_SPACE}", text)


def line_without_commands(spans: Line) -> Line:
    """Return a line of a report without workflow commands.

    A command may begin in one span and end in the next. So a line with a command loses
    its styles.
    """
    text = plain_text([spans])
    safe = without_commands(text)
    return spans if safe == text else styled_line(safe)


def safe_output(text: str) -> str:
    """Return text for standard output; on GitHub, with its commands made harmless."""
    return without_commands(text) if is_github() else text
