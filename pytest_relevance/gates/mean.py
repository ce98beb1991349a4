"""`mean: {nDCG@10: 0.75}`: the mean of each metric is at least its bound.

If a lower score is better, the mean is at most its bound: `{characters@5: "<= 12000"}`.
A mean is weighted, and is over the cases with relevant judgments. Inconclusive cases
and cases that were expected to fail count; skipped cases do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
from pytest_relevance.gates.failed_before import (
    FigureBefore,
    NotKnown,
    Weighted,
    collect_values,
    fallen_cases,
    figure_before,
    has_fallen,
)
from pytest_relevance.gates.kind import CaseBehind, Finding, GateKind, Reference
from pytest_relevance.gates.metric_bounds import (
    BOUNDS_SCHEMA,
    Bounds,
    bounds_by_metric,
    check_metrics,
    count_without_errors,
    cut_findings,
    describe_bounds,
    digits_beside,
    misses_bound,
    name_with_depths,
)
from pytest_relevance.metrics.measures import is_lower_better, needs_texts
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import metric_named
from pytest_relevance.results.case_result import CaseResult, weighted_mean
from pytest_relevance.results.compare.differences import (
    has_relevant,
    score_before,
    set_depths,
)
from pytest_relevance.results.filled import has_filled, without_fill
from pytest_relevance.results.records.run_info import AcceptedCase
from pytest_relevance.results.records.uncompared import (
    found_something_new,
    not_compared_cases,
)


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
    variants: tuple[str, ...] = ()
    if gate.variant is not None and gate.against is not None:
        variants = (gate.variant, gate.against)
    name = reference.name if metric.is_similarity else ""
    scores = _scores(metric, cases)
    if not scores:
        if metric.is_similarity:
            return NoReferenceFinding(metric, reference=name, variants=variants)
        return UndefinedFinding(metric)
    mean = weighted_mean(scores)
    before = None
    if misses_bound(metric, mean, bound) and not metric.is_similarity:
        before = _before(metric, bound, gate, reference)
    return MeanFinding(
        metric=metric,
        mean=mean,
        bound=bound,
        counted=len(scores),
        total=count_without_errors(cases),
        depths=set_depths([metric], cases),
        reference=name,
        variants=variants,
        without_filled=_mean_without_filled(metric, cases),
        before=before,
    )


def _without_new(
    metric: Metric, bound: float, cases: Sequence[CaseResult], reference: Reference
) -> Iterator[NewCasesFinding]:
    """Yield a remark if the mean over the cases that are not new misses the bound."""
    known = _scores(metric, reference.known(cases))
    if not known:
        return
    mean = weighted_mean(known)
    if misses_bound(metric, mean, bound):
        digits = digits_beside(mean, bound, _least_digits(metric))
        yield NewCasesFinding(
            new=len(_scores(metric, cases)) - len(known),
            known=len(known),
            figure=f"{mean:.{digits}f}",
            bound=f"{bound:.{digits}f}",
            reference=reference.name,
            relation="above" if is_lower_better(metric) else "below",
        )


def _scores(metric: Metric, cases: Sequence[CaseResult]) -> list[Weighted]:
    scores = []
    for case in cases:
        score = case.evaluation.scores.get(metric.text)
        if score is not None and has_relevant(case, metric.text):
            scores.append((score, case.weight))
    return scores


def _mean_without_filled(metric: Metric, cases: Sequence[CaseResult]) -> float | None:
    """Return the mean without grades from files with `fill: true`.

    None if there are no such grades, if no case has a score without them, and for a
    metric that compares rankings.
    """
    if metric.is_similarity or not has_filled(cases):
        return None
    scores = _scores(metric, [without_fill(case) for case in cases])
    return weighted_mean(scores) if scores else None


@dataclass(frozen=True, slots=True)
class ScoresOfCases:
    """The score of a case by the metric of a gate on a mean, now and in the reference.

    The methods are those of `ValuesOfCases`.
    """

    metric: Metric

    def now(self, result: CaseResult) -> float | None:
        """Return the score of a case; None if it does not count in the mean."""
        if not has_relevant(result, self.metric.text):
            return None
        return result.evaluation.scores.get(self.metric.text)

    def before(self, result: CaseResult) -> float | None:
        """Return the score of the accepted ranking by the judgments of today."""
        return score_before(result, self.metric.text)

    def when_accepted(self, case: AcceptedCase) -> float | None:
        """Return the score in the reference; None if it was not defined.

        Raises `NotKnown` if the reference does not have it.
        """
        if self.metric.text not in case.scores:
            raise NotKnown
        return case.scores[self.metric.text]


def _before(
    metric: Metric, bound: float, gate: Gate, reference: Reference
) -> FigureBefore | None:
    """Return the mean of the reference; None if it is not known for all cases.

    If the mean without grades from files with `fill: true` fell, the gate did not fail
    before.
    """
    results = reference.results
    if not_compared_cases(results) or found_something_new(results):
        return None
    sign = -1 if is_lower_better(metric) else 1

    def figure(weighted: Sequence[Weighted]) -> float:
        return sign * weighted_mean(weighted)

    before = figure_before(
        gate,
        ScoresOfCases(metric),
        figure=figure,
        bound=sign * bound,
        reference=reference,
    )
    if before is None:
        return None
    if before.figure is not None:
        before = replace(before, figure=sign * before.figure)
    if before.is_known and _fell_by_people(metric, gate, results):
        return replace(before, is_known=False)
    return before


def _fell_by_people(metric: Metric, gate: Gate, results: Sequence[CaseResult]) -> bool:
    """Say whether the mean fell if grades from files with `fill: true` do not count."""
    if not has_filled(results):
        return False
    of_people = [without_fill(result) for result in results]
    both = collect_values(gate, ScoresOfCases(metric), of_people, accepted=())
    return has_fallen(both, weighted_mean)


def _least_digits(metric: Metric) -> int:
    """Return the fewest decimals of a mean: none for a mean number of characters."""
    return 0 if needs_texts(metric) else 3


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
        bounds = bounds_by_metric(now)
        for name, bound in bounds_by_metric(before).items():
            if name not in bounds:
                return False
            if misses_bound(metric_named(name), bounds[name], bound):
                return False
        return True

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
                yield from _without_new(metric, bound, cases, reference)

    def explain(self, finding: MeanFinding) -> str:
        """Return, for example, `mean nDCG@10 0.712, below 0.750 (20 cases)`."""
        least = _least_digits(finding.metric)
        digits = digits_beside(finding.mean, finding.bound, least)
        relation = "at least" if finding.is_met else "below"
        if is_lower_better(finding.metric):
            relation = "at most" if finding.is_met else "above"
        name = name_with_depths(finding.metric, finding.depths)
        if finding.variants:
            one, other = finding.variants
            name += f" of {quoted(one)} against {quoted(other)}"
        if finding.variant is not None:
            name += f" of {quoted(finding.variant)}"
        text = (
            f"mean {name} {finding.mean:.{digits}f}, {relation} "
            f"{finding.bound:.{digits}f} ({_counted_cases(finding)})"
        )
        if finding.without_filled is not None:
            text += f"; {finding.without_filled:.{digits}f} without filled grades"
        if finding.before is not None:
            text += finding.before.text(f"{finding.before.figure or 0:.{digits}f}")
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
