"""Responses that failed, were answered in part, or lack the results that they count.

An engine that times out, or loses a shard, answers with what it has. A request for 0
results gets a total and no hit. Scored as if it were everything, such a response would
blame the ranking, or pass a case that expects nothing. So it is an error. The message
quotes what the response says, and says what to do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pytest_relevance._text import shown
from pytest_relevance.results.responses import reading
from pytest_relevance.results.responses.paths import as_shown, at_path
from pytest_relevance.results.responses.signs import SIGNS, Sign, is_set, refuse_partial
from pytest_relevance.results.responses.totals import refuse_without_results

ERRORS = ("error", "errors")
"""Keys of the bodies that engines return in place of hits, or together with some of
them.
"""


HOLDERS_OF_ERRORS = ((), ("root",), ("hits",), ("response",), ("result",), ("data",))
"""Where an error stands: beside the results, or in what holds them."""


def refuse_failure(response: object) -> None:
    """Raise `UnreadableRanking` for a response that has an error, beside results or in
    their place.
    """
    for path in HOLDERS_OF_ERRORS:
        holder = at_path(response, path)
        for name in ERRORS:
            error = at_path(holder, (name,))
            if is_set(error):
                raise failed(response, ".".join([*path, name]), error)


def failed(response: object, path: str, error: object) -> reading.UnreadableRanking:
    """Return the exception for a response with an error at a path, to be raised by the
    caller.
    """
    says = f"{path} is {shown(as_shown(error), 300)}"
    return reading.UnreadableRanking(
        f"search returned an error: {says}; the response is {shown(as_shown(response), 200)}"
    )


def refuse_incomplete(body: Mapping[Any, Any], holder: object = None) -> None:
    """Raise `UnreadableRanking` for a body that has an error, or says that it is not
    whole.

    `holder`: the response object that has the body, if there is one.
    """
    refuse_failure(body)
    if holder is not None:
        refuse_partial(holder, body)
    refuse_partial(body, body)
    for name in ("hits", "response"):
        inner = body.get(name)
        if isinstance(inner, Mapping):
            refuse_partial(inner, body)


def checked(
    results: Any,
    response: object,
    options: reading.ReadOptions,
    signs: Sequence[Sign] = SIGNS,
) -> Sequence[object]:
    """Return the results of a response object if they are all that there is.

    Raises `UnreadableRanking` if the object has an error, or says that there are more.
    """
    refuse_failure(response)
    refuse_partial(response, response, signs)
    if not results:
        refuse_without_results(response, expects_response=options.expects_response)
    return results or []
