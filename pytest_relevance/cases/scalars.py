"""How a scalar as written becomes a value, and when it stays text.

YAML's own guesses (`no` is false, `1e5` is text, `12:30` is 750 ...) are not used anywhere: this module is the whole
rule. Quotes always mean text. Plain `true`, `false`, `null` and decimal numbers without leading zeros convert, where a
key asks for a value at all; ids, queries, tags, names and notes never ask.
"""

from __future__ import annotations

import re
from math import isfinite
from typing import TypeGuard

DECIMAL = re.compile(r"-?(?:0|[1-9][0-9]{0,63})(\.[0-9]{1,64})?")
"""A decimal number without leading zeros; the group is its fraction."""

CONSTANTS: dict[str, object] = {"true": True, "false": False, "null": None, "": None}


def number(text: str) -> int | float | None:
    """The number that plain `text` is, or None when it is no decimal number without leading zeros."""
    match = DECIMAL.fullmatch(text)
    if match is None:
        return None
    return float(text) if match[1] else int(text)


def value(text: str) -> object:
    """What a plain scalar means where a value is wanted: true, false, null, a number, else the text itself."""
    if text in CONSTANTS:
        return CONSTANTS[text]
    found = number(text)
    return text if found is None else found


class Grades(dict[str, int | float | str]):
    """Plain text to the grade written there: a number, else the text (a grade's name). Remembers what it has seen."""

    def __missing__(self, text: str) -> int | float | str:
        """Read a text for the first time."""
        found = number(text)
        grade = text if found is None else found
        self[text] = grade
        return grade


def is_number(value: object) -> TypeGuard[float]:
    """Whether a value is a finite number; true and false are none, and neither is what no float can hold."""
    try:
        return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)
    except OverflowError:
        return False


def number_advice(value: object) -> str:
    """What to write instead, where a number is wanted and `value` is a text that means one; else nothing."""
    if not isinstance(value, str):
        return ""
    if number(value) is not None:
        return f"; write {value} without quotes"
    try:
        meant = float(value)
    except ValueError:
        return ""
    decimal = f"{meant:.9f}".rstrip("0").rstrip(".") if isfinite(meant) else ""
    return f"; write it as {decimal}" if number(decimal) is not None and float(decimal) == meant else ""
