"""Plugins that run tests in another process, in a loop of their own, or again: what
comes of cases is as ever.
"""

import os
import re
from collections.abc import Mapping, Sequence
from textwrap import dedent

import pytest

from pytest_relevance import Run as Record
from tests.helpers import encoded
from tests.plugin.conftest import Accepted, Project, Run

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


each_runner = pytest.mark.parametrize(
    "runner",
    [
        pytest.param(
            FORKS,
            id="forks",
            marks=pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork"),
        ),
        pytest.param(LOOP, id="a loop of its own"),
    ],
)


def without_times(text: str) -> list[str]:
    return [
        re.sub(r"\s*p50 .*?ms, p95 [<\d.]+ m?s\s*", " ", line).rstrip()
        for line in text.splitlines()
    ]


def results(project: Project, name: str) -> list[Mapping[str, object]]:
    """What a record has, but for the latency and the order, which a plugin may
    change.
    """
    found = [encoded(each) for each in Record.open(project.path / name).results]
    for values in found:
        values.get("call", {}).pop("latency", None)
    return sorted(
        found,
        key=lambda each: (str(each["file"]), str(each["id"]), str(each.get("variant"))),
    )


def written_files(project: Project) -> dict[str, object]:
    baseline = project.path / "shop.relevance.yaml.baseline.jsonl"
    return {
        "record": results(project, "run.jsonl"),
        "baseline": baseline.read_text(encoding="utf-8"),
        "worklist": (project.path / "work.csv").read_text(encoding="utf-8"),
    }


WRITES = (
    "--relevance-record=run.jsonl",
    "--relevance-update",
    "--relevance-unjudged=work.csv",
)


def ran(project: Project, *options: str) -> Run:
    run = project.run_apart(*options, "--relevance-gates=require")
    assert "Traceback" not in run.result.stderr.str()
    return run


@each_runner
def test_all_is_as_without(project: Project, runner: str) -> None:
    project.conftest(dedent(SEARCH) + dedent(runner))
    project.cases(CASES)
    project.write("test_checks.py", CHECKS)
    there, found = ran(project, *WRITES), written_files(project)
    (project.path / "shop.relevance.yaml.baseline.jsonl").unlink()
    project.conftest(SEARCH)
    here = project.run(*WRITES, "--relevance-gates=require")
    assert written_files(project) == found
    assert without_times(there.summary) == without_times(here.summary)
    assert (there.code, there.counts["failed"], there.counts["passed"]) == (1, 5, 6)
    assert here.counts.items() <= there.counts.items()
    assert "gate[mean nDCG@10 0.95][words]" in there.text
    assert (
        there.failure("b a[words]").splitlines()[0]
        == "shop.relevance.yaml:6: nDCG@10 0.710 is below 0.900"
    )


@pytest.mark.skipif(not hasattr(os, "fork"), reason="os.fork")
def test_checks_in_python_alone(project: Project) -> None:
    project.conftest(FORKS)
    project.write("test_checks.py", CHECKS)
    run = ran(project, "--relevance-record=run.jsonl")
    assert run.code == 1
    assert [each["id"] for each in results(project, "run.jsonl")] == ["bad", "good"]
    assert (
        run.summary.strip()
        .splitlines()[-1]
        .startswith("2 checks: 1 passed, 1 failed; ")
    )


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
    project.cases("""
        gates: [{mean: {nDCG@10: 0.9}}]
        cases:
          - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
          - {query: boom, judgments: {boom: 3}, min_ndcg: 0.9}
          - {query: b a, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
    """)
    project.write(
        "test_checks.py",
        """
        tries = []
        def test_checks(relevance):
            tries.append(1)
            relevance.check(f"try {len(tries)}", ["a"] if len(tries) > 1 else ["x", "a"], {"a": 1}, min_ndcg=0.9)
    """,
    )
    run = project.run(
        *options,
        "--relevance-record=run.jsonl",
        "--relevance-update",
        "--junitxml=junit.xml",
    )
    assert run.code == 1
    assert Accepted(project.path / "shop.relevance.yaml.baseline.jsonl").rankings[
        "a b", None
    ] == ("a", "b")
    assert (
        project.properties("a b").items()
        >= {"verdict": "passed", "score": "1.0"}.items()
    )
    assert {
        each["id"]: (each["verdict"], each.get("outcome"))
        for each in results(project, "run.jsonl")
    } == {
        "a b": ("passed", None),
        "boom": ("passed", None),
        "b a": ("failed", None),
        "try 2": ("passed", None),
    }
    assert run.sentences("3 cases and 1 check: ") == [
        "3 cases and 1 check: 3 passed, 1 failed; mean nDCG@10 search 0.903, relevance.check 1.000; the gate is met"
    ]
    told = run.failure("b a")
    assert told.splitlines()[0] == "shop.relevance.yaml:5: nDCG@10 0.710 is below 0.900"
    assert "in call" not in told

    project.cases("""
        gates: [{passing: 0.1}]
        cases:
          - {query: a boom, judgments: {a: 3}, min_ndcg: 0.9}
          - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
    """)
    worse = project.run(*options, "shop.relevance.yaml")
    assert 'gate[passing 0.1] - 1 case ended in an error: "a boom"' in worse.text
    assert "no engine 2" in worse.failure("a boom")


# Plugins that lose what is known of cases

DROPS = """
    import pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item, nextitem):
        for report in item.config.pluginmanager.getplugin("runner").runtestprotocol(item, nextitem=nextitem, log=False):
            names = ("nodeid", "location", "keywords", "outcome", "longrepr", "when")
            report = pytest.TestReport(**{name: getattr(report, name) for name in names})
            item.ihook.pytest_runtest_logreport(report=report)
        return True
"""
SWALLOWS = """
    import pytest

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(item, nextitem):
        item.config.pluginmanager.getplugin("runner").runtestprotocol(item, nextitem=nextitem, log=False)
        return True
"""
GOOD = """
    gates: [{passing: 1}]
    expect: {results: 1}
    cases: [{query: a}, {query: b}, {query: c}, {query: d, skip: not now}]
"""
PLAIN = "import pytest\n@pytest.fixture\ndef search():\n    return str.split\n"
LOST = (
    "4 of 4 cases that were to run have no result (shop.relevance.yaml::a, shop.relevance.yaml::b, "
    "shop.relevance.yaml::c and 1 more): a plugin that runs tests elsewhere, makes reports of its own, or runs "
    "something else in the place of cases may be the cause"
)


@pytest.mark.parametrize(
    "loses", [DROPS, SWALLOWS], ids=["drops what reports carry", "swallows reports"]
)
def test_results_that_did_not_arrive_are_told(project: Project, loses: str) -> None:
    project.conftest(PLAIN + dedent(loses))
    project.cases(GOOD)
    run = project.run()
    told = " ".join(run.summary.split())
    assert (run.code, LOST in told, "so the run fails" in told) == (0, True, False)
    record = "--relevance-record=run.jsonl"
    for options, needs in (
        (("-n1", record), "--relevance-record needs"),
        (("--relevance-gates=require",), "--relevance-gates=require needs"),
        (
            (record, "--relevance-update=new"),
            "--relevance-record and --relevance-update need",
        ),
    ):
        run = project.run(*options)
        assert run.code == 1
        assert f"{LOST}; {needs} every result, so the run fails" in " ".join(
            run.summary.split()
        )
    quiet = project.run(record, "-p", "no:terminal")
    assert quiet.code == 1
    assert LOST in quiet.result.stderr.str()


def test_what_was_cut_short_or_not_chosen_or_crashed_is_not_lost(
    project: Project,
) -> None:
    ends = "pytest.exit('enough', returncode=0) if query == 'exit' else 1 / (query != 'boom') and [query]"
    project.search(f"return lambda query: {ends}")
    project.cases("cases: [{query: a}, {query: boom}, {query: exit}, {query: b}]")
    record = "--relevance-record=run.jsonl"
    for options in (
        ["-x"],
        ["--maxfail=1"],
        ["-k", "a"],
        [],
        ["--collect-only"],
        ["--setup-plan"],
        ["--sw"],
    ):
        text = project.run(record, *options, cache="--sw" in options).text
        assert "no result" not in text, options
