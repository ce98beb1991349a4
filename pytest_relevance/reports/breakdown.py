"""The arithmetic of one query's nDCG as a plain table: the one place that builds it; every report renders these rows.

The figures come from `metrics.scalar`, term by term, so that the last row's DCG over the last IDCG is the score, to the
bit.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

from pytest_relevance.metrics.scalar import (
    GradedRanking,
    Term,
    dcg_terms,
    grade_ranking,
    ideal_grades,
    scored_indexes,
)
from pytest_relevance.metrics.settings import Settings, discount_table
from pytest_relevance.runs.ranking import id_text, read_ranking
from pytest_relevance.wording import quoted, shown

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

    Documents of one grade share the mean of the contributions at their ideal ranks. `rank` (from 1) is where the search
    returned the document, None when it did not; `last_ideal_rank` is how far down documents of its grade belong, 0 for
    nowhere. The losses of all documents add up to 1 - nDCG, except with ideal "max", where some of the ideal is
    nobody's.
    """

    document: str
    grade: float
    rank: int | None
    last_ideal_rank: int
    loss: float


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The table of one query, cut at k, with its totals. `losses` are sorted, the largest first.

    `too_high` are the rows of the results with less gain than the ideal has at their rank, the best-placed first;
    with ideal "max" the ideal of the judged documents.
    """

    rows: tuple[Row, ...]
    dcg: float
    ideal_dcg: float
    losses: tuple[Loss, ...]
    too_high: tuple[Row, ...] = ()

    def frame(self) -> pandas.DataFrame:
        """The rows as a DataFrame, a row a rank, a column a field of `Row`."""
        import pandas

        names = [field.name for field in fields(Row)]
        table: pandas.DataFrame = pandas.DataFrame([asdict(row) for row in self.rows], columns=names)
        return table


def breakdown(
    judgments: Mapping[Any, float],
    ranking: object,
    k: int | None = 10,
    *,
    gain: str | Mapping[float, float] = "exponential",
    discount: str = "log2",
    ideal: str = "judged",
    unjudged: str = "zero",
    max_grade: float | None = None,
    negative: str = "keep",
) -> Breakdown:
    """Break the nDCG@k of one ranking down.

    `judgments` maps documents to grades; `ranking` is documents best first, or whatever else a search may return. Ids
    are compared as text; integers are their digits. k=None looks at the whole ranking and the whole ideal. The other
    arguments are those of `evaluate`. Raises ValueError for one that is not allowed, for a grade that has no gain, and
    for an id that is not text or an integer.

    The formula is Järvelin and Kekäläinen's (TOIS 20(4), 2002): DCG = sum over ranks of gain / log2(rank + 1).
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise ValueError(f"k is a whole number from 1, or None for the whole ranking, not {shown(k)}")
    settings = Settings(gain, discount, ideal, unjudged, negative, max_grade=max_grade)
    grades = _checked(judgments, settings)
    documents = read_ranking(ranking).ids
    return break_down(grades, documents, grade_ranking(documents, grades), k, settings)


def break_down(
    judgments: Mapping[str, float], ranking: Sequence[str], graded: GradedRanking, k: int | None, settings: Settings
) -> Breakdown:
    """The same for a ranking that is graded already, under `settings`."""
    indexes = scored_indexes(graded, settings)
    terms = dcg_terms([graded.grades[index] for index in indexes], settings, k)
    ideal_terms = dcg_terms(ideal_grades(graded, settings, k), settings)
    discounts = discount_table(settings.discount, max(len(terms), len(ideal_terms)))
    order = _dense_ranks(graded, settings)
    repeated = set(graded.repeated)
    rows: list[Row] = []
    dcg = cg = ideal_dcg = 0.0
    for rank, (term, ideal) in enumerate(zip_longest(terms, ideal_terms), 1):
        index = grade = None
        if term is not None:
            index, grade, dcg = indexes[rank - 1], term.grade, term.total
        if ideal is not None:
            ideal_dcg = ideal.total
        if grade is not None and (grade > 0 or settings.negative == "keep"):
            cg += grade
        rows.append(
            Row(
                rank=rank,
                document=None if index is None else ranking[index],
                grade=grade,
                gain=0.0 if term is None else term.gain,
                discount=discounts[rank - 1],
                discounted_gain=0.0 if term is None else term.discounted,
                dcg=dcg,
                cg=cg,
                ideal_grade=None if ideal is None else ideal.grade,
                ideal_dcg=ideal_dcg,
                ideal_rank=None if grade is None else order[grade],
                repeated=index in repeated,
            )
        )
    best = ideal_terms  # of the documents that there are
    if settings.ideal == "max":
        judged = replace(settings, ideal="judged")
        best = dcg_terms(ideal_grades(graded, judged, k), judged)
    elif settings.ideal == "returned":
        returned = set(ranking)
        judgments = {document: grade for document, grade in judgments.items() if document in returned}
    losses = _losses(judgments, ranking, best, rows)
    too_high = tuple(
        row
        for row, term in zip(rows, best, strict=False)
        if row.gain < term.gain and row.document is not None and not row.repeated
    )
    return Breakdown(tuple(rows), dcg, ideal_dcg, losses, too_high)


def _checked(judgments: Mapping[Any, float], settings: Settings) -> dict[str, float]:
    """Judgments with ids as text and grades that all have a gain."""
    grades: dict[str, float] = {}
    for document, grade in judgments.items():
        name = id_text(document)
        if name is None:
            raise ValueError(f"a document id is text or an integer, not {shown(document)}")
        if name in grades:
            raise ValueError(f"document {quoted(name)} is judged twice, as text and as an integer")
        try:
            settings.gain_of(grade)
        except ValueError as error:
            raise ValueError(f"document {quoted(name)}: {error}") from None
        grades[name] = grade
    return grades


def _dense_ranks(graded: GradedRanking, settings: Settings) -> dict[float, int]:
    """The ideal rank of each grade, equal gains sharing one."""
    gains = settings.gains
    levels = sorted({gains[grade] for grade in graded.judged}, reverse=True)
    return {grade: levels.index(gains[grade]) + 1 for grade in set(graded.judged)}


def _losses(
    judgments: Mapping[str, float], ranking: Sequence[str], best: Sequence[Term], rows: Sequence[Row]
) -> tuple[Loss, ...]:
    """The losses of the documents that the ideal is made of, `best` being the best order of them."""
    if not rows or not rows[-1].ideal_dcg:
        return ()
    ranks: dict[str, int] = {}
    for rank, document in enumerate(ranking, 1):
        ranks.setdefault(document, rank)
    at_grade: dict[float | None, float] = {}
    last_ranks: dict[float | None, int] = {}
    for term in best:
        at_grade[term.grade] = at_grade.get(term.grade, 0.0) + term.discounted
        last_ranks[term.grade] = term.rank
    documents_at = Counter(judgments.values())
    actual = {row.document: row.discounted_gain for row in rows if not row.repeated}
    losses = [
        Loss(
            document,
            grade,
            ranks.get(document),
            last_ranks.get(grade, 0),
            (at_grade.get(grade, 0.0) / documents_at[grade] - actual.get(document, 0.0)) / rows[-1].ideal_dcg,
        )
        for document, grade in judgments.items()
    ]
    losses.sort(key=lambda loss: (-loss.loss, -loss.grade, loss.rank or len(ranking) + 1))
    return tuple(losses)
