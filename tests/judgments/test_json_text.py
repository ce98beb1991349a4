"""JSON as it was written: digits, keys that stand twice, and paths."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance._source import JsonReader, NumberAsWritten, as_python

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
DOCUMENTS = st.recursive(
    SCALARS, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3)
)


def mistakes(text: str) -> list[tuple[Any, ...]]:
    found: list[tuple[Any, ...]] = []
    JsonReader().read(text, lambda *mistake: found.append(mistake))
    return found


@given(DOCUMENTS)
def test_values_are_those_of_python(document: Any) -> None:
    found: list[object] = []
    assert as_python(JsonReader().read(json.dumps(document), lambda *mistake: found.append(mistake))) == document
    assert found == []


@pytest.mark.parametrize("number", ["1", "1.0", "1e5", "-0", "0.10", "NaN", "9" * 5000])
def test_numbers_keep_their_digits(number: str) -> None:
    found: Any = JsonReader().read(f"[{number}]", pytest.fail)  # type: ignore[arg-type]
    assert isinstance(found[0], NumberAsWritten)
    assert found == [number]


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"a": 1, "a": 1}', []),
        ('{"a": 1, "a": 2}', ["a"]),
        ('{"q": [{"b": {"x": 1}}, {"b c": [1], "b c": [2]}]}', ['q[1]["b c"]']),
        ('[{"7": {"$query": 1, "$query": 2}}]', ["[0].7.$query"]),
        ('{"a": {"b": 1, "b": 2}, "a": {"c": 1, "c": 2}}', ["b", "a.c", "a"]),
    ],
)
def test_a_key_with_two_values_is_named_by_its_path(text: str, paths: list[str]) -> None:
    assert [path for _, _, path in mistakes(text)] == paths
    assert all("stands twice, with different values" in message for message, *_ in mistakes(text))


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ('{"a": 1,\n"b" 2}', 2, "this is no valid JSON: Expecting ':' delimiter (column 5)"),
        ("[" * 100_000, 1, "nested too deeply"),
        ('["\\ud83d"]', 1, "half of a character"),
    ],
)
def test_what_is_no_json_is_told_with_its_line(text: str, line: int, message: str) -> None:
    ((said, at, _),) = mistakes(text)
    assert at == line
    assert message in said


def test_a_whole_surrogate_pair_is_a_character() -> None:
    assert JsonReader().read('["\\ud83d\\udc5f \\\\ud83d"]', pytest.fail) == ["\U0001f45f \\ud83d"]  # type: ignore[arg-type]
