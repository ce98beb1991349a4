"""Expectations as a user meets them: in a run, in a record, and in a test in Python."""

from tests.plugin.conftest import Project


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
    assert run.counts == {"passed": 3}
    verdicts = {name: result.verdict for name, result in run.results.items()}
    assert verdicts == {"boots": "passed", "hats": "measured", "gloves": "measured"}
    printed = run.result.stdout.str()
    assert "nDCG@10 n/a, no judged document is relevant; P@2 n/a" in printed
    assert "shop.relevance.yaml:5: P@2 n/a" in printed
