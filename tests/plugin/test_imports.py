"""What a run imports: nothing heavy unless something needs it."""

import subprocess
import sys
from typing import Any

import pytest

from tests.plugin.conftest import Project

REPORTS = ("--relevance-html=run.html", "--relevance-markdown=run.md")
PARTS_OF_RUNS = tuple(
    f"pytest_relevance.{name}"
    for name in (
        "cases",
        "judgments",
        "metrics",
        "reports",
        "results",
        "plugin.running",
    )
)
HEAVY = {"yaml", "numpy", "pandas", "asyncio"}
SCRIPT = """
    import sys
    import pdb  # which pytest imports; since Python 3.14 it imports asyncio
    import pytest

    before = {*sys.modules}
    code = pytest.main(sys.argv[1:])
    assert code == 0, code
    print("imported:", *sorted({*sys.modules} - before))
"""


def modules_of(*args: str, **options: Any) -> set[str]:
    """The modules that Python with these arguments prints in its last line."""
    command = [sys.executable, *args]
    found = subprocess.run(
        command, capture_output=True, text=True, check=True, **options
    )
    modules = {*found.stdout.rpartition("imported:")[2].split()}
    assert "pytest_relevance.plugin" in modules
    return modules


def imported(project: Project, *args: str) -> set[str]:
    """The modules that a run of pytest imports, with this project's plugins alone, as
    others import what they like. It must pass.
    """
    script = project.write("run_pytest.py", SCRIPT)
    alone = ("--disable-plugin-autoload", "-p", "pytest_relevance.plugin")
    args = (str(script), "-p", "no:cacheprovider", *alone, *args)
    return modules_of(*args, cwd=project.path)


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, pytest_relevance, pytest_relevance.plugin; print(*sys.modules)"
    assert not modules_of("-c", code) & {"yaml", "numpy", "pandas"}


def test_an_empty_test_imports_none_of_it(project: Project) -> None:
    project.write("test_empty.py", "def test_empty():\n    pass\n")
    modules = imported(project)
    assert not modules & {*HEAVY, "pytest_relevance.plugin.collector"}
    assert not any(name.startswith(PARTS_OF_RUNS) for name in modules)


@pytest.fixture
def forty(project: Project) -> Project:
    """A suite of 40 cases with inline judgments."""
    project.conftest()
    cases = "".join(
        f"  - query: shoes boots {number}\n    judgments: {{shoes: 3, boots: [1, 2], '{number}': 0}}\n"
        for number in range(40)
    )
    project.cases(f"min_ndcg: 0.5\nscale: [0, 3]\ntags: [head]\ncases:\n{cases}")
    return project


def test_forty_cases_import_neither_numpy_nor_pandas(forty: Project) -> None:
    assert imported(forty, "-vv", "--junitxml=junit.xml", *REPORTS) & HEAVY == {"yaml"}


def test_a_baseline_imports_neither_numpy_nor_pandas_where_no_score_changed(
    forty: Project,
) -> None:
    """If any changed, numpy draws the interval of the mean."""
    forty.run("--relevance-update")
    modules = imported(forty)
    assert "pytest_relevance.results.compare.differences" in modules
    assert modules & HEAVY == {"yaml"}


def test_cases_that_fail_import_neither_numpy_nor_pandas(forty: Project) -> None:
    """The report and every kind of expectation do without, too. Cases with judged
    documents look into no quotes.
    """
    forty.cases("""
        cases:
          - query: shoes boots
            judgments: {shoes: 3, boots: 1, hats: 1}
            xfail: to see the report
            min_ndcg: 1
            expect: {P@5: 0.4, RR: 1, AP: 0.5, first: boots, order: [boots, shoes], include: [hats], latency: 1 s}
    """)
    modules = imported(forty, *REPORTS, "--relevance-update")
    assert modules & HEAVY == {"yaml"}
    assert "pytest_relevance.passages.matching" not in modules


def test_the_fixture_imports_neither_numpy_nor_pandas(project: Project) -> None:
    project.test('relevance.check("shoes", ["a"], {"a": 3}, min_ndcg=0.9)')
    assert not imported(project) & {"numpy", "pandas"}
