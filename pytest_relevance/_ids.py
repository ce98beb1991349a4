"""Read ids of documents: types with an exact text, and `id_field` of a case file.

`id_field` has one of these forms:

- a path to a field
- a list of paths: the first one that a result has counts
- a template such as `{_index}/{_id}`, which joins several fields to one id
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from pytest_relevance._text import percent_encoded, quoted

_LARGEST_EXPONENT = 100
"""The exponent up to which a whole Decimal is an id: it has at most 101 digits."""

_HEXADECIMAL = frozenset("0123456789abcdefABCDEF")


def exact_text(value: object) -> str | None:
    """Return the text of an id that is a UUID, an ObjectId or a whole Decimal.

    None for a value of any other type. Types are known by their names, so that no
    library is imported.
    """
    kind: Any = type(value)
    text_of = _text_of_type(kind)
    return None if text_of is None else text_of(value)


@lru_cache(maxsize=256)
def _text_of_type(kind: type) -> Callable[[Any], str | None] | None:
    """Return the function that turns ids of a type into texts; None without one."""
    names = set()
    for base in kind.__mro__:
        names.add((base.__module__.partition(".")[0], base.__name__))
    if ("bson", "ObjectId") in names:
        return str
    if any(name == "UUID" for _, name in names):  # some databases have their own
        return str
    if ("decimal", "Decimal") in names:
        return _whole_number
    if ("bson", "Decimal128") in names:
        return lambda value: _whole_number(value.to_decimal())
    return None


def _whole_number(value: Any) -> str | None:
    """Return the digits of a Decimal that is a whole number; None for any other.

    None also for a number of more than 101 digits.
    """
    if not value.is_finite() or value.adjusted() > _LARGEST_EXPONENT:
        return None
    if value != value.to_integral_value():
        return None
    return str(int(value))


BYTES = (bytes, bytearray, memoryview)
"""The types of values that may be an encoded id."""


def decoding_advice(value: object) -> str:
    """Return the advice to decode a value if it is bytes; empty for any other value."""
    return "; decode it: id.decode()" if isinstance(value, BYTES) else ""


@dataclass(frozen=True)
class IdField:
    """An `id_field` that was read: the fields that make the id of a document.

    `written`: the `id_field` as it is written.
    `paths`: the paths to the fields. A template makes the id of all of them. Without a
        template the id is the first of these fields that a document has.
    `literals`: in a template, the texts before, between and after the fields. Otherwise
        empty.
    """

    written: str | tuple[str, ...]
    paths: tuple[str, ...]
    literals: tuple[str, ...] = ()

    @property
    def is_template(self) -> bool:
        """Say whether the id is a template that joins several fields."""
        return bool(self.literals)

    @cached_property
    def _separators(self) -> frozenset[str]:
        return frozenset("".join(self.literals[1:-1]))

    def join(self, values: Sequence[str]) -> str:
        """Return the id that a template makes of values, in the order of its fields."""
        parts = [self.literals[0]]
        for value, literal in zip(values, self.literals[1:], strict=True):
            parts.append(self._encoded(value))
            parts.append(literal)
        return "".join(parts)

    def _encoded(self, value: str) -> str:
        """Return a value with separators of the template percent-encoded.

        Otherwise two documents could have the same id. So a percent sign is encoded too
        if two hexadecimal digits follow it. A template with a single field has no
        separators, so its values stay as they are.
        """
        if not self._separators:
            return value
        encoded = []
        for index, character in enumerate(value):
            following = value[index + 1 : index + 3]
            looks_encoded = (
                character == "%"
                and len(following) == 2
                and _HEXADECIMAL.issuperset(following)
            )
            if character in self._separators or looks_encoded:
                encoded.append(percent_encoded(character))
            else:
                encoded.append(character)
        return "".join(encoded)


@dataclass(frozen=True)
class FileIds:
    """The columns of a judgment file that have the ids of documents.

    `of_file`: the `id_field` that is written for the file itself.
    `of_suite`: the `id_field` of the suite, which is used only if it is a template and
        the file has columns for all its fields.
    """

    of_file: IdField | None = None
    of_suite: IdField | None = None


USUAL_COLUMNS = FileIds()
"""No `id_field` is written, so the ids are in a column with a usual name."""


@lru_cache(maxsize=256)
def id_field_of(written: str | tuple[str, ...]) -> IdField:
    """Return the fields that a written `id_field` names.

    Raises ValueError if it names no field, if a template is not valid, or if a list is
    empty, names a field twice or has a template.
    """
    if isinstance(written, str):
        if "{" in written or "}" in written:
            return _template(written)
        return IdField(written, (_checked_path(written),))
    if not written:
        raise ValueError("the list of fields is empty; name one, or take id_field out")
    for index, path in enumerate(written):
        _checked_path(path)
        if "{" in path or "}" in path:
            raise ValueError(
                f"a list has paths, and {quoted(path)} is a template; write the "
                "template without a list"
            )
        if path in written[:index]:
            raise ValueError(f"{quoted(path)} stands twice; keep one of them")
    return IdField(written, written)


def _checked_path(path: object) -> str:
    if not isinstance(path, str):
        raise ValueError(f"the name of a field is text, found {path!r}")
    if not path.strip():
        raise ValueError(
            "expected the name of a field, found nothing; leave the key out for the default"
        )
    return path


def _template(written: str) -> IdField:
    """Return the fields and literals of a template. Raises ValueError if not valid."""
    paths: list[str] = []
    literals: list[str] = []
    rest = written
    while "{" in rest:
        literal, _, rest = rest.partition("{")
        path, closing, rest = rest.partition("}")
        if not closing or "{" in path or "}" in literal:
            raise _unreadable_template(written, "its braces do not form pairs")
        if not path.strip():
            raise _unreadable_template(written, "it has no field between two braces")
        if paths and not literal:
            raise _unreadable_template(
                written, "two of its fields touch, so two documents could share an id"
            )
        if path.strip() in paths:
            raise _unreadable_template(written, f"{quoted(path.strip())} stands twice")
        paths.append(path.strip())
        literals.append(literal)
    if "}" in rest:
        raise _unreadable_template(written, "its braces do not form pairs")
    return IdField(written, tuple(paths), (*literals, rest))


def _unreadable_template(written: str, why: str) -> ValueError:
    example = '"{_index}/{_id}"'
    return ValueError(
        f"{quoted(written)} is not a template: {why}; write each field in braces and a "
        f"separator between two of them, such as {example}"
    )
