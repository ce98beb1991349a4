"""`--relevance-repeat=N`: the search is called N times, the first call is scored, what
changes is named.

What counts as another ranking is in `tests/results/test_repeats.py`.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile

import pytest

from pytest_relevance import CaseResult
from tests.plugin.conftest import Project, Run

THRICE = "--relevance-repeat=3"
RECORD = "--relevance-record=run.jsonl"

ENGINE = """
    import json
    import pathlib
    import pytest

    here = pathlib.Path(__file__).parent
    rankings = json.loads((here / "rankings.json").read_text())
    calls = {{}}

    def answer(query):
        with (here / "calls.txt").open("a") as file:
            file.write(query + "\\n")
        number = calls[query] = calls.get(query, -1) + 1
        found = rankings[query][number % len(rankings[query])]
        if found == "raises":
            raise ConnectionError("no engine")
        return 17 if found == "nonsense" else found.split()

    {search}
"""
PLAIN = """
    @pytest.fixture
    def search():
        return answer
"""


class Engine(Project):
    """A project whose search returns another ranking with each call, and writes down
    its calls.
    """

    def __init__(self, project: Project) -> None:
        super().__init__(project.pytester)
        self.searches(PLAIN)

    def searches(self, search: str) -> None:
        """Write the fixture `search`, over the function `answer`."""
        self.conftest(ENGINE.format(search=search))

    def returns(self, **rankings: Sequence[str]) -> None:
        """What a query returns with its first call, its second call ..."""
        by_query = {query.replace("_", " "): found for query, found in rankings.items()}
        (self.path / "rankings.json").write_text(json.dumps(by_query))

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each query was asked for since this was last looked at."""
        file = self.path / "calls.txt"
        found = Counter(file.read_text().splitlines()) if file.exists() else {}
        file.unlink(missing_ok=True)
        return found


@pytest.fixture
def engine(project: Project) -> Engine:
    return Engine(project)


def said(run: Run) -> list[str]:
    """What the summary says of repeats."""
    lines = run.text.splitlines()
    for number, line in enumerate(lines):
        if "from call to call: " in line:
            names = takewhile(lambda each: each.startswith("  "), lines[number + 1 :])
            return [line, *names]
    return []


def repeats(results: Sequence[CaseResult]) -> dict[str, tuple[int, int] | None]:
    """How often each search was called, and how many rankings it returned."""
    found = {}
    for result in results:
        each = result.call.repeats
        found[result.id] = (each.calls, each.rankings) if each else None
    return found


def test_a_list_that_is_filled_anew_is_another_ranking(project: Project) -> None:
    fills = "found.reverse() or found.extend('ab' * (not found)) or found"
    project.search(f"found = []; return lambda query: {fills}")
    project.cases("cases: [{query: boots, judgments: {a: 1}, min_ndcg: 1}]")
    run = project.run("--relevance-repeat=2")
    assert run.counts == {"passed": 1}  # it is the first call that is scored
    assert said(run) == [
        "ranking changes from call to call: 1 case of 1, 2 calls each",
        "  boots  rank 1: a / b",
    ]


def test_what_changes_is_named_with_the_first_rank_at_which_it_does(
    engine: Engine,
) -> None:
    deep = " ".join(map(str, range(10)))
    engine.returns(
        still=["a b c"],
        second=["a b c", "a c b"],
        shorter=["a b c", "a b c", "a b"],
        longer=["", "a"],
        highest=["a b c", "a c b", "b a c"],
        last=["a b c", "a b c", "a b x"],
        below=[f"{deep} x", f"{deep} y"],
        deeper=[f"{deep} x", f"{deep} y"],
    )
    engine.cases("""
        cases:
          - {query: still, judgments: {a: 3}, min_ndcg: 0.9}
          - {query: second, judgments: {a: 3}, min_ndcg: 0.9}
          - {query: shorter}
          - {query: longer}
          - {query: highest}
          - {query: last}
          - {query: below}
          - {query: deeper, expect: {exclude: {docs: [z], within: 11}}}
          - {query: skipped, skip: not sold}
    """)
    head = "ranking changes from call to call: 6 cases of 8, 3 calls each"
    names = [
        "  second   rank 2: b / c",
        "  shorter  rank 3: c / nothing",
        "  longer   rank 1: nothing / a",
        "  highest  rank 1: a / b",
        "  last     rank 3: c / x",
        "  deeper   rank 11: x / y",
    ]
    run = engine.run(THRICE)
    assert run.counts == {"passed": 8, "skipped": 1}  # it fails nothing
    assert said(run) == [head, *names[:5], "  ... 1 more (-v shows all)"]
    assert set(engine.calls.values()) == {3}
    assert said(engine.run(THRICE, "-v")) == [head, *names]
    assert said(engine.run(THRICE, "-q")) == said(run)
    assert engine.calls["still"] == 6
    assert said(engine.run()) == []
    assert set(engine.calls.values()) == {1}


def test_the_first_call_is_scored_and_its_time_counts(engine: Engine) -> None:
    engine.returns(better=["a b", "b a"], worse=["b a", "a b"])
    engine.searches("""
    import time

    @pytest.fixture
    def search():
        def search(query):
            if query not in calls:
                time.sleep(0.05)
            return answer(query)
        return search
    """)
    judged = "judgments: {a: 3, b: 1}, min_ndcg: 0.9"
    engine.cases(f"cases: [{{query: better, {judged}}}, {{query: worse, {judged}}}]")
    run = engine.run(THRICE)
    assert run.outcomes == {"better": "passed", "worse": "failed"}
    assert all((each.call.latency or 0) >= 0.05 for each in run.results.values())
    # what failed says so itself, whatever the summary does
    unstable = "the ranking is not stable: 2 different rankings in 3 calls; first difference at rank 1: b / a"
    assert unstable in run.failure("worse").splitlines()
    brief = engine.run(THRICE, "-q").failure("worse")
    assert brief.endswith(f"; {unstable}\n")


def test_a_search_that_fails_in_a_later_call(engine: Engine) -> None:
    engine.returns(
        raises=["a", "raises"],
        nonsense=["a", "a", "nonsense"],
        at_once=["raises"],
        fine=["a"],
    )
    engine.cases(
        "cases: [{query: raises}, {query: nonsense}, {query: at once}, {query: fine}]"
    )
    run = engine.run(THRICE)
    assert run.counts == {"failed": 3, "passed": 1}
    assert engine.calls == {"raises": 2, "nonsense": 3, "at once": 1, "fine": 3}
    verdicts = [result.verdict for result in run.results.values()]
    assert verdicts == ["error", "error", "error", "measured"]
    assert "E           ConnectionError: no engine" in run.failure("raises")
    place = 'shop.relevance.yaml:1: query "raises"   search   in call 2'
    assert place in run.failure("raises").splitlines()
    nonsense = (
        "in call 3: search returned an int, 17; return a list of results, best first"
    )
    first, second = run.failure("nonsense").splitlines()
    assert first == f"shop.relevance.yaml:1: {nonsense}"
    assert second == 'query "nonsense"   search'
    assert run.failure("at once") == ""
    assert "::at once - ConnectionError: no engine" in run.short_summary[2]
    assert said(run) == ["no ranking changes from call to call: 1 case, 3 calls each"]
    brief = engine.run(THRICE, "-q").failure("nonsense")
    assert brief.startswith(f"shop.relevance.yaml:1: {nonsense}"[:80])


ASYNC = """
    import asyncio

    loops = set()

    async def get(query):
        await asyncio.sleep(0)
        loops.add(asyncio.get_running_loop())
        assert len(loops) == 1 or ANYIO
        return answer(query)

    async def one_by_one(query):
        for found in await get(query):
            yield found

    SEARCHES = dict(coroutine=get, awaitable=lambda query: get(query), generator=one_by_one)

    @pytest.fixture(params=SEARCHES)
    def search(request):
        return SEARCHES[request.param]
"""
ANYIO = """
    @pytest.fixture(scope="session")
    def anyio_backend():
        return "asyncio"
"""


@pytest.mark.parametrize("plugin", ["none", "asyncio", "anyio"])
def test_a_coroutine_search_is_called_as_often_and_in_one_loop(
    engine: Engine, plugin: str
) -> None:
    options = ["--asyncio-mode=auto"] if plugin == "asyncio" else []
    # anyio has a loop for each test
    search = ASYNC.replace("ANYIO", str(plugin == "anyio"))
    if plugin != "none":
        pytest.importorskip(f"{'pytest_' if options else ''}{plugin}")
    if plugin == "anyio":
        search = search.replace("(request)", "(request, anyio_backend)") + ANYIO
    engine.searches(search)
    engine.returns(boots=["a b", "b a"], hats=["c"])
    engine.cases("cases: [{query: boots, judgments: {a: 3}}, {query: hats}]")
    run = engine.run("--relevance-repeat=4", *options, loops=plugin != "none")
    assert run.counts == {"passed": 6}
    assert engine.calls == {"boots": 12, "hats": 12}
    assert said(run) == [
        "ranking changes from call to call: 1 case of 2, 4 calls each",
        "  boots  coroutine  rank 1: a / b",
        "  boots  awaitable  rank 1: a / b",
        "  boots  generator  rank 1: a / b",
    ]


def test_a_case_that_is_run_again_is_called_as_often_again(engine: Engine) -> None:
    pytest.importorskip("pytest_rerunfailures")
    engine.returns(
        boots=["raises", "b a", "b a", "b a", "a b", "b a", "b a"],
        hats=["a", "a", "raises", "a"],
    )
    engine.cases(
        "cases: [{query: boots, judgments: {a: 3}, min_ndcg: 0.9}, {query: hats}]"
    )
    run = engine.run(THRICE, "--reruns=2", RECORD)
    assert engine.calls == {"boots": 7, "hats": 6}  # 1, 3, 3 and 3, 3
    assert run.counts == {"passed": 2, "rerun": 3}
    assert said(run) == [
        "ranking changes from call to call: 1 case of 2, 3 calls each",
        "  boots  rank 1: a / b",
    ]
    found = repeats(engine.recorded().results)
    assert found == {"boots": (3, 2), "hats": (3, 1)}
    engine.run(RECORD)
    assert repeats(engine.recorded().results) == {"boots": None, "hats": None}


def test_a_test_in_python_searches_as_often_as_it_does(engine: Engine) -> None:
    """Its ranking is given: who writes the test calls the search."""
    engine.returns(boots=["a b", "b a"])
    engine.cases("cases: [{query: boots}]")
    check = 'relevance.check("shoes", search("boots"), {"a": 3}, min_ndcg=0.9)'
    engine.write("test_shop.py", f"def test_shop(search, relevance):\n    {check}\n")
    run = engine.run(THRICE, RECORD)
    assert engine.calls == {"boots": 4}
    head = "ranking changes from call to call: 1 case of 1, 3 calls each"
    assert said(run)[0] == head
    assert repeats(engine.recorded().results) == {"boots": (3, 2), "shoes": None}
    assert said(engine.run(THRICE, "test_shop.py")) == []
