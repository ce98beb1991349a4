"""`mean: {nDCG@10: 0.75}`: the mean of each metric is at least its bound.

If a lower score is better, the mean is at most its bound: `{characters@5: "<= 12000"}`.
A mean is weighted, and is over the cases with relevant judgments. Inconclusive cases
and cases that were expected to fail count; skipped cases do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance._number_text import score_text
from pytest_relevance._text import counted, quoted
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import MEAN, Gate
from pytest_relevance.gates.common_findings import (
    CutFinding,
    NewCasesFinding,
    NoReferenceFinding,
    UndefinedFinding,
)
from pytest_relevance.gates.failed_before import FigureBefore, fallen_cases
from pytest_relevance.gates.kind import CaseBehind, Finding, GateKind, Reference
from pytest_relevance.gates.metric_bounds import (
    BOUNDS_SCHEMA,
    Bounds,
    check_metrics,
    count_without_errors,
    cut_findings,
    describe_bounds,
    digits_beside,
    implies_bounds,
    misses_bound,
)
from pytest_relevance.gates.metric_scores import (
    ScoresOfCases,
    compared_variants,
    figure_without_filled,
    full_name,
    least_digits,
    only_new_cases_meet,
    relation_to_bound,
    score_figure_before,
    without_score,
)
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.results.case_result import CaseResult, weighted_mean
from pytest_relevance.results.compare.differences import has_relevant, set_depths


@dataclass(frozen=True, slots=True)
class MeanFinding(Finding):
    """The mean of a metric over `counted` of `total` cases.

    `depths`: the depths that case files set, if the metric looks at the whole ranking.
    `reference`: the name of the record that the metric compares with; empty for a
        baseline.
    `variants`: the two variants that the gate compares; empty if it compares none.
    `variant`: the search variant; None if there is only one.
    `without_filled`: the mean without filled grades; None if there are none.
    `before`: the mean in the reference; None if it is not needed or not known.
    """

    kind = MEAN
    metric: Metric
    mean: float
    bound: float
    counted: int
    total: int
    depths: Sequence[int] = ()
    reference: str = ""
    variants: Sequence[str] = ()
    variant: str | None = None
    without_filled: float | None = None
    before: FigureBefore | None = None

    @property
    def is_met(self) -> bool:
        """Say whether the mean is at least the bound.

        If a lower score is better: at most the bound.
        """
        return not misses_bound(self.metric, self.mean, self.bound)

    @property
    def is_known(self) -> bool:
        """Say whether the reference missed the bound at least as badly."""
        return self.before is not None and self.before.is_known

    @property
    def about(self) -> str:
        """Return the name of the metric."""
        return self.metric.text


def _judge_metric(
    metric: Metric,
    bound: float,
    gate: Gate,
    cases: Sequence[CaseResult],
    reference: Reference,
) -> MeanFinding | UndefinedFinding | NoReferenceFinding:
    """Return what a gate finds for one metric: the mean, or why there is none."""
    scores = ScoresOfCases(metric)
    weighted = scores.weighted(cases)
    if not weighted:
        return without_score(metric, gate, reference)
    mean = weighted_mean(weighted)
    before = None
    if misses_bound(metric, mean, bound) and not metric.is_similarity:
        before = score_figure_before(scores, weighted_mean, bound, gate, reference)
    return MeanFinding(
        metric=metric,
        mean=mean,
        bound=bound,
        counted=len(weighted),
        total=count_without_errors(cases),
        depths=set_depths([metric], cases),
        reference=reference.name if metric.is_similarity else "",
        variants=compared_variants(gate),
        without_filled=figure_without_filled(scores, weighted_mean, cases),
        before=before,
    )


def _counted_cases(finding: MeanFinding) -> str:
    """Return over which cases a mean is: `18 of 20 cases, those with ...`."""
    if finding.counted >= finding.total:
        return counted(finding.counted, "case")
    which = "with relevant judgments"
    if finding.metric.is_own:
        which = "where it is defined"
    elif finding.metric.is_similarity and finding.variants:
        which = "in both variants"
    elif finding.metric.is_similarity:
        which = f"with a ranking in {finding.reference or 'the baseline'}"
    return f"{finding.counted:,} of {counted(finding.total, 'case')}, those {which}"


class _MeanGate(GateKind):
    """`mean: {nDCG@10: 0.75}`: the mean of each metric is at least its bound."""

    name = MEAN
    gate_field = "bounds"
    about = "The least that the mean of a metric may be: {nDCG@10: 0.75}."
    schema = BOUNDS_SCHEMA
    may_be_known = True

    def check(self, value: object, at: Location) -> Bounds | Wrong:
        return check_metrics(value, at, is_drop=False)

    def describe(self, gate: Gate) -> str:
        return describe_bounds(gate)

    def implies(self, now: Gate, before: Gate) -> bool:
        return implies_bounds(now, before)

    def judge(
        self, gate: Gate, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[
        MeanFinding
        | CutFinding
        | UndefinedFinding
        | NoReferenceFinding
        | NewCasesFinding
    ]:
        cut = cut_findings(gate, cases)
        yield from cut.values()
        for metric, bound in gate.bounds:
            if metric in cut:
                continue
            finding = _judge_metric(metric, bound, gate, cases, reference)
            yield finding
            if finding.is_met:
                yield from only_new_cases_meet(
                    ScoresOfCases(metric), weighted_mean, bound, cases, reference
                )

    def explain(self, finding: MeanFinding) -> str:
        """Return, for example, `mean nDCG@10 0.712, below 0.750 (20 cases)`."""
        least = least_digits(finding.metric)
        digits = digits_beside(finding.mean, finding.bound, least)
        relation = relation_to_bound(finding.metric, is_met=finding.is_met)
        name = full_name(finding.metric, finding.depths, finding.variants)
        if finding.variant is not None:
            name += f" of {quoted(finding.variant)}"
        text = (
            f"mean {name} {finding.mean:.{digits}f}, {relation} "
            f"{finding.bound:.{digits}f} ({_counted_cases(finding)})"
        )
        if finding.without_filled is not None:
            text += f"; {finding.without_filled:.{digits}f} without filled grades"
        if finding.before is not None:
            text += finding.before.text(digits)
        return text

    def cases_behind(
        self, gate: Gate, finding: Finding, results: Sequence[CaseResult]
    ) -> list[CaseBehind]:
        """Return the cases whose score got worse; if none did, those beyond the bound.

        The pull of a case is its weight times the fall, or the distance to the bound.
        """
        if not isinstance(finding, MeanFinding):
            return []
        fallen = fallen_cases(finding.about, results)
        if fallen:
            return fallen
        behind = []
        for result in results:
            score = result.evaluation.scores.get(finding.about)
            if score is None or not has_relevant(result, finding.about):
                continue
            if misses_bound(finding.metric, score, finding.bound):
                pull = result.weight * abs(finding.bound - score)
                behind.append(CaseBehind(result, pull, score_text(score)))
        return behind


MEAN_GATE = _MeanGate()
