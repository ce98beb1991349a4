"""How sure it is that a query got worse.

Unjudged results leave both scores of a query open. Both rankings are scored under the
same judgments, so they share one ideal, and their DCG decides. A document has one grade
in both rankings. So what it adds to the change of DCG is its gain times the change of
its discount factor.

A query that got worse is certain if no grading of its unjudged results can change that.
Otherwise it is open: missing judgments may explain it.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from math import fsum

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.ndcg import GradedRanking, grade_ranking
from pytest_relevance.metrics.settings import Settings, discount_table
from pytest_relevance.results.case_parts import DROP, FLOOR
from pytest_relevance.results.case_result import weighted_mean
from pytest_relevance.results.changes import Change, Snapshot
from pytest_relevance.results.outcomes import first_ranks

ROUNDING = 1e-9
"""A change of DCG that is nearer to 0 counts as no change."""


@dataclass(frozen=True, slots=True)
class DocumentChange:
    """What a document adds to the change of DCG.

    `grade` is None for an unjudged document.
    `factor`: 1 / discount at its rank now less that at its rank before. The factor of a
        rank below k, or of a document that was not returned, is 0.
    """

    document: str
    grade: float | None
    factor: float


@dataclass(frozen=True, slots=True)
class WorseQueries:
    """How many queries got worse for `certain`, and how many are `open`."""

    certain: int
    open: int

    @property
    def total(self) -> int:
        """Return how many got worse."""
        return self.certain + self.open


def count_worse(changes: Iterable[Change]) -> WorseQueries:
    """Count the queries that got worse, each once for all its variants.

    A query is certain if it got worse for certain in any variant.
    """
    queries = set()
    certain = set()
    for change in changes:
        file, case, _ = change.case.key
        queries.add((file, case))
        if is_certainly_worse(change):
            certain.add((file, case))
    return WorseQueries(certain=len(certain), open=len(queries - certain))


@dataclass(frozen=True, slots=True)
class JudgedMeans:
    """The weighted means of nDCG@k over judged results alone, before and now."""

    before: float
    after: float


def means_over_judged(changes: Iterable[Change]) -> JudgedMeans | None:
    """Return the means over judged results alone of the cases that have both scores.

    The unjudged results of both rankings are left out (`unjudged: skip`). A ranking
    without a judged result counts 0. None if nothing is unjudged.
    """
    before = []
    after = []
    is_open = False
    for change in changes:
        if change.before is None or not change.is_compared:
            continue
        if change.score_before is None or change.score_after is None:
            continue
        is_open = is_open or has_unjudged(change)
        weight = change.case.weight
        before.append((_judged_score(change, change.before), weight))
        after.append((_judged_score(change, change.after), weight))
    if not is_open:
        return None
    return JudgedMeans(before=weighted_mean(before), after=weighted_mean(after))


def _judged_score(change: Change, snapshot: Snapshot) -> float:
    case = change.case
    settings = replace(case.conditions.settings, unjudged="skip")
    graded = grade_ranking(snapshot.documents, change.grades)
    ranking = GradedRanking(graded.grades, graded.repeated, case.graded.judged)
    judged = score(case.metric, ranking, settings)
    return 0.0 if math.isnan(judged) else judged


def document_changes(change: Change) -> list[DocumentChange]:
    """List the documents of both rankings whose discount factor changed.

    Without a comparison there are none.
    """
    if change.before is None or not change.is_compared:
        return []
    conditions = change.case.conditions
    before = _factors(change.before, conditions.k, conditions.settings)
    after = _factors(change.after, conditions.k, conditions.settings)
    grades = change.grades
    changes = []
    for document in {**before, **after}:
        factor = after.get(document, 0.0) - before.get(document, 0.0)
        if factor:
            changes.append(DocumentChange(document, grades.get(document), factor))
    return changes


def is_certainly_worse(change: Change) -> bool:
    """Say whether a query that got worse did so under every grading.

    It did if it newly misses a demand that no grade can change, or if its search failed
    or returned nothing. Else the greatest possible DCG now has to be below the DCG
    before. With settings that leave no interval, nothing may be unjudged.
    """
    if _misses_what_no_grade_changes(change) or not change.after.documents:
        return True
    if change.before is None or not change.is_compared:
        return False
    settings = change.case.conditions.settings
    documents = document_changes(change)
    if settings.ideal != "judged" or settings.unjudged != "zero":
        return not has_unjudged(change)
    return greatest_change(documents, change) < -ROUNDING


def greatest_change(documents: Iterable[DocumentChange], change: Change) -> float:
    """Return the greatest possible change of DCG over all gradings of the unjudged
    documents.
    """
    gains = change.case.conditions.settings.gains
    least, most = gain_range(change)
    parts = []
    for document in documents:
        if document.grade is not None:
            gain = gains[document.grade]
        else:
            gain = most if document.factor > 0 else least
        parts.append(gain * document.factor)
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


def _misses_what_no_grade_changes(change: Change) -> bool:
    for reason in change.case.evaluation.reasons:
        depends_on_grades = reason.is_score or reason.kind in (FLOOR, DROP)
        if reason.is_new and not depends_on_grades:
            return True
    return False


def has_unjudged(change: Change) -> bool:
    """Return whether a document in the top k of either ranking is unjudged."""
    grades = change.grades
    k = change.case.conditions.k
    for snapshot in (change.before, change.after):
        if snapshot is not None and not grades.keys() >= {*snapshot.documents[:k]}:
            return True
    return False


def _factors(snapshot: Snapshot, k: int, settings: Settings) -> dict[str, float]:
    """Return 1 / discount of each document in the top k, at its first rank."""
    discounts = discount_table(settings.discount, k)
    factors = {}
    for document, rank in first_ranks(snapshot.documents).items():
        if rank <= k:
            factors[document] = 1.0 / discounts[rank - 1]
    return factors
