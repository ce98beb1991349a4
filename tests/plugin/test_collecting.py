"""Which files are case files, and what becomes of those with mistakes."""

from textwrap import dedent

import pytest

from tests.plugin.conftest import WORDS, Project

ONE_CASE = "cases: [{query: shoes, expect: {first: shoes}}]\n"


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest()
    return project


def collected(project: Project, *args: str) -> list[str]:
    """The node ids that pytest collects."""
    return [
        line
        for line in project.run("--collect-only", "-q", *args).text.splitlines()
        if "::" in line
    ]


def test_the_files_that_are_collected_by_default(shop: Project) -> None:
    case_files = [
        "deep/er/shop.relevance.yaml",
        "shop.relevance.yaml",
        "shop.relevance.yml",
    ]
    others = [
        "shop.yaml",
        "relevance.yaml",
        "shop.relevance.yaml.txt",
        "shop.relevance.json",
    ]
    for name in (*case_files, *others):
        shop.cases(ONE_CASE, name)
    assert sorted(collected(shop)) == [f"{name}::shoes" for name in case_files]


@pytest.mark.parametrize(
    ("names", "options"),
    [
        (
            ("shop-relevance.yaml", "shop.Relevance.yaml", "shop.relevance.YAML"),
            ("-n1",),
        ),
        (("deep/shop.yml", "relevance.yaml"), ()),
    ],
)
def test_files_with_cases_that_are_passed_over_are_named_once(
    shop: Project, names: tuple[str, ...], options: tuple[str, ...]
) -> None:
    for name in names:
        shop.cases(f"# ours\nk: 5\n{ONE_CASE}", name)
    if options:
        shop.cases(ONE_CASE)
    (said,) = shop.run(*options).sentences(
        f"{len(names)} files have cases and are not collected: "
    )
    assert all(name in said for name in names)
    assert "; rename them to *.relevance.yaml or *.relevance.yml" in said


def test_other_yaml_files_are_not_named(shop: Project) -> None:
    for number, text in enumerate(
        ("jobs: []", "cases:\n  - name: login\n", "steps:\n  - cases: [{query: a}]\n")
    ):
        shop.cases(text, f"{number}.yaml")
    assert "relevance" not in shop.run().text.partition("collected")[2]


@pytest.mark.parametrize(
    ("name", "settings"),
    [
        (
            "pytest.ini",
            '[pytest]\nrelevance_files = *.rel.yaml "shop *.yaml" cases_??.yml [a-c].yaml\n',
        ),
        (
            "pytest.toml",
            '[pytest]\nrelevance_files = ["*.rel.yaml", "shop *.yaml", "cases_??.yml", "[a-c].yaml"]\n',
        ),
    ],
)
def test_the_patterns_are_a_setting(shop: Project, name: str, settings: str) -> None:
    if name == "pytest.toml" and pytest.version_tuple < (9,):
        pytest.skip("pytest reads it from 9.0 on")
    shop.write(name, settings)
    chosen = ["b.yaml", "cases_01.yml", "shop one.yaml", "x.rel.yaml"]
    for file in (*chosen, "cases_001.yml", "d.yaml", "x.relevance.yaml"):
        shop.cases(ONE_CASE, file)
    assert sorted(collected(shop)) == [f"{file}::shoes" for file in chosen]


def test_no_patterns_collect_nothing_by_name(shop: Project) -> None:
    shop.write("pytest.ini", "[pytest]\nrelevance_files =\n")
    shop.cases(ONE_CASE)
    assert collected(shop) == []
    assert collected(shop, "shop.relevance.yaml") == ["shop.relevance.yaml::shoes"]


def test_a_yaml_file_named_on_the_command_line_is_collected_for_its_cases(
    shop: Project,
) -> None:
    shop.cases(ONE_CASE, "whatever.yaml")
    shop.cases("k: 5\n# below the defaults\n" + ONE_CASE, "else.yml")
    assert collected(shop, "whatever.yaml", "else.yml") == [
        "whatever.yaml::shoes",
        "else.yml::shoes",
    ]
    assert collected(shop, "whatever.yaml::shoes") == ["whatever.yaml::shoes"]
    assert collected(shop, ".") == []


def test_a_file_without_cases_or_that_is_no_yaml_is_left_alone(shop: Project) -> None:
    texts = ("- cases", "just text", "", "nested: {cases: []}")
    for name, text in (
        *(("compose.yaml", text) for text in texts),
        ("cases.txt", ONE_CASE),
    ):
        shop.cases(text, name)
        run = shop.run(name)
        assert ("CaseFile" in run.text, run.counts) == (False, {})
        assert run.code in (
            pytest.ExitCode.USAGE_ERROR,
            pytest.ExitCode.NO_TESTS_COLLECTED,
        )  # as without the plugin


def test_a_broken_yaml_file_named_on_the_command_line_shows_its_mistake(
    shop: Project,
) -> None:
    for name, head in (("one.yaml", "tags: [a"), ("two.yaml", "\tx: 1")):
        shop.cases(f"{head}\ncases:\n  - query: shoes\n", name)
    run = shop.run("one.yaml", "two.yaml")
    assert run.counts == {"errors": 2}
    assert "one.yaml:" in run.text
    assert "two.yaml:" in run.text
    assert "Traceback" not in run.text


def test_all_the_mistakes_of_a_file_are_one_collection_error(shop: Project) -> None:
    shop.cases("""
        min_ndgc: 0.5
        cases:
          - query: shoes
            judgements: {shoes: 3}
          - query: boots
            min_ndcg: 1.5
          - query: ""
    """)
    run = shop.run()
    assert run.counts == {"errors": 1}
    assert run.code == pytest.ExitCode.INTERRUPTED
    lines = [
        line
        for line in run.text.splitlines()
        if line.startswith("shop.relevance.yaml:")
    ]
    assert [line.partition(": ")[0] for line in lines] == [
        "shop.relevance.yaml:1:1",
        "shop.relevance.yaml:4:5",
        "shop.relevance.yaml:6:15",
        "shop.relevance.yaml:7:12",
    ]
    assert lines[0].endswith('did you mean "min_ndcg"?')
    assert lines[1].endswith('did you mean "judgments"? (in case "shoes")')
    assert "Traceback" not in run.text


def test_a_file_that_cannot_be_opened(shop: Project) -> None:
    (shop.path / "shop.relevance.yaml").symlink_to("nowhere.yaml")
    run = shop.run("shop.relevance.yaml")
    assert run.code != pytest.ExitCode.OK
    assert "INTERNALERROR" not in run.text


def test_a_folder_named_like_a_case_file_is_a_folder(shop: Project) -> None:
    shop.cases(ONE_CASE, "shop.relevance.yaml/inner.relevance.yaml")
    assert collected(shop) == ["shop.relevance.yaml/inner.relevance.yaml::shoes"]


def test_messages_name_files_from_where_pytest_was_started(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.cases(
        "cases: [{query: shoes, expect: {first: boots}}]",
        "tests/search/shop.relevance.yaml",
    )
    shop.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(shop.path / "tests")
    run = shop.run()
    assert run.failure("shoes").startswith("search/shop.relevance.yaml:1: first: ")
    assert run.summary.startswith("search/shop.relevance.yaml  ")


NAMING = """
    def pytest_collection_modifyitems(items):
        renamed, located, reported, *_ = items
        renamed.name = "another name"
        located.location = ("other.txt", 41, "a location")
        reported.reportinfo = lambda: ("reported.txt", 7, "a domain")

    def pytest_runtest_logstart(nodeid, location):
        with open("locations.txt", "a") as file:
            print(*location, sep="|", file=file)
"""


def test_a_conftest_has_a_say_in_the_location_of_an_item(project: Project) -> None:
    project.conftest(f"{dedent(WORDS)}{dedent(NAMING)}")
    project.cases(
        "cases:\n"
        + "- {query: shoes}\n- {query: hats}\n- {query: caps}\n- {query: 'std::x'}\n"
    )
    assert project.run().counts == {"passed": 4}
    assert (project.path / "locations.txt").read_text().splitlines() == [
        "shop.relevance.yaml|1|another name",
        "other.txt|41|a location",
        "reported.txt|7|a domain",
        "shop.relevance.yaml|4|std%3A%3Ax",
    ]


def test_the_options_are_listed(shop: Project) -> None:
    text = shop.run("--help").text
    assert "--relevance-inconclusive={fail,skip,pass}" in text
    assert "relevance_files (args):" in text


SECRET = "relevance_redact is a regular expression for names, such as token|secret; found 'token|(secret': missing )"
CALLS = "argument --relevance-repeat: call each search 2 times or more, to see whether its ranking changes; found "
REFUSED = {
    "-orelevance_baseline=always": "relevance_baseline is auto or require, found 'always'",
    "-orelevance_known=pass": "relevance_known is fail or xfail, found 'pass'",
    "-orelevance_tolerance=1.5": "relevance_tolerance is a number from 0 to 1, found 1.5",
    "-orelevance_tolerance=nan": "relevance_tolerance is a number from 0 to 1, found nan",
    "-orelevance_files=cases/*.yaml": "relevance_files are patterns for file names, without folders, found: cases/*",
    "-orelevance_redact=token|(secret": SECRET,
    "-orelevance_page_url=report.html": "relevance_page_url is the address of the HTML report",
    "-orelevance_page_url=javascript:alert(1)": "relevance_page_url is the address of the HTML report",
    "-orelevance_page_url=https://a.b/c) [click](https://d": "relevance_page_url is the address of the HTML report",
    "-orelevance_concurrency=-1": "1 or more; found '-1'",
    "-orelevance_batch=1.5": "1 or more; found '1.5'",
    "-orelevance_give_up=-1": "or 0 to search on whatever fails; found '-1'",
    "--relevance-concurrency=1.5": "1 or more; found '1.5'",
    "--relevance-inconclusive=maybe": "argument --relevance-inconclusive: invalid choice: 'maybe'",
    **{
        f"--relevance-repeat={times}": f"{CALLS}'{times}'"
        for times in ("1", "-1", "2.5")
    },
}


def test_values_that_an_option_may_not_have(shop: Project) -> None:
    for option, message in REFUSED.items():
        run = shop.run(option)
        assert run.code == pytest.ExitCode.USAGE_ERROR
        assert message in run.result.stderr.str()
