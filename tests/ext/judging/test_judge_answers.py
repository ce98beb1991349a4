"""What a judge says of a document is a grade of the case, or a fault that says why."""

import pytest

from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.ext.judging.judge import Answer, answer_of
from tests.helpers import case_of

CASE = case_of({"query": "shoes", "judgments": {"a": 1}})
(SCALED,) = parse_suite(
    b"""
scale: {bad: 0, good: 1, fair: 2, exact: 3}
gain: {0: 0, 1: 1, 3: 5}
cases: [{query: shoes, judgments: {a: exact}}]
""",
    "shop.relevance.yaml",
).cases


@pytest.mark.parametrize(
    ("said", "grade"), [("exact", 3), (" good ", 1), ("3", 3), (1.0, 1), (3, 3)]
)
def test_a_grade_is_a_name_of_the_scale_or_a_number(said: object, grade: int) -> None:
    assert answer_of(said, SCALED) == Answer(grade=grade)


@pytest.mark.parametrize(
    ("said", "why"),
    [
        (
            "Exact",
            "a grade is one of 0 (bad), 1 (good), 2 (fair), 3 (exact), or None for none",
        ),
        (
            True,
            "a grade is one of 0 (bad), 1 (good), 2 (fair), 3 (exact), or None for none",
        ),
        (
            4,
            "grade 4 is off the scale, which is 0 (bad), 1 (good), 2 (fair), 3 (exact)",
        ),
        (2, "the gain mapping has no grade 2; it has 0, 1, 3"),
    ],
)
def test_what_is_no_grade_of_the_case_is_a_fault(said: object, why: str) -> None:
    assert why in answer_of(said, SCALED).fault


def test_without_a_scale_a_grade_is_a_number_that_has_a_gain() -> None:
    assert answer_of("7", CASE) == Answer(grade=7)
    assert "a grade is a number, or None" in answer_of("good", CASE).fault
    assert "grade 51 is too high for exponential gain" in answer_of(51, CASE).fault
