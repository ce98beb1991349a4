"""The expectations that name documents: `first`, `include`, `exclude`, `order`, `within`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pytest_relevance._text import found, quoted
from pytest_relevance.cases.bounds import RANK
from pytest_relevance.cases.expectations.kind import ExpectationKind, Made
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Expectation
from pytest_relevance.cases.schema_parts import (
    DOCUMENTS,
    NULL,
    WHOLE,
    about,
    either,
    list_of,
    mapping_of,
    object_with,
)
from pytest_relevance.cases.values import (
    check_documents,
    check_whole,
    report_unknown_keys,
    wrong_document,
)

AT_MOST = "<="
BELOW = ">"
EXACTLY = "=="
"""How `within` compares the rank of a document: in the top n; below rank n, or absent; at rank n."""

_ONE_LESS = {"<": AT_MOST, ">=": BELOW}
"""`<4` means the same as `<=3`, and `>=4` the same as `>3`."""


def check_first(key: str, value: object, at: Location) -> Made:
    """Check the document on top, `sku-1`, or a list of them."""
    documents = check_documents(value, at)
    if documents is WRONG:
        return WRONG
    return [Expectation(kind=key, written=key, documents=documents)]


def check_present(key: str, value: object, at: Location) -> Made:
    """Check documents in the top k, or `{docs: [...], within: 25}` for another depth."""
    described = _described(key, value, documents="[...]", at=at)
    if described is WRONG:
        return WRONG
    documents = check_documents(described.documents, described.at)
    if documents is WRONG or described.is_wrong:
        return WRONG
    expected = Expectation(
        kind=key, written=key, documents=documents, within=described.within
    )
    return [expected]


def check_order(key: str, value: object, at: Location) -> Made:
    """Check documents in an order, or sets of them; `{docs: [...], within: 100}` for a depth."""
    described = _described(key, value, documents="[[...], [...]]", at=at)
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


@dataclass(frozen=True, slots=True)
class _Described:
    """What `{docs: ..., within: 25}` says: the documents, where they stand, and the depth.

    `is_wrong`: a mistake beside the documents was reported.
    """

    documents: object
    at: Location
    within: int | None = None
    is_wrong: bool = False


def _described(
    key: str, value: object, documents: str, at: Location
) -> _Described | Wrong:
    """Take the documents out of a mapping that gives them a depth. `documents` is an example."""
    if not isinstance(value, Mapping):
        return _Described(value, at)
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
        return _Described(value["docs"], at.under("docs"), is_wrong=True)
    return _Described(value["docs"], at.under("docs"), within=within)


def check_within(key: str, value: object, at: Location) -> Made:
    """Check `{sku-5: 3, sku-6: ">3"}`: the rank that each document must reach; 3 means at most 3."""
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


_SETS = list_of(DOCUMENTS, at_least=2)


def _at_depth(
    documents: Mapping[str, object], what: str, depth: str
) -> dict[str, object]:
    """Make the schema of `{docs: ..., within: 25}`."""
    return object_with(
        {"docs": about(what, dict(documents)), "within": about(depth, WHOLE)},
        required=("docs",),
    )


_PRESENT = either(
    DOCUMENTS,
    _at_depth(
        DOCUMENTS, "A document, or a list of them.", "Another depth than the top k."
    ),
)

KINDS: Sequence[ExpectationKind] = (
    ExpectationKind(
        name="first",
        check=check_first,
        about="The document on top, or a list: exactly these on top, in this order.",
        schema=DOCUMENTS,
        names_documents=True,
    ),
    ExpectationKind(
        name="include",
        check=check_present,
        about="Documents that are in the top k, or {docs: [...], within: 25} for another depth.",
        schema=_PRESENT,
        names_documents=True,
    ),
    ExpectationKind(
        name="exclude",
        check=check_present,
        about="Documents that are not in the top k, or {docs: [...], within: 25} for another depth.",
        schema=_PRESENT,
        names_documents=True,
    ),
    ExpectationKind(
        name="order",
        check=check_order,
        about="Documents, or sets of them, each before the next; one that is absent comes last.",
        schema=either(
            _SETS,
            _at_depth(
                _SETS,
                "Documents, or sets of them, each before the next.",
                "The depth: what is below it comes last.",
            ),
        ),
        names_documents=True,
    ),
    ExpectationKind(
        name="within",
        check=check_within,
        about='The rank that a document must reach: {sku-5: 3, sku-6: ">3"}.',
        schema=either(NULL, mapping_of(RANK.schema)),
        names_documents=True,
    ),
)
