"""The checks of `expect:`, which make the `Expectation`s of a case.

A new kind is a row of `KINDS` and a function that checks it. Whether a ranking meets an expectation is decided by
`results.expectations`.
"""

import operator
import re
from collections.abc import Callable, Mapping, Sequence
from itertools import chain
from typing import Any, NamedTuple

from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance.cases.checking import values as checks
from pytest_relevance.cases.model import SIMILARITY, Expectation, FieldCondition
from pytest_relevance.cases.problems import Location
from pytest_relevance.metrics.measures import MEASURES, largest_score
from pytest_relevance.metrics.names import parse_metric
from pytest_relevance.metrics.similarity import SIMILARITIES

# `re` compiles these where a suite has such expectations
_COMPARISON = r"(?s)\s*(>=|<=|==|>|<)\s*(.*?)\s*"
_DURATION = r"([0-9.]+)\s*(ms|s)"
_SECONDS = {"ms": 0.001, "s": 1.0}

COMPARE: Mapping[str, Callable[[float, float], bool]] = {
    ">=": operator.ge,
    ">": operator.gt,
    "<=": operator.le,
    "<": operator.lt,
    "==": operator.eq,
    "!=": operator.ne,
}
"""The comparisons, functions of a value and its bound: `==` of scores and counts alone, `!=` of fields alone."""

EXACT = 1e-9
"""How far a score may be from its bound with `==`, so that 3/5 meets `== 0.6` however it is rounded."""


def meets(expected: Expectation, score: float) -> bool:
    """Whether a score meets the bound of a metric."""
    if expected.comparison == "==":
        return abs(score - expected.bound) <= EXACT
    return COMPARE[expected.comparison](score, expected.bound)


def check_suite_expectations(value: object, at: Location) -> object:
    """The expectations of a suite, which hold for each of its cases."""
    found = check_expectations(value, at)
    return (
        tuple(expected._replace(inherited=True) for expected in found)
        if isinstance(found, tuple)
        else found
    )


def check_expectations(value: object, at: Location) -> object:
    """The expectations of a case: metrics with their bounds, and the kinds of `KINDS`.

    The suite's expectations come first. An entry of a case replaces the suite's entry for the same metric or kind, and
    null removes it.
    """
    if not isinstance(value, Mapping):
        return at.refuse(
            f"expected a mapping such as {{P@5: 0.6, first: sku-1}}, found {found(value)}"
        )
    inherited: tuple[Expectation, ...] = at.scope.values.get("expect", ())  # type: ignore[assignment]
    known = {expected.name for expected in inherited}
    replaced: set[str] = set()
    own: list[Expectation] = []
    for name, expected in value.items():
        if expected is None and (canonical := _canonical(name)) in known:
            replaced.add(canonical)
        elif made := KINDS.get(kind_of(name), _metric)(
            name, expected, at.under(str(name))
        ):
            own += made
            replaced.add(made[0].name)
    return (
        *(expected for expected in inherited if expected.name not in replaced),
        *own,
    )


def kind_of(name: str) -> str:
    """The kind of `KINDS` that a key of `expect:` is: `every` of `every@5`. Any other text unchanged."""
    kind = str(name).partition("@")[0]
    return kind if kind in ON_FIELDS else name


def _canonical(name: str) -> str:
    """The name that all spellings of a metric share; any other text unchanged."""
    try:
        return name if kind_of(name) in KINDS else parse_metric(name).text
    except ValueError:
        return name


Made = Sequence[Expectation]
"""The expectations that the check of a key of `expect:` makes; empty if the key has a mistake."""


def _metric(name: str, expected: object, at: Location) -> Made:
    """`0.6`, at least that much, or a comparison such as `">= 0.6"`. A key that is no metric gets advice."""
    is_comparison = (
        isinstance(expected, str) and re.fullmatch(_COMPARISON, expected) is not None
    )
    try:
        metric = at.metric(name, has_bound=is_comparison or checks.is_number(expected))
    except ValueError as error:
        message = str(error)
        base = re.split(r"[@(]", str(name), maxsplit=1)[0]
        if base.casefold() not in {
            measure.casefold() for measure in (*MEASURES, *SIMILARITIES)
        }:
            what = f"{quoted(str(name))} is neither {listed(KINDS)} nor a metric"
            message = what + (did_you_mean(str(name), KINDS) or f"; {error}")
        at.refuse(message, at_key=True)
        return ()
    bound = _SHARE if largest_score(metric) <= 1 else _SUM
    example = f'{metric.text}: 0.6 or {metric.text}: ">= 0.6"'
    kind = SIMILARITY if metric.is_similarity else "metric"
    return [Expectation(kind, str(name), metric, *bound.check(expected, example, at))]


def _first(kind: str, expected: object, at: Location) -> Made:
    """The document on top, `sku-1`, or a list of them."""
    documents = checks.documents_in(expected, at)
    return [Expectation(kind, kind, documents=documents)] if documents else ()


def _present(kind: str, expected: object, at: Location) -> Made:
    """`sku-1` or `[sku-1, sku-2]` in the top k; `{docs: [...], within: 25}` for another depth."""
    if (parts := _depth(kind, expected, "[...]", at)) is None:
        return ()
    within, expected, at = parts
    documents = checks.documents_in(expected, at)
    return (
        [Expectation(kind, kind, documents=documents, within=within)]
        if documents
        else ()
    )


def _order(kind: str, expected: object, at: Location) -> Made:
    """`[sku-1, sku-2]`, or sets of documents, `[[sku-1, sku-2], [sku-3]]`; `{docs: [...], within: 100}` for a depth."""
    if (parts := _depth(kind, expected, "[[...], [...]]", at)) is None:
        return ()
    within, expected, at = parts
    if not (
        isinstance(expected, (list, tuple))
        and any(isinstance(each, (list, tuple)) for each in expected)
    ):
        documents = checks.documents_in(expected, at)
        sizes: tuple[int, ...] = (1,) * len(documents)
    else:
        sets = [
            checks.documents_in(each, at.under(index))
            for index, each in enumerate(expected)
        ]
        for index, each in enumerate(sets):
            for document in each:
                if any(document in earlier for earlier in sets[:index]):
                    at.refuse(
                        f"document {quoted(document)} stands in two sets; keep it in one of them",
                        index,
                    )
        documents, sizes = tuple(chain.from_iterable(sets)), tuple(map(len, sets))
    if documents and len(sizes) < 2:
        at.refuse(
            "order takes at least two documents, or sets of them, each expected before the next"
        )
    return [
        Expectation(
            kind,
            kind,
            documents=documents,
            within=within,
            sets=sizes if max(sizes, default=1) > 1 else (),
        )
    ]


def _depth(
    kind: str, expected: object, docs: str, at: Location
) -> tuple[Any, object, Location] | None:
    """The depth of `{docs: ..., within: 25}`, its documents and where they stand; None where these are missing."""
    if not isinstance(expected, Mapping):
        return None, expected, at
    example = f"{kind}: {{docs: {docs}, within: 25}}"
    checks.unknown_keys(expected, ("docs", "within"), f"write {example}", at)
    within = (
        checks.whole(expected["within"], at.under("within"))
        if "within" in expected
        else None
    )
    if "docs" not in expected:
        at.refuse(f"the documents are missing; write {example}")
        return None
    return within, expected["docs"], at.under("docs")


AT_MOST, BELOW, EXACTLY = "<=", ">", "=="
"""How `within` compares the rank of a document: in the top n; below rank n, or absent; at rank n."""

_ONE_LESS = {"<": AT_MOST, ">=": BELOW}


def _within(kind: str, expected: object, at: Location) -> Made:
    """`{sku-5: 3, sku-6: ">3"}`: for each document the rank that it must reach, 3 meaning at most that."""
    example = f'{kind}: {{sku-5: 3, sku-6: ">3"}}'
    if not isinstance(expected, Mapping) or not expected:
        at.refuse(
            f"expected documents with the rank that each must reach, found {found(expected)}; write {example}"
        )
        return ()
    made = []
    for document, written in expected.items():
        if message := checks.wrong_document(document):
            at.refuse(message, str(document), at_key=True)
            continue
        example = f'{document}: 3 or {document}: ">3"'
        comparison, bound = _RANK.check(written, example, at.under(document))
        rank = int(bound) - (comparison in _ONE_LESS)
        comparison = _ONE_LESS.get(comparison, comparison)
        made.append(
            Expectation(
                kind, kind, comparison=comparison, documents=(document,), within=rank
            )
        )
    return made


def _results(kind: str, expected: object, at: Location) -> Made:
    """A number of results: `0` and other plain numbers mean exactly that many."""
    comparison, bound = _COUNT.check(
        expected, f'{kind}: 0, {kind}: 5 (exactly) or {kind}: ">= 1"', at
    )
    return [Expectation(kind, kind, comparison=comparison, bound=int(bound))]


def _latency(kind: str, expected: object, at: Location) -> Made:
    """A duration with its unit, converted to seconds; plain `200 ms` means at most that."""
    comparison, bound = TIME.check(
        expected, f'{kind}: "<= 200 ms" or {kind}: "< 1.5 s"', at
    )
    return [Expectation(kind, kind, comparison=comparison, bound=bound)]


_OVERLAP = r"overlap(?:@([1-9][0-9]{0,5}|1000000))?"


def _same_as(kind: str, expected: object, at: Location) -> Made:
    """Another query that finds the same top k in any order, or `{query: blue shoe, overlap@10: 0.8}`."""
    example = f"{kind}: blue shoe or {kind}: {{query: blue shoe, overlap@10: 0.8}}"
    written = expected if isinstance(expected, Mapping) else {"query": expected}
    query = written.get("query")
    if not isinstance(query, str) or not query.strip():
        at.refuse(f"expected another query, found {found(expected)}; write {example}")
        return ()
    if query == at.scope.values.get("query"):
        at.refuse(f"{quoted(query)} is the query of the case itself; write another one")
    within, comparison, bound = None, ">=", 1.0
    for name, value in written.items():
        match = re.fullmatch(_OVERLAP, str(name))
        if match is not None and len(written) == 2:
            share = (
                checks.scalar_value(value) if isinstance(value, str) else value
            )  # from a case file it is text
            comparison, bound = _SHARE.check(share, f"{name}: 0.8", at.under(name))
            within = int(match[1]) if match[1] else None
        elif name != "query":
            at.refuse(
                f"unknown key {quoted(str(name))}; write {example}",
                str(name),
                at_key=True,
            )
    return [
        Expectation(
            kind, kind, comparison=comparison, bound=bound, within=within, query=query
        )
    ]


_OF_FIELDS = r"[a-z_]+(?:@([1-9][0-9]{0,6}))?"
_OF_NUMBERS = r"(?s)\s*(>=|<=|!=|==|=|>|<)\s*(.*?)\s*"
_CONDITIONS = (
    "text, a number, true or false, a list of these, a comparison or {contains: text}"
)


def _fields(name: str, expected: object, at: Location) -> Made:
    """`every@5: {category: phones}`: fields of the first 5 results, without `@` of the top k, and their conditions."""
    kind = kind_of(name)
    example = f"{kind}@5: {{{'brand: 2' if kind == 'at_most' else 'category: phones'}}}"
    match = re.fullmatch(_OF_FIELDS, name)
    within = None if match is None or match[1] is None else int(match[1])
    if match is None or (within or 1) > checks.LARGEST_WHOLE:
        at.refuse(
            f"{kind} takes a rank from 1 to {checks.LARGEST_WHOLE:,} after @; write {example}",
            at_key=True,
        )
        return ()
    if not isinstance(expected, Mapping) or not expected:
        at.refuse(
            f"expected a mapping of fields, found {found(expected)}; write {example}"
        )
        return ()
    before = at.scope.mistakes
    conditions = []
    for path, written in expected.items():
        here = at.under(str(path))
        if not isinstance(path, str) or not all(path.split(".")):
            here.refuse(
                f"expected the name of a field, found {found(path)}", at_key=True
            )
        elif kind == "at_most":
            conditions.append(
                FieldCondition(path, kind, (checks.whole(written, here),))  # type: ignore[arg-type]
            )
        else:
            conditions.append(FieldCondition(path, *_condition(written, path, here)))
    return (
        [Expectation(kind, name, within=within, conditions=tuple(conditions))]
        if at.scope.mistakes == before
        else ()
    )


def _condition(written: object, path: str, at: Location) -> tuple[str, Any]:
    """The comparison of a field and its values; anything if there are mistakes."""
    if isinstance(written, Mapping):
        text = written.get("contains")
        if len(written) != 1 or not isinstance(text, str) or not text:
            at.refuse(
                f"expected {_CONDITIONS}, found {found(written)}; write {path}: {{contains: text}}"
            )
        return "contains", (text,)
    match = re.fullmatch(_OF_NUMBERS, written) if isinstance(written, str) else None
    if match is not None:
        bound = checks.number(match[2])
        if bound is None or match[1] in ("==", "="):
            what = "expected a comparison of numbers with >=, >, <=, < or !="
            at.refuse(
                f'{what}, found {found(written)}; write {path}: ">= 10", or none: {{{path}: ...}} for !='
            )
        return match[1], (bound,)
    values = tuple(written) if isinstance(written, (list, tuple)) else (written,)
    if not values or not all(
        _is_value(value) and not re.fullmatch(_OF_NUMBERS, str(value))
        for value in values
    ):
        at.refuse(
            f"expected {_CONDITIONS}, found {found(written)}; write {path}: red or {path}: [red, blue]"
        )
    return "==", values


def _is_value(value: object) -> bool:
    return isinstance(value, (str, bool)) or checks.is_number(value)


def _number(value: object) -> float | None:
    return value if checks.is_number(value) else None


def _seconds(value: object) -> float | None:
    match = re.fullmatch(_DURATION, value) if isinstance(value, str) else None
    amount = checks.number(match[1]) if match is not None else None
    return None if match is None or amount is None else amount * _SECONDS[match[2]]


class _Bound(NamedTuple):
    """A bound that users may write: its comparison where none is written, which are allowed, and how it is read."""

    plain: str
    what: str
    is_allowed: Callable[[str, float], bool]
    read: Callable[[object], float | None] = _number

    def check(self, expected: object, example: str, at: Location) -> tuple[str, float]:
        """The comparison and the bound; `example` shows how to write one."""
        match = (
            re.fullmatch(_COMPARISON, expected) if isinstance(expected, str) else None
        )
        comparison, written = (
            (match[1], checks.scalar_value(match[2]))
            if match is not None
            else (self.plain, expected)
        )
        bound = self.read(written)
        if bound is None or not self.is_allowed(comparison, bound):
            at.refuse(f"expected {self.what}, found {found(expected)}; write {example}")
        return comparison, bound or 0.0


def _is_whole(bound: float, least: int) -> bool:
    return bound == int(bound) and least <= bound <= checks.LARGEST_WHOLE


_SUM = _Bound(">=", "a number", lambda comparison, bound: True)
_SHARE = _Bound(
    ">=",
    "a number from 0 to 1",
    lambda comparison, bound: (
        0 <= bound <= 1 and (comparison, bound) not in (("<", 0), (">", 1))
    ),
)
_RANK = _Bound(
    AT_MOST,
    f"a rank from 1 to {checks.LARGEST_WHOLE:,}",
    lambda comparison, bound: _is_whole(bound, 1 + (comparison in _ONE_LESS)),
)
_COUNT = _Bound(
    "==",
    f"a whole number from 0 to {checks.LARGEST_WHOLE:,}",
    lambda comparison, bound: _is_whole(bound, 0 + (comparison == "<")),
)
TIME = _Bound(
    "<=",
    "the longest time in ms or s",
    lambda comparison, bound: bound > 0 and comparison in ("<", "<="),
    _seconds,
)

OF_DOCUMENTS: Mapping[str, Callable[[str, object, Location], Made]] = {
    "first": _first,
    "include": _present,
    "exclude": _present,
    "order": _order,
    "within": _within,
}
"""The keys of `expect:` that name documents, and the checks of their values."""

ON_FIELDS = ("every", "some", "none", "at_most")
"""The keys of `expect:` that look at fields of results; they may end in `@k`, the number of results."""

KINDS: Mapping[str, Callable[[str, object, Location], Made]] = {
    **OF_DOCUMENTS,
    "results": _results,
    "latency": _latency,
    **dict.fromkeys(ON_FIELDS, _fields),
    "same_as": _same_as,
}
"""The keys of `expect:` that are no metrics, and the checks of their values."""
