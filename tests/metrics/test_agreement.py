"""How far two raters agree: kappa with its interval, the share of equal grades, bias;
alpha is in `test_raters`.
"""

import math
from random import Random
from statistics import fmean

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.metrics.agreement import agreement


@pytest.mark.parametrize(
    ("first", "second", "kappa"),
    [
        (
            [0, 1, 2, 3, 3, 2, 1, 0, 0, 2, 3, 1],
            [0, 2, 2, 3, 2, 2, 1, 1, 0, 3, 3, 0],
            0.8333333333333334,
        ),
        ([0, 0, 1, 1, 1, 0, 1, 0, 0, 1], [1, 0, 1, 1, 0, 0, 1, 1, 0, 1], 0.4),
        ([0, 0, 0, 0, 3, 3, 3, 3], [0, 0, 0, 3, 3, 3, 0, 0], 0.25),
        ([2, 2, 2, 2], [3, 3, 3, 3], 0.0),
    ],
)
def test_kappa_is_that_of_scikit_learn(
    first: list[int], second: list[int], kappa: float
) -> None:
    # sklearn.metrics.cohen_kappa_score(first, second, weights="quadratic",
    # labels=range(5)) of scikit-learn 1.9.1
    assert agreement(first, second).kappa == pytest.approx(kappa, rel=0, abs=1e-12)


PAIRS = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30
)


@given(st.data(), PAIRS, st.sampled_from([0.1, 0.5, 3]), st.integers(-2, 7))
def test_what_leaves_the_figures_as_they_are(
    data: st.DataObject, pairs: list[tuple[int, int]], unit: float, lowest: int
) -> None:
    first, second = zip(*pairs, strict=True)
    found = agreement(first, second)
    shuffled = data.draw(st.permutations(pairs))
    assert str(agreement(*zip(*shuffled, strict=True))) == str(found)  # NaN too
    moved = agreement(
        [lowest + unit * one for one in first], [lowest + unit * two for two in second]
    )
    swapped = agreement(second, first)
    figures = [found.kappa, found.alpha]
    for other in (moved, swapped):
        assert (other.equal, sum(other.counts.values())) == (found.equal, len(pairs))
        same = [other.kappa, other.alpha]
        assert same == pytest.approx(figures, abs=1e-9, nan_ok=True)
    biases = [unit * found.bias, -found.bias]
    assert [moved.bias, swapped.bias] == pytest.approx(biases, abs=1e-9)
    ends = [found.low, found.high]
    assert [moved.low, moved.high] == pytest.approx(ends, abs=1e-9, nan_ok=True)


JUDGES = st.integers(1, 12).flatmap(
    lambda each: st.tuples(st.just(each), st.integers(0, each), st.integers(2, 6))
)


@given(JUDGES)
def test_the_figures_of_a_judge_follow_from_the_rate_of_its_errors(
    judge: tuple[int, int, int],
) -> None:
    """A judge gives `wrong` of the `of_each` documents of each grade a grade too many,
    and of the highest grade the lowest.
    """
    of_each, wrong, grades = judge
    people, judged, counts = [], [], {}
    for grade in range(grades):
        too_many = (grade + 1) % grades
        people += [grade] * of_each
        judged += [too_many] * wrong + [grade] * (of_each - wrong)
        counts[grade, grade] = of_each - wrong
        counts[grade, too_many] = wrong
    found = agreement(people, judged)
    assert found.counts == {pair: count for pair, count in counts.items() if count}
    rate = wrong / of_each
    assert found.equal == pytest.approx(1 - rate, abs=1e-15)
    assert found.bias == 0
    # observed: rate * (grades - 1); by chance, of two even spreads of grades: (grades
    # ** 2 - 1) / 6
    assert found.kappa == pytest.approx(1 - 6 * rate / (grades + 1), abs=1e-12)
    assert found.low - 1e-12 <= found.kappa <= found.high + 1e-12


def test_the_interval_is_that_of_documents_drawn_with_replacement() -> None:
    random = Random(7)
    first = [random.randrange(4) for _ in range(80)]
    second = [each if random.random() < 0.6 else random.randrange(4) for each in first]
    found = agreement(first, second)
    pairs = list(zip(first, second, strict=True))
    drawn = []
    for _ in range(400):
        one, two = zip(*random.choices(pairs, k=80), strict=True)
        observed = fmean((a - b) ** 2 for a, b in zip(one, two, strict=True))
        squares = fmean(a * a for a in one) + fmean(b * b for b in two)
        drawn.append(1 - observed / (squares - 2 * fmean(one) * fmean(two)))
    drawn.sort()
    assert [found.low, found.high] == pytest.approx([drawn[10], drawn[-11]], abs=0.03)
    assert agreement(first, second) == found  # the draws are the same every time
    assert agreement(first, second, seed=1).low != found.low


def test_figures_that_are_not_defined() -> None:
    nothing = agreement([], [])
    one = agreement([1], [2])
    same = agreement([0.1] * 3, [0.1] * 3)
    assert nothing.counts == {}
    assert math.isnan(nothing.equal)
    assert math.isnan(nothing.bias)
    assert (one.equal, one.bias) == (0, 1)
    assert (same.equal, same.bias) == (1, 0)
    assert math.isnan(same.alpha)
    for found in (nothing, one, same):
        assert math.isnan(found.kappa)
        assert math.isnan(found.low)


def test_samples_of_one_grade_do_not_count_for_the_interval() -> None:
    found = agreement([0, 3], [0, 3])  # half of the samples
    assert found.low == found.kappa == 1


def test_what_is_no_grade_is_refused() -> None:
    with pytest.raises(ValueError, match="a finite number"):
        agreement([1, math.nan], [1, 2])
    with pytest.raises(ValueError, match="shorter"):
        agreement([1, 2], [1])
