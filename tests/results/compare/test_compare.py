"""Comparing two runs: the figures, the tests, the tags, the movers, the variants."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pytest_relevance import (
    Comparison,
    Run,
    bootstrap_interval,
    compare_runs,
    evaluate,
    holm,
    randomisation_test,
)
from pytest_relevance.metrics.significance import effect_size
from pytest_relevance.results.case_result import SKIPPED
from tests.helpers import changed

if TYPE_CHECKING:
    from tests.results.conftest import Maker

METRICS = ["nDCG@10", "P@2", "RR", "AP", "R@3", "Judged@3", "ERR@10", "Bpref"]
GRADES = {
    f"q{number}": {f"d{each}": (number * each) % 4 for each in range(9)}
    for number in range(40)
}


def shuffled(seed: int) -> dict[str, list[str]]:
    """Rankings at random."""
    chance = random.Random(seed)
    return {
        query: chance.sample([*grades, "x", "y"], 8) for query, grades in GRADES.items()
    }


FIRST, SECOND = shuffled(1), shuffled(2)


def record(make: Maker, rankings: Mapping[str, Sequence[str]]) -> Run:
    """Rankings of `GRADES` as cases that ran."""
    results = []
    for query, ranking in rankings.items():
        keys: dict[str, Any] = {
            "judgments": GRADES[query],
            "id": f"{query}-id",
            "scale": [0, 3],
        }
        results.append(make.result(query, ranking, **keys))
    return Run(results)


def drops_of(found: Comparison) -> list[str]:
    return [mover.case.query for mover in found.movers.drops]


def test_the_second_run_is_the_newer_one(make: Maker) -> None:
    found = compare_runs(
        make.run(),
        make.run({"boots": ["b3", "b1"], "shoes": ["s1", "s2", "s3"], "socks": []}),
    )
    (row,) = found.metrics
    assert (row.metric, row.variant, row.undefined) == ("nDCG@10", None, 0)
    assert row.means.first == 1
    assert row.means.second == pytest.approx((0.5766 + 1 + 0) / 3, abs=1e-4)
    assert row.means.difference == row.means.second - 1
    assert (row.means.rose, row.means.fell, row.means.same) == (0, 2, 1)
    assert len(found) == row.means.queries == 3


def test_the_tests_are_those_of_the_library(make: Maker) -> None:
    one, two = record(make, FIRST), record(make, SECOND)
    found = compare_runs(one, two, METRICS, resamples=2_000, seed=5)
    frames = evaluate(GRADES, FIRST, METRICS), evaluate(GRADES, SECOND, METRICS)
    # other cases have no part in means
    relevant = [query for query, grades in GRADES.items() if any(grades.values())]
    for row in found.metrics:
        before, after = (frame.loc[relevant, row.metric].to_numpy() for frame in frames)
        assert row.means.queries == len(relevant)
        assert row.undefined == len(GRADES) - len(relevant)
        assert row.means.first == pytest.approx(before.mean())
        assert row.means.second == pytest.approx(after.mean())
        assert row.p == pytest.approx(randomisation_test(before, after).p, abs=0.05)
        interval = bootstrap_interval(before, after)
        assert row.low == pytest.approx(interval.low, abs=0.02)
        assert row.high == pytest.approx(interval.high, abs=0.02)
        assert row.effect == pytest.approx(effect_size(before, after))
    assert [row.metric for row in found.metrics] == METRICS
    adjusted = holm([row.p for row in found.metrics])
    assert [row.adjusted_p for row in found.metrics] == adjusted


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_means_the_same_for_records_and_for_rankings(
    make: Maker, metric: str
) -> None:
    of_records = compare_runs(record(make, FIRST), record(make, SECOND), metric).frame
    of_rankings = compare_runs(FIRST, SECOND, metric, judgments=GRADES).frame
    for side, rankings in (("first", FIRST), ("second", SECOND)):
        scores = evaluate(GRADES, rankings, metric)[metric].tolist()
        expected = pytest.approx(scores, nan_ok=True, abs=0)
        assert of_records[f"{metric} {side}"].tolist() == expected
        assert of_rankings[f"{metric} {side}"].tolist() == expected


def test_rounding_is_no_change(make: Maker) -> None:
    noisy = make.run()
    scores = {"nDCG@10": 1 - 1e-13}
    noisy.results = [changed(result, scores=scores) for result in noisy.results]
    (row,) = compare_runs(make.run(), noisy).metrics
    assert (row.means.same, row.p) == (3, 1)


def test_the_cases_of_each_cutoff_have_a_metric_of_their_own(make: Maker) -> None:
    def run(boots: Sequence[str], **others: Sequence[str]) -> Run:
        return Run([make.result("boots", boots, k=5), *make.run(others).results])

    first = run(["b1"], shoes=["s1"], socks=["o1"])
    second = run([], shoes=["s1"], socks=[])
    found = compare_runs(first, second)
    rows = [(row.metric, row.means.queries) for row in found.metrics]
    assert rows == [("nDCG@5", 1), ("nDCG@10", 2)]
    drops = [(mover.case.query, mover.case.metric.text) for mover in found.movers.drops]
    assert drops == [("boots", "nDCG@5"), ("socks", "nDCG@10")]
    assert found.frame["nDCG@5 first"].isna().tolist() == [False, True, True]
    (row,) = compare_runs(first, second, "nDCG@10").metrics
    assert row.means.queries == 3


def test_a_row_a_case(make: Maker) -> None:
    rankings = {**make.best, "boots": ["b2", "b1", "x"]}
    frame = compare_runs(make.run(), make.run(rankings, tags=["head"])).frame
    of_case = ["file", "id", "variant", "query", "weight", "tags", "k"]
    of_metric = ["nDCG@10 first", "nDCG@10 second", "nDCG@10 difference"]
    assert frame.columns.tolist() == [*of_case, *of_metric, "changed"]
    boots = frame.iloc[0]
    assert (boots["id"], boots["tags"], boots["k"]) == ("boots", ("head",), 10)
    assert boots["nDCG@10 difference"] == boots["nDCG@10 second"] - 1
    assert frame["changed"].tolist() == ["ranking", "nothing", "nothing"]


def test_the_means_by_tag_with_the_largest_drop_first(make: Maker) -> None:
    def run(boots: Sequence[str], socks: Sequence[str]) -> Run:
        winter = make.result("boots", boots, tags=["winter", "feet"])
        feet = make.result("socks", socks, tags=["feet"])
        return Run([winter, feet, make.result("shoes", tags=["summer"], judgments={})])

    first, second = run(make.best["boots"], ["o2"]), run([], make.best["socks"])
    winter, feet, summer = compare_runs(first, second).by_tag
    assert (winter.tag, winter.means.first, winter.means.second) == ("winter", 1, 0)
    assert (feet.tag, feet.means.second) == ("feet", 0.5)
    assert (feet.means.rose, feet.means.fell) == (1, 1)
    assert (summer.tag, summer.means.queries) == ("summer", 0)


def test_the_largest_drops_come_first_and_as_many_as_are_asked_for(make: Maker) -> None:
    worse = make.run(
        {"boots": ["b2", "b1", "b3"], "shoes": ["s3", "s2", "s1"], "socks": []}
    )
    found = compare_runs(make.run(), worse)
    assert drops_of(found) == ["socks", "shoes", "boots"]
    assert [mover.case.query for mover in found.moved(-1, 0.5)] == ["socks"]
    back = compare_runs(worse, make.run())
    assert back.movers.gains[0].case.query == "socks"


def both_variants(
    make: Maker, bm25: Mapping[str, Sequence[str]], hybrid: Mapping[str, Sequence[str]]
) -> Run:
    one, two = make.run(bm25, variant="bm25"), make.run(hybrid, variant="hybrid")
    return Run([*one.results, *two.results], name="run.jsonl")


def test_variants_are_compared_one_by_one(make: Maker) -> None:
    none: dict[str, list[str]] = {query: [] for query in make.best}
    first, second = (
        both_variants(make, make.best, none),
        both_variants(make, none, make.best),
    )
    found = compare_runs(first, second)
    rows = [(row.variant, row.means.difference) for row in found.metrics]
    assert rows == [("bm25", -1), ("hybrid", 1)]
    assert [row.adjusted_p == row.p for row in found.metrics] == [True, True]
    assert {mover.case.variant for mover in found.movers.drops} == {"bm25"}
    assert found.frame["variant"].tolist() == ["bm25"] * 3 + ["hybrid"] * 3


def test_one_variant_with_another_of_the_same_run(make: Maker) -> None:
    run = both_variants(make, make.best, {**make.best, "boots": ["b3"]})
    found = compare_runs(run, run, variants=("bm25", "hybrid"))
    assert (found.first, found.second) == ("run.jsonl[bm25]", "run.jsonl[hybrid]")
    (row,) = found.metrics
    assert (row.variant, row.means.queries, row.means.fell) == (None, 3, 1)
    assert found.movers.drops[0].case.key == ("shop.relevance.yaml", "boots", None)
    assert found.frame["variant"].isna().all()


def test_the_order_of_results_does_not_matter(make: Maker) -> None:
    def run(rankings: dict[str, list[str]], *, backwards: bool = False) -> Run:
        items = [*rankings.items()]
        return record(make, dict(items[::-1] if backwards else items))

    one = compare_runs(run(FIRST), run(SECOND), resamples=500)
    back = run(SECOND, backwards=True)
    two = compare_runs(run(FIRST, backwards=True), back, resamples=500)
    assert one.metrics == two.metrics
    assert one.frame.equals(two.frame[::-1].reset_index(drop=True))
    assert compare_runs(run(FIRST), back, resamples=500).frame.equals(one.frame)


def test_a_query_that_is_checked_twice_is_paired_in_its_order(make: Maker) -> None:
    first = Run([make.result("boots", ["b1"]), make.result("boots", [])])
    second = Run([make.result("boots", ["b1"]), make.result("boots", ["b1"])])
    differences = compare_runs(first, second).frame["nDCG@10 difference"]
    assert differences.gt(0).tolist() == [False, True]


def test_cases_without_judgments_are_compared_by_overlap(make: Maker) -> None:
    found = compare_runs(make.run({"hats": ["h1"]}), make.run({"hats": ["h2"]}))
    (row,) = found.metrics
    assert found.changed == ("ranking",)
    assert found.notes == ("no case has judgments: compared by overlap@10",)
    assert (row.metric, row.means.second) == ("overlap@10", 0)


def test_what_was_skipped_or_differs_without_being_in_the_way_is_noted(
    make: Maker,
) -> None:
    skipped = make.without_score("hats", SKIPPED)
    first = Run([*make.run(params={"model": 1}).results, skipped])
    second = Run([*make.run(params={"model": 2}, weight=2).results, skipped])
    found = compare_runs(first, second)
    assert found.notes == (
        '1 case skipped in both runs: "hats"',
        '3 cases searched with other parameters: "boots", "shoes" and "socks"',
        '3 cases with other weights; the weights of the second run count: "boots", '
        '"shoes" and "socks"',
    )
    assert (len(found), found.left_out) == (3, ())
    assert found.frame["weight"].tolist() == [2, 2, 2]


def test_a_run_is_as_good_as_itself(make: Maker) -> None:
    found = compare_runs(make.run(), make.run())
    (row,) = found.metrics
    assert (row.means.difference, row.p, row.effect) == (0, 1, 0)
    assert (row.low, row.high) == (0, 0)
    assert (found.movers.drops, found.movers.gains) == ([], [])
    assert found.changed == ("nothing",) * 3


def test_runs_of_the_same_name_are_the_first_and_the_second(make: Maker) -> None:
    found = compare_runs(make.run(), make.run())
    assert repr(found) == "Comparison(first -> second: 3 cases, nDCG@10 +0.000)"


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"metrics": []}, ValueError, "a comparison needs a metric"),
        ({"metrics": ["characters@5", "R@5"]}, ValueError, "name another metric first"),
        ({"metrics": "nDGC@10"}, ValueError, "did you mean nDCG"),
        ({"resamples": 0}, ValueError, "resamples is a whole number from 1 on, not 0"),
        ({"gian": "linear"}, TypeError, "argument 'gian'"),
        ({"gain": "lineal"}, ValueError, "gain is one of"),
        ({"missing": "emtpy"}, ValueError, "missing is refuse or empty, not 'emtpy'; did you mean \"empty\""),
        ({"metrics": "R@500"}, ValueError, "R@500 takes 500 ranks"),
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused(
    make: Maker, arguments: dict[str, object], error: type[Exception], message: str
) -> None:
    run = make.run({"boots": [f"x{number}" for number in range(60)]})
    with pytest.raises(error, match=message):
        compare_runs(run, run, **arguments)  # type: ignore[arg-type]


def test_records_are_scored_by_other_settings_from_the_grades_that_they_hold(
    make: Maker,
) -> None:
    settings: dict[str, Any] = {"gain": "linear", "negative": "zero"}
    found = compare_runs(record(make, FIRST), record(make, SECOND), **settings)
    expected = evaluate(GRADES, SECOND, **settings)["nDCG@10"].tolist()
    scores = found.frame["nDCG@10 second"].tolist()
    assert scores == pytest.approx(expected, nan_ok=True, abs=0)
    assert [each.gain for each in found.settings] == ["linear"]


def test_a_gain_that_has_not_all_grades_is_refused(make: Maker) -> None:
    with pytest.raises(
        ValueError,
        match='the case "boots" has no nDCG@10: the gain mapping has no grade 1; it has 0, 2, 3',
    ):
        compare_runs(make.run(), make.run(), gain={0: 0, 2: 1, 3: 2})


SIX = [*GRADES.items()][:6]
RANKED = st.fixed_dictionaries(
    {query: st.permutations([*grades, "x"]) for query, grades in SIX}
)


@given(first=RANKED, second=RANKED)
def test_the_other_way_round_all_differences_change_their_sign(
    first: dict[str, list[str]], second: dict[str, list[str]]
) -> None:
    there = compare_runs(first, second, judgments=GRADES, common=True)
    back = compare_runs(second, first, judgments=GRADES, common=True)
    (one,), (two,) = there.metrics, back.metrics
    assert one.means.difference == -two.means.difference
    assert (one.means.rose, one.means.fell) == (two.means.fell, two.means.rose)
    assert one.p == two.p
    gains = {mover.case.query for mover in back.movers.gains}
    assert {*drops_of(there)} == gains
    for query, what in zip(there.frame["query"], there.changed, strict=True):
        assert (what == "nothing") == (first[query] == second[query])


@settings(max_examples=settings().max_examples // 2)  # each compares two runs
@given(
    st.lists(st.sampled_from("abcdef"), max_size=12),
    st.dictionaries(st.sampled_from("abcdefg"), st.integers(0, 3)),
)
def test_a_collapsed_ranking_scores_as_one_of_its_documents(
    chunks: list[str], judged: dict[str, int]
) -> None:
    judgments = {"q": {"z": 1, **judged}}
    documents = {"q": [*dict.fromkeys(chunks)]}
    metrics = ["nDCG@3", "P@2", "AP", "RR"]
    found = compare_runs(
        {"q": chunks}, documents, metrics, judgments=judgments, collapse=True
    )
    expected = [*evaluate(judgments, documents, metrics).loc["q"]]
    assert [row.means.first for row in found.metrics] == expected
    assert [row.means.second for row in found.metrics] == expected


@pytest.mark.parametrize("gain", ["exponential", {3: 10}])
def test_an_unjudged_result_may_be_as_good_as_any_judged_one(gain: Any) -> None:
    judgments = {f"q{number}": {"a": 3} for number in range(8)}
    first = {query: ["a"] for query in judgments}
    second = {query: ["unjudged"] for query in judgments}
    found = compare_runs(first, second, judgments=judgments, gain=gain)
    counts = found.to_dict()["counts"]
    assert (counts["got_worse"], counts["certain"], counts["open"]) == (8, 0, 8)
