"""Why a case failed, in one line."""

from __future__ import annotations

import sys
from collections.abc import Iterable

from pytest_relevance._text import harmless, quoted
from pytest_relevance.reports import reasons
from pytest_relevance.reports.case_score import interval_text
from pytest_relevance.reports.ids_in_doubt import NO_ID_KNOWN
from pytest_relevance.reports.near_ids import near_ids
from pytest_relevance.reports.repeats import unstable_text
from pytest_relevance.reports.styled_lines import BAD, Line, styled_line
from pytest_relevance.reports.terminal_text import cut, display_width, titled
from pytest_relevance.results.case_parts import DROP, FLOOR
from pytest_relevance.results.case_result import (
    INCONCLUSIVE,
    WITHOUT_SCORE,
    CaseResult,
)
from pytest_relevance.results.diagnoses import ids_are_known

_LONGEST_QUERY, _SHORTEST_QUERY = 40, 16  # before a reason
_WIDEST_BRIEF = 160  # the line of a failure with -q


def failure_message(result: CaseResult, room: int = sys.maxsize) -> str:
    """Say why a case failed, in one short line behind its query.

    The short summary of pytest and JUnit show it behind the node id. If there is not
    room for all of it, the query is left out or cut, then the bound of a score.
    """
    if result.call.error is not None:
        return _query_text(result, sys.maxsize) + result.call.error.headline
    texts = reasons.short_reasons(result) or [""]
    room_for_query = room - display_width(texts[0]) - 1
    if room_for_query < -1:
        return _shortened(result, texts[0], room)
    return _query_text(result, room_for_query) + "; ".join(texts)


def _query_text(result: CaseResult, room: int) -> str:
    """Quote the query, with a blank behind it; nothing if the node id has it already."""
    if result.id == result.query or room < _SHORTEST_QUERY:
        return ""
    longest = min(room - len('""'), _LONGEST_QUERY)
    return f"{quoted(result.query, longest)} "


def _shortened(result: CaseResult, reason: str, room: int) -> str:
    """Shorten the reason of a case by what says least: its bound, blanks, its metric."""
    if result.evaluation.reasons[0].kind not in (DROP, FLOOR):
        return reason
    without_bound = reason.rpartition(", ")[0]
    without_blanks = without_bound.replace(" -> ", "->")
    for shortened in (without_bound, without_blanks):
        if display_width(shortened) <= room:
            return shortened
    return without_blanks.removeprefix(reasons.failure_head(result))


def brief_line(
    result: CaseResult, columns: int, others: Iterable[CaseResult] = ()
) -> Line:
    """Write every reason of a case in one line.

    It is cut if it is wider than `columns` and than 160. `others` are the results of the
    run.
    """
    parts = [failure_message(result), interval_text(result)]
    if result.is_unjudged and not ids_are_known(result, others):
        parts.append(f"{NO_ID_KNOWN} (id_field)")
    if result.verdict == INCONCLUSIVE and result.unjudged:
        titles = result.texts.titles
        named = [titled(document, document, titles) for document in result.unjudged]
        parts.append(f"judge these: {', '.join(named)}")
    for difference in near_ids(result):
        parts.append(f"ids differ in {difference} only")
    parts.append(unstable_text(result))
    said = "; ".join(part for part in parts if part)
    text = harmless(f"{result.place}: {said}")
    style = BAD if result.verdict in WITHOUT_SCORE else reasons.STATUSES[result.verdict]
    return styled_line(cut(text, max(columns, _WIDEST_BRIEF)), style)
