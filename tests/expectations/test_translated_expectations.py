"""Expectations of ranks as people ask them of a search, against a plain reading of
each.

Are half of the first five among these, do these come before those, is none of them
there: each question becomes a case, whose verdict is compared with that of a function
below, which knows nothing of this project.
"""

from collections.abc import Sequence
from itertools import pairwise
from math import inf
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import case_of, scored

Documents = Sequence[str]


def precision(ranking: Documents, wanted: Documents, top: int, least: float) -> bool:
    """At least this share of the first `top` ranks has one of these documents."""
    return len({*ranking[:top]} & {*wanted}) / top >= least


def recall(ranking: Documents, wanted: Documents, top: int, least: float) -> bool:
    """At least this share of these documents is among the first `top`."""
    return len({*ranking[:top]} & {*wanted}) / len(wanted) >= least


def threshold(
    ranking: Documents, highest: dict[str, int], lowest: dict[str, int]
) -> bool:
    """Each of some documents is at its rank or above, each of others is below its rank
    or absent.
    """
    ranks = {document: ranking.index(document) + 1 for document in ranking}
    return all(
        ranks.get(document, inf) <= rank for document, rank in highest.items()
    ) and all(ranks.get(document, inf) > rank for document, rank in lowest.items())


def before(ranking: Documents, sets: Sequence[Documents], top: int) -> bool:
    """Among the first `top`, all documents of a set come before all of the next; what
    is absent comes last.
    """
    seen = ranking[:top]
    pairs = [
        (one, other)
        for earlier, later in pairwise(sets)
        for one in earlier
        for other in later
    ]
    return all(
        one in seen and (other not in seen or seen.index(one) < seen.index(other))
        for one, other in pairs
    )


DOCUMENTS = st.lists(st.sampled_from("abcdefgh"), min_size=4, max_size=8, unique=True)
RANKS = st.lists(st.integers(2, 14), min_size=4, max_size=4)


@given(
    DOCUMENTS,
    st.lists(st.sampled_from("abcdefghxyz"), max_size=14),
    st.integers(5, 12),
    st.integers(1, 4),
    RANKS,
)
def test_each_expectation_is_a_case_of_the_same_verdict(
    documents: list[str], ranking: list[str], top: int, least: int, ranks: list[int]
) -> None:
    half = len(documents) // 2
    good, bad = documents[:half], documents[half:]
    least = min(least, half)
    share, sets = (
        least / half,
        [good[:2], bad[:2], *([bad[2:3]] if len(bad) > 2 else [])],
    )
    highest, lowest = (
        dict(zip(found[:2], ranks[start:], strict=False))
        for found, start in ((good, 0), (bad, 2))
    )
    asked: list[tuple[bool, dict[str, Any], Documents]] = [
        (precision(ranking, good, top, least / top), {f"P@{top}": least / top}, good),
        (recall(ranking, good, top, share), {f"R@{top}": share}, good),
        ({*good} <= {*ranking[:top]}, {"include": {"docs": good, "within": top}}, ()),
        (
            {*bad}.isdisjoint(ranking[:top]),
            {"exclude": {"docs": bad, "within": top}},
            (),
        ),
        (
            threshold(ranking, highest, lowest),
            {"within": highest | {name: f">{lowest[name]}" for name in lowest}},
            (),
        ),
        (before(ranking, sets, top), {"order": {"docs": sets, "within": top}}, ()),
    ]
    for holds, expect, relevant in asked:
        case = case_of(
            {
                "query": "q",
                "expect": expect,
                **({"relevant": relevant} if relevant else {}),
            }
        )
        result = scored(case, ranking, 0.01)
        assert (result.verdict == "passed") == holds, (
            expect,
            result.evaluation.reasons,
        )
