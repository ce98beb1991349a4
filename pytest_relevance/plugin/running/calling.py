"""Call a search with the arguments that it takes, and read its response as a ranking.

Exceptions of the search are passed on unchanged. Tracebacks do not show the lines of
this module, so that a failing search shows only its own code.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from dataclasses import replace
from functools import partial
from types import FunctionType, MethodType
from typing import Any

import pytest

from pytest_relevance._text import shown
from pytest_relevance.cases.expectation import FieldCondition
from pytest_relevance.cases.model import Case
from pytest_relevance.metrics.names import LARGEST_CUTOFF
from pytest_relevance.plugin.clock import Moment, now
from pytest_relevance.plugin.exceptions import CaseError
from pytest_relevance.results.responses.errors import UnreadableRanking
from pytest_relevance.results.responses.iterators import (
    MOST_LOOKED_AT,
    MOST_READ,
    read_items,
)
from pytest_relevance.results.responses.labels import declares_ids
from pytest_relevance.results.responses.options import ReadOptions
from pytest_relevance.results.responses.ranking import (
    Ranking,
    collapsed,
    with_fields_of_texts,
)
from pytest_relevance.results.responses.read_ranking import read_ranking
from pytest_relevance.results.responses.values import has_attribute

__tracebackhide__ = True  # pytest leaves the frames of this module out of tracebacks


def asked_for(search_function: Any, case: Case) -> int | None:
    """Return the number of results to request as `k`; None if a search takes no `k`."""
    return case.depth if _takes_k(search_function) else None


def most_to_read(case: Case, asked: int | None) -> int:
    """Return how many results of an iterator to read: one more than the case looks at.

    A case looks at `case.depth` results. Exceptions, which look at 10,000:

    - a case with a measure of the whole ranking
    - a case whose results are chunks of documents, if neither the search takes `k` nor
      the case file sets `depth`: any number of chunks may be of one document
    """
    settings = case.terms.settings
    counts_documents = settings.collapse and asked is None and case.terms.depth is None
    if case.looks_at_all or counts_documents:
        return max(case.depth, MOST_LOOKED_AT) + 1
    return case.depth + 1


def call_search(
    search_function: Any,
    case: Case,
    asked: int | None,
    queries: list[str] | None = None,
) -> tuple[object, Moment]:
    """Call the search, and return its response and the moment before the call.

    A generator does its work while it is read. So a generator is read here, as far as
    the case looks. Only the generator of a batch is returned unread. Its caller reads
    the responses one by one.

    `asked`: the number of results to request as `k`; None if the search takes no `k`.
    `queries`: the queries of a batch, instead of the query of the case.

    Raises `CaseError` if the search cannot be called with these arguments. Every
    exception of the search itself is passed on.
    """
    params = case.params
    if params and any(type(value) in (list, dict) for value in params.values()):
        # cases share these objects, and a search may change them
        params = deepcopy(params)
    try:
        if asked is not None:
            params = {**params, "k": asked}
        started = now()
        response = search_function(case.query if queries is None else queries, **params)
    except TypeError as error:
        # without another frame, the call raised it, and not the code of the search
        if error.__traceback__ is not None and error.__traceback__.tb_next is None:
            raise CaseError(
                _uncallable(search_function, case, params, error, queries),
                pytrace=False,
            ) from None
        raise
    if queries is None and inspect.isgenerator(response):
        response = read_items(response, most_to_read(case, asked))
    return response, started


def read_response(
    item: pytest.Item,
    case: Case,
    response: object,
    search_function: object,
    asked: int | None,
    *,
    is_check: bool = False,
) -> Ranking:
    """Convert a response to a ranking, after the hook `pytest_relevance_ranking`.

    `asked`: how many results were requested as `k`; None if the search takes no `k`.
    `is_check`: whether the response is the ranking that a test in Python gave. Then
        `search_function` is the value of the search fixture, or None if the test does
        not request it.

    Raises `CaseError` if the response cannot be read.
    """
    try:
        values = _response_values(response, case.response_conditions)
        # calling a hook without implementations costs 30 us
        own = None
        if item.config.hook.pytest_relevance_ranking.get_hookimpls():
            own = item.ihook.pytest_relevance_ranking(response=response, case=case)
        ids = _labels_of(search_function)
        # the hook or the test may have used `ids` already
        must_use_ids = own is None and not is_check and ids is not None
        options = ReadOptions(
            id_field=case.terms.id_field,
            title_field=case.terms.title_field,
            fields=_fields_to_read(case),
            reads_texts=case.reads_texts,
            text_field=case.terms.text_field,
            collapses=case.terms.settings.collapse,
            judged=case.judgments,
            ids=ids,
            declares_ids=must_use_ids and declares_ids(search_function),
            most=MOST_READ if type(response) is list else most_to_read(case, asked),
            expects_response=bool(case.response_conditions),
        )
        ranking = read_ranking(response if own is None else own, options)
    except UnreadableRanking as problem:
        raise CaseError(str(problem), pytrace=False) from None
    if values:
        ranking = replace(ranking, response=values)
    if case.fields_of_passages:
        ranking = with_fields_of_texts(ranking, case.fields_of_passages, case.fields)
    if case.terms.settings.collapse:
        ranking = collapsed(ranking, case.fields)
    return ranking


def _response_values(
    response: object, conditions: Sequence[FieldCondition]
) -> Mapping[str, object]:
    """Return {path: value} of a response, for the paths of conditions; {} without one.

    Call this before the hook, which may change the response. Raises `UnreadableRanking`
    if the response cannot be read.
    """
    if not conditions:
        return {}
    from pytest_relevance.results.responses.response_values import read_response_values

    return read_response_values(response, conditions)


def _fields_to_read(case: Case) -> dict[str, int]:
    """Return {field: of how many results it is read}, for all that a case looks at."""
    fields = case.fields
    if case.terms.settings.collapse:
        # a document may have any number of chunks
        fields = dict.fromkeys(fields, LARGEST_CUTOFF)
    return fields | dict.fromkeys(case.fields_of_passages, LARGEST_CUTOFF)


def _labels_of(search_function: Any) -> Callable[[], object] | None:
    """Return a function that returns `search.ids`; None for a function without it."""
    if type(search_function) is FunctionType and "ids" not in search_function.__dict__:
        return None
    return partial(getattr, search_function, "ids", None)


def many_of(search_function: Any) -> Any:
    """Return `search.many` if it can be called; None otherwise, and for a mock."""
    if not has_attribute(search_function, "many"):
        return None
    many = getattr(search_function, "many", None)
    return many if callable(many) else None


def _takes_k(search_function: Any) -> bool:
    """Say whether a search has a parameter named `k`. `**kwargs` does not count."""
    function = search_function
    if type(function) is MethodType:
        function = function.__func__
    # a plain function; inspect.signature takes 20 us
    if type(function) is FunctionType and not function.__dict__:
        code = function.__code__
        end = code.co_argcount + code.co_kwonlyargcount
        return "k" in code.co_varnames[code.co_posonlyargcount : end]
    parameter = _parameter_k(search_function)
    return parameter is not None and parameter.kind in (
        parameter.POSITIONAL_OR_KEYWORD,
        parameter.KEYWORD_ONLY,
    )


def default_of_k(search_function: Any) -> int | None:
    """Return the default of the parameter `k` of a search; None if it has none."""
    parameter = _parameter_k(search_function)
    default = None if parameter is None else parameter.default
    return default if type(default) is int else None


def _parameter_k(search_function: Any) -> inspect.Parameter | None:
    """Return the parameter `k` of a search; None without it or without a signature."""
    try:
        return inspect.signature(search_function).parameters.get("k")
    except (TypeError, ValueError):  # some builtins have no signature
        return None


def _uncallable(
    search_function: object,
    case: Case,
    params: Mapping[str, object],
    error: TypeError,
    queries: list[str] | None,
) -> str:
    """Return why a search cannot be called, with its signature and the arguments.

    `error`: what the call raised.
    `queries`: the queries of a batch; None for a single query.
    """
    if not callable(search_function):
        found = shown(search_function)
        return f'the fixture "{case.search}" is not a function but {found}; return a function: search(query, **params)'
    try:
        signature = str(inspect.signature(search_function))
    except (TypeError, ValueError):
        signature = "(...)"
    name, first = case.search, shown(case.query, 40)
    if queries is not None:
        name, first = f"{case.search}.many", shown(queries, 40)
    arguments = [f"{param}={shown(value, 40)}" for param, value in params.items()]
    and_k = ", and k" if "k" in params else ""
    return (
        f"{name}({', '.join([first, *arguments])}) cannot be called: {error}\n"
        f"its signature is {name}{signature}; its keyword arguments are the params of the case and the suite{and_k}"
    )
