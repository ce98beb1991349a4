"""Gates: whether the cases of a file, or a run beside another one, are good enough as a whole.

`judge_gates` judges the gates of case files, for a run and for `merge`; `compare` judges by `Compared.judge`. One
function judges the drop of a mean for both. What is found is data, and `reports.run.gates` has the words.

Means are over the weights, of the cases with relevant judgments; inconclusive cases and those that were expected to
fail count, skipped ones do not. A case that ended in an error fails every gate of its file.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from pytest_relevance.cases.model import Gate
from pytest_relevance.metrics.measures import largest_score, ranks_needed
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import metric_named, needs_judgments
from pytest_relevance.results import case_result, known_gates
from pytest_relevance.results.case_result import (
    FAILED,
    MEASURED,
    PASSED,
    SKIPPED,
    WITHOUT_SCORE,
    XFAILED,
    CaseResult,
)
from pytest_relevance.results.compare import differences
from pytest_relevance.results.compare.differences import TIE, Difference, Scores
from pytest_relevance.results.outcomes import with_similarities
from pytest_relevance.results.records.run_info import FileInfo
from pytest_relevance.results.records.uncompared import (
    UncomparedCase,
    found_something_new,
    lost_of_file,
    not_compared_cases,
)

FINDINGS = (
    ERRORS,
    PASSING,
    MEAN,
    DROP,
    UNDEFINED,
    CUT,
    NO_REFERENCE,
    WITHOUT_ENTRY,
    CASE_DROPS,
    NEW_ERRORS,
) = (
    *(
        "errors",
        "passing",
        "mean",
        "drop",
        "undefined",
        "cut",
        "no reference",
        "without entry",
    ),
    *("case drops", "new errors"),
)
"""What a finding is about. The share that passes; a mean; the drop of a mean; a mean that is not defined, as no case
has a score, or that looks at more than the searches returned; nothing to compare with; cases that have
no score, that the reference does not have, that dropped by too much, that newly fail."""

OF_LATENCY = LATENCY, TOO_FEW = "latency", "too few"
"""Further kinds of findings: a figure of the latency, and one that needs more cases."""

NOT_JUDGED = INCOMPLETE, UPDATING, NO_CASE, NO_VARIANT = (
    "incomplete",
    "updating",
    "no case",
    "no variant",
)
"""Why there is no verdict: not all cases of the file ran, the baseline is being replaced, no case of the gate ran, or
none in one of its two variants, which fails the gate where no search has such a variant."""

_PASSED = frozenset({PASSED, MEASURED, "xpassed"})


@dataclass(frozen=True, slots=True)
class GateFinding:
    """One thing that a gate found: its `kind`, and whether it is as it should be.

    The kind is one of `FINDINGS`, `OF_LATENCY` or `NOT_JUDGED`.
    `figure` is what was found (a mean, or how many cases pass) and `bound` what was asked for. `counted` of `total`
    cases are looked at. `difference` is the difference of a mean; with `p` a drop counts only if its p-value is at
    most `p`. `cases` are the cases that a message names. `depths` are the depths that were set, or that searches were
    asked for, where the metric looks at the whole ranking. `against` is the record in the place of the baseline, if
    any, and `lost` how many of its cases are not compared, by the reason (`records.run_info.GONE` ...). `variants`
    are those whose rankings are compared with each other. `is_known`: what is not met was missed before by no less,
    and is expected (`--relevance-known=xfail`). `name` is a variant, or a figure of the latency, which has to be
    below the `bound` or (`comparison` "<=") at it; it needs `needed` cases. `before` is the figure of the reference
    over all its cases, `only_now` and `only_before` how many cases only this run or only the reference has.
    `by_fill`: whose grades, which fill what nobody has judged, decide alone. `without`: whose grades are left out, as
    they hide a drop that people see.
    """

    kind: str
    is_met: bool
    metric: Metric | None = None
    figure: float = math.nan
    bound: float = math.nan
    counted: int = 0
    total: int = 0
    difference: Difference | None = None
    p: float | None = None
    cases: Sequence[Any] = ()
    depths: Sequence[int] = ()
    against: str = ""
    lost: Mapping[str, int] = field(default_factory=dict)
    variants: Sequence[str | None] = ()
    is_known: bool = False
    name: str = ""
    comparison: str = "<="
    needed: int = 0
    before: float = math.nan
    only_now: int = 0
    only_before: int = 0
    by_fill: Sequence[str] = ()
    without: Sequence[str] = ()

    @property
    def about(self) -> str:
        """The metric, "passing", "latency" or "errors"; empty for a remark."""
        if self.metric is not None:
            return self.metric.text
        return self.kind if self.kind in (ERRORS, PASSING, LATENCY) else ""

    @property
    def exceeds(self) -> bool:
        """Whether a mean dropped by more than its bound; rounding alone does not count."""
        return (
            self.difference is not None
            and -self.difference.means.difference > self.bound + TIE
        )

    @property
    def is_void(self) -> bool:
        """Whether so few cases changed that no p-value could be as low as `p`: the drop alone decides."""
        return (
            self.p is not None
            and self.difference is not None
            and not self.difference.least_p <= self.p
        )


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a gate in one search variant.

    The gate stands in `line` (from 1) of `file`. `results` are the cases that it was judged by. `not_judged` says why
    there is no verdict. `is_required`: a gate without a verdict has failed, unless the baseline is being replaced.
    `node` is the node id of its file.
    """

    file: str
    node: str
    line: int
    gate: Gate
    variant: str | None
    results: Sequence[CaseResult] = ()
    findings: Sequence[GateFinding] = ()
    not_judged: GateFinding | None = None
    is_required: bool = False

    @property
    def name(self) -> str:
        """The name among pytest's node ids: `gate[ID]`, followed by `[VARIANT]` where there are variants."""
        return f"gate[{self.gate.id}]" + (
            f"[{self.variant}]" if self.variant is not None else ""
        )

    @property
    def unmet(self) -> Sequence[GateFinding]:
        """The findings that are not met."""
        return [finding for finding in self.findings if not finding.is_met]

    def outcome(self) -> str:
        """`passed`, `failed`, or `skipped` where there is no verdict, which fails where verdicts are required.

        A gate that failed before is `xfailed` where that is expected.
        """
        if self.not_judged is not None:
            return (
                FAILED
                if self.is_required and self.not_judged.kind != UPDATING
                else SKIPPED
            )
        if not self.unmet:
            return PASSED
        return XFAILED if all(finding.is_known for finding in self.unmet) else FAILED


def judge_gates(
    results: Sequence[CaseResult],
    files: Mapping[str, FileInfo],
    *,
    updating: bool = False,
    require: bool = False,
) -> list[GateResult]:
    """Judge the gates of all files, each in every search variant.

    `updating`: the baseline is being replaced. `require`: a gate without a verdict has failed. A gate is judged when
    all cases of its file that were not skipped have ended.
    """
    by_file = case_result.grouped(
        (result for result in results if not result.is_check),
        lambda result: result.file,
    )
    return [
        judged
        for file, info in sorted(files.items())
        if info.gates
        for judged in _gates_of_file(
            file, info, by_file.get(file, []), updating=updating, require=require
        )
    ]


def _gates_of_file(
    file: str,
    info: FileInfo,
    results: Sequence[CaseResult],
    *,
    updating: bool,
    require: bool,
) -> Iterator[GateResult]:
    from pytest_relevance.cases.gate_values import gate_of
    from pytest_relevance.cases.gates.condition import MAX_DROP

    ran = sorted(
        (result for result in results if result.status != SKIPPED),
        key=lambda result: (result.origin.source or "", result.line, result.id),
    )
    total = info.total - (len(results) - len(ran))
    all_lost = lost_of_file(file, info, results)
    groups = in_variants((variant for _, variant, _ in info.totals), ran)
    variants = {result.variant: None for result in ran}.keys()
    for written in info.gates:
        gate = gate_of(written)
        own = groups if gate.against is None else _compared_variants(gate, groups)
        for variant, group in own.items():
            judged = GateResult(
                file, info.node, written["line"], gate, variant, is_required=require
            )
            if len(ran) < total:
                yield replace(
                    judged,
                    not_judged=GateFinding(
                        INCOMPLETE, False, counted=len(ran), total=total
                    ),
                )
            elif gate.against is not None and (
                lacking := {gate.variant, gate.against} - variants
            ):
                # one variant alone may be that of a shard, and the others those of other shards
                unknown = (
                    lacking - groups.keys() if len(groups) > 1 or None in groups else ()
                )
                why = GateFinding(
                    NO_VARIANT,
                    False,
                    name=min(map(str, unknown or lacking)),
                    variants=[*variants],
                )
                yield (
                    replace(judged, findings=(why,))
                    if unknown
                    else replace(judged, not_judged=why)
                )
            elif updating and (gate.condition == MAX_DROP or gate.similarities):
                yield replace(judged, not_judged=GateFinding(UPDATING, False))
            elif not any(looks_at(gate, result) for result in group):
                yield replace(judged, not_judged=GateFinding(NO_CASE, False))
            else:
                shown = [
                    result
                    for result in group
                    if result.verdict in WITHOUT_SCORE or looks_at(gate, result)
                ]
                # the tags of cases that did not run are not known
                lost = [
                    case
                    for case in all_lost
                    if case.variant == variant
                    and (gate.tag is None or gate.tag in case.tags)
                ]
                judge = partial(_judge, gate, against=info.against, lost=lost)
                findings: Iterable[GateFinding] = by_fill(judge, shown)
                if info.expects_known:
                    findings = [
                        _beside_reference(finding, gate, group, variant, info)
                        for finding in findings
                    ]
                yield replace(judged, results=shown, findings=tuple(findings))


def _compared_variants(
    gate: Gate, groups: Mapping[str | None, Sequence[CaseResult]]
) -> dict[str | None, list[CaseResult]]:
    """The results that a gate about two variants is judged by, as one group: those of both without a score.

    The others are those of its variant, with their scores against the rankings that the other variant has of them; one
    that it does not have has no such score.
    """
    theirs = [
        result
        for result in groups.get(gate.against, ())
        if result.variant == gate.against
    ]
    others = {
        result.id: result for result in theirs if result.verdict not in WITHOUT_SCORE
    }
    found = [result for result in theirs if result.verdict in WITHOUT_SCORE]
    for result in groups.get(gate.variant, ()):
        if (
            result.variant is None and result.verdict not in WITHOUT_SCORE
        ):  # of another search, which has no variants
            continue
        other = None if result.verdict in WITHOUT_SCORE else others.get(result.id)
        metrics = [
            metric
            for metric in gate.metrics
            if metric.k is not None or not (other and other.is_cut)
        ]
        found.append(
            with_similarities(
                result, metrics, None if other is None else other.ranking.documents
            )
        )
    return {None: found}


def in_variants(
    variants: Iterable[str | None], results: Iterable[CaseResult]
) -> dict[str | None, list[CaseResult]]:
    """The results that each variant is judged by. One whose search has no parameter counts in every variant."""
    names = [*dict.fromkeys(variants)]
    groups: dict[str | None, list[CaseResult]] = {
        name: [] for name in names if name is not None or names == [None]
    }
    for result in results:
        for name in (result.variant,) if result.variant in groups else groups:
            groups[name].append(result)
    return groups


def looks_at(gate: Gate, result: CaseResult) -> bool:
    """Whether a gate is about a case."""
    return gate.tag is None or gate.tag in result.tags


def passes(result: CaseResult) -> bool:
    """Whether a case counts as passing."""
    return result.outcome in _PASSED


def is_only_measured(result: CaseResult) -> bool:
    """Whether a case has nothing to pass: no floor, no expectation, and no accepted score that it could fall below."""
    return result.verdict == MEASURED and (
        result.score is None or differences.score_before(result) is None
    )


def by_fill(
    judge: Callable[[Sequence[CaseResult]], Iterable[GateFinding]],
    results: Sequence[CaseResult],
) -> list[GateFinding]:
    """The findings about results, which say where grades that fill what nobody has judged decide alone.

    They do where the finding would be another one without them, or where cases have scores, and none would have a
    score and a judged result without them. A drop that such grades hide is a drop. Only findings about metrics and
    about cases that pass can depend on grades.
    """
    findings = [*judge(results)]
    if not any(result.evaluation.people_scores for result in results):
        return findings
    from pytest_relevance.results.filled import without_fill

    of_people = [*judge([*map(without_fill, results)])]
    others = {_decided(each) for each in of_people}
    scored = [result for result in results if result.score is not None]
    if scored and all(result.evaluation.is_filled_alone for result in scored):
        others = {()}
    graders = [
        *dict.fromkeys(name for result in results for name in result.evaluation.graders)
    ]
    found = []
    for each in findings:
        hidden = _hidden_drop(each, of_people)
        if hidden is not None:
            found.append(replace(hidden, without=graders))
        elif _decided(each) in {(), *others}:
            found.append(each)
        else:
            found.append(replace(each, by_fill=graders))
    return found


def _hidden_drop(
    found: GateFinding, of_people: Iterable[GateFinding]
) -> GateFinding | None:
    """The drop of the same mean by grades of people, if grades that fill hide it."""
    if found.kind != DROP or not found.is_met or found.difference is None:
        return None
    for other in of_people:
        is_same = other.kind == DROP and other.metric == found.metric
        is_of_variant = (
            other.difference is not None
            and other.difference.variant == found.difference.variant
        )
        if is_same and is_of_variant and not other.is_met:
            return other
    return None


def _decided(found: GateFinding) -> tuple[object, ...]:
    """What grades decide in a finding; empty where they decide nothing."""
    if found.kind != PASSING and (found.metric is None or found.metric.is_similarity):
        return ()
    return (
        found.kind,
        found.metric,
        found.is_met,
        found.difference and found.difference.variant,
    )


def _judge(
    gate: Gate,
    results: Sequence[CaseResult],
    against: str,
    lost: Sequence[UncomparedCase],
) -> Iterator[GateFinding]:
    """Judge one gate. An error fails it whatever its tag: what the search would have returned is unknown."""
    for verdict in WITHOUT_SCORE:
        if failed := [result for result in results if result.verdict == verdict]:
            yield GateFinding(ERRORS, False, cases=failed)
    cases = [result for result in results if looks_at(gate, result)]
    if gate.condition == PASSING:
        yield _passing(gate, cases)
    yield from _latencies(gate, cases)
    if not gate.bounds:
        return
    cut = {metric: found for metric, _ in gate.bounds if (found := _cut(metric, cases))}
    yield from cut.values()
    bounds = {metric: bound for metric, bound in gate.bounds if metric not in cut}
    if gate.condition == MEAN:
        variants = () if gate.against is None else (gate.variant, gate.against)
        for metric, bound in bounds.items():
            found = _mean(metric, bound, cases)
            yield replace(
                found,
                against=against if metric.is_similarity else "",
                variants=variants,
            )
        return
    yield from _drops(gate, bounds, cases, against, lost)
    fresh = [
        case
        for case in cases
        if any(_is_fresh(case, metric.text) for metric in gate.metrics)
    ]
    if fresh:
        yield GateFinding(WITHOUT_ENTRY, True, cases=fresh, against=against)


def _is_fresh(case: CaseResult, metric: str) -> bool:
    """Whether a case has a score now and none in the baseline."""
    return (
        case.evaluation.scores.get(metric) is not None
        and differences.score_before(case, metric) is None
    )


def _passing(gate: Gate, cases: Sequence[CaseResult]) -> GateFinding:
    """The share of passing cases among those with a floor, an expectation or an accepted score; unmet without any."""
    asked = [case for case in cases if not is_only_measured(case)]
    passing = sum(map(passes, asked))
    is_met = bool(asked) and passing >= gate.share * len(asked) - TIE
    return GateFinding(
        PASSING, is_met, None, passing, gate.share, len(asked), len(cases)
    )


def _latencies(gate: Gate, cases: Sequence[CaseResult]) -> Iterator[GateFinding]:
    """The figures of the latency, over the cases whose search was called alone; unmet with too few of these."""
    alone = [latency for case in cases if (latency := latency_alone(case)) is not None]
    total = sum(case.verdict not in (*WITHOUT_SCORE, SKIPPED) for case in cases)
    for limit in gate.latencies:
        name, comparison, bound = limit.figure, limit.comparison, limit.bound
        percent = int(name[1:]) if name[1:].isdigit() else 0
        found = GateFinding(
            *(TOO_FEW, False, None, math.nan, bound, len(alone), total),
            name=name,
            comparison=comparison,
            needed=math.ceil(100 / (100 - percent)),
        )
        if len(alone) >= found.needed:
            figure = (
                math.fsum(alone) / len(alone)
                if name == "mean"
                else case_result.percentile(alone, percent or 100)
            )
            is_met = figure < bound or (comparison == "<=" and figure == bound)
            found = replace(found, kind=LATENCY, figure=figure, is_met=is_met)
        yield found


def latency_alone(result: CaseResult) -> float | None:
    """The latency of a search that was called while no other search ran, in seconds; None for any other."""
    return (
        None
        if result.call.latency_shared or result.call.concurrency > 1
        else result.call.latency
    )


def _mean(metric: Metric, bound: float, cases: Sequence[CaseResult]) -> GateFinding:
    scored = [
        (score, case.weight)
        for case in cases
        if (score := case.evaluation.scores.get(metric.text)) is not None
        and differences.has_relevant(case, metric.text)
    ]
    if not scored:
        return GateFinding(
            NO_REFERENCE if metric.is_similarity else UNDEFINED, False, metric
        )
    mean = case_result.weighted_mean(scored)
    total = sum(case.verdict not in (*WITHOUT_SCORE, SKIPPED) for case in cases)
    depths = differences.set_depths([metric], cases)
    return GateFinding(
        MEAN,
        mean >= bound - TIE,
        metric,
        mean,
        bound,
        len(scored),
        total,
        depths=depths,
    )


def _beside_reference(
    found: GateFinding,
    gate: Gate,
    results: Sequence[CaseResult],
    variant: str | None,
    info: FileInfo,
) -> GateFinding:
    """A finding that is not met, with what the reference has, and whether it failed before.

    `results` are all cases of the file in a variant.
    """
    is_similarity = found.metric is not None and found.metric.is_similarity
    if found.is_met or found.kind not in (PASSING, MEAN) or is_similarity:
        return found
    values: known_gates.ValuesOfCases
    figure: known_gates.Figure
    if found.metric is None:
        values, figure = known_gates.Passes(passes, is_only_measured), known_gates.share
    else:
        if not_compared_cases(results) or found_something_new(results):
            return found
        values, figure = known_gates.Scores(found.metric), known_gates.mean
    accepted = [each for each in info.accepted if each.variant in (variant, None)]
    try:
        sides = known_gates.sides_of(gate, values, results, accepted)
    except known_gates.NotKnown:
        return found
    before = sides.all_before()
    is_known = known_gates.failed_before(sides, figure, found.bound)
    if is_known and found.metric is not None:
        is_known = not _fell_by_people(gate, found.metric, results)
    return replace(
        found,
        is_known=is_known,
        before=figure(before) if before else math.nan,
        only_now=sides.only_now,
        only_before=sides.only_before,
        against=info.against,
    )


def _fell_by_people(gate: Gate, metric: Metric, results: Sequence[CaseResult]) -> bool:
    """Whether a mean fell by the grades of people, which those that fill may hide."""
    if not any(result.evaluation.people_scores for result in results):
        return False
    from pytest_relevance.results.filled import without_fill

    of_people = [without_fill(result) for result in results]
    sides = known_gates.sides_of(gate, known_gates.Scores(metric), of_people, ())
    return known_gates.has_fallen(sides, known_gates.mean)


def _drops(
    gate: Gate,
    bounds: Mapping[Metric, float],
    cases: Sequence[CaseResult],
    against: str,
    lost: Sequence[UncomparedCase],
) -> Iterator[GateFinding]:
    """The drop of each mean since the baseline, or since the run `against`, tested together."""
    family = {}
    for metric in bounds:
        if pairs := differences.score_pairs(cases, metric.text):
            family[metric] = Scores(None, metric.text, pairs)
        elif all(case.evaluation.scores.get(metric.text) is None for case in cases):
            yield GateFinding(UNDEFINED, False, metric)
        else:
            yield GateFinding(NO_REFERENCE, False, metric, against=against)
    for metric, row in zip(
        family, differences.differences_of(family.values()), strict=True
    ):
        found, depths = (
            judge_drop(row, bounds[metric], gate.p, metric),
            differences.set_depths([metric], cases),
        )
        counts = Counter(
            case.why for case in lost if not case.metrics or metric.text in case.metrics
        )
        total = row.means.queries + counts.total()
        yield replace(found, total=total, lost=counts, depths=depths, against=against)


def judge_drop(
    row: Difference, bound: float, p: float | None, metric: Metric
) -> GateFinding:
    """Whether a mean dropped by at most `bound`.

    With `p` a larger drop is not met only where it is significant too: its p-value, Holm's where several metrics are
    tested, is at most `p`. Where so few cases changed that no p-value can be as low, the drop alone decides.
    """
    count = row.means.queries
    if not count:
        return GateFinding(UNDEFINED, False, metric, difference=row)
    found = GateFinding(
        DROP, True, metric, bound=bound, counted=count, total=count, difference=row, p=p
    )
    is_chance = p is not None and not found.is_void and not row.adjusted_p <= p
    return replace(found, is_met=not found.exceeds or is_chance)


def judge_mean(row: Difference, bound: float) -> GateFinding:
    """Whether the mean of the second run is at least `bound`."""
    count, mean, metric = row.means.queries, row.means.second, metric_named(row.metric)
    if not count:
        return GateFinding(UNDEFINED, False, metric, difference=row)
    return GateFinding(
        MEAN,
        mean >= bound - TIE,
        metric,
        mean,
        bound,
        count,
        count + row.undefined,
        row,
    )


def _cut(metric: Metric, cases: Sequence[CaseResult]) -> GateFinding | None:
    """The finding about a metric that looks at more than some searches returned, and so has no score there."""
    unscored = (
        case
        for case in cases
        if case.is_cut and metric.text not in case.evaluation.scores
    )
    conditions = (
        case.conditions for case in unscored if case.verdict not in WITHOUT_SCORE
    )
    asked = [
        each.depth or each.k
        for each in conditions
        if ranks_needed(metric, each.settings) is None
    ]
    return (
        GateFinding(CUT, False, metric, counted=len(asked), depths=asked)
        if asked
        else None
    )


@dataclass(frozen=True, slots=True)
class ComparisonGates:
    """What the gates of a comparison found. `drops` are the cases that dropped by more than a case may."""

    findings: tuple[GateFinding, ...]
    drops: Sequence[CaseResult] = ()

    @property
    def passed(self) -> bool:
        """Whether every gate is met."""
        return all(finding.is_met for finding in self.findings)


def check_mean(what: str, number: float, metric: str) -> None:
    """Raise ValueError where a mean of a metric cannot be as high."""
    named = metric_named(metric)
    least, most = -math.inf if named.is_own else 0, largest_score(named)
    if isinstance(number, bool) or not least <= number <= most or math.isinf(number):
        raise ValueError(
            f"{what} is a mean that a metric can have, {least:g} to {most:g} for {metric}, not {number!r}"
        )


def check_drop(what: str, number: float, metric: str) -> None:
    """Raise ValueError where a score by a metric cannot drop by as much."""
    most = largest_score(
        needs_judgments(
            metric_named(metric), f"bound its mean: --min {metric}=0.9 (min_mean)"
        )
    )
    if isinstance(number, bool) or not 0 <= number <= most or number == math.inf:
        bounds = "0 or more" if most == math.inf else f"from 0 to {most:g} for {metric}"
        raise ValueError(
            f"{what} is by how much a score may drop, {bounds}, such as 0.02, not {number!r}"
        )
