"""The check of `expect:`. The kinds of expectations are in the folder `expectations`.

A key is the name of a kind (`first`, `every@5`), of a metric (`P@5`), or of a kind that
another package adds. A kind checks the values of its own keys.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from pytest_relevance._text import did_you_mean, found, listed, quoted, shown
from pytest_relevance.cases.bounds import COMPARE
from pytest_relevance.cases.expectation import (
    EXCLUDE_PASSAGES,
    METRIC,
    WITHOUT_KEY,
    AllowedRanks,
    Expectation,
    FieldCondition,
    kind_of,
)
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Terms
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.cases.schema_parts import Schema
from pytest_relevance.metrics.names import ALL_MEASURES, parse_metric
from pytest_relevance.registry import EXPECTATIONS, ExtensionError

Made = Sequence[Expectation] | Wrong
"""What the check of an entry of `expect:` returns: one expectation or more."""

_KEYS_OF_A_CASE = frozenset({"passages", EXCLUDE_PASSAGES})
"""Keys that look like expectations and stand beside `expect:`."""

_MEASURES = frozenset(measure.casefold() for measure in ALL_MEASURES)


class KindOfKey(Protocol):
    """The attributes of an `ExpectationKind` that the reader and the schema use."""

    name: str
    about: str
    schema: Schema
    takes_rank: bool
    names_documents: bool
    check: Callable[[str, object, Location], Made]


def names_of_keys() -> list[str]:
    """Return the keys of `expect:` that are not metrics."""
    return [name for name in EXPECTATIONS.names() if name not in WITHOUT_KEY]


def name_of_key(key: str) -> str | None:
    """Return the kind of a key of `expect:`: `every` for `every@5`; None for a metric.

    Kinds of other packages are searched last, because it takes long to find them.
    """
    name, sign, _ = str(key).partition("@")
    if name in WITHOUT_KEY or _base(name) in _MEASURES or name not in EXPECTATIONS:
        return None
    return name if not sign or kind_of_key(name).takes_rank else None


def kind_of_key(name: str) -> KindOfKey:
    """Return the kind with a name. Raises `ExtensionError` if it cannot be loaded."""
    kind: KindOfKey = EXPECTATIONS.get(name)
    return kind


def check_suite_expectations(
    value: object, at: Location
) -> tuple[Expectation, ...] | Wrong:
    """Return the expectations of a suite for each of its cases, or report mistakes."""
    expectations = check_expectations(value, at)
    if expectations is WRONG:
        return WRONG
    return tuple(replace(expected, inherited=True) for expected in expectations)


def check_expectations(value: object, at: Location) -> tuple[Expectation, ...] | Wrong:
    """Return the expectations of a case, or report mistakes.

    The expectations of the suite come first. An entry of the case replaces the entry of
    the suite for the same metric or kind, and null removes that entry.
    """
    if not isinstance(value, Mapping):
        return at.refuse(
            f"expected a mapping such as {{P@5: 0.6, first: sku-1}}, found {found(value)}"
        )
    inherited = _inherited(at)
    known = {expected.name for expected in inherited}
    replaced: set[str] = set()
    own: list[Expectation] = []
    is_wrong = False
    for key, written in value.items():
        name = _canonical(key)
        if written is None and name in known:
            replaced.add(name)
            continue
        made = _check_entry(key, written, at.under(str(key)))
        if made is WRONG:
            is_wrong = True
        else:
            own.extend(made)
            replaced.add(made[0].name)
    if is_wrong:
        return WRONG
    kept = [expected for expected in inherited if expected.name not in replaced]
    return (*kept, *own)


def _inherited(at: Location) -> tuple[Expectation, ...]:
    """Return the expectations of the suite; none while the suite itself is checked."""
    expectations = at.values.get("expect", ())
    return expectations if isinstance(expectations, tuple) else ()


def _canonical(key: str) -> str:
    """Return the usual spelling of a metric: `nDCG@10` for `ndcg@10`.

    A key that is not a metric stays as it is.
    """
    try:
        return parse_metric(key).text
    except ValueError:
        return key


def _check_entry(key: str, value: object, at: Location) -> Made:
    """Return the expectations of one entry of `expect:`, or report a mistake.

    An exception of a kind of another package is reported as a mistake too.
    """
    try:
        if isinstance(value, Mapping) and _base(key) in _MEASURES:
            EXPECTATIONS.names()  # raises if a package has a kind with this name
        name = name_of_key(key)
        if name is not None:
            with EXPECTATIONS.calling(name):
                made = kind_of_key(name).check(key, value, at)
            if name not in EXPECTATIONS.bundled_names:
                _refuse_unusable(name, made)
                _ask_kind(name, made)
            return made
    except ExtensionError as error:
        return at.refuse(str(error), at_key=True)
    try:
        return kind_of_key(METRIC).check(str(key), value, at)
    except ValueError as error:
        return at.refuse(_not_a_metric(str(key), error), at_key=True)


def _refuse_unusable(name: str, made: object) -> None:
    """Raise `ExtensionError` if a kind of another package made unusable expectations.

    Without this check, a record or a baseline could not be read again.
    """
    if made is WRONG:
        return
    if not isinstance(made, (list, tuple)) or not made:
        raise EXPECTATIONS.wrong(
            name,
            f"check returned {shown(made)}, not a list of Expectation, nor what "
            "at.refuse returns",
        )
    for expected in made:
        if not isinstance(expected, Expectation):
            raise EXPECTATIONS.wrong(
                name,
                f"check returned a list with {shown(expected)}, not an Expectation",
            )
        _check_fields(name, expected)


def _ask_kind(name: str, made: Made) -> None:
    """Call the methods of a kind of another package that a run will call.

    Raises `ExtensionError` if one of them raises an exception. In a run the exception
    would end the run.
    """
    if made is WRONG:
        return
    with EXPECTATIONS.calling(name):
        for expected in made:
            kind = kind_of(expected)
            kind.cutoff(expected)
            kind.depth(expected)
            kind.looks_at_all(expected)
            kind.most_results(expected)
            kind.allowed_ranks(expected, Terms().k)


def _check_fields(name: str, expected: Expectation) -> None:
    """Raise `ExtensionError` for a field of an expectation that a record cannot hold.

    `name`: the kind of another package that made the expectation.
    """
    allowed = {
        "kind": (expected.kind == name, quoted(name)),
        "written": (isinstance(expected.written, str), "the key as it is written"),
        "metric": (expected.metric is None, "None"),
        "comparison": (
            expected.comparison in list(COMPARE),
            listed(map(quoted, COMPARE)),
        ),
        "bound": (is_number(expected.bound), "a number"),
        "documents": (_are(str, expected.documents), "a tuple of texts"),
        "within": (
            expected.within is None or _are(int, (expected.within,)),
            "a whole number or None",
        ),
        "sets": (_are(int, expected.sets), "a tuple of whole numbers"),
        "conditions": (
            _are_conditions(expected.conditions),
            "a tuple of FieldCondition, whose values are texts, numbers and booleans",
        ),
        "query": (isinstance(expected.query, str), "a text"),
        "quotes": (_are(str, expected.quotes), "a tuple of texts"),
    }
    for field, (is_allowed, what) in allowed.items():
        if not is_allowed:
            value = shown(getattr(expected, field))
            raise EXPECTATIONS.wrong(
                name,
                f"check returned an Expectation whose {field} is {value}; it has to be "
                f"{what}",
            )


def _are_conditions(conditions: object) -> bool:
    """Say whether a value is a list or a tuple of conditions that a record can hold."""
    if not isinstance(conditions, (list, tuple)):
        return False
    for condition in conditions:
        if not isinstance(condition, FieldCondition):
            return False
        if not _are(str, (condition.path, condition.comparison)):
            return False
        if not isinstance(condition.values, (list, tuple)):
            return False
        for value in condition.values:
            if not isinstance(value, (str, bool)) and not is_number(value):
                return False
    return True


def _are(type_: type, values: object) -> bool:
    """Say whether a value is a list or a tuple of values of one type.

    True and False do not count as whole numbers.
    """
    if not isinstance(values, (list, tuple)):
        return False
    for value in values:
        if not isinstance(value, type_) or isinstance(value, bool):
            return False
    return True


def _not_a_metric(key: str, error: ValueError) -> str:
    """Return the message about a key that is neither a kind nor a metric."""
    if _base(key) in _MEASURES:
        return str(error)
    if key in _KEYS_OF_A_CASE:
        return (
            f"{quoted(key)} is a key of a case; write it beside query, not under expect"
        )
    names = names_of_keys()
    advice = did_you_mean(key, names) or f"; {error}"
    return f"{quoted(key)} is neither {listed(names)} nor a metric{advice}"


def _base(key: str) -> str:
    """Return the name of a measure in a key, in small letters: `p` for `P(rel=2)@5`."""
    return re.split(r"[@(]", key, maxsplit=1)[0].casefold()


# Expectations that contradict each other


@dataclass(frozen=True, slots=True)
class _Claim:
    """An expectation, and the ranks that it allows one document."""

    expected: Expectation
    ranks: AllowedRanks


def check_contradictions(
    expect: Sequence[Expectation], k: int, at: Location
) -> Wrong | None:
    """Report two expectations that leave a document no rank.

    Other contradictions are not looked for: they show when the case runs.

    Return `WRONG` if a mistake was reported, else None.
    """
    by_document: dict[str, list[_Claim]] = {}
    for expected in expect:
        with EXPECTATIONS.calling(expected.kind):
            allowed = kind_of(expected).allowed_ranks(expected, k)
        for document, ranks in allowed.items():
            by_document.setdefault(document, []).append(_Claim(expected, ranks))
    result: Wrong | None = None
    for document, claims in by_document.items():
        below = max(claims, key=lambda claim: claim.ranks.highest)
        above = min(claims, key=lambda claim: claim.ranks.lowest)
        if below.ranks.highest > above.ranks.lowest:
            earlier, later = sorted((below, above), key=claims.index)
            result = _refuse_contradiction(document, earlier, later, at)
    return result


def _refuse_contradiction(
    document: str, earlier: _Claim, later: _Claim, at: Location
) -> Wrong:
    """Report two expectations on a document, at the later one."""
    other = f"expect.{earlier.expected.kind}"
    if earlier.expected.inherited:
        other += " of the suite"
    return at.refuse(
        f"no rank of {quoted(document)} meets both this and {other}; change one of "
        "the two",
        "expect",
        *later.ranks.path,
    )
