"""One rank of a breakdown, and its figures as text for reports and notebooks."""

from __future__ import annotations

from dataclasses import dataclass

from pytest_relevance._number_text import number_text, total_text

FIGURES = ("gain", "discount", "DG", "DCG", "ideal", "IDCG")
"""The heads of the figures of a row: see `figure_texts`."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rank (from 1) of the table.

    `document` is None below the last result. `grade` is None for an unjudged result and
    for a later copy of a document (`repeated`). `discounted_gain` is gain / discount at
    this rank; `dcg` and `cg` (the sum of grades) are the sums down to it. `ideal_grade`
    is the grade at this rank of the ideal ranking, None below its end, and `ideal_dcg`
    the DCG of that ranking down to it. `ideal_rank` is the rank that the document has
    in the ideal order, documents of one grade sharing the first (dense: 1, 2, 2, 3).
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


def grade_text(row: Row) -> str:
    """Show the grade of a result, "-" if it is unjudged.

    Nothing is shown if there is no result.
    """
    if row.document is None:
        return ""
    if row.grade is not None:
        return number_text(row.grade)
    return "repeat" if row.repeated else "-"


def figure_texts(row: Row) -> list[str]:
    """Show the `FIGURES` of a row.

    "-" stands for what an unjudged result does not have. A row without a result has no
    gain, and one below the ideal ranking has no ideal.
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
