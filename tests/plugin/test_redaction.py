"""What is masked as a secret, by its name or its shape, and that a mask tells whether
the value changed.
"""

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
    "pass",
    "DB_PASS",
    "pw",
    "passphrase",
    "credentials",
    "cookie",
]


@pytest.mark.parametrize("name", NAMES)
def test_values_under_such_names_are_masked(name: str) -> None:
    (found,) = redaction.values({name: "abc"}).values()
    assert re.fullmatch("<redacted [0-9a-f]{4}>", found)


@pytest.mark.parametrize(
    "name",
    [
        *("locale", "keywords", "keyboard", "author", "index", "k", "tokenizer"),
        *("passing", "passage", "bypass", "compass", "power"),
    ],
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


@pytest.mark.parametrize(
    ("argument", "expected"),
    [
        ("--dsn=host=db user=me password=X", "--dsn=host=db user=me password=<>"),
        ("host=db password='a b' port=1", "host=db password='<>' port=1"),
        ("Server=db;Uid=me;Pwd=X;Port=1", "Server=db;Uid=me;Pwd=<>;Port=1"),
        ("--override-ini=api_key=abc", "--override-ini=api_key=<>"),
        ("-oapi_key=abc", "-oapi_key=<>"),
        ("addopts=-v --es-password abc -x", "addopts=-v --es-password <> -x"),
        ("Authorization: Bearer abc", "Authorization: Bearer <>"),
        ("Cookie: session=abc", "Cookie: <>"),
        ("host=db pass=X", "host=db pass=<>"),
        ("--header=Authorization: ApiKey abc==", "--header=Authorization: ApiKey <>"),
        ("--header=X-Api-Key:abc", "--header=X-Api-Key:<>"),
        ('--es={"api_key": "abc", "k": 5}', '--es={"api_key": "<>", "k": 5}'),
        ("redis://:a@b@host:6379/0", "redis://<>@host:6379/0"),
        ("postgresql://me:pw@h/db?sslkey=x", "postgresql://<>@h/db?sslkey=<>"),
        ("api_key:abc", "api_key:<>"),
    ],
)
def test_secrets_within_an_argument(argument: str, expected: str) -> None:
    (found,) = redaction.arguments([argument])
    assert re.sub("<redacted [0-9a-f]{4}>", "<>", found) == expected


@pytest.mark.parametrize(
    "argument",
    [
        "tests/test_token.py::test_auth[key=1]",
        "auth.relevance.yaml::a secret: how to keep one",
        "--deselect=test_auth.py::test_key",
        "--relevance-against=keys.jsonl",
        "-k",
        "token or key",
        "C:\\keys",
        "https://medium.com/@me/key",
        "--maxfail=2",
    ],
)
def test_arguments_without_a_secret_stay(argument: str) -> None:
    assert [*redaction.arguments([argument])] == [argument]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("401: {'api_key': 'abc', 'q': 'x'}", "401: {'api_key': '<>', 'q': 'x'}"),
        ("sent Authorization: Basic YTpi", "sent Authorization: Basic <>"),
        ("invalid header Bearer eyJhbGciOi.x", "invalid header Bearer <>"),
        ("no connection: host=db password=X", "no connection: host=db password=<>"),
        ("Bearer authentication failed", "Bearer authentication failed"),
        ("unexpected token: foo, unknown key: brand", None),
        ("Basic knowledge of sort(key=price)", None),
        ("400: {'key': 'Adidas', 'count': 5}", None),
    ],
)
def test_secrets_of_a_known_form_in_a_text(text: str, expected: str | None) -> None:
    assert masked(text) == (text if expected is None else expected)


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
