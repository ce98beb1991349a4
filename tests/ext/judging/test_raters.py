"""How far raters are apart: documents, the bias of each rater, judgments that are
drawn.
"""

from collections import Counter
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.ext.judging.calibration import Judgment, drawn_evenly
from pytest_relevance.ext.judging.raters import rated_by_several, rater_figures
from pytest_relevance.judgments.model import Judgments

NAMES = ("anna", "ben", "carl")


def judged(ratings: dict[str, dict[str, dict[str, float]]]) -> Judgments:
    return Judgments(
        {query: dict.fromkeys(given, 0.0) for query, given in ratings.items()},
        ratings=ratings,
        raters=NAMES,
    )


SHOES = judged(
    {
        "boots": {"sku-1": {"anna": 3, "ben": 2}, "sku-2": {"anna": 1}},
        "laces": {
            "sku-3": {"anna": 0, "ben": 3, "carl": 3},
            "sku-4": {"ben": 1, "carl": 1},
        },
    }
)


def test_the_documents_that_are_furthest_apart_come_first() -> None:
    assert [(rated.document, rated.spread) for rated in rated_by_several(SHOES)] == [
        ("sku-3", 3),
        ("sku-1", 1),
        ("sku-4", 0),
    ]


def test_bias_is_a_rating_less_the_mean_of_the_others_of_the_same_document() -> None:
    anna, ben, carl = rater_figures(SHOES)
    assert (anna.rater, anna.rated, anna.shared, anna.bias) == (
        "anna",
        3,
        2,
        ((3 - 2) + (0 - 3)) / 2,
    )
    assert (ben.rater, ben.rated, ben.shared, ben.bias) == (
        "ben",
        3,
        3,
        ((2 - 3) + (3 - 1.5) + (1 - 1)) / 3,
    )
    assert (carl.rater, carl.rated, carl.shared, carl.bias) == (
        "carl",
        2,
        2,
        ((3 - 1.5) + (1 - 1)) / 2,
    )


def test_a_rater_who_shares_no_document_has_no_bias() -> None:
    anna, ben, carl = rater_figures(judged({"boots": {"sku-1": {"anna": 3}}}))
    assert (anna.rated, anna.shared, anna.bias) == (1, 0, None)
    assert [ben.rated, carl.rated] == [0, 0]


JUDGED = st.lists(
    st.builds(
        Judgment,
        st.sampled_from(["x", "y", ""]),
        st.text(max_size=3),
        st.sampled_from([0, 0.5, 1, 1.5, 3]),
    ),
    max_size=40,
)


@given(JUDGED, st.integers(2, 30), st.randoms(use_true_random=False))
def test_judgments_are_drawn_evenly_over_their_grades(
    judged: list[Judgment], most: int, random: Random
) -> None:
    drawn = drawn_evenly(judged, most)
    there, taken = (
        Counter(int(each.grade + 0.5) for each in some) for some in ({*judged}, drawn)
    )
    assert len(drawn) == len({*drawn}) == min(most, len({*judged}))
    fullest = max(taken.values(), default=0)
    assert all(
        taken[grade] in (count, fullest, fullest - 1) for grade, count in there.items()
    )
    random.shuffle(judged)
    assert drawn_evenly(judged, most) == drawn
    assert drawn_evenly(judged, most + 1)[:most] == drawn
