"""Texts as HTML, and the files of this folder."""

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


def file_text(name: str) -> str:
    """Return the text of a file of this folder."""
    return (files("pytest_relevance.reports.html") / name).read_text(encoding="utf-8")
