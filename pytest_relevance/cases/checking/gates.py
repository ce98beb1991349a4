"""The check of `gates:`, which makes the `Gate`s of a suite, and their form in records.

A new condition is a row of `CONDITIONS` and a function that checks it. Whether a run meets a gate is decided by
`results.gates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pytest_relevance._text import did_you_mean, found, listed, quoted, time_text
from pytest_relevance.cases.checking import values as checks
from pytest_relevance.cases.checking.expectations import TIME
from pytest_relevance.cases.checking.values import (
    Check,
    is_number,
    number_where,
    text_with,
    unknown_keys,
)
from pytest_relevance.cases.model import Case, Gate
from pytest_relevance.cases.problems import Location
from pytest_relevance.metrics.measures import largest_score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import metric_named, needs_judgments
from pytest_relevance.metrics.similarity import SIMILARITIES

MEAN, MAX_DROP, PASSING, LATENCY = "mean", "max_drop", "passing", "latency"

_FIGURES = ("p50", "p90", "p95", "p99", "mean", "max")


def check_gates(value: object, at: Location) -> tuple[Gate, ...]:
    """The gates of a suite; those with mistakes are left out."""
    if not isinstance(value, (list, tuple)):
        at.refuse(
            f"expected a list of gates, such as [{{mean: {{nDCG@10: 0.75}}}}], found {found(value)}"
        )
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
    values = {
        name: getattr(gate, name) for name in ("id", "condition", "share", "tag", "p")
    }
    if gate.against is not None:
        values |= {"variant": gate.variant, "against": gate.against}
    if gate.latencies:
        values["latencies"] = [*map(list, gate.latencies)]
    return {**values, "bounds": [[metric.text, bound] for metric, bound in gate.bounds]}


def gate_of(values: Mapping[str, Any]) -> Gate:
    """Convert the dict that `gate_values` made back to a gate.

    Raises:
        KeyError, TypeError, ValueError: for a dict that is none.
    """
    name, condition, share, tag, p = (
        values[key] for key in ("id", "condition", "share", "tag", "p")
    )
    bounds = tuple(
        (metric_named(metric), float(bound)) for metric, bound in values["bounds"]
    )
    if not isinstance(name, str) or condition not in CONDITIONS or not is_number(share):
        raise ValueError(
            f"no gate with the id {name!r}, the condition {condition!r} and the share {share!r}"
        )
    latencies = tuple(
        (str(figure), str(sign), float(bound))
        for figure, sign, bound in values.get("latencies", ())
    )
    if any(figure not in _FIGURES for figure, _, _ in latencies):
        raise ValueError(f"no gate with the figures {latencies!r}")
    between = values.get("variant"), values.get("against")
    return Gate(name, condition, bounds, share, tag, p, *between, latencies)


def check_tags_of_gates(
    gates: Sequence[Gate], cases: Iterable[Case], at: Location
) -> None:
    """Report the gates whose tag no case has."""
    tags = {tag: None for case in cases for tag in case.tags}
    for index, gate in enumerate(gates):
        if gate.tag is not None and gate.tag not in tags:
            known = (
                did_you_mean(gate.tag, tags)
                or f"; tags are {listed(tags, 'and') if tags else 'none'}"
            )
            at.refuse(
                f"no case has the tag {quoted(gate.tag)}{known}", "gates", index, "tag"
            )


def _gate(written: object, at: Location) -> Gate | None:
    """A gate; None or one that is not used where there are mistakes."""
    if not isinstance(written, Mapping):
        return at.refuse(  # type: ignore[no-any-return]
            f"a gate is a mapping such as {{mean: {{nDCG@10: 0.75}}}}, found {found(written)}"
        )
    before = at.scope.mistakes
    check_of = {**CONDITIONS, **_OPTIONS}
    unknown_keys(written, tuple(check_of), _GATE_HAS, at)
    conditions = [name for name in CONDITIONS if name in written]
    if len(conditions) != 1:
        what = f"{listed(conditions, 'and')} are two" if conditions else "there is none"
        at.refuse(f"a gate has one condition, {listed(CONDITIONS)}; {what}")
    values: dict[str, Any] = {
        key: check(written[key], at.under(key))
        for key, check in check_of.items()
        if key in written
    }
    if "p" in written and conditions and conditions != [MAX_DROP]:
        at.refuse(
            f"p belongs to {MAX_DROP}: the drop fails the gate only if it is significant",
            "p",
        )
    if ("variant" in written or "against" in written) and at.scope.mistakes == before:
        _check_between(values, at)
    if at.scope.mistakes > before:
        return None
    (condition,) = conditions
    bounds = values[condition] if condition in (MEAN, MAX_DROP) else ()
    least, latencies = values.get(PASSING, 0.0), values.get(LATENCY, ())
    tag = values.get("tag")
    parts = [f"{metric.text} {bound:g}" for metric, bound in bounds]
    parts += [
        f"{figure} {sign} {time_text(bound)}" for figure, sign, bound in latencies
    ]
    bound = ", ".join(parts) or f"{least:g}"
    variant, against = values.get("variant"), values.get("against")
    which = f" of {tag}" * (tag is not None) + f" of {variant} against {against}" * (
        against is not None
    )
    return Gate(
        *(values.get("id") or f"{condition} {bound}{which}", condition, bounds, least),
        *(tag, values.get("p"), variant, against),
        latencies=latencies,
    )


def _check_between(values: Mapping[str, Any], at: Location) -> None:
    """Check the two variants of a gate, each of whose metrics compares the ranking of one with that of the other."""
    one, two = (values.get(key) for key in ("variant", "against"))
    metrics = [metric for metric, _ in values.get(MEAN) or ()]
    if (
        None in (one, two)
        or one == two
        or not metrics
        or not all(metric.is_similarity for metric in metrics)
    ):
        what = f"variant and against are two variants, whose rankings a mean of {listed(SIMILARITIES)} compares"
        at.refuse(
            f"{what}; write mean: {{overlap@10: 0.95}}, variant: ann, against: exact"
        )


def _bounds(value: object, at: Location) -> object:
    """The value of `mean:` or `max_drop:`, metrics with their bounds: `{nDCG@10: 0.75}`."""
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            f"expected metrics and their bounds, such as {{nDCG@10: 0.75}}, found {found(value)}"
        )
    bounds: dict[str, tuple[Metric, object]] = {}
    for name, bound in value.items():
        try:
            metric = at.metric(name, has_bound=is_number(bound))
            if at.path[-1] == MAX_DROP:
                needs_judgments(
                    metric, f"its mean is bound by {MEAN}: {{{metric.text}: 0.9}}"
                )
        except ValueError as error:
            at.refuse(str(error), str(name), at_key=True)
            continue
        if metric.text in bounds:
            at.refuse(
                f"{metric.text} stands twice; keep one of them", str(name), at_key=True
            )
        check_bound = (
            checks.share
            if largest_score(metric) <= 1
            else _any
            if at.path[-1] == MEAN
            else _drop
        )
        bounds[metric.text] = metric, check_bound(bound, at.under(str(name)))
    return tuple(bounds.values())


def _latencies(value: object, at: Location) -> object:
    """The value of `latency:`, figures with the time that each may be: `{p95: "<= 200 ms"}`."""
    example = 'p95: "<= 200 ms"'
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            f"expected figures of the latency and bounds, such as {{{example}}}, found {found(value)}"
        )
    unknown_keys(value, _FIGURES, f"a figure of the latency is {listed(_FIGURES)}", at)
    return tuple(
        (name, *TIME.check(written, f'{name}: "<= 200 ms"', at.under(str(name))))
        for name, written in value.items()
    )


_drop = number_where(lambda value: value >= 0, "a number from 0 on")
_any = number_where(lambda value: True, "a number")
CONDITIONS: Mapping[str, Check] = {
    MEAN: _bounds,
    MAX_DROP: _bounds,
    LATENCY: _latencies,
    PASSING: number_where(
        lambda value: 0 < value <= 1,
        "the share of cases that must pass, above 0 and up to 1",
    ),
}
"""The conditions of a gate, with their checks."""
_OPTIONS: Mapping[str, Check] = {
    "id": checks.written_id,
    "tag": text_with(lambda tag: checks.wrong_tag(tag, frozenset())),
    "p": number_where(
        lambda value: 0 < value < 1, "a level of significance such as 0.05"
    ),
    **dict.fromkeys(("variant", "against"), text_with()),
}
_GATE_HAS = f"a gate has {listed(CONDITIONS)}, and may have {listed(_OPTIONS, 'and')}"
