"""Metrics of a project's own, from the hook `pytest_relevance_metrics`."""

import math
import re
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import Run, compare_runs, evaluate, read_suite
from pytest_relevance.cli import main
from tests.plugin.conftest import WORDS, Project

NET = """
    def net(grades, judged, k):
        if not any(judged):
            return None
        assert k is None or len(grades) <= k
        return sum(grade or -1 for grade in grades)

    def pytest_relevance_metrics():
        return {"net": net}
"""
"""The grades of the results, less one for each that is bad or not judged; not defined
without a good document.
"""

CASES = """
    gates:
      - {mean: {net@3: -0.5}, id: mean}
      - {max_drop: {net: 1.4}, id: drop}
    cases:
      - {query: a b c, id: good, judgments: {a: 3, b: 2, c: 0}, expect: {net@2: 5, net: "== 4"}}
      - {query: c d e a, id: poor, judgments: {a: 3, b: 2, c: 0}, expect: {net@3: "> -3"}}
      - {query: x, id: undefined, judgments: {a: 0}}
"""


@pytest.fixture
def shop(project: Project) -> Project:
    """A project with a metric of its own."""
    project.conftest(WORDS + NET)
    project.cases(CASES)
    return project


@pytest.mark.parametrize("workers", [(), ("-n2",)], ids=["alone", "xdist"])
def test_it_stands_wherever_a_metric_may(
    shop: Project, workers: tuple[str, ...]
) -> None:
    reports = [
        f"--relevance-{kind}=run.{kind}" for kind in ("record", "html", "markdown")
    ]
    run = shop.run(*workers, *reports, "--junitxml=junit.xml")
    passing = dict.fromkeys(("good", "undefined", "gate[mean]"), "passed")
    assert run.outcomes == {
        **passing,
        "poor": "failed",
        "gate[drop]": "failed",
    }  # nothing was accepted yet
    why = "net@3 -3.000 is not above -3.000"
    assert why in run.failure("poor")
    assert why in (shop.path / "run.html").read_text()
    assert why in (shop.path / "run.markdown").read_text()
    assert why in str(ElementTree.tostring(shop.junit_cases["poor"]))
    assert "mean net@3 0.500" in " ".join(run.summary.split())
    results = Run.open(shop.path / "run.record").results
    scores = {result.id: result.evaluation.scores for result in results}
    assert scores["good"].items() >= {"net@2": 5, "net": 4, "net@3": 4}.items()
    assert scores["undefined"]["net@3"] is None


def test_accepted_rankings_are_scored_again(shop: Project) -> None:
    shop.run("--relevance-update")
    known = shop.run("-n2", "--relevance-known=xfail")
    assert known.outcomes == {
        **dict.fromkeys(("good", "undefined", "gate[mean]", "gate[drop]"), "passed"),
        "poor": "xfailed",
    }
    shop.conftest(
        WORDS.replace("query.split()", "query.replace('b', 'd').split()") + NET
    )
    shop.cases(
        CASES.replace("b: 2", "b: 4").replace("net@2: 5", "net@2: 6")
    )  # and other judgments
    worse = shop.run("--relevance-known=xfail")
    assert worse.outcomes["good"] == "failed"  # 7 for the accepted ranking, 2 now
    assert worse.outcomes["gate[drop]"] == "failed"
    assert "net@2 2.000 is below 6.000" in worse.failure("good")
    assert "mean net fell by 2.500, from 3.000 to 0.500" in worse.told("gate[drop]")


MISTAKES = {
    "raise KeyError('brand')": r"the metric net@2 raised KeyError: 'brand' \(\w+/conftest.py:\d+ in net\)",
    "return 'high'": "the metric net@2 returned 'high'; it returns a finite number, or None",
    "return float('nan')": "the metric net@2 returned nan",
    "return True": "the metric net@2 returned True",
    "return 10 ** 400": "the metric net@2 returned 1000",
    "import pytest; pytest.skip('later')": "the metric net@2 raised Skipped: later",
    "return grades[99]": "the metric net@2 raised IndexError: list index out of range",
}


def test_a_mistake_of_the_function_is_an_error_that_names_the_metric(
    project: Project,
) -> None:
    for number, mistake in enumerate(MISTAKES):
        conftest = WORDS + NET.replace(
            "        if not", f"        {mistake}\n        if not"
        )
        project.write(f"m{number}/conftest.py", conftest)
        case = f"id: m{number}, query: a b, judgments: {{a: 1}}, expect: {{net@2: 1}}, xfail: xfail is for floors"
        project.cases(
            f"cases: [{{{case}}}, {{query: b a, judgments: {{a: 1}}}}]",
            f"m{number}/shop.relevance.yaml",
        )
    run = project.run("--relevance-record=run.jsonl", "-v")
    assert run.counts == {"passed": len(MISTAKES), "failed": len(MISTAKES)}
    for number, message in enumerate(MISTAKES.values()):
        assert run.results[f"m{number}"].verdict == "error"
        assert re.search(message, run.told(f"m{number}"))


HOOKS = {
    "['net']": "expected {name: function}, found",
    "{'net@3': abs}": "a name has letters, digits, _ and -, a letter first, not 'net@3'",
    "{'n d': abs}": "a name has",
    "{5: abs}": "a name has",
    "{'ndcg': abs}": 'the name "ndcg" stands for something already',
    "{'map_cut_10': abs}": 'the name "map_cut_10" stands for something already',
    "{'Overlap': abs}": 'the name "Overlap" stands for something already',
    "{'Precision': abs}": 'the name "Precision" stands for something already',
    "{'Latency': abs}": 'the name "Latency" stands for something already',
    "{'net': 3}": "expected {name: function}, found",
}


def test_what_the_hook_must_not_return_is_told_at_collection(project: Project) -> None:
    for number, returned in enumerate(HOOKS):
        hook = f"def pytest_relevance_metrics():\n        return {returned}\n"
        project.write(f"m{number}/conftest.py", f"{WORDS}\n    {hook}")
        project.cases("cases: [{query: a}]", f"m{number}/shop.relevance.yaml")
        project.write(
            f"m{number}/test_{number}.py",
            f"def test_{number}(relevance):\n    relevance.check('a', ['a'])\n",
        )
    run = project.run("--continue-on-collection-errors")
    assert run.counts == {"errors": len(HOOKS), "failed": len(HOOKS)}
    for number, message in enumerate(HOOKS.values()):
        assert f"the hook pytest_relevance_metrics: {message}" in run.failure(
            f"test_{number}"
        )
        assert run.text.count(f"the hook pytest_relevance_metrics: {message}") >= 2


def test_a_mean_is_over_the_cases_where_the_metric_is_defined(project: Project) -> None:
    project.conftest(
        WORDS
        + """
    def clean(grades, judged, k):
        return None if None in grades else float(0 not in grades)

    def pytest_relevance_metrics():
        return {"clean": clean}
    """
    )
    project.cases("""
        gates: [{mean: {clean@2: 0.9}}]
        cases:
          - {query: a b, judgments: {a: 1, b: 1}}
          - {query: c d, judgments: {c: 0, d: 0}}
          - {query: e f, judgments: {e: 1}}
    """)
    run = project.run()
    mean = "mean clean@2 0.500, below 0.900 (2 of 3 cases, those where it is defined)"
    assert run.counts == {"passed": 3, "failed": 1}
    assert mean in run.failure("gate[mean clean@2 0.9]")


def test_a_name_is_known_where_its_conftest_holds(shop: Project) -> None:
    assert shop.run().outcomes["good"] == "passed"
    shop.cases(
        "cases: [{query: a, judgments: {a: 1}, expect: {net@1: 1, nett@1: 1}}]",
        "sub/one.relevance.yaml",
    )
    shop.write(
        "sub/conftest.py",
        "def pytest_relevance_metrics(): return {'nett': lambda *_: 1}",
    )
    assert shop.run("sub").outcomes == {"a": "passed"}
    shop.cases(
        "cases: [{query: a, judgments: {a: 1}, expect: {nett@1: 1}}]",
        "two.relevance.yaml",
    )
    two = shop.run("sub", "two.relevance.yaml", "--continue-on-collection-errors")
    assert two.counts == {"passed": 1, "errors": 1}
    assert 'the project\'s own are net; did you mean "net"?' in two.text
    shop.conftest()  # another session in the same process
    assert "unknown metric 'net@3'" in shop.run().text


def test_a_check_in_python_takes_it(shop: Project) -> None:
    shop.test(
        "relevance.check('a', ['a', 'x'], {'a': 3}, expect={'net@2': 2, 'net': '> 3'})"
    )
    assert "net 2.000 is not above 3.000" in shop.run("test_shop.py").failure(
        "test_shop"
    )


def test_a_cut_ranking_has_no_value_of_the_whole_one(shop: Project) -> None:
    shop.conftest(
        WORDS.replace("(query)", "(query, k)").replace("split()", "split()[:k]") + NET
    )
    shop.cases("""
        k: 2
        gates: [{mean: {net: -99}}]
        cases:
          - {query: a b c, judgments: {a: 3}}
          - {query: x y z, id: undefined, judgments: {a: 0}}
          - {query: a, id: whole, judgments: {a: 3}}
    """)
    run = shop.run()
    assert run.outcomes["gate[mean net -99]"] == "failed"
    assert "the search was asked for 2 in 2 cases: write net@2" in run.told(
        "gate[mean net -99]"
    )


# Commands know no conftest: they take the values of a record


@pytest.fixture
def records(shop: Project) -> Project:
    """The records of two runs, `a.jsonl` and `b.jsonl`: in the second, one case is
    worse.
    """
    shop.run("--relevance-record=a.jsonl")
    shop.cases(CASES.replace("query: a b c", "query: d b c"))
    shop.run("--relevance-record=queries.jsonl")
    shop.conftest(
        WORDS.replace("query.split()", "query.replace('b', 'd').split()") + NET
    )
    shop.cases(CASES)
    shop.run("--relevance-record=b.jsonl")
    return shop


def test_commands_take_the_recorded_values(
    records: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    metric = ["--metric", "net@3"]
    assert main(["compare", "a.jsonl", "b.jsonl", *metric]) == 0
    said = capsys.readouterr().out
    assert "mean net@3 0.500 -> -1.000 (-1.500" in said
    assert main(["compare", "a.jsonl", "b.jsonl", "--max-drop", "net@3=1.5"]) == 0
    assert main(["compare", "a.jsonl", "b.jsonl", "--max-drop", "net@3=1.4"]) == 1
    assert main(["compare", "a.jsonl", "b.jsonl", "--min", "net@3=-1"]) == 0
    assert main(["compare", "a.jsonl", "b.jsonl", "--min", "net@3=-0.9"]) == 1
    capsys.readouterr()
    for format in ("text", "markdown", "html"):
        assert main(["report", "b.jsonl", "--format", format]) == 0
        assert "net@3 -3.000 is not above" in capsys.readouterr().out
    assert main(["report", "b.jsonl", "--against", "a.jsonl"]) == 0
    assert "mean net fell by 1.500, from 2.000 to 0.500" in " ".join(
        capsys.readouterr().out.split()
    )
    assert main(["merge", "b.jsonl", "-o", "c.jsonl"]) == 1
    assert "mean net@3 -1.000, below -0.500" in " ".join(
        capsys.readouterr().out.split()
    )


def test_commands_compute_no_value(
    records: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    for options, why in {
        ("--metric", "net@4"): "unknown metric 'net@4'",
        ("--metric", "nDGC@10"): "did you mean nDCG?",
        (
            "--metric",
            "net@3",
            "--set",
            "gain=linear",
        ): "a project's own is compared by the values in both records",
        (
            "--metric",
            "net@3",
            "--judgments",
            "shop.relevance.yaml",
        ): "by the values in both records",
    }.items():
        assert main(["compare", "a.jsonl", "b.jsonl", *options]) == 2
        assert why in capsys.readouterr().err
    records.cases(CASES.replace("net@2: 5, ", ""))
    records.run("--relevance-record=b.jsonl")
    with pytest.raises(
        ValueError,
        match=r"unknown metric 'net@2'.* by the values in both records: name it in a gate",
    ):
        compare_runs("a.jsonl", "b.jsonl", "net@2")


def test_check_is_told_the_names_that_a_conftest_knows(
    shop: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop.cases(CASES.replace("judgments: {a: 0}", "judgments: {a: 1}"))
    assert main(["check", "."]) == 1
    assert "unknown metric 'net@3'" in capsys.readouterr().out
    assert main(["check", "--strict", "--metric", "net", "."]) == 0
    shop.cases(
        "cases: [{query: a, judgments: {a: 1}, expect: {net@1: 1, frist: b, nett: 2}}]"
    )
    capsys.readouterr()
    assert main(["check", "--metric", "net", "."]) == 1
    said = capsys.readouterr().out
    assert 'did you mean "first"?' in said
    assert "unknown metric 'nett'" in said


def test_read_suite_takes_the_names(shop: Project) -> None:
    for metrics in (None, {"net": None}):
        assert {
            metric.text
            for metric in read_suite("shop.relevance.yaml", metrics=metrics)
            .cases[0]
            .terms.gates[0]
            .metrics
        } == {"net@3"}
    shop.write("typo.yaml", "cases: [{query: a, expect: {inculde: [x], nett: 2}}]")
    with pytest.raises(
        ValueError,
        match=r'^typo.yaml:1:29: expect: "inculde" .*; did you mean "include"\? \(in case "a"\)$',
    ):
        read_suite(
            "typo.yaml"
        )  # a number may be the bound of a metric of the project's own, a list may not
    with pytest.raises(ValueError, match="unknown metric 'net@3'"):
        read_suite("shop.relevance.yaml", metrics={})


# evaluate

GRADES = st.dictionaries(st.sampled_from("abcdef"), st.integers(0, 3), max_size=6)
RANKING = st.lists(st.sampled_from("abcdefgh"), max_size=9)


def relevant(
    grades: list[float | None], judged: list[float], k: int | None
) -> float | None:
    """Recall."""
    total = sum(grade >= 1 for grade in judged)
    return (
        sum(grade is not None and grade >= 1 for grade in grades) / total
        if total
        else None
    )


@given(
    st.lists(st.tuples(GRADES, RANKING), min_size=1, max_size=4),
    st.sampled_from(["nan", "zero"]),
)
def test_a_function_scores_as_the_measure_that_it_is(
    queries: list[tuple[dict[str, int], list[str]]], none: str
) -> None:
    judgments = {f"q{number}": grades for number, (grades, _) in enumerate(queries)}
    rankings = {f"q{number}": ranking for number, (_, ranking) in enumerate(queries)}
    table = evaluate(judgments, rankings, ["R", relevant], undefined=none)
    assert list(table) == ["R", "relevant"]
    assert all(
        one == other or math.isnan(one) == math.isnan(other) == 1
        for one, other in table.itertuples(index=False)
    )


def test_what_a_function_does_wrong_names_the_query() -> None:
    with pytest.raises(
        ValueError,
        match=r"query 'q': the metric relevant raised TypeError: .*takes 1 positional argument but 3 were given",
    ):
        evaluate(
            {"q": {"a": 1}}, {"q": ["a"]}, lambda_named("relevant", lambda grades: 1)
        )
    with pytest.raises(
        ValueError,
        match="two metrics are called P: give one of the functions another __name__",
    ):
        evaluate({"q": {"a": 1}}, {"q": ["a"]}, [lambda_named("P", lambda *_: 1), "P"])
    assert evaluate({"q": {"a": 1}}, {"q": ["a"]}, lambda_named("P", lambda *_: 7))[
        "P"
    ].tolist() == [7]


def lambda_named(name: str, function):  # type: ignore[no-untyped-def]
    """The function with another name."""
    function.__name__ = name
    return function
