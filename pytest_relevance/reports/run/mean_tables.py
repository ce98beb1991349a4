"""Tables of means: before and after, and by tag."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from pytest_relevance._number_text import p_text, score_text, signed_text
from pytest_relevance._text import counted
from pytest_relevance.reports.cells import RIGHT, Column
from pytest_relevance.reports.run.case_counts import NOT_PASSED, case_count
from pytest_relevance.reports.run.mean_text import (
    mean_score,
    metric_of,
)
from pytest_relevance.reports.run.variant_labels import (
    Variant,
    variant_label,
    variant_of,
)
from pytest_relevance.reports.table import Table
from pytest_relevance.results.case_result import grouped
from pytest_relevance.results.changes import Change
from pytest_relevance.results.compare import differences
from pytest_relevance.results.compare.differences import (
    Difference,
    Means,
)

MOST_TAGS = 8
"""How many tags a table lists unless all are asked for."""

_DROP_ORDER = {
    "same": 5,
    "effect": 4,
    "cases": 3,
    "95 % interval": 2,
    "p": 1,
    "p (Holm)": 1,
}
"""The columns that are left out if there is little room, the highest number first."""


def means_table(
    names: Sequence[Column],
    rows: Sequence[tuple[Sequence[str], Means]],
    tests: Sequence[Difference] = (),
) -> Table:
    """Return a table with a row for each pair of means.

    A row has the number of cases, both means, the change, and how many cases have a
    higher, a lower and the same score.

    `names`: the first columns.
    `rows`: the texts of the first columns, and the means.
    `tests`: a significance test for each row, or (). The interval, the p-value (Holm's
        if it differs) and the effect size become columns.
    """
    heads = ["cases", "before", "after", "change"]
    if tests:
        heads += ["95 % interval", _p_title(tests), "effect"]
    heads += ["higher", "lower", "same"]
    columns = list(names)
    for head in heads:
        columns.append(Column(head, RIGHT, drop_order=_DROP_ORDER.get(head, 0)))
    table = Table(columns)
    for (texts, means), test in zip_longest(rows, tests):
        cells = [
            *texts,
            f"{means.queries:,}",
            score_text(means.first),
            score_text(means.second),
            signed_text(means.difference),
        ]
        if test is not None:
            cells += _test_texts(test)
        cells += [f"{means.rose:,}", f"{means.fell:,}", f"{means.same:,}"]
        table.add(*cells)
    return table


def _p_title(tests: Sequence[Difference]) -> str:
    for test in tests:
        if not math.isnan(test.p) and test.p != test.adjusted_p:
            return "p (Holm)"
    return "p"


def _test_texts(test: Difference) -> list[str]:
    interval = f"{signed_text(test.low)} to {signed_text(test.high)}"
    effect = "n/a" if math.isnan(test.effect) else f"{test.effect:+.2f}"
    return [interval, p_text(test.adjusted_p), effect]


# --- tags -----------------------------------------------------------------------------


def tag_table(
    changes: Sequence[Change], variants: Sequence[Variant], most: int | None
) -> Table:
    """Return the table of the mean of each tag, or of its change since the baseline.

    A tag that all cases of a suite have is left out, because the line of the suite says
    the same. If there are several variants and no case is compared, the table is empty,
    because `variant_tables` has the means of the tags.

    `changes`: must all be by one metric.
    `most`: the most rows; None for all.
    """
    changes = differences.alike_changes(changes)
    by_tag = _by_tag(changes)
    changed = _changed_tags(by_tag, variants)
    if changed:
        results = [change.case for change in changes]
        metric = changes[0].metric or metric_of(results)
        table = _table_of_changed_tags(changed[:most], f"by tag ({metric})")
        total = len(changed)
    elif len(variants) > 1:
        return Table([])
    else:
        table = _table_of_tags(by_tag, most)
        total = len(by_tag)
    table.note_more(total)
    return table


def _by_tag(changes: Sequence[Change]) -> dict[str, list[Change]]:
    """Return the cases of each tag, without tags that the whole suite or run has."""
    sizes = Counter(change.case.file for change in changes)
    by_tag: dict[str, list[Change]] = {}
    for change in changes:
        for tag in change.case.tags:
            by_tag.setdefault(tag, []).append(change)
    chosen = {}
    for tag, tagged in by_tag.items():
        files = {change.case.file for change in tagged}
        is_suite = len(files) == 1 and len(tagged) == sizes[tagged[0].case.file]
        if not is_suite and len(tagged) != len(changes):
            chosen[tag] = tagged
    return chosen


@dataclass(frozen=True, slots=True)
class _ChangedTag:
    tag: str
    variant: str
    means: Means


def _changed_tags(
    by_tag: Mapping[str, Sequence[Change]], variants: Sequence[Variant]
) -> list[_ChangedTag]:
    """Return the means of each tag and variant before and now, the largest drop first.

    Means are over the cases with a score before and now.
    """
    changed = []
    for tag, tagged in by_tag.items():
        groups = grouped(tagged, lambda change: variant_of(change.case))
        for variant, changes in groups.items():
            pairs = differences.score_pairs_of(changes)
            if not pairs:
                continue
            label = variant_label(variant, variants) if len(variants) > 1 else ""
            changed.append(_ChangedTag(tag, label, differences.means_of(pairs)))
    changed.sort(key=lambda row: (row.means.difference, row.tag, row.variant))
    return changed


def _table_of_changed_tags(changed: Sequence[_ChangedTag], title: str) -> Table:
    names = [
        Column(title, cut_to=8, is_code=True),
        Column("variant", cut_to=8, is_code=True),
    ]
    return means_table(names, [((row.tag, row.variant), row.means) for row in changed])


def _table_of_tags(by_tag: Mapping[str, Sequence[Change]], most: int | None) -> Table:
    """Return the table of the mean of each tag, and how many cases did not pass.

    Tags with the most cases that did not pass come first, then tags with the lowest
    mean. A tag without a mean comes last.
    """
    rows = []
    for tag, tagged in by_tag.items():
        results = [change.case for change in tagged]
        not_passed = [result for result in results if result.status in NOT_PASSED]
        unmet = case_count(not_passed)
        count = counted(case_count(results), "case")
        if unmet:
            count += f", {unmet} not passed"
        mean = mean_score(results)
        order = (-unmet, mean is None, mean or 0.0, tag)
        rows.append((order, tag, mean, count))
    rows.sort(key=lambda row: row[0])
    names = Column("by tag", max_width=32, is_code=True)
    table = Table([names, Column(align=RIGHT), Column(gap=3)])
    for _, tag, mean, count in rows[:most]:
        table.add(f"  {tag}", score_text(mean), count)
    return table
