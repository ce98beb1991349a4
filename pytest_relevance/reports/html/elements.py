"""Elements of an HTML page, which become HTML or data for the page's script.

Python writes a part of the page as HTML, and the script builds it from the same tree.
So both show it in the same way.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from pytest_relevance._text import harmless


@dataclass(frozen=True, slots=True)
class Element:
    """An element with its attributes and children. A child that is a str is plain text.

    Characters of texts and attributes that control or reorder text become visible.
    """

    name: str
    attributes: Mapping[str, str]
    children: Sequence[Element | str] = ()

    def html(self) -> str:
        """Return the element as HTML, with all texts escaped."""
        attributes = ""
        for name, value in self.attributes.items():
            attributes += f' {name}="{escape(harmless(value))}"'
        inner = ""
        for child in self.children:
            inner += escape(harmless(child)) if isinstance(child, str) else child.html()
        return f"<{self.name}{attributes}>{inner}</{self.name}>"

    def data(self) -> list[Any]:
        """Return `[name, {attribute: value}, child, ...]`, as JSON data."""
        attributes = {}
        for name, value in self.attributes.items():
            attributes[name] = harmless(value)
        children = []
        for child in self.children:
            children.append(harmless(child) if isinstance(child, str) else child.data())
        return [self.name, attributes, *children]


def element(
    name: str, kind: str = "", children: Iterable[Element | str] = (), /, **more: str
) -> Element:
    """Return an element of HTML. `kind`: its class. `more`: its other attributes."""
    attributes = {"class": kind} if kind else {}
    return Element(name, {**attributes, **more}, tuple(children))
