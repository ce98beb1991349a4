"""The check of `gates:`. The kinds of gates are in the folder `gates`.

A gate has one condition: the key that is the name of its kind. A gate may have options.
A kind checks the value of its own key.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from pytest_relevance._text import counted, did_you_mean, found, listed, quoted, shown
from pytest_relevance.bundled import PERCENTILES
from pytest_relevance.cases.expectation import UNKNOWN
from pytest_relevance.cases.location import WRONG, Location, Wrong
from pytest_relevance.cases.model import MAX_DROP, MEAN, MIN, Case, Gate
from pytest_relevance.cases.scalars import is_number
from pytest_relevance.cases.schema_parts import ANY_TEXT, END, ID, TAG, Schema, about
from pytest_relevance.cases.values import (
    Check,
    check_id,
    check_tag,
    check_text,
    report_unknown_keys,
)
from pytest_relevance.metrics.similarity import SIMILARITIES
from pytest_relevance.registry import GATES, ExtensionError


class KindOfGate(Protocol):
    """The attributes of a `GateKind` that the reader and the schema use."""

    name: str
    gate_field: str
    about: str
    schema: Schema
    check: Check
    describe: Callable[[Gate], str]


def _kind_named(name: str) -> KindOfGate:
    """Return the kind of gate with a name. Raises `ExtensionError` if it is broken."""
    kind: KindOfGate = GATES.get(name)
    return kind


def _in_prose(names: Iterable[str]) -> str:
    """Return the names of kinds as text. The percentiles are `p1 to p50`."""
    others = [name for name in names if name not in PERCENTILES]
    return listed([*others, f"{PERCENTILES[0]} to {PERCENTILES[-1]}"])


def _names_of_kinds(keys: Iterable[str] = ()) -> list[str]:
    """Return the names of the kinds of gates.

    It takes long to find the kinds of other packages. So they are left out if the kinds
    of this package and the options explain all `keys` of a gate.
    """
    names = [name for name in GATES.bundled_names if name != UNKNOWN]
    if all(key in names or key in OPTIONS for key in keys):
        return names
    return [name for name in GATES.names() if name != UNKNOWN]


@dataclass(frozen=True, slots=True)
class _Option:
    """A key of a gate besides its condition, which is also a field of `Gate`.

    `schema`: the JSON Schema of its value.
    `about`: describes the key in an editor.
    """

    name: str
    check: Check
    schema: Schema
    about: str


def _check_p(value: object, at: Location) -> float | Wrong:
    if is_number(value) and 0 < value < 1:
        return value
    return at.refuse(
        f"expected a level of significance such as 0.05, found {found(value)}"
    )


_SIGNIFICANCE: Schema = {
    "type": "number",
    "exclusiveMinimum": 0,
    "exclusiveMaximum": 1,
}
# fmt: off
_ROWS = (
    _Option("id", check_id, ID,
        about="The name of the gate. Default: the condition itself."),
    _Option("tag", check_tag, TAG,
        about="The tag of the cases that the gate looks at. Default: all cases."),
    _Option("p", _check_p, _SIGNIFICANCE,
        about="The gate fails only if the drop is significant at this level."),
    _Option("variant", check_text, ANY_TEXT,
        about="The variant whose rankings are compared with those of the variant against."),
    _Option("against", check_text, ANY_TEXT,
        about="The variant with whose rankings those of variant are compared."),
)
# fmt: on

_OF_VARIANTS = (MEAN, MIN, *PERCENTILES)
"""The conditions that may compare two variants."""

OPTIONS: Mapping[str, _Option] = {option.name: option for option in _ROWS}
"""What a gate may have beside its condition, by name."""


def check_gates(value: object, at: Location) -> tuple[Gate, ...] | Wrong:
    """Return the gates of a suite, or report mistakes."""
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
                f"gate {numbers[gate.id]} has the id {quoted(gate.id)} too; give one "
                "of the two another id",
                index,
            )
            is_wrong = True
        numbers.setdefault(gate.id, index + 1)
        gates.append(gate)
    return WRONG if is_wrong else tuple(gates)


def check_tags_of_gates(
    gates: Sequence[Gate], cases: Iterable[Case], at: Location
) -> None:
    """Report each gate about a tag that no case has."""
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


def check_gates_of_sample(
    gates: Sequence[Gate], cases: Sequence[Case], at: Location
) -> None:
    """Report gates on the lowest score, in a file of which queries are drawn.

    `cases`: the cases of the file.
    """
    percentile = lowest_percentile(len(cases))
    write = "take sample out"
    if percentile is not None:
        write = f"write {percentile}, the lowest percentile of {counted(len(cases), 'case')}, or {write}"
    for index, gate in enumerate(gates):
        if gate.condition == MIN:
            at.refuse(
                "the lowest score of a sample says nothing of the queries that are not "
                f"drawn; {write}",
                "gates",
                index,
                MIN,
            )


def lowest_percentile(cases: int) -> str | None:
    """Return the lowest percentile that a number of cases can have: `p5` for 20.

    None if there are too few for `p50`.
    """
    if cases < 2:
        return None
    percent = (100 + cases - 1) // cases  # 100 / cases, rounded up
    return f"p{percent}"


def _check_gate(written: object, at: Location) -> Gate | Wrong:
    """Return one gate, or report a mistake.

    An exception of a kind of another package is reported as a mistake too.
    """
    if not isinstance(written, Mapping):
        return at.refuse(
            "a gate is a mapping such as {mean: {nDCG@10: 0.75}}, "
            f"found {found(written)}"
        )
    try:
        return _check_keys(written, at)
    except ExtensionError as error:
        return at.refuse(str(error))


def _check_keys(written: Mapping[str, object], at: Location) -> Gate | Wrong:
    """Return the gate that these keys and values describe, or report mistakes."""
    conditions = _names_of_kinds(written)
    if _refuse_percentiles(written, conditions, at) is WRONG:
        return WRONG
    takes = f"a gate has {_in_prose(conditions)}, and may have {listed(OPTIONS, 'and')}"
    names = [*conditions, *OPTIONS]
    is_wrong = report_unknown_keys(written, names, takes=takes, at=at) is WRONG
    values: dict[str, Any] = {}
    for name in names:
        if name in written:
            values[name] = _check_key(name, written[name], at.under(name))
            is_wrong = is_wrong or values[name] is WRONG
    chosen = _check_condition(written, conditions, at)
    if chosen is WRONG or is_wrong or _check_variants(values, at) is WRONG:
        return WRONG
    kind = _kind_named(chosen)
    fields: dict[str, Any] = {"id": "", "condition": chosen, "line": at.line}
    fields[kind.gate_field] = values[chosen]
    for name in OPTIONS:
        if name in values:
            fields[name] = values[name]
    gate = Gate(**fields)
    return gate if gate.id else replace(gate, id=usual_id(gate, kind))


def _refuse_percentiles(
    written: Mapping[str, object], conditions: Sequence[str], at: Location
) -> Wrong | None:
    """Report keys that look like percentiles and are no conditions: `p95`, `p0.5`.

    Return `WRONG` if a mistake was reported, else None.
    """
    result = None
    for key in written:
        if key in conditions or not re.fullmatch("[pP][0-9][0-9.,]*%?", str(key)):
            continue
        result = at.refuse(
            f"{quoted(str(key))} is not a gate. A low percentile shows the worst cases, so "
            f"percentiles are {PERCENTILES[0]} to {PERCENTILES[-1]}, in whole numbers. "
            "Write p5: {nDCG@10: 0.3}, min: {nDCG@10: 0.3} for every case, or latency: "
            '{p95: "<= 200 ms"}',
            str(key),
            at_key=True,
        )
    return result


def _check_key(name: str, value: object, at: Location) -> object:
    if name in OPTIONS:
        return OPTIONS[name].check(value, at)
    with GATES.calling(name):
        kind = _kind_named(name)
        made = kind.check(value, at)
    if name not in GATES.bundled_names and kind.gate_field == "value":
        _refuse_unwritable(name, made)
    return made


def _refuse_unwritable(name: str, made: object) -> None:
    """Raise `ExtensionError` if a kind of another package made an unusable value.

    A record has the value as JSON.
    """
    if made is WRONG:
        return
    try:
        json.dumps(made, allow_nan=False)
    except (TypeError, ValueError):
        raise GATES.wrong(
            name,
            f"check returned {shown(made)}; it has to be a value that JSON can hold",
        ) from None


def _check_condition(
    written: Mapping[str, object], conditions: Sequence[str], at: Location
) -> str | Wrong:
    """Return the condition of a gate, or report that it has none or several.

    A key `p` without `max_drop` is a mistake too.

    `conditions`: the keys that are conditions.
    """
    names = [name for name in conditions if name in written]
    has_wrong_p = "p" in written and bool(names) and names != [MAX_DROP]
    if has_wrong_p:
        at.refuse(
            f"p is for {MAX_DROP} alone: such a gate fails only if the drop is "
            "significant",
            "p",
        )
    if not names:
        GATES.names()  # raises if a package has a kind with the name of an option
    if len(names) != 1:
        number = f"{listed(names, 'and')} are two" if names else "there is none"
        return at.refuse(f"a gate has one condition, {_in_prose(conditions)}; {number}")
    return WRONG if has_wrong_p else names[0]


def _check_variants(values: Mapping[str, Any], at: Location) -> Wrong | None:
    """Report `variant` and `against` of a gate if they do not compare two variants.

    Only bounds of metrics that compare rankings can compare two variants.

    Return `WRONG` if a mistake was reported, else None.
    """
    variant, against = values.get("variant"), values.get("against")
    if variant is None and against is None:
        return None
    metrics = []
    for name in _OF_VARIANTS:
        metrics += [metric for metric, _ in values.get(name, ())]
    are_two = None not in (variant, against) and variant != against
    compare = bool(metrics) and all(metric.is_similarity for metric in metrics)
    if are_two and compare:
        return None
    return at.refuse(
        "variant and against name two variants, whose rankings are compared by "
        f"{listed(SIMILARITIES)}; write mean: {{overlap@10: 0.95}}, variant: ann, "
        "against: exact"
    )


def usual_id(gate: Gate, kind: KindOfGate) -> str:
    """Return the id for a gate that sets none: `mean nDCG@10 0.75 of head`."""
    with GATES.calling(gate.condition):
        text = f"{gate.condition} {kind.describe(gate)}"
    if gate.tag is not None:
        text += f" of {gate.tag}"
    if gate.against is not None:
        text += f" of {gate.variant} against {gate.against}"
    return text


def gate_schema() -> Schema:
    """Return the JSON Schema of a gate."""
    names = [name for name in GATES.names() if name != UNKNOWN]
    properties, patterns = {}, {}
    for name in names:
        kind = _kind_named(name)
        schema = about(kind.about, kind.schema)
        if name in PERCENTILES:
            patterns[f"^(?:{'|'.join(PERCENTILES)}){END}"] = schema
        else:
            properties[name] = schema
    of_variants = [{"required": [name]} for name in _OF_VARIANTS]
    for option in OPTIONS.values():
        properties[option.name] = about(option.about, option.schema)
    return {
        "type": "object",
        "properties": properties,
        "patternProperties": patterns,
        "additionalProperties": False,
        "oneOf": [{"required": [name]} for name in names],
        "allOf": [
            {"if": {"required": ["p"]}, "then": {"required": [MAX_DROP]}},
            {"if": {"required": ["variant"]}, "then": {"required": ["against"]}},
            {"if": {"required": ["against"]}, "then": {"required": ["variant"]}},
            {"if": {"required": ["variant"]}, "then": {"anyOf": of_variants}},
        ],
    }
