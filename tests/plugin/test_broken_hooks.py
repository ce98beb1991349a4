"""Hooks of a project that raise at the end of a run: nothing of the run is lost."""

from textwrap import dedent

import pytest

from tests.plugin.conftest import WORDS, Project

CASES = """
    cases:
      - {query: a b, judgments: {a: 1}, min_ndcg: 0.5}
"""


def broken(project: Project, hook: str, arguments: str) -> None:
    hook_text = f"def {hook}({arguments}):\n    1 / 0\n"
    project.conftest(f"{dedent(WORDS)}\n{hook_text}")
    project.cases(CASES)


def test_texts_that_cannot_be_added_are_a_warning(project: Project) -> None:
    broken(project, "pytest_relevance_complete", "config, results, files")
    run = project.run()
    (warning,) = run.sentences("the hook pytest_relevance_complete raised")
    assert "ZeroDivisionError" in warning
    assert "titles of documents may be missing" in warning
    assert run.code == pytest.ExitCode.OK


def test_a_section_that_cannot_be_made_is_named_before_the_summary(
    project: Project,
) -> None:
    broken(project, "pytest_relevance_summary", "run, detail")
    run = project.run()
    assert "the hook pytest_relevance_summary raised ZeroDivisionError" in run.text
    assert "1 case: 1 passed" in run.summary


def test_what_cannot_be_written_fails_the_run(project: Project) -> None:
    broken(project, "pytest_relevance_write", "run, config")
    run = project.run()
    (finding,) = run.sentences("the hook pytest_relevance_write raised")
    assert "files that options name may be missing" in finding
    assert run.code == pytest.ExitCode.TESTS_FAILED
