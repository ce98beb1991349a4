"""What is masked as a secret, by its name or its shape, and that a mask tells whether the value changed."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.plugin.options import SECRETS
from pytest_relevance.plugin.redaction import Redaction, mask

redaction = Redaction(SECRETS)


def masked(text: str) -> str:
    """A text with its secrets masked, the digits of a mask left out."""
    return re.sub("<redacted [0-9a-f]{4}>", "<>", redaction.text(text))


NAMES = [
    "access_token",
    "apiKey",
    "API_KEY",
    "client-secret",
    "passwd",
    "db_pwd",
    "auth",
    "Authorization",
    "accessKey",
]


@pytest.mark.parametrize("name", NAMES)
def test_values_under_such_names_are_masked(name: str) -> None:
    (found,) = redaction.values({name: "abc"}).values()
    assert re.fullmatch("<redacted [0-9a-f]{4}>", found)


@pytest.mark.parametrize(
    "name", ["locale", "keywords", "keyboard", "author", "index", "k", "tokenizer"]
)
def test_values_under_other_names_stay(name: str) -> None:
    values = {name: "abc"}
    assert redaction.values(values) is values


def test_values_are_masked_at_every_depth_and_of_every_type() -> None:
    values = {
        "hosts": [{"name": "a", "auth": ["me", 1]}],
        "token": 7,
        "secret": None,
        "filter": {"brand": "x"},
    }
    found = redaction.values(values)
    assert found["hosts"] == [{"name": "a", "auth": mask("auth", ["me", 1])}]
    assert found["token"] == mask("token", 7)
    assert (found["secret"], found["filter"]) == (None, {"brand": "x"})
    assert values["token"] == 7  # the search still gets what the case file says


def test_a_mask_tells_values_apart_by_name_and_value() -> None:
    assert mask("token", "abc") == mask("TOKEN", "abc")
    others = {
        mask("token", "abd"),
        mask("key", "abc"),
        mask("token", 1),
        mask("token", True),
    }
    assert len({mask("token", "abc"), *others}) == 5
    assert mask("token", mask("token", "abc")) == mask("token", "abc")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "GET https://me:pa55@host:9200/shop failed",
            "GET https://<>@host:9200/shop failed",
        ),
        (
            "https://host/x?q=shoes&api_key=abc&page=2#top",
            "https://host/x?q=shoes&api_key=<>&page=2#top",
        ),
        (
            "'https://me@host/?token=abc', token=abc",
            "'https://<>@host/?token=<>', token=abc",
        ),
        ("a mail to me@host, https://host/@me", "a mail to me@host, https://host/@me"),
    ],
)
def test_credentials_are_masked_in_urls_and_nowhere_else_in_a_text(
    text: str, expected: str
) -> None:
    assert masked(text) == expected


def test_the_arguments_of_a_command() -> None:
    given = [
        "tests",
        "--api-key",
        "abc",
        "-k",
        "token",
        "--password=pw",
        "--url=https://a:b@host",
        "--auth",
        "-v",
    ]
    found = [
        re.sub("<redacted [0-9a-f]{4}>", "<>", each)
        for each in redaction.arguments(given)
    ]
    assert (
        " ".join(found)
        == "tests --api-key <> -k token --password=<> --url=https://<>@host --auth -v"
    )


def test_without_a_pattern_only_logins_are_masked() -> None:
    nothing = Redaction("")
    assert nothing.values({"token": "abc"}) == {"token": "abc"}
    assert "me:pw" not in nothing.text("token=abc https://me:pw@host")


@given(st.text("=:'\" ab<>@/token&?{}", max_size=40))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = redaction.text(text)
    assert redaction.text(once) == once


def test_a_long_text_takes_no_time() -> None:
    for text in (
        "x" * 300_000,
        "a." * 150_000 + "://",
        "https://" + "a?token=" * 30_000,
    ):
        assert redaction.text(text)


@pytest.mark.parametrize(
    "given_", [["--es-password=ab;cd&3"], ["api_key=x y"], ["--token", "-abc"]]
)
def test_the_whole_of_an_argument_is_masked(given_: list[str]) -> None:
    *_, last = redaction.arguments(given_)
    assert re.fullmatch(r"(--es-password=|api_key=)?<redacted [0-9a-f]{4}>", last)
