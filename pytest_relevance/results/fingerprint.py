"""The fingerprint of a run: what was searched, as a flat mapping from names to texts, numbers and booleans."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_relevance._text import printable, quoted, shown

Fingerprint = Mapping[str, Any]

Changes = Mapping[str, Sequence[Any]]
"""What differs between two fingerprints: by name the value before and the value now, None where there is none."""

MOST_SHOWN = 3
"""How many changes the report of one case names."""

_ABSENT, _LONGEST = "none", 40
_ALLOWED = "a flat mapping of names to texts, numbers, true or false"


def checked(value: object) -> Fingerprint:
    """A fingerprint in builtin types; None under a name says nothing, and is left out.

    Raises ValueError for what is no mapping, for a nested one, and for a value that JSON does not have.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"it is {_ALLOWED}, found {shown(value)}")
    found = {}
    for name, each in value.items():
        if not isinstance(name, str):
            raise ValueError(f"its names are texts, found {shown(name)}")
        plain = _plain(each)
        if plain is None and each is not None:
            raise ValueError(f"it is {_ALLOWED}; under {quoted(name, 40)} there is {shown(each)}")
        if plain is not None:
            found[_whole(name)] = plain
    return found


def _plain(value: object) -> str | int | float | bool | None:
    """A value in a builtin type; None for a value that is not allowed."""
    if type(value).__module__ == "numpy" and getattr(value, "shape", None) == ():
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _whole(value)
    if isinstance(value, int):
        return int(value)
    return float(value) if isinstance(value, float) and math.isfinite(value) else None


def _whole(text: str) -> str:
    """A text with halves of surrogate pairs escaped: pytest-xdist cannot send them."""
    return str.__str__(text).encode("utf-8", "backslashreplace").decode("utf-8")


def changed(before: Fingerprint, now: Fingerprint) -> Changes:
    """What differs, in the order of the names; nothing where either fingerprint is empty, and so unknown."""
    if not (before and now):
        return {}
    names = dict.fromkeys([*now, *before])
    return {name: [before.get(name), now.get(name)] for name in names if before.get(name) != now.get(name)}


def common(fingerprints: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What all mappings have, with the same value."""
    first, *others = fingerprints
    return {
        name: value for name, value in first.items() if all(name in each and each[name] == value for each in others)
    }


def changes_text(changes: Changes, most: int | None = None) -> str:
    """`index products-11 -> products-20, documents 19406 -> 20010`; of more than `most` the first, and a count."""
    parts = [f"{printable(name)} {_value(before)} -> {_value(now)}" for name, (before, now) in changes.items()]
    if most is not None and len(parts) > most + 1:
        parts[most:] = [f"and {len(parts) - most} more"]
    return ", ".join(parts)


def _value(value: object) -> str:
    if value is None:
        return _ABSENT
    text = str(value).lower() if isinstance(value, bool) else printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
