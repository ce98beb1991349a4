"""The paired randomisation test in plain Python: equal to the one with numpy where both are exact, and cheap."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.metrics.sign_flips import EXACT_PAIRS, LEAST_FLIPS, MOST_FLIPS, sign_flip_p
from pytest_relevance.metrics.significance import randomisation_test

scores = st.floats(0, 1).map(lambda score: round(score, 3))
weights = st.sampled_from([1.0, 0.5, 2.0, 7.25])


def p_of(first: list[float], second: list[float], of: list[float]) -> float:
    return sign_flip_p([after - before for before, after in zip(first, second, strict=True)], of)


@given(st.lists(st.tuples(scores, scores, weights), min_size=1, max_size=EXACT_PAIRS))
def test_where_both_are_exact_it_is_the_test_with_numpy(pairs: list[tuple[float, float, float]]) -> None:
    first, second, of = (list(column) for column in zip(*pairs, strict=True))
    assert p_of(first, second, of) == randomisation_test(first, second, weights=of).p


def test_worked_example() -> None:
    """Of the 8 flips of three differences, 2 are as far from 0: all up and all down."""
    assert sign_flip_p([0.1, 0.2, 0.3, 0.0], [1, 1, 1, 1]) == 2 / 8
    assert sign_flip_p([0.1, 0.2, -0.3], [1, 1, 1]) == 1
    assert sign_flip_p([0.1, -0.1], [3, 1]) == 1  # 0.2 from 0 with this flip, and 0.4 with the others: 4 of 4
    assert sign_flip_p([], []) == sign_flip_p([0.0, 0.0], [1, 1]) == 1


@pytest.mark.parametrize("changed", [EXACT_PAIRS + 1, 20, 100, 333])
def test_with_more_pairs_it_is_close_to_the_test_with_numpy(changed: int) -> None:
    draw = random.Random(changed)
    first = [draw.random() for _ in range(changed)]
    second = [score + draw.gauss(0.6 / changed**0.5, 0.3) for score in first]
    of = [draw.choice([1.0, 2.0, 5.0]) for _ in range(changed)]
    expected = randomisation_test(first, second, weights=of).p
    assert 0.001 < expected < 0.9
    assert p_of(first, second, of) == pytest.approx(expected, abs=4 * (expected / MOST_FLIPS) ** 0.5)
    assert p_of(first, second, of) == p_of(first, second, of)  # seeded


def test_the_lowest_p_value_is_that_of_the_flips_that_are_drawn() -> None:
    assert sign_flip_p([0.1] * 100, [1] * 100) == 1 / (MOST_FLIPS + 1)
    assert 1 / (MOST_FLIPS + 1) < sign_flip_p([0.1] * 50_000, [1] * 50_000) <= 1 / (LEAST_FLIPS + 1)


def test_ten_thousand_cases_take_well_under_a_second() -> None:
    draw = random.Random(1)
    differences = [draw.gauss(0.001, 0.2) for _ in range(10_000)]
    fastest = []
    for _ in range(3):
        start = time.process_time()
        sign_flip_p(differences, [1.0] * 10_000)
        fastest.append(time.process_time() - start)
    assert min(fastest) < 0.5
