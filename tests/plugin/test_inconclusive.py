"""Verdicts where results are unjudged, and where they are told. Which of the rules
decides when several apply is held by tests/results/test_scored.py.
"""

import pytest

from tests.plugin.conftest import Project

# Half or less of every ranking is judged, where all of it should be.
CASES = """
    scale: [0, 3]
    min_judged: 1
    cases:
      - {id: error, query: boom x, judgments: {a: 3}, min_ndcg: 0.9}
      - {id: expectation, query: x a, judgments: {a: 3}, min_ndcg: 0.7, expect: {results: 7}}
      - {id: wholly below, query: n x, judgments: {n: 0, b: 3, c: 3}, min_ndcg: 0.9}
      - {id: wholly above, query: a x, judgments: {a: 3}, min_ndcg: 0.9}
      - {id: too few and missed, query: x a, judgments: {a: 3}, min_ndcg: 0.7}
      - {id: too few and met, query: a x y, judgments: {a: 3}, min_ndcg: 0.95}
      - {id: enough, query: x a, judgments: {a: 3}, min_ndcg: 0.7, min_judged: 0.5}
      - {id: nothing is expected, query: x a, judgments: {a: 3}}
"""
VERDICTS = {
    "error": "error",
    "expectation": "failed",
    "wholly below": "failed",
    "wholly above": "passed",
    "too few and missed": "inconclusive",
    "too few and met": "inconclusive",
    "enough": "failed",
    "nothing is expected": "measured",
}
MODES = [
    ("fail", "failed", 1, ()),
    ("skip", "skipped", 0, ("-n1",)),
    ("pass", "passed", 0, ()),
]


@pytest.fixture
def shop(project: Project) -> Project:
    project.search('return lambda query: 1 / ("boom" not in query) and query.split()')
    project.cases(CASES)
    return project


@pytest.mark.parametrize(("mode", "outcome", "code", "workers"), MODES)
def test_inconclusive_is_told_from_failed_in_whatever_way_it_counts(
    shop: Project, mode: str, outcome: str, code: int, workers: tuple[str, ...]
) -> None:
    run = shop.run(f"--relevance-inconclusive={mode}", "-rs", "-k", "few", *workers)
    assert set(run.outcomes.values()) == {outcome}
    assert run.code == code
    assert "2 inconclusive" in run.summary
    if mode == "skip":
        said = "SKIPPED [1] shop.relevance.yaml:8: inconclusive: 1 of the top 2 judged"
        assert run.short_summary[0].startswith(said)


@pytest.mark.parametrize("mode", ["fail", "skip"])
def test_results_and_junit_have_the_verdicts_in_whatever_way_they_count(
    shop: Project, mode: str
) -> None:
    run = shop.run(f"--relevance-inconclusive={mode}", "--junitxml=junit.xml")
    assert {name: entry.verdict for name, entry in run.results.items()} == VERDICTS
    assert (
        "1 passed, 3 failed, 1 error, 2 inconclusive, 1 without a floor" in run.summary
    )
    for name, verdict in VERDICTS.items():
        assert shop.properties(name)["verdict"] == verdict


def test_a_metric_of_the_suite_that_does_not_apply_is_shown(project: Project) -> None:
    project.conftest()
    project.cases(
        """
        expect: {P@2: 0.5}
        cases:
          - {query: boots, judgments: {boots: 1}}
          - {query: hats, judgments: {socks: 0}}
          - {query: gloves}
        """
    )
    run = project.run("-vv")
    verdicts = {name: result.verdict for name, result in run.results.items()}
    assert verdicts == {"boots": "passed", "hats": "measured", "gloves": "measured"}
    assert "nDCG@10 n/a, no judged document is relevant; P@2 n/a" in run.text
    assert "shop.relevance.yaml:5: P@2 n/a" in run.text
