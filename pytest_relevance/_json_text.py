"""Read JSON as it is written.

Numbers keep their digits, a key that stands twice is a mistake, and values have paths.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from functools import cache

from pytest_relevance._problems import Place
from pytest_relevance._text import found, shown, shown_path

JsonPath = tuple[str | int, ...]
"""The path to a value in JSON: the keys of objects and the indexes of list entries."""

Refuse = Callable[[str, Place], object]
"""Takes a mistake in a JSON text: the message, and its line in the text or its path."""


class NumberAsWritten(str):
    """A number in JSON with its digits, so that an id like 1.0 does not change."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the digits, for messages."""
        return str(self)


class JsonReader(json.JSONDecoder):
    """Python's parser of JSON, with numbers as `NumberAsWritten`.

    It reads one text, or many lines.
    """

    def __init__(self) -> None:
        self._repeated: list[tuple[dict[str, object], str]] = []
        # each different number is kept once: a million grades have few different values
        number = cache(NumberAsWritten)
        super().__init__(
            object_pairs_hook=self._object_of,
            parse_int=number,
            parse_float=number,
            parse_constant=number,
        )

    def _object_of(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        """Make an object from its pairs, and note keys with two different values."""
        members = dict(pairs)
        if len(members) < len(pairs):
            wrong = {key for key, value in pairs if value != members[key]}
            self._repeated += [(members, key) for key in members if key in wrong]
        return members

    def read(self, text: str, refuse: Refuse) -> object:
        """Parse a text, and report mistakes to `refuse`.

        Mistakes are invalid JSON, and a key that an object has with two values.
        """
        self._repeated.clear()
        try:
            document: object = self.decode(text)
            for holder, key in self._repeated:
                path = shown_path((*_path_to(document, holder), key))
                refuse(
                    "this key stands twice, with different values; keep one of them",
                    Place(path=path),
                )
            _check_surrogates(text, document)
            return document
        except json.JSONDecodeError as error:
            refuse(
                f"this is no valid JSON: {error.msg} (column {error.colno})",
                Place(line=error.lineno),
            )
        except RecursionError:
            refuse("this is no sensible JSON: it is nested too deeply", Place(line=1))
        except UnicodeEncodeError:
            refuse(
                "an escape stands for half of a character (a lone surrogate); write the whole character",
                Place(line=1),
            )
        return None


def _check_surrogates(text: str, document: object) -> None:
    """Raise UnicodeEncodeError for a lone surrogate."""
    if "\\ud" in text or "\\uD" in text:
        json.dumps(document, ensure_ascii=False).encode()


def _path_to(document: object, holder: object) -> JsonPath:
    pending: list[tuple[JsonPath, object]] = [((), document)]
    while pending:
        path, value = pending.pop()
        if value is holder:
            return path
        for key, member in _members(value):
            pending.append(((*path, key), member))
    return ()


def _members(value: object) -> Iterable[tuple[str | int, object]]:
    """Iterate over the members of an object by key, or of a list by index."""
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list):
        return enumerate(value)
    return ()


def as_text(value: object) -> str | None:
    """Return a text, or a number as text, exactly as written.

    None for blank text, NaN and values of other types.
    """
    if type(value) is str:
        return value if value.strip() else None
    if isinstance(value, NumberAsWritten) and value[-1].isdigit():
        return str(value)
    return None


def found_json(value: object) -> str:
    """Describe a value for a message that says what was found."""
    return shown(value) if isinstance(value, NumberAsWritten) else found(value)


def as_python(value: object) -> object:
    """Convert the numbers of a value to int and float.

    Raises:
        ValueError: a number has too many digits.
        RecursionError: the value is nested too deeply.
    """
    if isinstance(value, NumberAsWritten):
        number: object = json.loads(value)
        return number
    if isinstance(value, dict):
        return {key: as_python(member) for key, member in value.items()}
    return [as_python(entry) for entry in value] if isinstance(value, list) else value
