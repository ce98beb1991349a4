"""Loading the plugin by name, where pytest loads no installed plugin by itself."""

import pytest

from tests.plugin.conftest import WORDS, Project


@pytest.fixture
def without_installed_plugins(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project.conftest()
    project.cases("cases: [{query: boots, expect: {first: shoes}}]")


@pytest.mark.usefixtures("without_installed_plugins")
@pytest.mark.parametrize(
    "name", ["pytest_relevance", "pytest_relevance.plugin", "relevance"]
)
def test_every_name_of_the_package_loads_the_plugin(
    project: Project, name: str
) -> None:
    run = project.run_apart("-p", name, "--relevance-record=run.jsonl")
    assert "FAILED shop.relevance.yaml::boots" in run.text
    assert (project.path / "run.jsonl").is_file()


@pytest.mark.usefixtures("without_installed_plugins")
def test_a_conftest_may_name_the_package(project: Project) -> None:
    project.conftest(f'    pytest_plugins = ["pytest_relevance"]\n{WORDS}')
    run = project.run_apart("--relevance-record=run.jsonl")
    assert "FAILED shop.relevance.yaml::boots" in run.text


def test_the_name_of_the_package_does_no_harm_where_pytest_loads_the_plugin_itself(
    project: Project,
) -> None:
    project.conftest()
    project.cases("cases: [{query: boots, expect: {first: boots}}]")
    assert "1 passed" in project.run_apart("-p", "pytest_relevance").text


@pytest.mark.parametrize("extension", ["html", "judging", "markdown"])
def test_a_run_does_without_an_extension(project: Project, extension: str) -> None:
    project.conftest()
    project.cases("cases: [{query: boots, expect: {first: boots}}]")
    blocked = f"no:pytest_relevance.ext.{extension}.plugin"
    run = project.run("-p", blocked, "--relevance-record=run.jsonl")
    assert (run.code, len(run.results)) == (0, 1)
