"""The score of a case, and the verdict: what decides, and in which order."""

from math import log2
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance import CaseResult
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE, MEASURED, PASSED
from tests.helpers import result_of

JUDGMENTS = {"boots": 3, "shoes": 2, "laces": 1, "apron": 0}


def scored(
    ranking: list[str], judgments: dict[str, Any] | None = None, **keys: Any
) -> CaseResult:
    return result_of(
        {
            "query": "boots",
            "judgments": JUDGMENTS if judgments is None else judgments,
            **keys,
        },
        ranking,
    )


# --- figures --------------------------------------------------------------------------


def test_the_score_is_the_ndcg_at_k_and_certain_without_unjudged_results() -> None:
    found = scored(["shoes", "boots", "laces"], k=2)
    assert found.score == pytest.approx((3 + 7 / log2(3)) / (7 + 3 / log2(3)))
    assert found.evaluation.scores == {"nDCG@2": found.score}
    assert found.interval == (found.score, found.score)


def test_an_unjudged_result_leaves_an_interval() -> None:
    found = scored(["gloves", "boots"], {"boots": 3, "apron": 0})
    assert found.score == pytest.approx(1 / log2(3))
    assert found.evaluation.lower == pytest.approx(
        1 / log2(3)
    )  # gloves are as bad as it gets
    assert found.evaluation.upper == 1  # gloves are as good as boots
    assert found.unjudged == ["gloves"]


def test_only_the_top_k_leaves_an_interval() -> None:
    found = scored(["boots", "shoes", "gloves"], k=2)
    assert found.interval == (found.score, found.score)
    assert found.unjudged == []


@pytest.mark.parametrize(
    "setting", [{"ideal": "returned"}, {"ideal": "max"}, {"unjudged": "skip"}], ids=str
)
def test_other_settings_have_no_interval(setting: dict[str, Any]) -> None:
    found = scored(["gloves", "boots"], **setting)
    assert found.interval == (found.score, found.score)
    assert found.unjudged == ["gloves"]


def test_what_is_counted() -> None:
    found = scored(["boots", "gloves", "boots", "laces", "gloves", "hat", "shoes"], k=5)
    assert found.ranking.returned == 5  # boots, gloves, laces, hat, shoes
    assert found.evaluation.top == 3  # of them in the top 5: boots, gloves, laces
    assert found.evaluation.judged == 2
    assert found.unjudged == ["gloves"]


def test_ids_are_strange_when_nothing_that_was_returned_is_judged() -> None:
    assert scored(["10023", "10024"]).ids_seem_mismatched
    assert not scored(["10023", "boots"]).ids_seem_mismatched
    assert not scored(["10023"], {}).ids_seem_mismatched
    assert not scored([]).ids_seem_mismatched


def test_the_score_is_not_defined_without_a_relevant_document() -> None:
    found = scored(["apron"], {"apron": 0}, expect={"results": 1})
    assert (found.score, found.verdict) == (None, PASSED)


DOCUMENTS = st.sampled_from([*JUDGMENTS, "gloves", "hat", "belt"])


@given(st.lists(DOCUMENTS, max_size=12), st.integers(1, 12))
def test_the_score_lies_within_its_interval(ranking: list[str], k: int) -> None:
    found = scored(ranking, k=k)
    lower, upper = found.interval
    assert lower is not None
    assert found.score is not None
    assert upper is not None
    assert 0 <= lower <= found.score <= upper <= 1
    assert (
        found.evaluation.judged + len(found.unjudged)
        == found.evaluation.top
        <= min(k, found.ranking.returned)
    )


# --- verdicts -------------------------------------------------------------------------
#
# With these two judgments and the ideal order ["boots", "shoes"], a ranking of
#   boots, shoes     scores 1.000
#   shoes, boots     scores 0.834
#   gloves, boots    scores 0.497, and with gloves judged anything from 0.497 to 1
#   gloves, hat      scores 0.000, and anything from 0 to 1

TWO = {"boots": 3, "shoes": 2, "apron": 0}
CERTAIN, DOUBTFUL = ["shoes", "boots"], ["gloves", "boots"]
FEW, NONE = "min_judged 1", "min_judged 0"

VERDICTS: dict[str, tuple[list[str], dict[str, Any], str, tuple[str, ...]]] = {
    "nothing expected": (CERTAIN, {}, MEASURED, ()),
    "above the floor": (CERTAIN, {"min_ndcg": 0.8}, PASSED, ()),
    "below the floor": (CERTAIN, {"min_ndcg": 0.9}, FAILED, ("nDCG@10 0.834",)),
    "below the floor, in doubt": (DOUBTFUL, {"min_ndcg": 0.7}, FAILED, ("nDCG@10 0.497",)),
    "an expectation is met": (CERTAIN, {"expect": {"first": "shoes"}}, PASSED, ()),
    # 1. an unmet expectation other than a score fails, whatever is judged
    "an expectation is not met": (CERTAIN, {"min_ndcg": 0.8, "expect": {"results": 3}}, FAILED, ("results 2",)),
    "an expectation is not met, few judged": (
        DOUBTFUL,
        {"min_ndcg": 0.7, "min_judged": 0.6, "expect": {"results": 3}},
        FAILED,
        ("nDCG@10 0.497", "results 2"),
    ),
    "too few are judged, and that was expected": (
        DOUBTFUL,
        {"min_judged": 0.6, "expect": {"Judged@2": 1}},
        FAILED,
        ("Judged@2 0.5",),
    ),
    # 2. an interval wholly below the floor fails, wholly above it passes
    "wholly below, few judged": (["apron", "gloves"], {"min_ndcg": 0.9, "min_judged": 0.6}, FAILED, ("nDCG@10 0",)),
    "wholly below, few judged for another floor": (
        ["apron", "gloves"],
        {"min_ndcg": 0.9, "min_judged": 0.6, "expect": {"P@2": 1}},
        FAILED,
        ("nDCG@10 0", "P@2 0"),
    ),
    "wholly above, few judged": (DOUBTFUL, {"min_ndcg": 0.4, "min_judged": 0.6}, PASSED, ()),
    "wholly above, exactly": (DOUBTFUL, {"min_ndcg": 7 / log2(3) / (7 + 3 / log2(3)), "min_judged": 0.6}, PASSED, ()),
    # 3. too few judged is inconclusive
    "few judged": (DOUBTFUL, {"min_ndcg": 0.7, "min_judged": 0.6}, INCONCLUSIVE, (FEW, "nDCG@10 0.497")),
    "few judged, for a score": (DOUBTFUL, {"min_judged": 0.6, "expect": {"P@2": 1}}, INCONCLUSIVE, (FEW, "P@2 0.5")),
    "few judged, for a met score": (DOUBTFUL, {"min_judged": 0.6, "expect": {"P@2": 0.5}}, INCONCLUSIVE, (FEW,)),
    "few judged, for another expectation": (DOUBTFUL, {"min_judged": 0.6, "expect": {"results": 2}}, PASSED, ()),
    "just enough judged": (DOUBTFUL, {"min_ndcg": 0.7, "min_judged": 0.5}, FAILED, ("nDCG@10 0.497",)),
    "nothing returned counts as all judged": ([], {"min_ndcg": 0.7, "min_judged": 1}, FAILED, ("nDCG@10 0",)),
    # 4. the floor decides, and the other floors with it
    "two floors": (DOUBTFUL, {"min_ndcg": 0.7, "expect": {"P@2": 1}}, FAILED, ("nDCG@10 0.497", "P@2 0.5")),
    "wholly above, another floor missed": (DOUBTFUL, {"min_ndcg": 0.4, "expect": {"P@2": 1}}, FAILED, ("P@2 0.5",)),
    # where the interval does not apply, min_judged and the floor do
    "no interval, wholly below": (
        ["apron", "gloves"],
        {"min_ndcg": 0.9, "min_judged": 0.6, "ideal": "returned"},
        INCONCLUSIVE,
        (FEW, "nDCG@10 0"),
    ),
    "no interval, above": (
        *(
            ["gloves", "boots"],
            {"min_ndcg": 0.4, "min_judged": 0.6, "unjudged": "skip"},
            INCONCLUSIVE,
            (FEW,),
        ),
    ),
    "no interval, enough judged": (["gloves", "boots"], {"min_ndcg": 0.4, "unjudged": "skip"}, PASSED, ()),
    "nothing judged": (["gloves", "hat"], {"min_ndcg": 0.7, "min_judged": 0.6}, INCONCLUSIVE, (NONE, "nDCG@10 0")),
}  # fmt: skip


@pytest.mark.parametrize(
    ("ranking", "keys", "verdict", "reasons"), VERDICTS.values(), ids=VERDICTS
)
def test_the_verdict(
    ranking: list[str], keys: dict[str, Any], verdict: str, reasons: tuple[str, ...]
) -> None:
    found = scored(ranking, TWO, **keys)
    assert (
        found.verdict,
        [f"{each.name} {each.value:.3g}" for each in found.evaluation.reasons],
    ) == (
        verdict,
        [*reasons],
    )


def test_a_floor_that_is_exactly_the_score_is_met() -> None:
    score = scored(["shoes", "boots", "laces"]).score
    assert scored(["shoes", "boots", "laces"], min_ndcg=score).verdict == PASSED
    assert scored(["boots", "shoes", "laces"], min_ndcg=1.0).verdict == PASSED


def test_a_share_of_judged_results_is_compared_as_it_is_written() -> None:
    judgments = {f"judged-{number}": number % 2 for number in range(11)}
    ranking = [*judgments, *(f"unjudged-{number}" for number in range(9))]
    found = scored(
        ranking, judgments, k=20, min_ndcg=0.99, min_judged=0.55
    )  # 0.55 * 20 is above 11
    assert (found.evaluation.judged, found.evaluation.top, found.verdict) == (
        11,
        20,
        FAILED,
    )


def test_copies_of_a_document_are_neither_judged_nor_unjudged() -> None:
    found = scored(["boots", "boots", "boots", "shoes"], min_ndcg=0.5, min_judged=1)
    assert (found.evaluation.judged, found.evaluation.top, found.verdict) == (
        2,
        2,
        PASSED,
    )
