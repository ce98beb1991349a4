"""What is kept of the cases that ran, and what is counted of them: outcomes, weighted means, percentiles.

An `Entry` is what travels from the run of a case to the summary. Means are over the weights, of the scores that are
defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from math import ceil
from typing import Any

from pytest_relevance.reports.text import BAD, DOUBT, GOOD, PLAIN, Line, harmless
from pytest_relevance.runs.scored import ERROR, INCONCLUSIVE, MEASURED, SKIPPED

Variant = tuple[str, str | None]
"""The name of a search and the id of its parameter, if it has one."""

CHECK = "relevance.check"
"""What stands in the place of a search's name where a test in Python gave the ranking."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept of a case that ran, in one variant.

    `line` is in `file`, or in `source`, the file of queries that the case comes from. `outcome` is pytest's; `score` is
    None where it is not defined; `lines` are the report of a case that passed, where one was asked for. `standing` is
    how it stands to its baseline (`runs.beside`), where its file has one, and `change` how far its score moved since.
    `repeated` is what became of its ranking from call to call, where its search was called several times.
    """

    file: str
    line: int
    id: str
    name: str
    query: str
    search: str
    variant: str | None
    tags: Sequence[str]
    weight: float
    k: int
    verdict: str
    outcome: str
    score: float | None = None
    latency: float | None = None
    was_xfail: bool = False
    lines: Sequence[Line] = ()
    source: str | None = None
    standing: str = ""
    change: float = 0.0
    repeated: Mapping[str, Any] | None = None

    @classmethod
    def of(cls, values: Mapping[str, Any], outcome: str, *, was_xfail: bool) -> Entry:
        """An entry from what travelled on a report."""
        known = {name: values[name] for name in _TRAVEL if name in values}
        lines = tuple(tuple(map(tuple, spans)) for spans in values.get("lines", ())) if outcome == "passed" else ()
        return cls(**known, outcome=outcome, was_xfail=was_xfail, lines=lines)

    @property
    def is_check(self) -> bool:
        """Whether a test in Python gave the ranking."""
        return self.search == CHECK

    @property
    def ran_as(self) -> Variant:
        """The search and its parameter."""
        return self.search, self.variant

    @property
    def status(self) -> str:
        """The word that the summary counts the case under."""
        if self.was_xfail:
            return "xfailed" if self.outcome == "skipped" else "xpassed"
        if self.verdict == SKIPPED:
            return SKIPPED
        if self.verdict in (ERROR, INCONCLUSIVE):
            return self.verdict if self.outcome != "skipped" or self.verdict == INCONCLUSIVE else "skipped"
        if self.outcome == "passed":
            return "measured" if self.verdict == MEASURED else "passed"
        return self.outcome


_TRAVEL = frozenset(field.name for field in fields(Entry)) - {"outcome", "was_xfail", "lines"}

STATUSES = {
    "passed": GOOD,
    "failed": BAD,
    "error": BAD,
    "inconclusive": DOUBT,
    "xfailed": DOUBT,
    "xpassed": DOUBT,
    "skipped": DOUBT,
    "measured": PLAIN,
}
"""What the summary counts, in its order, and how each looks."""

NOT_PASSED = frozenset({"failed", "error", "inconclusive"})


def weighted_mean(entries: Iterable[Entry]) -> float | None:
    """The mean score over the weights; None when no score is defined. Errors have none."""
    total = weights = 0.0
    for entry in entries:
        if entry.score is not None:
            total += entry.weight * entry.score
            weights += entry.weight
    return total / weights if weights else None


def means_by_variant(entries: Iterable[Entry]) -> dict[Variant, float]:
    """The mean of each variant that has one."""
    groups: dict[Variant, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(entry.ran_as, []).append(entry)
    means = {variant: weighted_mean(group) for variant, group in groups.items()}
    return {variant: mean for variant, mean in means.items() if mean is not None}


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least a share of the values does not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, ceil(share * len(ordered)) - 1)]


def figure(score: float | None) -> str:
    """A score as the summary shows it."""
    return "n/a" if score is None else f"{score:.3f}"


def variant_label(variant: Variant, among: Sequence[Variant]) -> str:
    """A variant by its parameter alone, where that is enough among the others."""
    search, parameter = map(harmless, (variant[0], variant[1] or ""))
    if parameter and {other for other, _ in among} == {variant[0]}:
        return parameter
    return f"{search}[{parameter}]" if parameter else search
