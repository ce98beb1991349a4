"""Faults: errors that several cases of a run have in common, such as an engine that cannot be reached.

Two errors are alike where their type, the user's innermost frame and the message are the same. Of the message the first
line counts, without what differs from call to call (see `_VOLATILE`) and without the query of the case in quotes or
behind an equals sign. A refusal of this program or of `pytest.fail`, which has no type, is compared without the values
that it quotes, as these are what the search returned.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any
from urllib.parse import quote, quote_plus

from pytest_relevance.results.case_parts import SETUP, SearchError
from pytest_relevance.results.case_result import ERROR, FAILED, INCONCLUSIVE, NOT_SEARCHED, CaseResult
from pytest_relevance.results.records.run_info import RunInfo

SEARCH, CASE, IDS = "search", "case", "ids"
"""The kinds of a fault: the search failed; the case failed before or after it; nothing that was returned is judged."""

PROJECT = "project"
"""The kind of a fault of no case: a fixture or a hook of the project, such as `relevance_documents`, cannot be used."""

Key = tuple[Hashable, ...]

_VOLATILE = re.compile(
    r"""0x[0-9a-f]+                                                # the address of an object
    | \b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b              # a UUID
    | \b(?=[a-f]*\d)[0-9a-f]{12,}\b                                # the id of a request or a trace
    | \d+(?:[.:-]\d+)+(?:T[\d:.]+)?                                # dates, times of day, decimals, IP addresses
    | \d{5,}                                                       # ports of clients, process ids, timestamps
    | \d+\s?(?:ns|us|ms|s|sec|seconds?)\b                          # durations
    """,
    re.VERBOSE | re.IGNORECASE,
)
"""What differs from call to call in messages that are otherwise the same."""

_QUOTED = re.compile(r""""(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|<[^>]*>|\d+(?:\.\d+)?""")
_SHOWN = re.compile(r"[\[{(].*[\]})](?=;|,|$)")  # a value from its first bracket to its last
_CALL = re.compile(r"^in call \d+: ")


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault and the `results` of the cases that have it, two or more, in the order of the run.

    `kind` is one of `SEARCH`, `CASE` and `IDS`; `message` and `frame` are those of the first case.
    """

    kind: str
    message: str
    frame: str
    results: Sequence[CaseResult]

    def to_dict(self) -> dict[str, Any]:
        """The fault in builtin types, for a record: kind, message, frame, how many cases, the node id of the first."""
        first = self.results[0]
        return {
            "kind": self.kind,
            "message": self.message,
            "frame": self.frame,
            "cases": len(self.results),
            "first": first.node or first.id,
        }


def faults_of(results: Iterable[CaseResult]) -> dict[Key, Fault]:
    """The faults of a run by the key that `fault_key` gives for each of their results.

    That nothing is judged is a fault only where it holds of every result of a search in one variant.
    """
    groups: dict[Key, list[CaseResult]] = {}
    judged = set()
    for result in results:
        if (key := fault_key(result)) is not None:
            groups.setdefault(key, []).append(result)
        elif result.judged:
            judged.add(_ids_key(result))
    return {key: _fault(str(key[0]), group) for key, group in groups.items() if len(group) > 1 and key not in judged}


def fault_key(result: CaseResult) -> Key | None:
    """The key by which a result is alike to others; None where it is none that others could share."""
    if result.is_check or result.status not in (ERROR, FAILED, INCONCLUSIVE):
        return None
    if result.error is not None:
        error = result.error
        kind = CASE if error.phase else SEARCH
        return kind, error.phase, error.type, error.frame, _normalised(error, result.query)
    return _ids_key(result) if result.returns_unjudged else None


def faults_to_record(results: Iterable[CaseResult], warnings: Iterable[str]) -> tuple[dict[str, Any], ...]:
    """The faults of a run in builtin types, at last the warnings about fixtures and hooks of the project."""
    project = ({"kind": PROJECT, "message": text} for text in dict.fromkeys(warnings))
    return (*(fault.to_dict() for fault in faults_of(results).values()), *project)


def project_faults(info: RunInfo) -> list[Mapping[str, Any]]:
    """The faults of a recorded run that are of no case."""
    return [fault for fault in info.faults if fault["kind"] == PROJECT]


def not_searched(results: Iterable[CaseResult]) -> list[CaseResult]:
    """The results of the cases whose search was not called any more."""
    return [result for result in results if result.status == NOT_SEARCHED]


def _ids_key(result: CaseResult) -> Key:
    return IDS, result.search, result.variant


def _fault(kind: str, results: Sequence[CaseResult]) -> Fault:
    error = results[0].error
    if error is None:
        return Fault(kind, "no result is judged; are these the same kind of id?", "", results)
    return Fault(kind, replace(error, message=_first_line(error)).headline, error.frame, results)


def _first_line(error: SearchError) -> str:
    """The first line of a message, without the number of the call where a search is called several times."""
    return _CALL.sub("", error.message.partition("\n")[0])


def _normalised(error: SearchError, query: str) -> str:
    """The first line of a message without what differs between errors that are alike."""
    text = _first_line(error)
    if not error.type and error.phase != SETUP:
        return _QUOTED.sub("#", _SHOWN.sub("#", text))
    in_urls = quote(query, errors="replace"), quote_plus(query, errors="replace")
    forms = "|".join(map(re.escape, dict.fromkeys((query, *in_urls))))
    text = re.sub(rf"(?<=[\"'=])(?:{forms})(?=[\"'&\s]|$)", "#", text)
    return _VOLATILE.sub("#", text)
