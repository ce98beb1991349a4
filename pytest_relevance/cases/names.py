"""What a case, a tag and a fixture may be called.

A written id becomes part of the pytest node id unchanged, so what a node id cannot carry is refused. A query that
serves as id is the user's text and stays unchanged everywhere but in the node id, where it is percent-encoded.
"""

from __future__ import annotations

import keyword
import re
import unicodedata

from pytest_relevance._text import found as shown_value
from pytest_relevance._text import listed, quoted

RESERVED = frozenset({"pytestmark", "pytest_generate_tests"})
"""Names that pytest gives another meaning when a module has them."""
OWNED_TAGS = frozenset({"filterwarnings", "parametrize", "skip", "skipif", "usefixtures", "xfail"})
"""Markers that pytest itself owns; the plugin adds those that are registered."""
OF_EXPRESSIONS = frozenset({"and", "or", "not", "None", "True", "False"})
"""Words with a meaning of their own in the expressions of `-m`."""
_ALSO_KEYS = frozenset({"skip", "xfail", "usefixtures"})
_TAG = re.compile(r"[\w.+-]+")
_HARMLESS = re.compile(r"[\w .,;!?'\"()&+*/=<>|@#$^~-]*")  # nothing to encode; ":" needs a closer look
_ENCODED = frozenset("[]%")
_CONTROL = frozenset({"Cc", "Cs", "Zl", "Zp"})


def is_control(character: str) -> bool:
    """Whether a character controls a terminal or breaks a line rather than being shown."""
    return unicodedata.category(character) in _CONTROL


def wrong_id(text: str) -> str | None:
    """Say why a written id cannot be part of a node id; None where it can."""
    if not text.strip():
        return "the id is empty; leave the key out to have the query as id"
    found = [part for part in ("::", "[", "]") if part in text]
    if not text.isprintable() and any(map(is_control, text)):
        found.append("a control character")
    found += [f"a leading {part}" for part in ("__", ":") if text.startswith(part)]
    if text.endswith(":"):
        found.append("a trailing :")
    if found:
        return (
            f"the id {quoted(text)} has {listed(found, 'and')}, which a pytest node id cannot carry; "
            "choose another id, or leave it out to have the query as id"
        )
    return f"the id {quoted(text)} is reserved by pytest; choose another" if text in RESERVED else None


def node_name(query: str) -> str:
    """Encode a query that serves as id for a node id: what a node id cannot carry is percent-encoded."""
    if _HARMLESS.fullmatch(query) and not query.startswith("__") and query not in RESERVED:
        return query
    encoded = "".join(
        _percent(character) if character in _ENCODED or is_control(character) else character for character in query
    ).replace("::", "%3A%3A")
    if encoded.endswith(":"):  # before "::", which follows in some node ids, it would be read as part of that
        encoded = f"{encoded[:-1]}%3A"
    if encoded.startswith((":", "__")) or encoded in RESERVED:
        encoded = _percent(encoded[0]) + encoded[1:]
    return encoded


def wrong_tag(text: str, owned: frozenset[str]) -> str | None:
    """Say why a tag cannot be a marker of its own, `owned` being those of others; None where it can."""
    if not _TAG.fullmatch(text):
        return f"the tag {quoted(text)} may have letters, digits and . + - _ only, so that -m can name it"
    if text.startswith("_"):
        return f"the tag {quoted(text)} begins with _, which pytest allows no marker; choose another name"
    if text in owned:
        instead = f' (or write the key "{text}" of the case)' if text in _ALSO_KEYS else ""
        return f"the tag {quoted(text)} is a marker that pytest or a plugin already owns; choose another name{instead}"
    if text in OF_EXPRESSIONS:
        return f"the tag {quoted(text)} is a word of the language of -m; choose another name"
    return None


def wrong_fixture(value: object) -> str | None:
    """Say why a value cannot be the name of a fixture; None where it can."""
    if isinstance(value, str) and value.isidentifier() and not keyword.iskeyword(value):
        return None
    return f"expected the name of a fixture, as it stands in Python, found {shown_value(value)}"


def _percent(character: str) -> str:
    return "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
