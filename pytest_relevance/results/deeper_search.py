"""Note where a second, deeper search found the passages that a case is missing.

`plugin/running/deeper.py` makes the search when a case with passages has failed.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance.cases.model import Case
from pytest_relevance.results.case_parts import DeeperSearch
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.near_passages import find_near_passage, with_passages
from pytest_relevance.results.passages import first_ranks_of_held, held_by_chunks
from pytest_relevance.results.responses.ranking import Ranking


def misses_passages(result: CaseResult) -> bool:
    """Say whether no result of a case holds one of its passages."""
    return any(passage.rank is None for passage in result.evaluation.passages)


def with_deeper_search(
    result: CaseResult, case: Case, deeper: DeeperSearch, ranking: Ranking | None
) -> CaseResult:
    """Return a result with a deeper search, and the ranks of missing passages there.

    If a passage is missing there too, a result that nearly holds it is looked for.

    `ranking`: what the deeper search returned; None if it failed.
    """
    result = replace(result, call=replace(result.call, deeper=deeper))
    if ranking is None:
        return result
    ranks = first_ranks_of_held(held_by_chunks(case.passages, ranking))
    passages = []
    for index, passage in enumerate(result.evaluation.passages):
        if passage.rank is None:
            passage = replace(passage, deeper_rank=ranks.get(index))
            if passage.deeper_rank is None and passage.near is None:
                near = find_near_passage(case.passages[index], ranking, is_deeper=True)
                passage = replace(passage, near=near)
        passages.append(passage)
    return with_passages(result, passages)
