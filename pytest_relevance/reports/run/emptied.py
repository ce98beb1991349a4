"""Queries that find nothing: those that found something before, and the others."""

from __future__ import annotations

from collections.abc import Iterable

from pytest_relevance._text import counted, examples
from pytest_relevance.reports.blocks import Sentence
from pytest_relevance.reports.styled_lines import BAD, DOUBT
from pytest_relevance.results.case_result import SKIPPED, WITHOUT_SCORE, CaseResult
from pytest_relevance.results.changes import Change


def emptied(changes: Iterable[Change]) -> list[CaseResult]:
    """Return the cases that found something before, and find nothing now."""
    found = []
    for change in changes:
        case = change.case
        is_empty = not case.ranking.returned and case.verdict not in WITHOUT_SCORE
        if is_empty and change.before is not None and change.before.documents:
            found.append(case)
    return found


def emptied_sentences(changes: Iterable[Change]) -> list[Sentence]:
    """Return a sentence about the queries that return nothing now, or [].

    Example: `7 queries return nothing now ("books", "boots" and 5 more)`. The sentence
    goes on with how many of the queries have no score: these do not count as worse.
    """
    found = emptied(changes)
    queries = list(dict.fromkeys(case.query for case in found))
    if not queries:
        return []
    count = counted(len(queries), "query returns", "queries return")
    text = f"{count} nothing now ({examples(queries)})"
    unscored = {case.query for case in found if case.score is None}
    if unscored and len(queries) > 1:
        text += f"; {len(unscored):,} of them had no score before"
    return [Sentence(text, BAD)]


def still_empty_sentences(results: Iterable[CaseResult]) -> list[Sentence]:
    """Return a sentence about the queries that find nothing now and before, or [].

    Example: `2 queries find nothing, as in the reference ("q" and "r")`.
    """
    queries: dict[str, None] = {}
    for result in results:
        found_nothing = result.baseline is not None and result.baseline.found_nothing
        is_scored = result.verdict not in (*WITHOUT_SCORE, SKIPPED)
        if found_nothing and is_scored and not result.ranking.returned:
            queries[result.query] = None
    if not queries:
        return []
    find = counted(len(queries), "query finds", "queries find")
    text = f"{find} nothing, as in the reference ({examples(queries)})"
    return [Sentence(text, DOUBT)]
