"""Elements of an HTML page. They become HTML, or JSON for the script of the page.

The first rows of a table are in the page as HTML, and all rows as JSON. Both are made
of the same elements, so they look alike.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import NamedTuple

from pytest_relevance._text import harmless


class Element(NamedTuple):
    """An element with its attributes and children. A child that is a str is plain text.

    In JSON it is `[name, {attribute: value}, [child, ...]]`. `element` makes elements.
    """

    name: str
    attributes: Mapping[str, str]
    children: Sequence[Element | str]


def element(
    name: str, kind: str = "", children: Iterable[Element | str] = (), /, **more: str
) -> Element:
    """Return an element of HTML.

    In texts and values, control characters and characters that reorder text are
    escaped.

    `kind`: the class of the element; "" for none.
    `more`: the other attributes.
    """
    attributes = {"class": kind} if kind else {}
    for attribute, value in more.items():
        attributes[attribute] = harmless(value)
    shown = [harmless(each) if isinstance(each, str) else each for each in children]
    return Element(name, attributes, shown)


def element_html(tree: Element) -> str:
    """Return an element as HTML, with all texts escaped."""
    attributes = ""
    for name, value in tree.attributes.items():
        attributes += f' {name}="{escape(value)}"'
    inner = ""
    for child in tree.children:
        inner += escape(child) if isinstance(child, str) else element_html(child)
    return f"<{tree.name}{attributes}>{inner}</{tree.name}>"
