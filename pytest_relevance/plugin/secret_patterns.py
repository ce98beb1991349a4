"""Find and mask secrets in a text by the names beside them, and logins in URLs.

A mask has four hexadecimal digits of a digest: `<redacted 3f2a>`. The same value with
the same name has the same mask on every machine, so a comparison with a baseline shows
that a value changed. No secret salt is used, because all machines would have to share
it. Instead the digest is cut to 16 bits. One value in 65,536 has the same mask, so
nobody can find the value from the mask.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from hashlib import blake2b
from typing import Any

from pytest_relevance.results.records.json_lines import as_json

# `re` compiles patterns on first use: most runs have nothing to mask
_MASK = r"<redacted [0-9a-f]{4}>"

_URL = rf"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://(?:[^\s\"'<>]|{_MASK})+"

_LOGIN = r"(?<=://)(?P<value>[^/?#]+)(?=@)"
"""The login in a URL: `user:abc` in `https://user:abc@shop.example`."""

_PARAMETER = r"(?<=[?&;#])(?P<name>[^=&;#]+)=(?P<value>[^&;#]*)"
"""A parameter in a URL: `api_key=abc` in `https://shop.example?api_key=abc`."""

_QUOTED = r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'"
_ENTRY = (
    r"(?P<head>(?P<quote>[\"'])(?P<name>[\w.-]{1,80})(?P=quote)\s{0,3}:\s{0,3})"
    rf"(?P<value>{_MASK}|{_QUOTED}|[^\s,}}\]]+)"
)
"""An entry of a mapping, as JSON and Python write it: `"api_key": "abc"`."""

_HEADER = (
    r"(?i)(?P<head>(?<![\w-])(?P<name>[\w-]{1,80})\s{0,3}:\s{0,3}(?:(?:bearer|basic|apikey|token)\s{1,3})?)"
    rf"(?P<value>{_MASK}|[^\s\"',;]+)"
)
"""A header of a request: `Authorization: Bearer abc`."""

_HEADERS = r"(?i)(?:proxy-)?authorization|cookie|set-cookie|(?:x-)?api-?key|x-[\w-]*(?:key|token|secret)"
"""The headers with secrets. `token:` in a sentence is not a header."""

_SCHEME = rf"(?i)(?P<head>(?<![\w-])(?:bearer|basic|apikey)\s{{1,3}})(?P<value>{_MASK}|[\w.~+/=-]{{8,}})"
"""A scheme of authorization and its token, in any text: `Bearer abcd1234`."""

_ASSIGNMENT = (
    r"(?P<head>(?<![\w.-])(?P<name>[\w.-]{1,80})\s{0,3}=\s{0,3})"
    rf"(?P<value>{_MASK}|{_QUOTED}|[^\s;&,\"']+)"
)
"""An entry of a connection string: `password=abc`."""

_OPTION = r"--|-[A-Za-z]$"
"""The beginning of an option. The value of the option before it begins otherwise."""

_NESTED_OPTION = (
    rf"(?P<head>(?<!\S)--(?P<name>[\w-]{{1,80}})\s{{1,3}})(?P<value>{_MASK}|[^\s-]\S*)"
)
"""An option within an argument: `-o "addopts=--password abc"`."""

_PAIR = r"(?P<head>(?<!\S)(?P<name>[\w-]{1,80}):)(?P<value>[^:\s]+)(?!\S)"
"""A name and a value with a colon: `api_key:abc`. A node id, which has two colons, is
not one.
"""

_PASSWORD = r"(?i)passw|pwd"

_NAME_OF_OPTION = r"-{0,2}[\w.-]+\s*"
"""What stands before the sign in `--api-key=abc` and in `-o api_key=abc`. A node id is
not one.
"""


class NamedSecrets:
    """Finds and masks values with secret names, and logins in URLs, in texts.

    A name is secret if the pattern is found in it, in upper or lower case. With an
    empty pattern no name is secret.
    """

    def __init__(self, pattern: str) -> None:
        """Compile a pattern for secret names. Raises `re.error` if it is invalid."""
        secret_name = re.compile(pattern, re.IGNORECASE) if pattern else None

        @lru_cache(maxsize=1024)
        def is_secret(name: str) -> bool:
            return secret_name is not None and secret_name.search(name) is not None

        self.is_secret = is_secret

    def found_in(self, text: str) -> Iterator[tuple[str, str]]:
        """Yield the secrets in a text: passwords in URLs, and in `password=abc`.

        A secret is given as (name, value).
        """
        if "://" in text:
            for url in re.finditer(_URL, text):
                for login in re.finditer(_LOGIN, url[0]):
                    _, _, password = login["value"].partition(":")
                    yield "login", password
        if "=" in text:
            for entry in re.finditer(_ASSIGNMENT, text):
                if self.is_secret(entry["name"]):
                    yield entry["name"], _unquoted(entry["value"])

    def hide(self, text: str) -> str:
        """Return a text with the secrets in it masked.

        Masked are logins and parameters in URLs, headers, entries of mappings, and
        passwords.
        """
        if "://" in text:
            text = re.sub(_URL, self._url, text)
        if ":" in text:
            text = re.sub(_ENTRY, self._entry, text)
            text = re.sub(_HEADER, self._header, text)
        if "=" in text:
            text = re.sub(_ASSIGNMENT, self._password, text)
        if self.is_secret("authorization"):
            text = re.sub(_SCHEME, self._scheme, text)
        return text

    def hide_in_value(self, text: str) -> str:
        """Return the text of a param or an option with the secrets in it masked.

        The text may be a connection string, so every assignment to a secret name is
        masked, and not only that of a password.
        """
        if "=" in text and "://" not in text:
            text = re.sub(_ASSIGNMENT, self._named, text)
        return self.hide(text)

    # Each of these returns what takes the place of a match: the match with a mask in
    # it, or the match itself if it is not a secret.

    def _named(self, found: re.Match[str]) -> str:
        if not self.is_secret(found["name"]):
            return found[0]
        return f"{found['head']}{_mask_of(found)}"

    def _entry(self, found: re.Match[str]) -> str:
        is_bare = found["name"].lower() == "key"  # `{"key": "Adidas", "count": 5}`
        return found[0] if is_bare else self._named(found)

    def _header(self, found: re.Match[str]) -> str:
        is_header = re.fullmatch(_HEADERS, found["name"]) is not None
        return self._named(found) if is_header else found[0]

    def _password(self, found: re.Match[str]) -> str:
        is_password = re.search(_PASSWORD, found["name"]) is not None
        return self._named(found) if is_password else found[0]

    def _scheme(self, found: re.Match[str]) -> str:
        value = found["value"]
        is_word = value.isalpha() and (value.islower() or value.istitle())
        if is_word or is_mask(value):
            return found[0]
        return f"{found['head']}{mask('authorization', value)}"

    def _url(self, found: re.Match[str]) -> str:
        """Return a URL with the login and the secret parameters masked."""

        def login(part: re.Match[str]) -> str:
            return mask("login", part["value"])

        def parameter(part: re.Match[str]) -> str:
            name, value = part["name"], part["value"]
            return f"{name}={mask(name, value)}" if self.is_secret(name) else part[0]

        url = re.sub(_LOGIN, login, found[0])
        return re.sub(_PARAMETER, parameter, url)


class MaskedArguments:
    """The arguments of a command with their secrets masked: `--api-key=abc`.

    `arguments`: the arguments, masked, in their order.
    `secrets`: (name, value) of each secret that was masked because of its name.
    """

    def __init__(
        self,
        arguments: Iterable[str],
        named: NamedSecrets,
        hide: Callable[[str], str],
    ) -> None:
        """Mask arguments.

        `named`: says which names are secret.
        `hide`: masks the secrets in a text.
        """
        self._named = named
        self._hide = hide
        self.secrets: list[tuple[str, str]] = []
        self.arguments: list[str] = []
        name = ""  # of the secret option that the next argument is the value of
        for argument in arguments:
            if name and not re.match(_OPTION, argument):
                self.arguments.append(self._mask(name, argument))
            else:
                self.arguments.append(self._masked(argument))
            name = ""
            is_option = argument.startswith("--") and "=" not in argument
            if is_option and named.is_secret(argument):
                name = argument.lstrip("-")

    def _mask(self, name: str, value: str) -> str:
        """Return the mask of a secret, and keep the secret."""
        self.secrets.append((name, value))
        return mask(name, value)

    def _masked(self, argument: str) -> str:
        """Return an argument, masked.

        A secret may be the value of the argument, or in a text within it.
        """
        key, sign, value = argument.partition("=")
        is_name = bool(sign) and re.fullmatch(_NAME_OF_OPTION, key)
        if is_name and self._named.is_secret(key):
            return f"{key}={self._mask(key.strip().lstrip('-'), value)}"
        if is_name and key.startswith("-"):
            return f"{key}={self._masked(value)}"
        for pattern in (_ASSIGNMENT, _NESTED_OPTION, _PAIR, _ENTRY):
            argument = re.sub(pattern, self._masked_match, argument)
        return self._hide(argument)

    def _masked_match(self, found: re.Match[str]) -> str:
        """Return a match with its value masked, if its name is secret."""
        name = found["name"]
        if not self._named.is_secret(name) or name.lower() == "key":
            return found[0]
        self.secrets.append((name, _unquoted(found["value"])))
        return f"{found['head']}{_mask_of(found)}"


def _mask_of(found: re.Match[str]) -> str:
    """Return the mask of a value that a pattern found. Quotes around the value stay."""
    value = found["value"]
    inner = _unquoted(value)
    quote = value[0] if inner != value else ""
    return f"{quote}{mask(found['name'], inner)}{quote}"


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def is_mask(text: str) -> bool:
    """Say whether a text is a mask, and nothing else."""
    return re.fullmatch(_MASK, text) is not None


def mask(name: str, value: Any) -> str:
    """Return the mask of a value: `<redacted 3f2a>`. A mask is returned as it is."""
    if isinstance(value, str):
        text = value
    else:
        text = as_json([value])
    if is_mask(text):
        return text
    digest = blake2b(
        f"{name.casefold()}\0{text}".encode("utf-8", "surrogatepass"),
        digest_size=2,
        person=b"redaction",
    )
    return f"<redacted {digest.hexdigest()}>"
