"""What each measure means, on rankings small enough to work out by hand."""

import math
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from pytest_relevance import evaluate
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import (
    GradedRanking,
    dcg,
    dcg_terms,
    grade_ranking,
    ideal_grades,
    scored_grades,
    scored_indexes,
)
from pytest_relevance.metrics.settings import Settings

JUDGMENTS: dict[str, float] = {"a": 3, "b": 2, "c": 0, "d": 1}


def scored(
    metric: str,
    ranking: str,
    judgments: dict[str, float] = JUDGMENTS,
    **settings: Any,
) -> float:
    """Score a ranking of one-letter documents."""
    graded = grade_ranking(list(ranking), judgments)
    return score(parse_metric(metric), graded, Settings(**settings))


def test_ndcg_is_the_dcg_over_that_of_the_ideal() -> None:
    ideal = 7 / 1 + 3 / math.log2(3) + 1 / 2
    dcg = 0 + 7 / math.log2(3) + 3 / 2
    assert scored("nDCG@10", "cab") == pytest.approx(dcg / ideal, abs=1e-15)
    assert scored("nDCG@1", "cab") == 0.0


@given(st.lists(st.floats(0, 50), min_size=1, max_size=40))
def test_a_perfect_ranking_scores_exactly_one(grades: list[float]) -> None:
    assume(max(grades) > 1e-9)
    best_first: list[float | None] = [*sorted(grades, reverse=True)]
    graded = GradedRanking(best_first, (), grades)
    for gain in ("exponential", "linear"):
        for metric in ("nDCG", "nDCG@3", "nDCG@10"):
            assert score(parse_metric(metric), graded, Settings(gain)) == 1.0


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        ("CG@3", 5.0),  # grades 0, 3, 2
        ("P@3", 2 / 3),
        ("P@10", 3 / 10),  # divided by k, however few were returned
        ("P(rel=2)@5", 2 / 5),
        ("P", 3 / 5),  # divided by the five that were returned
        ("P(rel=3)", 1 / 5),
        ("R", 1.0),
        ("R@2", 1 / 3),
        ("R(rel=3)@2", 1.0),
        ("Rcap@2", 1 / 2),  # a is one of two possible
        ("Rcap@10", 1.0),  # of three possible
        ("Rcap(rel=3)@2", 1.0),
        ("AP", (1 / 2 + 2 / 3 + 3 / 5) / 3),
        # divided by all relevant documents, with a cutoff too
        ("AP@3", (1 / 2 + 2 / 3) / 3),
        ("RR", 1 / 2),
        ("RR@1", 0.0),
        ("RR(rel=2)", 1 / 2),
        ("Success@1", 0.0),
        ("Success@2", 1.0),
        ("Judged@5", 4 / 5),
        ("Judged@10", 4 / 5),  # divided by the five that were returned
        ("Rprec", 2 / 3),
        # the one judged document that is not relevant stands above all others
        ("Bpref", 0.0),
        ("RBP", 0.2 * (0.8 + 0.8**2 + 0.8**4)),
        ("RBP(p=0.5)@2", 0.5 * 0.5),
        # grades 3, 2 and 1 of at most 3
        ("gRBP", 0.2 * (0.8 + 2 / 3 * 0.8**2 + 1 / 3 * 0.8**4)),
        ("gRBP(p=0.5)@3", 0.5 * (0.5 + 2 / 3 * 0.5**2)),
        ("ERR@2", 7 / 8 / 2),
        ("ERR", 7 / 8 / 2 + 1 / 8 * 3 / 8 / 3 + 1 / 8 * 5 / 8 * 1 / 8 / 5),
    ],
)
def test_measures_of_one_ranking(metric: str, expected: float) -> None:
    assert scored(metric, "cabxd") == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize(
    ("metric", "ranking", "unjudged", "expected"),
    [
        ("P", "ax", "zero", 1 / 2),
        ("P", "abx", "skip", 1 / 2),  # Elasticsearch's ignore_unlabeled
        ("P", "aax", "zero", 1 / 2),  # a later copy is no result
        ("P", "", "zero", 0.0),
        ("P", "x", "skip", 0.0),
        ("Judged@4", "ax", "zero", 1 / 2),
        ("Judged@4", "abxyz", "zero", 2 / 4),  # the fifth is below the cutoff
        ("Judged@4", "aa", "zero", 1.0),
        ("Judged@4", "", "zero", 0.0),
    ],
)
def test_the_share_of_what_was_returned(
    metric: str, ranking: str, unjudged: str, expected: float
) -> None:
    judgments: dict[str, float] = {"a": 1, "b": 0}
    assert scored(metric, ranking, judgments, unjudged=unjudged) == expected
    scores = evaluate({"q": judgments}, {"q": list(ranking)}, metric, unjudged=unjudged)
    assert scores.loc["q", metric] == expected


@given(
    st.lists(st.sampled_from([0, 1, 2, 3]), max_size=30),
    st.lists(st.integers(0, 40), max_size=30, unique=True),
    st.integers(1, 20),
    st.sampled_from([1, 2]),
)
def test_capped_recall_is_the_share_of_what_is_possible(
    grades: list[int], ranking: list[int], k: int, level: int
) -> None:
    relevant = {str(n) for n, grade in enumerate(grades) if grade >= level}
    judgments = {str(n): float(grade) for n, grade in enumerate(grades)}
    results = [str(n) for n in ranking]
    graded = grade_ranking(results, judgments)
    found = score(parse_metric(f"Rcap(rel={level})@{k}"), graded, Settings())
    if relevant:
        assert found == len(relevant & {*results[:k]}) / min(k, len(relevant))
    else:
        assert math.isnan(found)


def test_graded_rbp_takes_the_highest_grade_of_the_query_whatever_the_scale() -> None:
    assert scored("gRBP(p=0.5)", "a", {"a": 2, "b": 4}, max_grade=8) == 0.25


# What is not defined


@pytest.mark.parametrize(
    "metric", ["nDCG", "nDCG@10", "R", "R@5", "Rcap@5", "AP", "Rprec", "Bpref", "infAP"]
)
def test_what_is_not_defined_without_a_relevant_document(metric: str) -> None:
    nothing_relevant: dict[str, float] = {"a": 0, "b": 0}
    assert math.isnan(scored(metric, "ab", nothing_relevant))
    assert scored(metric, "ab", nothing_relevant, undefined="zero") == 0.0
    assert math.isnan(scored(metric, "ab", nothing_relevant, ideal="max"))
    assert math.isnan(scored(metric, "ab", {}))
    assert math.isnan(scored(metric, "ab", {}, ideal="max"))


@pytest.mark.parametrize(
    "metric", ["DCG", "CG", "P@5", "RR", "Success@5", "ERR", "RBP", "gRBP", "Judged@5"]
)
def test_what_is_defined_for_an_empty_ranking_without_judgments(metric: str) -> None:
    assert scored(metric, "", {}) == 0.0


@pytest.mark.parametrize("ideal", ["judged", "returned", "max"])
@pytest.mark.parametrize("metric", ["nDCG", "nDCG@2"])
def test_returning_only_junk_is_zero_and_never_undefined(
    ideal: str, metric: str
) -> None:
    assert scored(metric, "cx", ideal=ideal) == 0.0
    assert scored(metric, "", ideal=ideal) == 0.0
    assert scored(metric, "x", ideal=ideal, unjudged="skip") == 0.0


# The ideal ranking


@pytest.mark.parametrize(
    ("ranking", "k", "settings", "expected"),
    [
        # what was returned, also below the cutoff
        ("cdxb", 1, {"ideal": "returned"}, [2]),
        ("cdxbb", 3, {"ideal": "max"}, [3, 3, 3]),
        # one rank for each distinct, or each judged result
        ("cdxbb", None, {"ideal": "max", "max_grade": 4}, [4] * 4),
        ("cdxbb", None, {"ideal": "max", "unjudged": "skip"}, [3] * 3),
        # documents without a gain are left out, and a mapping orders grades anew
        ("ab", None, {}, [3, 2, 1]),
        ("ab", None, {"gain": {0: 0, 1: 5, 2: 1, 3: -1}}, [1, 2]),
    ],
)
def test_the_ideal_ranking(
    ranking: str, k: int | None, settings: dict[str, Any], expected: list[float]
) -> None:
    graded = grade_ranking(list(ranking), JUDGMENTS)
    assert ideal_grades(graded, Settings(**settings), k) == expected


def test_a_grade_above_the_top_of_the_scale_is_refused() -> None:
    with pytest.raises(ValueError, match="grade 3 is above max_grade 2"):
        scored("ERR", "a", max_grade=2)


# Copies, unjudged results, negative grades


def test_a_document_that_is_returned_twice_counts_at_its_first_rank() -> None:
    assert scored("DCG", "aab") == 7 + 3 / 2  # the later copy keeps its rank
    assert scored("P@2", "aa") == 1 / 2
    assert scored("R", "aa") == 1 / 3
    # and leaves with the unjudged
    assert scored("DCG", "aab", unjudged="skip") == 7 + 3 / math.log2(3)


def test_unjudged_results_have_no_gain_or_are_left_out() -> None:
    assert scored("DCG", "xa") == 7 / math.log2(3)
    assert scored("DCG", "xa", unjudged="skip") == 7.0
    assert scored("P@1", "xa", unjudged="skip") == 1.0
    graded = grade_ranking(list("xayb"), JUDGMENTS)
    assert scored_grades(graded, Settings(unjudged="skip")) == [3, 2]
    assert list(scored_indexes(graded, Settings(unjudged="skip"))) == [1, 3]


@pytest.mark.parametrize(
    ("metric", "kept", "without_gain", "skipped"),
    [
        ("DCG", -0.5 + 1 / math.log2(3), 1 / math.log2(3), 1.0),
        ("CG", 0.0, 1.0, 1.0),
        ("Judged@2", 1.0, 1 / 2, 1.0),
        ("Bpref", 0.0, 1.0, 1.0),
        ("RR", 1 / 2, 1 / 2, 1.0),
    ],
)
def test_negative_grades_as_they_are_and_as_trec_eval_reads_them(
    metric: str, kept: float, without_gain: float, skipped: float
) -> None:
    judgments: dict[str, float] = {"g": 1, "b": -1}
    assert scored(metric, "bg", judgments) == kept
    assert scored(metric, "bg", judgments, negative="zero") == without_gain
    settings = {"negative": "zero", "unjudged": "skip"}
    assert scored(metric, "bg", judgments, **settings) == skipped


@given(
    st.lists(st.sampled_from([None, -1, 0, 0.5, 1, 3]), max_size=15),
    st.sampled_from([None, 1, 5, 20]),
)
def test_the_terms_of_a_breakdown_add_up_to_the_score(
    grades: list[float | None], k: int | None
) -> None:
    terms = dcg_terms(grades, Settings(), k)
    assert [term.rank for term in terms] == list(range(1, len(grades[:k]) + 1))
    assert (terms[-1].total if terms else 0.0) == dcg(grades, Settings(), k)
    assert all(term.discounted == term.gain / term.discount for term in terms)
