"""The exact randomisation test: the share of all sign flips, whatever numpy would say."""

from __future__ import annotations

from itertools import product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.metrics.sign_flips import EXACT_PAIRS, PLAIN_PAIRS, drawn_p, exact_p, least_p
from pytest_relevance.metrics.significance import randomisation_test

terms = st.floats(-1, 1).map(lambda score: round(score, 3)).filter(bool)


@given(st.lists(terms, max_size=10))
def test_it_is_the_share_of_the_flips_that_are_at_least_as_far_from_0(found: list[float]) -> None:
    least = abs(sum(found)) - 1e-9
    sums = [
        sum(sign * term for sign, term in zip(signs, found, strict=True))
        for signs in product((-1, 1), repeat=len(found))
    ]
    assert exact_p(found) == sum(abs(each) >= least for each in sums) / len(sums)


def test_the_test_with_numpy_is_exact_as_far() -> None:
    changes = [0.05 * (number % 7 - 2) for number in range(EXACT_PAIRS)]
    test = randomisation_test([0.5] * EXACT_PAIRS, [0.5 + change for change in changes])
    assert (test.p, test.resamples) == (exact_p([change for change in changes if change]), None)
    assert randomisation_test([0.0] * 21, [1.0] * 21).resamples == 100_000


def test_random_flips_come_to_the_p_of_all_flips() -> None:
    found = [0.05 * (number % 7 - 2) or 0.3 for number in range(EXACT_PAIRS)]
    p = exact_p(found)
    assert abs(drawn_p(found, 100_000, seed=0) - p) < 4 * (p * (1 - p) / 100_000) ** 0.5
    assert drawn_p(found, 1000, seed=1) == drawn_p(found, 1000, seed=np.int64(1)) != drawn_p(found, 1000, seed=2)


def test_numpy_draws_the_flips_of_more_pairs_and_comes_to_the_same() -> None:
    changes = [0.05 * (number % 7 - 2) for number in range(300) if number % 7 != 2]
    for count in (EXACT_PAIRS + 1, PLAIN_PAIRS, PLAIN_PAIRS + 1):
        test = randomisation_test([0.0] * count, changes[:count], resamples=20_000)
        drawn = drawn_p(changes[:count], 20_000, seed=0)
        assert test.p == drawn if count <= PLAIN_PAIRS else abs(test.p - drawn) < 0.02


def test_terms_of_next_to_nothing_cannot_lower_p() -> None:
    assert least_p([1.0] * 5 + [1e-14] * 10) == 2 / 2**5
    assert least_p([]) == 1
