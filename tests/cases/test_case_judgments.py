"""Judgments in a case: numbers, names of the scale, several ratings, the long form; and
what is not a grade.
"""

import pytest

from tests.cases.conftest import mistakes, read, read_case


def test_a_grade_is_a_number() -> None:
    found = read_case(
        "cases: [{query: a, judgments: {a: 3, b: 0, c: 0.5, d: -1, e: 2.0}}]"
    )
    assert found.judgments == {"a": 3, "b": 0, "c": 0.5, "d": -1, "e": 2.0}
    assert list(found.judgments) == ["a", "b", "c", "d", "e"]


def test_a_grade_is_a_name_of_the_scale() -> None:
    found = read_case(
        """
        scale: {exact: 3, no: 0, true: 1, null: -1}
        cases:
          - query: a
            judgments: {a: exact, b: no, c: "no", d: true, e: null, f: 2}
        """
    )
    assert found.judgments == {"a": 3, "b": 0, "c": 0, "d": 1, "e": -1, "f": 2}


@pytest.mark.parametrize(
    ("raters", "ratings", "grade"),
    [
        ("median", "[0, 1, 3]", 1),
        ("median", "[0, 1]", 0.5),
        ("median", "[2]", 2),
        ("mean", "[1, 1, 4]", 2),
        ("median", "[bad, good, good]", 2),
        ("mean", "[bad, 2.0]", 1.0),
    ],
)
def test_several_ratings_become_one_grade(
    raters: str, ratings: str, grade: float
) -> None:
    suite = read(
        "scale: {good: 2, bad: 0, best: 4}\n"
        "cases:\n"
        f"  - {{query: a, raters: {raters}, judgments: {{x: {ratings}}}}}\n"
        f"  - {{query: b, raters: {raters}, judgments: {{x: {{grade: {ratings}}}}}}}\n"
    )
    assert [case.judgments["x"] for case in suite.cases] == [grade, grade]
    assert all(type(case.judgments["x"]) is type(grade) for case in suite.cases)


def test_the_long_form_has_a_title_and_a_note() -> None:
    found = read_case(
        """
        cases:
          - query: a
            judgments:
              x: {grade: 3, title: 007, note: no}
              y: {grade: 0}
              z: 1
        """
    )
    assert found.judgments == {"x": 3, "y": 0, "z": 1}
    assert found.titles == {"x": "007"}
    assert found.notes == {"x": "no"}


@pytest.mark.parametrize(
    ("written", "message"),
    {
        "4": "judgments.x: grade 4 is off the scale, which is 0 to 3",
        '"3"': 'judgments.x: the grade "3" is in quotes, which make it text; write 3',
        "'007'": 'judgments.x: the grade "007" is not a number',
        "exact": 'judgments.x: the grade "exact" is not a number',
        "1e1": 'judgments.x: the grade "1e1" is not a number',
        "": (
            'judgments.x: the document has no grade; write it after a colon and a blank ("sku-1: 3"), or leave the '
            "document out if nobody judged it"
        ),
        "[]": "judgments.x: the list of ratings is empty; leave the document out if nobody rated it",
        "[0, 9]": "judgments.x[1]: grade 9 is off the scale, which is 0 to 3",
        "[[1]]": "judgments.x[0]: a grade is a finite number or a name of the scale, found the list [1]",
        "2,5": 'judgments.x: the grade "2,5" has a decimal comma; write 2.5',
        "90%": 'judgments.x: the grade "90%" has a percent sign; write the number alone',
        "{title: Shoe}": "judgments.x: the judgment has no grade; write {grade: ...}",
        "{grade: 9}": "judgments.x.grade: grade 9 is off the scale, which is 0 to 3",
        "{grade: [0, 9]}": "judgments.x.grade[1]: grade 9 is off the scale, which is 0 to 3",
        "{grade: {grade: 1}}": "judgments.x.grade: a grade is a finite number or a name of the scale, found the map",
        "{grade: 1, title: [a]}": "judgments.x.title: expected text, found the list ['a']",
        "{grade: 1, titel: a}": 'judgments.x: unknown key "titel"; a judgment has grade, title and note; did you',
    }.items(),
)
def test_what_is_no_grade(written: str, message: str) -> None:
    (found,) = mistakes(
        f"scale: [0, 3]\ncases:\n  - query: a\n    judgments:\n      y: 1\n      x: {written}\n"
    )
    assert found.startswith("6:")
    assert found.partition(": ")[2].startswith(message)
    assert found.endswith('(in case "a")')


@pytest.mark.parametrize("empty", ["{}", "{ }"])
def test_empty_judgments_are_none_at_all(empty: str) -> None:
    assert read_case(f"cases: [{{query: a, judgments: {empty}}}]").judgments == {}
    (found,) = mistakes(f"cases: [{{query: a, judgments: {empty}, min_ndcg: 0.5}}]")
    assert "a floor needs judgments, and the case has none" in found


@pytest.mark.parametrize(("written", "found"), [("", "nothing"), ("3", "3")])
def test_judgments_are_pairs_or_a_file(written: str, found: str) -> None:
    (line,) = mistakes(f"cases:\n  - query: a\n    judgments: {written}\n")
    assert line.partition(": ")[2] == (
        f"judgments: expected document: grade pairs or a judgment file, found {found}; write {{}} if there are none "
        '(in case "a")'
    )


@pytest.mark.parametrize(
    ("gain", "grade", "message"),
    [
        ("exponential", "51", "grade 51 is too high for exponential gain (2^grade - 1): at most 50 is allowed; use"),
        ("{0: 0, 3: 7}", "2", "the gain mapping has no grade 2; it has 0, 3"),
    ],
)  # fmt: skip
def test_each_grade_without_a_gain_is_reported(
    gain: str, grade: str, message: str
) -> None:
    judged = f"{{query: a, judgments: {{x: {grade}, y: 3, z: {grade}}}}}"
    cases = f"cases:\n  - {judged}\n  - {{query: b, judgments: {{y: 3}}}}\n"
    of_x, of_z = mistakes(f"gain: {gain}\n{cases}")
    assert f" judgments.x: {message}" in of_x
    assert f" judgments.z: {message}" in of_z


def test_a_scale_too_high_for_the_gain_points_at_where_the_case_departs_from_its_suite() -> (
    None
):
    (found,) = mistakes(
        "scale: [0, 60]\ngain: linear\ncases:\n  - query: a\n    gain: exponential\n"
    )
    assert found.startswith(
        "5:11: gain: with gain: exponential (2^grade - 1) the highest grade may be 50, found 60"
    )
    (found,) = mistakes("cases:\n  - query: a\n    scale: [0, 60]\n")
    assert found.startswith("3:12: scale: with gain: exponential")


# A text that is a list


@pytest.mark.parametrize(
    ("key", "text"),
    [
        ("relevant", "sku-1, sku-2"),
        ("relevant", "a.pdf;b.pdf"),
        ("expect", "{exclude: 'sku-1,sku-2'}"),
        ("expect", "{first: sku-1|sku-2}"),
    ],
)
def test_a_list_of_documents_that_is_written_as_text(key: str, text: str) -> None:
    (found,) = mistakes(f"cases:\n  - query: boots\n    {key}: {text}\n")
    assert "seems to be a list of documents; write [" in found


@pytest.mark.parametrize("text", ["Paris, Texas", "1,5", "['sku-1, sku-2']"])
def test_an_id_that_looks_like_a_list(text: str) -> None:
    (document,) = read_case(
        f"cases:\n  - query: boots\n    relevant: {text}\n"
    ).judgments
    assert document == text.strip("[]'")
