"""The expectations that name documents: `first`, `include`, `exclude`, `within`.

`order` is in `order.py`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import zip_longest
from math import inf

from pytest_relevance._text import found as found_text
from pytest_relevance.cases.bounds import COMPARE, RANK, Bound, implies
from pytest_relevance.cases.expect import Made
from pytest_relevance.cases.expectation import (
    AllowedRanks,
    Expectation,
    RanksOfDocuments,
)
from pytest_relevance.cases.location import WRONG, Location, Wrong, all_right
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
from pytest_relevance.expectations.kind import DocumentNames, ExpectationKind, Unwanted
from pytest_relevance.results.case_parts import Outcome
from pytest_relevance.results.outcomes import JUDGED, Found, outcome_of
from pytest_relevance.results.records.accepted_outcomes import TwoOutcomes
from pytest_relevance.results.records.two_expectations import TwoExpectations
from pytest_relevance.results.responses.ranking import Ranking

IN_TOP = "<="
BELOW = ">"
AT_RANK = "=="
"""How the rank of a document is compared: in the top n; below rank n; at rank n.

An absent document is below every rank.
"""

# What several kinds share


class KindOfDocuments(ExpectationKind):
    """A kind of expectation about the ranks of documents that it names."""

    names_documents = True
    reference = JUDGED

    def cutoff(self, expected: Expectation) -> int:
        """Return the rank in the case file; 0 if the top k of the case counts."""
        return expected.within or 0

    def is_comparable(self, both: TwoOutcomes) -> bool:
        """Say whether the reference has the rank of each document that is wrong now."""
        return both.knows_ranks_then()


def _judge_ranks(expected: Expectation, found: Found, comparison: str) -> Outcome:
    """Return whether the rank of each document is as expected, and which are wrong.

    A document that was not returned has the rank infinity.

    `comparison`: `IN_TOP`, `BELOW` or `AT_RANK`.
    """
    within = expected.within or found.k
    wrong = []
    for document in expected.documents:
        if not COMPARE[comparison](found.ranks.get(document, inf), within):
            wrong.append(document)
    return outcome_of(expected, not wrong, wrong=wrong)


def _all_returned(expected: Expectation, ranking: Ranking) -> bool:
    """Say whether all documents of an expectation were returned."""
    return all(document in ranking.ids for document in expected.documents)


def open_if_named(expected: Expectation, ranking: Ranking) -> int:
    """Return the rank that the case file names if a document was not returned; else 0.

    0 also if it names no rank: results below the top k of the case do not matter.
    """
    return 0 if _all_returned(expected, ranking) else expected.within or 0


def _open_to_depth(expected: Expectation, k: int, ranking: Ranking) -> int:
    """Return the depth if a missing document may rank above the depth; else 0.

    `k`: the depth if the case file names none.
    """
    depth = expected.within or k
    if depth <= len(ranking.ids) or _all_returned(expected, ranking):
        return 0
    return depth


def _wanted_as_badly(both: TwoOutcomes) -> bool:
    """Say whether each document that is too low now was as low or lower before."""
    if not both.has_no_new_document():
        return False
    return all(both.has_not_fallen(document) for document in both.now.wrong)


def _unwanted_as_badly(both: TwoOutcomes) -> bool:
    """Say whether each document that is too high now was as high or higher before."""
    if not both.has_no_new_document():
        return False
    return all(both.has_not_risen(document) for document in both.now.wrong)


@dataclass(frozen=True, slots=True)
class WrittenDocuments:
    """What an entry of `expect:` has for the documents, not yet checked, and the depth.

    `value`, `at`: the value for the documents, and its place.
    `within`: the number of top results that count; None for the top k of the case.
    `is_wrong`: whether a mistake in the depth was reported.
    """

    value: object
    at: Location
    within: int | None = None
    is_wrong: bool = False


def take_documents(
    key: str, value: object, example: str, at: Location
) -> WrittenDocuments | Wrong:
    """Return the documents of an entry, not yet checked, and the depth.

    Reports mistakes other than in the documents.

    `value`: `{docs: ..., within: 25}`, or the documents alone.
    `example`: shows in messages how documents are written.
    """
    if not isinstance(value, Mapping):
        return WrittenDocuments(value, at)
    whole = f"{key}: {{docs: {example}, within: 25}}"
    unknown = report_unknown_keys(
        value, ("docs", "within"), takes=f"write {whole}", at=at
    )
    within: int | Wrong | None = None
    if "within" in value:
        within = check_whole(value["within"], at.under("within"))
    if "docs" not in value:
        return at.refuse(f"the documents are missing; write {whole}")
    if unknown is WRONG or within is WRONG:
        return WrittenDocuments(value["docs"], at.under("docs"), is_wrong=True)
    return WrittenDocuments(value["docs"], at.under("docs"), within=within)


def at_depth(documents: Schema, *, what: str, depth: str) -> Schema:
    """Return the schema of `{docs: ..., within: 25}`.

    `what`, `depth`: descriptions of the two keys in an editor.
    """
    return object_with(
        {"docs": about(what, dict(documents)), "within": about(depth, WHOLE)},
        required=("docs",),
    )


# first


class _First(KindOfDocuments):
    """`first: [sku-1, sku-2]`: the documents on top, in this order."""

    name = "first"
    about = "The document on top, or a list: exactly these on top, in this order."
    schema = DOCUMENTS

    def check(self, key: str, value: object, at: Location) -> Made:
        documents = check_documents(value, at)
        if documents is WRONG:
            return WRONG
        return [Expectation(kind=key, written=key, documents=documents)]

    def allowed_ranks(self, expected: Expectation, k: int) -> RanksOfDocuments:
        allowed = {}
        for rank, document in enumerate(expected.documents, start=1):
            allowed[document] = AllowedRanks(rank, rank, ("first",))
        return allowed

    def cutoff(self, expected: Expectation) -> int:
        return len(expected.documents)

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        on_top = found.ranking[: len(expected.documents)]
        wrong = []
        for document, returned in zip_longest(expected.documents, on_top):
            if document != returned:
                wrong.append(document)
        return outcome_of(expected, not wrong, wrong=wrong)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `first: rank 1 has "b", expected "a" (at rank 2)`."""
        ranking = names.result.ranking.documents
        parts = []
        for rank, document in enumerate(reason.documents, start=1):
            if document not in reason.wrong:
                continue
            there = "nothing"
            if rank <= len(ranking):
                there = names.document(ranking[rank - 1])
            expected = names.places([document])
            parts.append(f"rank {rank} has {there}, expected {expected}")
        return f"first: {'; '.join(parts)}"

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return _wanted_as_badly(both)

    def implies(self, both: TwoExpectations) -> bool:
        before = both.before.documents
        return both.now.documents[: len(before)] == before


# include and exclude


class _KindOfPresence(KindOfDocuments):
    """What `include` and `exclude` share: they look for documents in the top k.

    `{docs: a, within: 25}` looks in the first 25 results.
    """

    schema = either(
        DOCUMENTS,
        at_depth(
            DOCUMENTS,
            what="A document, or a list of them.",
            depth="Another depth than the top k.",
        ),
    )

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return the expectation on the documents, or report mistakes."""
        written = take_documents(key, value, example="[...]", at=at)
        if written is WRONG:
            return WRONG
        documents = check_documents(written.value, written.at)
        if documents is WRONG or written.is_wrong:
            return WRONG
        expected = Expectation(
            kind=key, written=key, documents=documents, within=written.within
        )
        return [expected]


class _Include(_KindOfPresence):
    """`include: [sku-1]`: documents that must be in the top k."""

    name = "include"
    about = "Documents that are in the top k, or {docs: [...], within: 25} for another depth."

    def allowed_ranks(self, expected: Expectation, k: int) -> RanksOfDocuments:
        ranks = AllowedRanks(1, expected.within or k, ("include",))
        return dict.fromkeys(expected.documents, ranks)

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        return _judge_ranks(expected, found, IN_TOP)

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        return open_if_named(expected, ranking)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `include: not in the top 3: "a" (at rank 7)`."""
        top = _depth(reason, names)
        return f"include: not in the top {top}: {names.places(reason.wrong)}"

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return _wanted_as_badly(both)

    def implies(self, both: TwoExpectations) -> bool:
        has_all = {*both.now.documents} >= {*both.before.documents}
        return has_all and both.depth_now <= both.depth_before


class _Exclude(_KindOfPresence):
    """`exclude: [sku-1]`: documents that must not be in the top k."""

    name = "exclude"
    about = "Documents that are not in the top k, or {docs: [...], within: 25} for another depth."
    excludes_documents = True

    def allowed_ranks(self, expected: Expectation, k: int) -> RanksOfDocuments:
        ranks = AllowedRanks((expected.within or k) + 1, inf, ("exclude",))
        return dict.fromkeys(expected.documents, ranks)

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        return _judge_ranks(expected, found, BELOW)

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        return _open_to_depth(expected, k, ranking)

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        return _open_to_depth(expected, k, ranking)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `exclude: in the top 3: "a" (at rank 2)`."""
        top = _depth(reason, names)
        return f"exclude: in the top {top}: {names.places(reason.wrong)}"

    def unwanted(self, outcome: Outcome, k: int) -> Unwanted:
        return Unwanted(outcome.within or k, "excluded")

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        return _unwanted_as_badly(both)

    def implies(self, both: TwoExpectations) -> bool:
        has_all = {*both.now.documents} >= {*both.before.documents}
        return has_all and both.depth_now >= both.depth_before


def _depth(reason: Outcome, names: DocumentNames) -> int:
    """Return how many top results the expectation looks at."""
    return reason.within or names.result.conditions.k


# within

_ONE_LESS = {"<": IN_TOP, ">=": BELOW}
"""`<4` means the same as `<=3`, and `>=4` the same as `>3`."""

_NOT_WITHIN = {
    IN_TOP: "is not in the top {}",
    BELOW: "is in the top {}",
    AT_RANK: "is not at rank {}",
}


class _Within(KindOfDocuments):
    """`within: {sku-5: 3, sku-6: ">3"}`: the rank that each document must reach.

    A plain 3 means at most 3. Each document becomes a separate expectation.
    """

    name = "within"
    about = 'The rank that a document must reach: {sku-5: 3, sku-6: ">3"}.'
    schema = either(NULL, mapping_of(RANK.schema))

    def check(self, key: str, value: object, at: Location) -> Made:
        """Return an expectation for each document with its rank, or report mistakes."""
        if not isinstance(value, Mapping) or not value:
            return at.refuse(
                "expected documents with the rank that each must reach, found "
                f'{found_text(value)}; write {key}: {{sku-5: 3, sku-6: ">3"}}'
            )
        return all_right(
            self._check_rank(key, document, written=written, at=at)
            for document, written in value.items()
        )

    def _check_rank(
        self, key: str, document: object, written: object, at: Location
    ) -> Expectation | Wrong:
        """Return the expectation on one document, or report mistakes.

        `<3` becomes `<= 2`, so that few comparisons have to be told apart.
        """
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

    def allowed_ranks(self, expected: Expectation, k: int) -> RanksOfDocuments:
        """Return the ranks that `<=`, `>` or `==` allows each document."""
        rank = expected.within or k
        allowed = {}
        for document in expected.documents:
            path = ("within", document)
            if expected.comparison == IN_TOP:
                allowed[document] = AllowedRanks(1, rank, path)
            elif expected.comparison == BELOW:
                allowed[document] = AllowedRanks(rank + 1, inf, path)
            else:
                allowed[document] = AllowedRanks(rank, rank, path)
        return allowed

    def judge(self, expected: Expectation, found: Found) -> Outcome:
        return _judge_ranks(expected, found, expected.comparison)

    def open_rank(self, expected: Expectation, k: int, ranking: Ranking) -> int:
        if expected.comparison != BELOW:
            return 0
        return _open_to_depth(expected, k, ranking)

    def open_rank_without_k(
        self, expected: Expectation, k: int, ranking: Ranking
    ) -> int:
        return open_if_named(expected, ranking)

    def explain(self, reason: Outcome, names: DocumentNames) -> str:
        """Return, for example, `within: "a" (at rank 7) is not in the top 3`."""
        where = _NOT_WITHIN[reason.comparison].format(_depth(reason, names))
        return f"within: {names.places(reason.wrong)} {where}"

    def unwanted(self, outcome: Outcome, k: int) -> Unwanted | None:
        if outcome.comparison != BELOW:
            return None
        within = outcome.within or k
        return Unwanted(within, f"not before {within + 1}")

    def missed_as_badly(self, both: TwoOutcomes) -> bool:
        """Say whether the accepted ranking misses the rank at least as badly.

        If an exact rank is expected, the document must have been on the same side of it
        before, and at least as far away.
        """
        if both.now.comparison == IN_TOP:
            return _wanted_as_badly(both)
        if both.now.comparison == BELOW:
            return _unwanted_as_badly(both)
        (document,) = both.now.documents
        before = both.rank_then(document)
        now = both.rank_now(document)
        place = both.now.within
        if before is None or now is None or place is None:
            return False
        if now > place:
            return place < now <= before
        return before <= now < place

    def implies(self, both: TwoExpectations) -> bool:
        if both.now.documents != both.before.documents:
            return False
        now = Bound(both.now.comparison, both.depth_now)
        return implies(now, Bound(both.before.comparison, both.depth_before))


FIRST = _First()
INCLUDE = _Include()
EXCLUDE = _Exclude()
WITHIN = _Within()
