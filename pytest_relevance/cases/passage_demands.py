"""What a suite and a case with passages may not demand: measures and settings.

With passages no result is unjudged. One result may hold several passages, and several
results may hold the same passage. So some measures and settings have no meaning.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

from pytest_relevance._text import listed
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Terms
from pytest_relevance.metrics.measures import MEASURES
from pytest_relevance.metrics.metric import Metric

_WITHOUT_CHOICE = ("min_judged", "unjudged", "ideal")
"""The keys whose default is the only value that has a meaning for passages."""


def check_demands_of_suite(terms: Terms, at: Location) -> None:
    """Report what a suite with passages may not demand of its cases or by gates."""
    _check_settings(terms, _WITHOUT_CHOICE, at)
    _check_metrics(terms.expect, at)
    for index, gate in enumerate(terms.gates):
        for metric in gate.metrics:
            if not _takes_passages(metric):
                at.refuse(_refused(metric), "gates", index, gate.condition)


def check_demands_of_case(
    own: Collection[str], terms: Terms, expect: Iterable[Expectation], at: Location
) -> Wrong | None:
    """Report what a case with passages may not demand itself.

    `own`: the keys that the case sets.
    `terms`: the terms of the case.
    `expect`: the expectations that apply to the case.

    Return `WRONG` if a mistake was reported, else None.
    """
    keys = [key for key in _WITHOUT_CHOICE if key in own]
    of_case = [expected for expected in expect if not expected.inherited]
    is_wrong = _check_settings(terms, keys, at) is WRONG
    if _check_metrics(of_case, at) is WRONG or is_wrong:
        return WRONG
    return None


def _check_settings(terms: Terms, keys: Iterable[str], at: Location) -> Wrong | None:
    """Report values of keys that have no meaning for passages.

    Return `WRONG` if a mistake was reported, else None.
    """
    settings = terms.settings
    allowed = {
        "min_judged": (terms.min_judged == 0, "no result is unjudged"),
        "unjudged": (settings.unjudged == "zero", "no result is unjudged"),
        "ideal": (
            settings.ideal == "judged",
            "the ideal ranking has all passages, one a rank",
        ),
    }
    result = None
    for key in keys:
        is_allowed, why = allowed[key]
        if not is_allowed:
            message = f"with passages {why}; take {key} out"
            result = at.refuse(message, key, at_key=True)
    return result


def _check_metrics(expect: Iterable[Expectation], at: Location) -> Wrong | None:
    """Report expectations on metrics that have no meaning for passages.

    Return `WRONG` if a mistake was reported, else None.
    """
    result = None
    for expected in expect:
        if expected.metric is not None and not _takes_passages(expected.metric):
            message = _refused(expected.metric)
            result = at.refuse(message, "expect", expected.written, at_key=True)
    return result


def _takes_passages(metric: Metric) -> bool:
    """Say whether a metric has a meaning for passages.

    Measures that compare two rankings do not look at passages.
    """
    if metric.is_own or metric.is_similarity:
        return True
    return MEASURES[metric.measure].takes_passages


def _refused(metric: Metric) -> str:
    names = [name for name, measure in MEASURES.items() if measure.takes_passages]
    return f"{metric.measure} has no meaning with passages; it may be {listed(names)}"
