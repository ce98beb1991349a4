"""Texts, numbers and other values as YAML in one line, for case files that are written.

A text is written without quotes only if every version of YAML reads it as this text.
Otherwise it is written in double quotes.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from decimal import Decimal
from functools import lru_cache

from pytest_relevance._text import quoted, shown
from pytest_relevance.cases.scalars import is_number, number

_PLAIN = re.compile(r"[^\W\d_][\w .+&'()/%!-]*(?<! )")
_WORDS = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})
_CONSTANTS = {None: "null", True: "true", False: "false"}


def write_text(text: str) -> str:
    """Return a text as a YAML scalar, which is valid between brackets and braces too.

    Raises ValueError if the text has half of a surrogate pair.
    """
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS:
        return text
    escaped = "".join(map(_escaped, text))
    return f'"{escaped}"'


@lru_cache(maxsize=1024)  # a million grades have few different values
def write_number(value: float) -> str:
    """Return a number as a YAML scalar. A whole number has no fraction.

    Raises ValueError if the reader of case files would not accept the number.
    """
    if is_number(value) and value == int(value):
        return _checked(str(int(value)), value)
    return _checked(_decimal(value), value)


def write_value(value: object) -> str:
    """Return a JSON value as YAML in one line.

    Raises ValueError if JSON has no such value.
    """
    if isinstance(value, str):
        return write_text(value)
    if value is None or isinstance(value, bool):
        return _CONSTANTS[value]
    if isinstance(value, (int, float)):
        return _checked(_decimal(value), value)
    if isinstance(value, Mapping):
        pairs = []
        for name, item in value.items():
            pairs.append(f"{write_text(str(name))}: {write_value(item)}")
        return "{" + ", ".join(pairs) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(write_value, value)) + "]"
    raise ValueError(f"{shown(value)} cannot be written in a case file")


def _escaped(character: str) -> str:
    """Return a character as a double-quoted text of YAML has it.

    Raises ValueError for half of a surrogate pair.
    """
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    if "\ud800" <= character <= "\udfff":
        raise ValueError(
            f"{quoted(character)} is half of a surrogate pair, which is not text"
        )
    return character.encode("unicode_escape").decode()  # YAML has the escapes of Python


def _decimal(value: float) -> str:
    """Return all digits of a number as text. A float has a fraction: `2.0`."""
    if not isinstance(value, float) or not is_number(value):
        return str(value)
    text = format(Decimal(repr(float(value))), "f")
    return text if "." in text else f"{text}.0"


def _checked(text: str, value: float) -> str:
    """Return `text`. Raises ValueError if the reader would not read it as `value`."""
    if number(text) != value:
        raise ValueError(
            f"{shown(value)} is not a decimal number that a case file may have"
        )
    return text
