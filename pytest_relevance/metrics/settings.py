"""The conventions under which a ranking is scored: gain, discount, ideal, and what unjudged and negative mean.

The tables here are the only list of what may be chosen; the reader of case files and the help text use them too. A new
choice is a new key here and a branch in `measures` and `batch`.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field

GAINS = ("exponential", "linear")
"""2^grade - 1, and the grade itself."""

CHOICES: Mapping[str, tuple[str, ...]] = {
    "gain": GAINS,
    # log2(rank + 1), or ln(rank + 1), which cancels in nDCG
    "discount": ("log2", "ln"),
    # best first: all judgments of the query, or the results that were returned; or the highest grade at every rank
    "ideal": ("judged", "returned", "max"),
    # an unjudged result has no gain, or is left out and the ranks close up
    "unjudged": ("zero", "skip"),
    # a negative grade has the gain that its formula gives, or, as in trec_eval, none, and counts as unjudged
    "negative": ("keep", "zero"),
    # a score that is not defined is NaN or, as in trec_eval, 0
    "undefined": ("nan", "zero"),
}

# 2^50 is the last power where sums of a thousand gains are still whole numbers to the digit.
LARGEST_EXPONENTIAL_GRADE = 50

# How many gains are kept: enough for any scale, few enough that a million fractional grades do not stay in memory.
_KEPT_GAINS = 4096

_LOGARITHMS = {"log2": math.log2, "ln": math.log}
_discounts: dict[str, list[float]] = {"log2": [], "ln": []}


def discount_table(discount: str, ranks: int) -> list[float]:
    """Give the discounts of ranks 1, 2, ...: log2(rank + 1) or ln(rank + 1), at least `ranks` of them.

    The list is shared and only ever grows: read it, do not change it. It is computed with `math`, whose results differ
    from numpy's at a few ranks, so that every path to a score divides by the same numbers.
    """
    table = _discounts[discount]
    if len(table) < ranks:
        logarithm = _LOGARITHMS[discount]
        # Extended by slice assignment of a finished list: another thread sees the old table or the new one.
        have = len(table)
        table[have:] = [
            logarithm(rank + 1)
            for rank in range(have + 1, max(ranks, 2 * have, 64) + 1)
        ]
    return table


class GainCache(dict[float | None, float]):
    """Gain by grade, computed at the first look-up: what makes a gain cost one dictionary access. None has no gain."""

    __slots__ = ("_gain", "_negative")

    def __init__(self, gain: str | Mapping[float, float], negative: str) -> None:
        super().__init__()
        self._gain = gain
        self._negative = negative

    def __missing__(self, grade: float | None) -> float:
        """Compute a gain on first use, or raise what `Settings.gain_of` raises."""
        gain = 0.0 if grade is None else _gain(grade, self._gain, self._negative)
        if len(self) < _KEPT_GAINS:
            self[grade] = gain
        return gain


@dataclass(frozen=True, slots=True)
class Settings:
    """The conventions of a score; the defaults are the same as in a case file.

    `gain` is "exponential", "linear" or a mapping grade -> gain (copied). `max_grade` is the top of the scale, used by
    `ideal="max"` and by ERR; None means the highest grade among the judgments at hand, which is one query's in
    `measures` and all queries' in `batch`. `collapse`: chunks stand for their document, so that whoever has a ranking
    grades it without later copies (`ndcg.without_copies`). `gains` looks a gain up by grade, and computes it at first.

    Settings are hashable, comparable and picklable.

    Raises:
        ValueError: a value is not in the tables of this module, `collapse` is not a bool, `max_grade` is not a finite
            number above 0, or a gain mapping is empty or contains anything but finite numbers.
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
        """Refuse what is not in the tables, and copy a mapping."""
        if isinstance(self.gain, Mapping):
            object.__setattr__(self, "gain", _checked_mapping(self.gain))
        for name, allowed in CHOICES.items():
            value = getattr(self, name)
            if name == "gain" and isinstance(value, Mapping):
                continue
            if not isinstance(value, str) or value not in allowed:
                or_mapping = (
                    " or a mapping of grades to gains" if name == "gain" else ""
                )
                raise ValueError(
                    f"{name} is one of {', '.join(allowed)}{or_mapping}, not {value!r}"
                )
        if not isinstance(self.collapse, bool):
            raise ValueError(f"collapse is True or False, not {self.collapse!r}")
        object.__setattr__(self, "gains", GainCache(self.gain, self.negative))
        if self.max_grade is not None:
            check_number("max_grade", self.max_grade)
            if self.max_grade <= 0:
                raise ValueError(
                    f"max_grade is the highest grade of the scale and above 0, not {self.max_grade!r}"
                )
            self.gain_of(self.max_grade)

    def __hash__(self) -> int:
        """Hash the choices; a mapping gain by its items."""
        gain = self.gain if isinstance(self.gain, str) else frozenset(self.gain.items())
        others = (
            self.discount,
            self.ideal,
            self.unjudged,
            self.negative,
            self.undefined,
            self.max_grade,
        )
        return hash((gain, others, self.collapse))

    @property
    def increasing(self) -> bool:
        """Whether a higher grade never has a lower gain, by the formula (a mapping need not rise with the grades)."""
        return isinstance(self.gain, str)

    def gain_of(self, grade: float) -> float:
        """Give the gain of a grade: 2^grade - 1, the grade, or what the mapping says; 0 for a negative one if so set.

        Raises:
            ValueError: the grade is not a finite number, is over 50 with exponential gain, or is not in the mapping.
        """
        return _gain(grade, self.gain, self.negative)


def _gain(grade: float, gain: str | Mapping[float, float], negative: str) -> float:
    check_number("a grade", grade)
    if grade < 0 and negative == "zero":
        return 0.0
    if not isinstance(gain, str):
        try:
            return gain[grade]
        except KeyError:
            known = ", ".join(f"{known:g}" for known in sorted(gain))
            raise ValueError(
                f"the gain mapping has no grade {grade:g}; it has {known}"
            ) from None
    if gain == "linear":
        return float(grade)
    if grade > LARGEST_EXPONENTIAL_GRADE:
        raise ValueError(
            f"grade {grade:g} is too high for exponential gain (2^grade - 1): at most {LARGEST_EXPONENTIAL_GRADE} is "
            "allowed; use gain linear or a mapping"
        )
    return float(2.0 ** float(grade) - 1.0)


def _checked_mapping(gain: Mapping[float, float]) -> dict[float, float]:
    if not gain:
        raise ValueError(
            "the gain mapping is empty: it gives a gain for every grade that occurs"
        )
    for grade, value in gain.items():
        check_number("a grade of the gain mapping", grade)
        check_number(f"the gain of grade {grade:g}", value)
    return {float(grade): float(value) for grade, value in gain.items()}


def check_number(what: str, value: object) -> None:
    """Raise ValueError unless `value` is a finite real number, of Python or numpy; bools and text are none."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        number = value
    else:
        numpy = sys.modules.get(
            "numpy"
        )  # a numpy number cannot exist before numpy was imported
        if numpy is None or not isinstance(value, (numpy.integer, numpy.floating)):
            raise ValueError(
                f"{what} is a number, not {value!r} ({type(value).__name__})"
            )
        number = float(value)
    if isinstance(number, float) and not math.isfinite(number):
        raise ValueError(f"{what} is a finite number, not {value!r}")
