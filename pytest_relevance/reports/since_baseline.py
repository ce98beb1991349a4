"""What changed in the ranking of a case since its baseline, document by document."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from pytest_relevance._number_text import LEAST, digits_apart, number_text
from pytest_relevance._text import counted
from pytest_relevance.reports.cells import styled_cell
from pytest_relevance.reports.loss_tables import (
    lines_with_notes,
    loss_text,
    table_of_documents,
)
from pytest_relevance.reports.reasons import absence
from pytest_relevance.reports.styled_lines import (
    DIM,
    DOUBT,
    PLAIN,
    STRONG,
    Line,
    folded_lines,
    styled_line,
)
from pytest_relevance.reports.table import Table, limit
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change, Move, RankChanges
from pytest_relevance.results.records.fingerprint import MOST_SHOWN, changes_text
from pytest_relevance.results.scored_ranking import scored_ranking, shares_of_change

MOST_FELL, MOST_ROSE = 3, 2
"""How many documents the default report shows: the costliest, and others."""

_SAME = 1e-6  # the scores in a baseline have six decimals


def since_baseline_lines(
    result: CaseResult, moves: RankChanges, *, full: bool, columns: int
) -> list[Line]:
    """Return which documents left, fell, came and rose, and what each cost or gained.

    The documents that cost most come first. Then come other documents, the best rank
    first.

    `moves`: how the ranks changed.
    `full`: whether all documents are shown, with how similar the rankings are.
        Otherwise only the first are shown, and one row counts the rest.
    """
    assert result.baseline is not None
    searched = changes_text(result.baseline.searched, limit(MOST_SHOWN, full=full))
    lines = []
    if searched:
        text = f"searched then and now: {searched}"
        lines += folded_lines(text, DOUBT, columns, "    ")
    rescored = _rescored_text(result)
    passages = result.evaluation.passages
    if not moves:
        same = "the ranking is the same"
        if passages:
            same = "each passage is found where it was"
        text = f"since the reference: {same}"
        if rescored:
            text += f"; its score {rescored}"
        return [*lines, *folded_lines(text, PLAIN, columns)]
    lines = [styled_line(""), *lines]
    lines.append(styled_line(f"since the reference{_scores_text(result)}", STRONG))
    if not passages:  # the list of passages has their ranks then and now
        chosen = _chosen_moves(result, moves, full=full)
        table = _moves_table(result, chosen)
        lines += lines_with_notes(table, chosen.shown, result, columns)
    if full:
        at = f"Jaccard@{result.conditions.k} {moves.jaccard:.2f}"
        lines.append(styled_line(f"  {at}, RBO {moves.rbo:.2f}"))
    if rescored:
        text = f"  the score of the accepted ranking {rescored} too"
        lines += folded_lines(text, PLAIN, columns)
    return lines


@dataclass(frozen=True, slots=True)
class _ChosenMoves:
    """The changes of ranks that a report shows.

    `shown`: the changes, in the order of the table.
    `others`: how many further changes there are.
    `shares`: {document: by how much it raised nDCG@k}; empty without judgments.
    """

    shown: list[Move]
    others: int
    shares: Mapping[str, float]

    @property
    def share_of_others(self) -> float:
        """The sum of the shares of the documents that are not shown."""
        shown = {move.document for move in self.shown}
        rest = 0.0
        for document, share in self.shares.items():
            if document not in shown:
                rest += share
        return rest


def _chosen_moves(
    result: CaseResult, moves: RankChanges, *, full: bool
) -> _ChosenMoves:
    """Return the moves that a report shows: the costliest, then others.

    `full`: whether all moves are shown; otherwise the three costliest and the first two
        of the others. All are shown too if there are at most six.
    """
    change = Change.since_baseline(result)
    shares = shares_of_change(change, scored_ranking(result))
    costly = _costly_moves(moves, shares)
    others = _other_moves(moves, costly)
    shown = [*costly, *others]
    # a row about one more document would take as much room as the document
    if not full and len(shown) > MOST_FELL + MOST_ROSE + 1:
        shown = [*costly[:MOST_FELL], *others[:MOST_ROSE]]
    more = len(costly) + len(others) - len(shown)
    return _ChosenMoves(shown, more, shares)


def _costly_moves(changes: RankChanges, shares: Mapping[str, float]) -> list[Move]:
    """Return the changes of ranks that lowered the score, the costliest first.

    Without `shares`: the documents that left the top, then those that fell in it.
    """
    costly = []
    for move in (*changes.left, *changes.moved, *changes.entered):
        if shares:
            costs = shares[move.document] < -LEAST
        else:
            costs = move.has_fallen
        if costs:
            costly.append(move)
    if shares:
        costly.sort(key=lambda move: shares[move.document])
    return costly


def _other_moves(changes: RankChanges, costly: list[Move]) -> list[Move]:
    """Return the moves that are not in `costly`, by the rank now.

    Documents that left the top come last.
    """
    costs = {move.document for move in costly}
    others = []
    for move in (*changes.left, *changes.moved, *changes.entered):
        if move.document not in costs:
            others.append(move)
    others.sort(key=lambda move: (move.second is None, move.second or 0))
    return others


def _moves_table(result: CaseResult, moves: _ChosenMoves) -> Table:
    """Return the table of the chosen moves, with a row that counts the other moves."""
    table = table_of_documents()
    for move in moves.shown:
        grade = ""
        if result.evaluation.judgments:
            grade = "unjudged"
            if move.grade is not None:
                grade = f"grade {number_text(move.grade)}"
        table.add(
            move.document,
            result.texts.titles.get(move.document, ""),
            grade,
            "",
            _ranks_text(result, move),
            loss_text(-moves.shares[move.document]) if moves.shares else "",
        )
    if moves.others:
        words = f"{counted(moves.others, 'other')} (-v shows all)"
        rest = loss_text(-moves.share_of_others) if moves.shares else ""
        table.add(styled_cell(words, DIM, 5), rest, style=DIM)
    return table


def _ranks_text(result: CaseResult, move: Move) -> str:
    """Return, for example, `3 -> 37`, `new at 1` or `1 -> not returned`."""
    if move.first is None:
        return f"new at {move.second}"
    if move.second is None:
        return f"{move.first} -> {absence(result, move.document)}"
    return f"{move.first} -> {move.second}"


def _scores_text(result: CaseResult) -> str:
    """Return, for example, `: nDCG@10 0.764 -> 0.312`; "" if a score is missing."""
    assert result.baseline is not None
    then, now = result.baseline.score, result.score
    if then is None or now is None:
        return ""
    digits = digits_apart(then, now) if then != now else 3
    return f": {result.metric.text} {then:.{digits}f} -> {now:.{digits}f}"


def _rescored_text(result: CaseResult) -> str:
    """Return how the score of the accepted ranking changed since acceptance, or "".

    Example: `was 0.764 that day and is 0.712 today: the judgments or settings changed`.
    """
    assert result.baseline is not None
    today = result.baseline.score
    then = result.baseline.then.get(result.metric.text)
    if then is None:
        return ""
    if today is None:
        scores = f"was {then:.3f} that day and is not defined today"
    elif abs(then - today) <= _SAME:
        return ""
    else:
        digits = digits_apart(then, today)
        scores = f"was {then:.{digits}f} that day and is {today:.{digits}f} today"
    return f"{scores}: the judgments or settings changed"
