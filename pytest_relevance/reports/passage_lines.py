"""The passages of a case in a terminal: which were not found, and where they are.

Passages have numbers, in the order of the case. The table of ranks shows these numbers
beside the results that hold the passages.
"""

from __future__ import annotations

from collections.abc import Mapping

from pytest_relevance._number_text import LEAST, number_text
from pytest_relevance._text import counted, quoted
from pytest_relevance.reports.cells import RIGHT, Column
from pytest_relevance.reports.loss_tables import loss_text
from pytest_relevance.reports.styled_lines import (
    BAD,
    PLAIN,
    Line,
    styled_line,
)
from pytest_relevance.reports.table import MORE_HINT, Table
from pytest_relevance.results.breakdown import Breakdown
from pytest_relevance.results.case_parts import CasePassage
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change

MOST_FOUND = 10
"""How many passages that were found are listed by default."""


def passage_lines(
    result: CaseResult, found: Breakdown, *, full: bool, columns: int
) -> list[Line]:
    """Return the passages that are not in the top k, then those that are.

    Each passage has its number, its grade, where it is, where it was in the accepted
    ranking, and what its place costs of nDCG@k.

    `full`: whether all passages that were found are listed; otherwise the first ten.
    """
    numbers = {passage.text: number for number, passage in numbered(result)}
    missing = missing_passages(result)
    others = [passage for _, passage in numbered(result) if passage not in missing]
    lines = [styled_line("")]
    costs = {loss.document: loss.loss for loss in found.losses}
    was = Change.since_baseline(result).ranks_before
    if missing:
        total = len(result.evaluation.passages)
        title = (
            f"not found in the top {result.conditions.k}: {len(missing)} of "
            f"{counted(total, 'passage')}{_failed_search_text(result)}"
        )
        table = _table(title)
        for passage in missing:
            _add(table, passage, numbers, result, was=was, costs=costs, style=BAD)
        lines += table.lines(columns)
    shown = others if full else others[:MOST_FOUND]
    table = _table("found")
    for passage in shown:
        _add(table, passage, numbers, result, was=was, costs=costs)
    if len(others) > len(shown):
        table.note = f"     ... {counted(len(others) - len(shown), 'more passage')}"
        table.hint = MORE_HINT
    return lines + table.lines(columns)


def _failed_search_text(result: CaseResult) -> str:
    """Return that the second search for missing passages failed; "" if not."""
    deeper = result.call.deeper
    if deeper is None or not deeper.has_failed:
        return ""
    return f"; a search for {deeper.asked:,} results could not be made"


def numbered(result: CaseResult) -> list[tuple[int, CasePassage]]:
    """Return the passages of a case with their numbers, from 1."""
    return list(enumerate(result.evaluation.passages, start=1))


def missing_passages(result: CaseResult) -> list[CasePassage]:
    """Return the passages that no result in the top k holds."""
    k = result.conditions.k
    missing = []
    for passage in result.evaluation.passages:
        if passage.rank is None or passage.rank > k:
            missing.append(passage)
    return missing


def held_text(result: CaseResult, rank: int) -> str:
    """Return the numbers of the passages that the result at a rank (from 1) holds.

    Passages that an earlier result holds too are in brackets: `2 (1)`.
    """
    held = result.graded.held
    above = {index for indexes in held[: rank - 1] for index in indexes}
    new: list[str] = []
    again: list[str] = []
    for index in held[rank - 1]:
        (again if index in above else new).append(str(index + 1))
    parts = [" ".join(new)] if new else []
    if again:
        parts.append(f"({' '.join(again)})")
    return " ".join(parts) or "-"


def found_text(result: CaseResult) -> str:
    """Return, for example, `2 of 3 passages in the top 5`."""
    passages = result.evaluation.passages
    found = len(passages) - len(missing_passages(result))
    total = counted(len(passages), "passage")
    return f"{found} of {total} in the top {result.conditions.k}"


def place_text(result: CaseResult, passage: CasePassage) -> str:
    """Return where a passage is: `rank 7`, or `not in the first 25 results`."""
    if passage.rank is not None:
        chunk = "" if passage.chunk is None else f" (chunk {passage.chunk})"
        return f"rank {passage.rank}{chunk}"
    deeper = result.call.deeper
    if passage.deeper_rank is not None and deeper is not None:
        return f"rank {passage.deeper_rank} if {deeper.asked} are asked for"
    returned = result.ranking.length
    if deeper is not None and not deeper.has_failed:
        returned = max(returned, deeper.returned)
    if not returned:
        return "nothing was returned"
    if returned == 1:
        return "not in the only result"
    return f"not in the first {returned:,} results"


def _table(title: str) -> Table:
    return Table(
        [
            Column(align=RIGHT),
            Column(cut_to=30, wanted=40),
            Column(drop_order=3),
            Column(gap=3),
            Column(drop_order=2),
            Column(align=RIGHT, gap=3, drop_order=1),
        ],
        indent=2,
        title=title,
    )


def _add(
    table: Table,
    passage: CasePassage,
    numbers: Mapping[str, int],
    result: CaseResult,
    *,
    was: Mapping[str, int],
    costs: Mapping[str | None, float],
    style: str = PLAIN,
) -> None:
    """Add the row of a passage.

    `was`: {passage: its rank in the accepted ranking}; empty without one.
    `costs`: {passage: what its place costs of nDCG@k}.
    """
    before = ""
    if was:
        rank = was.get(passage.text)
        before = "was not found" if rank is None else f"was rank {rank}"
    cost = costs.get(passage.text, 0.0)
    table.add(
        str(numbers[passage.text]),
        quoted(passage.text),
        f"grade {number_text(passage.grade)}",
        place_text(result, passage),
        before,
        loss_text(cost) if cost > LEAST else "",
        style=style,
    )
