"""Complete a ranking: with fields of its results, and rankings of other queries.

The hook `pytest_relevance_fields` is called if the search did not return a field that
an expectation looks at. The search is called again for the other query of `same_as`.
Both happen when the case is scored, and are not part of its latency.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

from pytest_relevance._text import quoted
from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.plugin.running import awaiting, calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.results.document_fields import absent_documents, with_fields
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.reading import UnreadableRanking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


async def completed(this: CaseRun, ranking: Ranking) -> Ranking:
    """Return a ranking with the fields and other rankings that its case looks at.

    Raises `CaseError` if a source of fields fails, or if the ranking of another query
    cannot be read. Passes on exceptions of the search.
    """
    if not this.case.looks_beyond_ids:
        return ranking
    try:
        if any(expected.query for expected in this.case.expect):
            ranking = await _with_others(this, ranking)
        this.attempt.is_read = True  # from here on, an error is not one of the search
        return await _with_fields(this, ranking)
    except CaseError as error:
        this.attempt.error = error
        raise error from None
    except UnreadableRanking as problem:
        this.attempt.error = CaseError(str(problem), pytrace=False)
        raise this.attempt.error from None


def completed_now(this: CaseRun, ranking: Ranking) -> Ranking:
    """Return what `completed` returns, while no event loop runs or for a check.

    Also raises `CaseError` if a source of fields awaits without `CaseRun.wait`.
    """
    try:
        # it runs to its end, as `CaseRun.wait` does not suspend it here
        completed(this, ranking).send(None)
    except StopIteration as end:
        complete: Ranking = end.value
        return complete
    raise CaseError(
        "the hook pytest_relevance_fields awaits by case_run.wait(answer) alone",
        pytrace=False,
    )


async def _with_fields(this: CaseRun, ranking: Ranking) -> Ranking:
    """Return a ranking with fields that the search did not return.

    One source after another is called, until no field is missing.
    """
    fields = this.case.fields
    absent = absent_documents(ranking, fields)
    if not absent:
        return ranking
    sources = this.item.ihook.pytest_relevance_fields(
        case_run=this, documents=absent, names=[*fields]
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


async def _with_others(this: CaseRun, ranking: Ranking) -> Ranking:
    """Return a ranking with the rankings of other queries, for `same_as`.

    The search is called with the params and the k of the case. Raises `CaseError` if it
    cannot be called so, or if its response cannot be read. Passes on an exception that
    `many` returned in place of the response.
    """
    search_function = this.search_function
    others: dict[str, Sequence[str]] = {}
    many = None if callable(search_function) else calling.many_of(search_function)
    asked = calling.asked_for(many or search_function, this.case)
    terms = replace(this.case.terms, depth=this.case.depth)
    queries = dict.fromkeys(expected.query for expected in this.case.expect)
    for query in queries:
        if not query:
            continue
        other = replace(this.case, query=query, expect=(), terms=terms)
        batch = None if many is None else [query]
        try:
            response, _ = calling.call_search(
                many or search_function, other, asked, batch
            )
            most = calling.most_to_read(other, asked)
            response = await this.wait(response, most=most)
            read = partial(
                calling.read_response,
                this.item,
                other,
                search_function=search_function,
                asked=asked,
            )
            if many is None:
                others[query] = read(response).ids
            else:
                others[query] = _only_ranking(this.case.search, response, read).ids
        except CaseError as error:
            message = f"same_as {quoted(query)}: {error}"
            raise CaseError(message, pytrace=False) from None
        except Exception:
            text = f"the search was called for {quoted(query)}"
            this.item.add_report_section("call", "same_as", text)
            raise
    return replace(ranking, others=others)


def _only_ranking(
    search: str, returned: object, read: Callable[[object], Ranking]
) -> Ranking:
    """Return the ranking in what `many` of a search returned for a batch of one query.

    `read` returns a response as a ranking. Raises the exception that `many` returned in
    place of a response, and `CaseError` if there is not exactly one response.
    """
    # most runs do not need this import
    from pytest_relevance.plugin.running.batch_responses import BatchResponses

    responses = BatchResponses(search, [read])
    responses.read_all(returned)
    (outcome,) = responses.outcomes()
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
