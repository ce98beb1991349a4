"""Scalars: what plain text in a case file means, and how values are written as text.

The guesses of YAML itself (`no` is false, `1e5` is text, `12:30` is 750 ...) are not used. Quotes always mean text. Of
plain scalars, `true`, `false`, `null` and decimal numbers without leading zeros are converted, where the key asks for a
value at all; ids, queries, tags, names and notes stay text.

What is written here is read back as the same value by this reader and by any other reader of YAML: text stands plain
only where no version of YAML could take it for anything else, and in double quotes otherwise.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import lru_cache
from math import isfinite
from typing import TypeGuard

from pytest_relevance._text import quoted, shown

DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,63})(\.[0-9]{1,64})?")
"""A decimal number without leading zeros; the group is its fraction."""

CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None, "": None}

_PLAIN = re.compile(r"[\w/][\w .+&'()/%!-]*(?::(?=[^\s:])[\w .+&'()/%!-]*)*(?<! )")
_LIKE_A_NUMBER = re.compile(r"[0-9][0-9a-fox_.:e+ tz-]*", re.IGNORECASE)
_WRITTEN_CONSTANTS = {None: "null", True: "true", False: "false"}
_WORDS = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})


def number(text: str) -> int | float | None:
    """Convert plain text to a number; None where it is no decimal number without leading zeros."""
    match = DECIMAL.fullmatch(text)
    if match is None:
        return None
    return float(text) if match[1] else int(text)


def value(text: str) -> object:
    """Convert a plain scalar where a value is wanted: true, false, null, a number, else the text itself."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    found = number(text)
    return text if found is None else found


@lru_cache(maxsize=4096)  # a million grades are a handful of different ones
def grade(text: str) -> int | float | str:
    """Convert the plain text of a grade: a number, else the text itself, so that its name may be `no` or `true`."""
    found = number(text)
    return text if found is None else found


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number that a float can hold; true and false are none."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:
        return False


def write_text(text: str, *, flow: bool = False) -> str:
    """Write a text as a scalar; with `flow`, one that stands between brackets or braces.

    Raises:
        ValueError: for half of a surrogate pair.
    """
    is_plain = (
        _PLAIN.fullmatch(text) is not None
        and not (flow and ":" in text)
        and text.casefold() not in _WORDS
        and _LIKE_A_NUMBER.fullmatch(text) is None
    )
    return text if is_plain else f'"{"".join(map(_escaped, text))}"'


@lru_cache(maxsize=1024)  # a million grades are a handful of different ones
def write_number(found: float) -> str:
    """Write a number, a whole one without a fraction.

    Raises:
        ValueError: for a number that the reader would not accept.
    """
    return _checked(str(int(found)) if is_number(found) and found == int(found) else _decimal(found), found)


def write_value(found: object) -> str:
    """Write a text, number, true, false, null, or a list or mapping of these, in one line.

    Raises:
        ValueError: for any other value.
    """
    if isinstance(found, str):
        return write_text(found, flow=True)
    if found is None or isinstance(found, bool):
        return _WRITTEN_CONSTANTS[found]
    if isinstance(found, (int, float)):
        return _checked(_decimal(found), found)
    if isinstance(found, Mapping):
        pairs = (f"{write_text(str(name), flow=True)}: {write_value(item)}" for name, item in found.items())
        return f"{{{', '.join(pairs)}}}"
    if isinstance(found, (list, tuple)):
        return f"[{', '.join(map(write_value, found))}]"
    raise ValueError(f"{shown(found)} cannot be written in a case file")


def write_judgment(ratings: Sequence[float], title: str | None = None) -> str:
    """Write the judgment of a document: its grade, a list of ratings, or the long form where there is a title."""
    grade = write_number(ratings[0]) if len(ratings) == 1 else f"[{', '.join(map(write_number, ratings))}]"
    return f"{{grade: {grade}, title: {write_text(title, flow=True)}}}" if title else grade


def _escaped(character: str) -> str:
    if character in '"\\':
        return f"\\{character}"
    if character.isprintable():
        return character
    if "\ud800" <= character <= "\udfff":
        raise ValueError(f"{quoted(character)} is half of a surrogate pair, which is no text")
    return character.encode("unicode_escape").decode()  # YAML has the escapes of Python


def _decimal(found: float) -> str:
    """All digits of a number, a float with a fraction."""
    if not isinstance(found, float) or not is_number(found):
        return str(found)
    text = format(Decimal(repr(float(found))), "f")
    return text if "." in text else f"{text}.0"


def _checked(text: str, found: float) -> str:
    if number(text) != found:
        raise ValueError(f"{shown(found)} is no decimal number that a case file may have")
    return text
