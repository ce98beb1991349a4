"""A comparison of two runs as Markdown, for the comment of a pull request or the summary of a CI job."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.compare import words
from pytest_relevance.reports.compare.text import MOST_SHOWN
from pytest_relevance.reports.figures import score_text, signed
from pytest_relevance.reports.markdown import code
from pytest_relevance.reports.table import RIGHT, Column, Table, markdown_cell
from pytest_relevance.results.compare.comparison import Compared, ComparisonGates, Mover


def markdown_lines(
    comparison: Compared, *, limit: int | None = MOST_SHOWN, gates: ComparisonGates | None = None
) -> list[str]:
    """The report: the verdict first, then figures and movers. The arguments are those of `comparison_lines`."""
    movers = comparison.largest(limit, words.drops_shown(limit, gates))
    return [
        f"### {code(comparison.first)} -> {code(comparison.second)}",
        "",
        *_verdict(comparison, gates),
        "",
        *words.metric_table(comparison, all_p_values=True).markdown(),
        *_tags(comparison, limit),
        *_movers("Largest drops", movers.drops, is_drop=True),
        *_movers("Largest gains", movers.gains, is_drop=False),
        "",
        f"{counted(len(comparison), 'case')} compared; {'; '.join(words.settings_lines(comparison))}.",
        *([""] if comparison.notes else []),
        *(f"- {code(note)}" for note in comparison.notes),
    ]


def _verdict(comparison: Compared, gates: ComparisonGates | None) -> Iterable[str]:
    for row in comparison.metrics:
        yield f"- **{words.verdict(row, code)[0]}**"
    if gates is None:
        yield from (f"- {code(text)}" for text in (words.new_errors(comparison),) if text)
        return
    for finding in gates.findings:
        yield f"- {'met' if finding.is_met else '**not met**'}: {code(finding.text)}"
    yield from (f"- **{text}**" for text in (words.gates_text(gates),) if text)


def _tags(comparison: Compared, limit: int | None) -> Iterable[str]:
    table, more = words.tag_table(comparison, limit)
    if table.rows:
        yield from ("", *table.markdown())
    if more:
        yield from ("", f"... and {counted(more, 'more tag')}")


def _movers(title: str, movers: Sequence[Mover], *, is_drop: bool) -> Iterable[str]:
    if not movers:
        return
    figures = (words.shared_metric(movers) or "nDCG@k", "change", "Jaccard", "RBO")
    table = Table([Column(title), Column("what changed"), *(Column(each, RIGHT) for each in figures)])
    for mover in movers:
        named = f"{mover.query} {words.label(mover)}" if words.label(mover) else mover.query
        table.add(
            markdown_cell(code(named, in_cell=True)),
            markdown_cell("<br>".join(_changes(mover, is_drop=is_drop))),
            f"{score_text(mover.first)} -> {score_text(mover.second)}",
            signed(mover.difference),
            f"{mover.changes.jaccard:.2f}",
            f"{mover.changes.rbo:.2f}",
        )
    yield from ("", *table.markdown())


def _changes(mover: Mover, *, is_drop: bool) -> Iterable[str]:
    yield words.rank_counts(mover)
    for word, documents in words.moves(mover, is_drop=is_drop, shown=lambda document: code(document, in_cell=True)):
        yield f"{word}: {', '.join(documents)}"
