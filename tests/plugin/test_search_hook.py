"""The hook `pytest_relevance_search`, by which extensions and projects call the
searches of cases.
"""

from tests.plugin.conftest import Project

IN_PLACE_OF_A_CALL = """
    import pytest
    from pytest_relevance.extending import Searched
    from pytest_relevance.results.responses.ranking import Ranking

    @pytest.fixture
    def search():
        return ConnectionError

    def pytest_relevance_search(case_run):
        return {returned}
"""
CASE = """
    cases:
      - {query: shoes, judgments: {a: 1}, expect: {first: a}}
"""


def test_a_project_answers_in_place_of_the_search(project: Project) -> None:
    ranking = "Searched(rankings=[(Ranking(['a', 'b']), 0.5)])"
    project.conftest(IN_PLACE_OF_A_CALL.format(returned=ranking))
    project.cases(CASE)
    assert project.run().results["shoes"].call.latency == 0.5


def test_another_value_of_the_hook_is_an_error_of_the_case(project: Project) -> None:
    project.conftest(IN_PLACE_OF_A_CALL.format(returned="['a', 'b']"))
    project.cases(CASE)
    told = project.run().told("shoes")
    assert "the hook pytest_relevance_search returned ['a', 'b']" in told


def test_cases_are_searched_without_the_extension(project: Project) -> None:
    project.search("return lambda query: ['a', 'b']")
    project.cases(CASE)
    run = project.run("-p", "no:pytest_relevance.ext.concurrency.plugin")
    assert run.counts == {"passed": 1}
