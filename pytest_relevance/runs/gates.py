"""What a gate says of a run: whether the cases of a file, as a whole, are good enough.

Means are over the weights, of the scores that are defined; inconclusive cases and those that were expected to fail
count. An error counts as a case whose gate cannot be judged: it fails every gate of its file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from pytest_relevance.cases.gates import MAX_DROP, MEAN, PASSING
from pytest_relevance.cases.model import Gate
from pytest_relevance.metrics.names import Metric
from pytest_relevance.runs.cut import asked_text, cut_text
from pytest_relevance.runs.expectations import digits_apart
from pytest_relevance.wording import listed, quoted

PASSED, FAILED = "passed", "failed"

ERRORS = "errors"
"""What a finding is about that says which cases have no score."""

_ROUNDING = 1e-9  # a mean that equals its bound up to rounding meets it


AnyCase = TypeVar("AnyCase")
Groups = dict[str | None, list[AnyCase]]


@dataclass(frozen=True, slots=True)
class Counted:
    """A case as gates look at it. `scores` by metric, None where one is not defined.

    `before` are the scores of its baseline's ranking today, empty where it has none. `passes` is whether the case
    passed, `errored` whether there is no score because the search failed. `cut` and `depths` are of metrics of the
    whole ranking: how many results the search was asked for, where it returned as many, so that there is no score; and
    the depth, where one was set.
    """

    id: str
    weight: float
    tags: Sequence[str]
    passes: bool
    errored: bool
    scores: Mapping[str, float | None] = field(default_factory=dict)
    before: Mapping[str, float | None] = field(default_factory=dict)
    cut: Mapping[str, int] = field(default_factory=dict)
    depths: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found of one condition of a gate: whether it is met, and how that is said.

    `about` is the metric that it is about, or `passing`, or `errors`; nothing where it is a remark.
    """

    is_met: bool
    text: str
    about: str = ""


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate came to: `passed` or `failed`, and what was found."""

    gate: Gate
    findings: tuple[Finding, ...]

    @property
    def outcome(self) -> str:
        """`passed`, or `failed`."""
        return PASSED if all(finding.is_met for finding in self.findings) else FAILED

    @property
    def reasons(self) -> tuple[str, ...]:
        """All that was found, in words."""
        return tuple(finding.text for finding in self.findings)

    @property
    def unmet(self) -> tuple[Finding, ...]:
        """What is not met."""
        return tuple(finding for finding in self.findings if not finding.is_met)


def judge(gate: Gate, cases: Iterable[Counted]) -> Verdict:
    """Judge one gate over the cases of a file (those that were skipped left out) in one variant.

    An error fails every gate of its file, whatever its tag: nobody knows what else the search would have got wrong.
    """
    cases = list(cases)
    looked_at = [case for case in cases if looks_at(gate, case.tags)]
    if not looked_at:
        return Verdict(gate, (Finding(False, f"no case{f' has the tag {gate.tag}' if gate.tag else ' ran'}"),))
    found = [*_JUDGES[gate.condition](gate, looked_at)]
    if errors := [case.id for case in cases if case.errored]:
        found.insert(0, Finding(False, f"{_count(errors, 'case')} ended in an error: {_some(errors)}", ERRORS))
    return Verdict(gate, tuple(found))


def looks_at(gate: Gate, tags: Sequence[str]) -> bool:
    """Whether a gate is about a case with these tags."""
    return gate.tag is None or gate.tag in tags


def why_not(gate: Gate, cases: Iterable[Sequence[str]]) -> str:
    """Why a gate has nothing to judge, of cases that ran with these tags; empty where it has."""
    if any(looks_at(gate, tags) for tags in cases):
        return ""
    return "no case ran" if gate.tag is None else f"no case with the tag {gate.tag} ran"


def in_variants(variants: Iterable[str | None], cases: Iterable[tuple[str | None, AnyCase]]) -> Groups[AnyCase]:
    """The cases of a file, each given with the parameter of its search, as each variant is judged by them.

    A case that no parameter reaches, as its search has none, counts in every variant: a gate is about the whole suite.
    """
    names = [*dict.fromkeys(variants)]
    groups: Groups[AnyCase] = {name: [] for name in names if name is not None or names == [None]}
    for variant, case in cases:
        for name in (variant,) if variant in groups else groups:
            groups[name].append(case)
    return groups


Conditions = Iterator[Finding]


def _mean(gate: Gate, cases: Sequence[Counted]) -> Conditions:
    for metric, bound in gate.bounds:
        name = metric.text
        if cut := _cut(metric, cases):
            yield cut
            continue
        scored = [(case.weight, score) for case in cases if (score := case.scores.get(name)) is not None]
        if not scored:
            yield Finding(False, f"mean {name} is not defined: no case has a score", name)
            continue
        mean = weighted_mean(scored)
        holds = mean >= bound - _ROUNDING
        digits = digits_apart(mean, bound)
        relation = "at least" if holds else "below"
        words = f"{mean:.{digits}f}, {relation} {bound:.{digits}f} ({_count(scored, 'case')})"
        yield Finding(holds, f"mean {_at_depth(name, cases)} {words}", name)


def _max_drop(gate: Gate, cases: Sequence[Counted]) -> Conditions:
    from pytest_relevance.metrics.significance import bootstrap_interval, randomisation_test
    from pytest_relevance.runs.differences import TIE

    for metric, bound in gate.bounds:
        name = metric.text
        if cut := _cut(metric, cases):
            yield cut
            continue
        pairs = [
            (case.weight, before, before if abs(now - before) <= TIE else now)  # rounding is no change
            for case in cases
            if (now := case.scores.get(name)) is not None and (before := case.before.get(name)) is not None
        ]
        if not pairs:
            words = f"{name} has no baseline, or a stale one; run with --relevance-update"
            yield Finding(False, words, name)
            continue
        weights, first, second = (list(column) for column in zip(*pairs, strict=True))
        test = randomisation_test(first, second, weights=weights)
        drop = -test.difference
        interval = bootstrap_interval(first, second, weights=weights)
        exceeds = drop > bound + _ROUNDING
        is_void = gate.p is not None and cannot_reach(test.least_p, gate.p)
        holds = not exceeds or (gate.p is not None and not is_void and test.p > gate.p)
        digits = digits_apart(drop, bound)
        moved = f"fell by {drop:.{digits}f}" if drop > 0 else f"rose by {-drop:.3f}" if drop < 0 else "is unchanged"
        limit = f"allowed is {bound:g}" + (f" unless p > {gate.p:g}" if gate.p is not None and not is_void else "")
        if gate.p is not None and is_void and exceeds:
            changed = sum(before != now for _, before, now in pairs)
            limit += f"; {void_condition(gate.p, changed, test.least_p)}"
        yield Finding(
            holds,
            f"mean {_at_depth(name, cases)} {moved}, from {weighted_mean(zip(weights, first, strict=True)):.3f} to "
            f"{weighted_mean(zip(weights, second, strict=True)):.3f} (95% {interval.low:+.3f} to {interval.high:+.3f}, "
            f"p {_p(test.p)}, {_count(pairs, 'case')}); {limit}",
            name,
        )
    fresh = [case.id for case in cases if not case.before and not case.errored]
    if fresh:
        yield Finding(True, f"{_count(fresh, 'case')} without a baseline left out: {_some(fresh)}")


def _cut(metric: Metric, cases: Sequence[Counted]) -> Finding | None:
    """What is said of a metric that has no score in some cases, as their rankings were cut."""
    asked = [case.cut[metric.text] for case in cases if metric.text in case.cut]
    if not asked:
        return None
    there = f"the search was asked for {asked_text(asked)} in {_count(asked, 'case')}"
    return Finding(False, cut_text(metric, there, min(asked)), metric.text)


def _at_depth(name: str, cases: Sequence[Counted]) -> str:
    """A metric as a finding names it: one of the whole ranking with the depth that was set."""
    depths = [case.depths[name] for case in cases if name in case.depths]
    return f"{name} (depth {asked_text(depths)})" if depths else name


def cannot_reach(least_p: float, p: float) -> bool:
    """Whether no p-value can be as low as `p`, with so few changes: then a condition on p could never be met."""
    return not least_p <= p


def void_condition(p: float, changed: int, least_p: float) -> str:
    """Why the drop alone decides: `p 0.05 does not count, as 5 changed queries cannot give a p-value below 0.0625`."""
    queries = f"{changed:,} changed quer{'y' if changed == 1 else 'ies'}"
    return f"p {p:g} does not count, as {queries} cannot give a p-value below {least_p:.3g}: the drop alone decides"


def _passing(gate: Gate, cases: Sequence[Counted]) -> Conditions:
    passing = sum(case.passes for case in cases)
    holds = passing >= gate.share * len(cases) - _ROUNDING
    share = f"{passing} of {len(cases)} cases pass ({passing / len(cases):.1%})"
    words = f"{share}, {'at least' if holds else 'less than'} {gate.share:.{_percent(gate.share)}%}"
    yield Finding(holds, words, PASSING)


_JUDGES: Mapping[str, Callable[[Gate, Sequence[Counted]], Conditions]] = {
    MEAN: _mean,
    MAX_DROP: _max_drop,
    PASSING: _passing,
}


def weighted_mean(scored: Iterable[tuple[float, float]]) -> float:
    """The mean of (weight, score) pairs over the weights."""
    pairs = list(scored)
    return math.fsum(weight * score for weight, score in pairs) / math.fsum(weight for weight, _ in pairs)


def _percent(share: float) -> int:
    return 0 if abs(share * 100 - round(share * 100)) < _ROUNDING else 1


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _count(things: Sequence[object], name: str) -> str:
    return f"{len(things):,} {name}{'s' * (len(things) != 1)}"


def _some(names: Sequence[str], most: int = 3) -> str:
    shown = [quoted(name, 40) for name in names[:most]]
    return listed([*shown, f"{len(names) - most} more"] if len(names) > most else shown, "and")
