"""Metrics of a project's own, from the hook `pytest_relevance_metrics`."""

import re
from xml.etree import ElementTree

import pytest

from pytest_relevance import compare_runs, read_suite
from tests.plugin.conftest import WORDS, Command, Project, one_line
from tests.plugin.shop import KNOWN, UPDATE

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
WORSE = WORDS.replace("query.split()", "query.replace('b', 'd').split()")

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


def test_it_stands_wherever_a_metric_may(shop: Project) -> None:
    found = shop.reports("--junitxml=junit.xml")
    run = found.run
    passed = dict.fromkeys(("good", "undefined", "gate[mean]"), "passed")
    # nothing was accepted yet
    assert run.outcomes == {**passed, "poor": "failed", "gate[drop]": "failed"}
    why = "net@3 -3.000 is not above -3.000"
    junit = str(ElementTree.tostring(shop.junit_cases["poor"]))
    for text in (run.failure("poor"), found.page, found.markdown, junit):
        assert why in text
    assert "mean net@3 0.500" in run.said
    good, _, undefined = shop.recorded().results
    scores = good.evaluation.scores
    assert (scores["net@2"], scores["net"], scores["net@3"]) == (5, 4, 4)
    assert undefined.evaluation.scores["net@3"] is None


def test_accepted_rankings_are_scored_again(shop: Project) -> None:
    shop.run(UPDATE)
    known = shop.run("-n1", KNOWN)
    passed = dict.fromkeys(("good", "undefined", "gate[mean]", "gate[drop]"), "passed")
    assert known.outcomes == {**passed, "poor": "xfailed"}
    shop.conftest(WORSE + NET)
    # and other judgments
    shop.cases(CASES.replace("b: 2", "b: 4").replace("net@2: 5", "net@2: 6"))
    worse = shop.run(KNOWN)
    assert worse.outcomes["good"] == "failed"  # 7 for the accepted ranking, 2 now
    assert worse.outcomes["gate[drop]"] == "failed"
    assert "net@2 2.000 is below 6.000" in worse.failure("good")
    assert "mean net fell by 2.500, from 3.000 to 0.500" in worse.told("gate[drop]")


MISTAKES = {
    "raise KeyError('brand')": r"raised KeyError: 'brand' \(\w+/conftest.py:\d+ in net\)",
    "return 'high'": "returned 'high'; it returns a finite number, or None",
    "return float('nan')": "returned nan",
    "return True": "returned True",
    "return 10 ** 400": "returned 1000",
    "import pytest; pytest.skip('later')": "raised Skipped: later",
    "return grades[99]": "raised IndexError: list index out of range",
}


def test_a_mistake_of_the_function_is_an_error_that_names_the_metric(
    project: Project,
) -> None:
    expected = "judgments: {a: 1}, expect: {net@2: 1}, xfail: xfail is for floors"
    for number, mistake in enumerate(MISTAKES):
        net = NET.replace("        if not", f"        {mistake}\n        if not")
        project.write(f"m{number}/conftest.py", WORDS + net)
        cases = f"{{id: m{number}, query: a b, {expected}}}, {{query: b a, judgments: {{a: 1}}}}"
        project.cases(f"cases: [{cases}]", f"m{number}/shop.relevance.yaml")
    run = project.run("-v")
    assert run.counts == {"passed": len(MISTAKES), "failed": len(MISTAKES)}
    for number, message in enumerate(MISTAKES.values()):
        assert run.results[f"m{number}"].verdict == "error"
        assert re.search(f"the metric net@2 {message}", run.told(f"m{number}"))


STANDS = "stands for something already"
HOOKS = {
    "['net']": "expected {name: function}, found",
    "{'net@3': abs}": "a name has letters, digits, _ and -, a letter first, not 'net@3'",
    "{'n d': abs}": "a name has",
    "{5: abs}": "a name has",
    "{'ndcg': abs}": f'the name "ndcg" {STANDS}',
    "{'map_cut_10': abs}": f'the name "map_cut_10" {STANDS}',
    "{'Overlap': abs}": f'the name "Overlap" {STANDS}',
    "{'Precision': abs}": f'the name "Precision" {STANDS}',
    "{'Latency': abs}": f'the name "Latency" {STANDS}',
    "{'net': 3}": "expected {name: function}, found",
}


def test_what_the_hook_must_not_return_is_told_at_collection(project: Project) -> None:
    for number, returned in enumerate(HOOKS):
        hook = f"def pytest_relevance_metrics():\n        return {returned}\n"
        project.write(f"m{number}/conftest.py", f"{WORDS}\n    {hook}")
        project.cases("cases: [{query: a}]", f"m{number}/shop.relevance.yaml")
        check = f"def test_{number}(relevance):\n    relevance.check('a', ['a'])\n"
        project.write(f"m{number}/test_{number}.py", check)
    run = project.run("--continue-on-collection-errors")
    assert run.counts == {"errors": len(HOOKS), "failed": len(HOOKS)}
    for number, message in enumerate(HOOKS.values()):
        said = f"the hook pytest_relevance_metrics: {message}"
        assert said in run.failure(f"test_{number}")
        assert run.text.count(said) >= 2


def test_a_mean_is_over_the_cases_where_the_metric_is_defined(project: Project) -> None:
    clean = """
    def clean(grades, judged, k):
        return None if None in grades else float(0 not in grades)

    def pytest_relevance_metrics():
        return {"clean": clean}
    """
    project.conftest(WORDS + clean)
    project.cases("""
        gates: [{mean: {clean@2: 0.9}}]
        cases:
          - {query: a b, judgments: {a: 1, b: 1}}
          - {query: c d, judgments: {c: 0, d: 0}}
          - {query: e f, judgments: {e: 1}}
    """)
    mean = "mean clean@2 0.500, below 0.900 (2 of 3 cases, those where it is defined)"
    assert mean in project.run().failure("gate[mean clean@2 0.9]")


def test_a_name_is_known_where_its_conftest_holds(shop: Project) -> None:
    nett = "cases: [{query: a, judgments: {a: 1}, expect: {net@1: 1, nett@1: 1}}]"
    hook = "def pytest_relevance_metrics(): return {'nett': lambda *_: 1}"
    shop.write("sub/conftest.py", hook)
    shop.cases(nett, "sub/one.relevance.yaml")
    shop.cases(nett, "two.relevance.yaml")
    run = shop.run("sub", "two.relevance.yaml", "--continue-on-collection-errors")
    assert run.counts == {"passed": 1, "errors": 1}
    assert 'the project\'s own are net; did you mean "net"?' in run.text
    shop.conftest()  # another session in the same process
    assert "unknown metric 'net@3'" in shop.run().text


def test_a_check_in_python_takes_it(shop: Project) -> None:
    expect = "expect={'net@2': 2, 'net': '> 3'}"
    shop.test(f"relevance.check('a', ['a', 'x'], {{'a': 3}}, {expect})")
    run = shop.run("test_shop.py")
    assert "net 2.000 is not above 3.000" in run.failure("test_shop")


def test_a_cut_ranking_has_no_value_of_the_whole_one(shop: Project) -> None:
    cuts = WORDS.replace("(query)", "(query, k)").replace("split()", "split()[:k]")
    shop.conftest(cuts + NET)
    shop.cases("""
        k: 2
        gates: [{mean: {net: -99}}]
        cases:
          - {query: a b c, judgments: {a: 3}}
          - {query: x y z, id: undefined, judgments: {a: 0}}
          - {query: a, id: whole, judgments: {a: 3}}
    """)
    told = shop.run().told("gate[mean net -99]")
    assert "the search was asked for 2 in 2 cases: write net@2" in told


# Commands know no conftest: they take the values of a record


@pytest.fixture
def records(shop: Project) -> Project:
    """The records of two runs, `a.jsonl` and `b.jsonl`: in the second, one case is
    worse.
    """
    shop.run("--relevance-record=a.jsonl")
    shop.conftest(WORSE + NET)
    shop.run("--relevance-record=b.jsonl")
    return shop


COMPARE = ("compare", "a.jsonl", "b.jsonl")


def test_commands_take_the_recorded_values(records: Project, command: Command) -> None:
    compared = command(*COMPARE, "--metric", "net@3")
    assert compared.code == 0
    assert "mean net@3 0.500 -> -1.000 (-1.500" in compared.out
    for gate, code in (
        ("--max-drop=net@3=1.5", 0),
        ("--max-drop=net@3=1.4", 1),
        ("--min=net@3=-1", 0),
        ("--min=net@3=-0.9", 1),
    ):
        assert command(*COMPARE, gate).code == code
    for format in ("text", "markdown", "html"):
        report = command("report", "b.jsonl", "--format", format)
        assert "net@3 -3.000 is not above" in report.out
    against = command("report", "b.jsonl", "--against", "a.jsonl").out
    assert "mean net fell by 1.500, from 2.000 to 0.500" in against
    merged = command("merge", "b.jsonl", "-o", "c.jsonl")
    assert merged.code == 1
    assert "mean net@3 -1.000, below -0.500" in merged.out


REFUSED = [
    (["net@4"], "unknown metric 'net@4'"),
    (["nDGC@10"], "did you mean nDCG?"),
    (["net@3", "--set", "gain=linear"], "a project's own is compared by the values in both records"),
    (["net@3", "--judgments", "shop.relevance.yaml"], "by the values in both records"),
]  # fmt: skip


@pytest.mark.usefixtures("records")
def test_commands_compute_no_value(command: Command) -> None:
    for options, why in REFUSED:
        refused = command(*COMPARE, "--metric", *options)
        assert refused.code == 2, options
        assert why in refused.err


def test_a_value_that_one_record_lacks_is_not_computed(records: Project) -> None:
    records.cases(CASES.replace("net@2: 5, ", ""))
    records.run("--relevance-record=b.jsonl")
    why = r"unknown metric 'net@2'.* by the values in both records: name it in a gate"
    with pytest.raises(ValueError, match=why):
        compare_runs("a.jsonl", "b.jsonl", "net@2")


def test_check_is_told_the_names_that_a_conftest_knows(
    shop: Project, command: Command
) -> None:
    shop.cases(CASES.replace("judgments: {a: 0}", "judgments: {a: 1}"))
    unknown = command("check", ".")
    assert unknown.code == 1
    assert "unknown metric 'net@3'" in unknown.out
    assert command("check", "--strict", "--metric", "net", ".").code == 0
    shop.cases("cases: [{query: a, expect: {net@1: 1, frist: b, nett: 2}}]")
    misspelt = command("check", "--metric", "net", ".")
    assert misspelt.code == 1
    assert 'did you mean "first"?' in misspelt.out
    assert "unknown metric 'nett'" in misspelt.out


def test_read_suite_takes_the_names(shop: Project) -> None:
    for metrics in (None, {"net": None}):
        suite = read_suite("shop.relevance.yaml", metrics=metrics)
        (metric,) = suite.cases[0].terms.gates[0].metrics
        assert metric.text == "net@3"
    with pytest.raises(ValueError, match="unknown metric 'net@3'"):
        read_suite("shop.relevance.yaml", metrics={})
    # a number may be the bound of a metric of the project's own, a list may not
    shop.write("typo.yaml", "cases: [{query: a, expect: {inculde: [x], nett: 2}}]")
    with pytest.raises(ValueError, match="did you mean") as caught:
        read_suite("typo.yaml")
    message = one_line(str(caught.value))
    assert message.startswith('typo.yaml:1:29: expect: "inculde" ')
    assert message.endswith('; did you mean "include"? (in case "a")')
