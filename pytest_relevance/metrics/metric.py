"""Describe a metric: a measure with its cutoff and parameters, as in P(rel=2)@5."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

DEFAULT_RELEVANCE_LEVEL = 1.0
"""The lowest grade that counts as relevant, unless a metric says otherwise (rel=2)."""

DEFAULT_PERSISTENCE = 0.8
"""The persistence p of RBP, as in ir_measures."""

ROUNDING = 1e-9
"""The largest difference of two scores that is due to rounding."""

MetricFunction = Callable[[list[float | None], list[float], int | None], Any]
"""The function of a metric of a project's own.

It takes the grades of the results, best first and cut at k (None: unjudged), the grades
of all judgments, and k (None without a cutoff). It returns a number, or None if the
metric is not defined.
"""

ProjectMetrics = Mapping[str, MetricFunction | None]
"""The metrics of a project's own by name. The function is None if it is not known."""


class MetricError(ValueError):
    """A metric of a project's own cannot be used.

    If the function of the metric raised an exception, this is the `__cause__`.
    """


@dataclass(frozen=True, slots=True)
class Metric:
    """A measure with its cutoff and parameters, as `names.parse_metric` reads it.

    `text`: the canonical spelling, for example "P(rel=2)@5".
    `measure`: the name of the measure, for example "nDCG".
    `k`: the cutoff; None for the whole ranking.
    `rel`: the lowest grade that counts as relevant. Only binary measures use it.
    `p`: the persistence. Only RBP, gRBP and RBO use it.
    `is_similarity`: whether the metric compares two rankings, without judgments.
    `is_own`: whether a project defines the metric.
    `function`: computes a project's own metric; None if the function is not known, for
    example in a command.
    """

    text: str
    measure: str
    k: int | None = None
    rel: float = DEFAULT_RELEVANCE_LEVEL
    p: float = DEFAULT_PERSISTENCE
    is_similarity: bool = False
    is_own: bool = False
    function: MetricFunction | None = None

    @property
    def is_computable(self) -> bool:
        """Say whether the metric can be computed here.

        False for a project's own metric whose function is not known, for example in a
        command.
        """
        return not self.is_own or self.function is not None
