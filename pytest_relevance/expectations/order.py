"""`order`: documents, or sets of documents, each before the next."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby, pairwise
from operator import itemgetter

from pytest_relevance._text import quoted
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Expectation
from pytest_relevance.cases.schema_parts import DOCUMENTS, either, list_of
from pytest_relevance.cases.values import check_documents
from pytest_relevance.expectations.documents import (
    at_depth,
    named_rank,
    open_if_named,
    take_documents,
)
from pytest_relevance.expectations.kind import ExpectationKind, Names
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import JUDGED, Found, outcome_of
from pytest_relevance.results.records.two_outcomes import NOT_RETURNED, TwoOutcomes

_MOST_PAIRS = 5
"""How many pairs of documents in the wrong order a sentence names."""


def check_order(key: str, value: object, at: Location) -> Made:
    """Check documents in an order, or sets of them; `{docs: [...], within: 100}` for a
    depth.
    """
    described = take_documents(key, value, documents="[[...], [...]]", at=at)
    if described is WRONG:
        return WRONG
    sets = _check_sets(described.documents, described.at)
    if sets is WRONG or described.is_wrong:
        return WRONG
    if len(sets) < 2:
        return described.at.refuse(
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
        within=described.within,
        sets=sizes if max(sizes) > 1 else (),
    )
    return [expected]


def _check_sets(value: object, at: Location) -> list[tuple[str, ...]] | Wrong:
    """Check a list of sets, or a list of documents, each of which becomes a set."""
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
    return any(isinstance(item, (list, tuple)) for item in value)


def judge_order(expected: Expectation, found: Found) -> Outcome:
    """Check that all documents of a set stand before those of the next set.

    An absent document, or one below `within`, counts as last, and as not before another
    such one. Of the wrong pairs, those with the best-ranked later document come first.
    """
    last = len(found.ranking) + 1 if expected.within is None else expected.within + 1
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


def wrong_pairs(outcome: Outcome) -> list[tuple[str, str]]:
    """Give the pairs in the wrong order. They stand one after the other in `wrong`."""
    return list(zip(outcome.wrong[::2], outcome.wrong[1::2], strict=True))


def explain_order(reason: Outcome, names: Names) -> str:
    """Name the first pairs in the wrong order:
    `order: "a" (at rank 3) is not before "b" (at rank 1)`.
    """
    pairs = wrong_pairs(reason)
    shown = pairs[:_MOST_PAIRS]
    if len(pairs) == _MOST_PAIRS + 1:
        shown = pairs  # one more takes no more room than to say so
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


def needs_all(expected: Expectation) -> bool:
    """Whether an order is one of the whole ranking."""
    return expected.within is None


def order_as_badly(both: TwoOutcomes) -> bool:
    """Compare pairs of documents of which the first should stand before the second.

    The first one of a wrong pair may not fall. The second one may, as that brings the
    two closer to their order, but it may not vanish.
    """
    pairs_then = wrong_pairs(both.then)
    for first, second in wrong_pairs(both.now):
        if (first, second) not in pairs_then or not both.has_not_fallen(first):
            return False
        has_vanished = both.rank_now(second) == NOT_RETURNED
        if has_vanished and both.rank_then(second) != NOT_RETURNED:
            return False
    return True


_SETS = list_of(DOCUMENTS, at_least=2)

ORDER = ExpectationKind(
    name="order",
    check=check_order,
    about="Documents, or sets of them, each before the next; one that is absent comes last.",
    schema=either(
        _SETS,
        at_depth(
            _SETS,
            what="Documents, or sets of them, each before the next.",
            depth="The depth: what is below it comes last.",
        ),
    ),
    names_documents=True,
    cutoff=named_rank,
    looks_at_all=needs_all,
    judge=judge_order,
    open_rank_without_k=open_if_named,
    explain=explain_order,
    reference=JUDGED,
    missed_as_badly=order_as_badly,
    is_comparable=TwoOutcomes.knows_ranks_then,
)
