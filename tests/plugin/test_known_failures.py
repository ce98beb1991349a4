"""`--relevance-known=xfail`: what failed before is expected to fail, and nothing that
got worse is.

When an expectation was missed as badly before is in `tests/results`; when the value of
a gate was, in `tests/gates`.
"""

import re
from typing import NamedTuple

import pytest

from tests.plugin.conftest import Command, Project, one_line
from tests.plugin.shop import (
    AGAINST,
    BOTH,
    KNOWN,
    RECORD,
    SEARCH,
    UPDATE,
    Shop,
    cases,
)

NOW = "--relevance-record=now.jsonl"
K, F, P = "xfailed", "failed", "passed"


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


FLOOR = "min_ndcg: 0.9"  # "a b" has nDCG@10 1.000, "b a" 0.710, "x b a" 0.541
ABC, BA = "{a: 3, b: 1, c: 3}", "{a: 1, b: 3}"
EVERY = "expect: {every@2: {brand: a}}"
UNDECIDED = "c d e f g h i j k l"

ROWS = [
    Row("as bad", "b a", "b a", K),
    Row("less bad", "x b a", "b a", K),
    Row("a little worse", "b a", "x b a", K, f"{FLOOR}, tolerance: 0.2"),
    Row("worse", "b a", "x b a", F),
    Row("a little worse with no tolerance", "b a x c", "b x a c", F, f"{FLOOR}, tolerance: 0"),
    Row("as bad with no tolerance", "b a", "b a", K, f"{FLOOR}, tolerance: 0"),
    Row("newly missed floor", "a b", "b a", F, f"{FLOOR}, tolerance: 1"),
    Row("newly missed expectation", "b a", "b a x", F, f"{FLOOR}, expect: {{exclude: [x]}}"),
    Row("another document is missing", "b a c", "b a d", F, f"{FLOOR}, expect: {{include: [c, d]}}"),
    Row("as wrong in its fields", "b a", "b a", K, EVERY),
    Row("others are wrong in their fields", "b a", "c a", F, EVERY),
    Row("fields that were not kept", "b a", "b a", F, EVERY, "min_ndcg: 0.1"),
    Row("slow", "b a", "b a", F, f'{FLOOR}, expect: {{latency: "<= 0.0001 ms"}}'),
    Row("an error now", "b a", "boom", F),
    Row("an error then", "boom", "b a", F),
    Row("empty then", "", "b a", F),
    Row("empty then and now", "", "", K),
    Row("empty now", "x y", "", F),
    Row("empty now and missed before", "x y", "", F, "expect: {include: [c]}"),
    Row("still something", "x y", "x", K, "expect: {results: 0}", judgments="{}"),
    Row("something more", "x", "x y", F, "expect: {results: 0}", judgments="{}"),
    Row("other k", "b a", "b a", F, f"{FLOOR}, k: 5", FLOOR),
    Row("other k of the same depth", "b a", "b a", K, f"{FLOOR}, depth: 10, k: 5", f"{FLOOR}, depth: 10"),
    Row("other params", "b a", "b a", F, f"{FLOOR}, params: {{locale: en}}", FLOOR),
    Row("other judgments", "a b", "a b", K, judgments=BA, judgments_before="{a: 3, b: 1}"),
    Row("judgments added", "a b", "a b", K, judgments=ABC, judgments_before="{a: 3, b: 1}"),
    Row("judged since", "a b c", "a b x", F, judgments=ABC, judgments_before="{a: 3, b: 1}"),
    Row("higher floor", "b a", "b a", K, FLOOR, "min_ndcg: 0.5"),
    Row("higher floor and worse", "b a", "x b a", F, FLOOR, "min_ndcg: 0.5"),
    Row("higher floor and a little worse", "b a", "x b a", K, f"{FLOOR}, tolerance: 0.2", "min_ndcg: 0.5, tolerance: 0.2"),
    Row("higher floor and below the earlier one", "b a", "x b a", F, f"{FLOOR}, tolerance: 0.2",
        "min_ndcg: 0.6, tolerance: 0.2"),
    Row("higher bound and below the earlier one", "b a", "x b a", F, "expect: {RR: 0.9}, tolerance: 1",
        "expect: {RR: 0.5}, tolerance: 1", judgments="{a: 3}"),
    Row("a score that the results do not decide", UNDECIDED, UNDECIDED, F, "expect: {RR: 0.5}"),
    Row("in doubt", "b a", "x b a", F, f"{FLOOR}, min_judged: 0.9, tolerance: 1"),
    Row("xfail of its own", "b a", "b a", K, f"{FLOOR}, xfail: no stemmer"),
    Row("worse with an xfail of its own", "b a", "x b a", F, f"{FLOOR}, xfail: no stemmer"),
    Row("better", "b a", "a b", P),
]  # fmt: skip
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
        (RECORD, (AGAINST, "-n1")),
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
    search = SEARCH.replace("k=10", "k=10, locale=None")
    shop.conftest(search.replace(titles, f'"brand": document, {titles}'))
    shop.cases(case_lines(then=True))
    shop.returns(**{row.name: row.before for row in ROWS})
    shop.run(accept)
    shop.cases(case_lines(then=False))
    shop.returns(**{row.name: row.now for row in [*ROWS, ADDED]})
    check = "relevance.check('as bad', ['x'], {'a': 3}, min_ndcg=0.5)"
    shop.test(check, name="test_check")
    run = shop.run(KNOWN, NOW, *options)
    assert run.code == 1
    found = {
        result.id: result
        for result in shop.recorded("now.jsonl").results
        if not result.is_check
    }
    passes = {"passed": P, "measured": P, "xfailed": K}
    outcomes = {name: passes.get(result.outcome, F) for name, result in found.items()}
    assert outcomes == {row.name: row.outcome for row in [*ROWS, ADDED]}
    known = [row.name for row in ROWS if row.outcome == K and "xfail" not in row.keys]
    assert [name for name, result in found.items() if result.is_known] == known
    assert {found[name].verdict for name in known} == {F}
    assert f"{len(known)} failed before, their mean nDCG@k 0." in run.said
    (untold,) = run.sentences("1 case without results in the reference")
    assert '("empty then")' in untold
    nothing = '1 query finds nothing, as in the reference ("empty then and now")'
    assert nothing in run.said
    assert any(line.startswith("FAILED test_check.py") for line in run.short_summary)


# --- gates ----------------------------------------------------------------------------


class GateRow(NamedTuple):
    """A suite: its gate, its cases when they were accepted and now, and the outcome.

    A case is written as its id, its keys, and what its search returns: "a b" has
    nDCG@10 1.000, "b a" 0.710, "x a" 0.522, "x y" 0.
    """

    gate: str
    then: list[tuple[str, str, str]]
    now: list[tuple[str, str, str]]
    outcome: str


MEAN, SHARE, DROP = "mean: {nDCG@10: 0.95}", "passing: 0.9", "max_drop: {nDCG@10: 0.01}"
OF_HEAD = f"{MEAN}, tag: head"
LEAST, MEDIAN = "min: {nDCG@10: 0.6}", "p50: {nDCG@10: 0.6}"
LOW, GOOD, BEST = ("low", "", "x a"), ("good", "", "b a"), ("best", "", "a b")
NONE = ("none", "", "x y")
EMPTY, ERROR = ("empty", "", ""), ("error", "", "boom")
LOWER = ("low", "tolerance: 1", "x y")
MEETS = "min_ndcg: 0.9, tolerance: 1"
LOW_FAILS, PASSES = ("low", MEETS, "x a"), ("passes", MEETS, "a b")
LOW_OF_HEAD, GOOD_OF_HEAD = (
    ("low", "tags: [head]", "x a"),
    ("good", "tags: [head]", "b a"),
)
LIGHT, HEAVY = ("good", "weight: 1", "b a"), ("good", "weight: 9", "b a")
FIFTY = [(f"new {number}", "", "x a") for number in range(50)]

GATE_ROWS = {
    "same": GateRow(MEAN, [LOW, GOOD], [LOW, GOOD], K),
    "better": GateRow(MEAN, [LOW, ("good", "", "x a")], [LOW, GOOD], K),
    "worst-gone": GateRow(MEAN, [LOW, GOOD, NONE], [LOW, GOOD], K),
    "worst-skipped": GateRow(MEAN, [LOW, GOOD, NONE], [LOW, GOOD, ("none", "skip: later", "x y")], K),
    "best-skipped": GateRow(MEAN, [LOW, BEST], [LOW, ("best", "skip: later", "a b")], F),
    "best-skipped-by-search": GateRow(MEAN, [LOW, BEST], [LOW, ("best", "", "skip")], F),
    "best-without-judgments": GateRow(MEAN, [LOW, BEST], [LOW, ("best", "judgments: {a: 0}", "a b")], F),
    "best-gone": GateRow(MEAN, [LOW, GOOD, BEST], [LOW, GOOD], F),
    "fifty-new": GateRow(MEAN, [GOOD], [GOOD, *FIFTY], F),
    "as-good-new": GateRow(MEAN, [GOOD], [GOOD, ("new", "", "b a")], K),
    "new-skipped": GateRow(MEAN, [LOW, GOOD], [LOW, GOOD, ("new", "", "skip")], K),
    "one-worse": GateRow(MEAN, [LOW, GOOD], [LOWER, GOOD], F),
    "hidden-by-new": GateRow(MEAN, [GOOD, BEST], [("good", "tolerance: 1", "x a"), BEST, ("new", "", "a b")], F),
    "worst-replaced": GateRow(MEAN, [NONE, GOOD], [LOW, GOOD], K),
    "met-then": GateRow(MEAN, [BEST], [BEST, LOW], F),
    "empty-then": GateRow(MEAN, [LOW, EMPTY], [LOW, ("empty", "", "x")], F),
    "error-then": GateRow(MEAN, [LOW, ERROR], [LOW, ("error", "", "x a")], F),
    "lighter": GateRow(MEAN, [LOW, HEAVY], [LOW, LIGHT], F),
    "heavier": GateRow(MEAN, [LOW, LIGHT], [LOW, HEAVY], K),
    "tag-taken": GateRow(OF_HEAD, [LOW_OF_HEAD, GOOD_OF_HEAD], [LOW_OF_HEAD, GOOD], F),
    "worst-tag-taken": GateRow(OF_HEAD, [LOW_OF_HEAD, GOOD_OF_HEAD], [LOW, GOOD_OF_HEAD], K),
    "untagged-gone": GateRow(OF_HEAD, [LOW_OF_HEAD, BEST], [LOW_OF_HEAD], K),
    "another-metric": GateRow("mean: {P@1: 0.9}", [LOW, BEST], [LOW], F),
    "fails-as-before": GateRow(SHARE, [LOW_FAILS, PASSES], [LOW_FAILS, PASSES], K),
    "fails-lower": GateRow(SHARE, [LOW_FAILS, PASSES], [("low", MEETS, "x y"), PASSES], K),
    "failing-gone": GateRow(SHARE, [LOW_FAILS, ("low 2", MEETS, "x a"), PASSES], [LOW_FAILS, PASSES], K),
    "passing-gone": GateRow(SHARE, [LOW_FAILS, PASSES], [LOW_FAILS], F),
    "measured-gone": GateRow(SHARE, [LOW_FAILS, BEST], [LOW_FAILS], F),
    "failing-new": GateRow(SHARE, [LOW_FAILS, PASSES], [LOW_FAILS, PASSES, ("new", MEETS, "x a")], F),
    "passing-new": GateRow(SHARE, [LOW_FAILS, PASSES], [LOW_FAILS, PASSES, ("new", MEETS, "a b")], K),
    "newly-failing": GateRow(SHARE, [LOW_FAILS, PASSES], [LOW_FAILS, ("passes", MEETS, "b a")], F),
    "passed-then": GateRow(SHARE, [PASSES], [PASSES, ("new", MEETS, "x a")], F),
    "as-low": GateRow(LEAST, [LOW, GOOD], [LOW, BEST], K),
    "lower": GateRow(LEAST, [LOW, GOOD], [LOWER, GOOD], F),
    "another-low": GateRow(LEAST, [LOW, GOOD], [LOW, ("good", "tolerance: 1", "x a")], F),
    "new-low": GateRow(LEAST, [LOW, GOOD], [LOW, GOOD, ("new", "", "x a")], F),
    "lowest-gone": GateRow(LEAST, [LOW, NONE], [LOW], K),
    "as-low-median": GateRow(MEDIAN, [LOW, NONE, GOOD], [LOW, NONE, BEST], K),
    "no-drop": GateRow(DROP, [LOW, GOOD], [LOW, GOOD], P),
    "drop": GateRow(DROP, [LOW, GOOD], [LOWER, GOOD], F),
}  # fmt: skip


def gate_suite(name: str, gate: str, cases: list[tuple[str, str, str]]) -> str:
    """The text of a suite with one gate."""
    lines = [f"gates: [{{{gate}}}]", "cases:"]
    for case, keys, _ in cases:
        more = f", {keys}" if keys else ""
        judgments = "" if "judgments" in keys else ", judgments: {a: 3, b: 1}"
        lines.append(f"  - {{query: {name} {case}{judgments}{more}}}")
    return "\n".join(lines)


@BOTH
def test_a_gate_failed_before_over_the_cases_that_both_have_and_over_all(
    project: Project, against: list[str], command: Command
) -> None:
    shop = Shop(project)
    workers = ["-n1"] if against else []
    for options in ([RECORD if against else UPDATE], [*against, KNOWN, NOW, *workers]):
        for name, row in GATE_ROWS.items():
            cases = row.now if KNOWN in options else row.then
            shop.cases(gate_suite(name, row.gate, cases), f"{name}.relevance.yaml")
            shop.returns(**{f"{name} {case}": found for case, _, found in cases})
        run = shop.run(*options)
    outcomes = {}
    for report in run.reports:
        file, _, item = report.nodeid.partition("::")
        if item.startswith("gate[") and report.when == "call":
            outcome = K if hasattr(report, "wasxfail") else report.outcome
            outcomes[file.removesuffix(".relevance.yaml")] = outcome
    assert outcomes == {name: row.outcome for name, row in GATE_ROWS.items()}
    reference = "main.jsonl" if against else "the baseline"
    only_here = f"(51 cases); 0.710 in {reference} (50 cases are only here)"
    assert f"below 0.950 {only_here}" in one_line(run.text)
    only_there = f"50.0% in {reference} (1 case is only there)"
    assert f"less than 90%; {only_there}" in one_line(run.text)
    merged = command("merge", "now.jsonl", "-o", "merged.jsonl")
    assert merged.code == 1
    assert re.search(r" \d+ gates failed before ", merged.out)


# --- the reference --------------------------------------------------------------------


def test_a_reference_in_which_a_search_returned_nothing_is_refused(
    project: Project,
) -> None:
    """Whatever is expected to fail: such a reference tells nothing about a later
    run.
    """
    shop = Shop(project)
    shop.conftest(SEARCH + "\n    dead = none = search\n")
    shop.cases(
        "min_ndcg: 0.9\n"
        + cases("p")
        + cases("q r", ", search: dead").removeprefix("cases:\n")
        + "  - {query: s, search: none, expect: {results: 0}}"
    )
    shop.returns(p="b a", q="", r="", s="")
    shop.run(RECORD)
    run = shop.run(AGAINST)
    assert run.code == pytest.ExitCode.USAGE_ERROR
    said = "in main.jsonl dead returned nothing in any case"
    assert said in run.result.stderr.str()
    assert shop.run(AGAINST, KNOWN).code == pytest.ExitCode.USAGE_ERROR

    run = shop.run(UPDATE)
    assert run.code == 1
    assert "dead returned nothing in any case" in run.said
    assert not shop.baseline.exists()
    shop.returns(q="b a", r="b a")
    shop.run(KNOWN, UPDATE)
    assert shop.run(KNOWN).counts == {"passed": 1, "xfailed": 3}


FOUR = cases("p q r s", ", min_ndcg: 0.9") + "  - {query: none, expect: {results: 0}}"


@pytest.mark.parametrize("found", [1, 2])
def test_a_reference_in_which_most_searches_found_nothing_is_refused(
    project: Project, found: int
) -> None:
    shop = Shop(project)
    shop.cases(FOUR)
    shop.returns(**dict.fromkeys(["p", "q", "r", "s", "none"], ""))
    shop.returns(**dict.fromkeys("pq"[:found], "a"))
    shop.run(RECORD)
    is_refused = found == 1
    assert (shop.run(AGAINST).code == pytest.ExitCode.USAGE_ERROR) == is_refused
    shop.run(UPDATE)
    assert shop.baseline.exists() != is_refused


def test_an_update_of_one_case_may_find_nothing(project: Project) -> None:
    """The whole baseline counts, not the cases that an update runs."""
    shop = Shop(project)
    shop.cases(FOUR)
    shop.returns(p="a", q="a", r="a", s="a", none="")
    shop.run(UPDATE)
    for query, is_accepted in (("p", True), ("q", True), ("r", False)):
        shop.returns(**{query: ""})
        shop.run(UPDATE, f"shop.relevance.yaml::{query}")
        assert (shop.accepted()[query] == "") == is_accepted


def test_a_committed_baseline_that_found_nothing_is_refused(project: Project) -> None:
    """An earlier version accepted it."""
    shop = Shop(project)
    shop.cases(cases("p"))
    shop.returns(p="a")
    shop.run(UPDATE)
    text = shop.baseline.read_text("utf-8")
    shop.baseline.write_text(text.replace('"documents":["a"]', '"documents":[]'))
    run = shop.run()
    assert run.code == pytest.ExitCode.INTERRUPTED
    assert "returned nothing in any case" in run.text
    shop.run(UPDATE)  # which replaces it
    assert shop.run().code == 0


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
    why = "is not updated: in this update search returned nothing in any case"
    assert f"baseline shop.relevance.yaml.baseline.jsonl {why}" in run.said
    assert shop.accepted() == {"p": "a", "q": "a"}


@pytest.mark.parametrize("expect", ["", "expect: {overlap@2: 1}\n"])
def test_without_a_reference_every_failure_counts_and_that_is_said_once(
    project: Project, expect: str
) -> None:
    shop = Shop(project)
    shop.write("pytest.ini", "[pytest]\nrelevance_known = xfail\n")
    shop.cases(expect + cases("p q", ", min_ndcg: 0.9"))
    shop.returns(p="b a", q="b a")
    run = shop.run()
    assert run.counts == {"failed": 2}
    said = f"{KNOWN}: shop.relevance.yaml has nothing to compare with"
    assert run.text.count(said) == 1
    shop.run(UPDATE)
    assert shop.run().counts == {"xfailed": 2}
    for option in ("--runxfail", "--relevance-known=fail"):
        assert shop.run(option).counts == {"failed": 2}


def test_each_variant_is_compared_with_its_own_ranking(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("boots", ", min_ndcg: 0.9"))
    variants = '(params=["bm25", "dense"])', "request"
    found = "{'bm25': 'b a', 'dense': 'a b'}[request.param]"
    shop.search(f"return lambda query: {found}.split()", *variants)
    shop.run(RECORD)
    shop.search("return lambda query: 'b a'.split()", *variants)
    outcomes = {"boots[bm25]": "xfailed", "boots[dense]": "failed"}
    assert shop.run(AGAINST, KNOWN).outcomes == outcomes


def test_reports_count_what_failed_before_and_do_not_list_it(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("old new", ", min_ndcg: 0.9"))
    shop.returns(old="b a", new="a b")
    shop.run(RECORD)
    shop.returns(new="b a")
    found = shop.reports(AGAINST, KNOWN)
    assert found.all_say("1 failed before")
    assert "`new`" in found.markdown
    assert "`old`" not in found.markdown


def test_a_query_that_finds_nothing_as_before_is_known_and_named_in_every_report(
    project: Project,
) -> None:
    shop = Shop(project)
    listed = cases("p r s", ", min_ndcg: 0.9")
    xfailed = cases("q", ", min_ndcg: 0.9, xfail: no synonyms").partition("\n")[2]
    shop.cases(listed + xfailed)
    shop.returns(p="b a", q="", r="", s="a b")
    shop.run(UPDATE)
    found = shop.reports(KNOWN, "-q")
    assert found.run.counts == {"passed": 1, "xfailed": 3}
    assert found.all_say('2 queries find nothing, as in the reference ("r" and "q")')
    shop.returns(r="x")
    run = shop.run(KNOWN)
    assert run.counts == {"passed": 1, "xfailed": 2, "failed": 1}
    told = (
        '1 case without results in the reference fails ("r"), although '
        "--relevance-known=xfail is given"
    )
    assert told in run.text
