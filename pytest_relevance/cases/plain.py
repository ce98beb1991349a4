"""From YAML nodes to plain Python, each key in its own way: text as written, a value, or grades.

Nothing is checked here. What cannot be right is passed on in a shape that the check of its key refuses by name.
"""

from __future__ import annotations

from yaml.events import ScalarEvent

from pytest_relevance.cases.nodes import MappingNode, Node, QuickJudgments, SequenceNode, is_plain
from pytest_relevance.cases.scalars import number
from pytest_relevance.cases.scalars import value as scalar_value


def as_value(node: Node) -> object:
    """What a node means where values are wanted (`params`, numbers): see `cases.scalars`. Keys stay text."""
    if isinstance(node, ScalarEvent):
        return scalar_value(node.value) if is_plain(node) else node.value
    if isinstance(node, SequenceNode):
        return [as_value(item) for item in node.items]
    assert isinstance(node, MappingNode)
    return {name: as_value(item) for name, (_, item) in node.pairs.items()}


def as_text(node: Node) -> object:
    """Text exactly as written; anything but a scalar is left for the check to refuse."""
    return node.value if isinstance(node, ScalarEvent) else as_value(node)


def as_texts(node: Node) -> object:
    """A list of texts as written, or what stands there instead."""
    return [as_text(item) for item in node.items] if isinstance(node, SequenceNode) else as_text(node)


def as_names(node: Node) -> object:
    """The same where no single text may stand: `null` is nothing there."""
    return as_value(node) if isinstance(node, ScalarEvent) else as_texts(node)


def as_xfail(node: Node) -> object:
    """A reason, or a mapping with a reason and the value of `strict`."""
    if not isinstance(node, MappingNode):
        return as_text(node)
    return {name: as_text(item) if name == "reason" else as_value(item) for name, (_, item) in node.pairs.items()}


def as_expectations(node: Node) -> object:
    """Expectations by their keys: documents as text, all else as values."""
    if not isinstance(node, MappingNode):
        return as_value(node)
    return {
        name: _as_documents(item) if name in _OF_DOCUMENTS else as_value(item) for name, (_, item) in node.pairs.items()
    }


def as_gates(node: Node) -> object:
    """Gates: names and tags as text, all else as values."""
    if not isinstance(node, SequenceNode):
        return as_value(node)
    return [
        {name: as_text(value) if name in _OF_TEXT else as_value(value) for name, (_, value) in item.pairs.items()}
        if isinstance(item, MappingNode)
        else as_value(item)
        for item in node.items
    ]


_OF_TEXT = frozenset({"id", "tag"})
_OF_DOCUMENTS = frozenset({"first", "include", "exclude", "order"})


def _as_documents(node: Node) -> object:
    if not isinstance(node, MappingNode):
        return as_texts(node)
    return {name: as_texts(item) if name == "docs" else as_value(item) for name, (_, item) in node.pairs.items()}


def as_judgments(node: Node) -> object:
    """Judgments as written: document to number, name, list of ratings or long form; or files."""
    if isinstance(node, QuickJudgments):
        for document in node.unusual:
            node.grades[document] = _as_grade(node.grades[document])
        return node.grades
    if isinstance(node, MappingNode):
        return {document: _as_grade(written) for document, (_, written) in node.pairs.items()}
    return as_value(node)


def as_scale(node: Node) -> object:
    """A scale as written: its names are text even where they look like something else."""
    if isinstance(node, SequenceNode):
        return [_as_grade(item) for item in node.items]
    if isinstance(node, MappingNode):
        return {name: _as_grade(item) for name, (_, item) in node.pairs.items()}
    return as_value(node)


def _as_grade(node: Node) -> object:
    """A plain number as a number; all else stays text, so that a grade's name may be `no` or `true`."""
    if isinstance(node, ScalarEvent):
        found = number(node.value) if is_plain(node) else None
        return node.value if found is None else found
    if isinstance(node, SequenceNode):
        return [_as_grade(item) for item in node.items]
    assert isinstance(node, MappingNode)
    return {name: _as_grade(item) if name == "grade" else as_text(item) for name, (_, item) in node.pairs.items()}
