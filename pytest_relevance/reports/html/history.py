"""The HTML page of a history: a chart of the means, and the table of runs, in which each opens what moved. No script.

A point of the chart is a link to what moved in its run; a browser opens the folded part that has the target of a link.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import pairwise
from string import Template

from pytest_relevance._text import case_name, counted, harmless, score_text
from pytest_relevance.reports import history as report
from pytest_relevance.reports.html.first_screen import ARROW, file_text, text, with_arrows
from pytest_relevance.reports.html.page import content_security_policy
from pytest_relevance.results.history import CaseMove, History, Point, Series

MOST_MOVES = 50
"""How many cases that moved a run lists."""

_WIDTH, _HEIGHT, _MARGIN = 1000, 100, 8
_KINDS = ("", *[' class="number"'] * 7, "")
_LEAST_SPREAD = 0.1  # of the means on the scale


def history_page(history: History) -> str:
    """The page, as text to be written in UTF-8."""
    said, style = report.headline(history), "\n".join(map(file_text, ("page.css", "history.css")))
    parts = [f'<h1 data-verdict="{said.kind}">{with_arrows(said.text)}</h1>', *_notes([report.span_text(history)])]
    for number, series in enumerate(history.series):
        parts += _series(series, number, has_title=len(history.series) > 1)
    page = Template(file_text("history.html")).substitute(
        policy=content_security_policy(style),
        title=escape(f"{harmless(said.text)} - history"),
        style=style,
        content="\n".join([*parts, *_notes(each.text for each in report.notes(history))]),
    )
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def _notes(texts: Iterable[str]) -> Iterator[str]:
    return (f'<p class="note">{with_arrows(each)}</p>' for each in texts)


def _series(series: Series, number: int, *, has_title: bool) -> Iterator[str]:
    label = text(series.variant or "no variant")
    if has_title:
        yield f"<h2>{label}</h2>"
    yield from _notes(each.text for each in report.series_sentences(series))
    if series.scored:
        yield _chart(series, number, label)
    yield f'<div class="runs" tabindex="0" role="region" aria-label="runs: {label}"><table><thead><tr>'
    yield from (f'<th scope="col"{kind}>{text(name)}</th>' for name, kind in zip(report.HEADS, _KINDS, strict=True))
    yield "</tr></thead><tbody>"
    for index, (point, shown) in enumerate(report.rows(series)):
        yield from _rows(series, point, f"run-{number}-{index}", shown)
    yield "</tbody></table></div>"


def _rows(series: Series, point: Point, name: str, shown: Sequence[str]) -> Iterator[str]:
    """The rows of a run: a break before it, its figures, and what moved in it, which has the `name` of its link."""
    if point.breaks:
        said = with_arrows(report.break_text(series, point))
        yield f'<tr class="break-row"><td colspan="{len(_KINDS)}">{said}</td></tr>'
    start, *figures = shown
    found = "".join(f"<td{kind}>{text(cell)}</td>" for cell, kind in zip(figures, _KINDS[1:], strict=True))
    own = "" if point.moves else f' id="{name}"'
    yield f'<tr{own}><th scope="row" title="{text(point.name)}">{start}</th>{found}</tr>'
    if point.moves:
        most = sorted(point.moves, key=lambda move: (not move.is_worse, -move.size))
        more = len(most) - MOST_MOVES
        rest = _notes([f"and {counted(more, 'further case')}"] * (more > 0))
        yield f'<tr class="moved"><td colspan="{len(_KINDS)}"><details><summary>{_moved(point)}</summary>'
        yield f'<div id="{name}"><table><tbody>{"".join(map(_move, most[:MOST_MOVES]))}</tbody></table>'
        yield f"{''.join(rest)}</div></details></td></tr>"


def _moved(point: Point) -> str:
    return f"{point.worse:,} worse, {point.better:,} better"


def _move(move: CaseMove) -> str:
    kind = "worse" if move.is_worse else "better"
    scores = f"{score_text(move.before)} {ARROW} {score_text(move.after)}"
    name = text(case_name(move.id, move.query))
    return f'<tr><th scope="row">{name}</th><td class="number">{scores}</td><td class="{kind}">{kind}</td></tr>'


def _chart(series: Series, number: int, label: str) -> str:
    """The means with their intervals, parted where they are not comparable; each point is a link to its run."""
    points = series.points
    means = [point.mean for point in points if point.mean == point.mean]
    most, step = max(means), _WIDTH / len(points)
    least = min(*means, most - _LEAST_SPREAD)  # the means alone: a wide interval would hide a slow decline

    def place(index: float, value: float) -> str:
        down = (most - value) / (most - least) * (_HEIGHT - 2 * _MARGIN)
        return f"{(index + 0.5) * step:.2f},{_MARGIN + down:.2f}"

    drawn = []
    starts = [index for index, point in enumerate(points) if point.breaks]
    for start, end in pairwise([0, *starts, len(points)]):
        shown = [(index, points[index]) for index in range(start, end) if points[index].mean == points[index].mean]
        line, high, low = (
            [place(index, getattr(point, name)) for index, point in shown] for name in ("mean", "high", "low")
        )
        drawn.append(f'<polygon class="open" points="{" ".join(high + low[::-1])}"/>')
        drawn.append(f'<polyline class="mean" points="{" ".join(line)}"/>')
    for index, point in enumerate(points):
        if point.breaks:
            drawn.append(f'<path class="break" d="M{index * step:.2f} 0v{_HEIGHT}"/>')
        if point.searched:
            drawn.append(f'<path class="searched" d="M{(index + 0.5) * step:.2f} {_HEIGHT}v-4"/>')
        if point.mean != point.mean:
            continue
        kind = " fell" if point.worse > point.better else " rose" if point.better > point.worse else ""
        parts = [report.when(point.started), f"mean {point.mean:.3f}", _moved(point)]
        said = text("; ".join(filter(None, [*parts, report.searched_text(point, is_first=index == 0)])))
        drawn.append(
            f'<a href="#run-{number}-{index}" aria-label="{said}" tabindex="-1"><title>{said}</title>'
            f'<rect class="target" x="{index * step:.2f}" width="{step:.2f}" height="{_HEIGHT}"/>'
            f'<path class="dot{kind}" d="M{place(index, point.mean)}h0"/></a>'
        )
    caption = "<b>mean</b> and what unjudged results leave open, cut at the edges"
    caption += "; dashed: a break" * bool(starts)
    caption += "; ticks: something else was searched" * any(point.searched for point in points)
    ends = dict.fromkeys(report.when(points[index].started) for index in (0, -1))
    return (
        f'<figure><figcaption>{caption}</figcaption><div class="scaled"><div class="ends" aria-hidden="true">'
        f"<span>{most:.3f}</span><span>{least:.3f}</span></div>"
        f'<svg viewBox="0 0 {_WIDTH} {_HEIGHT}" preserveAspectRatio="none" role="group" '
        f'aria-label="mean, {label}">{"".join(drawn)}</svg></div></figure>'
        f'<div class="ends">{"".join(f"<span>{end}</span>" for end in ends)}</div>'
    )
