"""Is it worse overall, and did it fail before: the change of the mean, newly failing
cases, and their order.
"""

import re

import pytest

from tests.plugin.conftest import Project, Run
from tests.plugin.test_baseline_in_pytest import UPDATE, Shop


def means(run: Run) -> list[str]:
    """The lines about the change of a mean."""
    return [
        line.strip()
        for line in run.summary.splitlines()
        if " -> " in line and "mean nDCG" in line
    ]


def failures(run: Run) -> list[str]:
    """The headlines of the failures section, in their order."""
    return re.findall(r"^_{3,} (.+?) _{3,}$", run.text, re.MULTILINE)


def short(run: Run) -> list[str]:
    """The node names of the short summary, in their order."""
    return [
        line.split("::")[1].split(" - ")[0]
        for line in run.short_summary
        if line.startswith("FAILED")
    ]


def short_reasons(run: Run) -> dict[str, str]:
    """What the short summary says about each failure, by its name."""
    failed = (
        line.split("::")[1] for line in run.short_summary if line.startswith("FAILED")
    )
    return {
        name: reason for name, _, reason in (text.partition(" - ") for text in failed)
    }


def cases(names: str, keys: str = "") -> str:
    return "cases:\n" + "".join(
        f"  - {{query: {name}, judgments: {{a: 3, b: 1}}{keys}}}\n"
        for name in names.split()
    )


# --- the change of the mean -----------------------------------------------------------


def test_every_run_with_a_baseline_says_how_the_mean_changed(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("p q r s", ", min_ndcg: 0.5"))
    shop.returns(p="a b", q="b a", r="a b", s="a b")
    assert means(shop.run(UPDATE)) == []
    assert means(shop.run()) == [
        "mean nDCG@10 0.927 -> 0.927 (0.000, p 1.000): 0 better, 0 worse, 4 the same"
    ]
    shop.returns(p="b a", q="a b")
    run = shop.run()  # two queries that change places fail, though the mean stays
    assert means(run) == [
        "mean nDCG@10 0.927 -> 0.927 (0.000, p 1.000): 1 better, 1 worse, 2 the same"
    ]
    assert (run.code, run.counts) == (1, {"passed": 3, "failed": 1})
    shop.returns(r="b a")
    run = shop.run()
    # of the 8 flips of +0.290, -0.290, -0.290 all are as far from 0 as -0.290
    assert means(run) == [
        "mean nDCG@10 0.927 -> 0.855 (-0.073, p 1.000): 1 better, 2 worse, 1 the same"
    ]
    assert means(shop.run("-q")) == means(run)


@pytest.mark.parametrize(
    ("floor", "also"),
    [("0.5", ""), ("0.9", "; a missed floor or expectation has to change too")],
)
def test_accepting_what_got_worse_changes_no_floor(
    project: Project, floor: str, also: str
) -> None:
    shop = Shop(project)
    shop.cases(
        cases("p", f", min_ndcg: {floor}, weight: 3") + cases("q").partition("\n")[2]
    )
    shop.returns(p="a b", q="a b")
    shop.run(UPDATE)
    shop.returns(p="b a")
    run = shop.run()
    accepts = "where that is meant, --relevance-update FILE::CASE accepts one"
    assert run.sentences("1 case got worse") == [f"1 case got worse: {accepts}{also}"]
    assert run.sentences("weighted mean")[0].startswith(
        "weighted mean nDCG@10 1.000 -> 0.782 (-0.218, p 1.000): "
    )


@pytest.mark.parametrize("workers", [(), ("-n", "2")])
def test_what_a_passing_case_lost_is_named_without_a_report_in_a_file(
    project: Project, workers: tuple[str, ...]
) -> None:
    shop = Shop(project)
    shop.cases(
        cases("p q", ", tolerance: 1") + "  - {query: r, expect: {overlap@2: 0.5}}\n"
    )
    shop.returns(p="a b", q="a b", r="a b")
    shop.run(UPDATE)
    shop.returns(p="x b", r="x a")
    run = shop.run(*workers)
    assert run.code == 0
    rows = {row[0]: " ".join(row) for row in run.summary_rows}
    assert rows["p"] == "p 1.000 -> 0.083 Title of a 1 -> gone Title of x"
    assert rows["r"] == "r 0.500 Title of b 2 -> gone Title of x"


def test_only_cases_that_both_have_are_compared(project: Project) -> None:
    shop = Shop(project)
    shop.cases(cases("p q"))
    shop.returns(p="a b", q="a b", r="a b", s="boom", t="b a")
    shop.run(UPDATE)
    shop.cases(cases("p q r s t") + "  - {query: unjudged}\n")
    shop.returns(p="b a", unjudged="x")
    assert means(shop.run()) == [
        "mean nDCG@10 1.000 -> 0.855 (-0.145, p 1.000): 0 better, 1 worse, 1 the same (2 of 5 cases)"
    ]


def test_suites_and_variants_have_a_line_each_and_tags_a_row(project: Project) -> None:
    shop = Shop(project)
    step = "-1 if __import__('os').environ.get('WORSE') == request.param else 1"
    project.search(
        f"return lambda query: query.split()[:: {step}]",
        '(params=["bm25", "dense"])',
        "request",
    )
    shop.cases(
        "cases:\n  - {query: a b, tags: [head], judgments: {a: 3, b: 1}}\n"
        + cases("a").removeprefix("cases:\n")
    )
    shop.cases(
        "cases:\n  - {query: b a, judgments: {a: 3, b: 1}}\n",
        name="other.relevance.yaml",
    )
    project.run(UPDATE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("WORSE", "dense")
        run = project.run()
    lines = [
        "other.relevance.yaml  bm25: mean nDCG@10 0.710 -> 0.710 (0.000, p 1.000): 0 better, 0 worse, 1 the same",
        "other.relevance.yaml  dense: mean nDCG@10 0.710 -> 1.000 (+0.290, p 1.000): 1 better, 0 worse, 0 the same",
        "shop.relevance.yaml  bm25: mean nDCG@10 0.959 -> 0.959 (0.000, p 1.000): 0 better, 0 worse, 2 the same",
        "shop.relevance.yaml  dense: mean nDCG@10 0.959 -> 0.814 (-0.145, p 1.000): 0 better, 1 worse, 1 the same",
    ]
    assert (
        run.sentences("other.relevance.yaml  ")[-2:]
        + run.sentences("shop.relevance.yaml  ")[-2:]
        == lines
    )
    start = run.summary_rows.index(
        [
            "by",
            "tag",
            "(nDCG@10)",
            "variant",
            "cases",
            "before",
            "after",
            "change",
            "better",
            "worse",
            "same",
        ]
    )
    assert run.summary_rows[start + 1 : start + 3] == [
        ["head", "dense", "1", "1.000", "0.710", "-0.290", "0", "1", "0"],
        ["head", "bm25", "1", "1.000", "1.000", "0.000", "0", "0", "1"],
    ]


# --- newly failing --------------------------------------------------------------------

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


def all_kinds(project: Project) -> Shop:
    """A shop in which a case fails in each way."""
    shop = Shop(project)
    shop.cases(
        KINDS.replace("DEPTH", "5").replace(
            "      - {query: added, judgments: {a: 3, b: 1}, min_ndcg: 0.9}\n", ""
        )
    )
    names = ("stale", "broken", "doubtful", "regression", "newly", "fine")
    shop.returns(**{**dict.fromkeys(names, "a b"), "as before": "b a", "added": "b a"})
    shop.run(UPDATE)
    shop.cases(KINDS.replace("DEPTH", "6"))
    shop.returns(broken="boom", doubtful="x a", regression="b a", newly="b a")
    return shop


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["here", "xdist"])
def test_failures_are_told_in_the_order_of_their_kinds(
    project: Project, workers: tuple[str, ...]
) -> None:
    shop = all_kinds(project)
    run = shop.run("-v", *workers)
    assert failures(run) == short(run) == ORDER
    assert run.sentences("8 cases") == [
        "8 cases: 1 passed; "
        "2 got worse, 1 inconclusive, 1 error, 1 stale, 1 without an entry, 1 failed before; mean nDCG@k 0.774"
    ]
    firsts = {
        "newly": "nDCG@10 0.710 is below 0.900   (baseline 1.000, down 0.290)",
        "as before": "failed before: nDCG@10 0.710 is below 0.900   (baseline 0.710)",
        "regression": "nDCG@10 0.710 is 0.290 below the baseline 1.000, more than the tolerance",
    }
    for name, first in firsts.items():
        assert re.search(
            rf"^shop.relevance.yaml:\d: {re.escape(first)}$",
            run.failure(name),
            re.MULTILINE,
        )
    assert {
        name: reason for name, reason in short_reasons(run).items() if name in firsts
    } == {
        "newly": "1.000 -> 0.710, floor 0.900",
        "regression": "1.000 -> 0.710, tolerance 0.05",
        "as before": "failed before: nDCG@10 0.710, floor 0.900",
    }


def test_a_brief_run_says_each_thing_once(project: Project) -> None:
    shop = Shop(project)
    shop.cases(
        "min_ndcg: 0.9\ncases: [{query: red shoes, id: q1, judgments: {a: 3, b: 1}}]\ngates: [{passing: 1}]\n"
    )
    shop.returns(**{"red shoes": "a b"})
    shop.run(UPDATE)
    shop.returns(**{"red shoes": "b a"})
    run = shop.run("-q")
    assert failures(run)[0] == "q1"
    assert run.failure("q1").splitlines()[-1] == (
        'shop.relevance.yaml:2: 1.000 -> 0.710, floor 0.900; query "red shoes"'
    )
    assert short_reasons(run)["q1"] == '1.000 -> 0.710, floor 0.900; query "red shoes"'
    assert [part.partition("   p50")[0] for part in run.summary.splitlines()] == [
        "shop.relevance.yaml  mean nDCG@10 0.710   1 failed",
        "mean nDCG@10 1.000 -> 0.710 (-0.290, p 1.000): 0 better, 1 worse, 0 the same",
        "1 case: 1 got worse",
    ]


BEGINNINGS = [  # keys of a case, what it returned when that was accepted (if it was) and returns now
    ("min_ndcg: 0.9", None, "b a", "nDCG@10 0.710, floor 0.900"),
    ("min_ndcg: 0.7099", None, "b a", "nDCG@10 0.7098, floor 0.7099"),
    (
        "min_ndcg: 0.9, expect: {first: a}",
        None,
        "b a",
        'nDCG@10 0.710, floor 0.900; first: rank 1 has "b"',
    ),
    (
        "min_ndcg: 0.9, min_judged: 0.9",
        None,
        "x b a",
        "inconclusive: 2 of the top 3 judged, less than min_judged",
    ),
    ("expect: {first: a}", "a b", "b a", 'first: rank 1 has "b"'),
    ("expect: {P@1: 1}, tolerance: 1", "a b", "x a", "P@1 0.000 is below 1.000"),
    ("min_ndcg: 0.9", "x b a", "b a", "failed before: 0.541 -> 0.710, floor 0.900"),
    ("tolerance: 0", "a b", "b a", "1.000 -> 0.710, tolerance 0"),
]


def test_the_short_summary_begins_with_what_matters_most(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CI", "true")  # pytest cuts no line
    shop = Shop(project)
    accepted, added = "", ""
    for number, (keys, before, _, _) in enumerate(BEGINNINGS):
        line = f"  - {{query: q{number}, judgments: {{a: 3, b: 1}}, {keys}}}\n"
        accepted, added = (
            (accepted, added + line) if before is None else (accepted + line, added)
        )
    shop.cases(f"cases:\n{accepted}")
    shop.returns(
        **{
            f"q{number}": before
            for number, (_, before, _, _) in enumerate(BEGINNINGS)
            if before is not None
        }
    )
    shop.run(UPDATE)
    shop.cases(f"cases:\n{added}", name="added.relevance.yaml")
    shop.returns(
        **{f"q{number}": now for number, (_, _, now, _) in enumerate(BEGINNINGS)}
    )
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
    project.write("test_first.py", other.format("one") + other.format("two"))
    run = shop.run(
        "test_first.py::test_two", "shop.relevance.yaml", "test_first.py::test_one"
    )
    assert failures(run) == short(run) == ["test_two", "newly", "before", "test_one"]


def test_without_a_baseline_failures_keep_their_order(project: Project) -> None:
    shop = Shop(project)
    shop.cases(KINDS.replace("DEPTH", "5"))
    names = ("stale", "regression", "fine", "added", "as before", "newly")
    shop.returns(**{**dict.fromkeys(names, "b a"), "broken": "boom", "doubtful": "x a"})
    run = shop.run()
    assert (
        failures(run)
        == short(run)
        == ["as before", "added", "broken", "doubtful", "newly", "fine"]
    )
    assert "newly" not in run.summary.partition("8 cases")[2]
    assert "failing" not in run.text


EXPECTATIONS = [
    ("first: a", "a b", "b a", "newly failing"),
    ("first: a", "b a", "c a", "failed before"),
    ("include: {docs: [c], within: 2}", "c a b", "a b c", "newly failing"),
    ("exclude: [x]", "a b", "a x", "newly failing"),
    ("exclude: [x]", "x a", "a x", "failed before"),
    ("order: [a, b]", "a b", "b a", "newly failing"),
    ("order: [a, b]", "b x a", "b a", "failed before"),
    ('results: "<= 2"', "a b", "a b c", "newly failing"),
    ('results: "<= 2"', "a b c d", "a b c", "failed before"),
    (
        'results: "<= 2"',
        "a b c",
        "a b c d",
        "neither",
    ),  # missed before, and further off now
    ('results: ">= 2"', "a b", "a", "newly failing"),
    ("P@2: 1.0", "a b", "a x", "newly failing"),
    ("P@2: 1.0", "a x", "x a", "failed before"),
    (
        "P@2: 1.0, first: b",
        "a b",
        "a x",
        "newly failing",
    ),  # one failed before, the other is new
    ("include: [c, d]", "a b", "a d", "failed before"),
    ("include: [c, d]", "a d", "a b", "neither"),
    ("order: [a, b, c]", "b a c", "c b a", "neither"),
    ("exclude: [x], results: 0", "x", "x y", "neither"),
    ("include: [c]", "", "a b", "neither"),  # an empty ranking tells nothing
    ('results: "> 0"', "", "", "failed before"),
    ('latency: "<= 0.0001 ms"', "a b", "b a", "neither"),
    (
        'latency: "<= 0.0001 ms", include: [c]',
        "a b",
        "b a",
        "neither",
    ),  # of a latency nothing is known
]


def test_an_expectation_is_newly_unmet_where_the_accepted_ranking_meets_it(
    project: Project,
) -> None:
    shop = Shop(project)
    lines = (
        f"  - {{query: q{number}, expect: {{{row[0]}}}}}\n"
        for number, row in enumerate(EXPECTATIONS)
    )
    listed = "".join(
        f"q{number},a,3\nq{number},b,1\n" for number in range(len(EXPECTATIONS))
    )
    project.write("judgments.csv", f"query,document,grade\n{listed}")
    shop.cases("judgments: judgments.csv\ntolerance: 1\ncases:\n" + "".join(lines))
    shop.returns(
        **{
            f"q{number}": before
            for number, (_, before, _, _) in enumerate(EXPECTATIONS)
        }
    )
    shop.run(UPDATE)
    shop.returns(
        **{f"q{number}": now for number, (_, _, now, _) in enumerate(EXPECTATIONS)}
    )
    run = shop.run()
    assert set(run.outcomes.values()) == {"failed"}
    found = []
    for result in run.results.values():
        assert result.baseline is not None
        found.append((result.baseline.newly_failing, result.baseline.failed_before))
    assert found == [
        (kind == "newly failing", kind == "failed before")
        for _, _, _, kind in EXPECTATIONS
    ]
    assert "22 cases: 8 got worse, 7 failed, 7 failed before" in run.summary
