"""The table of expectations `KINDS`, and the check of `expect:`, which uses it.

A new kind is a function that checks it, and a row. Whether a ranking meets an expectation is
decided by `results.expectations`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance.cases.expectations import counts, documents, fields, same_as
from pytest_relevance.cases.expectations.kind import ExpectationKind, Made
from pytest_relevance.cases.expectations.metric import check_metric
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Expectation
from pytest_relevance.metrics.names import ALL_MEASURES, parse_metric


def _by_name() -> dict[str, ExpectationKind]:
    kinds = {}
    for module in (documents, counts, fields, same_as):
        for kind in module.KINDS:
            kinds[kind.name] = kind
    return kinds


KINDS: Mapping[str, ExpectationKind] = _by_name()
"""The keys of `expect:` that are not metrics, by name."""

OF_DOCUMENTS = tuple(name for name, kind in KINDS.items() if kind.names_documents)
"""The keys of `expect:` that name documents."""

ON_FIELDS = tuple(name for name, kind in KINDS.items() if kind.takes_rank)
"""The keys of `expect:` that look at fields of results. They may end in `@k`."""


def kind_of(key: str) -> str:
    """Give the kind that a key of `expect:` is: `every` for `every@5`. Any other text stays unchanged."""
    kind = str(key).partition("@")[0]
    return kind if kind in ON_FIELDS else key


def check_suite_expectations(
    value: object, at: Location
) -> tuple[Expectation, ...] | Wrong:
    """Check the expectations of a suite, which hold for each of its cases."""
    expectations = check_expectations(value, at)
    if expectations is WRONG:
        return WRONG
    return tuple(replace(expected, inherited=True) for expected in expectations)


def check_expectations(value: object, at: Location) -> tuple[Expectation, ...] | Wrong:
    """Check the expectations of a case: metrics with their bounds, and the kinds of `KINDS`.

    The suite's expectations come first. An entry of a case replaces the suite's entry for the
    same metric or kind, and null removes it.
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
    expectations = at.values.get("expect", ())
    return expectations if isinstance(expectations, tuple) else ()


def _canonical(key: str) -> str:
    """Give the name that all spellings of a metric share. Any other text stays unchanged."""
    if kind_of(key) in KINDS:
        return key
    try:
        return parse_metric(key).text
    except ValueError:
        return key


def _check_entry(key: str, value: object, at: Location) -> Made:
    kind = KINDS.get(kind_of(key))
    if kind is not None:
        return kind.check(key, value, at)
    try:
        return check_metric(str(key), value, at)
    except ValueError as error:
        return at.refuse(_not_a_metric(str(key), error), at_key=True)


def _not_a_metric(key: str, error: ValueError) -> str:
    """Say what is wrong with a key that is neither a kind nor a metric."""
    base = re.split(r"[@(]", key, maxsplit=1)[0]
    measures = {measure.casefold() for measure in ALL_MEASURES}
    if base.casefold() in measures:
        return str(error)
    advice = did_you_mean(key, KINDS) or f"; {error}"
    return f"{quoted(key)} is neither {listed(KINDS)} nor a metric{advice}"
