"""A run: its results, what they are scored by, and the tables of a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.cases.build import case_from_values
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.scalar import grade_ranking, score
from pytest_relevance.results.lines import scored_text
from pytest_relevance.results.ranking import read_ranking
from pytest_relevance.results.run import Conditions, Result, Run
from pytest_relevance.results.scoring import score_case
from pytest_relevance.results.values import NO_DIGEST, counted_grades, defined, digest_of, kept_depth

if TYPE_CHECKING:
    from tests.runs.conftest import Maker


def test_a_result_says_what_became_of_its_case(make: Maker) -> None:
    result = make.result("boots", ["b2", "b1", "x"], id="b", tags=["head"], weight=4, min_ndcg=0.9, params={"n": 1})
    assert result.key == ("shop.relevance.yaml", "b", None)
    assert (result.query, result.line, result.tags, result.weight, result.params) == ("boots", 7, ["head"], 4, {"n": 1})
    assert (result.verdict, result.outcome) == ("failed", "failed")
    assert result.reasons == ["nDCG@10 0.790 is below 0.900"]
    assert result.score == result.scores["nDCG@10"] == pytest.approx(0.790, abs=5e-4)
    assert result.ranking == ["b2", "b1", "x"]
    assert repr(result) == "Result(shop.relevance.yaml, 'b', nDCG@10 0.790, failed)"


def test_an_unjudged_result_leaves_its_score_open(make: Maker) -> None:
    result = make.result("boots", ["b2", "b1", "x"])
    assert result.lower is not None
    assert result.upper is not None
    assert result.score is not None
    assert result.lower <= result.score < result.upper
    assert make.result("boots", ["b2"]).lower == make.result("boots", ["b2"]).score


def test_what_is_usual_need_not_be_said() -> None:
    result = Result({"file": "f", "id": "boots", "verdict": "measured"}, {}, Conditions())
    assert (result.query, result.outcome, result.weight, result.variant) == ("boots", "measured", 1, None)
    assert (result.score, result.lower, result.upper, result.latency) == (None, None, None, None)
    assert (result.ranking, result.tags, result.params, result.depth) == ((), (), {}, 10)
    assert repr(result) == "Result(f, 'boots', nDCG@10 n/a, measured)"


def test_judgments_are_told_apart_by_their_digest() -> None:
    judgments = {"a": 3, "b": 0.5}
    assert digest_of(judgments) == digest_of({"b": 0.5, "a": 3.0})
    assert len({digest_of(each) for each in (judgments, {"a": 3}, {"a": 3, "b": 1}, {"a": 3, "c": 0.5}, {})}) == 5
    assert digest_of({}) == NO_DIGEST


@pytest.mark.parametrize(
    "metric", ["nDCG@5", "P(rel=2)@2", "RR", "AP", "Bpref", "ERR@3", "RBP(p=0.5)", "Judged@4", "CG@2"]
)
def test_another_metric_is_computed_from_the_grades(make: Maker, metric: str) -> None:
    ranking = ["x", "b2", "b1", "b2", "y"]
    parsed = parse_metric(metric)
    result = make.result("boots", ranking)
    assert result.score_of(parsed) == score(parsed, grade_ranking(ranking, make.judgments["boots"]), result.settings)


def test_without_judgments_there_is_no_score(make: Maker) -> None:
    result = make.result("hats", ["h1"])
    assert not result.is_judged
    assert result.score_of(parse_metric("P@1")) is None


def test_a_score_that_was_recorded_is_not_computed_again(make: Maker) -> None:
    result = make.result("boots", ["b1"], expect={"RR": ">= 0.5"})
    values = {**result.values, "scores": {"RR": 0.25}}
    assert Result(values, result.details, result.conditions).score_of(parse_metric("RR")) == 0.25


def test_a_metric_that_looks_deeper_than_what_was_kept_is_refused(make: Maker) -> None:
    result = make.result("boots", [f"x{number}" for number in range(60)])
    assert len(result.ranking) == 10
    assert result.score_of(parse_metric("R@10")) == 0
    with pytest.raises(ValueError, match=r'R@20 takes 20 ranks, and of the ranking of "boots" the first 10 were kept'):
        result.score_of(parse_metric("R@20"))
    with pytest.raises(ValueError, match=r"AP takes all of it"):
        result.score_of(parse_metric("AP"))
    assert make.result("boots", ["b1", "x"]).score_of(parse_metric("AP")) == pytest.approx(1 / 3)


def test_a_metric_that_looks_deeper_than_the_search_was_asked_for_is_refused(make: Maker) -> None:
    result = make.result("boots", ["b1", "x", "y"], k=3)  # of how many, nobody knows
    assert result.score_of(parse_metric("R@3")) == pytest.approx(1 / 3)
    with pytest.raises(ValueError, match=r'R@20 takes 20 ranks, and the search of "boots" was asked for 3'):
        result.score_of(parse_metric("R@20"))
    assert make.result("boots", ["b1", "x"], k=3).score_of(parse_metric("R@20")) == pytest.approx(1 / 3)
    assert result.score_of(parse_metric("RR")) == 1  # of whatever was returned


@pytest.mark.parametrize(
    "keys", [{"expect": {"AP": 0.5}}, {"unjudged": "skip"}, {"ideal": "returned"}, {"expect": {"order": ["b1", "b2"]}}]
)
def test_a_case_about_the_whole_ranking_keeps_all_of_it(make: Maker, keys: dict[str, Any]) -> None:
    assert len(make.result("boots", [f"x{number}" for number in range(60)], **keys).ranking) == 60


@given(grades=st.lists(st.floats(0, 40), min_size=1, max_size=8))
def test_the_scores_are_those_of_the_case_however_odd_its_grades(grades: list[float]) -> None:
    judgments = {f"d{number}": grade for number, grade in enumerate(grades)}
    case = case_from_values({"query": "q", "judgments": judgments})
    scored = score_case(case, read_ranking([*judgments][::-1]))
    values = {"file": "f", "id": "q", "verdict": scored.verdict}
    _, details = scored_text(case, scored, kept_depth(case))
    result = Result(values, details, Conditions(case.search, case.k, case.settings))
    assert result.score_of(parse_metric("nDCG@10")) == defined(scored.score)
    assert {float(grade): count for grade, count in counted_grades(grades).items()} == {
        grade: grades.count(grade) for grade in grades
    }


def test_two_rankings_are_the_same_or_not(make: Maker) -> None:
    one, same, other = make.result("boots", ["b1"]), make.result("boots", ["b1"]), make.result("boots", ["b2"])
    assert one.has_ranking_of(same)
    assert not one.has_ranking_of(other)


def test_a_table_with_a_row_a_case(make: Maker) -> None:
    run = Run(
        [
            make.result("boots", ["b1"], variant="bm25", expect={"RR": ">= 0.5"}),
            make.result("shoes", ["x"], tags=["head"], weight=2),
        ]
    )
    frame = run.frame
    assert len(run) == len(frame) == 2
    assert frame["id"].tolist() == ["boots", "shoes"]
    assert frame["variant"].isna().tolist() == [False, True]
    assert frame["weight"].tolist() == [1, 2]
    assert frame["score"].tolist() == frame["nDCG@10"].tolist()
    assert frame["RR"].isna().tolist() == [False, True]
    assert repr(run) == "Run(run: 2 results)"


def test_a_table_with_a_row_a_result(make: Maker) -> None:
    frame = Run([make.result("boots", ["b2", "x", "b2", "b1"], k=3)]).rankings
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["document"].tolist() == ["b2", "x", "b2"]
    assert frame["grade"].isna().tolist() == [False, True, True]
    assert frame["gain"].tolist() == [3, 0, 0]
    assert frame["discounted"].tolist() == pytest.approx([3, 0, 0])
    assert frame["discount"].tolist() == pytest.approx([1, 1.585, 2], abs=1e-3)


def test_ranks_close_up_in_the_table_where_unjudged_results_are_skipped(make: Maker) -> None:
    frame = Run([make.result("boots", ["x", "b1", "y", "b3"], k=2, unjudged="skip")]).rankings
    assert frame["gain"].isna().tolist() == [True, False, True, False]
    assert frame["discount"].tolist()[1::2] == pytest.approx([1, 1.585], abs=1e-3)
    summed = frame["discounted"].sum()
    assert summed == pytest.approx(7 + 1 / 1.585, abs=1e-3)


def test_a_table_of_a_run_without_results_has_its_columns() -> None:
    assert "score" in Run([]).frame
    assert "document" in Run([]).rankings
