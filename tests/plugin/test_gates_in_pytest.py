"""Gates as tests of their own: reported like tests, however pytest is run, and never on
incomplete data.
"""

import re

import pytest

from pytest_relevance import Run as Record
from pytest_relevance.cli import main
from tests.plugin.conftest import WORDS, Project, Run

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
MEAN, MOST, HEAD = (
    "gate[mean nDCG@10 0.95]",
    "gate[most pass]",
    "gate[mean nDCG@10 0.99, P@1 0.5 of head]",
)


@pytest.fixture
def shop(project: Project) -> Project:
    """A suite with three gates, the first of which fails, as does one of its four
    cases; one case is skipped.
    """
    project.conftest(SEARCH)
    project.cases(CASES)
    return project


def gates(run: Run) -> dict[str, str]:
    """The outcomes of the gates."""
    return {
        name: outcome
        for name, outcome in run.outcomes.items()
        if name.startswith("gate[")
    }


def of_suites(run: Run) -> list[str]:
    """What the lines of the suites say of gates."""
    lines = "\n".join(run.summary.splitlines()[:-1])
    return re.findall(
        r"\d gates? .*", re.sub(r"(gates? passed)\n +(\d)", r"\1, \2", lines)
    )


def reasons(run: Run) -> set[str]:
    """Why gates were skipped."""
    found = [
        report.longrepr[2]
        for report in run.reports
        if report.skipped and "gate[" in report.nodeid
    ]
    return {reason.removeprefix("Skipped: ") for reason in found}


# What is reported


def test_a_gate_is_a_test(shop: Project) -> None:
    run = shop.run("-v")

    assert run.outcomes == {
        "a b": "passed",
        "b a": "failed",
        "a c": "passed",
        "c": "skipped",
        MEAN: "failed",
        MOST: "passed",
        HEAD: "passed",
    }
    assert run.code == pytest.ExitCode.TESTS_FAILED
    assert run.counts == {"passed": 4, "failed": 2, "skipped": 1}
    assert [report.when for report in run.reports if report.nodeid.endswith(MOST)] == [
        "setup",
        "call",
        "teardown",
    ]
    failed = "mean nDCG@10 0.855, below 0.950 (3 cases)"
    assert run.failure(MEAN).splitlines() == [
        f"shop.relevance.yaml:2: {failed}",
        "pulled down most by",
        "  0.710  b a   weight 2   failed   shop.relevance.yaml:9",
    ]
    assert [
        line.partition(" - ")[0] for line in run.short_summary if "FAILED" in line
    ] == [
        "FAILED shop.relevance.yaml::b a",
        f"FAILED shop.relevance.yaml::{MEAN}",
    ]
    assert f"shop.relevance.yaml::{HEAD} PASSED" in run.text
    assert "[100%]\n" in run.text
    assert "[1" not in run.text.replace("[100%]", "")  # no progress beyond all
    assert of_suites(run) == ["2 gates passed, 1 failed"]


def test_a_gate_alone_fails_a_run(shop: Project) -> None:
    shop.cases(CASES.replace("min_ndcg: 0.9, weight: 2", "weight: 2"))
    assert shop.run().counts == {"passed": 5, "failed": 1, "skipped": 1}
    without_terminal = shop.run("-p", "no:terminal")
    assert (without_terminal.code, without_terminal.text) == (
        pytest.ExitCode.TESTS_FAILED,
        "",
    )
    assert shop.run("-x").code == pytest.ExitCode.TESTS_FAILED


def test_in_junit_it_is_a_test_case_like_the_others(shop: Project) -> None:
    found = shop.junit()
    assert {case.attrib["classname"] for case in found.values()} == {
        "shop.relevance.yaml"
    }
    assert list(found) == ["a b", "b a", "a c", "c", MEAN, MOST, HEAD]
    failure = found[MEAN].find("failure")
    assert failure is not None
    assert failure.attrib["message"] == "mean nDCG@10 0.855, below 0.950 (3 cases)"
    assert (failure.text or "").endswith(
        "  0.710  b a   weight 2   failed   shop.relevance.yaml:9"
    )
    assert shop.properties(MOST) == {
        "verdict": "passed",
        "found": "2 of 3 cases pass (66.7%), at least 60%",
    }


def test_a_case_given_up_as_an_expected_failure_is_no_error(project: Project) -> None:
    project.conftest(f"""{WORDS.replace("query.split()", "pytest.xfail('known') if query == 'soft' else [query]")}
    def pytest_collection_modifyitems(items):
        for item in items:
            if item.name == "hard":
                item.add_marker(pytest.mark.xfail(run=False, reason="known"))
    """)
    project.cases("""
        gates: [{mean: {nDCG@10: 0.9}}]
        cases: [{query: a, judgments: {a: 1}}, {query: soft, judgments: {a: 1}}, {query: hard, judgments: {a: 1}}]
    """)
    run = project.run("--relevance-record=run.jsonl")
    assert run.counts == {"passed": 2, "xfailed": 2}
    assert gates(run) == {"gate[mean nDCG@10 0.9]": "passed"}
    results = Record.open(project.path / "run.jsonl").results
    assert [(each.id, each.verdict, each.outcome) for each in results] == [
        ("a", "measured", "passed"),
        ("soft", "skipped", "xfailed"),
        ("hard", "skipped", "xfailed"),
    ]


def test_the_verdict_counts_what_did_not_finish(project: Project) -> None:
    project.conftest(SEARCH)
    project.cases(
        "cases: [{query: a}, {query: b, min_ndcg: 1, judgments: {a: 1}}, {query: c}, {query: crash}]"
    )
    assert project.run("-x").summary.splitlines()[-1] == (
        "2 cases: 1 failed, 1 measured; mean nDCG@10 0.000; 2 cases did not finish"
    )
    crashed = project.run("-n1").summary.splitlines()[-1]
    assert (
        crashed
        == "3 cases: 1 failed, 2 measured; mean nDCG@10 0.000; 1 case did not finish"
    )
    assert (
        "finish"
        not in project.run(
            "-k", "a or c", "--deselect", "shop.relevance.yaml::crash"
        ).summary
    )


def test_what_a_failure_shows(project: Project) -> None:
    """Errors, what is not met and what is; the cases that pull it down most by score
    and weight, at most five.
    """
    project.conftest(SEARCH)
    project.cases("""
        gates:
          - {mean: {nDCG@10: 0.9, RR: 0.1}, tag: deep, id: all of it}
          - passing: 1
        tags: [deep]
        cases:
          - {query: boom}
          - {query: a b, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
          - {query: b a, judgments: {a: 3, b: 1}, weight: 100, min_ndcg: 0.5}
          - {query: no c, judgments: {c: 3}, min_ndcg: 0.9, xfail: not yet}
          - {query: x d, judgments: {d: 3}, min_ndcg: 0.4, min_judged: 1}
          - {query: x e and a query that goes on and on without ever coming to an end, judgments: {e: 1}}
          - {query: x f, judgments: {f: 1}}
          - {query: x g, judgments: {g: 1}}
          - {query: x y h, judgments: {h: 1}, min_ndcg: 0.9}
    """)
    more = ", ".join(
        f"{{query: y{number} y, judgments: {{y: 1}}, min_ndcg: 0.9}}"
        for number in range(8)
    )
    project.cases(
        f"gates: [{{passing: 1, id: more}}]\ncases: [{more}]", "more.relevance.yaml"
    )
    run = project.run()
    assert run.failure("gate[more]").splitlines()[-2:] == [
        "  0.631  y4 y   failed   more.relevance.yaml:2",
        "  ... 3 more",
    ]
    assert gates(run) == dict.fromkeys(
        ("gate[more]", "gate[all of it]", "gate[passing 1]"), "failed"
    )
    assert run.failure("gate[all of it]").splitlines() == [
        'shop.relevance.yaml:2: 1 case ended in an error: "boom"',
        "  mean nDCG@10 0.707, below 0.900 (8 cases)",
        "  mean RR 0.970, at least 0.100 (8 cases)",
        "tag deep",
        "without a score",
        "  n/a  boom   weight 1   error   shop.relevance.yaml:6",
        "nDCG@10 pulled down most by",
        "  0.710  b a                                          weight 100   passed     shop.relevance.yaml:8",
        "  0.500  x y h                                        weight 1     failed     shop.relevance.yaml:14",
        "  0.631  no c                                         weight 1     xfailed    shop.relevance.yaml:9",
        "  0.631  x d                                          weight 1     passed     shop.relevance.yaml:10",
        "  0.631  x e and a query that goes on and on wit...   weight 1     measured   shop.relevance.yaml:11",
    ]
    assert run.failure("gate[passing 1]").splitlines()[1:] == [
        "  3 of 6 cases pass (50.0%), less than 100%; 3 cases were only measured",
        "without a score",
        "  n/a  boom   weight 1   error   shop.relevance.yaml:6",
        "not passed, the lowest first",
        "  0.500  x y h   weight 1   failed    shop.relevance.yaml:14",
        "  0.631  no c    weight 1   xfailed   shop.relevance.yaml:9",
    ]
    assert (
        max(
            map(
                len,
                [
                    *run.failure("gate[all of it]").splitlines(),
                    *run.summary.splitlines(),
                ],
            )
        )
        <= 100
    )


# Which cases count


def test_one_verdict_a_variant(project: Project) -> None:
    """What no parameter reaches is a part of the suite in every variant."""
    project.search(
        'return lambda query: query.split()[:: 1 if request.param == "forward" else -1]',
        '(params=["forward", "back"])',
        "request",
    )
    with (project.path / "conftest.py").open("a") as file:
        file.write("\n@pytest.fixture\ndef other():\n    return str.split\n")
    project.cases("""
        gates: [{mean: {nDCG@10: 0.8}}]
        cases:
          - {query: a b, judgments: {a: 3, b: 1}}
          - {query: b c, judgments: {b: 3, c: 1}}
          - {query: c d, judgments: {c: 3, d: 1}, search: other}
    """)
    run = project.run("--relevance-inconclusive=skip")
    assert gates(run) == {
        "gate[mean nDCG@10 0.8][forward]": "passed",
        "gate[mean nDCG@10 0.8][back]": "passed",
    }
    found = [
        dict(report.user_properties)["found"]
        for report in run.reports
        if "gate[" in report.nodeid
    ]
    assert found[0] == "mean nDCG@10 1.000, at least 0.800 (3 cases)"
    assert found[-1] == "mean nDCG@10 0.807, at least 0.800 (3 cases)"
    assert of_suites(run) == ["1 gate passed"] * 2

    part = project.run("-k", "forward")
    assert set(gates(part).values()) == {"skipped"}
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
    for treatment, share in (
        ("fail", "1 of 3 cases pass (33.3%)"),
        ("skip", "1 of 3"),
        ("pass", "2 of 3"),
    ):
        run = project.run(f"--relevance-inconclusive={treatment}", "-v")
        assert gates(run) == {
            "gate[passing 0.3]": "passed",
            "gate[mean nDCG@10 0.5 of gone]": "skipped",
        }
        assert reasons(run) == {"not evaluated: no case with the tag gone ran"}
        (found,) = {
            dict(report.user_properties)["found"]
            for report in run.reports
            if "gate[pass" in report.nodeid
        }
        assert found.startswith(share)
        assert found.endswith("; 1 case was only measured")
    run = project.run("--relevance-gates=require", "-k", "not passes")
    assert gates(run) == {
        "gate[passing 0.3]": "failed",
        "gate[mean nDCG@10 0.5 of gone]": "failed",
    }
    project.cases(
        "gates: [{passing: 1}]\ncases: [{query: a, skip: no a}, {query: b, skip: no b}]"
    )
    assert reasons(project.run("shop.relevance.yaml")) == {"not evaluated: no case ran"}


# When not all of a file ran


PARTS = {
    "-knot b": "1 of 3",
    "--deselect=shop.relevance.yaml::a c": "2 of 3",
    "-x": "2 of 4",
}


@pytest.mark.parametrize(("option", "ran"), PARTS.items())
def test_part_of_a_file_says_nothing_of_the_whole(
    shop: Project, option: str, ran: str
) -> None:
    run = shop.run(option, "-rs")
    assert gates(run) == {MEAN: "skipped", MOST: "skipped", HEAD: "skipped"}
    assert reasons(run) == {f"not evaluated: {ran} ran"}
    assert f"SKIPPED [1] shop.relevance.yaml:2: not evaluated: {ran} ran" in run.text
    assert "3 gates skipped" in run.summary
    required = shop.run(option, "--relevance-gates=require")
    assert set(gates(required).values()) == {"failed"}
    assert required.code != pytest.ExitCode.OK
    assert (
        required.failure(MOST) == f"shop.relevance.yaml:3: not evaluated: {ran} ran\n"
    )


def test_a_run_that_stops_after_the_last_case_is_whole(shop: Project) -> None:
    shop.cases(
        CASES.replace("      - {query: a c", "      # ").replace(
            "      - {query: c,", "      # "
        )
    )
    run = shop.run("-x")
    assert (run.outcomes["b a"], set(gates(run).values())) == (
        "failed",
        {"passed", "failed"},
    )


def test_an_interrupted_run(shop: Project) -> None:
    for query in ("interrupt", "exit"):
        shop.cases(CASES + f"      - {{query: {query}}}\n      - {{query: later}}\n")
        run = shop.run()
        assert run.code == pytest.ExitCode.INTERRUPTED
        assert "3 gates skipped" in run.text
        assert "Traceback" not in run.text + run.result.stderr.str()


def test_nothing_runs(shop: Project) -> None:
    for args in (
        ["--collect-only"],
        ["--setup-plan"],
        ["--setup-only"],
        ["-k", "nothing at all"],
        ["--fixtures"],
    ):
        run = shop.run(*args)
        assert gates(run) == {}
        assert not re.search(r"\bgates?\b", run.text)


def test_a_broken_file_beside_it(shop: Project) -> None:
    shop.cases("cases: [{qery: a}]", "broken.relevance.yaml")
    assert gates(shop.run()) == {}
    assert gates(shop.run("--continue-on-collection-errors")) == {
        MEAN: "failed",
        MOST: "passed",
        HEAD: "passed",
    }


# Running what failed again


def test_after_a_gate_failed_all_cases_run_again(shop: Project) -> None:
    """A gate cannot be selected: it is judged again when its file has run."""
    shop.cases(CASES.replace("min_ndcg: 0.9, weight: 2", "weight: 2"))
    for option in ("--lf", "--sw"):
        for _ in range(2):
            run = shop.run(option, cache=True)
            assert gates(run)[MEAN] == "failed"
            assert run.counts == {"passed": 5, "failed": 1, "skipped": 1}


def test_after_a_case_failed_it_runs_alone(shop: Project) -> None:
    shop.run(cache=True)
    last = shop.run("--lf", cache=True)
    assert last.outcomes == {"b a": "failed", **gates(last)}
    assert reasons(last) == {"not evaluated: 1 of 4 ran"}


# Under pytest-xdist


def test_with_workers_it_is_as_without(shop: Project) -> None:
    shop.cases(
        "gates: [{passing: 1}]\nexpect: {results: 1}\ncases: [{query: a}]",
        "more.relevance.yaml",
    )
    assert (
        "more.relevance.yaml::gate" not in shop.run("-k", "b", "-rA").text
    )  # nothing ran of that file
    here, there = (
        shop.run(*options, "--junitxml=junit.xml")
        for options in ((), ("-n2", "--dist=loadgroup"))
    )
    assert (
        gates(there)
        == gates(here)
        == {MEAN: "failed", MOST: "passed", HEAD: "passed", "gate[passing 1]": "passed"}
    )
    assert (there.code, there.counts) == (here.code, here.counts)
    assert there.failure(MEAN) == here.failure(MEAN)
    assert [line for line in there.short_summary if "gate" in line] == [
        line for line in here.short_summary if "gate" in line
    ]
    assert of_suites(there) == ["1 gate passed", "2 gates passed, 1 failed"]
    assert list(shop.junit_cases)[-4:] == ["gate[passing 1]", MEAN, MOST, HEAD]


def test_a_crashed_worker_lets_no_gate_pass(shop: Project) -> None:
    shop.cases(
        "gates: [{passing: 0.1}]\ncases: [{query: a}, {query: b}, {query: crash}, {query: c}, {query: d}]"
    )
    for options in ((), ("--max-worker-restart=0",)):
        run = shop.run("-n2", *options)
        assert (run.code != pytest.ExitCode.OK, gates(run)) == (
            True,
            {"gate[passing 0.1]": "skipped"},
        )
        (reason,) = reasons(run)
        assert reason.endswith(" of 5 ran")


# Against the baseline


DROP = """
    gates:
      - max_drop: {nDCG@10: 0.02, RR: 0.5}
      - mean: {nDCG@10: 0.5}
    tolerance: 1
    cases:
      - {query: a b x, judgments: {a: 3, b: 1}}
      - {query: c d x, judgments: {c: 3, d: 1}}
      - {query: e x, judgments: {e: 1}}
"""


def test_the_mean_may_not_drop(shop: Project) -> None:
    shop.cases(DROP)
    gate, mean = "gate[max_drop nDCG@10 0.02, RR 0.5]", "gate[mean nDCG@10 0.5]"
    without = shop.run()
    assert gates(without) == {gate: "failed", mean: "passed"}
    assert (
        "nDCG@10 has no baseline, or a stale one; run with --relevance-update"
        in without.failure(gate)
    )

    update = shop.run("--relevance-update", "--relevance-gates=require")
    assert gates(update) == {gate: "skipped", mean: "passed"}
    assert reasons(update) == {"not evaluated: the baseline is being updated"}
    assert update.code == pytest.ExitCode.OK
    assert gates(shop.run()) == {gate: "passed", mean: "passed"}

    shop.conftest(
        SEARCH.replace(
            "return query.split()", "return query.replace('a b', 'b a').split()"
        )
    )
    shop.cases(DROP + "      - {query: f, judgments: {f: 1}}\n")
    worse = shop.run("-n1")
    assert gates(worse) == {gate: "failed", mean: "passed"}
    told = worse.failure(gate).splitlines()
    assert told[0].startswith(
        "shop.relevance.yaml:2: mean nDCG@10 fell by 0.097, from 1.000 to 0.903 (95% "
    )
    assert "mean RR fell by" not in told[0]
    assert '  1 case without a baseline left out: "f"' in told
    assert told[-2:] == [
        "nDCG@10 pulled down most by",
        "  1.000 -> 0.710  a b x   measured   shop.relevance.yaml:6",
    ]
    assert gates(shop.run("--relevance-update=new"))[gate] == "failed"


def test_a_drop_has_one_p_and_one_interval_wherever_it_is_told(
    project: Project,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """In the gate, the summary, Markdown and JSON, by `merge` and by `compare`, in
    whatever order the cases stand.
    """
    project.conftest("""
        import os
        import pytest

        @pytest.fixture
        def search():
            def search(query):
                above = int(query) * 7 % 5 if "WORSE" in os.environ else int(query) % 4
                return [*(f"x{rank}" for rank in range(above)), query]
            return search
    """)
    cases = [
        f"  - {{query: '{number}', judgments: {{'{number}': 1}}}}\n"
        for number in range(30)
    ]
    head = "tolerance: 1\ngates:\n  - {max_drop: {nDCG@10: 0.02}, p: 0.05}\ncases:\n"
    project.cases(head + "".join(cases))
    project.run("--relevance-update", "--relevance-record=main.jsonl")
    monkeypatch.setenv("WORSE", "1")
    told = []

    def tell(*command: str) -> None:
        capsys.readouterr()
        main([*command])
        told.append(capsys.readouterr().out)

    for order in (cases, cases[::-1]):
        project.cases(head + "".join(order))
        run = project.run("--relevance-record=now.jsonl", "--relevance-markdown=run.md")
        assert gates(run) == {"gate[max_drop nDCG@10 0.02]": "passed"}
        told += [run.summary, (project.path / "run.md").read_text(encoding="utf-8")]
        tell("merge", "now.jsonl")
        tell("report", "now.jsonl", "--format=json")
    tell("compare", "main.jsonl", "now.jsonl", "--max-drop=nDCG@10=0.02", "--p=0.05")
    found = [set(re.findall(r"\bp (0\.\d+)[,)]", text)) for text in told]
    assert found == [found[0]] * 9
    assert len(found[0]) == 1
    gate = [
        re.findall(
            r"fell by .*? 30 cases\); allowed is 0.02 unless p > 0.05",
            " ".join(text.split()),
        )
        for text in told
    ]
    assert {sentence for sentences in gate for sentence in sentences} == {gate[0][0]}
    assert all(gate)


def test_a_case_whose_search_calls_xfail_is_left_out_of_a_mean_as_a_skipped_one_is(
    project: Project,
) -> None:
    refuses = "if query == 'b': pytest.xfail('no b')"
    project.conftest(
        f"import pytest\n@pytest.fixture\ndef search():\n  def search(query):\n    {refuses}\n"
        "    return [query]\n  return search"
    )
    project.cases(
        "gates: [mean: {nDCG@10: 0.9}]\ncases:\n"
        + "".join(
            f"  - {{query: {name}, judgments: {{{name}: 1}}}}\n" for name in "abc"
        )
    )
    run = project.run()
    assert run.counts == {"passed": 3, "xfailed": 1}
    assert "met: mean nDCG@10 1.000, at least 0.900 (2 cases)" in run.text
