"""Gates: whether the cases of a file, as a whole, are good enough. One function judges them, for a run and for a merge.

Means are over the weights, of the scores that are defined; inconclusive cases and those that were expected to fail
count, skipped ones do not. A case that ended in an error fails every gate of its file.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import ne

from pytest_relevance._text import case_in_prose, counted, first_few, p_text
from pytest_relevance.cases.checking.gates import MAX_DROP, MEAN, PASSING, gate_of
from pytest_relevance.cases.model import Gate
from pytest_relevance.metrics.names import Metric
from pytest_relevance.metrics.scalar import ranks_needed
from pytest_relevance.results.baseline.overall import score_before, score_pairs, weighted_mean
from pytest_relevance.results.case_result import FAILED, MEASURED, PASSED, SKIPPED, WITHOUT_SCORE, CaseResult
from pytest_relevance.results.expectations import digits_apart, digits_of_change
from pytest_relevance.results.records.run_info import FileInfo
from pytest_relevance.results.scoring import asked_text, cut_text

ERRORS = "errors"
"""The `about` of a finding that names the cases without a score."""

_PASSING = frozenset({PASSED, MEASURED, "xpassed"})
_ROUNDING = 1e-9  # a mean that equals its bound up to rounding meets it


@dataclass(frozen=True, slots=True)
class GateFinding:
    """The result of one condition of a gate: whether it is met, and a sentence about it.

    `about` is the metric, "passing" or "errors"; empty for a remark.
    """

    is_met: bool
    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class GateResult:
    """The result of a gate in one search variant.

    `line` (from 1) is that of the gate in `file`. `results` are the cases that it was judged by. `not_judged` says why
    there is no verdict; it is `due` unless that is as it should be. `is_required`: a gate without a due verdict has
    failed. `node` is the node id of its file.
    """

    file: str
    node: str
    line: int
    gate: Gate
    variant: str | None
    results: Sequence[CaseResult] = ()
    findings: Sequence[GateFinding] = ()
    not_judged: str = ""
    is_due: bool = True
    is_required: bool = False

    @property
    def name(self) -> str:
        """The name among pytest's node ids: `gate[ID]`, followed by `[VARIANT]` where there are variants."""
        return f"gate[{self.gate.id}]" + (f"[{self.variant}]" if self.variant is not None else "")

    @property
    def unmet(self) -> Sequence[GateFinding]:
        """The findings that are not met."""
        return [finding for finding in self.findings if not finding.is_met]

    @property
    def message(self) -> str:
        """One line: what is not met, or all that was found, or why it was not judged."""
        if self.not_judged:
            return f"not evaluated: {self.not_judged}"
        return "; ".join(finding.text for finding in self.unmet or self.findings)

    def outcome(self) -> str:
        """`passed`, `failed`, or `skipped` where there is no verdict, which fails where verdicts are required."""
        if self.not_judged:
            return FAILED if self.is_required and self.is_due else SKIPPED
        return FAILED if self.unmet else PASSED


def judge_gates(
    results: Sequence[CaseResult], files: Mapping[str, FileInfo], *, updating: bool = False, require: bool = False
) -> list[GateResult]:
    """Judge the gates of all files, each in every search variant.

    `updating`: the baseline is being replaced. `require`: a gate without a verdict has failed. A gate is judged when
    all cases of its file that were not skipped have ended.
    """
    by_file: dict[str, list[CaseResult]] = {}
    for result in results:
        if not result.is_check:
            by_file.setdefault(result.file, []).append(result)
    return [
        replace(judged, is_required=require)
        for file, info in sorted(files.items())
        if info.gates
        for judged in _gates_of_file(file, info, by_file.get(file, []), updating=updating)
    ]


def _gates_of_file(file: str, info: FileInfo, results: Sequence[CaseResult], *, updating: bool) -> Iterator[GateResult]:
    ran = sorted(
        (result for result in results if result.status != SKIPPED),
        key=lambda result: (result.source or "", result.line, result.id),
    )
    total = info.total - (len(results) - len(ran))
    groups = in_variants((variant for _, variant, _ in info.totals), ran)
    for written in info.gates:
        gate = gate_of(written)
        for variant, group in groups.items():
            judged = GateResult(file, info.node, written["line"], gate, variant)
            if len(ran) < total:
                yield replace(judged, not_judged=f"{len(ran):,} of {total:,} ran")
            elif updating and gate.condition == MAX_DROP:
                yield replace(judged, not_judged="the baseline is being updated", is_due=False)
            elif not any(looks_at(gate, result) for result in group):
                which = "case" if gate.tag is None else f"case with the tag {gate.tag}"
                yield replace(judged, not_judged=f"no {which} ran")
            else:
                shown = [result for result in group if result.verdict in WITHOUT_SCORE or looks_at(gate, result)]
                yield replace(judged, results=shown, findings=tuple(_judge(gate, group, info.against)))


def in_variants(variants: Iterable[str | None], results: Iterable[CaseResult]) -> dict[str | None, list[CaseResult]]:
    """The results that each variant is judged by. One whose search has no parameter counts in every variant."""
    names = [*dict.fromkeys(variants)]
    groups: dict[str | None, list[CaseResult]] = {name: [] for name in names if name is not None or names == [None]}
    for result in results:
        for name in (result.variant,) if result.variant in groups else groups:
            groups[name].append(result)
    return groups


def looks_at(gate: Gate, result: CaseResult) -> bool:
    """Whether a gate is about a case."""
    return gate.tag is None or gate.tag in result.tags


def passes(result: CaseResult) -> bool:
    """Whether a case counts as passing."""
    return result.outcome in _PASSING


def _judge(gate: Gate, results: Sequence[CaseResult], against: str) -> Iterator[GateFinding]:
    """Judge one gate. An error fails it whatever its tag: what the search would have returned is unknown.

    `against` names the record that is compared with in the place of the baseline, if any.
    """
    if errors := [*_without_score(results)]:
        yield GateFinding(False, "; ".join(errors), ERRORS)
    cases = [result for result in results if looks_at(gate, result)]
    if gate.condition == PASSING:
        yield _passing(gate, cases)
    for metric, bound in gate.bounds:
        is_mean = gate.condition == MEAN
        yield _cut(metric, cases) or (
            _mean(metric, bound, cases) if is_mean else _drop(gate, metric, bound, cases, against)
        )
    fresh = [case for case in cases if any(_is_fresh(case, metric.text) for metric, _ in gate.bounds)]
    if fresh and gate.condition == MAX_DROP:
        yield GateFinding(True, f"{counted(len(fresh), 'case')} without a baseline left out: {_some(fresh)}")


def _is_fresh(case: CaseResult, metric: str) -> bool:
    """Whether a case has a score now and none in the baseline."""
    return case.scores.get(metric) is not None and score_before(case, metric) is None


_ENDED = (("case ended in an error", "cases ended in an error"), ("case was not searched", "cases were not searched"))
"""The verdicts of `WITHOUT_SCORE` in words, of one case and of several."""


def _without_score(results: Sequence[CaseResult]) -> Iterator[str]:
    for verdict, words in zip(WITHOUT_SCORE, _ENDED, strict=True):
        if found := [result for result in results if result.verdict == verdict]:
            yield f"{counted(len(found), *words)}: {_some(found)}"


def _mean(metric: Metric, bound: float, cases: Sequence[CaseResult]) -> GateFinding:
    name = metric.text
    scored = [(score, case.weight) for case in cases if (score := case.scores.get(name)) is not None]
    if not scored:
        return _undefined(name)
    mean = weighted_mean(scored)
    holds = mean >= bound - _ROUNDING
    digits = digits_apart(mean, bound)
    relation = "at least" if holds else "below"
    words = f"{mean:.{digits}f}, {relation} {bound:.{digits}f} ({counted(len(scored), 'case')})"
    return GateFinding(holds, f"mean {_with_depth(metric, cases)} {words}", name)


def _drop(gate: Gate, metric: Metric, bound: float, cases: Sequence[CaseResult], against: str) -> GateFinding:
    """The finding about the drop of a mean since the baseline, or since the run `against`.

    It is met if the mean dropped by at most `bound`, or where the gate has a `p`, if the drop is not significant. A `p`
    that no p-value could reach with so few changed queries does not count.
    """
    from pytest_relevance.metrics.significance import bootstrap_interval, randomisation_test

    name = metric.text
    if all(case.scores.get(name) is None for case in cases):
        return _undefined(name)
    pairs = score_pairs(cases, name)
    if not pairs:
        what = f"no ranking in {against}" if against else "no baseline"
        remedy = "make that record again" if against else "run with --relevance-update"
        return GateFinding(False, f"{name} has {what}, or a stale one; {remedy}", name)
    first, second, weights = zip(*pairs, strict=True)
    test = randomisation_test(first, second, weights=weights)
    interval = bootstrap_interval(first, second, weights=weights)
    drop = -test.difference
    exceeds = drop > bound + _ROUNDING
    p = None if gate.p is None or cannot_reach(test.least_p, gate.p) else gate.p  # None: the drop alone decides
    holds = not exceeds or (p is not None and test.p > p)
    limit = f"allowed is {bound:g}" + ("" if p is None else f" unless p > {p:g}")
    if gate.p is not None and p is None and exceeds:
        limit += f"; {void_condition(gate.p, sum(map(ne, first, second)), test.least_p)}"
    least = digits_of_change(drop)
    was, now = (weighted_mean(zip(scores, weights, strict=True)) for scores in (first, second))
    ends = f"{interval.low:+.{least}f} to {interval.high:+.{least}f}"
    test_words = f"95% {ends}, p {p_text(test.p)}, {counted(len(pairs), 'case')}"
    words = f"{_moved(drop, bound)}, from {was:.{least}f} to {now:.{least}f} ({test_words}); {limit}"
    return GateFinding(holds, f"mean {_with_depth(metric, cases)} {words}", name)


def _undefined(metric: str) -> GateFinding:
    return GateFinding(False, f"mean {metric} is not defined: no case has a score", metric)


def _moved(drop: float, bound: float) -> str:
    """`fell by 0.021`, with so many decimals that the drop and its bound can be told apart."""
    digits = digits_of_change(drop)
    if drop > 0:
        digits = max(digits, digits_apart(drop, bound))
    if not round(drop, digits):
        return "is unchanged"
    return f"{'fell' if drop > 0 else 'rose'} by {abs(drop):.{digits}f}"


def _cut(metric: Metric, cases: Sequence[CaseResult]) -> GateFinding | None:
    """The finding about a metric that has no score in some cases, as it looks at more than their searches returned."""
    unscored = [case for case in _wholly_seen(metric, cases) if case.is_cut and metric.text not in case.scores]
    asked = [case.depth or case.k for case in unscored if case.verdict not in WITHOUT_SCORE]
    if not asked:
        return None
    there = f"the search was asked for {asked_text(asked)} in {counted(len(asked), 'case')}"
    return GateFinding(False, cut_text(metric, there, min(asked)), metric.text)


def _wholly_seen(metric: Metric, cases: Iterable[CaseResult]) -> list[CaseResult]:
    """The cases of which a metric looks at the whole ranking."""
    return [case for case in cases if ranks_needed(metric, case.settings) is None]


def _with_depth(metric: Metric, cases: Sequence[CaseResult]) -> str:
    """A metric as a finding names it: with the depth that was set, where it looks at the whole ranking."""
    depths = [case.depth for case in _wholly_seen(metric, cases) if case.is_depth_set and case.depth]
    return f"{metric.text} (depth {asked_text(depths)})" if depths else metric.text


def cannot_reach(least_p: float, p: float) -> bool:
    """Whether no p-value can be as low as `p`, with so few changes: then a condition on p could never be met."""
    return not least_p <= p


def void_condition(p: float, changed: int, least_p: float) -> str:
    """Why the drop alone decides: `p 0.05 does not count, as 5 changed queries cannot give a p-value below 0.0625`."""
    queries = f"{changed:,} changed quer{'y' if changed == 1 else 'ies'}"
    return f"p {p:g} does not count, as {queries} cannot give a p-value below {least_p:.3g}: the drop alone decides"


def _passing(gate: Gate, cases: Sequence[CaseResult]) -> GateFinding:
    passing = sum(map(passes, cases))
    holds = passing >= gate.share * len(cases) - _ROUNDING
    share = f"{passing} of {len(cases)} cases pass ({passing / len(cases):.1%})"
    percent = gate.share * 100
    decimals = 0 if abs(percent - round(percent)) < _ROUNDING else 1
    words = f"{share}, {'at least' if holds else 'less than'} {gate.share:.{decimals}%}"
    return GateFinding(holds, words, PASSING)


def _some(cases: Sequence[CaseResult]) -> str:
    return first_few([case_in_prose(case.id, case.query) for case in cases])
