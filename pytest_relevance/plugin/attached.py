"""What a report carries: `report.relevance`, as an object or as JSON text.

It becomes text only if the report leaves its process. Under pytest-xdist the controller
neither collects nor runs cases, and other plugins run each test in a process of its
own. So everything that a process says about cases goes with its reports.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from pytest_relevance.codec import decode, encode
from pytest_relevance.plugin.news import NO_NEWS, News
from pytest_relevance.results.case_result import CaseResult

ATTRIBUTE = "relevance"
"""The attribute of a report."""


@dataclass(frozen=True, slots=True)
class Attached:
    """What one report carries.

    Attributes:
        results: the result of a case, or those of the checks of a test in Python. They
            are empty if another plugin ran the item in its own way. None: the report is
            not about the call of a case, or of a test with checks.
        shown: the result that the failure is about, if it is about any.
        news: what the process tells besides.
    """

    results: Sequence[CaseResult] | None = None
    shown: CaseResult | None = None
    news: News = NO_NEWS


NOTHING = Attached()


def attached_to(report: pytest.TestReport | pytest.CollectReport) -> Attached:
    """Return what a report carries.

    If it came as text from another process, the report has the object from now on.
    """
    attached = getattr(report, ATTRIBUTE, NOTHING)
    if isinstance(attached, str):
        attached = from_text(Attached, attached)
        attach(report, attached)
    known: Attached = attached
    return known


def attach(
    report: pytest.TestReport | pytest.CollectReport, attached: Attached
) -> None:
    """Set what a report carries, in place of what it carried before."""
    setattr(report, ATTRIBUTE, attached)


def attach_news(report: pytest.TestReport, news: News) -> None:
    """Add news to what a report carries."""
    attach(report, replace(attached_to(report), news=news))


def make_portable(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn what a report carries into text, so that another process can read it."""
    attached = getattr(report, ATTRIBUTE, None)
    if isinstance(attached, Attached):
        setattr(report, ATTRIBUTE, as_text(attached))


def as_text(part: Any) -> str:
    """Return a dataclass as JSON in ASCII: execnet cannot send lone surrogates.

    A value of `params` that JSON does not have becomes text.
    """
    return json.dumps(encode(part), default=str)


def from_text(kind: type[Any], text: str) -> Any:
    """Return the dataclass that `as_text` was called with."""
    return decode(kind, json.loads(text))
