"""What a gate says of a run: whether the cases of a file, as a whole, are good enough.

Means are over the weights, of the scores that are defined; inconclusive cases and those that were expected to fail
count. An error counts as a case whose gate cannot be judged: it fails every gate of its file.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from pytest_relevance.cases.gates import MAX_DROP, MEAN, PASSING
from pytest_relevance.cases.model import Gate
from pytest_relevance.wording import listed, quoted

PASSED, FAILED = "passed", "failed"
_ROUNDING = 1e-9  # a mean that equals its bound up to rounding meets it


@dataclass(frozen=True, slots=True)
class Counted:
    """A case as gates look at it. `scores` by metric, None where one is not defined.

    `before` are the scores of its baseline's ranking today, empty where it has none. `passes` is whether the case
    passed, `errored` whether there is no score because the search failed.
    """

    id: str
    weight: float
    tags: Sequence[str]
    passes: bool
    errored: bool
    scores: Mapping[str, float | None] = field(default_factory=dict)
    before: Mapping[str, float | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a gate came to: `passed` or `failed`, and why, a line a condition."""

    gate: Gate
    outcome: str
    reasons: tuple[str, ...]


def judge(gate: Gate, cases: Iterable[Counted]) -> Verdict:
    """Judge one gate over the cases of a file (those that were skipped left out) in one variant."""
    looked_at = [case for case in cases if gate.tag is None or gate.tag in case.tags]
    if not looked_at:
        return Verdict(gate, FAILED, (f"no case{f' has the tag {gate.tag}' if gate.tag else ' ran'}",))
    found = list(_JUDGES[gate.condition](gate, looked_at))
    if errors := [case.id for case in looked_at if case.errored]:
        found.insert(0, (False, f"{_count(errors, 'case')} ended in an error: {_some(errors)}"))
    met = all(holds for holds, _ in found)
    return Verdict(gate, PASSED if met else FAILED, tuple(reason for _, reason in found))


Conditions = Iterable[tuple[bool, str]]


def _mean(gate: Gate, cases: Sequence[Counted]) -> Conditions:
    for metric, bound in gate.bounds:
        name = metric.text
        scored = [(case.weight, score) for case in cases if (score := case.scores.get(name)) is not None]
        if not scored:
            yield False, f"mean {name} is not defined: no case has a score"
            continue
        mean = weighted_mean(scored)
        holds = mean >= bound - _ROUNDING
        digits = _digits(mean, bound)
        relation = "at least" if holds else "below"
        yield holds, f"mean {name} {mean:.{digits}f}, {relation} {bound:.{digits}f} ({_count(scored, 'case')})"


def _max_drop(gate: Gate, cases: Sequence[Counted]) -> Conditions:
    from pytest_relevance.metrics.significance import bootstrap_interval, randomisation_test

    for metric, bound in gate.bounds:
        name = metric.text
        pairs = [
            (case.weight, before, now)
            for case in cases
            if (now := case.scores.get(name)) is not None and (before := case.before.get(name)) is not None
        ]
        if not pairs:
            yield False, f"{name} has no baseline to be compared with; run with --relevance-update"
            continue
        weights, first, second = (list(column) for column in zip(*pairs, strict=True))
        test = randomisation_test(first, second, weights=weights)
        drop = -test.difference
        interval = bootstrap_interval(first, second, weights=weights)
        significant = gate.p is None or test.p <= gate.p
        holds = drop <= bound + _ROUNDING or not significant
        moved = f"fell by {drop:.3f}" if drop > 0 else f"rose by {-drop:.3f}" if drop < 0 else "is unchanged"
        limit = f"allowed is {bound:g}" + (f" unless p > {gate.p:g}" if gate.p is not None else "")
        yield (
            holds,
            f"mean {name} {moved}, from {weighted_mean(zip(weights, first, strict=True)):.3f} to "
            f"{weighted_mean(zip(weights, second, strict=True)):.3f} (95% {interval.low:+.3f} to {interval.high:+.3f}, "
            f"p {_p(test.p)}, {_count(pairs, 'case')}); {limit}",
        )
    fresh = [case.id for case in cases if not case.before and not case.errored]
    if fresh:
        yield True, f"{_count(fresh, 'case')} without a baseline left out: {_some(fresh)}"


def _passing(gate: Gate, cases: Sequence[Counted]) -> Conditions:
    passing = sum(case.passes for case in cases)
    holds = passing >= gate.share * len(cases) - _ROUNDING
    share = f"{passing} of {len(cases)} cases pass ({passing / len(cases):.1%})"
    yield holds, f"{share}, {'at least' if holds else 'less than'} {gate.share:.{_percent(gate.share)}%}"


_JUDGES: Mapping[str, Callable[[Gate, Sequence[Counted]], Conditions]] = {
    MEAN: _mean,
    MAX_DROP: _max_drop,
    PASSING: _passing,
}


def weighted_mean(scored: Iterable[tuple[float, float]]) -> float:
    """The mean of (weight, score) pairs over the weights."""
    pairs = list(scored)
    return math.fsum(weight * score for weight, score in pairs) / math.fsum(weight for weight, _ in pairs)


def _digits(value: float, bound: float) -> int:
    """Three decimals, or as many as it takes to tell the two apart."""
    return next((digits for digits in range(3, 10) if f"{value:.{digits}f}" != f"{bound:.{digits}f}"), 3)


def _percent(share: float) -> int:
    return 0 if abs(share * 100 - round(share * 100)) < _ROUNDING else 1


def _p(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def _count(things: Sequence[object], name: str) -> str:
    return f"{len(things):,} {name}{'s' * (len(things) != 1)}"


def _some(names: Sequence[str], most: int = 3) -> str:
    shown = [quoted(name, 40) for name in names[:most]]
    return listed([*shown, f"{len(names) - most} more"] if len(names) > most else shown, "and")
