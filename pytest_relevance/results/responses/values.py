"""What a single value may be: an id, a score, an array, a list."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import Any, TypeGuard

from pytest_relevance._ids import exact_text
from pytest_relevance.results.responses.attributes import attribute, is_mock

TEXTS = (str, bytes, bytearray, memoryview)


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Whether a value is a list, a tuple or another sequence, and not a text."""
    return isinstance(value, Sequence) and not isinstance(value, TEXTS)


def has_dimensions(value: Any) -> bool:
    """Whether a value is an array of numbers, which may convert itself to one number or
    warn that it does.
    """
    return bool(attribute(value, "shape"))


def is_number(value: Any) -> bool:
    """Whether a value is a number; True and False are none.

    What numpy, torch and the like call a scalar has `__float__`. So have their arrays,
    which have a shape.
    """
    return (
        hasattr(type(value), "__float__")
        and not isinstance(value, (bool, str))
        and not is_mock(value)
        and not has_dimensions(value)
    )


def is_integer(value: object) -> bool:
    """Whether a value is an integer, of Python or of a library; True and False are
    none.
    """
    if type(value) is int:
        return True
    if isinstance(value, bool) or not hasattr(type(value), "__index__"):
        return False
    if is_mock(value) or has_dimensions(value):
        return False
    try:
        operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


def is_fraction(value: object) -> bool:
    """Whether a value is of a type that may have a fraction: it can be a score, and not
    an id.
    """
    return is_number(value) and not is_integer(value)


def is_score(value: object) -> bool:
    """Whether a value is a number, or None for a score that is not there."""
    return value is None or is_number(value)


def is_id(value: object) -> bool:
    """Whether a value could be an id, and no score: a text, an integer, a UUID, an
    ObjectId.
    """
    if isinstance(value, str) or is_integer(value):
        return True
    return exact_text(value) is not None and not is_number(value)
