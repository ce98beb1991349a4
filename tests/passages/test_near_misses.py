"""Which text nearly holds a quote that no text holds."""

import pytest

from pytest_relevance.passages.differences import Difference
from pytest_relevance.passages.near_misses import NearMiss, near_miss

TERMS = "You may return goods within 30 days of the delivery, if you want to have it"
REST = "replaced, and a receipt of its own. The plan has 2.5 GB of storage."
OTHER = "Nothing is said here of any of these terms."


def miss(quote: str) -> NearMiss | None:
    return near_miss([quote], [OTHER, TERMS, REST])


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("You may return goods, within 30", NearMiss(Difference.MARKS, (1,), ",", "")),
        (
            "of the delivery if you want",
            NearMiss(Difference.MARKS, (1,), "", ","),
        ),
        (
            "may return goods with in 30 days",
            NearMiss(Difference.SPACES, (1,), "with in", "within"),
        ),
        (
            '"return goods within 30 days"',
            NearMiss(Difference.MARKS, (1,), '"', ""),
        ),
        (
            "You may returngoods within",
            NearMiss(Difference.SPACES, (1,), "returngoods", "return goods"),
        ),
        (
            "Yoù may return goods",
            NearMiss(Difference.ACCENTS, (1,), "yoù", "you"),
        ),
        (
            "return goods within 30 days of delivery",
            NearMiss(Difference.WORDS, (1,), "", "the"),
        ),
        (
            "the whole plan has 2.5 GB of storage",
            NearMiss(Difference.WORDS, (2,), "whole", ""),
        ),
        ("The plan has 5 GB of storage", NearMiss(Difference.WORDS, (2,), "5", "2.5")),
    ],
)
def test_a_text_that_differs_is_a_near_miss(quote: str, expected: NearMiss) -> None:
    assert miss(quote) == expected


def test_a_quote_that_a_splitter_divided_is_in_two_texts() -> None:
    quote = "if you want to have it replaced, and a receipt of its own"
    assert miss(quote) == NearMiss(Difference.SPLIT, (1, 2))


def test_a_splitter_may_divide_words() -> None:
    texts = ["and so the municip", "ality saves a lot"]
    expected = NearMiss(Difference.SPLIT, (0, 1))
    assert near_miss(["the municipality saves"], texts) == expected


def test_the_two_ends_of_one_text_are_no_split_quote() -> None:
    near = near_miss(["the first of all, a last"], ["A last thing is the first of all"])
    assert near is not None
    assert near.difference == Difference.ENDS_WITHIN


def test_a_text_may_end_or_begin_within_a_quote() -> None:
    assert miss("if you want to have it at home, or at work") == NearMiss(
        Difference.ENDS_WITHIN,
        (1,),
        wanted="at home,or at work",
        found="if you want to have it",
    )
    assert miss("or be repaired, or replaced, and a receipt") == NearMiss(
        Difference.BEGINS_WITHIN,
        (2,),
        wanted="or be repaired,or",
        found="replaced,and a receipt",
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "Brewbot only joins 2.4 GHz networks: others are not shown.",
            NearMiss(
                Difference.BEGINS_WITHIN,
                (0,),
                "the",
                "brewbot only joins 2.4 ghz networks",
            ),
        ),
        (
            "e Brewbot only joins 2.4 GHz networks: others are not shown.",
            NearMiss(
                Difference.BEGINS_WITHIN,
                (0,),
                "th",
                "e brewbot only joins 2.4 ghz networks",
            ),
        ),
        (
            "Open the app. The Brewbot only joins 2.4 GHz netw",
            NearMiss(
                Difference.ENDS_WITHIN,
                (0,),
                "orks",
                "the brewbot only joins 2.4 ghz netw",
            ),
        ),
    ],
)
def test_a_text_that_was_cut_by_a_word_begins_or_ends_within(
    text: str, expected: NearMiss
) -> None:
    assert near_miss(["The Brewbot only joins 2.4 GHz networks"], [text]) == expected


@pytest.mark.parametrize(
    "quote",
    ["You must keep the goods for 30 years", "the moon is made of cheese", "5 GB", ""],
)
def test_a_text_with_other_words_is_no_near_miss(quote: str) -> None:
    assert miss(quote) is None


def test_the_text_with_the_fewest_differences_is_the_nearest() -> None:
    quotes = ["the moon is made of cheese", "the days are long, and nights, are short"]
    texts = [
        "the days are long and nights are short",
        "the days are long, and nights are short",
    ]
    assert near_miss(quotes, texts) == NearMiss(Difference.MARKS, (1,), ",", "")
