"""Comparing two runs: the figures, the tests, the tags, the movers, the variants."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
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


def record(
    make: Maker, rankings: Mapping[str, Sequence[str]], name: str = "run"
) -> Run:
    """Rankings of `GRADES` as cases that ran."""
    results = [
        make.result(
            query, ranking, judgments=GRADES[query], id=f"{query}-id", scale=[0, 3]
        )
        for query, ranking in rankings.items()
    ]
    return Run(results, name=name)


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
    assert (row.means.better, row.means.worse, row.means.same) == (0, 2, 1)
    assert len(found) == row.means.queries == 3


def test_the_tests_are_those_of_the_library(make: Maker) -> None:
    first, second = shuffled(1), shuffled(2)
    found = compare_runs(
        record(make, first), record(make, second), METRICS, resamples=2_000, seed=5
    )
    one, two = evaluate(GRADES, first, METRICS), evaluate(GRADES, second, METRICS)
    relevant = [
        query for query, grades in GRADES.items() if any(grades.values())
    ]  # the others have no part in means
    for row in found.metrics:
        before, after = (
            frame.loc[relevant, row.metric].to_numpy() for frame in (one, two)
        )
        assert (row.means.queries, row.undefined) == (
            len(relevant),
            len(GRADES) - len(relevant),
        )
        assert row.means.first == pytest.approx(before.mean())
        assert row.means.second == pytest.approx(after.mean())
        assert row.p == pytest.approx(randomisation_test(before, after).p, abs=0.05)
        interval = bootstrap_interval(before, after)
        assert (row.low, row.high) == pytest.approx(
            (interval.low, interval.high), abs=0.02
        )
        assert row.effect == pytest.approx(effect_size(before, after))
    assert [row.metric for row in found.metrics] == METRICS
    assert [row.adjusted_p for row in found.metrics] == holm(
        [row.p for row in found.metrics]
    )


@pytest.mark.parametrize("metric", METRICS)
def test_a_metric_means_the_same_for_records_and_for_rankings(
    make: Maker, metric: str
) -> None:
    first, second = shuffled(3), shuffled(4)
    of_records = compare_runs(record(make, first), record(make, second), metric).frame
    of_rankings = compare_runs(first, second, metric, judgments=GRADES).frame
    for side, rankings in (("first", first), ("second", second)):
        expected = evaluate(GRADES, rankings, metric)[metric].tolist()
        assert of_records[f"{metric} {side}"].tolist() == pytest.approx(
            expected, nan_ok=True, abs=0
        )
        assert of_rankings[f"{metric} {side}"].tolist() == pytest.approx(
            expected, nan_ok=True, abs=0
        )


def test_rounding_is_no_change(make: Maker) -> None:
    noisy = Run(
        [
            changed(result, scores={"nDCG@10": 1 - 1e-13})
            for result in make.run().results
        ]
    )
    (row,) = compare_runs(make.run(), noisy).metrics
    assert (row.means.same, row.p) == (3, 1)


def test_the_cases_of_each_cutoff_have_a_metric_of_their_own(make: Maker) -> None:
    def run(boots: Sequence[str], shoes: Sequence[str], socks: Sequence[str]) -> Run:
        found = {"shoes": shoes, "socks": socks}
        return Run([make.result("boots", boots, k=5), *make.run(found).results])

    found = compare_runs(run(["b1"], ["s1"], ["o1"]), run([], ["s1"], []))
    assert [(row.metric, row.means.queries) for row in found.metrics] == [
        ("nDCG@5", 1),
        ("nDCG@10", 2),
    ]
    drops = [(mover.case.query, mover.case.metric.text) for mover in found.movers.drops]
    assert drops == [("boots", "nDCG@5"), ("socks", "nDCG@10")]
    assert found.frame["nDCG@5 first"].isna().tolist() == [False, True, True]
    (row,) = compare_runs(
        run(["b1"], ["s1"], ["o1"]), run([], ["s1"], []), "nDCG@10"
    ).metrics
    assert row.means.queries == 3


def test_a_row_a_case(make: Maker) -> None:
    second = make.run(
        {
            "boots": ["b2", "b1", "x"],
            "shoes": ["s1", "s2", "s3"],
            "socks": ["o1", "o2", "o3"],
        },
        tags=["head"],
    )
    frame = compare_runs(make.run(), second).frame
    assert frame.columns.tolist() == [
        *("file", "id", "variant", "query", "weight", "tags", "k"),
        *("nDCG@10 first", "nDCG@10 second", "nDCG@10 difference", "changed"),
    ]
    boots = frame.iloc[0]
    assert (boots["id"], boots["tags"], boots["k"], boots["changed"]) == (
        "boots",
        ("head",),
        10,
        "ranking",
    )
    assert boots["nDCG@10 difference"] == boots["nDCG@10 second"] - 1
    assert frame["changed"].tolist()[1:] == ["nothing", "nothing"]


def test_the_means_by_tag_with_the_largest_drop_first(make: Maker) -> None:
    def run(boots: Sequence[str], socks: Sequence[str]) -> Run:
        found = (
            make.result("boots", boots, tags=["winter", "feet"]),
            make.result("socks", socks, tags=["feet"]),
        )
        return Run(
            [*found, make.result("shoes", ["s1"], tags=["summer"], judgments={})]
        )

    winter, feet, summer = compare_runs(
        run(["b1", "b2", "b3"], ["o2"]), run([], ["o1", "o2", "o3"])
    ).by_tag
    assert (winter.tag, winter.means.first, winter.means.second) == ("winter", 1, 0)
    assert (feet.tag, feet.means.second, feet.means.better, feet.means.worse) == (
        "feet",
        0.5,
        1,
        1,
    )
    assert (summer.tag, summer.means.queries) == ("summer", 0)


def test_the_largest_drops_come_first_and_as_many_as_are_asked_for(make: Maker) -> None:
    worse = {"boots": ["b2", "b1", "b3"], "shoes": ["s3", "s2", "s1"], "socks": []}
    found = compare_runs(make.run(), make.run(worse))
    assert [mover.case.query for mover in found.movers.drops] == [
        "socks",
        "shoes",
        "boots",
    ]
    assert [mover.case.query for mover in found.moved(-1, 0.5)] == ["socks"]
    assert (
        compare_runs(make.run(worse), make.run()).movers.gains[0].case.query == "socks"
    )


def both_variants(
    make: Maker, bm25: Mapping[str, Sequence[str]], hybrid: Mapping[str, Sequence[str]]
) -> Run:
    return Run(
        [
            *make.run(bm25, variant="bm25").results,
            *make.run(hybrid, variant="hybrid").results,
        ],
        name="run.jsonl",
    )


def test_variants_are_compared_one_by_one(make: Maker) -> None:
    none: dict[str, list[str]] = {query: [] for query in make.best}
    found = compare_runs(
        both_variants(make, make.best, none), both_variants(make, none, make.best)
    )
    assert [(row.variant, row.means.difference) for row in found.metrics] == [
        ("bm25", -1),
        ("hybrid", 1),
    ]
    assert [row.adjusted_p == row.p for row in found.metrics] == [True, True]
    assert {mover.case.key[2] for mover in found.movers.drops} == {"bm25"}
    assert found.frame["variant"].tolist() == ["bm25"] * 3 + ["hybrid"] * 3


def test_one_variant_with_another_of_the_same_run(make: Maker) -> None:
    run = both_variants(make, make.best, {**make.best, "boots": ["b3"]})
    found = compare_runs(run, run, variants=("bm25", "hybrid"))
    assert (found.first, found.second) == ("run.jsonl[bm25]", "run.jsonl[hybrid]")
    (row,) = found.metrics
    assert (row.variant, row.means.queries, row.means.worse) == (None, 3, 1)
    assert found.movers.drops[0].case.key == ("shop.relevance.yaml", "boots", None)
    assert found.frame["variant"].isna().all()


def test_the_order_of_results_does_not_matter(make: Maker) -> None:
    first, second = shuffled(1), shuffled(2)
    backwards = [dict(reversed(rankings.items())) for rankings in (first, second)]
    one = compare_runs(record(make, first), record(make, second), resamples=500)
    two = compare_runs(
        record(make, backwards[0]), record(make, backwards[1]), resamples=500
    )
    assert one.metrics == two.metrics
    assert one.frame.equals(two.frame[::-1].reset_index(drop=True))
    mixed = compare_runs(record(make, first), record(make, backwards[1]), resamples=500)
    assert mixed.frame.equals(one.frame)


def test_a_query_that_is_checked_twice_is_paired_in_its_order(make: Maker) -> None:
    first = Run([make.result("boots", ["b1"]), make.result("boots", [])])
    second = Run([make.result("boots", ["b1"]), make.result("boots", ["b1"])])
    assert compare_runs(first, second).frame["nDCG@10 difference"].gt(0).tolist() == [
        False,
        True,
    ]


def test_cases_without_judgments_are_compared_by_overlap(make: Maker) -> None:
    found = compare_runs(make.run({"hats": ["h1"]}), make.run({"hats": ["h2"]}))
    assert found.changed == ("ranking",)
    assert found.notes == ("no case has judgments: compared by overlap@10",)
    assert [(row.metric, row.means.second) for row in found.metrics] == [
        ("overlap@10", 0.0)
    ]


def test_what_was_skipped_or_differs_without_being_in_the_way_is_noted(
    make: Maker,
) -> None:
    first, second = (
        make.run(params={"model": 1}),
        make.run(params={"model": 2}, weight=2),
    )
    skipped = make.without_score("hats", SKIPPED)
    found = compare_runs(
        Run([*first.results, skipped]), Run([*second.results, skipped])
    )
    assert found.notes == (
        '1 case skipped in both runs: "hats"',
        '3 cases searched with other parameters: "boots", "shoes" and "socks"',
        '3 cases weighted otherwise; the weights are those of the second run: "boots", "shoes" and "socks"',
    )
    assert (len(found), found.left_out) == (3, ())
    assert found.frame["weight"].tolist() == [2, 2, 2]


def test_a_run_is_as_good_as_itself_and_runs_of_the_same_name_are_the_first_and_the_second(
    make: Maker,
) -> None:
    found = compare_runs(make.run(), make.run())
    (row,) = found.metrics
    assert (row.means.difference, row.p, row.effect, row.low, row.high) == (
        0,
        1,
        0,
        0,
        0,
    )
    assert (found.movers.drops, found.movers.gains) == ([], [])
    assert found.changed == ("nothing",) * 3
    assert (found.first, found.second) == ("first", "second")
    assert repr(found) == "Comparison(first -> second: 3 cases, nDCG@10 +0.000)"
    assert isinstance(found, Comparison)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"metrics": []}, ValueError, "a comparison needs a metric"),
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
    first, second = shuffled(1), shuffled(2)
    found = compare_runs(
        record(make, first), record(make, second), gain="linear", negative="zero"
    )
    expected = evaluate(GRADES, second, gain="linear", negative="zero")[
        "nDCG@10"
    ].tolist()
    assert found.frame["nDCG@10 second"].tolist() == pytest.approx(
        expected, nan_ok=True, abs=0
    )
    assert [each.gain for each in found.settings] == ["linear"]


def test_a_gain_that_has_not_all_grades_is_refused(make: Maker) -> None:
    with pytest.raises(
        ValueError,
        match='the case "boots" has no nDCG@10: the gain mapping has no grade 1; it has 0, 2, 3',
    ):
        compare_runs(make.run(), make.run(), gain={0: 0, 2: 1, 3: 2})


RANKED = st.fixed_dictionaries(
    {
        query: st.permutations([*grades, "x"])
        for query, grades in list(GRADES.items())[:6]
    }
)


@given(first=RANKED, second=RANKED)
def test_the_other_way_round_all_differences_change_their_sign(
    first: dict[str, list[str]], second: dict[str, list[str]]
) -> None:
    there = compare_runs(first, second, judgments=GRADES, common=True)
    back = compare_runs(second, first, judgments=GRADES, common=True)
    (one,), (two,) = there.metrics, back.metrics
    assert one.means.difference == -two.means.difference
    assert (one.means.better, one.means.worse, one.p) == (
        two.means.worse,
        two.means.better,
        two.p,
    )
    assert {mover.case.query for mover in there.movers.drops} == {
        mover.case.query for mover in back.movers.gains
    }
    for query, what in zip(there.frame["query"], there.changed, strict=True):
        assert (what == "nothing") == (first[query] == second[query])
