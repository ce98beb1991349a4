"""The summary of a run: a line a suite and search variant, the slices by tag, the lowest queries first.

A variant is a search with the parameter it ran with; where there are several they stand side by side. The checks of
tests in Python (`relevance.check`) search nothing themselves: they have suite lines, and are compared with nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from types import MappingProxyType

from pytest_relevance.reports.entries import (
    NOT_PASSED,
    Entry,
    Variant,
    figure,
    means_by_variant,
    variant_label,
)
from pytest_relevance.reports.repeats import repeat_lines
from pytest_relevance.reports.rows import CaseRow, case_lines, ran_as_label
from pytest_relevance.reports.suites import Gates, suite_lines
from pytest_relevance.reports.text import (
    DIM,
    STRONG,
    WIDEST,
    Line,
    cut,
    fit,
    harmless,
    line,
    pad,
    width,
)
from pytest_relevance.reports.variants import variant_lines

__all__ = ["Entry", "summary_lines"]

MOST_TAGS, MOST_LOWEST, MOST_DIFFERENCES = 8, 5, 5
"""What the summary shows at most, where nobody asked for more."""

_LEAST_DIFFERENCE = 0.0005  # what would print as 0.000
_WIDEST_TAG, _WIDEST_VARIANT, _WIDEST_QUERY = 30, 16, 40


def summary_lines(entries: Sequence[Entry], verbose: int = 0, gates: Gates = MappingProxyType({})) -> list[Line]:
    """The summary as styled lines; `verbose` as pytest counts it: below 0 only the suites, above 0 nothing is cut."""
    compared = [entry for entry in entries if not entry.is_check]
    variants = sorted({entry.ran_as for entry in compared}, key=str)
    lines = suite_lines(entries, variants, gates)
    if verbose >= 0:
        lines += _slices(compared, variants, verbose)
        lines += _differences(compared, variants, verbose)
        lines += variant_lines(compared, variants) if len(variants) > 1 else []
        lines += _lowest(entries, variants, verbose)
    lines += repeat_lines(entries, verbose)
    return lines


def _slices(entries: Sequence[Entry], variants: Sequence[Variant], verbose: int) -> list[Line]:
    """The mean by tag, those with the most that did not pass first; a tag of a whole suite only says its line again."""
    by_tag: dict[str, list[Entry]] = {}
    for entry in entries:
        for tag in entry.tags:
            by_tag.setdefault(tag, []).append(entry)
    sizes = Counter(entry.file for entry in entries)
    tags = {tag: tagged for tag, tagged in by_tag.items() if not _is_whole(tagged, sizes)}
    means = {tag: means_by_variant(tagged) for tag, tagged in tags.items()}
    unmet = {tag: _cases(entry for entry in tagged if entry.status in NOT_PASSED) for tag, tagged in tags.items()}
    order = sorted(tags, key=lambda tag: (-unmet[tag], min(means[tag].values(), default=2), tag))
    shown = order if verbose > 0 else order[:MOST_TAGS]
    if not shown:
        return []
    columns = min(max(len("by tag") - 2, *map(width, shown)), _WIDEST_TAG)
    beside = _SideBySide(variants, WIDEST - columns - 30)
    lines = [line(f"{'by tag':<{columns + 2}}  {beside.head}".rstrip(), STRONG)]
    for tag in shown:
        cases = _cases(tags[tag])
        row = f"  {fit(tag, columns)}  {beside.cells(means[tag])}   {cases} case{'s' * (cases != 1)}"
        lines.append(line(row + _not_passed(tags[tag], variants, WIDEST - width(row))))
    if more := len(order) - len(shown):
        lines.append(line(f"  ... {more} more tag{'s' * (more != 1)} (-v shows all)", DIM))
    return lines


def _not_passed(tagged: Sequence[Entry], variants: Sequence[Variant], room: int) -> str:
    """How many cases of a tag did not pass; with several variants, of which."""
    found = [entry for entry in tagged if entry.status in NOT_PASSED]
    counted = Counter(entry.ran_as for entry in found)
    if not found or len(variants) == 1:
        return f", {_cases(found)} not passed" if found else ""
    in_each = [f"{variant_label(variant, variants)} {counted[variant]}" for variant in variants if counted[variant]]
    in_brief = f", {_cases(found)} not passed"
    ways = [f", not passed: {', '.join(in_each)}", f"{in_brief} in {len(in_each)} variant{'s' * (len(in_each) != 1)}"]
    return next((words for words in ways if width(words) <= room), in_brief)


def _cases(entries: Iterable[Entry]) -> int:
    """How many cases, whatever they ran with."""
    return len({(entry.file, entry.id) for entry in entries})


def _is_whole(tagged: Sequence[Entry], sizes: Mapping[str, int]) -> bool:
    """Whether a tag's cases are all those of the run, or of one suite."""
    files = {entry.file for entry in tagged}
    return len(tagged) == sum(sizes.values()) or [len(tagged)] == [sizes[file] for file in files]


def _differences(entries: Sequence[Entry], variants: Sequence[Variant], verbose: int) -> list[Line]:
    """The queries on which variants differ most, side by side."""
    if len(variants) < 2:
        return []
    cases: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        cases.setdefault((entry.file, entry.id), []).append(entry)
    found = {key: means_by_variant(case) for key, case in cases.items()}
    spread = {key: max(scores.values()) - min(scores.values()) for key, scores in found.items() if len(scores) > 1}
    differing = sorted(
        (key for key, value in spread.items() if value > _LEAST_DIFFERENCE), key=lambda key: (-spread[key], key)
    )
    shown = differing if verbose > 0 else differing[:MOST_DIFFERENCES]
    if not shown:
        return []
    title = "side by side, the widest apart first"
    queries = {key: harmless(cases[key][0].query) for key in shown}
    columns = min(max(len(title) - 2, *map(width, queries.values())), _WIDEST_QUERY)
    beside = _SideBySide(variants, WIDEST - columns - 4)
    lines = [line(f"{title:<{columns + 2}}  {beside.head}".rstrip(), STRONG)]
    lines += [line(f"  {fit(queries[key], columns)}  {beside.cells(found[key])}".rstrip()) for key in shown]
    return lines


def _lowest(entries: Sequence[Entry], variants: Sequence[Variant], verbose: int) -> list[Line]:
    """The cases with the lowest scores, and where they stand."""
    shown = nsmallest(
        4 * MOST_LOWEST if verbose > 0 else MOST_LOWEST,
        (entry for entry in entries if entry.score is not None and entry.score < 1),
        key=lambda entry: (entry.score, entry.file, entry.line, entry.variant or ""),
    )
    rows = [CaseRow(entry, line(f"  {figure(entry.score)}"), ran_as_label(entry, variants)) for entry in shown]
    return [line("lowest", STRONG), *case_lines(rows)] if rows else []


class _SideBySide:
    """One figure for each variant in columns; where they do not fit, the lowest and the highest with their variants."""

    def __init__(self, variants: Sequence[Variant], room: int) -> None:
        self._labels = {variant: cut(variant_label(variant, variants), _WIDEST_VARIANT) for variant in variants}
        several = len(variants) > 1
        self._columns = {variant: max(5, width(label) * several) for variant, label in self._labels.items()}
        self._fits = sum(self._columns.values()) + 2 * (len(variants) - 1) <= room
        self.head = ""
        if several:
            heads = [" " * (self._columns[variant] - width(label)) + label for variant, label in self._labels.items()]
            self.head = "  ".join(heads) if self._fits else "lowest and highest"

    def cells(self, figures: Mapping[Variant, float]) -> str:
        """The figures of a row, as wide as every other row of the table."""
        if self._fits:
            return "  ".join(f"{figure(figures.get(variant)):>{wide}}" for variant, wide in self._columns.items())
        ends = [end(figures, key=figures.__getitem__) for end in (min, max)] if figures else []
        shown = [f"{figure(figures[variant])} {fit(self._labels[variant], _WIDEST_VARIANT)}" for variant in ends]
        return pad("   ".join(shown) or "n/a", 2 * len("0.123 ") + 2 * _WIDEST_VARIANT + 3)
