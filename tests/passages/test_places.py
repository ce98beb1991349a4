"""Where a text holds a quote."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.passages.matching import holds, quote_forms, text_forms
from pytest_relevance.passages.places import place_of_quote, places_of_quotes


def marked(text: str, quote: str, *, is_context: bool = False) -> str | None:
    """The piece of a text that holds a quote."""
    place = place_of_quote(text, quote_forms(quote, is_context=is_context))
    return None if place is None else text[slice(*place)]


@pytest.mark.parametrize(
    ("text", "quote", "piece"),
    [
        ("Return it within 30 days.", "within 30 days", "within 30 days"),
        ("WITHIN **30 days** of it", "within 30 days", "WITHIN **30 days"),
        ("all infor-\nmation here", "all information", "all infor-\nmation"),
        ("see &ldquo;free&rdquo; now", '"free"', "&ldquo;free&rdquo;"),
        ("2.5 GB, of which 5 GB", "5 GB", "5 GB"),
        ("returns and a return", "return", "return"),
        ("不可以退货的商品", "可以退货", "可以退货"),
        ("open (30 days).", "30 days", "30 days"),
        ("thirty days", "30 days", None),
    ],
)
def test_the_shortest_piece_that_holds_the_quote(
    text: str, quote: str, piece: str | None
) -> None:
    assert marked(text, quote) == piece


def test_a_quote_is_not_marked_within_a_longer_number() -> None:
    place = place_of_quote("2.5 GB, of which 5 GB", quote_forms("5 GB"))
    assert place == (17, 21)


def test_half_of_a_context_is_marked() -> None:
    context = "goods can be returned in thirty days if they are not used"
    text = "Terms: goods can be returned in thirty days or later."
    assert marked(text, context) is None
    half = "goods can be returned in thirty"
    assert marked(text, context, is_context=True) == half


def test_places_that_overlap_are_one() -> None:
    quotes = [quote_forms(quote) for quote in ("30 days of", "within 30 days", "it")]
    text = "Send it within 30 days of delivery."
    places = places_of_quotes(text, quotes)
    assert [text[slice(*place)] for place in places] == ["it", "within 30 days of"]


WORDS = st.sampled_from(
    ["a", "30", "days", "**30**", "30.", "-", "infor-\n", "é", "\n"]
)


@given(text=st.lists(WORDS).map(" ".join), quote=st.lists(WORDS).map(" ".join))
def test_a_piece_holds_the_quote_as_its_text_does(text: str, quote: str) -> None:
    forms = quote_forms(quote)
    place = place_of_quote(text, forms)
    assert (place is not None) == holds(text_forms(text), forms)
    if place is not None:
        assert holds(text_forms(text[slice(*place)]), forms)
