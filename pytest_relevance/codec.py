r"""Convert dataclasses to JSON values and back, by their type hints.

`encode` leaves out each field that equals its default. `decode` checks the type of each
value, and ignores keys that are not fields: a later version may have added them. A path
in its errors leads to the value: `ranking.grades[3]: expected a number or null, found
'three'`.

| type hint | JSON |
|---|---|
| `str`, `int`, `float`, `bool`, `None` | the same; a whole number may stand for a `float` |
| `Any` | any value, which stays as it is |
| `Sequence[T]`, `tuple[T, ...]` | a list, which becomes a tuple |
| `tuple[A, B]` | a list of this length, which becomes a tuple |
| `Mapping[str, T]` | an object |
| `Mapping[float, T]` | an object whose keys are numbers, written as text |
| `A \| B` | what either has; no two of them may have the same type in JSON |
| a dataclass | an object |
| a class given to `keep_as_text` | a text |
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import MISSING, Field, dataclass, fields, is_dataclass
from functools import cache
from itertools import repeat
from types import NoneType, UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from pytest_relevance._text import shown, shown_path

Decoded = TypeVar("Decoded")

_PLAIN = (str, int, float, bool, NoneType)
_SCALARS: frozenset[type] = frozenset(_PLAIN)
_ANY_TYPE = _SCALARS | {list, dict}


class DecodeError(ValueError):
    """A JSON value that does not fit its type hint.

    `path`: the keys and indexes that lead to the value.
    """

    def __init__(self, message: str, path: tuple[str | int, ...] = ()) -> None:
        super().__init__(message, path)
        self.message = message
        self.path = path

    def __str__(self) -> str:
        """Return the path and the message: `ranking.grades[3]: expected a number`."""
        if not self.path:
            return self.message
        return f"{shown_path(self.path)}: {self.message}"

    def below(self, step: str | int) -> DecodeError:
        """Return the error with a key or an index put before its path."""
        return DecodeError(self.message, (step, *self.path))


@dataclass(frozen=True, slots=True)
class _Form:
    """How a type hint looks in JSON.

    `name`: describes the allowed JSON values in messages.
    `converters`: {type of an allowed JSON value: the function that converts it}. The
    function is None if the value stays as it is.
    """

    name: str
    converters: Mapping[type, Callable[[Any], Any] | None]

    def keeps(self, values: Iterable[Any]) -> bool:
        """Say whether all these JSON values are allowed, and stay as they are."""
        for kind in set(map(type, values)):
            if kind not in self.converters or self.converters[kind] is not None:
                return False
        return True


# --- to JSON --------------------------------------------------------------------------


def encode(value: Any) -> Any:
    """Return a value as JSON values.

    Dataclasses and mappings become dicts, sequences become lists, and values of classes
    given to `keep_as_text` become texts. A value of another type stays as it is.
    """
    if type(value) in _SCALARS:
        return value
    if isinstance(value, (list, tuple)):
        return [encode(item) for item in value]
    if isinstance(value, Mapping):
        return {_key_text(key): encode(item) for key, item in value.items()}
    if type(value) in _TEXTS:
        return _TEXTS[type(value)](value)
    if is_dataclass(value):
        return _encode_fields(value)
    return value


def _encode_fields(part: Any) -> dict[str, Any]:
    """Return {field: JSON value} of a dataclass, without those with their default."""
    values = {}
    kind: Any = type(part)
    for name, default in _defaults_of(kind):
        value = getattr(part, name)
        # with the default None, the value may be of another package, and have its own !=
        if value is default or (default is not None and value == default):
            continue
        values[name] = encode(value)
    return values


def is_same_json(one: Any, other: Any) -> bool:
    """Say whether two values are the same in JSON.

    1 and 1.0 are the same. 1 and true are not, although they are equal in Python.
    """
    one, other = encode(one), encode(other)
    if isinstance(one, dict) and isinstance(other, dict):
        if one.keys() != other.keys():
            return False
        return all(is_same_json(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        if len(one) != len(other):
            return False
        return all(map(is_same_json, one, other))
    if isinstance(one, bool) or isinstance(other, bool):
        return one is other
    are_scalars = isinstance(one, _PLAIN) and isinstance(other, _PLAIN)
    return are_scalars and bool(one == other)


def _key_text(key: object) -> Any:
    """Return a number as text, 3.0 and 3 as `3`; any other key stays as it is."""
    if type(key) is float:
        return f"{key + 0.0!r}".removesuffix(".0")  # -0.0 + 0.0 is 0.0
    if type(key) is int:
        return str(key)
    return key


@cache
def _defaults_of(kind: Any) -> Sequence[tuple[str, object]]:
    """Return each field of a dataclass with its default; `MISSING` for none."""
    return [(field.name, _default_of(field)) for field in _fields_of(kind)]


def _fields_of(kind: Any) -> list[Field[Any]]:
    return [field for field in fields(kind) if field.init]


def _default_of(field: Field[Any]) -> object:
    if field.default_factory is not MISSING:
        return field.default_factory()
    return field.default


# --- from JSON ------------------------------------------------------------------------


def decode(kind: type[Decoded], value: object) -> Decoded:
    """Return a JSON value as a value of the type `kind`.

    Raises DecodeError if it does not fit.
    """
    hint: Any = kind
    decoded: Decoded = _decode(_form_of(hint), value)
    return decoded


def _decode(form: _Form, value: Any) -> Any:
    kind = type(value)
    if kind not in form.converters:
        raise DecodeError(f"expected {form.name}, found {shown(value)}")
    convert = form.converters[kind]
    return value if convert is None else convert(value)


@cache
def _form_of(hint: Any) -> _Form:
    """Return how values of a type look in JSON.

    Raises TypeError for a type that JSON values cannot be converted to.
    """
    if hint in _FORMS:
        return _FORMS[hint]
    kind = get_origin(hint) or hint
    inner = get_args(hint)
    if kind in (UnionType, Union):
        return _union(inner)
    if kind is tuple and inner[1:] != (...,):
        return _tuple(inner)
    if kind in (Sequence, tuple):
        return _list(inner[0])
    if kind is Mapping:
        return _mapping(*inner)
    if is_dataclass(kind):
        return _object(kind)
    raise TypeError(f"a field of JSON cannot have the type {hint}")


def _number(value: int) -> int:
    """Return a whole number. Raises `DecodeError` if it is too large for a float."""
    try:
        float(value)
    except OverflowError:
        raise DecodeError(f"expected a number, found {shown(value)}") from None
    return value


_FORMS: dict[Any, _Form] = {
    str: _Form("a text", {str: None}),
    int: _Form("a whole number", {int: None}),
    float: _Form("a number", {int: _number, float: None}),
    bool: _Form("true or false", {bool: None}),
    NoneType: _Form("null", {NoneType: None}),
    Any: _Form("a value", dict.fromkeys(_ANY_TYPE)),
}


_TEXTS: dict[type, Callable[[Any], str]] = {}
"""By class: the function that makes a text of a value."""


def keep_as_text(
    kind: type[Decoded],
    *,
    text: Callable[[Decoded], str],
    parse: Callable[[str], Decoded],
) -> None:
    """Let values of a class be texts in JSON.

    `text`: makes a text of a value.
    `parse`: makes a value of a text. Raises ValueError if there is none.
    """

    def convert(written: str) -> Decoded:
        try:
            return parse(written)
        except ValueError as error:
            raise DecodeError(str(error)) from None

    _TEXTS[kind] = text
    _FORMS[kind] = _Form("a text", {str: convert})


def _union(hints: Sequence[Any]) -> _Form:
    """Return the form of `A | B`: the type of a JSON value says which one it is."""
    forms = [_form_of(hint) for hint in hints]
    converters: dict[type, Callable[[Any], Any] | None] = {}
    for form in forms:
        converters.update(form.converters)
    return _Form(" or ".join(form.name for form in forms), converters)


def _list(hint: Any) -> _Form:
    """Return the form of a sequence of values of one type: a list, read as a tuple."""
    form = _form_of(hint)

    def convert(items: list[Any]) -> tuple[Any, ...]:
        if form.keeps(items):
            return tuple(items)  # most lists hold texts alone
        return _decode_items(repeat(form), items)

    return _Form("a list", {list: convert})


def _tuple(hints: Sequence[Any]) -> _Form:
    """Return the form of a tuple with a type for each place: a list of this length."""
    forms = [_form_of(hint) for hint in hints]

    def convert(items: list[Any]) -> tuple[Any, ...]:
        if len(items) != len(forms):
            raise DecodeError(f"expected {len(forms)} values, found {shown(items)}")
        return _decode_items(forms, items)

    return _Form("a list", {list: convert})


def _decode_items(forms: Iterable[_Form], items: Sequence[Any]) -> tuple[Any, ...]:
    """Return the Python values of the items of a list, each by its own form."""
    values: list[Any] = []
    try:
        for form, item in zip(forms, items, strict=False):
            values.append(_decode(form, item))
    except DecodeError as error:
        raise error.below(len(values)) from None
    return tuple(values)


def _mapping(key_hint: Any, hint: Any) -> _Form:
    """Return the form of a mapping: an object, whose keys may be numbers as text."""
    form = _form_of(hint)
    is_numeric = key_hint in (int, float)

    def convert(items: dict[str, Any]) -> dict[Any, Any]:
        if not is_numeric and form.keeps(items.values()):
            return items
        values = {}
        for key, item in items.items():
            decoded_key = _numeric_key(key_hint, key) if is_numeric else key
            try:
                values[decoded_key] = _decode(form, item)
            except DecodeError as error:
                raise error.below(key) from None
        return values

    return _Form("an object", {dict: convert})


def _numeric_key(kind: type[int] | type[float], key: str) -> float:
    try:
        return kind(key)
    except ValueError:
        raise DecodeError(f"expected a number as a key, found {shown(key)}") from None


def _object(kind: Any) -> _Form:
    """Return the form of a dataclass: an object. Keys that are no fields are ignored."""
    hints = get_type_hints(kind)
    forms = {field.name: _form_of(hints[field.name]) for field in _fields_of(kind)}
    needed = [name for name, default in _defaults_of(kind) if default is MISSING]

    def convert(items: dict[str, Any]) -> Any:
        values = {}
        for name, item in items.items():
            if name not in forms:
                continue
            try:
                values[name] = _decode(forms[name], item)
            except DecodeError as error:
                raise error.below(name) from None
        for name in needed:
            if name not in values:
                raise DecodeError(f"it has no {name}")
        try:
            return kind(**values)
        except (TypeError, ValueError) as error:  # the dataclass checks its values
            raise DecodeError(str(error)) from None

    return _Form("an object", {dict: convert})
