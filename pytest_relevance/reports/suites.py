"""The first part of the summary: a line a suite; where it ran with several searches, a line each below its name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from pytest_relevance.reports.entries import (
    STATUSES,
    Entry,
    Variant,
    figure,
    percentile,
    variant_label,
    weighted_mean,
)
from pytest_relevance.reports.text import DIM, PLAIN, STRONG, WIDEST, Line, Span, harmless, line, pad, width
from pytest_relevance.runs.expectations import duration
from pytest_relevance.runs.scored import ERROR, SKIPPED
from pytest_relevance.wording import counted

Gates = Mapping[tuple[str, str | None], Mapping[str, int]]
"""How many gates of a file came to which outcome, by the file and the parameter of its searches."""


def suite_lines(entries: Sequence[Entry], variants: Sequence[Variant], gates: Gates) -> list[Line]:
    """The lines of all suites, by file. `variants` are those of the whole run."""
    files: dict[str, dict[Variant, list[Entry]]] = {}
    for entry in entries:
        files.setdefault(entry.file, {}).setdefault(entry.ran_as, []).append(entry)
    alone: dict[str, tuple[str, _Figures]] = {}
    beside: dict[str, list[tuple[str, _Figures]]] = {}
    for file, groups in files.items():
        figures = {variant: _Figures.of(groups[variant]) for variant in sorted(groups, key=str)}
        # a gate is about all searches with one parameter, or without any: told once, in the last of their lines
        for parameter, last in {variant[1]: variant for variant in figures}.items():
            figures[last] = replace(figures[last], gates=_gates(gates.get((file, parameter), {})))
        if len(groups) > 1:
            beside[file] = [(f"  {variant_label(variant, variants)}", found) for variant, found in figures.items()]
        else:
            ((variant, found),) = figures.items()
            label = f"  {variant_label(variant, ())}" if variant[1] or len(variants) > 1 else ""
            alone[file] = harmless(file) + label, found
    in_lines = dict(zip(alone, _laid_out([[row] for row in alone.values()]), strict=True))
    in_lines.update(zip(beside, _laid_out(list(beside.values())), strict=True))
    lines: list[Line] = []
    for file in sorted(files):
        if file in beside:
            lines.append(line(harmless(file), STRONG))
        lines += in_lines[file]
    return lines


@dataclass(frozen=True, slots=True)
class _Figures:
    """What there is to say of a suite with one variant, in four columns."""

    mean: str
    counts: Sequence[Span]
    latency: str
    gates: Sequence[Span] = ()

    @classmethod
    def of(cls, entries: Sequence[Entry]) -> _Figures:
        cutoffs = {entry.k for entry in entries}
        metric = f"nDCG@{cutoffs.pop()}" if len(cutoffs) == 1 else "nDCG@k"
        found = Counter(entry.status for entry in entries)
        counts = [(f"{found[status]} {status}", style) for status, style in STATUSES.items() if found[status]]
        spans = [*((f"{words}, ", style) for words, style in counts[:-1]), *counts[-1:]]
        undefined = sum(1 for entry in entries if entry.score is None and entry.verdict not in (ERROR, SKIPPED))
        if undefined:  # in parentheses, as these cases have been counted already
            spans.append((f" ({undefined} n/a)", PLAIN))
        latencies = [entry.latency for entry in entries if entry.latency is not None]
        latency = ""
        if latencies:
            median, most = (duration(percentile(latencies, share)) for share in (0.5, 0.95))
            latency = f"p50 {median}, p95 {most}"
        return cls(f"mean {metric} {figure(weighted_mean(entries))}", spans, latency)

    def spans(self, for_mean: int = 0, for_counts: int = 0, for_latency: int = 0) -> list[Span]:
        """The columns, at least so wide."""
        spans = [(f"{pad(self.mean, for_mean)}   ", PLAIN), *self.counts]
        between = " " * (for_counts - _width(self.counts))
        if self.latency:
            spans.append((f"{between}   {self.latency}", DIM))
            between = " " * (for_latency - width(self.latency))
        elif for_latency and self.gates:
            between += " " * (3 + for_latency)
        for number, (words, style) in enumerate(self.gates):
            spans.append((words if number else f"{between}   {words}", style))
        return spans


def _gates(counts: Mapping[str, int]) -> list[Span]:
    """`2 gates passed, 1 failed`."""
    spans: list[Span] = []
    for outcome in ("passed", "failed", SKIPPED):
        if number := counts.get(outcome, 0):
            words = f", {number} {outcome}" if spans else f"{counted(number, 'gate')} {outcome}"
            spans.append((words, STATUSES[outcome]))
    return spans


def _laid_out(suites: Sequence[Sequence[tuple[str, _Figures]]]) -> Iterable[list[Line]]:
    """The lines of suites, from names and figures, which are aligned within a suite.

    Where one would be too wide, figures go below the names, which are never cut.
    """
    columns = max((width(name) for rows in suites for name, _ in rows), default=0)
    aligned = []
    for rows in suites:
        for_mean = max(width(found.mean) for _, found in rows)
        for_counts = max(_width(found.counts) for _, found in rows)
        for_latency = max(width(found.latency) for _, found in rows)
        aligned.append([found.spans(for_mean, for_counts, for_latency) for _, found in rows])
    together = all(columns + 2 + _width(spans) <= WIDEST for all_spans in aligned for spans in all_spans)
    for rows, all_spans in zip(suites, aligned, strict=True):
        lines: list[Line] = []
        for (name, found), spans in zip(rows, all_spans, strict=True):
            if together:
                lines.append(((f"{pad(name, columns)}  ", STRONG), *spans))
            else:
                lines += [line(name, STRONG), *_below(found.spans(), "    " if name.startswith(" ") else "  ")]
        yield lines


def _below(spans: Sequence[Span], indent: str) -> Iterable[Line]:
    """Spans indented, over as many lines as it takes."""
    current: list[Span] = [(indent, PLAIN)]
    for span in spans:
        if _width(current) + width(span[0].rstrip()) > WIDEST:
            yield (*current[:-1], (current[-1][0].rstrip(), current[-1][1]))
            current = [(indent, PLAIN), (span[0].lstrip(" ,"), span[1])]
        else:
            current.append(span)
    yield tuple(current)


def _width(spans: Iterable[Span]) -> int:
    return sum(width(text) for text, _ in spans)
