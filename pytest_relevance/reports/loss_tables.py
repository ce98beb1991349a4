"""Which documents cost a case most of its score.

The loss of a document is how much nDCG@k lacks because the document is missing or ranks
too low. A document that ranks too high has no loss: it takes a rank from another one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeVar

from pytest_relevance._number_text import LEAST, number_text
from pytest_relevance._text import harmless, listed, quoted
from pytest_relevance.reports.cells import RIGHT, Column, document_columns, styled_cell
from pytest_relevance.reports.reasons import absence
from pytest_relevance.reports.styled_lines import (
    DIM,
    PLAIN,
    STRONG,
    Line,
    folded_lines,
    styled_line,
    wrapped,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import cut_document, title_room, titled
from pytest_relevance.results.breakdown import Breakdown
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Move
from pytest_relevance.results.losses import Loss

MOST_BLAMED = 3
"""How many documents the default report shows of each of the two kinds."""

_SHORTEST_TITLE = 12
_BESIDE_TITLES = 68  # columns of a row of documents that share a loss, without titles

_TOO_HIGH = "too high:"

Blamed = TypeVar("Blamed")


def blame_lines(
    result: CaseResult, found: Breakdown, *, full: bool, columns: int
) -> list[Line]:
    """Return the documents that cost most of the score; with `full`, all of them."""
    if result.score is None:
        return []
    lines = [
        *_too_high_lines(result, found, full=full, columns=columns),
        *_lost_lines(result, found, full=full, columns=columns),
    ]
    return [styled_line(""), *lines] if lines else []


def loss_text(loss: float) -> str:
    """Return a loss as the change of the score: `-0.213` for a loss of 0.213.

    A loss below 0 has a plus sign. A loss between -`LEAST` and `LEAST` is ` 0.000`.
    """
    return f"{-loss:+.3f}" if abs(loss) > LEAST else " 0.000"


def _first_few(blamed: Sequence[Blamed], *, full: bool) -> Sequence[Blamed]:
    """Return the first `MOST_BLAMED` entries; all of them with `full`.

    If there is just one more entry, all are returned too.
    """
    # a note about one more entry would take as much room as the entry
    if full or len(blamed) == MOST_BLAMED + 1:
        return blamed
    return blamed[:MOST_BLAMED]


# --- documents that rank too high -----------------------------------------------------


def _too_high_lines(
    result: CaseResult, found: Breakdown, *, full: bool, columns: int
) -> list[Line]:
    """Return the judged results with less gain than an ideal result at their rank.

    [] if there are none. If the search returned a single result, it is not too high.
    """
    too_high = [row for row in found.too_high if row.grade is not None]
    if not too_high or len(result.ranking.documents) == 1:
        return []
    chosen = _first_few(too_high, full=full)
    room = title_room(columns, full=full)
    parts = []
    for row in chosen:
        document = row.document or ""
        grade = _named_grade(result, row.grade or 0.0)
        shown = titled(harmless(document), document, result.texts.titles, room)
        parts.append(f"{shown} (grade {grade}, rank {row.rank})")
    more = len(too_high) - len(chosen)
    if more:
        parts.append(f"and {more} more")
    first, *others = wrapped(f"{_TOO_HIGH} ", parts, columns)
    ((text, style),) = first
    rest = text.removeprefix(_TOO_HIGH)
    return [((_TOO_HIGH, STRONG), (rest, style)), *others]


def _named_grade(result: CaseResult, grade: float) -> str:
    """Return, for example, `3 exact`, or `3` if the scale has no name for it."""
    name = harmless(result.conditions.grade_names.get(grade, ""))
    return f"{number_text(grade)} {name}".strip()


# --- documents that are missing or rank too low ---------------------------------------


def _lost_lines(
    result: CaseResult, found: Breakdown, *, full: bool, columns: int
) -> Iterator[Line]:
    """Yield the table of documents that are missing, or below their ideal rank.

    With `full`, the table also has the missing documents without a loss.
    """
    lost = [loss for loss in found.losses if loss.loss > LEAST]
    chosen = _first_few(lost, full=full)
    shown = list(chosen)
    if full:
        shown += _missing_without_loss(result, found)
    if not shown:
        return
    table = _losses_table(result, shown, columns)
    for rest in _rest(found, lost, len(chosen)):
        table.add(styled_cell(rest.words, DIM, 5), loss_text(rest.loss), style=DIM)
    yield styled_line("lost most by", STRONG)
    yield from lines_with_notes(table, shown, result, columns)
    yield from _not_in_index_lines(result, {loss.document for loss in shown}, columns)


def _missing_without_loss(result: CaseResult, found: Breakdown) -> list[Loss]:
    """Return the missing documents with a gain above 0 that cost nothing.

    That is a loss of at most `LEAST`.
    """
    shown = {loss.document for loss in found.losses if loss.loss > LEAST}
    gains = result.conditions.settings.gains
    missing = []
    for document, grade in result.evaluation.missing:
        if document not in shown and gains[grade] > 0:
            rank = result.ranking.deeper.get(document)
            missing.append(Loss(document, grade, rank, 0.0))
    return missing


@dataclass(frozen=True, slots=True)
class _Rest:
    """A part of 1 - nDCG@k that the documents in the table do not explain.

    `words`: what explains the part, for example `... and 4 more (-v shows all)`.
    `loss`: the size of the part, in points of nDCG@k.
    """

    words: str
    loss: float


def _rest(found: Breakdown, lost: Sequence[Loss], chosen: int) -> list[_Rest]:
    """Return the parts of 1 - nDCG@k that the first `chosen` losses do not explain.

    `lost`: the losses that are large enough to be shown.
    """
    rest = []
    more = len(lost) - chosen
    if more:
        loss = sum(each.loss for each in lost[chosen:])
        rest.append(_Rest(f"... and {more} more (-v shows all)", loss))
    others = sum(each.loss for each in found.losses if each.loss <= LEAST)
    if abs(others) > LEAST:
        rest.append(_Rest(f"others {'lost' if others > 0 else 'gained'}", others))
    if abs(found.unfilled) > LEAST:
        rest.append(_Rest("beyond what is judged (ideal max)", found.unfilled))
    return rest


def _losses_table(result: CaseResult, losses: Sequence[Loss], columns: int) -> Table:
    """Return the table of losses: a row for each document.

    Missing documents with the same gain may share a loss. Then one row has this loss. A
    further row about one of these documents has no figure.
    """
    gains = result.conditions.settings.gains
    names = result.conditions.grade_names
    shared_gains = {gains[loss.grade] for loss in losses if loss.document is None}
    table = table_of_documents()
    for loss in losses:
        rank = f"rank {loss.rank}"
        if loss.rank is None:
            rank = absence(result, loss.document)
        cost = loss_text(loss.loss)
        if loss.document is None:
            words = _shared_loss_text(result, loss, columns)
            table.add(styled_cell(words, PLAIN, 4), rank, cost)
            continue
        if loss.rank is None and not loss.loss and gains[loss.grade] in shared_gains:
            cost = ""
        title = result.texts.titles.get(loss.document, "")
        grade = f"grade {number_text(loss.grade)}"
        name = f"({names[loss.grade]})" if loss.grade in names else ""
        table.add(loss.document, title, grade, name, rank, cost)
    return table


def _shared_loss_text(result: CaseResult, loss: Loss, columns: int) -> str:
    """Return which documents share a loss: `any 2 of 7 with grade 3: "Orbit 2" ...`.

    The text names each grade that has the same gain.
    """
    gains = result.conditions.settings.gains
    grades = []
    for grade in sorted(result.evaluation.judgments):
        if gains[grade] == gains[loss.grade]:
            grades.append(number_text(grade))
    text = f"any {loss.places} of {loss.candidates:,} with grade {listed(grades)}"
    titles = _titles_of_shared_loss(result, loss, columns)
    if not titles:
        return text
    more = " ..." if len(titles) > 2 else ""
    return f"{text}: {', '.join(titles[:2])}{more}"


def _titles_of_shared_loss(result: CaseResult, loss: Loss, columns: int) -> list[str]:
    """Return the titles of the documents that share a loss."""
    gains = result.conditions.settings.gains
    room = max(_SHORTEST_TITLE, (columns - _BESIDE_TITLES) // 2)
    titles = []
    for document, grade in result.evaluation.missing:
        title = result.texts.titles.get(document)
        is_candidate = gains[grade] == gains[loss.grade]
        if title is not None and is_candidate and document not in result.ranking.deeper:
            titles.append(quoted(cut_document(harmless(title), room)))
    return titles


def _not_in_index_lines(
    result: CaseResult, listed_above: Collection[str | None], columns: int
) -> list[Line]:
    """Return a line about judged documents that the index lacks; [] without any.

    `listed_above`: the documents that are left out, because a table names them.
    """
    judged = dict(result.evaluation.missing)
    others = []
    for document in result.texts.not_in_index:
        if document in judged and document not in listed_above:
            others.append(harmless(document))
    return wrapped("not in the index: ", others, columns) if others else []


# --- tables about documents -----------------------------------------------------------


def table_of_documents() -> Table:
    """Return a table about documents, without rows.

    Its columns are id, title, grade, the name of the grade, rank, and the cost.
    """
    return Table(
        [
            *document_columns(""),
            Column(gap=3),
            Column(gap=1, drop_order=1),
            Column(gap=3),
            Column(align=RIGHT, gap=3),
        ],
        indent=2,
    )


def lines_with_notes(
    table: Table, documents: Sequence[Loss | Move], result: CaseResult, columns: int
) -> Iterator[Line]:
    """Yield the rows of a table about documents as lines, each followed by its note.

    `documents`: the document of each row, from the first row on. Further rows are about
        no document, and have no note.
    """
    for spans, about in zip_longest(table.row_lines(columns), documents):
        yield spans
        if about is None:
            continue
        note = result.texts.notes.get(about.document or "", "")
        if note:
            yield from folded_lines(f"      {note}", DIM, columns, "      ")
