"""A history as text, Markdown, JSON and as a page of HTML.

A line for each run, what was searched, and where means are not comparable.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict
from html import escape
from string import Template
from typing import Any

from pytest_relevance._text import (
    case_in_prose,
    case_name,
    counted,
    first_few,
    harmless,
    listed,
    score_text,
)
from pytest_relevance.reports.blocks import Sentence, lines_of
from pytest_relevance.reports.cells import RIGHT, Column
from pytest_relevance.reports.html.first_screen import (
    ARROW,
    file_text,
    text,
    with_arrows,
)
from pytest_relevance.reports.html.page import content_security_policy
from pytest_relevance.reports.number_text import SIGNIFICANT, duration_text
from pytest_relevance.reports.run import baseline, cases
from pytest_relevance.reports.sections import (
    Section,
    heading,
    joined_sections,
    list_section,
    table_sections,
)
from pytest_relevance.reports.styled_lines import STRONG, plain_text
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST
from pytest_relevance.results.case_result import (
    MEASURED,
    PASSED,
    SKIPPED,
    WITHOUT_SCORE,
)
from pytest_relevance.results.compare.differences import TIE
from pytest_relevance.results.history import CaseMove, History, Point, Series
from pytest_relevance.results.records.run_info import value_text

KIND, VERSION = "pytest-relevance history", 1
"""What the report as JSON says that it is."""

_COUNTED = "interval: what unjudged results leave open; worse, better: since the run before, of cases without a break"
"""What the figures of a run are."""


_DROP_ORDER = {"interval": 3, "p95": 2, "searched": 1}
"""The columns that a narrow terminal does without, the highest number first."""

MOST_MOVES = 50
"""How many cases that moved a run lists."""

_HEIGHT, _MARGIN, _LEAST_SPREAD = (
    100,
    8,
    0.1,
)  # of the chart; the spread is of the means


def headline(history: History) -> baseline.Headline:
    """What became of search: of several variants of the one that did worst."""
    several = len(history.series) > 1
    said = [
        _said(each, f"{each.variant or 'no variant'}: " if several else "")
        for each in history.series
    ]
    return min(said, key=lambda each: _WORST_FIRST.index(each.kind))


_WORST_FIRST = (
    *(baseline.BROKEN, baseline.WORSE, baseline.MIXED),
    *(baseline.NOTHING, baseline.FINE, baseline.BETTER),
)


def _said(series: Series, label: str) -> baseline.Headline:
    """The sentence about a series, which weighs as that about a run does, and tells what is wrong in its last run."""
    last, change = series.points[-1], series.change
    if change is None or not last.figures:
        several = "no mean can be compared with that of the last"
        why = (
            several
            if len(series.points) > 1
            else "two or more are needed to compare their means"
        )
        said, kind = f"{counted(len(series.points), 'run')}: {why}", baseline.NOTHING
    else:
        rose = change.means.difference
        moved = 0 if not change.p <= SIGNIFICANT else 1 if rose > 0 else -1
        said, kind = baseline.balance(series.worse, series.better, moved)
        if kind in _FINE and rose < -TIE:
            said, kind = (
                "The mean fell within chance, no query by more than its tolerance",
                baseline.MIXED,
            )
    ran = last.statuses.total() - last.statuses[SKIPPED]
    is_empty = 0 < last.empty == len(last.figures) and last.statuses[PASSED] < ran
    faults = (
        (not ran, "every case was skipped"),
        (
            _errors(last),
            f"{_errors(last):,} of {counted(ran, 'search', 'searches')} failed",
        ),
        (
            is_empty,
            f"{last.empty:,} of {counted(ran, 'search', 'searches')} returned nothing",
        ),
        (series.unmet, f"{counted(len(series.unmet), 'gate is', 'gates are')} not met"),
    )
    wrong = listed([text for is_there, text in faults if is_there], "and")
    if wrong and kind != baseline.WORSE:
        kind = baseline.BROKEN
    elif last.worse and kind in _FINE:
        wrong, kind = (
            f"{last.worse:,} got worse and {last.better:,} better",
            baseline.MIXED,
        )
    return baseline.Headline(
        f"{label}{said}; in the last run {wrong}" if wrong else label + said, kind
    )


_FINE = (baseline.FINE, baseline.BETTER)


def _errors(point: Point) -> int:
    return sum(point.statuses[status] for status in WITHOUT_SCORE)


def span_text(history: History) -> str:
    """How many runs there are, and from when to when."""
    ends = dict.fromkeys(map(when, (history.starts[0], history.starts[-1])))
    return f"History of {counted(len(history.starts), 'run')}, {' to '.join(ends)} UTC"


def when(started: str) -> str:
    """`2026-11-22 08:03`, of the start in ISO 8601."""
    return started[:16].replace("T", " ")


def series_texts(series: Series) -> list[str]:
    """The change of the mean since the first run or the last break, and which cases the means are over."""
    found, metric = [], cases.metric_of(series.last)
    if series.change is not None:
        head = f"since {when(series.points[series.since].started)}: "
        found.append(baseline.mean_change_sentence(series.change, metric, head).text)
    if series.scored:
        has_one_metric = all(
            kind != "settings" for point in series.points for kind, _ in point.breaks
        )
        how = f"by {metric if has_one_metric else 'nDCG@k'} and weighted as in the last"
        others = f"; {counted(series.others, 'case is', 'cases are')} not in all runs, or without one"
        said = f"the means are over {counted(series.scored, 'case')} with a score in each run, {how}"
        found.append(said + others * bool(series.others))
    worse = [
        case_in_prose(move.id, move.query)
        + f" {_scores(move)}" * (move.before != move.after)
        for move in series.points[-1].moves
        if move.is_worse
    ]
    found += [f"got worse in the last run: {first_few(worse)}"] * bool(worse)
    found += [f"not met in the last run: {first_few(series.unmet)}"] * bool(
        series.unmet
    )
    return [
        *found,
        *(
            f"in the last run {filled}"
            for filled in cases.filled_texts(series.last)[:1]
        ),
    ]


HEADS = (
    "start (UTC)",
    "mean",
    "interval",
    "p95",
    "passed",
    "errors",
    "worse",
    "better",
    "searched",
)
"""The heads of the columns of a series."""


def rows(series: Series) -> Iterator[tuple[Point, list[str]]]:
    """Each run with its cells, in the order of `HEADS`."""
    for point in series.points:
        statuses = point.statuses
        bounded = statuses.total() - statuses[MEASURED] - statuses[SKIPPED]
        cells = [
            when(point.started),
            score_text(point.mean),
            f"{point.low:.3f} to {point.high:.3f}"
            if point.high - point.low > 0.0005
            else "",
            "" if point.p95 is None else duration_text(point.p95),
            f"{statuses[PASSED]:,} of {bounded:,}" if bounded else "",
            f"{_errors(point):,}" if _errors(point) else "",
            *(
                (f"{point.worse:,}", f"{point.better:,}")
                if point.compared
                else ("", "")
            ),
        ]
        yield (
            point,
            [
                *cells,
                ", ".join(
                    f"{name} {value_text(value)}"
                    for name, value in point.searched.items()
                ),
            ],
        )


def break_text(series: Series, point: Point) -> str:
    """What changed at a break, and the means over the other cases."""
    changed = [
        f"{kind} of {count:,} of {counted(series.scored, 'case')} changed{f' ({why})' * bool(why)}"
        for (kind, why), count in point.breaks.most_common()
    ]
    return f"{first_few(changed)}: means before and after are not comparable"


def _table(series: Series, title: str) -> Table:
    first, *names, last = HEADS
    columns = [
        Column(first),
        *(Column(name, RIGHT, drop_order=_DROP_ORDER.get(name, 0)) for name in names),
    ]
    table = Table(
        [*columns, Column(last, cut_to=12, drop_order=_DROP_ORDER[last], is_code=True)],
        title=title,
    )
    for point, cells in rows(series):
        if point.breaks:
            table.add("-- break --", style=STRONG)
        table.add(*cells)
    return table


def notes(history: History) -> list[str]:
    """What the figures of all runs are, and which files were left out, and why."""
    return [_COUNTED, *(f"left out: {why}" for why in history.left_out.values())]


def _parts(history: History) -> tuple[list[Table], list[Sentence]]:
    """The tables and the notes of a report as text and in Markdown."""
    found, tables = [], []
    for series in history.series:
        name = (series.variant or "no variant") * (len(history.series) > 1)
        of_breaks = (
            (point, break_text(series, point))
            for point in series.points
            if point.breaks
        )
        said = [
            *series_texts(series),
            *(
                f"break at {when(point.started)}: {changed}"
                for point, changed in of_breaks
            ),
        ]
        found += [f"{name}: {each}" if name else each for each in said]
        tables.append(_table(series, name))
    return tables, [*map(Sentence, (*found, *notes(history)))]


def history_text(history: History, width: int = WIDEST) -> str:
    """The report as text, at most `width` columns wide."""
    tables, found = _parts(history)
    said = [Sentence(span_text(history)), Sentence(headline(history).text)]
    parts: list[Sequence[Sentence | Table]] = [
        said,
        *([table] for table in tables),
        found,
    ]
    return "\n\n".join(plain_text(lines_of(part, width)) for part in parts) + "\n"


def history_markdown(history: History, most: int | None = None) -> str:
    """The report as Markdown of at most so many characters: tables that do not fit are left out."""
    said, (tables, found) = headline(history), _parts(history)
    head = f"{heading(said.text, said.mark)}\n\n- {Sentence(span_text(history)).markdown()}"
    sections = [
        Section(head, "the summary"),
        *table_sections("the runs", tables),
    ]
    return joined_sections([*sections, *list_section(found, "the notes")], most)


def history_data(history: History) -> dict[str, Any]:
    """The report as a dict of the types of JSON; what is not defined is None."""
    series = [
        {
            **{
                name: getattr(each, name)
                for name in ("variant", "scored", "others", "unmet")
            },
            "metric": cases.metric_of(each.last),
            "since": each.points[each.since].started,
            "change": None
            if each.change is None
            else {**asdict(each.change.means), "p": each.change.p},
            "filled": sum(
                (Counter(result.evaluation.filled_top) for result in each.last),
                Counter(),
            ),
            "points": [*map(_point_data, each.points)],
        }
        for each in history.series
    ]
    return {
        "kind": KIND,
        "version": VERSION,
        "left_out": dict(history.left_out),
        "series": series,
    }


def _point_data(point: Point) -> dict[str, Any]:
    figures = {
        name: None if (value := getattr(point, name)) != value else value
        for name in _FIGURES
    }  # NaN
    breaks = [
        {"kind": kind, "detail": why, "cases": count}
        for (kind, why), count in point.breaks.most_common()
    ]
    return {
        **figures,
        "moves": [asdict(each) for each in point.moves],
        "breaks": breaks,
    }


_FIGURES = (
    "name",
    "started",
    "fingerprint",
    "statuses",
    "compared",
    "worse",
    "better",
    "mean",
    "low",
    "high",
    "p95",
)


def history_page(history: History) -> str:
    """The page, as text to be written in UTF-8: a chart of the means, and the table of runs. It has no script.

    Each run opens what moved in it. A point of the chart is a link to that; a browser opens the folded part that has
    the target of a link.
    """
    said, style = (
        headline(history),
        "\n".join(map(file_text, ("page.css", "history.css"))),
    )
    parts = [
        f'<h1 data-verdict="{said.kind}">{with_arrows(said.text)}</h1>',
        *_notes([span_text(history)]),
    ]
    for number, series in enumerate(history.series):
        parts += _series(series, number, has_title=len(history.series) > 1)
    page = Template(file_text("history.html")).substitute(
        policy=content_security_policy(style),
        title=escape(f"{harmless(said.text)} - history"),
        style=style,
        content="\n".join([*parts, *_notes(notes(history))]),
    )
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def _notes(texts: Iterable[str]) -> Iterator[str]:
    return (f'<p class="note">{with_arrows(each)}</p>' for each in texts)


def _series(series: Series, number: int, *, has_title: bool) -> Iterator[str]:
    label = text(series.variant or "no variant")
    yield f"<h2>{label}</h2>" * has_title
    yield from _notes(series_texts(series))
    if series.scored:
        yield _chart(series, number, label)
    heads = "".join(f'<th scope="col">{name}</th>' for name in HEADS)
    yield f'<div class="runs" tabindex="0" role="region" aria-label="runs: {label}"><table><thead><tr>{heads}</tr>'
    yield "</thead><tbody>"
    for index, (point, cells) in enumerate(rows(series)):
        name, wide = f"run-{number}-{index}", f'<td colspan="{len(HEADS)}">'
        if point.breaks:
            yield f'<tr class="break-row">{wide}{with_arrows(break_text(series, point))}</td></tr>'
        yield _row(
            cells, f' title="{text(point.name)}"' + f' id="{name}"' * (not point.moves)
        )
        if point.moves:
            said = f"{point.worse:,} worse, {point.better:,} better"
            said += f": the first {MOST_MOVES}" * (len(point.moves) > MOST_MOVES)
            yield f'<tr class="moved">{wide}<details><summary>{said}</summary><table id="{name}"><tbody>'
            yield f"{''.join(map(_move, point.moves[:MOST_MOVES]))}</tbody></table></details></td></tr>"
    yield "</tbody></table></div>"


def _row(cells: Sequence[str], attributes: str = "") -> str:
    """A row of a table; the first cell is its head."""
    head, *others = map(text, cells)
    return f'<tr{attributes}><th scope="row">{head}</th>{"".join(f"<td>{each}</td>" for each in others)}</tr>'


def _move(move: CaseMove) -> str:
    kind = "worse" if move.is_worse else "better"
    return _row(
        [case_name(move.id, move.query), _scores(move).replace("->", ARROW), kind],
        f' class="{kind}"',
    )


def _scores(move: CaseMove) -> str:
    return f"{score_text(move.before)} -> {score_text(move.after)}"


def _chart(series: Series, number: int, label: str) -> str:
    """The means with their intervals, parted where they are not comparable; each point is a link to its run."""
    means = [point.mean for point in series.points if point.mean == point.mean]
    most = max(means)
    least = min(
        *means, most - _LEAST_SPREAD
    )  # the means alone: a wide interval would hide a slow decline

    def down(value: float) -> str:
        return (
            f"{_MARGIN + (most - value) / (most - least) * (_HEIGHT - 2 * _MARGIN):.2f}"
        )

    line, marks = "", []
    for index, (point, cells) in enumerate(rows(series)):
        middle = index + 0.5  # a run is 1 wide
        if point.breaks:
            marks.append(f'<path class="break" d="M{index} 0v{_HEIGHT}"/>')
        if index and point.searched:
            marks.append(f'<path class="searched" d="M{middle} {_HEIGHT}v-4"/>')
        if point.mean != point.mean:
            continue
        line += (
            f"{'L' if line and not point.breaks else 'M'}{middle} {down(point.mean)}"
        )
        kind = (
            " fell"
            if point.worse > point.better
            else " rose"
            if point.better > point.worse
            else ""
        )
        said = text(
            "; ".join(
                f"{head} {cell}"
                for head, cell in zip(HEADS, cells, strict=True)
                if cell
            )
        )
        marks.append(
            f'<path class="open" d="M{middle} {down(point.low)}V{down(point.high)}"/>'
            f'<a href="#run-{number}-{index}" aria-label="{said}" tabindex="-1"><title>{said}</title>'
            f'<rect class="target" x="{index}" width="1" height="{_HEIGHT}"/>'
            f'<path class="dot{kind}" d="M{middle} {down(point.mean)}h0"/></a>'
        )
    ends = dict.fromkeys(when(series.points[index].started) for index in (0, -1))
    return (
        "<figure><figcaption><b>mean</b> and what unjudged results leave open, cut at the edges; dashed: a break; "
        'ticks: something else was searched</figcaption><div class="scaled"><div class="ends" aria-hidden="true">'
        f"<span>{most:.3f}</span><span>{least:.3f}</span></div>"
        f'<svg viewBox="0 0 {len(series.points)} {_HEIGHT}" preserveAspectRatio="none" role="group" '
        f'aria-label="mean, {label}"><path class="mean" d="{line}"/>{"".join(marks)}</svg></div></figure>'
        f'<div class="ends">{"".join(f"<span>{end}</span>" for end in ends)}</div>'
    )
