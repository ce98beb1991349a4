"""Which documents are to blame for a low score: those that stand too high, and those that are missing or too low.

What the first take from the score shows as the loss of the second, so that only these have figures; with the line of
the others these add up to 1 - nDCG.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import TypeVar

from pytest_relevance.reports.breakdown import Breakdown, Loss
from pytest_relevance.reports.table import number
from pytest_relevance.reports.text import (
    DIM,
    PLAIN,
    STRONG,
    WIDEST,
    Line,
    folded,
    harmless,
    line,
    pad,
    side_by_side,
    width,
    wrapped,
)
from pytest_relevance.runs.scored import Scored

MOST_BLAMED = 3
"""What the default report shows of either."""

_LEAST_LOSS = 0.0005  # what would print as 0.000
_TOO_HIGH = "too high:"

Blamed = TypeVar("Blamed")


def blame_lines(scored: Scored, table: Breakdown, titles: Mapping[str, str], *, full: bool) -> list[Line]:
    """The documents to blame, `full` all of them; nothing where there are none."""
    if isnan(scored.score) or (scored.strange_ids and not full):
        return []
    names = _names(scored)
    lines = [*_too_high(scored, table, names, full=full), *_lost(scored, table, titles, names, full=full)]
    return [line(""), *lines] if lines else []


def _names(scored: Scored) -> Mapping[float, str]:
    """The names of grades."""
    scale = scored.case.terms.scale
    return {grade: harmless(name) for name, grade in scale.names.items()} if scale is not None else {}


def _most(blamed: Sequence[Blamed], *, full: bool) -> Sequence[Blamed]:
    """The first few; one more takes no more room than to say so."""
    return blamed if full or len(blamed) == MOST_BLAMED + 1 else blamed[:MOST_BLAMED]


def _too_high(scored: Scored, table: Breakdown, names: Mapping[float, str], *, full: bool) -> Iterable[Line]:
    """The results that stand where the ideal has better ones. Titles are in the table."""
    if not table.too_high or scored.strange_ids:
        return
    chosen = _most(table.too_high, full=full)
    parts = []
    for row in chosen:
        grade = "unjudged" if row.grade is None else f"grade {number(row.grade)}"
        name = "" if row.grade is None else names.get(row.grade, "")
        parts.append(f"{harmless(row.document or '')} ({grade}{name and ' '}{name}, rank {row.rank})")
    if more := len(table.too_high) - len(chosen):
        parts.append(f"and {more} more")
    first, *rest = wrapped(f"{_TOO_HIGH} ", parts)
    yield (_TOO_HIGH, STRONG), (first[len(_TOO_HIGH) :], PLAIN)
    yield from map(line, rest)


def _lost(
    scored: Scored, table: Breakdown, titles: Mapping[str, str], names: Mapping[float, str], *, full: bool
) -> Iterable[Line]:
    """The documents that are missing, or below the ranks where their grade belongs.

    In full also those that are missing without a loss, as there are more of their grade than ranks.
    """
    k, gains = scored.case.k, scored.case.settings.gains
    lost = [
        loss
        for loss in table.losses
        if (loss.loss > _LEAST_LOSS and (loss.rank is None or loss.rank > loss.last_ideal_rank))
        or (full and (loss.rank is None or loss.rank > k) and gains[loss.grade] > 0)
    ]
    if not lost:
        return
    chosen = _most(lost, full=full)
    yield line("lost most by", STRONG)
    documents = _documents(chosen, titles, names)
    rest = [(f"  {words}", value) for words, value in _rest(table, lost, len(chosen))]
    columns = max(width(documents[0]), *(len(words) for words, _ in rest), 0)
    for loss, document in zip(chosen, documents, strict=True):
        yield line(f"{pad(document, columns)}   {_figure(loss.loss)}")
        if note := scored.case.notes.get(loss.document):
            yield from (line(text, DIM) for text in folded(f"      {harmless(note)}", indent="      "))
    for words, value in rest:
        yield line(f"{words:<{columns}}   {_figure(value)}", DIM)


def _rest(table: Breakdown, lost: Sequence[Loss], chosen: int) -> Iterable[tuple[str, float]]:
    """What the losses that are shown leave open of 1 - nDCG: in words, and how much of it is lost."""
    if more := len(lost) - chosen:
        yield f"... and {more} more (-v shows all)", sum(loss.loss for loss in lost[chosen:])
    everything = sum(loss.loss for loss in table.losses)
    others = everything - sum(loss.loss for loss in lost)
    if abs(others) > _LEAST_LOSS:
        yield f"others {'lost' if others > 0 else 'gained'}", others
    unattainable = 1 - table.dcg / table.ideal_dcg - everything
    if unattainable > _LEAST_LOSS:
        yield "beyond what is judged (ideal max)", unattainable


def _figure(loss: float) -> str:
    return f"{-loss:+.3f}" if abs(loss) > _LEAST_LOSS else " 0.000"


def _documents(losses: Sequence[Loss], titles: Mapping[str, str], names: Mapping[float, str]) -> list[str]:
    """Document, grade and rank of each loss, aligned; names of grades where nothing is cut for them."""
    ranks = ["not returned" if loss.rank is None else f"rank {loss.rank}" for loss in losses]
    for_rank = max(map(len, ranks))
    named = [(loss.document, titles.get(loss.document, "")) for loss in losses]
    room = WIDEST - 2 - 3 - 3 - for_rank - 3 - len("-0.000")
    plain = [f"grade {number(loss.grade)}" for loss in losses]
    grades = [
        f"{grade} ({names[loss.grade]})" if loss.grade in names else grade
        for grade, loss in zip(plain, losses, strict=True)
    ]
    documents = side_by_side(named, WIDEST)
    if width(documents[0]) + max(map(width, grades)) > room:
        grades = plain
        documents = side_by_side(named, room - max(map(width, grades)))
    for_grade = max(map(width, grades))
    return [
        f"  {document}   {pad(grade, for_grade)}   {rank:<{for_rank}}"
        for document, grade, rank in zip(documents, grades, ranks, strict=True)
    ]
