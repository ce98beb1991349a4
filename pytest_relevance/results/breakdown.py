"""nDCG@k of one ranking, rank by rank, and what each document costs.

The figures come from `metrics.ndcg`, so that the DCG of the last row divided by its
IDCG is exactly the score. `breakdown_rows.py` has the rows, and their figures as text.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from pytest_relevance._ids import decoding_advice
from pytest_relevance._number_text import total_text
from pytest_relevance._text import (
    MOST_ROWS,
    NUMBER,
    TEXT,
    counted,
    html_table,
    quoted,
    score_text,
    shown,
)
from pytest_relevance.metrics import ndcg
from pytest_relevance.metrics.settings import Settings, discount_table
from pytest_relevance.results.breakdown_rows import (
    FIGURES,
    Row,
    figure_texts,
    grade_text,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.changes import Change
from pytest_relevance.results.responses.ids import id_text
from pytest_relevance.results.responses.ranking import read_ranking

if TYPE_CHECKING:
    import pandas


@dataclass(frozen=True, slots=True)
class Loss:
    """The nDCG@k that a document costs.

    It is (discounted gain at the ideal rank - that at the own rank) / IDCG. `rank`
    (from 1) is where the search returned the document, None if it did not. A loss below
    0 is a gain: the document ranks above its ideal rank.

    If more documents of one gain were not returned than there are ideal ranks for them,
    one loss without a `document` covers all of them: any `places` of the `candidates`
    documents. Its `grade` is the highest grade with that gain.
    """

    document: str | None
    grade: float
    rank: int | None
    loss: float
    places: int = 1
    candidates: int = 1


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The table of one query, cut at k, with its totals.

    `losses` are sorted, the largest first. The losses and `unfilled` add up to 1 -
    nDCG. `unfilled` is (IDCG - DCG of the best order of the judged documents) / IDCG: 0
    except with ideal "max". `too_high` are the rows of the results with less gain than
    that best order has at their rank, by rank. nDCG `is_defined` if any judged document
    has a gain above 0.
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
        """nDCG@k: `dcg` / `ideal_dcg`.

        NaN if it is not defined; 0 if it is, and nothing in the ideal has a gain.
        """
        if not self.is_defined:
            return math.nan
        return self.dcg / self.ideal_dcg if self.ideal_dcg else 0.0

    def _repr_html_(self) -> str:
        """Give a notebook the first 20 ranks, with the totals below them."""
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
    """Break down the nDCG@k of one ranking, rank by rank.

    `judgments` maps documents to grades, in a dict or a pandas Series; `ranking` is
    documents best first, or whatever else a search may return. Ids are compared as
    text; integers are their digits. k=None looks at the whole ranking and the whole
    ideal. The other arguments are those of `evaluate`. Raises ValueError for one that
    is not allowed, for a grade that has no gain, for an id that is not text or an
    integer, and (`UnreadableRanking`) for what is not a ranking.

    The formula is Järvelin and Kekäläinen's (TOIS 20(4), 2002): DCG = sum over ranks of
    gain / log2(rank + 1).
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
    return scored.breakdown()


def _checked(judgments: Mapping[Any, float], settings: Settings) -> dict[str, float]:
    """Return the judgments by ids as text.

    Raises ValueError for an id that is no text or integer, and for a grade without a
    gain.
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
    """Break down the nDCG@k of a result, from its own ranking, grades and judgments."""
    return scored_ranking(result).breakdown()


def scored_ranking(result: CaseResult) -> ScoredRanking:
    """Return the ranking of a result, with its own grades and judgments."""
    return ScoredRanking(
        documents=result.ranking.documents,
        graded=result.graded,
        settings=result.conditions.settings,
        k=result.conditions.k,
        missing=result.evaluation.missing,
        deeper=result.ranking.deeper,
    )


def change_shares(change: Change, now: ScoredRanking) -> Mapping[str, float]:
    """Return by how much each document changed nDCG@k.

    The shares add up to the change of the score. `now` is the ranking of the case now.
    There are none if either score is not defined, and if the ranking is the same.
    """
    shares = defaultdict[str, float](float)
    case, before = change.case, change.before
    if before is None or case.score is None:
        return shares
    if before.scores.get(case.metric.text) is None:
        return shares
    if list(before.documents) == list(case.ranking.documents):
        return shares
    graded = ndcg.GradedRanking(
        grades=list(before.grades),
        repeated=ndcg.repeated_indexes(before.documents),
        judged=now.graded.judged,
    )
    then = ScoredRanking(
        documents=before.documents, graded=graded, settings=now.settings, k=now.k
    )
    for document, share in then.shares():
        shares[document] -= share
    for document, share in now.shares():
        shares[document] += share
    return shares


@dataclass(frozen=True)
class ScoredRanking:
    """A ranking with grades, its discounted gains and the ideal ranking.

    `missing`: the judged documents that the ranking lacks, with their grades.
    `deeper`: the known ranks of missing documents below it.
    """

    documents: Sequence[str]
    graded: ndcg.GradedRanking
    settings: Settings
    k: int | None
    missing: Sequence[tuple[str, float]] = ()
    deeper: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def indexes(self) -> Sequence[int]:
        """Return the indexes of the results that are scored."""
        return ndcg.scored_indexes(self.graded, self.settings)

    @cached_property
    def own(self) -> list[float | None]:
        """Return the grades of the scored results, down to k."""
        return ndcg.scored_grades(self.graded, self.settings)[: self.k]

    @cached_property
    def ideal(self) -> Sequence[float]:
        """Return the grades of the ideal ranking."""
        return ndcg.ideal_grades(self.graded, self.settings, self.k)

    @cached_property
    def best(self) -> Sequence[float]:
        """Return the grades of the best order of the judged documents.

        That is the ideal itself, except with ideal "max".
        """
        if self.settings.ideal != "max":
            return self.ideal
        of_judged = replace(self.settings, ideal="judged")
        return ndcg.ideal_grades(self.graded, of_judged, len(self.ideal))

    @cached_property
    def discounted(self) -> list[float]:
        """Return the discounted gains of `own`."""
        return ndcg.discounted_gains(self.own, self.settings)

    @cached_property
    def ideal_dcg(self) -> float:
        """Return the DCG of the ideal ranking."""
        return ndcg.dcg(self.ideal, self.settings)

    def shares(self) -> list[tuple[str, float]]:
        """Return what each scored result has of nDCG@k, a result at a time."""
        shares = []
        for index, discounted in zip(self.indexes, self.discounted, strict=False):
            shares.append((self.documents[index], discounted / (self.ideal_dcg or 1)))
        return shares

    def breakdown(self) -> Breakdown:
        """Return the table, with the losses if the ideal has a gain."""
        rows = _rows(self)
        dcg = ndcg.dcg(self.own, self.settings)
        if not self.ideal_dcg:
            is_defined = ndcg.has_gain(self.graded, self.settings)
            return Breakdown(rows, dcg, self.ideal_dcg, (), is_defined=is_defined)
        best_dcg = ndcg.dcg(self.best, self.settings)
        return Breakdown(
            rows=rows,
            dcg=dcg,
            ideal_dcg=self.ideal_dcg,
            losses=self.losses(),
            too_high=self._too_high(rows),
            unfilled=(self.ideal_dcg - best_dcg) / self.ideal_dcg,
        )

    def losses(self) -> tuple[Loss, ...]:
        """Return the losses, the largest first; none if the ideal has no gain."""
        if not self.ideal_dcg:
            return ()
        places = _FreePlaces(self)
        losses = _ranked_losses(self, places)
        if self.settings.ideal != "returned":
            losses += _missing_losses(self, places)
        losses.sort(key=_loss_order)
        return tuple(losses)

    def _too_high(self, rows: Sequence[Row]) -> tuple[Row, ...]:
        """Return the rows of results with less gain than the best order has there."""
        gains = self.settings.gains
        too_high = []
        for row, grade in zip(rows, self.best, strict=False):
            is_result = row.document is not None and not row.repeated
            if is_result and row.gain < gains[grade]:
                too_high.append(row)
        return tuple(too_high)


def _loss_order(loss: Loss) -> tuple[float, float, bool, int]:
    """Return the sort key of a loss: the largest first, then by grade and rank."""
    return -loss.loss, -loss.grade, loss.rank is None, loss.rank or 0


# --- the rows -------------------------------------------------------------------------


def _rows(ranking: ScoredRanking) -> tuple[Row, ...]:
    """Make the rows of the scored results, and of the ideal below the last of them."""
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
    """Return the term at a rank. Below the last one nothing is added to the sum."""
    if rank <= len(terms):
        return terms[rank - 1]
    total = terms[-1].total if terms else 0.0
    return ndcg.Term(
        rank=rank, grade=None, gain=0.0, discount=0.0, discounted=0.0, total=total
    )


def _ideal_ranks(ranking: ScoredRanking) -> dict[float, int]:
    """Return the rank that each gain has in the ideal order, without gaps: 1, 2, 3."""
    gains = {ranking.settings.gains[grade] for grade in ranking.graded.judged}
    ranks = {}
    for rank, gain in enumerate(sorted(gains, reverse=True), 1):
        ranks[gain] = rank
    return ranks


# --- the losses -----------------------------------------------------------------------


class _FreePlaces:
    """The ideal ranks that no document has taken yet, and the judged documents left.

    A document takes the best place of its gain. Both are by gain: the places as their
    discounted gains, best first.
    """

    def __init__(self, ranking: ScoredRanking) -> None:
        gains = ranking.settings.gains
        self.left = Counter(gains[grade] for grade in ranking.graded.judged)
        self.by_gain: dict[float, deque[float]] = defaultdict(deque)
        best = ndcg.discounted_gains(ranking.best, ranking.settings)
        for grade, discounted in zip(ranking.best, best, strict=True):
            self.by_gain[gains[grade]].append(discounted)

    def take(self, gain: float) -> float:
        """Take the best place for a document of this gain; 0 if none is left."""
        self.left[gain] -= 1
        places = self.by_gain[gain]
        return places.popleft() if places else 0.0


@dataclass(frozen=True, slots=True)
class _Ranked:
    """A judged document whose rank is known. Its discounted gain is 0 below k."""

    rank: int
    document: str
    grade: float
    discounted: float


def _ranked_documents(ranking: ScoredRanking) -> list[_Ranked]:
    """Return the judged documents whose rank is known, by rank."""
    ranked = []
    for rank, index in enumerate(ranking.indexes, 1):
        grade = ranking.graded.grades[index]
        if grade is None:
            continue
        is_scored = rank <= len(ranking.discounted)
        discounted = ranking.discounted[rank - 1] if is_scored else 0.0
        ranked.append(_Ranked(rank, ranking.documents[index], grade, discounted))
    below = []
    for document, grade in ranking.missing:
        if document in ranking.deeper:
            below.append(_Ranked(ranking.deeper[document], document, grade, 0.0))
    below.sort(key=lambda each: (each.rank, each.document, each.grade))
    return ranked + below


def _ranked_losses(ranking: ScoredRanking, places: _FreePlaces) -> list[Loss]:
    """Return the losses of documents with a rank, which get the first ideal ranks."""
    losses = []
    for ranked in _ranked_documents(ranking):
        gain = ranking.settings.gains[ranked.grade]
        loss = places.take(gain) - ranked.discounted
        if gain > 0 or loss:
            losses.append(
                Loss(
                    document=ranked.document,
                    grade=ranked.grade,
                    rank=ranked.rank,
                    loss=loss / ranking.ideal_dcg,
                )
            )
    return losses


def _missing_losses(ranking: ScoredRanking, places: _FreePlaces) -> list[Loss]:
    """Return the losses of documents that were not returned.

    They share the free places of their gain.
    """
    losses = []
    for gain, free in places.by_gain.items():
        if not free:
            continue
        named = _missing_with_gain(ranking, gain)
        if len(free) == places.left[gain] == len(named):
            share = sum(free) / len(free) / ranking.ideal_dcg
            for document, grade in named:
                losses.append(Loss(document, grade, None, share))
        else:
            losses.append(
                Loss(
                    document=None,
                    grade=_highest_grade(ranking, gain),
                    rank=None,
                    loss=sum(free) / ranking.ideal_dcg,
                    places=len(free),
                    candidates=places.left[gain],
                )
            )
    return losses


def _missing_with_gain(ranking: ScoredRanking, gain: float) -> list[tuple[str, float]]:
    """Return the missing documents with this gain whose rank is not known."""
    named = []
    for document, grade in ranking.missing:
        if document not in ranking.deeper and ranking.settings.gains[grade] == gain:
            named.append((document, grade))
    return named


def _highest_grade(ranking: ScoredRanking, gain: float) -> float:
    """Return the highest grade of a judgment that has this gain."""
    gains = ranking.settings.gains
    return max(grade for grade in ranking.graded.judged if gains[grade] == gain)
