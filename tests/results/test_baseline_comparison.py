"""How a case stands to its baseline, and the verdict that it has with it.

A ranking is written as the letters of its documents: `a` is perfect, `b` good, `c` bad,
and the others are not judged.
"""

from pathlib import Path
from typing import Any

import pytest

from pytest_relevance import Case, CaseResult
from pytest_relevance.cases.reader import parse_suite
from pytest_relevance.results.case_parts import BaselineComparison
from pytest_relevance.results.details import with_details
from pytest_relevance.results.records.baseline import Baseline
from pytest_relevance.results.records.baseline_file import read_baseline, write_baseline
from pytest_relevance.results.records.entries import (
    BaselineEntries,
    BaselineEntry,
    EntryKey,
    entry_of,
)
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.scoring import score_case
from tests.helpers import case_of, changed, reasons_of

JUDGMENTS = {"a": 3, "b": 1, "c": 0}


def case(**values: Any) -> Case:
    return case_of({"query": "watch", "judgments": JUDGMENTS, **values})


def entry(ranking: str, **values: Any) -> BaselineEntry:
    keys: dict[str, Any] = {"id": "watch", "query": "watch", "depth": 10, **values}
    return BaselineEntry(documents=tuple(ranking), **keys)


def result_of(
    case: Case, ranking: str, tolerance: float = 0.05, **values: Any
) -> CaseResult:
    found = score_case(case, Ranking(tuple(ranking)))
    return changed(found, file="shop.relevance.yaml", tolerance=tolerance, **values)


def compared(
    accepted: BaselineEntry, case: Case, ranking: str, tolerance: float = 0.05
) -> CaseResult:
    """What a case with a ranking comes to with its baseline."""
    alone = result_of(case, ranking, tolerance)
    compared = Baseline(BaselineEntries([accepted]), {}).compare(alone, case)
    found, fails = compared.result, compared.fails
    assert fails or found.verdict == alone.verdict
    return found


def comparison_of(result: CaseResult) -> BaselineComparison:
    assert result.baseline is not None
    return result.baseline


def since(accepted: BaselineEntry, case: Case, ranking: str) -> BaselineComparison:
    return comparison_of(compared(accepted, case, ranking))


# --- scores ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("accepted", "now", "tolerance", "standing"),
    [
        ("ab", "ba", 0.05, "regression"),
        ("ab", "ba", 0.3, "within"),
        ("ab", "ba", 1 - (1 + 7 / 1.584962500721156) / (7 + 1 / 1.584962500721156), "within"),  # exactly the drop
        ("ba", "ab", 0.05, "improvement"),
        ("ab", "abx", 0.05, "within"),
    ],
)  # fmt: skip
def test_the_standing_is_by_the_tolerance(
    accepted: str, now: str, tolerance: float, standing: str
) -> None:
    found = compared(entry(accepted), case(), now, tolerance)
    assert comparison_of(found).standing == standing
    assert found.verdict == ("failed" if standing == "regression" else "measured")


def test_the_ranking_of_then_is_scored_under_the_judgments_of_today() -> None:
    judged = case(judgments={**JUDGMENTS, "n": 3})
    assert since(entry("nab"), judged, "anb").score == 1
    assert compared(entry("ba"), case(gain="linear"), "ba").change == 0


def test_where_ndcg_is_not_defined_nothing_is_compared() -> None:
    found = compared(entry("a"), case(judgments={"a": 0}), "c")
    assert (comparison_of(found).score, found.change) == (None, 0)
    assert comparison_of(found).standing == "within"


def test_without_details_only_a_case_that_does_not_pass_keeps_the_accepted_ranking() -> (
    None
):
    kept = since(entry("ax", scores={"nDCG@10": 0.5}), case(), "xa")
    assert (kept.documents, kept.grades) == (("a", "x"), (3, None))
    assert kept.then == {"nDCG@10": 0.5}
    baseline = Baseline(BaselineEntries([entry("ab")]), {})
    for ranking, documents in (("ab", ()), ("ba", ("a", "b"))):
        found = baseline.compare(
            result_of(case(), ranking), case(), details=False
        ).result
        assert comparison_of(found).documents == documents


def test_the_details_of_a_result_name_accepted_documents_too() -> None:
    titled = case(judgments={"a": {"grade": 3, "title": "Alarm clock"}, "b": 1}, k=2)
    ranking = Ranking(tuple("bxyga"))
    baseline = Baseline(BaselineEntries([entry("ag", depth=2)]), {})
    alone = score_case(titled, ranking, details=False)
    found = baseline.compare(alone, titled).result
    found = with_details(found, titled, ranking)
    assert found.ranking.documents == ("b", "x")
    assert found.ranking.deeper == {"g": 4, "a": 5}
    assert found.texts.titles == {"a": "Alarm clock"}


def test_gates_on_a_drop_have_the_scores_that_they_compare() -> None:
    gates = [
        {"max_drop": {"P@2": 0.1, "nDCG@10": 0.1}},
        {"max_drop": {"R@5": 0.1}, "tag": "tail"},
        {"mean": {"RR": 0.1}},
    ]
    cases = [
        {"query": "watch", "judgments": JUDGMENTS},
        {"query": "hats", "tags": ["tail"]},
    ]
    suite = str({"gates": gates, "cases": cases}).encode()
    gated = parse_suite(suite, "shop.relevance.yaml").cases[0]
    for ranking in ("ab", "cab"):  # the latter is the accepted one
        assert since(entry("cab", whole=True), gated, ranking).scores == {"P@2": 0.5}


@pytest.mark.parametrize("accepted", [entry("ba", depth=2), entry("baz", depth=2, whole=True)])  # fmt: skip
def test_the_same_ranking_to_the_depth_that_was_accepted_has_changed_by_nothing(
    accepted: BaselineEntry,
) -> None:
    assert compared(accepted, case(k=2), "baxy").change == 0


# --- verdicts -------------------------------------------------------------------------


def test_its_reason_goes_behind_what_is_newly_missed_and_before_the_others() -> None:
    demanding = case(min_ndcg=0.9, expect={"first": "a", "include": "x"})
    found = compared(entry("ab"), demanding, "cba")
    reasons = [(reason.kind, reason.is_new) for reason in found.evaluation.reasons]
    assert reasons == [
        ("floor", True),
        ("first", True),
        ("drop", False),
        ("include", False),
    ]


@pytest.mark.parametrize(("depth", "standing"), [(10, "regression"), (5, "stale")])
def test_a_run_that_accepts_rankings_leaves_the_verdict(
    depth: int, standing: str
) -> None:
    baseline = Baseline(BaselineEntries([entry("ab", depth=depth)]), {})
    now = case(min_ndcg=0.5)
    compared = baseline.compare(result_of(now, "ba"), now, accepting=True)
    found, fails = compared.result, compared.fails
    assert (found.verdict, found.evaluation.reasons, fails) == ("passed", (), False)
    assert comparison_of(found).standing == standing


FEW = {"min_judged": 0.5}
THREE = {"judgments": {"a": 3, "b": 3, "d": 3, "c": 0}}


@pytest.mark.parametrize(
    ("accepted", "ranking", "values", "verdict"),
    [
        # the unjudged results may be better than what they replaced
        ("ab", "xyzw", FEW, "inconclusive"),
        ("ab", "xyzw", {}, "failed"),
        ("ab", "cxyzwv", {**FEW, **THREE}, "inconclusive"),
        # it fails by itself
        ("ab", "xyzw", {**FEW, "expect": {"first": "a"}}, "failed"),
        # no grade could make up for the drop
        ("abd", "cex", {**THREE, "k": 3, "min_judged": 0.9}, "failed"),
    ],
)
def test_too_few_judged_results_leave_a_drop_open(
    accepted: str, ranking: str, values: dict[str, Any], verdict: str
) -> None:
    now = case(**values)
    found = compared(entry(accepted, depth=now.k), now, ranking)
    reasons = found.evaluation.reasons
    assert (comparison_of(found).standing, found.verdict) == ("regression", verdict)
    kinds = [reason.kind for reason in reasons]
    is_second = verdict == "inconclusive" or reasons[0].is_new
    assert kinds.index("drop") == is_second


# --- stale entries --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "now", "change"),
    [
        ({"query": "clock"}, {}, 'the query was "clock" and is "watch"'),
        ({"depth": 10}, {"k": 20}, "the depth was 10 and is 20"),
        ({"params": {"n": 1}}, {"params": {"n": "1"}}, 'the parameter "n" was 1 and is "1"'),
        ({"params": {"n": 1}}, {}, 'the parameter "n" is gone'),
        ({}, {"params": {"n": [1, True]}}, 'the parameter "n" is new'),
        ({"params": {"n": [{"b": 1, "a": 2}]}}, {"params": {"n": [{"a": 2, "b": True}]}},
         'the parameter "n" was [{"a":2,"b":1}] and is [{"a":2,"b":true}]'),
    ],
)  # fmt: skip
def test_an_entry_for_another_question_is_stale(
    before: dict[str, Any], now: dict[str, Any], change: str
) -> None:
    result = compared(entry("a", **before), case(**now), "c")
    assert result.baseline == BaselineComparison("stale", stale=(change,))
    assert result.verdict == "failed"
    (reason,) = reasons_of(result)
    assert reason.startswith(f"the baseline is stale: {change}; --relevance-update")


def test_the_order_of_keys_in_params_says_nothing() -> None:
    before = entry("a", params={"filter": {"b": 1, "a": [{"y": 1, "x": 2}]}, "n": 1})
    now = case(params={"n": 1, "filter": {"a": [{"x": 2, "y": 1}], "b": 1}})
    assert since(before, now, "a").stale == ()
    then = case(params=before.params)
    assert entry_of(result_of(now, "a")).line == entry_of(result_of(then, "a")).line


@pytest.mark.parametrize(
    "now", [{"unjudged": "skip"}, {"ideal": "returned"}, {"expect": {"AP": 0.1}}]
)
def test_an_accepted_ranking_that_was_cut_is_stale_where_all_of_it_counts(
    now: dict[str, Any], tmp_path: Path
) -> None:
    cut = entry_of(result_of(case(k=3), "axybc"))
    assert cut.documents == ("a", "x", "y")
    (change,) = since(cut, case(k=3, **now), "axybc").stale
    assert (
        change == "the whole ranking counts now, and only the first 3 results were kept"
    )
    short = entry_of(result_of(case(k=3), "ax"))
    assert since(short, case(k=3, **now), "ax").stale == ()
    whole = entry_of(result_of(case(k=3, **now), "axy"))
    write_baseline(tmp_path / "baseline", BaselineEntries([whole]))
    assert read_baseline(tmp_path / "baseline")[whole.key] == whole
    assert since(whole, case(k=3, **now), "axy").stale == ()
    assert since(whole, case(k=3), "axy").stale == ()


# --- the cases and variants of a file -------------------------------------------------


@pytest.fixture
def variants() -> Baseline:
    """A baseline of `watch` in a variant that is gone, of `hats` in two, of `gone`."""
    accepted = [
        entry("a", variant="old"),
        entry("a", id="hats", variant="old"),
        entry("a", id="hats", variant="kept"),
        entry("a", id="gone"),
    ]
    return Baseline(BaselineEntries(accepted), COLLECTED)


COLLECTED: dict[EntryKey, Case] = dict.fromkeys(
    [("watch", "new"), ("watch", "other"), ("hats", "kept"), ("hats", "new")], case()
)


def test_entries_of_no_case_are_lost(variants: Baseline) -> None:
    lost = variants.lost_cases(left_out=["hats"])
    assert lost == [("hats", "old", "left out"), ("gone", None, "gone")]
    assert variants.has_ranking(("watch", "new"))  # "old" was renamed


def test_cases_that_were_scored_and_have_no_judgments_now_are_lost() -> None:
    scored = entry("a", id="scored", scores={"nDCG@10": 0.5})
    unscored = entry("a", scores={"nDCG@10": None})
    keys: list[EntryKey] = [("scored", None), ("watch", None)]
    cases = dict.fromkeys(keys, case(judgments={}))
    baseline = Baseline(BaselineEntries([scored, unscored]), cases)
    assert baseline.lost_cases() == [("scored", None, "unjudged")]


def test_a_case_whose_entries_are_all_of_other_variants_is_stale(
    variants: Baseline,
) -> None:
    compared = variants.compare(result_of(case(), "a", variant="new"), case())
    found, fails = compared.result, compared.fails
    assert fails
    assert comparison_of(found).stale == (
        'the search had the variant "old", and has the variants "new" and "other"',
    )
    hats = case(id="hats")  # it is compared in another variant
    compared = variants.compare(result_of(hats, "a", variant="new"), hats)
    found, fails = compared.result, compared.fails
    assert (comparison_of(found).standing, fails) == ("new", False)


def test_a_search_that_has_no_variants_now() -> None:
    old = BaselineEntries([entry("a", variant="old")])
    baseline = Baseline(old, {("watch", None): case()})
    assert baseline.lost_cases() == []
    found = baseline.compare(result_of(case(), "a"), case()).result
    change = 'the search had the variant "old", and has no variant'
    assert comparison_of(found).stale == (change,)
