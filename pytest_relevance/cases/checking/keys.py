"""The keys of a case file: where each may stand, how it is read from YAML, and its check.

To add a key, add a row to `_KEYS`, a property to `case-file.schema.json` for editors, and a field of that name to the
model: of `Case`, of `Terms` where suites set it, of `Settings` where it changes how scores are computed. What several
keys say together is checked in `build`.
"""

from collections.abc import Callable, Mapping
from dataclasses import fields
from operator import attrgetter
from typing import NamedTuple, TypeVar

from yaml.events import ScalarEvent

from pytest_relevance._text import did_you_mean, quoted
from pytest_relevance.cases.checking import judgments
from pytest_relevance.cases.checking import values as checks
from pytest_relevance.cases.checking.expectations import (
    KINDS,
    check_expectations,
    check_suite_expectations,
    kind_of,
)
from pytest_relevance.cases.checking.gates import check_gates
from pytest_relevance.cases.checking.values import Check, choice, grade, scalar_value
from pytest_relevance.cases.model import Terms
from pytest_relevance.cases.nodes import Node, SequenceNode
from pytest_relevance.cases.problems import Location
from pytest_relevance.judgments.scale import AGGREGATES
from pytest_relevance.metrics.settings import CHOICES, Settings


def _as_value(scalar: ScalarEvent) -> object:
    return scalar_value(scalar.value) if scalar.implicit[0] else scalar.value


def _as_grade(scalar: ScalarEvent) -> object:
    return grade(scalar.value) if scalar.implicit[0] else scalar.value


_as_text: Callable[[ScalarEvent], object] = attrgetter("value")


class Shape(NamedTuple):
    """How a node is converted: its scalars, at any depth, and the values of the keys for which another shape holds.

    Keys of mappings are always text.
    """

    scalar: Callable[[ScalarEvent], object]
    keys: Mapping[str, "Shape"] = {}


VALUE, TEXT, GRADE = Shape(_as_value), Shape(_as_text), Shape(_as_grade)
REASON = Shape(_as_text, {"strict": VALUE})
GATES = Shape(_as_value, dict.fromkeys(("id", "tag", "variant", "against"), TEXT))
DOCUMENTS = Shape(_as_text, {"within": VALUE})
EXPECTATIONS = Shape(
    _as_value,
    {
        **dict.fromkeys(("first", "include", "exclude", "order"), DOCUMENTS),
        "same_as": TEXT,
    },
)
JUDGMENT = Shape(_as_grade, {"title": TEXT, "note": TEXT})
JUDGMENTS = Shape(_as_value)


def converted(node: Node, shape: Shape) -> object:
    """Convert a node, of the shape of its key, to plain Python."""
    if isinstance(node, ScalarEvent):
        return shape.scalar(node)
    if isinstance(node, SequenceNode):
        return [converted(item, shape) for item in node.items]
    if shape is JUDGMENTS:  # nearly all of a large file
        return {
            document: grade(item.value)
            if type(item) is ScalarEvent and item.implicit[0]
            else converted(item, JUDGMENT)
            for document, (_, item) in node.pairs.items()
        }
    others = Shape(shape.scalar) if shape.keys else shape
    return {
        name: converted(item, shape.keys.get(name, others))
        for name, (_, item) in node.pairs.items()
    }


SUITE, CASE = "suite", "case"
CASES, QUERIES = "cases", "queries"
_BOTH = (SUITE, CASE)


class Key(NamedTuple):
    """A key of a case file.

    `levels`: whether suites, cases or both have it. `shape` says how YAML becomes plain Python, `check` makes the
    value. A key is not checked if a key that it `needs` is wrong: its mistakes would only follow from that one.
    """

    name: str
    levels: tuple[str, ...]
    shape: Shape
    check: Check
    needs: tuple[str, ...] = ()


_KEYS = (
    # in the order of checking: a check may look at the values of the keys before it
    Key("query", (CASE,), TEXT, checks.query),
    Key("id", (CASE,), TEXT, checks.written_id),
    Key("search", _BOTH, TEXT, checks.search),
    Key("k", _BOTH, VALUE, checks.whole),
    Key("min_ndcg", _BOTH, VALUE, checks.floor),
    Key("scale", _BOTH, GRADE, judgments.check_scale),
    Key("gain", _BOTH, VALUE, checks.gain, ("scale",)),
    *(
        Key(name, _BOTH, TEXT, choice(CHOICES[name]))
        for name in ("discount", "ideal", "unjudged", "negative")
    ),
    Key("collapse", _BOTH, VALUE, checks.flag),
    Key("raters", _BOTH, TEXT, choice(AGGREGATES)),
    Key("min_judged", _BOTH, VALUE, checks.share),
    Key("depth", _BOTH, VALUE, checks.whole),
    Key("id_field", _BOTH, TEXT, checks.id_field),
    Key("title_field", _BOTH, TEXT, checks.name_of_field),
    Key("params", _BOTH, VALUE, checks.params),
    Key("tags", _BOTH, TEXT, checks.tags),
    Key("judgments", (SUITE,), JUDGMENTS, judgments.check_suite_judgments, ("scale",)),
    Key("judgments", (CASE,), JUDGMENTS, judgments.check_judgments, ("scale",)),
    Key("documents", (SUITE,), TEXT, judgments.check_catalogue),
    Key("relevant", (CASE,), TEXT, judgments.check_relevant, ("scale",)),
    Key("note", (CASE,), TEXT, checks.text),
    Key("weight", (CASE,), VALUE, checks.weight),
    Key("xfail", (CASE,), REASON, checks.xfail),
    Key("skip", (CASE,), TEXT, checks.skip),
    Key("usefixtures", (CASE,), TEXT, checks.fixtures),
    Key("expect", (SUITE,), EXPECTATIONS, check_suite_expectations),
    Key("expect", (CASE,), EXPECTATIONS, check_expectations),
    Key("tolerance", _BOTH, VALUE, checks.share),
    Key("gates", (SUITE,), GATES, check_gates),
    Key("queries", (SUITE,), VALUE, judgments.check_query_files),
)

KEYS: Mapping[str, Mapping[str, Key]] = {
    level: {key.name: key for key in _KEYS if level in key.levels}
    for level in (SUITE, CASE)
}
"""The keys of a suite and of a case by their names; `cases` itself is not among them."""

_PLACES = {
    name: place for place, name in enumerate(dict.fromkeys(key.name for key in _KEYS))
}
"""The keys in the order of checking."""

OF_TERMS = tuple(name for name in Terms._fields if name in KEYS[SUITE])
"""The keys of a suite that `Terms` has under the same name."""

OF_SETTINGS = tuple(
    field.name for field in fields(Settings) if field.name in KEYS[SUITE]
)
"""The keys that make up the `Settings` of scores."""

Written = TypeVar("Written")


def check_keys(
    level: str,
    written: Mapping[str, Written],
    read: Callable[[Written, Shape], object],
    at: Location,
    wrong: frozenset[str] = frozenset(),
) -> tuple[dict[str, object], frozenset[str]]:
    """Check the keys of a suite or a case in the order of the table, and add their values to `at.scope.values`.

    `read` converts what is written for a key to plain Python. `wrong` are inherited keys that are wrong; returned are
    the values of the mapping's own keys, and the keys that are wrong now.
    """
    keys = KEYS[level]
    if not written.keys() <= keys.keys():
        for name in written:
            if name not in keys:
                at.refuse(_unknown_key(str(name), level), str(name), at_key=True)
    own: dict[str, object] = {}
    scope = at.scope
    for name in sorted(written.keys() & keys.keys(), key=_PLACES.__getitem__):
        key = keys[name]
        before = scope.mistakes
        if not wrong or wrong.isdisjoint(key.needs):
            value = key.check(read(written[name], key.shape), at.under(name))
            if scope.mistakes == before:
                own[name] = scope.values[name] = value
                if wrong:
                    wrong -= {name}
                continue
        wrong |= {name}
    return own, wrong


def _unknown_key(name: str, level: str) -> str:
    names = (*KEYS[level], CASES) if level == SUITE else tuple(KEYS[level])
    if name in KEYS[SUITE] or name in KEYS[CASE] or name == CASES:
        other = "of the suite, beside cases" if level == CASE else "of a case"
        return f"{quoted(name)} is a key {other}, not of a {level}"
    if kind_of(name) in KINDS:
        return f"{quoted(name)} is no key of a {level}; it is an expectation, write it under expect:"
    advice = did_you_mean(name, names) or f"; it takes {', '.join(names)}"
    return f"unknown key {quoted(name)} of a {level}{advice}"
