"""The breakdown of one query as a table of text: what stands in its columns, and how wide they are.

The rows come from `breakdown`. The figures take the columns that they need; ids and titles share what is left.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from itertools import zip_longest

from pytest_relevance.reports.breakdown import Breakdown, Row
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    DOUBT,
    PLAIN,
    STRONG,
    WIDEST,
    Line,
    line,
    pad,
    side_by_side,
    width,
)

MOST_ROWS = 10
"""What the default report shows of a ranking."""

FIGURES = ("grade", "gain", "discount", "DG", "DCG", "ideal", "IDCG")
"""The columns behind rank and document."""

_LEAST_DOCUMENT = 12
_LARGE = 1e6  # above, a figure is shown with six digits and an exponent


EXCLUDED = "excluded"
"""What stands behind a result that the case excludes."""


def table_lines(
    table: Breakdown, titles: Mapping[str, str], *, full: bool, nothing: str, excluded: Collection[str] = ()
) -> list[Line]:
    """The table under its head. `titles` are of documents; `full` shows every rank up to k; `excluded` ones are marked.

    Otherwise ranks below the last result, which say `nothing` and only carry the ideal on, are folded into one line.
    """
    rows = list(table.rows)
    results = sum(row.document is not None for row in rows)
    hidden, folded = 0, None
    if not full:
        if results > MOST_ROWS + 1:  # one row more takes no more room than to say so
            hidden = len(rows) - MOST_ROWS
            del rows[MOST_ROWS:]
        elif results < len(rows):
            folded = rows[-1]
            del rows[results:]
    cells = [(f"{row.rank}", _figures(row), _style(row)) for row in rows]
    if folded is not None:
        ranks = f"{folded.rank}" if folded.rank == results + 1 else f"{results + 1}-{folded.rank}"
        cells.append((ranks, _sums(folded), DIM))
    for index, row in enumerate(rows):
        if row.document in excluded and not row.repeated:
            rank, figures, _ = cells[index]
            cells[index] = rank, (*figures, EXCLUDED), BAD
    documents = [row.document for row in rows if row.document is not None]
    named = [(document, titles.get(document, "")) for document in documents]
    lines = _laid_out(cells, named, [nothing] * (len(cells) - len(named)))
    if hidden:
        lines.append(line(f"      ... {hidden} more ranks (-v shows all)", DIM))
    return lines


def number(value: float) -> str:
    """A grade or a gain: a whole number as it is, others with three decimals at most."""
    if abs(value) >= _LARGE:
        return f"{value:.6g}"
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return text if float(text) or not value else f"{value:.3g}"


def total(value: float) -> str:
    """A sum of gains."""
    return f"{value:.6g}" if abs(value) >= _LARGE else f"{value:.3f}"


def _figures(row: Row) -> tuple[str, ...]:
    """What stands under `FIGURES`; "-" for what an unjudged result does not have, nothing where there is no result."""
    if row.document is None:
        own = ("", "")
    elif row.grade is None:
        own = ("repeat" if row.repeated else "-", "-")
    else:
        own = (number(row.grade), number(row.gain))
    discounted = "" if row.document is None else "-" if row.grade is None else total(row.discounted_gain)
    ideal = ("", "") if row.ideal_grade is None else (number(row.ideal_grade), total(row.ideal_dcg))
    return (*own, f"{row.discount:.3f}", discounted, total(row.dcg), *ideal)


def _sums(row: Row) -> tuple[str, ...]:
    """What stands under `FIGURES` for all the ranks below the last result."""
    return ("", "", "", "", total(row.dcg), "", total(row.ideal_dcg))


def _style(row: Row) -> str:
    if row.document is None or row.repeated:
        return DIM
    if row.grade is None:
        return DOUBT
    return BAD if row.gain <= 0 and row.ideal_grade is not None else PLAIN


def _laid_out(
    cells: Sequence[tuple[str, tuple[str, ...], str]], named: Sequence[tuple[str, str]], others: Sequence[str]
) -> list[Line]:
    """Lines from ranks, figures and styles; what stands between them are documents with their titles, and `others`."""
    cells = [("rank", FIGURES, STRONG), *cells]
    for_rank = max(len(rank) for rank, _, _ in cells)
    columns = [max(map(len, column)) for column in zip_longest(*(figures for _, figures, _ in cells), fillvalue="")]
    room = max(WIDEST - for_rank - 2 - sum(2 + column for column in columns), _LEAST_DOCUMENT)
    documents = ["document", *side_by_side(named, room), *others]
    wide = max(map(width, documents))
    lines = []
    for (rank, figures, style), document in zip(cells, documents, strict=True):
        behind = "".join(f"  {figure:>{column}}" for figure, column in zip(figures, columns, strict=False))
        lines.append(line(f"{rank:>{for_rank}}  {pad(document, wide)}{behind}".rstrip(), style))
    return lines
