"""The report on a history of runs: sentences and tables, as text and Markdown.

`data.py` makes the report as JSON, `page.py` as a page.
"""

from __future__ import annotations

from collections.abc import Iterable

from pytest_relevance._number_text import duration_text, score_text
from pytest_relevance._text import case_in_prose, counted, first_few, listed
from pytest_relevance.ext.history.headline import headline
from pytest_relevance.ext.history.history import History
from pytest_relevance.ext.history.points import CaseMove, Point
from pytest_relevance.ext.history.series import Series
from pytest_relevance.reports.blocks import Sentence, lines_of
from pytest_relevance.reports.cells import RIGHT, Column
from pytest_relevance.reports.labels import start_text
from pytest_relevance.reports.markdown_sections import (
    MarkdownSection,
    heading,
    joined_sections,
    list_section,
    table_sections,
)
from pytest_relevance.reports.run.certainty_text import how_sure
from pytest_relevance.reports.run.changed_means import (
    count_sentences,
    mean_change_sentence,
)
from pytest_relevance.reports.run.mean_text import metric_of
from pytest_relevance.reports.run.remarks import filled_texts
from pytest_relevance.reports.run.sample_text import brief_sample_text
from pytest_relevance.reports.styled_lines import STRONG, plain_text
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_result import PASSED
from pytest_relevance.results.records.fingerprint import value_text

HEADS = (
    "start (UTC)",
    "mean",
    "interval",
    "p95",
    "passed",
    "errors",
    "worse",
    "need grades",
    "better",
    "searched",
)
"""The heads of the columns of the table of runs."""

_DROP_ORDER = {"need grades": 4, "interval": 3, "p95": 2, "searched": 1}
"""The columns that are left out in a narrow terminal, the highest number first."""

_EXPLAINED = {
    "interval": "interval: what unjudged results leave open",
    "passed": "passed: of the cases with a floor or an expectation",
    "worse": "worse, better: since the last run before that has the case, without a break",
    "need grades": "need grades: those of the worse that unjudged results may explain",
}
"""{head of a column: what its figures mean}, for the columns that need it."""

_NARROWEST_INTERVAL = 0.0005
"""An interval of means that is not wider is not shown."""


# --- sentences ------------------------------------------------------------------------


def span_text(history: History) -> str:
    """Return how many runs there are, and from when to when, as a sentence."""
    first, last = start_text(history.starts[0]), start_text(history.starts[-1])
    ends = first if first == last else f"{first} to {last}"
    return f"History of {counted(len(history.starts), 'run')}, {ends} UTC"


def series_texts(series: Series) -> list[str]:
    """Return sentences: how the mean changed, over which cases, and missed gates."""
    metric = metric_of(series.last)
    since = f"since {start_text(series.points[series.since].started)}"
    texts = []
    if series.change is not None:
        changed = mean_change_sentence(series.change, metric)
        texts.append(f"{since}: {changed.text}{_judged_alone(series)}")
    if series.counts.compared:
        for counts in count_sentences(series.counts):
            texts.append(f"{since}: {counts.text}")
    if series.scored:
        texts.append(_scored_text(series, metric))
    last = series.points[-1]
    worse = [_move_text(move) for move in last.moves if move.is_worse]
    if worse:
        count = f"{len(worse):,} got worse{how_sure(last.counts)}"
        then = "in the last run, since the run before that has the case"
        texts.append(f"{count} {then}: {first_few(worse)}")
    if series.unmet:
        texts.append(f"not met in the last run: {first_few(series.unmet)}")
    for filled in filled_texts(series.last)[:1]:
        texts.append(f"in the last run {filled}")
    return texts


def _judged_alone(series: Series) -> str:
    """Return the means without unjudged results; "" if all results are judged.

    Example: `; without unjudged results 0.749 -> 0.633`.
    """
    if series.judged is None:
        return ""
    return f"; without unjudged results {series.judged.scores}"


def _scored_text(series: Series, metric: str) -> str:
    """Return a sentence: how many cases the means are over, and by which metric."""
    for point in series.points:
        if any(kind == "settings" for kind, _ in point.breaks):
            metric = "nDCG@k"
    text = (
        f"the means are over {counted(series.scored, 'case')} with a score in each run, "
        f"by {metric} and weighted as in the last"
    )
    if series.known_items:
        known_items = counted(series.known_items, "known item is", "known items are")
        text += f"; {known_items} left out, since RR@k is their score"
    if series.others:
        others = counted(series.others, "case is", "cases are")
        text += f"; {others} not in all runs, or without a score"
    return text


def _move_text(move: CaseMove) -> str:
    name = case_in_prose(move.id, move.query)
    return name if move.before == move.after else f"{name} {move_scores(move)}"


def move_scores(move: CaseMove) -> str:
    """Return the scores of a case before and now: `0.764 -> 0.312`."""
    return f"{score_text(move.before)} -> {score_text(move.after)}"


def break_text(series: Series, point: Point) -> str:
    """Return a sentence about what changed at a break."""
    changed = []
    for (kind, why), count in point.breaks.most_common():
        text = f"{kind} of {count:,} of {counted(series.scored, 'case')} changed"
        changed.append(f"{text} ({why})" if why else text)
    return f"{first_few(changed)}: means before and after are not comparable"


def notes_on_records(history: History) -> list[str]:
    """Return which queries the last run drew, and why files were left out."""
    notes = []
    for file, drawn in history.drawn.items():
        samples = listed([brief_sample_text(sample) for sample in drawn.samples], "and")
        if samples:
            notes.append(f"{file}: the last run has {samples}")
    notes += [f"left out: {why}" for why in history.left_out.values()]
    return notes


def figures_explained(heads: Iterable[str] = HEADS) -> str:
    """Return what the figures of some columns mean; "" if all explain themselves."""
    return "; ".join(_EXPLAINED[head] for head in heads if head in _EXPLAINED)


# --- the table of a series ------------------------------------------------------------


def cells_of(point: Point) -> list[str]:
    """Return the cells of a run, in the order of `HEADS`; "" for an unknown figure."""
    statuses, counts = point.statuses, point.counts
    interval = ""
    if point.high - point.low > _NARROWEST_INTERVAL:
        interval = f"{point.low:.3f} to {point.high:.3f}"
    passed = ""
    if point.bounded:
        passed = f"{statuses[PASSED]:,} of {point.bounded:,}"
    got_worse = got_better = ""
    if point.compared:
        got_worse = f"{counts.got_worse:,}"
        got_better = f"{counts.got_better:,}"
    return [
        start_text(point.started),
        score_text(point.mean),
        interval,
        "" if point.p95 is None else duration_text(point.p95),
        passed,
        f"{point.errors:,}" if point.errors else "",
        got_worse,
        f"{counts.open:,}" if counts.open else "",
        got_better,
        searched_text(point),
    ]


def searched_text(point: Point) -> str:
    """Return what a run searched that the run before did not: `index v2, model m1`."""
    parts = []
    for name, value in point.searched.items():
        parts.append(f"{name} {value_text(value)}")
    return ", ".join(parts)


def _table(series: Series, title: str) -> Table:
    """Return the table of the runs of a series. A row marks each of its breaks."""
    first, *names, last = HEADS
    columns = [Column(first)]
    for name in names:
        columns.append(Column(name, RIGHT, drop_order=_DROP_ORDER.get(name, 0)))
    searched = Column(last, cut_to=12, drop_order=_DROP_ORDER[last], is_code=True)
    table = Table([*columns, searched], title=title)
    for point in series.points:
        if point.breaks:
            table.add("-- break --", style=STRONG)
        table.add(*cells_of(point))
    return table


# --- text and Markdown ----------------------------------------------------------------


def history_text(history: History, width: int = WIDEST) -> str:
    """Return the report as text, at most `width` columns wide."""
    said = [Sentence(span_text(history)), Sentence(headline(history).text)]
    parts = [lines_of(said, width)]
    for table in _tables(history):
        parts.append(table.lines(width))
    parts.append(lines_of(_note_sentences(history), width))
    return "\n\n".join(plain_text(part) for part in parts) + "\n"


def history_markdown(history: History, most: int | None = None) -> str:
    """Return the report as Markdown of at most `most` characters.

    Tables that do not fit are left out.
    """
    said = headline(history)
    span = Sentence(span_text(history)).markdown()
    sections = [
        MarkdownSection(f"{heading(said.text, said.mark)}\n\n- {span}", "the summary"),
        *table_sections("the runs", _tables(history)),
        *list_section(_note_sentences(history), "the notes"),
    ]
    return joined_sections(sections, most)


def _series_name(series: Series, history: History) -> str:
    return (series.variant or "no variant") if len(history.series) > 1 else ""


def _tables(history: History) -> list[Table]:
    return [_table(each, _series_name(each, history)) for each in history.series]


def _note_sentences(history: History) -> list[Sentence]:
    """Return the notes about each series, its breaks, and notes about the records."""
    sentences = []
    for series in history.series:
        texts = series_texts(series)
        for point in series.points:
            if point.breaks:
                changed = break_text(series, point)
                texts.append(f"break at {start_text(point.started)}: {changed}")
        name = _series_name(series, history)
        for text in texts:
            sentences.append(Sentence(f"{name}: {text}" if name else text))
    for note in [figures_explained(), *notes_on_records(history)]:
        sentences.append(Sentence(note))
    return sentences
