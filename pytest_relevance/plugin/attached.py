"""What the plugin attaches to a report of pytest: `report.relevance`.

The attribute is an object, or JSON text if the report is sent to another process. Under
pytest-xdist the controller neither collects nor runs cases, and other plugins run each
test in a process of its own. So a report carries everything that its process knows
about cases.
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
"""The name of the attribute of a report that the plugin sets."""


@dataclass(frozen=True, slots=True)
class Attached:
    """What the plugin attaches to one report.

    Attributes:
        results: the result of a case, or the results of checks of a test in Python.
            Empty if another plugin ran the item in its own way. None if the report is
            not about the call of a case, or of a test with checks.
        shown: the result that explains the failure; None if there is none.
        news: everything else that the process sends.
    """

    results: Sequence[CaseResult] | None = None
    shown: CaseResult | None = None
    news: News = NO_NEWS


NOTHING = Attached()
"""What is attached to a report of a test without cases."""


def attached_to(report: pytest.TestReport | pytest.CollectReport) -> Attached:
    """Return what is attached to a report, or an empty `Attached`.

    Text from another process is replaced by the object first.
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
    """Attach an object to a report. It replaces the object that was attached before."""
    setattr(report, ATTRIBUTE, attached)


def attach_news(report: pytest.TestReport, news: News) -> None:
    """Attach news to a report, and keep the results that are attached to it."""
    attach(report, replace(attached_to(report), news=news))


def make_portable(report: pytest.TestReport | pytest.CollectReport) -> None:
    """Turn what is attached to a report into text, which other processes can read."""
    attached = getattr(report, ATTRIBUTE, None)
    if isinstance(attached, Attached):
        setattr(report, ATTRIBUTE, as_text(attached))


def as_text(part: Any) -> str:
    """Return a dataclass as JSON, which `from_text` reads.

    The JSON is ASCII, because execnet cannot send all of Unicode. A value of `params`
    that JSON does not have becomes text.
    """
    return json.dumps(encode(part), default=str)


def from_text(kind: type[Any], text: str) -> Any:
    """Return the dataclass of the type `kind` that `as_text` turned into text."""
    return decode(kind, json.loads(text))
