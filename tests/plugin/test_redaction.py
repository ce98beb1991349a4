"""What is masked as a secret: by its name, by its shape, or because its value is known
to be one. A mask tells whether the value changed.
"""

import json
import re
from base64 import b64encode, urlsafe_b64encode
from html import escape
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.plugin.known_secrets import KnownSecrets, is_distinct
from pytest_relevance.plugin.options import SECRETS
from pytest_relevance.plugin.redaction import Redaction
from pytest_relevance.plugin.secret_patterns import mask

redaction = Redaction(SECRETS)


def without_digits(text: str) -> str:
    """A text with the digits of its masks left out."""
    return re.sub("<redacted [0-9a-f]{4}>", "<>", text)


# --- by name and shape ----------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        *("access_token", "apiKey", "API_KEY", "client-secret", "passwd", "db_pwd"),
        *("auth", "Authorization", "accessKey", "pass", "DB_PASS", "pw", "passphrase"),
        *("credentials", "cookie"),
    ],
)
def test_values_under_such_names_are_masked(name: str) -> None:
    (found,) = redaction.values({name: "abc"}).values()
    assert without_digits(found) == "<>"


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
    hosts = [{"name": "a", "auth": ["me", 1]}]
    stays = {"secret": None, "filter": {"brand": "x"}}
    values = {"hosts": hosts, "token": 7, **stays}
    found = redaction.values(values)
    masked = [{"name": "a", "auth": mask("auth", ["me", 1])}]
    assert found == {"hosts": masked, "token": mask("token", 7), **stays}
    assert values["token"] == 7  # the search still gets what the case file says


def test_a_mask_tells_values_apart_by_name_and_value() -> None:
    assert mask("token", "abc") == mask("TOKEN", "abc")
    pairs = [
        ("token", "abc"),
        ("token", "abd"),
        ("key", "abc"),
        ("token", 1),
        ("token", True),
    ]
    assert len({mask(name, value) for name, value in pairs}) == 5
    assert mask("token", mask("token", "abc")) == mask("token", "abc")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("GET https://me:pa55@host:9200/shop failed", "GET https://<>@host:9200/shop failed"),
        ("https://host/x?q=shoes&api_key=abc&page=2#top", "https://host/x?q=shoes&api_key=<>&page=2#top"),
        ("'https://me@host/?token=abc', token=abc", "'https://<>@host/?token=<>', token=abc"),
        ("a mail to me@host, https://host/@me", "a mail to me@host, https://host/@me"),
        ("401: {'api_key': 'abc', 'q': 'x'}", "401: {'api_key': '<>', 'q': 'x'}"),
        ("sent Authorization: Basic YTpi", "sent Authorization: Basic <>"),
        ("invalid header Bearer eyJhbGciOi.x", "invalid header Bearer <>"),
        ("no connection: host=db password=X", "no connection: host=db password=<>"),
        ("Bearer authentication failed", "Bearer authentication failed"),
        ("unexpected token: foo, unknown key: brand", "unexpected token: foo, unknown key: brand"),
        ("Basic knowledge of sort(key=price)", "Basic knowledge of sort(key=price)"),
        ("400: {'key': 'Adidas', 'count': 5}", "400: {'key': 'Adidas', 'count': 5}"),
    ],
)  # fmt: skip
def test_secrets_of_a_known_form_in_a_text(text: str, expected: str) -> None:
    assert without_digits(redaction.text(text)) == expected


def test_the_arguments_of_a_command() -> None:
    given = (
        "tests --api-key abc -k token --password=pw --url=https://a:b@host --auth -v"
    )
    found = without_digits(" ".join(redaction.arguments(given.split())))
    masked = "tests --api-key <> -k token --password=<> --url=https://<>@host --auth -v"
    assert found == masked


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
        # the whole of a value
        ("--es-password=ab;cd&3", "--es-password=<>"),
        ("api_key=x y", "api_key=<>"),
    ],
)
def test_secrets_within_an_argument(argument: str, expected: str) -> None:
    (found,) = redaction.arguments([argument])
    assert without_digits(found) == expected


def test_a_value_that_begins_like_an_option_is_masked() -> None:
    _, value = redaction.arguments(["--token", "-abc"])
    assert without_digits(value) == "<>"


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


def test_without_a_pattern_only_logins_are_masked() -> None:
    nothing = Redaction("")
    assert nothing.values({"token": "abc"}) == {"token": "abc"}
    assert "me:pw" not in nothing.text("token=abc https://me:pw@host")


@given(st.text("=:'\" ab<>@/token&?{}", max_size=40))
def test_masking_twice_is_masking_once(text: str) -> None:
    once = redaction.text(text)
    assert redaction.text(once) == once


@pytest.mark.parametrize(
    "text",
    ["x" * 300_000, "a." * 150_000 + "://", "https://" + "a?token=" * 30_000],
    ids=["word", "dots", "tokens"],
)
def test_a_long_text_takes_no_time(text: str) -> None:
    assert redaction.text(text)


# --- values that are known ------------------------------------------------------------

DISTINCT = st.text(st.characters(codec="utf-8"), min_size=8, max_size=60).filter(
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


LIVE = "sk-live-0123456789abcdefghij"


@pytest.mark.parametrize(
    ("values", "text", "hidden"),
    [
        # one that begins like another hides no less of it
        (["abcd1234", "abcd1234-prod-9f"], "key abcd1234-prod-9f", "key <>"),
        # a word is not looked for within another word
        (["category"], "category, subcategory", "<>, subcategory"),
        # messages cut long values
        ([LIVE], f"api_key={LIVE[:20]}...", "api_key=<>"),
        ([LIVE], "sk-live-0123 " * 30_000, "sk-live-0123 " * 30_000),
    ],
    ids=["beginning", "word", "cut", "long"],
)
def test_what_is_hidden_of_a_text(values: list[str], text: str, hidden: str) -> None:
    assert knowing(*values).hide(text) == hidden


@given(secret=DISTINCT, before=TEXTS, after=TEXTS)
def test_no_form_of_a_secret_is_left(secret: str, before: str, after: str) -> None:
    value = f"{secret}1"  # with a digit, it is found within words too
    in_quotes = (json.dumps(value)[1:-1], repr(value)[1:-1])
    in_urls = (quote(value), quote(value, safe=""), quote_plus(value))
    for form in (value, *in_urls, *in_quotes, escape(value)):
        assert form not in knowing(value).hide(f"{before}{form}{after}")


@given(secret=DISTINCT, user=st.text(max_size=9))
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
