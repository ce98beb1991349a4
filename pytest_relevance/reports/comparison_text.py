"""A comparison of two runs as text: figures, tags, the biggest movers with their rank changes, the verdict in words.

At most 100 columns, but for words of users that are longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import counted
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
from pytest_relevance.reports.text import (
    BAD,
    DIM,
    GOOD,
    PLAIN,
    STRONG,
    WIDEST,
    Line,
    cut,
    cut_middle,
    fit,
    folded,
    harmless,
    line,
    pad,
    width,
    wrapped,
)
from pytest_relevance.results.compare.comparison import Compared
from pytest_relevance.results.compare.differences import Means
from pytest_relevance.results.compare.movers import Mover
from pytest_relevance.results.compare.thresholds import Ruling

MOST_SHOWN = 5
"""How many movers of a kind, and tags, are shown unless more are asked for."""

_WIDEST_NAME, _WIDEST_ID, _LEAST_QUERY = 30, 40, 20

_MEANS = ("cases", "first", "second", "change")
_COUNTS = ("better", "worse", "same")


def comparison_lines(
    comparison: Compared, *, limit: int | None = MOST_SHOWN, ruling: Ruling | None = None
) -> list[Line]:
    """The report. `limit` of each list, None for all; `ruling` is what gates say, and then the last word."""
    movers = comparison.largest(limit, drops_shown(limit, ruling))
    return [
        *_head(comparison),
        *_figures(comparison),
        *_tags(comparison, limit),
        *_movers("largest drops", movers.drops, is_drop=True),
        *_movers("largest gains", movers.gains, is_drop=False),
        *_notes(comparison),
        *_verdict(comparison, ruling),
    ]


def _head(comparison: Compared) -> Iterable[Line]:
    names = f"{harmless(comparison.first)} -> {harmless(comparison.second)}"
    reordered = sum(what in ("ranking", "both") for what in comparison.changed)
    facts = [f"{counted(len(comparison), 'case')} compared", f"{reordered:,} with another ranking"]
    yield from (line(text, STRONG) for text in wrapped(f"{names}   ", facts))
    yield from (line(text, DIM) for text in settings_lines(comparison))


def _figures(comparison: Compared) -> list[Line]:
    """A row a variant and metric."""
    rows = comparison.metrics
    is_adjusted = any(row.p != row.adjusted_p for row in rows if row.p == row.p)
    head = (*_MEANS, "95 % interval", "p (Holm)" if is_adjusted else "p", "effect", *_COUNTS)
    cells = [
        (
            *_means(row.means),
            f"{change(row.low)} to {change(row.high)}",
            p_value(row.adjusted_p),
            effect(row.effect),
            *_counts(row.means),
        )
        for row in rows
    ]
    names = [(row.metric, row.variant or "") for row in rows]
    return [line(""), *_table(("metric", "variant"), names, head, cells)]


def _tags(comparison: Compared, limit: int | None) -> list[Line]:
    rows = tag_rows(comparison)
    if not rows:
        return []
    shown = rows[:limit]
    title, tags = tag_titles(shown)
    names = [(tag, row.variant or "") for tag, row in zip(tags, shown, strict=True)]
    cells = [(*_means(row.means), *_counts(row.means)) for row in shown]
    lines = [line(""), *_table((title, "variant"), names, (*_MEANS, *_COUNTS), cells)]
    if more := len(rows) - len(shown):
        lines.append(line(f"... and {counted(more, 'more tag')}", DIM))
    return lines


def _means(means: Means) -> Sequence[str]:
    return f"{means.queries:,}", score(means.first), score(means.second), change(means.difference)


def _counts(means: Means) -> Sequence[str]:
    return f"{means.better:,}", f"{means.worse:,}", f"{means.same:,}"


def _table(
    texts: Sequence[str], names: Sequence[Sequence[str]], head: Sequence[str], cells: Sequence[Sequence[str]]
) -> list[Line]:
    """Aligned columns under their heads: names, which are cut to the room there is, and figures."""
    for_figures = [max(map(len, column)) for column in zip(head, *cells, strict=True)]
    used = [place for place in range(len(texts)) if any(name[place] for name in names)]
    room = WIDEST - sum(2 + columns for columns in for_figures) - 2 * (len(used) - 1)
    shown = [[harmless(name[place]) for place in used] for name in names]
    widest = max(8, min(_WIDEST_NAME, room // len(used)))
    for_names = [
        min(widest, max(width(texts[place]), *(width(name[number]) for name in shown)))
        for number, place in enumerate(used)
    ]
    lines = []
    for row, figures, style in zip(
        [[texts[place] for place in used], *shown], [head, *cells], [STRONG] + [PLAIN] * len(cells), strict=True
    ):
        words = [fit(name, columns) for name, columns in zip(row, for_names, strict=True)]
        aligned = [f"{figure:>{columns}}" for figure, columns in zip(figures, for_figures, strict=True)]
        lines.append(line("  ".join([*words, *aligned]), style))
    return lines


def _movers(title: str, movers: Sequence[Mover], *, is_drop: bool) -> Iterable[Line]:
    if not movers:
        return
    metric = f" ({movers[0].metric})" if len({mover.metric for mover in movers}) == 1 else ""
    yield line("")
    yield line(title + metric, STRONG)
    names = [(harmless(query), harmless(behind)) for query, behind in map(name_of, movers)]
    figures = [f"  {change(mover.difference):>6}  {score(mover.first)} -> {score(mover.second)}  " for mover in movers]
    if not metric:
        figures = [f"{text}{mover.metric}  " for text, mover in zip(figures, movers, strict=True)]
    alike = [_alike(mover) for mover in movers]
    room = WIDEST - max(map(len, figures)) - max(map(len, alike))
    columns = min(max(width("".join(name)) for name in names), max(room, _LEAST_QUERY))
    for mover, name, figure, likeness in zip(movers, names, figures, alike, strict=True):
        yield (figure, BAD if is_drop else GOOD), (_fitted(*name, columns), PLAIN), (likeness, DIM)
        for word, found in moves(mover, is_drop=is_drop):
            shown, more = first_of(found)
            parts = [f"{cut_middle(harmless(move.document), _WIDEST_ID)} ({grade_and_ranks(move)})" for move in shown]
            if more:
                parts.append(f"{more} more")
            yield from map(line, wrapped(f"          {word:<5}  ", parts))


def _fitted(query: str, behind: str, columns: int) -> str:
    """A query and what is behind it in exactly so many columns; the query is cut first."""
    room = columns - width(behind)
    return pad(cut(query, room) + behind if room >= _LEAST_QUERY // 2 else cut(query + behind, columns), columns)


def _alike(mover: Mover) -> str:
    changes = mover.changes
    return f"  {rank_counts(mover)}, Jaccard {changes.jaccard:.2f}, RBO {changes.rbo:.2f}"


def _notes(comparison: Compared) -> Iterable[Line]:
    if comparison.notes:
        yield line("")
    for note in comparison.notes:
        yield from (line(text, DIM) for text in folded(harmless(note), indent="  "))


def _verdict(comparison: Compared, ruling: Ruling | None) -> Iterable[Line]:
    """What the figures say in words; what gates say comes last."""
    yield line("")
    for row in comparison.metrics:
        text, style = verdict(row)
        yield from (line(part, style) for part in folded(text, indent="  "))
    if ruling is None:
        yield from (line(part, BAD) for part in folded(new_errors(comparison), indent="  ") if part)
        return
    for finding in ruling.findings:
        text = f"{'met' if finding.is_met else 'NOT MET'}: {harmless(finding.text)}"
        yield from (line(part, GOOD if finding.is_met else BAD) for part in folded(text, indent="  "))
    yield from (line(text, GOOD if ruling.passed else BAD) for text in (gates_met(ruling),) if text)
