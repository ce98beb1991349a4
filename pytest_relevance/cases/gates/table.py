"""The tables of what a gate has, and the check of `gates:`, which uses them.

A new condition is a module with its check and its row. Whether a run meets a gate is decided by
`results.gates`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance.cases.gates import latency, means, passing
from pytest_relevance.cases.gates.condition import MAX_DROP, MEAN, Condition
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import Case, Gate
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.cases.schema_parts import ANY_TEXT, ID, TAG, Schema, about
from pytest_relevance.cases.values import (
    Check,
    check_id,
    check_tag,
    check_text,
    report_unknown_keys,
)
from pytest_relevance.metrics.similarity import SIMILARITIES


def _conditions_by_name() -> dict[str, Condition]:
    conditions = {}
    for module in (means, latency, passing):
        for condition in module.CONDITIONS:
            conditions[condition.name] = condition
    return conditions


CONDITIONS: Mapping[str, Condition] = _conditions_by_name()
"""The conditions by name. A gate has one of them."""


@dataclass(frozen=True, slots=True)
class Option:
    """One row of what a gate may have beside its condition: a key that is a field of `Gate` too.

    `about` describes the key in an editor, `schema` is the JSON Schema of its value.
    """

    name: str
    check: Check
    about: str
    schema: Schema


def check_p(value: object, at: Location) -> float | Wrong:
    """Check a level of significance."""
    if is_number(value) and 0 < value < 1:
        return value
    return at.refuse(
        f"expected a level of significance such as 0.05, found {found(value)}"
    )


_OPTIONS = (
    Option(
        name="id",
        check=check_id,
        about="The name of the gate. Default: the condition itself.",
        schema=ID,
    ),
    Option(
        name="tag",
        check=check_tag,
        about="The tag of the cases that it looks at. Default: all cases.",
        schema=TAG,
    ),
    Option(
        name="p",
        check=check_p,
        about="The drop fails the gate only if it is significant at this level.",
        schema={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1},
    ),
    Option(
        name="variant",
        check=check_text,
        about="The variant whose rankings are compared with those of the variant against.",
        schema=ANY_TEXT,
    ),
    Option(
        name="against",
        check=check_text,
        about="The variant that the rankings of the other one are compared with.",
        schema=ANY_TEXT,
    ),
)

OPTIONS: Mapping[str, Option] = {option.name: option for option in _OPTIONS}
"""What a gate may have beside its condition, by name."""

_TAKES = f"a gate has {listed(CONDITIONS)}, and may have {listed(OPTIONS, 'and')}"


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
            at.refuse(
                f"a second gate with the id {quoted(gate.id)}, the first is number "
                f"{numbers[gate.id]}; give it an id",
                index,
            )
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
    keys: dict[str, Condition | Option] = {**CONDITIONS, **OPTIONS}
    is_wrong = report_unknown_keys(written, keys, takes=_TAKES, at=at) is WRONG
    values: dict[str, Any] = {}
    for name, key in keys.items():
        if name in written:
            values[name] = key.check(written[name], at.under(name))
            is_wrong = is_wrong or values[name] is WRONG
    condition = _check_condition(written, at)
    if condition is WRONG or is_wrong or _check_variants(values, at) is WRONG:
        return WRONG
    fields: dict[str, Any] = {"id": "", "condition": condition.name}
    fields[condition.field] = values[condition.name]
    for name in OPTIONS:
        if name in values:
            fields[name] = values[name]
    gate = Gate(**fields)
    return gate if gate.id else replace(gate, id=_usual_id(gate))


def _check_condition(written: Mapping[str, object], at: Location) -> Condition | Wrong:
    """Check that a gate has one condition, and that `p` goes with it."""
    names = [name for name in CONDITIONS if name in written]
    has_wrong_p = "p" in written and bool(names) and names != [MAX_DROP]
    if has_wrong_p:
        at.refuse(
            f"p belongs to {MAX_DROP}: the drop fails the gate only if it is significant",
            "p",
        )
    if len(names) != 1:
        number = f"{listed(names, 'and')} are two" if names else "there is none"
        return at.refuse(f"a gate has one condition, {listed(CONDITIONS)}; {number}")
    return WRONG if has_wrong_p else CONDITIONS[names[0]]


def _check_variants(values: Mapping[str, Any], at: Location) -> Wrong | None:
    """Check the two variants of a gate. Each of its metrics compares the ranking of one with that of the other."""
    variant, against = values.get("variant"), values.get("against")
    if variant is None and against is None:
        return None
    of_mean = [metric for metric, _ in values.get(MEAN, ())]
    are_two = None not in (variant, against) and variant != against
    compare = bool(of_mean) and all(metric.is_similarity for metric in of_mean)
    if are_two and compare:
        return None
    return at.refuse(
        "variant and against are two variants, whose rankings a mean of "
        f"{listed(SIMILARITIES)} compares; write mean: {{overlap@10: 0.95}}, variant: ann, "
        "against: exact"
    )


def _usual_id(gate: Gate) -> str:
    """Make the id of a gate without one: `mean nDCG@10 0.75 of head`."""
    text = f"{gate.condition} {CONDITIONS[gate.condition].describe(gate)}"
    if gate.tag is not None:
        text += f" of {gate.tag}"
    if gate.against is not None:
        text += f" of {gate.variant} against {gate.against}"
    return text


def gate_schema() -> Schema:
    """Make the JSON Schema of a gate, of the tables of what it has."""
    keys: list[Condition | Option] = [*CONDITIONS.values(), *OPTIONS.values()]
    properties = {}
    for key in keys:
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
