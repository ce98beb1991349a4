"""Compare the fingerprints of what was searched.

A fingerprint is a flat mapping from names to texts, numbers and booleans. It is checked
when a case gets it from a fixture. At the end of a run, and in reports, it is compared
with the fingerprint of the reference.
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
    """Return a fingerprint in the builtin types that JSON and pytest-xdist can carry.

    Names whose value is None are left out.

    Raises ValueError if it is not a mapping from texts to texts, finite numbers and
    booleans.
    """
    if not isinstance(value, Mapping):
        raise ValueError(f"it is {_ALLOWED}, found {shown(value)}")
    fingerprint = {}
    for name, each in value.items():
        if not isinstance(name, str):
            raise ValueError(f"its names are texts, found {shown(name)}")
        if each is not None:
            fingerprint[_sendable(name)] = _builtin(name, each)
    return fingerprint


def _builtin(name: str, value: object) -> str | int | float | bool:
    """Return the value of a name in a builtin type: 7 for `np.int64(7)`.

    Raises ValueError for a value that is not allowed.
    """
    is_scalar = getattr(value, "shape", None) == ()
    if type(value).__module__ == "numpy" and is_scalar:
        value = value.item()  # type: ignore[attr-defined]
    if isinstance(value, bool):
        return value
    if isinstance(value, str):
        return _sendable(value)
    if isinstance(value, int):
        return int(value)
    there = f"under {quoted(name, 40)} there is {shown(value)}"
    if not isinstance(value, float):
        raise ValueError(f"it is {_ALLOWED}; {there}")
    if not math.isfinite(value):
        raise ValueError(f"its numbers are finite; {there}")
    return float(value)


def _sendable(text: str) -> str:
    """Return a text as a plain `str` that pytest-xdist can send.

    `text` may be of a subclass of `str`. Lone surrogates, which cannot be sent, become
    escapes.
    """
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def changed(before: Fingerprint, now: Fingerprint) -> Changes:
    """Return what differs between two fingerprints.

    Empty if one of them is empty, that is, not known.
    """
    if not (before and now):
        return {}
    changes = {}
    for name in dict.fromkeys([*now, *before]):
        if before.get(name) != now.get(name):
            changes[name] = [before.get(name), now.get(name)]
    return changes


def changed_since(baseline: Fingerprint, now: Fingerprint) -> Changes:
    """Return what differs from the fingerprint of a baseline.

    Names that the baseline does not have are not compared: an update of some cases may
    have dropped them.
    """
    changes = changed(baseline, now)
    return {name: values for name, values in changes.items() if name in baseline}


def common(fingerprints: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return {name: value} for what all fingerprints have with the same value.

    `fingerprints`: at least one.
    """
    first, *others = fingerprints
    shared = {}
    for name, value in first.items():
        if all(name in other and other[name] == value for other in others):
            shared[name] = value
    return shared


def changes_text(changes: Changes, most: int | None = None) -> str:
    """Return changes as text: `index products-11 -> products-20, rows 19406 -> 20010`.

    After the first `most` changes, it says how many more there are.
    """
    parts = []
    for name, (before, now) in changes.items():
        parts.append(f"{printable(name)} {value_text(before)} -> {value_text(now)}")
    if most is not None and len(parts) > most + 1:
        parts[most:] = [f"and {len(parts) - most} more"]
    return ", ".join(parts)


def value_text(value: object) -> str:
    """Return a value of a fingerprint as text; `not known` for None.

    None means that the fingerprint does not have the name, or that the shards of a
    merged run differ.
    """
    if value is None:
        return _ABSENT
    text = str(value).lower() if isinstance(value, bool) else printable(str(value))
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 3]}..."
