"""Dataclasses as JSON values and back: what each type hint becomes, and what is said of
a value that does not fit.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import pytest

from pytest_relevance.codec import (
    DecodeError,
    decode,
    encode,
    is_same_json,
    keep_as_text,
)


@dataclass(frozen=True)
class Grade:
    value: float | None = None
    names: Mapping[float, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.value is not None and self.value < 0:
            raise ValueError("value is not negative")


@dataclass(frozen=True)
class Result:
    id: str
    rank: int = 1
    is_known: bool = False
    documents: Sequence[str] = ()
    grades: Sequence[Grade] = ()
    pair: tuple[str, int | None] = ("", None)
    by_name: Mapping[str, Grade] = field(default_factory=dict)
    gain: str | Mapping[float, float] = "linear"
    params: Mapping[str, Any] = field(default_factory=dict)


@pytest.mark.parametrize(
    ("result", "values"),
    [
        (Result("a"), {"id": "a"}),
        (Result("a", rank=2, is_known=True), {"id": "a", "rank": 2, "is_known": True}),
        (Result("a", documents=("x", "y")), {"id": "a", "documents": ["x", "y"]}),
        (Result("a", pair=("x", 3)), {"id": "a", "pair": ["x", 3]}),
        (
            Result("a", grades=(Grade(), Grade(0.5))),
            {"id": "a", "grades": [{}, {"value": 0.5}]},
        ),
        (
            Result("a", by_name={"x": Grade(1, names={3.0: "best", 0.5: "fair"})}),
            {
                "id": "a",
                "by_name": {"x": {"value": 1, "names": {"3": "best", "0.5": "fair"}}},
            },
        ),
        (
            Result("a", gain={-0.0: 0.0, 3: 7.0}),
            {"id": "a", "gain": {"0": 0.0, "3": 7.0}},
        ),
        (
            Result("a", params={"b": [1, {"c": None}]}),
            {"id": "a", "params": {"b": [1, {"c": None}]}},
        ),
    ],
)
def test_what_equals_its_default_is_left_out(
    result: Result, values: Mapping[str, object]
) -> None:
    assert encode(result) == values
    assert decode(Result, values) == result


def test_keys_of_a_later_version_are_passed_over() -> None:
    assert decode(Result, {"id": "a", "later": [1]}) == Result("a")


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([], "expected an object, found []"),
        ({}, "it has no id"),
        ({"id": None}, "id: expected a text, found None"),
        ({"rank": True}, "rank: expected a whole number, found True"),
        ({"rank": 1.0}, "rank: expected a whole number, found 1.0"),
        ({"is_known": 1}, "is_known: expected true or false, found 1"),
        ({"documents": "x"}, "documents: expected a list, found 'x'"),
        ({"documents": ["x", 7]}, "documents[1]: expected a text, found 7"),
        ({"pair": ["x"]}, "pair: expected 2 values, found ['x']"),
        (
            {"pair": ["x", "y"]},
            "pair[1]: expected a whole number or null, found 'y'",
        ),
        (
            {"grades": [{}, {"value": "three"}]},
            "grades[1].value: expected a number or null, found 'three'",
        ),
        ({"grades": [{"value": 10**400}]}, "grades[0].value: expected a number, found"),
        ({"grades": [{"value": -1}]}, "grades[0]: value is not negative"),
        (
            {"by_name": {"smart watch": {"names": {"x": "best"}}}},
            "by_name[\"smart watch\"].names: expected a number as a key, found 'x'",
        ),
        ({"gain": 7}, "gain: expected a text or an object, found 7"),
        ({"gain": {"1": "x"}}, "gain.1: expected a number, found"),
        ({"params": [1]}, "params: expected an object, found [1]"),
    ],
)
def test_a_value_that_does_not_fit_is_named_by_its_path(
    values: object, message: str
) -> None:
    if isinstance(values, dict) and values:
        values = {"id": "a", **values}
    with pytest.raises(DecodeError) as caught:
        decode(Result, values)
    assert str(caught.value).startswith(message)


@dataclass(frozen=True)
class Shares:
    shares: Sequence[Fraction]


def test_a_class_whose_values_are_texts() -> None:
    keep_as_text(Fraction, text=str, parse=Fraction)
    thirds = Shares((Fraction(1, 3), Fraction(2, 3)))
    assert encode(thirds) == {"shares": ["1/3", "2/3"]}
    assert decode(Shares, {"shares": ["1/3", "2/3"]}) == thirds
    with pytest.raises(DecodeError, match=r"^shares\[1\]: .*'x'"):
        decode(Shares, {"shares": ["1/3", "x"]})
    with pytest.raises(DecodeError, match=r"^shares\[0\]: expected a text, found 3"):
        decode(Shares, {"shares": [3]})


@pytest.mark.parametrize(
    ("one", "other", "is_same"),
    [
        (1, 1.0, True),
        (1, True, False),
        ({"a": [1, None]}, {"a": (1.0, None)}, True),
        ({"a": 1}, {"b": 1}, False),
        ([1], [1, 2], False),
        ("1", 1, False),
        (None, 0, False),
    ],
)
def test_values_that_are_the_same_in_json(
    one: object, other: object, is_same: bool
) -> None:
    assert is_same_json(one, other) == is_same


class Unequal:
    """A value of another package that cannot be compared."""

    def __eq__(self, other: object) -> bool:
        raise TypeError

    __hash__ = None  # type: ignore[assignment]


def test_a_value_of_another_package_is_not_compared() -> None:
    @dataclass
    class Part:
        value: Any = None

    unequal = Unequal()
    assert encode(Part(unequal))["value"] is unequal
    assert not is_same_json(Part(unequal), Part(unequal))
