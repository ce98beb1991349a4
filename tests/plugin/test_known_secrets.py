"""Values that are known to be secret are masked in every form in which a text may have
them.
"""

import json
from base64 import b64encode, urlsafe_b64encode
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.plugin.known_secrets import KnownSecrets, is_distinct

SECRETS = st.text(st.characters(codec="utf-8"), min_size=8, max_size=60).filter(
    lambda text: text == text.strip() and is_distinct(text)
)
TEXTS = st.text(max_size=12)


def knowing(*values: str) -> KnownSecrets:
    known = KnownSecrets()
    for value in values:
        known.add(value, "<>")
    return known


@pytest.mark.parametrize(
    "value", ["hunter2", "abc12", "s3cr3t", "changeme", "12345678", "p@ss word"]
)
def test_values_that_are_looked_for(value: str) -> None:
    assert knowing(value).hide(f"no access with {value}!") == "no access with <>!"


@pytest.mark.parametrize(
    "value", ["", "1", "en", "en_GB", "price", "2024", "true", "a1b2", "        "]
)
def test_values_that_are_too_common(value: str) -> None:
    known = knowing(value)
    assert not known
    text = f"1 price in en_GB, 2024: true {value}"
    assert known.hide(text) == text


def test_a_secret_that_begins_like_another_one_hides_no_less_of_it() -> None:
    known = knowing("abcd1234", "abcd1234-prod-9f")
    assert known.hide("key abcd1234-prod-9f") == "key <>"


def test_a_word_is_not_looked_for_within_another_word() -> None:
    assert knowing("category").hide("category, subcategory") == "<>, subcategory"


def test_a_long_value_is_known_by_its_beginning() -> None:
    """Messages cut long values."""
    value = "sk-live-0123456789abcdefghij"
    assert knowing(value).hide(f"api_key={value[:20]}...") == "api_key=<>"


@given(secret=SECRETS, before=TEXTS, after=TEXTS)
def test_no_form_of_a_secret_is_left(secret: str, before: str, after: str) -> None:
    hide = knowing(f"{secret}1").hide  # with a digit, it is found within words too
    value = f"{secret}1"
    for form in (
        value,
        quote(value),
        quote(value, safe=""),
        quote_plus(value),
        json.dumps(value)[1:-1],
        repr(value)[1:-1],
        escape(value),
    ):
        assert form not in hide(f"{before}{form}{after}")


@given(secret=SECRETS, user=st.text(max_size=9))
def test_base64_of_a_login_is_masked_as_a_whole(secret: str, user: str) -> None:
    data = f"{user}:{secret}".encode("utf-8", "surrogatepass")
    for encode in (b64encode, urlsafe_b64encode):
        login = encode(data).decode()
        assert knowing(secret).hide(f"sent {login} to it") == "sent <> to it"


@given(st.text(max_size=30))
def test_a_text_without_a_secret_stays(text: str) -> None:
    assert knowing("s3cr3t-value-of-the-shop").hide(text) == text


def test_nested_values_are_masked_and_keys_stay() -> None:
    known = knowing("s3cr3t-1")
    values = {"titles": {"s3cr3t-1": "with s3cr3t-1"}, "ids": ["s3cr3t-1"], "k": 5}
    hidden = known.hide_in(values, frozenset({"ids"}))
    assert hidden == {"titles": {"s3cr3t-1": "with <>"}, "ids": ["s3cr3t-1"], "k": 5}
    others = {"titles": {"a": "Apple"}, "grades": (1, None)}
    assert known.hide_in(others) is others


def test_a_long_text_takes_no_time() -> None:
    known = knowing("s3cr3t-value-of-the-shop")
    text = "s3cr3t-value-o " * 30_000
    assert known.hide(text) == text
