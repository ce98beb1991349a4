"""How sure it is that a query got worse, when some of its results are unjudged."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import product

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import grade_ranking
from pytest_relevance.metrics.settings import Settings
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.certainty import (
    JudgedMeans,
    is_certainly_worse,
    means_over_judged,
)
from pytest_relevance.results.changes import Change, Pair
from tests.helpers import changed, result_of

Judgments = Mapping[str, float]
Ranking = Sequence[str]

GRADES = (0, 1, 2, 3)


def change(
    before: Ranking, after: Ranking, judgments: Judgments, **keys: object
) -> Change:
    case = {
        "query": "boots",
        "k": 3,
        "scale": [0, 3],
        "judgments": judgments,
        **keys,
    }
    return Change.between(Pair(result_of(case, before), result_of(case, after)))


def gradings(judgments: Judgments, documents: Sequence[str]) -> Iterator[Judgments]:
    """All ways in which a person may grade what is not judged."""
    unjudged = [document for document in documents if document not in judgments]
    for grades in product(GRADES, repeat=len(unjudged)):
        yield {**judgments, **dict(zip(unjudged, grades, strict=True))}


def is_worse(before: Ranking, after: Ranking, grading: Judgments) -> bool:
    metric = parse_metric("nDCG@3")
    scores = []
    for ranking in (before, after):
        scores.append(score(metric, grade_ranking(ranking, grading), Settings()))
    return scores[1] - scores[0] < -1e-9


RANKINGS = st.permutations(list("abcde")).map(lambda documents: documents[:4])


@settings(max_examples=200)
@given(
    RANKINGS,
    RANKINGS,
    st.dictionaries(st.sampled_from("abcde"), st.sampled_from(GRADES), min_size=3),
)
def test_a_query_is_certainly_worse_if_it_is_under_every_grading(
    before: Ranking, after: Ranking, judgments: Judgments
) -> None:
    assume(any(judgments.values()))
    documents = sorted({*before[:3], *after[:3]})
    expected = all(
        is_worse(before, after, grading) for grading in gradings(judgments, documents)
    )
    assert is_certainly_worse(change(before, after, judgments)) == expected


def test_a_judged_product_that_left_for_an_unjudged_one_may_be_replaced_as_well() -> (
    None
):
    assert not is_certainly_worse(change(["a", "b"], ["c", "b"], {"a": 3, "b": 1}))


def test_a_highest_grade_that_fell_behind_judged_ones_is_lost_for_certain() -> None:
    assert is_certainly_worse(change(["a", "b"], ["b", "a"], {"a": 3, "b": 1}))


def test_a_search_that_returns_nothing_is_worse_for_certain() -> None:
    assert is_certainly_worse(change(["x", "y"], [], {"a": 3}))


@pytest.mark.parametrize(
    ("ranking", "expected"), [(["b", "a"], True), (["b", "a", "x"], False)]
)
def test_without_an_interval_everything_must_be_judged(
    ranking: Ranking, expected: bool
) -> None:
    own = {"ideal": "returned"}
    found = change(["a", "b"], ranking, {"a": 3, "b": 1}, **own)
    assert is_certainly_worse(found) == expected


def test_means_over_judged_results_alone_leave_out_what_nobody_judged() -> None:
    found = change(["a", "b"], ["new", "a", "b"], {"a": 3, "b": 1})
    assert means_over_judged([found]) == JudgedMeans(before=1.0, after=1.0)
    all_judged = change(["a", "b"], ["b", "a"], {"a": 3, "b": 1})
    assert means_over_judged([all_judged]) is None


def in_variant(variant: str, found: Change) -> Change:
    return replace(found, case=replace(found.case, variant=variant))


def test_means_over_judged_results_count_a_query_in_several_variants_once() -> None:
    boots = change(["a", "b"], ["new"], {"a": 3, "b": 1}, id="boots")
    hats = change(["a", "b"], ["a", "b"], {"a": 3, "b": 1}, id="hats")
    changes = [
        in_variant("bm25", boots),
        in_variant("hybrid", boots),
        in_variant("bm25", hats),
    ]
    assert means_over_judged(changes) == JudgedMeans(before=1.0, after=0.5)


@pytest.mark.parametrize(("kind", "expected"), [("similarity", False), ("count", True)])
def test_a_newly_missed_overlap_does_not_say_that_a_query_got_worse(
    kind: str, expected: bool
) -> None:
    missed = Outcome(kind, kind, met=False, value=0.2, is_new=True)
    found = change(["a", "b"], ["x", "a", "b"], {"a": 3, "b": 1})
    found = replace(found, case=changed(found.case, reasons=[missed]))
    assert is_certainly_worse(found) == expected
