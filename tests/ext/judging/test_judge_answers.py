"""What a judge says of a document is a grade of the case, or a problem."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.ext.judging.judge import Answer, answer_of
from tests.helpers import case_of

CASE = case_of({"query": "shoes", "judgments": {"a": 1}})
NAMED, RANGED, GAINS, TEN = (
    parse_suite(
        f"{{scale: {scale}, cases: [{{query: shoes, judgments: {{a: 1}}}}]}}".encode(),
        "shop.relevance.yaml",
    ).cases[0]
    for scale in (
        "{bad: 0, related: 1, it would do: 2, exact: 3}",
        "[0, 3]",
        "[0, 3], gain: {0: 0, 1: 1, 3: 5}",
        "[0, 10]",
    )
)

ALONE = "the grade alone in its first line"
TWO = "the answer has two grades"

ANSWERS = [
    # the grade alone
    ("3", 3),
    (" 2\n", 2),
    ("3.0", 3),
    ("3.", 3),
    ("exact", 3),
    ("Exact.", 3),
    ("it would do", 2),
    ("2\n\nIt would do, as the strap fits.", 2),
    # a label
    ("Grade: 3", 3),
    ("grade=1", 1),
    ("Final grade : 0.", 0),
    ("Relevance score = exact", 3),
    ("Note\uff1a2", 2),
    ("My final grade: 3", ALONE),
    ("Grade 3", ALONE),
    ("Step 1: 3", ALONE),
    ("Grade (0-3): 2", ALONE),
    ("Grade:\n3", ALONE),
    ("exact: 2", ALONE),
    ("Grade: Score: 3", ALONE),
    ("Confidence: 2", ALONE),
    ("Query: 3\nIt is what they want.", ALONE),
    ("less than: 2", ALONE),
    ("Wrong grade: 3", ALONE),
    ("Grade: >2", ALONE),
    ("Grade != 3", ALONE),
    # Markdown and quotes
    ("**3**", 3),
    ("**Grade:** 3", 3),
    ("**Grade**: `2`", 2),
    ("***Grade: 1.***", 1),
    ("## Grade: 3", 3),
    ("##final score: 2", 2),
    ("_exact_", 3),
    ('"3"', 3),
    ("'Grade: 2'.", 2),
    ("Grade: \u201cexact\u201d", 3),
    ("~~3~~", ALONE),
    ("~~3~~ 2", ALONE),
    ("#3", ALONE),
    ("2*3*", ALONE),
    ("> 2", ALONE),
    ("- 3", ALONE),
    ("-3", "grade -3 is off the scale"),
    # the end of the scale
    ("3/3", 3),
    ("Grade: 2 / 3", 2),
    ("**1** out of 3.", 1),
    ("3/4", "the answer counts to 4, and the scale is 0 (bad)"),
    ("3 out of 5", "the answer counts to 5"),
    ("3/3/3", ALONE),
    ("75%", ALONE),
    ("4", "grade 4 is off the scale, which is 0 (bad), 1 (related)"),
    # a bracket
    ("3 (it is)", 3),
    ("3 (it is.).", 3),
    ("exact (3)", 3),
    ("3/3 (Galaxy S24, size 43)", 3),
    ("Grade: 0 (wrong size)", 0),
    ("3 (or 2)", TWO),
    ("0 (exact)", TWO),
    ("'3 (not 2)'", TWO),
    # JSON
    ('{"grade": 2}', 2),
    ('{"why": "It would do: 3 of 4", "grade": "exact", "score": 1}', 3),
    ('{"grade": 3.0}', 3),
    ('{"grade": null}', None),
    ('{"grade": true}', ALONE),
    ('{"grade": [3]}', ALONE),
    ('{"grade": ""}', ALONE),
    ('{"grade": NaN}', ALONE),
    ('{"grade": "3 or 2"}', ALONE),
    ('{"grade": 4}', "grade 4 is off the scale"),
    ('{"Grade": 3, "score": 1}', 'needs the key grade; its keys: "Grade" and "score"'),
    ('{"grade": 3, "grade": 1}', "grade: this key stands twice"),
    ('{"why": "It is', "this is not valid JSON"),
    ('{"grade": 3}\n{"grade": 2}', "ask for one JSON object and nothing else"),
    ('[{"grade": 3}]', ALONE),
    # a fence
    ('```json\n{"grade": 1}\n```', 1),
    ("```\nGrade: 3\n```\n", 3),
    ("```3```", 3),
    ("```json\n```", "the answer is empty"),
    ('Here it is:\n```json\n{"grade": 3}\n```', ALONE),
    ('```json\n{"grade": 3}', ALONE),
    ('```\n3\n```\n```\n2\n```', ALONE),
    # thoughts
    ("<think>\nIs it 1? No.\nGrade: 1\n</think>\n\n3", 3),
    ("<think></think>Grade: 2", 2),
    ("Hm. Grade: 1, or 2?\n</think>\n3", 3),
    ('<think>a</think>\n```json\n{"grade": 2}\n```', 2),
    ("<think>It may be 3", "the <think> block has no end"),
    ("<think>3</think>", "the answer is empty"),
    ("3\n<think>No.</think>\n2", "after the answer has begun"),
    ("<think>a</think>Grade: 3</think>2", "after the answer has begun"),
    # more than one grade, or a sentence
    ("Grade 3 would be wrong, so 1", ALONE),
    ("2-3", ALONE),
    ("2\u20133", ALONE),
    ("2 or 3", ALONE),
    ("2, 3", ALONE),
    ("1. The query asks for shoes.\n2. This is one.\n3", ALONE),
    ("1.\nThe query asks for shoes.\n2.\nThis is one.", TWO),
    ("3, as it is what they want", ALONE),
    ("3?", ALONE),
    ("3+", ALONE),
    ("3...", ALONE),
    ("three", ALONE),
    ("not 3", ALONE),
    ("not exact", ALONE),
    ("3 stars", ALONE),
    ("2,5", ALONE),
    ("[[3]]", ALONE),
    ("\u0663", ALONE),
    ("I cannot tell.", ALONE),
    ("", "the answer is empty"),
    ("M: 3\nT: 1\nO: 1", TWO),
    ("Grade: 3\nWait, it is a strap.\n**Grade: 1**", TWO),
    ("3\nIt is a strap, so the grade is 1.", TWO),
    ('3\n```json\n{"grade": 1}\n```', TWO),
    ("3\n- 2", TWO),
    ("3\nor 2", TWO),
    ("3\n(2)", TWO),
    ("3\n- 3\n- Orbit 2", 3),
    ("3\nThe grade is 3. Its price: 25", 3),
    ("Grade: exact\nWhy: it is a match, and the grade is a guess\nPages: 25", 3),
]  # fmt: skip


@pytest.mark.parametrize(("said", "expected"), ANSWERS, ids=range(len(ANSWERS)))
def test_a_text_is_a_grade_or_a_problem(
    said: str, expected: float | str | None
) -> None:
    answer = answer_of(said, NAMED)
    if not isinstance(expected, str):
        assert answer == Answer(grade=expected)
    else:
        assert answer.grade is None
        assert expected in answer.problem


@given(st.integers(0, 10), st.integers(0, 10), st.sampled_from(
    ["{} or {}", "{}-{}", "{}, {}", "{} {}", "{} ({})", "{}\n{}", "{}: {}", "{} < {}",
     "not {} but {}", "Grade {}: {}", "{} to {}", "<think>{}\n{}", "**{}** *{}*"]
))  # fmt: skip
def test_a_text_with_two_grades_has_no_grade(one: int, other: int, form: str) -> None:
    if one != other:
        assert answer_of(form.format(one, other), TEN).problem


SURROUNDING = st.tuples(
    st.sampled_from(["{}", "Grade: {}", "final score = {}"]),
    st.sampled_from(["{}", "{} (it is)"]),
    st.sampled_from(["{}", "**{}**", "`{}`", '"{}"']),
    st.sampled_from(["{}", "## {}", "{}."]),
    st.sampled_from(["{}", "```\n{}\n```", "{}\n\nWhy: so."]),
    st.sampled_from(["{}", "<think>2 or 3?</think>\n{}"]),
)
"""What stands around a grade, from the inside to the outside."""


@given(st.sampled_from(["0", "2", "3/3", "exact"]), SURROUNDING)
def test_what_may_surround_a_grade_may_stand_together(
    grade: str, surrounding: tuple[str, ...]
) -> None:
    text = grade
    for form in surrounding:
        text = form.format(text)
    assert answer_of(text, NAMED) == answer_of(grade, NAMED)
    assert answer_of(text, NAMED).grade is not None


@given(st.text() | st.text(alphabet="0123 -./()[]{}*`\"':=<>think\ngrade"))
def test_whatever_is_said_is_an_answer(said: str) -> None:
    answer = answer_of(said, NAMED)
    assert answer.grade is None or 0 <= answer.grade <= 3


@pytest.mark.parametrize(
    ("said", "grade"), [(1.0, 1), (3, 3), (("3/3", "why"), 3), (("exact", None), 3)]
)
def test_a_grade_is_a_number_or_a_text(said: object, grade: int) -> None:
    assert answer_of(said, NAMED).grade == grade


@pytest.mark.parametrize("said", [True, [3], {"grade": 3}, b"3"])
def test_any_other_value_is_a_problem(said: object) -> None:
    allowed = "0 (bad), 1 (related), 2 (it would do), 3 (exact)"
    assert (
        answer_of(said, NAMED).problem
        == f"a grade is one of {allowed}, or None for none"
    )


def test_a_problem_quotes_the_answer_without_its_thoughts() -> None:
    answer = answer_of("<think>Let me see.</think>\nmaybe 3", RANGED)
    assert answer.said == "'maybe 3'"


def test_a_grade_has_a_gain_in_the_case() -> None:
    assert "the gain mapping has no grade 2" in answer_of("Grade: 2", GAINS).problem
    assert "grade 51 is too high for exponential gain" in answer_of(51, CASE).problem


def test_without_a_scale_a_grade_is_a_number() -> None:
    assert answer_of("Grade: 7", CASE) == Answer(grade=7)
    assert "a grade is a number, or None" in answer_of("good", CASE).problem
    assert "write a scale in the case file" in answer_of("3/3", CASE).problem


def test_names_that_differ_in_capitals_alone_are_written_exactly() -> None:
    (case,) = parse_suite(
        b"{scale: {a: 0, A: 1}, cases: [{query: shoes, judgments: {x: 1}}]}",
        "shop.relevance.yaml",
    ).cases
    assert answer_of("Grade: A", case) == Answer(grade=1)
    assert answer_of("Grade: a", case) == Answer(grade=0)
