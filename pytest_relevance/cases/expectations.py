"""`expect:` as written, read into `Expectation`s: one table of kinds drives parsing, help and errors.

What the expectations mean for a ranking is in `runs.expectations`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from pytest_relevance.cases.model import Expectation
from pytest_relevance.cases.problems import Refused, RefusedSeveral
from pytest_relevance.metrics.names import MEASURES, Metric, parse_metric
from pytest_relevance.wording import did_you_mean, listed, quoted, shown

COMPARISONS = (">=", "<=", "==", ">", "<")
_COMPARISON = re.compile(r"\s*(>=|<=|==|>|<)\s*(.*?)\s*", re.DOTALL)
_DURATION = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*(ms|s)")
_SECONDS = {"ms": 0.001, "s": 1.0}


def check_expectations(value: object) -> tuple[Expectation, ...]:
    """The expectations of a case, or `Refused` with the path to the one that cannot be read."""
    if not isinstance(value, Mapping):
        raise Refused(f"expect takes a mapping such as {{P@5: 0.6, first: sku-1}}, found {shown(value)}")
    found: list[Expectation] = []
    refusals: list[Refused] = []
    for name, expected in value.items():
        try:
            found.append(_check(name, expected))
        except Refused as refused:
            refusals.append(refused)
    if refusals:
        raise RefusedSeveral(refusals)
    return tuple(found)


def _check(name: str, expected: object) -> Expectation:
    kind = KINDS.get(name)
    if kind is None:
        metric = _metric(name)
        comparison, bound = _compared(expected, _plain_number, f'{name}: 0.6 or {name}: ">= 0.6"', name)
        return Expectation("metric", name, metric, comparison, bound)
    try:
        return kind(name, expected)
    except Refused as refused:
        raise refused.under(name) from None


def _metric(name: str) -> Metric:
    try:
        return parse_metric(name)
    except ValueError as error:
        base = re.split(r"[@(]", name, maxsplit=1)[0]
        if base.casefold() in {measure.casefold() for measure in MEASURES}:
            raise Refused(str(error), (name,), at_key=True) from None
        close = did_you_mean(name, KINDS) or f"; {error}"
        raise Refused(f"{quoted(name)} is neither {listed(KINDS)} nor a metric{close}", (name,), at_key=True) from None


def _documents(kind: str, expected: object) -> Expectation:
    """`sku-1`, `[sku-1, sku-2]`, and where a depth means something `{docs: [...], within: 25}`."""
    within = None
    if isinstance(expected, Mapping):
        if kind not in _WITH_DEPTH:
            raise Refused(f"{kind} takes a document or a list of documents")
        unknown = [key for key in expected if key not in ("docs", "within")]
        if unknown or "docs" not in expected:
            raise Refused(f"the long form of {kind} is {{docs: [...], within: 25}}, found {shown(dict(expected))}")
        within = expected.get("within")
        if within is not None and (isinstance(within, bool) or not isinstance(within, int) or within < 1):
            raise Refused(f"within is a whole number from 1, found {shown(within)}", ("within",))
        expected = expected["docs"]
    documents = [expected] if isinstance(expected, str) else expected
    if not isinstance(documents, (list, tuple)) or not documents:
        raise Refused(f"{kind} takes a document or a list of documents, found {shown(expected)}")
    for number, document in enumerate(documents):
        if not isinstance(document, str) or not document:
            raise Refused(f"a document id is text, found {shown(document)}", (number,))
        if document in documents[:number]:
            raise Refused(f"document {quoted(document)} stands twice in {kind}", (number,))
    if kind == "order" and len(documents) < 2:
        raise Refused("order takes at least two documents, each expected before the next")
    return Expectation(kind, kind, documents=tuple(documents), within=within)


def _results(kind: str, expected: object) -> Expectation:
    """A number of results: `0` and other plain numbers mean exactly that many."""
    example = f'{kind}: 0, {kind}: 5 (exactly) or {kind}: ">= 1"'
    comparison, bound = _compared(expected, _plain_number, example, plain="==")
    if bound != int(bound) or bound < 0 or (comparison == "<" and bound == 0):
        raise Refused(f"{kind} takes a whole number from 0, found {shown(expected)}; write {example}")
    return Expectation(kind, kind, comparison=comparison, bound=int(bound))


def _latency(kind: str, expected: object) -> Expectation:
    """A duration with its unit, in seconds afterwards; plain `200 ms` means at most that."""
    example = f'{kind}: "<= 200 ms" or {kind}: "< 1.5 s"'
    comparison, bound = _compared(expected, _seconds, example, plain="<=")
    if comparison not in ("<", "<="):
        raise Refused(f"{kind} takes a longest duration, found {shown(expected)}; write {example}")
    return Expectation(kind, kind, comparison=comparison, bound=bound)


def _compared(
    expected: object, read: Callable[[object], float | None], example: str, *path: str, plain: str = ">="
) -> tuple[str, float]:
    comparison, rest = plain, expected
    if isinstance(expected, str) and (match := _COMPARISON.fullmatch(expected)):
        comparison, rest = match[1], match[2]
    bound = read(rest)
    if bound is None:
        raise Refused(f"expected a bound, found {shown(expected)}; write {example}", path)
    return comparison, bound


def _plain_number(value: object) -> float | None:
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,18}(\.[0-9]+)?", value):
        return float(value) if "." in value else int(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < float("inf"):
        return value
    return None


def _seconds(value: object) -> float | None:
    match = _DURATION.fullmatch(value) if isinstance(value, str) else None
    return float(match[1]) * _SECONDS[match[2]] if match else None


_WITH_DEPTH = frozenset({"include", "exclude"})

KINDS: dict[str, Callable[[str, object], Expectation]] = {
    "first": _documents,
    "include": _documents,
    "exclude": _documents,
    "order": _documents,
    "results": _results,
    "latency": _latency,
}
"""The keys of `expect:` that are no metrics, and what reads them."""
