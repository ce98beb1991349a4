"""What the baseline makes of a verdict: a regression fails a case whatever its floor says, and so does a stale entry.

A drop is a matter of scores, so that the order of section 6 of the design holds for it too: where too few results are
judged, and the unjudged ones could make up for the drop, the case is inconclusive.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance.results.baseline import Since
from pytest_relevance.results.beside import IMPROVEMENT, NEW, REGRESSION, STALE, WITHIN
from pytest_relevance.results.expectations import digits_apart
from pytest_relevance.results.scoring import FAILED, INCONCLUSIVE, Scored, is_bounded, ndcg_at, too_few_judged
from pytest_relevance._text import listed


def standing(found: Since | None) -> str:
    """How a case of a file with a baseline stands to it."""
    if found is None:
        return NEW
    if found.stale:
        return STALE
    return REGRESSION if found.is_regression else IMPROVEMENT if found.is_improvement else WITHIN


def held(found: Since, scored: Scored) -> Scored:
    """The case with the verdict that it has with its baseline."""
    if found.stale:
        return replace(scored, verdict=FAILED, reasons=(_stale(found), *scored.reasons))
    if not found.is_regression:
        return scored
    assert found.score is not None
    drop = dropped(found, scored)
    makes_up = not is_bounded(scored.case) or scored.upper >= found.score - found.tolerance
    too_few = too_few_judged(scored.case, scored.judged, scored.top)
    if scored.verdict != FAILED and makes_up and too_few:
        others = [reason for reason in scored.reasons if reason != too_few]
        return replace(scored, verdict=INCONCLUSIVE, reasons=(too_few, drop, *others))
    return replace(scored, verdict=FAILED, reasons=(drop, *scored.reasons))


def dropped(found: Since, scored: Scored) -> str:
    """Why a regression fails: `nDCG@10 0.312 is 0.452 below the baseline 0.764, more than the tolerance 0.050`."""
    assert found.score is not None
    digits = max(digits_apart(-found.change, found.tolerance), digits_apart(scored.score, found.score))
    now, drop, before, most = (
        f"{value:.{digits}f}" for value in (scored.score, -found.change, found.score, found.tolerance)
    )
    return f"{ndcg_at(scored.case.k).text} {now} is {drop} below the baseline {before}, more than the tolerance {most}"


def _stale(found: Since) -> str:
    return f"the baseline is stale: {listed(found.stale, 'and')}; --relevance-update accepts the present ranking"
