"""The sentence about a run, and of each case the document that costs most and what
stands in its place.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, FileInfo, Run, RunError, RunInfo
from pytest_relevance.metrics.settings import discount_table
from pytest_relevance.reports.run.case_change import CaseChange, worst_first
from pytest_relevance.reports.run.headline import Headline, headline
from pytest_relevance.reports.run.report import run_gates
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    NEW,
    REGRESSION,
    STALE,
    WITHIN,
    BaselineComparison,
)
from pytest_relevance.results.changes import Move
from tests.helpers import changed, gate_record, result_of
from tests.reports.conftest import Shop

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "shop.relevance.yaml"
JUDGMENTS = {"a": 3, "b": 2, "c": 1, "d": 0}


def case(
    query: str = "boots",
    ranking: object = ("a", "b", "c"),
    before: float | None = None,
    standing: str = WITHIN,
    newly: bool = False,
    failed_before: bool = False,
    changes: Mapping[str, Any] = {},
    **keys: Any,
) -> CaseResult:
    """A result with nDCG@10 of 1.000, or as its ranking is; `before` is the score of
    its baseline.
    """
    found = result_of(
        {"query": query, "judgments": JUDGMENTS, **keys}, ranking, file=FILE, line=1
    )
    if before is not None or standing in (NEW, STALE):
        found = changed(
            found,
            baseline=BaselineComparison(
                standing, before, newly_failing=newly, failed_before=failed_before
            ),
        )
    return changed(found, **changes)


def failed(query: str = "boots", **keys: Any) -> CaseResult:
    return case(query, ["d"], min_ndcg=0.5, **keys)


def error(query: str = "boots") -> CaseResult:
    return case(query, changes={"verdict": "error", "outcome": "failed", "scores": {}})


def of(
    results: Sequence[CaseResult],
    missing: Sequence[str] = (),
    gate: float | None = None,
    errors: Sequence[RunError] = (),
) -> Headline:
    """The sentence about a run, with a gate on the mean where one is given."""
    gates = [] if gate is None else [gate_record("mean", bounds=[["nDCG@10", gate]])]
    totals = [("search", None, len(results))]
    run = Run(
        results,
        {FILE: FileInfo(FILE, FILE, totals=totals, gates=gates)},
        RunInfo(missing=missing, errors=errors),
    )
    return headline(run.results, run_gates(run), run.info)


MISTAKE = RunError("unknown key", "f.yaml", line=1, node="f.yaml")
SKIPPED = case(changes={"verdict": "skipped", "outcome": "skipped", "scores": {}})
PASSED = case(min_ndcg=0.5)
NEWLY = failed(before=1.0, standing=REGRESSION, newly=True)
FELL = case(
    "fell",
    ["b", "a"],
    1.0,
    REGRESSION,
    changes={"verdict": "failed", "outcome": "failed"},
)
BEFORE = failed("hats", before=0.0, failed_before=True)
VARIANTS = [replace(NEWLY, variant=name) for name in ("bm25", "hybrid")]

RUNS: dict[str, tuple[Headline, str, str]] = {
    "nothing ran": (of([]), "Nothing was searched", "nothing"),
    "all were skipped": (of([SKIPPED]), "Nothing was searched", "nothing"),
    "nothing was collected": (
        of([], errors=[MISTAKE, replace(MISTAKE, line=2)]),
        "Nothing was searched: 1 file has an error",
        "broken",
    ),
    "a mistake in one of two files": (
        of([], ["f.yaml::x"], errors=[MISTAKE]),
        "Nothing was searched: 1 file has an error; 1 case is missing",
        "broken",
    ),
    "a mistake in one file, the other ran": (
        of([PASSED], errors=[MISTAKE]),
        "The run did not finish: 1 file has an error",
        "broken",
    ),
    "a catalogue cannot be read": (
        of([PASSED], errors=[RunError("the file is empty", "catalogue.csv")]),
        "1 case passes",
        "fine",
    ),
    "several got worse": (
        of([NEWLY, FELL, PASSED]),
        "Search got worse: 2 queries",
        "worse",
    ),
    "in two variants": (of(VARIANTS), "Search got worse: 1 query", "worse"),
    "worse and unfinished": (
        of([NEWLY], ["f.yaml::x", "f.yaml::y"]),
        "Search got worse: 1 query; 2 cases are missing",
        "worse",
    ),
    "worse, better, and an error": (
        of(
            [
                NEWLY,
                error("hats"),
                *(
                    case(f"q{number}", before=0.9, standing=IMPROVEMENT)
                    for number in range(2)
                ),
            ]
        ),
        "1 query got worse, 2 better; the mean is unchanged within chance; 1 case could not be scored",
        "mixed",
    ),
    "worse in few, better in many": (
        of(
            [
                FELL,
                *(
                    case(f"q{number}", before=0.5, standing=IMPROVEMENT)
                    for number in range(20)
                ),
            ]
        ),
        "1 query got worse, 20 better; the mean rose significantly",
        "mixed",
    ),
    "worse in many, better in few": (
        of(
            [
                case("better", before=0.9, standing=IMPROVEMENT),
                *(replace(FELL, id=f"q{n}") for n in range(20)),
            ]
        ),
        "Search got worse: 20 queries",
        "worse",
    ),
    "a gate alone": (
        of([case(ranking=["b", "a"], before=1.0)], gate=0.99),
        "1 gate is not met",
        "broken",
    ),
    "unfinished": (
        of([PASSED], ["f.yaml::x"]),
        "The run did not finish: 1 case is missing",
        "broken",
    ),
    "an error": (of([error(), failed("hats")]), "1 case could not be scored", "broken"),
    "one failed": (
        of([failed(), PASSED, case("hats")]),
        "1 of 2 cases fails",
        "broken",
    ),
    "several failed": (
        of([failed(), failed("hats"), case("socks")]),
        "2 of 3 cases fail",
        "broken",
    ),
    "failed before": (
        of([BEFORE, PASSED]),
        "No query got worse; 1 failed before",
        "broken",
    ),
    "inconclusive": (
        of(
            [
                case(changes={"verdict": "inconclusive", "outcome": "failed"}),
                case("hats"),
            ]
        ),
        "1 of 2 cases fails or is inconclusive",
        "broken",
    ),
    "all pass": (of([PASSED, case("hats", min_ndcg=0.5)]), "All 2 cases pass", "fine"),
    "some measured": (
        of([PASSED, case("hats", min_ndcg=0.5), case("gloves")]),
        "All 2 cases with a floor pass; 1 is only measured",
        "fine",
    ),
    "all measured": (
        of([case(), case("hats")]),
        "2 cases measured, without a floor",
        "fine",
    ),
    "fails as expected": (
        of([failed("hats", changes={"outcome": "xfailed"}), PASSED]),
        "No case fails",
        "fine",
    ),
    "failed before as expected": (
        of([changed(BEFORE, outcome="xfailed")]),
        "No query got worse",
        "fine",
    ),
    "same as the baseline": (of([case(before=1.0)]), "No query got worse", "fine"),
    "better": (
        of(
            [
                case(f"q{number}", before=0.9, standing=IMPROVEMENT)
                for number in range(9)
            ]
        ),
        "Search got better: 9 queries",
        "better",
    ),
    "slightly worse everywhere": (
        of([case(f"q{number}", ["b", "a", "c"], before=1.0) for number in range(9)]),
        "Search got worse: the mean fell significantly, no single query by much",
        "worse",
    ),
}


@pytest.mark.parametrize(("found", "sentence", "kind"), RUNS.values(), ids=RUNS)
def test_the_sentence(found: Headline, sentence: str, kind: str) -> None:
    assert found == Headline(sentence, kind)


def test_what_was_lost_and_what_stands_on_top(shop: Shop) -> None:
    """The gain of sku-1 fell by 7 - 7 / log2(5) = 3.985, that of sku-2, which is gone
    from rank 2, by 7 / log2(3).
    """
    found = CaseChange.since_baseline(
        shop.result(
            ["sku-4", "sku-3", "sku-5", "sku-1"], accepted=["sku-1", "sku-2", "sku-3"]
        )
    )
    assert found.lost == Move("sku-2", 2, None)
    assert found.on_top == Move("sku-4", None, 1)
    assert found.before == 1
    assert found.after == pytest.approx(
        (3 / 1.5849625 + 7 / 2.3219281) / (7 + 7 / 1.5849625 + 3 / 2)
    )


def test_what_rose_below_the_place_of_what_was_lost_is_not_on_top(shop: Shop) -> None:
    found = CaseChange.since_baseline(
        shop.result(
            ["sku-1", "sku-3", "sku-5"],
            accepted=["sku-1", "sku-3", "sku-2"],
            judgments={"sku-1": 3},
        )
    )
    assert found.on_top is None  # nothing relevant was lost
    below = shop.result(
        ["sku-1", "sku-5", "sku-2", "sku-6"],
        accepted=["sku-1", "sku-3", "sku-5", "sku-2", "sku-4"],
    )
    assert CaseChange.since_baseline(below).lost == Move("sku-3", 2, None)
    assert CaseChange.since_baseline(below).on_top == Move("sku-5", 3, 2)
    dropped = shop.result(
        ["sku-1", "sku-4", "sku-6"],
        accepted=["sku-1", "sku-4"],
        judgments={"sku-1": 3, "sku-4": 0},
    )
    assert (
        CaseChange.since_baseline(dropped).lost,
        CaseChange.since_baseline(dropped).on_top,
    ) == (None, None)


def test_where_unjudged_results_are_skipped_the_place_among_the_judged_ones_counts(
    shop: Shop,
) -> None:
    """Unjudged results before sku-1 cost it nothing, and sku-2, of a lower gain, is
    what was lost.
    """
    judgments = {"sku-1": 3, "sku-2": 1}
    pushed = shop.result(
        ["sku-5", "sku-6", "sku-1"],
        judgments=judgments,
        accepted=["sku-1", "sku-2"],
        unjudged="skip",
    )
    assert CaseChange.since_baseline(pushed).lost == Move("sku-2", 2, None)
    deep = ["sku-5", "sku-6", "sku-1"]
    same = shop.result(
        deep, judgments=judgments, accepted=["sku-1"], unjudged="skip", k=1
    )
    assert (
        same.score,
        CaseChange.since_baseline(same).lost,
        CaseChange.since_baseline(same).gained,
    ) == (
        1,
        None,
        None,
    )


def test_without_a_baseline_the_largest_loss_is_named(shop: Shop) -> None:
    result = shop.result(["sku-4", "sku-3", "sku-1"])
    found = CaseChange.since_baseline(result)
    assert (found.before, found.lost) == (None, Move("sku-2", None, None))
    assert found.on_top == Move("sku-4", None, 1)
    assert result.score is not None
    assert found.weighted_change == pytest.approx(result.score - 1)


def test_nothing_returned_and_nothing_judged(shop: Shop) -> None:
    nothing = CaseChange.since_baseline(shop.result([], accepted=["sku-1"]))
    assert (nothing.lost, nothing.on_top) == (Move("sku-1", 1, None), None)
    unjudged = CaseChange.since_baseline(shop.result(["sku-1"], judgments={}))
    assert (unjudged.lost, unjudged.on_top) == (None, Move("sku-1", None, 1))


def test_the_worst_come_first() -> None:
    newly = failed(
        "newly", before=0.01, standing=REGRESSION, newly=True
    )  # the smallest fall, and the first
    results = [
        case("better", before=0.5, standing=IMPROVEMENT),
        case("slightly", ["b", "a", "c"], before=1.0),
        SKIPPED,
        BEFORE,
        case("heavy", ["b", "a", "c"], before=1.0, weight=3),
        newly,
        failed("far", before=1.0, standing=REGRESSION),
    ]
    assert [change.result.id for change in worst_first(results)] == [
        "far",
        "newly",
        "heavy",
        "slightly",
        "hats",
    ]
    assert worst_first([PASSED, case("same", before=1.0)]) == []


@given(
    st.permutations("abcdefgh"),
    st.permutations("abcdefgh"),
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_the_lost_document_has_the_largest_fall(
    before: list[str], after: list[str], grades: list[int]
) -> None:
    judgments = dict(zip("abcdefgh", grades, strict=True))
    result = result_of({"query": "q", "k": 5, "judgments": judgments}, after[:6])
    graded = tuple(judgments[document] for document in before)
    result = changed(
        result,
        baseline=BaselineComparison(
            WITHIN, 1.0, documents=tuple(before), grades=graded
        ),
    )
    found = CaseChange.since_baseline(result)
    discounts = discount_table("log2", 8)

    def gain(document: str, ranking: Sequence[str]) -> float:
        rank = ranking.index(document) if document in ranking else 5
        return (2 ** judgments[document] - 1) / discounts[rank] if rank < 5 else 0.0

    falls = {
        document: gain(document, before) - gain(document, after) for document in before
    }
    largest = max(falls.values())
    assert (found.lost is None) == (largest <= 0)
    if found.lost is not None:
        document = found.lost.document
        assert falls[document] == pytest.approx(largest)
        assert found.lost.first == before.index(document) + 1
        assert found.lost.second == (
            after.index(document) + 1 if document in after[:6] else None
        )


@pytest.mark.parametrize(("standing", "before"), [(NEW, None), (STALE, 0.8)])
def test_an_entry_that_cannot_be_compared_counts_as_none(
    shop: Shop, standing: str, before: float | None
) -> None:
    result = shop.result(["sku-4", "sku-1"])
    result = changed(
        result,
        baseline=BaselineComparison(
            standing, before, documents=("sku-1",), grades=(3,)
        ),
    )
    found = CaseChange.since_baseline(result)
    assert (found.before, found.lost, found.on_top) == (
        before,
        Move("sku-2", None, None),
        Move("sku-4", None, 1),
    )
