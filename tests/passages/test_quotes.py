"""The checks of a case's quotes."""

import pytest

from pytest_relevance.passages.quotes import contains, is_empty, is_short


@pytest.mark.parametrize("quote", ["", " \n ", "\u200b\u00ad"])
def test_a_quote_without_a_visible_character_is_empty(quote: str) -> None:
    assert is_empty(quote)


@pytest.mark.parametrize("quote", ["a", "5", "日", "-", "**"])
def test_a_quote_with_a_visible_character_is_not_empty(quote: str) -> None:
    assert not is_empty(quote)


@pytest.mark.parametrize(
    ("quote", "expected"),
    [
        ("30 days, 5 %", True),
        ("within 30 days", False),
        ("elevenlette", True),
        ("twelveletter", False),
        ("三十天", True),
        ("三十天内", False),
        ("", True),
    ],
)
def test_a_quote_of_fewer_than_twelve_letters_is_short(
    quote: str, *, expected: bool
) -> None:
    assert is_short(quote) is expected


@pytest.mark.parametrize(
    ("quote", "other", "expected"),
    [
        ("within 30 days of delivery", "30 Days", True),
        ("within 30 days", "within **30 days**", True),
        ("within 30 days", "within 30 days of delivery", False),
        ("within 130 days", "30 days", False),
    ],
)
def test_a_quote_contains_another(quote: str, other: str, *, expected: bool) -> None:
    assert contains(quote, other) is expected
