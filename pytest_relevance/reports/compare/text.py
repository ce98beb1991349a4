"""A comparison of two runs as text: figures, tags, the biggest movers with their rank changes, the verdict in words.

At most 100 columns wide, except for words of users that are longer.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.compare import words
from pytest_relevance.reports.figures import score_text, signed
from pytest_relevance.reports.table import RIGHT, Column, Table, styled
from pytest_relevance.reports.text import BAD, DIM, GOOD, STRONG, Line, cut_middle, folded, harmless, line, wrapped
from pytest_relevance.results.compare.comparison import Compared, ComparisonGates, Mover

MOST_SHOWN = 5
"""How many movers of a kind, and tags, are shown unless more are asked for."""

_WIDEST_ID = 40


def comparison_lines(
    comparison: Compared, *, limit: int | None = MOST_SHOWN, gates: ComparisonGates | None = None
) -> list[Line]:
    """The report with at most `limit` entries of each list, None for all. What `gates` found comes last."""
    movers = comparison.largest(limit, words.drops_shown(limit, gates))
    return [
        *_head(comparison),
        line(""),
        *words.metric_table(comparison).lines(),
        *_tags(comparison, limit),
        *_movers("largest drops", movers.drops, is_drop=True),
        *_movers("largest gains", movers.gains, is_drop=False),
        *_notes(comparison),
        *_verdict(comparison, gates),
    ]


def _head(comparison: Compared) -> Iterable[Line]:
    names = f"{harmless(comparison.first)} -> {harmless(comparison.second)}"
    counts = [f"{counted(len(comparison), 'case')} compared", f"{comparison.changed_rankings:,} with another ranking"]
    yield from (line(text, STRONG) for text in wrapped(f"{names}   ", counts))
    yield from (line(text, DIM) for text in words.settings_lines(comparison))


def _tags(comparison: Compared, limit: int | None) -> Iterable[Line]:
    table, more = words.tag_table(comparison, limit)
    if table.rows:
        yield line("")
        yield from table.lines()
    if more:
        yield line(f"... and {counted(more, 'more tag')}", DIM)


def _movers(title: str, movers: Sequence[Mover], *, is_drop: bool) -> Iterable[Line]:
    if not movers:
        return
    metric = words.shared_metric(movers)
    yield line("")
    yield line(title if metric is None else f"{title} ({metric})", STRONG)
    names = (Column(least=20), Column(gap=1, least=20))
    table = Table([Column(align=RIGHT), Column(), Column(), *names, Column()], indent=2)
    for mover in movers:
        figures = (signed(mover.difference), f"{score_text(mover.first)} -> {score_text(mover.second)}")
        style = BAD if is_drop else GOOD
        cells = [styled(text, style) for text in (*figures, mover.metric if metric is None else "")]
        similarity = f"{words.rank_counts(mover)}, Jaccard {mover.changes.jaccard:.2f}, RBO {mover.changes.rbo:.2f}"
        table.add(*cells, mover.query, words.label(mover), styled(similarity, DIM))
    for shown, mover in zip(table.lines(), movers, strict=True):
        yield shown
        for word, documents in words.moves(mover, is_drop=is_drop, shown=_shown_id):
            yield from map(line, wrapped(f"          {word:<5}  ", documents))


def _shown_id(document: str) -> str:
    return cut_middle(harmless(document), _WIDEST_ID)


def _notes(comparison: Compared) -> Iterable[Line]:
    if comparison.notes:
        yield line("")
    for note in comparison.notes:
        yield from (line(text, DIM) for text in folded(harmless(note), indent="  "))


def _verdict(comparison: Compared, gates: ComparisonGates | None) -> Iterable[Line]:
    """The result of each metric in words, then the findings of the gates."""
    texts = [words.verdict(row) for row in comparison.metrics]
    if gates is None:
        texts.append((words.new_errors(comparison), BAD))
    else:
        for finding in gates.findings:
            found = f"{'met' if finding.is_met else 'NOT MET'}: {harmless(finding.text)}"
            texts.append((found, GOOD if finding.is_met else BAD))
        texts.append((words.gates_text(gates), GOOD if gates.passed else BAD))
    yield line("")
    for text, style in texts:
        yield from (line(part, style) for part in folded(text, indent="  ") if part)
