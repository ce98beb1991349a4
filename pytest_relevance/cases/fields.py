"""The keys of a case file: one table that says where each may stand, how it is read from YAML and what it may hold.

Reading turns a YAML node into plain Python (text as written, or a value); checking takes that plain Python and is
the same for a case written in Python (`relevance.check`). A check returns the value a `Case` or `Terms` holds, or
raises `Refused` with the path to what is wrong. To add a key: a row in `FIELDS`, and a field of the model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from math import isfinite

from yaml.events import ScalarEvent

from pytest_relevance.cases.expectations import check_expectations
from pytest_relevance.cases.graded import as_judgments, check_judgments, check_scale, plain_scale
from pytest_relevance.cases.model import Xfail
from pytest_relevance.cases.names import check_fixture_name, check_id
from pytest_relevance.cases.nodes import MappingNode, Node, SequenceNode, is_plain
from pytest_relevance.cases.problems import Refused
from pytest_relevance.cases.scalars import value as scalar_value
from pytest_relevance.judgments.raters import AGGREGATES
from pytest_relevance.metrics.settings import CHOICES
from pytest_relevance.wording import did_you_mean, listed, shown

Check = Callable[[object, Mapping[str, object]], object]


# Reading: a node becomes plain Python.


def as_value(node: Node) -> object:
    """What a node means where values are wanted (`params`, numbers): see `cases.scalars`. Keys stay text."""
    if type(node) is ScalarEvent:
        return scalar_value(node.value) if is_plain(node) else node.value
    if type(node) is SequenceNode:
        return [as_value(item) for item in node.items]
    assert type(node) is MappingNode
    return {name: as_value(item) for name, (_, item) in node.pairs.items()}


def as_text(node: Node) -> object:
    """Text exactly as written; anything but a scalar is left for the check to refuse."""
    return node.value if type(node) is ScalarEvent else as_value(node)


def as_texts(node: Node) -> object:
    """A list of texts as written, or what stands there instead."""
    return [as_text(item) for item in node.items] if type(node) is SequenceNode else as_text(node)


def _as_gain(node: Node) -> object:
    return as_text(node) if type(node) is ScalarEvent else as_value(node)


def _as_xfail(node: Node) -> object:
    if type(node) is not MappingNode:
        return as_text(node)
    return {name: as_text(item) if name == "reason" else as_value(item) for name, (_, item) in node.pairs.items()}


def _as_expectations(node: Node) -> object:
    if type(node) is not MappingNode:
        return as_value(node)
    return {
        name: _as_expected(item) if name in _OF_DOCUMENTS else as_value(item) for name, (_, item) in node.pairs.items()
    }


def _as_expected(node: Node) -> object:
    if type(node) is not MappingNode:
        return as_texts(node)
    return {name: as_texts(item) if name == "docs" else as_value(item) for name, (_, item) in node.pairs.items()}


_OF_DOCUMENTS = frozenset({"first", "include", "exclude", "order"})


# Checking: plain Python becomes what the model holds. `terms` are the suite's values and the case's own so far.


def _text(value: object, terms: Mapping[str, object]) -> str:
    if not isinstance(value, str):
        raise Refused(f"expected text, found {_kind(value)}")
    return value


def _query(value: object, terms: Mapping[str, object]) -> str:
    query = _text(value, terms)
    if not query.strip():
        raise Refused("the query is empty; write what a user would type")
    return query


def _id(value: object, terms: Mapping[str, object]) -> str:
    return check_id(_text(value, terms))


def _whole(value: object, terms: Mapping[str, object]) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or not 1 <= value <= 1_000_000:
        raise Refused(f"expected a whole number from 1, found {_kind(value)}")
    return value


def _share(value: object, terms: Mapping[str, object]) -> float:
    if not _is_number(value) or not 0 <= value <= 1:  # type: ignore[operator]
        raise Refused(f"expected a number from 0 to 1, found {_kind(value)}")
    return value  # type: ignore[return-value]


def _floor(value: object, terms: Mapping[str, object]) -> float | None:
    if value is None:
        return None
    if not _is_number(value) or not 0 <= value <= 1:  # type: ignore[operator]
        raise Refused(f"expected a number from 0 to 1, or null to take an inherited floor away, found {_kind(value)}")
    return value  # type: ignore[return-value]


def _weight(value: object, terms: Mapping[str, object]) -> float:
    if not _is_number(value) or value <= 0:  # type: ignore[operator]
        raise Refused(f"a weight is a number above 0, found {_kind(value)}")
    return value  # type: ignore[return-value]


def _choice(allowed: Iterable[str]) -> Check:
    names = tuple(allowed)

    def check(value: object, terms: Mapping[str, object]) -> str:
        if not isinstance(value, str) or value not in names:
            close = did_you_mean(value, names) if isinstance(value, str) else ""
            raise Refused(f"expected {listed(names)}, found {_kind(value)}{close}")
        return value

    return check


def _gain(value: object, terms: Mapping[str, object]) -> object:
    if not isinstance(value, Mapping):
        names = (*CHOICES["gain"], "a mapping grade: gain")
        if not isinstance(value, str) or value not in CHOICES["gain"]:
            close = did_you_mean(value, CHOICES["gain"]) if isinstance(value, str) else ""
            raise Refused(f"expected {listed(names)}, found {_kind(value)}{close}")
        return value
    gains = {}
    for written, gain in value.items():
        grade = _grade_of_gain(written, terms)
        if not _is_number(gain):
            raise Refused(f"a gain is a number, found {_kind(gain)}", (written,))
        if grade in gains:
            raise Refused(f"grade {grade:g} has two gains", (written,), at_key=True)
        gains[grade] = gain
    if not gains:
        raise Refused("the mapping of gains is empty; write grade: gain pairs, or exponential or linear")
    return gains


def _grade_of_gain(written: object, terms: Mapping[str, object]) -> float:
    scale = terms.get("scale")
    names: Mapping[str, float] = getattr(scale, "names", {})
    if isinstance(written, str):
        if written in names:
            return names[written]
        number = scalar_value(written)
    else:
        number = written
    if not _is_number(number):
        allowed = listed([*names, "a number"])
        raise Refused(f"{shown(written)} is no grade; expected {allowed}", (written,), at_key=True)  # type: ignore[arg-type]
    return number  # type: ignore[return-value]


def _params(value: object, terms: Mapping[str, object]) -> dict[str, object]:
    if not isinstance(value, Mapping):
        raise Refused(f"params takes a mapping of keyword arguments for search(), found {_kind(value)}")
    for name, why in (
        ("k", 'search() is given k by the plugin, when it has a parameter of that name; set "k" beside params'),
        ("query", "the query is search()'s first argument already"),
    ):
        if name in value:
            raise Refused(f"params may not have {name}: {why}", (name,), at_key=True)
    for name in value:
        if not isinstance(name, str) or not name:
            raise Refused(f"the name of a parameter is text, found {shown(name)}", (name,), at_key=True)
    inherited = terms.get("params")
    return {**inherited, **value} if isinstance(inherited, Mapping) else dict(value)


def _names(check: Callable[[object], str], what: str) -> Check:
    def checked(value: object, terms: Mapping[str, object]) -> tuple[str, ...]:
        if not isinstance(value, (list, tuple)):
            raise Refused(
                f"expected a list of {what}, found {_kind(value)}; write [{value}]"
                if isinstance(value, str)
                else f"expected a list of {what}, found {_kind(value)}"
            )
        names: list[str] = []
        for number, item in enumerate(value):
            try:
                name = check(item)
            except Refused as refused:
                raise refused.under(number) from None
            if name in names:
                raise Refused(f"{shown(name)} stands twice", (number,))
            names.append(name)
        return tuple(names)

    return checked


def _tag(value: object) -> str:
    if not isinstance(value, str):
        raise Refused(f"a tag is text, found {_kind(value)}")
    return value  # whose it is may only be asked where pytest is known: see the reader's owned tags


def _search(value: object, terms: Mapping[str, object]) -> str:
    return check_fixture_name(value)


def _xfail(value: object, terms: Mapping[str, object]) -> Xfail:
    if isinstance(value, Mapping):
        for key in value:
            if key not in ("reason", "strict"):
                raise Refused(f"unknown key {shown(key)}; xfail takes reason and strict", (key,), at_key=True)
        strict = value.get("strict")
        if strict is not None and not isinstance(strict, bool):
            raise Refused(f"strict is true or false, found {_kind(strict)}", ("strict",))
        return Xfail(_reason(value.get("reason"), "xfail"), strict)
    return Xfail(_reason(value, "xfail"))


def _skip(value: object, terms: Mapping[str, object]) -> str:
    return _reason(value, "skip")


def _reason(value: object, key: str) -> str:
    if not isinstance(value, str) or not value.strip() or value in ("true", "false", "null"):
        raise Refused(
            f"{key} takes the reason as text, found {_kind(value)}; say why, for the one who reads the report"
        )
    return value


def _expect(value: object, terms: Mapping[str, object]) -> object:
    return check_expectations(value)


def _is_number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and isfinite(value)


_KINDS: tuple[tuple[type, str], ...] = (
    (bool, ""),
    (str, ""),
    (Mapping, "a mapping "),
    (list, "a list "),
    (tuple, "a list "),
)


def _kind(value: object) -> str:
    if value is None or value == "":
        return "nothing"
    return next((f"{name}{shown(value)}" for kind, name in _KINDS if isinstance(value, kind)), shown(value))


@dataclass(frozen=True, slots=True)
class Field:
    """A key of a case file. `read` makes plain Python of its YAML, `check` what the model holds of that.

    `at` says where it may stand. `pending` says what of it this version refuses.
    """

    name: str
    at: tuple[str, ...]
    read: Callable[[Node], object]
    check: Check
    pending: str | None = None


SUITE, CASE = "suite", "case"
_BOTH = (SUITE, CASE)


def _never(value: object, terms: Mapping[str, object]) -> object:
    raise Refused("is not supported yet by this version of pytest-relevance; take it out")


FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        # the order is the order of checking: what a check looks up in `terms` comes before it
        Field("query", (CASE,), as_text, _query),
        Field("id", (CASE,), as_text, _id),
        Field("search", _BOTH, as_text, _search),
        Field("k", _BOTH, as_value, _whole),
        Field("min_ndcg", _BOTH, as_value, _floor),
        Field("scale", _BOTH, plain_scale, check_scale),
        Field("gain", _BOTH, _as_gain, _gain),
        Field("discount", _BOTH, as_text, _choice(CHOICES["discount"])),
        Field("ideal", _BOTH, as_text, _choice(CHOICES["ideal"])),
        Field("unjudged", _BOTH, as_text, _choice(CHOICES["unjudged"])),
        Field("negative", _BOTH, as_text, _choice(CHOICES["negative"])),
        Field("min_judged", _BOTH, as_value, _share),
        Field("raters", _BOTH, as_text, _choice(AGGREGATES)),
        Field("id_field", _BOTH, as_text, _text),
        Field("title_field", _BOTH, as_text, _text),
        Field("params", _BOTH, as_value, _params),
        Field("tags", _BOTH, as_texts, _names(_tag, "tags")),
        Field("judgments", _BOTH, as_judgments, check_judgments),
        Field("note", (CASE,), as_text, _text),
        Field("weight", (CASE,), as_value, _weight),
        Field("xfail", (CASE,), _as_xfail, _xfail),
        Field("skip", (CASE,), as_text, _skip),
        Field("usefixtures", (CASE,), as_texts, _names(check_fixture_name, "fixture names")),
        Field("expect", (CASE,), _as_expectations, _expect),
        Field("tolerance", _BOTH, as_value, _never),
        Field("gates", (SUITE,), as_value, _never),
        Field("queries", (SUITE,), as_value, _never),
    )
}
"""Every key there is, but `cases` itself."""

INHERITED = ("search", "k", "min_ndcg", "scale", "min_judged", "raters", "id_field", "title_field", "params", "tags")
"""The keys that a suite sets and `Terms` holds under the same name."""

SCORING = ("gain", "discount", "ideal", "unjudged", "negative")
"""The keys that make up `Settings`."""
