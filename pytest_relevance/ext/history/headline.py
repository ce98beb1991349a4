"""The headline of a history: what changed since the first run, or the last break."""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance._text import counted, listed
from pytest_relevance.ext.history.history import History
from pytest_relevance.ext.history.series import Series
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.reports.labels import start_text
from pytest_relevance.reports.run.headline import (
    BETTER,
    BROKEN,
    FINE,
    MIXED,
    NOTHING,
    WORSE,
    Headline,
    balance,
    mean_direction,
)
from pytest_relevance.results.case_result import PASSED, SKIPPED

_WORST_FIRST = (BROKEN, WORSE, MIXED, NOTHING, FINE, BETTER)
"""The kinds of headlines, the worst first."""


def headline(history: History) -> Headline:
    """Return the headline of the variant that did worst."""
    headlines = []
    for series in history.series:
        label = ""
        if len(history.series) > 1:
            label = f"{series.variant or 'no variant'}: "
        headlines.append(_series_headline(series, label))
    return min(headlines, key=lambda each: _WORST_FIRST.index(each.kind))


def _series_headline(series: Series, label: str) -> Headline:
    """Return the headline of a variant: what changed, and faults of the last run.

    The headline is marked as a failure if the last run has faults.
    """
    compared = _comparison_headline(series)
    text = f"{label}{compared.text}"
    faults = _faults_of_last(series)
    if faults:
        kind = WORSE if compared.kind == WORSE else BROKEN
        text += f"; in the last run {listed(faults, 'and')}"
        return Headline(text, kind, fails=True)
    counts = series.points[-1].counts
    if counts.got_worse and compared.is_good_news:
        moved = f"{counts.got_worse:,} got worse and {counts.got_better:,} better"
        return Headline(f"{text}; in the last run {moved} than before it", MIXED)
    return Headline(text, compared.kind)


def _comparison_headline(series: Series) -> Headline:
    """Return a headline: how the mean changed since the first run or the last break.

    If no case has a score, the headline only counts cases that got worse and better.
    """
    change = series.change
    last = series.points[-1]
    has_counts = series.counts.compared > series.counts.without_score
    if not series.scored and has_counts and last.figures:
        return _since(series, balance(series.counts, 0))
    if change is None or not last.figures:
        why = "two or more are needed to compare their means"
        if len(series.points) > 1:
            why = "no mean can be compared with that of the last"
        return Headline(f"{counted(len(series.points), 'run')}: {why}", NOTHING)
    balanced = balance(series.counts, mean_direction(change))
    if balanced.is_good_news and change.means.difference < -ROUNDING:
        text = (
            "The mean fell, which may be chance, and no query fell by more than its "
            "tolerance"
        )
        balanced = Headline(text, MIXED)
    return _since(series, balanced)


def _since(series: Series, headline: Headline) -> Headline:
    """Return a headline that begins with the run since which runs are compared.

    It begins with `Since the first run`, or after a break `Since 2026-11-22 08:03`.
    """
    since = "the first run"
    if series.since:
        since = start_text(series.points[series.since].started)
    text = f"Since {since} {headline.text[0].lower()}{headline.text[1:]}"
    return replace(headline, text=text)


def _faults_of_last(series: Series) -> list[str]:
    """Return what is wrong in the last run; [] if nothing is.

    Faults are: every case was skipped, searches failed, no search returned anything, or
    gates were missed.
    """
    last = series.points[-1]
    ran = last.statuses.total() - last.statuses[SKIPPED]
    searches = counted(ran, "search", "searches")
    faults = []
    if not ran:
        faults.append("every case was skipped")
    if last.errors:
        faults.append(f"{last.errors:,} of {searches} failed")
    all_empty = last.empty > 0 and last.empty == len(last.figures)
    # if all cases passed, they expect no results
    if all_empty and last.statuses[PASSED] < ran:
        faults.append(f"{last.empty:,} of {searches} returned nothing")
    if series.unmet:
        gates = counted(len(series.unmet), "gate is", "gates are")
        faults.append(f"{gates} not met")
    return faults
