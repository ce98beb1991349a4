"""A hint in the summary: one document is first for many unrelated queries, as where a search pads empty matches.

bm25s and vector searches return as many documents as they are asked for, also where nothing matches a query.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from pytest_relevance._text import examples, harmless, quoted
from pytest_relevance.reports.summary.cases import grouped, variant_label, variant_of, variants_of
from pytest_relevance.reports.table import cut
from pytest_relevance.reports.text import DOUBT, WIDEST, Line, folded_lines
from pytest_relevance.results.case_result import CaseResult

LEAST_QUERIES = 5
LEAST_SHARE = 0.2
"""The least number and share of the different queries of a search that one irrelevant document is first for."""

MOST_WITH_A_WORD = 0.5
"""The largest share of these queries that may have a word in common: about one subject, they may share a result."""

_LONGEST_TITLE = 40
_ADVICE = (
    "if the search pads empty matches, as bm25s and vector searches do, leave out results with a score of 0, or below "
    "a threshold"
)


def padding_lines(results: Sequence[CaseResult], columns: int = WIDEST) -> list[Line]:
    """The hint for each search variant, about the document that is first for the most queries; usually nothing."""
    variants = variants_of(results)
    lines: list[Line] = []
    for variant, group in grouped((each for each in results if each.returned), variant_of).items():
        found = next(_first_for_many(group), None)
        if found is not None:
            where = f"{variant_label(variant, variants)}: " if len(variants) > 1 else ""
            lines += folded_lines(f"{where}{_text(found, group)}; {_ADVICE}", DOUBT, columns)
    return lines


def _first_for_many(results: Sequence[CaseResult]) -> Iterator[list[CaseResult]]:
    """Give the results of different queries with the same irrelevant document first, those of most queries first."""
    different = {result.query.casefold(): result for result in results}
    tops = grouped((each for each in different.values() if each.irrelevant_top), lambda each: each.irrelevant_top[0])
    for found in sorted(tops.values(), key=len, reverse=True):
        if len(found) < max(LEAST_QUERIES, LEAST_SHARE * len(different)):
            return
        words = Counter(word for each in found for word in {*each.query.casefold().split()})
        if not words or max(words.values()) <= MOST_WITH_A_WORD * len(found):
            yield found


def _text(found: Sequence[CaseResult], results: Sequence[CaseResult]) -> str:
    """`1229111 "Sport strap" is first for 31 of 135 queries, relevant to none of them ("milk", "desk" ...)`."""
    document = found[0].irrelevant_top[0]
    title = next((each.titles[document] for each in results if document in each.titles), "")
    name = " ".join(filter(None, (harmless(document), quoted(cut(harmless(title), _LONGEST_TITLE)) if title else "")))
    queries = len({result.query.casefold() for result in results})
    text = f"{name} is first for {len(found):,} of {queries:,} queries, relevant to none of them"
    (top, alike), *_ = Counter(tuple(each.irrelevant_top) for each in found).most_common(1)
    if alike >= LEAST_QUERIES and len(top) > 1:
        text += f", followed by the same {'two' if len(top) > 2 else 'one'} for {alike:,}"
    return f"{text} ({examples([result.query for result in found])})"
