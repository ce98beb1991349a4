"""`search.many`: a batch of queries in one call."""

from importlib.util import find_spec

import pytest

from pytest_relevance import Run as Record
from tests.plugin.running.conftest import Engine, numbered

THREE = ("-o", "relevance_batch=3")


def batching(
    body: str, *, many: str = "def many(self, queries, **params):", more: str = ""
) -> str:
    """A search whose `many` has this body; `more` is a further method."""
    return f"""
    class Search:
        {many}
            note("batch", *queries)
            {body}

        {more}

    @pytest.fixture(scope="session")
    def search():
        return Search()
"""


ALL = "return [query.split() for query in queries]"

KINDS = {
    "list": batching(ALL),
    "generator": batching("for query in queries: yield query.split()"),
    "iterator": batching("return map(str.split, queries)"),
    "coroutine function": batching(
        ALL, many="async def many(self, queries, **params):"
    ),
    "asynchronous generator": batching(
        "for query in queries: yield query.split()",
        many="async def many(self, queries, **params):",
    ),
    "plain function that returns a coroutine": batching(
        "return self.later(queries)",
        more="async def later(self, queries): return [query.split() for query in queries]",
    ),
}


@pytest.mark.parametrize("fixtures", KINDS.values(), ids=KINDS)
def test_many_is_called_for_so_many_cases_at_once(
    engine: Engine, fixtures: str
) -> None:
    engine.searches(fixtures)
    engine.project.cases(numbered(7))
    for options in (
        (),
        ("--asyncio-mode=auto",) if find_spec("pytest_asyncio") else (),
    ):
        run = engine.run(*THREE, *options, loops=bool(options))
        assert run.counts == {"passed": 7}
        assert engine.batches == [["q0", "q1", "q2"], ["q3", "q4", "q5"], ["q6"]]


@pytest.mark.parametrize("many", ["def", "async def"])
def test_several_batches_at_a_time(engine: Engine, many: str) -> None:
    pause = "meet(queries[0])" if many == "def" else "await asyncio.sleep(0.01)"
    body = f"note('begin', queries[0]); {pause}; note('end', queries[0]); {ALL}"
    engine.searches(
        batching(body, many=f"{many} many(self, queries):"), meet=("q0", "q3")
    )
    engine.project.cases(numbered(12))
    assert engine.run(*THREE, "--relevance-concurrency=2").counts == {"passed": 12}
    assert engine.most == 2
    assert sorted(map(len, engine.batches)) == [3, 3, 3, 3]
    assert engine.windows == [["q0", "q3"], ["q6", "q9"]]


def test_queries_with_other_params_or_another_k_are_in_another_batch(
    engine: Engine,
) -> None:
    engine.searches(
        batching(
            "note('asked', str(k), str(page)); return [query.split() for query in queries]",
            many="def many(self, queries, k, page=0):",
        )
    )
    engine.project.cases("""
        cases:
          - {query: a}
          - {query: b, params: {page: 2}}
          - {query: c, k: 20}
          - {query: d, params: {page: 2}}
          - {query: e}
    """)
    assert engine.run().counts == {"passed": 5}
    assert engine.batches == [["a", "e"], ["b", "d"], ["c"]]
    assert [words[1:] for words in engine.log if words[0] == "asked"] == [
        ["10", "0"],
        ["10", "2"],
        ["20", "0"],
    ]


def test_a_search_with_many_too_is_called_itself_for_a_case_alone(
    engine: Engine,
) -> None:
    engine.searches(
        batching(
            ALL,
            more="""def __call__(self, query):
            note("alone", query)
            return query.split()""",
        )
    )
    engine.project.cases(
        "cases: [{query: q0}, {query: timed, expect: {latency: 1 s}}, {query: q1}]"
    )
    assert engine.run().counts == {"passed": 3}
    assert engine.batches == [["q0", "q1"]]
    assert ["alone", "timed"] in engine.log


def test_a_search_with_many_alone_has_batches_of_one_for_a_case_alone(
    engine: Engine,
) -> None:
    engine.searches(batching(ALL))
    engine.project.cases(
        "cases: [{query: q0}, {query: timed, expect: {latency: 1 s}}, {query: q1}]"
    )
    run = engine.run()
    assert run.counts == {"passed": 3}
    assert sorted(engine.batches) == [["q0", "q1"], ["timed"]]
    assert [
        name for name, result in run.results.items() if result.call.latency_shared
    ] == ["q0", "q1"]


ONE_CURSOR = batching(
    "with __import__('contextlib').closing(sqlite3.connect(':memory:')) as connection:\n"
    "                cursor = connection.cursor()\n"
    "                yield [cursor.execute('select ? as id', (query,)) for query in queries]",
    many="def cursors(self, queries):",
    more="def many(self, queries): return next(self.cursors(queries))",
)

LATER = "async def many(self, queries):"

WRONG = {
    "a tuple": (
        batching("return tuple([query] for query in queries)"),
        "search.many: of (distances, labels) return list(zip(distances, labels))",
    ),
    "a mapping": (
        batching("return {'responses': [[query] for query in queries]}"),
        "a list or a generator with one response a query",
    ),
    "an array": (
        batching("return __import__('numpy').zeros((len(queries), 2))"),
        "a list or a generator with one response a query",
    ),
    "one cursor for all": (
        f"    import sqlite3\n{ONE_CURSOR}",
        "search.many returned the same Cursor for two queries: make a cursor",
    ),
    "more responses": (
        batching("return [query.split() for query in queries] + [['x']]"),
        "search.many returned 4 responses for 3 queries",
    ),
    "fewer responses, later": (
        batching("return [query.split() for query in queries][:-1]", many=LATER),
        "search.many returned 2 responses for 3 queries",
    ),
    "endless responses": (
        batching("while True: yield ['q']"),
        "search.many returned more than 3 responses for 3 queries",
    ),
    "endless responses, later": (
        batching("while True: yield ['q']", many=LATER),
        "search.many returned more than 3 responses for 3 queries",
    ),
    "fewer responses of a generator": (
        batching("for query in queries[1:]: yield [query]"),
        "search.many returned 2 responses for 3 queries",
    ),
    "an exception in a generator": (
        batching("yield ['q0']; raise ConnectionError('no engine')"),
        "ConnectionError: no engine",
    ),
}


@pytest.mark.parametrize(("fixtures", "said"), WRONG.values(), ids=WRONG)
def test_a_batch_that_goes_wrong_is_an_error_of_all_its_cases(
    engine: Engine, fixtures: str, said: str
) -> None:
    engine.searches(fixtures)
    engine.project.cases(numbered(3))
    run = engine.run()
    assert run.counts == {"failed": 3}
    text = run.failure("q0")
    assert said in text.replace("\n", " ")
    assert "pytest_relevance" not in text


REFILLING = "found = []\n            for query in queries: found[:] = [query, 'other']; yield found"


@pytest.mark.parametrize("many", ["def", "async def"])
def test_a_generator_may_fill_the_same_list_anew(engine: Engine, many: str) -> None:
    engine.searches(batching(REFILLING, many=f"{many} many(self, queries):"))
    engine.project.cases(numbered(3))
    assert engine.run().counts == {"passed": 3}


def test_a_reason_is_asked_for_with_the_response_of_its_own_case(
    engine: Engine,
) -> None:
    engine.searches(f"""{batching(REFILLING)}
    def pytest_relevance_explain(document, response):
        return f"found in {{response}}"
""")
    engine.project.cases("cases: [{query: q0, expect: {exclude: [q0]}}, {query: q1}]")
    assert "found in ['q0', 'other']" in engine.run("-v").failure("q0")


def test_the_latency_of_a_generator_is_the_time_of_reading_it(engine: Engine) -> None:
    engine.searches(batching("for query in queries: time.sleep(0.02); yield [query]"))
    engine.project.cases(numbered(3))
    assert all(
        (result.call.latency or 0) >= 0.02 for result in engine.run().results.values()
    )


@pytest.mark.parametrize("many", ["def", "async def"])
def test_an_element_that_is_an_exception_or_no_ranking_fails_its_case_alone(
    engine: Engine, many: str
) -> None:
    other = "{'q1': ValueError('bad query'), 'q2': None, 'q4': OSError('shut')}"
    element = (
        f"[{other}[query] if query in {other} else query.split() for query in queries]"
    )
    engine.searches(batching(f"return {element}", many=f"{many} many(self, queries):"))
    engine.project.cases(numbered(5))
    run = engine.run("-v")
    outcomes = ["passed", "failed", "failed", "passed", "failed"]
    assert [*run.outcomes.values()] == outcomes
    assert "OSError: shut" in run.failure("q4")
    text = run.failure("q1")
    assert "ValueError: bad query" in text
    assert 'shop.relevance.yaml:3: query "q1"' in text
    assert "pytest_relevance" not in text
    assert "search returned None" in run.failure("q2")
    error = run.results["q1"].call.error
    assert error is not None
    assert (error.type, error.message, error.frame) == ("ValueError", "bad query", "")
    assert [result.call.latency_shared for result in run.results.values()][:2] == [
        True,
        False,
    ]


def test_arguments_that_many_does_not_take(engine: Engine) -> None:
    engine.searches(batching(ALL, many="def many(self, queries):"))
    engine.project.cases(numbered(70))
    engine.run()
    assert [len(batch) for batch in engine.batches] == [64, 6]  # by default
    engine.project.cases(
        "cases: [{query: q0, params: {page: 2}}, {query: q1, params: {page: 2}}]"
    )
    run = engine.run()
    assert run.counts == {"failed": 2}
    assert "search.many(['q0', 'q1'], page=2) cannot be called" in run.failure(
        "q0"
    ).replace("\n", " ")


def test_a_latency_is_the_share_of_its_batch_and_marked(engine: Engine) -> None:
    timed = "begun = time.perf_counter(); time.sleep(0.2); note('took', str(time.perf_counter() - begun))"
    engine.searches(batching(f"{timed}; {ALL}"))
    engine.project.cases(numbered(3).replace("first: q1", "first: q2"))
    run = engine.run("--relevance-record=run.jsonl", "--junitxml=junit.xml")
    (took,) = (float(words[1]) for words in engine.log if words[0] == "took")
    for result in run.results.values():
        assert result.call.latency_shared
        assert took / 3 <= (result.call.latency or 0) < took
    assert "ms (share of a batch)" in run.failure("q1")
    assert "(shares of batches)" in run.summary
    assert all(
        result.call.latency_shared
        for result in Record.open(engine.project.path / "run.jsonl").results
    )
    properties = {
        each.attrib["name"]: each.attrib["value"]
        for each in engine.project.junit_cases["q0"].iter("property")
    }
    assert properties["latency_shared"] == "True"


def test_repeats_call_each_batch_so_often_and_a_rerun_is_searched_alone(
    engine: Engine,
) -> None:
    pytest.importorskip("pytest_rerunfailures")
    engine.searches(
        batching(
            "return [KeyError(query) if query == 'q1' else [query] for query in queries]"
        )
    )
    engine.project.cases(numbered(3))
    assert engine.run("--reruns=1").counts == {"passed": 2, "failed": 1, "rerun": 1}
    assert engine.batches == [["q0", "q1", "q2"], ["q1"]]
    engine.searches(batching(ALL))
    assert engine.run("--relevance-repeat=2").counts == {"passed": 3}
    assert engine.batches == [["q0", "q1", "q2"]] * 2


def test_each_case_with_params_of_its_own_has_a_batch_at_its_turn(
    engine: Engine,
) -> None:
    engine.searches(batching(f"note('begin', queries[0]); {ALL}"))
    engine.project.cases(
        "cases:\n"
        + "".join(
            f"  - {{query: q{number}, params: {{page: {number}}}}}\n"
            for number in "123"
        )
    )
    run = engine.run()
    assert engine.windows == [["q1"], ["q2"], ["q3"]]
    assert not any(result.call.latency_shared for result in run.results.values())


def test_a_plain_search_beside_an_asynchronous_many_is_called_outside_of_any_loop(
    engine: Engine,
) -> None:
    pytest.importorskip("pytest_asyncio")
    engine.searches(
        batching(
            ALL,
            many="async def many(self, queries, **params):",
            more="def __call__(self, query): return asyncio.run(self.many([query]))[0]",
        )
    )
    engine.project.cases("""
cases:
  - {query: q0, expect: {latency: 9 s}}
  - {query: q1, expect: {latency: 9 s}}
  - {query: q2}
  - {query: q3}
""")
    assert engine.run("--asyncio-mode=auto", loops=True).counts == {"passed": 4}
    assert engine.batches == [["q0"], ["q1"], ["q2", "q3"]]
