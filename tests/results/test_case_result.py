"""`CaseResult`: what is left out, what travels, and what a reader sees of a case."""

import pickle
from copy import deepcopy
from typing import Any

import pytest

from pytest_relevance import CaseResult
from tests.helpers import case_result, changed, encoded, result_of


def boots(
    ranking: object, judgments: dict[str, Any] | None = None, **keys: Any
) -> CaseResult:
    values: dict[str, Any] = {
        "query": "winter boots",
        "judgments": judgments or {"b1": 3, "b2": 2, "b3": 0},
        **keys,
    }
    return result_of(values, ranking, 0.0123)


def test_what_is_the_default_is_left_out() -> None:
    result = case_result(
        file="shop.relevance.yaml", line=3, id="boots", verdict="passed"
    )
    assert encoded(result) == {
        "file": "shop.relevance.yaml",
        "line": 3,
        "id": "boots",
        "verdict": "passed",
        "query": "boots",
    }


def test_empty_fields_belong_to_one_result() -> None:
    one, two = (
        case_result(file="shop.relevance.yaml", line=3, id=name, verdict="passed")
        for name in ("a", "b")
    )
    one = changed(one, titles={"b1": "Boots"})
    assert two.texts.titles == {}
    assert deepcopy(one) == pickle.loads(pickle.dumps(one)) == one


def test_a_mapping_that_results_share_stays_empty() -> None:
    titles: Any = CaseResult("shop.relevance.yaml", 3, "a", "passed", "a").texts.titles
    with pytest.raises(TypeError, match="make a new one"):
        titles["b1"] = "Boots"
    with pytest.raises(TypeError, match="make a new one"):
        titles.setdefault("b1", "Boots")
    with pytest.raises(TypeError, match="make a new one"):
        titles.update(b1="Boots")
    assert titles == {}
    assert type(deepcopy(titles)) is type(pickle.loads(pickle.dumps(titles))) is dict


def test_results_share_settings_and_grades_and_none_changes_those_of_another() -> None:
    encoded(boots(["b1"], {"b1": 3, "b2": -0.0}))
    values = encoded(boots(["b1"], gain="linear"))
    values["conditions"]["settings"]["gain"] = "another"
    again = encoded(boots(["b1"], gain="linear"))
    assert again["conditions"]["settings"]["gain"] == "linear"
    assert [*again["evaluation"]["judgments"]] == ["3", "2", "0"]


def test_titles_engine_scores_and_missing_documents() -> None:
    hits = [
        {"id": "b2", "title": "Boots, brown", "score": 3.5},
        {"id": "x", "title": "Gloves", "score": 1},
    ]
    result = boots(
        hits,
        {"b1": {"grade": 3, "title": "Boots, black"}, "b2": 2, "b3": 0},
        min_ndcg=0.9,
    )
    assert result.ranking.documents == ("b2", "x")
    assert result.ranking.grades == (2, None)
    assert result.ranking.engine_scores == (3.5, 1.0)
    assert result.evaluation.missing == (("b1", 3),)  # what has no gain is not missed
    assert result.texts.titles == {
        "b1": "Boots, black",
        "b2": "Boots, brown",
        "x": "Gloves",
    }
    assert result.evaluation.judgments == {3: 1, 2: 1, 0: 1}
    assert result.unjudged == ["x"]


@pytest.mark.parametrize(
    ("verdict", "outcome", "status"),
    [
        ("passed", "passed", "passed"),
        ("measured", "passed", "measured"),
        ("failed", "failed", "failed"),
        ("failed", "xfailed", "xfailed"),
        ("passed", "xpassed", "xpassed"),
        ("passed", "failed", "failed"),  # a strict xfail that passed
        ("inconclusive", "skipped", "inconclusive"),
        ("error", "failed", "error"),
        ("skipped", "skipped", "skipped"),
    ],
)
def test_the_status(verdict: str, outcome: str, status: str) -> None:
    assert case_result("f", 1, "q", verdict, outcome=outcome).status == status
