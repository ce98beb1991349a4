"""Verdicts where results are unjudged, and where they are told. Which of the rules
decides when several apply is held by tests/results/test_scored.py.
"""

import pytest

from tests.plugin.conftest import Project

# Half or less of both rankings is judged, where all of it should be.
CASES = """
    scale: [0, 3]
    min_judged: 1
    cases:
      - {id: missed, query: x a, judgments: {a: 3}, min_ndcg: 0.7}
      - {id: met, query: a x y, judgments: {a: 3}, min_ndcg: 0.95}
"""
MODES = [
    ("fail", "failed", 1, ()),
    ("skip", "skipped", 0, ("-n1",)),
    ("pass", "passed", 0, ()),
]


@pytest.mark.parametrize(("mode", "outcome", "code", "workers"), MODES)
def test_inconclusive_is_told_from_failed_in_whatever_way_it_counts(
    project: Project, mode: str, outcome: str, code: int, workers: tuple[str, ...]
) -> None:
    project.conftest()
    project.cases(CASES)
    options = (f"--relevance-inconclusive={mode}", "--junitxml=junit.xml", "-rs")
    run = project.run(*options, *workers)
    assert set(run.outcomes.values()) == {outcome}
    assert run.code == code
    assert "2 inconclusive" in run.summary
    assert project.properties("met")["verdict"] == "inconclusive"
    if mode == "skip":
        said = "SKIPPED [1] shop.relevance.yaml:4: inconclusive: 1 of the top 2 judged"
        assert run.short_summary[0].startswith(said)


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
    assert (
        "nDCG@10 is not defined: no judged document is relevant; P@2 is not defined"
        in run.text
    )
    assert "shop.relevance.yaml:5: P@2 is not defined" in run.text
