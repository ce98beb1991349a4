"""The words of messages: lists, values, names close to others, and nothing that a terminal could misread."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_relevance._text import did_you_mean, found, listed, printable, quoted, shown
from pytest_relevance.judgments.scale import Scale


def test_names_in_prose() -> None:
    assert listed([]) == ""
    assert listed(["a"]) == "a"
    assert listed(["a", "b"]) == "a or b"
    assert listed(["a", "b", "c"], "and") == "a, b and c"


@pytest.mark.parametrize(
    ("name", "known", "words"),
    [
        ("min_ndgc", ["min_ndcg", "min_judged"], '; did you mean "min_ndcg"?'),
        ("MIN_NDCG", ["min_ndcg"], '; did you mean "min_ndcg"?'),
        ("judgements", ["judgments"], '; did you mean "judgments"?'),
        ("zzz", ["min_ndcg"], ""),
        ("", ["a"], ""),
        ("a", [], ""),
        ("x" * 100_000, ["min_ndcg"], ""),
    ],
)
def test_the_closest_name(name: str, known: list[str], words: str) -> None:
    assert did_you_mean(name, known) == words


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "nothing"),
        ("", "nothing"),
        (True, "true"),
        (False, "false"),
        (3, "3"),
        (0.5, "0.5"),
        ("3", 'the text "3"'),
        ([1, "a"], "the list [1, 'a']"),
        ((1,), "the list [1]"),
        ({"a": 1}, "the mapping {'a': 1}"),
    ],
)
def test_what_stands_where_something_else_is_expected(value: object, words: str) -> None:
    assert found(value) == words


def test_a_value_whose_repr_raises_is_shown_all_the_same() -> None:
    class Broken:
        def __repr__(self) -> str:
            raise RuntimeError

    assert shown(Broken()) == "<Broken whose repr raises RuntimeError>"


@given(st.text())
def test_nothing_that_a_terminal_could_misread_is_printed(text: str) -> None:
    assert printable(text).isprintable()
    assert quoted(text).isprintable()
    assert shown(text).isprintable()
    assert len(quoted(text)) <= 82
    assert len(shown(text)) <= 80


def test_printable_text_stays_as_it_is() -> None:
    assert printable("größe 38 日本 🙂") == "größe 38 日本 🙂"
    assert printable("a\x1b[2J\u202eb\u2028") == "a\\x1b[2J\\u202eb\\u2028"


def test_a_scale_in_a_message() -> None:
    assert Scale(0, 3).describe() == "0 to 3"
    assert Scale(-0.5, 1).describe() == "-0.5 to 1"
    assert Scale(0, 3, {"exact": 3, "bad": 0, "so\x1b": 1}).describe() == "0 (bad), 1 (so\\x1b), 3 (exact)"
