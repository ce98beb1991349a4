"""Plugins that run tests in another process, in a loop of their own, in another order,
or again: what comes of cases is as ever.
"""

import os
import re
from collections.abc import Sequence
from textwrap import dedent

import pytest

from tests.helpers import encoded
from tests.plugin.conftest import Accepted, Project
from tests.plugin.shop import BASELINE, UPDATE

SEARCH = """
    import pytest

    @pytest.fixture(params=["words", "backwards"])
    def search(request):
        def search(query):
            if query == "boom":
                raise ConnectionError("no engine")
            return query.split()[:: 1 if request.param == "words" else -1]
        return search
"""
CASES = """
    gates:
      - mean: {nDCG@10: 0.95}
      - passing: 0.1
    cases:
      - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9, tags: [head]}
      - {query: b a, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: a c é, judgments: {a: 3, c: 1}}
      - {query: c, skip: no c}
      - {query: d e, judgments: {e: 1}, min_ndcg: 1, xfail: not yet}
"""
CHECKS = """
    def test_checks(relevance):
        relevance.check("good", ["a", "x"], {"a": 1}, min_ndcg=0.5)
        relevance.check("bad", ["x", "a"], {"a": 1}, min_ndcg=0.9)
"""

FORKS = """
    import marshal
    import os
    import tempfile

    import pytest

    def values_of(report):
        shown = report.longrepr
        text = str(shown) if hasattr(shown, "toterminal") else shown
        values = {name: value for name, value in vars(report).items() if name[0] != "_"}
        return {**values, "nodeid": report.nodeid, "longrepr": text}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item, nextitem):
        item.ihook.pytest_runtest_logstart(nodeid=item.nodeid, location=item.location)
        with tempfile.TemporaryFile() as file:
            child = os.fork()
            if child == 0:
                runner = item.config.pluginmanager.getplugin("runner")
                reports = runner.runtestprotocol(item, nextitem=nextitem, log=False)
                marshal.dump([values_of(report) for report in reports], file)
                file.flush()
                os._exit(0)
            os.waitpid(child, 0)
            file.seek(0)
            for values in marshal.load(file):
                item.ihook.pytest_runtest_logreport(report=pytest.TestReport(**values))
        item.ihook.pytest_runtest_logfinish(nodeid=item.nodeid, location=item.location)
        return True
"""
"""Each item in a child of its own, which logs nothing and sends its reports back as
pytest-forked does.
"""

LOOP = """
    import pytest

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtestloop(session):
        before, session.config.option.collectonly = session.config.option.collectonly, True
        yield
        session.config.option.collectonly = before
        if not before:
            for item, after in zip(session.items, [*session.items[1:], None]):
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=after)
"""
"""A loop around that of pytest, which is told that it only collects, as
pytest-asyncio-cooperative does.
"""

RETRIES = """
    import pytest

    @pytest.hookimpl(hookwrapper=True, tryfirst=True)
    def pytest_runtest_makereport(item, call):
        report = (yield).get_result()
        if report.when == "call" and report.failed:
            report.outcome = "retried"
            item.ihook.pytest_runtest_logreport(report=report)
            item.ihook.pytest_runtest_teardown(item=item, nextitem=pytest.Class.from_parent(item.session, name="No"))
            item._initrequest()
            item.ihook.pytest_runtest_setup(item=item)
            again = pytest.CallInfo.from_call(lambda: item.ihook.pytest_runtest_call(item=item), when="call")
            last = pytest.TestReport.from_item_and_call(item, again)
            report.outcome, report.longrepr = last.outcome, last.longrepr

    def pytest_report_teststatus(report):
        if report.outcome == "retried":
            return "retried", "R", "RETRIED"
"""
"""Each item once more where it failed, before its report is let go of, as pytest-retry
does.
"""

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork")


def without_times(text: str) -> list[str]:
    latency = r"\s*(p50 .*?ms, )?max [<\d.]+ m?s\s*"
    return [re.sub(latency, " ", line).rstrip() for line in text.splitlines()]


def written_files(project: Project) -> list[object]:
    """The record without latencies and its order, which a plugin may change, and the
    other files.
    """
    results = [encoded(each) for each in project.recorded().results]
    for values in results:
        values.get("call", {}).pop("latency", None)
    results.sort(key=lambda each: (each["file"], each["id"], each.get("variant", "")))
    files = [project.path / name for name in (BASELINE, "work.csv")]
    return [*results, *(file.read_text(encoding="utf-8") for file in files)]


WRITES = ("--relevance-record=run.jsonl", UPDATE, "--relevance-unjudged=work.csv")
REQUIRE = "--relevance-gates=require"


@pytest.mark.parametrize(
    "runner",
    [pytest.param(FORKS, id="forks", marks=needs_fork), pytest.param(LOOP, id="loop")],
)
def test_all_is_as_without(project: Project, runner: str) -> None:
    project.conftest(dedent(SEARCH) + dedent(runner))
    project.cases(CASES)
    project.write("test_checks.py", CHECKS)
    there = project.run_apart(*WRITES, REQUIRE)
    files = written_files(project)
    (project.path / BASELINE).unlink()
    project.conftest(SEARCH)
    here = project.run(*WRITES, REQUIRE)
    assert written_files(project) == files
    assert without_times(there.summary) == without_times(here.summary)
    assert (there.code, there.counts["failed"], there.counts["passed"]) == (1, 5, 6)
    assert here.counts.items() <= there.counts.items()
    assert "gate[mean nDCG@10 0.95][words]" in there.text
    below = "shop.relevance.yaml:6: nDCG@10 0.710 is below 0.900"
    assert there.failure("b a[words]").splitlines()[0] == below
    assert "Traceback" not in there.result.stderr.str()


@needs_fork
def test_checks_in_python_alone(project: Project) -> None:
    project.conftest(FORKS)
    project.write("test_checks.py", CHECKS)
    run = project.run_apart("--relevance-record=run.jsonl")
    assert run.code == 1
    assert "Traceback" not in run.result.stderr.str()
    assert {each.id for each in project.recorded().results} == {"bad", "good"}
    assert "2 checks: 1 passed, 1 failed; " in run.summary


CALLS = """
    import pytest

    @pytest.fixture(scope="session")
    def calls():
        return []

    @pytest.fixture
    def search(calls):
        def search(query):
            calls.append(query)
            first = calls.count(query) == 1
            if query in ("boom", "a boom") and first == (query == "boom"):
                raise ConnectionError(f"no engine {calls.count(query)}")
            return ["x", *query.split()] if first else query.split()
        return search
"""
TRIES = """
    tries = []

    def test_checks(relevance):
        tries.append(1)
        found = ["a"] if len(tries) > 1 else ["x", "a"]
        relevance.check(f"try {len(tries)}", found, {"a": 1}, min_ndcg=0.9)
"""


@pytest.mark.parametrize(
    ("conftest", "options"),
    [(RETRIES, ()), ("", ("--reruns=1",))],
    ids=["retries", "reruns"],
)
def test_the_last_attempt_counts(
    project: Project, conftest: str, options: Sequence[str]
) -> None:
    if options:
        pytest.importorskip("pytest_rerunfailures")
    project.conftest(dedent(CALLS) + dedent(conftest))
    judged = "judgments: {a: 3, b: 1}, min_ndcg: 0.9"
    project.cases(f"""
        gates: [{{mean: {{nDCG@10: 0.9}}}}]
        cases:
          - {{query: a b, {judged}}}
          - {{query: boom, judgments: {{boom: 3}}, min_ndcg: 0.9}}
          - {{query: b a, {judged}}}
    """)
    project.write("test_checks.py", TRIES)
    run = project.run(
        *options, "--relevance-record=run.jsonl", UPDATE, "--junitxml=junit.xml"
    )
    assert run.code == 1
    again = "3 tests passed only when they were run again (shop.relevance.yaml::a b"
    assert again in run.said
    accepted = Accepted(project.path / BASELINE).rankings
    assert accepted["a b", None] == ("a", "b")
    properties = project.properties("a b")
    assert (properties["verdict"], properties["score"]) == ("passed", "1.0")
    assert {each.id: each.verdict for each in project.recorded().results} == {
        "a b": "passed",
        "boom": "passed",
        "b a": "failed",
        "try 2": "passed",
    }
    counts = "3 cases and 1 check: 3 passed, 1 failed; mean nDCG@10 search 0.903"
    assert f"{counts}, relevance.check 1.000" in run.said
    told = run.failure("b a")
    assert told.splitlines()[0] == "shop.relevance.yaml:5: nDCG@10 0.710 is below 0.900"
    assert "in call" not in told

    boom = "{query: a boom, judgments: {a: 3}, min_ndcg: 0.9}"
    project.cases(
        f"gates: [{{passing: 0.1}}]\ncases: [{boom}, {{query: a b, {judged}}}]"
    )
    worse = project.run(*options, "shop.relevance.yaml")
    assert 'gate[passing 0.1] - 1 case ended in an error: "a boom"' in worse.text
    assert "no engine 2" in worse.failure("a boom")


SHUFFLES = """
    import random
    import pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection_modifyitems(items):
        random.Random({seed}).shuffle(items)

    @pytest.fixture(params=["one", "two"])
    def search(request):
        return lambda query: ["x", query]
"""


def test_reports_do_not_depend_on_the_order_of_the_tests(project: Project) -> None:
    """All cases fail with one score, so that nothing but their order decides which is
    told first.
    """
    lines = [f"{{query: {query}, judgments: {{{query}: 1}}}}" for query in "abcd"]
    for name in ("shop", "help"):
        suite = f"min_ndcg: 0.9\ncases: [{', '.join(lines)}]"
        project.cases(suite, f"{name}.relevance.yaml")
    project.test('relevance.check("q", ["a"], {"a": 1})')
    told = set()
    for seed, options in enumerate(((), (), ("-n2",))):
        project.conftest(SHUFFLES.format(seed=seed))
        markdown = project.reports(*options).markdown
        told.add(re.sub(r"<?[\d.]+ ms", "0 ms", markdown))
    assert len(told) == 1


# --- plugins that lose what is known of cases -----------------------------------------

SWALLOWS = """
    import pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item, nextitem):
        runner = item.config.pluginmanager.getplugin("runner")
        for report in runner.runtestprotocol(item, nextitem=nextitem, log=False):
            pass
        return True
"""
DROPS = SWALLOWS.replace(
    "            pass",
    """
            names = ("nodeid", "location", "keywords", "outcome", "longrepr", "when")
            report = pytest.TestReport(**{name: getattr(report, name) for name in names})
            item.ihook.pytest_runtest_logreport(report=report)
    """,
)
LOST = (
    "4 of 4 cases that were to run have no result (shop.relevance.yaml::a, shop.relevance.yaml::b, "
    "shop.relevance.yaml::c and 1 more): a plugin that runs tests elsewhere, makes reports of its own, or runs "
    "something else in the place of cases may be the cause"
)
RECORD = "--relevance-record=run.jsonl"


def lossy(project: Project, loses: str) -> Project:
    search = "import pytest\n@pytest.fixture\ndef search():\n    return str.split\n"
    project.conftest(search + dedent(loses))
    project.cases("""
        gates: [{passing: 1}]
        expect: {results: 1}
        cases: [{query: a}, {query: b}, {query: c}, {query: d, skip: not now}]
    """)
    return project


@pytest.mark.parametrize(
    ("loses", "workers"),
    [(DROPS, ["-n1"]), (SWALLOWS, [])],
    ids=["drops what reports carry", "swallows reports"],
)
def test_results_that_did_not_arrive_are_told(
    project: Project, loses: str, workers: list[str]
) -> None:
    run = lossy(project, loses).run()
    assert run.code == 0
    assert LOST in run.said
    assert "so the run fails" not in run.said
    for options, needs in (
        ([*workers, RECORD], "--relevance-record needs"),
        ([REQUIRE], "--relevance-gates=require needs"),
        ([RECORD, f"{UPDATE}=new"], "--relevance-record and --relevance-update need"),
    ):
        run = project.run(*options)
        assert run.code == 1
        assert f"{LOST}; {needs} every result, so the run fails" in run.said
    quiet = project.run(RECORD, "-p", "no:terminal")
    assert quiet.code == 1
    assert LOST in quiet.result.stderr.str()


def test_a_plugin_that_runs_something_else_in_the_place_of_cases(
    project: Project,
) -> None:
    runs = "def pytest_pyfunc_call(pyfuncitem):\n    return True\n"
    lossy(project, runs).cases("cases: [{query: a}, {query: b}, {query: c}]")
    run = project.run()
    assert run.counts == {"passed": 3}
    assert run.sentences("no case was searched: 3 cases were to run")
    run = project.run(RECORD)
    assert run.code == pytest.ExitCode.TESTS_FAILED
    lost = "3 of 3 cases that were to run have no result (shop.relevance.yaml::a, "
    assert lost in run.said


def test_what_was_cut_short_or_not_chosen_is_not_lost(project: Project) -> None:
    ends = "pytest.exit('enough', returncode=0) if query == 'exit' else 1 / (query != 'boom') and [query]"
    project.search(f"return lambda query: {ends}")
    project.cases("cases: [{query: a}, {query: boom}, {query: exit}, {query: b}]")
    cut_short = ("-x", "--maxfail=1", "-v", "--sw")
    for option in (*cut_short, "-ka", "--collect-only", "--setup-plan"):
        run = project.run(RECORD, option, cache=option == "--sw")
        assert "no result" not in run.text, option
