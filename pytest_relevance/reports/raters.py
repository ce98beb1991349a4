"""Where the raters of documents differ, and how far: the report on a judgment file, and the calibration of a judge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import isnan

from pytest_relevance._text import counted, harmless
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.judgments.raters import FAR_APART, Rated, rater_figures
from pytest_relevance.reports.cells import RIGHT, Column, document_columns
from pytest_relevance.reports.number_text import number_text, signed_text
from pytest_relevance.reports.styled_lines import DIM, STRONG, Line, styled_line
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST, cut, display_width, folded

MOST_LISTED = 20

_LEAST = "reliable from 0.8 on, tentatively from 0.667"
"""Of an alpha. Krippendorff, Content Analysis, 2004, chapter 11."""

_ALL_HINT = " (--limit 0 lists all)"
_MOST_GRADES = 12  # in a table of grades
_WIDEST_RATER, _WIDEST_RATINGS, _WIDEST_QUERY = 16, 45, 30


def rater_lines(
    judgments: Judgments, pairs: Sequence[Rated], *, are_known: bool, limit: int | None
) -> list[Line]:
    """The report on a file of several raters. `pairs` are its documents with several ratings.

    `are_known`: whether the file names its raters. `limit`: how many documents and raters are listed at most.
    """
    if are_known and len(judgments.raters) == 2:
        return agreement_lines(judgments, pairs, limit, _ALL_HINT)
    apart = _apart(judgments, pairs, are_known, limit)
    lines = [
        *(apart and [*apart, styled_line("")]),
        *_counted(judgments, pairs, are_known),
    ]
    return [*lines, *(_raters(judgments, limit) if are_known else _UNKNOWN)]


def agreement_lines(
    judgments: Judgments,
    pairs: Sequence[Rated],
    limit: int | None,
    hint: str = "",
    columns: int = WIDEST,
) -> list[Line]:
    """How far the two raters of `judgments` agree: figures, how often which grades met, the pairs furthest apart.

    `pairs` are what both graded, one or more, the furthest apart first; `limit` of them are listed at most, and `hint`
    says how to see more.
    """
    from pytest_relevance.metrics.agreement import agreement

    first, second = judgments.raters
    found = agreement(
        *zip(
            *((rated.ratings[first], rated.ratings[second]) for rated in pairs),
            strict=True,
        )
    )
    one, two = harmless(first), harmless(second)
    head = f"{counted(len(pairs), 'pair')} of query and document that both {one} and {two} graded"
    figures = Table(
        [Column(), Column(align=RIGHT, min_width=6), Column(cut_to=20)], indent=2
    )
    interval = f"{found.low:.3f} to {found.high:.3f} at 95 %"
    if isnan(found.kappa):
        interval = "not defined for one pair" if len(pairs) == 1 else _SAME
    figures.add(
        "equal grades",
        f"{found.equal:.1%}",
        f"{round(found.equal * len(pairs)):,} of {len(pairs):,}",
    )
    figures.add("Cohen's kappa (quadratic)", _figure(found.kappa), interval)
    if len(pairs) > 1:
        figures.add(
            "Krippendorff's alpha (ordinal)",
            _figure(found.alpha),
            _SAME if isnan(found.alpha) else _LEAST,
        )
    figures.add(
        "bias", signed_text(found.bias), f"the grades of {two} less those of {one}"
    )
    grades = sorted({grade for pair in found.counts for grade in pair})
    names = cut(one, _WIDEST_RATER), cut(two, _WIDEST_RATER)
    table = Table(
        [
            Column(" \\ ".join(names), RIGHT),
            *(Column(number_text(grade), RIGHT, min_width=4) for grade in grades),
        ]
    )
    for mine in grades if len(grades) <= _MOST_GRADES else ():
        counts = [found.counts.get((mine, other), 0) for other in grades]
        table.add(
            number_text(mine), *(f"{count:,}" if count else "-" for count in counts)
        )
    parts = (
        figures.lines(columns),
        table.lines(columns),
        _apart(judgments, pairs, True, limit, hint, columns),
    )
    lines = [styled_line(text, STRONG) for text in folded(head, columns)]
    for part in filter(None, parts):
        lines += [*part, styled_line("")]
    return lines[:-1]


_SAME = "not defined: all grades are the same"


def _figure(value: float) -> str:
    return "n/a" if isnan(value) else f"{value:.3f}"


def _apart(
    judgments: Judgments,
    pairs: Sequence[Rated],
    are_known: bool,
    limit: int | None,
    hint: str = _ALL_HINT,
    columns: int = WIDEST,
) -> list[Line]:
    """The documents on which the raters are the furthest apart."""
    differing = [rated for rated in pairs if rated.spread]
    shown = differing[:limit]
    if not shown:
        return []
    ratings, cells = _ratings(judgments.raters if are_known else ())
    table = Table(
        [
            Column("apart", RIGHT),
            *ratings,
            Column("query", max_width=_WIDEST_QUERY),
            *document_columns(),
        ]
    )
    for rated in shown:
        title = judgments.titles.get(rated.query, {}).get(rated.document, "")
        table.add(
            number_text(rated.spread),
            *cells(rated),
            judgments.text(rated.query),
            rated.document,
            title,
        )
    if more := len(differing) - len(shown):
        table.note, table.hint = f"... and {more:,} more on which they differ", hint
    return table.lines(columns)


def _ratings(
    raters: Sequence[str],
) -> tuple[list[Column], Callable[[Rated], list[str]]]:
    """The columns of the ratings and their cells for a document: a column for each rater where there is room."""

    def each(rated: Rated) -> list[str]:
        return [
            number_text(rated.ratings[rater]) if rater in rated.ratings else "-"
            for rater in raters
        ]

    def together(rated: Rated) -> list[str]:
        given = sorted(rated.ratings.items(), key=lambda pair: pair[1])
        if not raters:
            return [" ".join(number_text(rating) for _, rating in given)]
        return [
            ", ".join(f"{number_text(rating)} ({rater})" for rater, rating in given)
        ]

    names = [cut(harmless(rater), _WIDEST_RATER) for rater in raters]
    if names and sum(display_width(name) + 2 for name in names) <= _WIDEST_RATINGS + 2:
        return [Column(name, RIGHT) for name in names], each
    return [Column("ratings", max_width=_WIDEST_RATINGS)], together


def _counted(
    judgments: Judgments, pairs: Sequence[Rated], are_known: bool
) -> list[Line]:
    """How many documents there are, how many ratings are far apart, and Krippendorff's alpha."""
    from pytest_relevance.metrics.agreement import krippendorff_alpha

    queries, ratings = (
        len({rated.query for rated in pairs}),
        [[*rated.ratings.values()] for rated in pairs],
    )
    by = f" by {counted(len(judgments.raters), 'rater')}" if are_known else ""
    far, alpha = (
        sum(rated.spread >= FAR_APART for rated in pairs),
        krippendorff_alpha(ratings),
    )
    head = (
        f"{counted(len(pairs), 'pair')} of query and document with several ratings: "
        f"{counted(sum(map(len, ratings)), 'rating')}{by} in {counted(queries, 'query', 'queries')}"
    )
    reading = _SAME if isnan(alpha) else _LEAST
    return [
        *(styled_line(text, STRONG) for text in folded(head)),
        styled_line(
            f"  {far:,} {'differs' if far == 1 else 'differ'} by two grades or more"
        ),
        styled_line(""),
        *(
            styled_line(f"Krippendorff's alpha (ordinal): {_figure(alpha)}", STRONG),
            styled_line(f"  {reading}"),
            styled_line(""),
        ),
    ]


def _raters(judgments: Judgments, limit: int | None) -> list[Line]:
    """One line for each rater, the most biased first."""
    found = sorted(rater_figures(judgments), key=lambda rater: -abs(rater.bias or 0))
    figures = (
        Column(head, RIGHT, min_width=least)
        for head, least in (("rated", 9), ("with others", 0), ("bias", 6))
    )
    table = Table([Column("rater", max_width=_WIDEST_QUERY), *figures])
    for rater in found[:limit]:
        bias = "n/a" if rater.bias is None else f"{rater.bias:+.3f}"
        table.add(rater.rater, f"{rater.rated:,}", f"{rater.shared:,}", bias)
    if more := len(found) - len(table.rows):
        table.note = f"... and {more:,} more raters{_ALL_HINT}"
    return [*table.lines(), styled_line(_MEANING, DIM)]


_MEANING = (
    "bias: their ratings less the mean of the others' ratings of the same documents"
)
_UNKNOWN = [
    styled_line("The file does not say who rated, so nothing can be said of a rater.")
]
