"""A demand, and how it changed since the reference, in words."""

from __future__ import annotations

from typing import Any

from pytest_relevance._number_text import time_text
from pytest_relevance._text import cut_to, examples, quoted
from pytest_relevance.cases.gates import usual_id
from pytest_relevance.cases.model import Gate, Terms
from pytest_relevance.codec import decode, encode
from pytest_relevance.registry import GATES, ExtensionError
from pytest_relevance.reports.run.changed_test import OF_JUDGMENTS
from pytest_relevance.results.case_parts import DEFAULT_SETTINGS, Outcome
from pytest_relevance.results.records.demands import (
    EXPECT,
    LEFT_GATE,
    SKIP,
    XFAIL,
    DemandChange,
    RecordedExpectation,
)
from pytest_relevance.results.records.marks import MARK_LIMITS

_LONGEST_VALUE = 60

_DEFAULT_TERMS = Terms()

_NAMES = {
    "min_ndcg": "floor",
    EXPECT: "expectation",
    LEFT_GATE: "no gate as strict",
    "strict": "strict xfail",
    **{key: key.replace("_", " ") for key in MARK_LIMITS},
}
"""{key: its name in reports}. Other keys are their own names."""


def name_of_key(key: str) -> str:
    """Return the name of a key in reports: `floor` for `min_ndcg`."""
    return _NAMES.get(key, key)


def change_text(change: DemandChange) -> str:
    """Return, for example, `floor 0.9 -> 0`, `skip: flaky` or `judgments`."""
    name = name_of_key(change.key)
    if change.key in OF_JUDGMENTS:
        return name
    if change.key in (SKIP, XFAIL):
        reason = cut_to(str(change.now), _LONGEST_VALUE)
        return f"{name}: {reason}" if reason else name
    if change.key == LEFT_GATE:
        return f"{name} as {_gate_words(change.before)}{_error_text(change)}"
    if change.key == EXPECT:
        if change.before is None:
            return f"{_expectation_text(change.now)} is new"
        before = _expectation_text(change.before)
        if change.now is None:
            return f"{before} is gone"
        return f"{before} -> {_expectation_text(change.now)}{_error_text(change)}"
    before = value_or_default(change.key, change.before)
    now = value_or_default(change.key, change.now)
    return f"{name} {value_text(before)} -> {value_text(now)}"


def gate_text(change: DemandChange) -> str:
    """Return that a gate is gone or looser, as text.

    For example, `a gate is gone: mean nDCG@10 0.7`, or `a gate is looser: mean nDCG@10
    0.7 -> mean nDCG@10 0.6`.
    """
    before = _gate_words(change.before)
    if change.now is None:
        return f"a gate is gone: {before}"
    text = f"a gate is looser: {before} -> {_gate_words(change.now)}"
    return text + _error_text(change)


def sample_text(change: DemandChange) -> str:
    """Return, for example, `sample of log.csv: n 200 -> 100`."""
    before, now = change.before or {}, change.now or {}
    file = f"sample of {(now or before)['file']}"
    if not before:
        return f"{file}: all queries -> n {now['n']}"
    if not now:
        return f"{file}: n {before['n']} -> all queries"
    parts = []
    for key in ("n", "seed", "by", "per"):
        was, value = before.get(key), now.get(key)
        if was != value:
            parts.append(f"{key} {value_text(was)} -> {value_text(value)}")
    return f"{file}: {', '.join(parts)}"


def value_or_default(key: str, value: Any) -> Any:
    """Return the value of a key; if it is None, the default of the key.

    None if the key has no default.
    """
    if value is not None:
        return value
    for defaults in (DEFAULT_SETTINGS, _DEFAULT_TERMS):
        if hasattr(defaults, key):
            return encode(getattr(defaults, key))
    return None


def value_text(value: Any) -> str:
    """Return the value of a key as text: `0.9`, `head, uk`; `none` without one."""
    if value is None or value == []:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, (int, float)):
        return f"{value:g}"
    if isinstance(value, (list, tuple)):
        return cut_to(", ".join(map(str, value)), _LONGEST_VALUE)
    return cut_to(str(value), _LONGEST_VALUE)


def _expectation_text(values: Any) -> str:
    """Return an expectation as text: `P@5 >= 0.6`, `include "a", "b" within 25`."""
    expected = decode(RecordedExpectation, values)
    text = expected.key
    if expected.kind == "latency":
        return f"{text} {expected.comparison} {time_text(expected.bound)}"
    if expected.conditions:
        from pytest_relevance.expectations.conditions import conditions_text

        outcome = Outcome(text, expected.kind, met=True, conditions=expected.conditions)
        return cut_to(f"{text} {conditions_text(outcome)}", _LONGEST_VALUE)
    if expected.quotes:
        return f"{text} {examples(expected.quotes)}"
    if expected.query:
        text = f"{text} {quoted(expected.query)}"
    if not expected.documents:
        return f"{text} {expected.comparison} {expected.bound:g}"
    text = f"{text} {examples(expected.documents)}"
    if expected.within is None:
        return text
    if expected.kind == "within":
        return f"{text} {expected.comparison} {expected.within}"
    return f"{text} in the top {expected.within}"


def _error_text(change: DemandChange) -> str:
    """Return a text about why nobody knows if a change is stricter; "" if it is known.

    The kind of a gate or of an expectation, which another package may have, says if a
    change is stricter.
    """
    if not change.error:
        return ""
    return f"; it is not known if that is stricter: {change.error}"


def _gate_words(values: Any) -> str:
    """Return what a gate demands: `mean nDCG@10 0.7 of head`.

    If the gate has an id of its own, the id follows in brackets.
    """
    gate = decode(Gate, values)
    try:
        text = usual_id(gate, GATES.get_or_unknown(gate.condition))
    except ExtensionError:
        return gate.id
    if gate.p is not None:
        text = f"{text}, p {gate.p:g}"
    return text if gate.id in text else f"{text} ({quoted(gate.id, 40)})"
