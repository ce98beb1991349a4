"""The words of messages about a case: lists, values, names close to others, and nothing that a terminal misreads."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers import case_of


def problem(keys: dict[Any, Any]) -> str:
    """What is wrong with a case that has these keys, too."""
    with pytest.raises(ValueError, match=r"key|:") as caught:
        case_of({"query": "boots", **keys})
    return str(caught.value)


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("", "nothing"),
        (True, "true"),
        (0, "0"),
        (0.5, "0.5"),
        ("x", 'the text "x"'),
        ([1, "a"], "the list [1, 'a']"),
        ((1,), "the list [1]"),
        ({"a": 1}, "the mapping {'a': 1}"),
    ],
)
def test_what_stands_where_something_else_is_expected(value: object, words: str) -> None:
    assert problem({"depth": value}) == f"depth: expected a whole number from 1 to 1,000,000, found {words}"


@given(st.text().map("?".__add__))
def test_nothing_that_a_terminal_could_misread_is_printed(text: str) -> None:
    """In a name, a text, and another value; each is cut."""
    for keys in ({text: 1}, {"depth": text}, {"depth": [text]}):
        message = problem(keys)
        assert message.isprintable()
        written = message.partition("found the " if "depth" in keys else "unknown key ")[2]
        assert len(written.partition(" of a case; it takes ")[0]) <= 87
