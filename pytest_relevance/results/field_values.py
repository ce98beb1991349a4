"""Values of fields of results: which there are, and in how many results."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def scalars_in(value: Any) -> Sequence[Any]:
    """List the values of a field, which may have several; none for a null."""
    if type(value) is list:
        return [one for one in value if one is not None]
    return () if value is None else (value,)


def has_value(value: Any) -> bool:
    """Say whether a field has a value.

    A null has none, nor has an empty text or an empty list. NaN is read as null.
    """
    for one in scalars_in(value):
        if not isinstance(one, str) or one.strip():
            return True
    return False


def count_field_values(fields: Mapping[str, Sequence[Any]]) -> dict[str, int]:
    """Count for each field the results in which it has a value.

    A field without results is left out.
    """
    counts = {}
    for path, values in fields.items():
        if values:
            counts[path] = sum(1 for value in values if has_value(value))
    return counts
