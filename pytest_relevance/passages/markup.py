"""Remove the markup of Markdown and HTML, and the numbers of footnotes, from a text."""

from __future__ import annotations

import re

_MARKUP = re.compile(r"[*_`|#>\\\[<~•◦▪‣·]")
_MARKUP_AT_LINE_START = re.compile(r"\n[ \t]*(?:[-+:]\s|---|===)")

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")

_AT_LINE_START = re.compile(
    r"""^[ \t]*
    (?:
        >[> \t]*                                 # a quotation
      | \#{1,6}(?=\s)                            # a heading
      | [-+*:•◦▪‣·][ \t]+(?:\[[ xX]\][ \t]+)?    # an item of a list
      | (?:-{3,}|={3,})[ \t]*$                   # a line under a heading, a rule
    )""",
    re.VERBOSE | re.MULTILINE,
)

_PICTURE = re.compile(r"!\[[^\[\]]*\]\([^()]*\)")
_LINK_TARGET = re.compile(r"\](?:\((?:[^()]|\([^()]*\))*\)|\[[^\[\]]*\])")
"""What follows the text of a link: [text](target), [text][name of a target]."""

_ADDRESS = re.compile(r"<((?:[a-zA-Z][\w+.-]*:|[^<>\s@]+@)[^<>\s]*)>")
_INLINE_ELEMENT = re.compile(
    r"</?(?:a|abbr|b|code|em|i|mark|s|small|span|strong|sub|sup|u)\b[^<>]*>"
)
_ELEMENT = re.compile(r"</?[a-zA-Z][^<>]*>")

_CELL_END = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*(?=\|))?")
"""The bar between cells of a table, with a cell of the line under its head, if any."""

_UNDERSCORES = re.compile("_+")
_OTHER_MARKS = "*~`[]"
"""Marks of emphasis, of code, and around the text of a link."""

_NUMBER_IN_BRACKETS = re.compile(
    r"\[\^?\d{1,3}\](?:\(\#[^()\s]*\))?|\[\^[^\[\]\s]+\]:?"
)
"""The number of a footnote in brackets, also as a link: [1], [1](#n1), [^note]."""


def _after_word(first: str, rest: str) -> str:
    """Return a pattern of `first` and `rest` after a word or a punctuation mark.

    A word has at least three letters, so a unit such as km² is not a word.
    """
    after_letters = rf"(?<=[^\W\d_]{{3}}{first})"
    after_mark = rf"(?<=[.,;:!?)\"']{first})"
    return f"{first}(?:{after_letters}|{after_mark}){rest}"


_RAISED_NUMBER = re.compile(
    _after_word("[¹²³⁰⁴-⁹]", "[¹²³⁰⁴-⁹]{0,2}")
    + "|"
    + _after_word("<sup>", r"\d{1,3}</sup>")
)
"""The raised number of a footnote after a word: words¹. After a unit it is not: km²."""

_NUMBER_AFTER_MARK = re.compile(
    r"([.,;:!?)\"'])(?:(?<=[^\W\d_].)|(?<=[^\W\d_]\\.))\d{1,2}(?=\s|$)"
)
"""The number of a footnote that a loader has written behind a mark: It was late.3 We"""


def without_markup(text: str) -> str:
    """Return a text without the markup of Markdown and HTML."""
    if not (_MARKUP.search(text) or _MARKUP_AT_LINE_START.search(f"\n{text}")):
        return text
    text = _AT_LINE_START.sub(" ", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if "[" in text:
        text = _LINK_TARGET.sub("", _PICTURE.sub("", text))
    if "<" in text:
        text = _ADDRESS.sub(r"\1", text)
        text = _ELEMENT.sub(" ", _INLINE_ELEMENT.sub("", text))
    if "|" in text:
        text = _CELL_END.sub(" ", text)
    if "_" in text:
        text = _UNDERSCORES.sub(_within_name, text)
    for mark in _OTHER_MARKS:
        text = text.replace(mark, "")
    return text


def _within_name(found: re.Match[str]) -> str:
    """Return underscores that are within a name such as max_size; else nothing."""
    start, end = found.span()
    around = found.string[start - 1 : start] + found.string[end : end + 1]
    is_name = len(around) == 2 and around.isascii() and around.isalnum()
    return found[0] if is_name else ""


def without_footnotes(text: str) -> str:
    """Return a text without the numbers of footnotes: [1], [^note], words¹, end.1"""
    if "[" in text:
        text = _NUMBER_IN_BRACKETS.sub("", text)
    text = _RAISED_NUMBER.sub("", text)
    return _NUMBER_AFTER_MARK.sub(r"\1", text)
