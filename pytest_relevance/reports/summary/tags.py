"""The means by tag of a summary, tags whose cases did not pass first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.summary.cases import (
    NOT_PASSED,
    Variant,
    case_count,
    means_by_variant,
    variant_label,
    variant_of,
)
from pytest_relevance.reports.summary.variants import FigureColumns
from pytest_relevance.reports.table import Column, Table
from pytest_relevance.reports.text import DIM, WIDEST, Line, line, width
from pytest_relevance.results.case_result import CaseResult

MOST_TAGS = 8

_WIDEST_TAG = 30


def tag_lines(
    results: Sequence[CaseResult], variants: Sequence[Variant], *, verbosity: int = 0, columns: int = WIDEST
) -> list[Line]:
    """The mean by tag, without tags of a whole suite, which would repeat the line of the suite."""
    tags = tags_of(results)
    shown = [*tags] if verbosity > 0 else [*tags][:MOST_TAGS]
    if not shown:
        return []
    lines = tag_table({tag: tags[tag] for tag in shown}, variants, columns).lines(columns)
    if more := len(tags) - len(shown):
        lines.append(line(f"  ... {counted(more, 'more tag')} (-v shows all)", DIM))
    return lines


def tags_of(results: Sequence[CaseResult]) -> dict[str, list[CaseResult]]:
    """The results by tag: those with the most cases that did not pass first, then those with the lowest mean."""
    by_tag: dict[str, list[CaseResult]] = {}
    for result in results:
        for tag in result.tags:
            by_tag.setdefault(tag, []).append(result)
    sizes = Counter(result.file for result in results)
    found = {tag: tagged for tag, tagged in by_tag.items() if not _is_whole(tagged, sizes)}

    def order(tag: str) -> tuple[int, float, str]:
        unmet = case_count(result for result in found[tag] if result.status in NOT_PASSED)
        return -unmet, min(means_by_variant(found[tag]).values(), default=2), tag

    return {tag: found[tag] for tag in sorted(found, key=order)}


def tag_table(tags: Mapping[str, Sequence[CaseResult]], variants: Sequence[Variant], columns: int = WIDEST) -> Table:
    """A table with one row for each tag and one column for each variant."""
    for_tag = 2 + min(max(len("by tag") - 2, *map(width, tags)), _WIDEST_TAG)
    figures = FigureColumns(variants, columns - for_tag - 28)
    table = Table([Column("by tag", most=for_tag, is_code=True), *figures.columns, Column(gap=3)])
    rows = {tag: (f"  {tag}", *figures.cells(means_by_variant(tagged))) for tag, tagged in tags.items()}
    for cells in rows.values():
        table.add(*cells)
    room = columns - table.width() - 3
    table.rows.clear()
    for tag, cells in rows.items():
        cases = counted(case_count(tags[tag]), "case")
        table.add(*cells, cases + _not_passed(tags[tag], variants, room - len(cases)))
    return table


def _not_passed(tagged: Sequence[CaseResult], variants: Sequence[Variant], room: int) -> str:
    """How many cases of a tag did not pass; with several variants, of which."""
    found = [result for result in tagged if result.status in NOT_PASSED]
    if not found:
        return ""
    counts = Counter(map(variant_of, found))
    in_brief = f", {case_count(found)} not passed"
    if len(variants) == 1:
        return in_brief
    in_each = [f"{variant_label(variant, variants)} {counts[variant]}" for variant in variants if counts[variant]]
    ways = [f", not passed: {', '.join(in_each)}", f"{in_brief} in {counted(len(in_each), 'variant')}"]
    return next((words for words in ways if width(words) <= room), in_brief)


def _is_whole(tagged: Sequence[CaseResult], sizes: Mapping[str, int]) -> bool:
    """Whether a tag's cases are all those of the run, or of one suite."""
    files = {result.file for result in tagged}
    return len(tagged) == sum(sizes.values()) or [len(tagged)] == [sizes[file] for file in files]
