"""The gates of a comparison: by how much a mean, or a single case, may drop in the newer run.

A drop is measured before it is rounded, and one of exactly what is allowed is allowed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_relevance._text import counted, did_you_mean, listed, quoted
from pytest_relevance.cases.conditions import largest_score
from pytest_relevance.metrics.names import Metric, parse_metric
from pytest_relevance.results.compare.comparison import Compared, Mover
from pytest_relevance.results.compare.differences import TIE, Difference
from pytest_relevance.results.compare.incompatibilities import MOST_EXAMPLES, shown_key, some
from pytest_relevance.results.expectations import digits_apart
from pytest_relevance.results.gates import GateFinding, cannot_reach, void_condition


@dataclass(frozen=True, slots=True)
class ComparisonGates:
    """What the gates of a comparison found. `drops` are the cases that dropped by more than a case may."""

    findings: tuple[GateFinding, ...]
    drops: tuple[Mover, ...] = ()

    @property
    def passed(self) -> bool:
        """Whether every gate is met."""
        return all(finding.is_met for finding in self.findings)


def judge(
    comparison: Compared,
    max_drop: Mapping[str, float] | None = None,
    *,
    p: float | None = None,
    max_case_drop: float | None = None,
) -> ComparisonGates:
    """Judge the second run of a comparison by the first.

    `max_drop` is {metric: by how much its mean may drop}, in each variant of the search. With `p` a larger drop fails
    only where it is significant too: its Holm-adjusted p-value is at most `p`. Where so few cases changed that no
    p-value can be as low, the drop alone decides, and the finding says so. `max_case_drop` is by how much the score of
    a single case may drop, by the metric of the comparison that was named first. A case that is an error in the second
    run alone always fails. Raises ValueError for a metric that was not compared, and for a number out of range.
    """
    allowed = _checked(comparison, max_drop or {}, p, max_case_drop)
    findings = [_of_mean(row, allowed[row.metric], p) for row in comparison.metrics if row.metric in allowed]
    drops: tuple[Mover, ...] = ()
    if max_case_drop is not None:
        drops = comparison.dropped_by(max_case_drop)
        findings.append(_of_cases(drops, max_case_drop))
    new = [shown_key(error.key) for error in comparison.errors if error.is_new]
    if new:
        what = f"{counted(len(new), 'case')} ended in an error that {'was' if len(new) == 1 else 'were'} none before"
        findings.append(GateFinding(False, f"{what}: {some(new)}"))
    return ComparisonGates(tuple(findings), drops)


def _checked(
    comparison: Compared, max_drop: Mapping[str, float], p: float | None, max_case_drop: float | None
) -> dict[str, float]:
    """What each metric may drop by, under its usual name."""
    compared = list(dict.fromkeys(column.metric for column in comparison.columns))
    allowed = {}
    for name, most in max_drop.items():
        metric = parse_metric(name).text
        if metric not in compared:
            raise ValueError(
                f"max_drop: {metric} was not compared{did_you_mean(metric, compared)}; it may be {listed(compared)}"
            )
        allowed[metric] = _checked_number(f"max_drop of {metric}", most, parse_metric(metric))
    if max_case_drop is not None:
        _checked_number("max_case_drop", max_case_drop, parse_metric(compared[0]))
    if p is not None and not 0 < p <= 1:
        raise ValueError(f"p is above 0 and at most 1, such as 0.05, not {p!r}")
    if p is not None and not max_drop:
        raise ValueError("p says when a drop of a mean counts; give max_drop with it")
    return allowed


def _checked_number(what: str, number: float, metric: Metric) -> float:
    if isinstance(number, bool) or not is_allowance(number, metric):
        raise ValueError(f"{what} is {allowance_of(metric)}, not {number!r}")
    return number


def is_allowance(number: float, metric: Metric) -> bool:
    """Whether a score by a metric can drop by as much."""
    return 0 <= number <= largest_score(metric) and number < math.inf


def allowance_of(metric: Metric) -> str:
    """The drops that can be allowed: `by how much a score may drop, from 0 to 1 for nDCG@10, such as 0.02`."""
    most = largest_score(metric)
    bounds = "0 or more" if most == math.inf else f"from 0 to {most:g} for {metric.text}"
    return f"by how much a score may drop, {bounds}, such as 0.02"


def _of_mean(row: Difference, most: float, p: float | None) -> GateFinding:
    means = row.means
    name = row.metric if row.variant is None else f"{row.metric} of {quoted(row.variant)}"
    if not means.queries:
        return GateFinding(False, f"{name} is not defined for any case, so that nothing can be said of it")
    figures = f"from {means.first:.3f} to {means.second:.3f}"
    change = f"{figures} ({means.difference:+.3f}, {shown_p(row.adjusted_p)})"
    if means.difference >= -most - TIE:
        how = f"by no more than {most:g}" if means.difference < -TIE else "not at all"
        return GateFinding(True, f"{name} dropped {how}: {change}")
    change = f"{figures} ({_beyond(means.difference, most)}, {shown_p(row.adjusted_p)})"
    if p is not None and cannot_reach(row.least_p, p):
        change += f"; {void_condition(p, means.better + means.worse, row.least_p)}"
    elif p is not None and not row.adjusted_p <= p:
        return GateFinding(True, f"{name} dropped by more than {most:g}, but not significantly at {p:g}: {change}")
    return GateFinding(False, f"{name} dropped by more than {most:g}: {change}")


def _of_cases(drops: tuple[Mover, ...], most: float) -> GateFinding:
    if not drops:
        return GateFinding(True, f"no case dropped by more than {most:g}")
    worst = [f"{quoted(shown_key(mover.key))} ({_beyond(mover.difference, most)})" for mover in drops[:MOST_EXAMPLES]]
    more = [f"{len(drops) - len(worst):,} more"] if len(drops) > len(worst) else []
    text = f"{counted(len(drops), 'case')} dropped by more than {most:g}: {listed([*worst, *more], 'and')}"
    return GateFinding(False, text)


def _beyond(difference: float, most: float) -> str:
    """A drop of more than `most`, with enough digits to see that it is more."""
    return f"{difference:+.{digits_apart(-difference, most)}f}"


def shown_p(p: float) -> str:
    """A p-value in words: `p 0.043`, `p < 0.001`."""
    if math.isnan(p):
        return "p n/a"
    return "p < 0.001" if p < 0.001 else f"p {p:.3f}"
