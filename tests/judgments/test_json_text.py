"""JSON as it was written: digits, repeated keys, and the lines in which things stand."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance.judgments.json_text import (
    Decoder,
    JsonPath,
    JsonPlaces,
    NumberAsWritten,
    as_python,
    half_a_character,
    shown_path,
)

NESTED = """
{"queries": [
   {"query": "a \\"b\\" {", "ratings": {"x y": 1,
      "z": 2}},
   [], {},
   {"query": "c"}],
 "k": 7}
"""


@pytest.mark.parametrize(
    ("path", "line"),
    [
        ((), 2),
        (("queries",), 2),
        (("queries", 0), 3),
        (("queries", 0, "ratings", "x y"), 3),
        (("queries", 0, "ratings", "z"), 4),
        (("queries", 1), 5),
        (("queries", 3), 6),
        (("k",), 7),
    ],
)
def test_the_line_of_a_path(path: JsonPath, line: int) -> None:
    assert JsonPlaces(NESTED).line(path) == line


@pytest.mark.parametrize("path", [("queries", 3, "ratings"), ("queries", 3, 0), ("queries", 3, "query", "deeper")])
def test_a_path_that_ends_early_is_where_it_ends(path: JsonPath) -> None:
    assert JsonPlaces(NESTED).line(path) == 6


def test_lines_are_counted_from_the_first_line_of_the_text() -> None:
    assert JsonPlaces('{"a": 1}', first_line=40).line(("a",)) == 40


def leaves(value: Any, path: JsonPath = ()) -> list[tuple[JsonPath, Any]]:
    """Each value that holds no others, with its path."""
    if isinstance(value, dict):
        return [leaf for key, held in value.items() for leaf in leaves(held, (*path, key))]
    if isinstance(value, list):
        return [leaf for number, held in enumerate(value) for leaf in leaves(held, (*path, number))]
    return [(path, value)]


TEXT = st.text(st.characters(codec="utf-8"), max_size=5)


@given(
    st.recursive(
        st.none() | st.booleans() | TEXT,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
        max_leaves=20,
    )
)
def test_every_value_is_found_in_its_line(value: Any) -> None:
    """Written with one value a line, the value stands there."""
    text = json.dumps(value, indent=1)
    places = JsonPlaces(text)
    for path, leaf in leaves(value):
        line = text.split("\n")[places.line(path) - 1].strip().rstrip(",")
        assert line.endswith(json.dumps(leaf))
        assert not path or isinstance(path[-1], int) or line.startswith(json.dumps(path[-1]))


def test_keys_that_stand_twice() -> None:
    text = '{"a": 1,\n "b": {"c": 1, "c": 1.0,\n "d": [{"e": 1,\n "e": 2}]},\n "a": 3}'
    assert JsonPlaces(text).twice() == [(("a",), 1, 5), (("b", "d", 0, "e"), 3, 4)]


def test_the_decoder_notes_keys_that_stand_twice() -> None:
    decoder = Decoder()
    decoder.decode('[{"a": 1}, {"a": 2}]')
    assert not decoder.repeats
    decoder.decode('[{"a": 1, "a": 1}]')
    assert decoder.repeats


@pytest.mark.parametrize("digits", ["1", "-0", "1.0", "1e5", "12345678901234567890", "0.10", "9" * 5000])
def test_numbers_keep_their_digits(digits: str) -> None:
    value = Decoder().decode(f"[{digits}]")[0]
    assert isinstance(value, NumberAsWritten)
    assert str(value) == digits
    assert repr(value) == digits


def test_as_python() -> None:
    value = as_python(Decoder().decode('{"a": [1, 1.5, "2", true, null], "b": 1e2}'))
    assert value == {"a": [1, 1.5, "2", True, None], "b": 100.0}


def test_a_number_that_is_too_long_for_python() -> None:
    with pytest.raises(ValueError, match="digits"):
        as_python(Decoder().decode("9" * 5000))


@pytest.mark.parametrize(
    ("path", "shown"),
    [
        ((), ""),
        (("queries", 3, "ratings"), "queries[3].ratings"),
        (("queries", 0, "sku 1"), 'queries[0]["sku 1"]'),
        ((2, "$query"), "[2].$query"),
        (("über",), "über"),
        (('a"b',), '["a\\"b"]'),
    ],
)
def test_paths_as_messages_show_them(path: JsonPath, shown: str) -> None:
    assert shown_path(path) == shown


@pytest.mark.parametrize("text", [r'"\ud83d\ude00"', r'"\\ud800"', r'"\u00e9"', r'"\\\\udc00"', '"ud800"'])
def test_whole_characters(text: str) -> None:
    json.loads(text).encode()
    assert half_a_character(text) is None


@pytest.mark.parametrize("text", [r'"\ud800"', r'"x\uDC00"', r'"\\\ud800"', r'"\ud83d\ud83d\ude00"', r'"\ud83d\n"'])
def test_half_characters(text: str) -> None:
    with pytest.raises(UnicodeEncodeError):
        json.loads(text).encode()
    assert half_a_character(text) is not None
