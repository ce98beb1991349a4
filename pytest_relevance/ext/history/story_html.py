"""The stories of queries in the page of a history, as charts without a script."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from pytest_relevance._text import case_name
from pytest_relevance.ext.history.points import CaseKey, Point
from pytest_relevance.ext.history.report import move_scores, searched_text
from pytest_relevance.ext.history.story import DocumentLine, Story
from pytest_relevance.reports.html.page_parts import ARROW, text
from pytest_relevance.reports.labels import start_text

_MOST_CHANGES = 12
_ROW = 10  # the height of a rank in the chart; a run is 1 wide
_LEVEL = 0.2  # half the length of the level part of a line in a run


def stories_html(stories: Mapping[CaseKey, Story], number: int) -> Iterator[str]:
    """Yield the HTML of the stories of a series, each of which can be opened.

    `number`: the place of the series in the page.
    """
    if not stories:
        return
    yield '<section class="stories"><h2>Queries that moved most</h2>'
    for place, story in enumerate(stories.values()):
        yield _story_html(story, story_id(number, place))
    yield "</section>"


def story_id(number: int, place: int) -> str:
    """Return the id of a story in the page.

    `number`: the place of its series. `place`: its place among the stories.
    """
    return f"story-{number}-{place}"


def ends_html(points: Sequence[Point]) -> str:
    """Return the starts of the first and the last run; once if they are equal."""
    ends = [start_text(points[0].started), start_text(points[-1].started)]
    return "".join(f"<span>{end}</span>" for end in dict.fromkeys(ends))


def _story_html(story: Story, chart: str) -> str:
    """Return a story as an element that opens. `chart`: the id of its chart."""
    lines = "".join(_line_path(line, place) for place, line in enumerate(story.lines))
    marks = ""
    height = story.depth * _ROW
    for index in story.changes:
        marks += f'<path class="searched" d="M{index} 0v{height}"/>'
    width = len(story.points)
    move = story.move
    label = text(f"ranks of {move.query or move.id}")
    scores = text(move_scores(move).replace("->", ARROW))
    return (
        f"<details><summary>{text(case_name(move.id, move.query))} "
        f'<span class="place">{scores}</span></summary>'
        f'<figure id="{chart}"><figcaption>Ranks in each run, 1 at the top. A line '
        "is a document. Dashed: the ranking changed.</figcaption>"
        '<div class="story"><div class="ends" aria-hidden="true">'
        f"<span>1</span><span>{story.depth}</span></div>"
        f'<div><svg viewBox="-0.5 0 {width} {height}" preserveAspectRatio="none" '
        f'role="img" aria-label="{label}">{marks}{lines}</svg>'
        f'<div class="ends">{ends_html(story.points)}</div></div>'
        f"<ol>{_legend(story)}</ol></div>{_changes(story)}</figure></details>"
    )


def _line_path(line: DocumentLine, place: int) -> str:
    """Return the line of a document. It has a gap if a run did not return the document.

    The line is level in the middle of each run, so that one run alone can be seen.
    """
    path = ""
    is_drawn = False
    for index, rank in enumerate(line.ranks):
        if rank is not None:
            height = f"{(rank - 0.5) * _ROW:g}"
            path += f"{'L' if is_drawn else 'M'}{index - _LEVEL:g} {height}"
            path += f"H{index + _LEVEL:g}"
        is_drawn = rank is not None
    title = f"<title>{text(line.title)}</title>"
    return f'<path class="line line-{place}" d="{path}">{title}</path>'


def _legend(story: Story) -> str:
    """Return an entry for each document: its title, its first and its last rank."""
    entries = []
    for place, line in enumerate(story.lines):
        ranks = []
        for rank in (line.ranks[0], line.ranks[-1]):
            ranks.append("not found" if rank is None else str(rank))
        first, last = ranks
        moved = first if first == last else f"{first} {ARROW} {last}"
        entries.append(
            f'<li><span class="key line-{place}"></span> <bdi>{text(line.title)}</bdi> '
            f'<span class="place">{moved}</span></li>'
        )
    return "".join(entries)


def _changes(story: Story) -> str:
    """Return the last runs at which the ranking changed, with what was searched then.

    "" if the ranking never changed.
    """
    entries = []
    for index in story.changes[-_MOST_CHANGES:]:
        point = story.points[index]
        why = f"; searched {searched_text(point)}" if point.searched else ""
        entries.append(
            f"<li>{text(f'{start_text(point.started)}: {point.name}{why}')}</li>"
        )
    if not entries:
        return ""
    return f'<p class="note">The ranking changed in</p><ul>{"".join(entries)}</ul>'
