"""`--relevance-repeat=N`: the search is called N times, the first call is scored, what
changes is named.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

import pytest

from pytest_relevance import Run as Record
from tests.plugin.conftest import Project, Run

THRICE = "--relevance-repeat=3"

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
        return found

    {search}
"""

PLAIN = """
    @pytest.fixture
    def search():
        return answer
"""


class Engine:
    """A project whose search returns another ranking with each call, and writes down
    its calls.
    """

    def __init__(self, project: Project) -> None:
        self.project = project
        self.run = project.run
        self.cases = project.cases
        self.searches(PLAIN)

    def searches(self, search: str) -> None:
        """Have the search be made so, over the function `answer`."""
        self.project.conftest(ENGINE.format(search=search))

    def returns(self, **rankings: Sequence[Any]) -> None:
        """What a query returns with its first call, its second call ...; documents in a
        text, or results.
        """
        by_call = {
            query.replace("_", " "): [
                found.split() if isinstance(found, str) and found != "raises" else found
                for found in each
            ]
            for query, each in rankings.items()
        }
        (self.project.path / "rankings.json").write_text(json.dumps(by_call))

    @property
    def calls(self) -> Mapping[str, int]:
        """How often each query was asked for since this was last looked at."""
        file = self.project.path / "calls.txt"
        found = Counter(file.read_text().splitlines()) if file.exists() else {}
        file.unlink(missing_ok=True)
        return found


@pytest.fixture
def engine(project: Project) -> Engine:
    return Engine(project)


def said(run: Run) -> list[str]:
    """What the summary says of repeats."""
    lines = run.text.splitlines()
    start = next(
        (number for number, line in enumerate(lines) if "from call to call: " in line),
        len(lines),
    )
    return [
        *lines[start : start + 1],
        *takewhile(lambda line: line.startswith("  "), lines[start + 1 :]),
    ]


def in_pairs(*documents: str, scores: Sequence[float]) -> list[Any]:
    return [*map(list, zip(documents, scores, strict=True))]


def test_a_list_that_is_filled_anew_is_another_ranking(project: Project) -> None:
    project.search(
        "found = []; return lambda query: found.reverse() or found.extend('ab' * (not found)) or found"
    )
    project.cases("cases: [{query: boots, judgments: {a: 1}, min_ndcg: 1}]")
    run = project.run("--relevance-repeat=2")
    assert run.counts == {"passed": 1}  # it is the first call that is scored
    headline, line = said(run)
    assert headline == "ranking changes from call to call: 1 case of 1, 2 calls each"
    assert line.startswith("  boots  rank 1: a / b")


def test_what_changes_is_named_with_the_first_rank_at_which_it_does(
    engine: Engine,
) -> None:
    deep = " ".join(map(str, range(10)))
    engine.returns(
        still=["a b c"],
        scored=[
            in_pairs("a", "b", "c", scores=(2, 1, 1)),
            in_pairs("a", "c", "b", scores=(2, 1, 1)),
        ],
        shorter=["a b c", "a b c", "a b"],
        longer=["", "a"],
        highest=["a b c", "a c b", "b a c"],
        last=["a b c", "a b c", "a b x"],
        below_the_cutoff=[f"{deep} x", f"{deep} y"],
        deeper=[f"{deep} x", f"{deep} y"],
    )
    engine.cases("""
        cases:
          - {query: still, judgments: {a: 3}, min_ndcg: 0.9}
          - {query: scored, judgments: {a: 3}, min_ndcg: 0.9}
          - {query: shorter}
          - {query: longer}
          - {query: highest}
          - {query: last}
          - {query: below the cutoff}
          - {query: deeper, expect: {exclude: {docs: [z], within: 11}}}
          - {query: skipped, skip: not sold}
    """)
    names = [
        "  scored   rank 2: b / c",
        "  shorter  rank 3: c / nothing",
        "  longer   rank 1: nothing / a",
        "  highest  rank 1: a / b",
        "  last     rank 3: c / x",
        "  deeper   rank 11: x / y",
    ]
    head = "ranking changes from call to call: 6 cases of 8, 3 calls each"
    run = engine.run(THRICE)
    assert (run.code, run.counts) == (
        0,
        {"passed": 8, "skipped": 1},
    )  # it fails nothing
    assert said(run) == [head, *names[:5], "  ... 1 more (-v shows all)"]
    assert set(engine.calls.values()) == {3}
    assert said(engine.run(THRICE, "-v")) == [head, *names]
    assert said(engine.run(THRICE, "-q")) == said(run)

    _ = engine.calls
    run = engine.run()
    assert run.counts == {"passed": 8, "skipped": 1}
    assert said(run) == []
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
    engine.cases("""
        min_ndcg: 0.9
        cases:
          - {query: better, judgments: {a: 3, b: 1}}
          - {query: worse, judgments: {a: 3, b: 1}}
    """)
    run = engine.run(THRICE)
    assert run.outcomes == {"better": "passed", "worse": "failed"}
    assert all((entry.call.latency or 0) >= 0.05 for entry in run.results.values())
    # what failed says so itself, whatever the summary does
    assert run.failure("worse").splitlines()[:3:2] == [
        "shop.relevance.yaml:4: nDCG@10 0.710 is below 0.900",
        "the ranking is not stable: 2 different rankings in 3 calls; first difference at rank 1: b / a",
    ]
    brief = engine.run(THRICE, "-q").failure("worse").rstrip("\n")
    assert brief.endswith(
        "; the ranking is not stable: 2 different rankings in 3 calls; first difference at rank 1: b / a"
    )


def test_a_search_that_fails_in_a_later_call(engine: Engine) -> None:
    engine.returns(
        raises=["a", "raises"], nonsense=["a", "a", 17], at_once=["raises"], fine=["a"]
    )
    engine.cases(
        "cases: [{query: raises}, {query: nonsense}, {query: at once}, {query: fine}]"
    )
    run = engine.run(THRICE, "--relevance-record=run.jsonl")
    assert run.counts == {"failed": 3, "passed": 1}
    assert engine.calls == {"raises": 2, "nonsense": 3, "at once": 1, "fine": 3}
    assert {
        name: entry.verdict for name, entry in run.results.items() if name != "fine"
    } == dict.fromkeys(("raises", "nonsense", "at once"), "error")
    assert "E           ConnectionError: no engine" in run.failure("raises")
    assert (
        'shop.relevance.yaml:1: query "raises"   search   in call 2'
        in run.failure("raises").splitlines()
    )
    assert run.failure("nonsense").splitlines() == [
        "shop.relevance.yaml:1: in call 3: search returned an int, 17; return a list of results, best first",
        'query "nonsense"   search',
    ]
    assert run.short_summary[1].startswith(
        "FAILED shop.relevance.yaml::nonsense - in call 3: search returned an int"
    )
    assert run.failure("at once") == ""
    assert (
        run.short_summary[2]
        == "FAILED shop.relevance.yaml::at once - ConnectionError: no engine"
    )
    assert said(run) == ["no ranking changes from call to call: 1 case, 3 calls each"]
    brief = engine.run(THRICE, "-q").failure("nonsense")
    assert brief.startswith(
        "shop.relevance.yaml:1: in call 3: search returned an int, 17; return a list"
    )

    frame = Record.open(engine.project.path / "run.jsonl").frame.set_index("id")
    assert frame["verdict"].to_dict() == {
        "raises": "error",
        "nonsense": "error",
        "at once": "error",
        "fine": "measured",
    }


ASYNC = """
    import asyncio

    loops = set()

    async def get(query):
        await asyncio.sleep(0)
        loops.add(asyncio.get_running_loop())
        assert len(loops) == 1
        return answer(query)

    async def one_by_one(query):
        for found in await get(query):
            yield found

    @pytest.fixture(params=["coroutine", "awaitable", "generator"])
    def search(request):
        return {{"coroutine": get, "awaitable": lambda query: get(query), "generator": one_by_one}}[request.param]
"""


@pytest.mark.parametrize("plugin", ["none", "asyncio", "anyio"])
def test_a_coroutine_search_is_called_as_often_and_in_one_loop(
    engine: Engine, plugin: str
) -> None:
    options: Sequence[str] = ()
    search = ASYNC.format()
    if plugin == "asyncio":
        pytest.importorskip("pytest_asyncio")
        options = ("--asyncio-mode=auto",)
    elif plugin == "anyio":
        pytest.importorskip("anyio")
        search = search.replace(
            "def search(request)", "def search(request, anyio_backend)"
        )
        search += '\n    @pytest.fixture(scope="session")\n    def anyio_backend():\n        return "asyncio"\n'
        search = search.replace(
            "        assert len(loops) == 1\n", ""
        )  # anyio has a loop for each test
    engine.searches(search)
    engine.returns(boots=["a b", "b a"], hats=["c"])
    engine.cases("cases: [{query: boots, judgments: {a: 3}}, {query: hats}]")
    run = engine.run("--relevance-repeat=4", *options, loops=plugin != "none")
    assert run.counts == {"passed": 6}
    assert engine.calls == {"boots": 12, "hats": 12}
    assert said(run) == [
        "ranking changes from call to call: 1 case of 2, 4 calls each",
        *(
            f"  boots  {name:<9}  rank 1: a / b"
            for name in ("coroutine", "awaitable", "generator")
        ),
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
    run = engine.run(
        "--relevance-repeat=3", "--reruns=2", "--relevance-record=run.jsonl"
    )
    assert engine.calls == {"boots": 7, "hats": 6}  # 1, 3, 3 and 3, 3
    assert run.counts == {"passed": 2, "rerun": 3}
    assert said(run) == [
        "ranking changes from call to call: 1 case of 2, 3 calls each",
        "  boots  rank 1: a / b",
    ]
    repeats = {
        each.id: each.call.repeats
        for each in Record.open(engine.project.path / "run.jsonl").results
    }
    assert repeats["boots"] is not None
    assert (repeats["boots"].calls, repeats["boots"].rankings) == (3, 2)
    assert repeats["hats"] is not None
    assert (repeats["hats"].calls, repeats["hats"].rankings) == (3, 1)
    engine.run("--relevance-record=run.jsonl")
    assert {
        each.call.repeats
        for each in Record.open(engine.project.path / "run.jsonl").results
    } == {None}


def test_a_test_in_python_searches_as_often_as_it_does(engine: Engine) -> None:
    """Its ranking is given: who writes the test calls the search."""
    engine.returns(boots=["a b", "b a"])
    engine.cases("cases: [{query: boots}]")
    check = 'relevance.check("boots", search("boots"), {"a": 3}, min_ndcg=0.9)'
    engine.project.write(
        "test_shop.py", f"def test_shop(search, relevance):\n    {check}\n"
    )
    run = engine.run(THRICE, "--relevance-record=run.jsonl")
    assert engine.calls == {"boots": 4}
    assert (
        said(run)[0] == "ranking changes from call to call: 1 case of 1, 3 calls each"
    )
    repeats = {
        each.search: each.call.repeats
        for each in Record.open(engine.project.path / "run.jsonl").results
    }
    assert {name: each and each.calls for name, each in repeats.items()} == {
        "search": 3,
        "relevance.check": None,
    }
    assert said(engine.run(THRICE, "test_shop.py")) == []
