"""`--relevance-concurrency=N`: which cases are searched together, how many at a time,
each once.
"""

import re
from collections.abc import Sequence

import pytest

from pytest_relevance import Run as Record
from pytest_relevance.cli import main
from tests.plugin.running.conftest import PLAIN, Engine, numbered

TWO = "--relevance-concurrency=2"

KINDS = {
    "plain function": "plain",
    "coroutine function": "coroutine",
    "plain function that returns a coroutine": "returns_coroutine",
}

LOOPS: dict[str, tuple[str, ...]] = {
    "own loop": (),
    "pytest-asyncio strict": ("--asyncio-mode=strict",),
    "pytest-asyncio auto": ("--asyncio-mode=auto",),
}

ANYIO = """
    @pytest.fixture(scope="session")
    def anyio_backend():
        return "{backend}"

    @pytest.fixture(scope="session")
    def search(anyio_backend):
        return {search}

    async def wait(query):
        import anyio

        note("begin", query)
        await anyio.sleep(0.01)
        note("end", query)
        return query.split()

    async def fail(query):
        note("begin", query)
        raise ConnectionError("no engine")

    class Many:
        async def many(self, queries):
            note("batch", *queries)
            return [await wait(query) for query in queries]
"""


MET = ("q0", "q1")
"""The first two queries, which are searched at the same time where two are."""


def returning(value: str, scope: str = "session") -> str:
    return f"""
    @pytest.fixture(scope="{scope}")
    def search():
        return {value}
"""


@pytest.mark.parametrize("search", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("loop", LOOPS)
def test_the_first_case_of_a_window_runs_its_searches(
    engine: Engine, search: str, loop: str
) -> None:
    engine.searches(returning(search), pause=0.03, meet=MET)
    engine.project.cases(numbered(12))
    run = engine.run(TWO, *LOOPS[loop], loops=loop != "own loop")
    assert run.counts == {"passed": 12}
    assert engine.most == 2
    assert engine.windows == [
        sorted(f"q{number}" for number in range(8)),
        ["q10", "q11", "q8", "q9"],
    ]
    assert set(engine.calls.values()) == {1}
    assert all((result.call.latency or 0) >= 0.03 for result in run.results.values())


@pytest.mark.parametrize("search", ["plain", "wait", "returns_coroutine"])
def test_under_anyio(engine: Engine, search: str) -> None:
    pytest.importorskip("anyio")
    engine.searches(ANYIO.format(backend="asyncio", search=search), meet=MET)
    engine.project.cases(numbered(6))
    assert engine.run(TWO, "-p", "no:asyncio", loops=True).counts == {"passed": 6}
    assert (engine.most, len(engine.windows), set(engine.calls.values())) == (2, 1, {1})


def test_the_ini_key(engine: Engine) -> None:
    engine.project.cases(numbered(4))
    engine.run("-o", "relevance_concurrency=4")
    assert engine.windows == [["q0", "q1", "q2", "q3"]]
    for options in (("-o", "relevance_concurrency=4", "--relevance-concurrency=1"), ()):
        assert engine.run(*options).counts == {"passed": 4}
        assert engine.windows == [["q0"], ["q1"], ["q2"], ["q3"]]


MARKED = """
    def pytest_collection_modifyitems(items):
        marks = {"marked": "skip", "perhaps": pytest.mark.skipif(True, reason="not now")}
        marks["unrun"] = pytest.mark.xfail(run=False)
        for item in items:
            if item.name in marks:
                item.add_marker(marks[item.name])
"""

CLEANING = """
    @pytest.fixture
    def clean_cache():
        yield
"""

OF_A_FILE = """
    @pytest.fixture(autouse=True, scope="module")
    def index():
        note("index", "made")
"""

OF_THE_SESSION = """
    @pytest.fixture(scope="session")
    def synonyms():
        note("synonyms", "loaded")
"""

ADDED = """
    @pytest.fixture
    def fresh():
        pass

    @pytest.fixture(scope="session")
    def index():
        pass

    def pytest_collection_modifyitems(items):
        for item in items:
            item.fixturenames.append("fresh" if "cleared" in item.name else "index")
"""

TOGETHER = {
    "not a case that looks at its latency, nor one that is skipped": (
        PLAIN + MARKED,
        "q0}, {query: timed, expect: {latency: 1 s}}, {query: q1}, {query: skipped, skip: not now}, {query: marked}, "
        "{query: perhaps}, {query: unrun}, {query: q2",
        [["q0", "q1", "q2"], ["timed"]],
    ),
    "not a case with a fixture of function scope": (
        PLAIN + CLEANING,
        "q0}, {query: q1}, {query: q2, usefixtures: [clean_cache]}, {query: q3}, {query: q4",
        [["q0", "q1"], ["q2"], ["q3", "q4"]],
    ),
    "a case with a fixture of pytest itself": (
        PLAIN,
        "q0, usefixtures: [tmp_path]}, {query: q1, usefixtures: [tmp_path]",
        [["q0", "q1"]],
    ),
    "not a case whose fixtures are not set up yet": (
        PLAIN + OF_THE_SESSION,
        "q0}, {query: q1, usefixtures: [synonyms]}, {query: q2",
        [["q0"], ["q1", "q2"]],
    ),
    "not a case with a fixture of function scope that a conftest adds": (
        PLAIN + ADDED,
        "cleared 0}, {query: cleared 1}, {query: q2}, {query: q3",
        [["cleared"], ["cleared"], ["q2", "q3"]],
    ),
}


@pytest.mark.parametrize(
    ("fixtures", "cases", "windows"), TOGETHER.values(), ids=TOGETHER
)
def test_which_cases_are_searched_together(
    engine: Engine, fixtures: str, cases: str, windows: list[list[str]]
) -> None:
    engine.searches(fixtures)
    engine.project.cases(f"cases: [{{query: {cases}}}]")
    run = engine.run(TWO)
    assert "failed" not in run.counts
    assert engine.windows == windows


def test_each_variant_is_searched_by_its_own_value(engine: Engine) -> None:
    engine.searches("""
    @pytest.fixture(scope="session", params=["bm25", "hybrid"])
    def search(request):
        return lambda query: plain(f"{request.param}-{query}")
""")
    engine.project.cases("cases: [{query: q0}, {query: q1}]")
    found = engine.run(TWO, "--relevance-record=run.jsonl").results
    assert engine.windows == [["bm25-q0", "bm25-q1"], ["hybrid-q0", "hybrid-q1"]]
    assert found["q1[bm25]"].ranking.documents == ("bm25-q1",)
    assert found["q1[hybrid]"].ranking.documents == ("hybrid-q1",)


def test_a_hook_of_the_project_counts_where_it_is_called(engine: Engine) -> None:
    engine.project.write("special/conftest.py", "def pytest_runtest_setup(item): pass")
    for folder in ("a", "special"):
        cases = f"cases: [{{query: {folder}0}}, {{query: {folder}1}}]"
        engine.project.cases(cases, f"{folder}/shop.relevance.yaml")
    engine.run(TWO)
    assert engine.windows == [["a0", "a1"], ["special0"], ["special1"]]


def test_fixtures_of_a_file_are_set_up_before_its_searches(engine: Engine) -> None:
    engine.searches(PLAIN + OF_A_FILE)
    for name in "ab":
        engine.project.cases(
            f"cases: [{{query: {name}0}}, {{query: {name}1}}]", f"{name}.relevance.yaml"
        )
    assert engine.run(TWO).counts == {"passed": 4}
    assert engine.windows == [["a0", "a1"], ["b0", "b1"]]
    assert engine.log.index(["index", "made"]) == 0


HOOKS = ("setup", "call", "teardown", "protocol")

TRANSLATED = """
    def translated(query):
        note("begin", query)
        return language + query.split()
""" + returning("translated")


@pytest.mark.parametrize("hook", HOOKS)
def test_a_hook_of_the_project_that_prepares_each_test_has_them_searched_one_by_one(
    engine: Engine, hook: str
) -> None:
    sets = 'language[:] = ["de" if "german" in item.name else "en"]'
    engine.searches(
        f"{TRANSLATED}\n    language = []\n    def pytest_runtest_{hook}(item):\n        {sets}\n"
    )
    engine.project.cases(
        "cases: [{query: a, expect: {first: en}}, {query: german, expect: {first: de}}]"
    )
    run = engine.run(TWO)
    assert engine.windows == [["a"], ["german"]]
    if hook != "teardown":
        assert run.counts == {"passed": 2}
    (said,) = run.sentences("the project implements pytest_runtest_")
    assert "one by one" in said


def test_a_hook_of_the_project_has_many_called_for_one_case_at_a_time(
    engine: Engine,
) -> None:
    engine.searches(
        f"{returning('Batches()')}\n    def pytest_runtest_setup(item):\n        pass\n"
    )
    engine.project.cases(numbered(3))
    run = engine.run()
    assert engine.batches == [["q0"], ["q1"], ["q2"]]
    assert len(run.sentences("the project implements pytest_runtest_setup")) == 1


def test_a_search_of_function_scope_is_called_one_by_one_and_the_run_says_so_once(
    engine: Engine,
) -> None:
    engine.searches(returning("plain", "function"))
    engine.project.cases(numbered(3))
    run = engine.run(TWO)
    assert run.counts == {"passed": 3}
    assert engine.windows == [["q0"], ["q1"], ["q2"]]
    (said,) = run.sentences('the fixture "search" has function scope')
    assert 'to search several at once, use @pytest.fixture(scope="session")' in said
    assert "function scope" not in engine.run().text
    for scope in ("class", "module"):
        engine.searches(returning("plain", scope))
        assert engine.run(TWO).counts == {"passed": 3}
        assert engine.windows == [["q0", "q1", "q2"]]


def test_under_xdist_cases_are_searched_one_by_one(engine: Engine) -> None:
    engine.project.cases(numbered(8))
    run = engine.run(TWO, "-n1")
    assert run.counts == {"passed": 8}
    assert engine.windows == [[f"q{number}"] for number in range(8)]


def test_latencies_say_how_many_searches_ran_at_a_time(
    engine: Engine, capsys: pytest.CaptureFixture[str]
) -> None:
    engine.project.cases(numbered(3))
    run = engine.run("--relevance-concurrency=16", "--relevance-record=run.jsonl")
    assert {result.call.concurrency for result in run.results.values()} == {16}
    assert re.search(
        r"p50 [\d.]+ ms, max [\d.]+ ms \(up to 16 at a time\)$",
        run.summary,
        re.MULTILINE,
    )
    record = Record.open(engine.project.path / "run.jsonl")
    assert [result.call.concurrency for result in record.results] == [16] * 3
    capsys.readouterr()
    assert main(["report", str(engine.project.path / "run.jsonl")]) == 0
    assert "(up to 16 at a time)" in capsys.readouterr().out


def test_latencies_of_searches_alone_are_not_marked(engine: Engine) -> None:
    engine.project.cases(
        numbered(3).replace("expect: {", "expect: {latency: '< 60 s', ")
    )
    run = engine.run(TWO)
    assert run.counts == {"passed": 3}
    assert {result.call.concurrency for result in run.results.values()} == {1}
    assert "at a time" not in run.summary


@pytest.mark.parametrize("search", ["wait", "lambda query: wait(query)"])
def test_under_trio_one_at_a_time(engine: Engine, search: str) -> None:
    pytest.importorskip("trio")
    engine.searches(ANYIO.format(backend="trio", search=search))
    engine.project.cases(numbered(3))
    assert engine.run(TWO, "-p", "no:asyncio", loops=True).counts == {"passed": 3}
    assert (engine.most, set(engine.calls.values())) == (1, {1})


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize(("options", "searched"), [(("-x",), 1), ((), 3)])
def test_with_x_no_search_begins_after_one_that_raised_in_a_loop(
    engine: Engine, backend: str, options: Sequence[str], searched: int
) -> None:
    pytest.importorskip(backend)
    pytest.importorskip("anyio")
    engine.searches(ANYIO.format(backend=backend, search="lambda query: fail(query)"))
    engine.project.cases(numbered(3))
    engine.run(TWO, *options, "-p", "no:asyncio", loops=True)
    assert len(engine.calls) == searched


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_batches_under_anyio(engine: Engine, backend: str) -> None:
    pytest.importorskip(backend)
    pytest.importorskip("anyio")
    engine.searches(ANYIO.format(backend=backend, search="Many()"))
    engine.project.cases(numbered(3))
    assert engine.run("-p", "no:asyncio", loops=True).counts == {"passed": 3}
    assert engine.batches == [["q0", "q1", "q2"]]
