"""Find results that nearly hold the passages that a failed case is missing.

A near miss shows that a passage is missing because an extraction changed the text, or
because a splitter cut it. Finding one takes long, so only failed cases are looked at,
when their details are added.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pytest_relevance._text import shown
from pytest_relevance.cases.expectation import Passage
from pytest_relevance.cases.model import Case
from pytest_relevance.results.case_parts import OTHER_FIELD, CasePassage, NearPassage
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.passages import first_unmet_condition
from pytest_relevance.results.responses.ranking import Ranking

_LONGEST_WORDS = 60
"""The most characters that a near miss quotes of a text.

Every record has them, also a record without the texts of results.
"""


def with_near_misses(result: CaseResult, case: Case, ranking: Ranking) -> CaseResult:
    """Return the result of a case with the near misses of its missing passages.

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
    """Return the near miss of a passage that no result holds; None if there is none.

    A near miss is a result that has the quote but misses a condition, or else one whose
    text nearly has the quote.

    `is_deeper`: whether the ranking comes from a deeper search.
    """
    unmet = first_unmet_condition(passage, ranking)
    if unmet is not None:
        value = unmet.value
        return NearPassage(
            kind=OTHER_FIELD,
            ranks=(unmet.text_index + 1,),
            wanted=unmet.condition.path,
            found=value if isinstance(value, str) else shown(value, _LONGEST_WORDS),
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
        found=near.found[:_LONGEST_WORDS],
        is_deeper=is_deeper,
    )


def with_passages(result: CaseResult, passages: Sequence[CasePassage]) -> CaseResult:
    """Return the result of a case with other passages in its evaluation."""
    evaluation = replace(result.evaluation, passages=tuple(passages))
    return replace(result, evaluation=evaluation)
