"""Show how the nDCG@k of one ranking comes about, rank by rank.

The DCG of the last row divided by its IDCG is exactly the score. `losses.py` computes
what each document costs.

`break_down` is called for a failing case when its report is made. `breakdown` is public
and called in notebooks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from typing import TYPE_CHECKING, Any

from pytest_relevance._ids import decoding_advice
from pytest_relevance._notebook_html import MOST_ROWS, NUMBER, TEXT, html_table
from pytest_relevance._number_text import number_text, score_text, total_text
from pytest_relevance._text import counted, quoted, shown
from pytest_relevance.metrics import ndcg
from pytest_relevance.metrics.settings import Settings, discount_table
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.losses import Loss, losses_of
from pytest_relevance.results.responses.ids import id_text
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.scored_ranking import ScoredRanking, scored_ranking

if TYPE_CHECKING:
    import pandas


FIGURES = ("gain", "discount", "DG", "DCG", "ideal", "IDCG")
"""The heads of the columns with what `figure_texts` returns."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rank of a breakdown.

    `rank`: from 1.
    `document`: None below the last result.
    `grade`: None for an unjudged result and for a later copy (`repeated`). If passages
    are judged, the highest grade found at the rank.
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


@dataclass(frozen=True, slots=True)
class Breakdown:
    """nDCG@k of one query, rank by rank.

    `rows`: a row for each rank.
    `dcg`, `ideal_dcg`: the DCG of the ranking and of the ideal ranking, down to k.
    `losses`: what documents cost, the largest loss first. The losses and `unfilled` add
    up to 1 - nDCG.
    `too_high`: the rows of results that have less gain than the best order of the
    judged documents has at their rank.
    `unfilled`: (IDCG - DCG of that best order) / IDCG; above 0 only with ideal "max".
    `is_defined`: whether any judged document has a gain above 0.
    """

    rows: tuple[Row, ...]
    dcg: float
    ideal_dcg: float
    losses: tuple[Loss, ...]
    too_high: tuple[Row, ...] = ()
    unfilled: float = 0.0
    is_defined: bool = True

    @property
    def score(self) -> float:
        """Return nDCG@k, that is `dcg` / `ideal_dcg`.

        NaN if nDCG is not defined; 0 if it is, but nothing in the ideal has a gain.
        """
        if not self.is_defined:
            return math.nan
        return self.dcg / self.ideal_dcg if self.ideal_dcg else 0.0

    def _repr_html_(self) -> str:
        """Return a table of the first 20 ranks for a notebook, with the totals."""
        columns = [("rank", NUMBER), ("document", TEXT), ("grade", NUMBER)]
        columns += [(name, NUMBER) for name in FIGURES]
        rows = []
        for row in self.rows[:MOST_ROWS]:
            rank = (str(row.rank), row.document or "", grade_text(row))
            rows.append((*rank, *figure_texts(row)))
        sums = f"DCG {total_text(self.dcg)} / ideal DCG {total_text(self.ideal_dcg)}"
        note = f"{sums} = nDCG {score_text(self.score)}"
        more = len(self.rows) - len(rows)
        if more:
            note = f"... and {counted(more, 'more rank')}; {note}"
        return html_table(columns, rows, note=note)

    def frame(self) -> pandas.DataFrame:
        """Return a DataFrame: a row for each rank, a column for each field of `Row`."""
        import pandas

        names = [each.name for each in fields(Row)]
        rows = [asdict(row) for row in self.rows]
        table: pandas.DataFrame = pandas.DataFrame(rows, columns=names)
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
    """Return the nDCG@k of one ranking, rank by rank.

    `judgments`: {document: grade}, in a dict or a pandas Series.
    `ranking`: documents, best first, or whatever else a search may return.
    `k`: the cutoff. None looks at the whole ranking and the whole ideal.

    The other arguments are those of `evaluate`. Ids are compared as text, integers as
    their digits.

    Source: Järvelin & Kekäläinen, TOIS 20(4), 2002. DCG is the sum of gain / log2(rank
    + 1) over the ranks.

    Raises:
        ValueError: an argument is not allowed, a grade has no gain, an id is not text
            or an integer, or (`UnreadableRanking`) `ranking` is not a ranking.
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise ValueError(
            f"k is a whole number from 1, or None for the whole ranking, not {shown(k)}"
        )
    settings = Settings(gain, discount, ideal, unjudged, negative, max_grade=max_grade)
    grades = _checked(judgments, settings)
    documents = read_ranking(ranking).ids
    returned = set(documents)
    missing = []
    for document, grade in grades.items():
        if document not in returned:
            missing.append((document, grade))
    graded = ndcg.grade_ranking(documents, grades)
    scored = ScoredRanking(
        documents=documents, graded=graded, settings=settings, k=k, missing=missing
    )
    return _break_down(scored)


def _checked(judgments: Mapping[Any, float], settings: Settings) -> dict[str, float]:
    """Return {document: grade}, with ids as text.

    Raises ValueError for an id that is neither text nor an integer, for two equal ids,
    and for a grade without a gain.
    """
    grades: dict[str, float] = {}
    for document, grade in judgments.items():
        name = id_text(document)
        if name is None:
            advice = decoding_advice(document)
            raise ValueError(
                f"a document id is text or an integer, not {shown(document)}{advice}"
            )
        if name in grades:
            raise ValueError(
                f"document {quoted(name)} is judged twice, as text and as an integer"
            )
        try:
            settings.gain_of(grade)
        except ValueError as error:
            raise ValueError(f"document {quoted(name)}: {error}") from None
        grades[name] = grade
    return grades


def break_down(result: CaseResult) -> Breakdown:
    """Return the nDCG@k of a result, rank by rank."""
    return _break_down(scored_ranking(result))


def _break_down(ranking: ScoredRanking) -> Breakdown:
    """Return the breakdown of a ranking; no losses if nothing ideal has a gain."""
    rows = _rows_of(ranking)
    dcg = ndcg.dcg_of(ranking.graded, ranking.settings, ranking.k)
    ideal_dcg = ranking.ideal_dcg
    if not ideal_dcg:
        is_defined = ndcg.has_gain(ranking.graded, ranking.settings)
        return Breakdown(rows, dcg, ideal_dcg, (), is_defined=is_defined)
    best_dcg = ndcg.dcg(ranking.best, ranking.settings)
    return Breakdown(
        rows=rows,
        dcg=dcg,
        ideal_dcg=ideal_dcg,
        losses=losses_of(ranking),
        too_high=_too_high(ranking, rows),
        unfilled=(ideal_dcg - best_dcg) / ideal_dcg,
    )


def _too_high(ranking: ScoredRanking, rows: Sequence[Row]) -> tuple[Row, ...]:
    """Return the rows of results with a lower gain than the best order has there."""
    gains = ranking.settings.gains
    too_high = []
    for row, grade in zip(rows, ranking.best, strict=False):
        is_result = row.document is not None and not row.repeated
        if is_result and row.gain < gains[grade]:
            too_high.append(row)
    return tuple(too_high)


# --- the rows -------------------------------------------------------------------------


def _rows_of(ranking: ScoredRanking) -> tuple[Row, ...]:
    """Return a row for each rank of the scored results and of the ideal ranking."""
    ideal_terms = ndcg.dcg_terms(ranking.ideal, ranking.settings)
    ranks = max(len(ranking.terms), len(ideal_terms))
    discounts = discount_table(ranking.settings.discount, ranks)
    ideal_ranks = _ideal_ranks(ranking)
    repeated = set(ranking.graded.repeated)
    rows = []
    cg = 0.0
    for rank in range(1, ranks + 1):
        term = _term_at(ranking.terms, rank)
        ideal = _term_at(ideal_terms, rank)
        document = None
        is_repeated = False
        if rank <= len(ranking.terms):
            index = ranking.indexes[rank - 1]
            document = ranking.documents[index]
            is_repeated = index in repeated
            cg += _sum_of_grades(ranking, term)
        row = Row(
            rank=rank,
            document=document,
            grade=term.grade,
            gain=term.gain,
            discount=discounts[rank - 1],
            discounted_gain=term.discounted,
            dcg=term.total,
            cg=cg,
            ideal_grade=ideal.grade,
            ideal_dcg=ideal.total,
            ideal_rank=_ideal_rank(ranking, term.grade, ideal_ranks),
            repeated=is_repeated,
        )
        rows.append(row)
    return tuple(rows)


def _sum_of_grades(ranking: ScoredRanking, term: ndcg.Term) -> float:
    """Return what a rank adds to CG: its grade, or the sum of its passages' grades.

    An unjudged result adds 0. A negative grade counts only with negative "keep".
    """
    grades: Sequence[float | None] = [term.grade]
    if ranking.graded.found:
        grades = ranking.graded.found[term.rank - 1]
    total = 0.0
    for grade in grades:
        if grade is not None and (grade > 0 or ranking.settings.negative == "keep"):
            total += grade
    return total


def _ideal_rank(
    ranking: ScoredRanking, grade: float | None, ideal_ranks: Mapping[float, int]
) -> int | None:
    """Return the rank of a grade: that of its gain, which other grades may share.

    None for an unjudged result, a later copy, a result that holds no passage, and a
    rank without a result.

    `ideal_ranks`: {gain: rank}.
    """
    if grade is None or (ranking.passages and not grade):
        return None
    return ideal_ranks[ranking.settings.gains[grade]]


def _term_at(terms: Sequence[ndcg.Term], rank: int) -> ndcg.Term:
    """Return the summand of a DCG at a rank (from 1).

    Below the last rank it adds nothing, and has the DCG of the last rank.
    """
    if rank <= len(terms):
        return terms[rank - 1]
    total = terms[-1].total if terms else 0.0
    return ndcg.Term(
        rank=rank, grade=None, gain=0.0, discount=0.0, discounted=0.0, total=total
    )


def _ideal_ranks(ranking: ScoredRanking) -> dict[float, int]:
    """Return {gain: rank} for the gains of the judged documents, the highest is 1."""
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
