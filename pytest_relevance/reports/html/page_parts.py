"""What every HTML page has: escaped texts, style, script, and a security policy."""

from __future__ import annotations

import base64
from hashlib import sha256
from html import escape
from importlib.resources import files

from pytest_relevance._text import harmless

ARROW = "\N{RIGHTWARDS ARROW}"


def text(value: str) -> str:
    """Return any text as HTML.

    Markup, control characters, and characters that reorder text are escaped.
    """
    return escape(harmless(value))


def with_arrows(sentence: str) -> str:
    """Return a sentence as HTML, with an arrow in the place of ` -> `.

    Markup, control characters, and characters that reorder text are escaped.
    """
    return text(sentence.replace(" -> ", f" {ARROW} "))


def package_text(package: str, name: str) -> str:
    """Return the text of a file in the folder of a package.

    `package`: its dotted name. `name`: of the file, for example `script/list.js`.
    """
    return (files(package) / name).read_text(encoding="utf-8")


def shared_style() -> str:
    """Return the CSS that all pages have."""
    return package_text("pytest_relevance.reports.html", "page.css")


def content_security_policy(
    style: str, script: str = "", *, images: bool = False
) -> str:
    """Return the Content-Security-Policy of a page.

    It allows only this style and this script.

    `images`: whether it also allows pictures from the network.
    """
    sources = ["default-src 'none'", f"style-src '{_digest(style)}'"]
    if script:
        sources.append(f"script-src '{_digest(script)}'")
    if images:
        sources.append("img-src http: https:")
    return "; ".join([*sources, "base-uri 'none'", "form-action 'none'"])


def _digest(text: str) -> str:
    """Return the SHA-256 of an inline style or script, as a policy names it."""
    digest = base64.b64encode(sha256(text.encode("utf-8")).digest())
    return f"sha256-{digest.decode('ascii')}"
