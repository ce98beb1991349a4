"""What is found in case files and judgment files: lint warnings, and where several raters differ.

The warnings are a block for each kind, with a line for each warning. The report on raters has the documents on which
they differ and how far, and who differs from the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from math import isnan
from typing import TYPE_CHECKING

from pytest_relevance._text import counted, harmless, quoted
from pytest_relevance.judgments.grading import FAR_APART, Rated, aggregate_figures, query_figures, rater_figures
from pytest_relevance.judgments.model import Judgments
from pytest_relevance.reports.blocks import RIGHT, Column, Table, document_columns
from pytest_relevance.reports.text import DIM, DOUBT, STRONG, WIDEST, Line, cut, folded, line, number, width

if TYPE_CHECKING:
    from pytest_relevance.cases.lint import LintFinding

MOST_OF_A_KIND = 10
MOST_LISTED = 20
MOST_QUERIES = 5

RELIABLE, TENTATIVE = 0.8, 0.667
"""Krippendorff, Content Analysis, 2004, chapter 11: the alpha of reliable ratings, and the least for any conclusion."""

_FAR = f"{FAR_APART}+ grades apart"
_FARTHEST = 4  # grades apart; what is farther is counted together
_WIDEST_RATER, _WIDEST_RATINGS, _WIDEST_QUERY = 16, 45, 30


def finding_lines(findings: Sequence[LintFinding], *, every: bool = False) -> list[Line]:
    """The warnings by kind: what is the matter and what to do, then where. `every`: all of them."""
    from pytest_relevance.cases.lint import KINDS  # the report on raters does without the reader of case files

    lines: list[Line] = []
    for kind in KINDS:
        of_kind = [finding for finding in findings if finding.kind == kind]
        if not of_kind:
            continue
        lines += [line(text, DOUBT) for text in folded(f"warning: {kind}", indent="  ")]
        shown = of_kind if every or len(of_kind) <= MOST_OF_A_KIND + 1 else of_kind[:MOST_OF_A_KIND]
        for finding in shown:
            lines += [line(text) for text in folded(f"    {_finding_text(finding)}", indent="      ")]
        if more := len(of_kind) - len(shown):
            lines.append(line(f"    ... and {more:,} more (--all shows all)", DIM))
        lines.append(line(""))
    return lines


def _finding_text(finding: LintFinding) -> str:
    """A finding in one line: `shop.relevance.yaml:12: "blue shoes": min_ndcg 0`; in JSON a path replaces the line."""
    place = finding.place
    where = harmless(finding.file) + (f":{place.line}" if place.line else "")
    query = quoted(finding.query, 60) if finding.query is not None else ""
    parts = [where, "" if place.line else harmless(place.path or ""), query, finding.detail]
    return ": ".join(part for part in parts if part)


def total_line(counts: Mapping[str, int], errors: int, warnings: int, *, at_least: bool = False) -> Line:
    """`2 files, 135 cases, 3,668 judgments: 1 error, 12 warnings`; what there is none of is left out.

    `at_least`: there may be more errors, because the check stopped early.
    """
    plurals = {"query": "queries", "listed query left out": "listed queries left out"}
    looked_at = ", ".join(counted(count, what, plurals.get(what, "")) for what, count in counts.items() if count)
    found = (
        counted(number, what) if number else f"no {what}s"
        for number, what in ((errors, "error"), (warnings, "warning"))
    )
    return line(f"{looked_at}: {'at least ' * at_least}{', '.join(found)}")


def rater_lines(judgments: Judgments, pairs: Sequence[Rated], *, are_known: bool, limit: int | None) -> list[Line]:
    """The report on a file of several raters. `pairs` are its documents with several ratings.

    `are_known`: whether the file names its raters. `limit`: how many documents and raters are listed at most.
    """
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
    table = Table([Column(_FAR, RIGHT), Column("of pairs", RIGHT), Column("query with the most of them", least=20)])
    for figures in found[:MOST_QUERIES]:
        table.add(f"{figures.far_apart:,}", f"{figures.pairs:,}", judgments.text(figures.query))
    if (more := len(found) - MOST_QUERIES) > 0:
        table.note = f"... and {more:,} more with such pairs"
    return [*table.lines(), line("")]


def _apart(judgments: Judgments, pairs: Sequence[Rated], are_known: bool, limit: int | None) -> list[Line]:
    """The documents on which the raters are the furthest apart."""
    differing = [rated for rated in pairs if rated.spread]
    shown = differing[:limit]
    if not shown:
        return []
    ratings, cells = _ratings(judgments.raters if are_known else ())
    table = Table([Column("apart", RIGHT), *ratings, Column("query", most=_WIDEST_QUERY), *document_columns()])
    for rated in shown:
        title = judgments.titles.get(rated.query, {}).get(rated.document, "")
        table.add(number(rated.spread), *cells(rated), judgments.text(rated.query), rated.document, title)
    if more := len(differing) - len(shown):
        table.note = f"... and {more:,} more on which they differ (--limit 0 lists all)"
    return [*table.lines(), line("")]


def _ratings(raters: Sequence[str]) -> tuple[list[Column], Callable[[Rated], list[str]]]:
    """The columns of the ratings and their cells for a document: a column for each rater where there is room."""

    def each(rated: Rated) -> list[str]:
        return [number(rated.ratings[rater]) if rater in rated.ratings else "-" for rater in raters]

    def together(rated: Rated) -> list[str]:
        given = sorted(rated.ratings.items(), key=lambda pair: pair[1])
        if not raters:
            return [" ".join(number(rating) for _, rating in given)]
        return [", ".join(f"{number(rating)} ({rater})" for rater, rating in given)]

    names = [cut(harmless(rater), _WIDEST_RATER) for rater in raters]
    if names and sum(width(name) + 2 for name in names) <= _WIDEST_RATINGS + 2:
        return [Column(name, RIGHT) for name in names], each
    return [Column("ratings", most=_WIDEST_RATINGS)], together


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
    table = Table([Column(), Column(align=RIGHT, at_least=9), Column(align=RIGHT, at_least=6)], indent=2)
    for what, count in spreads.items():
        table.add(what, f"{count:,}", f"{count / len(pairs):.1%}")
    far = sum(rated.spread >= FAR_APART for rated in pairs)
    differ = "differs" if far == 1 else "differ"
    total = line(f"  {far:,} {differ} by two grades or more")
    return [*(line(text, STRONG) for text in folded(head)), *table.lines(), total, line("")]


def _how_far(spread: float) -> str:
    if not spread:
        return "all ratings the same"
    if spread < 1:
        return "less than a grade apart"
    if spread >= _FARTHEST + 1:
        return f"more than {_FARTHEST} grades apart"
    return f"{counted(int(spread), 'grade')} apart"


def _agreement(pairs: Sequence[Rated]) -> list[Line]:
    """Krippendorff's alpha and how to read it."""
    from pytest_relevance.metrics.similarity import krippendorff_alpha  # which imports numpy

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
    table = Table([Column("raters:"), Column("mean grade", RIGHT), Column("unlike the median", RIGHT)])
    for found in aggregate_figures(pairs):
        table.add(f"  {found.how}", f"{found.mean:.3f}", f"{found.unlike_median:,}")
    return [*table.lines(), line("")]


def _raters(judgments: Judgments, limit: int | None) -> list[Line]:
    """One line for each rater, those most often alone first, then the most biased."""
    found = sorted(rater_figures(judgments), key=lambda rater: (-rater.alone, -abs(rater.bias or 0)))
    most = max(rater.alone for rater in found)
    figures = (Column(head, RIGHT, at_least=least) for head, least in (("rated", 9), ("with others", 0), ("bias", 6)))
    table = Table([Column("rater", most=_WIDEST_QUERY), *figures, Column("alone", RIGHT), Column()])
    for rater in found[:limit]:
        mark = "most often alone: talk to them first" if most and rater.alone == most else ""
        bias = "n/a" if rater.bias is None else f"{rater.bias:+.3f}"
        table.add(rater.rater, f"{rater.rated:,}", f"{rater.shared:,}", bias, f"{rater.alone:,}", mark)
    if more := len(found) - len(table.rows):
        table.note = f"... and {more:,} more raters (--limit 0 lists all)"
    return [*table.lines(), *(line(text, DIM) for text in _MEANING)]


_MEANING = (
    "bias: their ratings less the mean of the others' ratings of the same documents",
    f"alone: documents on which they are {FAR_APART} grades or more from all others, who agree with each other",
)
_UNKNOWN = [line("The file does not say who rated, so nothing can be said of a rater.")]
