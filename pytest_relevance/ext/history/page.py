"""The HTML page of a history: a chart of the means, and the table of runs.

The page has no script. A row below a run can be unfolded to show the cases that got
worse or better. A point of the chart links to these cases, and the browser shows them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from html import escape
from string import Template

from pytest_relevance._text import case_name, harmless
from pytest_relevance.ext.history.headline import headline
from pytest_relevance.ext.history.history import History
from pytest_relevance.ext.history.points import CaseKey, CaseMove, Point
from pytest_relevance.ext.history.report import (
    HEADS,
    break_text,
    cells_of,
    figures_explained,
    move_scores,
    notes_on_records,
    series_texts,
    span_text,
)
from pytest_relevance.ext.history.series import Series
from pytest_relevance.ext.history.story import stories_of
from pytest_relevance.ext.history.story_html import ends_html, stories_html, story_id
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.reports.html.page_parts import (
    ARROW,
    content_security_policy,
    package_text,
    shared_style,
    text,
    with_arrows,
)
from pytest_relevance.reports.run.certainty_text import certainty_text, how_sure
from pytest_relevance.reports.run.mean_text import metric_of

MOST_MOVES = 50
"""How many cases that moved a run lists."""

_PACKAGE = "pytest_relevance.ext.history"

_HEIGHT = 100
_MARGIN = 8
_LEAST_SPREAD = 0.1
"""The chart: its height and margin, and the least difference of means that it spans."""

_CAPTION = (
    "and what unjudged results leave open, cut at the edges; "
    "red, green: the mean fell, rose since the run before; "
    "dashed: a break; ticks: something else was searched"
)


def history_page(history: History) -> str:
    """Return the page as text that can be written in UTF-8."""
    said = headline(history)
    style = "\n".join([shared_style(), package_text(_PACKAGE, "page.css")])
    parts = [
        f'<h1 data-verdict="{said.verdict}">{with_arrows(said.text)}</h1>',
        *_notes([span_text(history), *notes_on_records(history)]),
    ]
    for number, series in enumerate(history.series):
        parts += _series(series, number, has_title=len(history.series) > 1)
    page = Template(package_text(_PACKAGE, "page.html")).substitute(
        policy=content_security_policy(style),
        title=escape(f"{harmless(said.text)} - history"),
        style=style,
        content="\n".join(parts),
    )
    return page.encode("utf-8", "backslashreplace").decode("utf-8")


def _notes(texts: Iterable[str]) -> list[str]:
    return [f'<p class="note">{with_arrows(each)}</p>' for each in texts]


def _series(series: Series, number: int, *, has_title: bool) -> Iterator[str]:
    """Yield the HTML of one variant: heading, notes, chart, runs, and stories.

    `number`: the place of the series in the page, for the links of its chart.
    """
    label = text(series.variant or "no variant")
    yield f"<h2>{label}</h2>" if has_title else ""
    yield from _notes(series_texts(series))
    if series.scored:
        yield _chart(series, number, label)
    stories = stories_of(series)
    story_ids = {key: story_id(number, place) for place, key in enumerate(stories)}
    yield f'<div class="runs" tabindex="0" role="region" aria-label="runs: {label}">'
    yield from _table(series, number, story_ids)
    yield "</div>"
    yield from stories_html(stories, number)


def _table(
    series: Series, number: int, story_ids: Mapping[CaseKey, str]
) -> Iterator[str]:
    """Yield the HTML of the table of runs, without columns that are blank or 0.

    The caption says what the figures mean.

    `number`: the place of the series in the page.
    `story_ids`: {case: the id of its story in the page}.
    """
    all_cells = [cells_of(point) for point in series.points]
    shown = []
    for column in range(len(HEADS)):
        if any(cells[column] not in ("", "0") for cells in all_cells):
            shown.append(column)
    wide_cell = f'<td colspan="{len(shown)}">'
    heads = "".join(f'<th scope="col">{HEADS[column]}</th>' for column in shown)
    explained = text(figures_explained(HEADS[column] for column in shown))
    caption = f'<caption class="note">{explained}</caption>' if explained else ""
    yield f"<table>{caption}<thead><tr>{heads}</tr></thead><tbody>"
    for index, point in enumerate(series.points):
        run_id = f"run-{number}-{index}"
        cells = [all_cells[index][column] for column in shown]
        if point.breaks:
            changed = with_arrows(break_text(series, point))
            yield f'<tr class="break-row">{wide_cell}{changed}</td></tr>'
        title = f' title="{text(point.name)}"'
        if point.moves:
            yield _row(cells, title)
            moves = _moves(point, run_id, story_ids)
            yield f'<tr class="moved">{wide_cell}{moves}</td></tr>'
        else:
            yield _row(cells, f'{title} id="{run_id}"')
    yield "</tbody></table>"


def _moves(point: Point, run_id: str, story_ids: Mapping[CaseKey, str]) -> str:
    """Return an element that unfolds to the cases that got worse or better.

    `run_id`: the id of the inner table in the page.
    `story_ids`: {case: the id of its story in the page}.
    """
    counts = point.counts
    said = (
        f"{counts.got_worse:,} got worse{how_sure(counts)}, "
        f"{counts.got_better:,} got better since the run before"
    )
    if len(point.moves) > MOST_MOVES:
        said += f": the first {MOST_MOVES}"
    moves = "".join(_move(move, story_ids) for move in point.moves[:MOST_MOVES])
    return (
        f"<details><summary>{said}</summary>"
        f'<table id="{run_id}"><tbody>{moves}</tbody></table></details>'
    )


def _move(move: CaseMove, story_ids: Mapping[CaseKey, str]) -> str:
    """Return a row about a case that moved, with a link to its story if it has one."""
    kind, said = "better", "got better"
    if move.is_worse:
        kind = "worse"
        said = f"got worse, {certainty_text(move.is_certain)}"
    scores = text(move_scores(move).replace("->", ARROW))
    name = text(case_name(move.id, move.query))
    if move.key in story_ids:
        name = f'<a href="#{story_ids[move.key]}">{name}</a>'
    return (
        f'<tr class="{kind}"><th scope="row">{name}</th><td>{scores}</td>'
        f"<td>{said}</td></tr>"
    )


def _row(cells: Sequence[str], attributes: str = "") -> str:
    """Return a row of a table as HTML. The first cell is its head."""
    head, *others = [text(cell) for cell in cells]
    rest = "".join(f"<td>{each}</td>" for each in others)
    return f'<tr{attributes}><th scope="row">{head}</th>{rest}</tr>'


# --- the chart ------------------------------------------------------------------------


def _chart(series: Series, number: int, label: str) -> str:
    """Return the chart of the means with their intervals, as HTML.

    A run is 1 wide. The line has a gap at each break. Only the means decide the scale,
    because wide intervals would hide a slow decline.

    `number`: the place of the series in the page.
    `label`: the variant, as HTML.
    """
    means = [each.mean for each in series.points if not math.isnan(each.mean)]
    most = max(means)
    least = min(*means, most - _LEAST_SPREAD)
    line = ""
    marks = []
    mean_before = math.nan
    for index, point in enumerate(series.points):
        middle = index + 0.5
        if point.breaks:
            marks.append(f'<path class="break" d="M{index} 0v{_HEIGHT}"/>')
        if index and point.searched:
            marks.append(f'<path class="searched" d="M{middle} {_HEIGHT}v-4"/>')
        if math.isnan(point.mean):
            continue
        mean = _down(point.mean, least, most)
        begins = not line or point.breaks
        line += f"{'M' if begins else 'L'}{middle} {mean}"
        low, high = _down(point.low, least, most), _down(point.high, least, most)
        marks.append(f'<path class="open" d="M{middle} {low}V{high}"/>')
        kind = _dot_kind(point, mean_before)
        marks.append(_link(point, f"run-{number}-{index}", index, mean, kind))
        mean_before = point.mean
    path = f'<path class="mean" d="{line}"/>'
    return _framed(series, label, path + "".join(marks), least=least, most=most)


def _framed(
    series: Series, label: str, drawn: str, *, least: float, most: float
) -> str:
    """Return a chart with its caption and the ends of both axes, as HTML.

    `drawn`: the elements of the SVG.
    `least`, `most`: the means at the lower and the upper end of the scale.
    """
    return (
        f'<figure><figcaption><b>mean {metric_of(series.last)}</b> {_CAPTION}</figcaption><div class="scaled">'
        f'<div class="ends" aria-hidden="true"><span>{most:.3f}</span>'
        f"<span>{(least + most) / 2:.3f}</span><span>{least:.3f}</span></div>"
        f'<svg viewBox="0 0 {len(series.points)} {_HEIGHT}" '
        f'preserveAspectRatio="none" role="group" aria-label="mean, {label}">'
        f"{drawn}</svg></div></figure>"
        f'<div class="ends">{ends_html(series.points)}</div>'
    )


def _down(value: float, least: float, most: float) -> str:
    """Return the distance of a mean from the upper edge of the chart, as text.

    `least` and `most` are the means at the lower and the upper end of the scale.
    """
    share = (most - value) / (most - least)
    return f"{_MARGIN + share * (_HEIGHT - 2 * _MARGIN):.2f}"


def _dot_kind(point: Point, mean_before: float) -> str:
    """Return the class of the dot of a run: `dot fell`, `dot rose` or `dot`.

    `mean_before`: the mean of the run before; NaN if there is none.
    """
    change = 0.0 if point.breaks else point.mean - mean_before
    if change < -ROUNDING:
        return "dot fell"
    if change > ROUNDING:
        return "dot rose"
    return "dot"


def _link(point: Point, run_id: str, index: int, mean: str, kind: str) -> str:
    """Return the dot of a run as HTML: a link to its row, with figures as a hint.

    `run_id`: the id of the row in the page.
    `index`: the place of the run in the chart.
    `mean`: the distance of the mean from the upper edge.
    `kind`: the class of the dot.
    """
    figures = []
    for head, cell in zip(HEADS, cells_of(point), strict=True):
        if cell:
            figures.append(f"{head} {cell}")
    said = text("; ".join(figures))
    return (
        f'<a href="#{run_id}" aria-label="{said}" tabindex="-1"><title>{said}</title>'
        f'<rect class="target" x="{index}" width="1" height="{_HEIGHT}"/>'
        f'<path class="{kind}" d="M{index + 0.5} {mean}h0"/></a>'
    )
