"""What the unjudged results in the top k leave open."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance.metrics.names import build_metric
from pytest_relevance.metrics.scalar import GradedRanking, grade_ranking, interval, score
from pytest_relevance.metrics.settings import Settings


def ndcg(graded: GradedRanking, k: int | None, conventions: Settings) -> float:
    return score(build_metric("nDCG", k), graded, conventions)


def judge(graded: GradedRanking, k: int | None, grades: list[float]) -> GradedRanking:
    """Give the unjudged results of the top k these grades, the first rank first."""
    given_grades = iter(grades)
    filled = [
        next(given_grades) if grade is None and index not in graded.repeated else grade
        for index, grade in enumerate(graded.grades[:k])
    ]
    return GradedRanking(filled, (), [*graded.judged, *grades])


@st.composite
def rankings(draw: st.DrawFn) -> GradedRanking:
    documents = [f"d{number}" for number in range(draw(st.integers(1, 14)))]
    judged = draw(st.lists(st.sampled_from(documents), unique=True))
    grades = st.sampled_from([-1, 0, 1, 2, 3, 0.5])
    return grade_ranking(
        draw(st.lists(st.sampled_from(documents), max_size=14)), {document: draw(grades) for document in judged}
    )


SCALES = st.sampled_from([(0, 3), (-1, 3), (1, 3), (0, 3.5), (0.5, 0.5), (-1, 0)])


@given(rankings(), st.sampled_from([None, 1, 3, 10]), SCALES, st.sampled_from(["exponential", "linear"]))
@settings(deadline=None, max_examples=300)
def test_the_interval_is_what_trying_every_number_gives(
    graded: GradedRanking, k: int | None, scale: tuple[float, float], gain: str
) -> None:
    lowest, highest = scale
    conventions = Settings(gain)
    present = ndcg(graded, k, conventions)
    holes = [grade for index, grade in enumerate(graded.grades[:k]) if grade is None and index not in graded.repeated]
    low, high = interval(graded, k, lowest, highest, conventions)
    if math.isnan(present):
        assert math.isnan(low)
        assert math.isnan(high)
        return
    tried = [
        ndcg(judge(graded, k, [lowest] * (len(holes) - deepest) + [highest] * deepest), k, conventions)
        for deepest in range(len(holes) + 1)
    ]
    # The score is one of the readings: an unjudged result without gain, though the lowest grade has some.
    assert low == pytest.approx(min(*tried, present), rel=0, abs=1e-12)
    if holes:
        # The ideal stays what it is: only the results are judged anew.
        at_best = judge(graded, k, [highest] * len(holes))
        best = ndcg(GradedRanking(at_best.grades, (), graded.judged), k, conventions)
        assert high == pytest.approx(min(1.0, best), rel=0, abs=1e-12)
    else:
        assert low == high == present


def test_all_lowest_or_all_highest_is_not_the_least() -> None:
    # Were both unjudged results relevant, or neither, the score would be higher than with the deeper one alone.
    graded = grade_ranking(["a", "x", "y"], {"a": 1})
    neither, deeper, both = (
        ndcg(judge(graded, 3, grades), 3, Settings()) for grades in ([0.0, 0.0], [0.0, 3.0], [3.0, 3.0])
    )
    low, high = interval(graded, 3, 0, 3, Settings())
    assert low == deeper < min(neither, both)
    assert high == 1.0


def test_without_unjudged_results_both_ends_are_the_score() -> None:
    graded = grade_ranking(["b", "a"], {"a": 3, "b": 1})
    present = ndcg(graded, 10, Settings())
    assert interval(graded, 10, 0, 3, Settings()) == (present, present)


def test_results_below_the_cutoff_and_later_copies_leave_nothing_open() -> None:
    graded = grade_ranking(["b", "b", "a", "x"], {"a": 3, "b": 1})
    present = ndcg(graded, 3, Settings())
    assert interval(graded, 3, 0, 3, Settings()) == (present, present)


@pytest.mark.parametrize("conventions", [Settings(ideal="returned"), Settings(ideal="max"), Settings(unjudged="skip")])
def test_other_conventions_have_no_interval(conventions: Settings) -> None:
    graded = grade_ranking(["x", "a"], {"a": 3})
    present = ndcg(graded, 10, conventions)
    assert interval(graded, 10, 0, 3, conventions) == (present, present)


def test_a_query_without_relevant_judgments_has_no_interval() -> None:
    graded = grade_ranking(["x", "a"], {"a": 0})
    assert all(math.isnan(end) for end in interval(graded, 10, 0, 3, Settings()))
    assert interval(graded, 10, 0, 3, Settings(undefined="zero")) == (0.0, 0.0)


def test_the_upper_end_is_at_most_one_and_the_score_lies_between() -> None:
    graded = grade_ranking(["x", "a", "y"], {"a": 1})
    low, high = interval(graded, 3, 0, 3, Settings())
    assert low < ndcg(graded, 3, Settings()) < high == 1.0


def test_a_deep_cutoff_with_many_unjudged_results() -> None:
    documents = [f"d{number}" for number in range(600)]
    graded = grade_ranking(documents, {document: number % 4 for number, document in enumerate(documents) if number % 3})
    low, high = interval(graded, None, 0, 3, Settings())
    holes = sum(grade is None for grade in graded.grades)
    tried = [
        ndcg(judge(graded, None, [0.0] * (holes - deepest) + [3.0] * deepest), None, Settings())
        for deepest in range(0, holes + 1, 20)
    ]
    assert low <= min(tried) + 1e-12
    assert high == 1.0
