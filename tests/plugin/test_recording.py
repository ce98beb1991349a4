"""`--relevance-record=FILE`: what a record has of a run, and that it is the same
wherever the run takes place.
"""

import pytest

from pytest_relevance import Run as Record
from pytest_relevance import evaluate
from tests.helpers import changed, reasons_of
from tests.plugin.conftest import Project

RECORD = "--relevance-record=run.jsonl"

SEARCH = """
    import pytest

    @pytest.fixture
    def search():
        def search(query, **params):
            if query == "boom":
                raise ConnectionError("no engine")
            return query.split()
        return search
"""
CASES = """
    k: 3
    tags: [shop]
    gates: [{mean: {P@2: 0.1}}]
    cases:
      - {query: x a b c d e f, id: passes, judgments: {a: 3, b: 1, x: 0}, min_ndcg: 0.6, tags: [head], weight: 2.5}
      - {query: b a, judgments: {a: 3, b: 1}, min_ndcg: 0.9, expect: {P@2: 1, RR: 1, first: a}, params: {fuzzy: true}}
      - {query: y u v, judgments: {u: 3}, min_ndcg: 0.7, min_judged: 1}
      - {query: measured, judgments: {measured: 1}, k: 5}
      - {query: xfails w, judgments: {w: 3}, min_ndcg: 0.9, xfail: not yet}
      - {query: xpasses, judgments: {xpasses: 3}, min_ndcg: 0.9, xfail: not yet}
      - {query: nothing relevant, judgments: {nothing: 0}}
      - {query: nobody judged}
      - {query: boom, judgments: {a: 3}}
      - {query: skipped s, skip: no s}
"""


def ends(record: Record) -> dict[str, tuple[str, str]]:
    """The verdict of each case, and what pytest made of that."""
    return {result.id: (result.verdict, result.outcome) for result in record.results}


@pytest.fixture
def shop(project: Project) -> Project:
    """A case for everything that may come of one."""
    project.conftest(SEARCH)
    project.cases(CASES)
    return project


def test_what_every_case_came_to_and_what_it_is(shop: Project) -> None:
    run = shop.run(RECORD)
    record = shop.recorded()
    counts = {"passed": 4, "failed": 4, "skipped": 1, "xfailed": 1, "xpassed": 1}
    assert run.counts == counts  # a gate is among them
    assert run.sentences("record: ") == ["record: run.jsonl (10 cases)"]
    assert repr(record) == "Run(run.jsonl: 10 results)"
    assert record.missing == ()
    assert ends(record) == {
        "passes": ("passed", "passed"),
        "b a": ("failed", "failed"),
        "y u v": ("inconclusive", "failed"),
        "measured": ("measured", "passed"),
        "xfails w": ("failed", "xfailed"),
        "xpasses": ("passed", "xpassed"),
        "nothing relevant": ("measured", "passed"),
        "nobody judged": ("measured", "passed"),
        "boom": ("error", "failed"),
        "skipped s": ("skipped", "skipped"),
    }
    assert {
        result.id: " ".join(reasons_of(result))
        for result in record.results
        if result.evaluation.reasons
    } == {
        "b a": 'nDCG@3 0.710 is below 0.900 first: rank 1 has "b", expected "a" (at rank 2)',
        "y u v": "inconclusive: 1 of the top 3 judged, less than min_judged 1 nDCG@3 0.631 is below 0.700",
        "xfails w": "nDCG@3 0.631 is below 0.900",
        "boom": "ConnectionError: no engine",
        "skipped s": "no s",
    }
    of = {result.id: result for result in record.results}
    first, second = of["passes"], of["b a"]
    place = (first.file, first.line, first.search, first.variant)
    assert place == ("shop.relevance.yaml", 5, "search", None)
    assert (first.query, first.tags, first.weight) == (
        "x a b c d e f",
        ("shop", "head"),
        2.5,
    )
    assert (second.tags, second.weight, second.params) == (
        ("shop",),
        1,
        {"fuzzy": True},
    )
    assert (first.conditions.k, of["measured"].conditions.k) == (3, 5)
    assert first.ranking.documents == ("x", "a", "b")  # as far as the case looks
    assert second.evaluation.scores.keys() == {"nDCG@3", "P@2", "RR"}
    assert first.evaluation.scores.keys() == {"nDCG@3", "P@2"}  # of a gate
    assert of["nothing relevant"].evaluation.scores == {"nDCG@3": None, "P@2": 0.0}
    error = of["boom"].call.error
    assert error is not None
    assert (error.type, error.message) == ("ConnectionError", "no engine")
    assert error.frame == "conftest.py:7 in search"
    unscored = [name for name, result in of.items() if not result.evaluation.scores]
    without_latency = [name for name, each in of.items() if each.call.latency is None]
    assert unscored == without_latency == ["boom", "skipped s"]
    unjudged = [name for name, result in of.items() if not result.evaluation.is_judged]
    assert unjudged == ["nobody judged", "boom", "skipped s"]


def test_its_figures_are_those_of_the_library_to_the_last_digit(shop: Project) -> None:
    """And those of the reports, and of the summary."""
    run = shop.run(RECORD)
    record = shop.recorded()
    results = {each.id: each for each in record.results if each.evaluation.scores}
    judgments = {
        "passes": {"a": 3, "b": 1, "x": 0},
        "b a": {"a": 3, "b": 1},
        "y u v": {"u": 3},
        "measured": {"measured": 1},
        "xfails w": {"w": 3},
        "xpasses": {"xpasses": 3},
        "nothing relevant": {"nothing": 0},
    }
    rankings = {name: results[name].query.split() for name in judgments}
    table = evaluate(
        judgments, rankings, ["nDCG@3", "nDCG@5", "P@2", "RR"], max_grade=3
    )
    for name in judgments:
        for metric, score in results[name].evaluation.scores.items():
            (expected,) = table.loc[[name], metric]
            assert score == (None if expected != expected else expected), (name, metric)
    assert {name: each.score for name, each in results.items()} == {
        each.id: each.score for each in run.results.values() if each.evaluation.scores
    }
    scores = record.frame[record.frame.score.notna()]
    mean = (scores.score * scores.weight).sum() / scores.weight.sum()
    assert f"mean nDCG@k {mean:.3f} (" in run.summary
    doubtful = results["y u v"]
    assert doubtful.interval == (doubtful.score, 1.0)
    assert results["b a"].interval == (results["b a"].score, results["b a"].score)


def test_checks_of_tests_in_python(project: Project) -> None:
    project.write(
        "test_shop.py",
        """
        import pytest

        def test_several(relevance):
            relevance.check("red shoes", ["a", "b"], {"a": 3})
            relevance.check("boots", [7, 8], {8: 3}, min_ndcg=0.9, k=5, weight=2)
            relevance.check("never", ["a"], {"a": 3})

        def test_going_on(relevance):
            with pytest.raises(pytest.fail.Exception):
                relevance.check("hats", ["x"], {"h": 3}, min_ndcg=0.5)

        @pytest.mark.xfail
        def test_xfail(relevance):
            relevance.check("socks", ["x"], {"s": 3}, min_ndcg=0.5)

        def test_without():
            pass
        """,
    )
    run = project.run(RECORD)
    record = project.recorded()
    assert ends(record) == {
        "red shoes": ("measured", "passed"),
        "boots": ("failed", "failed"),
        "hats": ("failed", "failed"),
        "socks": ("failed", "xfailed"),
    }
    assert {(each.file, each.search) for each in record.results} == {
        ("test_shop.py", "relevance.check")
    }
    assert [each.line for each in record.results] == [4, 5, 10, 14]
    boots = record.results[1]
    assert (boots.conditions.k, boots.weight, boots.call.latency) == (5, 2, None)
    assert boots.ranking.documents == ("7", "8")
    assert run.sentences("record: ") == ["record: run.jsonl (4 checks)"]


def test_the_checks_of_subtests(project: Project) -> None:
    pytest.importorskip("_pytest.subtests")
    project.write(
        "test_shop.py",
        """
        import pytest

        def test_shop(relevance, subtests):
            relevance.check("measured", ["a"], {"a": 3})
            for query in ("b a", "a b", "c"):
                with subtests.test(query):
                    relevance.check(query, query.split(), {"a": 3}, min_ndcg=0.9)
            with subtests.test("nonsense"):
                relevance.check("nonsense", 5)

        def test_going_on(relevance):
            with pytest.raises(pytest.fail.Exception):
                relevance.check("caught", 7)
            raise ValueError("of another kind")
        """,
    )
    run = project.run(RECORD, "-n1")
    below = "test_shop.py:7: nDCG@10 0.631 is below 0.900"
    assert below in run.failure("test_shop [b a]")
    assert "ValueError: of another kind" in run.failure("test_going_on")
    counts = "1 passed, 2 failed, 2 errors, 1 measured"
    assert f": {counts}; mean nDCG@10 0.658" in run.summary
    assert ends(project.recorded()) == {
        "measured": ("measured", "passed"),
        "b a": ("failed", "failed"),
        "a b": ("passed", "passed"),
        "c": ("failed", "failed"),
        "nonsense": ("error", "failed"),
        "caught": ("error", "failed"),
    }


def test_the_same_with_workers_as_without(project: Project) -> None:
    grouped = """
    def pytest_collection_modifyitems(items):
        for number, item in enumerate(items):
            item.add_marker(pytest.mark.xdist_group(f"group {number % 3}"))
    """
    variants = SEARCH.replace("fixture", 'fixture(params=["bm25", "dense"])')
    project.conftest(
        variants.replace("def search():", "def search(request):") + grouped
    )
    project.cases(CASES)
    project.test(
        'for query in ("a b", "b a"):',
        '    relevance.check(query, query.split(), {"a": 3, "b": 1})',
    )
    project.run(RECORD)
    here = project.recorded()
    run = project.run(RECORD, "-n2", "--dist=loadgroup")
    there = project.recorded()
    files = "record: run.jsonl (10 cases and 2 checks)"
    assert run.sentences("record: ") == [files]
    facts, as_here = (
        [changed(result, latency=None) for result in record.results]
        for record in (there, here)
    )
    assert facts == as_here
    names = [(result.id, result.variant) for result in here.results]
    assert names[:3] == [("passes", "bm25"), ("passes", "dense"), ("b a", "bm25")]
    assert (there.missing, there.files) == (here.missing, here.files)
    assert there.info.program == here.info.program


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["-k", "measured or boom"], ["measured", "boom"]),
        (["shop.relevance.yaml::passes"], ["passes"]),
        (["-k", "none"], []),
    ],
)
def test_what_was_not_chosen_is_not_missing(
    shop: Project, options: list[str], names: list[str]
) -> None:
    shop.run(RECORD, *options)
    assert [*ends(shop.recorded())] == names
    assert shop.recorded().missing == ()


def test_the_file_is_where_the_option_says(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.run("--relevance-record=run.jsonl.gz")
    assert (shop.path / "run.jsonl.gz").read_bytes().startswith(b"\x1f\x8b")
    expected = ends(shop.recorded("run.jsonl.gz"))

    monkeypatch.setenv("HOME", str(shop.path))
    monkeypatch.setenv("USERPROFILE", str(shop.path))
    (shop.path / "sub" / "out").mkdir(parents=True)
    monkeypatch.chdir(shop.path / "sub")
    for name, path in (
        ("out/run.jsonl", "sub/out/run.jsonl"),
        ("~/mine.jsonl", "mine.jsonl"),
    ):
        run = shop.run(f"--relevance-record={name}", "..")
        assert run.sentences("record: ") == [f"record: {name} (10 cases)"]
        assert ends(shop.recorded(path)) == expected

    monkeypatch.chdir(shop.path)
    moves = "import os, pathlib\nos.chdir(pathlib.Path(__file__).with_name('sub'))\n"
    shop.write("test_moves.py", f"{moves}def test_nothing():\n    pass\n")
    shop.run(RECORD)
    assert ends(shop.recorded()) == expected
