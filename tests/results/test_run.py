"""A run: its results, and the tables of a notebook."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import FileInfo, Run
from pytest_relevance.metrics.measures import score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.results.case_parts import NO_DIGEST
from pytest_relevance.results.details import digest_of
from tests.helpers import result_of, travelled

if TYPE_CHECKING:
    from tests.results.conftest import Maker


def test_judgments_are_told_apart_by_their_digest() -> None:
    judgments = {"a": 3, "b": 0.5}
    assert digest_of(judgments) == digest_of({"b": 0.5, "a": 3.0})
    assert (
        len(
            {
                digest_of(each)
                for each in (
                    judgments,
                    {"a": 3},
                    {"a": 3, "b": 1},
                    {"a": 3, "c": 0.5},
                    {},
                )
            }
        )
        == 5
    )
    assert digest_of({}) == NO_DIGEST


@given(grades=st.lists(st.floats(0, 40), min_size=1, max_size=8))
def test_what_is_kept_scores_as_the_case_did_however_odd_its_grades(
    grades: list[float],
) -> None:
    judgments = {f"d{number}": grade for number, grade in enumerate(grades)}
    result = result_of({"query": "q", "judgments": judgments}, [*judgments][::-1])
    read = travelled(result)
    found = score(Metric("nDCG@10", "nDCG", 10), read.graded, read.conditions.settings)
    assert (None if found != found else found) == read.score
    assert read.evaluation.judgments == {grade: grades.count(grade) for grade in grades}


EXPECTATIONS: list[dict[str, Any]] = [
    {"P@2": 0.5},
    {"RR": 0.5},
    {"first": ["b", "a"]},
    {"include": {"docs": ["z"], "within": 3}},
    {"exclude": ["a"]},
    {"order": {"docs": [["b", "c"], ["a"]], "within": 3}},
    {"within": {"c": 1}},
    {"within": {"b": "< 2"}},
    {"within": {"a": ">3"}},
    {"within": {"a": ">= 2"}},
    {"within": {"a": "== 2"}},
    {"results": "> 5"},
    {"results": 0},
    {"latency": "<= 0.000001 ms"},
    {"every@2": {"price": "> 5"}},
    {"some@2": {"brand": ["x", "y"]}},
    {"none": {"title": {"contains": "sh"}}},
    {"at_most": {"brand": 1}},
]


@pytest.mark.parametrize("expect", EXPECTATIONS, ids=str)
def test_each_expectation_that_fails_is_read_as_it_was_recorded(
    expect: dict[str, Any],
) -> None:
    hits = [{"id": name, "price": 3, "brand": "z", "title": "shoe"} for name in "abc"]
    keys = {"query": "q", "k": 3, "judgments": {"z": 1}, "expect": expect}
    result = result_of(keys, hits, asked=10)
    assert (result.verdict, len(result.evaluation.reasons)) == ("failed", 1)
    assert travelled(result).evaluation.reasons == result.evaluation.reasons


def test_a_file_is_whole_when_all_of_its_items_ended(make: Maker) -> None:
    info = FileInfo(
        "shop.relevance.yaml", totals=[("search", "a", 2), ("search", "b", 1)]
    )
    results = [make.result("boots", variant="a"), make.result("shoes", variant="b")]
    assert info.total == 3
    assert not info.is_whole(results)
    assert info.is_whole([*results, make.result("shoes", variant="a")])


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
    assert repr(Run(run.results[:1])) == "Run(run: 1 result)"


def test_a_table_with_a_row_a_result(make: Maker) -> None:
    frame = Run([make.result("boots", ["b2", "x", "b2", "b1"], k=3)]).rankings
    assert frame["rank"].tolist() == [1, 2, 3]
    assert frame["document"].tolist() == ["b2", "x", "b2"]
    assert frame["grade"].isna().tolist() == [False, True, True]
    assert frame["gain"].tolist() == [3, 0, 0]
    assert frame["discounted"].tolist() == pytest.approx([3, 0, 0])
    assert frame["discount"].tolist() == pytest.approx([1, 1.585, 2], abs=1e-3)


def test_ranks_close_up_in_the_table_where_unjudged_results_are_skipped(
    make: Maker,
) -> None:
    frame = Run(
        [make.result("boots", ["x", "b1", "y", "b3"], k=2, unjudged="skip")]
    ).rankings
    assert frame["gain"].isna().tolist() == [True, False, True, False]
    assert frame["discount"].tolist()[1::2] == pytest.approx([1, 1.585], abs=1e-3)
    summed = frame["discounted"].sum()
    assert summed == pytest.approx(7 + 1 / 1.585, abs=1e-3)


def test_a_table_of_a_run_without_results_has_its_columns() -> None:
    assert "score" in Run([]).frame
    assert "document" in Run([]).rankings
