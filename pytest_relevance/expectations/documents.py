"""The expectations that name documents: `first`, `include`, `exclude`, `within`."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from math import inf

from pytest_relevance._text import found
from pytest_relevance.cases.bounds import COMPARE, RANK
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import AllowedRanks, Expectation
from pytest_relevance.cases.schema_parts import (
    DOCUMENTS,
    NULL,
    WHOLE,
    Schema,
    about,
    either,
    mapping_of,
    object_with,
)
from pytest_relevance.cases.values import (
    check_documents,
    check_whole,
    report_unknown_keys,
    wrong_document,
)
from pytest_relevance.expectations.kind import ExpectationKind, Names, Unwanted
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import JUDGED, Found, outcome_of
from pytest_relevance.results.records.two_outcomes import TwoOutcomes
from pytest_relevance.results.responses.ranking import Ranking

AT_MOST = "<="
BELOW = ">"
EXACTLY = "=="
"""How `within` compares the rank of a document: in the top n; below rank n, or absent;
at rank n.
"""

_ONE_LESS = {"<": AT_MOST, ">=": BELOW}
"""`<4` means the same as `<=3`, and `>=4` the same as `>3`."""


# --- what several kinds share ---------------------------------------------------------


def named_rank(expected: Expectation) -> int:
    """Give the rank of an expectation; 0 if it is the cutoff of the case."""
    return expected.within or 0


def all_returned(expected: Expectation, ranking: Ranking) -> bool:
    """Whether all documents of an expectation were returned."""
    return all(document in ranking.ids for document in expected.documents)


def open_if_named(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Give the rank of an expectation of which a document was not returned.

    A document that is not in the top k is missing there, whatever comes below.
    """
    return 0 if all_returned(expected, ranking) else expected.within or 0


def open_to_depth(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Give the depth of an expectation, if a document may stand between the results and
    it.
    """
    depth = expected.within or k
    if depth <= len(ranking.ids) or all_returned(expected, ranking):
        return 0
    return depth


def wanted_as_badly(both: TwoOutcomes) -> bool:
    """Compare the ranks of documents that should stand high."""
    if not both.has_no_new_document():
        return False
    return all(both.has_not_fallen(document) for document in both.now.wrong)


def unwanted_as_badly(both: TwoOutcomes) -> bool:
    """Compare the ranks of documents that should stand low, or not be there."""
    if not both.has_no_new_document():
        return False
    return all(both.has_not_risen(document) for document in both.now.wrong)


# --- first ----------------------------------------------------------------------------


def check_first(key: str, value: object, at: Location) -> Made:
    """Check the document on top, `sku-1`, or a list of them."""
    documents = check_documents(value, at)
    if documents is WRONG:
        return WRONG
    return [Expectation(kind=key, written=key, documents=documents)]


def judge_first(expected: Expectation, found: Found) -> Outcome:
    """Check the documents on top, one by one."""
    on_top = found.ranking[: len(expected.documents)]
    wrong = []
    for document, returned in zip_longest(expected.documents, on_top):
        if document != returned:
            wrong.append(document)
    return outcome_of(expected, not wrong, wrong=wrong)


def explain_first(reason: Outcome, names: Names) -> str:
    """Say what stands in the place of each document:
    `first: rank 1 has "b", expected "a" (at rank 2)`.
    """
    ranking = names.result.ranking.documents
    parts = []
    for rank, document in enumerate(reason.documents, start=1):
        if document not in reason.wrong:
            continue
        there = names.document(ranking[rank - 1]) if rank <= len(ranking) else "nothing"
        parts.append(f"rank {rank} has {there}, expected {names.places([document])}")
    return f"first: {'; '.join(parts)}"


def ranks_of_first(expected: Expectation, k: int) -> Mapping[str, AllowedRanks]:
    """Allow each document its own rank alone."""
    allowed = {}
    for rank, document in enumerate(expected.documents, start=1):
        allowed[document] = AllowedRanks(rank, rank, ("first",))
    return allowed


def number_of_documents(expected: Expectation) -> int:
    """Give the rank of the last document of `first`."""
    return len(expected.documents)


# --- include and exclude --------------------------------------------------------------


def check_present(key: str, value: object, at: Location) -> Made:
    """Check documents in the top k, or `{docs: [...], within: 25}` for another
    depth.
    """
    described = take_documents(key, value, documents="[...]", at=at)
    if described is WRONG:
        return WRONG
    documents = check_documents(described.documents, described.at)
    if documents is WRONG or described.is_wrong:
        return WRONG
    expected = Expectation(
        kind=key, written=key, documents=documents, within=described.within
    )
    return [expected]


def judge_include(expected: Expectation, found: Found) -> Outcome:
    """Check that documents are in the top of a ranking."""
    return _judge_presence(expected, found, is_wanted=True)


def judge_exclude(expected: Expectation, found: Found) -> Outcome:
    """Check that documents are not in the top of a ranking."""
    return _judge_presence(expected, found, is_wanted=False)


def _judge_presence(expected: Expectation, found: Found, *, is_wanted: bool) -> Outcome:
    within = expected.within or found.k
    wrong = []
    for document in expected.documents:
        is_there = found.ranks.get(document, inf) <= within
        if is_there != is_wanted:
            wrong.append(document)
    return outcome_of(expected, not wrong, wrong=wrong)


def explain_include(reason: Outcome, names: Names) -> str:
    """Say where documents are that are not in the top:
    `include: not in the top 3: "a" (at rank 7)`.
    """
    return (
        f"include: not in the top {_depth(reason, names)}: {names.places(reason.wrong)}"
    )


def explain_exclude(reason: Outcome, names: Names) -> str:
    """Say where documents are that should not be in the top:
    `exclude: in the top 3: "a" (at rank 2)`.
    """
    return f"exclude: in the top {_depth(reason, names)}: {names.places(reason.wrong)}"


def _depth(reason: Outcome, names: Names) -> int:
    return reason.within or names.result.conditions.k


def ranks_of_include(expected: Expectation, k: int) -> Mapping[str, AllowedRanks]:
    """Allow the ranks of the top."""
    ranks = AllowedRanks(1, expected.within or k, ("include",))
    return dict.fromkeys(expected.documents, ranks)


def ranks_of_exclude(expected: Expectation, k: int) -> Mapping[str, AllowedRanks]:
    """Allow the ranks below the top."""
    ranks = AllowedRanks((expected.within or k) + 1, inf, ("exclude",))
    return dict.fromkeys(expected.documents, ranks)


def mark_excluded(outcome: Outcome, k: int) -> Unwanted:
    """Mark documents in the top."""
    return Unwanted(outcome.within or k, "excluded")


@dataclass(frozen=True, slots=True)
class Described:
    """What `{docs: ..., within: 25}` says: the documents, where they stand, and the
    depth.

    `is_wrong`: a mistake beside the documents was reported.
    """

    documents: object
    at: Location
    within: int | None = None
    is_wrong: bool = False


def take_documents(
    key: str, value: object, documents: str, at: Location
) -> Described | Wrong:
    """Take the documents out of a mapping that gives them a depth. `documents` is an
    example.
    """
    if not isinstance(value, Mapping):
        return Described(value, at)
    example = f"{key}: {{docs: {documents}, within: 25}}"
    unknown = report_unknown_keys(
        value, ("docs", "within"), takes=f"write {example}", at=at
    )
    within: int | Wrong | None = None
    if "within" in value:
        within = check_whole(value["within"], at.under("within"))
    if "docs" not in value:
        return at.refuse(f"the documents are missing; write {example}")
    if unknown is WRONG or within is WRONG:
        return Described(value["docs"], at.under("docs"), is_wrong=True)
    return Described(value["docs"], at.under("docs"), within=within)


# --- within ---------------------------------------------------------------------------


def check_within(key: str, value: object, at: Location) -> Made:
    """Check `{sku-5: 3, sku-6: ">3"}`: the rank that each document must reach; 3 means
    at most 3.
    """
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            f"expected documents with the rank that each must reach, found {found(value)}; "
            f'write {key}: {{sku-5: 3, sku-6: ">3"}}'
        )
    made = []
    is_wrong = False
    for document, written in value.items():
        expected = _check_rank(key, document, written=written, at=at)
        if expected is WRONG:
            is_wrong = True
        else:
            made.append(expected)
    return WRONG if is_wrong else made


def _check_rank(
    key: str, document: object, written: object, at: Location
) -> Expectation | Wrong:
    """Check the rank that one document must reach."""
    message = wrong_document(document)
    if message is not None:
        return at.refuse(message, str(document), at_key=True)
    name = str(document)
    example = f'{name}: 3 or {name}: ">3"'
    bound = RANK.check(written, at.under(name), example=example)
    if bound is WRONG:
        return WRONG
    comparison = bound.comparison
    rank = int(bound.value)
    if comparison in _ONE_LESS:
        comparison = _ONE_LESS[comparison]
        rank -= 1
    return Expectation(
        kind=key, written=key, comparison=comparison, documents=(name,), within=rank
    )


def judge_within(expected: Expectation, found: Found) -> Outcome:
    """Check the rank of a document. An absent one is below every rank."""
    reaches = COMPARE[expected.comparison]
    within = expected.within or found.k
    wrong = []
    for document in expected.documents:
        if not reaches(found.ranks.get(document, inf), within):
            wrong.append(document)
    return outcome_of(expected, not wrong, wrong=wrong)


_NOT_WITHIN = {
    AT_MOST: "is not in the top {}",
    BELOW: "is in the top {}",
    EXACTLY: "is not at rank {}",
}


def explain_within(reason: Outcome, names: Names) -> str:
    """Say where a document is, and where it should be:
    `within: "a" (at rank 7) is not in the top 3`.
    """
    where = _NOT_WITHIN[reason.comparison].format(_depth(reason, names))
    return f"within: {names.places(reason.wrong)} {where}"


def ranks_of_within(expected: Expectation, k: int) -> Mapping[str, AllowedRanks]:
    """Allow the ranks that the comparison allows."""
    rank = expected.within or k
    allowed = {}
    for document in expected.documents:
        path = ("within", document)
        if expected.comparison == AT_MOST:
            allowed[document] = AllowedRanks(1, rank, path)
        elif expected.comparison == BELOW:
            allowed[document] = AllowedRanks(rank + 1, inf, path)
        else:
            allowed[document] = AllowedRanks(rank, rank, path)
    return allowed


def open_within(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Give the rank that a document must stand below, if it was not returned."""
    if expected.comparison != BELOW:
        return 0
    return open_to_depth(expected, k, ranking)


def within_as_badly(both: TwoOutcomes) -> bool:
    """Compare the rank of a document that should be in the top n, below it, or at n."""
    if both.now.comparison == AT_MOST:
        return wanted_as_badly(both)
    if both.now.comparison == BELOW:
        return unwanted_as_badly(both)
    (document,) = both.now.documents
    before = both.rank_then(document)
    now = both.rank_now(document)
    place = both.now.within
    if before is None or now is None or place is None:
        return False
    if now > place:
        return place < now <= before
    return before <= now < place


def mark_below(outcome: Outcome, k: int) -> Unwanted | None:
    """Mark a document in ranks that it should stand below."""
    if outcome.comparison != BELOW:
        return None
    within = outcome.within or k
    return Unwanted(within, f"not before {within + 1}")


# --- the rows -------------------------------------------------------------------------


def at_depth(documents: Schema, *, what: str, depth: str) -> Schema:
    """Make the schema of `{docs: ..., within: 25}`."""
    return object_with(
        {"docs": about(what, dict(documents)), "within": about(depth, WHOLE)},
        required=("docs",),
    )


_PRESENT = either(
    DOCUMENTS,
    at_depth(
        DOCUMENTS,
        what="A document, or a list of them.",
        depth="Another depth than the top k.",
    ),
)

FIRST = ExpectationKind(
    name="first",
    check=check_first,
    about="The document on top, or a list: exactly these on top, in this order.",
    schema=DOCUMENTS,
    names_documents=True,
    allowed_ranks=ranks_of_first,
    cutoff=number_of_documents,
    judge=judge_first,
    explain=explain_first,
    reference=JUDGED,
    missed_as_badly=wanted_as_badly,
    is_comparable=TwoOutcomes.knows_ranks_then,
)

INCLUDE = ExpectationKind(
    name="include",
    check=check_present,
    about="Documents that are in the top k, or {docs: [...], within: 25} for another depth.",
    schema=_PRESENT,
    names_documents=True,
    allowed_ranks=ranks_of_include,
    cutoff=named_rank,
    judge=judge_include,
    open_rank_without_k=open_if_named,
    explain=explain_include,
    reference=JUDGED,
    missed_as_badly=wanted_as_badly,
    is_comparable=TwoOutcomes.knows_ranks_then,
)

EXCLUDE = ExpectationKind(
    name="exclude",
    check=check_present,
    about="Documents that are not in the top k, or {docs: [...], within: 25} for another depth.",
    schema=_PRESENT,
    names_documents=True,
    allowed_ranks=ranks_of_exclude,
    cutoff=named_rank,
    judge=judge_exclude,
    open_rank=open_to_depth,
    open_rank_without_k=open_to_depth,
    excludes_documents=True,
    explain=explain_exclude,
    unwanted=mark_excluded,
    reference=JUDGED,
    missed_as_badly=unwanted_as_badly,
    is_comparable=TwoOutcomes.knows_ranks_then,
)

WITHIN = ExpectationKind(
    name="within",
    check=check_within,
    about='The rank that a document must reach: {sku-5: 3, sku-6: ">3"}.',
    schema=either(NULL, mapping_of(RANK.schema)),
    names_documents=True,
    allowed_ranks=ranks_of_within,
    cutoff=named_rank,
    judge=judge_within,
    open_rank=open_within,
    open_rank_without_k=open_if_named,
    explain=explain_within,
    unwanted=mark_below,
    reference=JUDGED,
    missed_as_badly=within_as_badly,
    is_comparable=TwoOutcomes.knows_ranks_then,
)
