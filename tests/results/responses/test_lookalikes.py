"""Objects that answer to every name, mocks, and objects whose iteration gives their own
fields: nothing is guessed.
"""

from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock, MagicMock, Mock, create_autospec

import pandas as pd
import pytest

from pytest_relevance.results.responses.errors import type_in_words
from pytest_relevance.results.responses.ranking import Ranking
from tests.results.responses.helpers import ids, pairs, refusal

# --- mocks ----------------------------------------------------------------------------

MOCKS = {
    "MagicMock": MagicMock(),
    "Mock": Mock(),
    "AsyncMock": AsyncMock(),
    "a list": MagicMock(spec=list),
    "a mapping": MagicMock(spec=dict),
    "a frame": create_autospec(pd.DataFrame, instance=True),
    "a ranking": MagicMock(spec=Ranking),
}


@pytest.mark.parametrize("name", MOCKS)
def test_a_mock_is_refused_whatever_it_stands_for(name: str) -> None:
    assert refusal(MOCKS[name]).endswith(
        "a mock has every attribute and no results; have it return what the search would, for example "
        'Mock(return_value=["id-1", "id-2"])'
    )


MOCKED: dict[str, tuple[object, str]] = {
    "a result": ([MagicMock(), MagicMock()], "result 1 of 2 is a mock"),
    "the document of a row": ([(MagicMock(), 1.5)], "result 1 of 1 is a mock"),
    "an id": ([{"id": MagicMock()}], "has an id that is a MagicMock"),
    "hits": (SimpleNamespace(hits=MagicMock()), "it holds no list"),
    "hits of a mapping": ({"hits": MagicMock()}, "it holds no list"),
    "a flag": (
        {"hits": [{"id": "a"}], "timed_out": MagicMock()},
        "the response says that it is not complete: timed_out is",
    ),
}


@pytest.mark.parametrize(("response", "message"), MOCKED.values(), ids=MOCKED)
def test_a_mock_within_a_response_is_refused(response: object, message: str) -> None:
    assert message in refusal(response)


def test_a_mock_in_the_place_of_a_score_is_no_score() -> None:
    assert pairs([{"id": "a", "score": MagicMock()}]) == [("a", None)]


# --- attributes that are made up ------------------------------------------------------


class Nothing:
    """Answers to every name with None."""

    def __getattr__(self, name: str) -> object:
        return None


class Anything(Nothing):
    """Answers to every name with something that can be called."""

    def __getattr__(self, name: str) -> object:
        return Anything()

    def __call__(self, *args: object) -> object:
        return Anything()


class Raising(Nothing):
    def __getattr__(self, name: str) -> object:
        raise KeyError(name)


class WithGetattribute(Nothing):
    def __getattribute__(self, name: str) -> object:
        return 3


class RaisingAlways(Nothing):
    def __getattribute__(self, name: str) -> object:
        raise KeyError(name)


@pytest.mark.parametrize(
    "kind", [Nothing, Anything, Raising, WithGetattribute, RaisingAlways]
)
def test_an_object_that_answers_to_every_name_has_no_results(kind: Any) -> None:
    assert "; return a list of results, best first" in refusal(kind())
    why = "has no fields but those that __getattr__ makes up, which could be any"
    assert f"result 1 of 1 {why}; return a mapping of its fields" in refusal([kind()])


class DotDict(dict[str, Any]):
    """A usual way to read the keys of a mapping as attributes."""

    __getattr__ = dict.get


def test_a_mapping_whose_getattr_is_that_of_dict_is_read_as_a_mapping() -> None:
    assert ids(DotDict(hits=[{"id": "b"}, {"id": "a"}])) == ["b", "a"]
    assert ids([DotDict(id="b"), DotDict(id="a")]) == ["b", "a"]


class Hit(Nothing):
    def __init__(self, id_: str) -> None:
        self.id = id_


def test_attributes_of_its_own_are_read_all_the_same() -> None:
    assert ids([Hit("b"), Hit("a")]) == ["b", "a"]


class Found(Nothing):
    def __iter__(self) -> Iterator[str]:
        return iter(["b", "a"])


def test_an_iterable_that_answers_to_every_name_is_read_as_an_iterable() -> None:
    assert ids(Found()) == ["b", "a"]


def test_records_of_numpy() -> None:
    records = pd.DataFrame({"id": ["b", "a"], "score": [1.5, 0.5]}).to_records()
    assert pairs(records) == [("b", 1.5), ("a", 0.5)]


# --- iteration over fields, items without iteration -----------------------------------


NAMES = "which gives the names of its own fields if it is iterated over"


class LikeDict:
    """As Pinecone's responses are: iterating over one gives the names of its fields."""

    def __init__(self, **fields: object) -> None:
        self.__dict__.update(fields)

    def __iter__(self) -> Iterator[object]:
        return iter(self.__dict__)

    def __getitem__(self, name: str) -> object:
        return self.__dict__[name]

    def __repr__(self) -> str:
        return "<LikeDict>"


class OfItems(LikeDict):
    """Iterating over one gives its fields with their values."""

    def __iter__(self) -> Iterator[object]:
        return iter(self.__dict__.items())


@pytest.mark.parametrize("kind", [LikeDict, OfItems])
def test_the_fields_of_an_object_are_no_ranking(kind: Any) -> None:
    response = kind(matches=[{"id": "a"}], namespace="", usage=5)
    assert refusal(response) == (
        f"search returned {type_in_words(response)}, {NAMES}, <LikeDict>; its results are probably in response.matches "
        "(1 mapping): return response.matches"
    )
    assert NAMES in refusal(kind(total=3, took=5))


class OfProperties:
    """The fields are properties, and iterating over it gives their names."""

    matches: Any = property(lambda self: [])
    namespace: Any = property(lambda self: "")

    def __iter__(self) -> Iterator[str]:
        return iter(["matches", "namespace"])


class OfStore(Nothing):
    """The fields are in a mapping of its own: it answers in square brackets, and gives
    their names.
    """

    def __init__(self) -> None:
        self._store: dict[str, Any] = {"matches": [], "namespace": ""}

    def __getitem__(self, name: str) -> object:
        return self._store[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._store)


@pytest.mark.parametrize("kind", [OfProperties, OfStore])
def test_the_names_of_fields_are_no_ranking_wherever_the_fields_are(kind: Any) -> None:
    assert NAMES in refusal(kind())


class Ids:
    """Ids in square brackets by their places, as in a list."""

    def __init__(self, *ids: str) -> None:
        self._ids = ids

    def __getitem__(self, place: int) -> str:
        return self._ids[place]

    def __iter__(self) -> Iterator[str]:
        return iter(self._ids)


def test_ids_that_are_no_names_of_fields_are_a_ranking() -> None:
    assert ids(Ids("b", "a")) == ["b", "a"]


class ByName:
    """Has items in square brackets, and cannot be iterated over."""

    def __init__(self, items: Any) -> None:
        self._items = items

    def __getitem__(self, key: Any) -> Any:
        return self._items[key]

    def __repr__(self) -> str:
        return "<ByName>"


def test_an_object_with_named_items_alone_is_refused() -> None:
    what = (
        "a ByName, whose items have names, and response[0] is a KeyError(0), <ByName>"
    )
    assert refusal(ByName({"results": ["a"]})) == (
        f"search returned {what}; return a list of results, best first"
    )


def test_items_by_their_places_are_read() -> None:
    assert ids(ByName(["b", "a"])) == ["b", "a"]
    assert ids(ByName([])) == []
