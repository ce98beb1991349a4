"""The comparison of two runs, checked against scipy and against counting by hand."""

import itertools
import math
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import bootstrap_interval, holm, randomisation_test
from pytest_relevance.metrics import significance
from pytest_relevance.metrics.significance import (
    MOST_ENUMERATED,
    drawn_p,
    effect_size,
    exact_p,
    least_p,
    sign_flip_test,
)

Floats = npt.NDArray[np.float64]
SCORE = st.integers(0, 6).map(lambda sixth: sixth / 6)
PAIRS = st.lists(st.tuples(SCORE, SCORE), min_size=1, max_size=9)
CHANGES = [0.05 * (number % 7 - 2) or 0.3 for number in range(30)]


def runs(queries: int, gain: float = 0.0) -> tuple[Floats, Floats]:
    generator = np.random.default_rng(0)
    return generator.random(queries), generator.random(queries) + gain


# The randomisation test


@given(PAIRS)
def test_a_small_randomisation_test_counts_every_flip(
    pairs: list[tuple[float, float]],
) -> None:
    # In sixths, so that sums of whole numbers decide what is as far from 0.
    differences = [round(6 * (after - before)) for before, after in pairs]
    as_far = 0
    flips = list(itertools.product((-1, 1), repeat=len(differences)))
    for signs in flips:
        total = sum(map(int.__mul__, signs, differences))
        as_far += abs(total) >= abs(sum(differences))
    found = randomisation_test(*zip(*pairs, strict=True))
    assert found.p == pytest.approx(as_far / len(flips), abs=1e-15)


@given(PAIRS)
def test_the_least_p_is_that_of_differences_of_one_sign(
    pairs: list[tuple[float, float]],
) -> None:
    found = randomisation_test(*zip(*pairs, strict=True))
    sizes = [abs(after - before) for before, after in pairs]
    assert found.least_p == randomisation_test([0.0] * len(sizes), sizes).p
    assert found.least_p <= found.p


def test_the_least_p_of_a_large_randomisation_test_is_that_of_its_draws() -> None:
    found = randomisation_test(np.zeros(40), np.ones(40), resamples=999)
    assert found.p == found.least_p == 1 / 1000


def test_a_large_randomisation_test_estimates_what_scipy_estimates() -> None:
    before, after = runs(200, gain=0.05)
    theirs = pytest.importorskip("scipy.stats").permutation_test(
        (after, before),
        lambda one, two, axis: np.mean(one - two, axis=axis),
        permutation_type="samples",
        vectorized=True,
        n_resamples=20_000,
        batch=1000,  # less memory at once
        rng=np.random.default_rng(1),
    )
    ours = randomisation_test(before, after)
    assert ours.resamples == 100_000
    # four standard errors of theirs
    assert ours.p == pytest.approx(theirs.pvalue, abs=0.015)


def test_weights_decide_which_queries_count() -> None:
    before, after, weights = [0.5, 0.5, 0.5], [0.6, 0.2, 0.2], [8, 1, 1]
    plain = randomisation_test(before, after)
    head = randomisation_test(before, after, weights=weights)
    assert (plain.difference, head.difference) == pytest.approx((-0.5 / 3, 0.02))
    # Of the flips of 1, -3 and -3, half are at least 5 away from 0; of those of 8, -3
    # and -3, all are at least 2.
    assert (plain.p, head.p) == (0.5, 1.0)
    interval = bootstrap_interval(before, after, weights=weights)
    assert interval.difference == pytest.approx(0.02)


def test_equal_missing_and_no_scores() -> None:
    equal = randomisation_test([0.5, 0.25, 1.0], [0.5, 0.25, 1.0])
    assert (equal.difference, equal.p, equal.pairs) == (0.0, 1.0, 3)
    before = [0.5, math.nan, 1.0, 0.0, 0.3]
    partly = randomisation_test(before, [0.25, 0.25, 1.0, 1.0, math.nan])
    assert (partly.difference, partly.pairs) == pytest.approx((0.25, 3))
    nothing = randomisation_test([], [])
    assert math.isnan(nothing.difference)
    assert math.isnan(nothing.p)
    with pytest.raises(ValueError, match="the same queries"):
        randomisation_test([1.0, 2.0], [1.0])


def test_a_few_changes_among_many_queries_are_tested_exactly() -> None:
    changes = CHANGES[:MOST_ENUMERATED]
    after = [*(0.5 + change for change in changes), *[0.5] * 50]
    found = randomisation_test([0.5] * len(after), after)
    assert (found.p, found.resamples) == (exact_p(changes), None)
    found = randomisation_test([0.0] * 21, [1.0] * 21)
    assert found.resamples == 100_000


def test_random_flips_come_to_the_p_of_all_flips() -> None:
    changes = CHANGES[:MOST_ENUMERATED]
    p = exact_p(changes)
    four_errors = 4 * (p * (1 - p) / 100_000) ** 0.5
    assert drawn_p(changes, 100_000, seed=0) == pytest.approx(p, abs=four_errors)


def test_the_seed_decides_the_flips() -> None:
    def p(seed: Any) -> float:
        return randomisation_test([0.0] * 30, CHANGES, resamples=1000, seed=seed).p

    assert p(1) == p(np.int64(1))
    assert p(1) != p(2)


@given(st.permutations(CHANGES[:25]))
def test_the_order_of_the_queries_changes_no_p(terms: list[float]) -> None:
    in_order = sign_flip_test(sorted(terms), resamples=2_000)
    assert sign_flip_test(terms, resamples=2_000) == in_order


@pytest.mark.parametrize(("signs", "flips"), [(60_000, 2_000), (60, 1_000)])
def test_of_very_many_pairs_fewer_flips_are_drawn(
    monkeypatch: pytest.MonkeyPatch, signs: int, flips: int
) -> None:
    monkeypatch.setattr(significance, "MOST_SIGNS", signs)
    assert sign_flip_test(CHANGES, resamples=100_000).resamples == flips


def test_terms_of_next_to_nothing_cannot_lower_p() -> None:
    assert least_p([1.0] * 5 + [1e-14] * 10) == 2 / 2**5
    assert least_p([]) == 1


# The effect size


def test_the_effect_size_is_the_mean_in_standard_deviations() -> None:
    assert effect_size([0, 0, 0], [1, 2, 3]) == pytest.approx(2.0)
    assert effect_size([0, 0], [1, 1]) == math.inf
    assert effect_size([1, 2], [1, 2]) == 0.0
    assert math.isnan(effect_size([1], [2]))
    assert math.isnan(effect_size([], []))


def test_the_effect_size_of_weighted_scores() -> None:
    first, second = [0.5, 0.5, 0.5], [0.9, 0.4, 0.4]
    mean = (0.4 - 0.5 - 0.5) / 11
    deviation = math.sqrt(((0.4 - mean) ** 2 + 10 * (-0.1 - mean) ** 2) / 11 * 3 / 2)
    weighted = effect_size(first, second, weights=[1, 5, 5])
    assert weighted == pytest.approx(mean / deviation)
    equal = effect_size(first, second, weights=[2, 2, 2])
    assert equal == pytest.approx(effect_size(first, second))


# The bootstrap interval


def test_the_bootstrap_interval_is_that_of_scipy() -> None:
    before, after = runs(300, gain=0.1)
    ours = bootstrap_interval(before, after)
    theirs = pytest.importorskip("scipy.stats").bootstrap(
        (after - before,),
        np.mean,
        method="percentile",
        n_resamples=20_000,
        rng=np.random.default_rng(2),
    )
    low, high = theirs.confidence_interval
    error = float(np.std(after - before)) / math.sqrt(300)
    assert (ours.confidence, ours.resamples) == (0.95, 10_000)
    assert [ours.low, ours.high] == pytest.approx([low, high], abs=0.1 * error)
    assert ours.difference == pytest.approx(float(np.mean(after - before)))


def test_a_bootstrap_interval_is_that_of_its_seed_and_narrower_with_less_confidence() -> (
    None
):
    before, after = runs(50)
    wide = bootstrap_interval(before, after, confidence=0.99)
    narrow = bootstrap_interval(before, after, confidence=0.5)
    assert wide == bootstrap_interval(before, after, confidence=0.99)
    assert wide.low < narrow.low < narrow.difference < narrow.high < wide.high
    assert math.isnan(bootstrap_interval([], []).low)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"confidence": 95}, "between 0 and 1, such as 0.95, not 95"),
        ({"resamples": 0}, "from 1 on, not 0"),
        ({"weights": [1.0, 0.0]}, "above 0 for each query"),
        ({"weights": [1.0]}, "for each query"),
    ],
)
def test_what_a_bootstrap_refuses(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=says):
        bootstrap_interval([0.0, 1.0], [1.0, 1.0], **wrong)


# Holm's correction


def test_holm_multiplies_the_least_most_and_never_lets_the_order_change() -> None:
    assert holm([0.01, 0.04, 0.03]) == [0.03, 0.06, 0.06]
    assert holm([0.6, 0.7]) == [1.0, 1.0]
    of_statsmodels = [0.055, 0.09, 0.09, 0.2, 0.055]  # multipletests(method="holm")
    assert holm([0.011, 0.04, 0.03, 0.2, 0.011]) == pytest.approx(of_statsmodels)
    adjusted = holm([0.02, math.nan, 0.5])
    assert (adjusted[0], math.isnan(adjusted[1]), adjusted[2]) == (0.04, True, 0.5)
    assert holm([]) == []
