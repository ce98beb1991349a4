"""Find out whether a query got worse whatever grades its unjudged results have.

If it did, the query certainly got worse. Otherwise the query is open: missing judgments
may explain the fall.

Both rankings are scored under the same judgments. So both have the same ideal DCG, and
it is enough to compare their DCGs. A document has the same gain in both rankings. It
adds to the change of DCG its gain, times the change of its discount factor.

Counts, reports and `history` ask this of each query that got worse, when the run has
ended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import fsum

from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking
from pytest_relevance.metrics.settings import Settings, discount_table
from pytest_relevance.registry import EXPECTATIONS
from pytest_relevance.results.case_parts import DROP, FLOOR
from pytest_relevance.results.changes import Change, Snapshot
from pytest_relevance.results.compare.differences import (
    ScorePair,
    alike_changes,
    by_query,
    key_of,
    means_of,
)
from pytest_relevance.results.judged_alone import score_of_judged
from pytest_relevance.results.outcomes import first_ranks

DCG_ROUNDING = 1e-9
"""A change of DCG that is nearer to 0 counts as no change."""


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What a document adds to the change of DCG: its gain times `factor`.

    `grade`: None for an unjudged document.
    `factor`: (1 / discount at its rank now) - (1 / discount at its rank before). For a
    rank below k, and without a rank, 1 / discount is 0.
    """

    document: str
    grade: float | None
    factor: float


@dataclass(frozen=True, slots=True)
class JudgedMeans:
    """The weighted means of nDCG@k over judged results alone, before and now."""

    before: float
    after: float

    @property
    def scores(self) -> str:
        """Return both means as text: `0.749 -> 0.633`."""
        return f"{self.before:.3f} -> {self.after:.3f}"


def means_over_judged(changes: Iterable[Change]) -> JudgedMeans | None:
    """Return the means of nDCG@k without the unjudged results of both rankings.

    The means are over the cases with both scores. A ranking without a judged result
    counts 0. A query that ran in several variants counts once. None if no result is
    unjudged.
    """
    pairs = []
    is_open = False
    for change in alike_changes(changes):
        was, now = change.score_before, change.score_after
        if change.before is None or not change.is_compared:
            continue
        if was is None or now is None:
            continue
        scores = _scores_of_judged(change)
        if scores:
            is_open = True
            was, now = scores
        case = change.case
        pairs.append(ScorePair(key_of(case), was, now, case.weight_of_change))
    if not is_open:
        return None
    means = means_of(by_query(pairs))
    return JudgedMeans(before=means.first, after=means.second)


def _scores_of_judged(change: Change) -> Sequence[float]:
    """Return (before, now): the scores over judged results alone.

    () if no result of either ranking is unjudged.
    """
    if change.case.evaluation.passages or change.case.is_known_item:
        return ()
    if change.found is not None:
        return change.found.judged_alone
    if not _has_unjudged(change, {}):
        return ()
    assert change.before is not None
    return _judged_score(change, change.before), _judged_score(change, change.after)


def _judged_score(change: Change, snapshot: Snapshot) -> float:
    """Return the score of one ranking of a case over its judged results alone."""
    case = change.case
    graded = grade_ranking(snapshot.documents, change.grades)
    ranking = GradedRanking(graded.grades, graded.repeated, case.graded.judged)
    return score_of_judged(case.metric, ranking, case.conditions.settings)


def document_changes(change: Change) -> list[DocumentChange]:
    """Return the documents of both rankings whose discount factor changed.

    [] if the rankings cannot be compared.
    """
    if change.before is None or not change.is_compared:
        return []
    settings = change.case.conditions.settings
    before = _factors(change.before, change.k, settings)
    after = _factors(change.after, change.k, settings)
    grades = change.grades
    changes = []
    for document in {**before, **after}:
        factor = after.get(document, 0.0) - before.get(document, 0.0)
        if factor:
            changes.append(DocumentChange(document, grades.get(document), factor))
    return changes


def is_certainly_worse(change: Change) -> bool:
    """Say whether a query got worse whatever grades its unjudged results have.

    `change`: the change of a query that got worse by its present judgments.

    A query certainly got worse if

    - it has passages or is a known item, because then no result is unjudged
    - it newly misses a demand that no grade can change, or returned nothing
    - no grades make its DCG as high as before

    With settings that allow no interval, all results have to be judged.
    """
    case = change.case
    if case.evaluation.passages or case.is_known_item or no_grade_matters(change):
        return True
    if change.before is None or not change.is_compared:
        return False
    return falls_for_certain(change, {})


def falls_for_certain(change: Change, grades: Mapping[str, float]) -> bool:
    """Say whether the DCG falls whatever grades the other unjudged documents have.

    With settings that allow no interval, this is certain only if all results in both
    top k are judged.

    `grades`: {document: grade}, further grades of unjudged documents.
    """
    settings = change.case.conditions.settings
    if settings.ideal != "judged" or settings.unjudged != "zero":
        return not _has_unjudged(change, grades)
    return _greatest_change(change, grades) < -DCG_ROUNDING


def _greatest_change(change: Change, grades: Mapping[str, float]) -> float:
    """Return the greatest change of DCG that the other unjudged documents can give.

    `grades`: {document: grade}, further grades of unjudged documents.
    """
    gains = change.case.conditions.settings.gains
    least, most = gain_range(change)
    parts = []
    for each in document_changes(change):
        grade = grades.get(each.document, each.grade)
        if grade is not None:
            gain = gains[grade]
        else:
            gain = most if each.factor > 0 else least
        parts.append(gain * each.factor)
    return fsum(parts)


def gain_range(change: Change) -> tuple[float, float]:
    """Return the least and the greatest gain that an unjudged document may have."""
    conditions = change.case.conditions
    settings = conditions.settings
    lowest, highest = conditions.lowest, conditions.highest
    if not isinstance(settings.gain, Mapping):
        return settings.gains[lowest], settings.gains[highest]
    # a result can only get a grade that the mapping has
    in_range = [grade for grade in settings.gain if lowest <= grade <= highest]
    gains = [settings.gains[grade] for grade in in_range or settings.gain]
    return min(gains), max(gains)


def no_grade_matters(change: Change) -> bool:
    """Say whether a query is worse for a reason that no grade can change.

    Such a reason is a newly missed demand that does not depend on grades, and a search
    that failed or returned nothing.
    """
    if not change.after.documents:
        return True
    for reason in change.case.evaluation.reasons:
        depends_on_grades = reason.is_score or reason.kind in (FLOOR, DROP)
        if not reason.is_new or depends_on_grades:
            continue
        # a ranking that only differs is not worse
        if not EXPECTATIONS.get_or_unknown(reason.kind).compares_rankings:
            return True
    return False


def _has_unjudged(change: Change, grades: Mapping[str, float]) -> bool:
    """Say whether a document in the top k of either ranking is unjudged.

    `grades`: {document: grade}, further grades of unjudged documents.
    """
    judged = change.grades.keys() | grades.keys()
    for snapshot in (change.before, change.after):
        if snapshot is not None and not judged >= {*snapshot.documents[: change.k]}:
            return True
    return False


def _factors(snapshot: Snapshot, k: int, settings: Settings) -> dict[str, float]:
    """Return {document: 1 / discount at its first rank} for the top k."""
    discounts = discount_table(settings.discount, k)
    factors = {}
    for document, rank in first_ranks(snapshot.documents).items():
        if rank <= k:
            factors[document] = 1.0 / discounts[rank - 1]
    return factors
