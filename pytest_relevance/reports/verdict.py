"""The last line of a summary: what came of the run, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pytest_relevance.reports.entries import (
    NOT_PASSED,
    STATUSES,
    Entry,
    figure,
    means_by_variant,
    variant_label,
)
from pytest_relevance.reports.suites import Gates
from pytest_relevance.reports.text import BAD, DOUBT, GOOD, Line, cut, line, wrapped
from pytest_relevance.runs.beside import NEW, REGRESSION, STALE
from pytest_relevance.wording import counted

_SINCE = {REGRESSION: "worse than the baseline", STALE: "with a stale baseline", NEW: "new to the baseline"}
_MOST_MEANS = 3
_WIDEST_VARIANT = 16


def verdict_lines(entries: Sequence[Entry], gates: Gates, rest: str = "") -> list[Line]:
    """`52 cases: 49 passed, 3 failed; mean nDCG@10 0.701; 1 of 2 gates failed`.

    `gates` are as the lines of suites have them; `rest` says what is known not to be among the entries.
    """
    outcomes: Counter[str] = Counter()
    for found in gates.values():
        outcomes.update(found)
    parts = [_cases(entries), *_means(entries), *_gates(outcomes)]
    if rest:
        parts.append(rest)
    statuses = {entry.status for entry in entries}
    is_bad = rest or outcomes["failed"] or statuses & NOT_PASSED
    style = BAD if is_bad else DOUBT if outcomes["skipped"] else GOOD
    return [line(text, style) for text in wrapped("", parts, separator="; ")]


def _cases(entries: Sequence[Entry]) -> str:
    """How many cases there are, and what they came to, in all variants together."""
    variants = {entry.ran_as for entry in entries if not entry.is_check}
    cases = counted(len({(entry.file, entry.id) for entry in entries}), "case")
    if any(len(set(group)) > 1 for group in _variants_of(entries).values()):
        cases += f" in {counted(len(variants), 'variant')}"
    found = Counter(entry.status for entry in entries)
    counts = [f"{found[status]:,} {status}" for status in STATUSES if found[status]]
    standings = Counter(entry.standing for entry in entries)
    told = [f"{standings[standing]:,} {words}" for standing, words in _SINCE.items() if standings[standing]]
    since = f" ({', '.join(told)})" if told else ""
    return f"{cases}: {', '.join(counts)}{since}" if counts else cases


def _variants_of(entries: Sequence[Entry]) -> Mapping[tuple[str, str], list[object]]:
    """What each case ran with."""
    found: dict[tuple[str, str], list[object]] = {}
    for entry in entries:
        if not entry.is_check:
            found.setdefault((entry.file, entry.id), []).append(entry.ran_as)
    return found


def _means(entries: Sequence[Entry]) -> list[str]:
    """The mean, of each variant where there are few."""
    means = means_by_variant(entries)
    if not means:
        return []
    cutoffs = {entry.k for entry in entries if entry.score is not None}
    metric = f"nDCG@{cutoffs.pop()}" if len(cutoffs) == 1 else "nDCG@k"
    if len(means) > _MOST_MEANS:
        return [f"mean {metric} {figure(min(means.values()))} to {figure(max(means.values()))}"]
    if len(means) == 1:
        return [f"mean {metric} {figure(*means.values())}"]
    labels = {variant: cut(variant_label(variant, [*means]), _WIDEST_VARIANT) for variant in sorted(means, key=str)}
    return [f"mean {metric} {', '.join(f'{label} {figure(means[variant])}' for variant, label in labels.items())}"]


def _gates(outcomes: Mapping[str, int]) -> list[str]:
    total = sum(outcomes.values())
    if not total:
        return []
    failed, skipped = outcomes.get("failed", 0), outcomes.get("skipped", 0)
    parts = []
    if failed:
        parts.append(f"{failed:,} of {counted(total, 'gate')} failed")
    if skipped:
        parts.append(f"{skipped:,} of {counted(total, 'gate')} not evaluated")
    return parts or ["the gate is met" if total == 1 else f"all {total:,} gates met"]
