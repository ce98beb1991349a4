"""Is it worse overall, and did it fail before: the change of the mean, and in which
order failures are told.
"""

import re

import pytest

from tests.plugin.conftest import Project, Run
from tests.plugin.shop import UPDATE, WORKERS, Shop, cases


def means(run: Run) -> list[str]:
    """The lines about the change of a mean."""
    lines = run.summary.splitlines()
    return [line.strip() for line in lines if " -> " in line and "mean nDCG" in line]


def failures(run: Run) -> list[str]:
    """The headlines of the failures section, in their order."""
    return re.findall(r"^_{3,} (.+?) _{3,}$", run.text, re.MULTILINE)


def short_reasons(run: Run) -> dict[str, str]:
    """What the short summary says about each failure, by its name, in its order."""
    failed = [line for line in run.short_summary if line.startswith("FAILED")]
    parts = [line.split("::")[1].partition(" - ") for line in failed]
    return {name: reason for name, _, reason in parts}


# --- the change of the mean -----------------------------------------------------------


def test_every_run_with_a_baseline_says_how_the_mean_changed(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("p q r s", ", min_ndcg: 0.5"))
    shop.returns(p="a b", q="b a", r="a b", s="a b")
    assert means(shop.run(UPDATE)) == []
    shop.returns(p="b a", q="a b")
    run = shop.run()  # two queries that change places fail, though the mean stays
    same = "mean nDCG@10 0.927 -> 0.927 (0.000, 95% interval -0.218 to +0.218, p 1.000)"
    assert means(run) == [same]
    assert "1 of 4 queries got worse (for certain), 1 better; " in run.summary
    assert run.sentences("2 the same") == ["2 the same"]
    assert run.counts == {"passed": 3, "failed": 1}
    shop.returns(r="b a")
    # of the 8 flips of +0.290, -0.290, -0.290 all are as far from 0 as -0.290
    fell = (
        "mean nDCG@10 0.927 -> 0.855 (-0.073, 95% interval -0.290 to +0.145, p 1.000)"
    )
    assert means(shop.run()) == means(shop.run("-q")) == [fell]


def test_only_cases_that_both_have_are_compared(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("p q"))
    shop.returns(p="a b", q="a b", r="a b", s="boom", t="b a")
    shop.run(UPDATE)
    shop.cases(cases("p q r s t") + "  - {query: unjudged}\n")
    shop.returns(p="b a", unjudged="x")
    (line,) = means(shop.run())
    assert line.startswith("mean nDCG@10 1.000 -> 0.855 (-0.145, ")


def test_an_emptied_query_is_named_whatever_else_a_run_writes(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("p q"))
    shop.returns(p="a b", q="x y")
    shop.run(UPDATE)
    shop.returns(q="")  # as bad as before: its results had no gain
    said = '1 query returns nothing now ("q")'
    for options in ([], ["--relevance-markdown=run.md"], ["-vv"]):
        assert shop.run(*options).sentences("1 query returns") == [said]


@WORKERS
def test_what_changed_is_named_without_a_report_in_a_file_unless_within_the_tolerance(
    project: Project, workers: list[str]
) -> None:
    shop = Shop(project)
    overlapping = "  - {query: r, expect: {overlap@2: 0.5}}\n"
    shop.cases(cases("p q", ", tolerance: 1") + overlapping)
    shop.returns(p="a b", q="a b", r="a b")
    shop.run(UPDATE)
    shop.returns(p="x b", r="x a")
    run = shop.run(*workers)
    assert run.code == 0
    assert run.summary.startswith("No query got worse\n")
    assert (
        "changed\n  0.500  r\n      fell: Title of b rank 2 -> not returned; "
        in run.summary
    )
    assert "Title of a" not in run.summary


def test_suites_and_variants_have_a_line_each_and_tags_a_row(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    worse = "__import__('os').environ.get('WORSE') == request.param"
    found = f"return lambda query: query.split()[:: -1 if {worse} else 1]"
    project.search(found, '(params=["bm25", "dense"])', "request")
    tagged = "{query: a b, tags: [head], judgments: {a: 3, b: 1}}"
    project.cases(f"cases: [{tagged}, {{query: a, judgments: {{a: 3}}}}]")
    project.cases("cases: [{query: b a, judgments: {a: 3}}]", "other.relevance.yaml")
    project.run(UPDATE)
    monkeypatch.setenv("WORSE", "dense")
    run = project.run()
    changes = [re.sub(r": mean nDCG@10| \(.*", "", line) for line in means(run)]
    assert changes == [
        "mean nDCG@10 over 2 suites and 2 variants 0.877 -> 0.890",
        "shop.relevance.yaml  dense 1.000 -> 0.855",
        "other.relevance.yaml  bm25 0.631 -> 0.631",
        "shop.relevance.yaml  bm25 1.000 -> 1.000",
        "other.relevance.yaml  dense 0.631 -> 1.000",
    ]
    assert [row for row in run.summary_rows if row[:1] == ["head"]] == [
        ["head", "bm25", "1.000,", "dense", "0.710", "1"],  # the best of the tag
    ]


# --- the order of failures ------------------------------------------------------------

KINDS = """
    cases:
      - {query: as before, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: added, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: stale, judgments: {a: 3, b: 1}, min_ndcg: 0.5, k: DEPTH}
      - {query: broken, judgments: {a: 3, b: 1}}
      - {query: doubtful, judgments: {a: 3, b: 1}, min_ndcg: 0.9, min_judged: 0.9}
      - {query: regression, judgments: {a: 3, b: 1}, min_ndcg: 0.5}
      - {query: newly, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
      - {query: fine, judgments: {a: 3, b: 1}, min_ndcg: 0.9}
"""
ORDER = ["regression", "newly", "doubtful", "broken", "stale", "added", "as before"]


def test_failures_are_told_in_the_order_of_their_kinds(project: Project) -> None:
    shop = Shop(project)
    lines = KINDS.replace("DEPTH", "5").splitlines(keepends=True)
    shop.cases("".join(line for line in lines if "added" not in line))
    good = ("stale", "broken", "doubtful", "regression", "newly", "fine")
    shop.returns(**{**dict.fromkeys(good, "a b"), "as before": "b a", "added": "b a"})
    shop.run(UPDATE)
    shop.cases(KINDS.replace("DEPTH", "6"))
    shop.returns(broken="boom", doubtful="x a", regression="b a", newly="b a")
    run = shop.run("-v")
    assert failures(run) == [*short_reasons(run)] == ORDER
    counts = "1 error, 1 stale, 1 without an entry, 1 failed before"
    assert f"8 cases: 1 passed, 2 failed, 1 inconclusive; {counts}" in run.said
    newly = "nDCG@10 0.710 is below 0.900   (reference 1.000, down 0.290)"
    assert newly in run.failure("newly")
    before = "failed before: nDCG@10 0.710 is below 0.900   (reference 0.710)"
    assert before in run.failure("as before")


def test_a_brief_run_says_each_thing_once(project: Project) -> None:
    shop = Shop(project)
    case = "{query: red shoes, id: q1, judgments: {a: 3, b: 1}, min_ndcg: 0.9}"
    shop.cases(f"cases: [{case}]\ngates: [{{passing: 1}}]\n")
    shop.returns(**{"red shoes": "a b"})
    shop.run(UPDATE)
    shop.returns(**{"red shoes": "b a"})
    run = shop.run("-q")
    reason = '"red shoes": 1.000 -> 0.710, floor 0.900'
    assert run.failure("q1").splitlines() == [f"shop.relevance.yaml:1: {reason}"]
    assert short_reasons(run)["q1"] == '"red shoes": 1.000 -> 0.710'
    assert [part.partition("  max")[0] for part in run.summary.splitlines()] == [
        "Search got worse: 1 query (for certain)",
        "mean nDCG@10 1.000 -> 0.710 (-0.290, 95% interval -0.290 to "
        "-0.290); too few changes for p",
        "1 case: 1 failed",
        "shop.relevance.yaml:2: gate not met: 0 of 1 cases pass (0.0%), less than 100%",
        "shop.relevance.yaml against the baseline",
    ]


# keys of a case, what it returned when that was accepted (if it was) and returns now
BEGINNINGS = [
    ("min_ndcg: 0.9", None, "b a", "nDCG@10 0.710"),
    ("min_ndcg: 0.7099", None, "b a", "nDCG@10 0.7098"),
    ("min_ndcg: 0.9, expect: {first: a}", None, "b a", "nDCG@10 0.710"),
    ("min_ndcg: 0.9, min_judged: 0.9", None, "x b a", "inconclusive: 2 of the top 3 judged, less than min_judged"),
    ("expect: {first: a}", "a b", "b a", 'first: rank 1 has "b"'),
    ("expect: {P@1: 1}, tolerance: 1", "a b", "x a", "P@1 0.000 is below 1.000"),
    ("min_ndcg: 0.9", "x b a", "b a", "failed before: 0.541 -> 0.710"),
    ("tolerance: 0", "a b", "b a", "1.000 -> 0.710"),
    ("min_ndcg: 0.9", "a b", "b a", "1.000 -> 0.710"),
]  # fmt: skip


def test_the_short_summary_begins_with_what_matters_most(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")  # pytest cuts no line
    shop = Shop(project)
    lines: dict[bool, str] = {True: "cases:\n", False: "cases:\n"}
    for number, (keys, before, now, _) in enumerate(BEGINNINGS):
        case = f"  - {{query: q{number}, judgments: {{a: 3, b: 1}}, {keys}}}\n"
        lines[before is not None] += case
        shop.returns(**{f"q{number}": before or now})
    shop.cases(lines[True])
    shop.run(UPDATE)
    shop.cases(lines[False], "added.relevance.yaml")
    shop.returns(**{f"q{number}": row[2] for number, row in enumerate(BEGINNINGS)})
    found = short_reasons(shop.run())
    for number, (*_, reason) in enumerate(BEGINNINGS):
        assert found[f"q{number}"].startswith(reason)


def test_failures_of_other_tests_keep_their_places(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("before newly", ", min_ndcg: 0.9"))
    shop.returns(before="b a", newly="a b")
    shop.run(UPDATE)
    shop.returns(newly="b a")
    other = "def test_{}():\n    assert False\n"
    shop.write("test_first.py", other.format("one") + other.format("two"))
    two, one = "test_first.py::test_two", "test_first.py::test_one"
    run = shop.run(two, "shop.relevance.yaml", one)
    names = ["test_two", "newly", "before", "test_one"]
    assert failures(run) == [*short_reasons(run)] == names


def test_without_a_baseline_failures_keep_their_order(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("low boom good again", ", min_ndcg: 0.9"))
    shop.returns(low="b a", boom="boom", good="a b", again="b a")
    run = shop.run()
    assert failures(run) == [*short_reasons(run)] == ["low", "boom", "again"]
    assert "got worse" not in run.text
    assert "failed before" not in run.text
