"""Texts in Markdown: what users wrote is put in code spans and code blocks.

In a code span nothing is a link, a mention or markup.
"""

from __future__ import annotations

import re

from pytest_relevance._text import harmless
from pytest_relevance.reports.terminal_text import cut

LONGEST_TEXT = 300
"""How many columns of a text stand in a sentence of Markdown before it is cut."""

_SHORTEST_FENCE = 3

_MARKUP = re.compile(r"(?<!\w)[@_]|#|GH-|://|www\.|[`*\[\]~$\\]")
"""Signs that have a meaning in GitHub's Markdown. `nDCG@10` is not a mention."""


def code_span(text: str, *, in_cell: bool = False) -> str:
    """Return a user's text in a code span. A blank text is shown in quotes.

    `in_cell`: whether the code span is in a cell of a table. Only there `|` is escaped.
    """
    shown = harmless(text)
    if in_cell:
        shown = shown.replace("|", "\\|")
    if not shown.strip():
        shown = repr(shown)
    fence = "`" * (_longest_run_of_backticks(shown) + 1)
    if shown.startswith("`") or shown.endswith("`"):
        shown = f" {shown} "
    return f"{fence}{shown}{fence}"


def short_code_span(text: str) -> str:
    """Return a user's text in a code span, cut to `LONGEST_TEXT` columns."""
    return code_span(cut(harmless(text), LONGEST_TEXT))


def words_in_markdown(text: str) -> str:
    """Return a sentence of a report that may quote a user.

    It is in a code span only if it has signs of markup, a mention or a link.
    """
    return code_span(text) if _MARKUP.search(text) else escaped(text)


def code_block(text: str) -> list[str]:
    """Return text of several lines as the lines of a code block."""
    fence = "`" * max(_SHORTEST_FENCE, _longest_run_of_backticks(text) + 1)
    return [fence, *text.split("\n"), fence]


def _longest_run_of_backticks(text: str) -> int:
    runs = re.findall("`+", text)
    return max((len(run) for run in runs), default=0)


def escaped(text: str) -> str:
    """Return words of a report, escaped so that a table can contain them."""
    return harmless(text).replace("&", "&amp;").replace("<", "&lt;").replace("|", "\\|")
