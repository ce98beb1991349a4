"""The headline of a run, and of each case the document that costs most and what is in
its place.
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
from pytest_relevance.reports.run.build import build_text
from pytest_relevance.reports.run.case_change import CaseChange, worst_first
from pytest_relevance.reports.run.headline import headline
from pytest_relevance.reports.run.report import run_gates
from pytest_relevance.results.case_parts import (
    IMPROVEMENT,
    NEW,
    REGRESSION,
    SETUP,
    STALE,
    WITHIN,
    BaselineComparison,
    Outcome,
    SearchError,
)
from pytest_relevance.results.changes import Move
from tests.helpers import changed, gate_record, result_of
from tests.reports.conftest import Shop

if TYPE_CHECKING:
    from collections.abc import Mapping

FILE = "shop.relevance.yaml"
JUDGMENTS = {"a": 3, "b": 2, "c": 1, "d": 0}
SLIPPED = ("b", "a", "c")


def case(
    query: str = "boots",
    ranking: object = ("a", "b", "c"),
    baseline: BaselineComparison | None = None,
    changes: Mapping[str, Any] = {},
    **keys: Any,
) -> CaseResult:
    """A result with nDCG@10 of 1.000, or as its ranking is."""
    keys = {"query": query, "judgments": JUDGMENTS, **keys}
    found = result_of(keys, ranking, file=FILE, line=1)
    return changed(found, baseline=baseline, **changes)


def failed(query: str = "boots", **keys: Any) -> CaseResult:
    return case(query, ["d"], min_ndcg=0.5, **keys)


def error(query: str = "boots") -> CaseResult:
    return case(query, changes={"verdict": "error", "outcome": "failed", "scores": {}})


def down(query: str, phase: str = "") -> CaseResult:
    refused = SearchError("ConnectionError", "no engine", phase=phase)
    return changed(error(query), error=refused)


def measured(*queries: str) -> list[CaseResult]:
    return [case(query) for query in queries]


def better(count: int, before: float) -> list[CaseResult]:
    accepted = BaselineComparison(IMPROVEMENT, before)
    return [case(f"q{number}", baseline=accepted) for number in range(count)]


AS_GOOD = BaselineComparison(WITHIN, 1.0)
FALLEN = BaselineComparison(REGRESSION, 1.0)
SKIPPED = case(changes={"verdict": "skipped", "outcome": "skipped", "scores": {}})
PASSED = case(min_ndcg=0.5)
NEWLY = failed(baseline=replace(FALLEN, newly_failing=True))
OVERLAP = Outcome("overlap@10", "similarity", met=False, value=0.2, is_new=True)
DIFFERS = case(
    "differs",
    ["x"],
    replace(AS_GOOD, newly_failing=True),
    {"verdict": "failed", "outcome": "failed", "reasons": [OVERLAP]},
)
EMPTIED = replace(changed(DIFFERS, documents=[]), id="emptied")
FELL = case("fell", ["b", "a"], FALLEN, {"verdict": "failed", "outcome": "failed"})
BEFORE = failed("hats", baseline=BaselineComparison(WITHIN, 0.0, failed_before=True))
IN_DOUBT = case(changes={"verdict": "inconclusive", "outcome": "failed"})
DOUBTED = case(
    "socks", ["b", "a"], FALLEN, {"verdict": "inconclusive", "outcome": "skipped"}
)
UNSEARCHED = case("socks", [], changes={"verdict": "not searched", "outcome": "failed"})
MISTAKE = RunError("unknown key", "f.yaml", line=1, node="f.yaml")
EMPTY_CATALOGUE = RunError("the file is empty", "catalogue.csv")

# fmt: off
RUNS: dict[str, tuple[list[CaseResult], dict[str, Any], str, str]] = {
    "nothing ran": ([], {}, "Nothing was searched", "warns"),
    "all were skipped": ([SKIPPED], {}, "Nothing was searched", "warns"),
    "nothing was collected": (
        [], {"errors": [MISTAKE, replace(MISTAKE, line=2)]},
        "Nothing was searched: 1 file has an error", "fails"),
    "a mistake in one of two files": (
        [], {"missing": ["f.yaml::x"], "errors": [MISTAKE]},
        "Nothing was searched: 1 file has an error; 1 case is missing", "fails"),
    "a mistake in one file, the other ran": (
        [PASSED], {"errors": [MISTAKE]}, "The run did not finish: 1 file has an error", "fails"),
    "a catalogue cannot be read": ([PASSED], {"errors": [EMPTY_CATALOGUE]}, "1 case passes", "passes"),
    "several got worse": (
        [NEWLY, FELL, PASSED], {},
        "Search got worse: 2 of 2 queries (all need grades to be sure)", "fails"),
    "worse, and expected to fail": (
        [changed(NEWLY, outcome="xfailed"), PASSED], {},
        "Search got worse: 1 query (needs grades to be sure)", "warns"),
    "changed alone": (
        [DIFFERS, PASSED], {}, "1 query changed by more than allowed", "fails"),
    "changed, others better": (
        [DIFFERS, *better(2, 0.9)], {},
        "1 query changed by more than allowed; search got better: 2 of 3 queries", "fails"),
    "changed, and one returns nothing": (
        [DIFFERS, EMPTIED], {},
        "Search got worse: 1 of 2 queries (for certain); 1 changed by more than allowed", "fails"),
    "in two variants": (
        [replace(NEWLY, variant="bm25"), replace(NEWLY, variant="hybrid")], {},
        "Search got worse: 1 query (needs grades to be sure)", "fails"),
    "worse and unfinished": (
        [NEWLY], {"missing": ["f.yaml::x", "f.yaml::y"]},
        "Search got worse: 1 query (needs grades to be sure); 2 cases are missing", "fails"),
    "worse, better, and an error": (
        [NEWLY, error("hats"), *better(2, 0.9)], {},
        "1 of 3 queries got worse (needs grades to be sure), 2 better; the change "
        "of the mean may be chance; 1 case could not be scored", "fails"),
    "worse in few, better in many": (
        [FELL, *better(20, 0.5)], {},
        "1 of 21 queries got worse (needs grades to be sure), 20 better; the mean rose significantly", "fails"),
    "worse in many, better in few": (
        [*better(1, 0.9), *(replace(FELL, id=f"fell {n}") for n in range(20))], {},
        "Search got worse: 20 of 21 queries (all need grades to be sure)", "fails"),
    "a gate alone": ([case(ranking=["b", "a"], baseline=AS_GOOD)], {"gate": 0.99}, "1 gate is not met", "fails"),
    "unfinished": ([PASSED], {"missing": ["f.yaml::x"]}, "The run did not finish: 1 case is missing", "fails"),
    "an error": ([error(), failed("hats")], {}, "1 case could not be scored", "fails"),
    "the search was down": (
        [down("boots"), down("hats"), UNSEARCHED], {},
        "Search was down: ConnectionError in 2 of 2 calls, 1 case not searched", "fails"),
    "the fixture failed": (
        [down("boots", SETUP), down("hats", SETUP)], {},
        "The fixture search failed: ConnectionError: no engine", "fails"),
    "nothing was returned": (
        [case(f"q{n}", []) for n in range(3)], {}, "Search returned nothing for 3 of 3 queries", "warns"),
    "one failed": ([failed(), PASSED, case("hats")], {}, "1 of 2 cases fails", "fails"),
    "several failed": ([failed(), failed("hats"), case("socks")], {}, "2 of 3 cases fail", "fails"),
    "failed before": ([BEFORE, PASSED], {}, "No query got worse; 1 failed before", "fails"),
    "inconclusive": ([IN_DOUBT, case("hats")], {}, "1 of 2 cases fails or is inconclusive", "fails"),
    "inconclusive, and skipped": (
        [DOUBTED, PASSED], {}, "1 query is inconclusive and may have got worse", "warns"),
    "inconclusive, others better": (
        [DOUBTED, *better(2, 0.9)], {},
        "1 query is inconclusive and may have got worse; search got better: 2 of 3 queries", "warns"),
    "all pass": ([PASSED, case("hats", min_ndcg=0.5)], {}, "All 2 cases pass", "passes"),
    "some measured": (
        [PASSED, case("hats", min_ndcg=0.5), case("gloves")], {},
        "All 2 cases with a floor pass; 1 is only measured", "passes"),
    "all measured": (measured("boots", "hats"), {}, "2 cases are measured: nothing is expected of them", "passes"),
    "fails as expected": (
        [failed("hats", changes={"outcome": "xfailed"}), PASSED], {}, "No case fails", "passes"),
    "failed before as expected": ([changed(BEFORE, outcome="xfailed")], {}, "No query got worse", "passes"),
    "same as the baseline": ([case(baseline=AS_GOOD)], {}, "No query got worse", "passes"),
    "better": (better(9, 0.9), {}, "Search got better: 9 of 9 queries", "passes"),
    "slightly worse everywhere": (
        [case(f"q{n}", SLIPPED, AS_GOOD) for n in range(9)], {},
        "Search got worse: the mean fell significantly, no query by more than the tolerance", "warns"),
}
# fmt: on


@pytest.mark.parametrize(
    ("results", "about", "sentence", "verdict"), RUNS.values(), ids=RUNS
)
def test_the_headline_and_what_its_icon_tells(
    results: list[CaseResult], about: dict[str, Any], sentence: str, verdict: str
) -> None:
    gates = []
    if "gate" in about:
        gates.append(gate_record("mean", bounds=[("nDCG@10", about["gate"])]))
    file = FileInfo(FILE, FILE, totals=[("search", None, len(results))], gates=gates)
    info = RunInfo(missing=about.get("missing", ()), errors=about.get("errors", ()))
    run = Run(results, {FILE: file}, info)
    said = headline(results, run_gates(run), info)
    assert (said.text, said.verdict) == (sentence, verdict)
    build = build_text(results, run_gates(run), info)
    assert build.startswith("The build fails") == (verdict == "fails")


# --- the document that costs most, and what is in its place ---------------------------


def change_of(shop: Shop, ranking: list[str], **keys: Any) -> CaseChange:
    return CaseChange.since_baseline(shop.result(ranking, **keys))


def test_what_costs_most_and_what_stands_on_top(shop: Shop) -> None:
    """The gain of sku-1 fell by 7 - 7 / log2(5) = 3.985, that of sku-2, which
    is not returned any more, by 7 / log2(3).
    """
    accepted = ["sku-1", "sku-2", "sku-3"]
    found = change_of(shop, ["sku-4", "sku-3", "sku-5", "sku-1"], accepted=accepted)
    assert found.costliest == Move("sku-2", 2, None)
    assert found.on_top == Move("sku-4", None, 1)
    assert found.before == 1
    dcg, ideal = 3 / 1.5849625 + 7 / 2.3219281, 7 + 7 / 1.5849625 + 3 / 2
    assert found.after == pytest.approx(dcg / ideal)


@pytest.mark.parametrize(
    ("ranking", "keys", "costliest", "on_top"),
    [
        (["sku-1", "sku-5", "sku-2", "sku-6"], {"accepted": ["sku-1", "sku-3", "sku-5", "sku-2", "sku-4"]},
         Move("sku-3", 2, None), Move("sku-5", 3, 2)),
        (["sku-1", "sku-3", "sku-5"], {"accepted": ["sku-1", "sku-3", "sku-2"], "judgments": {"sku-1": 3}},
         None, None),
        (["sku-1", "sku-4", "sku-6"], {"accepted": ["sku-1", "sku-4"], "judgments": {"sku-1": 3, "sku-4": 0}},
         None, None),
        ([], {"accepted": ["sku-1"]}, Move("sku-1", 1, None), None),
        (["sku-1"], {"judgments": {}}, None, Move("sku-1", None, 1)),
        (["sku-4", "sku-3", "sku-1"], {}, Move("sku-2", None, None), Move("sku-4", None, 1)),
    ],
    ids=["what rose below it does not count", "nothing relevant was lost", "a result without gain came",
         "nothing is returned", "nothing is judged", "without a baseline the largest loss"],
)  # fmt: skip
def test_the_costliest_document_and_the_one_in_its_place(
    shop: Shop,
    ranking: list[str],
    keys: dict[str, Any],
    costliest: Move | None,
    on_top: Move | None,
) -> None:
    found = change_of(shop, ranking, **keys)
    assert (found.costliest, found.on_top) == (costliest, on_top)


def test_where_unjudged_results_are_skipped_the_place_among_the_judged_ones_counts(
    shop: Shop,
) -> None:
    """Unjudged results before sku-1 cost it nothing, and sku-2 costs most."""
    keys = {"judgments": {"sku-1": 3, "sku-2": 1}, "unjudged": "skip"}
    deep = ["sku-5", "sku-6", "sku-1"]
    pushed = change_of(shop, deep, accepted=["sku-1", "sku-2"], **keys)
    assert pushed.costliest == Move("sku-2", 2, None)
    same = change_of(shop, deep, accepted=["sku-1"], k=1, **keys)
    assert (same.after, same.costliest, same.gained) == (1, None, None)


def test_without_a_baseline_the_change_is_that_from_a_perfect_score(shop: Shop) -> None:
    found = change_of(shop, ["sku-4", "sku-3", "sku-1"])
    assert found.before is None
    assert found.weighted_change == pytest.approx((found.after or 0) - 1)


@pytest.mark.parametrize(("standing", "before"), [(NEW, None), (STALE, 0.8)])
def test_an_entry_that_cannot_be_compared_names_no_earlier_ranking(
    shop: Shop, standing: str, before: float | None
) -> None:
    accepted = BaselineComparison(standing, before, documents=("sku-1",), grades=(3,))
    result = changed(shop.result(["sku-4", "sku-1"]), baseline=accepted)
    found = CaseChange.since_baseline(result)
    assert found.before == before
    assert found.costliest == Move("sku-2", None, None)
    assert found.on_top == Move("sku-4", None, 1)


@given(
    st.permutations("abcdefgh"),
    st.permutations("abcdefgh"),
    st.lists(st.integers(0, 3), min_size=8, max_size=8),
)
def test_the_costliest_document_has_the_largest_fall(
    before: list[str], after: list[str], grades: list[int]
) -> None:
    judgments = dict(zip("abcdefgh", grades, strict=True))
    result = result_of({"query": "q", "k": 5, "judgments": judgments}, after[:6])
    graded = tuple(judgments[document] for document in before)
    accepted = BaselineComparison(WITHIN, 1.0, documents=tuple(before), grades=graded)
    found = CaseChange.since_baseline(changed(result, baseline=accepted))
    discounts = discount_table("log2", 8)

    def gain(document: str, ranking: Sequence[str]) -> float:
        rank = ranking.index(document) if document in ranking else 5
        return (2 ** judgments[document] - 1) / discounts[rank] if rank < 5 else 0.0

    falls = {
        document: gain(document, before) - gain(document, after) for document in before
    }
    largest = max(falls.values())
    assert (found.costliest is None) == (largest <= 0)
    if found.costliest is not None:
        document = found.costliest.document
        assert falls[document] == pytest.approx(largest)
        assert found.costliest.first == before.index(document) + 1
        assert found.costliest.second == (
            after.index(document) + 1 if document in after[:6] else None
        )


# --- the order of cases ---------------------------------------------------------------


def test_the_worst_come_first() -> None:
    newly = BaselineComparison(REGRESSION, 0.01, newly_failing=True)
    results = [
        *better(1, 0.5),
        case("slightly", SLIPPED, AS_GOOD),
        SKIPPED,
        BEFORE,
        case("heavy", SLIPPED, AS_GOOD, weight=3),
        failed("newly", baseline=newly),  # the smallest fall, and before the others
        failed("far", baseline=FALLEN),
    ]
    names = [change.result.id for change in worst_first(results)]
    assert names == ["far", "newly", "heavy", "slightly", "hats"]
    assert worst_first([PASSED, case("same", baseline=AS_GOOD)]) == []
