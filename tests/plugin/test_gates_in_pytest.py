"""Gates as tests of their own: reported like tests, however pytest is run, and never on
incomplete data.

What a gate finds is in `tests/gates`, and how it is put into words in `tests/reports`.
"""

import json
import re

import pytest

from tests.plugin.conftest import WORDS, Command, Project, Run, one_line
from tests.plugin.shop import UPDATE

SEARCH = """
    import os
    import pytest

    @pytest.fixture
    def search():
        def search(query):
            if query == "boom":
                raise ConnectionError("no engine")
            if query == "interrupt":
                raise KeyboardInterrupt
            if query == "crash":
                os._exit(1)
            if query == "exit":
                pytest.exit("enough")
            return query.split()
        return search
"""

CASES = """
    gates:
      - mean: {nDCG@10: 0.95}
      - passing: 0.6
        id: most pass
      - mean: {nDCG@10: 0.99, P@1: 0.5}
        tag: head
    cases:
      - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9, tags: [head]}
      - {query: b a, judgments: {a: 3, b: 1}, min_ndcg: 0.9, weight: 2}
      - {query: a c, judgments: {a: 3, c: 1}, min_ndcg: 0.9, tags: [head]}
      - {query: c, skip: no c}
"""
GATE_ALONE_FAILS = CASES.replace("min_ndcg: 0.9, weight: 2", "weight: 2")
MEAN, MOST = "gate[mean nDCG@10 0.95]", "gate[most pass]"
HEAD = "gate[mean nDCG@10 0.99, P@1 0.5 of head]"
JUDGED = {MEAN: "failed", MOST: "passed", HEAD: "passed"}
REQUIRE = "--relevance-gates=require"


@pytest.fixture
def shop(project: Project) -> Project:
    """A suite with three gates, the first of which fails, as does one of its four
    cases; one case is skipped.
    """
    project.conftest(SEARCH)
    project.cases(CASES)
    return project


def of_suites(run: Run) -> list[str]:
    """What the lines of the suites say of gates."""
    return re.findall(r"   (\d gates? .*?)(?:   |$)", run.summary, re.MULTILINE)


def reasons(run: Run) -> set[str]:
    """Why gates were skipped."""
    return {
        report.longrepr[2].removeprefix("Skipped: ")
        for report in run.reports
        if report.skipped and "gate[" in report.nodeid
    }


def found_by(run: Run, gate: str) -> set[str]:
    """What a gate found, by its property `found`."""
    return {
        dict(report.user_properties)["found"]
        for report in run.reports
        if gate in report.nodeid
    }


# What is reported


EVERY_KIND = """
    gates:
      - {mean: {P@1: 0.5}}
      - {min: {P@1: 0.5}}
      - {p50: {P@1: 0.5}}
      - {p1: {P@1: 0.5}}
      - {max_drop: {P@1: 0.1}}
      - {passing: 0.5}
      - {latency: {max: 10 s}}
    cases:
      - {query: a b, judgments: {a: 1}}
      - {query: x b, judgments: {a: 1}, expect: {results: 1}}
      - {query: a x, judgments: {a: 1}}
      - {query: unjudged, expect: {results: 1}}
"""


def test_every_gate_has_its_figures_in_json(project: Project, command: Command) -> None:
    """Two of three judged cases have `a` on top. A case without a floor passes, since
    it has an accepted ranking.
    """
    project.conftest()
    project.cases(EVERY_KIND)
    project.run("--relevance-record=main.jsonl")
    project.run("--relevance-against=main.jsonl", "--relevance-record=run.jsonl")
    gates = json.loads(command("report", "--format=json", "run.jsonl").out)["gates"]
    figures = {}
    for gate in gates:
        finding = gate["findings"][0]
        case = finding.get("case", {}).get("query")
        numbers = [finding[key] for key in ("value", "bound", "counted", "total")]
        figures[gate["id"].split()[0]] = (*numbers, case)
    latency = figures.pop("latency")
    assert 0 < latency[0] < 10
    assert latency[1:] == (10, 4, 4, None)
    assert figures == {
        "mean": (pytest.approx(2 / 3), 0.5, 3, 4, None),
        "min": (0, 0.5, 3, 4, "x b"),
        "p50": (1, 0.5, 3, 4, "a b"),
        "p1": (None, 0.5, 3, 4, None),
        "max_drop": (0, 0.1, 3, 3, None),
        "passing": (0.75, 0.5, 4, 4, None),
    }


def test_a_gate_is_a_test(shop: Project) -> None:
    run = shop.run("-v", "--junitxml=junit.xml")
    cases = {"a b": "passed", "b a": "failed", "a c": "passed", "c": "skipped"}
    assert run.outcomes == {**cases, **JUDGED}
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert run.counts == {"passed": 4, "failed": 2, "skipped": 1}
    phases = [report.when for report in run.reports if report.nodeid.endswith(MOST)]
    assert phases == ["setup", "call", "teardown"]
    found = "mean nDCG@10 0.855, below 0.950 (3 cases)"
    text = [
        f"shop.relevance.yaml:2: {found}",
        "pulled down most by",
        "  0.710  b a   weight 2   failed   shop.relevance.yaml:9",
    ]
    assert run.failure(MEAN).splitlines() == text
    assert f"FAILED shop.relevance.yaml::{MEAN} - {found}"[:80] in run.text
    assert f"shop.relevance.yaml::{HEAD} PASSED" in run.text
    assert "[100%]\n" in run.text
    assert "[1" not in run.text.replace("[100%]", "")  # no progress beyond all
    assert f"{HEAD} met: " in run.summary
    assert f"gate not met: {found}" in run.summary

    junit = shop.junit_cases
    assert list(junit) == [*cases, MEAN, MOST, HEAD]
    assert {each.attrib["classname"] for each in junit.values()} == {
        "shop.relevance.yaml"
    }
    failure = junit[MEAN].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == found
    assert (failure.text or "").splitlines() == text
    passing = "2 of 3 cases pass (66.7%), at least 60%"
    assert shop.properties(MOST) == {"verdict": "passed", "found": passing}


def test_a_gate_alone_fails_a_run(shop: Project) -> None:
    shop.cases(GATE_ALONE_FAILS)
    assert shop.run().counts == {"passed": 5, "failed": 1, "skipped": 1}
    silent = shop.run("-p", "no:terminal")
    assert (silent.code, silent.text) == (pytest.ExitCode.TESTS_FAILED, "")
    assert shop.run("-x").code == pytest.ExitCode.TESTS_FAILED


def test_a_case_given_up_as_an_expected_failure_is_no_error(project: Project) -> None:
    found = "pytest.xfail('known') if query == 'soft' else [query]"
    project.conftest(f"""{WORDS.replace("query.split()", found)}
    def pytest_collection_modifyitems(items):
        for item in items:
            if item.name == "hard":
                item.add_marker(pytest.mark.xfail(run=False, reason="known"))
    """)
    names = ("a", "b", "soft", "hard")
    listed = ", ".join(f"{{query: {name}, judgments: {{{name}: 1}}}}" for name in names)
    project.cases(f"gates: [{{mean: {{nDCG@10: 0.9}}}}]\ncases: [{listed}]")
    run = project.run("--relevance-record=run.jsonl")
    assert run.counts == {"passed": 3, "xfailed": 2}
    assert "met: mean nDCG@10 1.000, at least 0.900 (2 cases)" in run.text
    results = project.recorded().results
    assert [(each.id, each.verdict, each.outcome) for each in results[2:]] == [
        ("soft", "skipped", "xfailed"),
        ("hard", "skipped", "xfailed"),
    ]


def test_the_verdict_counts_what_did_not_finish(project: Project) -> None:
    project.conftest(SEARCH)
    project.cases(
        "cases: [{query: a}, {query: b, min_ndcg: 1, judgments: {a: 1}}, {query: c}, {query: crash}]"
    )
    stopped = project.run("-x").sentences()[0]
    assert stopped.endswith(
        "; mean nDCG@10 0.000 (1 of 2 cases, those with a score); 2 cases are missing"
    )
    assert project.run("-n1").sentences()[0].endswith("; 1 case is missing")
    chosen = project.run("-k", "a or c", "--deselect", "shop.relevance.yaml::crash")
    assert "finish" not in chosen.summary


# Which cases count


def test_one_verdict_a_variant(project: Project) -> None:
    """What no parameter reaches is a part of the suite in every variant."""
    search = project.search(
        'return lambda query: query.split()[:: 1 if request.param == "forward" else -1]',
        '(params=["forward", "back"])',
        "request",
    )
    with search.open("a") as file:
        file.write("\n@pytest.fixture\ndef other():\n    return str.split\n")
    project.cases("""
        gates: [{mean: {nDCG@10: 0.8}}]
        cases:
          - {query: a b, judgments: {a: 3, b: 1}}
          - {query: b c, judgments: {b: 3, c: 1}}
          - {query: c d, judgments: {c: 3, d: 1}, search: other}
    """)
    run = project.run()
    forward, back = "gate[mean nDCG@10 0.8][forward]", "gate[mean nDCG@10 0.8][back]"
    assert run.gates == {forward: "passed", back: "passed"}
    assert found_by(run, forward) == {"mean nDCG@10 1.000, at least 0.800 (3 cases)"}
    assert found_by(run, back) == {"mean nDCG@10 0.807, at least 0.800 (3 cases)"}
    assert of_suites(run) == ["1 gate passed"] * 2
    part = project.run("-k", "forward")
    assert set(part.gates.values()) == {"skipped"}
    assert reasons(part) == {"not evaluated: 2 of 5 ran"}


def test_what_came_of_a_case_and_what_it_counts_as(project: Project) -> None:
    """Skipped cases are left out; inconclusive ones and those expected to fail count,
    and have not passed.
    """
    project.conftest(SEARCH)
    project.test("relevance.check('q', ['b', 'a'], {'a': 1})")
    project.cases("""
        gates:
          - passing: 0.3
          - {mean: {nDCG@10: 0.5}, tag: gone}
        cases:
          - {query: passes, judgments: {passes: 1}, min_ndcg: 0.9}
          - {query: measured}
          - {query: x passes too, judgments: {passes: 1}, min_ndcg: 0.9, xfail: not yet}
          - {query: x y, judgments: {y: 1}, min_ndcg: 0.7, min_judged: 1}
          - {query: a, skip: gone, tags: [gone]}
    """)
    passing, of_gone = "gate[passing 0.3]", "gate[mean nDCG@10 0.5 of gone]"
    for treatment, share in (
        ("fail", "1 of 3"),
        ("skip", "1 of 3"),
        ("pass", "2 of 3"),
    ):
        run = project.run(f"--relevance-inconclusive={treatment}", "-v")
        assert run.gates == {passing: "passed", of_gone: "skipped"}
        assert reasons(run) == {"not evaluated: no case with the tag gone ran"}
        (found,) = found_by(run, "gate[pass")
        assert found.startswith(share)
        assert found.endswith("; 1 case was only measured")
    run = project.run(REQUIRE, "-k", "not passes")
    assert run.gates == {passing: "failed", of_gone: "failed"}
    project.cases("gates: [{passing: 1}]\ncases: [{query: a, skip: no a}]")
    assert reasons(project.run("shop.relevance.yaml")) == {"not evaluated: no case ran"}


# When not all of a file ran


@pytest.mark.parametrize(
    ("option", "ran"),
    [
        ("-knot b", "1 of 3"),
        ("--deselect=shop.relevance.yaml::a c", "2 of 3"),
        ("-x", "2 of 4"),
    ],
)
def test_part_of_a_file_says_nothing_of_the_whole(
    shop: Project, option: str, ran: str
) -> None:
    why = f"not evaluated: {ran} ran"
    run = shop.run(option, "-rs")
    assert run.gates == dict.fromkeys(JUDGED, "skipped")
    assert reasons(run) == {why}
    assert f"SKIPPED [1] shop.relevance.yaml:2: {why}" in run.text
    assert run.summary.count("3 gates not evaluated (") == 1
    required = shop.run(option, REQUIRE)
    assert required.gates == dict.fromkeys(JUDGED, "failed")
    assert required.code != pytest.ExitCode.OK
    assert required.failure(MOST) == f"shop.relevance.yaml:3: {why}\n"


def test_a_run_that_stops_after_the_last_case_is_whole(shop: Project) -> None:
    last = CASES.replace("  - {query: a c", "  # ").replace("  - {query: c,", "  # ")
    shop.cases(last)
    run = shop.run("-x")
    assert run.outcomes["b a"] == "failed"
    assert set(run.gates.values()) == {"passed", "failed"}


@pytest.mark.parametrize("query", ["interrupt", "exit"])
def test_an_interrupted_run(shop: Project, query: str) -> None:
    shop.cases(CASES + f"      - {{query: {query}}}\n      - {{query: later}}\n")
    run = shop.run()
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "3 gates not evaluated (" in run.text
    assert "Traceback" not in run.text + run.result.stderr.str()


@pytest.mark.parametrize(
    "option",
    ["--collect-only", "--setup-plan", "--setup-only", "-knothing", "--fixtures"],
)
def test_nothing_runs(shop: Project, option: str) -> None:
    run = shop.run(option)
    assert run.gates == {}
    assert not re.search(r"\bgates?\b", run.text)


def test_a_broken_file_beside_it(shop: Project) -> None:
    shop.cases("cases: [{qery: a}]", "broken.relevance.yaml")
    assert shop.run().gates == {}
    assert shop.run("--continue-on-collection-errors").gates == JUDGED


@pytest.mark.parametrize("option", ["--lf", "--sw"])
def test_after_a_gate_failed_all_cases_run_again(shop: Project, option: str) -> None:
    """A gate cannot be selected: it is judged again when its file has run."""
    shop.cases(GATE_ALONE_FAILS)
    for _ in range(2):
        run = shop.run(option, cache=True)
        assert run.gates[MEAN] == "failed"
        assert run.counts == {"passed": 5, "failed": 1, "skipped": 1}


def test_after_a_case_failed_it_runs_alone(shop: Project) -> None:
    shop.run(cache=True)
    last = shop.run("--lf", cache=True)
    assert last.outcomes == {"b a": "failed", **dict.fromkeys(JUDGED, "skipped")}
    assert reasons(last) == {"not evaluated: 1 of 4 ran"}


# Under pytest-xdist


def test_with_workers_it_is_as_without(shop: Project) -> None:
    more = "gates: [{passing: 1}]\nexpect: {results: 1}\ncases: [{query: a}]"
    shop.cases(more, "more.relevance.yaml")
    nothing_of_it = shop.run("-k", "b", "-rA").text
    assert "more.relevance.yaml::gate" not in nothing_of_it
    here = shop.run("--junitxml=junit.xml")
    there = shop.run("--junitxml=junit.xml", "-n2", "--dist=loadgroup")
    assert there.gates == here.gates == {"gate[passing 1]": "passed", **JUDGED}
    assert (there.code, there.counts) == (here.code, here.counts)
    assert there.failure(MEAN) == here.failure(MEAN)
    of_gates, as_here = (
        [line for line in run.short_summary if "gate" in line] for run in (there, here)
    )
    assert of_gates == as_here
    assert of_suites(there) == ["1 gate passed", "2 gates passed, 1 failed"]
    assert list(shop.junit_cases)[-4:] == ["gate[passing 1]", MEAN, MOST, HEAD]


def test_a_crashed_worker_lets_no_gate_pass(shop: Project) -> None:
    queries = ", ".join(
        f"{{query: {query}}}" for query in ["a", "b", "crash", "c", "d"]
    )
    shop.cases(f"gates: [{{passing: 0.1}}]\ncases: [{queries}]")
    run = shop.run("-n2")
    assert run.code != pytest.ExitCode.OK
    assert run.gates == {"gate[passing 0.1]": "skipped"}
    (reason,) = reasons(run)
    assert reason.endswith(" of 5 ran")


# Against the baseline


def test_the_mean_may_not_drop(shop: Project) -> None:
    text = """
        gates: [{max_drop: {nDCG@10: 0.02, RR: 0.5}}]
        tolerance: 1
        cases:
          - {query: a b x, judgments: {a: 3, b: 1}}
          - {query: c d x, judgments: {c: 3, d: 1}}
          - {query: e x, judgments: {e: 1}}
    """
    shop.cases(text)
    gate = "gate[max_drop nDCG@10 0.02, RR 0.5]"
    without = shop.run()
    assert without.gates == {gate: "failed"}
    why = "nDCG@10 has no baseline, or a stale one; accept the rankings of today with"
    assert why in without.failure(gate)

    update = shop.run(UPDATE, REQUIRE)
    assert (update.code, update.gates) == (pytest.ExitCode.OK, {gate: "skipped"})
    assert reasons(update) == {"not evaluated: the baseline is being updated"}
    assert shop.run().gates == {gate: "passed"}

    shop.conftest(
        SEARCH.replace("query.split()", "query.replace('a b', 'b a').split()")
    )
    shop.cases(text + "      - {query: f, judgments: {f: 1}}\n")
    worse = shop.run()
    assert worse.gates == {gate: "failed"}
    first, *told = worse.failure(gate).splitlines()
    fell = "mean nDCG@10 fell by 0.097, from 1.000 to 0.903 (95% "
    assert first.startswith(f"shop.relevance.yaml:1: {fell}")
    assert '  1 case without a baseline left out: "f"' in told
    assert told[-1] == "  1.000 -> 0.710  a b x   measured   shop.relevance.yaml:4"
    assert shop.run("--relevance-update=new").gates == {gate: "failed"}


# The lowest cases


def test_the_lowest_cases_in_a_run_and_in_its_record(
    project: Project, command: Command
) -> None:
    project.conftest(SEARCH)
    project.cases("""
        gates: [{min: {nDCG@10: 0.6}}, {p25: {nDCG@10: 0.6}}]
        cases:
          - {query: a b, judgments: {a: 3, b: 1}}
          - {query: b a, judgments: {a: 3, b: 1}}
          - {query: x a, judgments: {a: 3, b: 1}}
          - {query: x y, judgments: {a: 3, b: 1}, min_ndcg: 0.5, xfail: not yet}
          - {query: c}
    """)
    run = project.run("--relevance-record=run.jsonl")
    least, low = "gate[min nDCG@10 0.6]", "gate[p25 nDCG@10 0.6]"
    assert run.gates == {least: "failed", low: "failed"}
    found = (
        'lowest nDCG@10 0.579 ("x a"), below 0.600 (3 of 5 cases; 1 without a score: '
        '"c"; 1 with xfail: "x y")'
    )
    assert f"shop.relevance.yaml:1: {found}" in run.told(least)
    behind = ["  0.579  x a   measured   shop.relevance.yaml:5"]
    title = "beyond the bound, the worst first"
    assert run.failure(least).splitlines()[-2:] == [title, *behind]
    assert found_by(run, low) == {
        'p25 nDCG@10 0.000, below 0.600 (4 of 5 cases; 1 without a score: "c"); lowest '
        '0.000 ("x y")'
    }
    for name in ("report", "merge"):
        assert found in one_line(command(name, "run.jsonl").out)
    replayed = project.run("--noconftest", "--relevance-replay=run.jsonl")
    assert found in replayed.told(least)
