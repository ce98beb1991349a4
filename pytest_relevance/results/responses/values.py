"""Say what a single value or object of a response is: an id, a score, a list, a mock.

A response is recognised by its attributes, for example `hits` or `fetchall`. Some
objects seem to have every attribute: mocks, and objects of a class with `__getattr__`.
An attribute of such an object counts only if `inspect.getattr_static` finds it.
`BY_GETATTR` lists the libraries whose `__getattr__` can be trusted.
"""

from __future__ import annotations

import inspect
import operator
import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from types import BuiltinFunctionType, MethodDescriptorType, WrapperDescriptorType
from typing import Any, TypeGuard

from pytest_relevance._ids import exact_text

# --- values ---------------------------------------------------------------------------

TEXTS = (str, bytes, bytearray, memoryview)
_TEXT = frozenset({str})


def is_list(value: object) -> TypeGuard[Sequence[object]]:
    """Say whether a value is a list, a tuple or another sequence, and not a text."""
    return isinstance(value, Sequence) and not isinstance(value, TEXTS)


def are_texts(values: Sequence[object]) -> bool:
    """Say whether all values are exactly `str`, and none is empty."""
    return set(map(type, values)) <= _TEXT and "" not in values


def plain_text(value: str) -> str:
    """Return a text as exactly `str`.

    pytest-xdist cannot send a subclass of str.
    """
    return str.__str__(value)


def has_dimensions(value: Any) -> bool:
    """Say whether a value is an array or a table.

    Call it before a value is compared or converted: an array may turn itself into a
    number.
    """
    return bool(attribute(value, "shape"))


def is_number(value: Any) -> bool:
    """Say whether a value is a number of Python or another library, such as numpy.

    True, False and arrays are not numbers.
    """
    return (
        hasattr(type(value), "__float__")
        and not isinstance(value, (bool, str))
        and not is_mock(value)
        and not has_dimensions(value)
    )


def is_integer(value: object) -> bool:
    """Say whether a value is an integer of any library. True and False are not."""
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
    """Say whether a value is a number, but not an integer: 2.5, and also 2.0.

    Such a value can be a score, but not an id.
    """
    return is_number(value) and not is_integer(value)


def is_score(value: object) -> bool:
    """Say whether a value is a number, or None for a missing score."""
    return value is None or is_number(value)


def is_id(value: object) -> bool:
    """Say whether a value could be an id: a text, an integer, a UUID or the like."""
    if isinstance(value, str) or is_integer(value):
        return True
    return exact_text(value) is not None and not is_number(value)


def is_row(result: object) -> bool:
    """Say whether a result is a row without names.

    A named tuple has names, and a row of psycopg2 may have them.
    """
    kind = type(result)
    if kind is tuple:
        return True
    if not issubclass(kind, (tuple, list)):
        return False
    return not has_attribute(result, "_fields") and not has_attribute(result, "keys")


# --- objects --------------------------------------------------------------------------

BY_GETATTR = frozenset(
    {
        "elasticsearch",
        "elasticsearch_dsl",
        "google",  # messages of protobuf
        "numpy",  # records
        "opensearchpy",
        "pinecone",  # before version 8
        "proto",  # messages of the clients of Google Cloud
        "pydantic",  # fields that a model does not declare
        "sqlalchemy",  # rows
    }
)
"""The packages whose `__getattr__` finds fields that an object has, and no others."""

MOCKS = ("unittest.mock", "mock", "asynctest", "flexmock", "mockito")
"""The modules and packages whose objects stand for other objects."""

_ABSENT = object()


def attribute(holder: object, name: str) -> object:
    """Return an attribute that an object really has.

    None if there is no attribute with this name, or if it is a method.
    """
    if answers_for_others(holder) and not _is_real(holder, name):
        return None
    value = getattr(holder, name, None)
    return None if callable(value) else value


def has_attribute(holder: object, name: str) -> bool:
    """Say whether an object really has an attribute or a method with this name."""
    if answers_for_others(holder):
        return _is_real(holder, name)
    return hasattr(holder, name)


def answers_for_others(holder: object) -> bool:
    """Say whether an object may make up attributes that it does not have."""
    kind: Any = type(holder)
    return _is_class_that_answers(kind)


def _is_real(holder: object, name: str) -> bool:
    """Say whether an object has an attribute that its class does not make up."""
    return inspect.getattr_static(holder, name, _ABSENT) is not _ABSENT


@lru_cache(maxsize=256)
def _is_class_that_answers(kind: type) -> bool:
    """Say whether a class has a hook for attributes that its objects do not have.

    Classes that are written in C, for example rows of a database driver, do not count.
    """
    for base in kind.__mro__:
        package = str(base.__module__).partition(".")[0]
        if package in BY_GETATTR:
            continue
        for name in ("__getattr__", "__getattribute__"):
            hook = vars(base).get(name)
            if hook is not None and not _is_of_c(hook, base):
                return True
    return False


def _is_of_c(hook: object, base: type) -> bool:
    """Say whether a method is written in C, and made for this class.

    `__getattr__ = dict.get` is made for another class, and accepts every name.
    """
    if not isinstance(hook, _OF_C):
        return False
    return getattr(hook, "__objclass__", base) is base


_OF_C = (WrapperDescriptorType, MethodDescriptorType, BuiltinFunctionType)
"""The types of functions and methods that are written in C."""


@lru_cache(maxsize=1024)
def is_a(kind: type, package: str, *names: str) -> bool:
    """Say whether a type, or a base of it, is one of these types of a package.

    The types are given by their names. The package need not be installed.
    """
    for base in kind.__mro__:
        is_of_package = f"{base.__module__}.".startswith(f"{package}.")
        if base.__name__ in names and is_of_package:
            return True
    return False


def is_mock(value: object) -> bool:
    """Say whether an object is a mock.

    A mock with a `spec` claims to be of another class, so `isinstance` does not find
    it.
    """
    kind: Any = type(value)
    return _is_class_of_mocks(kind)


@lru_cache(maxsize=256)
def _is_class_of_mocks(kind: type) -> bool:
    """Say whether a class, or a base of it, is of a module in `MOCKS`."""
    for base in kind.__mro__:
        module = f"{base.__module__}."
        if any(module.startswith(f"{mocks}.") for mocks in MOCKS):
            return True
    return False


def has_class(value: object) -> bool:
    """Say whether the `__class__` of an object is a class.

    An object with `__getattr__` may return anything for `__class__`.
    """
    try:
        return isinstance(value.__class__, type)
    except Exception:  # raised by its own `__getattribute__`
        return False


def is_keyed(document: object) -> bool:
    """Say whether an object has `keys` and square brackets, like a row of sqlite3."""
    kind = type(document)
    return hasattr(kind, "keys") and hasattr(kind, "__getitem__")


def is_name_of_field(holder: object, item: object) -> bool:
    """Say whether an item of an object is the name of one of its fields.

    The field may be an attribute, a property, or found in square brackets.
    """
    if not isinstance(item, str):
        return False
    if item in own_names(holder):
        return True
    kind = type(holder)
    if isinstance(inspect.getattr_static(kind, item, None), property):
        return True
    return hasattr(kind, "__getitem__") and _has_item(holder, item)


def _has_item(holder: Any, name: str) -> bool:
    try:
        holder[name]
    except Exception:  # anything: the class is the user's
        return False
    return True


def own_names(document: object) -> list[str]:
    """Return the names of the fields of a mapping, a row or an object, in their order.

    The fields of a mapping or a row are its keys. Those of an object are its attributes
    (`_fields`, `__slots__`, `__dict__`) that do not begin with an underscore.
    Properties are left out. A text or a number has no fields.
    """
    if isinstance(document, Mapping) or is_keyed(document):
        return [*document.keys()]  # type: ignore[attr-defined]
    names: dict[str, None] = {}
    for holder in ("_fields", "__struct_fields__", "__slots__", "__dict__"):
        for name in _names_in(document, holder):
            if not name.startswith("_"):
                names[name] = None
    return [*names]


def _names_in(document: object, holder: str) -> Sequence[str]:
    """Return the names that an attribute (`__slots__` or the like) of an object lists.

    A single name may be a text. () if the object lacks the attribute.
    """
    if not has_attribute(document, holder):
        return ()
    names = getattr(document, holder, ())
    if isinstance(names, str):
        return [names]
    if not isinstance(names, (tuple, list, Mapping)):
        return ()
    return [name for name in names if isinstance(name, str)]


# --- paths ----------------------------------------------------------------------------


def at_path(holder: object, path: Iterable[str]) -> object:
    """Return the value at a path of keys or attributes; None if there is none."""
    for name in path:
        if isinstance(holder, Mapping):
            holder = holder.get(name)
        else:
            holder = _attribute_spelled(holder, name)
    return holder


def _attribute_spelled(holder: object, name: str) -> object:
    """Return an attribute by its name, or by that name in snake case."""
    plain = name.removeprefix("@search.").removeprefix("@odata.")
    in_python = re.sub("(?<=[a-z])(?=[A-Z])", "_", plain).lower()
    for spelling in dict.fromkeys((plain, in_python)):
        value = attribute(holder, spelling)
        if value is not None:
            return value
    return None


def without_marks(name: object) -> str:
    """Return a name in lower-case letters alone: `nbhits` for nb_hits and nbHits."""
    return re.sub("[^a-z]", "", str(name).lower())


def as_shown(value: object) -> object:
    """Return a mapping as a dict, which messages show like JSON; else the value."""
    return dict(value) if isinstance(value, Mapping) else value
