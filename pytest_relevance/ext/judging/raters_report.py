"""The report on a file of judgments: where raters differ, and how far.

The calibration of a judge has the same report, for two raters: people and the judge.
`metrics/agreement.py` computes the figures.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

from pytest_relevance._number_text import number_text, signed_text
from pytest_relevance._text import counted, harmless
from pytest_relevance.ext.judging.raters import FAR_APART, RatedDocument, rater_figures
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.metrics.agreement import agreement, krippendorff_alpha
from pytest_relevance.reports.cells import RIGHT, Column, document_columns
from pytest_relevance.reports.styled_lines import DIM, STRONG, Line, styled_line
from pytest_relevance.reports.table import Table
from pytest_relevance.reports.terminal_text import WIDEST, cut, display_width, folded

if TYPE_CHECKING:
    from pytest_relevance.metrics.agreement import Agreement

MOST_LISTED = 20

# Krippendorff, Content Analysis, 2004, chapter 11
_HOW_TO_READ_ALPHA = "reliable from 0.8 on, tentatively from 0.667"
_ALL_GRADES_EQUAL = "not defined: all grades are the same"
_MEANING_OF_BIAS = (
    "bias: a rater's ratings minus the mean of the other raters' ratings of the "
    "same documents"
)
_UNKNOWN_RATERS = "The file does not say who rated, so nothing can be said of a rater."
_ALL_HINT = " (--limit 0 lists all)"

_MOST_GRADES = 12  # in a table of grades
_WIDEST_RATER = 16
_WIDEST_RATINGS = 45
_WIDEST_QUERY = 30


def rater_lines(
    judgments: Judgments,
    pairs: Sequence[RatedDocument],
    *,
    are_known: bool,
    limit: int | None,
) -> list[Line]:
    """Return the report on a file with the ratings of several raters.

    `pairs`: the documents with several ratings, the largest spread first.
    `are_known`: whether the file names its raters.
    `limit`: the most documents and raters that are listed; None for all.
    """
    if are_known and len(judgments.raters) == 2:
        return agreement_lines(judgments, pairs, limit, hint=_ALL_HINT)
    raters = judgments.raters if are_known else ()
    lines = []
    differing = _differing_table(judgments, pairs, raters, limit)
    if differing.rows:
        differing.hint = _ALL_HINT
        lines += [*differing.lines(), styled_line("")]
    lines += _count_lines(pairs, raters)
    lines += [styled_line(""), *_alpha_lines(pairs), styled_line("")]
    if are_known:
        lines += _rater_table(judgments, limit).lines()
        lines.append(styled_line(_MEANING_OF_BIAS, DIM))
    else:
        lines.append(styled_line(_UNKNOWN_RATERS))
    return lines


def agreement_lines(
    judgments: Judgments,
    pairs: Sequence[RatedDocument],
    limit: int | None,
    *,
    hint: str = "",
    columns: int = WIDEST,
) -> list[Line]:
    """Return the report on how far the two raters of `judgments` agree.

    The report has figures, how often each pair of grades was given, and the documents
    on which the raters differ most.

    `pairs`: the documents that both rated, at least one; the largest spread first.
    `limit`: the most documents that are listed; None for all.
    `hint`: how to see more.
    `columns`: the width of the report.
    """
    first, second = judgments.raters
    found = agreement(
        [rated.ratings[first] for rated in pairs],
        [rated.ratings[second] for rated in pairs],
    )
    names = harmless(first), harmless(second)
    graded = counted(len(pairs), "pair")
    head = f"{graded} of query and document that both {names[0]} and {names[1]} graded"
    lines = [styled_line(text, STRONG) for text in folded(head, columns)]
    differing = _differing_table(judgments, pairs, judgments.raters, limit)
    differing.hint = hint
    tables = [
        _figures_table(found, len(pairs), names),
        _grades_table(found.counts, names),
        differing,
    ]
    shown = [table for table in tables if table.rows]
    for number, table in enumerate(shown):
        if number:
            lines.append(styled_line(""))
        lines += table.lines(columns)
    return lines


def _figures_table(found: Agreement, pairs: int, names: tuple[str, str]) -> Table:
    """Return the table of how far two raters agree."""
    first, second = names
    interval = f"{found.low:.3f} to {found.high:.3f} at 95 %"
    if isnan(found.kappa):
        interval = "not defined for one pair" if pairs == 1 else _ALL_GRADES_EQUAL
    columns = [Column(), Column(align=RIGHT, min_width=6), Column(cut_to=20)]
    table = Table(columns, indent=2)
    equal = f"{round(found.equal * pairs):,} of {pairs:,}"
    table.add("equal grades", f"{found.equal:.1%}", equal)
    table.add("Cohen's kappa (quadratic)", _figure_text(found.kappa), interval)
    if pairs > 1:
        table.add(
            "Krippendorff's alpha (ordinal)",
            _figure_text(found.alpha),
            _alpha_explained(found.alpha),
        )
    bias = f"the grades of {second} minus those of {first}"
    table.add("bias", signed_text(found.bias), bias)
    return table


def _grades_table(
    counts: Mapping[tuple[float, float], int], names: tuple[str, str]
) -> Table:
    """Return the table that counts each pair of grades; empty if there are too many."""
    given: set[float] = set()
    for pair in counts:
        given.update(pair)
    grades = sorted(given)
    first, second = (cut(name, _WIDEST_RATER) for name in names)
    columns = [Column(f"{first} \\ {second}", RIGHT)]
    for grade in grades:
        columns.append(Column(number_text(grade), RIGHT, min_width=4))
    table = Table(columns)
    if len(grades) > _MOST_GRADES:
        return table
    for grade in grades:
        row = [number_text(grade)]
        for other in grades:
            count = counts.get((grade, other), 0)
            row.append(f"{count:,}" if count else "-")
        table.add(*row)
    return table


def _differing_table(
    judgments: Judgments,
    pairs: Iterable[RatedDocument],
    raters: Sequence[str],
    limit: int | None,
) -> Table:
    """Return the table of the documents on which raters differ the most.

    `raters` is empty if the file does not name them.
    """
    differing = [rated for rated in pairs if rated.spread]
    rating_columns = _rater_columns(raters)
    has_rater_columns = bool(rating_columns)
    if not has_rater_columns:
        rating_columns = [Column("ratings", max_width=_WIDEST_RATINGS)]
    query_column = Column("query", max_width=_WIDEST_QUERY)
    table = Table(
        [Column("apart", RIGHT), *rating_columns, query_column, *document_columns()]
    )
    for rated in differing[:limit]:
        if has_rater_columns:
            ratings = [_rating_text(rated, rater) for rater in raters]
        else:
            ratings = [_ratings_text(rated, are_named=bool(raters))]
        table.add(
            number_text(rated.spread),
            *ratings,
            judgments.text(rated.query),
            rated.document,
            judgments.titles.get(rated.query, {}).get(rated.document, ""),
        )
    more = len(differing) - len(table.rows)
    if more:
        table.note = f"... and {more:,} more on which they differ"
    return table


def _rater_columns(raters: Sequence[str]) -> list[Column]:
    """Return a column for each rater; [] if there is no room for all."""
    names = [cut(harmless(rater), _WIDEST_RATER) for rater in raters]
    columns = [Column(name, RIGHT) for name in names]
    gaps = sum(column.gap for column in columns[1:])
    if sum(display_width(name) for name in names) + gaps > _WIDEST_RATINGS:
        return []
    return columns


def _rating_text(rated: RatedDocument, rater: str) -> str:
    return number_text(rated.ratings[rater]) if rater in rated.ratings else "-"


def _ratings_text(rated: RatedDocument, *, are_named: bool) -> str:
    """Return the ratings of a document as text: `0 (anna), 3 (ben)`, or `0 3`."""
    ratings = sorted(rated.ratings.items(), key=lambda pair: pair[1])
    if not are_named:
        return " ".join(number_text(rating) for _, rating in ratings)
    return ", ".join(f"{number_text(rating)} ({rater})" for rater, rating in ratings)


def _count_lines(pairs: Sequence[RatedDocument], raters: Sequence[str]) -> list[Line]:
    """Return how many documents have several ratings, and how many differ widely."""
    ratings = sum(len(rated.ratings) for rated in pairs)
    queries = len({rated.query for rated in pairs})
    by = f" by {counted(len(raters), 'rater')}" if raters else ""
    head = (
        f"{counted(len(pairs), 'pair')} of query and document with several ratings: "
        f"{counted(ratings, 'rating')}{by} in {counted(queries, 'query', 'queries')}"
    )
    lines = [styled_line(text, STRONG) for text in folded(head)]
    far = sum(1 for rated in pairs if rated.spread >= FAR_APART)
    verb = "differs" if far == 1 else "differ"
    lines.append(styled_line(f"  {far:,} {verb} by two grades or more"))
    return lines


def _alpha_lines(pairs: Iterable[RatedDocument]) -> list[Line]:
    alpha = krippendorff_alpha([list(rated.ratings.values()) for rated in pairs])
    return [
        styled_line(f"Krippendorff's alpha (ordinal): {_figure_text(alpha)}", STRONG),
        styled_line(f"  {_alpha_explained(alpha)}"),
    ]


def _rater_table(judgments: Judgments, limit: int | None) -> Table:
    """Return the table of the raters, the most biased first."""
    found = sorted(rater_figures(judgments), key=lambda rater: -abs(rater.bias or 0))
    table = Table(
        [
            Column("rater", max_width=_WIDEST_QUERY),
            Column("rated", RIGHT, min_width=9),
            Column("with others", RIGHT),
            Column("bias", RIGHT, min_width=6),
        ]
    )
    for rater in found[:limit]:
        bias = "n/a" if rater.bias is None else f"{rater.bias:+.3f}"
        table.add(rater.rater, f"{rater.rated:,}", f"{rater.shared:,}", bias)
    more = len(found) - len(table.rows)
    if more:
        table.note = f"... and {more:,} more raters{_ALL_HINT}"
    return table


def _figure_text(value: float) -> str:
    return "n/a" if isnan(value) else f"{value:.3f}"


def _alpha_explained(alpha: float) -> str:
    return _ALL_GRADES_EQUAL if isnan(alpha) else _HOW_TO_READ_ALPHA
