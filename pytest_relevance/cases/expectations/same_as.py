"""`same_as`: another query finds the same results."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

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
    within = None
    overlap: Bound | Wrong = Bound(">=", 1.0)
    is_wrong = False
    if query == at.values.get("query"):
        message = f"{quoted(query)} is the query of the case itself; write another one"
        at.refuse(message)
        is_wrong = True
    for name, bound in written.items():
        if name == "query":
            continue
        match = re.fullmatch(_OVERLAP, str(name))
        if match is None or len(written) != 2:
            message = f"unknown key {quoted(str(name))}; write {example}"
            at.refuse(message, str(name), at_key=True)
            is_wrong = True
            continue
        overlap = _check_overlap(str(name), bound, at)
        within = None if match[1] is None else int(match[1])
    if overlap is WRONG or is_wrong:
        return WRONG
    expected = Expectation(
        kind=key,
        written=key,
        comparison=overlap.comparison,
        bound=overlap.value,
        within=within,
        query=query,
    )
    return [expected]


def _check_overlap(name: str, value: object, at: Location) -> Bound | Wrong:
    share = scalar_value(value) if isinstance(value, str) else value  # text in YAML
    return SHARE.check(share, at.under(name), example=f"{name}: 0.8")


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
