"""`--relevance-known=xfail`: what failed before is expected to fail, and nothing that
got worse is.
"""

from typing import NamedTuple

import pytest

from pytest_relevance import Run as Record
from pytest_relevance.cli import main
from tests.plugin.conftest import Project
from tests.plugin.test_baseline_in_pytest import SEARCH, UPDATE, Shop

KNOWN, RECORD, AGAINST = (
    "--relevance-known=xfail",
    "--relevance-record=main.jsonl",
    "--relevance-against=main.jsonl",
)
NOW = "--relevance-record=now.jsonl"


class Row(NamedTuple):
    """A case: what it returned when it was accepted and returns now, its keys then (if
    they changed) and now.
    """

    name: str
    before: str
    now: str
    outcome: str
    keys: str = "min_ndcg: 0.9"
    keys_before: str = ""
    judgments: str = "{a: 3, b: 1}"
    judgments_before: str = ""


K, F, P = "xfailed", "failed", "passed"
A_SCORE = "min_ndcg: 0.9"  # "a b" has nDCG@10 1.000, "b a" 0.710, "x b a" 0.541

ROWS = [
    Row("as bad", "b a", "b a", K),
    Row("less bad", "x b a", "b a", K),
    Row("a little worse", "b a", "x b a", K, f"{A_SCORE}, tolerance: 0.2"),
    Row("worse", "b a", "x b a", F),
    Row(
        "a little worse with no tolerance",
        "b a x c",
        "b x a c",
        F,
        f"{A_SCORE}, tolerance: 0",
    ),
    Row("as bad with no tolerance", "b a", "b a", K, f"{A_SCORE}, tolerance: 0"),
    Row("newly missed floor", "a b", "b a", F, f"{A_SCORE}, tolerance: 1"),
    Row(
        "newly missed expectation",
        "b a",
        "b a x",
        F,
        f"{A_SCORE}, expect: {{exclude: [x]}}",
    ),
    Row(
        "another document is missing",
        "b a c",
        "b a d",
        F,
        f"{A_SCORE}, expect: {{include: [c, d]}}",
    ),
    Row("missed by more", "a b c", "a b c d", F, 'expect: {results: "<= 2"}'),
    Row("as wrong in its fields", "b a", "b a", K, "expect: {every@2: {brand: a}}"),
    Row(
        "others are wrong in their fields",
        "b a",
        "c a",
        F,
        "expect: {every@2: {brand: a}}",
    ),
    Row(
        "fields that were not kept",
        "b a",
        "b a",
        F,
        "expect: {every@2: {brand: a}}",
        "min_ndcg: 0.1",
    ),
    Row("slow", "b a", "b a", F, f'{A_SCORE}, expect: {{latency: "<= 0.0001 ms"}}'),
    Row("an error now", "b a", "boom", F),
    Row("an error then", "boom", "b a", F),
    Row("empty then", "", "b a", F),
    Row("empty then and now", "", "", K),
    Row("empty now", "x y", "", F),
    Row("empty now and missed before", "x y", "", F, "expect: {include: [c]}"),
    Row("still something", "x y", "x", K, "expect: {results: 0}", judgments="{}"),
    Row("something more", "x", "x y", F, "expect: {results: 0}", judgments="{}"),
    Row("other k", "b a", "b a", F, f"{A_SCORE}, k: 5", A_SCORE),
    Row(
        "other k of the same depth",
        "b a",
        "b a",
        K,
        f"{A_SCORE}, depth: 10, k: 5",
        f"{A_SCORE}, depth: 10",
    ),
    Row("other params", "b a", "b a", F, f"{A_SCORE}, params: {{locale: en}}", A_SCORE),
    Row(
        "other judgments",
        "a b",
        "a b",
        K,
        judgments="{a: 1, b: 3}",
        judgments_before="{a: 3, b: 1}",
    ),
    Row(
        "judgments added",
        "a b",
        "a b",
        K,
        judgments="{a: 3, b: 1, c: 3}",
        judgments_before="{a: 3, b: 1}",
    ),
    Row(
        "judged since",
        "a b c",
        "a b x",
        F,
        judgments="{a: 3, b: 1, c: 3}",
        judgments_before="{a: 3, b: 1}",
    ),
    Row("higher floor", "b a", "b a", K, A_SCORE, "min_ndcg: 0.5"),
    Row(
        "a score that the results do not decide",
        "c d e f g h i j k l",
        "c d e f g h i j k l",
        F,
        "expect: {RR: 0.5}",
    ),
    Row("in doubt", "b a", "x b a", F, f"{A_SCORE}, min_judged: 0.9, tolerance: 1"),
    Row("xfail of its own", "b a", "b a", K, f"{A_SCORE}, xfail: no stemmer"),
    Row(
        "worse with an xfail of its own",
        "b a",
        "x b a",
        F,
        f"{A_SCORE}, xfail: no stemmer",
    ),
    Row("better", "b a", "a b", P),
]
ADDED = Row("added", "", "b a", F)


def case_lines(*, then: bool) -> str:
    """The lines of the cases as they were when their rankings were accepted, or as they
    are now.
    """
    lines = ["cases:"]
    for row in ROWS if then else [*ROWS, ADDED]:
        keys, judgments = row.keys, row.judgments
        if then:
            keys, judgments = row.keys_before or keys, row.judgments_before or judgments
        lines.append(f"  - {{query: {row.name}, judgments: {judgments}, {keys}}}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("accept", "options"),
    [
        (RECORD, (AGAINST, "-n2", "--relevance-concurrency=4")),
        (UPDATE, ("--reruns=1",)),
    ],
    ids=["record-xdist", "baseline-reruns"],
)
def test_only_what_is_known_to_have_failed_before_is_expected(
    project: Project, accept: str, options: tuple[str, ...]
) -> None:
    if "--reruns=1" in options:
        pytest.importorskip("pytest_rerunfailures")
    shop = Shop(project)
    titles = '"title": f"Title of {document}"'
    project.conftest(
        SEARCH.replace("k=10", "k=10, locale=None").replace(
            titles, f'"brand": document, {titles}'
        )
    )
    shop.cases(case_lines(then=True))
    shop.returns(**{row.name: row.before for row in ROWS})
    shop.run(accept)
    shop.cases(case_lines(then=False))
    shop.returns(**{row.name: row.now for row in [*ROWS, ADDED]})
    project.write(
        "test_check.py",
        "def test_check(relevance):\n    relevance.check('as bad', ['x'], {'a': 3}, min_ndcg=0.5)\n",
    )
    run = shop.run(KNOWN, NOW, *options)
    assert run.code == 1
    found = {
        result.id: result
        for result in Record.open(shop.path / "now.jsonl").results
        if not result.is_check
    }
    outcomes = {
        name: K
        if result.outcome == K
        else P
        if result.outcome in (P, "measured")
        else F
        for name, result in found.items()
    }
    assert outcomes == {row.name: row.outcome for row in [*ROWS, ADDED]}
    known = [row.name for row in ROWS if row.outcome == K and "xfail" not in row.keys]
    assert [name for name, result in found.items() if result.is_known] == known
    assert {found[name].verdict for name in known} == {F}
    assert f"{len(known)} failed before, their mean nDCG@k 0." in " ".join(
        run.summary.split()
    )
    (untold,) = run.sentences("1 case without results in the reference")
    assert "empty then" in untold
    assert '1 query finds nothing, as in the reference ("empty then and now")' in (
        " ".join(run.summary.split())
    )
    assert (
        sum(line.startswith("FAILED test_check.py") for line in run.short_summary) == 1
    )


# --- how bad it was -------------------------------------------------------------------

HOW_BAD = """
    cases:
      - {query: within, expect: {within: {s: 3}}}
      - {query: include, expect: {include: {docs: [s], within: 3}}}
      - {query: below, expect: {include: [s]}}
      - {query: exclude, expect: {exclude: [s]}}
      - {query: first, expect: {first: s}}
      - {query: order, expect: {order: [s, t]}}
      - {query: every, expect: {every@3: {price: "< 50"}}}
"""
TEN = "a b c d e f g h i j"
THEN = {
    "within": "a b c s",
    "include": "a b c s",
    "below": f"{TEN} s",
    "exclude": "a b c d e f g h i s",
    "first": "a s",
    "order": "t s",
    "every": "p60",
}
WORSE_NOW = {
    "within": "a b c d",
    "include": "a b c d",
    "below": TEN,
    "exclude": "s a b c d e f g h i",
    "first": "a b",
    "order": "a b",
    "every": "p6000",
}


@pytest.mark.parametrize(
    ("accept", "against"), [(RECORD, [AGAINST]), (UPDATE, [])], ids=["record", "file"]
)
def test_what_fails_by_more_than_before_is_not_expected_to_fail(
    project: Project, accept: str, against: list[str]
) -> None:
    shop = Shop(project)
    fields = '{"id": document[:1], "price": int(document[1:] or 0)'
    project.conftest(SEARCH.replace('{"id": document', fields))
    shop.cases(HOW_BAD)
    shop.returns(**THEN)
    shop.run(accept)
    assert shop.run(KNOWN, *against).counts == {"xfailed": 7}
    shop.returns(**WORSE_NOW)
    assert shop.run(KNOWN, *against).counts == {"failed": 7}


# --- gates ----------------------------------------------------------------------------

GATES = "gates: [{passing: 0.95}, {mean: {nDCG@10: 0.95, P@1: 0.95}}, {max_drop: {nDCG@10: 0.01}}]\n"
BAD = "{query: FILE bad, judgments: {a: 3, b: 1}, min_ndcg: 0.9, tolerance: 0.5}"
FINE = "{query: FILE fine, judgments: {a: 3, b: 1}}"
ADDED_CASE = "{query: FILE added, judgments: {a: 3, b: 1}}"

# the bad case and the fine one then and now, the added one now; what the gates come to:
# passing, mean, max_drop
SUITES: dict[
    str, tuple[tuple[str, str], tuple[str, str], str, tuple[str, str, str]]
] = {
    "same": (("x a", "x a"), ("a b", "a b"), "", (K, K, P)),
    "better": (("x a", "x a"), ("x a", "a b"), "", (K, K, P)),
    "lower": (("x a b", "x b a"), ("a b", "a b"), "", (K, F, F)),
    "more": (("x a", "x a"), ("a b", "a b"), "a b", (K, K, P)),
    "diluted": (("x a", "x a"), ("a b", "a b"), "x y a", (K, F, P)),
    "hidden": (("x a b", "x b a"), ("x a", "x a"), "a b", (K, F, F)),
    "empty": (("x a", "x a"), ("", "x"), "", (K, F, P)),
    "gone": (("x a", "x a"), ("a b", "gone"), "", (F, F, P)),
    "skipped": (("x a", "x a"), ("a b", "skipped"), "", (F, F, P)),
    "left": (("x a", "x a"), ("a b", "skip"), "", (F, F, P)),
    "added": (
        ("x a", "x a"),
        ("a b", "a b"),
        "skip",
        (K, K, P),
    ),  # the reference has no such case
    "broken": (("x a", "x a"), ("boom", "x a"), "", (K, F, P)),
}


def test_a_gate_is_expected_to_fail_where_the_reference_misses_it_by_no_less(
    project: Project, capsys: pytest.CaptureFixture[str]
) -> None:
    shop = Shop(project)
    for now in (0, 1):
        for name, (bad, fine, added, _) in SUITES.items():
            other = {
                "gone": [],
                "skipped": [FINE.replace("{", "{skip: later, ", 1)],
            }.get(fine[now], [FINE])
            cases = [BAD, *other, *([ADDED_CASE] if now and added else [])]
            text = f"{GATES}cases: [{', '.join(cases)}]".replace("FILE", name)
            shop.cases(text, name=f"{name}.relevance.yaml")
            shop.returns(
                **{
                    f"{name} bad": bad[now],
                    f"{name} fine": fine[now],
                    f"{name} added": added,
                }
            )
        run = shop.run(*((AGAINST, KNOWN, NOW, "-n1") if now else (RECORD,)))
    found: dict[str, list[str]] = {name: [] for name in SUITES}
    for report in run.reports:
        file, _, name = report.nodeid.partition("::")
        if name.startswith("gate[") and report.when == "call":
            found[file.split(".")[0]].append(
                K if hasattr(report, "wasxfail") else report.outcome
            )
    assert found == {name: [*expected] for name, (*_, expected) in SUITES.items()}
    capsys.readouterr()
    assert main(["merge", "now.jsonl", "-o", "merged.jsonl"]) == 1
    assert (
        f"{sum(row.count(K) for *_, row in SUITES.values())} of {3 * len(SUITES)} gates failed before"
        in " ".join(capsys.readouterr().out.split())
    )


class GateRow(NamedTuple):
    """A suite: its gate, its cases when they were accepted and now, and the outcome.

    A case is written as its id, its keys, and what its search returns: "a b" has
    nDCG@10 1.000, "b a" 0.710, "x a" 0.522, "x y" 0.
    """

    gate: str
    then: list[tuple[str, str, str]]
    now: list[tuple[str, str, str]]
    outcome: str


MEAN, SHARE = "mean: {nDCG@10: 0.95}", "passing: 0.9"
FLOOR = "min_ndcg: 0.9, tolerance: 1"
LOW, GOOD, BEST = ("low", "", "x a"), ("good", "", "b a"), ("best", "", "a b")
NONE = ("none", "", "x y")
FIFTY = [(f"new {number}", "", "x a") for number in range(50)]
LOW_FAILS = ("low", FLOOR, "x a")
PASSES = ("passes", FLOOR, "a b")
LOW_OF_HEAD = ("low", "tags: [head]", "x a")
GOOD_OF_HEAD = ("good", "tags: [head]", "b a")

GATE_ROWS = {
    "same": GateRow(MEAN, [LOW, GOOD], [LOW, GOOD], K),
    "worst-gone": GateRow(MEAN, [LOW, GOOD, NONE], [LOW, GOOD], K),
    "worst-skipped": GateRow(
        MEAN, [LOW, GOOD, NONE], [LOW, GOOD, ("none", "skip: later", "x y")], K
    ),
    "best-skipped": GateRow(
        MEAN, [LOW, GOOD, BEST], [LOW, GOOD, ("best", "skip: later", "a b")], F
    ),
    "best-without-judgments": GateRow(
        MEAN, [LOW, GOOD, BEST], [LOW, GOOD, ("best", "judgments: {a: 0}", "a b")], F
    ),
    "best-gone": GateRow(MEAN, [LOW, GOOD, BEST], [LOW, GOOD], F),
    "fifty-new": GateRow(MEAN, [GOOD], [GOOD, *FIFTY], F),
    "as-good-new": GateRow(MEAN, [GOOD], [GOOD, ("new", "", "b a")], K),
    "one-worse": GateRow(MEAN, [LOW, GOOD], [("low", "tolerance: 1", "x y"), GOOD], F),
    "hidden-by-new": GateRow(
        MEAN,
        [GOOD, BEST],
        [("good", "tolerance: 1", "x a"), BEST, ("new", "", "a b")],
        F,
    ),
    "worst-replaced": GateRow(MEAN, [NONE, GOOD], [LOW, GOOD], K),
    "met-then": GateRow(MEAN, [BEST], [BEST, LOW], F),
    "lighter": GateRow(
        MEAN,
        [LOW, ("good", "weight: 9", "b a")],
        [LOW, ("good", "weight: 1", "b a")],
        F,
    ),
    "heavier": GateRow(
        MEAN,
        [LOW, ("good", "weight: 1", "b a")],
        [LOW, ("good", "weight: 9", "b a")],
        K,
    ),
    "tag-taken": GateRow(
        f"{MEAN}, tag: head", [LOW_OF_HEAD, GOOD_OF_HEAD], [LOW_OF_HEAD, GOOD], F
    ),
    "worst-tag-taken": GateRow(
        f"{MEAN}, tag: head", [LOW_OF_HEAD, GOOD_OF_HEAD], [LOW, GOOD_OF_HEAD], K
    ),
    "untagged-gone": GateRow(
        f"{MEAN}, tag: head", [LOW_OF_HEAD, BEST], [LOW_OF_HEAD], K
    ),
    "another-metric": GateRow("mean: {P@1: 0.9}", [LOW, BEST], [LOW], F),
    "fails-as-before": GateRow(SHARE, [LOW_FAILS, PASSES], [LOW_FAILS, PASSES], K),
    "failing-gone": GateRow(
        SHARE, [LOW_FAILS, ("low 2", FLOOR, "x a"), PASSES], [LOW_FAILS, PASSES], K
    ),
    "passing-gone": GateRow(SHARE, [LOW_FAILS, PASSES], [LOW_FAILS], F),
    "failing-new": GateRow(
        SHARE, [LOW_FAILS, PASSES], [LOW_FAILS, PASSES, ("new", FLOOR, "x a")], F
    ),
    "passing-new": GateRow(
        SHARE, [LOW_FAILS, PASSES], [LOW_FAILS, PASSES, ("new", FLOOR, "a b")], K
    ),
    "newly-failing": GateRow(
        SHARE, [LOW_FAILS, PASSES], [LOW_FAILS, ("passes", FLOOR, "b a")], F
    ),
    "passed-then": GateRow(SHARE, [PASSES], [PASSES, ("new", FLOOR, "x a")], F),
}


def gate_suite(name: str, gate: str, cases: list[tuple[str, str, str]]) -> str:
    """The text of a suite with one gate."""
    lines = [f"gates: [{{{gate}}}]", "cases:"]
    for case, keys, _ in cases:
        more = f", {keys}" if keys else ""
        judgments = "" if "judgments" in keys else ", judgments: {a: 3, b: 1}"
        lines.append(f"  - {{query: {name} {case}{judgments}{more}}}")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("accept", "against"), [(RECORD, [AGAINST]), (UPDATE, [])], ids=["record", "file"]
)
def test_a_gate_failed_before_over_the_cases_that_both_have_and_over_all(
    project: Project, accept: str, against: list[str]
) -> None:
    shop = Shop(project)
    for is_now in (False, True):
        for name, row in GATE_ROWS.items():
            cases = row.now if is_now else row.then
            shop.cases(gate_suite(name, row.gate, cases), f"{name}.relevance.yaml")
            shop.returns(**{f"{name} {case}": found for case, _, found in cases})
        run = shop.run(*([*against, KNOWN, NOW] if is_now else [accept]))
    outcomes = {}
    for report in run.reports:
        file, _, item = report.nodeid.partition("::")
        if item.startswith("gate[") and report.when == "call":
            outcome = K if hasattr(report, "wasxfail") else report.outcome
            outcomes[file.removesuffix(".relevance.yaml")] = outcome
    assert outcomes == {name: row.outcome for name, row in GATE_ROWS.items()}
    reference = "main.jsonl" if against else "the baseline"
    said = " ".join(run.text.split())
    assert (
        f"below 0.950 (51 cases); 0.710 in {reference} (50 cases are only here)" in said
    )
    assert f"less than 90%; 50.0% in {reference} (1 case is only there)" in said


# --- the reference --------------------------------------------------------------------


def test_a_reference_in_which_a_search_returned_nothing_is_refused(
    project: Project,
) -> None:
    """Whatever is expected to fail: such a reference tells nothing about a later
    run.
    """
    shop = Shop(project)
    project.conftest(SEARCH + "\n    dead = none = search\n")
    shop.cases("""
        min_ndcg: 0.9
        cases:
          - {query: p, judgments: {a: 3, b: 1}}
          - {query: q, judgments: {a: 3, b: 1}, search: dead}
          - {query: r, judgments: {a: 3, b: 1}, search: dead}
          - {query: s, search: none, expect: {results: 0}}
    """)
    shop.returns(p="b a", q="", r="", s="")
    shop.run(RECORD)
    for options in ((AGAINST, KNOWN), (AGAINST,)):
        run = shop.run(*options)
        assert run.code == pytest.ExitCode.USAGE_ERROR
        said = "in main.jsonl dead returned nothing in any case"
        assert said in run.result.stderr.str()

    run = shop.run(UPDATE)
    assert run.code == 1
    assert "dead returned nothing in any case" in " ".join(run.summary.split())
    assert not shop.baseline.exists()
    shop.returns(q="b a", r="b a")
    shop.run(KNOWN, UPDATE)
    assert shop.run(KNOWN).counts == {"passed": 1, "xfailed": 3}


HALF = """
    min_ndcg: 0.9
    cases:
      - {query: p, judgments: {a: 3}}
      - {query: q, judgments: {a: 3}}
      - {query: r, judgments: {a: 3}}
      - {query: s, judgments: {a: 3}}
      - {query: none, expect: {results: 0}}
"""


@pytest.mark.parametrize(
    ("found", "is_refused"),
    [({"p": "a"}, True), ({"p": "a", "q": "a"}, False)],
    ids=["one of four", "two of four"],
)
def test_a_reference_in_which_most_searches_found_nothing_is_refused(
    project: Project, found: dict[str, str], is_refused: bool
) -> None:
    shop = Shop(project)
    shop.cases(HALF)
    shop.returns(**{**dict.fromkeys(["p", "q", "r", "s", "none"], ""), **found})
    shop.run(RECORD)
    run = shop.run(AGAINST)
    assert (run.code == pytest.ExitCode.USAGE_ERROR) == is_refused
    shop.run(UPDATE)
    assert shop.baseline.exists() != is_refused


def test_an_update_of_one_case_may_find_nothing(project: Project) -> None:
    """The whole baseline counts, not the cases that an update runs."""
    shop = Shop(project)
    shop.cases(HALF)
    shop.returns(**dict.fromkeys(["p", "q", "r", "s"], "a"), none="")
    shop.run(UPDATE)
    for query, is_accepted in (("p", True), ("q", True), ("r", False)):
        shop.returns(**{query: ""})
        shop.run(UPDATE, f"shop.relevance.yaml::{query}")
        assert (shop.accepted[query] == "") == is_accepted


def test_a_committed_baseline_that_found_nothing_is_refused(project: Project) -> None:
    """An earlier version accepted it."""
    shop = Shop(project)
    shop.cases("cases: [{query: p, judgments: {a: 3}}]")
    shop.returns(p="a")
    shop.run(UPDATE)
    text = shop.baseline.read_text("utf-8")
    shop.baseline.write_text(text.replace('"documents":["a"]', '"documents":[]'))
    run = shop.run()
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "returned nothing in any case" in run.text
    shop.run(UPDATE)  # which replaces it
    assert shop.run().code == 0


@pytest.mark.parametrize(
    "suite", ["min_ndcg: 0.9\n", "min_ndcg: 0.9\nexpect: {overlap@2: 1}\n"]
)
def test_without_a_reference_every_failure_counts_and_that_is_said_once(
    project: Project, suite: str
) -> None:
    shop = Shop(project)
    project.write("pytest.ini", "[pytest]\nrelevance_known = xfail\n")
    shop.cases(
        suite
        + "cases: [{query: p, judgments: {a: 3, b: 1}}, {query: q, judgments: {a: 3, b: 1}}]"
    )
    shop.returns(p="b a", q="b a")
    run = shop.run()
    assert run.counts == {"failed": 2}
    assert (
        run.text.count(
            "--relevance-known=xfail: shop.relevance.yaml has nothing to compare with"
        )
        == 1
    )
    shop.run(UPDATE)
    assert shop.run().counts == {"xfailed": 2}
    for option in ("--runxfail", "--relevance-known=fail"):
        assert shop.run(option).counts == {"failed": 2}


def test_each_variant_is_compared_with_its_own_ranking(project: Project) -> None:
    shop = Shop(project)
    shop.cases("cases: [{query: boots, judgments: {a: 3, b: 1}, min_ndcg: 0.9}]")
    variants = '(params=["bm25", "dense"])', "request"
    project.search(
        "return lambda query: {'bm25': 'b a', 'dense': 'a b'}[request.param].split()",
        *variants,
    )
    shop.run(RECORD)
    project.search("return lambda query: 'b a'.split()", *variants)
    assert shop.run(AGAINST, KNOWN).outcomes == {
        "boots[bm25]": "xfailed",
        "boots[dense]": "failed",
    }


def test_reports_count_what_failed_before_and_do_not_list_it(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop = Shop(project)
    shop.cases(
        "min_ndcg: 0.9\ncases: [{query: old, judgments: {a: 3, b: 1}}, {query: new, judgments: {a: 3, b: 1}}]"
    )
    shop.returns(old="b a", new="a b")
    shop.run(RECORD)
    shop.returns(new="b a")
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(shop.path / "summary.md"))
    run = shop.run(
        AGAINST, KNOWN, "--relevance-markdown=run.md", "--relevance-html=run.html"
    )
    assert [
        line.partition("title=")[2].split("::")[0]
        for line in run.text.splitlines()
        if "::error " in line
    ] == ["Got worse%3A new"]
    for name in ("run.md", "summary.md"):
        text = (shop.path / name).read_text(encoding="utf-8")
        assert "1 failed before" in text
        assert "`old`" not in text
        assert "`new`" in text
    assert (
        "1 failed before"
        in (shop.path / "run.html").read_text(encoding="utf-8").partition("<script")[0]
    )


def test_a_query_that_finds_nothing_as_before_is_known_and_named_in_every_report(
    project: Project,
) -> None:
    shop = Shop(project)
    case = "{query: %s, judgments: {a: 3, b: 1}%s}"
    shop.cases(
        f"min_ndcg: 0.9\ncases: [{case % ('p', '')}, {case % ('q', ', xfail: no synonyms')}, {case % ('r', '')}, "
        f"{case % ('s', '')}]"
    )
    shop.returns(p="b a", q="", r="", s="a b")
    shop.run(UPDATE)
    files = "--relevance-markdown=run.md", "--relevance-html=run.html"
    run = shop.run(KNOWN, "-q", *files)
    assert run.counts == {"passed": 1, "xfailed": 3}
    said = '2 queries find nothing, as in the reference ("q" and "r")'
    assert said in run.summary
    assert said in (shop.path / "run.md").read_text("utf-8")
    page = (shop.path / "run.html").read_text("utf-8")
    assert said.replace('"', "&quot;") in page
    shop.returns(r="x")
    run = shop.run(KNOWN)
    assert run.counts == {"passed": 1, "xfailed": 2, "failed": 1}
    told = '1 case without results in the reference fails, known or not ("r")'
    assert told in run.text


def test_an_update_that_finds_nothing_leaves_the_baseline_as_it_is(
    project: Project,
) -> None:
    shop = Shop(project)
    shop.cases("cases: [{query: p, judgments: {a: 3}}, {query: q}]")
    shop.returns(p="a", q="a")
    shop.run(UPDATE)
    shop.returns(p="", q="")
    run = shop.run(UPDATE)
    assert run.code == 1
    assert run.sentences("baseline") == [
        "baseline shop.relevance.yaml.baseline.jsonl is not updated: in this update search "
        "returned nothing in any case. Such rankings are no reference: accept those of a "
        "search that works. If nothing should be found, write results: 0"
    ]
    assert shop.accepted == {"p": "a", "q": "a"}
