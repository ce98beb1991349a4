"""`order: [a, [b, c]]`: documents, or sets of them, each before the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise, product
from operator import itemgetter

from pytest_relevance._text import quoted
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import Expectation
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.schema_parts import DOCUMENTS, either, list_of
from pytest_relevance.cases.values import check_documents
from pytest_relevance.expectations.documents import (
    KindOfDocuments,
    at_depth,
    open_if_named,
    take_documents,
)
from pytest_relevance.expectations.kind import DocumentNames
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import Found, outcome_of
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.entries import NOT_RETURNED
from pytest_relevance.results.records.two_expectations import TwoExpectations
from pytest_relevance.results.responses.ranking import Ranking

_MOST_PAIRS = 5
"""How many pairs of documents in the wrong order a sentence names."""

_SETS = list_of(DOCUMENTS, at_least=2)


class _Order(KindOfDocuments):
    """`order: [[a, b], c]`: both a and b come before c.

    A document that was not returned, or ranks below `within`, counts as last. Two such
    documents are in no order.
    """

    name = "order"
    about = "Documents, or sets of them, each before the next; one that is absent comes last."
    schema = either(
        _SETS,
        at_depth(
            _SETS,
            what="Documents, or sets of them, each before the next.",
            depth="The depth: what is below it comes last.",
        ),
    )

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return the expectation with its sets of documents, or report mistakes."""
        written = take_documents(key, value, example="[[...], [...]]", at=at)
        if written is WRONG:
            return WRONG
        sets = _check_sets(written.value, written.at)
        if sets is WRONG or written.is_wrong:
            return WRONG
        if len(sets) < 2:
            return written.at.refuse(
                "order takes at least two documents, or sets of them, each expected before the next"
            )
        documents: list[str] = []
        for one in sets:
            documents.extend(one)
        sizes = tuple(len(one) for one in sets)
        expected = Expectation(
            kind=key,
            written=key,
            documents=tuple(documents),
            within=written.within,
            sets=sizes if max(sizes) > 1 else (),
        )
        return [expected]

    def looks_at_all(self, expected: Expectation) -> bool:
        return expected.within is None

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        """Return whether the order is right, and the pairs that are wrong.

        Of two neighbouring sets, the pairs whose second document ranks highest come
        first.
        """
        last = len(found.ranking) + 1
        if expected.within is not None:
            last = expected.within + 1
        ranks = {}
        for document in expected.documents:
            ranks[document] = min(found.ranks.get(document, last), last)
        wrong: list[str] = []
        for earlier_set, later_set in pairwise(expected.document_sets):
            for later in sorted(later_set, key=lambda document: ranks[document]):
                for earlier in earlier_set:
                    if ranks[earlier] >= ranks[later]:
                        wrong += (earlier, later)
        return outcome_of(expected, not wrong, wrong=wrong)

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        return open_if_named(expected, ranking)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `order: "a" (at rank 3) is not before "b" (rank 1)`."""
        pairs = _wrong_pairs(reason)
        shown = pairs[:_MOST_PAIRS]
        if len(pairs) == _MOST_PAIRS + 1:
            shown = pairs  # one pair takes as much room as "and 1 more"
        parts = []
        for later, group in groupby(shown, key=itemgetter(1)):
            earlier = [document for document, _ in group]
            verb = "is" if len(earlier) == 1 else "are"
            parts.append(
                f"{names.places(earlier)} {verb} not before {names.places([later])}"
            )
        left = len(pairs) - len(shown)
        if left:
            parts.append(f"and {left:,} more pairs")
        where = "" if reason.within is None else f"in the top {reason.within}: "
        return f"order: {where}{'; '.join(parts)}"

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        """Say whether each wrong pair was wrong before and is no worse now.

        The first document of the pair must not have fallen. The second document may
        have fallen, because a fall brings the pair closer to its order. But it must
        still be returned.
        """
        pairs_then = _wrong_pairs(both.then)
        for first, second in _wrong_pairs(both.now):
            if (first, second) not in pairs_then or not both.has_not_fallen(first):
                return False
            has_vanished = both.rank_now(second) == NOT_RETURNED
            if has_vanished and both.rank_then(second) != NOT_RETURNED:
                return False
        return True

    def implies(self, both: TwoExpectations) -> bool:
        """Say whether the present order demands each pair of the earlier order.

        A document of a set comes before all documents of later sets.
        """
        if both.now.within != both.before.within:
            return False
        places = {}
        for place, documents in enumerate(both.now.document_sets):
            places.update(dict.fromkeys(documents, place))
        for earlier_set, later_set in pairwise(both.before.document_sets):
            for earlier, later in product(earlier_set, later_set):
                if earlier not in places or later not in places:
                    return False
                if places[earlier] >= places[later]:
                    return False
        return True


def _check_sets(value: object, at: Location) -> list[tuple[str, ...]] | Wrong:
    """Return the sets of documents, in order, or report mistakes.

    `[a, b]` is two sets of one, and so is `[[a], b]`.
    """
    if not isinstance(value, (list, tuple)) or not _has_list(value):
        documents = check_documents(value, at)
        if documents is WRONG:
            return WRONG
        return [(document,) for document in documents]
    sets: list[tuple[str, ...]] = []
    is_wrong = False
    for index, written in enumerate(value):
        documents = check_documents(written, at.under(index))
        if documents is WRONG:
            is_wrong = True
            continue
        for document in documents:
            if any(document in earlier for earlier in sets):
                what = f"document {quoted(document)} stands in two sets"
                at.refuse(f"{what}; keep it in one of them", index)
                is_wrong = True
        sets.append(documents)
    return WRONG if is_wrong else sets


def _has_list(value: Sequence[object]) -> bool:
    """Say whether sets are written, not only documents."""
    return any(isinstance(item, (list, tuple)) for item in value)


def _wrong_pairs(outcome: Outcome) -> list[tuple[str, str]]:
    """Return the pairs in the wrong order. `outcome.wrong` has them as a flat list."""
    return list(zip(outcome.wrong[::2], outcome.wrong[1::2], strict=True))


ORDER = _Order()
