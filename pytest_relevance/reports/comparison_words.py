"""What the reports of a comparison have in common: its verdict in words, and how figures are written."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.figures import number
from pytest_relevance.reports.text import BAD, GOOD, PLAIN, harmless
from pytest_relevance.results.compare.comparison import Compared
from pytest_relevance.results.compare.differences import TIE, Difference, TagDifference
from pytest_relevance.results.compare.incompatibilities import shown_key, some
from pytest_relevance.results.compare.movers import Mover
from pytest_relevance.results.compare.thresholds import Ruling, shown_p
from pytest_relevance.results.cut import asked_text
from pytest_relevance.results.rank_changes import Move

SIGNIFICANT = 0.05
"""Up to which p-value a difference is said to be more than chance."""

_MOST_DOCUMENTS = 3
_MOST_RULED = 50


def settings_lines(comparison: Compared) -> list[str]:
    """The settings that the scores were computed with, and the depths that were set where that counts."""
    depths = f", depth {asked_text(comparison.depths)}" if comparison.depths else ""
    return [f"{text}{depths}" for text in dict.fromkeys(map(conventions, comparison.settings))]


def score(value: float) -> str:
    """A score, `n/a` where it is not defined."""
    return "n/a" if math.isnan(value) else f"{value:.3f}"


def change(value: float) -> str:
    """A difference with its sign; one that rounds to nothing has none."""
    if not math.isfinite(value):
        return "n/a" if math.isnan(value) else f"{value:+}"
    text = f"{value:+.3f}"
    return "0.000" if not float(text) else text


def effect(value: float) -> str:
    """An effect size, which may be infinite: all cases differ by the same."""
    return "n/a" if math.isnan(value) else f"{value:+.2f}"


def p_value(p: float) -> str:
    """A p-value in a table."""
    return shown_p(p).removeprefix("p ").replace("< ", "<")


def verdict(row: Difference, shown: Callable[[str], str] = harmless) -> tuple[str, str]:
    """What a metric says, in words, and the style of that. `shown` is how the name of a variant is written."""
    means = row.means
    name = row.metric if row.variant is None else f"{row.metric} of {shown(row.variant)}"
    if not means.queries:
        return f"{name} is not defined for any case", PLAIN
    over = f"over {counted(means.queries, 'case')}{f' ({row.undefined:,} n/a)' if row.undefined else ''}"
    if means.same == means.queries:
        return f"{name} is {score(means.first)} {over}, no case changed", PLAIN
    figures = f"from {score(means.first)} to {score(means.second)}"
    tested = f"({change(means.difference)}, {shown_p(row.adjusted_p)})"
    how = "fell" if means.difference < -TIE else "rose" if means.difference > TIE else "stayed the same"
    if row.adjusted_p <= SIGNIFICANT:
        return f"{name} {how} {figures} {tested} {over}", BAD if means.difference < 0 else GOOD
    return f"{name} {how} {figures} {tested} {over}: no more than chance would do", PLAIN


def new_errors(comparison: Compared) -> str:
    """What to say of cases that ended in an error in the second run alone; empty where there are none."""
    new = [shown_key(error.key) for error in comparison.errors if error.is_new]
    if not new:
        return ""
    return f"{counted(len(new), 'case')} ended in an error, and in none before: {some(new)}"


def gates_met(ruling: Ruling) -> str:
    """What gates say together; empty where there are none."""
    unmet = sum(not finding.is_met for finding in ruling.findings)
    if unmet:
        return f"{unmet} of {counted(len(ruling.findings), 'gate')} not met"
    return "all gates met" if ruling.findings else ""


def drops_shown(limit: int | None, ruling: Ruling | None) -> int | None:
    """How many drops are shown: those that a gate does not allow too, as far as there is room."""
    if limit is None or ruling is None:
        return limit
    return max(limit, min(len(ruling.drops), _MOST_RULED))


def name_of(mover: Mover) -> tuple[str, str]:
    """A case as movers name it: by its query; and what follows: its id where that is another, and its variant."""
    _, case, variant = mover.key
    behind = "" if case == mover.query else f" ({case})"
    return mover.query, behind if variant is None else f"{behind} [{variant}]"


def first_of(found: Sequence[Move]) -> tuple[Sequence[Move], int]:
    """A few of the documents, and how many more there are; one more takes no more room than to say so."""
    shown = found if len(found) <= _MOST_DOCUMENTS + 1 else found[:_MOST_DOCUMENTS]
    return shown, len(found) - len(shown)


def rank_counts(mover: Mover) -> str:
    """`4 out, 4 in, 3 moved`."""
    changes = mover.changes
    counts = ((len(changes.left), "out"), (len(changes.entered), "in"), (len(changes.moved), "moved"))
    return ", ".join(f"{count} {what}" for count, what in counts if count) or f"the same top {changes.k}"


def moves(mover: Mover, *, is_drop: bool) -> list[tuple[str, Sequence[Move]]]:
    """The changes that explain a drop (or a gain), each kind with its word: the relevant documents, then the others."""
    shifted = [move for move in mover.shifted if (move.distance < 0) == is_drop]
    kinds: list[tuple[str, Sequence[Move]]]
    if is_drop:
        entered = [move for move in mover.changes.entered if move not in mover.found]
        kinds = [("lost", mover.lost), ("down", shifted), ("new", entered)]
    else:
        left = [move for move in mover.changes.left if move not in mover.lost]
        kinds = [("found", mover.found), ("up", shifted), ("gone", left)]
    return [(word, found) for word, found in kinds if found]


def grade_and_ranks(move: Move) -> str:
    """`grade 3, rank 1 -> 37`; `was rank 9` and `now rank 4` where a document is in one ranking alone."""
    grade = "unjudged" if move.grade is None else f"grade {number(move.grade)}"
    if move.first is None:
        return f"{grade}, now rank {move.second}"
    if move.second is None:
        return f"{grade}, was rank {move.first}"
    return f"{grade}, rank {move.first} -> {move.second}"


def tag_rows(comparison: Compared) -> list[TagDifference]:
    """The rows by tag of each variant's first metric, without the tags that all of its cases have.

    Of every metric where each is that of some cases alone: the nDCG@k of several k.
    """
    is_shared = all(column.applies.all() for column in comparison.columns)
    cases = {(row.variant, row.metric): row.means.queries for row in reversed(comparison.metrics)}
    first = {row.variant: row.metric for row in reversed(comparison.metrics)}
    return [
        row
        for row in comparison.by_tag
        if (not is_shared or row.metric == first[row.variant]) and row.means.queries < cases[row.variant, row.metric]
    ]


def tag_titles(rows: Sequence[TagDifference]) -> tuple[str, list[str]]:
    """What the rows by tag stand under, and what each is called: with its metric where there are several."""
    metrics = {row.metric for row in rows}
    if len(metrics) == 1:
        return f"by tag ({rows[0].metric})", [row.tag for row in rows]
    return "by tag", [f"{row.tag} ({row.metric})" for row in rows]
