"""Tables and sentences that the text report and the Markdown report of a comparison share."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.case.failure import settings_text
from pytest_relevance.reports.figures import number, p_text, score_text, signed
from pytest_relevance.reports.table import RIGHT, Column, Table
from pytest_relevance.reports.text import BAD, GOOD, PLAIN, harmless
from pytest_relevance.results.compare.comparison import Compared, ComparisonGates, Mover, shown_p
from pytest_relevance.results.compare.differences import TIE, Difference, Means, TagDifference
from pytest_relevance.results.compare.pairing import shown_key, some
from pytest_relevance.results.rankings.cut import asked_text
from pytest_relevance.results.rankings.rank_changes import Move

SIGNIFICANT = 0.05
"""The largest p-value at which a difference is reported as more than chance."""

_MOST_DOCUMENTS = 3
_MOST_DROPS = 50

_MEANS = ("cases", "first", "second", "change")
_COUNTS = ("better", "worse", "same")

_Rows = Sequence[Difference] | Sequence[TagDifference]


def settings_lines(comparison: Compared) -> list[str]:
    """The settings that the scores were computed with, and the depths that were set, where metrics depend on them."""
    depths = f", depth {asked_text(comparison.depths)}" if comparison.depths else ""
    return [f"{text}{depths}" for text in dict.fromkeys(settings_text(settings) for settings in comparison.settings)]


def metric_table(comparison: Compared, *, all_p_values: bool = False) -> Table:
    """The figures of each variant and metric; `all_p_values` shows both where a terminal has room for one."""
    rows = comparison.metrics
    is_adjusted = any(row.p != row.adjusted_p for row in rows if row.p == row.p)
    titles = ("p", "p (Holm)") if all_p_values else ("p (Holm)" if is_adjusted else "p",)
    table = _table("metric", rows, (*_MEANS, "95 % interval", *titles, "effect", *_COUNTS))
    for row in rows:
        interval = f"{signed(row.low)} to {signed(row.high)}"
        p_values = map(p_text, (row.p, row.adjusted_p)[-len(titles) :])
        effect = "n/a" if math.isnan(row.effect) else f"{row.effect:+.2f}"
        table.add(*_name(row.metric, row, rows), *_means(row.means), interval, *p_values, effect, *_counts(row.means))
    return table


def tag_table(comparison: Compared, limit: int | None) -> tuple[Table, int]:
    """The figures of the first `limit` tags, and how many more tags there are."""
    all_rows = _tag_rows(comparison)
    rows = all_rows[:limit]
    metrics = {row.metric for row in rows}
    title = f"by tag ({rows[0].metric})" if len(metrics) == 1 else "by tag"
    table = _table(title, rows, (*_MEANS, *_COUNTS), is_code=True)
    for row in rows:
        tag = row.tag if len(metrics) == 1 else f"{row.tag} ({row.metric})"
        table.add(*_name(tag, row, rows), *_means(row.means), *_counts(row.means))
    return table, len(all_rows) - len(rows)


def _tag_rows(comparison: Compared) -> list[TagDifference]:
    """The rows by tag of each variant's first metric, without the tags that all of its cases have.

    The rows of every metric where each is the score of some cases alone: the nDCG@k of several k.
    """
    is_shared = all(column.applies.all() for column in comparison.columns)
    cases = {(row.variant, row.metric): row.means.queries for row in reversed(comparison.metrics)}
    first = {row.variant: row.metric for row in reversed(comparison.metrics)}
    return [
        row
        for row in comparison.by_tag
        if (not is_shared or row.metric == first[row.variant]) and row.means.queries < cases[row.variant, row.metric]
    ]


def _table(title: str, rows: _Rows, figures: Sequence[str], *, is_code: bool = False) -> Table:
    """A table that is still empty, with a column for the variants where there are any."""
    columns = [Column(title, most=30, least=8, is_code=is_code)]
    if any(row.variant is not None for row in rows):
        columns.append(Column("variant", most=30, least=8, is_code=True))
    return Table([*columns, *(Column(title, RIGHT) for title in figures)])


def _name(name: str, row: Difference | TagDifference, rows: _Rows) -> Sequence[str]:
    """The first cells of a row: its name, and its variant where there are any."""
    return (name, row.variant or "") if any(each.variant is not None for each in rows) else (name,)


def _means(means: Means) -> Sequence[str]:
    return f"{means.queries:,}", score_text(means.first), score_text(means.second), signed(means.difference)


def _counts(means: Means) -> Sequence[str]:
    return f"{means.better:,}", f"{means.worse:,}", f"{means.same:,}"


def verdict(row: Difference, shown: Callable[[str], str] = harmless) -> tuple[str, str]:
    """The result of a metric in words, and its style. `shown` escapes the name of a variant for the report."""
    means = row.means
    name = row.metric if row.variant is None else f"{row.metric} of {shown(row.variant)}"
    if not means.queries:
        return f"{name} is not defined for any case", PLAIN
    over = f"over {counted(means.queries, 'case')}{f' ({row.undefined:,} n/a)' if row.undefined else ''}"
    if means.same == means.queries:
        return f"{name} is {score_text(means.first)} {over}, no case changed", PLAIN
    figures = f"from {score_text(means.first)} to {score_text(means.second)}"
    tested = f"({signed(means.difference)}, {shown_p(row.adjusted_p)})"
    how = "fell" if means.difference < -TIE else "rose" if means.difference > TIE else "stayed the same"
    if row.adjusted_p <= SIGNIFICANT:
        return f"{name} {how} {figures} {tested} {over}", BAD if means.difference < 0 else GOOD
    return f"{name} {how} {figures} {tested} {over}: no more than chance would do", PLAIN


def new_errors(comparison: Compared) -> str:
    """The cases that ended in an error in the second run alone, in words; empty where there are none."""
    new = [shown_key(error.key) for error in comparison.errors if error.is_new]
    return f"{counted(len(new), 'case')} ended in an error, and in none before: {some(new)}" if new else ""


def gates_text(gates: ComparisonGates) -> str:
    """How many gates are not met; empty where there are no gates."""
    unmet = sum(not finding.is_met for finding in gates.findings)
    if unmet:
        return f"{unmet} of {counted(len(gates.findings), 'gate')} not met"
    return "all gates met" if gates.findings else ""


def drops_shown(limit: int | None, gates: ComparisonGates | None) -> int | None:
    """How many drops are shown: the largest, and also those that a gate does not allow, up to a bound."""
    if limit is None or gates is None:
        return limit
    return max(limit, min(len(gates.drops), _MOST_DROPS))


def shared_metric(movers: Iterable[Mover]) -> str | None:
    """The metric of all movers; None where they have several."""
    metrics = {mover.metric for mover in movers}
    return metrics.pop() if len(metrics) == 1 else None


def label(mover: Mover) -> str:
    """What follows the query of a case: its id where that is different, and its variant."""
    _, case, variant = mover.key
    parts = ["" if case == mover.query else f"({case})", "" if variant is None else f"[{variant}]"]
    return " ".join(filter(None, parts))


def rank_counts(mover: Mover) -> str:
    """`4 out, 4 in, 3 moved`."""
    changes = mover.changes
    counts = ((len(changes.left), "out"), (len(changes.entered), "in"), (len(changes.moved), "moved"))
    return ", ".join(f"{count} {what}" for count, what in counts if count) or f"the same top {changes.k}"


def moves(mover: Mover, *, is_drop: bool, shown: Callable[[str], str]) -> list[tuple[str, list[str]]]:
    """The rank changes that explain a drop or a gain, by kind: `("lost", ["sku-1 (grade 3, was rank 1)"])`.

    Relevant documents come first, then the others. `shown` escapes and cuts an id for the report.
    """
    shifted = [move for move in mover.shifted if (move.distance < 0) == is_drop]
    kinds: dict[str, Sequence[Move]]
    if is_drop:
        entered = [move for move in mover.changes.entered if move not in mover.found]
        kinds = {"lost": mover.lost, "down": shifted, "new": entered}
    else:
        left = [move for move in mover.changes.left if move not in mover.lost]
        kinds = {"found": mover.found, "up": shifted, "gone": left}
    return [(word, _first_of(found, shown)) for word, found in kinds.items() if found]


def _first_of(found: Sequence[Move], shown: Callable[[str], str]) -> list[str]:
    """A few of the documents, and how many more there are; one more is named, as that takes no more room."""
    first = found if len(found) <= _MOST_DOCUMENTS + 1 else found[:_MOST_DOCUMENTS]
    more = [f"{len(found) - len(first)} more"] if len(found) > len(first) else []
    return [*(f"{shown(move.document)} ({_grade_and_ranks(move)})" for move in first), *more]


def _grade_and_ranks(move: Move) -> str:
    """`grade 3, rank 1 -> 37`; `was rank 9` and `now rank 4` where a document is in one ranking alone."""
    grade = "unjudged" if move.grade is None else f"grade {number(move.grade)}"
    if move.first is None:
        return f"{grade}, now rank {move.second}"
    if move.second is None:
        return f"{grade}, was rank {move.first}"
    return f"{grade}, rank {move.first} -> {move.second}"
