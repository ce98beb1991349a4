"""Return tables and paragraphs as HTML for notebooks.

Texts come from users. Markup, control characters and characters that reorder text are
escaped. Each text is shown in its own direction, left to right or right to left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from pytest_relevance._text import cut_to, harmless

MOST_ROWS = 20
"""How many rows a notebook shows of a long table."""

TEXT, NUMBER = "left", "right"
"""The alignments of a column of text and of a column of numbers."""

_LONGEST_CELL = 1000
"""The number of characters that the text of a cell is cut to."""


def html_table(
    columns: Sequence[tuple[str, str]],
    rows: Iterable[Sequence[str]],
    title: str = "",
    note: str = "",
) -> str:
    """Return a table as HTML. Without rows, return only its title and its note.

    `columns`: the head of each column, and `TEXT` or `NUMBER`.
    `rows`: each row has one text for each column.
    `title`, `note`: the texts above the table, in bold, and below it.
    """
    head = "".join(_cell("th", name, align) for name, align in columns)
    body = ""
    for row in rows:
        cells = []
        for text, (_, align) in zip(row, columns, strict=True):
            cells.append(_cell("td", text, align))
        body += f"<tr>{''.join(cells)}</tr>\n"
    table = ""
    if body:
        table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n"
    return html_paragraph(title, "strong") + table + html_paragraph(note)


def html_paragraph(text: str, tag: str = "bdi") -> str:
    """Return a text as HTML, in a paragraph and an element `tag`; empty for no text."""
    return f'<p><{tag} dir="auto">{_escaped(text)}</{tag}></p>\n' if text else ""


def _cell(tag: str, text: str, align: str) -> str:
    # A notebook aligns all cells to the right unless the cell itself says otherwise.
    content = _escaped(cut_to(text, _LONGEST_CELL))
    if align != NUMBER:
        content = f"<bdi>{content}</bdi>"
    return f'<{tag} style="text-align: {align}">{content}</{tag}>'


def _escaped(text: str) -> str:
    return escape(harmless(text))
