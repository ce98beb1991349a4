"""Read what a search returned as a `Ranking`.

`read_ranking` is called for each case when its search has returned. `response` finds
the results in any response that is not a list. A list of plain results is read without
it.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache
from numbers import Number

from pytest_relevance.results.responses.ambiguous_ids import refuse_texts
from pytest_relevance.results.responses.labels import Labels
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import Ranking
from pytest_relevance.results.responses.result_list import PLAIN, ranking_of
from pytest_relevance.results.responses.values import are_texts

_DEFAULTS = ReadOptions()

_PARTS_OF_PLAIN_ROWS = (str, Number, dict, type(None))
"""The types of parts of a row that need no look at their shape."""


def read_ranking(response: object, options: ReadOptions = _DEFAULTS) -> Ranking:
    """Return what a search returned as a `Ranking`.

    Section "What a search may return" of the documentation has the shapes. The results
    keep their order, and none is left out. The ranking is a copy, so a search may use
    its list again.

    Raises `UnreadableRanking` (a ValueError) if the response is not a ranking.
    """
    if type(response) is Ranking:  # a mock may claim to be one
        return response
    if type(response) is list and options.needs_only_ids and are_texts(response):
        refuse_texts(response, options.judged)
        return Ranking(ids=response.copy())
    labels = Labels(options.ids, are_declared=options.declares_ids)
    if type(response) is list:
        return ranking_of(response, options, labels)
    from pytest_relevance.results.responses.response import results_of

    results = results_of(response, replace(options, ids=labels.read))
    return ranking_of(results, options, labels)


def load_readers(response: object) -> bool:
    """Import the modules that read a response, if it is not a list of plain results.

    Return whether anything was imported, which is at most once. The caller takes the
    time of the imports out of the latency.
    """
    # the first result stands for all; a later one imports what it needs itself
    if type(response) is list and all(map(_is_plain, response[:1])):
        return False
    if load_all_readers.cache_info().currsize:  # they were imported before
        return False
    load_all_readers()
    return True


def _is_plain(result: object) -> bool:
    """Say whether a result is an id or a mapping, or a row of such values and scores.

    A list of plain results is read without further modules.
    """
    if type(result) is tuple:
        return all(issubclass(type(part), _PARTS_OF_PLAIN_ROWS) for part in result)
    return type(result) in PLAIN


@cache
def load_all_readers() -> None:
    """Import the modules that read responses, also those of other packages."""
    from pytest_relevance.registry import ExtensionError
    from pytest_relevance.results.responses import response  # noqa: F401
    from pytest_relevance.results.responses.shapes import SHAPES

    # reading a response says which package cannot be loaded
    with suppress(ExtensionError):
        for _ in SHAPES:
            pass
