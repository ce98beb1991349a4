"""A comparison of two runs as Markdown, for the comment of a pull request or the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.comparison_text import MOST_SHOWN
from pytest_relevance.reports.comparison_words import (
    change,
    drops_shown,
    effect,
    first_of,
    gates_met,
    grade_and_ranks,
    moves,
    name_of,
    new_errors,
    p_value,
    rank_counts,
    score,
    settings_lines,
    tag_rows,
    tag_titles,
    verdict,
)
from pytest_relevance.reports.markdown import code, table
from pytest_relevance.results.compare.comparison import Compared
from pytest_relevance.results.compare.differences import Means
from pytest_relevance.results.compare.movers import Mover
from pytest_relevance.results.compare.thresholds import Ruling

_MEANS = ("cases", "first", "second", "change")
_COUNTS = ("better", "worse", "same")


def markdown_lines(comparison: Compared, *, limit: int | None = MOST_SHOWN, ruling: Ruling | None = None) -> list[str]:
    """The report: the verdict first, then figures and movers. The arguments are those of `comparison_lines`."""
    movers = comparison.largest(limit, drops_shown(limit, ruling))
    return [
        f"### {code(comparison.first)} -> {code(comparison.second)}",
        "",
        *_verdict(comparison, ruling),
        "",
        *_figures(comparison),
        *_tags(comparison, limit),
        *_movers("Largest drops", movers.drops, is_drop=True),
        *_movers("Largest gains", movers.gains, is_drop=False),
        "",
        *_facts(comparison),
    ]


def _verdict(comparison: Compared, ruling: Ruling | None) -> Iterable[str]:
    for row in comparison.metrics:
        yield f"- **{verdict(row, code)[0]}**"
    if ruling is None:
        yield from (f"- {code(text)}" for text in (new_errors(comparison),) if text)
        return
    for finding in ruling.findings:
        yield f"- {'met' if finding.is_met else '**not met**'}: {code(finding.text)}"
    yield from (f"- **{text}**" for text in (gates_met(ruling),) if text)


def _figures(comparison: Compared) -> list[str]:
    head = (*_MEANS, "95 % interval", "p", "p (Holm)", "effect", *_COUNTS)
    rows = [
        (
            *_means(row.means),
            f"{change(row.low)} to {change(row.high)}",
            p_value(row.p).replace("<", "&lt; "),
            p_value(row.adjusted_p).replace("<", "&lt; "),
            effect(row.effect),
            *_counts(row.means),
        )
        for row in comparison.metrics
    ]
    return _table("metric", [(row.metric, row.variant) for row in comparison.metrics], head, rows)


def _tags(comparison: Compared, limit: int | None) -> Iterable[str]:
    rows = tag_rows(comparison)
    if not rows:
        return
    shown = rows[:limit]
    yield ""
    title, tags = tag_titles(shown)
    names = [(code(tag, in_cell=True), row.variant) for tag, row in zip(tags, shown, strict=True)]
    cells = [(*_means(row.means), *_counts(row.means)) for row in shown]
    yield from _table(title, names, (*_MEANS, *_COUNTS), cells)
    if more := len(rows) - len(shown):
        yield from ("", f"... and {counted(more, 'more tag')}")


def _table(
    title: str, names: Sequence[tuple[str, str | None]], head: Sequence[str], cells: Sequence[Sequence[str]]
) -> list[str]:
    """A table of figures, with a column for the variants where there are any."""
    if all(variant is None for _, variant in names):
        return table((title, *head), [(name, *row) for (name, _), row in zip(names, cells, strict=True)])
    shown = [(name, "" if variant is None else code(variant, in_cell=True)) for name, variant in names]
    return table((title, "variant", *head), [(*name, *row) for name, row in zip(shown, cells, strict=True)], texts=2)


def _means(means: Means) -> Sequence[str]:
    return f"{means.queries:,}", score(means.first), score(means.second), change(means.difference)


def _counts(means: Means) -> Sequence[str]:
    return f"{means.better:,}", f"{means.worse:,}", f"{means.same:,}"


def _movers(title: str, movers: Sequence[Mover], *, is_drop: bool) -> Iterable[str]:
    if not movers:
        return
    yield ""
    rows = [
        (
            code("".join(name_of(mover)), in_cell=True),
            "<br>".join(_moves(mover, is_drop=is_drop)),
            f"{score(mover.first)} -> {score(mover.second)}",
            change(mover.difference),
            f"{mover.changes.jaccard:.2f}",
            f"{mover.changes.rbo:.2f}",
        )
        for mover in movers
    ]
    metrics = {mover.metric for mover in movers}
    metric = metrics.pop() if len(metrics) == 1 else "nDCG@k"
    yield from table((title, "what changed", metric, "change", "Jaccard", "RBO"), rows, texts=2)


def _moves(mover: Mover, *, is_drop: bool) -> Iterable[str]:
    yield rank_counts(mover)
    for word, found in moves(mover, is_drop=is_drop):
        shown, more = first_of(found)
        parts = [f"{code(move.document, in_cell=True)} ({grade_and_ranks(move)})" for move in shown]
        yield f"{word}: {', '.join([*parts, *([f'{more} more'] if more else [])])}"


def _facts(comparison: Compared) -> Iterable[str]:
    yield (f"{counted(len(comparison), 'case')} compared; " + "; ".join(settings_lines(comparison)) + ".")
    if comparison.notes:
        yield ""
    yield from (f"- {code(note)}" for note in comparison.notes)
