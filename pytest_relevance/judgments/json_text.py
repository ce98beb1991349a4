"""JSON as it was written: numbers with their digits, repeated keys, and the line of each value.

Python's parser discards these. Digits and repeated keys are recorded while parsing. Lines are only for messages:
they are found by a walk down the text, in which the parser skips what is not on the way.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterator
from decimal import Decimal
from functools import cache, cached_property
from itertools import count

JsonPath = tuple[str | int, ...]
"""The path to a value: the keys of objects and the indexes of list entries."""

MOST_TWICE = 100

_BLANK = re.compile(r"[ \t\r\n]*")
_NAME = re.compile(r"\$?[^\W\d]\w*")
_HALF_A_CHARACTER = re.compile(
    r"(?<!\\)(?:\\\\)*"  # a backslash is no escape where another one escapes it
    r"(?:\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F][0-9a-fA-F]{2})"
)


_SKIPPED = json.JSONDecoder(parse_int=str, parse_float=str)
_COMPARED = json.JSONDecoder(parse_int=Decimal, parse_float=Decimal)  # 1 and 1.0 are the same


class NumberAsWritten(str):
    """A number in JSON with its digits, so that an id that looks like a number does not change."""

    __slots__ = ()

    def __repr__(self) -> str:
        """The digits, for messages."""
        return str(self)


class Decoder(json.JSONDecoder):
    """Python's parser, with numbers as `NumberAsWritten`. It raises what that raises.

    `repeats` says whether any object so far had a key twice: the last value is used, and `JsonPlaces.twice` finds the
    keys.
    """

    def __init__(self) -> None:
        self.repeats = False
        number = cache(NumberAsWritten)  # each different number once: a million grades are four
        super().__init__(object_pairs_hook=self._object, parse_int=number, parse_float=number, parse_constant=number)

    def _object(self, pairs: list[tuple[str, object]]) -> dict[str, object]:
        found = dict(pairs)
        if len(found) < len(pairs):
            self.repeats = True
        return found


def as_python(value: object) -> object:
    """A value with its numbers as int and float. ValueError for one too long, RecursionError for lists too deep."""
    if isinstance(value, NumberAsWritten):
        number: object = json.loads(value)
        return number
    if isinstance(value, dict):
        return {key: as_python(member) for key, member in value.items()}
    return [as_python(entry) for entry in value] if isinstance(value, list) else value


def shown_path(path: JsonPath) -> str:
    """A path as messages show it: `queries[3].ratings["sku 1"]`."""
    shown = "".join(
        f"[{key}]"
        if isinstance(key, int)
        else f".{key}"
        if _NAME.fullmatch(key)
        else f"[{json.dumps(key, ensure_ascii=False)}]"
        for key in path
    )
    return shown.removeprefix(".")


def half_a_character(text: str) -> int | None:
    """The position of an escape for a lone surrogate (half a character), which cannot be written to a file."""
    if "\\ud" not in text and "\\uD" not in text:
        return None
    found = _HALF_A_CHARACTER.search(text)
    return found.start() if found is not None else None


class JsonPlaces:
    """The lines of the values in a valid JSON text. `first_line` is the line in the file in which the text begins."""

    def __init__(self, text: str, first_line: int = 1) -> None:
        self._text = text
        self._first_line = first_line
        self._members: dict[int, dict[str | int, int]] = {}

    def line(self, path: JsonPath) -> int:
        """The line of the value at a path, or of its key; where the path does not exist, of the last value on it."""
        if not self._line_ends:
            return self._first_line
        begins = at = self._after_blanks(0)
        for key in path:
            if at not in self._members:
                self._members[at] = {name: begins for name, begins, _, _ in self._walk(at)}
            if key not in self._members[at]:
                break
            begins = at = self._members[at][key]
            if isinstance(key, str):
                at = self._after_key(_SKIPPED, at)[1]
        return self._line_of(begins)

    def twice(self) -> list[tuple[JsonPath, int, int]]:
        """The keys that an object has twice, with different values: the path, and the lines of both."""
        found: list[tuple[JsonPath, int, int]] = []
        pending: list[tuple[JsonPath, int]] = [((), self._after_blanks(0))]
        while pending and len(found) < MOST_TWICE:
            path, at = pending.pop()
            first: dict[str | int, tuple[int, object]] = {}
            within = []
            for key, begins, begun, value in self._walk(at, _COMPARED):
                earlier = first.setdefault(key, (begins, value))
                if earlier[1] != value:
                    found.append(((*path, key), self._line_of(earlier[0]), self._line_of(begins)))
                if isinstance(value, (dict, list)):
                    within.append(((*path, key), begun))
            pending.extend(reversed(within))
        return found

    def _walk(self, at: int, decoder: json.JSONDecoder = _SKIPPED) -> Iterator[tuple[str | int, int, int, object]]:
        """The members of the object or list at `at`: the key, the positions of the member and of its value, the value.

        Nothing for another value.
        """
        closed_by = {"{": "}", "[": "]"}.get(self._text[at])
        at = self._after_blanks(at + 1)
        if closed_by is None or self._text[at] == closed_by:
            return
        for number in count():
            begins = at
            key: str | int = number
            if closed_by == "}":
                key, at = self._after_key(decoder, at)
            begun = at
            value, at = decoder.raw_decode(self._text, at)
            yield key, begins, begun, value
            at = self._after_blanks(at)
            if self._text[at] == closed_by:
                return
            at = self._after_blanks(at + 1)  # the comma

    def _after_key(self, decoder: json.JSONDecoder, at: int) -> tuple[str, int]:
        """The key at `at`, and the position of its value."""
        key, at = decoder.raw_decode(self._text, at)
        return key, self._after_blanks(self._after_blanks(at) + 1)  # the colon

    def _after_blanks(self, at: int) -> int:
        found = _BLANK.match(self._text, at)
        assert found is not None
        return found.end()

    def _line_of(self, at: int) -> int:
        return self._first_line + bisect_right(self._line_ends, at - 1)

    @cached_property
    def _line_ends(self) -> list[int]:
        return [found.start() for found in re.finditer("\n", self._text)]
