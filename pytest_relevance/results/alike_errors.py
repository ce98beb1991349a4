"""Find cases with errors that are alike, for example of a search whose engine is down.

Two errors are alike if their type, the user's innermost frame and the first line of
their messages are the same. Some parts of a message may differ:

- what `_VOLATILE` matches, and the query of the case, in quotes or behind an equals
  sign
- in a refusal of this program or of `pytest.fail`, which has no type: values and fields
  of what the search returned

`diagnoses` calls `alike_errors` when a report of a run is made.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from urllib.parse import quote, quote_plus

from pytest_relevance.results.case_parts import SETUP, SearchError
from pytest_relevance.results.case_result import ERROR, CaseResult

_VOLATILE = r"""(?xi)
    0x[0-9a-f]+                                                # the address of an object
    | \b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b              # a UUID
    | \b(?=[a-f]*\d)[0-9a-f]{12,}\b                                # the id of a request or a trace
    | \d+(?:[.:-]\d+)+(?:T[\d:.]+)?                                # dates, times of day, decimals, IP addresses
    | \d{5,}                                                       # ports of clients, process ids, timestamps
    | \d+\s?(?:ns|us|ms|s|sec|seconds?)\b                          # durations
    """
"""What differs from call to call in messages that are otherwise the same."""

# `re` compiles these when a search has failed, as most runs do not need them
_QUOTED = r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|<[^>]*>|\d+(?:\.\d+)?"""
_FIELDS = r"(?<=, only ).*?(?=;)|(?<=the result has ).*?(?=;|$)"  # of one document: another may have others
_SHOWN = r"[\[{(].*(?:[\]})]|\.\.\.)(?=;|,|$)"  # a value from its first bracket to its last, or to where it is cut
_SIMILAR_NAME = r"; did you mean [^;]*\?"
_CALL = r"^in call \d+: "


@dataclass(frozen=True, slots=True)
class AlikeErrors:
    """The results of two or more cases whose errors are alike.

    `phase`: the step before or after the search; empty for the search itself.
    `headline`: the type and the message of the first error.
    `frame`: where the error was raised, in the code of the user.
    """

    phase: str
    headline: str
    frame: str
    results: Sequence[CaseResult]


@dataclass(frozen=True, slots=True)
class _Signature:
    """The parts that are equal in errors that are alike.

    `message`: the first line of the message, without the parts that may differ.
    """

    phase: str
    type: str
    frame: str
    message: str


def alike_errors(results: Sequence[CaseResult]) -> list[AlikeErrors]:
    """Return groups of two or more results whose errors are alike.

    Groups are in the order of their first results.
    """
    by_signature: dict[_Signature, list[CaseResult]] = {}
    for result in results:
        error = result.call.error
        if error is None or result.status != ERROR or result.is_check:
            continue
        by_signature.setdefault(_signature(error, result.query), []).append(result)
    return [_group(alike) for alike in by_signature.values() if len(alike) > 1]


def _signature(error: SearchError, query: str) -> _Signature:
    """Return the parts of an error that are equal in errors that are alike.

    `query`: the query of the case with the error.
    """
    return _Signature(
        phase=error.phase,
        type=error.type,
        frame=error.frame,
        message=_normalised(error, query),
    )


def _group(results: Sequence[CaseResult]) -> AlikeErrors:
    """Return results whose errors are alike, in the words of the first error."""
    error = results[0].call.error
    assert error is not None
    in_a_line = replace(error, message=_first_line(error))
    return AlikeErrors(
        phase=error.phase,
        headline=in_a_line.headline,
        frame=error.frame,
        results=results,
    )


def _first_line(error: SearchError) -> str:
    """Return the first line of a message, without the number of the call."""
    return re.sub(_CALL, "", error.message.partition("\n")[0])


def _normalised(error: SearchError, query: str) -> str:
    """Return the first line of a message, with # in place of parts that may differ."""
    text = _first_line(error)
    if error.type or error.phase == SETUP:
        text = re.sub(_query_pattern(query), "#", text)
        return re.sub(_VOLATILE, "#", text)
    text = re.sub(_FIELDS, "#", text)
    text = re.sub(_SIMILAR_NAME, "", text)
    text = re.sub(_SHOWN, "#", text)
    return re.sub(_QUOTED, "#", text)


def _query_pattern(query: str) -> str:
    """Return a pattern for a query in quotes or behind an equals sign.

    The pattern also matches the query as a URL has it.
    """
    forms = [query, quote(query, errors="replace"), quote_plus(query, errors="replace")]
    alternatives = "|".join(re.escape(form) for form in dict.fromkeys(forms))
    return rf"(?<=[\"'=])(?:{alternatives})(?=[\"'&\s]|$)"
