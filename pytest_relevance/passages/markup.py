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

_UNDERSCORES = re.compile(r"_(?<![a-z0-9_]_)_*|_+(?![a-z0-9_])")
"""Marks of emphasis, but not those in max_size and my__size."""

_OTHER_MARKS = "*~`[]"
"""Marks of emphasis, of code, and around the text of a link."""

_NUMBER_IN_BRACKETS = re.compile(
    r"\[\^?\d{1,3}\](?:\(\#[^()\s]*\))?|\[\^[^\[\]\s]+\]:?"
)
"""The number of a footnote in brackets, also as a link: [1], [1](#n1), [^note]."""

_RAISED = re.compile("[¹²³⁰⁴-⁹]")
_RAISED_NUMBER = re.compile(
    r"(?<=[^\W\d_]{3}|..[.,;:!?)\"'])(?:<sup>\d{1,3}</sup>|[¹²³⁰⁴-⁹]{1,3})"
)
"""The raised number of a footnote after a word. After a unit it is none: km²."""

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
        text = _UNDERSCORES.sub("", text)
    for mark in _OTHER_MARKS:
        text = text.replace(mark, "")
    return text


def without_footnotes(text: str) -> str:
    """Return a text without the numbers of footnotes: [1], [^note], words¹, end.1"""
    if "[" in text:
        text = _NUMBER_IN_BRACKETS.sub("", text)
    if "<sup>" in text or _RAISED.search(text):
        text = _RAISED_NUMBER.sub("", text)
    return _NUMBER_AFTER_MARK.sub(r"\1", text)
