"""How a scalar as written becomes a value, and when it stays text.

YAML's own guesses (`no` is false, `1e5` is text, `12:30` is 750 ...) are not used anywhere: this module is the whole
rule. Quotes always mean text. Plain `true`, `false`, `null` and decimal numbers without leading zeros convert, where a
key asks for a value at all; ids, queries, tags, names and notes never ask.
"""

from __future__ import annotations

import re

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
        found = number(text)
        grade = text if found is None else found
        self[text] = grade
        return grade
