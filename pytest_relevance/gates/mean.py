"""`mean: {nDCG@10: 0.75}`: the mean of each metric is at least its bound.

If a lower score is better, the mean is at most its bound: `{characters@5: "<= 12000"}`.
A mean is weighted, and is over the cases with relevant judgments. Inconclusive cases
and cases that were expected to fail count; skipped cases do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, quoted
from pytest_relevance.cases.model import MEAN, Gate
from pytest_relevance.gates.failed_before import Figure, fallen_cases
from pytest_relevance.gates.kind import CaseBehind, Finding, Reference
from pytest_relevance.gates.metric_bounds import (
    cases_for_metric,
    count_without_errors,
)
from pytest_relevance.gates.metric_scores import (
    BoundedFigure,
    FigureFinding,
    FigureGate,
    compared_variants,
    without_score,
)
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.results.case_result import CaseResult, weighted_mean
from pytest_relevance.results.compare.differences import set_depths


@dataclass(frozen=True, slots=True, kw_only=True)
class MeanFinding(FigureFinding):
    """The mean of a metric beside its bound.

    `reference`: the name of the record that the metric compares with; empty for a
        baseline.
    `variant`: the search variant; None if there is only one.
    """

    kind = MEAN
    reference: str = ""
    variant: str | None = None

    @property
    def counted_cases(self) -> str:
        """Return over which cases the mean is: `18 of 20 cases, those with ...`."""
        if self.counted >= self.total:
            return f"{counted(self.counted, 'case')}{self.known_items_text}"
        which = "with relevant judgments"
        if self.metric.is_own:
            which = "where it is defined"
        elif self.metric.is_similarity and self.variants:
            which = "in both variants"
        elif self.metric.is_similarity:
            which = f"with a ranking in {self.reference or 'the baseline'}"
        of_all = f"{self.counted:,} of {counted(self.total, 'case')}"
        return f"{of_all}, those {which}{self.known_items_text}"


class _MeanGate(FigureGate):
    """`mean: {nDCG@10: 0.75}`: the mean of each metric is at least its bound."""

    name = MEAN
    about = "The least that the mean of a metric may be: {nDCG@10: 0.75}."

    def make_figure(
        self, metric: Metric, gate: Gate, cases: Sequence[CaseResult]
    ) -> Figure:
        return weighted_mean

    def judge_figure(
        self, figure: BoundedFigure, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[Finding]:
        """Yield the mean, or why there is none, and a remark on new cases."""
        metric = figure.metric
        weighted = figure.scores.weighted(cases)
        if not weighted:
            yield without_score(metric, figure.gate, reference)
            return
        mean = weighted_mean(weighted)
        is_missed = figure.misses(mean)
        yield MeanFinding(
            metric=metric,
            figure=mean,
            bound=figure.bound,
            counted=len(weighted),
            total=count_without_errors(cases_for_metric(metric, cases)),
            known_items=sum(case.is_known_item for case in cases),
            depths=set_depths([metric], cases),
            reference=reference.name if metric.is_similarity else "",
            variants=compared_variants(figure.gate),
            without_filled=figure.without_filled(cases),
            before=figure.before(reference) if is_missed else None,
        )
        if not is_missed:
            yield from figure.remarks_on_new(cases, reference)

    def explain(self, finding: MeanFinding) -> str:
        """Return, for example, `mean nDCG@10 0.712, below 0.750 (20 cases)`."""
        name = finding.name
        if finding.variant is not None:
            name += f" of {quoted(finding.variant)}"
        text = f"mean {name} {finding.figure_text}, {finding.bound_text}"
        return f"{text} ({finding.counted_cases}){finding.remarks}"

    def cases_behind(
        self, gate: Gate, finding: Finding, results: Sequence[CaseResult]
    ) -> list[CaseBehind]:
        """Return the cases whose score got worse; if none did, those beyond the bound.

        The pull of a case is its weight times the fall, or times the distance to the
        bound.
        """
        if not isinstance(finding, MeanFinding):
            return []
        fallen = fallen_cases(finding.about, results)
        return fallen or finding.cases_beyond(results, by_weight=True)


MEAN_GATE = _MeanGate()
