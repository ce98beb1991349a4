"""Read JSON exactly as it is written.

Numbers keep their digits. A key that an object has with two values is a mistake. A path
leads to each value.
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
"""A function that takes a mistake in a JSON text: the message, and the place."""


class NumberAsWritten(str):
    """A number in JSON as text, so that an id such as 1.0 keeps its digits."""

    __slots__ = ()

    def __repr__(self) -> str:
        """Return the digits without quotes, for messages."""
        return str(self)


class JsonReader(json.JSONDecoder):
    """Python's parser of JSON, which returns numbers as `NumberAsWritten`.

    One reader can read many texts, one after the other.
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
        """Return an object made of its pairs. Note keys with two different values."""
        members = dict(pairs)
        if len(members) < len(pairs):
            wrong = {key for key, value in pairs if value != members[key]}
            self._repeated += [(members, key) for key in members if key in wrong]
        return members

    def read(self, text: str, refuse: Refuse) -> object:
        """Return the value of a JSON text; call `refuse` for each mistake.

        Mistakes are invalid JSON, JSON that is nested too deeply, half of a character
        (a lone surrogate), and a key that an object has with two different values. Of
        two values of one key, the last one counts. After any other mistake, None is
        returned.
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
                f"this is not valid JSON: {error.msg} (column {error.colno})",
                Place(line=error.lineno),
            )
        except RecursionError:
            refuse("this JSON is nested too deeply", Place(line=1))
        except UnicodeEncodeError:
            refuse(
                "an escape stands for half of a character (a lone surrogate); write the whole character",
                Place(line=1),
            )
        return None


def _check_surrogates(text: str, document: object) -> None:
    """Raise UnicodeEncodeError if a JSON text has a lone surrogate."""
    if "\\ud" in text or "\\uD" in text:
        json.dumps(document, ensure_ascii=False).encode()


def _path_to(document: object, holder: object) -> JsonPath:
    """Return the path to an object in a document, which is searched for it.

    () for the document itself, and for an object that is not in it.
    """
    pending: list[tuple[JsonPath, object]] = [((), document)]
    while pending:
        path, value = pending.pop()
        if value is holder:
            return path
        for key, member in _members(value):
            pending.append(((*path, key), member))
    return ()


def _members(value: object) -> Iterable[tuple[str | int, object]]:
    """Return the pairs of an object, or the indexes and entries of a list.

    Any other value has none.
    """
    if isinstance(value, dict):
        return value.items()
    if isinstance(value, list):
        return enumerate(value)
    return ()


def as_text(value: object) -> str | None:
    """Return a text, or a number with its digits; None for any other value.

    None also for blank text, NaN and infinities.
    """
    if type(value) is str:
        return value if value.strip() else None
    if isinstance(value, NumberAsWritten) and value[-1].isdigit():
        return str(value)
    return None


def found_json(value: object) -> str:
    """Return words for a value in a message: `nothing`, `true`, `3`, `the text "3"`."""
    return shown(value) if isinstance(value, NumberAsWritten) else found(value)


def as_python(value: object) -> object:
    """Return a JSON value with each `NumberAsWritten` as an int or a float.

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
