"""What makes a run fail stands in every report of it, and no report of such a run is
marked with a tick.
"""

import re
import shlex
from collections.abc import Callable
from typing import NamedTuple

import pytest

from tests.github_runner import commands
from tests.plugin.conftest import WORDS, Command, Project, one_line
from tests.plugin.shop import AGAINST, KNOWN, RECORD, REQUIRE

TICK, CROSS, WARNING = "\u2705", "\u274c", "\u26a0\ufe0f"
COMPARED = (AGAINST, KNOWN)
REQUIRED = (*COMPARED, REQUIRE)
Change = Callable[[Project], object]


class Told(NamedTuple):
    """The exit code of a run, the mark and the sentence of its Markdown, and its
    reports, each in one line.
    """

    code: int
    mark: str
    sentence: str
    reports: dict[str, str]


def told(project: Project, *options: str) -> Told:
    run, markdown, page = project.reports(*options)
    heading = re.search(r"### (\S+) (.*?)(?: The build |$)", markdown)
    assert heading is not None
    annotations = " ".join(command.message for command in commands(run.text))
    findings = " ".join(finding.text for finding in project.recorded().info.findings)
    reports = {
        "terminal": one_line(run.text),
        "markdown": markdown,
        "page": page,
        "annotations": one_line(annotations),
        "record": one_line(findings),
    }
    return Told(run.code, heading[1], heading[2], reports)


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """Two case files in two folders, and the record of main, in a job of GitHub
    Actions.
    """
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    project.conftest()
    project.cases(
        "cases: [{query: a b, judgments: {a: 3}}, {query: b c, judgments: {b: 3}}]"
    )
    tools = "cases: [{query: c d, judgments: {c: 3}}]"
    project.cases(tools, "tools/tools.relevance.yaml")
    assert project.run(RECORD, "--relevance-ci=off").code == 0
    return project


def remove_file(project: Project) -> None:
    (project.path / "tools/tools.relevance.yaml").unlink()


def rename(project: Project) -> None:
    file = project.path / "tools/tools.relevance.yaml"
    file.rename(project.path / "tools/tools.yaml")


def remove_case(project: Project) -> None:
    project.cases("cases: [{query: a b, judgments: {a: 3}}]")


def skip_everywhere(project: Project) -> None:
    project.search("pytest.skip('no engine')")


def skip_folder(project: Project) -> None:
    skips = "pytest.skip('later', allow_module_level=True)"
    project.write("tools/conftest.py", f"import pytest\n{skips}\n")


def other_test(project: Project) -> None:
    project.write("test_other.py", "def test_other(): assert False\n")


def teardown(project: Project) -> None:
    project.conftest(f"""{WORDS}
    @pytest.fixture(autouse=True)
    def engine(request):
        yield
        assert request.node.name != "a b"
    """)


def only_new_files(project: Project) -> None:
    remove_file(project)
    (project.path / "shop.relevance.yaml").unlink()
    project.cases("cases: [{query: x, judgments: {x: 3}}]", "new.relevance.yaml")


def coverage(project: Project) -> None:
    """A plugin fails the run for a reason of its own, as pytest-cov does."""
    project.conftest(f"""{WORDS}
    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(session):
        result = yield
        session.testsfailed += 1
        return result
    """)


NO_FILE = "No query got worse; no case ran of 1 file"
FOLDER = f"{NO_FILE}; 1 folder with cases is skipped"
FAILS = "so the run fails"


@pytest.mark.parametrize(
    ("change", "options", "sentence", "reason"),
    [
        (remove_file, REQUIRED, f"{NO_FILE}, {FAILS}",
         'no case ran of 1 file ("tools/tools.relevance.yaml") in main.jsonl, and '
         "relevance_baseline is require: restore it"),
        (remove_case, REQUIRED, f"No query got worse; the test changed: 1 case is gone, {FAILS}",
         'shop.relevance.yaml does not compare 1 case of main.jsonl ("b c"), and relevance_baseline is require'),
        (skip_everywhere, COMPARED, f"Nothing was searched, {FAILS}",
         "no case was searched: 3 skipped (no engine); there is main.jsonl to compare with, so the run fails"),
        (skip_folder, REQUIRED, f"{FOLDER}, {FAILS}",
         "the conftest.py of tools skips its case files (later); relevance_baseline is require"),
        (other_test, COMPARED, f"No query got worse; 1 other failure, {FAILS}",
         "1 other failure: test_other.py::test_other"),
        (teardown, (), f"3 cases are measured: nothing is expected of them; 1 other failure, {FAILS}",
         "1 other failure: shop.relevance.yaml::a b"),
        (coverage, (), f"3 cases are measured: nothing is expected of them, {FAILS}",
         "pytest ended with exit code 1, and not because of a case"),
        (only_new_files, COMPARED, "", "main.jsonl has none of the case files that ran"),
    ],
)  # fmt: skip
def test_every_report_says_why_a_run_fails(
    shop: Project, change: Change, options: tuple[str, ...], sentence: str, reason: str
) -> None:
    change(shop)
    found = told(shop, *options)
    assert (found.code, found.mark) == (1, CROSS)
    assert found.sentence == sentence or not sentence
    assert [name for name, text in found.reports.items() if reason not in text] == []


@pytest.mark.parametrize(
    ("change", "sentence", "remark"),
    [
        (remove_file, NO_FILE, ""),
        (remove_case, "No query got worse; the test changed: 1 case is gone", ""),
        (skip_folder, FOLDER, "the conftest.py of tools skips its case files (later)"),
        (
            rename,
            f"{NO_FILE}; 1 file with cases is not collected",
            "1 file has cases and is not collected: tools/tools.yaml",
        ),
    ],
)
def test_what_is_missing_is_not_marked_as_good(
    shop: Project, change: Change, sentence: str, remark: str
) -> None:
    change(shop)
    found = told(shop, *COMPARED)
    assert (found.code, found.mark, found.sentence) == (0, WARNING, sentence)
    assert found.reports["annotations"] == ""
    for name in ("terminal", "markdown", "page"):
        assert remark in found.reports[name]


def test_a_sound_run_is_marked_as_good(shop: Project) -> None:
    found = told(shop, *REQUIRED)
    assert (found.code, found.mark, found.sentence) == (0, TICK, "No query got worse")
    assert found.reports["record"] == ""


def test_a_selection_passes_and_is_not_marked_as_good(shop: Project) -> None:
    found = told(shop, *COMPARED, "-k", "a")
    sentence = "No query got worse; a part of the cases did not run"
    assert (found.code, found.mark, found.sentence) == (0, WARNING, sentence)


def test_the_terminal_begins_with_the_verdict_and_ends_with_the_reason(
    shop: Project,
) -> None:
    remove_file(shop)
    verdict, *_, last = shop.run(*REQUIRED).sentences()
    assert verdict.endswith(", so the run fails")
    assert last == "the run fails because no case ran of 1 file"


def test_the_page_of_a_run_that_searched_nothing_praises_nothing(shop: Project) -> None:
    skip_everywhere(shop)
    page = shop.reports(*COMPARED).page
    assert "No query to show." in page
    assert "No case failed or got worse" not in page


def test_a_merge_says_why_it_fails_also_in_the_report_of_its_record(
    shop: Project, command: Command
) -> None:
    remove_file(shop)
    shop.run("--relevance-record=run.jsonl", *REQUIRED)
    assert command("merge", "run.jsonl", "-o", "whole.jsonl").code == 1
    report = command("report", "whole.jsonl", "--format=markdown")
    assert report.code == 0
    assert f"### {CROSS} {NO_FILE}, so the run" in report.out
    assert "the run is not compared with all of its reference" in report.out


# --- all cases end in one error -------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        ("raise RuntimeError('no engine')", "The fixture search failed: RuntimeError: no engine"),
        ("return lambda query: 1 / 0", "Search was down: ZeroDivisionError in 3 of 3 calls"),
    ],
)  # fmt: skip
def test_the_headline_names_the_error_of_all_cases(
    shop: Project, body: str, sentence: str
) -> None:
    shop.search(body)
    found = told(shop)
    assert (found.mark, found.sentence) == (CROSS, sentence)
    assert found.reports["page"].startswith(sentence)


def test_the_command_that_shows_a_case_in_full_can_be_copied(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is whole, in one line, has the path of the record, and runs where this run was
    started.
    """
    records = shop.path / "records of main"
    records.mkdir()
    (shop.path / "main.jsonl").rename(records / "main.jsonl")
    shop.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(shop.path / "tools")
    shop.search("return lambda query: ['x']")
    against = "--relevance-against=../records of main/main.jsonl"
    run = shop.run(against)
    (command,) = re.findall(r"in full  (pytest .*)", run.summary)
    arguments = shlex.split(command)
    assert arguments == ["pytest", "-v", against, "tools.relevance.yaml::c d"]
    assert list(shop.run(*arguments[1:]).outcomes) == ["c d"]
