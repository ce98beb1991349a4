"""Search a second time, deeper, for the passages that a failed case is missing.

The report of the failure then says at which ranks they are. In each process, the second
search is made once for a query, its params and a variant. It changes no score, no
latency and no count of calls.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from pytest_relevance.metrics.names import LARGEST_CUTOFF
from pytest_relevance.plugin import exceptions
from pytest_relevance.plugin.running import awaiting
from pytest_relevance.plugin.running.case_run import CaseRun
from pytest_relevance.plugin.running.score_in_run import Scored
from pytest_relevance.plugin.running.search_again import search_again
from pytest_relevance.results.case_parts import DeeperSearch
from pytest_relevance.results.case_result import FAILED, INCONCLUSIVE
from pytest_relevance.results.deeper_search import misses_passages, with_deeper_search
from pytest_relevance.results.passages import why_unknown_passages
from pytest_relevance.results.responses.ranking import Ranking

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks

TIMES = 5
"""How many times as many results the second search asks for."""

_FOUND: pytest.StashKey[dict[object, Ranking | None]] = pytest.StashKey()
"""What the second searches of this process returned; None for one that failed."""


async def looked_deeper(case_run: CaseRun, scored: Scored) -> Scored:
    """Add to a result what a deeper search found of the passages that it misses.

    The result is returned unchanged if

    - the case has not failed, or misses no passage
    - the search does not take `k`, or was asked for the largest number already
    - the ranking is from a record
    - the ini key `relevance_look_deeper` is off
    """
    searched, result = case_run.attempt.searched, scored.result
    if (
        searched.asked is None
        or searched.is_recorded
        or not case_run.settings.looks_deeper
    ):
        return scored
    if result.verdict not in (FAILED, INCONCLUSIVE) or not misses_passages(result):
        return scored
    deeper = min(TIMES * searched.asked, LARGEST_CUTOFF)
    if deeper <= searched.asked:
        return scored
    ranking = await _search_once(case_run, deeper)
    if ranking is None or why_unknown_passages(case_run.case, ranking):
        ranking = None
        noted = DeeperSearch(deeper, has_failed=True)
    else:
        noted = DeeperSearch(deeper, returned=ranking.returned)
    return replace(
        scored, result=with_deeper_search(result, case_run.case, noted, ranking)
    )


async def _search_once(case_run: CaseRun, deeper: int) -> Ranking | None:
    """Return the ranking of the second search; None if it failed.

    If an earlier case of this process made the same search, its ranking is returned.
    """
    found = case_run.item.config.stash.setdefault(_FOUND, {})
    key = _key(case_run, deeper)
    if key not in found:
        found[key] = await _search(case_run, deeper)
    return found[key]


def _key(case_run: CaseRun, deeper: int) -> object:
    """Return a key that is equal for cases whose second search is the same."""
    case, terms = case_run.case, case_run.case.terms
    return (
        case_run.search_folder,
        case.search,
        case_run.variant,
        case.query,
        repr(case.params),
        case.usefixtures,
        deeper,
        terms.id_field,
        terms.text_field,
        terms.settings.collapse,
        tuple(case.fields_of_passages),
    )


async def _search(case_run: CaseRun, deeper: int) -> Ranking | None:
    """Call the search for more results; return None if it raises an exception.

    Ctrl-C, `pytest.exit` and a cancellation are passed on.
    """
    terms = replace(case_run.case.terms, depth=deeper)
    case = replace(case_run.case, expect=(), terms=terms)
    try:
        return await search_again(case_run, case, deeper)
    except exceptions.ENDING:
        raise
    except BaseException as error:
        if awaiting.ends_coroutine(error):
            raise
        return None
