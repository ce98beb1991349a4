"""`gates:` as written, read into `Gate`s: conditions on a suite as a whole.

One table of conditions drives parsing and errors. What a gate means for a run is in `runs.gates`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from pytest_relevance._text import did_you_mean, found, listed, quoted
from pytest_relevance.cases.expectations import largest_score
from pytest_relevance.cases.model import Case, Gate
from pytest_relevance.cases.names import check_id, check_tag
from pytest_relevance.cases.problems import Refused, RefusedSeveral
from pytest_relevance.cases.scalars import is_number, number_advice
from pytest_relevance.metrics.names import Metric, parse_metric

MEAN, MAX_DROP, PASSING = "mean", "max_drop", "passing"


def check_gates(value: object, terms: Mapping[str, object]) -> tuple[Gate, ...]:
    """The gates of a suite, or `RefusedSeveral` with a path to each that cannot be read."""
    if not isinstance(value, (list, tuple)):
        raise Refused(f"expected a list of gates, such as [{{mean: {{nDCG@10: 0.75}}}}], found {found(value)}")
    gates: list[Gate] = []
    refusals: list[Refused] = []
    names: dict[str, int] = {}
    for index, written in enumerate(value):
        try:
            gate = _gate(written)
        except (Refused, RefusedSeveral) as error:
            refusals += [refused.under(index) for refused in error.all()]
            continue
        if gate.id in names:
            message = (
                f"a second gate with the id {quoted(gate.id)}, the first is number {names[gate.id]}; give it an id"
            )
            refusals.append(Refused(message, (index,)))
        names.setdefault(gate.id, index + 1)
        gates.append(gate)
    if refusals:
        raise RefusedSeveral(refusals)
    return tuple(gates)


def gate_values(gate: Gate) -> dict[str, Any]:
    """A gate in types that travel, and that a record has."""
    values = {name: getattr(gate, name) for name in ("id", "condition", "share", "tag", "p")}
    return {**values, "bounds": [[metric.text, bound] for metric, bound in gate.bounds]}


def gate_of(values: Mapping[str, Any]) -> Gate:
    """The gate from what travelled. KeyError, TypeError or ValueError for what is none."""
    name, condition, share, tag, p = (values[key] for key in ("id", "condition", "share", "tag", "p"))
    if not isinstance(name, str) or condition not in CONDITIONS or not (tag is None or isinstance(tag, str)):
        raise ValueError(f"no gate with the id {name!r}, the condition {condition!r} and the tag {tag!r}")
    numbers = [share, *(bound for _, bound in values["bounds"]), *([] if p is None else [p])]
    if not all(map(is_number, numbers)):
        raise ValueError(f"the gate {name!r} has numbers that are none: {numbers}")
    return Gate(name, condition, tuple((parse_metric(name), bound) for name, bound in values["bounds"]), share, tag, p)


def gates_without_cases(gates: Sequence[Gate], cases: Iterable[Case]) -> Iterator[Refused]:
    """The gates that look at a tag that no case has."""
    if all(gate.tag is None for gate in gates):
        return
    tags = {tag: None for case in cases for tag in case.tags}
    for index, gate in enumerate(gates):
        if gate.tag is not None and gate.tag not in tags:
            known = did_you_mean(gate.tag, tags) or f"; tags are {listed(tags, 'and') if tags else 'none'}"
            yield Refused(f"no case has the tag {quoted(gate.tag)}{known}", ("gates", index, "tag"))


def _gate(written: object) -> Gate:
    if not isinstance(written, Mapping):
        raise Refused(f"a gate is a mapping such as {{mean: {{nDCG@10: 0.75}}}}, found {found(written)}")
    refusals = [
        Refused(
            f"unknown key {quoted(str(key))} of a gate{did_you_mean(str(key), _KEYS) or _all}", (str(key),), at_key=True
        )
        for key in written
        if key not in _KEYS
    ]
    conditions = [name for name in CONDITIONS if name in written]
    if len(conditions) != 1:
        what = f"{listed(conditions, 'and')} are two" if conditions else "there is none"
        refusals.append(Refused(f"a gate has one condition, {listed(CONDITIONS)}; {what}"))
    values: dict[str, object] = {}
    for key, check in (*CONDITIONS.items(), *_OPTIONS.items()):
        if key in written:
            try:
                values[key] = check(written[key])
            except (Refused, RefusedSeveral) as error:
                refusals += [refused.under(key) for refused in error.all()]
    if "p" in written and conditions and conditions != [MAX_DROP]:
        refusals.append(Refused(f"p belongs to {MAX_DROP}: the drop fails the gate only if it is significant", ("p",)))
    if refusals:
        raise RefusedSeveral(refusals)
    condition = conditions[0]
    tag: str | None = values.get("tag")  # type: ignore[assignment]
    name = values.get("id") or _default_id(condition, values[condition], tag)
    p: float | None = values.get("p")  # type: ignore[assignment]
    if condition == PASSING:
        return Gate(str(name), condition, share=values[condition], tag=tag)  # type: ignore[arg-type]
    return Gate(str(name), condition, values[condition], tag=tag, p=p)  # type: ignore[arg-type]


def _default_id(condition: str, value: object, tag: str | None) -> str:
    """The condition itself."""
    if isinstance(value, tuple):
        bound = ", ".join(f"{metric.text} {bound:g}" for metric, bound in value)
    else:
        bound = f"{value:g}"
    return f"{condition} {bound}" + (f" of {tag}" if tag is not None else "")


def _means(value: object) -> tuple[tuple[Metric, float], ...]:
    return _bounds(value, MEAN, "nDCG@10: 0.75")


def _drops(value: object) -> tuple[tuple[Metric, float], ...]:
    return _bounds(value, MAX_DROP, "nDCG@10: 0.02")


def _bounds(value: object, condition: str, example: str) -> tuple[tuple[Metric, float], ...]:
    """Metrics and their bounds."""
    if not isinstance(value, Mapping) or not value:
        raise Refused(f"expected a metric and its bound, such as {condition}: {{{example}}}, found {found(value)}")
    bounds: dict[str, tuple[Metric, float]] = {}
    refusals = []
    for name, bound in value.items():
        try:
            metric = parse_metric(name)
        except ValueError as error:
            refusals.append(Refused(str(error), (str(name),), at_key=True))
            continue
        highest = largest_score(metric)
        if not is_number(bound) or not 0 <= bound <= highest:
            allowed = "a number from 0 on" if highest > 1 else "a number from 0 to 1"
            message = f"expected {allowed}, found {found(bound)}{number_advice(bound)}"
            refusals.append(Refused(message, (str(name),)))
        elif metric.text in bounds:
            refusals.append(Refused(f"{metric.text} stands twice; keep one of them", (str(name),), at_key=True))
        else:
            bounds[metric.text] = metric, bound
    if refusals:
        raise RefusedSeveral(refusals)
    return tuple(bounds.values())


def _share(value: object) -> float:
    if not is_number(value) or not 0 < value <= 1:
        raise Refused(
            f"expected the share of cases that must pass, above 0 and up to 1, found {found(value)}"
            f"{number_advice(value)}"
        )
    return value


def _text_of(check: Callable[[str], str]) -> Callable[[object], str]:
    def read(value: object) -> str:
        if not isinstance(value, str):
            raise Refused(f"expected text, found {found(value)}")
        return check(value)

    return read


def _level(value: object) -> float:
    if not is_number(value) or not 0 < value < 1:
        raise Refused(f"expected a level of significance such as 0.05, found {found(value)}{number_advice(value)}")
    return value


CONDITIONS: Mapping[str, Callable[[object], object]] = {MEAN: _means, MAX_DROP: _drops, PASSING: _share}
"""What a gate may demand, and what reads it."""

_OPTIONS: Mapping[str, Callable[[object], object]] = {
    "id": _text_of(check_id),
    "tag": _text_of(lambda tag: check_tag(tag, frozenset())),
    "p": _level,
}
_KEYS = (*CONDITIONS, *_OPTIONS)
_all = f"; it has {listed(CONDITIONS)}, and may have {listed(_OPTIONS, 'and')}"
