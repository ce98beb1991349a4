"""What makes a run fail stands in every report of it, and no report of such a run is
marked with a tick.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from dataclasses import dataclass

import pytest

from pytest_relevance import Run as RecordedRun
from pytest_relevance.cli import main
from tests.github_runner import commands
from tests.helpers import page_text
from tests.plugin.conftest import WORDS, Project

TICK, CROSS, WARNING = "\u2705", "\u274c", "\u26a0\ufe0f"
RECORD = "--relevance-record=main.jsonl"
AGAINST = ("--relevance-against=main.jsonl", "--relevance-known=xfail")
REQUIRE = (*AGAINST, "--relevance-baseline=require")
Change = Callable[[Project], None]
REPORTS = (
    "--relevance-record=run.jsonl",
    "--relevance-markdown=run.md",
    "--relevance-html=run.html",
)


@dataclass
class Reports:
    """The exit code of a run, and its reports, each as one line of text."""

    code: int
    terminal: str
    markdown: str
    page: str
    annotations: str
    record: str

    @property
    def mark(self) -> str:
        return self.markdown.split("### ")[1].split(" ")[0]

    @property
    def sentence(self) -> str:
        """The sentence of the Markdown, without its mark."""
        heading = re.search(r"### \S+ (.*?)(?: - |$)", self.markdown)
        assert heading is not None
        return heading[1]

    def has_everywhere(self, text: str) -> bool:
        reports = (
            self.terminal,
            self.markdown,
            self.page,
            self.annotations,
            self.record,
        )
        return all(text in report for report in reports)


def words(text: str) -> str:
    return " ".join(text.split())


class Shop:
    """Two case files in two folders, and the record of main, in a job of GitHub
    Actions.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        project.conftest()
        project.cases(
            "cases: [{query: a b, judgments: {a: 3}}, {query: b c, judgments: {b: 3}}]"
        )
        project.cases(
            "cases: [{query: c d, judgments: {c: 3}}]", "tools/tools.relevance.yaml"
        )
        assert project.run(RECORD, "--relevance-ci=off").code == 0

    def reports(self, *options: str) -> Reports:
        run = self.project.run(*REPORTS, *options)
        path = self.project.path
        page = page_text((path / "run.html").read_text(encoding="utf-8"))
        record = RecordedRun.open(path / "run.jsonl")
        return Reports(
            run.code,
            words(run.text),
            words((path / "run.md").read_text(encoding="utf-8")),
            words(page),
            words(" ".join(command.message for command in commands(run.text))),
            words(" ".join(finding.text for finding in record.info.findings)),
        )


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Shop:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    return Shop(project)


def remove_file(project: Project) -> None:
    (project.path / "tools/tools.relevance.yaml").unlink()


def remove_case(project: Project) -> None:
    project.cases("cases: [{query: a b, judgments: {a: 3}}]")


def skip_everywhere(project: Project) -> None:
    project.conftest(
        "import pytest\n@pytest.fixture\ndef search():\n    pytest.skip('no engine')\n"
    )


def skip_folder(project: Project) -> None:
    project.write(
        "tools/conftest.py",
        "import pytest\npytest.skip('later', allow_module_level=True)\n",
    )


def other_test(project: Project) -> None:
    project.write("test_other.py", "def test_other(): assert False\n")


def teardown(project: Project) -> None:
    project.conftest(
        WORDS
        + """
    @pytest.fixture(autouse=True)
    def engine(request):
        yield
        assert request.node.name != "a b"
    """
    )


def only_new_files(project: Project) -> None:
    remove_file(project)
    (project.path / "shop.relevance.yaml").unlink()
    project.cases("cases: [{query: x, judgments: {x: 3}}]", "new.relevance.yaml")


def coverage(project: Project) -> None:
    """A plugin fails the run for a reason of its own, as pytest-cov does."""
    project.conftest(
        WORDS
        + """
    @pytest.hookimpl(wrapper=True)
    def pytest_runtestloop(session):
        result = yield
        session.testsfailed += 1
        return result
    """
    )


@pytest.mark.parametrize(
    ("change", "options", "sentence", "reason"),
    [
        (
            remove_file,
            REQUIRE,
            "No query got worse; nothing ran of 1 file, so the run fails",
            'nothing ran of 1 file ("tools/tools.relevance.yaml") in main.jsonl, and relevance_baseline is require, '
            "so the run fails: restore them",
        ),
        (
            remove_case,
            REQUIRE,
            "No query got worse; 1 case is lost, so the run fails",
            'shop.relevance.yaml does not compare 1 case of main.jsonl ("b c"), and relevance_baseline is require',
        ),
        (
            skip_everywhere,
            AGAINST,
            "Nothing was searched, so the run fails",
            "no case was searched: 3 skipped (no engine); there is main.jsonl to compare with, so the run fails",
        ),
        (
            skip_folder,
            REQUIRE,
            "No query got worse; nothing ran of 1 file; 1 folder with cases is skipped, so the run fails",
            "the conftest.py of tools skips its case files (later); relevance_baseline is require",
        ),
        (
            other_test,
            AGAINST,
            "No query got worse; 1 other failure, so the run fails",
            "1 other failure: test_other.py::test_other",
        ),
        (
            teardown,
            (),
            "3 cases measured, without a floor; 1 other failure, so the run fails",
            "1 other failure: shop.relevance.yaml::a b",
        ),
        (
            coverage,
            (),
            "3 cases measured, without a floor, so the run fails",
            "pytest ended with exit code 1, and not because of a case",
        ),
    ],
)
def test_every_report_says_why_a_run_fails(
    shop: Shop, change: Change, options: tuple[str, ...], sentence: str, reason: str
) -> None:
    change(shop.project)
    found = shop.reports(*options)
    assert (found.code, found.mark, found.sentence) == (1, CROSS, sentence)
    assert found.has_everywhere(reason)


def test_a_record_without_the_files_that_ran(shop: Shop) -> None:
    only_new_files(shop.project)
    found = shop.reports(*AGAINST)
    assert (found.code, found.mark) == (1, CROSS)
    assert found.has_everywhere("main.jsonl has none of the case files that ran")


def test_the_reason_stands_above_the_last_line_of_the_terminal(shop: Shop) -> None:
    remove_file(shop.project)
    run = shop.project.run(*REPORTS, *REQUIRE)
    *_, reason, verdict = run.summary.replace("\n    ", " ").splitlines()
    assert reason.startswith("nothing ran of 1 file")
    assert verdict.endswith("; the run fails")


def rename(project: Project) -> None:
    file = project.path / "tools/tools.relevance.yaml"
    file.rename(project.path / "tools/tools.yaml")


@pytest.mark.parametrize(
    ("change", "sentence", "remark"),
    [
        (remove_file, "No query got worse; nothing ran of 1 file", ""),
        (remove_case, "No query got worse; 1 case is lost", ""),
        (
            skip_folder,
            "No query got worse; nothing ran of 1 file; 1 folder with cases is skipped",
            "the conftest.py of tools skips its case files (later)",
        ),
        (
            rename,
            "No query got worse; nothing ran of 1 file; 1 file with cases is not collected",
            "1 file has cases and is not collected: tools/tools.yaml",
        ),
    ],
)
def test_what_is_missing_is_not_marked_as_good(
    shop: Shop, change: Change, sentence: str, remark: str
) -> None:
    change(shop.project)
    found = shop.reports(*AGAINST)
    assert (found.code, found.mark, found.sentence) == (0, WARNING, sentence)
    assert remark in found.terminal
    assert remark in found.markdown
    assert remark in found.page
    assert found.annotations == ""


def test_a_sound_run_is_marked_as_good(shop: Shop) -> None:
    found = shop.reports(*REQUIRE)
    assert (found.code, found.mark, found.sentence) == (0, TICK, "No query got worse")
    assert found.record == ""


def test_a_selection_leaves_files_out_and_is_good(shop: Shop) -> None:
    found = shop.reports(*AGAINST, "-k", "a")
    assert (found.code, found.mark) == (0, TICK)


def test_the_page_of_a_run_that_searched_nothing_praises_nothing(shop: Shop) -> None:
    skip_everywhere(shop.project)
    page = shop.reports(*AGAINST).page
    assert "No query to show." in page
    assert "No case failed or got worse" not in page


def test_a_merge_says_why_it_fails_also_in_the_report_of_its_record(
    shop: Shop, capsys: pytest.CaptureFixture[str]
) -> None:
    remove_file(shop.project)
    shop.reports(*REQUIRE)
    record, whole = (
        str(shop.project.path / name) for name in ("run.jsonl", "whole.jsonl")
    )
    assert main(["merge", record, "-o", whole]) == 1
    capsys.readouterr()
    assert main(["report", whole, "--format=markdown"]) == 0
    told = capsys.readouterr().out
    assert f"### {CROSS} No query got worse; nothing ran of 1 file, so the run" in told
    assert "the run is not compared with all of its reference" in told


# --- all cases end in one error -------------------------------------------------------


def test_a_fixture_that_raises_is_named_by_the_headline(shop: Shop) -> None:
    shop.project.conftest(
        "import pytest\n@pytest.fixture\ndef search():\n    raise RuntimeError('no engine')\n"
    )
    found = shop.reports()
    sentence = "The fixture search failed: RuntimeError: no engine"
    assert (found.mark, found.sentence) == (CROSS, sentence)
    assert found.page.startswith(sentence)


def test_a_search_that_raises_is_down(shop: Shop) -> None:
    shop.project.search("return lambda query: 1 / 0")
    sentence = "Search was down: ZeroDivisionError in 3 of 3 calls"
    assert shop.reports().sentence == sentence


def test_a_fixture_that_is_missing_is_told_once_in_the_summary(shop: Shop) -> None:
    shop.project.conftest("")
    markdown = shop.reports().markdown.partition("<details>")[0]
    assert markdown.count('fixture "search" not found') == 1
    assert '3 cases failed alike: fixture "search" not found' in markdown


# --- a command to copy ----------------------------------------------------------------


def test_the_command_that_shows_a_case_in_full_can_be_copied(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is whole, in one line, has the path of the record, and runs where this run was
    started.
    """
    project = shop.project
    records = project.path / "records of main"
    records.mkdir()
    (project.path / "main.jsonl").rename(records / "main.jsonl")
    project.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(project.path / "tools")
    project.search("return lambda query: ['x']")
    run = project.run("--relevance-against=../records of main/main.jsonl")
    (command,) = re.findall(r"to see one in full:\s+(pytest .*)", run.summary)
    arguments = shlex.split(command)
    assert arguments == [
        "pytest",
        "-v",
        "--relevance-against=../records of main/main.jsonl",
        "tools.relevance.yaml::c d",
    ]
    again = project.run(*arguments[1:])
    assert list(again.outcomes) == ["c d"]
