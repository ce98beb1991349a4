"""How a case stands to its baseline, the verdict that it has with it, and what an
update accepts.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import Case, CaseResult
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.results.case_parts import BaselineComparison, Repeats
from pytest_relevance.results.case_result import CHECK
from pytest_relevance.results.details import with_details
from pytest_relevance.results.records.baseline import Baseline
from pytest_relevance.results.records.baseline_file import read_baseline, write_baseline
from pytest_relevance.results.records.baseline_update import acceptable
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    entry_of,
)
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of, case_result, changed, reasons_of

JUDGMENTS = {"a": 3, "b": 1, "c": 0}


def case(**values: Any) -> Case:
    return case_of({"query": "watch", "judgments": JUDGMENTS, **values})


def entry(*ranking: str, **values: Any) -> BaselineEntry:
    keys: dict[str, Any] = {
        "id": "watch",
        "variant": None,
        "query": "watch",
        "params": {},
        "depth": 10,
        **values,
    }
    return BaselineEntry(documents=ranking, **keys)


def result_of(
    case: Case, *ranking: str, tolerance: float = 0.05, variant: str | None = None
) -> CaseResult:
    found = score_case(case, Ranking(ranking))
    return changed(
        found, file="shop.relevance.yaml", tolerance=tolerance, variant=variant
    )


def baseline(*accepted: BaselineEntry | None) -> Baseline:
    return Baseline(BaselineEntries(filter(None, accepted)))


def compared(
    accepted: BaselineEntry | None, case: Case, *ranking: str, tolerance: float = 0.05
) -> CaseResult:
    """What a case with a ranking comes to with its baseline."""
    alone = result_of(case, *ranking, tolerance=tolerance)
    found, fails = baseline(accepted).compare(alone, case)
    assert fails or found.verdict == alone.verdict
    return found


def since(
    accepted: BaselineEntry, case: Case, *ranking: str, tolerance: float = 0.05
) -> BaselineComparison:
    found = compared(accepted, case, *ranking, tolerance=tolerance).baseline
    assert found is not None
    return found


def looked_at(
    accepted: str,
    ranking: str,
    *,
    tolerance: float = 0.05,
    depth: int = 10,
    **values: Any,
) -> CaseResult:
    """A case with its baseline, rankings being the letters of a text."""
    return compared(
        entry(*accepted, depth=depth), case(**values), *ranking, tolerance=tolerance
    )


def standing(result: CaseResult) -> str:
    assert result.baseline is not None
    return result.baseline.standing


# --- scores ---------------------------------------------------------------------------


def test_a_drop_beyond_the_tolerance_is_a_regression() -> None:
    found = looked_at("ab", "ba")
    assert found.baseline is not None
    assert found.baseline.score == 1
    assert found.change == pytest.approx(0.7098 - 1, abs=1e-4)
    assert standing(found) == "regression"
    for tolerance in (
        0.3,
        -found.change,
    ):  # a drop of exactly the tolerance is tolerated
        assert standing(looked_at("ab", "ba", tolerance=tolerance)) == "within"


def test_the_ranking_of_then_is_scored_under_the_judgments_of_today() -> None:
    judged = case(judgments={"a": 3, "b": 1, "c": 0, "new": 3})
    found = compared(entry("new", "a", "b"), judged, "a", "new", "b")
    assert found.baseline is not None
    assert found.baseline.score == 1
    assert found.change == 0
    assert looked_at("ba", "ba", gain="linear").change == 0


def test_where_ndcg_is_not_defined_nothing_is_compared() -> None:
    found = compared(entry("a"), case(judgments={"a": 0}), "c")
    assert found.baseline is not None
    assert (found.baseline.score, found.change, standing(found)) == (None, 0, "within")


def test_without_details_only_a_case_that_does_not_pass_keeps_the_accepted_ranking() -> (
    None
):
    kept = since(entry("a", "x", scores={"nDCG@10": 0.5}), case(), "x", "a")
    assert (kept.documents, kept.grades, kept.then) == (
        ("a", "x"),
        (3, None),
        {"nDCG@10": 0.5},
    )
    for ranking, documents in (("ab", ()), ("ba", ("a", "b"))):
        found = result_of(case(), *ranking)
        found, _ = baseline(entry("a", "b")).compare(found, case(), details=False)
        assert found.baseline is not None
        assert found.baseline.documents == documents


def test_the_details_of_a_result_name_accepted_documents_too() -> None:
    titled = case(judgments={"a": {"grade": 3, "title": "Alarm clock"}, "b": 1}, k=2)
    ranking = Ranking(("b", "x", "y", "gone", "a"))
    found = score_case(titled, ranking, details=False)
    compared, _ = baseline(entry("a", "gone", depth=2)).compare(found, titled)
    found = with_details(compared, titled, ranking)
    assert found.ranking.documents == ("b", "x")
    assert found.ranking.deeper == {"gone": 4, "a": 5}
    assert found.texts.titles == {"a": "Alarm clock"}


GATES = [
    {"max_drop": {"P@2": 0.1, "nDCG@10": 0.1}},
    {"max_drop": {"R@5": 0.1}, "tag": "tail"},
    {"mean": {"RR": 0.1}},
]


def test_gates_on_a_drop_have_the_scores_that_they_compare() -> None:
    cases = (
        "[{query: watch, judgments: {a: 3, b: 1, c: 0}}, {query: hats, tags: [tail]}]"
    )
    gated = parse_suite(
        f"{{gates: {GATES}, cases: {cases}}}".encode(), "shop.relevance.yaml"
    ).cases[0]
    whole = entry("c", "a", "b", whole=True)
    assert since(whole, gated, "a", "b").scores == {"P@2": 0.5}
    assert since(whole, gated, "c", "a", "b").scores == {
        "P@2": 0.5
    }  # as now: nothing is scored again


def test_the_same_ranking_to_the_depth_that_was_accepted_has_changed_by_nothing() -> (
    None
):
    watch = case(k=2)
    found = result_of(watch, "b", "a", "x", "y")
    for accepted in (
        entry("b", "a", depth=2),
        entry("b", "a", "z", depth=2, whole=True),
    ):
        found, fails = baseline(accepted).compare(found, watch)
        assert not fails
        assert found.change == 0


# --- verdicts -------------------------------------------------------------------------


def test_its_reason_goes_behind_what_is_newly_missed_and_before_the_others() -> None:
    found = looked_at("ab", "cba", min_ndcg=0.9, expect={"first": "a", "include": "x"})
    assert [(reason.kind, reason.is_new) for reason in found.evaluation.reasons] == [
        *(("floor", True), ("first", True), ("drop", False), ("include", False))
    ]


def test_a_drop_within_the_tolerance_and_a_rise_change_nothing() -> None:
    for accepted, ranking, tolerance, how in (
        ("ab", "ba", 0.3, "within"),
        ("ba", "ab", 0.05, "improvement"),
    ):
        found = looked_at(accepted, ranking, tolerance=tolerance, min_ndcg=0.5)
        assert (standing(found), found.verdict, found.evaluation.reasons) == (
            how,
            "passed",
            (),
        )


def test_a_run_that_accepts_rankings_leaves_the_verdict() -> None:
    for accepted, how in (
        (entry("a", "b"), "regression"),
        (entry("a", "b", depth=5), "stale"),
    ):
        alone = result_of(case(min_ndcg=0.5), "b", "a")
        found, fails = baseline(accepted).compare(
            alone, case(min_ndcg=0.5), accepting=True
        )
        assert (found.verdict, found.evaluation.reasons, fails, standing(found)) == (
            "passed",
            (),
            False,
            how,
        )


@pytest.mark.parametrize(
    ("ranking", "values", "verdict"),
    [
        (
            "xyzw",
            {"min_judged": 0.5},
            "inconclusive",
        ),  # the unjudged results may be better than what they replaced
        ("xyzw", {}, "failed"),
        (
            "cxyzwv",
            {"min_judged": 0.5, "k": 10, "judgments": {"a": 3, "b": 3, "d": 3, "c": 0}},
            "inconclusive",
        ),
        (
            "xyzw",
            {"min_judged": 0.5, "expect": {"first": "a"}},
            "failed",
        ),  # fails by itself
    ],
)
def test_too_few_judged_results_leave_a_drop_open(
    ranking: str, values: dict[str, Any], verdict: str
) -> None:
    found = looked_at("ab", ranking, **values)
    assert (standing(found), found.verdict) == ("regression", verdict)
    kinds = [reason.kind for reason in found.evaluation.reasons]
    assert kinds.index("drop") == (
        verdict == "inconclusive" or found.evaluation.reasons[0].is_new
    )


def test_a_drop_that_no_grade_could_make_up_for_fails_however_few_are_judged() -> None:
    judgments = {"a": 3, "b": 3, "d": 3, "c": 0}
    found = looked_at("abd", "cex", k=3, depth=3, judgments=judgments, min_judged=0.9)
    assert (standing(found), found.verdict) == ("regression", "failed")


# --- stale entries --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        ({"query": "clock"}, {}, 'the query was "clock" and is "watch"'),
        ({"depth": 10}, {"k": 20}, "the depth was 10 and is 20"),
        (
            {"params": {"n": 1}},
            {"params": {"n": "1"}},
            'the parameter "n" was 1 and is "1"',
        ),
        ({"params": {"n": 1}}, {}, 'the parameter "n" is gone'),
        ({}, {"params": {"n": [1, True]}}, 'the parameter "n" is new'),
    ],
)
def test_an_entry_for_another_question_is_stale(
    before: dict[str, Any], now: dict[str, Any], change: str
) -> None:
    result = compared(entry("a", **before), case(**now), "c")
    assert result.baseline == BaselineComparison("stale", stale=(change,))
    assert result.verdict == "failed"
    assert reasons_of(result) == [
        f"the baseline is stale: {change}; --relevance-update accepts the present ranking"
    ]


def test_the_order_of_keys_in_params_says_nothing() -> None:
    before = entry("a", params={"filter": {"b": 1, "a": [{"y": 1, "x": 2}]}, "n": 1})
    now = case(params={"n": 1, "filter": {"a": [{"x": 2, "y": 1}], "b": 1}})
    assert since(before, now, "a").stale == ()
    other = case(params={"n": 1, "filter": {"a": [{"x": 2, "y": True}], "b": 1}})
    assert since(before, other, "a").stale != ()  # and 1 is not true
    then = case(params=before.params)
    assert entry_of(result_of(now, "a")).line == entry_of(result_of(then, "a")).line


@pytest.mark.parametrize(
    "now", [{"unjudged": "skip"}, {"ideal": "returned"}, {"expect": {"AP": 0.1}}]
)
def test_an_accepted_ranking_that_was_cut_is_stale_where_all_of_it_counts(
    now: dict[str, Any], tmp_path: Path
) -> None:
    cut = entry_of(result_of(case(k=3), "a", "x", "y", "b", "c"))
    assert cut.documents == ("a", "x", "y")
    (change,) = since(cut, case(k=3, **now), "a", "x", "y", "b", "c").stale
    assert change == "all of the ranking counts now, and the first 3 were kept"
    short = entry_of(result_of(case(k=3), "a", "x"))
    assert since(short, case(k=3, **now), "a", "x").stale == ()
    whole = entry_of(result_of(case(k=3, **now), "a", "x", "y"))
    write_baseline(tmp_path / "baseline", BaselineEntries([whole]))
    assert read_baseline(tmp_path / "baseline")[whole.key] == whole
    assert since(whole, case(k=3, **now), "a", "x", "y").stale == ()
    assert since(whole, case(k=3), "a", "x", "y").stale == ()


class TestOfFile:
    """The entries of a file, and the cases and variants that were collected."""

    entries = (
        entry("a", variant="old"),
        entry("a", id="hats", variant="old"),
        entry("a", id="hats", variant="kept"),
        entry("a", id="gone"),
    )
    cases: Mapping[tuple[str, str | None], Case] = dict.fromkeys(
        [("watch", "new"), ("watch", "other"), ("hats", "kept"), ("hats", "new")],
        case(),
    )

    def test_entries_of_no_case_are_named(self) -> None:
        found = baseline(*self.entries)
        lost = found.collected(self.cases, left_out=["hats"])
        assert lost == [("hats", "old", "left out"), ("gone", None, "gone")]

    def test_cases_that_were_scored_and_have_no_judgments_now_are_named(self) -> None:
        found = baseline(
            entry("a", id="scored", scores={"nDCG@10": 0.5}),
            entry("a", scores={"nDCG@10": None}),
        )
        keys: list[EntryKey] = [("scored", None), ("watch", None)]
        cases = dict.fromkeys(keys, case(judgments={}))
        assert found.collected(cases) == [("scored", None, "unjudged")]

    def test_a_case_whose_entries_are_all_of_other_variants_is_stale(self) -> None:
        accepted = baseline(*self.entries)
        accepted.collected(self.cases)
        moved, fails = accepted.compare(result_of(case(), "a", variant="new"), case())
        assert fails
        assert reasons_of(moved)[0].startswith(
            'the baseline is stale: the search had the variant "old", and has the variants "new" and "other"; '
        )
        beside_another, fails = accepted.compare(
            result_of(case(id="hats"), "a", variant="new"), case(id="hats")
        )
        assert (standing(beside_another), fails) == ("new", False)

    def test_a_search_without_variants(self) -> None:
        accepted = baseline(entry("a", variant="old"))
        assert accepted.collected({("watch", None): case()}) == []
        found, _ = accepted.compare(result_of(case(), "a"), case())
        assert (
            'the search had the variant "old", and has no variant'
            in reasons_of(found)[0]
        )


# --- what an update accepts -----------------------------------------------------------


def test_only_what_the_case_looks_at_is_kept() -> None:
    ranking = tuple(map(str, range(30)))
    looks: dict[int, dict[str, Any]] = {
        5: {},
        20: {"expect": {"P@20": ">= 0"}},
        30: {"expect": {"RR": ">= 0"}},
    }
    for depth, values in looks.items():
        assert (
            entry_of(result_of(case(k=5, **values), *ranking)).documents
            == ranking[:depth]
        )


def test_an_entry_has_the_scores_of_the_day() -> None:
    found = entry_of(result_of(case(expect={"P@3": 0.5, "results": 3}), "b", "x", "a"))
    assert found.scores == {
        "nDCG@10": pytest.approx(0.589705),
        "P@3": pytest.approx(0.666667),
    }
    assert entry_of(result_of(case(judgments={}), "b")).scores == {"nDCG@10": None}


def named(name: str, *ranking: str, **fields: Any) -> CaseResult:
    return changed(result_of(case(id=name), *ranking), **fields)


def accepted_names(
    *results: CaseResult, only_new: bool = False
) -> tuple[list[str], list[str]]:
    entries, unstable = acceptable(results, only_new=only_new)
    return [each.id for each in entries], unstable


def test_every_case_that_was_scored_is_accepted_whatever_its_verdict() -> None:
    results = [
        *(
            named(verdict, "a", verdict=verdict)
            for verdict in ("passed", "failed", "inconclusive", "measured")
        ),
        named("xfailed", "a", verdict="failed", outcome="xfailed"),
        case_result("shop.relevance.yaml", 3, "broken", "error"),
        case_result("shop.relevance.yaml", 3, "later", "skipped"),
        named("check", "a", search=CHECK),
    ]
    assert accepted_names(*results) == (
        ["passed", "failed", "inconclusive", "measured", "xfailed"],
        [],
    )


def test_neither_an_unstable_ranking_which_is_named_nor_an_error_is_accepted() -> None:
    results = [
        named("calls", "a", repeats=Repeats(3, 2, 1, ("a", "b"))),
        named("steady", "a", repeats=Repeats(3, 1)),
        *(named("items", ranking, variant="bm25") for ranking in "ab"),
        *(named("same", "a") for _ in range(2)),
    ]
    broken = (
        named("watch", "a"),
        case_result("shop.relevance.yaml", 3, "watch", "error"),
    )  # one of its repeats
    assert accepted_names(*results, *broken) == (
        ["steady", "same"],
        ['"calls"', '"items"[bm25]'],
    )


def test_a_stale_entry_is_none_that_is_missing() -> None:
    stale = named(
        "watch",
        "a",
        baseline=BaselineComparison("stale", stale=("the depth was 5 and is 10",)),
    )
    assert accepted_names(stale) == (["watch"], [])
    assert accepted_names(stale, only_new=True) == ([], [])
