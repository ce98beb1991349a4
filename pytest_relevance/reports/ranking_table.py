"""The table of the ranking of a case: a row for each rank.

If the case is judged, a row has the figures of which nDCG@k is computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._number_text import total_text
from pytest_relevance._text import counted
from pytest_relevance.registry import EXPECTATIONS, ExtensionError
from pytest_relevance.reports.cells import RIGHT, Column, document_columns, styled_cell
from pytest_relevance.reports.passage_lines import held_texts
from pytest_relevance.reports.styled_lines import BAD, DIM, DOUBT, PLAIN, Line
from pytest_relevance.reports.table import Table
from pytest_relevance.results.breakdown import (
    FIGURES,
    Breakdown,
    Row,
    figure_texts,
    grade_text,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change
from pytest_relevance.results.outcomes import first_ranks

MOST_ROWS = 10
"""How many ranks a report shows by default."""

_DROP_ORDER = {
    "ideal": 2,
    "IDCG": 2,
    "gain": 1,
    "discount": 4,
    "DG": 1,
    "score": 3,
}
"""The columns that are left out if there is little room, the highest number first."""


@dataclass(frozen=True, slots=True)
class _Judged:
    """The cells of a row that depend on judgments. Without judgments they are empty.

    `grade`: the grade of the result, or the numbers of the passages that it holds.
    `figures`: the figures of nDCG, in the order of `FIGURES`.
    `style`: the style of the row.
    """

    grade: str = ""
    figures: Sequence[str] = ("",) * len(FIGURES)
    style: str = PLAIN


_NOT_JUDGED = _Judged()


def ranking_lines(
    result: CaseResult, found: Breakdown | None, *, full: bool, columns: int
) -> list[Line]:
    """Return the table of a ranking. Results that an expectation excludes are marked.

    `found`: the sums of nDCG; None without judgments. With them, ranks below the last
        result are one row.
    `full`: whether all ranks are shown; otherwise the first ten, or eleven if there are
        just eleven results. Without judgments, `full` shows the ranks down to the
        depth, at least ten, and otherwise ten are shown.
    """
    table = _RankingTable(result)
    if found is None:
        table.add_results(full=full)
    else:
        table.add_ranks(found, full=full)
    return table.table.lines(columns)


class _RankingTable:
    """The table of the ranking of a case, to which rows are added.

    The cells of a row, in the order of the columns: the rank, the document and its
    title, the score of the engine, the grade, the accepted rank, the figures of nDCG@k,
    and the mark of an unwanted document. If the case has passages, the numbers of those
    that a result holds are in the place of the grade.
    """

    def __init__(self, result: CaseResult) -> None:
        self.result = result
        self._has_passages = bool(result.evaluation.passages)
        grade = "passages" if self._has_passages else "grade"
        figures = []
        for name in ("score", grade, "was", *FIGURES):
            figures.append(Column(name, RIGHT, drop_order=_DROP_ORDER.get(name, 0)))
        rank = Column("rank", RIGHT)
        self.table = Table([rank, *document_columns(), *figures, Column()])
        self._scores = _engine_scores(result)
        self._accepted_ranks = first_ranks(
            Change.since_baseline(result).documents_before
        )
        # A text without an id of its own gets another id if it is cut at another place.
        # If that happened to all texts, the accepted ranks are left out.
        are_all_new = self._accepted_ranks.keys().isdisjoint(result.ranking.documents)
        if self._has_passages and are_all_new:
            self._accepted_ranks = {}
        self._unwanted = unwanted_documents(result)
        self._held = held_texts(result, result.ranking.held)

    def add_results(self, *, full: bool) -> None:
        """Add the rows of a ranking without judgments, and a note that counts the rest.

        `full`: whether ranks down to the depth are shown, at least ten; otherwise ten.
        """
        result = self.result
        most = MOST_ROWS
        if full:
            most = max(result.conditions.depth or 0, MOST_ROWS)
        shown = result.ranking.documents[:most]
        for rank, document in enumerate(shown, 1):
            is_copy = document in shown[: rank - 1]
            self._add_result(rank, document, is_copy=is_copy)
        total = max(len(result.ranking.documents), result.ranking.returned)
        more = total - len(shown)
        if more:
            self.table.note = f"      ... {counted(more, 'more result')}"

    def add_ranks(self, found: Breakdown, *, full: bool) -> None:
        """Add the rows of a judged ranking, with the figures of nDCG."""
        results = sum(1 for row in found.rows if row.document is not None)
        # a note about one more rank would take as much room as the rank
        is_cut = not full and results > MOST_ROWS + 1
        rows = found.rows
        if is_cut:
            rows = rows[:MOST_ROWS]
        elif not full:
            rows = rows[:results]
        for row in rows:
            if row.document is None:
                self._add_nothing(str(row.rank), figure_texts(row))
            else:
                self._add_judged(row, row.document)
        k = self.result.conditions.k
        if is_cut:
            more = len(found.rows) - MOST_ROWS
            self.table.note = f"      ... {more} more ranks (-v shows all)"
        elif results < len(found.rows) and len(rows) < k:
            first, last = len(rows) + 1, found.rows[-1]
            sums = ["", "", "", total_text(last.dcg), "", total_text(last.ideal_dcg)]
            self._add_nothing(str(first) if first == k else f"{first}-{k}", sums)

    def _add_judged(self, row: Row, document: str) -> None:
        """Add the row of a result of a judged ranking."""
        figures = figure_texts(row)
        if self._has_passages:
            style = PLAIN if row.gain else DIM
            judged = _Judged(self._held[row.rank - 1], figures, style)
            self._add_result(row.rank, document, judged)
            return
        judged = _Judged(grade_text(row), figures, _style(row))
        self._add_result(row.rank, document, judged, is_copy=row.repeated)

    def _add_result(
        self,
        rank: int,
        document: str,
        judged: _Judged = _NOT_JUDGED,
        *,
        is_copy: bool = False,
    ) -> None:
        """Add the row of a result.

        `is_copy`: whether it is a later copy of a document. Then it has no score, no
            accepted rank and no mark.
        """
        score = was = mark = ""
        if not is_copy:
            score = self._score(rank, document)
            mark = self._unwanted.get(document, "")
            if self._accepted_ranks:
                was = str(self._accepted_ranks.get(document, "new"))
        title = self.result.texts.titles.get(document, "")
        self.table.add(
            str(rank),
            document,
            title,
            score,
            judged.grade,
            was,
            *judged.figures,
            mark,
            style=BAD if mark else judged.style,
        )

    def _score(self, rank: int, document: str) -> str:
        """Return the score that the engine gave to a result, or "".

        If texts are searched for, several results may have one id and different scores.
        """
        if not self.result.ranking.lengths:
            return self._scores.get(document, "")
        engine_scores = self.result.ranking.engine_scores
        return _score_text(engine_scores[rank - 1]) if engine_scores else ""

    def _add_nothing(self, ranks: str, figures: Sequence[str]) -> None:
        """Add a row for ranks without a result. `figures`: the figures of nDCG."""
        words = "no judged result"
        if self.result.conditions.settings.unjudged == "zero":
            words = "nothing returned"
        nothing = styled_cell(words, DIM, 2)  # also in the place of a title
        score = grade = was = ""
        self.table.add(ranks, nothing, score, grade, was, *figures, style=DIM)


def _style(row: Row) -> str:
    if row.repeated:
        return DIM
    if row.grade is None:
        return DOUBT
    return BAD if row.gain <= 0 and row.ideal_grade is not None else PLAIN


def unwanted_documents(result: CaseResult) -> dict[str, str]:
    """Return {document: mark} for results at ranks that an expectation forbids.

    A mark is, for example, `excluded` or `not before 4`.
    """
    marks = {}
    for outcome in result.evaluation.outcomes:
        if outcome.met:
            continue
        try:
            with EXPECTATIONS.calling(outcome.kind):
                kind = EXPECTATIONS.get_or_unknown(outcome.kind)
                unwanted = kind.unwanted(outcome, result.conditions.k)
        except ExtensionError:
            continue  # the other documents still have their marks
        if unwanted is None:
            continue
        for document in result.ranking.documents[: unwanted.within]:
            if document in outcome.wrong:
                marks[document] = unwanted.mark
    return marks


def _engine_scores(result: CaseResult) -> dict[str, str]:
    """Return {document: score that the engine gave to it at its first rank}.

    Documents below both rank k and the depth are left out. A document without a score
    has "".
    """
    depth = max(result.conditions.k, result.conditions.depth or 0)
    engine_scores = result.ranking.engine_scores[:depth]
    scores: dict[str, str] = {}
    for document, score in zip(result.ranking.documents, engine_scores, strict=False):
        if document not in scores:
            scores[document] = _score_text(score)
    return scores


def _score_text(score: float | None) -> str:
    return "" if score is None else f"{score:.5g}"
