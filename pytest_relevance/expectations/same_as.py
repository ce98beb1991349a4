"""`same_as`: another query must find the same results."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from pytest_relevance._text import first_few, quoted
from pytest_relevance._text import found as found_text
from pytest_relevance.cases.bounds import SHARE, Bound, meets
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.scalars import scalar_value
from pytest_relevance.cases.schema_parts import (
    END,
    TEXT,
    UP_TO_A_MILLION,
    about,
    either,
)
from pytest_relevance.expectations.kind import DocumentNames, ExpectationKind
from pytest_relevance.expectations.metric import below
from pytest_relevance.metrics.metric import ROUNDING
from pytest_relevance.metrics.similarity import overlap as overlap_of
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import Found, first_ranks, outcome_of
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.two_expectations import TwoExpectations

_OVERLAP = rf"overlap(?:@({UP_TO_A_MILLION}))?"

_MOST_DOCUMENTS = 10
"""How many documents of each query a sentence names."""


_SCHEMA = either(
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
)


class _SameAs(ExpectationKind):
    """`same_as: {query: blue shoe, overlap@10: 0.8}`: another query finds the same.

    Without an overlap, both queries must find the same top k. Two empty rankings are
    the same only if the case expects no results.
    """

    name = "same_as"
    compares_rankings = True
    about = "Another query that finds the same top k, or {query: ..., overlap@10: 0.8}."
    schema = _SCHEMA

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return the expectation on another query, or report mistakes.

        Without a written overlap, the overlap has to be 1.
        """
        example = f"{key}: blue shoe or {key}: {{query: blue shoe, overlap@10: 0.8}}"
        written = value if isinstance(value, Mapping) else {"query": value}
        query = written.get("query")
        if not isinstance(query, str) or not query.strip():
            return at.refuse(
                f"expected another query, found {found_text(value)}; write {example}"
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

    def cutoff(self, expected: Expectation) -> int:
        return expected.within or 0

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        """Return whether the top of both rankings overlaps enough.

        If not, the outcome has the documents that only one of the queries finds, each
        with its ranks (here, there).
        """
        within = expected.within or found.k
        here = found.ranking[:within]
        there = found.others[expected.query][:within]
        value = float(found.finds_nothing)
        if here or there:
            value = overlap_of(here, there)
        is_met = meets(expected, value)
        ranks_here, ranks_there = first_ranks(here), first_ranks(there)
        wrong, values = [], []
        if not is_met:
            for document in dict.fromkeys([*here, *there]):
                if (document in ranks_here) != (document in ranks_there):
                    wrong.append(document)
                    values.append((ranks_here.get(document), ranks_there.get(document)))
        return outcome_of(
            expected, is_met, value=value, within=within, wrong=wrong, values=values
        )

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return a sentence that names what only one of the queries finds.

        `same_as "blue shoe": overlap@10 0.600 is below 1.000: only here rank 3 "sku-1"
        (Boots)`
        """
        name = f"overlap@{reason.within}"
        figure = below(name, reason.value, reason.comparison, reason.bound)
        head = f"same_as {quoted(reason.query)}: {figure}"
        only_here, only_there = [], []
        for document, (here, there) in zip(reason.wrong, reason.values, strict=False):
            if here is None:
                only_there.append(f"rank {there} {names.document(document)}")
            else:
                only_here.append(f"rank {here} {names.document(document)}")
        if not reason.value and not only_here and not only_there:
            return f"{head}: both found nothing"
        parts = []
        if only_here:
            parts.append(f"only here {first_few(only_here, _MOST_DOCUMENTS)}")
        if only_there:
            parts.append(f"only there {first_few(only_there, _MOST_DOCUMENTS)}")
        return f"{head}: {'; '.join(parts)}" if parts else head

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return both.was_as_far_off(both.tolerance)

    def implies(self, both: TwoExpectations) -> bool:
        if both.now.query != both.before.query:
            return False
        if both.depth_now != both.depth_before:
            return False
        return both.implies_bound(rounding=ROUNDING)


@dataclass(frozen=True, slots=True)
class _Overlap:
    """The share of the top results that both queries must find.

    `within`: how many top results; None for the top k of the case.
    """

    bound: Bound
    within: int | None


_THE_SAME = _Overlap(bound=Bound(">=", 1.0), within=None)


def _check_overlap(
    written: Mapping[str, object], example: str, at: Location
) -> _Overlap | Wrong:
    """Return the overlap that an entry has beside the query, or report a mistake.

    No other key is allowed beside the query.

    `example`: shows in messages how the entry is written.
    """
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


SAME_AS = _SameAs()
