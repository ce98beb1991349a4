"""The conventions of a score: what may be chosen, and what a grade is worth under them."""

from __future__ import annotations

import math
import pickle
import re
from typing import Any

import numpy as np
import pytest

from pytest_relevance.metrics.settings import CHOICES, Settings


def test_a_mapping_gives_the_gain_of_each_grade() -> None:
    gains: dict[float, float] = {0: 0, 1: 1, 2: 3, 3: 7}
    settings = Settings(gains)
    gains[3] = 100
    assert settings.gain_of(3) == 7.0
    of_numpy: Any = np.int64(2)
    assert settings.gain_of(of_numpy) == 3.0


def test_negative_grades_have_the_gain_of_the_formula_or_none() -> None:
    assert Settings().gain_of(-1) == -0.5
    assert Settings(negative="zero").gain_of(-1) == 0.0
    assert Settings({0: 0, 1: 1}, negative="zero").gain_of(-1) == 0.0


@pytest.mark.parametrize(
    ("settings", "grade", "says"),
    [
        (Settings(), 51, "grade 51 is too high for exponential gain (2^grade - 1): at most 50 is allowed"),
        (Settings({0: 0, 2: 3, 1: 1}), 3, "the gain mapping has no grade 3; it has 0, 1, 2"),
        (Settings("linear"), math.nan, "a grade is a finite number, not nan"),
        (Settings("linear"), "3", "a grade is a number, not '3' (str)"),
        (Settings("linear"), True, "a grade is a number, not True (bool)"),
        (Settings("linear"), None, "a grade is a number, not None"),
    ],
)
def test_a_grade_without_a_gain_is_refused(settings: Settings, grade: Any, says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        settings.gain_of(grade)


@pytest.mark.parametrize("name", list(CHOICES))
def test_a_choice_outside_of_its_table_is_refused_with_the_table(name: str) -> None:
    wrong: dict[str, Any] = {name: "both"}
    with pytest.raises(ValueError, match=f"{name} is one of .* not 'both'") as refused:
        Settings(**wrong)
    assert all(choice in str(refused.value) for choice in CHOICES[name])


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"gain": {}}, "the gain mapping is empty"),
        ({"gain": {1: math.nan}}, "the gain of grade 1 is a finite number"),
        ({"gain": {"1": 1}}, "a grade of the gain mapping is a number, not '1'"),
        ({"gain": 2}, "a mapping of grades to gains, not 2"),
        ({"max_grade": 0}, "above 0"),
        ({"max_grade": math.inf}, "a finite number"),
        ({"max_grade": 51}, "at most 50 is allowed"),
        ({"max_grade": 3, "gain": {0: 0, 1: 1}}, "the gain mapping has no grade 3"),
    ],
)
def test_other_wrong_settings(wrong: dict[str, Any], says: str) -> None:
    with pytest.raises(ValueError, match=re.escape(says)):
        Settings(**wrong)


def test_settings_compare_hash_and_travel() -> None:
    for settings in (Settings(), Settings({0: 0, 1: 5}, discount="ln", max_grade=1)):
        copy = pickle.loads(pickle.dumps(settings))
        assert copy == settings
        assert hash(copy) == hash(settings)
        assert copy.gain_of(1) == settings.gain_of(1)
    assert Settings() != Settings("linear")


def test_gains_are_remembered_only_up_to_a_bound() -> None:
    settings = Settings("linear")
    assert sum(settings.gains[grade / 7] for grade in range(10_000)) == sum(grade / 7 for grade in range(10_000))
    assert len(settings.gains) < 5_000
