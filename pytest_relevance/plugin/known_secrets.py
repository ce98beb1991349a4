"""Mask secrets that are known by their values, anywhere in a text.

A value becomes known if it has a secret name: as a param, an entry of the fingerprint,
an option, or an environment variable. The text of an exception may then repeat the
value anywhere. The value is found as it is, as URLs, JSON, HTML and Python encode it,
and in base64, also as a part of `user:password`.

A value that is too common is not masked, because it may mean something else: see
`is_distinct`.
"""

from __future__ import annotations

import json
import operator
import re
from base64 import b64encode
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from html import escape
from typing import Any
from urllib.parse import quote, quote_plus

SHORTEST = 8
"""The fewest characters of a value that is looked for."""

SHORTEST_MIXED = 5
"""The fewest characters of such a value with both letters and digits."""

_LONG, _BEGINNING = 24, 16
"""A value of more than 24 characters is also found by its first 16, because messages
cut long values.
"""

_BITS_OF_BASE64 = 6  # of a character
_FEWEST_BASE64 = 6  # so many characters are hardly ever found by chance
_BASE64 = r"[A-Za-z0-9+/_=-]*"
_REST = r"[A-Za-z0-9+/_=.~%-]*"


def is_distinct(value: str) -> bool:
    """Say whether a value is so unusual that it is hardly ever in a text by chance.

    Such a value has at least 8 characters, or at least 5 with both letters and digits.
    So "1", "en", "en_GB" and "price" are too common. A value of digits alone needs 8 of
    them.
    """
    has_letter = any(map(str.isalpha, value))
    has_digit = any(map(str.isdigit, value))
    if has_letter and has_digit:
        return len(value) >= SHORTEST_MIXED
    return len(value) >= SHORTEST and not value.isspace()


class KnownSecrets:
    """Keeps the secret values that are masked anywhere in a text."""

    def __init__(self) -> None:
        self._secrets: dict[str, _Secret] = {}

    def __bool__(self) -> bool:
        """Say whether any value is known."""
        return bool(self._secrets)

    def add(self, value: str, mask: str) -> None:
        """Mask a value, and each line of it, by `mask` from now on.

        A value or a line that is not distinct (`is_distinct`) is not masked.
        """
        for part in (value, *value.splitlines()):
            stripped = part.strip()
            if stripped not in self._secrets and is_distinct(stripped):
                self._secrets[stripped] = _Secret(stripped, mask)

    def hide(self, text: str) -> str:
        """Return a text with the known values masked."""
        longest_first = sorted(self._secrets, key=len, reverse=True)
        for value in longest_first:  # a secret may be the beginning of another one
            text = self._secrets[value].hide(text)
        return text

    def hide_in(self, values: Any, kept: frozenset[str] = frozenset()) -> Any:
        """Return values with the known secrets masked in all their texts.

        If no secret is found, the same object is returned.
        `values`: of builtin types, or dataclasses, at any depth.
        `kept`: keys and names of fields whose values stay as they are. The keys
            themselves always stay.
        """
        if isinstance(values, str):
            return self.hide(values)
        if isinstance(values, Mapping):
            return self._hide_in_mapping(values, kept)
        if isinstance(values, (list, tuple)):
            items = [self.hide_in(value, kept) for value in values]
            is_same = all(map(operator.is_, items, values))
            return values if is_same else type(values)(items)
        if is_dataclass(values) and not isinstance(values, type):
            before = {one.name: getattr(values, one.name) for one in fields(values)}
            after = self._hide_in_mapping(before, kept)
            return values if after is before else type(values)(**after)
        return values

    def _hide_in_mapping(
        self, values: Mapping[Any, Any], kept: frozenset[str]
    ) -> Mapping[Any, Any]:
        """Return a mapping with the known secrets masked, as `hide_in` does."""
        hidden = {}
        is_same = True
        for key, value in values.items():
            hidden[key] = value if key in kept else self.hide_in(value, kept)
            is_same = is_same and hidden[key] is value
        return values if is_same else hidden


class _Secret:
    """A secret value, with the pattern that finds it in all its forms."""

    def __init__(self, value: str, mask: str) -> None:
        self._value = value
        self._mask = mask
        forms = [*dict.fromkeys(_forms_of(value))]
        encoded = [*dict.fromkeys(_base64_of(value))]
        beginnings = [form[:_BEGINNING] for form in forms if len(form) > _LONG]
        self._patterns = [
            self._bounded(form) for form in sorted(forms, key=len, reverse=True)
        ]
        for beginning in beginnings:
            self._patterns.append(re.escape(beginning) + _REST)
        for inner in encoded:
            self._patterns.append(f"{_BASE64}{re.escape(inner)}{_BASE64}")
        self._needles = (*forms, *beginnings, *encoded)

    def hide(self, text: str) -> str:
        """Return a text with the value masked."""
        if not any(needle in text for needle in self._needles):
            return text
        return re.sub("|".join(self._patterns), lambda found: self._mask, text)

    def _bounded(self, form: str) -> str:
        """Return the pattern of a form. A short form is found only as a whole word."""
        pattern = re.escape(form)
        if len(self._value) < SHORTEST or self._value.isalpha():
            return rf"(?<![^\W_]){pattern}(?![^\W_])"
        return pattern


def _forms_of(value: str) -> Iterator[str]:
    """Yield a value as it is, and as JSON, Python, HTML and URLs encode it."""
    yield value
    yield json.dumps(value)[1:-1]
    yield json.dumps(value, ensure_ascii=False)[1:-1]
    yield repr(value)[1:-1]
    yield escape(value)
    for encoded in (quote(value, "", errors="replace"), quote(value, errors="replace")):
        yield encoded
        yield re.sub("%..", lambda found: found[0].lower(), encoded)
    yield quote_plus(value, errors="replace")


def _base64_of(value: str) -> Iterator[str]:
    """Yield the texts that base64 makes of a value inside a longer text.

    There are three, because base64 encodes groups of three bytes: the text depends on
    where in a group the value begins. Characters at the ends that also encode other
    bytes are left out.
    """
    data = value.encode("utf-8", "surrogatepass")
    for offset in range(3):
        encoded = b64encode(bytes(offset) + data).decode()
        first = -(-offset * 8 // _BITS_OF_BASE64)  # rounded up
        last = (offset + len(data)) * 8 // _BITS_OF_BASE64
        inner = encoded[first:last]
        if len(inner) >= _FEWEST_BASE64:
            yield inner
            yield inner.translate(_URL_SAFE)


_URL_SAFE = str.maketrans("+/", "-_")


def texts_in(value: Any) -> Iterable[str]:
    """Yield all strings and numbers in nested values, as text, without the keys."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from texts_in(each)
    elif isinstance(value, (list, tuple)):
        for each in value:
            yield from texts_in(each)
    elif value is not None and not isinstance(value, bool):
        yield str(value)
