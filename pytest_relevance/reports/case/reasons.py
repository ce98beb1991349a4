"""The first lines of a report: the place of the case, and what is not met, or that everything is met."""

from __future__ import annotations

from collections.abc import Sequence

from pytest_relevance._text import counted
from pytest_relevance.reports.case.rank_changes import with_baseline
from pytest_relevance.reports.text import (
    BAD,
    DOUBT,
    GOOD,
    PLAIN,
    WIDEST,
    Line,
    cut,
    cut_middle,
    folded,
    harmless,
    line,
    number,
    width,
)
from pytest_relevance.results.case_result import ERROR, FAILED, INCONCLUSIVE, PASSED, CaseResult, Outcome, Repeats
from pytest_relevance.results.expectations import digits_apart, duration, message_with_titles

STYLES = {PASSED: GOOD, FAILED: BAD, ERROR: BAD, INCONCLUSIVE: DOUBT}
"""The style of a verdict."""

_LEAST_REASON = 60
_LONGEST_TITLE, _LONGEST_ID = 40, 24  # in a sentence


def reasons_in_brief(result: CaseResult) -> Line:
    """Every reason in one line, however wide: an id that is cut cannot be looked for."""
    parts = [*_reasons(result)]
    if interval := interval_text(result):
        parts.append(interval)
    if result.verdict == INCONCLUSIVE and result.unjudged:
        parts.append(f"judge these: {', '.join(result.unjudged)}")
    if query := query_text(result):
        parts.append(query)
    return (f"{harmless(result.place)}: ", PLAIN), (harmless("; ".join(parts)), STYLES.get(result.verdict, PLAIN))


def query_text(result: CaseResult) -> str:
    """`query "smart watch"` where the id of the case is another text, such as `q043`; else empty."""
    return f'query "{result.query}"' if result.id != result.query else ""


def reasons_in_full(result: CaseResult, columns: int = WIDEST) -> list[Line]:
    """The first reason behind the place, or below it where that leaves little room; the others below."""
    style = STYLES.get(result.verdict, PLAIN)
    reasons = _with_titles(result) if result.reasons and result.outcomes else _reasons(result)
    first, *others = map(harmless, with_baseline(reasons, result))
    place = f"{harmless(result.place)}: "
    room = columns - width(place)
    lines: list[Line]
    if room < min(_LEAST_REASON, width(first)):
        lines = [line(place.rstrip())]
        others.insert(0, first)
    else:
        beginning, *rest = folded(first, columns, "    ", first=room)
        lines = [((place, PLAIN), (beginning, style)), *(line(text, style) for text in rest)]
    return lines + [line(text, style) for other in others for text in folded(f"  {other}", columns, "    ")]


def _reasons(result: CaseResult) -> Sequence[str]:
    return result.reasons or (_met(result),)


def _with_titles(result: CaseResult) -> list[str]:
    """The reasons; those that name documents have their titles."""
    short = {document: cut(harmless(title), _LONGEST_TITLE) for document, title in result.titles.items()}
    messages = {outcome.message: message_with_titles(outcome, result, short) for outcome in result.outcomes}
    return [messages.get(reason, reason) for reason in result.reasons]


def _met(result: CaseResult) -> str:
    """The text about a case that met everything."""
    name, floor = result.metric.text, result.floor
    met = ", ".join(map(_met_outcome, result.outcomes))
    if not result.judgments:
        text = "" if met else "no judgments"
    elif result.score is None:
        text = f"{name} n/a, no judged document is relevant"
    else:
        digits = score_digits(result)
        expected = f"at least {floor:.{digits}f}" if floor is not None else "no floor"
        text = f"{name} {result.score:.{digits}f}, {expected}"
    if result.verdict != PASSED:
        return text
    text = f"{text}: passed" if text else "passed"
    return f"{text}; met: {met}" if met else text


def _met_outcome(outcome: Outcome) -> str:
    """`P@5 0.800 >= 0.600`, `results 0`, `latency 3.2 ms`, `first`."""
    if outcome.value is None:
        return outcome.name
    if outcome.kind == "metric":
        digits = digits_apart(outcome.value, outcome.bound)
        return f"{outcome.name} {outcome.value:.{digits}f} {outcome.comparison} {outcome.bound:.{digits}f}"
    return f"{outcome.name} {duration(outcome.value) if outcome.kind == 'latency' else number(outcome.value)}"


def interval_text(result: CaseResult) -> str:
    """`nDCG@10 lies between 0.287 and 0.641`, or nothing where unjudged results cannot change the score."""
    settings, (lower, upper) = result.settings, result.interval
    if lower is None or settings.ideal != "judged" or settings.unjudged != "zero" or result.judged == result.top:
        return ""
    digits = score_digits(result)
    return f"{result.metric.text} lies between {lower:.{digits}f} and {upper:.{digits}f}"


def score_digits(result: CaseResult) -> int:
    """The number of decimals of the score: enough to distinguish it from the floor."""
    if result.floor is None or result.score is None:
        return 3
    return digits_apart(result.score, result.floor)


def unstable_text(result: CaseResult) -> str:
    """The text about a ranking that changes from call to call; empty for one that does not."""
    repeats = result.repeats
    if repeats is None or repeats.rankings == 1:
        return ""
    different = counted(repeats.rankings, "different ranking")
    calls = counted(repeats.calls, "call")
    return f"the ranking is not stable: {different} in {calls}; first difference at {difference_text(repeats)}"


def difference_text(repeats: Repeats, longest: int = _LONGEST_ID) -> str:
    """`rank 3: a / b (of the same score)`; ids are cut to `longest` columns."""
    if repeats.rank is None:
        return counted(repeats.rankings, "different ranking")
    ends = ["nothing" if name is None else cut_middle(harmless(name), longest) for name in repeats.documents]
    return f"rank {repeats.rank}: {' / '.join(ends)}{' (of the same score)' if repeats.is_tie else ''}"
