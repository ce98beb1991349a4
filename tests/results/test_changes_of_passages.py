"""Cases with passages beside an earlier ranking, and what each passage costs."""

from dataclasses import replace

import pytest

from pytest_relevance.results.became import became_of
from pytest_relevance.results.breakdown import break_down
from pytest_relevance.results.case_parts import REGRESSION, BaselineComparison
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.change_counts import count_results
from pytest_relevance.results.changes import Change
from pytest_relevance.results.scored_ranking import scored_ranking, shares_of_change
from pytest_relevance.results.settling import Stake, stake_of
from tests.helpers import passage_case, scored, texts_of

RETURN = "within 30 days of delivery"
RECEIPT = "the original receipt"
CASE = passage_case(RETURN, RECEIPT, k=3, min_ndcg=0.9)


def compared(before: CaseResult, after: CaseResult) -> CaseResult:
    """A result beside another one, which was accepted."""
    baseline = BaselineComparison(
        standing=REGRESSION,
        score=before.score,
        documents=before.ranking.documents,
        grades=before.ranking.grades,
        held=before.ranking.held,
    )
    return replace(after, baseline=baseline)


def test_passages_move_and_not_the_documents_that_hold_them() -> None:
    before = scored(CASE, texts_of(RETURN, RECEIPT, ids=["a", "b"]))
    after = scored(CASE, texts_of("x", RETURN, "y", RECEIPT, ids=["c", "d", "e", "f"]))
    moves = Change.since_baseline(compared(before, after)).moves
    assert moves is not None
    (left,), (moved,) = moves.left, moves.moved
    assert (left.document, left.first, left.second, left.grade) == (RECEIPT, 2, 4, 1)
    assert (moved.document, moved.first, moved.second) == (RETURN, 1, 2)
    assert moves.entered == ()


def test_a_case_that_got_worse_lost_a_passage_and_is_neither_certain_nor_open() -> None:
    before = scored(CASE, texts_of(RETURN, RECEIPT))
    result = compared(before, scored(CASE, texts_of(RETURN, "x")))
    counts = count_results([result])
    assert (counts.got_worse, counts.lost_passage) == (1, 1)
    assert (counts.certain, counts.open) == (0, 0)
    assert stake_of(result) == Stake()
    later = compared(before, scored(CASE, texts_of("x", RETURN, RECEIPT)))
    assert became_of(Change.since_baseline(later)) == "got worse"
    assert count_results([later]).lost_passage == 0


@pytest.mark.parametrize(
    "texts",
    [
        (RETURN, "x"),
        ("x", f"{RETURN} {RECEIPT}"),
        ("x", "y", RETURN, RECEIPT),
        ("x",),
        (f"{RETURN} {RECEIPT}", RETURN),
    ],
)
def test_losses_and_shares_add_up(texts: tuple[str, ...]) -> None:
    result = scored(CASE, texts_of(*texts))
    found = break_down(result)
    assert result.score is not None
    assert found.score == pytest.approx(result.score, abs=1e-15)
    assert sum(loss.loss for loss in found.losses) == pytest.approx(1 - result.score)
    before = scored(CASE, texts_of(RECEIPT, "z"))
    change = Change.since_baseline(compared(before, result))
    shares = shares_of_change(change, scored_ranking(result))
    assert before.score is not None
    assert sum(shares.values()) == pytest.approx(result.score - before.score)


def test_the_rows_of_a_breakdown_have_all_passages_of_a_rank() -> None:
    result = scored(CASE, texts_of("x", f"{RETURN} {RECEIPT}", RETURN))
    first, second, third = break_down(result).rows
    assert (first.gain, second.gain, third.gain) == (0, 2, 0)
    assert (second.cg, third.repeated) == (2, True)
    assert second.dcg == pytest.approx(2 / 1.58496, abs=1e-5)


def test_more_passages_in_a_result_than_the_ideal_has_in_a_rank_are_limited() -> None:
    result = scored(CASE, texts_of(f"{RETURN} {RECEIPT}"))
    found = break_down(result)
    assert found.score == 1.0
    assert found.rows[0].dcg == pytest.approx(1.63093, abs=1e-5)
    assert [loss for loss in found.losses if abs(loss.loss) > 1e-9] == []
