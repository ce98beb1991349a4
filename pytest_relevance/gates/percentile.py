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

from pytest_relevance._number_text import score_text
from pytest_relevance._text import case_in_prose, counted, first_few
from pytest_relevance.bundled import PERCENTILES
from pytest_relevance.cases.location import Location, Wrong
from pytest_relevance.cases.model import MIN, ROUNDING, Gate
from pytest_relevance.gates.common_findings import (
    CutFinding,
    NewCasesFinding,
    NoReferenceFinding,
    UndefinedFinding,
)
from pytest_relevance.gates.failed_before import (
    Figure,
    FigureBefore,
    Weighted,
    collect_values,
)
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
from pytest_relevance.metrics.measures import is_lower_better
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.results.case_result import (
    SKIPPED,
    WITHOUT_SCORE,
    XFAILED,
    XPASSED,
    CaseResult,
    has_sampled,
)
from pytest_relevance.results.compare.differences import set_depths
from pytest_relevance.results.filled import has_filled, without_fill

# --- the figure -----------------------------------------------------------------------


def low_percentile(weighted: Sequence[Weighted], percent: int) -> float:
    """Return the percentile of scores by nearest rank.

    It is the lowest score such that this score and lower ones have `percent` % of the
    weight.

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


def _figure_for(metric: Metric, percent: int, *, is_sampled: bool) -> Figure:
    """Return the function from weighted scores to the percentile.

    If a lower score is better, it counts from the highest score down.

    `is_sampled`: whether the weights are those of a sample, and count.
    """

    def figure(weighted: Sequence[Weighted]) -> float:
        sign = -1 if is_lower_better(metric) else 1
        turned = []
        for score, weight in weighted:
            turned.append((sign * score, weight if is_sampled else 1.0))
        return sign * low_percentile(turned, percent)

    return figure


def _percent_of(condition: str) -> int:
    """Return the percentage of a condition: 5 for `p5`, 0 for `min`."""
    return 0 if condition == MIN else int(condition.removeprefix("p"))


def cases_needed(condition: str) -> int:
    """Return how many cases a gate needs: 20 for `p5`, 1 for `min`.

    With fewer than 20, the 5th percentile is always the lowest score.
    """
    percent = _percent_of(condition)
    return 1 if not percent else (100 + percent - 1) // percent  # 100 / N, rounded up


# --- what a gate finds ----------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LeftOut:
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
            text += first_few(_names(self.undefined))
        if self.expected:
            text += f"; {len(self.expected):,} with xfail: "
            text += first_few(_names(self.expected))
        return text


@dataclass(frozen=True, slots=True)
class PercentileFinding(Finding):
    """The lowest score of a metric, or a percentile, over `counted` of `total` cases.

    `condition`: `min`, or for example `p5`.
    `figure`: the score; None if there are too few cases for it.
    `worst`: the cases with the worst score of all.
    `worst_score`: their score; None without a case.
    `left_out`: the cases that do not count.
    `depths`: the depths that case files set, if the metric looks at the whole ranking.
    `variants`: the two variants that the gate compares; empty if it compares none.
    `without_filled`: the figure without filled grades; None if there are none.
    `before`: the figure in the reference; None if it is not needed or not known.
    """

    kind = MIN
    condition: str
    metric: Metric
    bound: float
    figure: float | None
    counted: int
    total: int
    worst: Sequence[CaseResult] = ()
    worst_score: float | None = None
    left_out: LeftOut = LeftOut()
    depths: Sequence[int] = ()
    variants: Sequence[str] = ()
    without_filled: float | None = None
    before: FigureBefore | None = None

    @property
    def is_met(self) -> bool:
        """Say whether there are enough cases, and the figure is within its bound."""
        if self.figure is None:
            return False
        return not misses_bound(self.metric, self.figure, self.bound)

    @property
    def is_known(self) -> bool:
        """Say whether the same cases were as low in the reference."""
        return self.before is not None and self.before.is_known

    @property
    def about(self) -> str:
        """Return the name of the metric."""
        return self.metric.text


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


def _left_out(
    gate: Gate, scores: ScoresOfCases, cases: Iterable[CaseResult]
) -> LeftOut:
    """Return the cases that do not count, although they were searched without error."""
    undefined, expected = [], []
    for case in cases:
        if case.verdict in (*WITHOUT_SCORE, SKIPPED):
            continue
        if _is_left_out(gate, case):
            expected.append(case)
        elif scores.now(case) is None:
            undefined.append(case)
    return LeftOut(undefined=undefined, expected=expected)


def _judge_metric(
    metric: Metric,
    bound: float,
    gate: Gate,
    cases: Sequence[CaseResult],
    reference: Reference,
) -> Iterator[
    PercentileFinding | UndefinedFinding | NoReferenceFinding | NewCasesFinding
]:
    """Yield what a gate finds for one metric: the figure, or why there is none.

    If the figure meets its bound only because of new cases, a remark follows.
    """
    scores = ScoresOfCases(metric)
    counting = _counting_cases(gate, cases)
    left_out = _left_out(gate, scores, cases)
    weighted = scores.weighted(counting)
    if not weighted and not left_out.expected:
        yield without_score(metric, gate, reference)
        return
    finding = PercentileFinding(
        condition=gate.condition,
        metric=metric,
        bound=bound,
        figure=None,
        counted=len(weighted),
        total=count_without_errors(cases),
        left_out=left_out,
        depths=set_depths([metric], cases),
        variants=compared_variants(gate),
    )
    if len(weighted) < cases_needed(gate.condition):
        yield finding
        return
    is_sampled = has_sampled(cases)
    figure = _figure_for(metric, _percent_of(gate.condition), is_sampled=is_sampled)
    worst_score = _figure_for(metric, 0, is_sampled=is_sampled)(weighted)
    finding = replace(
        finding,
        figure=figure(weighted),
        worst=[case for case in counting if scores.now(case) == worst_score],
        worst_score=worst_score,
        without_filled=figure_without_filled(scores, figure, counting),
    )
    if finding.is_met:
        yield finding
        yield from only_new_cases_meet(scores, figure, bound, counting, reference)
    elif metric.is_similarity:
        yield finding
    else:
        before = _before(scores, figure, bound, gate, reference)
        yield replace(finding, before=before)


def _before(
    scores: ScoresOfCases,
    figure: Figure,
    bound: float,
    gate: Gate,
    reference: Reference,
) -> FigureBefore | None:
    """Return the figure of the reference; None if it is not known for all cases.

    The gate failed before only if each case that is beyond the bound now was there in
    the reference too, as far or further. The figure alone does not show that: one low
    case can hide another one.
    """
    reference = _without_left_out(gate, reference)
    before = score_figure_before(scores, figure, bound, gate, reference)
    if before is None or not before.is_known:
        return before
    has_new_low = _has_new_low(scores, bound, gate, reference)
    if has_filled(reference.results) and not has_new_low:
        of_people = [without_fill(case) for case in reference.results]
        without_filled = replace(reference, results=of_people)
        has_new_low = _has_new_low(scores, bound, gate, without_filled)
    return replace(before, is_known=False) if has_new_low else before


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


def _has_new_low(
    scores: ScoresOfCases, bound: float, gate: Gate, reference: Reference
) -> bool:
    """Say whether a case is beyond the bound now, and was better before, or is new."""
    sign = -1 if is_lower_better(scores.metric) else 1
    both = collect_values(gate, scores, reference.results, reference.accepted)
    for case in both.cases:
        if case.now is None or not misses_bound(scores.metric, case.now, bound):
            continue
        if case.before is None or sign * (case.before - case.now) > ROUNDING:
            return True
    return False


# --- the kinds ------------------------------------------------------------------------


def _names(cases: Iterable[CaseResult]) -> list[str]:
    return [case_in_prose(case.id, case.query) for case in cases]


def _explain_too_few(finding: PercentileFinding) -> str:
    """Return that a gate needs more cases, and what to do."""
    needed = counted(cases_needed(finding.condition), "case")
    text = (
        f"{finding.condition} {finding.metric.text} needs {needed} with a score, found "
        f"{finding.counted:,} of {finding.total:,}{finding.left_out.text()}"
    )
    if finding.condition == MIN:
        return text
    return f"{text}; write more cases, a higher percentile such as p50, or {MIN}"


class _PercentileGate(GateKind):
    """`p5: {overlap@10: 0.5}`: the percentile of each metric is at least its bound.

    All conditions from `p1` to `p50` are of this kind. `Gate.condition` says which one
    it is.
    """

    name = PERCENTILES[0]
    gate_field = "bounds"
    about = (
        "The least that the percentile of a metric may be: with p5: {overlap@10: 0.5} "
        "fewer than 5 % of the cases are lower. pN needs 100 / N cases."
    )
    schema = BOUNDS_SCHEMA
    may_be_known = True
    cases_title = "beyond the bound, the worst first"

    def check(self, value: object, at: Location) -> Bounds | Wrong:
        return check_metrics(value, at, is_drop=False)

    def describe(self, gate: Gate) -> str:
        return describe_bounds(gate)

    def implies(self, now: Gate, before: Gate) -> bool:
        """Say whether the gate still has each bound, and allows no more low cases."""
        if _percent_of(now.condition) > _percent_of(before.condition):
            return False
        return implies_bounds(now, before)

    def judge(
        self, gate: Gate, cases: Sequence[CaseResult], reference: Reference
    ) -> Iterator[
        PercentileFinding
        | CutFinding
        | UndefinedFinding
        | NoReferenceFinding
        | NewCasesFinding
    ]:
        cut = cut_findings(gate, cases)
        yield from cut.values()
        for metric, bound in gate.bounds:
            if metric not in cut:
                yield from _judge_metric(metric, bound, gate, cases, reference)

    def explain(self, finding: PercentileFinding) -> str:
        """Return a sentence that says how low the lowest cases are.

        `lowest nDCG@10 0.212 ("boots"), below 0.300 (20 cases)`, or
        `p5 nDCG@10 0.412, at least 0.400 (20 cases); lowest 0.212 ("boots")`
        """
        if finding.figure is None:
            return _explain_too_few(finding)
        least = least_digits(finding.metric)
        digits = digits_beside(finding.figure, finding.bound, least)
        relation = relation_to_bound(finding.metric, is_met=finding.is_met)
        name = full_name(finding.metric, finding.depths, finding.variants)
        extreme = "highest" if is_lower_better(finding.metric) else "lowest"
        worst = first_few(_names(finding.worst), most=1)
        cases = counted(finding.total, "case")
        if finding.counted < finding.total:
            cases = f"{finding.counted:,} of {cases}{finding.left_out.text()}"
        beside = f"{relation} {finding.bound:.{digits}f} ({cases})"
        value = f"{finding.figure:.{digits}f}"
        if finding.condition == MIN:
            text = f"{extreme} {name} {value} ({worst}), {beside}"
        else:
            text = f"{finding.condition} {name} {value}, {beside}"
            text += f"; {extreme} {finding.worst_score:.{least}f} ({worst})"
        if finding.without_filled is not None:
            text += f"; {finding.without_filled:.{digits}f} without filled grades"
        if finding.before is not None:
            text += finding.before.text(digits)
        return text

    def cases_behind(
        self, gate: Gate, finding: Finding, results: Sequence[CaseResult]
    ) -> list[CaseBehind]:
        """Return the cases beyond the bound. The pull is the distance to the bound."""
        if not isinstance(finding, PercentileFinding) or finding.figure is None:
            return []
        behind = []
        for result in results:
            score = ScoresOfCases(finding.metric).now(result)
            if score is None or _is_left_out(gate, result):
                continue
            if misses_bound(finding.metric, score, finding.bound):
                pull = abs(finding.bound - score)
                behind.append(CaseBehind(result, pull, score_text(score)))
        return behind


class _MinGate(_PercentileGate):
    """`min: {nDCG@10: 0.3}`: no case is below the bound of a metric."""

    name = MIN
    about = (
        "The least score that each case must have: {nDCG@10: 0.3}. Cases with xfail are "
        "left out."
    )


PERCENTILE_GATE = _PercentileGate()
MIN_GATE = _MinGate()
