"""A history as text, Markdown and JSON: a line for each run, what was searched, and where means are not comparable."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from pytest_relevance._text import counted, listed, score_text
from pytest_relevance.reports import blocks
from pytest_relevance.reports.blocks import RIGHT, Column, Section, Sentence, Table
from pytest_relevance.reports.run import baseline, cases
from pytest_relevance.reports.text import BAD, DIM, GOOD, PLAIN, SIGNIFICANT, STRONG, WIDEST, duration, plain
from pytest_relevance.results.case_result import MEASURED, PASSED, SKIPPED
from pytest_relevance.results.history import History, Point, Series

KIND, VERSION = "pytest-relevance history", 1
"""What the report as JSON says that it is."""

COUNTED = (
    "interval: what unjudged results leave open; worse and better: since the run before, nDCG@k moved by more than the "
    "tolerance of the case, or a floor or an expectation is newly missed or met; cases whose judgments, settings or "
    "query changed are not counted"
)
"""What the figures of a run are."""


_YIELDS = {"interval": 3, "p95": 2, "searched": 1}
"""The columns that a narrow terminal does without, the highest number first."""


def headline(history: History) -> baseline.Headline:
    """What became of the mean: of several variants of the one that fell most."""
    runs = counted(len(history.names), "run")
    changes = [(each, each.change) for each in history.series if each.change is not None]
    if not changes:
        why = ": no other" if len(history.names) == 1 else "; the last has none before it"
        return baseline.Headline(f"{runs}{why} to compare its mean with", baseline.NOTHING)
    series, change = min(changes, key=lambda pair: pair[1].means.difference)
    means, since = change.means, len(series.points) - series.since
    name = f"Mean {series.metric}" + (f" of {series.variant}" if len(history.series) > 1 else "")
    scores = f"{means.first:.3f} -> {means.second:.3f}"
    if not change.p <= SIGNIFICANT:
        return baseline.Headline(f"{name} is unchanged within chance over {since:,} runs: {scores}", baseline.FINE)
    fell = means.difference < 0
    words, kind = ("fell", baseline.WORSE) if fell else ("rose", baseline.BETTER)
    return baseline.Headline(f"{name} {words} over {since:,} runs: {scores}", kind)


def span_text(history: History) -> str:
    """How many runs there are, and from when to when."""
    started = sorted({point.run.started for series in history.series for point in series.points})
    ends = dict.fromkeys((when(started[0]), when(started[-1])))
    return f"History of {counted(len(history.names), 'run')}, {' to '.join(ends)} UTC"


def when(started: str) -> str:
    """`2026-11-22 08:03`, of the start in ISO 8601."""
    return started[:16].replace("T", " ")


def series_sentences(series: Series) -> list[Sentence]:
    """The change of the mean since the first run or the last break, and which cases the means are over."""
    first, metric = series.points[series.since].run, series.metric
    found = []
    if series.change is not None:
        head = f"since {when(first.started)}: "
        found.append(baseline.mean_change_sentence(series.change, metric, head))
    parts = [f"the means are over {counted(series.scored, 'case')} with a score in each run, weighted as in the last"]
    parts += [f"{counted(series.unscored, 'further case')} without one"] * bool(series.unscored)
    parts += [f"{counted(series.others, 'case is', 'cases are')} not in all runs"] * bool(series.others)
    found.append(Sentence("; ".join(parts), DIM))
    if filled := cases.filled_text(series.last):
        found.append(Sentence(f"in the last run {filled}", DIM))
    if series.lacking:
        name, count = series.lacking.most_common(1)[0]
        found.append(Sentence(f"{name} alone lacks {count:,} of these: leave it out to have them", DIM))
    return found


def cells(series: Series, index: int) -> list[str]:
    """The cells of a run, in the order of `heads`."""
    point, run = series.points[index], series.points[index].run
    bounded = run.statuses.total() - run.statuses[MEASURED] - run.statuses[SKIPPED]
    is_open = point.high - point.low > 0.0005
    return [
        *(when(run.started), score_text(point.mean)),
        f"{point.low:.3f} to {point.high:.3f}" if is_open else "",
        "" if point.p95 is None else duration(point.p95),
        f"{run.statuses[PASSED]:,} of {bounded:,}" if bounded else "",
        f"{run.errors:,}" if run.errors else "",
        *((f"{run.worse:,}", f"{len(run.moves) - run.worse:,}") if run.compared else ("", "")),
    ]


def heads(series: Series) -> Sequence[str]:
    """The heads of the columns of a series."""
    return ("start (UTC)", series.metric, "interval", "p95", "passed", "errors", "worse", "better")


def searched_text(series: Series, index: int) -> str:
    """What was searched in the first run; in others what of it is new, and how latencies were measured otherwise."""
    run, before = series.points[index].run, series.points[max(index - 1, 0)].run
    changes = {name: now for name, (_, now) in run.searched.items()} if index else run.fingerprint
    parts = [f"{name} {'none' if value is None else value}" for name, value in changes.items()]
    if run.calls != before.calls:
        is_shared, most = run.calls
        parts.append("latency " + ("of batches" if is_shared else f"of {most} at a time" if most > 1 else "one by one"))
    return ", ".join(parts)


def break_text(series: Series, point: Point) -> str:
    """What changed at a break, and the means over the other cases."""
    changed = [
        f"{each.kind} of {each.cases:,} of {counted(series.scored, 'case')} changed"
        + (f" ({'; '.join(each.details)})" if each.details else "")
        for each in point.breaks
    ]
    count, before, now = point.others
    rest = f"; over the other {count:,}: {before:.3f} -> {now:.3f}" if count else ""
    return f"{listed(changed, 'and')}: means before and after are not comparable{rest}"


def _break_sentences(series: Series) -> list[Sentence]:
    breaks = [point for point in series.points if point.breaks]
    return [Sentence(f"break at {when(point.run.started)}: {break_text(series, point)}") for point in breaks]


def _table(series: Series, title: str) -> Table:
    names = heads(series)
    columns = [Column(names[0]), *(Column(name, RIGHT, yields=_YIELDS.get(name, 0)) for name in names[1:])]
    table = Table([*columns, Column("searched", least=12, yields=_YIELDS["searched"], is_code=True)], title=title)
    for index, point in enumerate(series.points):
        if point.breaks:
            table.add("-- break --", style=STRONG)
        table.add(*cells(series, index), searched_text(series, index))
    return table


def _parts(history: History) -> tuple[list[Sentence], list[Table], list[Sentence]]:
    """The sentences, the tables and the notes of every report."""
    styles = {baseline.WORSE: BAD, baseline.BETTER: GOOD}
    said = headline(history)
    several = len(history.series) > 1
    sentences = [Sentence(span_text(history), STRONG), Sentence(said.text, styles.get(said.kind, PLAIN))]
    notes = []
    for series in history.series:
        label = f"{series.variant or 'no variant'}: " if several else ""
        of_series = [*series_sentences(series), *_break_sentences(series)]
        notes += [each._replace(text=label + each.text) for each in of_series]
    notes.append(Sentence(COUNTED, DIM))
    notes += left_out_sentences(history)
    tables = [_table(series, (series.variant or "no variant") if several else "") for series in history.series]
    return sentences, tables, notes


def left_out_sentences(history: History) -> list[Sentence]:
    """Which files were left out, and why."""
    return [Sentence(f"left out: {why}", DIM) for why in history.left_out.values()]


def history_text(history: History, width: int = WIDEST) -> str:
    """The report as text, at most `width` columns wide."""
    sentences, tables, notes = _parts(history)
    lines = blocks.lines_of(sentences, width)
    for table in tables:
        lines += [((" ", PLAIN),), *blocks.lines_of([table], width)]
    return plain([*lines, ((" ", PLAIN),), *blocks.lines_of(notes, width)]) + "\n"


def history_markdown(history: History, most: int | None = None) -> str:
    """The report as Markdown of at most so many characters: tables that do not fit are left out."""
    sentences, tables, notes = _parts(history)
    said = headline(history)
    items = "\n".join(f"- {each.markdown()}" for each in sentences[:1])
    sections = [Section(f"{blocks.heading(said.text, said.mark)}\n\n{items}", "the summary")]
    sections += blocks.table_sections("the runs", tables)
    return blocks.joined_sections([*sections, *blocks.list_section(notes, "the notes")], most)


def history_data(history: History) -> dict[str, Any]:
    """The report as a dict of the types of JSON; what is not defined is None."""
    series = [
        {
            **{name: getattr(each, name) for name in ("variant", "metric", "scored", "unscored", "others")},
            "since": each.points[each.since].run.started,
            "change": None if each.change is None else {**asdict(each.change.means), "p": each.change.p},
            "filled": sum((Counter(result.evaluation.filled_top) for result in each.last), Counter()),
            "points": [*map(_point_data, each.points)],
        }
        for each in history.series
    ]
    return {"kind": KIND, "version": VERSION, "left_out": dict(history.left_out), "series": series}


def _point_data(point: Point) -> dict[str, Any]:
    run, (count, before, now) = point.run, point.others
    values = {
        **{name: getattr(run, name) for name in ("name", "started", "fingerprint", "statuses", "compared", "worse")},
        "better": len(run.moves) - run.worse,
        **{name: getattr(point, name) for name in ("mean", "low", "high", "p95")},
        "moves": [move._asdict() for move in run.moves],
        "breaks": [each._asdict() for each in point.breaks],
        "others": {"cases": count, "before": before, "now": now} if count else None,
    }
    return {name: None if value != value else value for name, value in values.items()}  # NaN


def history_json(history: History) -> str:
    """The dict of `history_data` as JSON, in ASCII."""
    return json.dumps(history_data(history), indent=2, allow_nan=False).replace("\x7f", "\\u007f") + "\n"
