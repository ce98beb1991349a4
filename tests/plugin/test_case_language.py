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


def test_a_test_in_python_names_expectations_by_themselves(project: Project) -> None:
    project.test(
        'relevance.check("boots", ["a", "b", 7], within={"a": 1, 7: "== 3", "c": ">10"}, order=[["a", "b"], [7, "z"]])',
        'relevance.check("boots", ["a", 7], first="a", include={"docs": [7], "within": 2}, results=2, exclude=[9])',
        'relevance.check("boots", ["a", "x"], relevant=["a"], expect={"P": 0.5, "within": {"a": 1}}, first="a")',
        "with pytest.raises(pytest.fail.Exception, match='within: \"b\" .at rank 2. is not in the top 1'):",
        '    relevance.check("boots", ["a", "b"], within={"b": 1})',
    )
    assert project.run().counts == {"passed": 1}


def test_a_test_in_python_is_told_what_is_wrong(project: Project) -> None:
    project.test('relevance.check("boots", ["a"], first="a", expect={"first": "b"})')
    message = "relevance.check: first is given by itself and in expect; keep one of"
    assert message in project.run().result.stdout.str()
