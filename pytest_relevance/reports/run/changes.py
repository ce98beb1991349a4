"""What changed in a run: the documents that cases lost, the cases that moved, the means of tags and of variants.

A test of variants imports numpy, so that it is made only where there are several.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import counted, harmless, p_text, score_text
from pytest_relevance.metrics.graded import GradedRanking, scored_indexes
from pytest_relevance.metrics.settings import discount_table
from pytest_relevance.reports.blocks import MORE_HINT, RIGHT, USER, Cell, Column, Table, cut, styled
from pytest_relevance.reports.breakdown import losses_of
from pytest_relevance.reports.reasons import case_label
from pytest_relevance.reports.run.cases import (
    NOT_PASSED,
    WIDEST_VARIANT,
    Variant,
    case_count,
    grouped,
    key_of,
    means_by_variant,
    metric_of,
    short_label,
    variant_label,
    variant_of,
)
from pytest_relevance.reports.text import BAD, GOOD, LEAST, PLAIN, SIGNIFICANT, Line, signed, width
from pytest_relevance.results.case_parts import NEW, STALE
from pytest_relevance.results.case_result import SKIPPED, CaseResult
from pytest_relevance.results.differences import (
    NEWLY_FAILING,
    Means,
    ScorePair,
    Scores,
    differences_of,
    failure_kind,
    has_failed,
    means_of,
    score_pairs,
)
from pytest_relevance.results.differences import key_of as key_of_pair
from pytest_relevance.results.expectations import first_ranks
from pytest_relevance.results.rank_changes import Move

NOTHING_RETURNED = "nothing returned"

_YIELDS = {"effect": 4, "cases": 3, "95 % interval": 2, "p": 1, "p (Holm)": 1}
"""The columns of figures that are left out where there is little room, the highest number first."""

_Gains = dict[str, tuple[int, float]]
"""The rank (from 1) and the discounted gain of each document."""


@dataclass(frozen=True, slots=True)
class CaseChange:
    """What happened to one case: nDCG@k before (None without a baseline) and now, and the documents to name.

    `lost` is the document that costs most: of the accepted ranking the one whose discounted gain fell most, without a
    baseline the one with the largest loss. `on_top` is the result that a reader finds in its place: the result at rank
    1 where another one was accepted, else the first one that rose, or is new, at no lower rank than `lost` had; without
    a baseline the first result. Both are None where there is none, and have no first rank without a baseline.
    """

    result: CaseResult
    before: float | None
    after: float | None
    lost: Move | None = None
    on_top: Move | None = None

    @property
    def effect(self) -> float:
        """The weight times the change; without a baseline the weight times what is missing to 1."""
        if self.after is None:
            return -self.result.weight
        return self.result.weight * (self.after - (1.0 if self.before is None else self.before))

    @property
    def gained(self) -> Move | None:
        """The document in the top k whose discounted gain rose most since the baseline; None where none rose."""
        baseline = self.result.baseline
        if baseline is None or not baseline.documents:
            return None
        before, now = _discounted_gains(self.result)
        rises = [(gain - before.get(document, (0, 0.0))[1], -rank, document) for document, (rank, gain) in now.items()]
        rise, rank, document = max(rises, default=(0.0, 0, ""))
        return Move(document, first_ranks(baseline.documents).get(document), -rank) if rise > 0 else None


def case_change(result: CaseResult) -> CaseChange:
    """What happened to a case since its baseline, or what is wrong with it where it has none."""
    baseline = result.baseline
    if baseline is None or baseline.standing in (NEW, STALE) or not baseline.documents:
        before = None if baseline is None or baseline.standing == NEW else baseline.score
        losses = losses_of(result) if result.evaluation.judgments else ()
        worst = next((loss for loss in losses if loss.loss > 0 and loss.document is not None), None)
        lost = Move(worst.document, None, worst.rank) if worst is not None and worst.document is not None else None
        on_top = Move(result.ranking.documents[0], None, 1) if result.ranking.documents else None
        return CaseChange(result, before, result.score, lost, on_top)
    lost = _most_lost(result)
    lowest = lost.first if lost is not None and lost.first is not None else 1
    return CaseChange(result, baseline.score, result.score, lost, _risen(result, lowest))


def worst_first(results: Iterable[CaseResult]) -> list[CaseChange]:
    """The cases that failed or whose score fell, the newly failing first, then by weight times drop."""
    found = [case_change(result) for result in results if result.status != SKIPPED]
    chosen = [
        change for change in found if has_failed(change.result) or (change.before is not None and change.effect < 0)
    ]
    return sorted(chosen, key=lambda change: (not is_new_failure(change.result), change.effect))


def movers(results: Iterable[CaseResult], sign: int) -> list[CaseResult]:
    """The cases whose score fell (`sign` -1) or rose (1) since the baseline, by weight times change.

    So those with the greatest part in the change of the mean come first.
    """
    moved = [result for result in results if result.change * sign > LEAST]
    return sorted(moved, key=lambda result: -result.weight * result.change * sign)


def is_new_failure(result: CaseResult) -> bool:
    """Whether a case newly fails."""
    return has_failed(result) and failure_kind(result) == NEWLY_FAILING


def _most_lost(result: CaseResult) -> Move | None:
    """The document of the accepted ranking whose discounted gain fell most."""
    before, now = _discounted_gains(result)
    falls = [(gain - now.get(document, (0, 0.0))[1], -rank, document) for document, (rank, gain) in before.items()]
    fall, rank, document = max(falls, default=(0.0, 0, ""))
    return Move(document, -rank, result.ranking.rank_of(document)) if fall > 0 else None


def _risen(result: CaseResult, lowest: int) -> Move | None:
    """The first result down to the rank `lowest` that was lower, or absent, in the accepted ranking."""
    assert result.baseline is not None
    before = first_ranks(result.baseline.documents)
    moves = (
        Move(document, before.get(document), rank) for rank, document in enumerate(result.ranking.documents[:lowest], 1)
    )
    return next((move for move in moves if move.first is None or move.distance > 0), None)


def _discounted_gains(result: CaseResult) -> tuple[_Gains, _Gains]:
    """The discounted gains in the accepted ranking, and those in the present one."""
    assert result.baseline is not None
    accepted = GradedRanking([*result.baseline.grades], (), ())
    before = _discounted(result.baseline.documents, accepted, result)
    return before, _discounted(result.ranking.documents, result.graded, result)


def _discounted(documents: Sequence[str], graded: GradedRanking, result: CaseResult) -> _Gains:
    """The ranks and the discounted gains of the documents that nDCG@k scores.

    With `unjudged="skip"` the discount depends on its place among the judged results.
    """
    settings = result.conditions.settings
    scored = scored_indexes(graded, settings)[: result.conditions.k]
    found: _Gains = {}
    for index, discount in zip(scored, discount_table(settings.discount, len(scored)), strict=False):
        found.setdefault(documents[index], (index + 1, settings.gains[graded.grades[index]] / discount))
    return found


@dataclass(frozen=True, slots=True)
class Moved:
    """A row of a table of cases that moved, in the words of every report; texts of users are spans of the style `USER`.

    `before` and `after` are scores, `before` empty where there is none; `lost`, `on_top` and `gained` each name a
    document; `ranking` says how many documents are in another place.
    """

    name: str
    variant: str
    metric: str
    before: str
    after: str
    lost: Line = ()
    on_top: Line = ()
    gained: Line = ()
    ranking: str = ""

    @property
    def scores(self) -> str:
        """`0.764 -> 0.312`."""
        return f"{self.before} -> {self.after}" if self.before else self.after


def moved_case(change: CaseChange, variants: Sequence[Variant]) -> Moved:
    """The row of a case of a run: of one whose search failed, its error stands in the place of what was lost."""
    result, titles = change.result, change.result.texts.titles
    before = "" if change.before is None else score_text(change.before)
    after = result.status if change.after is None else score_text(change.after)
    lost, on_top = lost_spans(change.lost, titles), on_top_spans(change.on_top, titles)
    if result.call.error is not None:
        lost = ((result.call.error.headline, USER),)
    elif change.after is not None and not result.ranking.documents:
        on_top = ((NOTHING_RETURNED, PLAIN),)
    label, metric = short_label(result, variants), metric_of([result])
    gained = gained_spans(change.gained, titles)
    return Moved(case_label(result), label, metric, before, after, lost, on_top, gained)


def moved_table(title: str, rows: Sequence[Moved], *documents: str, total: int | None = None) -> Table:
    """`query | variant | nDCG@10 | lost | now on top | ranking`, without columns that are empty.

    `documents` are the titles of the columns that name one, of `lost`, `now on top`, `gained`. `total` is how many
    cases there are, by default those of `rows`.
    """
    total = len(rows) if total is None else total
    metrics = {row.metric for row in rows}
    metric = metrics.pop() if len(metrics) == 1 else None
    figures = [*([] if metric else [Column("metric")]), Column(metric or "score", RIGHT)]
    count = f"{len(rows):,} of {total:,}" if len(rows) < total else f"{total:,}"
    columns = [Column("query"), Column("variant"), *figures, *map(Column, documents), Column("ranking")]
    table = Table(columns, title=title and f"{title} ({count})")
    for row in rows:
        found = {"lost": row.lost, "now on top": row.on_top, "gained": row.gained}
        scores = [row.scores] if metric else [row.metric, row.scores]
        names = styled(row.name, USER), styled(row.variant, USER)
        table.add(*names, *scores, *(Cell(found[name]) for name in documents), row.ranking)
    return table


def means_table(
    names: Sequence[Column],
    rows: Iterable[tuple[Sequence[str], Means, Sequence[str]]],
    ends: tuple[str, str],
    titles: Sequence[str] = (),
) -> Table:
    """A row for each pair of means: names, cases, both means, change, further figures under `titles`, and counts.

    `ends` are the titles of the means.
    """
    heads = ("cases", *ends, "change", *titles, "better", "worse", "same")
    table = Table([*names, *(Column(head, RIGHT, yields=_YIELDS.get(head, 0)) for head in heads)])
    for texts, means, figures in rows:
        scores = score_text(means.first), score_text(means.second), signed(means.difference)
        counts = (f"{count:,}" for count in (means.better, means.worse, means.same))
        table.add(*texts, f"{means.queries:,}", *scores, *figures, *counts)
    return table


def lost_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """A document that fell, with its ranks: `Boots 1 -> gone`; nothing for no document."""
    if move is None:
        return ()
    if move.first is None:  # no baseline has it
        return _titled(move, titles, f" rank {move.second}" if move.second else " not returned")
    return _titled(move, titles, f" {move.first} -> {move.second or 'gone'}")


def gained_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """A document that rose, with its ranks: `Boots new -> 1`; nothing for no document."""
    return () if move is None else _titled(move, titles, f" {move.first or 'new'} -> {move.second}")


def on_top_spans(move: Move | None, titles: Mapping[str, str]) -> Line:
    """A document that rose, with its rank where that is not the first: `rank 4: Boots`; nothing for no document."""
    if move is None:
        return ()
    return ((f"rank {move.second}: " if move.second != 1 else "", PLAIN), *_titled(move, titles, ""))


def _titled(move: Move, titles: Mapping[str, str], place: str) -> Line:
    """The title of a document, or its id where it has none, and its place."""
    return (titles.get(move.document) or move.document, USER), (place, PLAIN)


MOST_TAGS = 8

Pair = tuple[CaseResult, CaseResult]

_WIDEST_TAG = 30
_ROOM_FOR_A_TITLE = 80
_INTERVAL = "95 % interval"


def tag_table(results: Sequence[CaseResult], variants: Sequence[Variant], most: int | None, columns: int) -> Table:
    """The mean of each tag in each variant, but not of the tags of a whole suite, which would repeat its line."""
    tags = _tags(results)
    shown = dict([*tags.items()][:most])
    for_tag = 2 + min(max(len("by tag") - 2, *map(width, shown), 0), _WIDEST_TAG)
    figures = FigureColumns(variants, columns - for_tag - 28)
    cases_column = Column(gap=3, yields=1)
    table = Table([Column("by tag", most=for_tag, is_code=True), *figures.columns, cases_column])
    for tag, tagged in shown.items():
        unmet = case_count(result for result in tagged if result.status in NOT_PASSED)
        cases = counted(case_count(tagged), "case") + (f", {unmet} not passed" if unmet else "")
        table.add(f"  {tag}", *figures.cells(means_by_variant(tagged)), cases)
    if more := len(tags) - len(shown):
        table.note, table.hint = f"  ... {counted(more, 'more tag')}", MORE_HINT
    return table


def tag_change_table(results: Sequence[CaseResult], variants: Sequence[Variant], most: int | None) -> Table:
    """How the mean of each tag changed since the baseline in each variant, the largest drop first.

    The means and the counts are over the cases that have a score now and in the baseline.
    """
    rows = []
    for tag, tagged in _by_tag(results).items():
        for variant, cases in grouped(tagged, variant_of).items():
            if pairs := score_pairs(cases):
                change = means_of(pairs)
                rows.append((change.difference, tag, variant_label(variant, variants), change))
    rows.sort(key=lambda row: row[:3])
    several = len(variants) > 1
    names = [Column(f"by tag ({metric_of(results)})", is_code=True), *([Column("variant", is_code=True)] * several)]
    shown = (((tag, *([variant_name] * several)), change, ()) for _, tag, variant_name, change in rows[:most])
    table = means_table(names, shown, ("before", "after"))
    if more := len(rows) - len(table.rows):
        table.note = f"... {counted(more, 'more row' if several else 'more tag')}"
    return table


def _by_tag(results: Sequence[CaseResult]) -> dict[str, list[CaseResult]]:
    """The results by tag, without the tags of a whole suite."""
    by_tag: dict[str, list[CaseResult]] = {}
    for result in results:
        for tag in result.tags:
            by_tag.setdefault(tag, []).append(result)
    sizes = Counter(result.file for result in results)
    return {tag: tagged for tag, tagged in by_tag.items() if not _is_whole(tagged, sizes)}


def _tags(results: Sequence[CaseResult]) -> dict[str, list[CaseResult]]:
    """The results by tag: those with the most cases that did not pass first, then those with the lowest mean."""
    found = _by_tag(results)

    def order(tag: str) -> tuple[int, float, str]:
        unmet = case_count(result for result in found[tag] if result.status in NOT_PASSED)
        return -unmet, min(means_by_variant(found[tag]).values(), default=2), tag

    return {tag: found[tag] for tag in sorted(found, key=order)}


def _is_whole(tagged: Sequence[CaseResult], sizes: Mapping[str, int]) -> bool:
    """Whether a tag's cases are all those of the run, or of one suite."""
    files = {result.file for result in tagged}
    return len(tagged) == sum(sizes.values()) or [len(tagged)] == [sizes[file] for file in files]


class FigureColumns:
    """A column of figures for each variant; where these do not fit, the lowest and the highest with their variants."""

    def __init__(self, variants: Sequence[Variant], room: int) -> None:
        self._labels = {variant: cut(variant_label(variant, variants), WIDEST_VARIANT) for variant in variants}
        titles = [*self._labels.values()] if len(variants) > 1 else [""] * len(variants)
        self.columns = [Column(title, RIGHT, at_least=5, has_user_title=True) for title in titles]
        self._fits = Table(self.columns).width() <= room
        if not self._fits:
            label = Column(None, gap=1, at_least=max(map(width, titles)), is_code=True)
            self.columns = [Column("lowest and highest"), label, Column(None, gap=3), label]

    def cells(self, figures: Mapping[Variant, float]) -> list[str]:
        """The figures of a row."""
        if self._fits:
            return [score_text(figures.get(variant)) for variant in self._labels]
        if not figures:
            return ["n/a", "", "", ""]
        ends = (min(figures, key=figures.__getitem__), max(figures, key=figures.__getitem__))
        return [text for variant in ends for text in (score_text(figures[variant]), self._labels[variant])]


def variant_tables(
    results: Sequence[CaseResult], variants: Sequence[Variant], most: int | None, columns: int
) -> list[Table]:
    """The queries on which variants differ most, and each variant against the first; none for a single variant."""
    if len(variants) < 2:
        return []
    return [_side_by_side(results, variants, most, columns), against_first_table(results, variants)]


def _side_by_side(results: Sequence[CaseResult], variants: Sequence[Variant], most: int | None, columns: int) -> Table:
    """A table with one row for each query and one column for each variant, the widest apart first."""
    cases = grouped(results, key_of)
    means = {key: means_by_variant(case) for key, case in cases.items()}
    spread = {key: max(found.values()) - min(found.values()) for key, found in means.items() if len(found) > 1}
    order = sorted((key for key, apart in spread.items() if apart > LEAST), key=lambda key: (-spread[key], key))
    shown = [(case_label(cases[key][0]), means[key]) for key in order[:most]]
    title = "side by side, the widest apart first" if columns >= _ROOM_FOR_A_TITLE else "side by side"
    widest = min(max([len(title), *(2 + width(harmless(query)) for query, _ in shown)]), 42)
    figures = FigureColumns(variants, columns - widest - 2)
    table = Table([Column(title, most=42, least=8, is_code=True), *figures.columns])
    for query, found in shown:
        table.add(f"  {query}", *figures.cells(found))
    return table


def against_first_table(results: Sequence[CaseResult], variants: Sequence[Variant]) -> Table:
    """A row for each variant but the first: its mean difference from the first, with a significance test.

    Only cases with a score in both count.
    """
    groups = grouped((result for result in results if result.score is not None), variant_of)
    scored = {variant: {key_of(result): result for result in group} for variant, group in groups.items()}
    first, *others = variants
    compared: dict[Variant, list[Pair]] = {}
    for other in others:
        before, after = scored.get(first, {}), scored.get(other, {})
        if pairs := [(before[key], result) for key, result in after.items() if key in before]:
            compared[other] = pairs
    return _against(first, compared, variants) if compared else Table([])


def _against(first: Variant, compared: Mapping[Variant, Sequence[Pair]], variants: Sequence[Variant]) -> Table:
    rows = differences_of(
        Scores(
            f"  {variant_label(variant, variants)}",
            "nDCG@k",
            [ScorePair(key_of_pair(two), one.score or 0.0, two.score or 0.0, two.weight) for one, two in pairs],
        )
        for variant, pairs in compared.items()
    )
    heads = ("change", _INTERVAL, "p" if len(rows) == 1 else "p (Holm)", "better", "worse", "same")
    title = f"against {variant_label(first, variants)}"
    name = Column(title, least=8, is_code=True, has_user_title=True)
    table = Table([name, *(Column(head, RIGHT, yields=head == _INTERVAL) for head in heads)])
    for row in rows:
        means, p = row.means, row.adjusted_p
        style = (GOOD if means.difference > 0 else BAD) if p <= SIGNIFICANT else PLAIN
        change, counts = styled(signed(means.difference), style), (means.better, means.worse, means.same)
        interval = f"{signed(row.low)} to {signed(row.high)}"
        table.add(row.variant or "", change, interval, p_text(p), *(f"{n:,}" for n in counts))
    return table
