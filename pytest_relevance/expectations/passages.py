"""`exclude_passages`: quotes that no result of the top k may hold.

It is a key of a case, not of `expect:`. `passages` is not an expectation: passages are
what the measures of the case look for.
"""

from __future__ import annotations

from pytest_relevance._text import quoted
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import EXCLUDE_PASSAGES as NAME
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.location import Location
from pytest_relevance.cases.passages import EXCLUDED_SCHEMA, check_excluded
from pytest_relevance.expectations.kind import DocumentNames, ExpectationKind, Unwanted
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import JUDGED, Found, outcome_of
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.two_expectations import TwoExpectations
from pytest_relevance.results.responses.ranking import Ranking

_LONGEST_QUOTE = 60
"""The columns of a quote in a sentence."""


class _ExcludePassages(ExpectationKind):
    """`exclude_passages: [within 14 days]`: no text of the top k holds a quote.

    An outcome has the documents that hold a quote in `wrong`. Its `values` have the
    rank of each and the index of the quote in `quotes`.
    """

    name = NAME
    about = "Quotes that no text of the top k may hold."
    schema = EXCLUDED_SCHEMA
    reference = JUDGED

    def check(self, key: str, value: object, at: Location) -> Made:
        return check_excluded(value, at)

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        within = expected.within or found.k
        held = []
        for index, quote in enumerate(expected.quotes):
            # A quote that was not looked for is a KeyError, and is not taken as absent.
            held += [(rank, index) for rank in found.ranks_of_quotes[quote]]
        values = sorted(pair for pair in held if pair[0] <= within)
        wrong = [found.ranking[rank - 1] for rank, _ in values]
        return outcome_of(expected, not wrong, wrong=wrong, values=values)

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        depth = expected.within or k
        return depth if depth > len(ranking.ids) else 0

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        return self.open_rank(expected, k, ranking)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return a sentence that names each quote with the results that hold it.

        `exclude_passages: in the top 5: "within 14 days" (rank 2 "terms-old")`
        """
        holders: dict[int, list[str]] = {}
        for document, (rank, index) in zip(reason.wrong, reason.values, strict=True):
            holder = f"rank {rank} {names.document(document)}"
            holders.setdefault(index, []).append(holder)
        parts = []
        for index, ranks in sorted(holders.items()):
            quote = quoted(reason.quotes[index], _LONGEST_QUOTE)
            parts.append(f"{quote} ({', '.join(ranks)})")
        top = reason.within or names.result.conditions.k
        return f"{self.name}: in the top {top}: {'; '.join(parts)}"

    def unwanted(self, outcome: Outcome, k: int) -> Unwanted:
        return Unwanted(outcome.within or k, "excluded")

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        """Say whether each quote that is held now was held as high or higher before."""
        before = _first_ranks(both.then)
        for quote, rank in _first_ranks(both.now).items():
            if quote not in before or rank < before[quote]:
                return False
        return True

    def is_comparable(self, both: TwoOutcomes) -> bool:
        """Return True: the reference is judged by the quotes of the case."""
        return True

    def implies(self, both: TwoExpectations) -> bool:
        has_all = {*both.now.quotes} >= {*both.before.quotes}
        return has_all and both.depth_now >= both.depth_before


def _first_ranks(outcome: Outcome) -> dict[str, int]:
    """Return {quote: the rank of the first result that holds it}."""
    ranks: dict[str, int] = {}
    for rank, index in outcome.values:
        ranks.setdefault(outcome.quotes[index], rank)
    return ranks


EXCLUDE_PASSAGES = _ExcludePassages()
