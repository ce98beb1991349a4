"""How sure it is that queries got worse, in words."""

import pytest

from pytest_relevance.reports.run.certainty_text import how_sure
from pytest_relevance.results.change_counts import ChangeCounts


@pytest.mark.parametrize(
    ("worse", "certain", "still_open", "lost", "said"),
    [
        (5, 0, 0, 0, ""),
        (5, 5, 0, 0, " (all for certain)"),
        (1, 0, 1, 0, " (needs grades to be sure)"),
        (5, 0, 0, 3, " (3 lost a passage)"),
        (5, 0, 0, 5, " (all lost a passage)"),
        (1, 0, 0, 1, " (a passage was lost)"),
        (5, 2, 1, 1, " (2 for certain, 1 needs grades to be sure, 1 lost a passage)"),
        (5, 2, 0, 0, " (2 for certain)"),
    ],
)
def test_the_words_behind_the_queries_that_got_worse(
    worse: int, certain: int, still_open: int, lost: int, said: str
) -> None:
    counts = ChangeCounts(
        got_worse=worse, certain=certain, open=still_open, lost_passage=lost
    )
    assert how_sure(counts) == said
