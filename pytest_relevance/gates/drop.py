"""`max_drop: {nDCG@10: 0.02}`: the mean of each metric drops at most by its bound.

A drop is the difference from the accepted rankings, scored by the judgments of today.
With `p`, a larger drop is allowed if it is not significant at this level.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar

from pytest_relevance._number_text import digits_of_change, p_text
from pytest_relevance._text import counted, harmless, listed, quoted
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import MAX_DROP, Gate
from pytest_relevance.cases.schema_parts import Schema, any_case
from pytest_relevance.gates.common_findings import (
    CutFinding,
    NoReferenceFinding,
    UndefinedFinding,
    WithoutEntryFinding,
)
from pytest_relevance.gates.failed_before import fallen_cases
from pytest_relevance.gates.kind import (
    CaseBehind,
    Finding,
    GateFigures,
    Reference,
)
from pytest_relevance.gates.metric_bounds import (
    BOUNDS_SCHEMA,
    Bounds,
    BoundsGate,
    bounds_by_metric,
    check_metrics,
    cut_findings,
    digits_beside,
    name_with_depths,
)
from pytest_relevance.metrics.metric import ROUNDING, Metric
from pytest_relevance.metrics.similarity import SIMILARITIES
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.differences import (
    Difference,
    Scores,
    differences_of,
    score_before,
    score_pairs,
    set_depths,
)
from pytest_relevance.results.filled import graders_of, has_filled, without_fill
from pytest_relevance.results.records.uncompared import (
    WHY_LOST,
    WITHOUT_WORDS,
    UncomparedCase,
)


@dataclass(frozen=True, slots=True)
class DropFinding(Finding):
    """The drop of a mean over `counted` of `total` cases, beside its bound.

    `p`: the level of significance of the gate; None if every drop counts.
    `lost`: {why cases of the reference are not compared: how many}.
    `depths`: the depths that case files set, if the metric looks at the whole ranking.
    `without`: the machine judges whose grades are left out, because the drop does not
        show with these grades.
    """

    kind = MAX_DROP
    metric: Metric
    difference: Difference
    bound: float
    counted: int
    total: int
    p: float | None = None
    lost: Mapping[str, int] = field(default_factory=dict)
    depths: Sequence[int] = ()
    without: Sequence[str] = ()

    @property
    def exceeds(self) -> bool:
        """Say whether the mean dropped by more than its bound, beyond rounding."""
        return -self.difference.means.difference > self.bound + ROUNDING

    @property
    def is_void(self) -> bool:
        """Say whether so few cases changed that no p-value can be as low as `p`.

        Then the drop alone decides.
        """
        return self.p is not None and not self.difference.least_p <= self.p

    @property
    def is_met(self) -> bool:
        """Say whether the drop is within its bound, or is not significant."""
        if not self.exceeds:
            return True
        if self.p is None or self.is_void:
            return False
        return not self.difference.adjusted_p <= self.p

    @property
    def about(self) -> str:
        """Return the name of the metric."""
        return self.metric.text

    @property
    def figures(self) -> GateFigures:
        """Return by how much the mean fell, and how much is allowed."""
        means = self.difference.means
        return GateFigures(
            value=means.first - means.second,
            bound=self.bound,
            counted=self.counted,
            total=self.total,
        )


DropFindings = (
    DropFinding
    | CutFinding
    | UndefinedFinding
    | NoReferenceFinding
    | WithoutEntryFinding
)


def _judge_metrics(
    gate: Gate, cases: Sequence[CaseResult], reference: Reference
) -> list[DropFindings]:
    """Return a finding for the drop of each mean, or why a metric has none.

    The p-values of all metrics are adjusted together, after Holm.
    """
    cut = cut_findings(gate, cases)
    findings: list[DropFindings] = [*cut.values()]
    family = {}
    for metric, _ in gate.bounds:
        if metric in cut:
            continue
        pairs = score_pairs(cases, metric.text)
        if pairs:
            family[metric] = Scores(variant=None, metric=metric.text, pairs=pairs)
        elif all(case.evaluation.scores.get(metric.text) is None for case in cases):
            findings.append(UndefinedFinding(metric))
        else:
            findings.append(NoReferenceFinding(metric, reference=reference.name))
    bounds = dict(gate.bounds)
    rows = differences_of(family.values())
    for metric, row in zip(family, rows, strict=True):
        lost = _count_lost(metric, reference.lost)
        finding = DropFinding(
            metric=metric,
            difference=row,
            bound=bounds[metric],
            counted=row.means.queries,
            total=row.means.queries + lost.total(),
            p=gate.p,
            lost=lost,
            depths=set_depths([metric], cases),
        )
        findings.append(finding)
    return findings


def _count_lost(metric: Metric, lost: Sequence[UncomparedCase]) -> Counter[str]:
    """Return {why cases of the reference are not compared: how many}, for a metric.

    A case without a score by the metric in the reference does not count, because it is
    in no mean.
    """
    counts: Counter[str] = Counter()
    for case in lost:
        if case.had_score(metric.text):
            counts[case.why] += 1
    return counts


def show_hidden_drops(
    findings: Sequence[DropFindings],
    of_people: Sequence[DropFindings],
    graders: Sequence[str],
) -> list[DropFindings]:
    """Return the findings, with the drops that only filled grades hide.

    A finding that is met is replaced by the one of the same metric in `of_people`, if
    that one is not met.

    `of_people`: the findings without grades from files with `fill: true`.
    `graders`: who gave these grades.
    """
    unmet = {}
    for finding in of_people:
        if isinstance(finding, DropFinding) and not finding.is_met:
            unmet[finding.metric, finding.difference.variant] = finding
    shown: list[DropFindings] = []
    for finding in findings:
        if isinstance(finding, DropFinding) and finding.is_met:
            hidden = unmet.get((finding.metric, finding.difference.variant))
            if hidden is not None:
                shown.append(replace(hidden, without=graders))
                continue
        shown.append(finding)
    return shown


def _is_new(gate: Gate, case: CaseResult) -> bool:
    """Say whether a metric of the gate has a score for a case now, and had none before.

    One such metric is enough. "Before" is in the reference.
    """
    for metric in gate.metrics:
        score = case.evaluation.scores.get(metric.text)
        if score is not None and score_before(case, metric.text) is None:
            return True
    return False


def _p_value(finding: DropFinding) -> str:
    """Return, for example, `p 0.003`, or `p (Holm) 0.006` if it is adjusted."""
    row = finding.difference
    level = 0.05 if finding.p is None else finding.p
    if row.adjusted_p != row.p:
        return f"p (Holm) {p_text(row.adjusted_p, level)}"
    return f"p {p_text(row.p, level)}"


def _compared_cases(finding: DropFinding) -> str:
    """Return over how many cases a drop is, and why others are not compared."""
    if not finding.lost:
        return counted(finding.counted, "case")
    reasons = []
    for why, count in finding.lost.items():
        one, several = WHY_LOST.get(why, WITHOUT_WORDS)
        reasons.append(f"{count:,} {one if count == 1 else several}")
    of_all = f"{finding.counted:,} of {counted(finding.total, 'case')}"
    return f"{of_all}; {', '.join(reasons)}"


def _allowed(finding: DropFinding) -> str:
    """Return the bound in words, and whether the p-value counts."""
    allowed = f"allowed is {finding.bound:.12g}"
    if finding.p is None:
        return allowed
    if not finding.is_void:
        return f"{allowed} unless p > {finding.p:g}"
    if not finding.exceeds:
        return allowed
    means = finding.difference.means
    few = counted(means.rose + means.fell, "changed case")
    least = f"{few} cannot give a p-value below {finding.difference.least_p:.3g}"
    return (
        f"{allowed}; p {finding.p:g} does not count, as {least}: the drop alone decides"
    )


def _conflict(finding: DropFinding) -> str:
    """Return why a drop is allowed although the interval is below 0.

    "" if the drop is not allowed, or if the interval is not below 0.
    """
    if not finding.is_met or not finding.difference.high < 0:
        return ""
    if finding.exceeds:
        return "; the p-value decides, although the interval is below 0"
    return "; the interval is below 0, and the drop is allowed"


def _moved(drop: float, bound: float) -> str:
    """Return, for example, `fell by 0.021`.

    There are enough decimals to see that the drop and its bound differ.
    """
    digits = digits_of_change(drop)
    if drop > 0:
        digits = max(digits, digits_beside(drop, bound))
    if not round(drop, digits):
        return "is unchanged"
    return f"{'fell' if drop > 0 else 'rose'} by {abs(drop):.{digits}f}"


def _pattern_of_similarities() -> str:
    """Return the pattern of metrics that compare rankings, which cannot drop."""
    names = "|".join(any_case(name) for name in SIMILARITIES)
    return rf"^\s*(?:{names})\s*(?:[(@]|[_.][0-9]|(?!\n)$)"


class _DropGate(BoundsGate):
    """`max_drop: {nDCG@10: 0.02}`: the mean of each metric drops by at most so much."""

    name = MAX_DROP
    about = "How far the mean of a metric may drop below the baseline: {nDCG@10: 0.02}."
    schema: ClassVar[Schema] = {
        "allOf": [BOUNDS_SCHEMA],
        "propertyNames": {"not": {"pattern": _pattern_of_similarities()}},
    }
    needs_reference = True

    def check(self, value: object, at: Location) -> Bounds | Wrong:
        return check_metrics(value, at, is_drop=True)

    def implies(self, now: Gate, before: Gate) -> bool:
        """Say whether each earlier metric still has a bound, as strict or stricter.

        With `p`, the metrics have to be the same, because each further metric makes
        every drop less significant. `p` has to be the same too, because a gate is
        decided without a `p` that too few changed cases can reach.
        """
        bounds, bounds_before = bounds_by_metric(now), bounds_by_metric(before)
        for metric, bound in bounds_before.items():
            if metric not in bounds or bounds[metric] > bound:
                return False
        if now.p is None:
            return True
        has_same_metrics = bounds.keys() == bounds_before.keys()
        return now.p == before.p and has_same_metrics

    def judge(
        self, gate: Gate, cases: Sequence[CaseResult], reference: Reference
    ) -> list[DropFindings]:
        """Return a finding for the drop of each mean, or why a metric has none.

        A drop counts too if only grades from files with `fill: true` hide it.
        """
        findings = _judge_metrics(gate, cases, reference)
        if has_filled(cases):
            people = [without_fill(case) for case in cases]
            of_people = _judge_metrics(gate, people, reference)
            findings = show_hidden_drops(findings, of_people, graders_of(cases))
        new = [case for case in cases if _is_new(gate, case)]
        if new:
            findings.append(WithoutEntryFinding(new))
        return findings

    def explain(self, finding: DropFinding) -> str:
        """Return a sentence that says how far a mean moved.

        `mean nDCG@10 fell by 0.021, from 0.800 to 0.779 (95% interval -0.030 to -0.011,
        p 0.003, 52 cases); allowed is 0.02`
        """
        row = finding.difference
        digits = digits_of_change(row.means.difference)
        ends = f"from {row.means.first:.{digits}f} to {row.means.second:.{digits}f}"
        interval = f"95% interval {row.low:+.{digits}f} to {row.high:+.{digits}f}"
        name = name_with_depths(finding.metric, finding.depths)
        if row.variant is not None:
            name += f" of {quoted(row.variant)}"
        moved = _moved(-row.means.difference, finding.bound)
        text = (
            f"mean {name} {moved}, {ends} ({interval}, {_p_value(finding)}, "
            f"{_compared_cases(finding)}); {_allowed(finding)}{_conflict(finding)}"
        )
        if finding.without:
            graders = listed([harmless(grader) for grader in finding.without], "and")
            text += f" (by the grades of people, without those of {graders})"
        return text

    def cases_behind(
        self, gate: Gate, finding: Finding, results: Sequence[CaseResult]
    ) -> list[CaseBehind]:
        """Return the cases whose score fell. The pull is the weight times the fall.

        [] for a finding that is not about a drop.
        """
        if not isinstance(finding, DropFinding):
            return []
        return fallen_cases(finding.about, results)


DROP_GATE = _DropGate()
