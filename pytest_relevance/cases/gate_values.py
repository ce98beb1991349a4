"""Gates as builtin types, for records and for other processes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pytest_relevance.cases.model import FIGURES, Gate, LatencyBound
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.metrics.names import metric_named


def gate_values(gate: Gate) -> dict[str, Any]:
    """Convert a gate to a dict."""
    values: dict[str, Any] = {
        "id": gate.id,
        "condition": gate.condition,
        "share": gate.share,
        "tag": gate.tag,
        "p": gate.p,
    }
    if gate.against is not None:
        values["variant"] = gate.variant
        values["against"] = gate.against
    if gate.latencies:
        values["latencies"] = [
            [latency.figure, latency.comparison, latency.bound]
            for latency in gate.latencies
        ]
    if gate.value is not None:
        values["value"] = gate.value
    values["bounds"] = [[metric.text, bound] for metric, bound in gate.bounds]
    return values


def gate_of(values: Mapping[str, Any]) -> Gate:
    """Convert the dict that `gate_values` made back to a gate.

    Raises:
        KeyError, TypeError, ValueError: the dict is not a gate.
    """
    name, condition, share = values["id"], values["condition"], values["share"]
    are_texts = isinstance(name, str) and isinstance(condition, str)
    if not are_texts or not is_number(share):
        raise ValueError(
            f"no gate with the id {name!r}, the condition {condition!r} and the share "
            f"{share!r}"
        )
    tag, variant, against = values["tag"], values.get("variant"), values.get("against")
    for text in (tag, variant, against):
        if not (text is None or isinstance(text, str)):
            raise ValueError(f"no gate with {text!r} as a tag or a variant")
    p = values["p"]
    if not (p is None or is_number(p)):
        raise ValueError(f"no gate with the p {p!r}")
    bounds = []
    for metric, bound in values["bounds"]:
        bounds.append((metric_named(metric), float(bound)))
    return Gate(
        id=name,
        condition=condition,
        bounds=tuple(bounds),
        share=share,
        tag=tag,
        p=p,
        variant=variant,
        against=against,
        latencies=_latencies_of(values),
        value=values.get("value"),
    )


def _latencies_of(values: Mapping[str, Any]) -> tuple[LatencyBound, ...]:
    latencies = []
    for figure, comparison, bound in values.get("latencies", ()):
        if figure not in FIGURES:
            raise ValueError(f"no figure of the latency is {figure!r}")
        latencies.append(LatencyBound(figure, str(comparison), float(bound)))
    return tuple(latencies)
