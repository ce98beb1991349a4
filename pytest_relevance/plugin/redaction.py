"""Mask secrets: values with secret names, credentials in URLs, known values.

A mask has four hexadecimal digits of a digest: `<redacted 3f2a>`. The same value with
the same name has the same mask on every machine, so a comparison with a baseline shows
that a value changed. No secret salt is used, because all machines would have to share
it. Instead the digest is cut to 16 bits. One value in 65,536 has the same mask, so
nobody can find the value from the mask.
"""

from __future__ import annotations

import operator
import os
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from pytest_relevance.plugin.known_secrets import KnownSecrets, texts_in
from pytest_relevance.results.records.json_lines import as_json

if TYPE_CHECKING:
    from pytest_relevance.results.case_parts import DocumentTexts
    from pytest_relevance.results.case_result import CaseResult

# `re` compiles patterns on first use: most runs have nothing to mask
_MASK = r"<redacted [0-9a-f]{4}>"
_OPTION = r"--|-[A-Za-z]$"  # an argument that is not the value of the option before it
_URL = r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://(?:[^\s\"'<>]|<redacted [0-9a-f]{4}>)+"
_LOGIN = r"(?<=://)(?P<value>[^/?#]+)(?=@)"
_PARAMETER = r"(?<=[?&;#])(?P<name>[^=&;#]+)=(?P<value>[^&;#]*)"

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

_ASSIGNMENT = (
    r"(?P<head>(?<![\w.-])(?P<name>[\w.-]{1,80})\s{0,3}=\s{0,3})"
    rf"(?P<value>{_MASK}|{_QUOTED}|[^\s;&,\"']+)"
)
"""An entry of a connection string: `password=abc`."""

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

_FOLDERS = ("/", "~", ".")
_NO_SECRETS = frozenset({"PWD", "OLDPWD"})


_IDENTITIES = frozenset(
    {
        "as_returned",
        "documents",
        "file",
        "id",
        "irrelevant_top",
        "items",
        "missing",
        "node",
        "not_in_catalogue",
        "not_in_index",
        "query",
        "search",
        "sets",
        "settings",
        "source",
        "test",
        "variant",
        "wrong",
    }
)
"""The fields of a result that are never masked: they identify cases and documents, or
scores depend on them.
"""

Part = TypeVar("Part", "CaseResult", "DocumentTexts")


class Redaction:
    """Masks values with secret names, credentials in URLs, and known secrets.

    A name is secret if the pattern is found in it, in upper or lower case. With an
    empty pattern no name is secret.
    `known`: the secret values that were seen so far.
    """

    def __init__(self, pattern: str) -> None:
        """Compile a pattern for secret names. Raises `re.error` if it is invalid."""
        secret_name = re.compile(pattern, re.IGNORECASE) if pattern else None

        @lru_cache(maxsize=1024)
        def is_secret(name: str) -> bool:
            return secret_name is not None and secret_name.search(name) is not None

        self._is_secret = is_secret
        self.known = KnownSecrets()

    # --- what is known to be secret ---

    def learn(self, values: Mapping[str, Any]) -> None:
        """Remember values with secret names, and passwords in URLs, as secrets."""
        for name, value in values.items():
            self._look_at(str(name), value)

    def _look_at(self, name: str, value: Any) -> None:
        """Learn a value if its name is secret; otherwise the secrets within it."""
        if name and self._is_secret(name):
            self._learn(name, value)
        elif isinstance(value, str):
            self._learn_text(value)
        elif isinstance(value, Mapping):
            self.learn(value)
        elif isinstance(value, (list, tuple)):
            for item in value:
                self._look_at("", item)

    def learn_arguments(self, arguments: Iterable[str]) -> None:
        """Remember the secrets in the arguments of a command."""
        arguments = list(arguments)
        for argument in arguments:
            self._learn_text(argument)
        secrets: list[tuple[str, str]] = []
        self._masked_arguments(arguments, secrets)
        for name, value in secrets:
            self._learn(name, value)

    def learn_environment(self, variables: Mapping[str, str]) -> None:
        """Remember the values of environment variables with secret names as secrets.

        Paths and plain words are left out.
        """
        for name, value in variables.items():
            is_path = value.startswith(_FOLDERS) or name in _NO_SECRETS
            if self._is_secret(name) and not is_path and not value.isalpha():
                self._learn(name, value)

    def _learn(self, name: str, value: Any) -> None:
        """Remember all texts in a secret value, with the mask of the whole value."""
        for text in texts_in(value):
            if not re.fullmatch(_MASK, text):
                self.known.add(text, mask(name, value))

    def _learn_text(self, text: str) -> None:
        """Learn the secrets in a text: passwords in URLs, and in `password=abc`."""
        if "://" in text:
            for url in re.finditer(_URL, text):
                for login in re.finditer(_LOGIN, url[0]):
                    _, _, password = login["value"].partition(":")
                    self._learn("login", password)
        if "=" in text:
            for entry in re.finditer(_ASSIGNMENT, text):
                if self._is_secret(entry["name"]):
                    self._learn(entry["name"], _unquoted(entry["value"]))

    # --- masking ---

    def values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """Return values with secrets masked, at every depth.

        If there are no secrets, the same object is returned.
        """
        masked = {name: self._value(str(name), value) for name, value in values.items()}
        if all(masked[name] is value for name, value in values.items()):
            return values
        return masked

    def hide_in_result(self, part: Part) -> Part:
        """Return a result, or texts of documents, with known secrets masked."""
        hidden: Part = self.known.hide_in(part, _IDENTITIES) if self.known else part
        return hidden

    def text(self, text: str) -> str:
        """Return a text with the secrets in it masked.

        Masked are known values, logins and parameters in URLs, headers, and entries of
        mappings.
        """
        if "://" in text:
            text = re.sub(_URL, self._url, text)
        if ":" in text:
            text = re.sub(_ENTRY, self._entry, text)
            text = re.sub(_HEADER, self._header, text)
        if "=" in text:
            text = re.sub(_ASSIGNMENT, self._password, text)
        if self._is_secret("authorization"):
            text = re.sub(_SCHEME, self._scheme, text)
        # last, so that the masks above are the same whatever is known
        return self.known.hide(text)

    def arguments(self, arguments: Iterable[str]) -> list[str]:
        """Return the arguments of a command with secrets masked: `--api-key=abc`."""
        return self._masked_arguments(arguments, secrets=[])

    def _masked_arguments(
        self, arguments: Iterable[str], secrets: list[tuple[str, str]]
    ) -> list[str]:
        """Return arguments, masked. Add (name, value) of named secrets to `secrets`."""
        masked = []
        name = ""  # of the secret option that the next argument is the value of
        for argument in arguments:
            if name and not re.match(_OPTION, argument):
                secrets.append((name, argument))
                masked.append(mask(name, argument))
            else:
                masked.append(self._argument(argument, secrets))
            name = ""
            is_option = argument.startswith("--") and "=" not in argument
            if is_option and self._is_secret(argument):
                name = argument.lstrip("-")
        return masked

    def _argument(self, argument: str, secrets: list[tuple[str, str]]) -> str:
        """Return an argument, masked. Add (name, value) of named secrets to `secrets`.

        A secret may be the value of the argument, or in a text within it.
        """
        key, sign, value = argument.partition("=")
        is_name = bool(sign) and re.fullmatch(_NAME_OF_OPTION, key)
        if is_name and self._is_secret(key):
            name = key.strip().lstrip("-")
            secrets.append((name, value))
            return f"{key}={mask(name, value)}"
        if is_name and key.startswith("-"):
            return f"{key}={self._argument(value, secrets)}"

        def named(found: re.Match[str]) -> str:
            if not self._is_secret(found["name"]) or found["name"].lower() == "key":
                return found[0]
            secrets.append((found["name"], _unquoted(found["value"])))
            return f"{found['head']}{_mask_of(found)}"

        for pattern in (_ASSIGNMENT, _NESTED_OPTION, _PAIR, _ENTRY):
            argument = re.sub(pattern, named, argument)
        return self.text(argument)

    def _value(self, name: str, value: Any) -> Any:
        """Return a value with its secrets masked; the same object if it has none.

        `name`: the key of the value, or "".
        """
        if self._is_secret(name) and value is not None:
            return mask(name, value)
        if isinstance(value, str):
            return self._text_of_value(value)
        if isinstance(value, Mapping):
            return self.values(value)
        if isinstance(value, (list, tuple)):
            masked = [self._value("", item) for item in value]
            is_same = all(map(operator.is_, masked, value))
            return value if is_same else masked
        return value

    def _text_of_value(self, text: str) -> str:
        """Return a text, which may be a connection string, with its secrets masked."""
        if "=" in text and "://" not in text:
            text = re.sub(_ASSIGNMENT, self._named, text)
        return self.text(text)

    # Each of these returns what takes the place of a match: the match with a mask in
    # it, or the match itself if it is not a secret.

    def _named(self, found: re.Match[str]) -> str:
        if not self._is_secret(found["name"]):
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
        if is_word or re.fullmatch(_MASK, value):
            return found[0]
        return f"{found['head']}{mask('authorization', value)}"

    def _url(self, found: re.Match[str]) -> str:
        """Return a URL with the login and the secret parameters masked."""

        def login(part: re.Match[str]) -> str:
            return mask("login", part["value"])

        def parameter(part: re.Match[str]) -> str:
            name, value = part["name"], part["value"]
            return f"{name}={mask(name, value)}" if self._is_secret(name) else part[0]

        url = re.sub(_LOGIN, login, found[0])
        return re.sub(_PARAMETER, parameter, url)


_REDACTION: pytest.StashKey[Redaction] = pytest.StashKey()


def redaction(config: pytest.Config) -> Redaction:
    """Return the object that masks secrets in this run, which is made on first use.

    It knows the secrets of options, of the command line and of the environment.
    """
    if _REDACTION not in config.stash:
        of_run = Redaction(config.getini("relevance_redact"))
        of_run.learn(vars(config.option))
        of_run.learn_arguments(map(str, config.invocation_params.args))
        of_run.learn_environment(os.environ)
        config.stash[_REDACTION] = of_run
    return config.stash[_REDACTION]


def _mask_of(found: re.Match[str]) -> str:
    """Return the mask of a value that a pattern found. Quotes around the value stay."""
    value = found["value"]
    inner = _unquoted(value)
    quote = value[0] if inner != value else ""
    return f"{quote}{mask(found['name'], inner)}{quote}"


def _unquoted(value: str) -> str:
    is_quoted = len(value) > 1 and value[0] == value[-1] and value[0] in "\"'"
    return value[1:-1] if is_quoted else value


def mask(name: str, value: Any) -> str:
    """Return the mask of a value: `<redacted 3f2a>`. A mask is returned as it is."""
    if isinstance(value, str):
        text = value
    else:
        text = as_json([value])
    if re.fullmatch(_MASK, text):
        return text
    digest = blake2b(
        f"{name.casefold()}\0{text}".encode("utf-8", "surrogatepass"),
        digest_size=2,
        person=b"redaction",
    )
    return f"<redacted {digest.hexdigest()}>"
