"""`--relevance-record=FILE`: what a record has of a run, and that it is the same
wherever the run takes place.
"""

import pytest

from pytest_relevance import CaseResult, evaluate
from pytest_relevance import Run as Record
from tests.helpers import changed, reasons_of
from tests.plugin.conftest import Project, Run

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


def opened(project: Project, name: str = "run.jsonl") -> Record:
    """The record of a run."""
    return Record.open(project.path / name)


def facts(result: CaseResult) -> CaseResult:
    """All that a record has of a case; how long the search took is another thing every
    time.
    """
    return changed(result, latency=None)


def ends(record: Record) -> dict[str, tuple[str, str]]:
    """The verdict of each case, and what pytest made of that."""
    return {result.id: (result.verdict, result.outcome) for result in record.results}


def said(run: Run, beginning: str = "record: ") -> list[str]:
    return run.sentences(beginning)


@pytest.fixture
def shop(project: Project) -> Project:
    """A case for everything that may come of one."""
    project.conftest(SEARCH)
    project.cases(CASES)
    return project


def test_what_every_case_came_to_and_what_it_is(shop: Project) -> None:
    run = shop.run(RECORD)
    record = opened(shop)
    assert run.counts == {
        "passed": 4,
        "failed": 4,
        "skipped": 1,
        "xfailed": 1,
        "xpassed": 1,
    }  # a gate is among them
    assert said(run) == ["record: run.jsonl (10 cases)"]
    assert repr(record) == "Run(run.jsonl: 10 results)"
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
    assert record.missing == ()
    reasons = {
        result.id: " ".join(reasons_of(result))
        for result in record.results
        if result.evaluation.reasons
    }
    assert reasons == {
        "b a": 'nDCG@3 0.710 is below 0.900 first: rank 1 has "b", expected "a" (at rank 2)',
        "y u v": "inconclusive: 1 of the top 3 judged, less than min_judged 1 nDCG@3 0.631 is below 0.700",
        "xfails w": "nDCG@3 0.631 is below 0.900",
        "boom": "ConnectionError: no engine",
        "skipped s": "no s",
    }
    of = {result.id: result for result in record.results}
    first, second = of["passes"], of["b a"]
    assert (first.file, first.line, first.query, first.search) == (
        "shop.relevance.yaml",
        5,
        "x a b c d e f",
        "search",
    )
    assert (first.tags, first.weight, first.params, first.variant) == (
        ("shop", "head"),
        2.5,
        {},
        None,
    )
    assert (second.query, second.tags, second.weight, second.params) == (
        "b a",
        ("shop",),
        1,
        {"fuzzy": True},
    )
    assert (first.conditions.k, of["measured"].conditions.k) == (3, 5)
    assert first.ranking.documents == ("x", "a", "b")  # as far as the case looks
    assert second.evaluation.scores.keys() == {"nDCG@3", "P@2", "RR"}
    assert first.evaluation.scores.keys() == {"nDCG@3", "P@2"}  # of a gate
    assert of["nothing relevant"].evaluation.scores == {"nDCG@3": None, "P@2": 0.0}
    assert of["boom"].evaluation.scores == of["skipped s"].evaluation.scores == {}
    error = of["boom"].call.error
    assert error is not None
    assert (error.type, error.message, error.frame) == (
        "ConnectionError",
        "no engine",
        "conftest.py:7 in search",
    )
    unjudged = [name for name, result in of.items() if not result.evaluation.is_judged]
    assert unjudged == ["nobody judged", "boom", "skipped s"]
    assert [name for name, result in of.items() if result.call.latency is None] == [
        "boom",
        "skipped s",
    ]


def test_its_figures_are_those_of_the_library_to_the_last_digit(shop: Project) -> None:
    """And those of the reports, and of the summary."""
    run = shop.run(RECORD)
    results = {
        result.id: result for result in opened(shop).results if result.evaluation.scores
    }
    judgments = {
        "passes": {"a": 3, "b": 1, "x": 0},
        "b a": {"a": 3, "b": 1},
        "y u v": {"u": 3},
        "measured": {"measured": 1},
        "xfails w": {"w": 3},
        "xpasses": {"xpasses": 3},
        "nothing relevant": {"nothing": 0},
    }
    metrics = ["nDCG@3", "nDCG@5", "P@2", "RR"]
    table = evaluate(
        judgments,
        {name: results[name].query.split() for name in judgments},
        metrics,
        max_grade=3,
    )
    for name in judgments:
        for metric, score in results[name].evaluation.scores.items():
            (expected,) = table.loc[[name], metric]
            assert score == expected or (score is None and expected != expected), (
                name,
                metric,
            )
    assert {name: result.score for name, result in results.items()} == {
        entry.id: entry.score
        for entry in run.results.values()
        if entry.evaluation.scores
    }
    frame = opened(shop).frame
    assert (
        f"mean nDCG@k {(frame.score * frame.weight)[frame.score.notna()].sum() / 7.5:.3f}\n"
        in run.summary
    )
    doubtful = results["y u v"]
    assert (doubtful.evaluation.lower, doubtful.evaluation.upper) == (
        doubtful.score,
        1.0,
    )
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
    record = opened(project)
    assert ends(record) == {
        "red shoes": ("measured", "passed"),
        "boots": ("failed", "failed"),
        "hats": ("failed", "failed"),
        "socks": ("failed", "xfailed"),
    }
    assert [(result.file, result.line, result.search) for result in record.results] == [
        ("test_shop.py", line, "relevance.check") for line in (4, 5, 10, 14)
    ]
    boots = record.results[1]
    assert (
        boots.conditions.k,
        boots.weight,
        boots.ranking.documents,
        boots.call.latency,
    ) == (5, 2, ("7", "8"), None)
    assert said(run) == ["record: run.jsonl (4 checks)"]


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
    assert "test_shop.py:7: nDCG@10 0.631 is below 0.900" in run.failure(
        "test_shop [b a]"
    )
    assert "ValueError: of another kind" in run.failure("test_going_on")
    assert (
        "test_shop.py  mean nDCG@10 0.658   1 passed, 2 failed, 2 errors, 1 measured"
        in run.summary
    )
    record = opened(project)
    assert ends(record) == {
        "measured": ("measured", "passed"),
        "b a": ("failed", "failed"),
        "a b": ("passed", "passed"),
        "c": ("failed", "failed"),
        "nonsense": ("error", "failed"),
        "caught": ("error", "failed"),
    }


VARIANTS = SEARCH.replace(
    "@pytest.fixture", '@pytest.fixture(params=["bm25", "dense"])'
).replace("def search():", "def search(request):")


def test_the_same_with_workers_as_without(project: Project) -> None:
    grouped = """
    def pytest_collection_modifyitems(items):
        for number, item in enumerate(items):
            item.add_marker(pytest.mark.xdist_group(f"group {number % 3}"))
    """
    project.conftest(VARIANTS + grouped)
    project.cases(CASES)
    project.test(
        'for query in ("a b", "b a"):',
        '    relevance.check(query, query.split(), {"a": 3, "b": 1})',
    )
    project.run(RECORD)
    here = opened(project)
    run = project.run("--relevance-record=there.jsonl", "-n2", "--dist=loadgroup")
    there = opened(project, "there.jsonl")
    assert said(run) == ["record: there.jsonl (10 cases and 2 checks)"]
    assert [facts(result) for result in there.results] == [
        facts(result) for result in here.results
    ]
    assert [(result.id, result.variant) for result in here.results][:3] == [
        *(("passes", "bm25"), ("passes", "dense"), ("b a", "bm25"))
    ]
    assert {result.variant for result in here.results} == {"bm25", "dense", None}
    assert (there.missing, there.files, there.info.program) == (
        here.missing,
        here.files,
        here.info.program,
    )


def test_what_was_not_chosen_is_not_missing(shop: Project) -> None:
    for options, names in (
        (("-k", "measured or boom"), {"measured", "boom"}),
        (("--lf",), {"boom"}),
        (("shop.relevance.yaml::passes",), {"passes"}),
        (("-k", "none"), set()),
    ):
        shop.run(RECORD, *options, cache=True)
        assert ends(opened(shop)).keys() == names
        assert opened(shop).missing == ()


def test_the_file_is_where_the_option_says(
    shop: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.run("--relevance-record=run.jsonl.gz")
    assert (shop.path / "run.jsonl.gz").read_bytes().startswith(b"\x1f\x8b")
    expected = ends(opened(shop, "run.jsonl.gz"))

    (shop.path / "sub" / "out").mkdir(parents=True)
    monkeypatch.chdir(shop.path / "sub")
    run = shop.run("--relevance-record=out/run.jsonl", "..")
    assert said(run) == ["record: out/run.jsonl (10 cases)"]
    assert ends(opened(shop, "sub/out/run.jsonl")) == expected

    monkeypatch.setenv("HOME", str(shop.path))
    monkeypatch.setenv("USERPROFILE", str(shop.path))
    run = shop.run("--relevance-record=~/mine.jsonl", "..")
    assert said(run) == ["record: ~/mine.jsonl (10 cases)"]
    assert ends(opened(shop, "mine.jsonl")) == expected

    monkeypatch.chdir(shop.path)
    moves = "import os, pathlib\nos.chdir(pathlib.Path(__file__).with_name('sub'))\n"
    shop.write("test_moves.py", f"{moves}def test_nothing():\n    pass\n")
    assert said(shop.run(RECORD)) == ["record: run.jsonl (10 cases)"]
    assert ends(opened(shop)) == expected


@pytest.mark.parametrize(
    "expected",
    [
        "P@2: 0.5",
        "RR: 0.5",
        "first: [b, a]",
        "include: {docs: [z], within: 3}",
        "exclude: [a]",
        "order: {docs: [[b, c], [a]], within: 3}",
        "within: {c: 1}",
        'within: {b: "< 2"}',
        'within: {a: ">3"}',
        'within: {a: ">= 2"}',
        'within: {a: "== 2"}',
        'results: "> 5"',
        "results: 0",
        "latency: <= 0.000001 ms",
        "every@2: {price: '> 5'}",
        "some@2: {brand: [x, y]}",
        "none: {title: {contains: sh}}",
        "at_most: {brand: 1}",
        "same_as: b c d",
        "same_as: {query: b c d, overlap@2: 0.9}",
    ],
)
def test_each_expectation_that_fails_is_read_as_it_was_recorded(
    project: Project, expected: str
) -> None:
    project.conftest("""
        import pytest

        FIELDS = {"price": 3, "brand": "z", "title": "shoe"}

        @pytest.fixture
        def search():
            return lambda query, k: [{"id": word, **FIELDS} for word in query.split()]
    """)
    project.cases(f"""
        k: 3
        cases:
          - query: a b c
            judgments: {{z: 1}}
            expect: {{{expected}}}
    """)
    project.run(RECORD)
    (result,) = opened(project).results
    assert (result.verdict, len(result.evaluation.reasons)) == ("failed", 1)
