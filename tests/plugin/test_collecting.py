"""Which files are case files, what becomes of those with mistakes, and how items are
named. How the plugin is loaded, and which values options may have.
"""

import pytest

from tests.helpers import only_plugins
from tests.plugin.conftest import WORDS, Project, one_line

ONE_CASE = "cases: [{query: shoes, expect: {first: shoes}}]\n"


@pytest.fixture
def shop(project: Project) -> Project:
    project.conftest()
    return project


def collected(project: Project, *args: str) -> list[str]:
    """The node ids that pytest collects."""
    lines = project.run("--collect-only", "-q", *args).text.splitlines()
    return [line for line in lines if "::" in line]


# --- which files ----------------------------------------------------------------------


def test_the_files_that_are_collected_by_default(shop: Project) -> None:
    deep = "deep/er/shop.relevance.yaml"
    case_files = [deep, "shop.relevance.yaml", "shop.relevance.yml"]
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
        (["shop-relevance.yaml", "shop.Relevance.yaml", "shop.relevance.YAML"], ["-n1"]),
        (["deep/shop.yml", "relevance.yaml"], []),
    ],
)  # fmt: skip
def test_files_with_cases_that_are_passed_over_are_named_once(
    shop: Project, names: list[str], options: list[str]
) -> None:
    for name in names:
        shop.cases(f"# ours\nk: 5\n{ONE_CASE}", name)
    if options:
        shop.cases(ONE_CASE)
    beginning = f"{len(names)} files have cases and are not collected: "
    (said,) = shop.run(*options).sentences(beginning)
    assert all(name in said for name in names)
    assert "; rename them to *.relevance.yaml or *.relevance.yml" in said


def test_other_yaml_files_are_not_named(shop: Project) -> None:
    texts = (
        "jobs: []",
        "cases:\n  - name: login\n",
        "steps:\n  - cases: [{query: a}]\n",
    )
    for number, text in enumerate(texts):
        shop.cases(text, f"{number}.yaml")
    assert "relevance" not in shop.run().text.partition("collected")[2]


@pytest.mark.parametrize(
    ("name", "patterns"),
    [
        ("pytest.ini", '*.rel.yaml "shop *.yaml" cases_??.yml [a-c].yaml'),
        ("pytest.toml", '["*.rel.yaml", "shop *.yaml", "cases_??.yml", "[a-c].yaml"]'),
    ],
)
def test_the_patterns_are_a_setting(shop: Project, name: str, patterns: str) -> None:
    if name == "pytest.toml" and pytest.version_tuple < (9,):
        pytest.skip("pytest reads it from 9.0 on")
    shop.write(name, f"[pytest]\nrelevance_files = {patterns}\n")
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
    both = ["whatever.yaml::shoes", "else.yml::shoes"]
    assert collected(shop, "whatever.yaml", "else.yml") == both
    assert collected(shop, "whatever.yaml::shoes") == ["whatever.yaml::shoes"]
    assert collected(shop, ".") == []


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("compose.yaml", "- cases"),
        ("compose.yaml", "just text"),
        ("compose.yaml", ""),
        ("compose.yaml", "nested: {cases: []}"),
        ("cases.txt", ONE_CASE),
    ],
)
def test_a_file_without_cases_or_that_is_no_yaml_is_left_alone(
    shop: Project, name: str, text: str
) -> None:
    shop.cases(text, name)
    run = shop.run(name)
    assert "CaseFile" not in run.text
    assert run.counts == {}
    # as without the plugin
    codes = (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED)
    assert run.code in codes


def test_a_folder_named_like_a_case_file_is_a_folder(shop: Project) -> None:
    shop.cases(ONE_CASE, "shop.relevance.yaml/inner.relevance.yaml")
    assert collected(shop) == ["shop.relevance.yaml/inner.relevance.yaml::shoes"]


# --- mistakes -------------------------------------------------------------------------


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
          - {query: shoes, judgements: {shoes: 3}}
          - {query: boots, min_ndcg: 1.5}
          - {query: "", collapse: source}
    """)
    run = shop.run()
    assert run.counts == {"errors": 1}
    assert run.code == pytest.ExitCode.INTERRUPTED
    name = "shop.relevance.yaml:"
    lines = [line for line in run.text.splitlines() if line.startswith(name)]
    places = [line.partition(": ")[0].removeprefix(name) for line in lines]
    assert places == ["1:1", "3:20", "4:30", "5:13", "5:27"]
    assert lines[0].endswith('did you mean "min_ndcg"?')
    assert lines[1].endswith('did you mean "judgments"? (in case "shoes")')
    assert "collapse: expected true or false" in lines[4]
    assert "Traceback" not in run.text


def test_a_file_that_cannot_be_opened(shop: Project) -> None:
    (shop.path / "shop.relevance.yaml").symlink_to("nowhere.yaml")
    run = shop.run("shop.relevance.yaml")
    assert run.code != pytest.ExitCode.OK
    assert "INTERNALERROR" not in run.text


# --- names ----------------------------------------------------------------------------


def test_messages_name_files_from_where_pytest_was_started(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    case = "cases: [{query: shoes, expect: {first: boots}}]"
    shop.cases(case, "tests/search/shop.relevance.yaml")
    shop.write("pytest.ini", "[pytest]\n")
    monkeypatch.chdir(shop.path / "tests")
    run = shop.run()
    assert run.failure("shoes").startswith("search/shop.relevance.yaml:1: first: ")
    assert "\nsearch/shop.relevance.yaml  " in run.summary


def test_a_conftest_has_a_say_in_the_location_of_an_item(project: Project) -> None:
    project.conftest(f"""{WORDS}
    def pytest_collection_modifyitems(items):
        renamed, located, reported, *_ = items
        renamed.name = "another name"
        located.location = ("other.txt", 41, "a location")
        reported.reportinfo = lambda: ("reported.txt", 7, "a domain")

    def pytest_runtest_logstart(nodeid, location):
        with open("locations.txt", "a") as file:
            print(*location, sep="|", file=file)
    """)
    queries = ("shoes", "hats", "caps", "'std::x'")
    lines = [f"  - query: {query}\n" for query in queries]
    project.cases("cases:\n" + "".join(lines))
    assert project.run().counts == {"passed": 4}
    assert (project.path / "locations.txt").read_text().splitlines() == [
        "shop.relevance.yaml|1|another name",
        "other.txt|41|a location",
        "reported.txt|7|a domain",
        "shop.relevance.yaml|4|std%3A%3Ax",
    ]


def test_a_plugin_that_takes_one_case_away_takes_no_other(project: Project) -> None:
    project.conftest(f"""{WORDS}
    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(name):
        return [] if name == "shoes" else None
    """)
    project.cases("cases: [{query: shoes}, {query: hats}, {query: caps}]\n")
    names = [node.partition("::")[2] for node in collected(project)]
    assert names == ["hats", "caps"]


TWO_PARAMETERS = """
    import pytest

    @pytest.fixture(params=["a", "a-b"])
    def ranker(request):
        return request.param

    @pytest.fixture(params=["b-c", "c"])
    def index(request):
        return request.param

    @pytest.fixture
    def search(ranker, index):
        return lambda query: [ranker, index]
"""
WITH_STEPS = """
    import pytest

    def pytest_generate_tests(metafunc):
        metafunc.fixturenames.append("step")
        metafunc.parametrize("ranker", ["a", "a-b"], indirect=True)
        metafunc.parametrize("step", [1, 2], indirect=True)
        metafunc.parametrize("index", ["b-c", "c"], indirect=True)

    @pytest.fixture
    def step(request):
        return request.param

    ranker = index = step

    @pytest.fixture
    def search(ranker, index):
        return lambda query: [ranker, index]
"""
"""A parameter that the ranking does not depend on is in the middle of the name of an
item.
"""
REMEDY = "give a parameter another id: @pytest.fixture(params=[...], ids=[...])"


@pytest.mark.parametrize("options", [(), ("-n2",), ("--collect-only",)])
def test_two_items_of_a_case_with_one_name_are_an_error_that_names_both(
    project: Project, options: tuple[str, ...]
) -> None:
    """A result of one would be lost."""
    project.conftest(TWO_PARAMETERS)
    project.cases("gates: [{passing: 1}]\ncases: [{query: q, expect: {first: a}}]")
    run = project.run(*options)
    assert run.code != 0
    items = 'shop.relevance.yaml: two items of case "q" have the name "q[a-b-c]": '
    both = "ranker=a, index=b-c and ranker=a-b, index=c; "
    assert f"{items}{both}{REMEDY}" in run.text


def test_two_variants_of_a_case_with_one_name_are_an_error_too(
    project: Project,
) -> None:
    """Also if another parameter tells the items apart."""
    project.conftest(WITH_STEPS)
    project.cases("cases: [{query: q}]")
    variants = 'shop.relevance.yaml: two variants of case "q" have the name "a-b-c": '
    both = "ranker=a, step=1, index=b-c and ranker=a-b, step=1, index=c; "
    assert f"{variants}{both}{REMEDY}" in project.run().text


def test_variants_with_names_of_their_own_are_collected(project: Project) -> None:
    project.conftest(TWO_PARAMETERS.replace('"b-c", "c"', '"b-c", "d"'))
    project.cases("cases: [{query: q}, {query: r}]")
    assert project.run().counts == {"passed": 8}


def test_two_files_with_one_node_id_are_an_error(project: Project) -> None:
    """pytest names files outside of its root folder by the argument they are found
    in.
    """
    for folder in ("first", "second"):
        project.write(f"{folder}/conftest.py", WORDS)
        project.cases("cases: [{query: q}]", f"{folder}/shop.relevance.yaml")
    (project.path / "root").mkdir()
    run = project.run(f"--rootdir={project.path}/root", "first", "second")
    assert "have the same node id" in run.text
    assert "run pytest with a --rootdir that holds both" in run.text


# --- options --------------------------------------------------------------------------


def test_the_options_are_listed(shop: Project) -> None:
    text = shop.run("--help").text
    assert "--relevance-inconclusive={fail,skip,pass}" in text
    assert "relevance_files (args):" in text


URL = "relevance_page_url is the address of the HTML report"
SECRET = "relevance_redact is a regular expression for names, such as token|secret; found 'token|(secret': missing )"
CALLS = "argument --relevance-repeat: call each search 2 times or more, to see whether its ranking changes; found"


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("-orelevance_baseline=always", "relevance_baseline is auto or require, found 'always'"),
        ("-orelevance_known=pass", "relevance_known is fail or xfail, found 'pass'"),
        ("-orelevance_tolerance=1.5", "relevance_tolerance is a number from 0 to 1, found 1.5"),
        ("-orelevance_tolerance=nan", "relevance_tolerance is a number from 0 to 1, found nan"),
        ("-orelevance_look_deeper=perhaps", "relevance_look_deeper is true or false: invalid truth value 'perhaps'"),
        ("-orelevance_files=cases/*.yaml", "relevance_files are patterns for file names, without folders, found: cases/*"),
        ("-orelevance_redact=token|(secret", SECRET),
        ("-orelevance_page_url=report.html", URL),
        ("-orelevance_page_url=javascript:alert(1)", URL),
        ("-orelevance_page_url=https://a.b/c) [click](https://d", URL),
        ("-orelevance_concurrency=-1", "1 or more; found '-1'"),
        ("-orelevance_batch=1.5", "1 or more; found '1.5'"),
        ("-orelevance_give_up=-1", "or 0 to search on whatever fails; found '-1'"),
        ("--relevance-concurrency=1.5", "1 or more; found '1.5'"),
        ("--relevance-inconclusive=maybe", "argument --relevance-inconclusive: invalid choice: 'maybe'"),
        ("--relevance-repeat=1", f"{CALLS} '1'"),
        ("--relevance-repeat=-1", f"{CALLS} '-1'"),
        ("--relevance-repeat=2.5", f"{CALLS} '2.5'"),
    ],
)  # fmt: skip
def test_values_that_an_option_may_not_have(
    shop: Project, option: str, message: str
) -> None:
    run = shop.run(option)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    assert message in run.result.stderr.str()


# --- loading --------------------------------------------------------------------------

FAILING = "cases: [{query: boots, expect: {first: shoes}}]"


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-p", "pytest_relevance"], ""),
        (["-p", "pytest_relevance.plugin"], ""),
        (["-p", "relevance"], ""),
        ([], '    pytest_plugins = ["pytest_relevance"]\n'),
    ],
)
def test_every_name_of_the_package_loads_the_plugin(
    project: Project, monkeypatch: pytest.MonkeyPatch, options: list[str], names: str
) -> None:
    """Where pytest loads no installed plugin by itself."""
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    project.conftest(names + WORDS)
    project.cases(FAILING)
    run = project.run_apart(*options, "--relevance-record=run.jsonl")
    assert "FAILED shop.relevance.yaml::boots" in run.text
    assert (project.path / "run.jsonl").is_file()


def test_the_name_of_the_package_does_no_harm_where_pytest_loads_the_plugin_itself(
    shop: Project,
) -> None:
    shop.cases(ONE_CASE)
    assert "1 passed" in shop.run_apart("-p", "pytest_relevance").text


@pytest.mark.parametrize("extension", ["concurrency", "html", "judging", "markdown"])
def test_a_run_does_without_an_extension(shop: Project, extension: str) -> None:
    shop.cases(ONE_CASE)
    blocked = f"no:pytest_relevance.ext.{extension}.plugin"
    run = shop.run("-p", blocked, "--relevance-record=run.jsonl")
    assert (run.code, len(run.results)) == (0, 1)


# --- pytest-testmon, which does not see changes of judgments --------------------------

SUITE = "judgments: judgments.csv\nmin_ndcg: 0.5\ncases: [{query: a}]\n"
REFUSED = "pytest-testmon is active, and it does not see changes to judgments"
STANDS_IN = """
    import pytest

    class Select:
        def pytest_ignore_collect(self, collection_path, config):
            return True if collection_path.suffix == ".yaml" else None

    class Settings:
        select = True

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


def test_a_case_file_that_pytest_testmon_would_leave_out_is_an_error(
    project: Project,
) -> None:
    project.write("judgments.csv", "query,doc_id,grade\na,b,1\n")
    project.cases(SUITE)
    project.conftest(STANDS_IN)
    run = project.run()
    assert run.counts == {"errors": 1}
    assert REFUSED in one_line(run.text)
    project.write("judgments.csv", "query,doc_id,grade\na,a,1\n")
    sorts_only = STANDS_IN.replace("select = True", "select = False")
    project.conftest(sorts_only.replace('".yaml"', '".none"'))
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
