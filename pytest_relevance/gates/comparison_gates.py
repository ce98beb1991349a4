"""Gates of a comparison of two runs: on means, on drops, and on new errors.

`Comparison.judge` calls `judge_comparison`, for the command `compare` and for
notebooks.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._number_text import digits_apart
from pytest_relevance._text import (
    case_in_prose,
    counted,
    did_you_mean,
    first_few,
    listed,
)
from pytest_relevance.gates.common_findings import CommonFinding, UndefinedFinding
from pytest_relevance.gates.drop import DropFinding, DropFindings, show_hidden_drops
from pytest_relevance.gates.kind import Finding
from pytest_relevance.gates.mean import MeanFinding
from pytest_relevance.metrics.measures import largest_score
from pytest_relevance.metrics.names import (
    metric_named,
    parse_metric,
    refuse_lower_better,
    refuse_similarity,
)
from pytest_relevance.results.changes import Change
from pytest_relevance.results.compare.comparison import Comparison, ComparisonGates
from pytest_relevance.results.compare.differences import Difference
from pytest_relevance.results.compare.incompatibilities import ErroredCase
from pytest_relevance.results.filled import graders_of, has_filled


@dataclass(frozen=True, slots=True)
class CaseDropsFinding(CommonFinding):
    """The cases whose score dropped by more than `bound`.

    `metric`: the metric of the score; None for the nDCG@k of each case.
    """

    metric: str | None
    bound: float
    cases: Sequence[Change]

    @property
    def is_met(self) -> bool:
        """Say whether there are no such cases."""
        return not self.cases

    @property
    def about(self) -> str:
        """Return the name of the metric; empty for the nDCG@k of each case."""
        return self.metric or ""

    def text(self) -> str:
        """Return, for example, `2 cases dropped by more than 0.3: "boots" (-0.8)`."""
        most = f"{self.bound:.12g}"
        if not self.cases:
            return f"no case dropped by more than {most}"
        worst = []
        for change in self.cases:
            case, difference = change.case, change.difference
            digits = digits_apart(-difference, self.bound)
            name = case_in_prose(case.id, case.query, case.variant)
            worst.append(f"{name} ({difference:+.{digits}f})")
        cases = counted(len(worst), "case")
        return f"{cases} dropped by more than {most}: {first_few(worst)}"


@dataclass(frozen=True, slots=True)
class NewErrorsFinding(CommonFinding):
    """The cases that ended in an error only in the second run."""

    cases: Sequence[ErroredCase]

    def text(self) -> str:
        """Return, for example, `1 case ended in an error that was none before: "a"`."""
        names = []
        for case in self.cases:
            _, name, variant = case.key
            names.append(case_in_prose(name, case.query, variant))
        were = "was" if len(names) == 1 else "were"
        cases = counted(len(names), "case")
        return (
            f"{cases} ended in an error, and {were} without one before: "
            f"{first_few(names)}"
        )


def judge_comparison(
    comparison: Comparison,
    *,
    max_drop: Mapping[str, float] | None = None,
    p: float | None = None,
    max_case_drop: float | None = None,
    min_mean: Mapping[str, float] | None = None,
) -> ComparisonGates:
    """Return whether the second run of a comparison is good enough, and why.

    `Comparison.judge` describes the arguments, and calls this function through
    `bundled.CALLS_UPWARD`. Raises ValueError for a bound that no value can have.
    """
    drops_of_means = _bounds("max_drop", max_drop, comparison)
    for name, bound in drops_of_means.items():
        _check_drop(f"max_drop of {name}", bound, name)
    means = _bounds("min_mean", min_mean, comparison)
    for name, bound in means.items():
        _check_mean(f"min_mean of {name}", bound, name)
    if p is not None and not 0 < p <= 1:
        raise ValueError(f"p is above 0 and at most 1, such as 0.05, not {p!r}")
    if p is not None and not drops_of_means:
        raise ValueError("p says when a drop of a mean counts; give max_drop with it")
    findings: list[Finding] = []
    findings += _judge_drops(comparison, drops_of_means, p)
    findings += _judge_means(comparison, means)
    drops: Sequence[Change] = ()
    if max_case_drop is not None:
        _check_drop("max_case_drop", max_case_drop, comparison.names[0])
        drops = comparison.moved(-1, max_case_drop)
        findings.append(CaseDropsFinding(comparison.metric, max_case_drop, drops))
    new = [error for error in comparison.errors if error.is_new]
    if new:
        findings.append(NewErrorsFinding(new))
    return ComparisonGates(tuple(findings), drops)


def _bounds(
    what: str, written: Mapping[str, float] | None, comparison: Comparison
) -> dict[str, float]:
    """Return the bounds by the names of metrics that the comparison uses.

    Raises ValueError for a metric that was not compared.

    `what`: the name of the argument, for the message.
    """
    names = comparison.names
    bounds = {}
    for written_name, bound in (written or {}).items():
        name = written_name
        if name not in names:
            name = parse_metric(name).text
        if name not in names:
            meant = f"it may be {listed(names)}{did_you_mean(name, names)}"
            raise ValueError(f"{what}: {name} was not compared; {meant}")
        bounds[name] = bound
    return bounds


def _rows_of_people(comparison: Comparison) -> Sequence[Difference]:
    """Return the differences without grades from files with `fill: true`.

    Empty if there are no such grades.
    """
    if not has_filled(comparison.results):
        return ()
    return comparison.without_fill().metrics


def _judge_drops(
    comparison: Comparison, bounds: Mapping[str, float], p: float | None
) -> Sequence[DropFindings]:
    """Return a finding for the drop of each mean that has a bound; () without bounds.

    A drop counts too if only grades from files with `fill: true` hide it.
    """
    if not bounds:
        return ()
    findings = _drops_of_rows(comparison.metrics, bounds, p)
    of_people = _drops_of_rows(_rows_of_people(comparison), bounds, p)
    return show_hidden_drops(findings, of_people, graders_of(comparison.results))


def _drops_of_rows(
    rows: Sequence[Difference], bounds: Mapping[str, float], p: float | None
) -> list[DropFindings]:
    """Return a finding for each row whose metric has a bound."""
    findings: list[DropFindings] = []
    for row in rows:
        if row.metric not in bounds:
            continue
        metric, count = metric_named(row.metric), row.means.queries
        if not count:
            findings.append(UndefinedFinding(metric, variant=row.variant))
            continue
        finding = DropFinding(
            metric=metric,
            difference=row,
            bound=bounds[row.metric],
            counted=count,
            total=count,
            p=p,
        )
        findings.append(finding)
    return findings


def _judge_means(
    comparison: Comparison, bounds: Mapping[str, float]
) -> list[MeanFinding | UndefinedFinding]:
    """Return a finding for the second run's mean of each metric that has a bound.

    [] without bounds.
    """
    if not bounds:
        return []
    without_filled = {}
    for row in _rows_of_people(comparison):
        if row.means.queries:
            without_filled[row.metric, row.variant] = row.means.second
    findings: list[MeanFinding | UndefinedFinding] = []
    for row in comparison.metrics:
        if row.metric not in bounds:
            continue
        metric, count = metric_named(row.metric), row.means.queries
        if not count:
            findings.append(UndefinedFinding(metric, variant=row.variant))
            continue
        finding = MeanFinding(
            metric=metric,
            figure=row.means.second,
            bound=bounds[row.metric],
            counted=count,
            total=count + row.undefined,
            variant=row.variant,
            without_filled=without_filled.get((row.metric, row.variant)),
        )
        findings.append(finding)
    return findings


def _check_mean(what: str, number: float, metric: str) -> None:
    """Raise ValueError for a mean that scores of the metric cannot have.

    `what`: the argument, for the message.
    """
    named = refuse_lower_better(metric_named(metric))
    least, most = -math.inf if named.is_own else 0, largest_score(named)
    if isinstance(number, bool) or not least <= number <= most or math.isinf(number):
        raise ValueError(
            f"{what} is a mean that a metric can have, {least:g} to {most:g} for {metric}, not {number!r}"
        )


def _check_drop(what: str, number: float, metric: str) -> None:
    """Raise ValueError for a drop that scores of the metric cannot have.

    `what`: the argument, for the message.
    """
    named = refuse_lower_better(metric_named(metric))
    refuse_similarity(named, f"bound its mean: --min {metric}=0.9 (min_mean)")
    most = largest_score(named)
    if isinstance(number, bool) or not 0 <= number <= most or number == math.inf:
        bounds = "0 or more" if most == math.inf else f"from 0 to {most:g} for {metric}"
        raise ValueError(
            f"{what} is by how much a score may drop, {bounds}, such as 0.02, not {number!r}"
        )
