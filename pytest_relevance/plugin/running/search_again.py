"""Call the search of a case once more, for another query or for more results.

Such a call is part of no latency, and of no count of calls.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pytest_relevance.cases.model import Case
from pytest_relevance.plugin.running import calling
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.results.responses.ranking import Ranking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


async def search_again(case_run: CaseRun, case: Case, results: int) -> Ranking:
    """Call the search of a running case again, and return the ranking.

    `case_run`: the run of the case, with its search.
    `case`: the case whose query and params are searched.
    `results`: how many results are requested, if the search takes `k`.

    Raises `CaseError` if the search cannot be called, or if its response cannot be
    read. Exceptions of the search are passed on.
    """
    search_function = case_run.search_function
    many = None if callable(search_function) else calling.many_of(search_function)
    called = many or search_function
    asked = None if calling.asked_for(called, case) is None else results
    batch = None if many is None else [case.query]
    response, _ = calling.call_search(called, case, asked, batch)
    response = await case_run.wait(response, most=calling.most_to_read(case, asked))
    read = partial(
        calling.read_response,
        case_run.item,
        case,
        search_function=search_function,
        asked=asked,
    )
    if many is None:
        return read(response)
    return _only_ranking(case.search, response, read)


def _only_ranking(
    search: str, returned: object, read: Callable[[object], Ranking]
) -> Ranking:
    """Return the ranking in what `many` returned for a batch of one query.

    `search`: the name of the search fixture.
    `read`: converts a response to a ranking.

    Raises the exception that `many` returned instead of a response, and `CaseError` if
    there is not exactly one response.
    """
    # most runs do not need this import
    from pytest_relevance.plugin.running.batch_responses import BatchResponses

    responses = BatchResponses(search, [read])
    responses.read_all(returned)
    (outcome,) = responses.outcomes()
    if isinstance(outcome, BaseException):
        raise outcome
    return outcome
