"""Make the rows of a breakdown, and write their figures as text for reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pytest_relevance._number_text import number_text, total_text
from pytest_relevance.metrics import ndcg
from pytest_relevance.metrics.settings import discount_table
from pytest_relevance.results.scored_ranking import ScoredRanking

FIGURES = ("gain", "discount", "DG", "DCG", "ideal", "IDCG")
"""The heads of the figures of a row: see `figure_texts`."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rank of a breakdown.

    `rank`: from 1.
    `document`: None below the last result.
    `grade`: None for an unjudged result and for a later copy (`repeated`).
    `discounted_gain`: gain / discount.
    `dcg`, `cg`: the sums of discounted gains and of grades, down to this rank.
    `ideal_grade`: the grade at this rank of the ideal ranking; None below its end.
    `ideal_dcg`: the DCG of the ideal ranking, down to this rank.
    `ideal_rank`: the rank of the document in the ideal order. Documents with one gain
    share a rank, and no rank is left out: 1, 2, 2, 3.
    """

    rank: int
    document: str | None
    grade: float | None
    gain: float
    discount: float
    discounted_gain: float
    dcg: float
    cg: float
    ideal_grade: float | None
    ideal_dcg: float
    ideal_rank: int | None
    repeated: bool = False


def rows_of(ranking: ScoredRanking) -> tuple[Row, ...]:
    """Return a row for each rank of the scored results and of the ideal ranking."""
    settings = ranking.settings
    own_terms = ndcg.dcg_terms(ranking.own, settings)
    ideal_terms = ndcg.dcg_terms(ranking.ideal, settings)
    ranks = max(len(own_terms), len(ideal_terms))
    discounts = discount_table(settings.discount, ranks)
    ideal_ranks = _ideal_ranks(ranking)
    repeated = set(ranking.graded.repeated)
    rows = []
    cg = 0.0
    for rank in range(1, ranks + 1):
        term = _term_at(own_terms, rank)
        ideal = _term_at(ideal_terms, rank)
        grade = term.grade
        if grade is not None and (grade > 0 or settings.negative == "keep"):
            cg += grade
        index = ranking.indexes[rank - 1] if rank <= len(own_terms) else None
        rows.append(
            Row(
                rank=rank,
                document=None if index is None else ranking.documents[index],
                grade=grade,
                gain=term.gain,
                discount=discounts[rank - 1],
                discounted_gain=term.discounted,
                dcg=term.total,
                cg=cg,
                ideal_grade=ideal.grade,
                ideal_dcg=ideal.total,
                ideal_rank=None
                if grade is None
                else ideal_ranks[settings.gains[grade]],
                repeated=index in repeated,
            )
        )
    return tuple(rows)


def _term_at(terms: Sequence[ndcg.Term], rank: int) -> ndcg.Term:
    """Return the summand of a DCG at a rank; below the last rank its gain is 0."""
    if rank <= len(terms):
        return terms[rank - 1]
    total = terms[-1].total if terms else 0.0
    return ndcg.Term(
        rank=rank, grade=None, gain=0.0, discount=0.0, discounted=0.0, total=total
    )


def _ideal_ranks(ranking: ScoredRanking) -> dict[float, int]:
    """Return {gain: its rank in the ideal order}, without gaps: 1, 2, 3."""
    gains = {ranking.settings.gains[grade] for grade in ranking.graded.judged}
    ranks = {}
    for rank, gain in enumerate(sorted(gains, reverse=True), 1):
        ranks[gain] = rank
    return ranks


def grade_text(row: Row) -> str:
    """Return the grade of a row as text.

    It is "-" for an unjudged result, "repeat" for a later copy, and "" without a
    result.
    """
    if row.document is None:
        return ""
    if row.grade is not None:
        return number_text(row.grade)
    return "repeat" if row.repeated else "-"


def figure_texts(row: Row) -> list[str]:
    """Return the texts of a row for the columns `FIGURES`.

    The gain is "-" for an unjudged result and "" without a result. The ideal is ""
    below the end of the ideal ranking.
    """
    gain = discounted = ideal = ideal_dcg = ""
    if row.document is not None:
        gain = discounted = "-"
        if row.grade is not None:
            gain = number_text(row.gain)
            discounted = total_text(row.discounted_gain)
    if row.ideal_grade is not None:
        ideal = number_text(row.ideal_grade)
        ideal_dcg = total_text(row.ideal_dcg)
    discount = f"{row.discount:.3f}"
    return [gain, discount, discounted, total_text(row.dcg), ideal, ideal_dcg]
