"""Text and values as YAML that our reader, and any other, reads back as what they are.

Text stands plain only where no version of YAML could take it for anything else; the rest goes between double quotes,
which always mean text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import lru_cache

from pytest_relevance._text import quoted, shown
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.cases.scalars import number as number_of

LONGEST_KEY = 1000
"""Characters of a key as it is written: YAML reads simple keys up to 1024, longer ones stand behind a question mark."""

_PLAIN = re.compile(r"[\w/][\w .+&'()/%!-]*(?::(?=[^\s:])[\w .+&'()/%!-]*)*(?<! )")
_LIKE_A_NUMBER = re.compile(r"[0-9][0-9a-fox_.:e+ tz-]*", re.IGNORECASE)
_CONSTANTS = {None: "null", True: "true", False: "false"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_WORDS = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})


def scalar(text: str, *, flow: bool = False) -> str:
    """A text. With `flow` it stands between brackets or braces."""
    is_plain = (
        _PLAIN.fullmatch(text) is not None
        and not (flow and ":" in text)
        and text.casefold() not in _WORDS
        and _LIKE_A_NUMBER.fullmatch(text) is None
    )
    return text if is_plain else f'"{"".join(map(_escaped, text))}"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if 0xD800 <= code < 0xE000:
        raise ValueError(f"{quoted(character)} is half of a surrogate pair, which is no text")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


@lru_cache(maxsize=1024)  # a million grades are a handful of different ones
def number(found: float) -> str:
    """A number, a whole one without a fraction. ValueError for one that the reader would not take."""
    return _checked(str(int(found)) if is_number(found) and found == int(found) else _decimal(found), found)


def value(found: object) -> str:
    """Any value in one line: text, number, true, false, null, lists and mappings of these. ValueError for others."""
    if isinstance(found, str):
        return scalar(found, flow=True)
    if found is None or isinstance(found, bool):
        return _CONSTANTS[found]
    if isinstance(found, (int, float)):
        return _checked(_decimal(found), found)
    if isinstance(found, Mapping):
        return "{" + ", ".join(pair_in_braces(str(name), value(item)) for name, item in found.items()) + "}"
    if isinstance(found, (list, tuple)):
        return f"[{', '.join(map(value, found))}]"
    raise ValueError(f"{shown(found)} cannot be written in a case file")


def pair_in_braces(key: str, written: str) -> str:
    """A pair of a mapping in braces; `written` is its value as YAML."""
    name = scalar(key, flow=True)
    return f"{name}: {written}" if len(name) <= LONGEST_KEY else f"? {name} : {written}"


def pair_in_lines(key: str, written: str, indent: int) -> Iterator[str]:
    """A pair of a mapping in lines: in one, or in two where the key is too long for that."""
    name, pad = scalar(key), " " * indent
    if len(name) <= LONGEST_KEY:
        yield f"{pad}{name}: {written}"
    else:
        yield f"{pad}? {name}"
        yield f"{pad}: {written}"


def _decimal(found: float) -> str:
    """A number with its digits, a float with a fraction."""
    if not isinstance(found, float) or not is_number(found):
        return str(found)
    text = format(Decimal(repr(float(found))), "f")
    return text if "." in text else f"{text}.0"


def _checked(text: str, found: float) -> str:
    if number_of(text) != found:
        raise ValueError(f"{shown(found)} is no decimal number that a case file may have")
    return text
