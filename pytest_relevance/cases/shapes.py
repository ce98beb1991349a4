"""How the nodes of YAML become plain Python, in the way that each key asks for.

For most keys a number is a number. Ids, queries, tags and names are text, as written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from yaml.events import ScalarEvent

from pytest_relevance.cases.scalars import grade, scalar_value
from pytest_relevance.cases.yaml import MappingNode, Node, SequenceNode


@dataclass(frozen=True, slots=True)
class Shape:
    """How a node of YAML becomes plain Python.

    `scalar`: converts its scalars, at any depth.
    `keys`: the shapes of values under some keys of its mapping. In other values
        scalars are converted as in the node. Keys are always text.
    """

    scalar: Callable[[ScalarEvent], object]
    keys: Mapping[str, Shape] = field(default_factory=dict)


def _as_value(scalar: ScalarEvent) -> object:
    return scalar_value(scalar.value) if _is_plain(scalar) else scalar.value


def _as_grade(scalar: ScalarEvent) -> object:
    return grade(scalar.value) if _is_plain(scalar) else scalar.value


def _as_text(scalar: ScalarEvent) -> object:
    return scalar.value


def _is_plain(scalar: ScalarEvent) -> bool:
    return bool(scalar.implicit[0])


VALUE = Shape(_as_value)
TEXT = Shape(_as_text)
GRADE = Shape(_as_grade)
REASON = Shape(_as_text, {"strict": VALUE})
GATES = Shape(_as_value, {"id": TEXT, "tag": TEXT, "variant": TEXT, "against": TEXT})
DOCUMENTS = Shape(_as_text, {"within": VALUE})
EXPECTATIONS = Shape(
    _as_value,
    {
        "first": DOCUMENTS,
        "include": DOCUMENTS,
        "exclude": DOCUMENTS,
        "order": DOCUMENTS,
        "same_as": TEXT,
    },
)
PASSAGES = Shape(_as_grade, {"in": VALUE})
"""The shape of passages: plain text is text, except numbers.

So `passages: [14]` is a mistake, and its message advises quotation marks.
"""
JUDGMENT = Shape(_as_grade, {"title": TEXT, "note": TEXT})
QUERY_FILES = Shape(_as_value, {"params": TEXT, "thousands": TEXT, "drop": TEXT})
"""The shape of files of queries. Columns of params and texts of rows stay text."""
KNOWN_ITEMS = Shape(_as_text, {"sample": VALUE})
JUDGMENTS = Shape(_as_value)
"""The shape of `judgments`: files, or documents with a `JUDGMENT` each."""


def to_python(node: Node, shape: Shape) -> object:
    """Return a node as plain Python, in the shape of its key."""
    if isinstance(node, ScalarEvent):
        return shape.scalar(node)
    if isinstance(node, SequenceNode):
        return [to_python(item, shape) for item in node.items]
    if shape is JUDGMENTS:
        return _judgments(node)
    others = Shape(shape.scalar) if shape.keys else shape
    values = {}
    for name, (_, item) in node.pairs.items():
        values[name] = to_python(item, shape.keys.get(name, others))
    return values


def _judgments(node: MappingNode) -> dict[str, object]:
    """Return {document: grade}, faster than `to_python`: a file has many of them."""
    values: dict[str, object] = {}
    for document, (_, item) in node.pairs.items():
        if type(item) is ScalarEvent and item.implicit[0]:
            values[document] = grade(item.value)
        else:
            values[document] = to_python(item, JUDGMENT)
    return values
