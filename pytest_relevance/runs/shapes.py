"""What the values of a record may be: a file on disk may have been damaged, or changed by hand.

Values are looked at column by column, the values of one key in all results, which takes a tenth of the time. Numbers
are finite and counts bounded, so that nothing that reads them overflows, or makes a list that no memory holds.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

from pytest_relevance.metrics.names import LARGEST_CUTOFF
from pytest_relevance.runs.scored import SKIPPED, VERDICTS

LARGEST_COUNT = 1_000_000_000
LARGEST_NUMBER = 1e300

MOST_JUDGMENTS = 10_000_000
"""How many judgments a query may have. They are listed, one by one, when a metric is computed."""

Column = Sequence[Any]
Shape = Callable[[Column], bool]

_TEXT, _WHOLE, _NUMBER = frozenset({str}), frozenset({int}), frozenset({int, float})
_KNOWN = frozenset({*VERDICTS, SKIPPED})


def is_whole(value: object, least: int = 0, most: int = LARGEST_COUNT) -> bool:
    """Whether a value is a whole number from `least` to `most`, and no bool."""
    return type(value) is int and least <= value <= most


def is_number(value: object) -> bool:
    """Whether a value is a finite number that a float holds, and no bool."""
    return type(value) in _NUMBER and -LARGEST_NUMBER <= value <= LARGEST_NUMBER  # type: ignore[operator]


def json_value(text: str) -> Any:
    """What JSON says. ValueError for what is none, and for NaN and Infinity, which JSON does not have."""
    try:
        return json.loads(text, parse_constant=_refuse_constant)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is no number of JSON")


def _texts(column: Column) -> bool:
    return {*map(type, column)} <= _TEXT


def _wholes(column: Column) -> bool:
    return {*map(type, column)} <= _WHOLE and (not column or (min(column) >= 0 and max(column) <= LARGEST_COUNT))


def _numbers(column: Column) -> bool:
    return {*map(type, column)} <= _NUMBER and (
        not column or (min(column) >= -LARGEST_NUMBER and max(column) <= LARGEST_NUMBER)
    )


def _positive_numbers(column: Column) -> bool:
    return _numbers(column) and (not column or min(column) > 0)


def _lists_of_texts(column: Column) -> bool:
    return {*map(type, column)} <= {list} and _texts([text for texts in column for text in texts])


def _objects(column: Column) -> bool:
    return {*map(type, column)} <= {dict}


def _scores(column: Column) -> bool:
    found = [score for scores in column for score in scores.values() if score is not None] if _objects(column) else [""]
    return _numbers(found)


def _or_none(shape: Shape) -> Shape:
    return lambda column: shape([value for value in column if value is not None])


_REQUIRED: Mapping[str, Shape] = {
    "file": _texts,
    "id": _texts,
    "verdict": lambda column: _texts(column) and _KNOWN.issuperset(column),
}
_OPTIONAL: Mapping[str, Shape] = {
    "query": _texts,
    "tags": _lists_of_texts,
    "weight": _positive_numbers,
    "scores": _scores,
    "before": _scores,
    "params": _objects,
    "reasons": _lists_of_texts,
    "items": _lists_of_texts,
    "cut": lambda column: {*map(type, column)} <= {bool},
    "line": _wholes,
    "depth": _or_none(_wholes),
    "variant": _or_none(_texts),
    "source": _or_none(_texts),
    "test": _texts,
    "outcome": _texts,
    "digest": _texts,
    "latency": _or_none(_numbers),
    "lower": _or_none(_numbers),
    "upper": _or_none(_numbers),
    "calls": _wholes,
    "rankings_seen": _wholes,
}
PLURAL = frozenset({"tags", "scores", "reasons", "params", "items"})
"""The keys that are spoken of as several."""


def first_unsound(values: Sequence[Mapping[str, Any]]) -> str | None:
    """The first key whose values are not what they may be, in any of some results; None where all are sound.

    KeyError for a result without a key that every result has.
    """
    for name, shape in _REQUIRED.items():
        if not shape([each[name] for each in values]):
            return name
    for name, shape in _OPTIONAL.items():
        if not shape([each[name] for each in values if name in each]):
            return name
    return None


def check_conditions(values: Mapping[str, Any]) -> None:
    """Raise a ValueError where a search or a cutoff is none; settings check themselves."""
    if type(values["search"]) is not str:
        raise ValueError(f"a search is a name, not {values['search']!r}")
    if not is_whole(values["k"], 1, LARGEST_CUTOFF):
        raise ValueError(f"k is a whole number from 1 to {LARGEST_CUTOFF:,}, not {values['k']!r}")
    if values.get("depth") is not None and not is_whole(values["depth"], 1, LARGEST_CUTOFF):
        raise ValueError(f"depth is a whole number from 1 to {LARGEST_CUTOFF:,}, not {values['depth']!r}")


def check_details(details: Any) -> None:
    """Raise a ValueError where the details of a result are not what metrics and reports rely on."""
    if type(details) is not dict:
        raise ValueError("they are no object")
    ranking, grades = details.get("ranking", []), details.get("grades", [])
    if type(ranking) is not list or not _texts(ranking):
        raise ValueError("a document is no text")
    if type(grades) is not list or len(grades) != len(ranking):
        raise ValueError(f"documents: {len(ranking)}, grades: {len(grades) if type(grades) is list else grades!r}")
    if not _numbers([grade for grade in grades if grade is not None]):
        raise ValueError("a grade is no number")
    if not is_whole(details.get("returned", 0)):
        raise ValueError("how many were returned is no number")
    _check_counts(details.get("judgments", {}))


def _check_counts(judgments: Any) -> None:
    if type(judgments) is not dict:
        raise ValueError("the judgments are no object")
    for text, count in judgments.items():
        try:
            is_grade = is_number(float(text))
        except ValueError:
            is_grade = False
        if not is_grade or not is_whole(count):
            raise ValueError(f"the judgments of grade {text!r} are counted as {count!r}")
    if sum(judgments.values()) > MOST_JUDGMENTS:
        raise ValueError(f"there are {sum(judgments.values()):,} judgments; at most {MOST_JUDGMENTS:,} are possible")
