"""pytest-testmon does not see changes of judgments, so that case files are refused
while it chooses the tests.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.helpers import only_plugins

if TYPE_CHECKING:
    from tests.plugin.conftest import Project

SUITE = "judgments: judgments.csv\nmin_ndcg: 0.5\ncases: [{query: a}]\n"
REFUSED = "pytest-testmon is active, and it does not see changes to judgments"

STANDS_IN = """
import pytest

class Select:
    def pytest_ignore_collect(self, collection_path, config):
        return True if collection_path.suffix == ".yaml" else None

class Settings:
    select = {select}

def pytest_configure(config):
    config.testmon_config = Settings()
    config.pluginmanager.register(Select(), "TestmonSelect")

@pytest.fixture
def search():
    return lambda query: query.split()
"""
"""A conftest.py with what pytest-testmon does to a file that it has seen and that has
not changed.
"""


def test_a_case_file_that_would_be_left_out_is_an_error(project: Project) -> None:
    project.write("judgments.csv", "query,doc_id,grade\na,b,1\n")
    project.cases(SUITE)
    project.conftest(STANDS_IN.format(select=True))
    run = project.run()
    assert run.counts == {"errors": 1}
    assert REFUSED in " ".join(run.text.split())


def test_a_plugin_that_sorts_only_changes_nothing(project: Project) -> None:
    project.write("judgments.csv", "query,doc_id,grade\na,a,1\n")
    project.cases(SUITE)
    sorts = STANDS_IN.format(select=False).replace('".yaml"', '".none"')
    project.conftest(sorts)
    assert project.run().counts == {"passed": 1}


@pytest.mark.engines
def test_changed_judgments_do_not_pass_under_pytest_testmon(project: Project) -> None:
    pytest.importorskip("testmon")
    plugins = only_plugins("pytest-testmon")
    project.write("judgments.csv", "query,doc_id,grade\na,a,1\n")
    project.cases(SUITE)
    project.conftest()
    run = project.pytester.runpytest_subprocess
    run(*plugins, "--testmon", "--testmon-noselect").assert_outcomes(passed=1)
    project.write("judgments.csv", "query,doc_id,grade\na,b,1\n")
    after = run(*plugins, "--testmon")
    after.assert_outcomes(errors=1)
    after.stdout.fnmatch_lines([f"{REFUSED}*"])
