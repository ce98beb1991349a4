"""The report on several raters of the same documents: where they differ, how far, and who differs from the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from math import isnan

from pytest_relevance._text import counted
from pytest_relevance.judgments.disagreement import (
    FAR_APART,
    Rated,
    aggregate_figures,
    mixed,
    query_figures,
    rated_by_several,
    rater_figures,
)
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.reports.figures import number
from pytest_relevance.reports.text import (
    DIM,
    PLAIN,
    STRONG,
    WIDEST,
    Line,
    cut,
    fit,
    folded,
    harmless,
    line,
    pad,
    side_by_side,
    width,
)

MOST_LISTED = 20
MOST_QUERIES = 5
MOST_OF_A_QUERY = 3
"""How many pairs of one query are listed before those of others: one bad query would hide all others."""

RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff, Content Analysis, 2004, chapter 11: the alpha of reliable ratings, and the least for any conclusion."""

_FAR = f"{FAR_APART}+ grades apart"
_FARTHEST = 4  # grades apart; what is farther is counted together
_WIDEST_RATER, _WIDEST_RATINGS, _WIDEST_QUERY = 16, 45, 30


def rater_lines(
    judgments: Judgments, pairs: Sequence[Rated] | None = None, *, are_known: bool = True, limit: int | None = None
) -> list[Line]:
    """The report on a file of several raters. `pairs` are its documents with several ratings, computed here if None.

    `are_known`: whether the file names its raters. `limit`: how many documents and raters are listed at most.
    """
    pairs = rated_by_several(judgments) if pairs is None else pairs
    lines = [
        *_queries(judgments, pairs),
        *_apart(judgments, pairs, are_known, limit),
        *_counted(judgments, pairs, are_known),
        *_agreement(pairs),
        *_combined(pairs),
    ]
    return [*lines, *(_raters(judgments, limit) if are_known else _UNKNOWN)]


def _queries(judgments: Judgments, pairs: Sequence[Rated]) -> list[Line]:
    """The queries that raters should talk about first."""
    found = query_figures(pairs)
    if not found:
        return []
    lines = [line(f"{_FAR}  of pairs  query with the most of them", STRONG)]
    for figures in found[:MOST_QUERIES]:
        query = fit(harmless(judgments.text(figures.query)), WIDEST - len(_FAR) - 12).rstrip()
        lines.append(line(f"{figures.far:>{len(_FAR)},}  {figures.pairs:>8,}  {query}"))
    more = len(found) - MOST_QUERIES
    if more > 0:
        lines.append(line(f"... and {more:,} more with such pairs", DIM))
    return [*lines, line("")]


def _apart(judgments: Judgments, pairs: Sequence[Rated], are_known: bool, limit: int | None) -> list[Line]:
    """The documents on which the raters are the furthest apart."""
    differing = [rated for rated in pairs if rated.spread]
    shown = mixed(differing, len(differing) if limit is None else limit, MOST_OF_A_QUERY)
    if not shown:
        return []
    heads, ratings = _ratings(judgments.raters if are_known else (), shown)
    queries = [harmless(judgments.text(rated.query)) for rated in shown]
    for_query = min(max(len("query"), *map(width, queries)), _WIDEST_QUERY)
    apart = [number(rated.spread) for rated in shown]
    for_apart = max(len("apart"), *map(len, apart))
    titles = judgments.titles
    documents = side_by_side(
        [(rated.document, titles.get(rated.query, {}).get(rated.document, "")) for rated in shown],
        WIDEST - for_apart - width(heads) - for_query - 6,
    )
    lines = [line(f"{'apart':>{for_apart}}  {heads}  {'query':<{for_query}}  document", STRONG)]
    for far, given, query, document in zip(apart, ratings, queries, documents, strict=True):
        lines.append(line(f"{far:>{for_apart}}  {given}  {fit(query, for_query)}  {document}".rstrip()))
    if more := len(differing) - len(shown):
        text = f"... and {more:,} more on which they differ (--limit 0 lists all)"
        if shown != differing[: len(shown)]:
            text += f"; first at most {MOST_OF_A_QUERY} of a query"
        lines.append(line(text, DIM))
    return [*lines, line("")]


def _ratings(raters: Sequence[str], shown: Sequence[Rated]) -> tuple[str, list[str]]:
    """The head of the ratings and the ratings of each document: in a column for each rater where there is room."""
    names = [cut(harmless(rater), _WIDEST_RATER) for rater in raters]
    if names and sum(width(name) + 2 for name in names) <= _WIDEST_RATINGS + 2:
        head = "  ".join(names)
        rows = []
        for rated in shown:
            cells = [number(rated.ratings[rater]) if rater in rated.ratings else "-" for rater in raters]
            padded = (" " * (width(name) - len(cell)) + cell for name, cell in zip(names, cells, strict=True))
            rows.append("  ".join(padded))
        wide = max(width(head), *map(width, rows))
        return pad(head, wide), [pad(row, wide) for row in rows]
    listed = [_listed(rated, with_names=bool(names)) for rated in shown]
    wide = min(max(len("ratings"), *map(width, listed)), _WIDEST_RATINGS)
    return pad("ratings", wide), [fit(text, wide) for text in listed]


def _listed(rated: Rated, *, with_names: bool) -> str:
    """`0 (anna), 3 (ben)`, or `0 3` where the raters are unknown."""
    given = sorted(rated.ratings.items(), key=lambda pair: pair[1])
    if not with_names:
        return " ".join(number(rating) for _, rating in given)
    return ", ".join(f"{number(rating)} ({harmless(rater)})" for rater, rating in given)


def _counted(judgments: Judgments, pairs: Sequence[Rated], are_known: bool) -> list[Line]:
    """How many documents there are, and how far their ratings are apart."""
    queries = len({rated.query for rated in pairs})
    ratings = sum(len(rated.ratings) for rated in pairs)
    by = f" by {counted(len(judgments.raters), 'rater')}" if are_known else ""
    head = (
        f"{counted(len(pairs), 'pair')} of query and document with several ratings: "
        f"{counted(ratings, 'rating')}{by} in {counted(queries, 'query', 'queries')}"
    )
    spreads = Counter(_how_far(rated.spread) for rated in reversed(pairs))  # the furthest apart are the first
    columns = max(map(len, spreads))
    far = sum(rated.spread >= FAR_APART for rated in pairs)
    lines = [line(text, STRONG) for text in folded(head)]
    for what, count in spreads.items():
        lines.append(line(f"  {what:<{columns}}  {count:>9,}  {count / len(pairs):>6.1%}"))
    differ = "differs" if far == 1 else "differ"
    return [*lines, line(f"  {far:,} {differ} by two grades or more"), line("")]


def _how_far(spread: float) -> str:
    if not spread:
        return "all ratings the same"
    if spread < 1:
        return "less than a grade apart"
    grades = int(spread)
    if grades > _FARTHEST:
        return f"more than {_FARTHEST} grades apart"
    return f"{grades} grade{'s' * (grades != 1)} apart"


def _agreement(pairs: Sequence[Rated]) -> list[Line]:
    """Krippendorff's alpha and how to read it."""
    from pytest_relevance.metrics.significance import krippendorff_alpha  # imports numpy

    alpha = krippendorff_alpha([list(rated.ratings.values()) for rated in pairs])
    if isnan(alpha):
        figure, reading = "not defined", "All ratings are the same, so that nothing could have disagreed."
    else:
        figure, reading = f"{alpha:.3f}", f"{_read(alpha)} {_ENDS}"
    below = [line(f"  {text}") for text in folded(reading, WIDEST - 2)]
    return [line(f"Krippendorff's alpha (ordinal): {figure}", STRONG), *below, line("")]


_ENDS = "1 is perfect agreement, 0 what chance gives; below 0 raters contradict each other."


def _read(alpha: float) -> str:
    if alpha >= RELIABLE:
        return f"At {RELIABLE} or more ratings count as reliable (Krippendorff)."
    if alpha >= TENTATIVE:
        return f"Below {RELIABLE}, where ratings count as reliable; enough for tentative conclusions (Krippendorff)."
    return f"Below {TENTATIVE}, the least for any conclusion (Krippendorff): agree with the raters on what grades mean."


def _combined(pairs: Sequence[Rated]) -> list[Line]:
    """The mean grade for each way of combining ratings."""
    figures = aggregate_figures(pairs)
    lines = [line("raters:     mean grade  unlike the median", STRONG)]
    lines += [line(f"  {found.how:<8}  {found.mean:>10.3f}  {found.unlike_median:>17,}") for found in figures]
    return [*lines, line("")]


def _raters(judgments: Judgments, limit: int | None) -> list[Line]:
    """One line for each rater, those most often alone first, then the most biased."""
    found = sorted(rater_figures(judgments), key=lambda rater: (-rater.alone, -abs(rater.bias or 0)))
    most = max(rater.alone for rater in found)
    shown = found[:limit]
    names = [harmless(rater.rater) for rater in shown]
    columns = min(max(len("rater"), *map(width, names)), _WIDEST_QUERY)
    lines = [line(f"{'rater':<{columns}}      rated  with others    bias  alone", STRONG)]
    for rater, name in zip(shown, names, strict=True):
        mark = "  most often alone: talk to them first" if most and rater.alone == most else ""
        bias = "n/a" if rater.bias is None else f"{rater.bias:+.3f}"
        lines.append(
            line(f"{fit(name, columns)}  {rater.rated:>9,}  {rater.shared:>11,}  {bias:>6}  {rater.alone:>5,}{mark}")
        )
    if more := len(found) - len(shown):
        lines.append(line(f"... and {more:,} more raters (--limit 0 lists all)", DIM))
    return [*lines, *(line(text, DIM) for text in _MEANING)]


_MEANING = (
    "bias: their ratings less the mean of the others' ratings of the same documents",
    f"alone: documents on which they are {FAR_APART} grades or more from all others, who agree with each other",
)
_UNKNOWN = [line("The file does not say who rated, so nothing can be said of a rater.", PLAIN)]
