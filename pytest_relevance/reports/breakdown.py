"""The table of one query's nDCG@k, rank by rank. Every report renders these rows.

The figures come from `metrics.measures`, so that the DCG of the last row divided by its IDCG is exactly the score.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, NamedTuple

from pytest_relevance._ids import decoding_advice
from pytest_relevance._number_text import number_text, total_text
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
from pytest_relevance.results.case_parts import EMPTY
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.responses.ids import id_text
from pytest_relevance.results.responses.ranking import read_ranking

if TYPE_CHECKING:
    import pandas


_Places = dict[float, deque[float]]
"""The discounted gains at the ideal ranks of each gain that are still free, best first."""


@dataclass(frozen=True, slots=True)
class Row:
    """One rank (from 1) of the table.

    `document` is None below the last result. `grade` is None for an unjudged result and for a later copy of a document
    (`repeated`). `discounted_gain` is gain / discount at this rank; `dcg` and `cg` (the sum of grades) are the sums
    down to it. `ideal_grade` is the grade at this rank of the ideal ranking, None below its end, and `ideal_dcg` the
    DCG of that ranking down to it. `ideal_rank` is the rank that the document has in the ideal order, documents of one
    grade sharing the first (dense: 1, 2, 2, 3).
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


FIGURES = ("gain", "discount", "DG", "DCG", "ideal", "IDCG")
"""The heads of the figures of a row in reports: see `figure_texts`."""


def grade_text(row: Row) -> str:
    """The grade of a result, "-" for one without a judgment; nothing where there is no result."""
    if row.document is None:
        return ""
    return (
        number_text(row.grade)
        if row.grade is not None
        else "repeat"
        if row.repeated
        else "-"
    )


def figure_texts(row: Row) -> tuple[str, ...]:
    """The texts of `FIGURES`; "-" for what an unjudged result does not have, nothing where there is no result."""
    if row.document is None:
        gain, discounted = "", ""
    elif row.grade is None:
        gain, discounted = "-", "-"
    else:
        gain, discounted = number_text(row.gain), total_text(row.discounted_gain)
    ideal = (
        ("", "")
        if row.ideal_grade is None
        else (number_text(row.ideal_grade), total_text(row.ideal_dcg))
    )
    return (gain, f"{row.discount:.3f}", discounted, total_text(row.dcg), *ideal)


class Loss(NamedTuple):
    """The nDCG@k that a document costs: (discounted gain at its ideal rank - that at its own rank) / IDCG.

    `rank` (from 1) is where the search returned it, None where it did not. A loss below 0 is a gain: the document ranks
    above its ideal rank. Where more documents of one gain were not returned than there are ideal ranks for them, one
    loss without a `document` covers them all: any `places` of the `candidates` documents. Its `grade` is the highest
    grade with that gain.
    """

    document: str | None
    grade: float
    rank: int | None
    loss: float
    places: int = 1
    candidates: int = 1


@dataclass(frozen=True, slots=True)
class Breakdown:
    """The table of one query, cut at k, with its totals. `losses` are sorted, the largest first.

    The losses and `unfilled` add up to 1 - nDCG. `unfilled` is (IDCG - DCG of the best order of the judged documents) /
    IDCG: 0 except with ideal "max". `too_high` are the rows of the results with less gain than that best order has at
    their rank, by rank. nDCG `is_defined` where any judged document has a gain above 0.
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
        """nDCG@k: `dcg` / `ideal_dcg`. NaN where it is not defined, 0 where it is and nothing in the ideal has gain."""
        if not self.is_defined:
            return math.nan
        return self.dcg / self.ideal_dcg if self.ideal_dcg else 0.0

    def _repr_html_(self) -> str:
        """The table that a notebook shows: the first 20 ranks, with the totals below them."""
        columns = [
            ("rank", NUMBER),
            ("document", TEXT),
            *((name, NUMBER) for name in ("grade", *FIGURES)),
        ]
        rows = [
            (f"{row.rank}", row.document or "", grade_text(row), *figure_texts(row))
            for row in self.rows[:MOST_ROWS]
        ]
        more = len(self.rows) - len(rows)
        folded = f"... and {counted(more, 'more rank')}; " if more else ""
        sums = f"DCG {total_text(self.dcg)} / ideal DCG {total_text(self.ideal_dcg)} = nDCG {score_text(self.score)}"
        return html_table(columns, rows, note=folded + sums)

    def frame(self) -> pandas.DataFrame:
        """The rows as a DataFrame: one row for each rank, one column for each field of `Row`."""
        import pandas

        names = [field.name for field in fields(Row)]
        table: pandas.DataFrame = pandas.DataFrame(
            [asdict(row) for row in self.rows], columns=names
        )
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

    `judgments` maps documents to grades, in a dict or a pandas Series; `ranking` is documents best first, or whatever
    else a search may return. Ids are compared as text; integers are their digits. k=None looks at the whole ranking and
    the whole ideal. The other arguments are those of `evaluate`. Raises ValueError for one that is not allowed, for a
    grade that has no gain, for an id that is not text or an integer, and (`UnreadableRanking`) for what is no ranking.

    The formula is Järvelin and Kekäläinen's (TOIS 20(4), 2002): DCG = sum over ranks of gain / log2(rank + 1).
    """
    if k is not None and (isinstance(k, bool) or not isinstance(k, int) or k < 1):
        raise ValueError(
            f"k is a whole number from 1, or None for the whole ranking, not {shown(k)}"
        )
    settings = Settings(gain, discount, ideal, unjudged, negative, max_grade=max_grade)
    grades = _checked(judgments, settings)
    documents = read_ranking(ranking).ids
    present = set(documents)
    missing = [
        (document, grade)
        for document, grade in grades.items()
        if document not in present
    ]
    return Scored(
        documents, ndcg.grade_ranking(documents, grades), settings, k, missing
    ).breakdown()


def break_down(result: CaseResult) -> Breakdown:
    """Break down the nDCG@k of a result, from its own ranking, grades and judgments."""
    return scored_ranking(result).breakdown()


def change_shares(result: CaseResult, now: Scored) -> Mapping[str, float]:
    """By how much each document changed nDCG@k since the baseline; the shares add up to the change of the score.

    `now` is the ranking of the result. Empty where either score is not defined, and where the ranking is the same.
    """
    baseline, shares = result.baseline, defaultdict[str, float](float)
    is_defined = baseline is not None and None not in (baseline.score, result.score)
    if (
        baseline is None
        or not is_defined
        or [*baseline.documents] == [*result.ranking.documents]
    ):
        return shares
    accepted = ndcg.GradedRanking(
        [*baseline.grades], ndcg.repeated_indexes(baseline.documents), now.graded.judged
    )
    before = Scored(baseline.documents, accepted, now.settings, result.conditions.k)
    for sign, ranking in ((-1, before), (1, now)):
        for index, discounted in zip(ranking.indexes, ranking.discounted, strict=False):
            shares[ranking.documents[index]] += (
                sign * discounted / (ranking.ideal_dcg or 1)
            )
    return shares


def scored_ranking(result: CaseResult) -> Scored:
    """The ranking of a result, from its own grades and judgments."""
    ranking, about = result.ranking, result.conditions
    return Scored(
        ranking.documents,
        result.graded,
        about.settings,
        about.k,
        result.evaluation.missing,
        ranking.deeper,
    )


class Scored:
    """A ranking with grades, its discounted gains and the ideal ranking.

    `missing` are the judged documents that the ranking lacks, `deeper` the known ranks of missing documents below it.
    `indexes` are the indexes of the scored results. `own` are their grades down to k, `ideal` those of the ideal
    ranking, and `best` those of the best order of the judged documents: the ideal itself, except with ideal "max".
    `discounted` are the discounted gains of `own`.
    """

    def __init__(
        self,
        documents: Sequence[str],
        graded: ndcg.GradedRanking,
        settings: Settings,
        k: int | None,
        missing: Sequence[tuple[str, float]] = (),
        deeper: Mapping[str, int] = EMPTY,
    ) -> None:
        self.documents, self.graded, self.settings = documents, graded, settings
        self.missing, self.deeper = missing, deeper
        self.indexes = ndcg.scored_indexes(graded, settings)
        self.own = ndcg.scored_grades(graded, settings)[:k]
        self.ideal = self.best = ndcg.ideal_grades(graded, settings, k)
        if settings.ideal == "max":
            self.best = ndcg.ideal_grades(
                graded, replace(settings, ideal="judged"), len(self.ideal)
            )
        self.discounted = ndcg.discounted_gains(self.own, settings)
        self.ideal_dcg = ndcg.dcg(self.ideal, settings)

    def breakdown(self) -> Breakdown:
        """The table, with the losses where the ideal has a gain."""
        rows, dcg = self._rows(), ndcg.dcg(self.own, self.settings)
        if not self.ideal_dcg:
            return Breakdown(
                rows,
                dcg,
                self.ideal_dcg,
                (),
                is_defined=ndcg.has_gain(self.graded, self.settings),
            )
        too_high = tuple(
            row
            for row, grade in zip(rows, self.best, strict=False)
            if row.gain < self.settings.gains[grade]
            and row.document is not None
            and not row.repeated
        )
        unfilled = (
            self.ideal_dcg - ndcg.dcg(self.best, self.settings)
        ) / self.ideal_dcg
        return Breakdown(rows, dcg, self.ideal_dcg, self.losses(), too_high, unfilled)

    def losses(self) -> tuple[Loss, ...]:
        """The losses of the ranking, the largest first; none where its ideal has no gain."""
        if not self.ideal_dcg:
            return ()
        gains, found = self.settings.gains, []
        counts = Counter(map(gains.__getitem__, self.graded.judged))
        free: _Places = defaultdict(deque)
        for grade, discounted in zip(
            self.best, ndcg.discounted_gains(self.best, self.settings), strict=True
        ):
            free[gains[grade]].append(discounted)
        for (
            document,
            grade,
            rank,
            discounted,
        ) in self._ranked():  # these get the first ideal ranks of their gain
            gain = gains[grade]
            counts[gain] -= 1
            loss = (free[gain].popleft() if free[gain] else 0.0) - discounted
            if gain > 0 or loss:
                found.append(Loss(document, grade, rank, loss / self.ideal_dcg))
        if self.settings.ideal != "returned":
            found += self._missing_losses(free, counts)
        found.sort(
            key=lambda loss: (
                -loss.loss,
                -loss.grade,
                loss.rank is None,
                loss.rank or 0,
            )
        )
        return tuple(found)

    def _ranked(self) -> Iterator[tuple[str, float, int, float]]:
        """The judged documents whose rank is known, by rank: with grade, rank and discounted gain (0 below k)."""
        for rank, index in enumerate(self.indexes, 1):
            if (grade := self.graded.grades[index]) is not None:
                discounted = (
                    self.discounted[rank - 1] if rank <= len(self.discounted) else 0.0
                )
                yield self.documents[index], grade, rank, discounted
        below = (
            (self.deeper[document], document, grade)
            for document, grade in self.missing
            if document in self.deeper
        )
        yield from (
            (document, grade, rank, 0.0) for rank, document, grade in sorted(below)
        )

    def _missing_losses(
        self, free: _Places, counts: Mapping[float, int]
    ) -> Iterator[Loss]:
        """The losses of documents that were not returned; `counts` has their number by gain.

        They share the ideal ranks that are free.
        """
        gains = self.settings.gains
        for gain, places in free.items():
            if not places:
                continue
            named = [
                (name, grade)
                for name, grade in self.missing
                if name not in self.deeper and gains[grade] == gain
            ]
            if len(places) == counts[gain] == len(named):
                share = sum(places) / len(places) / self.ideal_dcg
                yield from (
                    Loss(document, grade, None, share) for document, grade in named
                )
            else:
                highest = max(
                    grade for grade in self.graded.judged if gains[grade] == gain
                )
                yield Loss(
                    None,
                    highest,
                    None,
                    sum(places) / self.ideal_dcg,
                    len(places),
                    counts[gain],
                )

    def _rows(self) -> tuple[Row, ...]:
        """The rows of the scored results, and of the ideal below the last of them."""
        graded, settings = self.graded, self.settings
        ended, ideal_ended = (
            ndcg.Term(0, None, 0.0, 0.0, 0.0, ndcg.dcg(grades, settings))
            for grades in (self.own, self.ideal)
        )
        ranks = max(len(self.own), len(self.ideal))
        levels = sorted(
            {settings.gains[grade] for grade in graded.judged}, reverse=True
        )
        repeated = set(graded.repeated)
        rows: list[Row] = []
        cg = 0.0
        own_terms, ideal_terms = (
            ndcg.dcg_terms(self.own, settings),
            ndcg.dcg_terms(self.ideal, settings),
        )
        terms = zip_longest(own_terms, ideal_terms, self.indexes[: len(self.own)])
        for discount, (own, ideal, index) in zip(
            discount_table(settings.discount, ranks), terms, strict=False
        ):
            term, best = own or ended, ideal or ideal_ended
            if term.grade is not None and (
                term.grade > 0 or settings.negative == "keep"
            ):
                cg += term.grade
            document = None if index is None else self.documents[index]
            sums = (term.discounted, term.total, cg, best.grade, best.total)
            place = (
                None
                if term.grade is None
                else levels.index(settings.gains[term.grade]) + 1
            )
            rows.append(
                Row(
                    len(rows) + 1,
                    document,
                    term.grade,
                    term.gain,
                    discount,
                    *sums,
                    place,
                    index in repeated,
                )
            )
        return tuple(rows)


def _checked(judgments: Mapping[Any, float], settings: Settings) -> dict[str, float]:
    """Judgments with ids as text and grades that all have a gain."""
    grades: dict[str, float] = {}
    for document, grade in judgments.items():
        name = id_text(document)
        if name is None:
            raise ValueError(
                f"a document id is text or an integer, not {shown(document)}{decoding_advice(document)}"
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
