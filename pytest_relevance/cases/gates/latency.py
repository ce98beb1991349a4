"""The condition on the time that searches take: `latency: {p95: "<= 200 ms"}`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from pytest_relevance._text import found, listed, time_text
from pytest_relevance.cases.bounds import TIME
from pytest_relevance.cases.gates.condition import LATENCY, Condition
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Gate, LatencyBound
from pytest_relevance.cases.schema_parts import Schema, about
from pytest_relevance.cases.values import report_unknown_keys

FIGURES: Mapping[str, str] = {
    "p50": "The median",
    "p90": "The 90th percentile; it needs 10 cases",
    "p95": "The 95th percentile; it needs 20 cases",
    "p99": "The 99th percentile; it needs 100 cases",
    "mean": "The mean",
    "max": "The longest",
}
"""The figures of the latency, and what each is."""


def check_latency(value: object, at: Location) -> tuple[LatencyBound, ...] | Wrong:
    """Check figures with the time that each may be: `{p95: "<= 200 ms"}`."""
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            "expected figures of the latency and bounds, such as "
            f'{{p95: "<= 200 ms"}}, found {found(value)}'
        )
    takes = f"a figure of the latency is {listed(FIGURES)}"
    is_wrong = report_unknown_keys(value, FIGURES, takes=takes, at=at) is WRONG
    latencies = []
    for figure, written in value.items():
        example = f'{figure}: "<= 200 ms"'
        bound = TIME.check(written, at.under(str(figure)), example=example)
        if bound is WRONG:
            is_wrong = True
        else:
            latencies.append(LatencyBound(figure, bound.comparison, bound.value))
    return WRONG if is_wrong else tuple(latencies)


def describe_latencies(gate: Gate) -> str:
    """Write the figures of a gate with their bounds: `p95 <= 200 ms`."""
    parts = []
    for latency in gate.latencies:
        time = time_text(latency.bound)
        parts.append(f"{latency.figure} {latency.comparison} {time}")
    return ", ".join(parts)


def _schema() -> Schema:
    figures = {}
    for figure, meaning in FIGURES.items():
        figures[figure] = about(f'{meaning}: "<= 200 ms".', TIME.schema)
    return {
        "type": "object",
        "properties": figures,
        "additionalProperties": False,
        "minProperties": 1,
    }


CONDITIONS: Sequence[Condition] = (
    Condition(
        name=LATENCY,
        field="latencies",
        check=check_latency,
        describe=describe_latencies,
        about='How long searches may take that are called one at a time: {p95: "<= 200 ms"}.',
        schema=_schema(),
    ),
)
