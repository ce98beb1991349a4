"""A mistake in a file keeps cases from running. Every report says which mistake, and
where.
"""

import json
import re
from html import unescape
from typing import NamedTuple

import pytest

from tests.github_runner import commands
from tests.plugin.conftest import REPORTS, Command, Project, Run

GOOD = "cases: [{query: a b, judgments: {a: 3}, min_ndcg: 0.5}]\n"
TYPO = f"min_ndgc: 0.5\n{GOOD}"
OFF = "--relevance-ci=off"


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


def errors_in(project: Project, name: str) -> list[str]:
    """The errors under this heading of a report in Markdown, or on the first screen of
    a page.
    """
    text = (project.path / name).read_text(encoding="utf-8")
    if name.endswith(".html"):
        return [*map(unescape, re.findall('<li class="fault">(.*?)</li>', text))]
    listed = text.partition("**Errors**\n\n")[2].partition("\n\n")[0]
    return re.findall(r"^- `+ ?(.*?) ?`+$", listed, re.MULTILINE)


class Mistake(NamedTuple):
    """A file with a mistake, its text, the line of the mistake, and what the reports
    say of it.
    """

    file: str
    text: str
    line: int
    message: str


BAD, PYTHON = "bad.relevance.yaml", "conftest.py"
SEARCH = "import pytest\n@pytest.fixture\ndef search(): return str.split\n"
NO_ENGINE = "ModuleNotFoundError: No module named 'no_such_engine'"
BASELINE = "good.relevance.yaml.baseline.jsonl"
MISTAKES = {
    "a key of a suite": Mistake(BAD, TYPO, 1, 'unknown key "min_ndgc" of a suite; did you mean "min_ndcg"?'),
    "text that is no YAML": Mistake(BAD, "cases: [\n", 2, "this is not YAML: while parsing a flow node"),
    "a judgment file": Mistake(
        "judgments.csv", "query,doc_id,grade\na b,a,high\n", 2,
        'query "a b", document "a": the grade "high" is not a number',
    ),
    "a baseline": Mistake(
        BASELINE, "<<<<<<< HEAD\n", 1, 'this is not a baseline: it begins with "<<<<<<< HEAD"'
    ),
    "a conftest.py": Mistake(PYTHON, "import pytest\nimport no_such_engine\n", 2, NO_ENGINE),
    "a conftest.py that is no Python": Mistake(
        PYTHON, "import pytest\ndef search(:\n", 2, "SyntaxError: invalid syntax (conftest.py, line 2)"
    ),
    "a hook of a conftest.py": Mistake(
        PYTHON, f"{SEARCH}def pytest_configure(config):\n    raise KeyError('ENGINE')\n", 5, "KeyError: 'ENGINE'"
    ),
    "a hook that is called after the collection": Mistake(
        PYTHON, f"{SEARCH}def pytest_collection_modifyitems(items):\n    items[0].no\n", 5, "AttributeError: "
    ),
    "a conftest.py of a folder": Mistake(
        "search/conftest.py", "raise RuntimeError('no engine')\n", 1, "RuntimeError: no engine"
    ),
    "a test in Python": Mistake("test_shop.py", "import no_such_engine\n", 1, NO_ENGINE),
}  # fmt: skip


def write(shop: Project, mistake: Mistake) -> str:
    """Write the file with a mistake, and return its place."""
    shop.cases(GOOD, "search/shop.relevance.yaml")
    if mistake.file == "judgments.csv":
        shop.cases(f"judgments: {{file: {mistake.file}}}\n{GOOD}", BAD)
    shop.write(mistake.file, mistake.text)
    return f"{mistake.file}:{mistake.line}"


@pytest.mark.parametrize("mistake", MISTAKES.values(), ids=MISTAKES)
def test_every_report_says_where_a_mistake_is(shop: Project, mistake: Mistake) -> None:
    place = write(shop, mistake)
    run = shop.run(*REPORTS)
    assert run.code != 0
    (said,) = [said for at, said in annotations(run).items() if at.startswith(place)]
    assert said.startswith(mistake.message)
    (error,) = shop.recorded().info.errors
    assert f"{error.file}:{error.line}" == place
    assert error.message == said
    for name in ("run.md", "summary.md", "run.html"):
        (found,) = errors_in(shop, name)
        assert found.startswith(error.text)


def test_workers_send_their_mistakes_once(shop: Project) -> None:
    names = ("a key of a suite", "a conftest.py of a folder")
    places = {write(shop, MISTAKES[name]) for name in names}
    run = shop.run(*REPORTS, "-n2")
    assert run.code == 1
    errors = errors_in(shop, "run.md")
    assert len(errors) == 2
    for name in names:
        assert MISTAKES[name].message in " ".join(errors)
    assert {*annotations(run)} == places
    assert len(commands(run.text)) == 2


def test_files_with_mistakes_are_not_counted_as_cases(shop: Project) -> None:
    shop.cases("min_ndgc: 1\nk: 0\ncases: []\n", BAD)
    markdown = shop.reports().markdown
    headline = "Nothing was searched: 1 file has an error; 1 case is missing"
    assert f"### \u274c {headline} " in markdown
    assert shop.recorded().missing == ("good.relevance.yaml::a b",)


def test_a_mistake_in_a_shared_file_is_told_once(shop: Project) -> None:
    shop.write("judgments.csv", MISTAKES["a judgment file"].text)
    for name in ("one", "two"):
        suite = f"judgments: {{file: judgments.csv}}\n{GOOD}"
        shop.cases(suite, f"{name}.relevance.yaml")
    run = shop.run(*REPORTS)
    assert [*annotations(run)] == ["judgments.csv:2"]
    assert len(errors_in(shop, "run.md")) == 2  # each names its case file


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
        ("id,title\na,Apple,3\n", "expected 2 columns"),
    ],
)
def test_a_catalogue_that_cannot_be_read_is_told_and_fails_nothing(
    shop: Project, text: str, message: str
) -> None:
    shop.write("catalogue.csv", text)
    shop.cases(f"documents: {{file: catalogue.csv}}\n{GOOD}", BAD)
    run = shop.run(*REPORTS)
    assert run.code == 0
    (said,) = annotations(run).values()
    assert message in said
    (error,) = errors_in(shop, "run.md")
    assert error.startswith("catalogue.csv")
    assert errors_in(shop, "summary.md") == errors_in(shop, "run.html") == [error]
    assert shop.recorded().info.why_incomplete == ""


def test_the_commands_know_of_the_mistake(shop: Project, command: Command) -> None:
    shop.run("--relevance-record=good.jsonl", OFF)
    shop.cases(TYPO, BAD)
    shop.run("--continue-on-collection-errors", "--relevance-record=run.jsonl", OFF)
    text = 'bad.relevance.yaml:1:1: unknown key "min_ndgc" of a suite'
    for arguments, code in (
        (["report", "run.jsonl"], 0),
        (["merge", "good.jsonl", "run.jsonl"], 1),
        (["compare", "good.jsonl", "run.jsonl"], 2),
        (["history", "good.jsonl", "run.jsonl"], 0),
    ):
        found = command(*arguments)
        assert found.code == code
        assert text in f"{found.out} {found.err}"
    data = json.loads(command("report", "run.jsonl", "--format", "json").out)
    (error,) = data["run"]["errors"]
    assert (error["file"], error["line"]) == (BAD, 1)


def test_a_record_with_a_mistake_is_no_reference(shop: Project) -> None:
    shop.cases(TYPO, BAD)
    shop.run("--relevance-record=run.jsonl", OFF)
    run = shop.run("--relevance-against=run.jsonl", OFF)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    why = "the run is not complete, 1 file has an error (bad.relevance.yaml:1:1: "
    assert f"run.jsonl: {why}" in run.result.stderr.str()


def test_what_another_plugin_does_not_annotate_is_annotated(shop: Project) -> None:
    shop.cases(TYPO, BAD)
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


@pytest.mark.parametrize("option", [OFF, "--collect-only"])
def test_where_nothing_is_to_be_left_in_the_job(shop: Project, option: str) -> None:
    shop.conftest("import no_such_engine\n")
    run = shop.run(option)
    assert (run.code, annotations(run)) == (4, {})
    assert (shop.path / "summary.md").read_text() == ""


def test_options_that_do_not_fit_leave_earlier_files_alone(shop: Project) -> None:
    shop.run(*REPORTS, OFF)
    files = [shop.path / name for name in ("run.jsonl", "run.md", "run.html")]
    before = [file.read_bytes() for file in files]
    run = shop.run(*REPORTS, "--relevance-against=no.jsonl")
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert [file.read_bytes() for file in files] == before
    why = "--relevance-against: no.jsonl: cannot be read: No such file or directory"
    assert errors_in(shop, "summary.md") == [why]
    assert [*annotations(run).values()] == [why]
