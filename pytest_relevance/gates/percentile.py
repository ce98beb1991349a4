"""`min: {nDCG@10: 0.3}` and `p5: {overlap@10: 0.5}`: how low the lowest cases may be.

A mean hides a few bad cases among many good ones. These gates look at the bad ones:

- `min`: no case is below the bound. Cases that are expected to fail (`xfail`) are left
  out.
- `p1` to `p50`: the percentile by nearest rank is at least the bound. So with `p5`
  fewer than 5 % of the cases are below it.

If a lower score is better, the worst cases are the highest ones: with
`min: {characters@5: "<= 12000"}` no case is above the bound.

Every case counts once, whatever its weight. If queries were drawn from a file, weights
count, so that the percentile estimates that of the whole file. A case without a score
is left out, and reports name it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import fsum

from pytest_relevance._text import counted, listed
from pytest_relevance.bundled import PERCENTILES
from pytest_relevance.cases.gates import lowest_percentile
from pytest_relevance.cases.model import MIN, Gate
from pytest_relevance.gates.common_findings import MetricFinding, named_cases
from pytest_relevance.gates.failed_before import (
    Figure,
    FigureBefore,
    Weighted,
    collect_values,
)
from pytest_relevance.gates.kind import (
    CaseBehind,
    Finding,
    GateFigures,
    Reference,
)
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
from pytest_relevance.metrics.measures import is_lower_better, least_digits
from pytest_relevance.metrics.metric import ROUNDING, Metric
from pytest_relevance.results.case_result import (
    SKIPPED,
    WITHOUT_SCORE,
    XFAILED,
    XPASSED,
    CaseResult,
    has_sampled,
    values_needed,
)
from pytest_relevance.results.compare.differences import set_depths
from pytest_relevance.results.filled import has_filled, without_fill

# --- the figure -----------------------------------------------------------------------


def low_percentile(weighted: Sequence[Weighted], percent: int) -> float:
    """Return the percentile of scores by nearest rank.

    The percentile is the lowest score such that this score and lower ones have
    `percent` % of the weight.

    `weighted`: at least one score with its weight. A higher score is better.
    `percent`: from 0, for the lowest score, to 50.
    """
    total = fsum(weight for _, weight in weighted)
    needed = total * percent / 100 - ROUNDING * total
    ranked = sorted(weighted)
    reached = 0.0
    for score, weight in ranked:
        reached += weight
        if reached >= needed:
            return score
    return ranked[-1][0]


def _percent_of(condition: str) -> int:
    """Return the percentage of a condition: 5 for `p5`, 0 for `min`."""
    return 0 if condition == MIN else int(condition.removeprefix("p"))


def cases_needed(condition: str) -> int:
    """Return how many cases a gate needs: 20 for `p5`, 1 for `min`.

    With fewer than 20, the 5th percentile is always the lowest score.
    """
    percent = _percent_of(condition)
    return values_needed(100 - percent) if percent else 1


# --- which cases count ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class CasesLeftOut:
    """The cases that have no part in a figure.

    `undefined`: those without a score.
    `expected`: those that are expected to fail.
    """

    undefined: Sequence[CaseResult] = ()
    expected: Sequence[CaseResult] = ()

    def text(self) -> str:
        """Return, for example, `; 1 without a score: "boots"`; empty for none."""
        text = ""
        if self.undefined:
            text += f"; {len(self.undefined):,} without a score: "
            text += named_cases(self.undefined)
        if self.expected:
            text += f"; {len(self.expected):,} with xfail: "
            text += named_cases(self.expected)
        return text


def _is_left_out(gate: Gate, result: CaseResult) -> bool:
    """Say whether a case is left out because it is expected to fail.

    Only `min` leaves cases out. A case that is expected to fail because it failed
    before counts, since the gate itself may have failed before.
    """
    if gate.condition != MIN or result.is_known:
        return False
    return result.outcome in (XFAILED, XPASSED)


def _counting_cases(gate: Gate, cases: Iterable[CaseResult]) -> list[CaseResult]:
    return [case for case in cases if not _is_left_out(gate, case)]


def _cases_with_score(
    score: float, figure: BoundedFigure, cases: Iterable[CaseResult]
) -> list[CaseResult]:
    return [case for case in cases if figure.scores.now(case) == score]


def _left_out(figure: BoundedFigure, cases: Iterable[CaseResult]) -> CasesLeftOut:
    """Return the cases that do not count, although they were searched without error."""
    undefined, expected = [], []
    for case in cases:
        if case.verdict in (*WITHOUT_SCORE, SKIPPED):
            continue
        if _is_left_out(figure.gate, case):
            expected.append(case)
        elif figure.scores.now(case) is None:
            undefined.append(case)
    return CasesLeftOut(undefined=undefined, expected=expected)


# --- what a gate finds ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TooFewFinding(MetricFinding):
    """Too few cases, `counted` of `total`, have a score for a percentile or for `min`.

    `condition`: `min`, or for example `p5`.
    `bound`: the bound of the gate.
    `is_sampled`: whether the weights of the cases are those of a sample.
    """

    condition: str
    bound: float
    counted: int
    total: int
    left_out: CasesLeftOut
    is_sampled: bool

    @property
    def figures(self) -> GateFigures:
        """Return the bound, and over how many cases there is no value."""
        return GateFigures(
            value=None,
            bound=self.bound,
            counted=self.counted,
            total=self.total,
        )

    def text(self) -> str:
        """Return how many cases the gate needs, and what to do."""
        needed = counted(cases_needed(self.condition), "case")
        text = (
            f"{self.condition} {self.metric.text} needs {needed} with a score, found "
            f"{self.counted:,} of {self.total:,}{self.left_out.text()}"
        )
        if self.condition == MIN:
            return text
        return f"{text}; {self._advice}"

    @property
    def _advice(self) -> str:
        """Return what to do. In a suite with a sample, `min` would be a mistake."""
        lowest = lowest_percentile(self.counted)
        conditions = [] if lowest is None else [lowest]
        if not self.is_sampled:
            conditions.append(MIN)
        advice = "draw more queries" if self.is_sampled else "write more cases"
        return f"{advice}, or write {listed(conditions)}" if conditions else advice


@dataclass(frozen=True, slots=True, kw_only=True)
class PercentileFinding(FigureFinding):
    """The lowest score of a metric, or a percentile, beside its bound.

    `condition`: `min`, or for example `p5`.
    `worst`: the cases with the worst score of all.
    `worst_score`: their score.
    `left_out`: the cases that do not count.
    """

    kind = MIN
    condition: str
    worst: Sequence[CaseResult]
    worst_score: float
    left_out: CasesLeftOut

    @property
    def counted_cases(self) -> str:
        """Return how many cases count: `18 of 20 cases; 2 without a score: ...`."""
        cases = f"{counted(self.total, 'case')}{self.known_items_text}"
        if self.counted >= self.total:
            return cases
        return f"{self.counted:,} of {cases}{self.left_out.text()}"


def _figure_before(figure: BoundedFigure, reference: Reference) -> FigureBefore | None:
    """Return the figure of the reference; None if it is not known for all cases.

    The gate failed before only if each case that is beyond the bound now was there in
    the reference too, as far or further. The figure alone does not show that: one low
    case can hide another one.
    """
    reference = _without_left_out(figure.gate, reference)
    before = figure.before(reference)
    if before is None or not before.is_known:
        return before
    has_new_low = _has_new_low(figure, reference)
    if has_filled(reference.results) and not has_new_low:
        of_people = [without_fill(case) for case in reference.results]
        has_new_low = _has_new_low(figure, replace(reference, results=of_people))
    return replace(before, is_known=not has_new_low)


def _without_left_out(gate: Gate, reference: Reference) -> Reference:
    """Return the reference without the cases that the gate leaves out now."""
    results, expected = [], set()
    for result in reference.results:
        if _is_left_out(gate, result):
            expected.add((result.id, result.variant))
        else:
            results.append(result)
    accepted = []
    for case in reference.accepted:
        if (case.id, case.variant) not in expected:
            accepted.append(case)
    return replace(reference, results=results, accepted=accepted)


def _has_new_low(figure: BoundedFigure, reference: Reference) -> bool:
    """Say whether a case is beyond the bound now, and was better before, or is new."""
    sign = -1 if is_lower_better(figure.metric) else 1
    both = collect_values(
        figure.gate, figure.scores, reference.results, reference.accepted
    )
    for case in both.cases:
        if case.now is None or not figure.misses(case.now):
            continue
        if case.before is None or sign * (case.before - case.now) > ROUNDING:
            return True
    return False


# --- the kinds ------------------------------------------------------------------------


class _PercentileGate(FigureGate):
    """`p5: {overlap@10: 0.5}`: the percentile of each metric is at least its bound.

    All conditions from `p1` to `p50` are of this kind. `Gate.condition` says which one
    it is.
    """

    name = PERCENTILES[0]
    about = (
        "The least that the percentile of a metric may be: with p5: {overlap@10: 0.5} "
        "fewer than 5 % of the cases are lower. pN needs 100 / N cases."
    )
    cases_title = "beyond the bound, the worst first"

    def implies(self, now: Gate, before: Gate) -> bool:
        """Say whether the gate still has each bound, and allows no more low cases."""
        if _percent_of(now.condition) > _percent_of(before.condition):
            return False
        return super().implies(now, before)

    def make_figure(
        self, metric: Metric, gate: Gate, cases: Sequence[CaseResult]
    ) -> Figure:
        """Return the function from weighted scores to the percentile.

        If a lower score is better, it counts from the highest score down. Weights count
        only if queries were drawn.
        """
        sign = -1 if is_lower_better(metric) else 1
        percent = _percent_of(gate.condition)
        is_sampled = has_sampled(cases)

        def percentile(weighted: Sequence[Weighted]) -> float:
            turned = []
            for score, weight in weighted:
                turned.append((sign * score, weight if is_sampled else 1.0))
            return sign * low_percentile(turned, percent)

        return percentile

    def judge_figure(
        self, figure: BoundedFigure, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[Finding]:
        """Yield the percentile, or why there is none, and a remark on new cases."""
        gate, metric = figure.gate, figure.metric
        of_metric = cases_for_metric(metric, cases)
        counting = _counting_cases(gate, of_metric)
        left_out = _left_out(figure, of_metric)
        weighted = figure.scores.weighted(counting)
        if not weighted and not left_out.expected:
            yield without_score(metric, gate, reference)
            return
        total = count_without_errors(of_metric)
        if len(weighted) < cases_needed(gate.condition):
            yield TooFewFinding(
                metric,
                condition=gate.condition,
                bound=figure.bound,
                counted=len(weighted),
                total=total,
                left_out=left_out,
                is_sampled=has_sampled(of_metric),
            )
            return
        percentile = figure.make(weighted)
        is_missed = figure.misses(percentile)
        worst_of = max if is_lower_better(metric) else min
        worst_score = worst_of(score for score, _ in weighted)
        yield PercentileFinding(
            condition=gate.condition,
            metric=metric,
            figure=percentile,
            bound=figure.bound,
            counted=len(weighted),
            total=total,
            worst=_cases_with_score(worst_score, figure, counting),
            worst_score=worst_score,
            left_out=left_out,
            depths=set_depths([metric], of_metric),
            variants=compared_variants(gate),
            without_filled=figure.without_filled(counting),
            before=_figure_before(figure, reference) if is_missed else None,
            known_items=sum(case.is_known_item for case in cases),
            decisive=_cases_with_score(percentile, figure, counting)[0],
        )
        if not is_missed:
            yield from figure.remarks_on_new(counting, reference)

    def explain(self, finding: PercentileFinding) -> str:
        """Return a sentence that says how low the lowest cases are.

        `lowest nDCG@10 0.212 ("boots"), below 0.300 (20 cases)`, or
        `p5 nDCG@10 0.412, at least 0.400 (20 cases); lowest 0.212 ("boots")`
        """
        worst = "highest" if is_lower_better(finding.metric) else "lowest"
        names = named_cases(finding.worst, most=1)
        value = f"{finding.name} {finding.figure_text}"
        beside = f"{finding.bound_text} ({finding.counted_cases})"
        if finding.condition == MIN:
            text = f"{worst} {value} ({names}), {beside}"
        else:
            score = f"{finding.worst_score:.{least_digits(finding.metric)}f}"
            text = f"{finding.condition} {value}, {beside}; {worst} {score} ({names})"
        return text + finding.remarks

    def cases_behind(
        self, gate: Gate, finding: Finding, results: Sequence[CaseResult]
    ) -> list[CaseBehind]:
        """Return the cases beyond the bound. The pull is the distance to the bound.

        [] for a finding without a figure.
        """
        if not isinstance(finding, PercentileFinding):
            return []
        cases = _counting_cases(gate, results)
        return finding.cases_beyond(cases, by_weight=False)


class _MinGate(_PercentileGate):
    """`min: {nDCG@10: 0.3}`: no case is below the bound of a metric."""

    name = MIN
    about = (
        "The least score that each case must have: {nDCG@10: 0.3}. Cases with xfail are "
        "left out."
    )


PERCENTILE_GATE = _PercentileGate()
MIN_GATE = _MinGate()
