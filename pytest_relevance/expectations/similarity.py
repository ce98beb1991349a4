"""`overlap@10: 0.8`: the ranking is compared with the accepted one."""

from __future__ import annotations

from pytest_relevance.cases.model import Expectation
from pytest_relevance.expectations.kind import ExpectationKind, Names
from pytest_relevance.expectations.metric import (
    check_metric,
    deepest_rank,
    open_cutoff,
)
from pytest_relevance.expectations.words import below, score_beside_bound
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import ITSELF, Found, outcome_of


def judge_similarity(expected: Expectation, found: Found) -> Outcome:
    """Say that a similarity is not met without an accepted ranking.

    `results.outcomes.similarity_outcomes` judges it with one.
    """
    return outcome_of(expected, met=False)


def explain_similarity(reason: Outcome, names: Names) -> str:
    """Say how different the rankings are: `overlap@10 0.300 is below 0.500`, and which
    one is empty.
    """
    baseline = names.result.baseline
    was_empty = baseline is not None and not baseline.documents
    why = ""
    if not names.result.ranking.documents:
        why = ": nothing was returned"
        if was_empty:
            why += ", as accepted; write results: 0 where that is meant"
    elif was_empty:
        why = ": the accepted ranking is empty"
    return below(reason.name, reason.value, reason.comparison, reason.bound) + why


SIMILARITY = ExpectationKind(
    name="similarity",
    check=check_metric,
    cutoff=deepest_rank,
    judge=judge_similarity,
    open_rank_without_k=open_cutoff,
    explain=explain_similarity,
    show_met=score_beside_bound,
    reference=ITSELF,  # which the accepted ranking itself always meets
)
