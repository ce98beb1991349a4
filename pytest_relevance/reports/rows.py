"""The lines of a summary that name cases: figures, the query, what it ran with or weighs, its status, its place."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pytest_relevance.reports.entries import STATUSES, Entry, Variant, variant_label
from pytest_relevance.reports.text import DIM, PLAIN, WIDEST, Line, cut, fit, harmless, pad, plain, width

_WIDEST_QUERY, _LEAST_QUERY, _WIDEST_VARIANT = 40, 20, 16


class CaseRow(NamedTuple):
    """A line to come. `figures` are what it begins with, of one width in all lines; `label` stands behind the query."""

    entry: Entry
    figures: Line
    label: str = ""


def case_lines(rows: Sequence[CaseRow]) -> list[Line]:
    """`-0.452  0.764 -> 0.312  smart watch   failed   shop.relevance.yaml:41`."""
    if not rows:
        return []
    queries = [harmless(row.entry.query) for row in rows]
    places = [f"   {harmless(row.entry.source or row.entry.file)}:{row.entry.line}" for row in rows]
    for_label, for_status = max(width(row.label) for row in rows), max(len(row.entry.status) for row in rows)
    for_figures = max(width(plain([row.figures])) for row in rows)
    room = WIDEST - for_figures - 2 - for_label - 3 - for_status - max(map(width, places))
    columns = min(max(map(width, queries)), _WIDEST_QUERY, max(room, _LEAST_QUERY))
    return [
        (
            *row.figures,
            (f"  {fit(query, columns)}{pad(row.label, for_label)}   ", PLAIN),
            (f"{row.entry.status:<{for_status}}", STATUSES.get(row.entry.status, PLAIN)),
            (place, DIM),
        )
        for row, query, place in zip(rows, queries, places, strict=True)
    ]


def ran_as_label(entry: Entry, variants: Sequence[Variant]) -> str:
    """What a case ran with, where that may be one of several."""
    return f"  {cut(variant_label(entry.ran_as, variants), _WIDEST_VARIANT)}" if len(variants) > 1 else ""
