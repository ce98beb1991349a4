"""Mask secrets in records and reports: values under secret names, and the credentials in URLs.

A mask has four hexadecimal digits of a digest, `<redacted 3f2a>`: the same value under the same name has the same mask
on every machine, so that a baseline notices that the value changed. There is no secret salt, which machines would have
to share; the digest is cut to 16 bits instead, so that one value in 65,536 has it and no value can be found from it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from hashlib import blake2b
from typing import Any

_MASK = r"<redacted [0-9a-f]{4}>"  # `re` compiles patterns on first use: most runs have nothing to mask
_OPTION = r"--|-[A-Za-z]$"  # an argument that is not the value of the option before it
_URL = r"(?i)(?<![a-z0-9+.-])[a-z][a-z0-9+.-]*://(?:[^\s\"'<>]|<redacted [0-9a-f]{4}>)+"
_LOGIN = r"(?<=://)(?P<value>[^/?#@]+)(?=@)"
_PARAMETER = r"(?<=[?&;#])(?P<name>[^=&;#]+)=(?P<value>[^&;#]*)"


class Redaction:
    """Masks the values under secret names in mappings and in the arguments of a command, and credentials in URLs.

    A name is secret if the pattern is found in it, in upper or lower case; without a pattern no name is secret.
    """

    def __init__(self, pattern: str) -> None:
        """Compile the pattern. Raises `re.error` for an invalid one."""
        find = re.compile(pattern, re.IGNORECASE).search if pattern else None
        self._finds = lru_cache(maxsize=1024)(
            lambda name: find is not None and find(name) is not None
        )

    def values(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        """A mapping with the values under secret names masked, at every depth; the same object if there are none."""
        found = {name: self._value(str(name), value) for name, value in values.items()}
        return (
            values
            if all(found[name] is value for name, value in values.items())
            else found
        )

    def text(self, text: str) -> str:
        """A text with the logins in its URLs masked, and the values of their parameters that have secret names."""
        if "://" not in text:
            return text

        def parameter(found: re.Match[str]) -> str:
            name, value = found["name"], found["value"]
            return f"{name}={mask(name, value)}" if self._finds(name) else found[0]

        def url(found: re.Match[str]) -> str:
            return re.sub(
                _PARAMETER,
                parameter,
                re.sub(_LOGIN, lambda login: mask("login", login["value"]), found[0]),
            )

        return re.sub(_URL, url, text)

    def arguments(self, arguments: Iterable[str]) -> Iterator[str]:
        """The arguments of a command, with `--api-key=abc`, `--api-key abc` and credentials in URLs masked."""
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
            return (
                value if all(map(lambda one, two: one is two, found, value)) else found
            )
        return value


def mask(name: str, value: Any) -> str:
    """`<redacted 3f2a>`, with a digest of the name and the value; a value that is a mask is returned unchanged."""
    if isinstance(value, str):
        text = value
    else:
        from pytest_relevance.results.records.file import as_json

        text = as_json([value])
    if re.fullmatch(_MASK, text):
        return text
    digest = blake2b(
        f"{name.casefold()}\0{text}".encode("utf-8", "surrogatepass"),
        digest_size=2,
        person=b"redaction",
    )
    return f"<redacted {digest.hexdigest()}>"
