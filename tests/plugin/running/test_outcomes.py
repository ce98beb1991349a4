"""What becomes of a search that ran ahead of its case: its result, exception and output
are those of its own case.
"""

import os
import re
import signal
import subprocess
import sys
import time

import pytest

from pytest_relevance import Run as Record
from tests.helpers import only_plugins
from tests.plugin.conftest import LOOPS, Run
from tests.plugin.running.conftest import INTERRUPTING, Engine, numbered
from tests.plugin.running.test_windows import MET, TWO, returning

FOUR = "--relevance-concurrency=4"

SEARCHES = {"in threads": "plain", "as tasks": "coroutine"}

all_kinds = pytest.mark.parametrize(
    "search", ["plain", "coroutine", "returns_coroutine"]
)

both_kinds = pytest.mark.parametrize("search", SEARCHES.values(), ids=SEARCHES)

BOOM = (
    "cases: [{query: q0}, {query: boom 1}, {query: q2}, {query: boom 3}, {query: q4}]"
)


def searching(body: str, search: str = "plain") -> str:
    """A search with a line before it is answered."""
    define, result = (
        ("def", search) if search == "plain" else ("async def", f"await {search}")
    )
    return f"""
    @pytest.fixture(scope="session")
    def search():
        {define} search(query):
            {body}
            return {result}(query)
        return search
"""


@both_kinds
def test_an_exception_is_raised_in_its_own_case_with_the_traceback_of_the_user(
    engine: Engine, search: str
) -> None:
    engine.searches(returning(search))
    engine.project.cases(BOOM)
    run = engine.run(TWO, "-v")
    assert run.outcomes == {
        "q0": "passed",
        "boom 1": "failed",
        "q2": "passed",
        "boom 3": "failed",
        "q4": "passed",
    }
    text = run.failure("boom 1")
    assert "no engine for boom 1" in text
    assert re.findall(r"^([\w/.]+):\d+: ", text, re.MULTILINE)[:2] == [
        "conftest.py",
        "conftest.py",
    ]
    assert "pytest_relevance" not in text
    assert "threading.py" not in text
    (error,) = {
        result.call.error.frame for result in run.results.values() if result.call.error
    }
    assert error.startswith("conftest.py:")
    assert error.endswith("in answer")


@pytest.mark.parametrize(
    ("search", "error"),
    [
        ("plain", "KeyboardInterrupt"),
        ("plain", "pytest.exit.Exception"),
        ("coroutine", "pytest.exit.Exception"),
    ],
)
def test_an_exception_that_ends_the_run_does_so_in_its_own_case(
    engine: Engine, search: str, error: str
) -> None:
    raises = f"if query == 'q1': raise {error}('over')"
    engine.searches(searching(raises, search), pause=0.05)
    engine.project.cases(numbered(8))
    run = engine.run(TWO, "--relevance-record=run.jsonl")
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert run.outcomes == {"q0": "passed"}
    assert "q7" not in engine.calls
    recorded = Record.open(engine.project.path / "run.jsonl")
    assert [
        result.id
        for result in recorded.results
        if result.evaluation.scores or result.ranking.documents
    ] == ["q0"]


OTHERS = {
    "raise SystemExit": "failed",
    "raise pytest.fail.Exception": "failed",
    "raise BaseException": "failed",
    "pytest.skip": "skipped",
    "warnings.warn": "failed",  # warnings are errors in these runs
}


@both_kinds
def test_any_other_exception_is_that_of_its_own_case(
    engine: Engine, search: str
) -> None:
    raising = "; ".join(
        f"query == 'q{number}' and fail({each!r})"
        for number, each in enumerate(OTHERS, 1)
    )
    engine.searches(
        f"    import warnings\n{searching(raising, search)}\n    def fail(how):\n        exec(how + '(str(9))')\n"
    )
    engine.project.cases(numbered(7))
    outcomes = [*engine.run(TWO).outcomes.values()]
    assert outcomes == ["passed", *OTHERS.values(), "passed"]


@both_kinds
def test_each_search_runs_in_a_copy_of_the_context(engine: Engine, search: str) -> None:
    engine.searches(
        searching("assert seen.get() == 'from the test'; seen.set(query)", search)
        + """
    import contextvars

    seen = contextvars.ContextVar("seen")
    seen.set("from the test")
"""
    )
    engine.project.cases(numbered(6))
    assert engine.run(TWO).counts == {"passed": 6}


def test_a_connection_of_sqlite_that_belongs_to_another_thread(engine: Engine) -> None:
    engine.searches("""
    import sqlite3

    @pytest.fixture(scope="session")
    def search():
        connection = sqlite3.connect(":memory:")
        connection.execute("create table shop (id)")
        yield lambda query: connection.execute("select id from shop")
        connection.close()
""")
    engine.project.cases("cases: [{query: q0}, {query: q1}]")
    run = engine.run(TWO)
    assert run.counts == {"failed": 2}
    text = run.failure("q0").replace("\n", " ")
    assert (
        "ProgrammingError: SQLite objects created in a thread can only be used in that same thread"
        in text
    )
    assert "check_same_thread=False" in text
    assert "--relevance-concurrency=1" in text
    assert engine.run().counts == {"passed": 2}


SHARED = """
    class Connection:  # as that of DuckDB: `execute` returns the connection itself
        def execute(self, query):
            meet(query)
            self.rows = [query]
            return self

        def fetchall(self):
            return [(row,) for row in self.rows]

        def __iter__(self):
            return iter(self.fetchall())
"""


def test_a_cursor_that_is_returned_to_two_searches_at_once(engine: Engine) -> None:
    engine.searches(SHARED + returning("Connection().execute"), meet=MET)
    engine.project.cases(numbered(2))
    run = engine.run(TWO)
    assert run.counts == {"failed": 2}
    assert (
        "search returned the same Connection to two searches at once: make a cursor"
        in run.failure("q0")
    )
    assert engine.run().counts == {"passed": 2}


OF_EACH_THREAD = """
    local = threading.local()

    def search_with_a_connection_of_the_thread(query):
        if not hasattr(local, "connection"):
            local.connection = Connection()
        return local.connection.execute(query)
"""


def test_what_may_be_returned_to_several_searches(engine: Engine) -> None:
    """A cursor of each thread, and one list."""
    engine.project.cases(
        "cases: [{query: q0}, {query: q1}, {query: q2}, {query: q3}, {query: q4}]"
    )
    engine.searches(
        SHARED + OF_EACH_THREAD + returning("search_with_a_connection_of_the_thread")
    )
    assert engine.run(TWO).counts == {"passed": 5}
    engine.searches(
        '    found = ["a", "b"]\n' + returning("lambda query: meet(query) or found"),
        meet=MET,
    )
    assert engine.run(TWO).counts == {"passed": 5}


def test_reruns_call_the_search_anew_and_alone(engine: Engine) -> None:
    pytest.importorskip("pytest_rerunfailures")
    engine.project.cases("cases: [{query: q0}, {query: boom}, {query: q2}]")
    assert engine.run(TWO, "--reruns=2").counts == {
        "passed": 2,
        "failed": 1,
        "rerun": 2,
    }
    assert engine.calls == {"q0": 1, "boom": 3, "q2": 1}
    assert engine.windows == [["boom", "q0", "q2"], ["boom", "boom"]]


@both_kinds
def test_repeats_call_each_search_so_often(engine: Engine, search: str) -> None:
    engine.searches(returning(search))
    engine.project.cases(numbered(3))
    run = engine.run(TWO, "--relevance-repeat=3")
    assert run.counts == {"passed": 3}
    assert engine.calls == {"q0": 3, "q1": 3, "q2": 3}
    assert [
        result.call.repeats.calls
        for result in run.results.values()
        if result.call.repeats
    ] == [3, 3, 3]


@all_kinds
def test_a_failed_search_that_ends_the_run_keeps_others_from_being_started(
    engine: Engine, search: str
) -> None:
    engine.searches(returning(search))
    engine.project.cases(numbered(8).replace("q1", "boom"))
    run = engine.run(TWO, "-x", "--relevance-record=run.jsonl")
    assert run.counts == {"passed": 1, "failed": 1}
    assert "q7" not in engine.calls
    assert set(engine.calls.values()) == {1}
    assert [
        result.id for result in Record.open(engine.project.path / "run.jsonl").results
    ] == ["q0", "boom"]


@all_kinds
def test_searches_that_were_dropped_are_made_if_the_run_goes_on(
    engine: Engine, search: str
) -> None:
    engine.searches(returning(search))
    engine.project.cases(numbered(8).replace("q1", "boom"))
    run = engine.run(TWO, "--maxfail=2")
    assert run.counts == {"passed": 7, "failed": 1}
    assert set(engine.calls.values()) == {1}


@both_kinds
def test_a_case_that_was_searched_before_the_search_is_given_up_keeps_its_result(
    engine: Engine, search: str
) -> None:
    engine.searches(returning(search))
    queries = [f"{word} {number}" for word in ("boom", "q") for number in range(10)]
    engine.project.cases(
        "cases:\n"
        + "".join(
            f"  - {{query: {query}, expect: {{first: q}}}}\n" for query in queries
        )
    )
    run = engine.run(FOUR)
    verdicts = [result.verdict for result in run.results.values()]
    assert verdicts == ["error"] * 10 + ["passed"] * 6 + ["not searched"] * 4
    assert (engine.calls["boom"], engine.calls["q"]) == (10, 6)


def test_a_case_that_was_searched_before_the_search_is_given_up_is_not_rerun(
    engine: Engine,
) -> None:
    pytest.importorskip("pytest_rerunfailures")
    engine.project.cases(
        "cases:\n" + "".join(f"  - query: boom {number}\n" for number in range(10))
    )
    run = engine.run(TWO, "--relevance-give-up=2", "--reruns=1")
    assert run.counts == {"failed": 8, "not": 2, "rerun": 2}
    assert (
        engine.calls["boom"] == 8 + 2
    )  # the window, and the reruns before the search was given up


@both_kinds
def test_what_searches_print_log_and_warn_of_is_shown_with_the_case_that_began_the_window(
    engine: Engine, search: str
) -> None:
    says = "print('out', query); __import__('logging').warning('log ' + query); warnings.warn('about ' + query)"
    engine.searches(f"    import warnings\n{searching(says, search)}")
    engine.project.cases(numbered(3))
    run = engine.run(FOUR, "-W", "default")
    first, *others = [report for report in run.reports if report.when == "call"]
    assert all(
        query in first.capstdout for query in ("q0", "q1", "q2")
    )  # threads may write into one line
    assert sorted(re.findall(r"log (.*)", first.caplog)) == ["q0", "q1", "q2"]
    assert not any(report.capstdout or report.caplog for report in others)
    assert sorted(re.findall(r"UserWarning: about (q\d)", run.text)) == [
        "q0",
        "q1",
        "q2",
    ]


WITH_LOOPS = {
    "threads": ("plain", ()),
    "own loop": ("coroutine", ()),
    "pytest-asyncio": ("coroutine", ("--asyncio-mode=auto",)),
}

with_loops = pytest.mark.parametrize(
    ("search", "options"), WITH_LOOPS.values(), ids=WITH_LOOPS
)

with_signals = pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")

BLOCKS = {
    "plain": "while not released.wait(0.01): pass",
    "coroutine": "while not released.is_set(): await asyncio.sleep(60)",
}


@with_signals
@with_loops
def test_a_timeout_drops_what_is_queued_and_names_what_is_in_flight(
    engine: Engine, search: str, options: tuple[str, ...]
) -> None:
    if options:
        pytest.importorskip("pytest_asyncio")
    waits_in = "wait" if search == "plain" else "select"
    blocks = f"""if query == "q0":
                began.set()
            if query == "old watch":
                began.wait(60)  # the threads may start in either order
                threading.Thread(target=interrupt_once_it_is_in, args=("{waits_in}",)).start()
            if query in ("q0", "old watch"):
                {BLOCKS[search]}"""
    helpers = "from shop_timeout import began, interrupt_once_it_is_in, released"
    engine.searches(f"    {helpers}\n{searching(blocks, search)}")
    engine.project.cases(
        "cases: [{query: q0}, {query: old watch}, {query: q1}, {query: q2}]"
    )
    run = engine.run(
        TWO,
        *engine.with_plugin("shop_timeout", INTERRUPTING),
        *options,
        loops=bool(options),
    )
    assert run.outcomes == {
        "q0": "failed",
        "old watch": "passed",
        "q1": "passed",
        "q2": "passed",
    }
    (said,) = re.findall(r"^searches in flight: (.*)$", run.failure("q0"), re.MULTILINE)
    queries, times = zip(
        *(query.split(" (") for query in said.split(" and ")), strict=True
    )
    assert sorted(queries) == ["old watch", "q0"]
    assert all(re.fullmatch(r"\d+\.\d s\)", time) for time in times)
    assert "E       Failed: Timeout" in run.failure("q0")
    assert run.short_summary == ["FAILED shop.relevance.yaml::q0 - Failed: Timeout"]
    assert (engine.calls["q1"], engine.calls["q2"]) == (1, 1)


@with_signals
@pytest.mark.parametrize(
    ("search", "options"),
    [WITH_LOOPS["threads"], WITH_LOOPS["pytest-asyncio"]],
    ids=["threads", "pytest-asyncio"],
)
def test_ctrl_c_drops_what_is_queued_and_names_what_is_in_flight(
    engine: Engine, search: str, options: tuple[str, ...]
) -> None:
    if options:
        pytest.importorskip("pytest_asyncio")
    engine.searches(
        returning(search), pause=600
    )  # threads that still search do not keep the process
    engine.project.cases(numbered(8))
    plugins = only_plugins(*(LOOPS if options else ()))
    process = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "pytest",
            *plugins,
            TWO,
            *options,
            "--relevance-record=run.jsonl",
        ],
        cwd=engine.project.path,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        preexec_fn=_with_ctrl_c,
    )
    deadline = time.monotonic() + 60
    while len(engine.log) < 2:  # the threads may start in either order
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    text, _ = process.communicate(timeout=60)
    assert process.returncode == pytest.ExitCode.INTERRUPTED, text
    assert sorted(engine.calls) == ["q0", "q1"]
    (named,) = re.findall(
        r"^searches in flight: (q\d) \(\d+\.\d s\) and (q\d) \(\d+\.\d s\)$",
        text,
        re.MULTILINE,
    )
    assert sorted(named) == ["q0", "q1"]
    assert "never retrieved" not in text
    assert not [
        result
        for result in Record.open(engine.project.path / "run.jsonl").results
        if result.ranking.documents
    ]


@with_signals
def test_ctrl_c_in_the_code_of_a_search_waits_for_no_other(engine: Engine) -> None:
    body = "await asyncio.sleep(600) if query == 'q0' else signal.raise_signal(signal.SIGINT)"
    handles = "signal.signal(signal.SIGINT, signal.default_int_handler)"  # a job of a shell may ignore it
    engine.searches(
        f"    import asyncio, signal\n    {handles}\n{searching(body, 'coroutine')}"
    )
    engine.project.cases(numbered(3))
    run = engine.run(TWO)
    assert (run.code, run.outcomes) == (pytest.ExitCode.INTERRUPTED, {})
    assert re.search(
        r"^searches in flight: q0 \(\d+\.\d s\) and q1 ", run.text, re.MULTILINE
    )


def _with_ctrl_c() -> None:
    """Let SIGINT interrupt this process: a job in the background of a shell ignores
    it.
    """
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def test_results_are_as_without(
    engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(
        "COLUMNS", "160"
    )  # room for latencies with their mark, which are left out
    engine.project.cases(BOOM)

    def told(run: Run) -> str:
        return re.sub(
            r"[<\d.]+ ms( \(up to 4 at a time\))?|in [\d.]+s|=+", "", run.text
        )

    assert told(engine.run(FOUR)) == told(engine.run())


ANEW = """
import pytest

@pytest.hookimpl(trylast=True)
def pytest_runtest_teardown(item, nextitem):
    if item.name == "q0":
        item.session._setupstate.teardown_exact(None)
"""


def test_a_fixture_that_is_set_up_anew_between_cases_is_searched_anew(
    engine: Engine,
) -> None:
    engine.searches("""
    made = []

    @pytest.fixture(scope="session")
    def search():
        made.append(f"made-{len(made)}")
        here = made[-1]
        return lambda query: note("begin", query) or [here]
""")
    engine.project.cases(
        "cases: [{query: q0, expect: {first: made-0}}, {query: q1, expect: {first: made-1}}]"
    )
    run = engine.run(TWO, *engine.with_plugin("shop_anew", ANEW))
    assert run.counts == {"passed": 2}
    assert engine.calls == {"q0": 1, "q1": 2}
