"""Texts as HTML, and the files that a page is made of."""

from __future__ import annotations

from html import escape
from importlib.resources import files

from pytest_relevance._text import harmless

ARROW = "\N{RIGHTWARDS ARROW}"


def text(value: str) -> str:
    """Write user's text as HTML.

    Markup is escaped, and so are control characters and those that reorder text.
    """
    return escape(harmless(value))


def with_arrows(sentence: str) -> str:
    """Write a sentence with texts of users as HTML, with arrows."""
    return text(sentence.replace(" -> ", f" {ARROW} "))


def package_text(package: str, name: str) -> str:
    """Return the text of a file in the folder of a package."""
    return (files(package) / name).read_text(encoding="utf-8")


def shared_style() -> str:
    """Return the style that all pages have."""
    return package_text("pytest_relevance.reports.html", "page.css")
