"""What keys say together: which floor applies, and the floors and expectations that no ranking could meet."""

from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.reachable import best_rankings
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import GradedRanking
from pytest_relevance.metrics.settings import Settings
from tests.cases.conftest import Mistakes, Read, ReadCase


def test_an_inherited_floor_without_judgments(
    mistakes: Mistakes, case: ReadCase
) -> None:
    assert mistakes("min_ndcg: 0.5\ncases:\n  - query: a\n") == [
        "3:5: the suite's min_ndcg 0.5 applies to this case, which has no judgments; add judgments, or write "
        'min_ndcg: null (in case "a")'
    ]
    assert case("min_ndcg: 0.5\ncases: [{query: a, min_ndcg: null}]").min_ndcg is None


@pytest.mark.parametrize("results", ["0", '"< 1"'])
def test_to_expect_no_results_takes_an_inherited_floor_away(
    case: ReadCase, results: str
) -> None:
    assert (
        case(
            f"min_ndcg: 0.5\ncases: [{{query: a, expect: {{results: {results}}}}}]"
        ).min_ndcg
        is None
    )
    judged = case(
        f"min_ndcg: 0.5\ncases: [{{query: a, judgments: {{x: 3}}, expect: {{results: {results}}}}}]"
    )
    assert judged.min_ndcg is None


@pytest.mark.parametrize(
    "judgments",
    [
        "{x: 0}",
        "{x: 0, y: -1}",
        "{x: -0.5}",
        "{x: [0, 0]}",
        "{x: 3}\n    gain: {3: 0, 4: 1}",
    ],
)
def test_floors_where_no_document_is_relevant(
    mistakes: Mistakes, read: Read, judgments: str
) -> None:
    """nDCG is not defined there: a floor written for the case is a mistake, an inherited one does not apply.

    An inherited floor that applies to no case at all is a mistake of the suite.
    """
    text = f"cases:\n  - query: a\n    judgments: {judgments}\n"
    (found,) = mistakes(f"{text}    min_ndcg: 0.1\n")
    assert found.endswith(
        "min_ndcg: no judged document has a gain above 0, so nDCG is not defined and no floor can hold; "
        'judge a relevant document, or take min_ndcg out (in case "a")'
    )
    (found,) = mistakes(f"min_ndcg: 0.5\n{text}")
    assert found.startswith("1:11: min_ndcg: it applies to no case")
    suite = f"min_ndcg: 0.5\n{text}  - {{query: b, judgments: {{x: 4}}}}\n"
    assert [each.min_ndcg for each in read(suite).cases] == [None, 0.5]


def test_a_floor_above_the_best_precision(mistakes: Mistakes, case: ReadCase) -> None:
    text = "cases:\n  - query: a\n    judgments: {x: 3, y: 1, z: 0}\n    expect: {P@5: %s}\n"
    assert mistakes(text % "0.6") == [
        "4:19: expect.P@5: the floor 0.6 of P@5 is above 0.4, the best that the judgments of the case allow; "
        'lower it, or judge more documents (in case "a")'
    ]
    assert mistakes(text % '"> 0.4"')[0].startswith(
        "4:19: expect.P@5: the floor 0.4 of P@5 is above 0.4"
    )
    assert mistakes(text % '"== 0.6"')[0].startswith(
        "4:19: expect.P@5: the floor 0.6 of P@5 is above 0.4"
    )
    for fitting in ("0.4", '">= 0.4"', '"<= 0.6"', '"< 0.6"', '"== 0.4"'):
        assert case(text % fitting).expect


def test_a_floor_of_a_metric_without_judgments(mistakes: Mistakes) -> None:
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
def test_a_floor_of_a_metric_that_is_not_defined(
    mistakes: Mistakes, metric: str, cure: str
) -> None:
    grade = 2 if "rel" in metric else 0
    (found,) = mistakes(
        f"cases: [{{query: a, judgments: {{x: {grade}}}, expect: {{{metric}: '<= 0.5'}}}}]"
    )
    assert (
        f"{metric} is not defined, as no judged document is relevant; {cure}" in found
    )


def test_negative_grades_and_gains_that_do_not_grow_lower_no_bound(
    case: ReadCase,
) -> None:
    """The best ranking leaves out what counts against it, and is ordered by what counts."""
    best = case(
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
    """Every order of every part of the judged documents, with and without an unjudged one, at every place."""
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
