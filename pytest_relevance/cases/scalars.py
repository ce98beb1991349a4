"""What plain text in a case file means: a value, or the text itself.

The guesses of YAML are not used: `no` is false for YAML, `1e5` is text, and `12:30` is
750. Quotes always mean text. Of plain scalars, `true`, `false`, `null` and decimal
numbers without leading zeros are converted, if the key asks for a value. Ids, queries,
tags, names and notes stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from math import isfinite
from typing import TypeGuard

DECIMAL = r"-?(?:0|[1-9][0-9]{0,63})(\.[0-9]{1,64})?"
"""A decimal number without leading zeros; the group is its fraction."""
_COMPILED = re.compile(DECIMAL)

_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None, "": None}


def number(text: str) -> int | float | None:
    """Convert a decimal number without leading zeros; None for any other text."""
    match = _COMPILED.fullmatch(text)
    if match is None:
        return None
    fraction = match[1]
    return int(text) if fraction is None else float(text)


@lru_cache(maxsize=4096)  # a million grades have few different values
def grade(text: str) -> int | float | str:
    """Convert the plain text of a grade: a number, else the text itself.

    So the name of a grade may be `no` or `true`.
    """
    value = number(text)
    return text if value is None else value


def scalar_value(text: str) -> object:
    """Convert plain text to true, false, null or a number; else keep the text."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return grade(text)


def is_number(value: object) -> TypeGuard[float]:
    """Say whether a value is a finite number that a float can hold.

    True and false are not numbers.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return are_finite((value,))


def are_finite(numbers: Iterable[float]) -> bool:
    """Say whether numbers are finite, and a float can hold them."""
    try:
        return all(map(isfinite, numbers))
    except OverflowError:
        return False
