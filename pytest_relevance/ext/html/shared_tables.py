"""The settings and scales of the cases in the page, as JSON data for its script.

Many cases have the same settings and the same scale. So the page has each of them once,
and a case has only their numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from pytest_relevance.metrics.settings import Settings
from pytest_relevance.reports.labels import settings_text
from pytest_relevance.results.case_parts import CaseConditions
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.unjudged import top_grade

_Scale = tuple[tuple[float, str], ...]
"""The grades of a scale, the lowest first, each with its name or an empty text."""

_MOST_GRADES = 10
"""The most grades of a scale for which the page has a button and a digit each."""


class SharedTables:
    """The settings and scales of the cases that were added.

    `settings`: {settings: number}.
    """

    def __init__(self) -> None:
        self.settings: dict[Settings, int] = {}
        self._scales: dict[_Scale, int] = {}
        self._grades: dict[Settings, set[float]] = {}

    def add(self, result: CaseResult) -> dict[str, Any]:
        """Add the settings and the scale of a case.

        Return the fields of the case about them: both numbers, and the lowest and the
        highest grade that a reader may give.
        """
        conditions = result.conditions
        settings = conditions.settings
        highest = conditions.highest
        # If nothing relevant is judged, no grade up to the highest one has a gain. The
        # page has to offer a grade that has one.
        top = top_grade(result)
        if top is not None:
            highest = max(highest, top)
        scale = _scale(conditions, highest)
        grades = self._grades.setdefault(settings, set())
        grades.update(result.evaluation.judgments)
        grades.update((conditions.lowest, highest))
        grades.update(grade for grade, _ in scale)
        if settings.max_grade is not None:
            grades.add(settings.max_grade)
        return {
            "settings": self.settings.setdefault(settings, len(self.settings)),
            "scale": self._scales.setdefault(scale, len(self._scales)),
            "lowest": conditions.lowest,
            "highest": highest,
        }

    def data(self) -> dict[str, Any]:
        """Return the tables as JSON data. Their order is that of the numbers."""
        settings = []
        for each in self.settings:
            settings.append(_settings_data(each, self._grades[each]))
        scales = []
        for scale in self._scales:
            scales.append({"grades": [list(grade) for grade in scale]})
        return {"settings": settings, "scales": scales}


def _scale(conditions: CaseConditions, highest: float) -> _Scale:
    """Return (grade, name) of each grade that a reader may give, the lowest first.

    These are the ends of the scale and the grades with a name. If a mapping gives the
    gains, its grades are added. Otherwise, if no grade has a name, all whole grades are
    added, if there are at most `_MOST_GRADES` of them.
    """
    lowest = conditions.lowest
    names = conditions.grade_names
    grades = {*names, lowest, highest}
    gain = conditions.settings.gain
    if isinstance(gain, Mapping):
        grades.update(grade for grade in gain if lowest <= grade <= highest)
    elif not names:
        whole = range(math.ceil(lowest), math.floor(highest) + 1)
        if len(whole) <= _MOST_GRADES:
            grades.update(float(grade) for grade in whole)
    return tuple((grade, names.get(grade, "")) for grade in sorted(grades))


def _settings_data(settings: Settings, grades: Iterable[float]) -> dict[str, Any]:
    """Return the settings of a metric as JSON data, with the gains of these grades."""
    gains = [[grade, settings.gains[grade]] for grade in sorted(grades)]
    return {
        "text": settings_text(settings),
        "gains": gains,
        "gain": settings.gain if isinstance(settings.gain, str) else "mapping",
        "increasing": settings.increasing,
        "discount": settings.discount,
        "ideal": settings.ideal,
        "unjudged": settings.unjudged,
        "negative": settings.negative,
        "undefined": settings.undefined,
        "maxGrade": settings.max_grade,
    }
