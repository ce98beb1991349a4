"""A run in which no case was searched: it says so, and fails if it was to be
compared.
"""

import pytest

from tests.plugin.conftest import Command, Project
from tests.plugin.shop import AGAINST, BASELINE, RECORD, REQUIRE, UPDATE

CASES = "cases: [{query: a, judgments: {a: 1}}, {query: b, judgments: {b: 1}}]"
REMEDY = "so the run fails: let the search run, or leave the cases out of this run (-m, -k, --ignore)"
TO_COMPARE_WITH = "there is 1 baseline to compare with (*.baseline.jsonl)"

SEARCH = """
    @pytest.fixture
    def search():
        return str.split
"""
MARKS = """
    def pytest_collection_modifyitems(items):
        for item in items:
            if item.path.suffix == ".yaml":
                item.add_marker(pytest.mark.MARK)
"""
SKIPS = SEARCH.replace("return str.split", "pytest.skip('no engine')")
RAISES = SEARCH.replace("return str.split", "raise ConnectionError('no engine')")
ENGINE = """
    @pytest.fixture(scope="session", autouse=True)
    def engine():
        pytest.importorskip("engine_that_is_not_installed")
"""
WAYS = {
    "no parameters": (
        SEARCH.replace("fixture", "fixture(params=[])").replace("search()", "search(request)"),
        "2 skipped (got empty parameter set for (search))",
    ),
    "a skip in the fixture": (SKIPS, "2 skipped (no engine)"),
    "a skip in the search": (
        SEARCH.replace("str.split", "lambda query: pytest.skip('no engine')"), "2 skipped (no engine)"
    ),
    "a skip in another fixture": (SEARCH + ENGINE, "2 skipped (could not import 'engine_that_is_not_installed'"),
    "a mark": (SEARCH + MARKS.replace("MARK", "skipif(True, reason='later')"), "2 skipped (later)"),
    "an expected failure that is not run": (
        SEARCH + MARKS.replace("MARK", "xfail(run=False, reason='later')"), "2 xfailed ([NOTRUN] later)"
    ),
    "an expected failure of the fixture": (
        RAISES + MARKS.replace("MARK", "xfail(reason='later')"), "2 xfailed (ConnectionError: no engine)"
    ),
}  # fmt: skip


def conftest(project: Project, text: str) -> None:
    project.conftest("    import pytest\n" + text)


def unit_test(project: Project) -> None:
    """Write a test that has nothing to do with search, and passes."""
    project.write("test_unit.py", "def test_unit():\n    pass\n")


@pytest.fixture
def accepted(project: Project) -> Project:
    """A project with a baseline, a record, and a test in Python that passes."""
    unit_test(project)
    conftest(project, SEARCH)
    project.cases(CASES)
    project.run(UPDATE, RECORD)
    return project


@pytest.mark.parametrize(("text", "told"), WAYS.values(), ids=WAYS)
def test_a_run_that_searched_nothing_fails_if_it_has_a_baseline(
    accepted: Project, text: str, told: str
) -> None:
    conftest(accepted, text)
    found = accepted.reports()
    assert found.run.code == 1
    (sentence,) = found.run.sentences("no case was searched: ")
    assert told in sentence
    assert sentence.endswith(f"{TO_COMPARE_WITH}, {REMEDY}")
    assert told.partition(" (")[0] in found.markdown
    assert accepted.run("--collect-only").code == 0


@pytest.mark.parametrize(
    ("option", "why"),
    [
        (AGAINST, "there is main.jsonl to compare with"),
        (UPDATE, TO_COMPARE_WITH),
    ],
)
def test_with_which_references_it_fails(
    accepted: Project, option: str, why: str
) -> None:
    conftest(accepted, SKIPS)
    run = accepted.run(option)
    assert run.code == 1
    told = f"no case was searched: 2 skipped (no engine); {why}, {REMEDY}"
    assert run.sentences("no case was") == [told]


def test_without_a_reference_it_says_so_and_passes(accepted: Project) -> None:
    conftest(accepted, SKIPS)
    (accepted.path / BASELINE).unlink()
    for option in ("-v", RECORD):
        run = accepted.run(option)
        assert run.code == 0
        told = "no case was searched: 2 skipped (no engine)"
        assert run.sentences("no case was") == [told]


def test_one_case_that_was_searched_is_enough(accepted: Project) -> None:
    found = "[query] if query == 'a' else pytest.skip('no engine')"
    accepted.search(f"return lambda query: {found}")
    run = accepted.run()
    assert run.code == 0
    assert run.sentences("no case was") == []


@pytest.mark.parametrize("options", [("-k", "test_unit"), ("-m", "not head", "-n1")])
def test_cases_that_were_deselected_fail_only_if_the_command_line_requires_a_reference(
    accepted: Project, options: tuple[str, ...]
) -> None:
    accepted.cases(f"tags: [head]\n{CASES}")
    told = "no case was searched: all 2 cases were deselected"
    run = accepted.run(*options)
    assert (run.code, run.sentences("no case was")) == (0, [told])
    run = accepted.run(*options, REQUIRE)
    assert run.code == 1
    given = f"and {REQUIRE} is given, so the run fails: leave one of them out"
    assert run.sentences("no case was") == [f"{told}, {given}"]


def test_without_a_reference_a_run_of_other_tests_says_nothing(
    project: Project,
) -> None:
    unit_test(project)
    project.conftest()
    project.cases(CASES)
    run = project.run("-k", "test_unit")
    assert run.code == 0
    assert "= relevance =" not in run.text


@pytest.mark.parametrize("workers", [(), ("-n1",)])
def test_a_folder_that_its_conftest_skips(
    project: Project, workers: tuple[str, ...]
) -> None:
    """pytest does not collect its case files at all."""
    unit_test(project)
    skips = 'import pytest\npytest.importorskip("no_engine")\n'
    project.write("search/conftest.py", skips)
    project.cases(CASES, "search/shop.relevance.yaml")
    run = project.run(*workers)
    assert run.code == 0
    (sentence,) = run.sentences("no case was searched: ")
    why = "the conftest.py of search skips its case files (could not import 'no_engine'"
    assert why in sentence
    run = project.run(*workers, REQUIRE)
    assert run.code == 1
    (sentence,) = run.sentences("no case was searched: ")
    assert sentence.endswith(f"; relevance_baseline is require, {REMEDY}")


def test_a_skipped_folder_beside_cases_that_were_searched(project: Project) -> None:
    skips = 'pytest.skip("no engine", allow_module_level=True)'
    project.write("search/conftest.py", f"import pytest\n{skips}\n")
    project.cases(CASES, "search/shop.relevance.yaml")
    project.conftest()
    project.cases(CASES)
    run = project.run(UPDATE)
    told = "the conftest.py of search skips its case files (no engine)"
    assert (run.code, run.sentences("the conftest")) == (0, [told])
    run = project.run(REQUIRE)
    fails = f"{told}; relevance_baseline is require, so the run fails"
    assert (run.code, run.sentences("the conftest")) == (1, [fails])


def test_a_record_in_which_nothing_was_searched(
    accepted: Project, command: Command
) -> None:
    conftest(accepted, SKIPS)
    accepted.run("--relevance-record=run.jsonl")
    merged = command("merge", "run.jsonl", "-o", "whole.jsonl")
    told = "no case was searched: 2 skipped (no engine); there is a reference to compare with, so the merge fails"
    assert merged.code == 1
    assert told in merged.out
    assert told in command("report", "whole.jsonl").out


@pytest.mark.parametrize(
    ("option", "named"),
    [
        ("--relevance-baseline=require", "--relevance-baseline=require"),
        ("--relevance-against=empty.jsonl", "--relevance-against"),
    ],
)
def test_without_a_case_file_the_option_that_was_given_is_named(
    project: Project, option: str, named: str
) -> None:
    project.write("test_shop.py", "def test_nothing(): pass\n")
    project.run("--relevance-record=empty.jsonl")
    run = project.run(option)
    assert f"{named}: no case file was collected, so the run fails: " in run.said
    assert run.code == 1
