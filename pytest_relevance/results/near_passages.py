"""Find results that nearly hold the passages that a failed case is missing.

An extraction or a splitter is at fault as often as the search. To look takes long, so
it is done for failed cases only, when their details are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_relevance._text import shown
from pytest_relevance.cases.model import Case, Passage
from pytest_relevance.results.case_parts import (
    OTHER_FIELD,
    CasePassage,
    NearPassage,
)
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.passages import missed_condition
from pytest_relevance.results.responses.ranking import Ranking


def with_near_misses(result: CaseResult, case: Case, ranking: Ranking) -> CaseResult:
    """Return a result that says which results nearly hold its missing passages.

    `ranking`: the ranking of the case.
    """
    passages = []
    for found, passage in zip(result.evaluation.passages, case.passages, strict=True):
        if found.rank is None:
            found = replace(found, near=find_near_passage(passage, ranking))
        passages.append(found)
    return with_passages(result, passages)


def find_near_passage(
    passage: Passage, ranking: Ranking, *, is_deeper: bool = False
) -> NearPassage | None:
    """Return which results nearly hold a passage that none of them holds, or None.

    `is_deeper`: whether the ranking comes from a deeper search.
    """
    missed = missed_condition(passage, ranking)
    if missed is not None:
        text, condition, value = missed
        return NearPassage(
            kind=OTHER_FIELD,
            ranks=(text + 1,),
            wanted=condition.path,
            found=value if isinstance(value, str) else shown(value, 40),
            is_deeper=is_deeper,
        )
    # most failed cases have no passages
    from pytest_relevance.passages.near_misses import near_miss

    near = near_miss(passage.quotes, ranking.texts)
    if near is None:
        return None
    return NearPassage(
        kind=near.difference.value,
        ranks=tuple(index + 1 for index in near.texts),
        wanted=near.wanted,
        found=near.found,
        is_deeper=is_deeper,
    )


def with_passages(result: CaseResult, passages: Sequence[CasePassage]) -> CaseResult:
    """Return a result with these passages."""
    evaluation = replace(result.evaluation, passages=tuple(passages))
    return replace(result, evaluation=evaluation)
