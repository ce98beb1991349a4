"""`same_as`: another query finds the same results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import found, quoted
from pytest_relevance.cases.bounds import SHARE, Bound
from pytest_relevance.cases.expectations.kind import ExpectationKind, Made
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Expectation
from pytest_relevance.cases.scalars import scalar_value
from pytest_relevance.cases.schema_parts import (
    END,
    TEXT,
    UP_TO_A_MILLION,
    about,
    either,
)

_OVERLAP = rf"overlap(?:@({UP_TO_A_MILLION}))?"


def check_same_as(key: str, value: object, at: Location) -> Made:
    """Check another query that finds the same top k, or `{query: blue shoe, overlap@10: 0.8}`."""
    example = f"{key}: blue shoe or {key}: {{query: blue shoe, overlap@10: 0.8}}"
    written = value if isinstance(value, Mapping) else {"query": value}
    query = written.get("query")
    if not isinstance(query, str) or not query.strip():
        return at.refuse(
            f"expected another query, found {found(value)}; write {example}"
        )
    own_query: Wrong | None = None
    if query == at.values.get("query"):
        own_query = at.refuse(
            f"{quoted(query)} is the query of the case itself; write another one"
        )
    overlap = _check_overlap(written, example, at)
    if overlap is WRONG or own_query is WRONG:
        return WRONG
    expected = Expectation(
        kind=key,
        written=key,
        comparison=overlap.bound.comparison,
        bound=overlap.bound.value,
        within=overlap.within,
        query=query,
    )
    return [expected]


@dataclass(frozen=True, slots=True)
class _Overlap:
    """What share of the first `within` results both queries find; None means the top k."""

    bound: Bound
    within: int | None


_THE_SAME = _Overlap(bound=Bound(">=", 1.0), within=None)


def _check_overlap(
    written: Mapping[str, object], example: str, at: Location
) -> _Overlap | Wrong:
    """Check `overlap@10: 0.8` beside the query, the only other key that there may be."""
    overlap: _Overlap | Wrong = _THE_SAME
    for key, value in written.items():
        if key == "query":
            continue
        name = str(key)
        match = re.fullmatch(_OVERLAP, name)
        if match is None or len(written) != 2:
            message = f"unknown key {quoted(name)}; write {example}"
            overlap = at.refuse(message, name, at_key=True)
            continue
        share = scalar_value(value) if isinstance(value, str) else value  # text in YAML
        bound = SHARE.check(share, at.under(name), example=f"{name}: 0.8")
        if bound is WRONG:
            return WRONG
        overlap = _Overlap(bound, within=None if match[1] is None else int(match[1]))
    return overlap


KINDS: Sequence[ExpectationKind] = (
    ExpectationKind(
        name="same_as",
        check=check_same_as,
        about="Another query that finds the same top k, or {query: ..., overlap@10: 0.8}.",
        schema=either(
            TEXT,
            {
                "type": "object",
                "properties": {"query": about("The other query.", TEXT)},
                "patternProperties": {
                    rf"^overlap(?:@(?:{UP_TO_A_MILLION}))?{END}": {
                        "type": ["number", "string"],
                        "minimum": 0,
                        "maximum": 1,
                        "pattern": (
                            r"^\s*(?:(?:[<>]=?|==)\s*)?(?:-?0|1)(?:\.[0-9]+)?\s*" + END
                        ),
                    }
                },
                "required": ["query"],
                "additionalProperties": False,
                "maxProperties": 2,
            },
        ),
    ),
)
