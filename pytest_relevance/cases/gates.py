"""The check of `gates:`, which makes the `Gate`s of a suite, and the table of their conditions.

A new condition is a function that checks it, and a row of `CONDITIONS`. Whether a run meets a
gate is decided by `results.gates`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_relevance._text import did_you_mean, found, listed, quoted, time_text
from pytest_relevance.cases.bounds import TIME
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Case, Gate, LatencyBound
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.cases.schema_parts import (
    ANY_TEXT,
    ID,
    TAG,
    Schema,
    about,
    any_case,
    reference,
)
from pytest_relevance.cases.values import (
    Check,
    check_id,
    check_share,
    check_tag,
    check_text,
    report_unknown_keys,
)
from pytest_relevance.metrics.measures import largest_score
from pytest_relevance.metrics.metric import Metric
from pytest_relevance.metrics.names import needs_judgments
from pytest_relevance.metrics.similarity import SIMILARITIES

MEAN = "mean"
MAX_DROP = "max_drop"
PASSING = "passing"
LATENCY = "latency"

FIGURES = {
    "p50": "The median",
    "p90": "The 90th percentile; it needs 10 cases",
    "p95": "The 95th percentile; it needs 20 cases",
    "p99": "The 99th percentile; it needs 100 cases",
    "mean": "The mean",
    "max": "The longest",
}
"""The figures of the latency, and what each is."""


# Conditions


def check_mean(value: object, at: Location) -> object:
    """Check metrics with the least that their means may be: `{nDCG@10: 0.75}`."""
    return _check_metrics(value, at, is_drop=False)


def check_max_drop(value: object, at: Location) -> object:
    """Check metrics with how far their means may drop: `{nDCG@10: 0.02}`."""
    return _check_metrics(value, at, is_drop=True)


def check_passing(value: object, at: Location) -> float | Wrong:
    """Check the share of cases that must pass."""
    if is_number(value) and 0 < value <= 1:
        return value
    return at.refuse(
        "expected the share of cases that must pass, above 0 and up to 1, "
        f"found {found(value)}"
    )


def check_latency(value: object, at: Location) -> tuple[LatencyBound, ...] | Wrong:
    """Check figures with the time that each may be: `{p95: "<= 200 ms"}`."""
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            "expected figures of the latency and bounds, such as "
            f'{{p95: "<= 200 ms"}}, found {found(value)}'
        )
    takes = f"a figure of the latency is {listed(FIGURES)}"
    is_wrong = report_unknown_keys(value, FIGURES, takes=takes, at=at) is WRONG
    latencies = []
    for figure, written in value.items():
        example = f'{figure}: "<= 200 ms"'
        bound = TIME.check(written, at.under(str(figure)), example=example)
        if bound is WRONG:
            is_wrong = True
        else:
            latencies.append(LatencyBound(figure, bound.comparison, bound.value))
    return WRONG if is_wrong else tuple(latencies)


def _check_metrics(value: object, at: Location, *, is_drop: bool) -> object:
    """Check metrics, each with the bound of its mean, or of the drop of its mean."""
    if not isinstance(value, Mapping) or not value:
        return at.refuse(
            "expected metrics and their bounds, such as "
            f"{{nDCG@10: 0.75}}, found {found(value)}"
        )
    bounds: dict[str, tuple[Metric, object]] = {}
    is_wrong = False
    for name, bound in value.items():
        try:
            metric = _metric_named(name, bound, at, is_drop=is_drop)
        except ValueError as error:
            at.refuse(str(error), str(name), at_key=True)
            is_wrong = True
            continue
        if metric.text in bounds:
            message = f"{metric.text} stands twice; keep one of them"
            at.refuse(message, str(name), at_key=True)
            is_wrong = True
        check = _bound_check(metric, is_drop=is_drop)
        checked = check(bound, at.under(str(name)))
        if checked is WRONG:
            is_wrong = True
        bounds[metric.text] = (metric, checked)
    return WRONG if is_wrong else tuple(bounds.values())


def _metric_named(name: str, bound: object, at: Location, *, is_drop: bool) -> Metric:
    """Parse the name of a metric. Raises ValueError for one that cannot have such a bound."""
    metric = at.metric(name, has_bound=is_number(bound))
    if is_drop:
        advice = f"its mean is bound by {MEAN}: {{{metric.text}: 0.9}}"
        needs_judgments(metric, advice)
    return metric


def _bound_check(metric: Metric, *, is_drop: bool) -> Check:
    if largest_score(metric) <= 1:
        return check_share
    return _check_drop if is_drop else _check_any_number


def _check_any_number(value: object, at: Location) -> float | Wrong:
    if is_number(value):
        return value
    return at.refuse(f"expected a number, found {found(value)}")


def _check_drop(value: object, at: Location) -> float | Wrong:
    if is_number(value) and value >= 0:
        return value
    return at.refuse(f"expected a number from 0 on, found {found(value)}")


def _check_p(value: object, at: Location) -> float | Wrong:
    if is_number(value) and 0 < value < 1:
        return value
    return at.refuse(
        f"expected a level of significance such as 0.05, found {found(value)}"
    )


@dataclass(frozen=True, slots=True)
class GateKey:
    """One row of the tables of keys of a gate.

    `about` describes the key in an editor, `schema` is the JSON Schema of its value.
    """

    name: str
    check: Callable[[object, Location], object]
    about: str
    schema: Schema


def _by_name(*keys: GateKey) -> dict[str, GateKey]:
    return {key.name: key for key in keys}


def _latency_schema() -> Schema:
    """Make the schema of the figures of the latency with their bounds."""
    figures = {}
    for figure, meaning in FIGURES.items():
        figures[figure] = about(f'{meaning}: "<= 200 ms".', TIME.schema)
    return {
        "type": "object",
        "properties": figures,
        "additionalProperties": False,
        "minProperties": 1,
    }


def _pattern_of_similarities() -> str:
    names = "|".join(any_case(name) for name in SIMILARITIES)
    return rf"^\s*(?:{names})\s*(?:[(@]|[_.][0-9]|(?!\n)$)"


METRIC_BOUNDS = reference("bounds-of-metrics")

CONDITIONS: Mapping[str, GateKey] = _by_name(
    GateKey(
        name=MEAN,
        check=check_mean,
        about="The least that the mean of a metric may be: {nDCG@10: 0.75}.",
        schema=METRIC_BOUNDS,
    ),
    GateKey(
        name=MAX_DROP,
        check=check_max_drop,
        about="How far the mean of a metric may drop below the baseline: {nDCG@10: 0.02}.",
        schema={
            "allOf": [METRIC_BOUNDS],
            "propertyNames": {"not": {"pattern": _pattern_of_similarities()}},
        },
    ),
    GateKey(
        name=LATENCY,
        check=check_latency,
        about='How long searches may take that are called one at a time: {p95: "<= 200 ms"}.',
        schema=_latency_schema(),
    ),
    GateKey(
        name=PASSING,
        check=check_passing,
        about="The share of cases that must pass.",
        schema={"type": "number", "exclusiveMinimum": 0, "maximum": 1},
    ),
)
"""The conditions of a gate. A gate has one."""

OPTIONS: Mapping[str, GateKey] = _by_name(
    GateKey(
        name="id",
        check=check_id,
        about="The name of the gate. Default: the condition itself.",
        schema=ID,
    ),
    GateKey(
        name="tag",
        check=check_tag,
        about="The tag of the cases that it looks at. Default: all cases.",
        schema=TAG,
    ),
    GateKey(
        name="p",
        check=_check_p,
        about="The drop fails the gate only if it is significant at this level.",
        schema={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    ),
    GateKey(
        name="variant",
        check=check_text,
        about="The variant whose rankings are compared with those of the variant against.",
        schema=ANY_TEXT,
    ),
    GateKey(
        name="against",
        check=check_text,
        about="The variant that the rankings of the other one are compared with.",
        schema=ANY_TEXT,
    ),
)
"""What a gate may have beside its condition."""

_TAKES = f"a gate has {listed(CONDITIONS)}, and may have {listed(OPTIONS, 'and')}"


# Gates


def check_gates(value: object, at: Location) -> tuple[Gate, ...] | Wrong:
    """Check the gates of a suite."""
    if not isinstance(value, (list, tuple)):
        return at.refuse(
            "expected a list of gates, such as [{mean: {nDCG@10: 0.75}}], "
            f"found {found(value)}"
        )
    gates = []
    numbers: dict[str, int] = {}
    is_wrong = False
    for index, written in enumerate(value):
        gate = _check_gate(written, at.under(index))
        if gate is WRONG:
            is_wrong = True
            continue
        if gate.id in numbers:
            what = f"a second gate with the id {quoted(gate.id)}"
            message = f"{what}, the first is number {numbers[gate.id]}; give it an id"
            at.refuse(message, index)
            is_wrong = True
        numbers.setdefault(gate.id, index + 1)
        gates.append(gate)
    return WRONG if is_wrong else tuple(gates)


def check_tags_of_gates(
    gates: Sequence[Gate], cases: Iterable[Case], at: Location
) -> None:
    """Report the gates whose tag no case has."""
    tags: dict[str, None] = {}
    for case in cases:
        tags.update(dict.fromkeys(case.tags))
    for index, gate in enumerate(gates):
        if gate.tag is None or gate.tag in tags:
            continue
        known = did_you_mean(gate.tag, tags)
        if not known:
            known = f"; tags are {listed(tags, 'and') if tags else 'none'}"
        message = f"no case has the tag {quoted(gate.tag)}{known}"
        at.refuse(message, "gates", index, "tag")


def _check_gate(written: object, at: Location) -> Gate | Wrong:
    """Check one gate: its keys, each by its row, and whether they fit together."""
    if not isinstance(written, Mapping):
        return at.refuse(
            "a gate is a mapping such as {mean: {nDCG@10: 0.75}}, "
            f"found {found(written)}"
        )
    keys = {**CONDITIONS, **OPTIONS}
    is_wrong = report_unknown_keys(written, keys, takes=_TAKES, at=at) is WRONG
    values: dict[str, Any] = {}
    for name, key in keys.items():
        if name in written:
            values[name] = key.check(written[name], at.under(name))
            is_wrong = is_wrong or values[name] is WRONG
    condition = _check_condition(written, at)
    if condition is WRONG or is_wrong or _check_variants(values, at) is WRONG:
        return WRONG
    bounds = values[condition] if condition in (MEAN, MAX_DROP) else ()
    gate = Gate(
        id=values.get("id", ""),
        condition=condition,
        bounds=bounds,
        share=values.get(PASSING, 0.0),
        tag=values.get("tag"),
        p=values.get("p"),
        variant=values.get("variant"),
        against=values.get("against"),
        latencies=values.get(LATENCY, ()),
    )
    return gate if gate.id else replace(gate, id=_usual_id(gate))


def _check_condition(written: Mapping[str, object], at: Location) -> str | Wrong:
    """Check that a gate has one condition, and that `p` goes with it."""
    conditions = [name for name in CONDITIONS if name in written]
    result: Wrong | None = None
    if "p" in written and conditions and conditions != [MAX_DROP]:
        result = at.refuse(
            f"p belongs to {MAX_DROP}: the drop fails the gate only if it is significant",
            "p",
        )
    if len(conditions) != 1:
        what = f"{listed(conditions, 'and')} are two" if conditions else "there is none"
        return at.refuse(f"a gate has one condition, {listed(CONDITIONS)}; {what}")
    return conditions[0] if result is None else result


def _check_variants(values: Mapping[str, Any], at: Location) -> Wrong | None:
    """Check the two variants of a gate. Each of its metrics compares the ranking of one with that of the other."""
    variant, against = values.get("variant"), values.get("against")
    if variant is None and against is None:
        return None
    metrics = [metric for metric, _ in values.get(MEAN, ())]
    are_two = None not in (variant, against) and variant != against
    compare = bool(metrics) and all(metric.is_similarity for metric in metrics)
    if are_two and compare:
        return None
    return at.refuse(
        "variant and against are two variants, whose rankings a mean of "
        f"{listed(SIMILARITIES)} compares; write mean: {{overlap@10: 0.95}}, variant: ann, "
        "against: exact"
    )


def _usual_id(gate: Gate) -> str:
    """Make the id of a gate without one: `mean nDCG@10 0.75 of head`."""
    parts = []
    for metric, bound in gate.bounds:
        parts.append(f"{metric.text} {bound:g}")
    for latency in gate.latencies:
        time = time_text(latency.bound)
        parts.append(f"{latency.figure} {latency.comparison} {time}")
    bounds = ", ".join(parts) or f"{gate.share:g}"
    text = f"{gate.condition} {bounds}"
    if gate.tag is not None:
        text += f" of {gate.tag}"
    if gate.against is not None:
        text += f" of {gate.variant} against {gate.against}"
    return text


def _gate_schema() -> Schema:
    """Make the schema of a gate, of the tables of its keys."""
    properties = {}
    for key in (*CONDITIONS.values(), *OPTIONS.values()):
        properties[key.name] = about(key.about, key.schema)
    return {
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in CONDITIONS],
        "allOf": [
            {"if": {"required": ["p"]}, "then": {"required": [MAX_DROP]}},
            {"if": {"required": ["variant"]}, "then": {"required": ["against", MEAN]}},
            {"if": {"required": ["against"]}, "then": {"required": ["variant", MEAN]}},
        ],
    }


GATE_SCHEMA = _gate_schema()
