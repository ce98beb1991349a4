"""The arithmetic of one query's nDCG as a plain table: the one place that builds it; every report renders these rows.

The figures come from `metrics.scalar`, term by term, so that the last row's DCG over the last IDCG is the score, to the
bit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pytest_relevance.metrics.scalar import (
    GradedRanking,
    dcg_terms,
    grade_ranking,
    ideal_grades,
    scored_indexes,
)
from pytest_relevance.metrics.settings import Settings, discount_table

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Row:
    """One rank (from 1) of the table.

    `document` is None below the last result. `grade` is None for an unjudged result and for a later copy of a document
    (`repeated`). `discounted_gain`, `dcg` and `cg` (the sum of grades) run over the ranking; `ideal_grade` and
    `ideal_dcg` belong to this rank of the ideal ranking, None below its end. `ideal_rank` is the rank that the document
    has in the ideal order, documents of one grade sharing the first (dense: 1, 2, 2, 3).
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


@dataclass(frozen=True, slots=True)
class Loss:
    """What a document takes from the score: its ideal contribution less its actual one, over the ideal DCG.

    Documents of one grade share the mean of the contributions at their ideal ranks. `rank` (from 1) is where the
    document is, None when it was not returned. The losses of all documents add up to 1 - nDCG.
    """

    document: str
    grade: float
    rank: int | None
    loss: float


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The table of one query, cut at k, with its totals. `losses` are sorted, the largest first."""

    rows: tuple[Row, ...]
    dcg: float
    ideal_dcg: float
    losses: tuple[Loss, ...]

    def frame(self) -> pandas.DataFrame:
        """The rows as a DataFrame, a row a rank, a column a field of `Row`."""
        import pandas

        return pandas.DataFrame([asdict(row) for row in self.rows], columns=[field.name for field in fields(Row)])


def breakdown(
    judgments: Mapping[str, float], ranking: Sequence[str], k: int | None = 10, **conventions: Any
) -> Breakdown:
    """Break the nDCG@k of one ranking down.

    `judgments` maps documents to grades, `ranking` is documents best first; k=None looks at the whole ranking and the
    whole ideal. `conventions` are those of `evaluate`: gain, discount, ideal, unjudged, negative, max_grade. Raises
    ValueError for a convention or a grade that is not allowed.

    The formula is Järvelin and Kekäläinen's (TOIS 20(4), 2002): DCG = sum over ranks of gain / log2(rank + 1).
    """
    return break_down(judgments, ranking, grade_ranking(ranking, judgments), k, Settings(**conventions))


def break_down(
    judgments: Mapping[str, float], ranking: Sequence[str], graded: GradedRanking, k: int | None, settings: Settings
) -> Breakdown:
    """The same for a ranking that is graded already, under `settings`."""
    ideal = ideal_grades(graded, settings, k)
    ideal_terms = dcg_terms(ideal, settings, k)
    indexes = scored_indexes(graded, settings)
    scored = [graded.grades[index] for index in indexes]
    order = _dense_ranks(graded, settings)
    repeated = set(graded.repeated)
    rows = []
    cg = 0.0
    terms = dcg_terms(scored, settings, k)
    discounts = discount_table(settings.discount, max(len(terms), len(ideal_terms)))
    for term, ideal_term in zip_longest(terms, ideal_terms):
        rank = len(rows) + 1
        index = indexes[rank - 1] if term is not None else None
        grade = term.grade if term is not None else None
        if grade is not None and (grade > 0 or settings.negative == "keep"):
            cg += grade
        rows.append(
            Row(
                rank=rank,
                document=ranking[index] if index is not None else None,
                grade=grade,
                gain=term.gain if term is not None else 0.0,
                discount=discounts[rank - 1],
                discounted_gain=term.discounted if term is not None else 0.0,
                dcg=term.total if term is not None else (rows[-1].dcg if rows else 0.0),
                cg=cg,
                ideal_grade=ideal_term.grade if ideal_term is not None else None,
                ideal_dcg=ideal_term.total if ideal_term is not None else (rows[-1].ideal_dcg if rows else 0.0),
                ideal_rank=order.get(grade) if grade is not None else None,
                repeated=index in repeated,
            )
        )
    ideal_dcg = rows[-1].ideal_dcg if rows else 0.0
    contributions = {row.document: row.discounted_gain for row in rows if row.document is not None and not row.repeated}
    return Breakdown(
        tuple(rows),
        rows[-1].dcg if rows else 0.0,
        ideal_dcg,
        _losses(judgments, ranking, ideal, settings, contributions, ideal_dcg),
    )


def _dense_ranks(graded: GradedRanking, settings: Settings) -> dict[float, int]:
    """The ideal rank of each grade, equal gains sharing one."""
    gains = settings.gains
    levels = sorted({gains[grade] for grade in graded.judged}, reverse=True)
    return {grade: levels.index(gains[grade]) + 1 for grade in set(graded.judged)}


def _losses(
    judgments: Mapping[str, float],
    ranking: Sequence[str],
    ideal: Sequence[float],
    settings: Settings,
    actual: Mapping[str | None, float],
    ideal_dcg: float,
) -> tuple[Loss, ...]:
    if not ideal_dcg:
        return ()
    at_grade: dict[float, float] = {}
    for term in dcg_terms(list(ideal), settings, None):
        assert term.grade is not None
        at_grade[term.grade] = at_grade.get(term.grade, 0.0) + term.discounted
    documents_at: dict[float, int] = {}
    for grade in judgments.values():
        documents_at[grade] = documents_at.get(grade, 0) + 1
    ranks: dict[str, int] = {}
    for rank, document in enumerate(ranking, 1):
        ranks.setdefault(document, rank)
    losses = [
        Loss(
            document,
            grade,
            ranks.get(document),
            (at_grade.get(grade, 0.0) / documents_at[grade] - actual.get(document, 0.0)) / ideal_dcg,
        )
        for document, grade in judgments.items()
    ]
    losses.sort(key=lambda loss: (-loss.loss, -loss.grade, loss.rank or len(ranking) + 1))
    return tuple(losses)
