"""`expect:` as written, read into `Expectation`s: one table of kinds drives parsing, help and errors.

What the expectations mean for a ranking is in `runs.expectations`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Mapping

from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance.cases.checks import LARGEST_WHOLE
from pytest_relevance.cases.model import Expectation
from pytest_relevance.cases.problems import Path, Refused, RefusedSeveral
from pytest_relevance.cases.scalars import is_number, number, number_advice
from pytest_relevance.metrics.names import MEASURES, Metric, parse_metric

_COMPARISON = re.compile(r"\s*(>=|<=|==|>|<)\s*(.*?)\s*", re.DOTALL)
_DURATION = re.compile(r"([0-9.]+)\s*(ms|s)")
SECONDS = {"ms": 0.001, "s": 1.0}
UNBOUNDED = frozenset({"DCG", "CG"})  # the measures that are sums; all others are shares, from 0 to 1


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
"""What the comparisons of an expectation mean."""

EXACT = 1e-9
"""How far a score may be from its bound where they are to be equal: `== 0.6` is met by 3/5 however it is rounded."""

_OUTSIDE = frozenset({("<", 0), (">", 1)})


def check_expectations(value: object, terms: Mapping[str, object]) -> tuple[Expectation, ...]:
    """The expectations of a case, or `RefusedSeveral` with a path to each that cannot be read."""
    if not isinstance(value, Mapping):
        raise Refused(f"expected a mapping such as {{P@5: 0.6, first: sku-1}}, found {found(value)}")
    expectations: list[Expectation] = []
    refusals: list[Refused] = []
    for name, expected in value.items():
        kind = KINDS.get(name)
        try:
            expectations.append(_metric(name, expected) if kind is None else kind(name, expected))
        except (Refused, RefusedSeveral) as error:
            refusals += [refused.under(str(name)) for refused in error.all()]
    if refusals:
        raise RefusedSeveral(refusals)
    return tuple(expectations)


def _metric(name: object, expected: object) -> Expectation:
    """`0.6`, at least that much, or a comparison such as `">= 0.6"`."""
    metric = _parsed(name)
    comparison, bound = ">=", 0.0
    if is_number(expected):
        bound = expected
    else:
        comparison, bound = _compared(expected, _bound, number, _example(metric))
    if metric.measure not in UNBOUNDED and (not 0 <= bound <= 1 or (comparison, bound) in _OUTSIDE):
        raise Refused(f"{metric.text} lies between 0 and 1, found {found(expected)}; write {_example(metric)}")
    return Expectation("metric", str(name), metric, comparison, bound)


def _example(metric: Metric) -> str:
    return f'{metric.text}: 0.6 or {metric.text}: ">= 0.6"'


def _parsed(name: object) -> Metric:
    try:
        return parse_metric(name)  # type: ignore[arg-type]
    except ValueError as error:
        base = re.split(r"[@(]", str(name), maxsplit=1)[0]
        if base.casefold() in {measure.casefold() for measure in MEASURES}:
            raise Refused(str(error), at_key=True) from None
        close = did_you_mean(str(name), KINDS) or f"; {error}"
        message = f"{quoted(str(name))} is neither {listed(KINDS)} nor a metric{close}"
        raise Refused(message, at_key=True) from None


def _documents(kind: str, expected: object) -> Expectation:
    """`sku-1`, `[sku-1, sku-2]`, and where a depth means something `{docs: [...], within: 25}`."""
    within: int | None = None
    path: Path = ()
    if isinstance(expected, Mapping):
        within, expected, path = _with_depth(kind, expected)
    documents = [expected] if isinstance(expected, str) else expected
    if not isinstance(documents, (list, tuple)) or not documents:
        raise Refused(f"expected a document or a list of documents, found {found(expected)}", path)
    seen: dict[str, None] = {}
    refusals = []
    for index, document in enumerate(documents):
        at: Path = (*path, index) if documents is expected else path
        if not isinstance(document, str) or not document:
            refusals.append(Refused(f"a document id is text, found {found(document)}", at))
        elif document in seen:
            refusals.append(Refused(f"document {quoted(document)} stands twice; keep one of them", at))
        else:
            seen[document] = None
    if refusals:
        raise RefusedSeveral(refusals)
    if kind == "order" and len(seen) < 2:
        raise Refused("order takes at least two documents, each expected before the next", path)
    return Expectation(kind, kind, documents=tuple(seen), within=within)


WITH_DEPTH = frozenset({"include", "exclude"})
_LONG_FORM = ("docs", "within")


def _with_depth(kind: str, written: Mapping[object, object]) -> tuple[int | None, object, tuple[str, ...]]:
    """The depth and the documents of a long form, and the path to the documents."""
    if kind not in WITH_DEPTH:
        raise Refused(f"expected a document or a list of documents, found {found(written)}")
    example = f"{kind}: {{docs: [...], within: 25}}"
    unknown = [
        Refused(
            f"unknown key {quoted(str(key))}{did_you_mean(str(key), _LONG_FORM) or f'; write {example}'}",
            (str(key),),
            at_key=True,
        )
        for key in written
        if key not in _LONG_FORM
    ]
    if unknown:
        raise RefusedSeveral(unknown)
    if "docs" not in written:
        raise Refused(f"the documents are missing; write {example}")
    if "within" not in written:
        return None, written["docs"], ("docs",)
    within = written["within"]
    if not isinstance(within, int) or isinstance(within, bool) or not 1 <= within <= LARGEST_WHOLE:
        allowed = f"expected a whole number from 1 to {LARGEST_WHOLE:,}"
        raise Refused(f"{allowed}, found {found(within)}{number_advice(within)}", ("within",))
    return within, written["docs"], ("docs",)


def _results(kind: str, expected: object) -> Expectation:
    """A number of results: `0` and other plain numbers mean exactly that many."""
    example = f'{kind}: 0, {kind}: 5 (exactly) or {kind}: ">= 1"'
    comparison, bound = _compared(expected, _bound, number, example, plain="==")
    if bound != int(bound) or not 0 <= bound <= LARGEST_WHOLE or (comparison == "<" and bound == 0):
        allowed = f"expected a whole number from 0 to {LARGEST_WHOLE:,}"
        raise Refused(f"{allowed}, found {found(expected)}; write {example}")
    return Expectation(kind, kind, comparison=comparison, bound=int(bound))


def _latency(kind: str, expected: object) -> Expectation:
    """A duration with its unit, in seconds afterwards; plain `200 ms` means at most that."""
    example = f'{kind}: "<= 200 ms" or {kind}: "< 1.5 s"'
    comparison, bound = _compared(expected, _seconds, _seconds, example, plain="<=")
    if comparison not in ("<", "<=") or not bound:
        raise Refused(f"expected the longest duration allowed, found {found(expected)}; write {example}")
    return Expectation(kind, kind, comparison=comparison, bound=bound)


def _compared(
    expected: object,
    read: Callable[[object], float | None],
    behind: Callable[[str], float | None],
    example: str,
    plain: str = ">=",
) -> tuple[str, float]:
    """The comparison and its bound: `read` makes it of a plain value, `behind` of the text behind an operator."""
    comparison, bound = plain, read(expected)
    if isinstance(expected, str) and (match := _COMPARISON.fullmatch(expected)):
        comparison, bound = match[1], behind(match[2])
    if bound is None:
        raise Refused(f"expected a bound, found {found(expected)}{number_advice(expected) or f'; write {example}'}")
    return comparison, bound


def _bound(value: object) -> float | None:
    return value if is_number(value) else None


def _seconds(value: object) -> float | None:
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    amount = number(match[1]) if match is not None else None
    return None if match is None or amount is None else amount * SECONDS[match[2]]


KINDS: dict[str, Callable[[str, object], Expectation]] = {
    "first": _documents,
    "include": _documents,
    "exclude": _documents,
    "order": _documents,
    "results": _results,
    "latency": _latency,
}
"""The keys of `expect:` that are no metrics, and what reads them."""
