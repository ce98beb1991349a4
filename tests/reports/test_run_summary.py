"""The summary of a run: what is counted, what is shown of it, and how it is laid
out.
"""

from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, RunInfo
from pytest_relevance.reports.run.counts_sentence import counts_sentence
from pytest_relevance.reports.run.faults import fault_sentences
from pytest_relevance.reports.run.summary import SummaryOf, summary_lines
from pytest_relevance.reports.styled_lines import (
    BAD,
    DIM,
    GOOD,
    PLAIN,
    Line,
    plain_text,
)
from pytest_relevance.reports.terminal_text import WIDEST, display_width, harmless
from pytest_relevance.results.case_parts import IMPROVEMENT, BaselineComparison
from pytest_relevance.results.case_result import CHECK
from tests.helpers import block, case_result, result_of


def entry(
    query: str, score: float | None = None, verdict: str = "passed", **values: Any
) -> CaseResult:
    """The result of a case whose id is its query."""
    outcomes = {"failed": "failed", "error": "failed", "inconclusive": "failed"}
    known: dict[str, Any] = {
        "file": "shop.relevance.yaml",
        "line": 1,
        "id": query,
        "verdict": verdict,
        "outcome": outcomes.get(verdict, "passed"),
        "scores": {f"nDCG@{values.get('k', 10)}": score},
        "latency": 0.012,
        "returned": 1,
    }
    return case_result(**{**known, **values})


def lines_of(results: list[CaseResult], verbosity: int = 0) -> list[Line]:
    return summary_lines(SummaryOf(results, {}, RunInfo(), verbosity=verbosity))


def summary(*entries: CaseResult, verbose: int = 0) -> str:
    return plain_text(lines_of([*entries], verbose)) + "\n"


# --- whole summaries ------------------------------------------------------------------


def test_a_small_run() -> None:
    assert summary(
        entry("boots", 0.9, line=4, tags=("shoes",)),
        entry("sandals", 0.2, "failed", line=7, tags=("shoes", "summer"), latency=0.03),
        entry("torch", 1.0, line=9),
    ) == block("""
        3 cases: 2 passed, 1 failed; mean nDCG@10 0.700
        shop.relevance.yaml  p50 12 ms, max 30 ms
        failed
          0.200  sandals
              only 1 result
        by tag
          summer  0.200   1 case, 1 not passed
          shoes   0.550   2 cases, 1 not passed
        """)


def counts(*entries: CaseResult) -> str:
    said = counts_sentence([*entries], [], RunInfo())
    assert said is not None
    return said.text


FEW, MANY = ("search", "suggest"), ("a", "b", "c", "d")
ALIKE = ("suggest_products_bm25", "suggest_products_hybrid")


@pytest.mark.parametrize(
    ("names", "scores", "means"),
    [
        (FEW, [0.0, 0.0], "search 0.000, suggest 0.000"),
        (MANY, [0.1, 0.0, 0.9, 0.2], "b 0.000 to c 0.900"),
        (MANY, [0.0] * 4, "0.000 in each of 4 variants"),
        (ALIKE, [0.0, 0.5], "sugges...ts_bm25 0.000, sugges..._hybrid 0.500"),
    ],
)
def test_the_means_of_variants_in_the_counts(
    names: Sequence[str], scores: Sequence[float], means: str
) -> None:
    found = [
        entry("boots", score, search=name, file=f"{name}.yaml")
        for name, score in zip(names, scores, strict=True)
    ]
    assert counts(*found).partition("nDCG@10 ")[2] == means


def test_search_variants_stand_side_by_side() -> None:
    def both(query: str, bm25: float, hybrid: float, **keys: Any) -> list[CaseResult]:
        scores = {"bm25": bm25, "hybrid": hybrid}
        return [
            entry(
                query,
                score,
                "passed" if score >= 0.5 else "failed",
                variant=name,
                judged=4,
                top=10,
                **keys,
            )
            for name, score in scores.items()
        ]

    entries = [
        *both("winter boots", 0.2, 0.8, tags=("shoes",)),
        *both("lamp", 0.9, 0.85, tags=("light",)),
        *both("torch", 0.5, 0.5, tags=("light",)),
    ]
    assert summary(*entries) == block("""
        3 cases in 2 variants: 5 passed, 1 failed
        shop.relevance.yaml  bm25    2 passed, 1 failed   p50 12 ms, max 12 ms
        shop.relevance.yaml  hybrid  3 passed   p50 12 ms, max 12 ms
        failed
          0.200  winter boots  bm25
              only 1 result
        variants on 3 cases, against the first
        variant  mean nDCG@10  judged  change     95 % interval      p  higher  lower
        bm25            0.533     40%
        hybrid          0.717     40%  +0.183  -0.050 to +0.600  1.000       1      1
        hybrid may be the best of 2 variants by chance, on 3 cases: confirm the choice on other queries
        best by tag  means                     cases
          light      bm25 0.700, hybrid 0.675      2
          shoes      hybrid 0.800, bm25 0.200      1
        side by side, the widest apart first
          winter boots                        bm25 0.200, hybrid 0.800
          lamp                                bm25 0.900, hybrid 0.850
        """)


def test_of_many_variants_the_first_and_the_best_are_shown() -> None:
    entries = []
    for number in range(13):
        score = 0.9 if number == 12 else 0.5 - number / 100
        entries.append(
            entry("boots", score, variant=f"v{number}", variant_index=number)
        )
    entries.append(entry("lamp", 1.0, variant="v3", variant_index=3))
    entries.append(entry("boots", None, variant="v13", variant_index=13))
    lines = summary(*entries).splitlines()
    assert "    and 13 more" in lines  # suites
    start = lines.index("variants on 1 case, against the first")
    names = [line.split()[0] for line in lines[start + 2 : start + 12]]
    assert names == [*(f"v{number}" for number in range(9)), "v12"]
    assert lines[start + 12 : start + 16] == [
        "  ... 3 more with lower means (-v shows all)",
        "1 case is left out: not every variant has a score for it",
        "v13 has no score",
        "v12 may be the best of 13 variants by chance, on 1 case: confirm the choice on other queries",
    ]


def check(query: str, score: float, verdict: str = "passed") -> CaseResult:
    """What is kept of a check of a test in Python."""
    return entry(query, score, verdict, file="test_shop.py", search=CHECK, latency=None)


def test_checks_beside_variants_have_a_suite_line_only() -> None:
    entries = [
        entry("boots", 0.9, variant="bm25", tags=("shoes",)),
        entry("boots", 0.8, variant="hybrid", tags=("shoes",)),
        entry("lamp", 1.0, variant="bm25"),
        entry("lamp", 1.0, variant="hybrid"),
        check("torch", 0.5),
    ]
    text = summary(*entries)
    assert "\ntest_shop.py  relevance.check  1 passed\n" in text
    assert [line.split()[:2] for line in text.splitlines() if "torch" in line] == [
        ["0.500", "torch"]
    ]


# --- suites ---------------------------------------------------------------------------


def test_what_is_counted() -> None:
    entries = [
        entry("a", 0.9),
        entry("b", 0.1, "failed"),
        entry("c", None, "error"),
        entry("d", 0.5, "inconclusive"),
        entry("e", 0.5, "inconclusive", outcome="skipped"),
        entry("f", 0.5, "failed", outcome="xfailed"),
        entry("g", 0.5, "passed", outcome="xpassed"),
        entry("h", None, "measured"),
        entry("i", None, "error", outcome="skipped"),  # the search skipped
    ]
    statuses = (
        "passed failed error inconclusive inconclusive xfailed xpassed measured skipped"
    )
    assert " ".join(one.status for one in entries) == statuses
    assert summary(*entries, verbose=-1) == block("""
        9 cases: 1 passed, 1 failed, 1 error, 2 inconclusive, 1 xfailed, 1 xpassed, 1 skipped, 1 measured;
            mean nDCG@10 0.500 (6 of 9 cases, those with a score)
        shop.relevance.yaml  p50 12 ms, max 12 ms
        """)


def test_a_suite_with_failures_is_listed_before_green_ones_though_it_improved() -> None:
    entries = [entry("a", 0.9, file=f"{name}.relevance.yaml") for name in "bcdef"]
    before = BaselineComparison(IMPROVEMENT, 0.3)
    failed = entry("a", 0.4, "failed", file="z.relevance.yaml", baseline=before)
    text = summary(*entries, failed)
    assert "\nz.relevance.yaml" in text
    assert "\nf.relevance.yaml" not in text
    assert "    and 1 more suite\n" in text


def test_means_are_over_the_weights_of_the_scores_that_are_defined() -> None:
    entries = [
        entry("a", 1.0, weight=3.0),
        entry("b", 0.0),
        entry("c", None, weight=100.0),
    ]
    said = "3 cases: 3 passed; weighted mean nDCG@10 0.750 (2 of 3 cases, those with a score)\n"
    assert said in summary(*entries)


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [
        ([3], "shop.relevance.yaml  max 3 ms"),
        ([3, 1, 2, 4], "p50 2 ms, max 4 ms"),
        (range(1, 20), "p50 10 ms, max 19 ms"),
        (range(1, 21), "p50 10 ms, p95 19 ms"),
    ],
)
def test_percentiles_are_values_that_there_are(
    milliseconds: Sequence[int], expected: str
) -> None:
    results = [entry(f"q{each}", 0.5, latency=each / 1000) for each in milliseconds]
    assert expected in summary(*results).replace(".00", "").replace(".0", "")


# --- slices and lists -----------------------------------------------------------------


def slices(*entries: CaseResult, verbose: int = 0) -> list[str]:
    """The lines below "by tag"."""
    lines = summary(*entries, verbose=verbose).splitlines()
    if "by tag" not in lines:
        return []
    return lines[lines.index("by tag") + 1 :]


def test_a_tag_that_every_case_of_a_suite_has_needs_no_line() -> None:
    everywhere = [
        entry("a", 0.5, tags=("shop",)),
        entry("b", 0.5, tags=("shop", "shoes")),
    ]
    assert slices(*everywhere) == ["  shoes  0.500   1 case"]
    suites = [
        entry("a", 0.5, file="head.yaml", tags=("head",)),
        entry("b", 0.5, file="head.yaml", tags=("head",)),
        entry("c", 0.5, file="tail.yaml", tags=("tail",)),
        entry("d", 0.5, file="tail.yaml", tags=("tail", "head")),
    ]
    assert slices(*suites) == ["  head  0.500   3 cases"]


def test_tags_that_hurt_come_first() -> None:
    assert slices(
        entry("a", 0.9, tags=("fine",)),
        entry("b", 0.2, tags=("low",)),
        entry("c", 0.5, "failed", tags=("once", "twice")),
        entry("d", 0.5, "failed", tags=("twice",)),
        entry("e", None, tags=("unknown",)),
    ) == [
        "  twice    0.500   2 cases, 2 not passed",
        "  once     0.500   1 case, 1 not passed",
        "  low      0.200   1 case",
        "  fine     0.900   1 case",
        "  unknown    n/a   1 case",
    ]


def test_many_tags_are_cut_unless_all_are_asked_for() -> None:
    entries = [
        entry(f"query {number}", 0.5, tags=(f"tag-{number:02}",))
        for number in range(12)
    ]
    assert len(slices(*entries)) == 9
    assert slices(*entries)[-1] == "  ... 4 more (-v shows all)"
    assert len(slices(*entries, verbose=1)) == 12


def test_the_lowest_come_first_and_few_of_them() -> None:
    entries = [
        entry(f"query {number}", number / 100, line=number)
        for number in range(99, 0, -1)
    ]
    _, _, title, *lowest = summary(*entries).splitlines()
    assert title == "lowest"
    assert lowest == [
        *(
            f"  0.0{number}0  query {number}   passed   shop.relevance.yaml:{number}"
            for number in range(1, 6)
        ),
        "  ... 94 more below 1",
    ]
    assert len(summary(*entries, verbose=1).splitlines()) == 24


# --- whatever the input ---------------------------------------------------------------


def test_styles() -> None:
    counts, _, _, low, lower = lines_of([entry("lamp", 0.9), entry("boots", 0.95)])
    assert counts == (("2 cases: 2 passed; mean nDCG@10 0.925", GOOD),)
    assert [[style for _, style in line] for line in (low, lower)] == [
        [PLAIN, GOOD, DIM]
    ] * 2
    (counts, *_) = lines_of([entry("lamp", 0.9, "failed")])
    assert [style for _, style in counts] == [BAD]


ENTRIES = st.builds(
    entry,
    st.text(min_size=1, max_size=60),
    st.one_of(st.none(), st.floats(0, 1)),
    st.sampled_from(["passed", "failed", "error", "inconclusive", "measured"]),
    file=st.sampled_from(["shop.relevance.yaml", "relevance/lamps.relevance.yaml"]),
    variant=st.one_of(st.none(), st.text(max_size=30)),
    tags=st.lists(st.sampled_from("abcdefghijkl"), unique=True).map(tuple),
    latency=st.one_of(st.none(), st.floats(0, 100)),
)


@given(st.lists(ENTRIES, max_size=12), st.integers(-1, 2))
def test_lines_are_harmless_and_below_the_suites_at_most_100_columns_wide(
    entries: list[CaseResult], verbose: int
) -> None:
    lines = ["".join(words for words, _ in line) for line in lines_of(entries, verbose)]
    below = lines[len(lines_of(entries, -1)) :]
    assert [line for line in below if display_width(line) > WIDEST] == []
    assert [line for line in lines if harmless(line) != line] == []


def test_cases_that_depend_on_equal_scores_are_counted_and_the_first_are_named() -> (
    None
):
    hits = [("w1", 0.5), ("strap1", 0.5)]
    keys = {"judgments": {"w1": 3, "strap1": 1}, "min_ndcg": 0.9}
    tied = [result_of({"query": name, **keys}, hits) for name in "abcd"]
    said = " ".join(each.text for each in fault_sentences(tied, RunInfo()))
    assert (
        "the order of equal scores decides whether 4 cases pass: a, b, c and 1 more"
        in said
    )
