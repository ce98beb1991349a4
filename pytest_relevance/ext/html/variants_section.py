"""The tables of the variants of a search in the page, readable without scripts."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import zip_longest

from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.cells import RIGHT, Column, Row
from pytest_relevance.reports.html.page_parts import text
from pytest_relevance.reports.run.variant_labels import variants_of
from pytest_relevance.reports.run.variant_tables import comparison_blocks
from pytest_relevance.reports.styled_lines import STRONG
from pytest_relevance.reports.table import Table
from pytest_relevance.results.case_result import CaseResult


def variants_section(results: Sequence[CaseResult]) -> str:
    """Return the HTML of tables that compare variants; "" if there is one variant."""
    parts = []
    for block in comparison_blocks(results, variants_of(results), full=True):
        if isinstance(block, Sentence):
            parts.append(f'<p class="lost">{text(block.text)}</p>')
        elif block.rows:
            parts.append(_table_html(block))
    if not parts:
        return ""
    inner = "\n".join(parts)
    return f'<section id="variants" aria-label="variants">\n{inner}\n</section>'


def _table_html(table: Table) -> str:
    """Return a table as HTML. On a narrow screen it can be scrolled sideways."""
    caption = f"<caption>{text(table.title)}</caption>" if table.title else ""
    heads = []
    for column in table.columns:
        title = text(column.title or "")
        heads.append(f'<th scope="col"{_class(column)}>{title}</th>')
    body = "\n".join(_row_html(table.columns, row) for row in table.rows)
    head = f"<thead><tr>{''.join(heads)}</tr></thead>"
    return (
        '<div class="wide" tabindex="0" role="region" aria-label="table of variants">'
        f"<table>{caption}{head}\n<tbody>{body}</tbody></table></div>"
    )


def _row_html(columns: Sequence[Column], row: Row) -> str:
    """Return a row as HTML. The first cell is its head. Missing cells are empty."""
    name, *cells = row
    parts = [f'<th scope="row">{text(name.text.strip())}</th>']
    for column, cell in zip_longest(columns[1:], cells):
        shown = "" if cell is None else text(cell.text)
        if cell is not None and cell.spans[0][1] == STRONG:
            shown = f"<strong>{shown}</strong>"
        parts.append(f"<td{_class(column)}>{shown}</td>")
    return f"<tr>{''.join(parts)}</tr>"


def _class(column: Column) -> str:
    return ' class="number"' if column.align == RIGHT else ""
