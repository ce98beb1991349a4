"""Floors: which of them apply to a case, and those that no ranking could meet."""

from collections.abc import Sequence
from itertools import permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.floors import best_rankings, best_rankings_of_passages
from pytest_relevance.metrics.measures import MEASURES, Measure, score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.ndcg import GradedRanking, grade_passages
from pytest_relevance.metrics.settings import Settings
from tests.cases.conftest import mistakes, read, read_case

# Which floor applies


def test_an_inherited_floor_without_judgments() -> None:
    assert mistakes("min_ndcg: 0.5\ncases:\n  - query: a\n") == [
        "3:5: the suite's min_ndcg 0.5 applies to this case, which has no judgments; add judgments, or write "
        'min_ndcg: null (in case "a")'
    ]
    without = "min_ndcg: 0.5\ncases: [{query: a, min_ndcg: null}]"
    assert read_case(without).min_ndcg is None


@pytest.mark.parametrize("results", ["0", '"< 1"'])
@pytest.mark.parametrize("judgments", ["{}", "{x: 3}"])
def test_to_expect_no_results_takes_an_inherited_floor_away(
    results: str, judgments: str
) -> None:
    keys = f"judgments: {judgments}, expect: {{results: {results}}}"
    assert read_case(f"min_ndcg: 0.5\ncases: [{{query: a, {keys}}}]").min_ndcg is None


@pytest.mark.parametrize(
    "judgments", ["{x: 0}", "{x: 0, y: -1}", "{x: -0.5}", "{x: [0, 0]}"]
)
def test_a_case_without_relevant_documents(judgments: str) -> None:
    """A floor of its own is a mistake. One of the suite does not apply."""
    own = f"{{query: a, judgments: {judgments}, min_ndcg: 0.1}}"
    (found,) = mistakes(f"cases: [{own}]")
    assert found.endswith(
        "min_ndcg: no judged document has a gain above 0, so nDCG is not defined and no floor can hold; "
        'judge a relevant document, or take min_ndcg out (in case "a")'
    )
    cases = f"[{{query: a, judgments: {judgments}}}, {{query: b, judgments: {{x: 4}}}}]"
    suite = read(f"min_ndcg: 0.5\ncases: {cases}")
    assert [case.min_ndcg for case in suite.cases] == [None, 0.5]


def test_a_grade_above_0_may_have_no_gain() -> None:
    keys = "judgments: {x: 3}, gain: {3: 0, 4: 1}, min_ndcg: 0.1"
    (found,) = mistakes(f"cases: [{{query: a, {keys}}}]")
    assert "min_ndcg: no judged document has a gain above 0" in found


# Floors of metrics that no ranking could meet


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


def test_a_floor_of_the_suite_that_no_ranking_of_a_case_can_reach() -> None:
    text = "expect: {P@5: 0.6}\ncases:\n  - query: a\n    judgments: {x: 1}\n"
    assert mistakes(text) == [
        "3:5: expect.P@5: the suite's floor 0.6 of P@5 is above 0.2, the best that the judgments of the case allow; "
        'write P@5 under expect of the case, or judge more documents (in case "a")'
    ]


def test_a_floor_of_ndcg_above_the_best_of_the_whole_scale() -> None:
    keys = "judgments: {x: 3}, min_ndcg: 0.5, k: 2, gain: linear"
    text = f"scale: [0, 3]\nideal: max\ncases: [{{query: a, {keys}}}]"
    assert read_case(text).min_ndcg == 0.5
    (found,) = mistakes(text.replace("0.5", "0.7"))
    assert "min_ndcg: the floor 0.7 of nDCG@2 is above 0.6131, the best" in found


@pytest.mark.parametrize(
    ("judgments", "metric", "says"),
    [
        ("{}", "RR", "RR needs judgments, and the case has none; add judgments"),
        ("{x: 0}", "AP", "AP is not defined: no judged document is relevant; judge one 1 or higher"),
        ("{x: 0}", "R@10", "R@10 is not defined: no judged document is relevant; judge one 1 or higher"),
        ("{x: 2}", "AP(rel=3)", "AP(rel=3) is not defined: no judged document is relevant; judge one 3 or higher"),
        ("{x: 0}", "nDCG@5", "nDCG@5 is not defined: no judged document is relevant; judge one that is"),
    ],
)  # fmt: skip
def test_a_metric_that_is_not_defined(judgments: str, metric: str, says: str) -> None:
    keys = f"judgments: {judgments}, expect: {{{metric}: '<= 0.5'}}"
    (found,) = mistakes(f"cases: [{{query: a, {keys}}}]")
    assert f"expect.{metric}: {says}" in found


def test_negative_grades_and_gains_that_do_not_grow_lower_no_bound() -> None:
    """The best ranking leaves out what counts against it."""
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


def spellings(measure: Measure) -> list[str]:
    """The metrics of a measure with and without a cutoff, and with another level."""
    names = [measure.name]
    if "rel" in measure.parameters:
        names.append(f"{measure.name}(rel=2)")
    metrics = []
    for name in names:
        if measure.cutoff != "required":
            metrics.append(name)
        if measure.cutoff != "none":
            metrics.append(f"{name}@2")
    return metrics


METRICS = [metric for measure in MEASURES.values() for metric in spellings(measure)]
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
    one at either end.
    """
    measured = parse_metric(metric)

    def scored(ranking: Sequence[float | None]) -> float:
        graded = GradedRanking(list(ranking), (), grades)
        return score(measured, graded, convention)

    rankings = best_rankings(grades, convention)
    best = max(scored(ranking.grades) for ranking in rankings)
    for size in range(len(grades) + 1):
        for chosen in set(permutations(grades, size)):
            for ranking in ([*chosen], [None, *chosen], [*chosen, None]):
                found = scored(ranking)
                assert found != found or found <= best + 1e-12


def test_characters_need_texts() -> None:
    keys = "judgments: {x: 1}, expect: {characters@5: '<= 12000'}"
    (found,) = mistakes(f"cases: [{{query: a, {keys}}}]")
    assert "characters@5 looks at the texts of results, which only cases" in found


PASSAGE_METRICS = ["nDCG@2", "R@1", "All@1", "P@1", "P@2", "P", "RR", "CG@1", "DCG@2"]


@given(
    grades=st.lists(st.sampled_from([1, 2, 3]), min_size=1, max_size=3),
    held=st.lists(st.lists(st.integers(0, 2), unique=True), max_size=4),
    metric=st.sampled_from(PASSAGE_METRICS),
)
def test_no_ranking_of_passages_scores_better_than_the_best(
    grades: list[float], held: list[list[int]], metric: str
) -> None:
    measured, settings = parse_metric(metric), Settings()
    rankings = best_rankings_of_passages(grades)
    best = max(score(measured, ranking, settings) for ranking in rankings)
    known = [[passage for passage in each if passage < len(grades)] for each in held]
    found = score(measured, grade_passages(known, grades), settings)
    assert found <= best + 1e-12


# Floors of a suite that cannot hold some of its cases

TWO = "cases: [{query: a, judgments: {x: 0}}, {query: b, judgments: {x: 0}}]"


@pytest.mark.parametrize(
    ("suite", "place"),
    {
        f"min_ndcg: 0.8\n{TWO}": "1:11: min_ndcg",
        f"expect: {{Success@3: 1}}\n{TWO}": "1:21: expect.Success@3",
        f"min_ndcg: 0.8\ngain: {{0: 0, 3: 0}}\n{TWO.replace('x: 0', 'x: 3')}": "1:11: min_ndcg",
        f'min_ndcg: 0.8\nexpect: {{"R(rel=3)@5": 1}}\n{TWO.replace("x: 0", "x: 1")}': "2:24: expect.R(rel=3)@5",
        "expect: {P@5: 0.5}\ncases: [{query: a}, {query: b}]": "1:15: expect.P@5",
    }.items(),
    ids=["min_ndcg", "a metric", "a gain of 0", "a level", "no judgments"],
)
def test_a_floor_that_applies_to_no_case_is_a_mistake(suite: str, place: str) -> None:
    (mistake,) = mistakes(suite)
    assert mistake.startswith(f"{place}: the floor applies to no case")
    assert '("a" and "b")' in mistake


def test_a_floor_that_applies_to_some_cases_names_the_others() -> None:
    cases = "[{query: a, judgments: {x: 3}}, {query: b, judgments: {x: 0}}]"
    suite = read(f"min_ndcg: 0.8\nexpect: {{Success@3: 1}}\ncases: {cases}")
    of_ndcg, of_success = suite.without_floor
    assert of_ndcg == (
        "min_ndcg 0.8 of the suite does not apply to 1 of 2 cases without a "
        'relevant judgment: "b"'
    )
    assert of_success.startswith(
        "Success@3 of the suite does not apply to 1 of 2 cases"
    )


@pytest.mark.parametrize(
    "case",
    [
        "{query: b, judgments: {x: 0}, expect: {results: 0}}",
        "{query: b, judgments: {x: 0}, min_ndcg: null}",
        "{query: b, judgments: {x: 3}, min_ndcg: 0.5}",
    ],
    ids=["finds nothing", "no floor is meant", "a floor of its own"],
)
def test_a_case_without_the_floor_on_purpose_is_not_named(case: str) -> None:
    """Such a case alone is no mistake of the suite either."""
    assert read(f"min_ndcg: 0.8\ncases: [{case}]").without_floor == ()
