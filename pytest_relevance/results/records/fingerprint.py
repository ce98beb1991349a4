"""The fingerprint of what was searched, and what differs between two of them.

A fingerprint is a flat mapping from names to texts, numbers and booleans.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from pytest_relevance._text import printable, quoted, shown

Fingerprint = Mapping[str, Any]

Changes = Mapping[str, Sequence[Any]]
"""What differs between two fingerprints: {name: [value before, value now]}.

A value is None if its name is missing.
"""

MOST_SHOWN = 3
"""How many changes the report of one case names."""

_ABSENT, _LONGEST = "not known", 40
_ALLOWED = "a flat mapping of names to texts, numbers, true or false"


def checked(value: object) -> Fingerprint:
    """Return a fingerprint in builtin types, without the names whose value is None.

    Raises ValueError if it is not a mapping, or has a nested one or a value that JSON
    does not have.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"it is {_ALLOWED}, found {shown(value)}")
    fingerprint = {}
    for name, each in value.items():
        if not isinstance(name, str):
            raise ValueError(f"its names are texts, found {shown(name)}")
        plain = _plain(each)
        if plain is None and each is not None:
            raise ValueError(
                f"it is {_ALLOWED}; under {quoted(name, 40)} there is {shown(each)}"
            )
        if plain is not None:
            fingerprint[_whole(name)] = plain
    return fingerprint


def _plain(value: object) -> str | int | float | bool | None:
    """Return a value in a builtin type; None for a value that is not allowed."""
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
    """Escape halves of surrogate pairs in a text: pytest-xdist cannot send them."""
    return str.__str__(text).encode("utf-8", "backslashreplace").decode("utf-8")


def changed(before: Fingerprint, now: Fingerprint) -> Changes:
    """Return what differs, in the order of the names.

    Nothing differs if either fingerprint is empty, and so unknown.
    """
    if not (before and now):
        return {}
    changes = {}
    for name in dict.fromkeys([*now, *before]):
        if before.get(name) != now.get(name):
            changes[name] = [before.get(name), now.get(name)]
    return changes


def changed_since(baseline: Fingerprint, now: Fingerprint) -> Changes:
    """Return what differs from a baseline.

    A name that it lacks is not compared: updates of some cases may drop it.
    """
    changes = changed(baseline, now)
    return {name: values for name, values in changes.items() if name in baseline}


def common(fingerprints: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what all mappings have, with the same value."""
    first, *others = fingerprints
    shared = {}
    for name, value in first.items():
        if all(name in other and other[name] == value for other in others):
            shared[name] = value
    return shared


def changes_text(changes: Changes, most: int | None = None) -> str:
    """Write `index products-11 -> products-20, documents 19406 -> 20010`.

    If there are more than `most` changes, it has the first ones and counts the rest.
    """
    parts = []
    for name, (before, now) in changes.items():
        parts.append(f"{printable(name)} {value_text(before)} -> {value_text(now)}")
    if most is not None and len(parts) > most + 1:
        parts[most:] = [f"and {len(parts) - most} more"]
    return ", ".join(parts)


def value_text(value: object) -> str:
    """Write a value of a fingerprint, `not known` for None.

    None: the name is not there, or the shards of a merged run differ.
    """
    if value is None:
        return _ABSENT
    text = str(value).lower() if isinstance(value, bool) else printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
