"""Gates that bound one figure of the scores of a metric: their mean, or a percentile.

The two kinds of gates differ in the figure and in the cases that count. This module has
what both need: which cases have a score, the bounded figure now and in the reference,
and the words of a finding.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._number_text import score_text
from pytest_relevance._text import counted, quoted
from pytest_relevance.cases.model import Gate
from pytest_relevance.gates.common_findings import (
    NewCasesFinding,
    NoReferenceFinding,
    UndefinedFinding,
)
from pytest_relevance.gates.failed_before import (
    Figure,
    FigureBefore,
    NotKnown,
    Weighted,
    collect_values,
    figure_before,
    has_fallen,
)
from pytest_relevance.gates.kind import (
    CaseBehind,
    Finding,
    GateFigures,
    Reference,
)
from pytest_relevance.gates.metric_bounds import (
    BoundsGate,
    cut_findings,
    digits_beside,
    misses_bound,
    name_with_depths,
)
from pytest_relevance.metrics.measures import (
    is_lower_better,
    least_digits,
    suits_known_items,
)
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.results.case_result import CaseResult
from pytest_relevance.results.compare.differences import has_relevant, score_before
from pytest_relevance.results.filled import has_filled, without_fill
from pytest_relevance.results.records.run_info import AcceptedCase
from pytest_relevance.results.records.uncompared import (
    found_something_new,
    not_compared_cases,
)


@dataclass(frozen=True, slots=True)
class ScoresOfCases:
    """The score of a case by the metric of a gate, now and in the reference.

    The methods are those of `ValuesOfCases`.
    """

    metric: Metric

    def now(self, result: CaseResult) -> float | None:
        """Return the score of a case; None if it does not count."""
        if not has_relevant(result, self.metric.text):
            return None
        return result.evaluation.scores.get(self.metric.text)

    def before(self, result: CaseResult) -> float | None:
        """Return the score of the accepted ranking by the judgments of today.

        None if there is no accepted ranking, or if it has no such score.
        """
        return score_before(result, self.metric.text)

    def when_accepted(self, case: AcceptedCase) -> float | None:
        """Return the score in the reference; None if it was not defined.

        Raises `NotKnown` if the reference does not have it.
        """
        if self.metric.text not in case.scores:
            raise NotKnown
        return case.scores[self.metric.text]

    def weighted(self, cases: Sequence[CaseResult]) -> list[Weighted]:
        """Return the scores of the cases that have one, with their weights."""
        scores = []
        for case in cases:
            score = self.now(case)
            if score is not None:
                scores.append((score, case.weight))
        return scores


@dataclass(frozen=True, slots=True)
class BoundedFigure:
    """A figure of the scores of a metric, which a gate bounds.

    `bound`: the least that the figure may be; if a lower score is better, the most.
    `make`: makes the figure from scores and their weights, for example their mean.
    """

    gate: Gate
    metric: Metric
    bound: float
    make: Figure

    @property
    def scores(self) -> ScoresOfCases:
        """Return the scores of cases by the metric."""
        return ScoresOfCases(self.metric)

    def misses(self, value: float) -> bool:
        """Say whether a score, or a figure of scores, misses the bound."""
        return misses_bound(self.metric, value, self.bound)

    def without_filled(self, cases: Sequence[CaseResult]) -> float | None:
        """Return the figure without grades from files with `fill: true`.

        None if there are no such grades, if no case has a score without them, and for a
        metric that compares rankings.
        """
        if self.metric.is_similarity or not has_filled(cases):
            return None
        weighted = self.scores.weighted([without_fill(case) for case in cases])
        return self.make(weighted) if weighted else None

    def before(self, reference: Reference) -> FigureBefore | None:
        """Return the figure of the reference, for a gate that is not met now.

        None if the figure is not known for all cases, and for a metric that compares
        rankings. If the figure without filled grades fell, the gate did not fail
        before.
        """
        results = reference.results
        if self.metric.is_similarity:
            return None
        if not_compared_cases(results) or found_something_new(results):
            return None
        before = figure_before(
            self.gate,
            self.scores,
            figure=self._make_signed,
            bound=self._sign * self.bound,
            reference=reference,
        )
        if before is None:
            return None
        if before.figure is not None:
            before = replace(before, figure=self._sign * before.figure)
        if before.is_known and self._fell_without_filled(results):
            return replace(before, is_known=False)
        return before

    @property
    def _sign(self) -> int:
        """Return -1 if a lower score is better, else 1.

        `figure_before` takes a higher figure as better. If a lower score is better, the
        figures 300 and 200 are given to it as -300 and -200.
        """
        return -1 if is_lower_better(self.metric) else 1

    def _make_signed(self, weighted: Sequence[Weighted]) -> float:
        """Return the figure of scores, with the sign by which higher is better."""
        return self._sign * self.make(weighted)

    def _fell_without_filled(self, results: Sequence[CaseResult]) -> bool:
        """Say whether the figure without filled grades is worse than before.

        Filled grades may hide that search got worse by the grades of people.
        """
        if not has_filled(results):
            return False
        of_people = [without_fill(result) for result in results]
        both = collect_values(self.gate, self.scores, of_people, accepted=())
        return has_fallen(both, self._make_signed)

    def remarks_on_new(
        self, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[NewCasesFinding]:
        """Yield a remark if the bound is missed over the cases that are not new."""
        known = self.scores.weighted(reference.known(cases))
        if not known:
            return
        found = self.make(known)
        if not self.misses(found):
            return
        digits = digits_beside(found, self.bound, least_digits(self.metric))
        yield NewCasesFinding(
            new=len(self.scores.weighted(cases)) - len(known),
            known=len(known),
            figure=f"{found:.{digits}f}",
            bound=f"{self.bound:.{digits}f}",
            reference=reference.name,
            relation="above" if is_lower_better(self.metric) else "below",
        )


def without_score(
    metric: Metric, gate: Gate, reference: Reference
) -> NoReferenceFinding | UndefinedFinding:
    """Return the finding of a metric for which no case has a score."""
    if metric.is_similarity:
        variants = compared_variants(gate)
        return NoReferenceFinding(metric, reference=reference.name, variants=variants)
    return UndefinedFinding(metric)


def compared_variants(gate: Gate) -> Sequence[str]:
    """Return the two variants that a gate compares; empty if it compares none."""
    if gate.variant is None or gate.against is None:
        return ()
    return gate.variant, gate.against


@dataclass(frozen=True, slots=True, kw_only=True)
class FigureFinding(Finding):
    """A figure of the scores of a metric beside its bound.

    The figure is over `counted` of `total` cases.

    `depths`: the depths that case files set, if the metric looks at the whole ranking.
    `variants`: the two variants that the gate compares; empty if it compares none.
    `without_filled`: the figure without filled grades; None if there are none.
    `before`: the figure in the reference; None if it is not needed or not known.
    `known_items`: how many cases are known items, which count only if the metric suits
        them.
    `decisive`: the case whose score is the figure; None for a mean.
    """

    metric: Metric
    figure: float
    bound: float
    counted: int
    total: int
    depths: Sequence[int] = ()
    variants: Sequence[str] = ()
    without_filled: float | None = None
    before: FigureBefore | None = None
    known_items: int = 0
    decisive: CaseResult | None = None

    @property
    def is_met(self) -> bool:
        """Say whether the figure is within its bound."""
        return not misses_bound(self.metric, self.figure, self.bound)

    @property
    def is_known(self) -> bool:
        """Say whether the reference missed the bound at least as badly."""
        return self.before is not None and self.before.is_known

    @property
    def about(self) -> str:
        """Return the name of the metric."""
        return self.metric.text

    @property
    def figures(self) -> GateFigures:
        """Return the figure, its bound, and the case that decides if it is one."""
        return GateFigures(
            value=self.figure,
            bound=self.bound,
            counted=self.counted,
            total=self.total,
            case=self.decisive,
        )

    @property
    def known_items_text(self) -> str:
        """Return whether known items count: `, without the 20 known items`, or ""."""
        if not self.known_items:
            return ""
        if not suits_known_items(self.metric):
            return f", without the {counted(self.known_items, 'known item')}"
        if self.known_items >= self.counted:
            return ""
        are = "is a known item" if self.known_items == 1 else "are known items"
        return f", of which {self.known_items:,} {are}"

    @property
    def digits(self) -> int:
        """Return how many decimals show that the figure and its bound differ."""
        return digits_beside(self.figure, self.bound, least_digits(self.metric))

    @property
    def name(self) -> str:
        """Return the metric: `AP (depth 100)`, or `RBO of "ann" against "exact"`."""
        name = name_with_depths(self.metric, self.depths)
        if self.variants:
            one, other = self.variants
            name += f" of {quoted(one)} against {quoted(other)}"
        return name

    @property
    def figure_text(self) -> str:
        """Return the figure, for example `0.712`."""
        return f"{self.figure:.{self.digits}f}"

    @property
    def bound_text(self) -> str:
        """Return how the figure stands to its bound, for example `below 0.750`."""
        if is_lower_better(self.metric):
            relation = "at most" if self.is_met else "above"
        else:
            relation = "at least" if self.is_met else "below"
        return f"{relation} {self.bound:.{self.digits}f}"

    @property
    def remarks(self) -> str:
        """Return the figure without filled grades, and the figure of the reference.

        For example, `; 0.700 without filled grades; 0.690 in the baseline`. Empty if
        there are neither.
        """
        text = ""
        if self.without_filled is not None:
            text += f"; {self.without_filled:.{self.digits}f} without filled grades"
        if self.before is not None:
            text += self.before.text(self.digits)
        return text

    def cases_beyond(
        self, cases: Iterable[CaseResult], *, by_weight: bool
    ) -> list[CaseBehind]:
        """Return the cases whose scores are beyond the bound.

        The pull of a case is the distance of its score to the bound.

        `by_weight`: whether the distance is multiplied by the weight of the case.
        """
        scores = ScoresOfCases(self.metric)
        beyond = []
        for case in cases:
            score = scores.now(case)
            if score is None or not misses_bound(self.metric, score, self.bound):
                continue
            pull = abs(self.bound - score)
            if by_weight:
                pull *= case.weight
            beyond.append(CaseBehind(case, pull, score_text(score)))
        return beyond


class FigureGate(BoundsGate):
    """A kind of gate that makes one figure of the scores of each metric."""

    may_be_known = True

    @abstractmethod
    def make_figure(
        self, metric: Metric, gate: Gate, cases: Sequence[CaseResult]
    ) -> Figure:
        """Return the function that makes the figure from scores and weights."""

    @abstractmethod
    def judge_figure(
        self, figure: BoundedFigure, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterable[Finding]:
        """Return what the gate finds for one metric."""

    def judge(
        self, gate: Gate, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[Finding]:
        """Yield what the gate finds for each metric."""
        cut = cut_findings(gate, cases)
        yield from cut.values()
        for metric, bound in gate.bounds:
            if metric in cut:
                continue
            make = self.make_figure(metric, gate, cases)
            figure = BoundedFigure(gate, metric, bound, make)
            yield from self.judge_figure(figure, cases, reference)
