"""Several raters: the grade that they give together, and how far they agree."""

import math
from typing import Any

import pandas
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import aggregate, krippendorff_alpha
from pytest_relevance.judgments.scale import AGGREGATES

Ratings = list[list[float | None]]


@pytest.mark.parametrize(
    ("how", "expected"),
    [("median", 1.5), ("mean", 1.75), ("min", 0), ("max", 4), ("majority", 0)],
)
def test_ways_to_combine_ratings(how: str, expected: float) -> None:
    assert aggregate([0, 3, 4, 0], how) == expected
    assert aggregate([2], how) == 2


def test_of_equally_frequent_ratings_the_lowest_counts() -> None:
    assert aggregate([3, 0, 3, 0, 4], "majority") == 0


def test_a_whole_grade_of_whole_ratings_is_an_int() -> None:
    for how in AGGREGATES:
        assert type(aggregate([1, 3], how)) is int
    assert type(aggregate([1, 2], "median")) is float
    assert type(aggregate([1.0, 3.0], "mean")) is float


def test_ratings_may_be_a_column_of_a_frame() -> None:
    rows = {"document": ["a", "b", "a", "b", "a"], "rating": [2, 0, 3, 1, 2]}
    grouped = pandas.DataFrame(rows).groupby("document")["rating"]
    assert grouped.agg(aggregate).to_dict() == {"a": 2, "b": 0.5}


@given(st.data(), st.lists(st.floats(0, 5), min_size=1, max_size=9))
def test_the_order_of_the_raters_does_not_matter(
    data: st.DataObject, ratings: list[float]
) -> None:
    shuffled = data.draw(st.permutations(ratings))
    for how in AGGREGATES:
        grade = aggregate(ratings, how)
        assert aggregate(shuffled, how) == grade
        assert min(ratings) - 1e-12 <= grade <= max(ratings) + 1e-12


@pytest.mark.parametrize(
    ("ratings", "how", "says"),
    [
        ([], "median", "there is no rating"),
        ([1], "mode", "median, mean, min, max or majority, not 'mode'"),
        ([1, math.nan], "mean", "a rating is a finite number, not nan"),
        ([1, "2"], "mean", "a rating is a number, not '2'"),
        ([1, True], "max", "a rating is a number, not True"),
        ([1, None], "max", "a rating is a number, not None"),
    ],
)
def test_what_is_refused(ratings: list[float], how: str, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        aggregate(ratings, how)


RATINGS = st.integers(2, 4).flatmap(
    lambda raters: st.lists(
        st.lists(
            st.sampled_from([0, 1, 2, 3, 5, None]), min_size=raters, max_size=raters
        ),
        min_size=2,
        max_size=9,
    )
)


@given(RATINGS)
def test_alpha_is_that_of_the_krippendorff_package(ratings: Ratings) -> None:
    np = pytest.importorskip("numpy")
    krippendorff = pytest.importorskip("krippendorff")
    given_twice = [each for each in ratings if len(each) - each.count(None) > 1]
    values = {rating for each in given_twice for rating in each} - {None}
    ours = krippendorff_alpha(ratings)
    if len(values) < 2:
        assert math.isnan(ours)
    else:
        a_row_a_rater = np.array(ratings, dtype=float).T
        theirs = krippendorff.alpha(a_row_a_rater, level_of_measurement="ordinal")
        assert ours == pytest.approx(theirs, rel=0, abs=1e-12)


def test_alpha_of_the_columns_of_a_frame_is_refused() -> None:
    frame: Any = pandas.DataFrame({"ann": [1, 2], "ben": [1, 3]})
    says = r"not the text 'ann'; .* pass `frame\.to_numpy\(\)`"
    with pytest.raises(ValueError, match=says):
        krippendorff_alpha(frame)
    assert krippendorff_alpha(frame.to_numpy()) == krippendorff_alpha([[1, 1], [2, 3]])


def test_alpha_of_perfect_agreement_and_of_contradiction() -> None:
    assert krippendorff_alpha([[0, 0], [3, 3], [1, 1, 1]]) == 1.0
    assert krippendorff_alpha([[0, 3], [3, 0]]) < 0
    # nothing could have disagreed, and no document has two ratings
    assert math.isnan(krippendorff_alpha([[2, 2], [2, 2]]))
    assert math.isnan(krippendorff_alpha([[1], [2], []]))
