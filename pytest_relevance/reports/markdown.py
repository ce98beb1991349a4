"""Markdown for a pull request: code spans and blocks for users' text, and escaping for cells of tables.

Users' text is put in code spans, where nothing is a link, a mention or markup.
"""

from __future__ import annotations

import re

from pytest_relevance.reports.text import harmless


def code(text: str, *, in_cell: bool = False) -> str:
    """User's text in a code span. In a cell of a table a bar has to be escaped, and only there."""
    shown = harmless(text)
    if in_cell:
        shown = shown.replace("|", "\\|")
    if not shown.strip():
        shown = repr(shown)
    fence = "`" * (max(map(len, re.findall("`+", shown)), default=0) + 1)
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{fence}{space}{shown}{space}{fence}"


def block(text: str) -> list[str]:
    """Text of several lines in a code block."""
    fence = "`" * max(3, max(map(len, re.findall("`+", text)), default=0) + 1)
    return [fence, *text.split("\n"), fence]


def escaped(text: str) -> str:
    """The words of a report itself, escaped for a cell of a table."""
    return harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
