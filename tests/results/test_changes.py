"""What became of a case: a ranking beside an earlier one, of a baseline or of another
run.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult, compare_runs, jaccard, rbo
from pytest_relevance.results.case_parts import (
    STALE,
    WITHIN,
    BaselineComparison,
    CaseConditions,
    CaseRanking,
)
from pytest_relevance.results.case_result import MEASURED
from pytest_relevance.results.changes import Change, Move, RankChanges, Snapshot

if TYPE_CHECKING:
    from tests.results.conftest import Maker


def accepted(found: CaseResult, standing: str = WITHIN) -> CaseResult:
    """The result of a case whose baseline has another ranking, with the score 1."""
    baseline = BaselineComparison(
        standing, 1.0, documents=("b1", "b2", "b3"), grades=(3, 2, 1)
    )
    return replace(found, baseline=baseline)


def test_the_difference_is_the_score_now_less_the_score_before(make: Maker) -> None:
    found = accepted(make.result("boots", ["b2", "b1", "b3"]))
    change = Change.since_baseline(found)
    assert change.difference == (found.score or 0) - 1


def test_a_case_without_a_baseline_has_no_difference(make: Maker) -> None:
    change = Change.since_baseline(make.result("boots", ["b1"]))
    assert math.isnan(change.difference)


def test_the_moves_lead_from_the_accepted_ranking_to_the_present_one(
    make: Maker,
) -> None:
    moves = Change.since_baseline(accepted(make.result("boots", ["b2", "b1"]))).moves
    assert moves is not None
    assert [move.document for move in moves.left] == ["b3"]
    assert [move.document for move in moves.moved] == ["b1", "b2"]


def test_nothing_moved_since_a_stale_entry_as_it_is_of_another_query(
    make: Maker,
) -> None:
    change = Change.since_baseline(accepted(make.result("boots", ["b2"]), STALE))
    assert change.moves is None


def test_two_runs_are_compared_whatever_their_own_baselines_say(make: Maker) -> None:
    first = make.run({"boots": ["b3", "b2", "b1"]})
    second = make.run({"boots": ["b1", "b2", "b3"]})
    second.results = [accepted(result) for result in second.results]
    (change,) = compare_runs(first, second).changes
    assert change.score_before == first.results[0].score
    assert change.score_after == 1


def test_a_latency_is_compared_with_one_that_was_measured_alike(make: Maker) -> None:
    result = make.result("boots", ["b1"])
    alone = replace(result, call=replace(result.call, latency=0.5))
    at_once = replace(result, call=replace(alone.call, concurrency=4))
    first, second = make.run({}), make.run({})
    first.results, second.results = [alone], [at_once]
    (change,) = compare_runs(first, second).changes
    assert change.before is not None
    assert change.before.latency is None


@pytest.mark.parametrize("metric", [None, "nDCG@10"])
def test_the_own_metric_of_a_case_may_be_named(make: Maker, metric: str | None) -> None:
    change = Change.since_baseline(accepted(make.result("boots", ["b1"])), metric)
    assert change.score_before == 1


# --- ranks that changed ---------------------------------------------------------------

RANKINGS = st.lists(st.sampled_from("abcdefgh"), max_size=8)


def rank_changes(
    first: list[str],
    second: list[str],
    k: int,
    grades: dict[str, float] | None = None,
    deeper: dict[str, int] | None = None,
) -> RankChanges:
    """Return the moves of a case from a first to a second ranking."""
    graded = grades or {}
    case = CaseResult(
        file="",
        line=1,
        id="boots",
        verdict=MEASURED,
        query="boots",
        conditions=CaseConditions(k=k),
        ranking=CaseRanking(documents=second, deeper=deeper or {}),
    )
    before = Snapshot(first, [graded.get(document) for document in first])
    after = Snapshot(second, [graded.get(document) for document in second])
    moves = Change(case, before, after).moves
    assert moves is not None
    return moves


def test_who_left_who_entered_and_who_moved() -> None:
    changes = rank_changes(
        ["a", "b", "c", "d"], ["c", "x", "b", "a"], 3, {"a": 3, "b": 1}
    )
    assert changes.left == (Move("a", 1, 4, 3),)
    assert changes.entered == (Move("x", None, 2),)
    assert changes.moved == (Move("c", 3, 1), Move("b", 2, 3, 1))
    assert [move.distance for move in changes.moved] == [2, -1]
    assert changes.left[0].distance == -3
    assert (changes.jaccard, changes.k) == (0.5, 3)
    assert changes


@given(first=RANKINGS, second=RANKINGS, k=st.integers(1, 9))
def test_the_changes_lead_from_one_top_to_the_other(
    first: list[str], second: list[str], k: int
) -> None:
    changes = rank_changes(first, second, k)
    left, entered = (
        {move.document for move in moves} for moves in (changes.left, changes.entered)
    )
    firsts, seconds = set(first[:k]), set(second[:k])
    assert left == firsts - seconds
    assert entered == seconds - firsts
    moved = {move.document for move in changes.moved}
    assert moved == {
        each for each in firsts & seconds if first.index(each) != second.index(each)
    }
    assert changes.jaccard == jaccard(first, second, k)
    assert changes.rbo == rbo(first[:k], second[:k])
    back = rank_changes(second, first, k)
    assert {move.document for move in back.left} == entered
    assert [-move.distance for move in back.moved] == [] or {
        m.distance for m in back.moved
    } == {-m.distance for m in changes.moved}


def test_ranks_below_a_ranking_that_was_cut_may_be_known() -> None:
    changes = rank_changes(["a", "b"], ["b", "c"], 2, {"a": 3}, {"a": 37, "b": 9})
    assert changes.left == (Move("a", 1, 37, 3),)
    assert changes.moved == (Move("b", 2, 1),)
