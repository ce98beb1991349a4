"""A real shop, 19,406 products and 135 queries, whose search ranks by titles alone from now on: what does that cost?"""

from __future__ import annotations

import json
from typing import Any

import pytest

from pytest_relevance import Case, Suite, compare_runs, read_suite
from tests.chorus import CHORUS, needs_chorus, search_of

pytestmark = needs_chorus

Rankings = dict[str, list[str]]


@pytest.fixture(scope="module")
def suite() -> Suite:
    return read_suite(CHORUS / "electronics.relevance.yaml")


@pytest.fixture(scope="module")
def expected() -> Any:
    return json.loads((CHORUS / "expected.json").read_text(encoding="utf-8"))


def rankings(ranker: str, suite: Suite) -> Rankings:
    """What the shop's own search finds."""
    search = search_of(ranker)
    return {case.id: [hit["id"] for hit in search(case.query, k=10)] for case in suite.cases}


@pytest.fixture(scope="module")
def by_any(suite: Suite) -> Rankings:
    return rankings("any", suite)


@pytest.fixture(scope="module")
def by_title(suite: Suite) -> Rankings:
    return rankings("title", suite)


def test_the_mean_falls_and_not_by_chance(suite: Suite, by_any: Rankings, by_title: Rankings, expected: Any) -> None:
    found = compare_runs(by_any, by_title, judgments=suite)
    (row,) = found.metrics
    assert (row.metric, row.means.queries, row.undefined) == ("nDCG@10", 116, 19)
    assert row.means.first == pytest.approx(expected["mean"]["any"], abs=1e-6) == pytest.approx(0.7284, abs=5e-5)
    assert row.means.second == pytest.approx(expected["mean"]["title"], abs=1e-6) == pytest.approx(0.6207, abs=5e-5)
    assert row.p < 0.001
    assert row.low < row.means.difference < row.high < 0
    assert not found.judge({"nDCG@10": 0.02}, p=0.05).passed
    assert "nDCG@10 fell from 0.728 to 0.621 (-0.108, p <0.001) over 116 cases (19 n/a)" in found.summary()


def test_every_query_has_the_score_that_others_give_it(
    suite: Suite, by_any: Rankings, by_title: Rankings, expected: Any
) -> None:
    frame = compare_runs(by_any, by_title, judgments=suite).frame.set_index("id")
    for name, figures in expected["per_query"].items():
        for side, ranker in (("first", "any"), ("second", "title")):
            score = float("nan") if figures[ranker] is None else figures[ranker]
            assert frame.loc[name, f"nDCG@10 {side}"] == pytest.approx(score, abs=1e-6, nan_ok=True), name


def test_linear_gain_has_other_means(suite: Suite, by_any: Rankings, by_title: Rankings, expected: Any) -> None:
    judgments = {case.id: case.judgments for case in suite.cases}
    (row,) = compare_runs(by_any, by_title, judgments=judgments, gain="linear").metrics
    assert row.means.first == pytest.approx(expected["mean"]["any_linear"], abs=1e-6)
    assert row.means.second == pytest.approx(expected["mean"]["title_linear"], abs=1e-6)


def test_the_worst_query_names_the_products_that_it_lost(suite: Suite, by_any: Rankings, by_title: Rankings) -> None:
    found = compare_runs(by_any, by_title, judgments=suite)
    worst = found.movers.drops[0]
    case = case_of(suite, worst.key[1])
    relevant = [product for product in by_any[case.id][:10] if case.judgments.get(product, 0) > 0]
    lost = [product for product in relevant if product not in by_title[case.id][:10]]
    assert (worst.first, worst.second) == (1, 0)
    assert lost
    assert sorted(move.document for move in worst.lost) == sorted(lost)
    assert all(product in found.summary() for product in lost)


def case_of(suite: Suite, name: str) -> Case:
    (case,) = (case for case in suite.cases if case.id == name)
    return case


def test_a_ranker_that_swaps_a_few_queries_and_leaves_the_mean_fails_on_exactly_these(
    suite: Suite, by_any: Rankings, by_title: Rankings
) -> None:
    movers = compare_runs(by_any, by_title, judgments=suite).largest(None)
    worse = movers.drops[:3]
    better, needed = [], -sum(mover.difference for mover in worse)
    for mover in movers.gains:
        if mover.difference < needed:
            better.append(mover)
            needed -= mover.difference
    swapped = {mover.key[1] for mover in (*worse, *better)}
    mixed = {name: by_title[name] if name in swapped else ranking for name, ranking in by_any.items()}
    found = compare_runs(by_any, mixed, judgments=suite)
    (row,) = found.metrics
    assert abs(row.means.difference) < 0.002
    assert row.p > 0.5
    assert found.judge({"nDCG@10": 0.02}, p=0.05).passed
    gates = found.judge({"nDCG@10": 0.02}, p=0.05, max_case_drop=0.3)
    assert not gates.passed
    assert {mover.key for mover in gates.drops} == {mover.key for mover in worse}
    assert set(found.frame.query("changed == 'ranking'")["id"]) == swapped
