"""How far raters are apart: documents, each rater's bias, and what the ways to combine ratings make of them."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.judgments.grading import Rated, aggregate_figures, rated_by_several, rater_figures
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.scale import AGGREGATES

NAMES = ("anna", "ben", "carl")


def judged(ratings: dict[str, dict[str, dict[str, float]]]) -> Judgments:
    return Judgments(
        {query: dict.fromkeys(given, 0.0) for query, given in ratings.items()}, ratings=ratings, raters=NAMES
    )


SHOES = judged(
    {
        "boots": {"sku-1": {"anna": 3, "ben": 2}, "sku-2": {"anna": 1}},
        "laces": {"sku-3": {"anna": 0, "ben": 3, "carl": 3}, "sku-4": {"ben": 1, "carl": 1}},
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
    assert (anna.rater, anna.rated, anna.shared, anna.bias) == ("anna", 3, 2, ((3 - 2) + (0 - 3)) / 2)
    assert (ben.rater, ben.rated, ben.shared, ben.bias) == ("ben", 3, 3, ((2 - 3) + (3 - 1.5) + (1 - 1)) / 3)
    assert (carl.rater, carl.rated, carl.shared, carl.bias) == ("carl", 2, 2, ((3 - 1.5) + (1 - 1)) / 2)


def test_a_rater_who_shares_no_document_has_no_bias() -> None:
    anna, ben, carl = rater_figures(judged({"boots": {"sku-1": {"anna": 3}}}))
    assert (anna.rated, anna.shared, anna.bias) == (1, 0, None)
    assert [ben.rated, carl.rated] == [0, 0]


def test_what_the_ways_to_combine_ratings_make_of_them() -> None:
    figures = {found.how: (found.mean, found.unlike_median) for found in aggregate_figures(rated_by_several(SHOES))}
    assert figures == {
        "median": ((2.5 + 3 + 1) / 3, 0),
        "mean": ((2.5 + 2 + 1) / 3, 1),
        "min": ((2 + 0 + 1) / 3, 2),
        "max": ((3 + 3 + 1) / 3, 1),
        "majority": ((2 + 3 + 1) / 3, 1),
    }


@given(st.lists(st.dictionaries(st.sampled_from(NAMES), st.integers(0, 3), min_size=1), min_size=1, max_size=12))
def test_where_all_rate_all_biases_cancel_each_other(ratings: list[dict[str, float]]) -> None:
    complete = judged(
        {"boots": {f"sku-{number}": {**dict.fromkeys(NAMES, 0), **given} for number, given in enumerate(ratings)}}
    )
    assert abs(sum(rater.bias or 0 for rater in rater_figures(complete))) < 1e-9


@given(st.lists(st.lists(st.integers(0, 3), min_size=2, max_size=5), min_size=1))
def test_each_way_lies_between_the_least_and_the_greatest(ratings: list[list[float]]) -> None:
    pairs = [
        Rated("boots", "sku", {f"r{number}": rating for number, rating in enumerate(given)}, 0) for given in ratings
    ]
    figures = {found.how: found.mean for found in aggregate_figures(pairs)}
    assert figures.keys() == AGGREGATES.keys()
    assert all(figures["min"] - 1e-9 <= mean <= figures["max"] + 1e-9 for mean in figures.values())
