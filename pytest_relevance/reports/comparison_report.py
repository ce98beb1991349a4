"""The report of a comparison of two runs: as lines for a terminal, and as the sections of Markdown.

Markdown begins with one sentence, what became of each metric, and the gates; the cases that moved most and further
tables follow, each a section that is left out as a whole where the report is longer than allowed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

from pytest_relevance._text import case_name, counted, harmless, p_text, score_text
from pytest_relevance.metrics.names import largest_score, parse_metric
from pytest_relevance.reports.blocks import (
    RIGHT,
    Column,
    Section,
    Table,
    code,
    heading,
    span,
    styled,
    table_sections,
    title_room,
)
from pytest_relevance.reports.failure import settings_text
from pytest_relevance.reports.reasons import move_text
from pytest_relevance.reports.run.baseline import BETTER, BROKEN, FINE, NOTHING, WORSE, Headline
from pytest_relevance.reports.run.changes import (
    NOTHING_RETURNED,
    Moved,
    gained_spans,
    lost_spans,
    means_table,
    moved_table,
    on_top_spans,
)
from pytest_relevance.reports.run.gates import finding_text
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    GOOD,
    PLAIN,
    SIGNIFICANT,
    STRONG,
    WIDEST,
    Line,
    folded_lines,
    line,
    signed,
    wrapped,
)
from pytest_relevance.results.compare.comparison import Compared, Mover, Movers, TagDifference
from pytest_relevance.results.compare.pairing import some_cases
from pytest_relevance.results.differences import TIE, Difference
from pytest_relevance.results.gates import ComparisonGates
from pytest_relevance.results.rank_changes import Move
from pytest_relevance.results.records.run_info import changes_text
from pytest_relevance.results.scoring import asked_text

MOST_SHOWN = 5
"""How many movers of a kind, and tags, are shown unless more are asked for."""

_MOST_DOCUMENTS = 3
_MOST_DROPS = 50


def comparison_lines(
    comparison: Compared, *, limit: int | None = MOST_SHOWN, gates: ComparisonGates | None = None, width: int = WIDEST
) -> list[Line]:
    """The report, at most `width` terminal columns wide, with at most `limit` entries of each list, None for all.

    What `gates` found comes last.
    """
    names = f"{harmless(comparison.first)} -> {harmless(comparison.second)}"
    counts = [f"{counted(len(comparison), 'case')} compared", f"{comparison.changed_rankings:,} with another ranking"]
    lines = [line(text, STRONG) for text in wrapped(f"{names}   ", counts, width)]
    for text in settings_texts(comparison):
        lines += folded_lines(text, DIM, width)
    if searched := changes_text(comparison.fingerprint):
        lines += folded_lines(f"searched: {searched}", columns=width, indent="  ")
    lines += [line(""), *metric_table(comparison).lines(width)]
    if tags := tag_table(comparison, limit).lines(width):
        lines += [line(""), *tags]
    movers = chosen_movers(comparison, limit, gates)
    lines += [*_mover_lines("largest drops", movers.drops, width, is_drop=True)]
    lines += [*_mover_lines("largest gains", movers.gains, width, is_drop=False)]
    if comparison.notes:
        lines.append(line(""))
    for note in comparison.notes:
        lines += folded_lines(note, DIM, width, "  ")
    return [*lines, line(""), *_verdict_lines(comparison, gates, width)]


def settings_texts(comparison: Compared) -> list[str]:
    """The settings that the scores were computed with, and the depths that were set, where metrics depend on them."""
    depths = f", depth {asked_text(comparison.depths)}" if comparison.depths else ""
    return [f"{text}{depths}" for text in dict.fromkeys(settings_text(settings) for settings in comparison.settings)]


def metric_table(comparison: Compared, *, all_p_values: bool = False) -> Table:
    """The figures of each variant and metric; `all_p_values` shows both where a terminal has room for one."""
    rows = comparison.metrics
    is_adjusted = any(row.p != row.adjusted_p for row in rows if row.p == row.p)
    titles = ("p", "p (Holm)") if all_p_values else ("p (Holm)" if is_adjusted else "p",)
    named = []
    for row in rows:
        interval = f"{signed(row.low)} to {signed(row.high)}"
        p_values = map(p_text, (row.p, row.adjusted_p)[-len(titles) :])
        effect = "n/a" if math.isnan(row.effect) else f"{row.effect:+.2f}"
        named.append((row.metric, row, (interval, *p_values, effect)))
    return _table(Column("metric", most=30, least=8), named, ("95 % interval", *titles, "effect"))


def tag_table(comparison: Compared, limit: int | None) -> Table:
    """The figures of the first `limit` tags, with a note about further tags."""
    rows = _tag_rows(comparison)
    metrics = {row.metric for row in rows[:limit]}
    named = [(row.tag if len(metrics) == 1 else f"{row.tag} ({row.metric})", row, ()) for row in rows[:limit]]
    title = f"by tag ({metrics.pop()})" if len(metrics) == 1 else "by tag"
    table = _table(Column(title, most=30, least=8, is_code=True), named)
    if more := len(rows) - len(named):
        table.note = f"... and {counted(more, 'more tag')}"
    return table


def _tag_rows(comparison: Compared) -> list[TagDifference]:
    """The rows by tag of each variant's first metric, without the tags that all of its cases have.

    The rows of every metric where each is the score of some cases alone: the nDCG@k of several k.
    """
    is_shared = comparison.has_shared_metrics
    cases = {(row.variant, row.metric): row.means.queries for row in reversed(comparison.metrics)}
    first = {row.variant: row.metric for row in reversed(comparison.metrics)}
    return [
        row
        for row in comparison.by_tag
        if (not is_shared or row.metric == first[row.variant]) and row.means.queries < cases[row.variant, row.metric]
    ]


def _table(
    name: Column, rows: Sequence[tuple[str, Difference | TagDifference, Sequence[str]]], titles: Sequence[str] = ()
) -> Table:
    """A table of means, with further figures under `titles`, and a column for the variants where there are any."""
    has_variants = any(row.variant is not None for _, row, _ in rows)
    names = [name, Column("variant", most=30, least=8, is_code=True)] if has_variants else [name]
    shown = (((text, *([row.variant or ""] * has_variants)), row.means, figures) for text, row, figures in rows)
    return means_table(names, shown, ("first", "second"), titles)


def chosen_movers(comparison: Compared, limit: int | None, gates: ComparisonGates | None) -> Movers:
    """The largest drops and gains; also the drops that a gate does not allow, up to a bound."""
    if limit is None or gates is None:
        return comparison.largest(limit)
    return comparison.largest(limit, max(limit, min(len(gates.drops), _MOST_DROPS)))


def _mover_lines(title: str, movers: Sequence[Mover], columns: int, *, is_drop: bool) -> Iterator[Line]:
    if not movers:
        return
    metric = shared_metric(movers)
    yield line("")
    yield line(title if metric is None else f"{title} ({metric})", STRONG)
    names = (Column(least=20, wants=30), Column(gap=1, least=20))
    table = Table([Column(align=RIGHT), Column(), Column(), *names, Column(yields=1)], indent=2)
    for mover in movers:
        figures = (signed(mover.difference), f"{score_text(mover.first)} -> {score_text(mover.second)}")
        style = BAD if is_drop else GOOD
        cells = [styled(text, style) for text in (*figures, mover.metric if metric is None else "")]
        similarity = f"{mover.counts}, Jaccard {mover.changes.jaccard:.2f}, RBO {mover.changes.rbo:.2f}"
        _, case, variant = mover.key
        name = (case_name(case, mover.query), "" if variant is None else f"[{variant}]")
        table.add(*cells, *name, styled(similarity, DIM))
    for shown, mover in zip(table.lines(columns), movers, strict=True):
        yield shown
        for word, documents in _moves(mover, title_room(columns), is_drop=is_drop):
            yield from map(line, wrapped(f"          {word:<5}  ", documents, columns))


def mover_table(title: str, comparison: Compared, movers: Sequence[Mover], *, is_drop: bool) -> Table:
    """The table of the largest drops or gains of a comparison, of how many."""
    total = sum((-change if is_drop else change) > TIE for change in comparison.changes)
    return moved_table(
        title, [*map(_moved_row, movers)], *(("lost", "now on top") if is_drop else ("gained",)), total=total
    )


def _moved_row(mover: Mover) -> Moved:
    _, case, variant = mover.key
    lost, on_top = lost_spans(mover.most_lost, mover.titles), on_top_spans(mover.now_on_top, mover.titles)
    if not mover.changes.entered and mover.changes.jaccard == 0:
        on_top = ((NOTHING_RETURNED, PLAIN),)
    scores = score_text(mover.first), score_text(mover.second)
    names = case_name(case, mover.query), variant or "", mover.metric
    return Moved(*names, *scores, lost, on_top, gained_spans(mover.most_gained, mover.titles), mover.counts)


def _verdict_lines(comparison: Compared, gates: ComparisonGates | None, columns: int) -> Iterator[Line]:
    """The result of each metric in words, then the findings of the gates."""
    texts = [verdict(row) for row in comparison.metrics]
    if gates is None:
        texts.append((new_errors_text(comparison), BAD))
    else:
        texts += [
            (f"met: {finding_text(finding)}", GOOD) if finding.is_met else (f"NOT MET: {finding_text(finding)}", BAD)
            for finding in gates.findings
        ]
        texts.append((gates_text(gates), GOOD if gates.passed else BAD))
    for text, style in texts:
        if text:
            yield from folded_lines(text, style, columns, "  ")


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
    tested = f"({signed(means.difference)}, p {p_text(row.adjusted_p)})"
    how = "fell" if means.difference < -TIE else "rose" if means.difference > TIE else "stayed the same"
    if row.adjusted_p <= SIGNIFICANT:
        return f"{name} {how} {figures} {tested} {over}", BAD if means.difference < 0 else GOOD
    return f"{name} {how} {figures} {tested} {over}: no more than chance would do", PLAIN


def new_errors_text(comparison: Compared) -> str:
    """The cases that ended in an error in the second run alone, in words; empty where there are none."""
    new = [error for error in comparison.errors if error.is_new]
    return f"{counted(len(new), 'case')} ended in an error, and in none before: {some_cases(new)}" if new else ""


def gates_text(gates: ComparisonGates) -> str:
    """How many gates are not met; empty where there are no gates."""
    unmet = sum(not finding.is_met for finding in gates.findings)
    if unmet:
        return f"{unmet} of {counted(len(gates.findings), 'gate')} not met"
    return "all gates met" if gates.findings else ""


def shared_metric(movers: Iterable[Mover]) -> str | None:
    """The metric of all movers; None where they have several."""
    metrics = {mover.metric for mover in movers}
    return metrics.pop() if len(metrics) == 1 else None


def _moves(mover: Mover, longest: int, *, is_drop: bool) -> list[tuple[str, list[str]]]:
    """The rank changes that explain a drop or a gain, by kind: `("lost", ["sku-1 (grade 3, was rank 1)"])`.

    Relevant documents come first, then the others. Titles are cut to `longest` columns.
    """
    shifted = [move for move in mover.shifted if (move.distance < 0) == is_drop]
    kinds: dict[str, Sequence[Move]]
    if is_drop:
        entered = [move for move in mover.changes.entered if move not in mover.found]
        kinds = {"lost": mover.lost, "down": shifted, "new": entered}
    else:
        left = [move for move in mover.changes.left if move not in mover.lost]
        kinds = {"found": mover.found, "up": shifted, "gone": left}
    return [(word, _first_of(found, mover.titles, longest)) for word, found in kinds.items() if found]


def _first_of(found: Sequence[Move], titles: Mapping[str, str], longest: int) -> list[str]:
    """A few of the documents, and how many more there are; one more is named, as that takes no more room."""
    first = found if len(found) <= _MOST_DOCUMENTS + 1 else found[:_MOST_DOCUMENTS]
    more = [f"{len(found) - len(first)} more"] if len(found) > len(first) else []
    return [*(move_text(move, titles, longest) for move in first), *more]


NOTABLE = 0.05
"""By how much more the score of a query must have changed to be counted in the sentence."""


def comparison_sections(
    comparison: Compared, *, limit: int | None = MOST_SHOWN, gates: ComparisonGates | None = None
) -> Iterator[Section]:
    """The sections of the report, the most important first.

    Each list has at most `limit` entries, None for all. The first section has the sentence.
    """
    yield Section("\n".join(_first(comparison, gates)), "the summary")
    movers = chosen_movers(comparison, limit, gates)
    tables = (
        ("the largest drops", mover_table("Largest drops", comparison, movers.drops, is_drop=True)),
        ("the largest gains", mover_table("Largest gains", comparison, movers.gains, is_drop=False)),
        ("the metrics", metric_table(comparison, all_p_values=True)),
        ("the tags", tag_table(comparison, limit)),
    )
    yield from table_sections(tables)
    scored = [f"{counted(len(comparison), 'case')} compared; {'; '.join(settings_texts(comparison))}."]
    notes = ["", *(f"- {span(note)}" for note in comparison.notes)] if comparison.notes else []
    yield Section("\n".join([*scored, *notes]), "the settings and notes")


def comparison_headline(comparison: Compared, gates: ComparisonGates | None = None) -> Headline:
    """The sentence about a comparison: `Search got worse: 44 cases fell by more than 0.05`.

    The first of these that holds: nothing can be compared, the mean of the first metric fell significantly in any
    variant, cases are an error in the second run alone, gates are not met, the mean rose significantly, no score
    changed; else the change is not significant.
    """
    rows = [*{row.variant: row for row in reversed(comparison.metrics)}.values()]
    if not any(row.means.queries for row in rows):
        return Headline("No case has a score in both runs", NOTHING)
    tested = [row.means.difference for row in rows if row.adjusted_p <= SIGNIFICANT]
    fell, rose = _moved(comparison, -1), _moved(comparison, 1)
    by = f" by more than {NOTABLE:g}" if _is_bounded(comparison) else ""
    new = sum(error.is_new for error in comparison.errors)
    unmet = 0 if gates is None else sum(not finding.is_met for finding in gates.findings)
    if any(difference < 0 for difference in tested):
        how = f"{counted(fell, 'case')} fell{by}" if fell else "the mean fell"
        return Headline(f"Search got worse: {how}", WORSE)
    if new:
        return Headline(f"{counted(new, 'case')} could not be scored, and could before", BROKEN)
    if unmet:
        return Headline(f"Search got worse: {counted(unmet, 'gate is', 'gates are')} not met", WORSE)
    if tested and all(difference > 0 for difference in tested):
        how = f"{counted(rose, 'case')} rose{by}" if rose else "the mean rose"
        return Headline(f"Search got better: {how}", BETTER)
    if not any(row.means.better + row.means.worse for row in rows):
        return Headline("No score changed", FINE)
    if not (fell or rose):
        return Headline(f"No significant change: no case changed{by}", FINE)
    return Headline(f"No significant change: {counted(fell, 'case')} fell{by}, {rose:,} rose", FINE)


def _moved(comparison: Compared, sign: int) -> int:
    """How many cases fell (`sign` -1) or rose (1) notably, in whatever variants."""
    least = TIE + (NOTABLE if _is_bounded(comparison) else 0.0)
    indexes = [index for index, change in enumerate(comparison.changes) if sign * change > least]
    return len({comparison.key(index)[:2] for index in indexes})


def _is_bounded(comparison: Compared) -> bool:
    """Whether the scores by which single cases are compared are from 0 to 1; DCG and CG are not."""
    return all(largest_score(parse_metric(name)) <= 1 for name in comparison.names[:1])


def _first(comparison: Compared, gates: ComparisonGates | None) -> Iterator[str]:
    """The sentence, what was compared, and the result of each metric and gate."""
    said = comparison_headline(comparison, gates)
    yield heading(said.text, said.mark)
    yield ""
    yield f"- {span(comparison.first)} -> {span(comparison.second)}, {counted(len(comparison), 'case')} compared"
    for row in comparison.metrics:
        yield f"- **{verdict(row, code)[0]}**"
    if gates is None:
        if errors := new_errors_text(comparison):
            yield f"- {span(errors)}"
    else:
        for finding in gates.findings:
            yield f"- {'met' if finding.is_met else '**not met**'}: {span(finding_text(finding))}"
        if text := gates_text(gates):
            yield f"- **{text}**"
    if searched := changes_text(comparison.fingerprint):
        yield f"- searched: {span(searched)}"
