"""What keys say together: which floor applies, and the floors and expectations that no
ranking could meet.
"""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.floors import best_rankings
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from tests.cases.conftest import mistakes, read, read_case


def test_an_inherited_floor_without_judgments() -> None:
    assert mistakes("min_ndcg: 0.5\ncases:\n  - query: a\n") == [
        "3:5: the suite's min_ndcg 0.5 applies to this case, which has no judgments; add judgments, or write "
        'min_ndcg: null (in case "a")'
    ]
    assert (
        read_case("min_ndcg: 0.5\ncases: [{query: a, min_ndcg: null}]").min_ndcg is None
    )


@pytest.mark.parametrize("results", ["0", '"< 1"'])
@pytest.mark.parametrize("judgments", ["{}", "{x: 3}"])
def test_to_expect_no_results_takes_an_inherited_floor_away(
    results: str, judgments: str
) -> None:
    found = read_case(
        f"""
        min_ndcg: 0.5
        cases:
          - query: a
            judgments: {judgments}
            expect: {{results: {results}}}
        """
    )
    assert found.min_ndcg is None


WITHOUT_GAIN = ["{x: 0}", "{x: 0, y: -1}", "{x: -0.5}", "{x: [0, 0]}"]


@pytest.mark.parametrize("judgments", WITHOUT_GAIN)
def test_a_floor_of_a_case_without_relevant_documents_is_a_mistake(
    judgments: str,
) -> None:
    (found,) = mistakes(f"cases: [{{query: a, judgments: {judgments}, min_ndcg: 0.1}}]")
    assert found.endswith(
        "min_ndcg: no judged document has a gain above 0, so nDCG is not defined and no floor can hold; "
        'judge a relevant document, or take min_ndcg out (in case "a")'
    )


@pytest.mark.parametrize("judgments", WITHOUT_GAIN)
def test_a_floor_of_the_suite_does_not_apply_to_a_case_without_relevant_documents(
    judgments: str,
) -> None:
    suite = read(
        f"""
        min_ndcg: 0.5
        cases:
          - {{query: a, judgments: {judgments}}}
          - {{query: b, judgments: {{x: 4}}}}
        """
    )
    assert [case.min_ndcg for case in suite.cases] == [None, 0.5]


def test_a_grade_above_0_may_have_no_gain() -> None:
    keys = "judgments: {x: 3}, gain: {3: 0, 4: 1}, min_ndcg: 0.1"
    (found,) = mistakes(f"cases: [{{query: a, {keys}}}]")
    assert "min_ndcg: no judged document has a gain above 0" in found


def judged_with(floor: str) -> str:
    """A case with two relevant documents and a floor of P@5."""
    return f"""
        cases:
          - query: a
            judgments: {{x: 3, y: 1, z: 0}}
            expect: {{P@5: {floor}}}
        """


@pytest.mark.parametrize(
    ("floor", "bound"), {"0.6": 0.6, '"> 0.4"': 0.4, '"== 0.6"': 0.6}.items()
)
def test_a_floor_above_the_best_precision(floor: str, bound: float) -> None:
    assert mistakes(judged_with(floor)) == [
        f"5:19: expect.P@5: the floor {bound} of P@5 is above 0.4, the best that the judgments of the case allow; "
        'lower it, or judge more documents (in case "a")'
    ]


@pytest.mark.parametrize(
    "floor", ["0.4", '">= 0.4"', '"<= 0.6"', '"< 0.6"', '"== 0.4"']
)
def test_a_floor_that_the_best_precision_meets(floor: str) -> None:
    assert read_case(judged_with(floor)).expect


def test_a_floor_of_a_metric_without_judgments() -> None:
    assert mistakes("cases:\n  - {query: a, expect: {RR: 0.5, first: x}}\n") == [
        '2:29: expect.RR: RR needs judgments, and the case has none; add judgments (in case "a")'
    ]


@pytest.mark.parametrize(
    ("metric", "cure"),
    {
        "AP": "judge one 1 or higher",
        "R@10": "judge one 1 or higher",
        "AP(rel=3)": "judge one 3 or higher",
        "nDCG@5": "judge one that is",
    }.items(),
)
def test_a_floor_of_a_metric_that_is_not_defined(metric: str, cure: str) -> None:
    grade = 2 if "rel" in metric else 0
    (found,) = mistakes(
        f"cases: [{{query: a, judgments: {{x: {grade}}}, expect: {{{metric}: '<= 0.5'}}}}]"
    )
    assert (
        f"{metric} is not defined, as no judged document is relevant; {cure}" in found
    )


def test_negative_grades_and_gains_that_do_not_grow_lower_no_bound() -> None:
    """The best ranking leaves out what counts against it, and is ordered by what
    counts.
    """
    best = read_case(
        """
        gain: {-1: -5, 0: 0, 1: 5, 2: 1}
        ideal: max
        cases:
          - query: a
            judgments: {u: -1, v: 0, x: 1, y: 2}
            expect: {DCG@10: 5.6, nDCG: 1, P(rel=2)@1: 1, CG@10: 3, Judged@4: 1, AP(rel=2): 1}
        """
    )
    assert len(best.expect) == 6


GRADES = st.lists(st.sampled_from([-1, 0, 1, 2, 3]), min_size=1, max_size=4)
METRICS = [
    "nDCG@2",
    "nDCG",
    "DCG@2",
    "CG@3",
    "P(rel=2)@2",
    "R@2",
    "AP",
    "RR(rel=2)",
    "ERR@3",
    "RBP",
    "Judged@3",
]
METRICS += ["P", "P(rel=2)", "Success(rel=3)@1", "Bpref", "Rprec", "infAP"]
ALL_SETTINGS = st.builds(
    Settings,
    gain=st.sampled_from(["exponential", "linear", {-1: 2, 0: 0, 1: 5, 2: -1, 3: 3}]),
    ideal=st.sampled_from(["judged", "returned", "max"]),
    unjudged=st.sampled_from(["zero", "skip"]),
    negative=st.sampled_from(["keep", "zero"]),
    max_grade=st.just(3),
)


@given(grades=GRADES, metric=st.sampled_from(METRICS), convention=ALL_SETTINGS)
def test_no_ranking_of_the_judged_documents_scores_better_than_the_best(
    grades: list[int], metric: str, convention: Settings
) -> None:
    """Every order of every part of the judged documents, with and without an unjudged
    one, at every place.
    """
    measured = parse_metric(metric)

    def scored(ranking: list[float | None]) -> float:
        return score(measured, GradedRanking(ranking, (), grades), convention)

    best = [
        scored(list(ranking.grades)) for ranking in best_rankings(grades, convention)
    ]
    for size in range(len(grades) + 1):
        for chosen in set(permutations(grades, size)):
            for holes in ([], [0], [size]):
                ranking: list[float | None] = list(chosen)
                for hole in holes:
                    ranking.insert(hole, None)
                found = scored(ranking)
                assert found != found or found <= max(best) + 1e-12
