"""Add to a ranking the fields, and the rankings of other queries, that its case needs.

The hook `pytest_relevance_fields` is called if the search did not return a field that
an expectation looks at. The search is called again for the other query of `same_as`.
The latency of the case includes neither call.
"""

from __future__ import annotations

from dataclasses import replace

from pytest_relevance._text import quoted
from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.search_again import search_again
from pytest_relevance.results.document_fields import absent_documents, with_fields
from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.ranking import Ranking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


async def completed(case_run: CaseRun, ranking: Ranking) -> Ranking:
    """Return a ranking with the fields and rankings of other queries that a case needs.

    Raises `CaseError` if fields cannot be read, or if the ranking of another query
    cannot be read. Exceptions of the search are passed on.
    """
    if not case_run.case.looks_beyond_ids:
        return ranking
    try:
        if any(expected.query for expected in case_run.case.expect):
            ranking = await _with_others(case_run, ranking)
        case_run.attempt.is_read = (
            True  # from here on, an error is not one of the search
        )
        return await _with_fields(case_run, ranking)
    except CaseError as error:
        case_run.attempt.error = error
        raise error from None
    except UnreadableRanking as problem:
        case_run.attempt.error = CaseError(str(problem), pytrace=False)
        raise case_run.attempt.error from None


async def _with_fields(case_run: CaseRun, ranking: Ranking) -> Ranking:
    """Return a ranking with the fields that the search did not return.

    The sources of fields are used in turn, until no field is missing.
    """
    fields = case_run.case.fields
    absent = absent_documents(ranking, fields)
    if not absent:
        return ranking
    sources = case_run.item.ihook.pytest_relevance_fields(
        case_run=case_run, documents=absent, names=[*fields]
    )
    try:
        for source in sources:
            if not absent_documents(ranking, fields):
                break
            values = await source if awaiting.is_awaitable(source) else source
            if values is not None:
                ranking = with_fields(ranking, fields, values)
    finally:
        for source in sources:
            awaiting.close_unawaited(source)
    return ranking


async def _with_others(case_run: CaseRun, ranking: Ranking) -> Ranking:
    """Return a ranking with the rankings of other queries, for `same_as`.

    Raises `CaseError` if the search cannot be called for another query, or if its
    response cannot be read. Exceptions of the search are passed on.
    """
    others = dict(ranking.others or {})
    queries = dict.fromkeys(expected.query for expected in case_run.case.expect)
    for query in queries:
        if not query or query in others:
            continue
        try:
            terms = replace(case_run.case.terms, depth=case_run.case.depth)
            case = replace(case_run.case, query=query, expect=(), terms=terms)
            other = await search_again(case_run, case, case_run.case.depth)
            others[query] = other.ids
        except CaseError as error:
            message = f"same_as {quoted(query)}: {error}"
            raise CaseError(message, pytrace=False) from None
        except Exception:
            text = f"the search was called for {quoted(query)}"
            case_run.item.add_report_section("call", "same_as", text)
            raise
    return replace(ranking, others=others)
