"""Elements of an HTML page, which become HTML or data for the page's script.

Python writes a part of the page as HTML, and the script builds it from the same tree.
So both show it in the same way.
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
    """Return an element of HTML. `kind`: its class. `more`: its other attributes.

    Characters of texts and attributes that control or reorder text become visible.
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
