"""What plain text in a case file means: a value, or the text itself.

YAML guesses: it reads `no` as false, `1e5` as text, and `12:30` as 750. This is not
done here. Quotes always mean text. Text without quotes is converted only if the key
wants a value, and only if it is `true`, `false`, `null`, or a decimal number without
leading zeros. Ids, queries, tags, names and notes stay text.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from math import isfinite
from typing import Any, TypeGuard

DECIMAL = r"-?(?:0|[1-9][0-9]{0,63})(\.[0-9]{1,64})?"
"""A decimal number without leading zeros; the group is its fraction."""
_COMPILED = re.compile(DECIMAL)

_CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None, "": None}


def number(text: str) -> int | float | None:
    """Return the number that a text is; None if it is not one.

    Only decimal numbers without leading zeros count.
    """
    match = _COMPILED.fullmatch(text)
    if match is None:
        return None
    fraction = match[1]
    return int(text) if fraction is None else float(text)


@lru_cache(maxsize=4096)  # a million grades have few different values
def grade(text: str) -> int | float | str:
    """Return the number that a text is, else the text itself.

    `no` and `true` stay text: they may be names of grades.
    """
    value = number(text)
    return text if value is None else value


def scalar_value(text: str) -> object:
    """Return true, false, null or the number that a text is, else the text itself."""
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    return grade(text)


def with_type(value: Any) -> tuple[bool, Any]:
    """Return (whether a value is a boolean, the value).

    Such pairs are equal only if their values are the same in YAML and JSON. In Python 1
    equals True.
    """
    return isinstance(value, bool), value


def is_number(value: object) -> TypeGuard[float]:
    """Say whether a value is a finite number that a float can hold.

    True and false are not numbers.
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return False
    return are_finite((value,))


def are_finite(numbers: Iterable[float]) -> bool:
    """Say whether all numbers are finite and fit into a float."""
    try:
        return all(map(isfinite, numbers))
    except OverflowError:
        return False
