"""The gates of a comparison: by how much the second run may be worse than the first."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_relevance._text import case_in_prose, counted, did_you_mean, first_few, listed, p_text, quoted
from pytest_relevance.cases.checking.expectations import largest_score
from pytest_relevance.metrics.names import Metric, parse_metric
from pytest_relevance.results.compare.comparison import Compared, Mover
from pytest_relevance.results.compare.differences import TIE, Difference
from pytest_relevance.results.compare.incompatibilities import some_cases
from pytest_relevance.results.expectations import digits_apart, digits_of_change
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
    names = list(dict.fromkeys(column.metric for column in comparison.columns))
    allowed = {parse_metric(name).text: most for name, most in (max_drop or {}).items()}
    for name, most in allowed.items():
        if name not in names:
            raise ValueError(f"max_drop: {name} was not compared; it may be {listed(names)}{did_you_mean(name, names)}")
        _check_number(f"max_drop of {name}", most, name)
    if p is not None and not 0 < p <= 1:
        raise ValueError(f"p is above 0 and at most 1, such as 0.05, not {p!r}")
    if p is not None and not allowed:
        raise ValueError("p says when a drop of a mean counts; give max_drop with it")
    findings = [_mean_finding(row, allowed[row.metric], p) for row in comparison.metrics if row.metric in allowed]
    drops: tuple[Mover, ...] = ()
    if max_case_drop is not None:
        _check_number("max_case_drop", max_case_drop, names[0])
        drops = comparison.dropped_by(max_case_drop)
        findings.append(_cases_finding(drops, max_case_drop))
    new = [error for error in comparison.errors if error.is_new]
    if new:
        what = f"{counted(len(new), 'case')} ended in an error that {'was' if len(new) == 1 else 'were'} none before"
        findings.append(GateFinding(False, f"{what}: {some_cases(new)}"))
    return ComparisonGates(tuple(findings), drops)


def _check_number(what: str, number: float, metric: str) -> None:
    by = parse_metric(metric)
    if isinstance(number, bool) or not is_allowance(number, by):
        raise ValueError(f"{what} is {allowance_of(by)}, not {number!r}")


def is_allowance(number: float, metric: Metric) -> bool:
    """Whether a score by a metric can drop by as much."""
    return 0 <= number <= largest_score(metric) and number < math.inf


def allowance_of(metric: Metric) -> str:
    """The drops that can be allowed: `by how much a score may drop, from 0 to 1 for nDCG@10, such as 0.02`."""
    most = largest_score(metric)
    bounds = "0 or more" if most == math.inf else f"from 0 to {most:g} for {metric.text}"
    return f"by how much a score may drop, {bounds}, such as 0.02"


def _mean_finding(row: Difference, most: float, p: float | None) -> GateFinding:
    means = row.means
    name = row.metric if row.variant is None else f"{row.metric} of {quoted(row.variant)}"
    if not means.queries:
        return GateFinding(False, f"{name} is not defined for any case, so that nothing can be said of it")
    digits = digits_of_change(means.difference)
    figures = f"from {means.first:.{digits}f} to {means.second:.{digits}f}"
    change = f"{figures} ({means.difference:+.{digits}f}, p {p_text(row.adjusted_p)})"
    if means.difference >= -most - TIE:
        how = f"by no more than {most:g}" if means.difference < -TIE else "not at all"
        return GateFinding(True, f"{name} dropped {how}: {change}")
    change = f"{figures} ({_beyond(means.difference, most)}, p {p_text(row.adjusted_p)})"
    if p is not None and cannot_reach(row.least_p, p):
        change += f"; {void_condition(p, means.better + means.worse, row.least_p)}"
    elif p is not None and not row.adjusted_p <= p:
        return GateFinding(True, f"{name} dropped by more than {most:g}, but not significantly at {p:g}: {change}")
    return GateFinding(False, f"{name} dropped by more than {most:g}: {change}")


def _cases_finding(drops: tuple[Mover, ...], most: float) -> GateFinding:
    if not drops:
        return GateFinding(True, f"no case dropped by more than {most:g}")
    worst = [
        f"{case_in_prose(mover.key[1], mover.query, mover.key[2])} ({_beyond(mover.difference, most)})"
        for mover in drops
    ]
    return GateFinding(False, f"{counted(len(drops), 'case')} dropped by more than {most:g}: {first_few(worst)}")


def _beyond(difference: float, most: float) -> str:
    """A drop of more than `most`, with enough digits to see that it is more."""
    return f"{difference:+.{digits_apart(-difference, most)}f}"
