"""Secrets masked in what leaves the machine: params, fingerprints, error messages, the command line.

A mask has four hexadecimal digits of a digest, `<redacted 3f2a>`: the same value under the same name has the same mask
on every machine, so that a baseline notices that the value changed. There is no secret salt, which machines would have
to share; the digest is cut to 16 bits instead, so that one value in 65,536 has it and no value can be found from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from typing import Any

_MASK = r"<redacted [0-9a-f]{4}>"  # `re` compiles patterns on first use: most runs have nothing to mask
_OPTION = r"--|-[A-Za-z]$"  # an argument that is no value of the option before it
_LEAST_KNOWN = 6
"""The length from which a masked value is masked wherever it occurs in a text: a shorter one may be a common word."""

_VALUE = r"(?P<value>'[^']*'|\"[^\"]*\"|<redacted [0-9a-f]{4}>|[^\s&;,'\"()\[\]{}#]+)"
_URL = r"(?i)(?<![a-z0-9+.-])(?P<scheme>[a-z][a-z0-9+.-]*://)(?P<login>[^\s/?#@\"'<>]+)@"
_HEADERS = (
    r"(?i)(?P<name>\bBearer)(?P<sign>\s+)(?P<value>[\w.~+/-]{6,}=*)",
    r"(?i)(?P<name>\bAuthorization)(?P<sign>['\"]?\s*:\s*['\"]?\w+\s+)(?P<value>[\w.~+/-]+=*)",
)
_PAIRS = (
    r"(?<![\w.-])(?P<name>[\w.-]+)(?P<sign> ?=(?!=) ?)" + _VALUE,
    r"(?P<name>'[^'\s]+'|\"[^\"\s]+\")(?P<sign>\s*:\s*)" + _VALUE,
)
"""What has a name and a value in a text: `token=abc`, in URLs too, `token = 'abc'` of a traceback, `'token': 'abc'`."""
_MAY_NAME = re.compile("[=: ]").search  # most params are a word, which no pattern needs to be tried on


class Redaction:
    """Masks secrets: the values under secret names, and those in URLs and headers.

    A name is secret if the pattern is found in it, in upper or lower case; without a pattern no name is.
    """

    def __init__(self, pattern: str) -> None:
        """Compile the pattern. Raises `re.error` for an invalid one."""
        find = re.compile(pattern, re.IGNORECASE).search if pattern else None
        self._finds = lru_cache(maxsize=1024)(lambda name: find is not None and find(name) is not None)

    def values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """A mapping with the values under secret names masked, at every depth; the same object if there are none."""
        found = {name: self._value(str(name), value) for name, value in values.items()}
        return values if all(found[name] is value for name, value in values.items()) else found

    def text(self, text: str, known: Mapping[str, Any] | None = None) -> str:
        """A text with secrets masked: logins and parameters in URLs, `token=abc`, and values that `known` has masked.

        `known` are values by name, such as the params of a search.
        """
        for name, secret in self._secrets(known) if known else ():
            text = text.replace(secret, mask(name, secret))
        if "://" in text:
            text = re.sub(_URL, lambda found: f"{found['scheme']}{mask('login', found['login'])}@", text)
        if _MAY_NAME(text) is None:
            return text
        for pattern in _HEADERS:
            text = re.sub(pattern, _masked, text)
        for pattern in _PAIRS:
            text = re.sub(pattern, lambda found: _masked(found) if self._finds(found["name"]) else found[0], text)
        return text

    def node_id(self, node: str) -> str:
        """A node id with secrets masked among its parameters: `shop.relevance.yaml::boots[https://me:pw@host/]`."""
        name, bracket, parameters = node.partition("[")
        return f"{name}[{self.text(parameters)}" if bracket else node

    def distinct(self, names: Sequence[str | None]) -> list[str | None]:
        """Names with secrets masked; different ones stay different, by a number where their masks are equal."""
        found: dict[str | None, str | None] = {None: None}
        for name in names:
            if name is not None and name not in found:
                masked = unique = self.text(name)
                number = 1
                while unique in found.values():
                    number += 1
                    unique = f"{masked} {number}"
                found[name] = unique
        return [found[name] for name in names]

    def arguments(self, arguments: Iterable[str]) -> Iterator[str]:
        """The arguments of a command, with `--api-key=abc`, `--api-key abc` and secrets in URLs masked."""
        name = ""
        for argument in arguments:
            key, sign, value = argument.partition("=")
            if name and not re.match(_OPTION, argument):
                yield mask(name, argument)
            elif sign and "://" not in key and " " not in key and self._finds(key):
                yield f"{key}={mask(key.lstrip('-'), value)}"
            else:
                yield self.text(argument)
            is_option = argument.startswith("--") and "=" not in argument
            name = argument.lstrip("-") if is_option and self._finds(argument) else ""

    def _value(self, name: str, value: Any) -> Any:
        if self._finds(name) and value is not None:
            return mask(name, value)
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, Mapping):
            return self.values(value)
        if isinstance(value, (list, tuple)):
            found = [self._value("", each) for each in value]
            return value if all(map(lambda one, two: one is two, found, value)) else found
        return value

    def _secrets(self, values: Mapping[str, Any] | Sequence[Any], name: str = "") -> Iterator[tuple[str, str]]:
        """The texts under secret names, at every depth, that are long enough to be looked for in a message; with names.

        `name` is the secret name that all `values` are under, or empty.
        """
        pairs = values.items() if isinstance(values, Mapping) else (("", value) for value in values)
        for key, value in pairs:
            under = name or (str(key) if self._finds(str(key)) else "")
            if isinstance(value, (Mapping, list, tuple)):
                yield from self._secrets(value, under)
            elif under and isinstance(value, str) and len(value) >= _LEAST_KNOWN:
                yield under, value


def _masked(found: re.Match[str]) -> str:
    """What a pattern found, with its value masked; quotes stay."""
    name, value = found["name"].strip("'\""), found["value"]
    quote = value[0] if value[0] in "'\"" else ""
    return f"{found['name']}{found['sign']}{quote}{mask(name, value.strip(quote) if quote else value)}{quote}"


def _as_json(value: Any) -> str:
    from pytest_relevance.results.records.file import as_json

    return as_json([value])


def mask(name: str, value: Any) -> str:
    """`<redacted 3f2a>`, where the digits are those of the name and the value; a mask stays as it is."""
    text = value if isinstance(value, str) else _as_json(value)
    if re.fullmatch(_MASK, text):
        return text
    digest = blake2b(f"{name.casefold()}\0{text}".encode("utf-8", "surrogatepass"), digest_size=2, person=b"redaction")
    return f"<redacted {digest.hexdigest()}>"
