"""Take from a text what no reader sees: marks of Markdown, link targets, entities."""

from __future__ import annotations

import re
from html import unescape

_MAY_HAVE_MARKUP = re.compile(
    r"[*_`|#>\\\[<&~•◦▪‣·]|\n[ \t]*(?:[-+]\s|---|===)|\A[-+]\s"
)

_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")

_AT_LINE_START = re.compile(
    r"""^[ \t]*
    (?:
        >[> \t]*                                 # a quotation
      | \#{1,6}(?=\s)                            # a heading
      | [-+*•◦▪‣·][ \t]+(?:\[[ xX]\][ \t]+)?     # an item of a list
      | (?:-{3,}|={3,})[ \t]*$                   # a line under a heading, a rule
    )""",
    re.VERBOSE | re.MULTILINE,
)

_LINK = re.compile(
    r"""
      !\[[^\[\]]*\]\([^()]*\)                    # a picture
    | \[\^?\d{1,3}\] | \[\^[^\[\]\s]+\]:?        # the number of a footnote: [1], [^note]
    | (?<=\])\((?:[^()]|\([^()]*\))*\)           # the target of a link: [text](target)
    """,
    re.VERBOSE,
)

_INLINE_ELEMENT = re.compile(
    r"</?(?:a|abbr|b|code|em|i|mark|s|small|span|strong|sub|sup|u)\b[^<>]*>"
)
_ELEMENT = re.compile(r"</?[a-zA-Z][^<>]*>")

_CELL_END = re.compile(r"\|(?:[ \t]*:?-+:?[ \t]*(?=\|))?")
"""Between cells of a table, or a cell of the line under its head."""

_EMPHASIS = re.compile(r"[*`~\[\]]|(?<![^\W_])_+|_+(?![^\W_])")
"""Marks of emphasis, of code and of the text of a link, but not that in max_size."""


def without_markup(text: str) -> str:
    """Return a text without the markup of Markdown and HTML, and without entities."""
    if not _MAY_HAVE_MARKUP.search(text):
        return text
    text = _AT_LINE_START.sub(" ", text)
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    if "[" in text:
        text = _LINK.sub("", text)
    if "<" in text:
        text = _ELEMENT.sub(" ", _INLINE_ELEMENT.sub("", text))
    if "|" in text:
        text = _CELL_END.sub(" ", text)
    text = _EMPHASIS.sub("", text)
    return unescape(text)
