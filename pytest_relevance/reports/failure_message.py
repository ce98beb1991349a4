"""Why a case failed, in one line."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_relevance._text import harmless, quoted
from pytest_relevance.reports import reasons
from pytest_relevance.reports.case_score import interval_text
from pytest_relevance.reports.ids_in_doubt import NO_ID_KNOWN
from pytest_relevance.reports.near_ids import near_ids
from pytest_relevance.reports.repeats import unstable_text
from pytest_relevance.reports.styled_lines import BAD, Line, styled_line
from pytest_relevance.reports.terminal_text import cut, titled
from pytest_relevance.results.case_result import (
    INCONCLUSIVE,
    WITHOUT_SCORE,
    CaseResult,
)
from pytest_relevance.results.diagnoses import ids_are_known

_LONGEST_QUERY = 40  # behind a reason
_WIDEST_BRIEF = 160  # the line of a failure with -q


def failure_message(result: CaseResult) -> str:
    """Say why a case failed, in one line: the short summary of pytest and JUnit show
    it.

    The query comes last, as pytest cuts long lines. It is left out if the node id has
    it.
    """
    texts = reasons.short_reasons(result)
    if result.call.error is not None:
        texts = [result.call.error.headline]
    if result.id != result.query:
        texts.append(f"query {quoted(result.query, _LONGEST_QUERY)}")
    return "; ".join(texts)


def brief_line(
    result: CaseResult, columns: int, others: Iterable[CaseResult] = ()
) -> Line:
    """Write every reason of a case in one line.

    It is cut if it is wider than `columns` and than 160. `others` are the results of
    the run.
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
