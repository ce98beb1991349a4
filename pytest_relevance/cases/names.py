"""The names a case goes by: its id, its name among pytest's node ids, its tags.

A written id stands in the node id as it is, so what a node id cannot carry is refused. A query that serves as id is the
user's text and stays raw everywhere but in the node id, where those characters are percent-encoded.
"""

from __future__ import annotations

import keyword
import re
import unicodedata

from pytest_relevance._text import found as shown_value
from pytest_relevance._text import listed, quoted
from pytest_relevance.cases.problems import Refused

RESERVED = frozenset({"pytestmark", "pytest_generate_tests"})
"""Names that pytest reads as something else when a module has them."""

OWNED_TAGS = frozenset({"filterwarnings", "parametrize", "skip", "skipif", "usefixtures", "xfail"})
"""Marks that pytest itself owns; the plugin adds those that are registered."""

OF_EXPRESSIONS = frozenset({"and", "or", "not", "None", "True", "False"})
"""Words that mean something else to `-m`."""

_TAG = re.compile(r"[\w.+-]+")
_HARMLESS = re.compile(r"[\w .,;!?'\"()&+*/=<>|@#$^~-]*")  # nothing to encode here; ":" is looked at more closely
_ENCODED = frozenset("[]%")
_CONTROL = frozenset({"Cc", "Cs", "Zl", "Zp"})


def is_control(character: str) -> bool:
    """Whether a character controls a terminal or breaks a line rather than being shown."""
    return unicodedata.category(character) in _CONTROL


def check_id(text: str) -> str:
    """A written id, or `Refused` when it cannot stand in a node id."""
    if not text.strip():
        raise Refused("the id is empty; leave the key out to have the query as id")
    found = [part for part in ("::", "[", "]") if part in text]
    if any(is_control(character) for character in text):
        found.append("a control character")
    found += [f"a leading {part}" for part in ("__", ":") if text.startswith(part)]
    if text.endswith(":"):
        found.append("a trailing :")
    if found:
        raise Refused(
            f"the id {quoted(text)} has {listed(found, 'and')}, which a pytest node id cannot carry; "
            "choose another id, or leave it out to have the query as id"
        )
    if text in RESERVED:
        raise Refused(f"the id {quoted(text)} is reserved by pytest; choose another")
    return text


def node_name(query: str) -> str:
    """The name of a case whose query is its id: the query, with what a node id cannot carry percent-encoded."""
    if _HARMLESS.fullmatch(query) and not query.startswith("__") and query not in RESERVED:
        return query
    encoded = "".join(
        _percent(character) if character in _ENCODED or is_control(character) else character for character in query
    ).replace("::", "%3A%3A")
    if encoded.endswith(":"):  # "FILE::a:" + "::" would be read as an id of its own
        encoded = f"{encoded[:-1]}%3A"
    if encoded.startswith((":", "__")) or encoded in RESERVED:
        encoded = _percent(encoded[0]) + encoded[1:]
    return encoded


def check_tag(text: str, owned: frozenset[str]) -> str:
    """A tag, or `Refused` when it cannot be a mark of its own."""
    if not _TAG.fullmatch(text):
        raise Refused(f"the tag {quoted(text)} may have letters, digits and . + - _ only, so that -m can name it")
    if text.startswith("_"):
        raise Refused(f"the tag {quoted(text)} begins with _, which pytest allows no marker; choose another name")
    if text in owned:
        raise Refused(
            f"the tag {quoted(text)} is a marker that pytest or a plugin already owns; choose another name"
            + _instead(text)
        )
    if text in OF_EXPRESSIONS:
        raise Refused(f"the tag {quoted(text)} is a word of the language of -m; choose another name")
    return text


def check_fixture_name(value: object) -> str:
    """The name of a fixture, or `Refused`."""
    if not isinstance(value, str) or not value.isidentifier() or keyword.iskeyword(value):
        raise Refused(f"expected the name of a fixture, as it stands in Python, found {shown_value(value)}")
    return value


def _instead(tag: str) -> str:
    keys = {"skip": "skip", "xfail": "xfail", "usefixtures": "usefixtures"}
    return f' (or write the key "{keys[tag]}" of the case)' if tag in keys else ""


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
