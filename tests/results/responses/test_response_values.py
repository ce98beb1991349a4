"""What a response has at a path: names, places, names with dots, objects of clients."""

from collections import namedtuple
from dataclasses import dataclass
from typing import Any
from unittest.mock import Mock

import pytest

from pytest_relevance.cases.expectation import FieldCondition
from pytest_relevance.results.responses.response_values import (
    NoValue,
    read_response_values,
)


def at(response: object, path: str) -> Any:
    """What a response has at a path."""
    condition = FieldCondition(path, "==", (1,))
    return read_response_values(response, [condition])[path]


def missing(response: object, path: str) -> str:
    """Why a response has no value at a path."""
    value = at(response, path)
    assert isinstance(value, NoValue)
    return value.why


def if_null_is_expected(response: object, path: str) -> Any:
    condition = FieldCondition(path, "==", (None,))
    return read_response_values(response, [condition])[path]


# --- paths ----------------------------------------------------------------------------

BODY = {
    "hits": {"total": {"value": 10_000, "relation": "gte"}},
    "suggest": [{"options": [{"text": "boots"}]}, {"options": []}],
    "years": {"2024": 3, 2025: 4},
    "facets": {"shoe.size": {"42": 7, "42.5": 2}},
    "tags": ["a", "b"],
    "nothing": None,
}


@pytest.mark.parametrize(
    ("path", "value"),
    {
        "hits.total.value": 10_000,
        "hits.total.relation": "gte",
        "suggest.0.options.0.text": "boots",
        "tags": ["a", "b"],
        "tags.1": "b",
        "years.2024": 3,
        "years.2025": 4,
        "facets.shoe.size.42": 7,
        "facets.shoe.size.42.5": 2,
        "nothing": None,
    }.items(),
)
def test_a_value_in_a_body(path: str, value: object) -> None:
    assert at(BODY, path) == value


@pytest.mark.parametrize(
    ("path", "why"),
    {
        "hist.total": 'it has "hits", "suggest", "years", "facets", "tags" and "nothing"; did you mean hits?',
        "hits.totl.value": '"hits" has "total"; did you mean hits.total?',
        "years.1999": '"years" has "2024" and "2025"; if nothing should be there, expect null',
        "suggest.1.options.0.text": '"suggest.1.options" is an empty list',
        "suggest.1.options.0": '"suggest.1.options" is an empty list; if nothing should be there, expect null',
        "tags.2": '"tags" is a list of 2 items; if nothing should be there, expect null',
        "tags.-1": '"tags" is a list of 2 items; write a place, such as tags.0',
        "tags.00": '"tags" is a list of 2 items; did you mean tags.0?',
        "suggest.opt": '"suggest" is a list of 2 items; write a place, such as suggest.0',
        "tags.0.a": "\"tags.0\" is 'a'",
        "nothing.a": '"nothing" is null',
    }.items(),
)  # fmt: skip
def test_a_path_that_is_not_there(path: str, why: str) -> None:
    assert missing(BODY, path) == f'the response has no "{path}": {why}'


@pytest.mark.parametrize(
    ("path", "what"),
    {
        "hits": '"hits" is a mapping, ',
        "suggest": '"suggest" is a list of 2 items, ',
    }.items(),
)
def test_an_object_is_no_value_and_the_message_says_how_to_go_on(
    path: str, what: str
) -> None:
    why = missing(BODY, path)
    assert why.startswith(what)
    assert why.endswith(
        {"hits": "example hits.total", "suggest": "example suggest.0.options"}[path]
    )


def test_names_with_dots_that_can_be_read_in_two_ways() -> None:
    body = {"a.b": {"c": 1}, "a": {"b": {"c": 2}, "x": 3}}
    assert '"a.b.c" can be read in two ways' in missing(body, "a.b.c")
    assert at(body, "a.x") == 3


# --- null: nothing is there -----------------------------------------------------------


@pytest.mark.parametrize(
    "path", ["nothing", "redirect", "hits.corrections", "tags.2", "suggest.1.options.0"]
)
def test_nothing_is_there(path: str) -> None:
    assert if_null_is_expected(BODY, path) is None


@pytest.mark.parametrize(
    ("path", "says"),
    {
        "correct.0": 'it has "hits"',
        "tags.first": "write a place, such as tags.0",
        "nothing.0": '"nothing" is null',
        "Tags": "did you mean tags?",
    }.items(),
)
def test_only_the_last_name_may_be_absent_and_not_for_its_spelling(
    path: str, says: str
) -> None:
    found = if_null_is_expected(BODY, path)
    assert isinstance(found, NoValue)
    assert says in found.why


# --- objects --------------------------------------------------------------------------


@dataclass
class Answer:
    total: int
    facets: dict[str, int]

    def count(self) -> int:
        return self.total


Page = namedtuple("Page", ["hits", "total"])


class Lazy:
    @property
    def total(self) -> int:
        return 41


class Keyed:
    """A row of a database: its fields are in square brackets."""

    def keys(self) -> list[str]:
        return ["total"]

    def __getitem__(self, name: str) -> int:
        return {"total": 41}[name]


class Client:
    """A client's object that holds the body, as that of elasticsearch-py does."""

    def __init__(self, body: object) -> None:
        self.body = body
        self.meta = {"status": 200}

    def __getattr__(self, name: str) -> Any:
        return getattr(self.body, name)


@pytest.mark.parametrize(
    ("response", "path"),
    [
        (Answer(41, {}), "total"),
        (Answer(1, {"red": 41}), "facets.red"),
        (Page([], 41), "total"),
        (Page([], 41), "1"),
        (([], {"total": 41}), "1.total"),
        (Lazy(), "total"),
        (Keyed(), "total"),
        (Client({"total": 41}), "total"),
        (Client({"total": 41}), "body.total"),
        ({"answer": Answer(41, {})}, "answer.total"),
    ],
)
def test_a_value_of_an_object(response: object, path: str) -> None:
    assert at(response, path) == 41


def test_what_a_client_adds_to_a_body_is_found_too() -> None:
    assert at(Client({"total": 41}), "meta.status") == 200
    assert '"meta"' not in missing(Client({"total": 41}), "status")


def test_a_method_is_no_value() -> None:
    assert 'it has "total" and "facets"' in missing(Answer(1, {}), "count")


@pytest.mark.parametrize("response", [["a", "b"], [], [{"id": "a"}]])
def test_a_bare_list_of_results_has_no_total(response: object) -> None:
    advice = "let the search return the whole response of the engine"
    assert missing(response, "total").endswith(advice)


def test_a_list_of_mappings_has_places() -> None:
    assert at([{"id": "a"}, {"id": "b"}], "1.id") == "b"


def test_a_mock_has_no_value() -> None:
    assert missing(Mock(), "total").startswith('the response has no "total"')


def test_a_table_and_an_array_have_no_names() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"id": ["a"], "total": [3]})
    for path in ("total", "size", "attrs.total"):
        assert missing(frame, path).endswith("it is a DataFrame")
    assert at({"scores": frame["total"].to_numpy()}, "scores") == [3]
