"""Add to a result what reports, records and baselines need beyond its figures.

`with_details` is called right after a case was scored and compared with its baseline.
Most cases pass without any of this work.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from hashlib import blake2b
from itertools import count

from pytest_relevance.cases.expectation import Passage
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.ties import untied_indexes
from pytest_relevance.results.case_parts import (
    NO_DIGEST,
    CaseRanking,
    DocumentTexts,
    count_grades,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.passages import key_of_passage
from pytest_relevance.results.responses.ranking import Ranking

_LEAST_NAMED = 10
"""How many missing documents a report can name, also of a case with a smaller k."""


def with_details(
    result: CaseResult, case: Case, ranking: Ranking, *, all_missing: bool = False
) -> CaseResult:
    """Return the result with titles, missing documents, deeper ranks and the digest.

    The ranking is cut as deep as the case looks.

    `all_missing`: whether every missing judged document is kept, and not only those
        that a report names. A run with -v asks for it, for a case that failed or is
        inconclusive.
    """
    accepted_grades: Sequence[float | None] = ()
    accepted_or_expected: list[str] = []
    if result.baseline is not None:
        accepted_grades = result.baseline.grades
        accepted_or_expected += result.baseline.documents
    for expectation in case.expect:
        accepted_or_expected += expectation.documents
    kept = _kept_ranking(result, case, ranking, accepted_or_expected)
    conditions = result.conditions
    if case.terms.scale is not None and case.terms.scale.names:
        names = {grade: name for name, grade in case.terms.scale.names.items()}
        conditions = replace(conditions, grade_names=names)
    missing = _missing(kept, case, accepted_grades, all_missing=all_missing)
    texts = result.texts
    if case.titles or case.notes or ranking.titles:
        named = {*kept.documents, *kept.deeper, *accepted_or_expected}
        named.update(document for document, _ in missing)
        texts = _texts(case, ranking, named)
    evaluation = replace(
        result.evaluation,
        judgments=count_grades([*case.judgments.values()]),
        missing=missing,
        digest=digest_of_case(case),
    )
    return replace(
        result,
        conditions=conditions,
        ranking=kept,
        texts=texts,
        evaluation=evaluation,
    )


# --- the ranking ----------------------------------------------------------------------


def _kept_ranking(
    result: CaseResult, case: Case, ranking: Ranking, others: Collection[str]
) -> CaseRanking:
    """Return the ranking, cut as deep as the case looks.

    Below the cut, only the ranks of judged documents and of `others` are kept.
    """
    whole = case.looks_at_all
    kept = tuple(ranking.ids if whole else ranking.ids[: result.conditions.depth])
    as_returned = ranking.as_returned
    if len(kept) < len(ranking.ids) and as_returned:
        as_returned = as_returned[: as_returned.index(kept[-1]) + 1]
    engine_scores: list[float | None] = []
    for score in ranking.scores[: len(kept)]:
        # a pinned result may have an infinite one, and JSON has no infinity
        is_infinite = score in (math.inf, -math.inf)
        engine_scores.append(None if is_infinite else score)
    return replace(
        result.ranking,
        documents=kept,
        as_returned=tuple(as_returned),
        whole=whole,
        engine_scores=tuple(engine_scores),
        grades=tuple(result.ranking.grades[: len(kept)]),
        held=result.ranking.held[: len(kept)],
        lengths=result.ranking.lengths[: len(kept)],
        deeper=_ranks_below(ranking, len(kept), [*case.judgments, *others]),
        untied=tuple(untied_indexes(ranking.scores[: len(kept)], ranking.sort_values)),
    )


def _ranks_below(
    ranking: Ranking, kept: int, documents: Sequence[str]
) -> dict[str, int]:
    """Return {document: rank (from 1)} for documents below the first `kept` ranks."""
    ids = ranking.ids
    if len(ids) == kept and not ranking.rest.ranks:
        return {}
    wanted = set(documents).difference(ids[:kept])
    below = [*zip(ids[kept:], count(kept + 1)), *ranking.rest.ranks.items()]
    ranks: dict[str, int] = {}
    for document, rank in below:
        if document in wanted:
            ranks.setdefault(document, rank)
    return ranks


# --- missing documents ----------------------------------------------------------------


def _missing(
    ranking: CaseRanking,
    case: Case,
    accepted_grades: Sequence[float | None],
    *,
    all_missing: bool,
) -> tuple[tuple[str, float], ...]:
    """Return (document, grade) for judged documents that the kept ranking lacks.

    The highest gain comes first. () if the case has passages. Without `all_missing`,
    only these documents are returned:

    - those with a known rank below the kept ranking
    - the first max(k, 10) others that have a gain. If neither the present nor the
      accepted ranking has a judged document, those without a gain count too, so that a
      report shows what judged ids look like.

    `accepted_grades`: the grades of the accepted ranking.
    """
    if case.passages:
        return ()
    # each judged document is in the ranking; a later copy of one has no grade
    if len(ranking.grades) - ranking.grades.count(None) == len(case.judgments):
        return ()
    returned, gains = set(ranking.documents), case.settings.gains
    absent = []
    for document, grade in case.judgments.items():
        if document not in returned:
            absent.append((document, grade))
    absent.sort(key=lambda pair: -gains[pair[1]])
    if all_missing:
        return tuple(absent)
    grades = (*ranking.grades, *accepted_grades)
    nothing_is_judged = bool(returned) and all(grade is None for grade in grades)
    nowhere = []
    for document, grade in absent:
        if document not in ranking.deeper and (nothing_is_judged or gains[grade] > 0):
            nowhere.append(document)
    named = {*nowhere[: max(case.k, _LEAST_NAMED)], *ranking.deeper}
    return tuple([pair for pair in absent if pair[0] in named])


# --- texts and digest -----------------------------------------------------------------


def _texts(case: Case, ranking: Ranking, named: Collection[str]) -> DocumentTexts:
    """Return the titles and notes of some documents.

    A title of the ranking counts before that of the case file, and the first copy of a
    document before later ones.
    """
    titles = {}
    for document, title in case.titles.items():
        if document in named:
            titles[document] = title
    if ranking.titles:
        for index in reversed(range(len(ranking.ids))):
            document, own_title = ranking.ids[index], ranking.title(index)
            if own_title and document in named:
                titles[document] = own_title
    notes = {}
    for document, note in case.notes.items():
        if document in named:
            notes[document] = note
    return DocumentTexts(titles, notes)


def digest_of_case(case: Case) -> str:
    """Return a digest of the judgments of a case, or of its passages.

    A passage counts with all its quotes and conditions, and with its grade.
    """
    if not case.passages:
        return digest_of(case.judgments)
    return digest_of_passages(case.passages)


def digest_of_passages(passages: Iterable[Passage]) -> str:
    """Return a short text that is equal for equal passages, in any order."""
    return digest_of({key_of_passage(one): one.grade for one in passages})


def digest_of(judgments: Mapping[str, float]) -> str:
    """Return a short text that is equal for equal judgments, in any order.

    `NO_DIGEST` without judgments. Grades count with 12 digits: a grade may be a mean of
    ratings, whose last digits depend on the order in which they were summed.
    """
    if not judgments:
        return NO_DIGEST
    parts = []
    for document in sorted(judgments):
        parts.append(f"{document}\0{_digits(judgments[document])}")
    text = "\0".join(parts)
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


@lru_cache(maxsize=4096)  # a million grades are a handful of different ones
def _digits(grade: float) -> str:
    return f"{grade + 0.0:.12g}"  # -0.0, which equals 0, becomes 0.0
