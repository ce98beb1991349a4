"""In GitHub Actions: the summary of the job, annotations, and output that holds no
command but these.
"""

import pytest

from pytest_relevance.cli import main
from tests.github_runner import Command, commands
from tests.plugin.conftest import WORDS, Project, Run
from tests.plugin.shop import UPDATE, Shop, cases

MARK = "<!-- pytest-relevance report -->"
ZERO_WIDTH = "\u200b"


class Job:
    """A step of a job: its environment, and the file with its summary."""

    def __init__(self, project: Project, monkeypatch: pytest.MonkeyPatch) -> None:
        self._monkeypatch = monkeypatch
        self.file = project.path / "step_summary.md"
        self.file.write_bytes(b"")  # the runner makes it
        self.set(
            GITHUB_ACTIONS="true",
            GITHUB_STEP_SUMMARY=str(self.file),
            GITHUB_WORKSPACE=str(project.path),
        )

    def set(self, **environment: str) -> None:
        for name, value in environment.items():
            self._monkeypatch.setenv(name, value)

    @property
    def summary(self) -> str:
        return self.file.read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def job(project: Project, monkeypatch: pytest.MonkeyPatch) -> Job:
    return Job(project, monkeypatch)


FAILING = "{query: b a, judgments: {a: {grade: 3, title: Apple}, b: 1}, min_ndcg: 0.9}"


@pytest.fixture
def shop(project: Project) -> Project:
    """Two cases, of which the second fails."""
    project.conftest()
    passing = "{query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9}"
    project.cases(f"cases:\n  - {passing}\n  - {FAILING}\n")
    return project


THAT_FAILS = "shop.relevance.yaml:3"
THAT_PASSES = "--deselect=shop.relevance.yaml::b a"


def errors(run: Run) -> list[Command]:
    return [command for command in commands(run.text) if command.name == "error"]


# --- the summary of the job -----------------------------------------------------------


def test_the_report_is_appended_to_the_summary(shop: Project, job: Job) -> None:
    job.file.write_text("# Of another step\ntext")
    run = shop.run("-n1")
    assert run.code == 1
    assert job.summary.startswith(f"# Of another step\ntext\n\n{MARK}\n### \u274c ")
    row = "\n| `b a` | 0.710 | `below the required 0.900` | `Apple` rank 2 | `b` |"
    assert row in job.summary
    assert job.summary.endswith("</details>\n")
    (annotation,) = commands(run.text)
    assert (annotation.name, annotation.place) == ("error", THAT_FAILS)
    assert annotation.title == "Failed: b a"
    assert annotation.message.splitlines() == [
        "nDCG@10 0.710, floor 0.900",
        "costs most: Apple rank 2",
        "on top: b",
    ]
    shop.run("-o", "relevance_page_url=https://ci.example.com/7/report.html")
    assert job.summary.count(MARK) == 2
    _, page = job.summary.split(f"</details>\n\n\n{MARK}")
    address = "https://ci.example.com/7/report.html"
    assert f"({address})" in page
    assert f"({address}#case=shop.relevance.yaml%3A%3Ab%20a)" in page
    job.file.unlink()
    run = shop.run(THAT_PASSES)
    assert (run.code, commands(run.text)) == (0, [])
    # a file that is not there is made
    assert job.summary.startswith(f"{MARK}\n### \u2705 ")


@pytest.mark.parametrize(
    ("runner", "ini", "options", "number"),
    [
        ("false", "auto", [], 0),
        ("", "auto", [], 0),
        ("true", "auto", ["--relevance-ci=off"], 0),
        ("true", "off", [], 0),
        ("true", "off", ["--relevance-ci=auto"], 1),
    ],
)
def test_where_it_is_left(
    shop: Project, job: Job, runner: str, ini: str, options: list[str], number: int
) -> None:
    job.set(GITHUB_ACTIONS=runner)
    shop.write("pytest.ini", f"[pytest]\nrelevance_ci = {ini}\n")
    run = shop.run(*options)
    assert (run.code, len(errors(run)), job.summary.count(MARK)) == (1, number, number)


@pytest.mark.parametrize(
    ("summary", "reasons"),
    [
        ("", []),
        ("no/summary.md", ["no/summary.md cannot be written: No such file or directory"]),
        (".", [" cannot be written: Is a directory"]),
    ],
)  # fmt: skip
def test_a_summary_that_cannot_be_written_is_a_line_and_no_failure(
    shop: Project, job: Job, summary: str, reasons: list[str]
) -> None:
    job.set(GITHUB_STEP_SUMMARY=summary)
    run = shop.run(THAT_PASSES)
    assert run.code == 0
    said = run.sentences("no report in the summary of the job: ")
    assert len(said) == len(reasons)
    silent = shop.run("-p", "no:terminal")
    assert [each.place for each in commands(silent.text)] == [THAT_FAILS]
    for reason in reasons:
        assert said[0].endswith(reason)
        assert reason in silent.result.stderr.str()


@pytest.mark.parametrize(
    "option", ["--collect-only", "-knothing", "--setup-plan", "skipped"]
)
def test_where_no_case_ran_nothing_is_left(
    shop: Project, job: Job, option: str
) -> None:
    case = "cases: [{query: a, skip: later, judgments: {a: 1}}]"
    shop.cases(case, "skipped/shop.relevance.yaml")
    assert (commands(shop.run(option).text), job.summary) == ([], "")


# --- annotations ----------------------------------------------------------------------


def test_what_got_worse_is_annotated_and_what_failed_before_is_not(
    project: Project,
) -> None:
    shop = Shop(project)
    rose = "  - {query: rose, judgments: {a: 3, b: 3, c: 0}, min_ndcg: 0.99}"
    floor, no_floor = cases("old low none", ", min_ndcg: 0.9"), cases("fell")
    shop.cases(floor + no_floor.removeprefix("cases:\n") + rose)
    shop.returns(old="b a", low="a b", none="a b", fell="a b", rose="a b c")
    shop.run(UPDATE)
    shop.returns(low="b a", none="", fell="b a", rose="a c b")
    found = {each.title: each for each in errors(shop.run())}
    lines = ["fell: Title of a rank 1 -> 2", "in its place: Title of b"]
    nothing = ["fell: Title of a rank 1 -> not returned", "nothing returned"]
    of_rose = ["fell: Title of b rank 2 -> 3", "in its place: Title of c rank 2"]
    assert [(name, each.message.splitlines()) for name, each in found.items()] == [
        ("Got worse: none", ["nDCG@10 1.000 -> 0.000, floor 0.900", *nothing]),
        ("Got worse: low", ["nDCG@10 1.000 -> 0.710, floor 0.900", *lines]),
        ("Got worse: fell", ["nDCG@10 1.000 -> 0.710, tolerance 0.05", *lines]),
        ("Got worse: rose", ["nDCG@10 1.000 -> 0.920, floor 0.990", *of_rose]),
    ]
    assert found["Got worse: low"].place == "shop.relevance.yaml:3"


def test_failed_gates_are_annotated_within_the_ten(project: Project) -> None:
    project.conftest()
    gates = "gates:\n  - mean: {nDCG@10: 0.95}\n  - mean: {nDCG@10: 0.1}\n  - passing: 1\n    id: 'all, always'\n"
    lines = [
        f"  - {{query: b a {number}, judgments: {{a: 3, b: 1}}, min_ndcg: 0.9}}\n"
        for number in range(12)
    ]
    project.cases(f"{gates}cases:\n{''.join(lines)}")
    found = errors(project.run())
    assert len(found) == 10
    assert [(each.place, each.title) for each in found[8:]] == [
        ("shop.relevance.yaml:2", "Gate not met: gate[mean nDCG@10 0.95]"),
        ("shop.relevance.yaml:4", "Gate not met: gate[all, always]"),
    ]
    assert found[8].message == "mean nDCG@10 0.710, below 0.950 (12 cases)"
    assert {each.title for each in errors(project.run("-k1"))} == {
        f"Failed: b a {number}" for number in (1, 10, 11)
    }
    required = errors(project.run("-k1", "--relevance-gates=require"))
    assert required[3].message == "not evaluated: 3 of 12 ran"


def test_cases_that_failed_alike_are_one_annotation(project: Project) -> None:
    raises = "raise ConnectionError('no engine')"
    project.conftest(WORDS.replace("return query.split()", raises))
    names = ("boots", "hats", "socks", *(f"q{number}" for number in range(8)))
    lines = [f"  - {{query: {name}, judgments: {{a: 1}}}}\n" for name in names]
    project.cases("cases:\n" + "".join(lines))
    first, together = errors(project.run("--relevance-give-up=0"))
    assert first.title == "Error: boots"
    assert "no engine" in first.message
    assert together.title == "10 more cases"
    alike = "and 10 more cases failed alike: hats, socks"
    assert together.message.startswith(alike)


def test_a_case_of_another_file_is_annotated_there(project: Project) -> None:
    project.conftest()
    project.write("lists/queries.csv", "id,query\nq1,a b\nq2,b a\n")
    judgments = "query,document,grade\nq1,a,3\nq1,b,1\nq2,a,3\nq2,b,1\n"
    project.write("lists/judgments.csv", judgments)
    files = "queries: lists/queries.csv\njudgments: lists/judgments.csv"
    project.cases(f"min_ndcg: 0.9\n{files}\n")
    (found,) = errors(project.run())
    assert (found.place, found.title) == ("lists/queries.csv:3", 'Failed: q2 "b a"')


def test_a_check_of_a_test_in_python_is_annotated_at_the_test(project: Project) -> None:
    project.test('relevance.check("b a", ["b", "a"], {"a": 3, "b": 1}, min_ndcg=0.9)')
    (found,) = errors(project.run())
    assert found.place == "test_shop.py:4"
    assert found.message.startswith("nDCG@10 0.710, floor 0.900")


@pytest.mark.parametrize(
    ("workspace", "place"),
    [(".", "services/shop/suites/"), ("services/shop", "suites/"), ("elsewhere", None)],
)
def test_paths_are_relative_to_the_workspace(
    shop: Project,
    job: Job,
    monkeypatch: pytest.MonkeyPatch,
    workspace: str,
    place: str | None,
) -> None:
    """Below it may be the root of the project, and the folder where pytest is started;
    outside there is no place.
    """
    root = shop.path / "services/shop"
    shop.write("services/shop/suites/pytest.ini", "[pytest]\n")
    for name in ("conftest.py", "shop.relevance.yaml"):
        (shop.path / name).rename(root / "suites" / name)
    monkeypatch.chdir(root)
    job.set(GITHUB_WORKSPACE=str(shop.path / workspace))
    (found,) = errors(shop.run("suites"))
    if place is None:
        assert found.properties == {"title": "Failed: b a"}
        assert found.message.startswith(f"suites/{THAT_FAILS}: nDCG@10 0.710, floor ")
    else:
        assert found.place == f"{place}{THAT_FAILS}"


def test_a_title_and_a_message_have_their_characters_back(project: Project) -> None:
    project.search('return lambda query: ["100%: a, b", "a"]')
    case = """
        cases:
          - query: "50%0A off, now: \\r\\n::error::x"
            id: sale
            judgments: {a: {grade: 3, title: "a\\nb"}, "100%: a, b": 0}
            min_ndcg: 0.9
    """
    project.write("100%, all.relevance.yaml", case)
    (found,) = commands(project.run().text)
    assert found.place == "100%, all.relevance.yaml:2"
    assert found.title == 'Failed: sale "50%0A off, now: \\r\\n::error::x"'
    lost = ["costs most: a\\nb rank 2", "on top: 100%: a, b"]
    assert found.message.splitlines()[1:] == lost


def test_long_titles_and_messages_are_cut(shop: Project) -> None:
    shop.cases(f"cases: [{FAILING.replace('b a', 'b a ' + 'long ' * 2000)}]")
    (found,) = errors(shop.run())
    assert len(found.title) <= 120
    assert len(found.message) < 2_000


@pytest.mark.parametrize(
    "name", ["annotate_errors", "pytest_github_actions_annotate_failures"]
)
def test_another_plugin_annotates_already(shop: Project, job: Job, name: str) -> None:
    """By either name of pytest-github-actions-annotate-failures; the summary is written
    all the same.
    """
    register = f"config.pluginmanager.register(type('Other', (), {{}})(), {name!r})"
    shop.conftest(f"{WORDS}\n    def pytest_configure(config):\n        {register}\n")
    assert commands(shop.run().text) == []
    assert job.summary.count(MARK) == 1


@pytest.mark.parametrize("options", [("-qq",), ("--tb=line", "-x"), ("--no-summary",)])
def test_annotations_begin_lines_whatever_is_printed(
    shop: Project, options: tuple[str, ...]
) -> None:
    assert len(errors(shop.run(*options))) == 1


def test_annotations_where_standard_output_is_ascii(project: Project, job: Job) -> None:
    job.set(PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    project.conftest()
    case = 'query: "b Caf\u00e9", judgments: {Caf\u00e9: 3, b: 1}, min_ndcg: 0.9'
    project.cases(f"cases: [{{{case}}}]")
    run = project.run_apart()
    assert run.code == 1
    (found,) = errors(run)
    assert found.title == "Failed: b Caf\\xe9"
    assert "Traceback" not in run.result.stderr.str()


# --- text of users is no command ------------------------------------------------------

HOSTILE = """
    min_ndcg: 0.9
    scale: [0, 3]
    gates: [{mean: {nDCG@10: 0.95}}]
    cases:
      - query: "::error::quoted ##[group]x"
        id: quoted##
        note: "##[warning]note"
        tags: [head]
        judgments: {"::error::a": 3, "##[debug]b": {grade: 1, title: "##[section]title"}, c: 2}
        expect: {first: "##[error]x"}
      - {query: "##[command]x", judgments: {c: 3}}
      - {query: "::warning::x", id: warning, judgments: {c: 3}}
"""

HOSTILE_SEARCH = """
    import pytest

    @pytest.fixture(params=["bm25", "knn"])
    def search(request):
        def search(query):
            if query == "::warning::x":
                raise ValueError("##[error]boom\\n::error::boom")
            return [{"id": id, "title": "::notice::" + id} for id in ("##[debug]b", "::error::a", "##[error]z")]
        return search
"""


@pytest.fixture
def hostile(project: Project) -> Project:
    project.conftest(HOSTILE_SEARCH)
    project.cases(HOSTILE)
    return project


@pytest.mark.parametrize("options", [("-vv", "-rA"), ("-q",), ("--tb=line",)], ids=str)
def test_no_text_of_a_user_in_a_report_is_a_command(
    hostile: Project, options: tuple[str, ...]
) -> None:
    run = hostile.run("--relevance-ci=off", *options)
    text = run.summary
    if "--tb=line" not in options:
        text += run.failure("quoted##[bm25]")
    assert commands(text) == []
    assert f"##{ZERO_WIDTH}[" in text
    assert "##[" not in run.result.stderr.str()


def test_nor_in_annotations_and_markdown(hostile: Project, job: Job) -> None:
    run = hostile.run("--relevance-markdown=report.md")
    first, second, *_ = found = errors(run)
    assert first.title.endswith(" [bm25]")
    assert second.title.endswith(" [knn]")
    assert all("##[" not in f"{each.title} {each.message}" for each in found)
    assert commands(job.summary) == []
    assert commands((hostile.path / "report.md").read_text(encoding="utf-8")) == []


def test_nor_in_what_commands_print(
    hostile: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile.run("--relevance-record=run.jsonl")
    compare = ["compare", "run.jsonl", "run.jsonl", "--common"]
    for arguments in (
        ["report", "run.jsonl", "-vv"],
        ["report", "run.jsonl", "--format", "markdown"],
        [*compare, "--variants", "bm25", "knn"],
        ["merge", "run.jsonl"],
        ["check", "shop.relevance.yaml"],
    ):
        capsys.readouterr()
        main(arguments)
        output = capsys.readouterr()
        assert output.out
        assert commands(output.out) == commands(output.err) == [], arguments


def test_records_and_reports_elsewhere_keep_texts_as_they_are(
    hostile: Project, job: Job
) -> None:
    hostile.run("--relevance-record=run.jsonl")
    job.set(GITHUB_ACTIONS="")
    record = (hostile.path / "run.jsonl").read_text(encoding="utf-8")
    for text in (record, hostile.run("-v").text):
        assert "##[command]x" in text
        assert ZERO_WIDTH not in text


def test_lines_of_pytest_and_of_other_plugins_are_left_alone(hostile: Project) -> None:
    hostile.conftest(f"""{HOSTILE_SEARCH}
    def pytest_terminal_summary(terminalreporter):
        terminalreporter.write_line("::group::Logs")
    """)
    run = hostile.run("--relevance-ci=off", "-v")
    assert "group" in [each.name for each in commands(run.text)]
    error = "FAILED shop.relevance.yaml::warning[bm25] - ValueError: ##[error]boom"
    assert error in run.text


@pytest.mark.parametrize(
    "option",
    [
        "--relevance-against=##[error]x",
        "-orelevance_baseline=##[error]x",
        "--relevance-repeat=##[error]x",
        "shop.relevance.yaml::##[b]x",
    ],
)
def test_a_usage_error_of_the_plugin_holds_no_command(
    shop: Project, option: str
) -> None:
    run = shop.run(option)
    printed = run.result.stderr.str()
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert "##" in printed
    assert commands(printed) == []


@pytest.mark.parametrize(
    "arguments",
    [
        ["##[error]x"],
        ["report", "##[error]x"],
        ["check", "--##[error]x"],
        ["merge", "a\n::error::x"],
    ],
)
def test_a_usage_error_of_the_command_line_holds_no_command(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr().err
    assert "error" in printed
    assert commands(printed) == []
