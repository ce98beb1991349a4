"""Check the ids, tags and names of fixtures that a case file writes.

A written id becomes part of the node id unchanged. So an id that a node id cannot have
is refused. A case without an id is named by its query, which is percent-encoded in the
node id, and unchanged everywhere else. A tag becomes a mark of pytest.
"""

from __future__ import annotations

import keyword
import re
import unicodedata
from functools import lru_cache

from pytest_relevance._text import found, listed, percent_encoded, quoted

CASE_FILE_ENDINGS = (".relevance.yaml", ".relevance.yml")
"""The endings of case files that pytest collects, and that are found in folders."""

YAML_ENDINGS = (".yaml", ".yml")
"""The endings of files that are taken for case files if they are named."""

RESERVED = frozenset({"pytestmark", "pytest_generate_tests"})
"""Names that pytest gives another meaning if a module has them."""

OWNED_TAGS = frozenset(
    {"filterwarnings", "parametrize", "skip", "skipif", "usefixtures", "xfail"}
)
"""Markers that pytest itself owns. The plugin adds those that are registered."""

OF_EXPRESSIONS = frozenset({"and", "or", "not", "None", "True", "False"})
"""Words with a meaning of their own in the expressions of `-m`."""

_TAG = re.compile(r"[\w.+-]+")
_ENCODED = frozenset("[]%")
_CONTROL = frozenset({"Cc", "Cs", "Zl", "Zp"})

_HARMLESS = re.compile(r"[\w .,;!?'\"()&+*/=<>|@#$^~-]*")
"""A text without a character that has to be encoded. A colon may have to be."""


def _is_control(character: str) -> bool:
    """Say whether a character controls a terminal or breaks a line."""
    return unicodedata.category(character) in _CONTROL


def wrong_id(text: str) -> str | None:
    """Return why a written id cannot be part of a node id; None if it can."""
    if not text.strip():
        return "the id is empty; leave the key out to have the query as id"
    refused = _refused_parts(text)
    if refused:
        return (
            f"the id {quoted(text)} has {listed(refused, 'and')}, which a pytest node id "
            "cannot carry; choose another id, or leave it out to have the query as id"
        )
    if text in RESERVED:
        return f"the id {quoted(text)} is reserved by pytest; choose another"
    return None


def _refused_parts(text: str) -> list[str]:
    """Return what an id of a case must not have, because node ids of pytest use it."""
    refused = []
    for part in ("::", "[", "]"):
        if part in text:
            refused.append(part)
    if not text.isprintable() and any(map(_is_control, text)):
        refused.append("a control character")
    for part in ("__", ":"):
        if text.startswith(part):
            refused.append(f"a leading {part}")
    if text.endswith(":"):
        refused.append("a trailing :")
    return refused


@lru_cache(maxsize=16)  # each case asks twice
def node_name(query: str) -> str:
    """Return a query in the form that it has in a node id, for a case without an id.

    Characters that a node id cannot have are percent-encoded.
    """
    if _HARMLESS.fullmatch(query) and not _has_meaning_to_pytest(query):
        return query
    encoded = ""
    for character in query:
        if character in _ENCODED or _is_control(character):
            encoded += percent_encoded(character)
        else:
            encoded += character
    encoded = encoded.replace("::", "%3A%3A")
    # In some node ids "::" follows. A colon before it would seem to belong to it.
    if encoded.endswith(":"):
        encoded = encoded.removesuffix(":") + "%3A"
    if encoded.startswith(":") or _has_meaning_to_pytest(encoded):
        encoded = percent_encoded(encoded[0]) + encoded[1:]
    return encoded


def _has_meaning_to_pytest(name: str) -> bool:
    return name.startswith("__") or name in RESERVED


def wrong_tag(text: str, owned: frozenset[str] = frozenset()) -> str | None:
    """Return why a tag cannot become a marker; None if it can.

    `owned` are the markers of pytest and plugins.
    """
    if not _TAG.fullmatch(text):
        return (
            f"the tag {quoted(text)} may have letters, digits and . + - _ only, so that -m "
            "can name it"
        )
    if text.startswith("_"):
        return (
            f"the tag {quoted(text)} begins with _, and a marker of pytest may not "
            "begin with _; choose another name"
        )
    if text in owned or text in OF_EXPRESSIONS:
        return (
            f"the tag {quoted(text)} is a marker or a word that pytest or a plugin already "
            "owns; choose another name, or take it out of the ini key markers"
        )
    return None


def wrong_fixture(value: object) -> str | None:
    """Return why a value cannot be the name of a fixture; None if it can."""
    if isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value):
        return None
    return (
        f"expected the name of a fixture, as it stands in Python, found {found(value)}"
    )
