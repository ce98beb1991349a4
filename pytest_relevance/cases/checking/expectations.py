"""The checks of `expect:` and `gates:`, which make the `Expectation`s of a case and the `Gate`s of a suite.

Tables of kinds and of conditions drive parsing and messages: a new one is a row of `KINDS` or `CONDITIONS` and a
function that checks it. Whether a run meets them is decided by the results.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any

from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance.cases.checking.values import (
    LARGEST_WHOLE,
    Check,
    documents_in,
    number_where,
    share,
    text_with,
    unknown_keys,
    what_is_meant,
    whole,
    written_id,
)
from pytest_relevance.cases.model import Case, Expectation, Gate, wrong_tag
from pytest_relevance.cases.problems import Location
from pytest_relevance.cases.yaml.scalars import is_number, number, number_advice
from pytest_relevance.cases.yaml.scalars import value as scalar_value
from pytest_relevance.metrics.names import MEASURES, Metric, parse_metric

_COMPARISON = re.compile(r"\s*(>=|<=|==|>|<)\s*(.*?)\s*", re.DOTALL)
_DURATION = re.compile(r"([0-9.]+)\s*(ms|s)")
SECONDS = {"ms": 0.001, "s": 1.0}
"""The units of a duration, in seconds."""

UNBOUNDED = frozenset({"DCG", "CG"})
"""The measures that are sums; all others are shares, from 0 to 1."""


def largest_score(metric: Metric) -> float:
    """The highest score that a metric can have: infinity for a sum."""
    return math.inf if metric.measure in UNBOUNDED else 1.0


COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
}
"""The comparisons of an expectation: a function of the value and its bound."""

EXACT = 1e-9
"""How far a score may be from its bound with `==`, so that 3/5 meets `== 0.6` however it is rounded."""

_OUTSIDE = frozenset({("<", 0), (">", 1)})


def check_suite_expectations(value: object, at: Location) -> object:
    """The expectations of a suite, which hold for each of its cases."""
    found = check_expectations(value, at)
    return tuple(replace(expected, inherited=True) for expected in found) if isinstance(found, tuple) else found


def check_expectations(value: object, at: Location) -> object:
    """The expectations of a case: metrics with their bounds, and the kinds of `KINDS`.

    Those of the suite come first; what a case writes for a metric or a kind replaces what the suite has for it, and
    null takes that away.
    """
    if not isinstance(value, Mapping):
        return at.refuse(f"expected a mapping such as {{P@5: 0.6, first: sku-1}}, found {found(value)}")
    inherited: tuple[Expectation, ...] = at.values.get("expect", ())  # type: ignore[assignment]
    known = {expected.name for expected in inherited}
    replaced: set[str] = set()
    own: list[Expectation] = []
    for name, expected in value.items():
        if expected is None and (canonical := _canonical(name)) in known:
            replaced.add(canonical)
        elif made := KINDS.get(name, _metric)(name, expected, at.under(str(name))):
            own += made
            replaced.add(made[0].name)
    return (*(expected for expected in inherited if expected.name not in replaced), *own)


def _canonical(name: str) -> str:
    """The name that all spellings of a metric share; a kind, and what is no metric, as it is."""
    try:
        return name if name in KINDS else parse_metric(name).text
    except ValueError:
        return name


Made = Sequence[Expectation]
"""What the check of a key of `expect:` makes of it; empty where it is wrong."""


def _metric(name: str, expected: object, at: Location) -> Made:
    """`0.6`, at least that much, or a comparison such as `">= 0.6"`."""
    metric = _parsed(name, at)
    if metric is None:
        return ()
    example = f'{metric.text}: 0.6 or {metric.text}: ">= 0.6"'

    def wrong(comparison: str, bound: float) -> str:
        is_share = metric.measure not in UNBOUNDED
        outside = is_share and (not 0 <= bound <= 1 or (comparison, bound) in _OUTSIDE)
        return f"{metric.text} lies between 0 and 1" if outside else ""

    return [Expectation("metric", str(name), metric, *_compared(expected, ">=", _number, wrong, example, at))]


def _parsed(name: object, at: Location) -> Metric | None:
    try:
        return parse_metric(name)  # type: ignore[arg-type]
    except ValueError as error:
        message = str(error)
        base = re.split(r"[@(]", str(name), maxsplit=1)[0]
        if base.casefold() not in {measure.casefold() for measure in MEASURES}:
            meant = what_is_meant(str(name), KINDS)
            close = did_you_mean(str(name), KINDS) or f"; {error}"
            if meant is not None:
                close = f"; did you mean {quoted(meant[0])}, {meant[1]}?"
            message = f"{quoted(str(name))} is neither {listed(KINDS)} nor a metric{close}"
        at.refuse(message, at_key=True)
        return None


def _first(kind: str, expected: object, at: Location) -> Made:
    """`sku-1`, or `[sku-1, sku-2]`."""
    documents = documents_in(expected, at)
    return [Expectation(kind, kind, documents=documents)] if documents else ()


def _present(kind: str, expected: object, at: Location) -> Made:
    """`sku-1`, `[sku-1, sku-2]`, `{docs: [...], within: 25}` for another depth, or a list of these."""
    if not isinstance(expected, (list, tuple)):
        return _at_depth(kind, expected, at)
    deeper = [index for index, each in enumerate(expected) if isinstance(each, Mapping)]
    top = [index for index in range(len(expected)) if index not in deeper]
    made: list[Expectation] = []
    if top or not deeper:
        documents = documents_in([expected[index] for index in top], at, top)
        made += [Expectation(kind, kind, documents=documents)] if documents else ()
    for index in deeper:
        made += _at_depth(kind, expected[index], at.under(index))
    return made


def _at_depth(kind: str, expected: object, at: Location) -> Made:
    """Documents in the top k, or in that of `within`."""
    if (parts := _depth(kind, expected, "[...]", at)) is None:
        return ()
    within, expected, at = parts
    documents = documents_in(expected, at)
    return [Expectation(kind, kind, documents=documents, within=within)] if documents else ()


def _order(kind: str, expected: object, at: Location) -> Made:
    """`[sku-1, sku-2]`, or sets of documents, `[[sku-1, sku-2], [sku-3]]`; `{docs: [...], within: 100}` for a depth."""
    if (parts := _depth(kind, expected, "[[...], [...]]", at)) is None:
        return ()
    within, expected, at = parts
    if not (isinstance(expected, (list, tuple)) and any(isinstance(each, (list, tuple)) for each in expected)):
        documents = documents_in(expected, at)
        sizes: tuple[int, ...] = (1,) * len(documents)
    else:
        sets = [documents_in(each, at.under(index)) for index, each in enumerate(expected)]
        for index, each in enumerate(sets):
            for document in each:
                if any(document in earlier for earlier in sets[:index]):
                    at.refuse(f"document {quoted(document)} stands in two sets; keep it in one of them", index)
        documents, sizes = tuple(chain.from_iterable(sets)), tuple(map(len, sets))
    if documents and len(sizes) < 2:
        at.refuse("order takes at least two documents, or sets of them, each expected before the next")
    return [
        Expectation(kind, kind, documents=documents, within=within, sets=sizes if max(sizes, default=1) > 1 else ())
    ]


def _depth(kind: str, expected: object, docs: str, at: Location) -> tuple[Any, object, Location] | None:
    """The depth of `{docs: ..., within: 25}`, its documents and where they stand; None where these are missing."""
    if not isinstance(expected, Mapping):
        return None, expected, at
    example = f"{kind}: {{docs: {docs}, within: 25}}"
    unknown_keys(expected, ("docs", "within"), f"write {example}", at)
    within = whole(expected["within"], at.under("within")) if "within" in expected else None
    if "docs" not in expected:
        at.refuse(f"the documents are missing; write {example}")
        return None
    return within, expected["docs"], at.under("docs")


AT_MOST, BELOW, EXACTLY = "<=", ">", "=="
"""How `within` compares the rank of a document: in the top n; below rank n, or absent; at rank n."""

_ONE_LESS = {"<": AT_MOST, ">=": BELOW}
_NO_RANK = frozenset({("<", 1), (">=", 1)})


def _within(kind: str, expected: object, at: Location) -> Made:
    """`{sku-5: 3, sku-6: ">3"}`: for each document the rank that it must reach, 3 meaning at most that."""
    example = f'{kind}: {{sku-5: 3, sku-6: ">3"}}'
    if not isinstance(expected, Mapping) or not expected:
        at.refuse(f"expected documents with the rank that each must reach, found {found(expected)}; write {example}")
        return ()

    def wrong(comparison: str, bound: float) -> str:
        is_rank = bound == int(bound) and 1 <= bound <= LARGEST_WHOLE and (comparison, bound) not in _NO_RANK
        return "" if is_rank else f"expected a rank from 1 to {LARGEST_WHOLE:,}"

    made = []
    for document, written in expected.items():
        here = at.under(str(document))
        if not isinstance(document, str) or not document:
            at.refuse(f"a document id is text, found {found(document)}", str(document), at_key=True)
            continue
        comparison, bound = _compared(written, AT_MOST, _number, wrong, f'{document}: 3 or {document}: ">3"', here)
        rank = int(bound) - (comparison in _ONE_LESS)
        comparison = _ONE_LESS.get(comparison, comparison)
        made.append(Expectation(kind, kind, comparison=comparison, documents=(document,), within=rank))
    return made


WITH_DEPTH = frozenset({"include", "exclude"})
"""The kinds that look at the top k, or at another depth with `within`."""


def _results(kind: str, expected: object, at: Location) -> Made:
    """A number of results: `0` and other plain numbers mean exactly that many."""

    def wrong(comparison: str, bound: float) -> str:
        is_count = bound == int(bound) and 0 <= bound <= LARGEST_WHOLE and (comparison, bound) != ("<", 0)
        return "" if is_count else f"expected a whole number from 0 to {LARGEST_WHOLE:,}"

    example = f'{kind}: 0, {kind}: 5 (exactly) or {kind}: ">= 1"'
    comparison, bound = _compared(expected, "==", _number, wrong, example, at)
    return [Expectation(kind, kind, comparison=comparison, bound=int(bound))]


def _latency(kind: str, expected: object, at: Location) -> Made:
    """A duration with its unit, converted to seconds; plain `200 ms` means at most that."""

    def wrong(comparison: str, bound: float) -> str:
        return "" if bound and comparison in ("<", "<=") else "expected the longest duration allowed"

    example = f'{kind}: "<= 200 ms" or {kind}: "< 1.5 s"'
    comparison, bound = _compared(expected, "<=", _seconds, wrong, example, at)
    return [Expectation(kind, kind, comparison=comparison, bound=bound)]


def _compared(
    expected: object,
    plain: str,
    read: Callable[[object], float | None],
    wrong: Callable[[str, float], str],
    example: str,
    at: Location,
) -> tuple[str, float]:
    """The comparison, `plain` where none is written, and its bound, converted by `read`; `wrong` says what is wrong."""
    match = _COMPARISON.fullmatch(expected) if isinstance(expected, str) else None
    comparison, written = (match[1], scalar_value(match[2])) if match is not None else (plain, expected)
    bound = read(written)
    if bound is None:
        advice = number_advice(expected) or f"; write {example}"
        at.refuse(f"expected a bound, found {found(expected)}{advice}")
    elif message := wrong(comparison, bound):
        at.refuse(f"{message}, found {found(expected)}; write {example}")
    return comparison, bound or 0.0


def _number(value: object) -> float | None:
    return value if is_number(value) else None


def _seconds(value: object) -> float | None:
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    amount = number(match[1]) if match is not None else None
    return None if match is None or amount is None else amount * SECONDS[match[2]]


OF_DOCUMENTS: Mapping[str, Callable[[str, object, Location], Made]] = {
    "first": _first,
    "include": _present,
    "exclude": _present,
    "order": _order,
    "within": _within,
}
"""The keys of `expect:` that name documents, and the checks of their values."""

KINDS: Mapping[str, Callable[[str, object, Location], Made]] = {
    **OF_DOCUMENTS,
    "results": _results,
    "latency": _latency,
}
"""The keys of `expect:` that are no metrics, and the checks of their values."""


MEAN, MAX_DROP, PASSING = "mean", "max_drop", "passing"
_EXAMPLES = {MEAN: "nDCG@10: 0.75", MAX_DROP: "nDCG@10: 0.02"}


def check_gates(value: object, at: Location) -> tuple[Gate, ...]:
    """The gates of a suite; those with mistakes are left out."""
    if not isinstance(value, (list, tuple)):
        at.refuse(f"expected a list of gates, such as [{{mean: {{nDCG@10: 0.75}}}}], found {found(value)}")
        return ()
    gates = [_gate(written, at.under(index)) for index, written in enumerate(value)]
    numbers: dict[str, int] = {}
    for place, gate in enumerate(gates, 1):
        if gate is not None and numbers.setdefault(gate.id, place) != place:
            what = f"a second gate with the id {quoted(gate.id)}, the first is number {numbers[gate.id]}"
            at.refuse(f"{what}; give it an id", place - 1)
    return tuple(gate for gate in gates if gate is not None)


def gate_values(gate: Gate) -> dict[str, Any]:
    """Convert a gate to a dict of builtin types, for records and other processes."""
    values = {name: getattr(gate, name) for name in ("id", "condition", "share", "tag", "p")}
    return {**values, "bounds": [[metric.text, bound] for metric, bound in gate.bounds]}


def gate_of(values: Mapping[str, Any]) -> Gate:
    """Convert the dict that `gate_values` made back to a gate.

    Raises:
        KeyError, TypeError, ValueError: for a dict that is none.
    """
    name, condition, share, tag, p = (values[key] for key in ("id", "condition", "share", "tag", "p"))
    if not isinstance(name, str) or condition not in CONDITIONS or not (tag is None or isinstance(tag, str)):
        raise ValueError(f"no gate with the id {name!r}, the condition {condition!r} and the tag {tag!r}")
    numbers = [share, *(bound for _, bound in values["bounds"]), *([] if p is None else [p])]
    if not all(map(is_number, numbers)):
        raise ValueError(f"the gate {name!r} has numbers that are none: {numbers}")
    return Gate(name, condition, tuple((parse_metric(name), bound) for name, bound in values["bounds"]), share, tag, p)


def check_tags_of_gates(gates: Sequence[Gate], cases: Iterable[Case], at: Location) -> None:
    """Report the gates whose tag no case has."""
    tags = {tag: None for case in cases for tag in case.tags}
    for index, gate in enumerate(gates):
        if gate.tag is not None and gate.tag not in tags:
            known = did_you_mean(gate.tag, tags) or f"; tags are {listed(tags, 'and') if tags else 'none'}"
            at.refuse(f"no case has the tag {quoted(gate.tag)}{known}", "gates", index, "tag")


def _gate(written: object, at: Location) -> Gate | None:
    """A gate; None or one that is not used where there are mistakes."""
    if not isinstance(written, Mapping):
        at.refuse(f"a gate is a mapping such as {{mean: {{nDCG@10: 0.75}}}}, found {found(written)}")
        return None
    before = len(at.mistakes)
    unknown_keys(written, (*CONDITIONS, *_OPTIONS), _KEYS, at)
    conditions = [name for name in CONDITIONS if name in written]
    if len(conditions) != 1:
        what = f"{listed(conditions, 'and')} are two" if conditions else "there is none"
        at.refuse(f"a gate has one condition, {listed(CONDITIONS)}; {what}")
    checks = {**CONDITIONS, **_OPTIONS}
    values: dict[str, Any] = {
        key: check(written[key], at.under(key)) for key, check in checks.items() if key in written
    }
    if "p" in written and conditions and conditions != [MAX_DROP]:
        at.refuse(f"p belongs to {MAX_DROP}: the drop fails the gate only if it is significant", "p")
    if len(at.mistakes) > before:
        return None
    (condition,) = conditions
    bounds, least = ((), values[PASSING]) if condition == PASSING else (values[condition], 0.0)
    tag = values.get("tag")
    name = values.get("id") or _default_id(condition, bounds, least, tag)
    return Gate(name, condition, bounds, least, tag, values.get("p"))


def _default_id(condition: str, bounds: Sequence[tuple[Metric, float]], least: float, tag: str | None) -> str:
    """The condition itself."""
    bound = ", ".join(f"{metric.text} {bound:g}" for metric, bound in bounds) or f"{least:g}"
    return f"{condition} {bound}" + (f" of {tag}" if tag is not None else "")


def _bounds(condition: str) -> Check:
    """Make the check of metrics and their bounds."""

    def check(value: object, at: Location) -> object:
        if not isinstance(value, Mapping) or not value:
            example = f"{condition}: {{{_EXAMPLES[condition]}}}"
            return at.refuse(f"expected a metric and its bound, such as {example}, found {found(value)}")
        bounds: dict[str, tuple[Metric, object]] = {}
        for name, bound in value.items():
            try:
                metric = parse_metric(name)
            except ValueError as error:
                at.refuse(str(error), str(name), at_key=True)
                continue
            if metric.text in bounds:
                at.refuse(f"{metric.text} stands twice; keep one of them", str(name), at_key=True)
            check_bound = _sum if metric.measure in UNBOUNDED else share
            bounds[metric.text] = metric, check_bound(bound, at.under(str(name)))
        return tuple(bounds.values())

    return check


_sum = number_where(lambda value: value >= 0, "a number from 0 on")

CONDITIONS: Mapping[str, Check] = {
    MEAN: _bounds(MEAN),
    MAX_DROP: _bounds(MAX_DROP),
    PASSING: number_where(lambda value: 0 < value <= 1, "the share of cases that must pass, above 0 and up to 1"),
}
"""What a gate may demand, and the checks of it."""

_OPTIONS: Mapping[str, Check] = {
    "id": written_id,
    "tag": text_with(lambda tag: wrong_tag(tag, frozenset())),
    "p": number_where(lambda value: 0 < value < 1, "a level of significance such as 0.05"),
}
_KEYS = f"a gate has {listed(CONDITIONS)}, and may have {listed(_OPTIONS, 'and')}"
