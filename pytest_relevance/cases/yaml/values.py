"""Convert YAML nodes to plain Python values: each key has a `Shape` that says which scalars stay text.

Nothing is checked here. A node that does not fit its shape is converted as a value, for the check of its key to refuse.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from yaml.events import ScalarEvent

from pytest_relevance.cases.yaml.nodes import Node, QuickJudgments, SequenceNode, is_plain
from pytest_relevance.cases.yaml.scalars import number
from pytest_relevance.cases.yaml.scalars import value as scalar_value


def _as_text(scalar: ScalarEvent) -> object:
    return scalar.value


def _as_value(scalar: ScalarEvent) -> object:
    return scalar_value(scalar.value) if is_plain(scalar) else scalar.value


def _as_grade(scalar: ScalarEvent) -> object:
    """A plain number as a number; anything else stays text, so that the name of a grade may be `no` or `true`."""
    found = number(scalar.value) if is_plain(scalar) else None
    return scalar.value if found is None else found


@dataclass(frozen=True, slots=True)
class Shape:
    """How a node is converted: a scalar, the items of a list, and the values of a mapping by their keys.

    None means the conversion as a value: `true`, `false`, `null` and numbers where they are written plain. Keys of
    mappings are always text.
    """

    scalar: Callable[[ScalarEvent], object] = _as_value
    items: Shape | None = None
    keys: Mapping[str, Shape] = field(default_factory=dict)
    other_keys: Shape | None = None


VALUE = Shape()
TEXT = Shape(_as_text)
TEXTS = Shape(_as_text, items=TEXT)
NAMES = Shape(items=TEXT)
REASON = Shape(_as_text, keys={"reason": TEXT})
GATES = Shape(items=Shape(keys={"id": TEXT, "tag": TEXT}))
_DOCUMENTS = Shape(_as_text, items=TEXT, keys={"docs": TEXTS})
EXPECTATIONS = Shape(keys=dict.fromkeys(("first", "include", "exclude", "order"), _DOCUMENTS))
_RATING = Shape(_as_grade, other_keys=TEXT)
_GRADE = Shape(_as_grade, items=_RATING, keys={"grade": Shape(_as_grade, items=_RATING)}, other_keys=TEXT)
SCALE = Shape(items=_RATING, other_keys=_RATING)
JUDGMENTS = Shape(other_keys=_GRADE)


def converted(node: Node, shape: Shape | None) -> object:
    """Convert a node, of the shape of its key, to plain Python."""
    if shape is None:
        shape = VALUE
    if isinstance(node, ScalarEvent):
        return shape.scalar(node)
    if isinstance(node, QuickJudgments):
        for document in node.unusual:
            node.grades[document] = converted(node.grades[document], _GRADE)
        return node.grades
    if isinstance(node, SequenceNode):
        return [converted(item, shape.items) for item in node.items]
    return {name: converted(item, shape.keys.get(name, shape.other_keys)) for name, (_, item) in node.pairs.items()}
