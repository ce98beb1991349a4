"""A run in which no case was searched: it says so, and fails if it was to be
compared.
"""

from collections.abc import Sequence

import pytest

from pytest_relevance.cli import main
from tests.plugin.conftest import Project

BASELINE = "shop.relevance.yaml.baseline.jsonl"
CASES = "cases: [{query: a, judgments: {a: 1}}, {query: b, judgments: {b: 1}}]"
REMEDY = "so the run fails: let the search run, or leave the cases out of this run (-m, -k, --ignore)"

SEARCH = """
    @pytest.fixture
    def search():
        return str.split
"""
WAYS = {
    "no parameters": (
        """
    @pytest.fixture(params=[])
    def search(request):
        return str.split
    """,
        "2 skipped (got empty parameter set for (search))",
    ),
    "a skip in the fixture": (
        """
    @pytest.fixture
    def search():
        pytest.skip("no engine")
    """,
        "2 skipped (no engine)",
    ),
    "a skip in the search": (
        """
    @pytest.fixture
    def search():
        return lambda query: pytest.skip("no engine")
    """,
        "2 skipped (no engine)",
    ),
    "a skip in another fixture": (
        """
    @pytest.fixture(scope="session", autouse=True)
    def engine():
        pytest.importorskip("engine_that_is_not_installed")
    """
        + SEARCH,
        "2 skipped (could not import 'engine_that_is_not_installed'",
    ),
    "a mark": (
        """
    def pytest_collection_modifyitems(items):
        for item in items:
            if item.path.suffix == ".yaml":
                item.add_marker(pytest.mark.skipif(True, reason="later"))
    """
        + SEARCH,
        "2 skipped (later)",
    ),
    "an expected failure that is not run": (
        """
    def pytest_collection_modifyitems(items):
        for item in items:
            if item.path.suffix == ".yaml":
                item.add_marker(pytest.mark.xfail(run=False, reason="later"))
    """
        + SEARCH,
        "2 xfailed ([NOTRUN] later)",
    ),
    "an expected failure of the fixture": (
        """
    def pytest_collection_modifyitems(items):
        for item in items:
            if item.path.suffix == ".yaml":
                item.add_marker(pytest.mark.xfail(reason="later"))

    @pytest.fixture
    def search():
        raise ConnectionError("no engine")
    """,
        "2 xfailed (ConnectionError: no engine)",
    ),
}


def unit_test(project: Project) -> None:
    """Write a test that has nothing to do with search, and passes."""
    project.write("test_unit.py", "def test_unit():\n    pass\n")


@pytest.fixture
def accepted(project: Project) -> Project:
    """A project with a baseline, a record, and a test in Python that passes."""
    unit_test(project)
    project.conftest("    import pytest\n" + SEARCH)
    project.cases(CASES)
    project.run("--relevance-update", "--relevance-record=main.jsonl")
    return project


@pytest.mark.parametrize(("conftest", "told"), WAYS.values(), ids=WAYS)
def test_a_run_that_searched_nothing_fails_if_it_has_a_baseline(
    accepted: Project, conftest: str, told: str
) -> None:
    accepted.conftest("    import pytest\n" + conftest)
    run = accepted.run("--relevance-markdown=run.md")
    assert run.code == 1
    (sentence,) = run.sentences("no case was searched: ")
    assert told in sentence
    assert sentence.endswith(
        f"there is 1 baseline to compare with (*.baseline.jsonl), {REMEDY}"
    )
    assert told.partition(" (")[0] in (accepted.path / "run.md").read_text(
        encoding="utf-8"
    )
    assert accepted.run("--collect-only").code == 0


def test_skip_in_each_case(accepted: Project) -> None:
    accepted.cases(CASES.replace("}}", "}, skip: later}"))
    run = accepted.run()
    assert run.code == 1
    assert "no case was searched: 2 skipped (later); there is 1 baseline" in " ".join(
        run.summary.split()
    )


SKIPS = "    import pytest\n" + WAYS["a skip in the fixture"][0]


@pytest.mark.parametrize(
    ("options", "why"),
    [
        (["--relevance-against=main.jsonl"], "there is main.jsonl to compare with"),
        (["-n2"], "there is 1 baseline to compare with (*.baseline.jsonl)"),
        (
            ["--relevance-update"],
            "there is 1 baseline to compare with (*.baseline.jsonl)",
        ),
    ],
)
def test_with_which_references_it_fails(
    accepted: Project, options: Sequence[str], why: str
) -> None:
    accepted.conftest(SKIPS)
    run = accepted.run(*options)
    assert run.code == 1
    assert run.sentences("no case was") == [
        f"no case was searched: 2 skipped (no engine); {why}, {REMEDY}"
    ]


def test_without_a_reference_it_says_so_and_passes(accepted: Project) -> None:
    accepted.conftest(SKIPS)
    (accepted.path / BASELINE).unlink()
    for options in [(), ("-n2",), ("--relevance-record=run.jsonl",)]:
        run = accepted.run(*options)
        assert run.code == 0
        assert run.sentences("no case was") == [
            "no case was searched: 2 skipped (no engine)"
        ]


def test_one_case_that_was_searched_is_enough(accepted: Project) -> None:
    accepted.conftest(
        """
        import pytest

        @pytest.fixture
        def search():
            return lambda query: [query] if query == "a" else pytest.skip("no engine")
        """
    )
    run = accepted.run()
    assert run.code == 0
    assert run.sentences("no case was") == []


@pytest.mark.parametrize("options", [("-k", "test_unit"), ("-m", "not head")])
@pytest.mark.parametrize("workers", [(), ("-n2",)])
def test_cases_that_were_deselected_fail_only_if_the_command_line_requires_a_reference(
    accepted: Project, options: Sequence[str], workers: Sequence[str]
) -> None:
    accepted.cases(f"tags: [head]\n{CASES}")
    told = "no case was searched: all 2 cases were deselected"
    run = accepted.run(*options, *workers)
    assert run.code == 0
    assert run.sentences("no case was") == [told]
    run = accepted.run(*options, *workers, "--relevance-baseline=require")
    assert run.code == 1
    assert run.sentences("no case was") == [
        f"{told}, and --relevance-baseline=require is given, so the run fails: leave one of them out"
    ]


def test_without_a_reference_a_run_of_other_tests_says_nothing(
    project: Project,
) -> None:
    unit_test(project)
    project.conftest()
    project.cases(CASES)
    run = project.run("-k", "test_unit")
    assert run.code == 0
    assert "= relevance =" not in run.text


def test_a_folder_that_its_conftest_skips(project: Project) -> None:
    """pytest does not collect its case files at all."""
    unit_test(project)
    project.write(
        "search/conftest.py", 'import pytest\npytest.importorskip("no_engine")\n'
    )
    project.cases(CASES, "search/shop.relevance.yaml")
    told = (
        "the conftest.py of search skips its case files (could not import 'no_engine'"
    )
    for options in [(), ("-n2",)]:
        run = project.run(*options)
        assert run.code == 0
        (sentence,) = run.sentences("no case was searched: ")
        assert told in sentence
        run = project.run(*options, "--relevance-baseline=require")
        assert run.code == 1
        (sentence,) = run.sentences("no case was searched: ")
        assert sentence.endswith(f"; relevance_baseline is require, {REMEDY}")


def test_a_skipped_folder_beside_cases_that_were_searched(project: Project) -> None:
    project.write(
        "search/conftest.py",
        'import pytest\npytest.skip("no engine", allow_module_level=True)\n',
    )
    project.cases(CASES, "search/shop.relevance.yaml")
    project.conftest()
    project.cases(CASES)
    run = project.run("--relevance-update")
    told = "the conftest.py of search skips its case files (no engine)"
    assert (run.code, run.sentences("the conftest")) == (0, [told])
    run = project.run("--relevance-baseline=require")
    assert (run.code, run.sentences("the conftest")) == (
        1,
        [f"{told}; relevance_baseline is require, so the run fails"],
    )


def test_a_record_in_which_nothing_was_searched(
    accepted: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    accepted.conftest(SKIPS)
    accepted.run("--relevance-record=run.jsonl")
    capsys.readouterr()
    record = str(accepted.path / "run.jsonl")
    merged = str(accepted.path / "whole.jsonl")
    assert main(["merge", record, "-o", merged]) == 1
    assert main(["report", merged]) == 0
    told = " ".join(capsys.readouterr().out.split())
    sentence = (
        "no case was searched: 2 skipped (no engine); there is a reference to compare "
        "with, so the merge fails"
    )
    assert told.count(sentence) == 2
