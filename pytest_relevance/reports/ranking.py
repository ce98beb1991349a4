"""The ranking of a case: the table of its nDCG@k, or of its results alone, and the documents to blame for a low score.

Those that rank too high have no figures: what they take from the score is counted as the loss of the documents that are
missing or rank too low.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import TypeVar

from pytest_relevance._text import counted, listed
from pytest_relevance.reports.breakdown import Breakdown, Loss, Row
from pytest_relevance.reports.numbers import LEAST, number, total
from pytest_relevance.reports.table import RIGHT, Cell, Column, Table, document_columns, styled
from pytest_relevance.reports.text import BAD, DIM, DOUBT, PLAIN, STRONG, Line, folded_lines, harmless, line, wrapped
from pytest_relevance.results.case_result import CaseResult

MOST_ROWS = 10
"""How many ranks a report shows by default."""

MOST_BLAMED = 3
"""How many documents of either kind the default report shows."""

_TOO_HIGH = "too high:"

Blamed = TypeVar("Blamed")

_EXCLUDED = "excluded"

_RANK = Column("rank", RIGHT)
_FIGURES = tuple(Column(name, RIGHT) for name in ("grade", "gain", "discount", "DG", "DCG", "ideal", "IDCG"))


def breakdown_lines(result: CaseResult, found: Breakdown, *, full: bool, columns: int) -> list[Line]:
    """The breakdown with one row for each rank; results that the case excludes are marked. `full`: all ranks up to k.

    Otherwise ranks below the last result, where only the ideal goes on, are folded into one row.
    """
    results = sum(row.document is not None for row in found.rows)
    is_long = results > MOST_ROWS + 1  # a note about one more is as long
    rows = found.rows if full else found.rows[: MOST_ROWS if is_long else results]
    table = Table([_RANK, *document_columns(), *_FIGURES, Column()])
    excluded = excluded_documents(result)
    nothing = styled("nothing returned" if result.settings.unjudged == "zero" else "no judged result", DIM, 2)
    name: tuple[str | Cell, ...]
    for row in rows:
        is_excluded = row.document in excluded and not row.repeated
        name = (nothing,) if row.document is None else (row.document, result.titles.get(row.document, ""))
        style = BAD if is_excluded else _style(row)
        table.add(f"{row.rank}", *name, *_figures(row), _EXCLUDED if is_excluded else "", style=style)
    if is_long and not full:
        table.note = f"      ... {len(found.rows) - MOST_ROWS} more ranks (-v shows all)"
    elif len(rows) < len(found.rows):
        last = found.rows[-1]
        ranks = f"{last.rank}" if last.rank == results + 1 else f"{results + 1}-{last.rank}"
        table.add(ranks, nothing, "", "", "", "", total(last.dcg), "", total(last.ideal_dcg), style=DIM)
    return table.lines(columns)


def result_lines(result: CaseResult, *, full: bool, columns: int) -> list[Line]:
    """The results of a case without judgments."""
    most = max(result.depth or 0, MOST_ROWS) if full else MOST_ROWS
    shown = result.documents[:most]
    excluded = excluded_documents(result)
    table = Table([_RANK, *document_columns(), Column()])
    for rank, document in enumerate(shown, 1):
        is_excluded = document in excluded
        cells = (f"{rank}", document, result.titles.get(document, ""), _EXCLUDED if is_excluded else "")
        table.add(*cells, style=BAD if is_excluded else PLAIN)
    if more := max(len(result.documents), result.returned) - len(shown):
        table.note = f"      ... {counted(more, 'more result')}"
    return table.lines(columns)


def excluded_documents(result: CaseResult) -> frozenset[str]:
    """The documents in the top ranks from which the case excludes them."""
    return frozenset(
        document
        for outcome in result.outcomes
        if outcome.kind == "exclude" and not outcome.met
        for document in set(result.documents[: outcome.within or result.k]).intersection(outcome.documents)
    )


def _figures(row: Row) -> tuple[str, ...]:
    """The cells of `_FIGURES`; "-" for what an unjudged result does not have, nothing where there is no result."""
    if row.document is None:
        own, discounted = ("", ""), ""
    elif row.grade is None:
        own, discounted = ("repeat" if row.repeated else "-", "-"), "-"
    else:
        own, discounted = (number(row.grade), number(row.gain)), total(row.discounted_gain)
    ideal = ("", "") if row.ideal_grade is None else (number(row.ideal_grade), total(row.ideal_dcg))
    return (*own, f"{row.discount:.3f}", discounted, total(row.dcg), *ideal)


def _style(row: Row) -> str:
    if row.document is None or row.repeated:
        return DIM
    if row.grade is None:
        return DOUBT
    return BAD if row.gain <= 0 and row.ideal_grade is not None else PLAIN


def blame_lines(result: CaseResult, found: Breakdown, *, full: bool, columns: int) -> list[Line]:
    """The documents to blame, `full` all of them; nothing where there are none."""
    if result.score is None or (result.is_unjudged and not full):
        return []
    lines = [*_too_high(result, found, full, columns), *_lost(result, found, full, columns)]
    return [line(""), *lines] if lines else []


def _most(blamed: Sequence[Blamed], *, full: bool) -> Sequence[Blamed]:
    """The first few; a single further one is shown too, as a note about it would take as much room."""
    return blamed if full or len(blamed) == MOST_BLAMED + 1 else blamed[:MOST_BLAMED]


def _too_high(result: CaseResult, found: Breakdown, full: bool, columns: int) -> list[Line]:
    """The results with less gain than the ideal ranking has at their rank. Their titles are in the table above."""
    if not found.too_high or result.is_unjudged:
        return []
    chosen = _most(found.too_high, full=full)
    parts = []
    for row in chosen:
        grade = "unjudged" if row.grade is None else f"grade {number(row.grade)}"
        name = "" if row.grade is None else harmless(result.grade_names.get(row.grade, ""))
        parts.append(f"{harmless(row.document or '')} ({grade}{name and ' '}{name}, rank {row.rank})")
    if more := len(found.too_high) - len(chosen):
        parts.append(f"and {more} more")
    first, *rest = wrapped(f"{_TOO_HIGH} ", parts, columns)
    return [((_TOO_HIGH, STRONG), (first[len(_TOO_HIGH) :], PLAIN)), *map(line, rest)]


def _lost(result: CaseResult, found: Breakdown, full: bool, columns: int) -> Iterator[Line]:
    """The documents that are missing, or below their ideal rank; in full also those that are missing without a loss."""
    lost = [loss for loss in found.losses if loss.loss > LEAST]
    chosen = _most(lost, full=full)
    shown = [*chosen, *(_missing_without_loss(result, found) if full else ())]
    if not shown:
        return
    table = _table(result, shown, result.grade_names)
    if table.width() > columns:
        table = _table(result, shown, {})
    for words, value in _rest(found, lost, len(chosen)):
        table.add(styled(words, DIM, 4), figure(value), style=DIM)
    yield line("lost most by", STRONG)
    for row, loss in zip_longest(table.lines(columns), shown):
        yield row
        if loss is not None and (note := result.notes.get(loss.document or "", "")):
            yield from folded_lines(f"      {note}", DIM, columns, "      ")
    yield from _not_in_index(result, {loss.document for loss in shown}, columns)


def _not_in_index(result: CaseResult, listed_above: Collection[str | None], columns: int) -> Iterator[Line]:
    """The documents that are not in the index and have no row of their own: those of several that are one loss."""
    judged = dict(result.missing)
    others = [document for document in result.not_in_index if document in judged and document not in listed_above]
    if others:
        yield from map(line, wrapped("not in the index: ", [*map(harmless, others)], columns))


def _missing_without_loss(result: CaseResult, found: Breakdown) -> Iterator[Loss]:
    """The relevant documents that were not returned, or below k, and are not among the losses that are shown."""
    shown = {loss.document for loss in found.losses if loss.loss > LEAST}
    for document, grade in result.missing:
        if document not in shown and result.settings.gains[grade] > 0:
            yield Loss(document, grade, result.deeper.get(document), 0.0)
    for loss in found.losses:
        is_below = loss.rank is not None and loss.rank > result.k and loss.document in result.documents
        if is_below and loss.document not in shown:
            yield loss


def _table(result: CaseResult, losses: Sequence[Loss], names: Mapping[float, str]) -> Table:
    """A table with one row for each loss; `names` are those of grades."""
    gains = result.settings.gains
    together = {gains[loss.grade] for loss in losses if loss.document is None}
    table = Table([*document_columns(""), Column(gap=3), Column(gap=3), Column(align=RIGHT, gap=3)], indent=2)
    for loss in losses:
        absent = "not in the index" if loss.document in result.not_in_index else "not returned"
        rank = absent if loss.rank is None else f"rank {loss.rank}"
        if loss.document is None:
            grades = _grades_alike(result, loss)
            words = f"any {loss.places} of {loss.candidates:,} with grade {grades}"
            table.add(styled(words, PLAIN, 3), rank, figure(loss.loss))
            continue
        grade = f"grade {number(loss.grade)}" + (f" ({names[loss.grade]})" if loss.grade in names else "")
        is_of_several = loss.rank is None and not loss.loss and gains[loss.grade] in together
        amount = "" if is_of_several else figure(loss.loss)
        table.add(loss.document, result.titles.get(loss.document, ""), grade, rank, amount)
    return table


def _grades_alike(result: CaseResult, loss: Loss) -> str:
    """The grade of documents that are one loss; several where a mapping gives them the same gain."""
    gains = result.settings.gains
    return listed(number(grade) for grade in sorted(result.judgments) if gains[grade] == gains[loss.grade])


def _rest(found: Breakdown, lost: Sequence[Loss], chosen: int) -> Iterator[tuple[str, float]]:
    """The rest of 1 - nDCG beyond the losses that are shown: what it is, in words, and its amount."""
    if more := len(lost) - chosen:
        yield f"... and {more} more (-v shows all)", sum(loss.loss for loss in lost[chosen:])
    others = sum(loss.loss for loss in found.losses if loss.loss <= LEAST)
    if abs(others) > LEAST:
        yield f"others {'lost' if others > 0 else 'gained'}", others
    if abs(found.unfilled) > LEAST:
        yield "beyond what is judged (ideal max)", found.unfilled


def figure(loss: float) -> str:
    """A loss as text: a loss is printed with a minus, a gain with a plus."""
    return f"{-loss:+.3f}" if abs(loss) > LEAST else " 0.000"
