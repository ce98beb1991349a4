"""A gate as a record has it, and as one process tells another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pytest_relevance.cases.model import FIGURES, Gate, LatencyBound
from pytest_relevance.metrics.names import metric_named


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedGate:
    """A gate with its `line` (from 1) in the case file. All else is as in `Gate`, but
    metrics are texts.

    Raises:
        ValueError: a bound is of no metric, or there is no such figure of the latency.
    """

    id: str
    condition: str
    share: float = 0.0
    tag: str | None = None
    p: float | None = None
    variant: str | None = None
    against: str | None = None
    latencies: tuple[LatencyBound, ...] = ()
    value: Any = None
    bounds: tuple[tuple[str, float], ...] = ()
    line: int

    @classmethod
    def of(cls, gate: Gate, line: int) -> RecordedGate:
        """Record a gate."""
        return cls(
            id=gate.id,
            condition=gate.condition,
            share=gate.share,
            tag=gate.tag,
            p=gate.p,
            variant=gate.variant,
            against=gate.against,
            latencies=gate.latencies,
            value=gate.value,
            bounds=tuple((metric.text, bound) for metric, bound in gate.bounds),
            line=line,
        )

    def __post_init__(self) -> None:
        """Check the metrics and the figures."""
        for metric, _ in self.bounds:
            metric_named(metric)
        for latency in self.latencies:
            if latency.figure not in FIGURES:
                raise ValueError(f"no figure of the latency is {latency.figure!r}")

    @property
    def gate(self) -> Gate:
        """The gate. A metric of a project has no function."""
        bounds = [(metric_named(metric), bound) for metric, bound in self.bounds]
        return Gate(
            id=self.id,
            condition=self.condition,
            bounds=tuple(bounds),
            share=self.share,
            tag=self.tag,
            p=self.p,
            variant=self.variant,
            against=self.against,
            latencies=self.latencies,
            value=self.value,
        )
