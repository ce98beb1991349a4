"""What `expect:` means for a ranking: each kind met, and unmet with the documents or
the figure that are wrong.
"""

from typing import Any

import pytest

from pytest_relevance.results.case_parts import Outcome
from tests.helpers import result_of

JUDGMENTS = {"boots": 3, "shoes": 2, "laces": 1, "apron": 0}


def outcome(
    expect: dict[str, object],
    ranking: list[str],
    latency: float | None = 0.012,
    **keys: Any,
) -> Outcome:
    """What becomes of one expectation of a case with `JUDGMENTS`."""
    values = {"query": "boots", "judgments": JUDGMENTS, "expect": expect, **keys}
    (found,) = result_of(values, ranking, latency).evaluation.outcomes
    return found


MET = {
    "P@2 reached exactly": ({"P@2": 0.5}, ["boots", "apron"]),
    "RR equal": ({"RR": "== 0.5"}, ["apron", "boots"]),
    "a third, as people write it": ({"R(rel=1)": "== 0.333333333333"}, ["boots"]),
    "a highest score": ({"P@2": "<= 0.5"}, ["boots", "apron"]),
    "nDCG at another depth": ({"nDCG@1": 1}, ["boots"]),
    "P of what was returned": ({"P": "== 0.5"}, ["boots", "apron"]),
    "first": ({"first": "boots"}, ["boots", "shoes"]),
    "include at the last rank": ({"include": {"docs": ["shoes"], "within": 3}}, ["boots", "apron", "shoes"]),
    "exclude": ({"exclude": "apron"}, ["boots"]),
    "exclude one rank below": ({"exclude": {"docs": ["apron"], "within": 2}}, ["boots", "shoes", "apron"]),
    "order": ({"order": ["boots", "shoes", "laces"]}, ["boots", "apron", "shoes", "laces"]),
    "order, an absent document last": ({"order": ["boots", "laces"]}, ["boots"]),
    "order of sets": ({"order": [["boots", "shoes"], ["laces"]]}, ["shoes", "apron", "boots", "laces"]),
    "order of sets, the last absent": ({"order": [["boots", "shoes"], ["laces", "apron"]]}, ["shoes", "boots"]),
    "order of three sets": ({"order": ["boots", ["laces", "shoes"], "apron"]}, ["boots", "shoes", "laces", "apron"]),
    "order, below its depth": ({"order": {"docs": ["boots", "shoes"], "within": 2}}, ["laces", "boots", "shoes"]),
    "within": ({"within": {"boots": 2}}, ["apron", "boots"]),
    "within, below a rank": ({"within": {"apron": "> 2"}}, ["boots", "shoes", "apron"]),
    "within, below a rank and absent": ({"within": {"apron": ">2"}}, ["boots"]),
    "within, at a rank": ({"within": {"shoes": "== 2"}}, ["boots", "shoes"]),
    "results": ({"results": ">= 2"}, ["boots", "shoes"]),
    "no results": ({"results": 0}, []),
    "latency": ({"latency": "<= 12 ms"}, ["boots"]),
}  # fmt: skip


@pytest.mark.parametrize(("expect", "ranking"), MET.values(), ids=MET)
def test_an_expectation_that_is_met(
    expect: dict[str, object], ranking: list[str]
) -> None:
    found = outcome(expect, ranking)
    assert (found.met, found.wrong) == (True, ())


# What is wrong: a figure, or documents. Of an order the wrong pairs.
# tests/reports/test_reason_text.py has the usual ones.
UNMET: dict[str, tuple[dict[str, object], list[str], object]] = {
    "P of what was returned": ({"P": 0.6}, ["boots", "apron"], 0.5),
    "first, in another order": ({"first": ["boots", "shoes"]}, ["shoes", "boots"], ["boots", "shoes"]),
    "first, with a copy before it": ({"first": ["boots", "shoes"]}, ["boots", "boots", "shoes"], ["shoes"]),
    "include behind a copy, which keeps its rank": (
        {"include": {"docs": ["shoes"], "within": 2}}, ["boots", "boots", "shoes"], ["shoes"],
    ),
    "order with an absent document first": (
        {"order": ["boots", "shoes", "laces"]}, ["shoes", "laces"], ["boots", "shoes"],
    ),
    "order of two absent documents": ({"order": ["shoes", "laces"]}, ["boots"], ["shoes", "laces"]),
    "within, absent": ({"within": {"boots": 3}}, ["apron"], ["boots"]),
    "results where there must be none": ({"results": 0}, ["apron"], 1),
    "a copy is no result": ({"results": 3}, ["boots", "boots", "shoes"], 2),
    "latency": ({"latency": "<= 10 ms"}, ["boots"], 0.012),
}  # fmt: skip


@pytest.mark.parametrize(("expect", "ranking", "wrong"), UNMET.values(), ids=UNMET)
def test_an_expectation_that_is_not_met(
    expect: dict[str, object], ranking: list[str], wrong: object
) -> None:
    found = outcome(expect, ranking)
    assert not found.met
    assert (found.value if found.value is not None else [*found.wrong]) == wrong


def test_include_and_exclude_look_at_the_k_of_the_case() -> None:
    ranking = ["boots", "shoes", "apron"]
    assert not outcome({"include": "apron"}, ranking, k=2).met
    assert outcome({"exclude": "apron"}, ranking, k=2).met


def test_which_figures_judging_more_documents_could_change() -> None:
    assert outcome({"P@2": 0.5}, ["boots", "gloves"]).is_score
    assert not outcome({"Judged@2": 0.5}, ["boots", "gloves"]).is_score
    assert not outcome({"results": 2}, ["boots", "gloves"]).is_score
