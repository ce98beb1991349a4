"""Define the conventions under which a ranking is scored.

These are the gain, the discount, the ideal ranking, and what unjudged results and
negative grades mean. `CHOICES` lists what may be chosen, for the reader of case files
and for help texts too. A new choice is a new value in `CHOICES`, and a branch in `ndcg`
or `formulas`, and in `matrix`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

GAINS: Mapping[str, str] = {
    "exponential": "2^grade - 1",
    "linear": "the grade itself",
}
"""The formulas of the gain, each with its meaning."""

CHOICES: Mapping[str, Mapping[str, str]] = {
    "gain": GAINS,
    "discount": {
        "log2": "log2(rank + 1)",
        "ln": "ln(rank + 1), which cancels in nDCG",
    },
    "ideal": {
        "judged": "all judgments of the query, best first",
        "returned": "the results that were returned, best first",
        "max": "the highest grade at every rank",
    },
    "unjudged": {
        "zero": "an unjudged result has no gain",
        "skip": "unjudged results are left out and the ranks close up",
    },
    "negative": {
        "keep": "a negative grade has the gain that its formula gives",
        "zero": "a negative grade has no gain and counts as unjudged, as in trec_eval",
    },
    "undefined": {
        "nan": "a score that is not defined is NaN",
        "zero": "a score that is not defined is 0, as in trec_eval",
    },
}
"""The settings and the values that each may have, each with its meaning."""

LARGEST_EXPONENTIAL_GRADE = 50
"""The highest grade for exponential gain.

2^50 is the last power of two at which a sum of a thousand gains is still exact.
"""

_MOST_KEPT_GAINS = 4096
"""How many gains a `GainCache` keeps. A million fractional grades would be too many."""

_LOGARITHMS = {"log2": math.log2, "ln": math.log}
_DISCOUNTS: dict[str, list[float]] = {"log2": [], "ln": []}


def discount_table(discount: str, ranks: int) -> list[float]:
    """Return the discounts of ranks 1, 2, ...: log2(rank + 1) or ln(rank + 1).

    The list has at least `ranks` entries. All scores share it: do not change it. numpy
    is not used, because its logarithms differ at a few ranks.
    """
    table = _DISCOUNTS[discount]
    if len(table) < ranks:
        logarithm = _LOGARITHMS[discount]
        known = len(table)
        wanted = max(ranks, 2 * known, 64)
        more = [logarithm(rank + 1) for rank in range(known + 1, wanted + 1)]
        # One slice assignment, so that another thread sees the old table or the new
        # one.
        table[known:] = more
    return table


class GainCache(dict[float | None, float]):
    """Gains by grade, each computed when its grade is first looked up.

    A grade of None, for an unjudged result, has a gain of 0.
    """

    __slots__ = ("_gain", "_negative")

    def __init__(self, gain: str | Mapping[float, float], negative: str) -> None:
        super().__init__()
        self._gain = gain
        self._negative = negative

    def __missing__(self, grade: float | None) -> float:
        """Return the gain of a grade and keep it.

        Raises ValueError if the grade is not a finite number, if it is above 50 with
        exponential gain, or if it is not in the mapping of gains.
        """
        if grade is None:
            gain = 0.0
        else:
            gain = _gain_of(grade, self._gain, self._negative)
        if len(self) < _MOST_KEPT_GAINS:
            self[grade] = gain
        return gain


@dataclass(frozen=True, slots=True)
class Settings:
    """The conventions of a score. The defaults are those of a case file.

    `gain`: "exponential", "linear" or a mapping of grades to gains, which is copied.
    `discount`, `ideal`, `unjudged`, `negative`, `undefined`: a value of `CHOICES`.
    `max_grade`: the top of the scale, for `ideal="max"` and for ERR. None means the
    highest grade among the judgments: of one query in `measures`, of all queries in
    `matrix`.
    `collapse`: whether several chunks count as their one document. If so, the caller
    removes later copies from a ranking before it is graded (`ndcg.without_copies`).
    `gains`: {grade: gain}. A gain is computed when it is first looked up.

    Settings can be hashed, compared and pickled.

    Raises:
        ValueError: a value is not in `CHOICES`, `collapse` is not a bool, `max_grade`
            is not a finite number above 0 or has no gain (it is above 50 with
            exponential gain, or not in the mapping), or a mapping of gains is empty or
            has anything but finite numbers.
    """

    gain: str | Mapping[float, float] = "exponential"
    discount: str = "log2"
    ideal: str = "judged"
    unjudged: str = "zero"
    negative: str = "keep"
    undefined: str = "nan"
    max_grade: float | None = None
    collapse: bool = False
    gains: GainCache = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the values, and copy a mapping of gains."""
        if isinstance(self.gain, Mapping):
            object.__setattr__(self, "gain", _checked_mapping(self.gain))
        self._check_choices()
        if not isinstance(self.collapse, bool):
            raise ValueError(f"collapse is True or False, not {self.collapse!r}")
        object.__setattr__(self, "gains", GainCache(self.gain, self.negative))
        if self.max_grade is not None:
            self._check_max_grade(self.max_grade)

    def _check_choices(self) -> None:
        """Raise ValueError for a value that is not in `CHOICES`."""
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if name == "gain" and isinstance(value, Mapping):
                continue
            if isinstance(value, str) and value in allowed:
                continue
            choices = ", ".join(allowed)
            if name == "gain":
                choices += " or a mapping of grades to gains"
            raise ValueError(f"{name} is one of {choices}, not {value!r}")

    def _check_max_grade(self, max_grade: float) -> None:
        """Raise ValueError if `max_grade` is not a number above 0, or has no gain."""
        check_number("max_grade", max_grade)
        if max_grade <= 0:
            raise ValueError(
                f"max_grade is the highest grade of the scale and above 0, not {max_grade!r}"
            )
        self.gain_of(max_grade)

    def __hash__(self) -> int:
        """Return the hash of all choices. A mapping of gains is hashed by its items."""
        gain = self.gain if isinstance(self.gain, str) else frozenset(self.gain.items())
        return hash(
            (
                gain,
                self.discount,
                self.ideal,
                self.unjudged,
                self.negative,
                self.undefined,
                self.max_grade,
                self.collapse,
            )
        )

    @property
    def increasing(self) -> bool:
        """Say whether a higher grade always has a higher gain. False for a mapping."""
        return isinstance(self.gain, str)

    def gain_of(self, grade: float) -> float:
        """Return the gain of a grade.

        The gain is 2^grade - 1, the grade itself, or the entry of the mapping. With
        `negative="zero"` the gain of a negative grade is 0.

        Raises:
            ValueError: the grade is not a finite number, it is above 50 with
                exponential gain, or it is not in the mapping.
        """
        return _gain_of(grade, self.gain, self.negative)


def _gain_of(grade: float, gain: str | Mapping[float, float], negative: str) -> float:
    """Return the gain of a grade.

    Raises ValueError if the grade is not a finite number, if it is above 50 with
    exponential gain, or if it is not in the mapping of gains.
    """
    check_number("a grade", grade)
    if grade < 0 and negative == "zero":
        return 0.0
    if gain == "linear":
        return float(grade)
    if gain == "exponential":
        if grade > LARGEST_EXPONENTIAL_GRADE:
            raise ValueError(
                f"grade {grade:g} is too high for exponential gain (2^grade - 1): at most "
                f"{LARGEST_EXPONENTIAL_GRADE} is allowed; use gain linear or a mapping"
            )
        return float(2.0 ** float(grade) - 1.0)
    assert not isinstance(gain, str)
    if grade not in gain:
        known = ", ".join(f"{known:g}" for known in sorted(gain))
        raise ValueError(f"the gain mapping has no grade {grade:g}; it has {known}")
    return gain[grade]


def _checked_mapping(gain: Mapping[float, float]) -> dict[float, float]:
    """Return a copy of {grade: gain}, as floats.

    Raises ValueError if a grade or a gain is not a finite number, or if there is none.
    """
    if not gain:
        raise ValueError(
            "the gain mapping is empty: it gives a gain for every grade that occurs"
        )
    checked = {}
    for grade, value in gain.items():
        check_number("a grade of the gain mapping", grade)
        check_number(f"the gain of grade {grade:g}", value)
        checked[float(grade)] = float(value)
    return checked


def check_number(what: str, value: object) -> None:
    """Raise ValueError if `value` is not a finite real number of Python or numpy.

    A bool or a text is not a number. `what` names the value in the message.
    """
    if not is_number(value):
        kind = type(value).__name__
        raise ValueError(f"{what} is a number, not {value!r} ({kind})")
    if isinstance(value, int):
        return  # also one that is too large for a float
    if not math.isfinite(float(value)):  # type: ignore[arg-type]
        raise ValueError(f"{what} is a finite number, not {value!r}")


def is_number(value: object) -> bool:
    """Say whether a value is a real number of Python or numpy, and not a bool."""
    if isinstance(value, bool):
        return False
    if isinstance(value, (int, float)):
        return True
    numpy = sys.modules.get("numpy")  # numpy is not imported only for this question
    return numpy is not None and isinstance(value, (numpy.integer, numpy.floating))
