"""The summary of a run: a line a suite and search variant, the slices by tag, the lowest queries first.

`Entry` is what is kept of a case that ran; means are over the weights, of the scores that are defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pytest_relevance.reports.text import BAD, DIM, DOUBT, GOOD, PLAIN, STRONG, WIDEST, Line, fit, harmless, line
from pytest_relevance.runs.scored import ERROR, INCONCLUSIVE, MEASURED

MOST_LOWEST, MOST_TAGS, MOST_DIFFERENCES = 5, 12, 5


@dataclass(frozen=True, slots=True)
class Entry:
    """What is kept of a case that ran, in one variant. `outcome` is pytest's; `score` is None where it is not defined."""

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

    @classmethod
    def of(cls, values: Mapping[str, Any], outcome: str, *, was_xfail: bool) -> Entry:
        """An entry from what travelled on a report."""
        known = {name: value for name, value in values.items() if name not in ("crash", "lines")}
        lines = tuple(tuple(map(tuple, spans)) for spans in values.get("lines", ())) if outcome == "passed" else ()
        return cls(**known, outcome=outcome, was_xfail=was_xfail, lines=lines)

    @property
    def status(self) -> str:
        """The word that the summary counts the case under."""
        if self.was_xfail:
            return "xfailed" if self.outcome == "skipped" else "xpassed"
        if self.verdict in (ERROR, INCONCLUSIVE):
            return self.verdict if self.outcome != "skipped" or self.verdict == INCONCLUSIVE else "skipped"
        if self.outcome == "passed":
            return "measured" if self.verdict == MEASURED else "passed"
        return self.outcome


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


def weighted_mean(entries: Iterable[Entry]) -> float | None:
    """The mean score over the weights; None when no score is defined. Errors have none."""
    total = weights = 0.0
    for entry in entries:
        if entry.score is not None:
            total += entry.weight * entry.score
            weights += entry.weight
    return total / weights if weights else None


def summary_lines(entries: Sequence[Entry], verbose: int = 0) -> list[Line]:
    """The summary as styled lines; `verbose` as pytest counts it: below 0 only the suites, above 0 nothing is cut."""
    groups: dict[tuple[str, str, str | None], list[Entry]] = {}
    for entry in entries:
        groups.setdefault((entry.file, entry.search, entry.variant), []).append(entry)
    several = len({(search, variant) for _, search, variant in groups}) > 1
    names = {key: _group_name(key, several=several) for key in groups}
    columns = min(max(len(name) for name in names.values()), 48)
    lines: list[Line] = []
    for key in sorted(groups, key=lambda key: (key[0], key[1], key[2] or "")):
        lines += _suite_lines(fit(names[key], columns), groups[key])
    if verbose < 0:
        return lines
    lines += _slices(groups, verbose)
    lines += _variants(entries, verbose)
    lines += _lowest(entries, verbose, several=several)
    return lines


def percentile(values: Sequence[float], share: float) -> float:
    """The smallest value that at least a share of the values does not exceed (nearest rank)."""
    ordered = sorted(values)
    return ordered[max(0, -int(-share * len(ordered) // 1) - 1)]


def _group_name(key: tuple[str, str, str | None], *, several: bool) -> str:
    file, search, variant = key
    return f"{file}  {search}{f'[{variant}]' if variant else ''}" if several or variant else file


def _suite_lines(name: str, entries: list[Entry]) -> list[Line]:
    cutoffs = {entry.k for entry in entries}
    metric = f"nDCG@{cutoffs.pop()}" if len(cutoffs) == 1 else "nDCG@k"
    mean = weighted_mean(entries)
    spans = [(f"{name}  ", STRONG), (f"mean {metric} {'n/a' if mean is None else f'{mean:.3f}'}   ", PLAIN)]
    counts = [
        (f"{count} {status}", style)
        for status, style in STATUSES.items()
        if (count := sum(1 for entry in entries if entry.status == status))
    ]
    for number, span in enumerate(counts):
        spans += [(", ", PLAIN), span] if number else [span]
    undefined = sum(1 for entry in entries if entry.score is None and entry.verdict != ERROR)
    if undefined:
        spans.append((f", {undefined} n/a", PLAIN))
    latencies = [entry.latency for entry in entries if entry.latency is not None]
    if latencies:
        spans.append(
            (f"   p50 {_duration(percentile(latencies, 0.5))}, p95 {_duration(percentile(latencies, 0.95))}", DIM)
        )
    if sum(len(text) for text, _ in spans) > WIDEST:
        return [tuple(spans[:1]), (("    ", PLAIN), *spans[1:])]
    return [tuple(spans)]


def _duration(seconds: float) -> str:
    return f"{seconds * 1000:.3g} ms" if seconds < 1 else f"{seconds:.3g} s"


def _slices(groups: Mapping[tuple[str, str, str | None], list[Entry]], verbose: int) -> list[Line]:
    """The mean by tag, a row a tag, a column a variant where there are several."""
    variants = list(dict.fromkeys((search, variant) for _, search, variant in sorted(groups, key=str)))
    by_tag: dict[str, dict[tuple[str, str | None], list[Entry]]] = {}
    for (_, search, variant), entries in groups.items():
        for entry in entries:
            for tag in entry.tags:
                by_tag.setdefault(tag, {}).setdefault((search, variant), []).append(entry)
    if not by_tag:
        return []
    lines = [line("by tag", STRONG)]
    tags = sorted(by_tag, key=lambda tag: (-max(map(len, by_tag[tag].values())), tag))
    most = len(tags) if verbose > 0 else MOST_TAGS
    columns = min(max(len(tag) for tag in tags[:most]), 30)
    for tag in tags[:most]:
        cells = []
        for variant in variants:
            entries = by_tag[tag].get(variant, [])
            mean = weighted_mean(entries)
            name = f"{_short(variant)} " if len(variants) > 1 else ""
            failed = sum(1 for entry in entries if entry.status in ("failed", "error", "inconclusive"))
            cells.append(
                f"{name}{'  n/a' if mean is None else f'{mean:.3f}'}  {len(entries)} case{'s' * (len(entries) != 1)}"
                + (f", {failed} not passed" if failed else "")
            )
        lines.append(line(f"  {fit(tag, columns)}  " + "   ".join(cells)))
    if len(tags) > most:
        lines.append(line(f"  ... {len(tags) - most} more tags (-v shows all)", DIM))
    return lines


def _short(variant: tuple[str, str | None]) -> str:
    search, parameter = variant
    return harmless(parameter or search)


def _variants(entries: Sequence[Entry], verbose: int) -> list[Line]:
    """The queries on which search variants differ most, side by side."""
    variants = sorted({(entry.search, entry.variant) for entry in entries}, key=str)
    if len(variants) < 2:
        return []
    scores: dict[tuple[str, str], dict[tuple[str, str | None], float]] = {}
    queries: dict[tuple[str, str], str] = {}
    for entry in entries:
        if entry.score is not None:
            scores.setdefault((entry.file, entry.id), {})[entry.search, entry.variant] = entry.score
            queries[entry.file, entry.id] = entry.query
    spread = {key: max(found.values()) - min(found.values()) for key, found in scores.items() if len(found) > 1}
    differing = sorted((key for key, value in spread.items() if value > 0), key=lambda key: (-spread[key], key))
    if not differing:
        return []
    most = len(differing) if verbose > 0 else MOST_DIFFERENCES
    names = [_short(variant) for variant in variants]
    columns = [max(7, min(len(name), 16)) for name in names]
    head = "  ".join(f"{fit(name, width).strip():>{width}}" for name, width in zip(names, columns, strict=True))
    lines = [line(f"side by side, the widest apart first{'':8}{head}", STRONG)]
    for key in differing[:most]:
        cells = "  ".join(
            f"{f'{scores[key][variant]:.3f}' if variant in scores[key] else '-':>{width}}"
            for variant, width in zip(variants, columns, strict=True)
        )
        lines.append(line(f"  {fit(queries[key], 41)}{cells}"))
    return lines


def _lowest(entries: Sequence[Entry], verbose: int, *, several: bool) -> list[Line]:
    scored = [entry for entry in entries if entry.score is not None and entry.score < 1]
    if not scored:
        return []
    scored.sort(key=lambda entry: (entry.score, entry.file, entry.line, entry.variant or ""))
    most = 4 * MOST_LOWEST if verbose > 0 else MOST_LOWEST
    lines = [line("lowest", STRONG)]
    for entry in scored[:most]:
        status = entry.status
        name = harmless(entry.query) + (f"  {_short((entry.search, entry.variant))}" if several else "")
        place = f"{harmless(entry.file)}:{entry.line}"
        lines.append(
            (
                (f"  {entry.score:.3f}  {fit(name, 40)}  ", PLAIN),
                (f"{status:<12}", STATUSES.get(status, PLAIN)),
                (f"  {place}", DIM),
            )
        )
    return lines
