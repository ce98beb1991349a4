"""The HTML page of a history: charts and the table of runs, in which each run opens what moved. It has no script.

A point of a chart is a link to what moved in its run; a browser opens the folded part that has the target of a link.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from string import Template

from pytest_relevance._text import case_name, counted, harmless, score_text
from pytest_relevance.reports.history import (
    COUNTED,
    break_text,
    headline,
    heads,
    left_out_sentences,
    rows,
    searched_text,
    series_sentences,
    span_text,
    when,
)
from pytest_relevance.reports.html.first_screen import ARROW, text, with_arrows
from pytest_relevance.reports.html.page import content_security_policy, file_text
from pytest_relevance.reports.text import duration
from pytest_relevance.results.history import CaseMove, History, Point, Series

MOST_MOVES = 50
"""How many cases that moved a run lists."""

_WIDTH, _HEIGHT, _MARGIN = 1000, 100, 8
_KINDS = ("", *[' class="number"'] * 8, "")
_LEAST_SPREAD = 0.1  # of the means on the scale


def history_page(history: History) -> str:
    """The page, as text to be written in UTF-8."""
    said = headline(history)
    style = "\n".join(map(file_text, ("page.css", "history.css")))
    parts = [
        f'<h1 data-verdict="{said.kind}">{with_arrows(said.text)}</h1>',
        f'<p class="note">{text(span_text(history))}</p>',
    ]
    for number, series in enumerate(history.series):
        parts += _series(series, number, has_title=len(history.series) > 1)
    notes = [COUNTED, *(sentence.text for sentence in left_out_sentences(history))]
    parts += [f'<p class="note">{with_arrows(note)}</p>' for note in notes]
    page = Template(file_text("history.html")).substitute(
        policy=content_security_policy(style),
        title=escape(f"{harmless(said.text)} - history"),
        style=style,
        content="\n".join(parts),
    )
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def _series(series: Series, number: int, *, has_title: bool) -> Iterator[str]:
    label = series.variant or "no variant"
    if has_title:
        yield f"<h2>{text(label)}</h2>"
    change, *others = series_sentences(series)
    yield f'<p class="mean">{with_arrows(change.text)}</p>'
    charts = "".join(_charts(series, number, label))
    ends = dict.fromkeys(when(series.points[index].started) for index in (0, -1))
    yield f'{charts}<div class="ends">{"".join(f"<span>{end}</span>" for end in ends)}</div>'
    head = "".join(f'<th scope="col"{kind}>{text(name)}</th>' for name, kind in zip(heads(series), _KINDS, strict=True))
    found = "\n".join(
        row
        for index, (point, shown) in enumerate(rows(series))
        for row in _rows(series, point, f"{number}-{index}", shown)
    )
    yield f'<div class="runs" tabindex="0" role="region" aria-label="runs: {text(label)}">'
    yield f"<table><thead><tr>{head}</tr></thead><tbody>\n{found}</tbody></table></div>"
    yield from (f'<p class="note">{with_arrows(each.text)}</p>' for each in others)


def _rows(series: Series, point: Point, number: str, shown: Sequence[str]) -> Iterator[str]:
    """The rows of a run: a break before it, its figures, and what moved in it."""
    if point.breaks:
        yield f'<tr class="break-row"><td colspan="{len(_KINDS)}">{with_arrows(break_text(series, point))}</td></tr>'
    start, *figures = shown
    found = "".join(f"<td{kind}>{text(cell)}</td>" for cell, kind in zip(figures, _KINDS[1:], strict=True))
    attributes = ' class="has-moved"' if point.moves else f' id="run-{number}"'
    yield f'<tr{attributes}><th scope="row" title="{text(point.name)}">{start}</th>{found}</tr>'
    if point.moves:
        most = sorted(point.moves, key=lambda move: (not move.is_worse, -abs(_change(move))))
        more = len(most) - MOST_MOVES
        note = f'<p class="note">and {counted(more, "further case")}</p>' if more > 0 else ""
        yield (
            f'<tr class="moved"><td colspan="{len(_KINDS)}"><details><summary>{_moved(point)}</summary>'
            f'<div id="run-{number}"><table><tbody>{"".join(map(_move, most[:MOST_MOVES]))}</tbody></table>{note}</div>'
            "</details></td></tr>"
        )


def _moved(point: Point) -> str:
    return f"{point.worse:,} worse, {point.better:,} better"


def _change(move: CaseMove) -> float:
    return (move.after or 0.0) - (move.before or 0.0)


def _move(move: CaseMove) -> str:
    kind = "worse" if move.is_worse else "better"
    scores = f"{score_text(move.before)} {ARROW} {score_text(move.after)}"
    return (
        f'<tr><th scope="row">{text(case_name(move.id, move.query))}</th><td class="number">{scores}</td>'
        f'<td class="{kind}">{kind}</td></tr>'
    )


def _charts(series: Series, number: int, label: str) -> Iterator[str]:
    """The chart of the mean with its interval, and that of the latency; none where there are no figures."""
    points = series.points
    if series.scored:
        caption = f"<b>mean {text(series.metric)}</b> and what unjudged results leave open, cut at the edges"
        caption += "; dashed: a break" * any(point.breaks for point in points)
        caption += "; ticks: something else was searched" * any(point.searched for point in points)
        means = [point.mean for point in points if point.mean == point.mean]
        scale = _Scale([max(means) - _LEAST_SPREAD, *means], len(points))  # a wide interval would hide a slow decline
        drawn = [*_means(points, scale), *_marks(points, scale)]
        drawn += [_link(point, index, number, scale) for index, point in enumerate(points) if point.mean == point.mean]
        yield _chart(caption, f"mean {series.metric}, {label}", "", (f"{scale.most:.3f}", f"{scale.least:.3f}"), drawn)
    known = {index: point.p95 for index, point in enumerate(points) if point.p95 is not None}
    if known:
        scale = _Scale([0.0, *known.values()], len(points))
        drawn = [f'<polyline class="p95" points="{scale.places(known.items())}"/>', *_marks(points, scale)]
        ends = duration(scale.most), "0"
        yield _chart("<b>p95</b> of the latency", f"p95 of the latency, {label}", ' class="latency"', ends, drawn)


def _chart(caption: str, label: str, kind: str, ends: Iterable[str], drawn: Iterable[str]) -> str:
    scale = "".join(f"<span>{end}</span>" for end in ends)
    return (
        f"<figure><figcaption>{caption}</figcaption>"
        f'<div class="scaled"><div class="ends" aria-hidden="true">{scale}</div>'
        f'<svg{kind} viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="group" '
        f'aria-label="{text(label)}">{"".join(drawn)}</svg></div></figure>'
    )


class _Scale:
    """The places of runs and of values in a chart."""

    def __init__(self, values: Sequence[float], count: int) -> None:
        self.least, self.most = min(values), max(values)
        self._room = (self.most - self.least) or 1.0
        self.step = _WIDTH / count

    def x(self, index: float) -> float:
        """The middle of a run's share of the width."""
        return round((index + 0.5) * self.step, 2)

    def y(self, value: float) -> float:
        """The place of a value, the greatest on top."""
        return round(_MARGIN + (self.most - value) / self._room * (_HEIGHT - 2 * _MARGIN), 2)

    def places(self, values: Iterable[tuple[float, float]]) -> str:
        """The places of values, each with the number of its run."""
        return " ".join(f"{self.x(index)},{self.y(value)}" for index, value in values)


def _means(points: Sequence[Point], scale: _Scale) -> Iterator[str]:
    """The lines of the means with their intervals, parted where means are not comparable."""
    starts = [index for index, point in enumerate(points) if point.breaks]
    for start, end in pairwise([0, *starts, len(points)]):
        shown = [(float(index), points[index]) for index in range(start, end) if not math.isnan(points[index].mean)]
        wide = (
            shown if len(shown) != 1 else [(shown[0][0] + aside, shown[0][1]) for aside in (-0.25, 0.25)]
        )  # to be seen
        bounds = *((index, point.high) for index, point in wide), *((index, point.low) for index, point in wide[::-1])
        yield f'<polygon class="open" points="{scale.places(bounds)}"/>'
        yield f'<polyline class="mean" points="{scale.places((index, point.mean) for index, point in shown)}"/>'


def _marks(points: Sequence[Point], scale: _Scale) -> Iterator[str]:
    """Breaks, and ticks where what was searched changed."""
    for index, point in enumerate(points):
        if point.breaks:
            yield f'<path class="break" d="M{scale.x(index - 0.5)} 0v{_HEIGHT}"/>'
        if point.searched:
            yield f'<path class="searched" d="M{scale.x(index)} {_HEIGHT}v-4"/>'


def _link(point: Point, index: int, number: int, scale: _Scale) -> str:
    kind = " fell" if point.worse > point.better else " rose" if point.better > point.worse else ""
    searched = searched_text(point, is_first=index == 0)
    parts = [when(point.started), f"{point.metric} {point.mean:.3f}", _moved(point), searched]
    label = text("; ".join(filter(None, parts)))
    return (
        f'<a href="#run-{number}-{index}" aria-label="{label}" tabindex="-1"><title>{label}</title>'
        f'<rect class="target" x="{round(index * scale.step, 2)}" y="0" width="{round(scale.step, 2)}" '
        f'height="{_HEIGHT}"/><path class="dot{kind}" d="M{scale.x(index)} {scale.y(point.mean)}h0"/></a>'
    )
