"""What changed in a run: the documents that cases lost, the cases that moved, the means of tags and of variants.

The significance test between variants imports numpy, so it is made only where there are several variants.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import zip_longest
from operator import itemgetter
from typing import NamedTuple

from pytest_relevance._text import counted, p_text, score_text
from pytest_relevance.metrics.names import is_similarity
from pytest_relevance.reports.breakdown import (
    Loss,
    Scored,
    change_shares,
    scored_ranking,
)
from pytest_relevance.reports.cells import RIGHT, USER, Cell, Column, styled_cell
from pytest_relevance.reports.number_text import LEAST, signed_text
from pytest_relevance.reports.reasons import case_label
from pytest_relevance.reports.run import cases
from pytest_relevance.reports.styled_lines import PLAIN, Line
from pytest_relevance.reports.table import MORE_HINT, Table
from pytest_relevance.results.case_result import (
    SKIPPED,
    CaseResult,
    grouped,
    has_failed,
)
from pytest_relevance.results.compare import differences
from pytest_relevance.results.compare.differences import Difference, Means, ScorePair
from pytest_relevance.results.compare.rank_changes import (
    Move,
    accepted_ranking,
    baseline_changes,
)
from pytest_relevance.results.expectations import first_ranks

MOST_TAGS, MOST_ROWS = 8, 5
"""How many tags, and how many queries, a table lists unless all are asked for."""

NOTHING_RETURNED = "nothing returned"

LOST, ON_TOP, GAINED = "lost", "now on top", "gained"
"""The columns of a table of cases that moved which name a document."""

_DROP_ORDER = {
    "same": 5,
    "effect": 4,
    "cases": 3,
    "95 % interval": 2,
    "p": 1,
    "p (Holm)": 1,
}
"""The columns of figures that are left out where there is little room, the highest number first."""


@dataclass(frozen=True)
class CaseChange:
    """What happened to a case since its baseline, or what is wrong with it where it has none.

    `metric` is the metric of its scores; None is nDCG@k, or where that is not defined the first metric that compares
    the ranking with the accepted one, if there is any.
    """

    result: CaseResult
    metric: str | None = None

    @property
    def by(self) -> str | None:
        """The metric of its scores, None for nDCG@k."""
        return self._scores[0]

    @property
    def before(self) -> float | None:
        """The score of the accepted ranking, None without one; 1 by a metric that compares the two rankings."""
        return self._scores[1]

    @property
    def after(self) -> float | None:
        """The score now."""
        return self._scores[2]

    @property
    def weighted_change(self) -> float:
        """The weight times the change of the score: from the baseline's, or from 1 where there is none.

        A case that has no score now counts as a loss of 1.
        """
        (_, before, after), weight = self._scores, self.result.weight
        return (
            -weight
            if after is None
            else weight * (after - (1.0 if before is None else before))
        )

    @cached_property
    def lost(self) -> Move | None:
        """The document whose place costs the score most; None where there is none.

        With a baseline it is the document of the accepted ranking with the greatest share of the drop. Without one it
        is the document with the largest loss against the ideal ranking, and it has no first rank.
        """
        if accepted := accepted_ranking(self.result):
            if is_similarity(self.by or ""):
                gone = (
                    Move(each, rank, self.result.ranking.rank_of(each))
                    for rank, each in enumerate(accepted, 1)
                )
                return next((move for move in gone if move.second is None), None)
            return self._moved_most(-1, self._accepted)
        worst = next(
            (
                loss
                for loss in self.losses
                if loss.loss > 0 and loss.document is not None
            ),
            None,
        )
        return (
            None
            if worst is None or worst.document is None
            else Move(worst.document, None, worst.rank)
        )

    @property
    def on_top(self) -> Move | None:
        """The result that a reader finds in the place of `lost`; None where there is none.

        With a baseline it is the first result that rose or is new, no deeper than the rank that `lost` had (or at rank
        1 where nothing was lost). Without one it is the first result, and it has no first rank.
        """
        before, documents = self._accepted, self.result.ranking.documents
        if not before:
            return Move(documents[0], None, 1) if documents else None
        lowest = (self.lost and self.lost.first) or 1
        moves = (
            Move(document, before.get(document), rank)
            for rank, document in enumerate(documents[:lowest], 1)
        )
        return next(
            (move for move in moves if move.first is None or move.distance > 0), None
        )

    @property
    def gained(self) -> Move | None:
        """The document with the greatest share of the rise since the baseline; None where none rose."""
        return (
            self._moved_most(1, first_ranks(self.result.ranking.documents))
            if self._accepted
            else None
        )

    def _moved_most(self, sign: int, ranks: Mapping[str, int]) -> Move | None:
        """The document that raised the score most (`sign` 1) or lowered it most (-1); of equal ones the first.

        `ranks` are those of the ranking in which it is looked for. None where no document did.
        """
        shares = self._shares.items()
        found = [
            (sign * share, -ranks[document], document)
            for document, share in shares
            if document in ranks
        ]
        most, _, document = max(found, default=(0.0, 0, ""))
        rank = self.result.ranking.rank_of
        return (
            Move(document, self._accepted.get(document), rank(document))
            if most > 0
            else None
        )

    @cached_property
    def losses(self) -> Sequence[Loss]:
        """The losses of its ranking, the largest first; none without judgments."""
        return self._scored.losses() if self.result.evaluation.judgments else ()

    @cached_property
    def _scores(self) -> tuple[str | None, float | None, float | None]:
        by, after = self.metric, differences.score_now(self.result, self.metric)
        if by is None and after is None:
            by = next(filter(is_similarity, self.result.evaluation.scores), None)
            after = differences.score_now(self.result, by)
        return (
            by,
            1.0
            if is_similarity(by or "")
            else differences.score_before(self.result, by),
            after,
        )

    @cached_property
    def _shares(self) -> Mapping[str, float]:
        return change_shares(self.result, self._scored)

    @cached_property
    def _scored(self) -> Scored:
        return scored_ranking(self.result)

    @cached_property
    def _accepted(self) -> Mapping[str, int]:
        return first_ranks(accepted_ranking(self.result))


def worst_first(results: Iterable[CaseResult]) -> list[CaseChange]:
    """The cases that failed or whose score fell, in the order of `fall_order`."""
    found = [
        (order, change)
        for change in map(CaseChange, results)
        if (order := fall_order(change)) is not None
    ]
    return [change for _, change in sorted(found, key=itemgetter(0))]


def fall_order(change: CaseChange) -> tuple[bool, float] | None:
    """The sort key of a case that failed or whose score fell; None for any other.

    Those that got worse come first, each group by weight times change.
    """
    result, moved = change.result, change.weighted_change
    if has_failed(result) or (
        moved < 0 and change.before is not None and result.status != SKIPPED
    ):
        return not differences.got_worse(result), moved
    return None


def movers(results: Iterable[CaseResult], sign: int) -> list[CaseResult]:
    """The cases whose score fell (`sign` -1) or rose (1) since the baseline, by weight times change.

    The first ones have the greatest part in the change of the mean.
    """
    moved = [result for result in results if result.change * sign > LEAST]
    return sorted(moved, key=lambda result: -result.weight * result.change * sign)


class Moved(NamedTuple):
    """A row of a table of cases that moved, in the words of every report; texts of users are spans of the style `USER`.

    `scores` are `0.764 -> 0.312`, or the score now where there is none before; `documents` has the spans of `LOST`,
    `ON_TOP` and `GAINED`.
    """

    name: str
    variant: str
    metric: str
    scores: str
    documents: Mapping[str, Line]


def moved_case(change: CaseChange, variants: Sequence[cases.Variant]) -> Moved:
    """The row of a case of a run. Where its search failed, the error stands in the column of the lost document."""
    result = change.result
    after = result.status if change.after is None else score_text(change.after)
    is_only = change.before is None or is_similarity(change.by or "")
    scores = after if is_only else f"{score_text(change.before)} -> {after}"
    moves = {LOST: change.lost, ON_TOP: change.on_top, GAINED: change.gained}
    documents = {
        name: _spans(name, move, result.texts.titles) for name, move in moves.items()
    }
    if result.call.error is not None:
        documents[LOST] = ((result.call.error.headline, USER),)
    elif change.after is not None and not change.on_top and (few := few_text(result)):
        documents[ON_TOP] = ((few, PLAIN),)
    label, metric = (
        cases.short_label(result, variants),
        change.by or cases.metric_of([result]),
    )
    return Moved(case_label(result), label, metric, scores, documents)


def few_text(result: CaseResult) -> str:
    """`nothing returned`, or `only 1 result` where nDCG@k looks at more; else empty."""
    returned = result.ranking.returned
    if not returned:
        return NOTHING_RETURNED
    return (
        f"only {counted(returned, 'result')}" if returned < result.conditions.k else ""
    )


def _spans(column: str, move: Move | None, titles: Mapping[str, str]) -> Line:
    """A document, by its title or its id, and its ranks; nothing for no document.

    `Boots 1 -> gone`, or without a baseline `Boots not returned`, for one that was lost; `Boots new -> 1` for one that
    was gained; `rank 4: Boots` for one on top, where its rank is not the first.
    """
    if move is None:
        return ()
    title = titles.get(move.document) or move.document, USER
    if column == ON_TOP:
        return (f"rank {move.second}: " if move.second != 1 else "", PLAIN), title
    if column == GAINED:
        return title, (f" {move.first or 'new'} -> {move.second}", PLAIN)
    if move.first is None:
        return title, (
            f" rank {move.second}" if move.second else " not returned",
            PLAIN,
        )
    return title, (f" {move.first} -> {move.second or 'gone'}", PLAIN)


def moved_table(
    title: str,
    found: Sequence[CaseChange],
    variants: Sequence[cases.Variant],
    documents: Sequence[str],
    most: int | None = None,
) -> Table:
    """`query | variant | nDCG@10 | lost | now on top` of the first `most` cases, without columns that are empty.

    `documents` are the columns that name one: `LOST`, `ON_TOP`, `GAINED`.
    """
    rows = [moved_case(change, variants) for change in found[:most]]
    metrics = {row.metric for row in rows}
    metric = metrics.pop() if len(metrics) == 1 else None
    count = (
        f"{len(rows):,} of {len(found):,}"
        if len(rows) < len(found)
        else f"{len(rows):,}"
    )
    named = [
        Column(
            name,
            cut_to=24,
            wanted=24,
            max_width=60,
            cut_middle=True,
            drop_order=name == ON_TOP,
        )
        for name in documents
    ]
    figures = [
        *([] if metric else [Column("metric")]),
        Column(metric or "score", RIGHT),
    ]
    query, variant = (
        Column("query", max_width=60, cut_to=20, wanted=30),
        Column("variant", cut_to=8),
    )
    table = Table([query, variant, *figures, *named], indent=2)
    table.title = title and f"{title} ({count})"
    for row in rows:
        scores = [row.scores] if metric else [row.metric, row.scores]
        names = styled_cell(row.name, USER), styled_cell(row.variant, USER)
        table.add(*names, *scores, *(Cell(row.documents[name]) for name in documents))
    return table


def mover_tables(
    results: Sequence[CaseResult], variants: Sequence[cases.Variant], most: int | None
) -> list[Table]:
    """The cases whose score fell since the baseline, and those whose score rose; without nDCG those that changed."""
    down, up = ([*map(CaseChange, movers(results, sign))] for sign in (-1, 1))
    unscored = worst_first(result for result in results if result.score is None)
    compared = (
        change for change in unscored if is_similarity(change.by or "")
    )  # some fail for other reasons
    changed = [
        change
        for change in compared
        if change.weighted_change < 0 or baseline_changes(change.result)
    ]
    fall, rise = (LOST, ON_TOP), (GAINED,)
    return [
        moved_table(f"{title} since the baseline", found, variants, documents, most)
        for title, found, documents in (
            ("changed", changed, fall),
            ("down", down, fall),
            ("up", up, rise),
        )
        if found or title != "changed"
    ]


# --- means ------------------------------------------------------------------------------------------------------------


def means_table(
    names: Sequence[Column],
    rows: Sequence[tuple[Sequence[str], Means]],
    tests: Sequence[Difference] = (),
    ends: tuple[str, str] = ("before", "after"),
) -> Table:
    """A row for each pair of means: names, cases, both means, change, and how many cases got better or worse.

    `tests`, one for each row if any, add the interval, the p-value (Holm's, where it differs) and the effect size.
    `ends` are the titles of the means.
    """
    p_value = (
        "p (Holm)"
        if any(row.p != row.adjusted_p for row in tests if row.p == row.p)
        else "p"
    )
    titles = ("95 % interval", p_value, "effect") if tests else ()
    heads = ("cases", *ends, "change", *titles, "better", "worse", "same")
    table = Table(
        [
            *names,
            *(
                Column(head, RIGHT, drop_order=_DROP_ORDER.get(head, 0))
                for head in heads
            ),
        ]
    )
    for (texts, means), test in zip_longest(rows, tests):
        scores = (
            score_text(means.first),
            score_text(means.second),
            signed_text(means.difference),
        )
        figures = []
        if test is not None:
            effect = "n/a" if math.isnan(test.effect) else f"{test.effect:+.2f}"
            figures = [
                f"{signed_text(test.low)} to {signed_text(test.high)}",
                p_text(test.adjusted_p),
                effect,
            ]
        counts = (f"{count:,}" for count in (means.better, means.worse, means.same))
        table.add(*texts, f"{means.queries:,}", *scores, *figures, *counts)
    return table


def tag_table(
    results: Sequence[CaseResult],
    variants: Sequence[cases.Variant],
    most: int | None,
    metric: str | None = None,
) -> Table:
    """The mean of each tag. Tags that all cases of a suite have are left out: they would repeat the suite's line.

    With a baseline a row says how the mean of `metric` (by default nDCG@k) changed in one variant, over the cases with
    a score in both; the largest drop comes first. Without one the tags with the most cases that did not pass come
    first, then those with the lowest mean.
    """
    by_tag = _by_tag(results)
    changed = [
        (
            differences.means_of(pairs),
            tag,
            cases.variant_label(variant, variants) if len(variants) > 1 else "",
        )
        for tag, tagged in by_tag.items()
        for variant, of_variant in grouped(tagged, cases.variant_of).items()
        if (pairs := differences.score_pairs(of_variant, metric))
    ]
    if changed:
        changed.sort(key=lambda row: (row[0].difference, *row[1:]))
        title = f"by tag ({metric or cases.metric_of(results)})"
        names = [
            Column(title, cut_to=8, is_code=True),
            Column("variant", cut_to=8, is_code=True),
        ]
        table = means_table(
            names, [((tag, variant), means) for means, tag, variant in changed[:most]]
        )
    else:
        figures = (
            Column(align=RIGHT)
            if len(variants) < 2
            else Column(cut_to=20, is_code=True)
        )
        table = Table(
            [Column("by tag", max_width=32, is_code=True), figures, Column(gap=3)]
        )
        rows = []
        for tag, tagged in by_tag.items():
            unmet = cases.case_count(
                result for result in tagged if result.status in cases.NOT_PASSED
            )
            means, count = (
                cases.means_by_variant(tagged),
                counted(cases.case_count(tagged), "case"),
            )
            texts = (
                cases.means_text(means, variants),
                count + (f", {unmet} not passed" if unmet else ""),
            )
            rows.append(
                (-unmet, min(means.values(), default=2.0), tag, texts)
            )  # without a mean: last
        for *_, tag, texts in sorted(rows)[:most]:
            table.add(f"  {tag}", *texts)
    if more := (len(changed) or len(by_tag)) - len(table.rows):
        table.note, table.hint = f"  ... {more:,} more", MORE_HINT
    return table


def _by_tag(results: Sequence[CaseResult]) -> dict[str, list[CaseResult]]:
    """The results by tag, without the tags that all cases of the run, or of their suites, have."""
    sizes = Counter(result.file for result in results)

    def is_whole(tagged: Sequence[CaseResult]) -> bool:
        files = {result.file for result in tagged}
        return len(tagged) == sum(sizes.values()) or [len(tagged)] == [
            sizes[file] for file in files
        ]

    return {
        tag: tagged
        for tag, tagged in differences.by_tag(results).items()
        if not is_whole(tagged)
    }


def variant_tables(
    results: Sequence[CaseResult], variants: Sequence[cases.Variant], most: int | None
) -> list[Table]:
    """The queries on which variants differ most, and each variant against the first; none for a single variant."""
    if len(variants) < 2:
        return []
    by_key = grouped(results, cases.key_of)
    means = {key: cases.means_by_variant(case) for key, case in by_key.items()}
    spread = {
        key: max(found.values()) - min(found.values())
        for key, found in means.items()
        if len(found) > 1
    }
    order = sorted(
        (key for key, apart in spread.items() if apart > LEAST),
        key=lambda key: (-spread[key], key),
    )
    side_by_side = Table(
        [
            Column(
                "side by side, the widest apart first",
                max_width=42,
                cut_to=8,
                is_code=True,
            ),
            Column(cut_to=20, is_code=True),
        ]
    )
    for key in order[:most]:
        side_by_side.add(
            f"  {case_label(by_key[key][0])}", cases.means_text(means[key], variants)
        )
    return [side_by_side, _against_first(results, variants)]


def _against_first(
    results: Sequence[CaseResult], variants: Sequence[cases.Variant]
) -> Table:
    """A row for each variant but the first: the difference of its mean, over the cases with a score in both."""
    scored: dict[cases.Variant, dict[tuple[str, str], CaseResult]] = {}
    for result in results:
        if result.score is not None:
            scored.setdefault(cases.variant_of(result), {})[cases.key_of(result)] = (
                result
            )
    first, *others = variants
    before, family = scored.get(first, {}), []
    for variant in others:
        pairs = [
            ScorePair(
                differences.key_of(result),
                before[key].score or 0.0,
                result.score or 0.0,
                result.weight,
            )
            for key, result in scored.get(variant, {}).items()
            if key in before
        ]
        if pairs:
            family.append(
                differences.Scores(
                    cases.variant_label(variant, variants), "nDCG@k", pairs
                )
            )
    if not family:
        return Table([])
    columns = [
        Column("variant", cut_to=8, is_code=True),
        Column("against", cut_to=8, is_code=True),
    ]
    label = cases.variant_label(first, variants)
    tests = differences.differences_of(family)
    return means_table(
        columns,
        [((row.variant or "", label), row.means) for row in tests],
        tests,
        ("first", "second"),
    )
