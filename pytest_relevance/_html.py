"""A table as HTML for notebooks: no scripts and no style sheets, and every text is escaped.

Every subpackage may import this module; it imports none of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import harmless

MOST_ROWS = 20
"""How many rows a notebook shows of a long table."""

_LONGEST_CELL = 1000
"""The number of characters that the text of a cell is cut to."""

TEXT, NUMBER = "left", "right"
"""The alignments of a column: that of text and that of numbers."""


def html_table(
    columns: Sequence[tuple[str, str]], rows: Iterable[Sequence[str]], title: str = "", note: str = ""
) -> str:
    """A table as HTML. `columns` are (head, `TEXT` or `NUMBER`), and each row has one text for each column.

    `title` stands in bold above the table, `note` below it. Texts are those of users: markup, control characters
    and characters that reorder text are escaped, and the direction of each text is its own. There is no table without
    rows.
    """
    head = "".join(_cell("th", name, align) for name, align in columns)
    body = "".join(
        f"<tr>{''.join(_cell('td', text, align) for text, (_, align) in zip(row, columns, strict=True))}</tr>\n"
        for row in rows
    )
    table = f"<table>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{body}</tbody>\n</table>\n" if body else ""
    return html_paragraph(title, "strong") + table + html_paragraph(note)


def html_paragraph(text: str, tag: str = "bdi") -> str:
    """A paragraph of text as HTML, inside of an element of `tag`; nothing for an empty text."""
    return f'<p><{tag} dir="auto">{_escaped(text)}</{tag}></p>\n' if text else ""


def _cell(tag: str, text: str, align: str) -> str:
    """A cell. A notebook aligns all cells to the right unless the cell itself says otherwise."""
    cut = text if len(text) <= _LONGEST_CELL else f"{text[: _LONGEST_CELL - 3]}..."
    shown = _escaped(cut)
    return f'<{tag} style="text-align: {align}">{shown if align == NUMBER else f"<bdi>{shown}</bdi>"}</{tag}>'


def _escaped(text: str) -> str:
    from html import escape  # imported only where a notebook shows something

    return escape(harmless(text))
