"""The scores of cases by the metric of a gate, now and in the reference.

Gates on a mean and on a percentile make one figure of these scores. Each has a function
for its figure (`Figure`), and shares the rest: which cases have a score, the figure
without filled grades, the figure of the reference, and the remark about new cases.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from pytest_relevance._text import quoted
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
from pytest_relevance.gates.kind import Reference
from pytest_relevance.gates.metric_bounds import (
    digits_beside,
    misses_bound,
    name_with_depths,
)
from pytest_relevance.metrics.measures import is_lower_better, needs_texts
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
        """Return the score of the accepted ranking by the judgments of today."""
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


def compared_variants(gate: Gate) -> Sequence[str]:
    """Return the two variants that a gate compares; empty if it compares none."""
    if gate.variant is None or gate.against is None:
        return ()
    return gate.variant, gate.against


def without_score(
    metric: Metric, gate: Gate, reference: Reference
) -> NoReferenceFinding | UndefinedFinding:
    """Return the finding of a metric for which no case has a score."""
    if metric.is_similarity:
        variants = compared_variants(gate)
        return NoReferenceFinding(metric, reference=reference.name, variants=variants)
    return UndefinedFinding(metric)


def figure_without_filled(
    scores: ScoresOfCases, figure: Figure, cases: Sequence[CaseResult]
) -> float | None:
    """Return the figure without grades from files with `fill: true`.

    None if there are no such grades, if no case has a score without them, and for a
    metric that compares rankings.
    """
    if scores.metric.is_similarity or not has_filled(cases):
        return None
    weighted = scores.weighted([without_fill(case) for case in cases])
    return figure(weighted) if weighted else None


def score_figure_before(
    scores: ScoresOfCases,
    figure: Figure,
    bound: float,
    gate: Gate,
    reference: Reference,
) -> FigureBefore | None:
    """Return the figure of the reference; None if it is not known for all cases.

    If the figure without grades from files with `fill: true` fell, the gate did not
    fail before.
    """
    results = reference.results
    if not_compared_cases(results) or found_something_new(results):
        return None
    sign = -1 if is_lower_better(scores.metric) else 1

    def signed(weighted: Sequence[Weighted]) -> float:
        return sign * figure(weighted)

    before = figure_before(
        gate, scores, figure=signed, bound=sign * bound, reference=reference
    )
    if before is None:
        return None
    if before.figure is not None:
        before = replace(before, figure=sign * before.figure)
    if before.is_known and has_filled(results):
        of_people = [without_fill(result) for result in results]
        both = collect_values(gate, scores, of_people, accepted=())
        if has_fallen(both, signed):
            return replace(before, is_known=False)
    return before


def only_new_cases_meet(
    scores: ScoresOfCases,
    figure: Figure,
    bound: float,
    cases: Sequence[CaseResult],
    reference: Reference,
) -> Iterator[NewCasesFinding]:
    """Yield a remark if the figure over the cases that are not new misses the bound."""
    known = scores.weighted(reference.known(cases))
    if not known:
        return
    found = figure(known)
    if misses_bound(scores.metric, found, bound):
        digits = digits_beside(found, bound, least_digits(scores.metric))
        yield NewCasesFinding(
            new=len(scores.weighted(cases)) - len(known),
            known=len(known),
            figure=f"{found:.{digits}f}",
            bound=f"{bound:.{digits}f}",
            reference=reference.name,
            relation="above" if is_lower_better(scores.metric) else "below",
        )


# --- words ----------------------------------------------------------------------------


def least_digits(metric: Metric) -> int:
    """Return the fewest decimals of a score: none for a number of characters."""
    return 0 if needs_texts(metric) else 3


def relation_to_bound(metric: Metric, *, is_met: bool) -> str:
    """Return how a figure stands to its bound: `at least`, `below`."""
    if is_lower_better(metric):
        return "at most" if is_met else "above"
    return "at least" if is_met else "below"


def full_name(metric: Metric, depths: Sequence[int], variants: Sequence[str]) -> str:
    """Return the name of a metric: `AP (depth 100)`, `RBO of "ann" against "exact"`.

    `depths`: the depths that are set.
    `variants`: the two variants that are compared; empty for none.
    """
    name = name_with_depths(metric, depths)
    if variants:
        one, other = variants
        name += f" of {quoted(one)} against {quoted(other)}"
    return name
