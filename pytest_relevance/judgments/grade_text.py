"""Explain texts that are meant as numbers and are not: `2,5`, `90%`, `3 stars`."""

from __future__ import annotations

import re
import unicodedata
from math import isinf

_PLAIN = re.compile(r"[+-]?[0-9]+(?:\.[0-9]+)?")
_DECIMAL_COMMA = re.compile(r"[+-]?[0-9]*,[0-9]+")
_THOUSANDS = re.compile(r"[+-]?[0-9]{1,3}(?:[,' ][0-9]{3})+")
_PERCENT = re.compile(r"([+-]?[0-9]+(?:[.,][0-9]+)?)\s*%")
_OF_SEVERAL = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(?:/|out of|of)\s*([0-9]+)")
_WITH_WORDS = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*[^\w\s.,]*\s*\(?[^\W\d_][^\d]*")
_MARKED = re.compile(r"[^\w]*([0-9]+(?:\.[0-9]+)?)[^\w]*")
_NOT_FINITE = frozenset({"nan", "inf", "infinity", "∞"})
_NOTHING = frozenset({"-", "--", "?", "n/a", "#n/a"})
_MAY_BE_NOTHING = frozenset({"na", "none", "null", "nil", "unrated", "unjudged"})
_RANGE = re.compile(r"[0-9]+\s*[-\u2013]\s*[0-9]+")
_SIGNS = "\u2010\u2011\u2012\u2013\u2212"
"""Hyphens, dashes and the minus of typography."""


def why_no_grade(text: str) -> str | None:
    """Return why a text cannot be a grade, and what to write; None if it can.

    Such a text is meant as a number (`90%`), or means that nobody judged (`n/a`).
    """
    word = text.casefold()
    if word.lstrip("+-") in _NOT_FINITE or _is_too_large(text):
        return "is not a finite number; leave it empty if nobody judged the document"
    if word in _NOTHING:
        return "is not a number; leave it empty if nobody judged the document"
    if word in _MAY_BE_NOTHING:
        return (
            "is not a number; leave it empty if nobody judged the document, or give the name a number by a scale "
            f"(scale: {{{text}: 0}}, or --scale {text}=0 of a command)"
        )
    return why_no_number(text)


def why_no_number(text: str) -> str | None:
    """Return why a text is not a plain number, and what number to write.

    None if the text is a plain number, or if nothing in it looks like a number.
    """
    text = text.strip()
    if _PLAIN.fullmatch(text):
        return None
    if _RANGE.fullmatch(text):
        return "is a range; write one number"
    if _THOUSANDS.fullmatch(text):
        whole = re.sub(r"[,' ]", "", text)
        return f"has a separator in its number; write {whole}{_or_decimal(text)}"
    if _DECIMAL_COMMA.fullmatch(text):
        return f"has a decimal comma; write {text.replace(',', '.')}"
    percent = _PERCENT.fullmatch(text)
    if percent is not None:
        number = percent[1].replace(",", ".")
        hundredth = f"{float(number) / 100:g}"
        return f"has a percent sign; write the number alone: {number}, or {hundredth}"
    several = _OF_SEVERAL.fullmatch(text)
    if several is not None:
        return f"is a fraction; write the number alone: {several[1]}"
    plain = _in_ascii(text)
    if plain != text:
        return f"is not written in ASCII digits; write {plain}"
    marked = _MARKED.fullmatch(text) or _WITH_WORDS.fullmatch(text)
    if marked is not None:
        return f"has more than a number; write the number alone: {marked[1]}"
    return None


def _or_decimal(text: str) -> str:
    """Return the advice that 1,000 may be the decimal number 1.000; else ""."""
    if text.count(",") != 1:
        return ""
    return f", or {text.replace(',', '.')} if the comma is a decimal one"


def _is_too_large(text: str) -> bool:
    try:
        return isinf(float(text))
    except ValueError:
        return False


def _in_ascii(text: str) -> str:
    """Return a number in ASCII if it has foreign digits or signs; else the text."""
    plain = ""
    for character in text:
        number = unicodedata.numeric(character, None)
        if number is not None:
            plain += f"{number:g}"
        elif character in _SIGNS:
            plain += "-"
        else:
            plain += character
    return plain if _PLAIN.fullmatch(plain) else text
