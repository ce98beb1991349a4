"""The first lines of a report: where the case stands, and what is not met, or what there is to say where all is met."""

from __future__ import annotations

from collections.abc import Mapping
from math import isnan
from typing import TYPE_CHECKING

from pytest_relevance.cases.model import Case, Expectation
from pytest_relevance.reports.table import number
from pytest_relevance.reports.text import (
    BAD,
    DOUBT,
    GOOD,
    PLAIN,
    WIDEST,
    Line,
    cut,
    folded,
    harmless,
    line,
    width,
)
from pytest_relevance.runs.expectations import Found, Outcome, check, digits_apart, duration
from pytest_relevance.runs.scored import FAILED, INCONCLUSIVE, PASSED, Scored, ndcg_at

if TYPE_CHECKING:
    from pytest_relevance.runs.baseline import Since

STYLES = {PASSED: GOOD, FAILED: BAD, INCONCLUSIVE: DOUBT}
"""How a verdict looks."""

_LEAST_REASON = 60
_LONGEST_TITLE = 40  # in a sentence


def reasons_in_brief(scored: Scored, where: str) -> Line:
    """Every reason in one line, however wide: an id that is cut cannot be looked for."""
    parts = [*scored.reasons] or [_met(scored)]
    if open_ := left_open(scored):
        parts.append(open_)
    if scored.verdict == INCONCLUSIVE and scored.unjudged:
        parts.append(f"judge these: {', '.join(scored.unjudged)}")
    if asked := query_beside_id(scored.case):
        parts.append(asked)
    return (where, PLAIN), (harmless("; ".join(parts)), STYLES.get(scored.verdict, PLAIN))


def query_beside_id(case: Case) -> str:
    """`query "smart watch"` where the name of the case does not say it: `q043` is nobody's query."""
    return f'query "{case.query}"' if case.id != case.query else ""


def reasons_in_full(scored: Scored, where: str, titles: Mapping[str, str], found: Since | None = None) -> list[Line]:
    """The first reason behind the place, or below it where that leaves little room; the others below.

    `found` is what became of the case since its baseline.
    """
    style = STYLES.get(scored.verdict, PLAIN)
    reasons = _with_titles(scored, titles) if scored.reasons and scored.outcomes else scored.reasons
    reasons = reasons or (_met(scored),)
    if found is not None:
        from pytest_relevance.reports.since import with_baseline

        reasons = with_baseline(reasons, scored, found)
    first, *others = map(harmless, reasons)
    room = WIDEST - width(where)
    lines: list[Line]
    if room < min(_LEAST_REASON, width(first)):
        lines = [line(where.rstrip())]
        others.insert(0, first)
    else:
        beginning, *rest = folded(first, indent="    ", first=room)
        lines = [((where, PLAIN), (beginning, style)), *(line(text, style) for text in rest)]
    return lines + [line(text, style) for other in others for text in folded(f"  {other}", indent="    ")]


def _with_titles(scored: Scored, titles: Mapping[str, str]) -> list[str]:
    """The reasons, those that name documents with the titles of these."""
    case, ids = scored.case, scored.ranking.ids
    unmet = [
        (expected, outcome.message)
        for expected, outcome in zip(case.expect, scored.outcomes, strict=True)
        if expected.documents and not outcome.met
    ]
    if not unmet:
        return [*scored.reasons]
    ranks = {document: len(ids) - index for index, document in enumerate(reversed(ids))}
    named = {document for expected, _ in unmet for document in (*expected.documents, *ids[: len(expected.documents)])}
    short = {document: cut(harmless(titles[document]), _LONGEST_TITLE) for document in named if document in titles}
    found = Found(case, scored.graded, ids, ranks, scored.latency, short)
    messages = {message: check(expected, found).message for expected, message in unmet}
    return [messages.get(reason, reason) for reason in scored.reasons]


def _met(scored: Scored) -> str:
    """What there is to say of a case of which nothing is unmet."""
    name, floor = ndcg_at(scored.case.k).text, scored.case.min_ndcg
    digits = digits_of(scored)
    met = ", ".join(map(_met_outcome, scored.case.expect, scored.outcomes))
    if not scored.case.judgments:
        text = "" if met else "no judgments"
    elif isnan(scored.score):
        text = f"{name} n/a, no judged document is relevant"
    else:
        expected = f"at least {floor:.{digits}f}" if floor is not None else "no floor"
        text = f"{name} {scored.score:.{digits}f}, {expected}"
    if scored.verdict != PASSED:
        return text
    text = f"{text}: passed" if text else "passed"
    return f"{text}; met: {met}" if met else text


def _met_outcome(expected: Expectation, outcome: Outcome) -> str:
    """`P@5 0.800 >= 0.600`, `results 0`, `latency 3.2 ms`, `first`."""
    if outcome.value is None:
        return outcome.name
    if expected.metric is not None:
        digits = digits_apart(outcome.value, expected.bound)
        return f"{outcome.name} {outcome.value:.{digits}f} {expected.comparison} {expected.bound:.{digits}f}"
    return f"{outcome.name} {duration(outcome.value) if expected.kind == 'latency' else number(outcome.value)}"


def left_open(scored: Scored) -> str:
    """`nDCG@10 lies between 0.287 and 0.641`, or nothing where the unjudged results leave nothing open."""
    settings = scored.case.settings
    if isnan(scored.score) or settings.ideal != "judged" or settings.unjudged != "zero" or scored.judged == scored.top:
        return ""
    digits = digits_of(scored)
    return f"{ndcg_at(scored.case.k).text} lies between {scored.lower:.{digits}f} and {scored.upper:.{digits}f}"


def digits_of(scored: Scored) -> int:
    """The decimals of the score: as many as tell it from the floor."""
    return 3 if scored.case.min_ndcg is None else digits_apart(scored.score, scored.case.min_ndcg)
