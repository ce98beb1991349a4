"""A mistake in a file keeps cases from running. Every report says which mistake, and
where.
"""

import json
import re
from collections.abc import Sequence
from html import unescape
from pathlib import Path

import pytest

from pytest_relevance import Run as RecordedRun
from pytest_relevance.cli import main
from tests.github_runner import commands
from tests.plugin.conftest import Project, Run

REPORTS = (
    "--relevance-record=run.jsonl",
    "--relevance-markdown=run.md",
    "--relevance-html=run.html",
)
FILES = ("run.jsonl", "run.md", "run.html")
SEARCH = """\
import pytest
@pytest.fixture
def search():
    return str.split

"""
GOOD = "cases: [{query: a b, judgments: {a: 3}, min_ndcg: 0.5}]\n"


@pytest.fixture
def shop(project: Project, monkeypatch: pytest.MonkeyPatch) -> Project:
    """A project with a case file that is sound, in a job of GitHub Actions."""
    project.conftest()
    project.cases(GOOD, "good.relevance.yaml")
    project.write("summary.md", "")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(project.path / "summary.md"))
    monkeypatch.setenv("GITHUB_WORKSPACE", str(project.path))
    return project


def annotations(run: Run) -> dict[str, str]:
    """What the annotations say, by file and line."""
    found = {}
    for command in commands(run.text):
        file, line = (command.properties.get(name, "") for name in ("file", "line"))
        found[f"{file}:{line}"] = command.message
    return found


def errors_of(path: Path) -> list[str]:
    """The errors under this heading of a report in Markdown."""
    _, heading, rest = path.read_text(encoding="utf-8").partition("**Errors**\n\n")
    assert heading
    return re.findall(r"^- `+ ?(.*?) ?`+$", rest.partition("\n\n")[0], re.MULTILINE)


def findings(path: Path) -> list[str]:
    """What the first screen of a page says of faults."""
    page = path.read_text(encoding="utf-8")
    return [*map(unescape, re.findall('<li class="fault">(.*?)</li>', page))]


# The file with the mistake, its text, where the mistake is, and what the reports say of
# it.
MISTAKES: dict[str, tuple[str, str, str, str]] = {
    "a key of a suite": (
        "bad.relevance.yaml",
        f"min_ndgc: 0.5\n{GOOD}",
        "bad.relevance.yaml:1",
        'unknown key "min_ndgc" of a suite; did you mean "min_ndcg"?',
    ),
    "text that is no YAML": (
        "bad.relevance.yaml",
        "cases: [\n",
        "bad.relevance.yaml:2",
        "this is not YAML: while parsing a flow node",
    ),
    "a judgment file": (
        "judgments.csv",
        "query,doc_id,grade\na b,a,high\n",
        "judgments.csv:2",
        'query "a b", document "a": the grade "high" is no number',
    ),
    "a baseline": (
        "good.relevance.yaml.baseline.jsonl",
        "<<<<<<< HEAD\n",
        "good.relevance.yaml.baseline.jsonl:1",
        'this is not a baseline: it begins with "<<<<<<< HEAD"',
    ),
    "a conftest.py": (
        "conftest.py",
        "import pytest\nimport no_such_engine\n",
        "conftest.py:2",
        "ModuleNotFoundError: No module named 'no_such_engine'",
    ),
    "a conftest.py that is no Python": (
        "conftest.py",
        "import pytest\ndef search(:\n",
        "conftest.py:2",
        "SyntaxError: invalid syntax (conftest.py, line 2)",
    ),
    "a hook of a conftest.py": (
        "conftest.py",
        f"{SEARCH}def pytest_configure(config):\n    raise KeyError('ENGINE')\n",
        "conftest.py:7",
        "KeyError: 'ENGINE'",
    ),
    "a hook that is called after the collection": (
        "conftest.py",
        f"{SEARCH}def pytest_collection_modifyitems(items):\n    items[0].no\n",
        "conftest.py:7",
        "AttributeError: ",
    ),
    "a conftest.py of a folder": (
        "search/conftest.py",
        "raise RuntimeError('no engine')\n",
        "search/conftest.py:1",
        "RuntimeError: no engine",
    ),
    "a test in Python": (
        "test_shop.py",
        "import no_such_engine\n",
        "test_shop.py:1",
        "ModuleNotFoundError: No module named 'no_such_engine'",
    ),
}


@pytest.mark.parametrize("name", MISTAKES)
def test_every_report_says_where_a_mistake_is(shop: Project, name: str) -> None:
    file, text, place, message = MISTAKES[name]
    shop.cases(GOOD, "search/shop.relevance.yaml")
    if file == "judgments.csv":
        shop.cases(f"judgments: {{file: {file}}}\n{GOOD}", "bad.relevance.yaml")
    shop.write(file, text)
    run = shop.run(*REPORTS)
    assert run.code != 0
    (said,) = [
        said for where, said in annotations(run).items() if where.startswith(place)
    ]
    assert said.startswith(message)
    (error,) = RecordedRun.open(shop.path / "run.jsonl").info.errors
    assert f"{error.file}:{error.line}" == place
    assert error.message == said
    for found in (
        errors_of(shop.path / "run.md"),
        errors_of(shop.path / "summary.md"),
        findings(shop.path / "run.html"),
    ):
        assert [each.startswith(error.text) for each in found] == [True]


@pytest.mark.parametrize(
    "name", ["a key of a suite", "a judgment file", "a conftest.py of a folder"]
)
def test_workers_send_their_mistakes_once(shop: Project, name: str) -> None:
    file, text, place, message = MISTAKES[name]
    shop.cases(GOOD, "search/shop.relevance.yaml")
    if file == "judgments.csv":
        shop.cases(f"judgments: {{file: {file}}}\n{GOOD}", "bad.relevance.yaml")
    shop.write(file, text)
    run = shop.run(*REPORTS, "-n2")
    assert run.code == 1
    (error,) = errors_of(shop.path / "run.md")
    assert error.startswith(place)
    assert message in error
    assert [*annotations(run)] == [place]


def test_files_with_mistakes_are_not_counted_as_cases(shop: Project) -> None:
    shop.cases("min_ndgc: 1\nk: 0\ncases: []\n", "bad.relevance.yaml")
    shop.run(*REPORTS)
    first, *_ = (shop.path / "run.md").read_text(encoding="utf-8").split("\n\n")
    assert first.endswith(
        "### \u274c Nothing was searched: 1 file has an error; 1 case is missing"
    )
    record = RecordedRun.open(shop.path / "run.jsonl")
    assert record.missing == ("good.relevance.yaml::a b",)


def test_a_mistake_in_a_shared_file_is_told_once(shop: Project) -> None:
    shop.write("judgments.csv", "query,doc_id,grade\na b,a,high\n")
    for name in ("one", "two"):
        shop.cases(
            f"judgments: {{file: judgments.csv}}\n{GOOD}", f"{name}.relevance.yaml"
        )
    run = shop.run(*REPORTS)
    assert [*annotations(run)] == ["judgments.csv:2"]
    assert len(errors_of(shop.path / "run.md")) == 2  # each names its case file


def test_a_broken_conftest_of_a_folder_without_cases_is_left_to_pytest(
    shop: Project,
) -> None:
    (shop.path / "good.relevance.yaml").unlink()
    shop.write("tests/conftest.py", "raise RuntimeError('no engine')\n")
    shop.write("tests/test_other.py", "def test_other():\n    pass\n")
    run = shop.run("tests")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert annotations(run) == {}
    assert (shop.path / "summary.md").read_text() == ""


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "the file is empty"),
        ("x,title\na,Apple\n", "there is no column"),
        ("id,title\na,Apple,3\n", "found 3 columns where there are 2"),
    ],
)
def test_a_catalogue_that_cannot_be_read_is_told_and_fails_nothing(
    shop: Project, text: str, message: str
) -> None:
    shop.write("catalogue.csv", text)
    shop.cases(f"documents: {{file: catalogue.csv}}\n{GOOD}", "bad.relevance.yaml")
    run = shop.run(*REPORTS)
    assert run.code == 0
    (said,) = annotations(run).values()
    assert message in said
    (error,) = errors_of(shop.path / "run.md")
    assert error.startswith("catalogue.csv")
    assert errors_of(shop.path / "summary.md") == [error]
    assert findings(shop.path / "run.html") == [error]
    record = RecordedRun.open(shop.path / "run.jsonl")
    assert record.info.why_incomplete == ""


def test_the_commands_know_of_the_mistake(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.run("--relevance-record=good.jsonl", "--relevance-ci=off")
    shop.cases(f"min_ndgc: 0.5\n{GOOD}", "bad.relevance.yaml")
    shop.run(
        "--continue-on-collection-errors",
        "--relevance-record=run.jsonl",
        "--relevance-ci=off",
    )
    text = 'bad.relevance.yaml:1:1: unknown key "min_ndgc" of a suite'
    codes = {}
    for command, *arguments in (
        ("report", "run.jsonl"),
        ("merge", "good.jsonl", "run.jsonl"),
        ("compare", "good.jsonl", "run.jsonl"),
        ("history", "good.jsonl", "run.jsonl"),
    ):
        codes[command] = main([command, *arguments])
        said = capsys.readouterr()
        assert text in " ".join(f"{said.out} {said.err}".split()), command
    assert codes == {"report": 0, "merge": 1, "compare": 2, "history": 0}
    main(["report", "run.jsonl", "--format", "json"])
    (error,) = json.loads(capsys.readouterr().out)["run"]["errors"]
    assert (error["file"], error["line"]) == ("bad.relevance.yaml", 1)


def test_a_record_with_a_mistake_is_no_reference(shop: Project) -> None:
    shop.cases(f"min_ndgc: 0.5\n{GOOD}", "bad.relevance.yaml")
    shop.run("--relevance-record=run.jsonl", "--relevance-ci=off")
    run = shop.run("--relevance-against=run.jsonl", "--relevance-ci=off")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert (
        "run.jsonl: the run is not complete, 1 file has an error (bad.relevance.yaml:1:1: "
        in run.result.stderr.str()
    )


def test_what_another_plugin_does_not_annotate_is_annotated(shop: Project) -> None:
    shop.write("annotates.py", "")
    shop.cases(f"min_ndgc: 0.5\n{GOOD}", "bad.relevance.yaml")
    shop.cases(
        "cases: [{query: c, search: nothing_like_it}, {query: d, judgments: {e: 1}, min_ndcg: 1}]",
        "other.relevance.yaml",
    )

    class Annotates:
        @staticmethod
        def pytest_configure(config: pytest.Config) -> None:
            config.pluginmanager.register(object(), "annotate_errors")

    run = shop.run("--continue-on-collection-errors", plugins=[Annotates()])
    assert [*annotations(run)] == ["bad.relevance.yaml:1", "other.relevance.yaml:1"]
    assert "nothing_like_it" in annotations(run)["other.relevance.yaml:1"]


@pytest.mark.parametrize("options", [["--relevance-ci=off"], ["--collect-only"]])
def test_where_nothing_is_to_be_left_in_the_job(
    shop: Project, options: Sequence[str]
) -> None:
    shop.conftest("import no_such_engine\n")
    run = shop.run(*options)
    assert (run.code, annotations(run)) == (4, {})
    assert (shop.path / "summary.md").read_text() == ""


def test_options_that_do_not_fit_leave_earlier_files_alone(shop: Project) -> None:
    shop.run(*REPORTS, "--relevance-ci=off")
    before = {name: (shop.path / name).read_bytes() for name in FILES}
    run = shop.run(*REPORTS, "--relevance-against=no.jsonl")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert {name: (shop.path / name).read_bytes() for name in FILES} == before
    why = "--relevance-against: no.jsonl: cannot be read: No such file or directory"
    assert errors_of(shop.path / "summary.md") == [why]
    assert [*annotations(run).values()] == [why]
