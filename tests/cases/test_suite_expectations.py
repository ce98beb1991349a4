"""`expect:` of a suite, which holds for each of its cases, and `relevant:`, the short
form of judgments.
"""

import pytest

from pytest_relevance import Case
from tests.cases.conftest import Shop, mistakes, read, read_case


def expected_of(case: Case) -> list[str]:
    """What a case expects: `P@5 >= 0.4`, `include x`."""
    texts = []
    for expected in case.expect:
        rest = " ".join(expected.documents)
        if not rest:
            rest = f"{expected.comparison} {expected.bound:g}"
        texts.append(f"{expected.name} {rest}")
    return texts


def test_a_case_adds_its_own_expectations_and_replaces_those_of_the_same_name() -> None:
    suite = read(
        """
        expect: {P@5: 0.2, results: ">= 1", include: [x, y]}
        cases:
          - {query: a, judgments: {x: 1}}
          - {query: b, judgments: {x: 1}, expect: {RR: 0.5, precision@5: 0.1}}
          - {query: c, judgments: {x: 1}, expect: {include: z, results: 3}}
        """
    )
    assert [expected_of(case) for case in suite.cases] == [
        ["P@5 >= 0.2", "results >= 1", "include x y"],
        ["results >= 1", "include x y", "RR >= 0.5", "P@5 >= 0.1"],
        ["P@5 >= 0.2", "include z", "results == 3"],
    ]


def test_null_takes_an_expectation_of_the_suite_away() -> None:
    suite = read(
        """
        expect: {P@5: 0.2, results: ">= 1", latency: 1 s, within: {x: 3}, RR: 0.5}
        cases:
          - query: a
            judgments: {x: 1}
            expect: {P@5: null, results: null, latency: null, within: null, mrr: null}
        """
    )
    assert suite.cases[0].expect == ()
    (found,) = mistakes(
        "expect: {P@5: 0.2}\ncases: [{query: a, judgments: {x: 1}, expect: {P@10: null}}]"
    )
    assert "expect.P@10: expected a number from 0 to 1, found nothing" in found


@pytest.mark.parametrize(
    ("judgments", "expected", "not_applicable"),
    [
        ("{x: 2}", "Success@3 nDCG@5 P(rel=2)@5 Judged@3 include", ""),
        ("{x: 1}", "Success@3 nDCG@5 Judged@3 include", "P(rel=2)@5"),
        ("{x: 0}", "Judged@3 include", "Success@3 nDCG@5 P(rel=2)@5"),
        ("{}", "include", "Success@3 nDCG@5 P(rel=2)@5 Judged@3"),
    ],
)
def test_a_metric_of_the_suite_does_not_apply_to_a_case_without_relevant_judgments(
    judgments: str, expected: str, not_applicable: str
) -> None:
    metrics = "Success@3: 1, nDCG@5: 0.1, P(rel=2)@5: 0.2, Judged@3: 0.1"
    other = "{query: other, judgments: {x: 2}}"
    found, _ = read(
        f"""
        expect: {{{metrics}, include: x}}
        cases: [{{query: a, judgments: {judgments}}}, {other}]
        """
    ).cases
    assert [each.name for each in found.expect] == expected.split()
    left_out = [metric.text for metric in found.not_applicable]
    assert left_out == not_applicable.split()


def test_a_metric_of_the_suite_does_not_apply_to_a_case_that_must_find_nothing() -> (
    None
):
    found = read_case(
        "expect: {R@10: 0.5}\ncases: [{query: a, judgments: {x: 1}, expect: {results: 0}}]"
    )
    assert expected_of(found) == ["results == 0"]


# `relevant`


@pytest.mark.parametrize(
    ("keys", "judgments"),
    [
        ("relevant: [x, 007, no]", {"x": 1, "007": 1, "no": 1}),
        ("relevant: x", {"x": 1}),
        ("relevant: [x], judgments: {y: 3, z: 0}", {"x": 1, "y": 3, "z": 0}),
    ],
)
def test_relevant_documents_have_the_grade_1(
    keys: str, judgments: dict[str, float]
) -> None:
    found = read_case(
        f"cases: [{{query: a, {keys}, min_ndcg: 0.5, expect: {{Success@3: 1}}}}]"
    )
    assert found.judgments == judgments
    assert found.min_ndcg == 0.5


@pytest.mark.parametrize(
    ("keys", "message"),
    {
        "relevant: [x, y, x]": '2:31: relevant[2]: "x" stands twice; keep one of them',
        "judgments: {y: 3}, relevant: [x, y]": 'relevant[1]: document "y" is judged twice, 1 here and 3 under judgme',
        "scale: [2, 3], relevant: [x]": "relevant documents have grade 1, and grade 1 is off the scale, which is 2 t",
    }.items(),
)
def test_what_is_wrong_with_relevant_documents(keys: str, message: str) -> None:
    (found,) = mistakes(f"cases:\n- {{query: a, {keys}}}")
    assert message in found


def test_relevant_documents_and_files_of_judgments(shop: Shop) -> None:
    shop.write("qrels.csv", "query,doc,grade\na,x,3\na,y,2\nb,z,1\n")
    assert shop.judgments(
        """
        judgments: qrels.csv
        cases:
          - {query: a, relevant: [x, new]}
          - {query: b}
          - {query: not in the file, relevant: z}
        """
    ) == {"a": {"x": 1, "y": 2, "new": 1}, "b": {"z": 1}, "not in the file": {"z": 1}}
    assert shop.mistakes(
        "cases: [{query: a, relevant: [new, x], judgments: qrels.csv}]"
    ) == [
        'shop.yaml:1:36: relevant[1]: document "x" is judged twice, 1 here and 3 under judgments; keep one of them '
        '(in case "a")'
    ]
